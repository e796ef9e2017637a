//! The table of benches. Its rows open without a script: the style sheet shows a row's details
//! while the `details` element in it is open.

use super::proof::proof;
use super::prose::prose;
use super::readings::readings;
use super::{Badge, Cell, Page, Row};
use crate::text::printable;
use maud::{Markup, html};
use tiergate_model::BenchId;

/// The table; the roles stand although they are the elements' own, because narrow screens lay it
/// out as cards, and browsers drop the roles of tables that are none.
pub(super) fn table(page: &Page) -> Result<Markup, serde_json::Error> {
    let mut bodies = Vec::with_capacity(page.rows.len());
    for (index, row) in page.rows.iter().enumerate() {
        bodies.push(body(page, row, index)?);
    }
    Ok(html! {
        table #benches role="table" aria-label="Benches" {
            thead role="rowgroup" {
                tr role="row" {
                    (heading(page.state, "verdict"))
                    (heading("bench", "name"))
                    @for column in &page.columns { (heading(column, "num")) }
                }
            }
            @for body in &bodies { (body) }
        }
    })
}

fn heading(text: &str, class: &str) -> Markup {
    html! { th scope="col" role="columnheader" class=(class) { (text) } }
}

fn body(page: &Page, row: &Row, index: usize) -> Result<Markup, serde_json::Error> {
    let id = BenchId::from_text(row.id);
    let (file, name) = if id.is_file() { ("", id.as_str()) } else { (id.file(), id.name()) };
    Ok(html! {
        tbody.bench #{ "b" (index) } role="rowgroup" data-verdict=(row.badge.word) {
            tr.row role="row" {
                td.verdict role="cell" data-v=(index) { (badge(row.badge)) }
                th.name scope="row" role="rowheader" {
                    details {
                        summary {
                            @if !file.is_empty() { span.file { (printable(file)) " " } }
                            span.bench-name { (printable(name)) }
                        }
                    }
                    @if let Some(reason) = row.reason { p.reason { (prose(reason)) } }
                    @if let Some(hint) = row.hint { p.hint { "hint: " (prose(hint)) } }
                }
                @for (column, cell) in page.columns.iter().zip(&row.cells) { (figure(column, cell)) }
            }
            tr.more role="row" {
                td role="cell" colspan=(page.columns.len() + 2) {
                    div.detail {
                        (readings(page, row)?)
                        (proof(page, row)?)
                    }
                }
            }
        }
    })
}

pub(super) fn badge(badge: Badge) -> Markup {
    html! {
        span class={ "badge " (badge.class()) } {
            span.sign aria-hidden="true" { (badge.sign()) }
            (badge.word)
        }
    }
}

fn figure(column: &str, cell: &Cell) -> Markup {
    html! {
        td.num role="cell" data-label=(column) data-v=[cell.sort] {
            span {
                (cell.text)
                @if !cell.more.is_empty() { span.below { (cell.more) } }
            }
        }
    }
}

//! Aligned columns, of which one gives way when the width is short.

use crate::style::{BOLD, PLAIN, Style};
use crate::text::{columns, shorten, wrap};
use anstyle::Style as Paint;

const GAP: &str = "  ";

/// A shortened name must still say something.
const NARROWEST_NAME: usize = 16;

/// Where a column's text stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// A text in a column, already printable.
pub(crate) struct Cell {
    text: String,
    paint: Paint,
}

impl Cell {
    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), paint: PLAIN }
    }

    pub(crate) fn painted(text: impl Into<String>, paint: Paint) -> Self {
        Self { text: text.into(), paint }
    }
}

enum Line {
    Cells(Vec<Cell>),
    /// Cells whose name must not get lost: where it is shortened, it stands below as a whole.
    NamedCells {
        indent: usize,
        cells: Vec<Cell>,
    },
    /// Text across all columns, broken into lines.
    Note {
        indent: usize,
        text: String,
        paint: Paint,
    },
}

/// A table for a terminal.
pub(crate) struct Table {
    columns: Vec<(String, Align)>,
    /// The column that is shortened when the others leave too little room.
    name: usize,
    lines: Vec<Line>,
}

impl Table {
    pub(crate) fn new(columns: &[(&str, Align)], name: usize) -> Self {
        let columns =
            columns.iter().map(|(heading, align)| ((*heading).to_owned(), *align)).collect();
        Self { columns, name, lines: Vec::new() }
    }

    pub(crate) fn row(&mut self, cells: Vec<Cell>) {
        self.lines.push(Line::Cells(cells));
    }

    /// A row that asks for attention; `indent` is that of its notes.
    pub(crate) fn named_row(&mut self, indent: usize, cells: Vec<Cell>) {
        self.lines.push(Line::NamedCells { indent, cells });
    }

    pub(crate) fn note(&mut self, indent: usize, text: impl Into<String>, paint: Paint) {
        self.lines.push(Line::Note { indent, text: text.into(), paint });
    }

    /// The heading and all lines, each with a line feed; no line ends in a space.
    pub(crate) fn render(&self, style: &Style) -> String {
        let widths = self.widths(style.width);
        let heading: Vec<Cell> =
            self.columns.iter().map(|(heading, _)| Cell::painted(heading.as_str(), BOLD)).collect();
        let mut text = self.render_cells(&heading, &widths, style);
        for line in &self.lines {
            match line {
                Line::Cells(cells) => text.push_str(&self.render_cells(cells, &widths, style)),
                Line::NamedCells { indent, cells } => {
                    text.push_str(&self.render_cells(cells, &widths, style));
                    let name = cells.get(self.name).map_or("", |cell| &cell.text);
                    if columns(name) > widths[self.name] {
                        text.push_str(&note_text(name, *indent, BOLD, style));
                    }
                }
                Line::Note { indent, text: note, paint } => {
                    text.push_str(&note_text(note, *indent, *paint, style));
                }
            }
        }
        text
    }

    fn widths(&self, total: usize) -> Vec<usize> {
        let mut widths: Vec<usize> =
            self.columns.iter().map(|(heading, _)| columns(heading)).collect();
        for line in &self.lines {
            if let Line::Cells(cells) | Line::NamedCells { cells, .. } = line {
                for (width, cell) in widths.iter_mut().zip(cells) {
                    *width = (*width).max(columns(&cell.text));
                }
            }
        }
        let gaps = GAP.len() * widths.len().saturating_sub(1);
        let others = widths.iter().sum::<usize>() - widths[self.name] + gaps;
        let room = total.saturating_sub(others).max(NARROWEST_NAME);
        widths[self.name] = widths[self.name].min(room);
        widths
    }

    fn render_cells(&self, cells: &[Cell], widths: &[usize], style: &Style) -> String {
        let mut text = String::new();
        // Blanks are held back until something follows them.
        let mut blanks = 0;
        for (index, (cell, width)) in cells.iter().zip(widths).enumerate() {
            let shown = shorten(&cell.text, if index == self.name { *width } else { usize::MAX });
            let padding = width.saturating_sub(columns(&shown));
            let (before, after) = match self.columns[index].1 {
                Align::Left => (0, padding),
                Align::Right => (padding, 0),
            };
            blanks += before + if index == 0 { 0 } else { GAP.len() };
            if !shown.is_empty() {
                text.extend(std::iter::repeat_n(' ', blanks));
                text.push_str(&style.paint(&shown, cell.paint));
                blanks = 0;
            }
            blanks += after;
        }
        text.push('\n');
        text
    }
}

/// A note in lines of the style's width, indented, each with a line feed.
pub(crate) fn note_text(note: &str, indent: usize, paint: Paint, style: &Style) -> String {
    let room = style.width.saturating_sub(indent).max(NARROWEST_NAME);
    wrap(note, room)
        .iter()
        .map(|line| format!("{:indent$}{}\n", "", style.paint(line, paint)))
        .collect()
}

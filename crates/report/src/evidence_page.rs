//! The evidence for one bench's window as a page: the cost of an op over its age, with what the
//! engine did.

use crate::evidence::evidence_text;
use crate::style::Style;
use std::fmt::Write;
use tiergate_model::{Evidence, Moment, MomentKind};

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 80.0;
const BOTTOM: f64 = 40.0;
const TOP: f64 = 20.0;

/// Text columns of the words below the curve.
const COLUMNS: usize = 110;

const STYLE: &str = ":root{color-scheme:light dark;--line:#888;--ink:#1a1a1a;--paper:#fff;\
--window:#0a7d3222;--compile:#1a5fb4;--bailout:#b00020;--collection:#8a6d00}\
@media(prefers-color-scheme:dark){:root{--ink:#eee;--paper:#14171a;--window:#3ddc8422;\
--compile:#7ab8ff;--bailout:#ff8a80;--collection:#e0c060}}\
body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:62rem;padding:0 1rem;\
color:var(--ink);background:var(--paper)}h1{font-size:1.3rem;overflow-wrap:anywhere}\
pre{overflow-x:auto;font-size:.85rem}svg{width:100%;height:auto}text{fill:var(--ink);font-size:12px}\
.axis{stroke:var(--line)}.dot{fill:var(--ink)}.window{fill:var(--window)}\
.compile{stroke:var(--compile)}.bailout{stroke:var(--bailout)}.collection{stroke:var(--collection)}";

/// One self-contained page without scripts.
pub fn evidence_html(evidence: &Evidence) -> String {
    let title = escape(evidence.result.id.as_str());
    let text = escape(&evidence_text(evidence, &Style::plain(COLUMNS)));
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src \
         'unsafe-inline'\"><title>{title}</title><style>{STYLE}</style></head><body><main>\
         <h1>{title}</h1>\n{}\n<pre>{text}</pre></main></body></html>\n",
        chart(evidence)
    )
}

fn chart(evidence: &Evidence) -> String {
    let points = &evidence.curve;
    if points.is_empty() {
        return "<p>This bench's ops can't be counted one stretch at a time.</p>".to_owned();
    }
    let result = &evidence.result;
    let last = result.warmup_ops + result.window_ops;
    let costs = || points.iter().map(|point| point.per_op.max(1.0));
    let scale = Scale {
        ops: (last.max(2) as f64).ln(),
        lowest: costs().fold(f64::INFINITY, f64::min).ln() - 0.2,
        highest: costs().fold(1.0, f64::max).ln() + 0.2,
    };
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"Instructions per op over \
         ops, both logarithmic\">"
    );
    let (opens, closes) = (scale.x(result.warmup_ops), scale.x(last));
    let _ = write!(
        svg,
        "<rect class=\"window\" x=\"{opens:.1}\" y=\"{TOP}\" width=\"{:.1}\" \
         height=\"{:.1}\"><title>the window</title></rect>",
        (closes - opens).max(2.0),
        HEIGHT - BOTTOM - TOP
    );
    evidence.moments.iter().for_each(|moment| tick(&mut svg, &scale, moment));
    for point in points {
        let middle = point.after_ops + point.ops / 2;
        let _ = write!(
            svg,
            "<circle class=\"dot\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\"><title>op {middle}: {:.0} \
             instructions</title></circle>",
            scale.x(middle),
            scale.y(point.per_op),
            point.per_op
        );
    }
    axes(&mut svg, &scale, last);
    svg.push_str("</svg>");
    svg
}

struct Scale {
    ops: f64,
    lowest: f64,
    highest: f64,
}

impl Scale {
    fn x(&self, op: u64) -> f64 {
        LEFT + (op.max(1) as f64).ln() / self.ops * (WIDTH - LEFT - 20.0)
    }

    fn y(&self, per_op: f64) -> f64 {
        let share = (per_op.max(1.0).ln() - self.lowest) / (self.highest - self.lowest);
        HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP)
    }
}

fn tick(svg: &mut String, scale: &Scale, moment: &Moment) {
    let (class, from) = match moment.kind {
        MomentKind::Compile => ("compile", 30.0),
        MomentKind::Bailout => ("bailout", 60.0),
        MomentKind::Collection => ("collection", 12.0),
    };
    let x = scale.x(moment.until_ops);
    let (top, bottom) = (HEIGHT - BOTTOM - from, HEIGHT - BOTTOM);
    let _ = write!(
        svg,
        "<line class=\"{class}\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{top}\" y2=\"{bottom}\">\
         <title>op {}: {}</title></line>",
        moment.until_ops,
        escape(&moment.what)
    );
}

fn axes(svg: &mut String, scale: &Scale, last: u64) {
    let floor = HEIGHT - BOTTOM;
    let _ = write!(
        svg,
        "<line class=\"axis\" x1=\"{LEFT}\" x2=\"{WIDTH}\" y1=\"{floor}\" y2=\"{floor}\"/>\
         <line class=\"axis\" x1=\"{LEFT}\" x2=\"{LEFT}\" y1=\"{TOP}\" y2=\"{floor}\"/>"
    );
    let decades = (0..12).map(|power| 10_u64.pow(power));
    for op in decades.clone().filter(|op| *op <= last) {
        let (x, y) = (scale.x(op), floor + 16.0);
        let _ = write!(svg, "<text x=\"{x:.1}\" y=\"{y}\" text-anchor=\"middle\">{op}</text>");
    }
    let visible = |cost: &u64| {
        let ln = (*cost as f64).ln();
        ln >= scale.lowest && ln <= scale.highest
    };
    for cost in decades.filter(visible) {
        let y = scale.y(cost as f64) + 4.0;
        let _ = write!(
            svg,
            "<text x=\"{}\" y=\"{y:.1}\" text-anchor=\"end\">{cost}</text>",
            LEFT - 6.0
        );
    }
    let _ = write!(
        svg,
        "<text x=\"{WIDTH}\" y=\"{}\" text-anchor=\"end\">op</text><text x=\"4\" y=\"14\">instructions \
         per op</text>",
        HEIGHT - 6.0
    );
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

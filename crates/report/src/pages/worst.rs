//! The page of a search for worst cases: the curve of costs by size, the class it grows by, and the input of each size.

use super::layout::{Place, page as frame, short, tile};
use super::tests;
use super::time::{Axes, Series, plot};
use crate::folder::Run;
use maud::{Markup, html};
use serde_json::Value;

fn number(of: &Value, key: &str) -> Option<f64> {
    of.get(key).and_then(Value::as_f64).filter(|n| n.is_finite())
}

/// The sizes that were searched; a folder with one size has only its own figures.
fn sizes(run: &Run) -> Vec<&Value> {
    match run.summary.get("curve").and_then(Value::as_array) {
        Some(list) => list.iter().collect(),
        None => vec![&run.summary],
    }
}

/// The page.
pub fn page(run: &Run, place: &Place) -> String {
    let fit = run.summary.get("fit").filter(|f| f.is_object());
    let class = fit.and_then(|f| f.get("class")).and_then(Value::as_str);
    let body = html! {
        ul.tiles {
            @if let Some(cost) = run.number("cost") { (tile(&short(cost), &format!("{} at most", run.text("measure")), false)) }
            @if let Some(times) = run.number("times_typical") { (tile(&format!("{times:.2} ×"), "a typical input's", false)) }
            @if let Some(class) = class { (tile(class, "grows as", false)) }
        }
        (curve(run))
        (table(run))
    };
    let title = format!("{}: worst {} by size", run.program_name(), run.text("measure"));
    frame(Some(run), place, &title, "Worst case", &[], body)
}

fn curve(run: &Run) -> Markup {
    let point = |v: &&Value| Some((number(v, "size")?, number(v, "cost")?));
    let mut points: Vec<(f64, f64)> = sizes(run).iter().filter_map(point).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let typical = |v: &&Value| Some((number(v, "size")?, number(v, "typical_cost")?));
    let mut usual: Vec<(f64, f64)> = sizes(run).iter().filter_map(typical).collect();
    usual.sort_by(|a, b| a.0.total_cmp(&b.0));
    if points.len() < 2 {
        return html! {};
    }
    let mut series =
        vec![Series { name: "worst found".into(), points: points.clone(), dots: true, ..Series::default() }];
    if usual.len() > 1 {
        series.push(Series { name: "typical".into(), points: usual, dots: true, ..Series::default() });
    }
    if let Some(fitted) = fitted(run, points[0].0, points[points.len() - 1].0) {
        series.push(fitted);
    }
    let axes = Axes { title: "Cost by size", x: "size", y: run.text("measure") };
    plot(&axes, &series)
}

/// The curve `a + b f(n)` of the class that fits best.
fn fitted(run: &Run, low: f64, high: f64) -> Option<Series> {
    let fit = run.summary.get("fit")?;
    let (a, b) = (number(fit, "a")?, number(fit, "b")?);
    let class = fit.get("class")?.as_str()?;
    let f: fn(f64) -> f64 = match class {
        "constant" => |_| 0.0,
        "log n" => |n| n.max(1.0).log2(),
        "n" => |n| n,
        "n log n" => |n| n * n.max(1.0).log2(),
        "n^2" => |n| n * n,
        "n^3" => |n| n * n * n,
        "2^n" => |n| n.exp2(),
        _ => return None,
    };
    let at = |i: u32| low + (high - low) * f64::from(i) / 60.0;
    let points = (0..=60).map(|i| (at(i), a + b * f(at(i)))).collect();
    Some(Series { name: format!("fit: {class}"), points, ..Series::default() })
}

fn table(run: &Run) -> Markup {
    let test = |v: &Value| -> Option<u32> {
        v.get("test")?.as_str()?.strip_prefix("tests/")?.split('.').next()?.parse().ok()
    };
    html! {
        h2 { "Sizes" }
        div.scroll { table {
            thead { tr { th.n { "Size" } th.n { "Worst cost" } th.n { "Typical" } th.n { "Seconds" } th.n { "Native instructions" } th { "Input" } } }
            tbody { @for one in sizes(run) { tr {
                @for key in ["size", "cost", "typical_cost", "seconds_to_best", "native_instructions"] {
                    td.n { @if let Some(n) = number(one, key) { (short(n)) } @else { "–" } }
                }
                td { @if let Some(n) = test(one) { a href=(tests::link(run, n)) { "test " (n) } } }
            } } }
        } }
    }
}

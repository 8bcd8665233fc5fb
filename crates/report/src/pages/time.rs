//! Curves over time as SVG, by `plotters`. Colours are those of the style sheet, which knows what is dark; every picture has a text
//! for those who cannot see it.

use maud::{Markup, PreEscaped, html};
use plotters::prelude::*;

/// Colours of series; the style sheet maps them by their values.
const COLORS: [RGBColor; 8] = [
    RGBColor(0x0b, 0x63, 0xb5),
    RGBColor(0xb3, 0x59, 0x00),
    RGBColor(0x1a, 0x7f, 0x37),
    RGBColor(0xa6, 0x26, 0xa4),
    RGBColor(0x6e, 0x77, 0x81),
    RGBColor(0x0e, 0x7c, 0x86),
    RGBColor(0xb9, 0x1c, 0x1c),
    RGBColor(0x7a, 0x6a, 0x00),
];
const SIZE: (u32, u32) = (900, 340);

/// A curve: its name, its points, and how far it deviates at each of them.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// Name.
    pub name: String,
    /// Points, by x.
    pub points: Vec<(f64, f64)>,
    /// Lower and upper edge at the same x, or nothing.
    pub band: Vec<(f64, f64)>,
    /// Draw the points, too.
    pub dots: bool,
}

/// Axes.
pub struct Axes<'a> {
    /// What the picture is.
    pub title: &'a str,
    /// Name of x.
    pub x: &'a str,
    /// Name of y.
    pub y: &'a str,
}

fn extent(series: &[Series]) -> Option<(f64, f64)> {
    let points =
        || series.iter().flat_map(|s| s.points.iter()).filter(|p| p.0.is_finite() && p.1.is_finite());
    let bands = series.iter().flat_map(|s| s.band.iter()).map(|b| b.1).filter(|y| y.is_finite());
    let x = points().map(|p| p.0).fold(f64::NAN, f64::max);
    let y = points().map(|p| p.1).chain(bands).fold(f64::NAN, f64::max);
    x.is_finite().then(|| (x.max(1e-3), y.max(1.0)))
}

/// The picture with its legend; nothing when there is nothing to show.
pub fn plot(axes: &Axes<'_>, series: &[Series]) -> Markup {
    let Some((right, top)) = extent(series) else { return html! {} };
    let Some(svg) = draw(axes, series, right, top) else {
        return html! { p.note { "The picture could not be drawn." } };
    };
    let last = |s: &Series| s.points.last().map_or(String::new(), |p| format!("{}: {:.0}", s.name, p.1));
    let ends: Vec<String> = series.iter().map(last).collect();
    let label = format!("{}. At the end, {}.", axes.title, ends.join("; "));
    // plotters escapes the texts it is given.
    let svg = svg.replacen(
        "<svg ",
        &format!("<svg class=\"plot\" role=\"img\" aria-label=\"{}\" ", escape(&label)),
        1,
    );
    html! {
        figure {
            (PreEscaped(svg))
            @if series.len() > 1 {
                ul.legend { @for (i, s) in series.iter().enumerate() { li { i class=(format!("c{}", i % COLORS.len())) {} (s.name) } } }
            }
            figcaption { (axes.title) }
        }
    }
}

fn escape(text: &str) -> String {
    html! { (text) }.into_string()
}

fn draw(axes: &Axes<'_>, series: &[Series], right: f64, top: f64) -> Option<String> {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        let mut chart = ChartBuilder::on(&area)
            .margin(8)
            .x_label_area_size(40)
            .y_label_area_size(64)
            .build_cartesian_2d(0.0..right * 1.01, 0.0..top * 1.05)
            .ok()?;
        let grey = RGBColor(0x80, 0x80, 0x80);
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(grey.stroke_width(1))
            .axis_style(BLACK)
            .label_style(("sans-serif", 14))
            .x_desc(axes.x)
            .y_desc(axes.y)
            .y_label_formatter(&|y| super::layout::short(*y))
            .x_label_formatter(&|x| if right < 5.0 { format!("{x:.2}") } else { super::layout::short(*x) })
            .draw()
            .ok()?;
        for (i, s) in series.iter().enumerate() {
            let color = COLORS[i % COLORS.len()];
            let finite = |p: &&(f64, f64)| p.0.is_finite() && p.1.is_finite();
            if s.band.len() == s.points.len() && !s.band.is_empty() {
                let upper = s.points.iter().zip(&s.band).map(|(p, b)| (p.0, b.1));
                let lower = s.points.iter().zip(&s.band).rev().map(|(p, b)| (p.0, b.0));
                let outline: Vec<(f64, f64)> = upper.chain(lower).collect();
                chart.draw_series(std::iter::once(Polygon::new(outline, color.mix(0.18)))).ok()?;
            }
            let points: Vec<(f64, f64)> = s.points.iter().filter(finite).copied().collect();
            chart.draw_series(LineSeries::new(points.iter().copied(), color.stroke_width(2))).ok()?;
            if s.dots {
                chart.draw_series(points.iter().map(|p| Circle::new(*p, 4, color.filled()))).ok()?;
            }
        }
        area.present().ok()?;
    }
    Some(text)
}

/// The points of a curve that only changes in steps, as it is drawn; at most about a thousand.
pub fn steps(points: &[(f64, u64)], end: f64) -> Vec<(f64, f64)> {
    let thin = points.len().div_ceil(500).max(1);
    let mut out: Vec<(f64, f64)> = vec![(0.0, 0.0)];
    for (i, (x, y)) in points.iter().enumerate() {
        if i % thin == 0 || i + 1 == points.len() {
            let before = out.last().map_or(0.0, |p| p.1);
            out.push((*x, before));
            out.push((*x, *y as f64));
        }
    }
    if let Some(last) = out.last().copied() {
        out.push((end.max(last.0), last.1));
    }
    out
}

/// Mean and standard deviation of several curves in steps, at times that they share.
pub fn mean(name: &str, curves: &[&[(f64, u64)]], end: f64) -> Series {
    const TIMES: u32 = 200;
    let mut out = Series { name: name.to_string(), ..Series::default() };
    for i in 0..=TIMES {
        let at = end * f64::from(i) / f64::from(TIMES);
        let values: Vec<f64> = curves
            .iter()
            .map(|c| {
                let after = c.partition_point(|p| p.0 <= at);
                after.checked_sub(1).and_then(|j| c.get(j)).map_or(0.0, |p| p.1 as f64)
            })
            .collect();
        let n = values.len().max(1) as f64;
        let mean = values.iter().sum::<f64>() / n;
        let deviation = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
        out.points.push((at, mean));
        out.band.push(((mean - deviation).max(0.0), mean + deviation));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_in_steps_hold_their_values() {
        let points = steps(&[(1.0, 5), (2.0, 7)], 4.0);
        assert_eq!(points, [(0.0, 0.0), (1.0, 0.0), (1.0, 5.0), (2.0, 5.0), (2.0, 7.0), (4.0, 7.0)]);
        let many: Vec<(f64, u64)> = (0..100_000u32).map(|i| (f64::from(i), u64::from(i))).collect();
        assert!(steps(&many, 1e6).len() < 1100);
    }

    #[test]
    fn trials_have_a_mean_and_a_band() {
        let (a, b) = ([(1.0, 10)], [(1.0, 20)]);
        let s = mean("m", &[&a, &b], 2.0);
        assert_eq!(s.points.last(), Some(&(2.0, 15.0)));
        assert_eq!(s.band.last(), Some(&(10.0, 20.0)));
    }

    #[test]
    fn names_are_escaped() {
        let series =
            Series { name: "<script>\"".into(), points: vec![(0.0, 1.0), (1.0, 2.0)], ..Series::default() };
        let axes = Axes { title: "t<b>", x: "<i>", y: "y" };
        let text = plot(&axes, &[series.clone(), series]).into_string();
        assert!(!text.contains("<script>") && !text.contains("<b>") && !text.contains("<i>"), "{text}");
        assert!(text.contains("class=\"plot\""));
    }
}

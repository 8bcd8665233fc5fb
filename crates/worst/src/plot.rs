//! A curve of costs as a picture: in text for the terminal, as SVG for everything else.

use std::fmt::Write as _;

/// Columns and rows of the text.
const WIDTH: usize = 60;
const HEIGHT: usize = 15;

/// Lines of text; `curve` is (size, cost).
pub fn text(curve: &[(u64, u64)]) -> String {
    let Some((right, top)) = extent(curve) else { return String::new() };
    let mut rows = vec![vec![b' '; WIDTH]; HEIGHT];
    for pair in curve.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        for step in 0..=WIDTH {
            let t = step as f64 / WIDTH as f64;
            let n = a.0 as f64 + t * (b.0 as f64 - a.0 as f64);
            let cost = a.1 as f64 + t * (b.1 as f64 - a.1 as f64);
            put(&mut rows, n / right, cost / top, b'.');
        }
    }
    for (n, cost) in curve {
        put(&mut rows, *n as f64 / right, *cost as f64 / top, b'*');
    }
    let mut out = String::new();
    for (i, row) in rows.iter().enumerate() {
        let label = match i {
            0 => top.to_string(),
            i if i == HEIGHT - 1 => "0".into(),
            _ => String::new(),
        };
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{label:>12} |{}", String::from_utf8_lossy(row).trim_end());
    }
    let _ = writeln!(out, "{:>12} +{}", "", "-".repeat(WIDTH));
    let _ = writeln!(out, "{:>12}  0{:>width$}", "", right, width = WIDTH - 1);
    out
}

fn extent(curve: &[(u64, u64)]) -> Option<(f64, f64)> {
    let right = curve.iter().map(|p| p.0).max()?;
    let top = curve.iter().map(|p| p.1).max()?;
    Some((right.max(1) as f64, top.max(1) as f64))
}

fn put(rows: &mut [Vec<u8>], x: f64, y: f64, mark: u8) {
    let column = ((x * WIDTH as f64) as usize).min(WIDTH - 1);
    let row = HEIGHT - 1 - ((y * (HEIGHT - 1) as f64).round() as usize).min(HEIGHT - 1);
    rows[row][column] = mark;
}

/// A picture with axes, points and, if there is one, a fitted curve given as its values at sizes.
pub fn svg(title: &str, curve: &[(u64, u64)], fitted: &[(f64, f64)]) -> String {
    let (right, top) = extent(curve).unwrap_or((1.0, 1.0));
    let x = |n: f64| 60.0 + n / right * 520.0;
    let y = |cost: f64| 340.0 - (cost / top).clamp(0.0, 1.05) * 300.0;
    let mut out = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"620\" height=\"400\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"620\" height=\"400\" fill=\"white\"/>\n",
    );
    let _ = writeln!(out, "<text x=\"60\" y=\"22\" font-size=\"14\">{}</text>", escape(title));
    let _ = writeln!(out, "<path d=\"M60 40 V340 H580\" fill=\"none\" stroke=\"black\"/>");
    let _ = writeln!(out, "<text x=\"54\" y=\"44\" text-anchor=\"end\">{top}</text>");
    let _ = writeln!(out, "<text x=\"320\" y=\"388\" text-anchor=\"middle\">size</text>");
    let line = |points: Vec<(f64, f64)>| {
        points.iter().map(|(n, c)| format!("{:.1},{:.1}", x(*n), y(*c))).collect::<Vec<_>>().join(" ")
    };
    if !fitted.is_empty() {
        let points = line(fitted.to_vec());
        let _ = writeln!(
            out,
            "<polyline points=\"{points}\" fill=\"none\" stroke=\"#999\" stroke-dasharray=\"4\"/>"
        );
    }
    let points = line(curve.iter().map(|p| (p.0 as f64, p.1 as f64)).collect());
    let _ = writeln!(out, "<polyline points=\"{points}\" fill=\"none\" stroke=\"#1f77b4\"/>");
    for (n, cost) in curve {
        let (px, py) = (x(*n as f64), y(*cost as f64));
        let _ = writeln!(
            out,
            "<circle cx=\"{px:.1}\" cy=\"{py:.1}\" r=\"4\" fill=\"#1f77b4\"><title>{n}: {cost}</title></circle>"
        );
        let _ = writeln!(out, "<text x=\"{px:.1}\" y=\"358\" text-anchor=\"middle\">{n}</text>");
    }
    out.push_str("</svg>\n");
    out
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_has_every_point() {
        let plot = text(&[(10, 100), (20, 400), (30, 900)]);
        assert_eq!(plot.matches('*').count(), 3, "{plot}");
        assert!(plot.contains("900") && plot.lines().count() == HEIGHT + 2, "{plot}");
        assert_eq!(text(&[]), "");
    }

    #[test]
    fn the_picture_is_whole() {
        let svg = svg("a < b", &[(1, 2), (3, 4)], &[(1.0, 2.0)]);
        assert!(svg.contains("a &lt; b") && svg.trim_end().ends_with("</svg>"));
        assert_eq!(svg.matches("<circle").count(), 2);
    }
}

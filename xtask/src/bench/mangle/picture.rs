//! How time grows, as a picture: two charts side by side, both axes logarithmic.

use std::fmt::Write;

/// One line of a chart.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) name: String,
    /// How many facts or rules, and milliseconds.
    pub(super) points: Vec<(f64, f64)>,
    pub(super) dashed: bool,
}

const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 320.0;
const MARGIN: f64 = 56.0;
const COLOURS: [&str; 4] = ["#1f5fa8", "#b8442c", "#3c7d3c", "#7a4fa3"];

/// The range of an axis in powers of ten.
struct Axis {
    low: f64,
    high: f64,
}

impl Axis {
    fn of(values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
        Self {
            low: low.max(1e-3).log10().floor(),
            high: high.max(1e-2).log10().ceil(),
        }
    }

    /// Between zero and one.
    fn place(&self, value: f64) -> f64 {
        (value.max(1e-3).log10() - self.low) / (self.high - self.low).max(1.0)
    }

    fn decades(&self) -> impl Iterator<Item = f64> {
        (self.low as i32..=self.high as i32).map(|power| 10_f64.powi(power))
    }
}

/// An SVG with time by facts on the left and time by rules on the right.
pub(super) fn draw(facts: &[Line], rules: &[Line]) -> String {
    let (width, height) = (2.0 * (WIDTH + 2.0 * MARGIN), HEIGHT + 3.0 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    chart(&mut svg, MARGIN, "facts", facts);
    chart(&mut svg, WIDTH + 3.0 * MARGIN, "rules", rules);
    svg.push_str("</svg>\n");
    svg
}

fn chart(svg: &mut String, left: f64, unit: &str, lines: &[Line]) {
    let points = || lines.iter().flat_map(|line| line.points.iter().copied());
    let (across, up) = (Axis::of(points().map(|point| point.0)), Axis::of(points().map(|point| point.1)));
    let x = |value: f64| left + across.place(value) * WIDTH;
    let y = |value: f64| MARGIN + (1.0 - up.place(value)) * HEIGHT;
    // Writing to a string cannot fail.
    let _ = writeln!(
        svg,
        "<text x=\"{left}\" y=\"{}\" font-size=\"14\">milliseconds by {unit}</text>",
        MARGIN / 2.0
    );
    for decade in across.decades() {
        let at = x(decade);
        let (top, bottom) = (MARGIN, MARGIN + HEIGHT);
        let _ = writeln!(svg, "<path d=\"M{at:.1} {top}V{bottom}\" stroke=\"#ddd\"/>");
        let _ = writeln!(
            svg,
            "<text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{decade}</text>",
            bottom + 16.0
        );
    }
    for decade in up.decades() {
        let at = y(decade);
        let _ = writeln!(svg, "<path d=\"M{left} {at:.1}H{}\" stroke=\"#ddd\"/>", left + WIDTH);
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{decade}</text>",
            left - 6.0,
            at + 4.0
        );
    }
    for (number, line) in lines.iter().enumerate() {
        let colour = COLOURS[number / 2 % COLOURS.len()];
        let dash = if line.dashed { " stroke-dasharray=\"5 4\"" } else { "" };
        let path: Vec<String> = line.points.iter().map(|&(at, ms)| format!("{:.1} {:.1}", x(at), y(ms))).collect();
        let _ = writeln!(
            svg,
            "<path d=\"M{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dash}/>",
            path.join("L")
        );
        let label = MARGIN + HEIGHT + 36.0 + 16.0 * (number / 2) as f64;
        let from = left + (number % 2) as f64 * WIDTH / 2.0;
        let _ = writeln!(
            svg,
            "<path d=\"M{from:.1} {:.1}h24\" stroke=\"{colour}\" stroke-width=\"2\"{dash}/>",
            label - 4.0
        );
        let _ = writeln!(svg, "<text x=\"{:.1}\" y=\"{label:.1}\">{}</text>", from + 30.0, line.name);
    }
}

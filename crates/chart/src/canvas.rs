//! A drawing of lines, filled polygons and text, written as SVG.

use std::fmt::Write as _;

/// Colour as red, green, blue.
pub type Colour = [u8; 3];

/// Lengths of a dash and of the gap after it [px].
const DASH: [f32; 2] = [6.0, 4.0];

/// Advance widths of the printable ASCII characters in Roboto Regular [1/2048 em], from the blank
/// on. A viewer without Roboto fits its own font to the resulting length.
#[rustfmt::skip]
const ASCII_ADVANCE: [u16; 95] = [
    508, 528, 656, 1261, 1151, 1500, 1274, 358, 701, 713, 882, 1162, 403, 566, 540, 845,
    1151, 1151, 1151, 1151, 1151, 1151, 1151, 1151, 1151, 1151, 496, 433, 1041, 1124, 1071, 968,
    1839, 1336, 1276, 1333, 1344, 1164, 1132, 1395, 1461, 557, 1130, 1285, 1103, 1788, 1461, 1409,
    1292, 1409, 1262, 1216, 1222, 1328, 1304, 1817, 1284, 1230, 1227, 543, 841, 543, 856, 924,
    633, 1114, 1150, 1072, 1155, 1086, 712, 1150, 1128, 498, 490, 1038, 498, 1796, 1131, 1168,
    1150, 1164, 694, 1057, 670, 1129, 992, 1539, 1016, 969, 1016, 693, 500, 693, 1393,
];

/// Advance widths of the other characters in use [1/2048 em].
#[rustfmt::skip]
const OTHER_ADVANCE: [(char, u16); 30] = [
    ('°', 765), ('±', 1095), ('²', 751), ('·', 535), ('α', 1158), ('β', 1213),
    ('γ', 1027), ('δ', 1161), ('ε', 1105), ('ζ', 1061), ('η', 1161), ('θ', 1167),
    ('ι', 664), ('κ', 1140), ('λ', 1135), ('μ', 1161), ('ν', 992), ('ξ', 1004),
    ('ο', 1168), ('π', 1221), ('ρ', 1161), ('ς', 1102), ('σ', 1160), ('τ', 1068),
    ('υ', 1118), ('φ', 1443), ('χ', 1136), ('ψ', 1434), ('ω', 1687), ('−', 1171),
];

/// Advance width of any other character [1/2048 em].
const UNKNOWN_ADVANCE: u16 = 1151;

/// Horizontal alignment of a text relative to its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The text starts at its position.
    Start,
    /// The text is centred at its position.
    Middle,
    /// The text ends at its position.
    End,
}

/// A graphical element; lengths in pixels, y downwards.
#[derive(Clone, Debug)]
pub enum Element {
    /// A polyline with a width and a colour.
    Line {
        /// Vertices of the line [px].
        points: Vec<[f64; 2]>,
        /// Colour of the line.
        colour: Colour,
        /// Width of the line [px].
        width: f64,
        /// True if the line is dashed.
        dashed: bool,
    },
    /// A filled polygon without an outline.
    Fill {
        /// Vertices of the polygon [px]; the last is connected to the first.
        points: Vec<[f64; 2]>,
        /// Fill colour of the polygon.
        colour: Colour,
    },
    /// A single line of text.
    Text {
        /// Position of the baseline [px].
        at: [f64; 2],
        /// Content of the text.
        text: String,
        /// Height of the font [px].
        size: f64,
        /// Horizontal alignment relative to `at`.
        anchor: Anchor,
        /// Colour of the text.
        colour: Colour,
    },
}

/// Returns the width of a text [px] at the font size `size` [px].
pub fn text_width(text: &str, size: f64) -> f64 {
    let advance = |c: char| {
        let ascii = (c as usize)
            .checked_sub(0x20)
            .and_then(|k| ASCII_ADVANCE.get(k));
        let other = || {
            OTHER_ADVANCE
                .iter()
                .find(|(other, _)| *other == c)
                .map(|(_, w)| w)
        };
        f64::from(*ascii.or_else(other).unwrap_or(&UNKNOWN_ADVANCE))
    };
    text.chars().map(advance).sum::<f64>() * size / 2048.0
}

/// A drawing on a white background.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// Width and height [px].
    pub size: [u32; 2],
    /// Elements in drawing order.
    pub elements: Vec<Element>,
}

impl Drawing {
    /// Returns the drawing as the text of an SVG file.
    pub fn svg(&self) -> String {
        let [w, h] = self.size;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
             font-family=\"Roboto, Helvetica, Arial, sans-serif\">\n<rect width=\"{w}\" height=\"{h}\" fill=\"#ffffff\"/>\n"
        );
        self.write_elements(&mut out, |name, colour| {
            format!("{name}=\"{}\"", hex(colour))
        });
        out.push_str("</svg>\n");
        out
    }

    /// Returns the drawing as an element of an HTML page, without a background. The page can
    /// replace each colour: `#1e1e1e` by the custom property `--c1e1e1e`.
    pub fn inline_svg(&self) -> String {
        let [w, h] = self.size;
        let mut out = format!("<svg width=\"{w}\" viewBox=\"0 0 {w} {h}\" role=\"img\">\n");
        self.write_elements(&mut out, |name, colour| {
            let hex = hex(colour);
            format!("style=\"{name}:var(--c{},{hex})\"", &hex[1..])
        });
        out.push_str("</svg>\n");
        out
    }

    /// Writes the elements; `paint` formats the attribute for a colour.
    fn write_elements(&self, out: &mut String, paint: impl Fn(&str, Colour) -> String) {
        for element in &self.elements {
            // writing to a String does not fail
            let _ = match element {
                Element::Fill { points, colour } => {
                    writeln!(
                        out,
                        "<polygon points=\"{}\" {}/>",
                        format_points_short(points),
                        paint("fill", *colour)
                    )
                }
                Element::Line {
                    points,
                    colour,
                    width,
                    dashed,
                } => {
                    let dash = if *dashed {
                        format!(" stroke-dasharray=\"{} {}\"", DASH[0], DASH[1])
                    } else {
                        String::new()
                    };
                    writeln!(
                        out,
                        "<polyline points=\"{}\" fill=\"none\" {} stroke-width=\"{width}\"{dash}/>",
                        format_points(points),
                        paint("stroke", *colour)
                    )
                }
                Element::Text {
                    at: [x, y],
                    text,
                    size,
                    anchor,
                    colour,
                } => {
                    let anchor = match anchor {
                        Anchor::Start => "start",
                        Anchor::Middle => "middle",
                        Anchor::End => "end",
                    };
                    writeln!(
                        out,
                        "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" text-anchor=\"{anchor}\" \
                         textLength=\"{:.1}\" lengthAdjust=\"spacingAndGlyphs\" {}>{}</text>",
                        text_width(text, *size),
                        paint("fill", *colour),
                        escaped(text)
                    )
                }
            };
        }
    }
}

fn format_points(points: &[[f64; 2]]) -> String {
    let points: Vec<String> = points
        .iter()
        .map(|[x, y]| format!("{x:.1},{y:.1}"))
        .collect();
    points.join(" ")
}

/// Formats points without ".0", because maps have thousands of polygons.
fn format_points_short(points: &[[f64; 2]]) -> String {
    format_points(points).replace(".0", "")
}

fn hex([r, g, b]: Colour) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Replaces the characters that the text of an element of SVG or HTML must not contain.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    // Texts are as wide as in Roboto and escaped. Method: sums of advances of the font's own table
    // ("ab" is 1114 + 1150). Tolerance: rounding.
    #[test]
    fn text_width_matches_the_font() {
        assert!((text_width("ab", 20.48) - 22.64).abs() < 1e-12);
        assert!((text_width("\u{b0}", 2.048) - 0.765).abs() < 1e-12);
        assert!((text_width("\u{4e00}", 2.048) - 1.151).abs() < 1e-12);
        let text = Element::Text {
            at: [10.0, 25.0],
            text: "a < b".into(),
            size: 14.0,
            anchor: Anchor::Start,
            colour: [0, 0, 0],
        };
        let drawing = Drawing {
            size: [120, 40],
            elements: vec![text],
        };
        assert!(drawing.svg().contains("fill=\"#000000\">a &lt; b"));
        let inline = drawing.inline_svg();
        assert!(inline.contains("style=\"fill:var(--c000000,#000000)\">a &lt; b"));
        assert!(!inline.contains("<rect"));
    }
}

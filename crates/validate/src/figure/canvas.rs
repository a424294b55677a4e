//! A drawing of lines, surfaces and letters that is written as SVG or as PNG. Needs no font on the machine.

use ab_glyph::{Font, FontRef, ScaleFont};
use std::fmt::Write as _;
use tiny_skia::{
    Color, FillRule, Paint, Path, PathBuilder, Pixmap, PremultipliedColorU8, Stroke, StrokeDash,
    Transform,
};

/// Letters of the PNG: a part of Roboto (Apache licence 2.0, beside the file).
const FONT: &[u8] = include_bytes!("font/roboto_regular_subset.ttf");

/// Red, green, blue.
pub type Colour = [u8; 3];

/// Lengths of a dash and of the gap after it [px].
const DASH: [f32; 2] = [6.0, 4.0];

/// Ascent plus descent of the font over its em, by which ab_glyph and SVG measure a size.
const EM: f32 = 1.172;

/// Where a text stands relative to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// It begins there.
    Start,
    /// Its middle is there.
    Middle,
    /// It ends there.
    End,
}

/// One thing to draw; lengths in pixels, y downwards.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A line through points.
    Line {
        /// Corners.
        points: Vec<[f64; 2]>,
        /// Colour.
        colour: Colour,
        /// Width.
        width: f64,
        /// Whether it is dashed.
        dashed: bool,
    },
    /// A coloured surface.
    Fill {
        /// Corners around it; the last is joined to the first.
        points: Vec<[f64; 2]>,
        /// Colour.
        colour: Colour,
    },
    /// A text on one line.
    Text {
        /// Base line.
        at: [f64; 2],
        /// What it says.
        text: String,
        /// Height of the letters.
        size: f64,
        /// Where it stands relative to `at`.
        anchor: Anchor,
        /// Colour.
        colour: Colour,
    },
}

/// Width of a text [px], as the letters of the PNG have it; the SVG asks for the same.
pub fn text_width(text: &str, size: f64) -> f64 {
    let Ok(font) = FontRef::try_from_slice(FONT) else {
        return 0.0;
    };
    let scaled = font.as_scaled(size as f32 * EM);
    f64::from(
        text.chars()
            .map(|c| scaled.h_advance(scaled.glyph_id(c)))
            .sum::<f32>(),
    )
}

/// A white sheet with shapes on it.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// Width and height [px].
    pub size: [u32; 2],
    /// What is on it, first at the bottom.
    pub shapes: Vec<Shape>,
}

impl Drawing {
    /// As an SVG file.
    pub fn svg(&self) -> String {
        let [w, h] = self.size;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
             font-family=\"Roboto, Helvetica, Arial, sans-serif\">\n<rect width=\"{w}\" height=\"{h}\" fill=\"#ffffff\"/>\n"
        );
        for shape in &self.shapes {
            // writing to a String does not fail
            let _ = match shape {
                Shape::Fill { points, colour } => {
                    writeln!(
                        out,
                        "<polygon points=\"{}\" fill=\"{}\"/>",
                        short_corners(points),
                        hex(*colour)
                    )
                }
                Shape::Line {
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
                        "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\"{dash}/>",
                        corners(points),
                        hex(*colour)
                    )
                }
                Shape::Text {
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
                         textLength=\"{:.1}\" lengthAdjust=\"spacingAndGlyphs\" fill=\"{}\">{}</text>",
                        text_width(text, *size),
                        hex(*colour),
                        escaped(text)
                    )
                }
            };
        }
        out.push_str("</svg>\n");
        out
    }

    /// As a PNG file, `scale` pixels of it to one of ours.
    ///
    /// # Errors
    /// One line if the sheet is empty or too large for memory.
    pub fn png(&self, scale: f32) -> Result<Vec<u8>, String> {
        let pixels = |n: u32| (n as f32 * scale) as u32;
        let mut sheet =
            Pixmap::new(pixels(self.size[0]), pixels(self.size[1])).ok_or_else(|| {
                format!(
                    "cannot draw a sheet of {} x {} pixels",
                    self.size[0], self.size[1]
                )
            })?;
        sheet.fill(Color::WHITE);
        let font = FontRef::try_from_slice(FONT).map_err(|e| format!("the built-in font: {e}"))?;
        for shape in &self.shapes {
            match shape {
                Shape::Fill { points, colour } => surface(&mut sheet, points, *colour, scale),
                Shape::Line {
                    points,
                    colour,
                    width,
                    dashed,
                } => {
                    line(&mut sheet, points, *colour, *width, *dashed, scale);
                }
                Shape::Text {
                    at,
                    text,
                    size,
                    anchor,
                    colour,
                } => {
                    letters(
                        &mut sheet,
                        &font,
                        (*at, *anchor),
                        text,
                        *size,
                        *colour,
                        scale,
                    );
                }
            }
        }
        sheet
            .encode_png()
            .map_err(|e| format!("cannot encode the PNG: {e}"))
    }
}

fn corners(points: &[[f64; 2]]) -> String {
    let points: Vec<String> = points
        .iter()
        .map(|[x, y]| format!("{x:.1},{y:.1}"))
        .collect();
    points.join(" ")
}

/// The same without noughts after the point: maps have thousands of surfaces.
fn short_corners(points: &[[f64; 2]]) -> String {
    corners(points).replace(".0", "")
}

fn hex([r, g, b]: Colour) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// A path along points; none if there are fewer than two.
fn path(points: &[[f64; 2]]) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (k, [x, y]) in points.iter().enumerate() {
        let (x, y) = (*x as f32, *y as f32);
        if k == 0 {
            path.move_to(x, y)
        } else {
            path.line_to(x, y)
        }
    }
    path.finish()
}

fn surface(sheet: &mut Pixmap, points: &[[f64; 2]], [r, g, b]: Colour, scale: f32) {
    let Some(path) = path(points) else { return };
    let mut paint = Paint::default();
    paint.set_color_rgba8(r, g, b, 255);
    sheet.fill_path(
        &path,
        &paint,
        FillRule::Winding,
        Transform::from_scale(scale, scale),
        None,
    );
}

fn line(
    sheet: &mut Pixmap,
    points: &[[f64; 2]],
    [r, g, b]: Colour,
    width: f64,
    dashed: bool,
    scale: f32,
) {
    let Some(path) = path(points) else { return };
    let mut paint = Paint::default();
    paint.set_color_rgba8(r, g, b, 255);
    let dash = if dashed {
        StrokeDash::new(DASH.to_vec(), 0.0)
    } else {
        None
    };
    let stroke = Stroke {
        width: width as f32,
        dash,
        ..Stroke::default()
    };
    sheet.stroke_path(
        &path,
        &paint,
        &stroke,
        Transform::from_scale(scale, scale),
        None,
    );
}

fn letters(
    sheet: &mut Pixmap,
    font: &FontRef<'_>,
    (at, anchor): ([f64; 2], Anchor),
    text: &str,
    size: f64,
    colour: Colour,
    scale: f32,
) {
    let scaled = font.as_scaled(size as f32 * scale * EM);
    let advance = text_width(text, size) as f32 * scale;
    let start = match anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => 0.5,
        Anchor::End => 1.0,
    };
    let mut x = at[0] as f32 * scale - start * advance;
    let y = at[1] as f32 * scale;
    for c in text.chars() {
        let id = scaled.glyph_id(c);
        let glyph = id.with_scale_and_position(scaled.scale(), ab_glyph::point(x, y));
        x += scaled.h_advance(id);
        let Some(outline) = font.outline_glyph(glyph) else {
            continue;
        };
        let bounds = outline.px_bounds();
        outline.draw(|dx, dy, cover| {
            blend(
                sheet,
                bounds.min.x as i64 + i64::from(dx),
                bounds.min.y as i64 + i64::from(dy),
                colour,
                cover,
            );
        });
    }
}

/// Lays `colour` over one pixel of an opaque sheet.
fn blend(sheet: &mut Pixmap, x: i64, y: i64, colour: Colour, cover: f32) {
    let (w, h) = (i64::from(sheet.width()), i64::from(sheet.height()));
    if !(0..w).contains(&x) || !(0..h).contains(&y) {
        return;
    }
    let pixel = &mut sheet.pixels_mut()[(y * w + x) as usize];
    let cover = cover.clamp(0.0, 1.0);
    let mix = |old: u8, new: u8| (f32::from(old) + (f32::from(new) - f32::from(old)) * cover) as u8;
    let old = *pixel;
    let mixed = [
        mix(old.red(), colour[0]),
        mix(old.green(), colour[1]),
        mix(old.blue(), colour[2]),
    ];
    // opaque: every colour is a valid premultiplied one
    if let Some(new) = PremultipliedColorU8::from_rgba(mixed[0], mixed[1], mixed[2], 255) {
        *pixel = new;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // letters must appear with no font installed: a drawing with a text differs from one without
    #[test]
    fn text_is_drawn_with_nothing_installed() {
        let text = |text: &str| Drawing {
            size: [120, 40],
            shapes: vec![Shape::Text {
                at: [10.0, 25.0],
                text: text.into(),
                size: 14.0,
                anchor: Anchor::Start,
                colour: [0, 0, 0],
            }],
        };
        let dark = |d: &Drawing| {
            let png = d.png(1.0).unwrap();
            Pixmap::decode_png(&png)
                .unwrap()
                .pixels()
                .iter()
                .filter(|p| p.red() < 128)
                .count()
        };
        assert_eq!(dark(&text("")), 0);
        assert!(dark(&text("roll [deg] -1.25")) > 100);
        assert!(text("a < b").svg().contains("a &lt; b"));
    }
}

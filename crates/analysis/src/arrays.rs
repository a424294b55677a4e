//! Arrays that are too long for the columns of a table: tables in long form, and files.
//!
//! Images become PNG files, compressed images keep their format, and point clouds become PCD files.
//! Pixels without a PNG format are written as PFM (`32FC1`). Other arrays of bytes are written as
//! they are.

use merrow_ros2::dynamic::value::{ArrayLimits, Leaf, Value};
use std::fmt::Write as _;

/// Limits that no array exceeds.
const ALL: ArrayLimits = ArrayLimits {
    bytes: usize::MAX,
    elements: usize::MAX,
};

/// Form in which a long array is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// One row per element: index and value.
    Values,
    /// One row per field of each element: index, field and value.
    Fields,
    /// One file per message.
    File,
}

/// Returns the form of an array.
pub(crate) fn form(array: &Value<'_>) -> Form {
    let (mut is_bytes, limits) = (false, ArrayLimits { bytes: 0, ..ALL });
    if matches!(array, Value::Numbers(_)) {
        array.visit_leaves(limits, &mut |_, leaf| {
            is_bytes = matches!(leaf, Leaf::Long { .. });
        });
    }
    let has_fields = |element: &Value<'_>| element.leaf().is_none();
    match is_bytes {
        true => Form::File,
        false if array.elements().iter().any(has_fields) => Form::Fields,
        false => Form::Values,
    }
}

/// Returns the value at a path with indices, such as `beams[3].ranges`, and the message that
/// contains it.
pub(crate) fn at<'v, 'a>(
    value: &'v Value<'a>,
    path: &str,
) -> Option<(&'v Value<'a>, &'v Value<'a>)> {
    let (mut parent, mut found) = (value, value);
    for part in path.split('.') {
        let mut keys = part.split('[');
        parent = found;
        found = found.field(keys.next()?)?;
        for key in keys {
            let k: usize = key.strip_suffix(']')?.parse().ok()?;
            found = found.elements().get(k)?;
        }
    }
    Some((parent, found))
}

/// Returns a path without its indices, and the indices, each followed by a colon.
pub(crate) fn without_indices(path: &str) -> (String, String) {
    let (mut plain, mut indices) = (String::new(), String::new());
    for part in path.split_inclusive(['[', ']']) {
        match part.strip_suffix(']') {
            Some(index) => {
                indices.push_str(index);
                indices.push(':');
            }
            None => plain.push_str(part.trim_end_matches('[')),
        }
    }
    (plain, indices)
}

/// Calls `row` for each element or field of an array, with the index, the field and the value.
pub(crate) fn visit(array: &Value<'_>, row: &mut dyn FnMut(usize, &str, Leaf<'_>)) {
    if let Value::Numbers(numbers) = array {
        for (k, value) in numbers.iter().enumerate() {
            if let Some(leaf) = value.leaf() {
                row(k, "", leaf);
            }
        }
    }
    for (k, element) in array.elements().iter().enumerate() {
        element.visit_leaves(ALL, &mut |field, leaf| row(k, field, leaf));
    }
}

/// Returns the content of the file of an array of bytes in the message `parent`, and the ending of
/// its name.
pub(crate) fn file(parent: &Value<'_>, array: &Value<'_>) -> (&'static str, Vec<u8>) {
    let mut data = Vec::new();
    if let Value::Numbers(numbers) = array {
        data.extend(numbers.iter().map(|value| match value {
            Value::Uint(byte) => byte as u8,
            _ => 0,
        }));
    }
    if let Some(content) = image(parent, &data) {
        return content;
    }
    if let Some(content) = point_cloud(parent, &data) {
        return ("pcd", content);
    }
    let starts: [(&[u8], &str); 4] = [
        (b"\x89PNG", "png"),
        (b"\xff\xd8\xff", "jpg"),
        (b"II*\0", "tif"),
        (b"RIFF", "webp"),
    ];
    let known = starts.iter().find(|(start, _)| data.starts_with(start));
    (known.map_or("bin", |(_, ending)| ending), data)
}

fn integer(message: &Value<'_>, field: &str) -> Option<usize> {
    match message.field(field)?.leaf()? {
        Leaf::Uint(value) => usize::try_from(value).ok(),
        Leaf::Int(value) => usize::try_from(value).ok(),
        Leaf::Bool(value) => Some(usize::from(value)),
        _ => None,
    }
}

/// Returns the file of an uncompressed image, as in `sensor_msgs/Image`; `None` for other messages
/// and for encodings without a usual file format.
fn image(message: &Value<'_>, data: &[u8]) -> Option<(&'static str, Vec<u8>)> {
    let size = [integer(message, "width")?, integer(message, "height")?];
    let (step, encoding) = (
        integer(message, "step")?,
        message.field("encoding")?.text()?,
    );
    let is_big_endian = integer(message, "is_bigendian")? != 0;
    let (channels, bytes) = match encoding {
        "mono8" | "8UC1" | "bayer_rggb8" | "bayer_bggr8" | "bayer_gbrg8" | "bayer_grbg8" => (1, 1),
        "rgb8" | "bgr8" | "8UC3" => (3, 1),
        "rgba8" | "bgra8" | "8UC4" => (4, 1),
        "mono16" | "16UC1" => (1, 2),
        "rgb16" => (3, 2),
        "32FC1" => (1, 4),
        _ => return None,
    };
    let row = size[0].checked_mul(channels * bytes)?;
    let is_complete = step >= row && data.len() >= step.checked_mul(size[1])?;
    if row == 0 || !is_complete || size[1] == 0 {
        return None;
    }
    let mut pixels = Vec::with_capacity(row * size[1]);
    for line in data.chunks(step).take(size[1]) {
        pixels.extend_from_slice(&line[..row]);
    }
    if encoding.starts_with("bgr") || encoding == "8UC3" || encoding == "8UC4" {
        // OpenCV stores blue first
        pixels.chunks_exact_mut(channels).for_each(|p| p.swap(0, 2));
    }
    if bytes == 4 {
        return Some(("pfm", float_map(size, is_big_endian, &pixels)));
    }
    if bytes == 2 && !is_big_endian {
        pixels.chunks_exact_mut(2).for_each(|p| p.swap(0, 1));
    }
    Some(("png", png_file(size, channels, bytes, &pixels)?))
}

/// Returns a portable float map, whose rows are stored from the lowest to the highest.
fn float_map([width, height]: [usize; 2], is_big_endian: bool, pixels: &[u8]) -> Vec<u8> {
    let scale = if is_big_endian { "1.0" } else { "-1.0" };
    let mut file = format!("Pf\n{width} {height}\n{scale}\n").into_bytes();
    for line in pixels.chunks(4 * width).rev() {
        file.extend_from_slice(line);
    }
    file
}

fn png_file(size: [usize; 2], channels: usize, bytes: usize, pixels: &[u8]) -> Option<Vec<u8>> {
    let [width, height] = size.map(|n| u32::try_from(n).ok());
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width?, height?);
    encoder.set_color(match channels {
        1 => png::ColorType::Grayscale,
        3 => png::ColorType::Rgb,
        _ => png::ColorType::Rgba,
    });
    encoder.set_depth(match bytes {
        1 => png::BitDepth::Eight,
        _ => png::BitDepth::Sixteen,
    });
    let mut writer = encoder.write_header().ok()?;
    writer.write_image_data(pixels).ok()?;
    writer.finish().ok()?;
    Some(file)
}

/// Returns the binary PCD file of a point cloud, as in `sensor_msgs/PointCloud2`; `None` for other
/// messages, and for clouds with big-endian numbers.
fn point_cloud(message: &Value<'_>, data: &[u8]) -> Option<Vec<u8>> {
    let [width, height, step, row] =
        ["width", "height", "point_step", "row_step"].map(|key| integer(message, key));
    let (width, height, step, row) = (width?, height?, step?, row?);
    let points = width.checked_mul(height)?;
    let is_dense = row == width.checked_mul(step)? && data.len() == points.checked_mul(step)?;
    if !is_dense || step == 0 || integer(message, "is_bigendian")? != 0 {
        return None;
    }
    let mut fields = Vec::new();
    for field in message.field("fields")?.elements() {
        let (size, kind) = match integer(field, "datatype")? {
            1 => (1, 'I'),
            2 => (1, 'U'),
            3 => (2, 'I'),
            4 => (2, 'U'),
            5 => (4, 'I'),
            6 => (4, 'U'),
            7 => (4, 'F'),
            8 => (8, 'F'),
            _ => return None,
        };
        let count = integer(field, "count")?.max(1);
        let name = field
            .field("name")?
            .text()?
            .replace(char::is_whitespace, "_");
        fields.push((integer(field, "offset")?, size, kind, count, name));
    }
    fields.sort_by_key(|field| field.0);
    let mut lines = ["FIELDS", "SIZE", "TYPE", "COUNT"].map(str::to_owned);
    let mut add = |name: &str, size: usize, kind: char, count: usize| {
        // writing to a String does not fail
        let _ = write!(lines[0], " {name}");
        let _ = write!(lines[1], " {size}");
        let _ = write!(lines[2], " {kind}");
        let _ = write!(lines[3], " {count}");
    };
    let mut end = 0;
    for (offset, size, kind, count, name) in fields {
        // `_` is the name of unused bytes
        match offset.checked_sub(end)? {
            0 => {}
            gap => add("_", 1, 'U', gap),
        }
        add(&name, size, kind, count);
        end = offset.checked_add(size.checked_mul(count)?)?;
    }
    match step.checked_sub(end)? {
        0 => {}
        gap => add("_", 1, 'U', gap),
    }
    let header = format!(
        "# .PCD v0.7\nVERSION 0.7\n{}\nWIDTH {width}\nHEIGHT {height}\n\
         VIEWPOINT 0 0 0 1 0 0 0\nPOINTS {points}\nDATA binary\n",
        lines.join("\n")
    );
    Some([header.as_bytes(), data].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_separated_from_the_path() {
        let separated = |path| without_indices(path);
        assert_eq!(separated("ranges"), ("ranges".into(), String::new()));
        assert_eq!(separated("a[3].b[12].c"), ("a.b.c".into(), "3:12:".into()));
    }
}

//! Reads PNG and JPEG images and converts them from sRGB to linear reflectance.
//!
//! This module does not depend on the use of the image.

use crate::import::files;
use std::io::Cursor;
use std::path::Path;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// Maximum width and height of an image [pixels].
const SIDE_MAX: usize = 8192;

/// Columns and rows, then for each pixel from the upper left: linear red, green and blue
/// reflectance times opacity, and opacity, all in 0..1.
pub type Points = ([usize; 2], Vec<[f32; 4]>);

/// Reads the image in `path`; the first bytes of the file determine the format.
///
/// # Errors
/// An unreadable or invalid file, a format other than PNG and JPEG, or a side longer than
/// 8192 pixels.
pub fn read(path: &Path) -> Result<Points, String> {
    let bytes = files::read_bytes(path)?;
    let (size, channels, numbers) = match bytes.get(..4) {
        Some([0x89, b'P', b'N', b'G']) => png(&bytes)?,
        Some([0xff, 0xd8, 0xff, _]) => jpeg(&bytes)?,
        _ => return Err("not a supported image format; expected a PNG or JPEG file".to_string()),
    };
    let linear = srgb_to_linear_table();
    let point = |p: &[u8]| {
        let (color, cover) = match *p {
            [grey] => ([grey; 3], 255),
            [grey, cover] => ([grey; 3], cover),
            [r, g, b] => ([r, g, b], 255),
            [r, g, b, cover, ..] => ([r, g, b], cover),
            [] => ([0; 3], 0),
        };
        let cover = f32::from(cover) / 255.0;
        let [r, g, b] = color.map(|c| linear[usize::from(c)] * cover);
        [r, g, b, cover]
    };
    Ok((size, numbers.chunks_exact(channels).map(point).collect()))
}

/// Returns the size, or an error if a side is zero or too long.
fn check_size([width, height]: [usize; 2]) -> Result<[usize; 2], String> {
    if width == 0 || height == 0 || width > SIDE_MAX || height > SIDE_MAX {
        return Err(format!(
            "the image has {width} x {height} pixels; expected sides of 1 to {SIDE_MAX}"
        ));
    }
    Ok([width, height])
}

type Decoded = ([usize; 2], usize, Vec<u8>);

fn png(bytes: &[u8]) -> Result<Decoded, String> {
    let wrong = |e: png::DecodingError| format!("not a valid PNG file: {e}");
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    let header = decoder.read_header_info().map_err(wrong)?;
    let size = check_size([header.width as usize, header.height as usize])?;
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(wrong)?;
    let length = reader
        .output_buffer_size()
        .ok_or("not a valid PNG file: its size overflows")?;
    let mut numbers = vec![0; length];
    let frame = reader.next_frame(&mut numbers).map_err(wrong)?;
    numbers.truncate(frame.buffer_size());
    Ok((size, frame.color_type.samples(), numbers))
}

fn jpeg(bytes: &[u8]) -> Result<Decoded, String> {
    let wrong = |e: zune_jpeg::errors::DecodeErrors| format!("not a valid JPEG file: {e}");
    let options = DecoderOptions::default().jpeg_set_out_colorspace(ColorSpace::RGB);
    let mut decoder = JpegDecoder::new_with_options(Cursor::new(bytes), options);
    decoder.decode_headers().map_err(wrong)?;
    let (width, height) = decoder
        .dimensions()
        .ok_or("not a valid JPEG file: its size is missing")?;
    let size = check_size([width, height])?;
    let numbers = decoder.decode().map_err(wrong)?;
    if numbers.len() != 3 * width * height {
        return Err("not a valid JPEG file; expected three colour channels".to_string());
    }
    Ok((size, 3, numbers))
}

/// Returns the table from 8-bit sRGB values to linear light, 0..1.
fn srgb_to_linear_table() -> Vec<f32> {
    let light = |k: u32| {
        let v = f64::from(k) / 255.0;
        (if v <= 0.040_45 {
            v / 12.92
        } else {
            libm::pow((v + 0.055) / 1.055, 2.4)
        }) as f32
    };
    (0..256).map(light).collect()
}

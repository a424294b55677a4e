//! Reads pictures: PNG and JPEG become light that a surface gives back.
//!
//! Must not know what the picture is for.

use crate::import::assets;
use std::io::Cursor;
use std::path::Path;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// Longest side of a picture.
const SIDE_MAX: usize = 8192;

/// Columns and rows, and for each point from the upper left light given back by colour, times cover, and cover.
pub type Points = ([usize; 2], Vec<[f32; 4]>);

/// The picture in `path`, or why it cannot be had; what it begins with says the format.
pub fn read(path: &Path) -> Result<Points, String> {
    let bytes = assets::bytes(path)?;
    let (size, channels, numbers) = match bytes.get(..4) {
        Some([0x89, b'P', b'N', b'G']) => png(&bytes)?,
        Some([0xff, 0xd8, 0xff, _]) => jpeg(&bytes)?,
        _ => return Err("no picture that can be read: expected a PNG or JPEG file".to_string()),
    };
    let linear = linear();
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

/// Refuses what would fill the memory.
fn checked([width, height]: [usize; 2]) -> Result<[usize; 2], String> {
    if width == 0 || height == 0 || width > SIDE_MAX || height > SIDE_MAX {
        return Err(format!(
            "a picture of {width} x {height} points, expected sides of 1 to {SIDE_MAX}"
        ));
    }
    Ok([width, height])
}

type Decoded = ([usize; 2], usize, Vec<u8>);

fn png(bytes: &[u8]) -> Result<Decoded, String> {
    let wrong = |e: png::DecodingError| format!("not a valid PNG file: {e}");
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    let header = decoder.read_header_info().map_err(wrong)?;
    let size = checked([header.width as usize, header.height as usize])?;
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(wrong)?;
    let mut numbers = vec![0; reader.output_buffer_size()];
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
        .ok_or("not a valid JPEG file: it has no size")?;
    let size = checked([width, height])?;
    let numbers = decoder.decode().map_err(wrong)?;
    if numbers.len() != 3 * width * height {
        return Err("not a valid JPEG file: it has no three colours".to_string());
    }
    Ok((size, 3, numbers))
}

/// Light by number, the inverse of sRGB's curve.
fn linear() -> Vec<f32> {
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

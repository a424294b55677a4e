//! Reads GeoTIFF rasters with one band that are georeferenced by scale and tie point.

use crate::import::grid::{MemoryGrid, NamedAxis, SAMPLES_MAX};
use std::io::{BufReader, Read, Seek};
use std::path::Path;
use tiff::decoder::{Decoder, DecodingResult, Limits};
use tiff::tags::Tag;

/// GeoKey that states whether a raster coordinate refers to the cell (1) or to the centre of the
/// cell (2).
const RASTER_TYPE: u16 = 1025;

/// Reads the raster in `path` with its axes in the file's coordinates; missing values become NaN.
pub(super) fn read(path: &Path) -> Result<MemoryGrid, String> {
    let file = std::fs::File::open(path).map_err(|e| format!("cannot be read: {e}"))?;
    let mut tiff = Decoder::new(BufReader::new(file)).map_err(unreadable)?;
    let (nx, ny) = tiff.dimensions().map_err(unreadable)?;
    let (nx, ny) = (nx as usize, ny as usize);
    if nx.saturating_mul(ny) > SAMPLES_MAX {
        return Err(format!(
            "expected at most {SAMPLES_MAX} samples, found {nx} x {ny}; convert it to NetCDF"
        ));
    }
    let axes = read_axes(&mut tiff, nx, ny)?;
    let missing = tiff.get_tag_ascii_string(Tag::GdalNodata).ok();
    let missing: Option<f64> =
        missing.and_then(|text| text.trim_end_matches('\0').trim().parse().ok());
    let mut samples = read_samples(tiff.with_limits(Limits::unlimited()))?;
    if samples.len() != nx * ny {
        let bands = samples.len() as f64 / (nx * ny) as f64;
        return Err(format!("expected one band, found {bands}"));
    }
    for s in &mut samples {
        if Some(*s) == missing {
            *s = f64::NAN;
        }
    }
    Ok((axes, samples))
}

/// Returns the message for a file that is not a valid TIFF.
fn unreadable(e: tiff::TiffError) -> String {
    format!("not a readable TIFF: {e}")
}

/// Returns the axes north and east of the cell centres of `nx` by `ny` cells, in the unit of the
/// file.
fn read_axes<R: Read + Seek>(
    tiff: &mut Decoder<R>,
    nx: usize,
    ny: usize,
) -> Result<Vec<NamedAxis>, String> {
    let scale = tiff.get_tag_f64_vec(Tag::ModelPixelScaleTag).ok();
    let tie = tiff.get_tag_f64_vec(Tag::ModelTiepointTag).ok();
    let (Some([dx, dy, ..]), Some([i, j, _, x, y, ..])) = (scale.as_deref(), tie.as_deref()) else {
        return Err(
            "expected a GeoTIFF aligned with east and north, found no scale and tie point".into(),
        );
    };
    let (dx, dy, i, j, x, y) = (*dx, *dy, *i, *j, *x, *y);
    if !(dx > 0.0 && dy > 0.0) {
        return Err(format!(
            "its cells measure {dx} x {dy}; expected positive sizes"
        ));
    }
    let keys = tiff
        .get_tag_u16_vec(Tag::GeoKeyDirectoryTag)
        .unwrap_or_default();
    let is_point = keys
        .chunks_exact(4)
        .skip(1)
        .any(|k| k[0] == RASTER_TYPE && k[3] == 2);
    let center = if is_point { 0.0 } else { 0.5 };
    let east = (0..nx).map(|k| x + (k as f64 + center - i) * dx).collect();
    let north = (0..ny).map(|k| y - (k as f64 + center - j) * dy).collect();
    Ok(vec![
        NamedAxis {
            name: "y".into(),
            coordinates: north,
        },
        NamedAxis {
            name: "x".into(),
            coordinates: east,
        },
    ])
}

/// Reads all samples in the unit of the file, row by row from the northernmost one.
fn read_samples<R: Read + Seek>(mut tiff: Decoder<R>) -> Result<Vec<f64>, String> {
    Ok(match tiff.read_image().map_err(unreadable)? {
        DecodingResult::U8(v) => v.into_iter().map(f64::from).collect(),
        DecodingResult::U16(v) => v.into_iter().map(f64::from).collect(),
        DecodingResult::U32(v) => v.into_iter().map(f64::from).collect(),
        DecodingResult::I8(v) => v.into_iter().map(f64::from).collect(),
        DecodingResult::I16(v) => v.into_iter().map(f64::from).collect(),
        DecodingResult::I32(v) => v.into_iter().map(f64::from).collect(),
        DecodingResult::F32(v) => v.into_iter().map(f64::from).collect(),
        DecodingResult::F64(v) => v,
        _ => {
            return Err(
                "expected numbers of 8 to 32 bits or double precision, found another format".into(),
            );
        }
    })
}

//! Reads terrain on a grid (height fields), from the world file or from a raster file.
//!
//! In files, rows are ordered from north to south and each row from west to east, as in rasters. In
//! memory the southern row comes first.

use crate::import::files;
use crate::import::files::read_bytes;
use crate::import::grid::text::read_ascii_grid;
use crate::keys::contact::HeightfieldConfig;
use merrow_model::scene::robot::collision::Heightfield;
use merrow_yaml::error::{Problems, quote};

/// Maximum number of samples of one height field.
const SAMPLES_MAX: usize = 16_000_000;

/// Rows of heights, and the extent along x and y [m] if the raster states it.
type Raster = (Vec<Vec<f64>>, Option<[f64; 2]>);

/// Returns the height field, or `None` after reporting a problem.
pub fn heightfield(given: &HeightfieldConfig, problems: &mut Problems) -> Option<Heightfield> {
    let key = match given.file {
        Some(_) => "file",
        None => "heights_m",
    };
    let place = given.at.key_place(key);
    let read = match (&given.file, &given.heights_m) {
        (Some(file), None) => {
            let path = files::find_file(file, place, problems)?;
            raster(&path).map_err(|text| format!("{}: {text}", quote(&path.to_string_lossy())))
        }
        (None, Some(rows)) => Ok((rows.to_vec(), None)),
        _ => Err("expected either `file` or `heights_m` for a height field".to_string()),
    };
    let field = read.and_then(|raster| grid(raster, given));
    field.map_err(|text| problems.push(place, text)).ok()
}

fn grid((rows, own_size): Raster, given: &HeightfieldConfig) -> Result<Heightfield, String> {
    let size = match (own_size, given.size_m) {
        (Some(_), Some(_)) => {
            return Err(
                "the raster states its own extent; expected no `size_m`; remove the key"
                    .to_string(),
            );
        }
        (Some(size), None) | (None, Some(size)) => size,
        (None, None) => {
            return Err(
                "missing key `size_m`: the extent of the heights along x and y [m]".to_string(),
            );
        }
    };
    let nx = rows.first().map_or(0, Vec::len);
    if let Some(n) = rows.iter().position(|row| row.len() != nx) {
        let (k, found) = (n + 1, rows[n].len());
        return Err(format!(
            "row {k} of the heights: expected {nx} numbers as in the first row, found {found}"
        ));
    }
    if nx < 2 || rows.len() < 2 {
        return Err(format!(
            "expected at least 2 x 2 heights, found {nx} x {}",
            rows.len()
        ));
    }
    if nx.saturating_mul(rows.len()) > SAMPLES_MAX {
        return Err(format!(
            "expected at most {SAMPLES_MAX} heights, found {nx} x {}",
            rows.len()
        ));
    }
    let heights: Vec<f64> = rows
        .iter()
        .rev()
        .flatten()
        .map(|h| h * given.height_scale)
        .collect();
    if !heights.iter().all(|h| h.is_finite()) {
        return Err("a height is not finite".to_string());
    }
    Ok(Heightfield {
        count: [nx, rows.len()],
        size,
        heights,
    })
}

fn raster(path: &std::path::Path) -> Result<Raster, String> {
    let bytes = read_bytes(path)?;
    let text = String::from_utf8(bytes).map_err(|e| format!("cannot be read: {e}"))?;
    match path
        .extension()
        .map(|e| e.to_string_lossy().to_lowercase())
        .as_deref()
    {
        Some("asc" | "agr" | "grd") => ascii_grid(&text),
        Some("csv" | "txt") => csv(&text),
        _ => Err("expected a raster that ends in .asc or .csv".to_string()),
    }
}

/// Parses a number of a raster; errors name `line`.
fn number(text: &str, line: usize) -> Result<f64, String> {
    text.trim()
        .parse()
        .map_err(|_| format!("line {line}: {} is not a number", quote(text.trim())))
}

/// Reads rows of numbers that are separated by commas, semicolons or blanks. Lines that start with
/// `#` are comments.
fn csv(text: &str) -> Result<Raster, String> {
    let mut rows = Vec::new();
    for (n, line) in text
        .lines()
        .enumerate()
        .filter(|(_, l)| !l.trim().is_empty() && !l.starts_with('#'))
    {
        let parts: Vec<&str> = match line.contains([',', ';']) {
            true => line
                .trim_end_matches([',', ';'])
                .split([',', ';'])
                .collect(),
            false => line.split_whitespace().collect(),
        };
        rows.push(
            parts
                .into_iter()
                .map(|t| number(t, n + 1))
                .collect::<Result<_, _>>()?,
        );
    }
    Ok((rows, None))
}

/// Reads an ESRI ASCII grid. Its corner coordinates are ignored: the centre of the grid is the
/// origin of the shape.
fn ascii_grid(text: &str) -> Result<Raster, String> {
    let (axes, samples) = read_ascii_grid(text)?;
    let [y, x] = [0, 1].map(|k| axes[k].coordinates.as_slice());
    let extent = |axis: &[f64]| match axis {
        [first, .., last] => (last - first).abs(),
        _ => 0.0,
    };
    if let Some(n) = samples.iter().position(|height| height.is_nan()) {
        return Err(format!(
            "row {}: a cell without data; expected heights everywhere: fill the gaps",
            n / x.len() + 1
        ));
    }
    let rows = samples.chunks(x.len().max(1));
    let rows = rows.map(<[f64]>::to_vec).collect();
    Ok((rows, Some([extent(x), extent(y)])))
}

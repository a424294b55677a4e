//! Reads grids from text files: tables with one column per coordinate, and ESRI ASCII grids.

use crate::import::grid::{MemoryGrid, NamedAxis, SAMPLES_MAX};
use merrow_yaml::error::{did_you_mean, quote, quoted_list};

/// Reads a table with a header line. The columns in `coordinates` give the position of each value.
/// The value is in the column `requested`, or in the only other column. Grid points without a line
/// in the table are holes.
pub(crate) fn read_table(
    text: &str,
    requested: Option<&str>,
    coordinates: &[&str],
) -> Result<MemoryGrid, String> {
    let mut reader = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let head: Vec<String> = reader
        .headers()
        .map_err(|e| format!("not a table: {e}"))?
        .iter()
        .map(str::to_string)
        .collect();
    let is_place = |name: &str| coordinates.contains(&name) && requested != Some(name);
    let axes: Vec<usize> = (0..head.len()).filter(|k| is_place(&head[*k])).collect();
    let others: Vec<&str> = (0..head.len())
        .filter(|k| !axes.contains(k))
        .map(|k| head[k].as_str())
        .collect();
    if axes.is_empty() {
        let names = quoted_list(coordinates.iter().copied());
        return Err(format!(
            "expected some of {names} in its first line, found no column of coordinates"
        ));
    }
    let value = match (requested, others.as_slice()) {
        (Some(name), _) => head.iter().position(|h| h == name).ok_or_else(|| {
            let all = quoted_list(others.iter().copied());
            format!(
                "no column {}; expected one of {all}{}",
                quote(name),
                did_you_mean(name, others.iter().copied())
            )
        })?,
        (None, [one]) => head.iter().position(|h| h == one).unwrap_or_default(),
        (None, []) => return Err("found no column of values next to the coordinate columns".into()),
        (None, _) => {
            let all = quoted_list(others.iter().copied());
            return Err(format!(
                "the file has several columns of values; expected the key `variable` with one of {all}, found none"
            ));
        }
    };
    let mut rows: Vec<(Vec<f64>, f64, u64)> = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|e| format!("not a table: {e}"))?;
        let line = record.position().map_or(0, csv::Position::line);
        let number = |k: usize| {
            let text = record.get(k).unwrap_or_default();
            // an empty field is a hole
            if text.is_empty() && k == value {
                return Ok(f64::NAN);
            }
            text.parse::<f64>()
                .map_err(|_| format!("line {line}: {} is not a number", quote(text)))
        };
        let places: Vec<f64> = axes.iter().map(|k| number(*k)).collect::<Result<_, _>>()?;
        if places.iter().any(|x| !x.is_finite()) {
            return Err(format!("line {line}: a coordinate is not finite"));
        }
        rows.push((places, number(value)?, line));
    }
    fill_lattice(&head, &axes, &rows)
}

/// Sorts rows in any order into the samples of the grid that they span.
fn fill_lattice(
    head: &[String],
    axes: &[usize],
    rows: &[(Vec<f64>, f64, u64)],
) -> Result<MemoryGrid, String> {
    let mut named = Vec::new();
    let mut total = 1_usize;
    for (k, column) in axes.iter().enumerate() {
        let mut places: Vec<f64> = rows.iter().map(|row| row.0[k]).collect();
        places.sort_unstable_by(f64::total_cmp);
        places.dedup();
        total = total.saturating_mul(places.len());
        named.push(NamedAxis {
            name: head[*column].clone(),
            coordinates: places,
        });
    }
    if total > SAMPLES_MAX {
        return Err(format!(
            "the coordinates span {total} samples; expected at most {SAMPLES_MAX}"
        ));
    }
    let mut samples = vec![f64::NAN; total];
    let mut taken = vec![0_u64; total];
    for (places, value, line) in rows {
        let mut index = 0;
        for (axis, place) in named.iter().zip(places) {
            index =
                index * axis.coordinates.len() + axis.coordinates.partition_point(|p| p < place);
        }
        if taken[index] != 0 {
            return Err(format!(
                "line {line}: found the same coordinates as in line {}",
                taken[index]
            ));
        }
        (samples[index], taken[index]) = (*value, *line);
    }
    Ok((named, samples))
}

/// Value of cells without data if the header of an ESRI ASCII grid has no other [-].
const DEFAULT_GAP: Option<f64> = Some(-9999.0);

/// Reads an ESRI ASCII grid: header lines, then rows from north to south.
pub(crate) fn read_ascii_grid(text: &str) -> Result<MemoryGrid, String> {
    let (mut count, mut cell, mut gap) = ([None, None], [None, None], DEFAULT_GAP);
    let (mut corner, mut center) = ([None, None], [None, None]);
    let mut samples: Vec<f64> = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let mut words = line.split_whitespace().peekable();
        let key = words.peek().map(|w| w.to_lowercase()).unwrap_or_default();
        let number = |text: &str| {
            text.parse::<f64>()
                .map_err(|_| format!("line {}: {} is not a number", n + 1, quote(text)))
        };
        if samples.is_empty() && key.starts_with(|c: char| c.is_ascii_alphabetic()) && key != "nan"
        {
            let value = Some(number(words.nth(1).unwrap_or_default())?);
            match key.as_str() {
                "ncols" => count[0] = value,
                "nrows" => count[1] = value,
                "cellsize" => cell = [value, value],
                "dx" => cell[0] = value,
                "dy" => cell[1] = value,
                "xllcorner" => corner[0] = value,
                "yllcorner" => corner[1] = value,
                "xllcenter" => center[0] = value,
                "yllcenter" => center[1] = value,
                "nodata_value" => gap = value,
                _ => {}
            }
            continue;
        }
        for word in words {
            if samples.len() == SAMPLES_MAX {
                return Err(format!(
                    "found more than {SAMPLES_MAX} numbers; convert the file to NetCDF classic"
                ));
            }
            let value = number(word)?;
            samples.push(if Some(value) == gap { f64::NAN } else { value });
        }
    }
    let [Some(nx), Some(ny)] = count else {
        return Err("no `ncols` and `nrows` in its header: not an ESRI ASCII grid".into());
    };
    let [Some(dx), Some(dy)] = cell.map(|c| c.filter(|c| *c > 0.0)) else {
        return Err("no positive `cellsize` in its header: not an ESRI ASCII grid".into());
    };
    if samples.len() as f64 != nx * ny {
        return Err(format!(
            "expected {nx} x {ny} numbers, found {}",
            samples.len()
        ));
    }
    let axis = |name: &str, k: usize, d: f64, n: f64| {
        let start = match (corner[k], center[k]) {
            (Some(edge), _) => edge + 0.5 * d,
            (None, Some(first)) => first,
            (None, None) => 0.0,
        };
        NamedAxis {
            name: name.into(),
            coordinates: (0..n as usize).map(|i| start + d * i as f64).collect(),
        }
    };
    let (x, mut y) = (axis("x", 0, dx, nx), axis("y", 1, dy, ny));
    y.coordinates.reverse();
    Ok((vec![y, x], samples))
}

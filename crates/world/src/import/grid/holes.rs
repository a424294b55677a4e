//! Handles missing samples (holes) of a grid.

use crate::keys::grid::{GridConfig, HolesConfig};
use merrow_model::scene::sea::grid::Samples;
use std::collections::VecDeque;

/// Counts the holes and fills them as `file.holes` requests. The returned text reports the number
/// of filled holes.
///
/// `first` is the index of the first sample, `strides` and `shape` are the index steps and sample
/// counts along x, y, depth and time.
///
/// # Errors
/// There are holes and `holes: reject` applies, or no sample has a value.
pub(crate) fn fill_holes(
    file: &GridConfig,
    samples: &mut Samples,
    first: usize,
    strides: [isize; 4],
    shape: [usize; 4],
) -> Result<Option<String>, String> {
    let total = samples.len();
    let is_hole = |i: &usize| !samples.get(*i).is_finite();
    let n = (0..total).filter(is_hole).count();
    if n == 0 {
        return Ok(None);
    }
    let message = format!("{n} of {total} samples have no value");
    if n == total && file.holes != HolesConfig::Value {
        return Err("no sample has a value".into());
    }
    match file.holes {
        HolesConfig::Reject => Err(format!(
            "{message}; to fill them write `holes: nearest`, or `holes: value` and `hole_value`"
        )),
        HolesConfig::Value => {
            let value = file.hole_value;
            match samples {
                Samples::File(mapped) => mapped.set_fill_value(value),
                Samples::F64(all) => all
                    .iter_mut()
                    .filter(|x| !x.is_finite())
                    .for_each(|x| *x = value),
                Samples::F32(all) => all
                    .iter_mut()
                    .filter(|x| !x.is_finite())
                    .for_each(|x| *x = value as f32),
            }
            Ok(Some(format!("{message} and are set to {value}")))
        }
        HolesConfig::Nearest => {
            if let Samples::File(_) = samples {
                // filled values cannot be stored in the file, so the samples are copied into memory
                *samples = Samples::F32((0..total).map(|i| samples.get(i) as f32).collect());
            }
            let mut left = 0;
            for t in 0..shape[3] {
                for z in 0..shape[2] {
                    let level = first as isize + t as isize * strides[3] + z as isize * strides[2];
                    left += fill_level(
                        samples,
                        level,
                        [strides[0], strides[1]],
                        [shape[0], shape[1]],
                    );
                }
            }
            if left > 0 {
                return Err(format!(
                    "{message}, and at some level or time no sample has one: cannot be filled"
                ));
            }
            Ok(Some(format!(
                "{message} and are set to the value of the nearest sample"
            )))
        }
    }
}

/// Fills the holes of one level outwards from their neighbours (4-neighbourhood). Returns the
/// number of samples of the level if none has a value, otherwise 0.
fn fill_level(
    samples: &mut Samples,
    level: isize,
    strides: [isize; 2],
    shape: [usize; 2],
) -> usize {
    let index =
        |x: usize, y: usize| (level + x as isize * strides[0] + y as isize * strides[1]) as usize;
    let places = || (0..shape[1]).flat_map(|y| (0..shape[0]).map(move |x| (x, y)));
    let mut queue: VecDeque<(usize, usize)> = places()
        .filter(|(x, y)| samples.get(index(*x, *y)).is_finite())
        .collect();
    if queue.is_empty() {
        return shape[0] * shape[1];
    }
    while let Some((x, y)) = queue.pop_front() {
        let value = samples.get(index(x, y));
        let neighbours = [
            (x.wrapping_sub(1), y),
            (x + 1, y),
            (x, y.wrapping_sub(1)),
            (x, y + 1),
        ];
        for (nx, ny) in neighbours {
            if nx < shape[0] && ny < shape[1] && !samples.get(index(nx, ny)).is_finite() {
                match samples {
                    Samples::F64(all) => all[index(nx, ny)] = value,
                    Samples::F32(all) => all[index(nx, ny)] = value as f32,
                    Samples::File(_) => {}
                }
                queue.push_back((nx, ny));
            }
        }
    }
    0
}

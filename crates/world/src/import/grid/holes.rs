//! Where a grid has no value.

use crate::import::grid::declare::{GridFile, HolesFile};
use merrow_model::scene::sea::grid::Samples;
use std::collections::VecDeque;

/// Counts the holes and does with them what the file says; the text tells how many there were.
///
/// # Errors
/// There are holes, and none are allowed; or nothing but holes.
pub fn mend(
    file: &GridFile,
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
    let some = format!("{n} of {total} samples have no value");
    if n == total && file.holes != HolesFile::Value {
        return Err("no sample has a value".into());
    }
    match file.holes {
        HolesFile::Refuse => Err(format!(
            "{some}; to fill them write `holes: nearest`, or `holes: value` and `hole_value`"
        )),
        HolesFile::Value => {
            let value = file.hole_value;
            match samples {
                Samples::File(mapped) => mapped.fill_with(value),
                Samples::F64(all) => all
                    .iter_mut()
                    .filter(|x| !x.is_finite())
                    .for_each(|x| *x = value),
                Samples::F32(all) => all
                    .iter_mut()
                    .filter(|x| !x.is_finite())
                    .for_each(|x| *x = value as f32),
            }
            Ok(Some(format!("{some} and are taken as {value}")))
        }
        HolesFile::Nearest => {
            if let Samples::File(_) = samples {
                // what is filled has to be kept somewhere
                *samples = Samples::F32((0..total).map(|i| samples.get(i) as f32).collect());
            }
            let mut left = 0;
            for t in 0..shape[3] {
                for z in 0..shape[2] {
                    let level = first as isize + t as isize * strides[3] + z as isize * strides[2];
                    left += spread(
                        samples,
                        level,
                        [strides[0], strides[1]],
                        [shape[0], shape[1]],
                    );
                }
            }
            if left > 0 {
                return Err(format!(
                    "{some}, and on some level or at some time none has: cannot be filled"
                ));
            }
            Ok(Some(format!("{some} and take that of the nearest sample")))
        }
    }
}

/// Fills the holes of one level from their neighbours outwards; how many are left if the level has no value at all.
fn spread(samples: &mut Samples, level: isize, strides: [isize; 2], shape: [usize; 2]) -> usize {
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

//! Boxes with edges along the axes, as their lower and upper corner.

use crate::Vec3;

/// Returns the box around points; `None` without points.
pub fn box_around(points: impl IntoIterator<Item = Vec3>) -> Option<[Vec3; 2]> {
    let mut points = points.into_iter();
    let first = points.next()?;
    Some(points.fold([first; 2], |[low, high], p| {
        [
            Vec3::new(low.x.min(p.x), low.y.min(p.y), low.z.min(p.z)),
            Vec3::new(high.x.max(p.x), high.y.max(p.y), high.z.max(p.z)),
        ]
    }))
}

/// Returns the eight corners of a box.
pub fn box_corners([low, high]: [Vec3; 2]) -> [Vec3; 8] {
    std::array::from_fn(|k| {
        let pick = |bit: usize, low: f64, high: f64| if k >> bit & 1 == 0 { low } else { high };
        Vec3::new(
            pick(0, low.x, high.x),
            pick(1, low.y, high.y),
            pick(2, low.z, high.z),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn box_around_the_corners_of_a_box_is_the_box() {
        let given = [Vec3::new(-1.0, 2.0, -5.0), Vec3::new(0.5, 2.5, -3.0)];
        assert_eq!(box_around(box_corners(given)), Some(given));
        assert_eq!(box_around([]), None);
    }
}

//! Figures in the plane.

/// Returns the corners of the convex hull of points in the plane [m], counter-clockwise.
pub fn convex_hull(mut points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let turn = |a: [f64; 2], b: [f64; 2], c: [f64; 2]| {
        (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    };
    let mut out: Vec<[f64; 2]> = Vec::new();
    let half = |points: &mut dyn Iterator<Item = [f64; 2]>, out: &mut Vec<[f64; 2]>| {
        let first = out.len();
        for p in points {
            while out.len() >= first + 2 && turn(out[out.len() - 2], out[out.len() - 1], p) <= 0.0 {
                out.pop();
            }
            out.push(p);
        }
        out.pop();
    };
    half(&mut points.iter().copied(), &mut out);
    half(&mut points.iter().rev().copied(), &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn convex_hull_of_a_grid_is_its_square() {
        let grid = (0..25).map(|k| [f64::from(k % 5), f64::from(k / 5)]);
        let square = [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]];
        assert_eq!(convex_hull(grid.collect()), square);
        // fewer than three points are their own hull
        assert_eq!(convex_hull(vec![[1.0, 2.0], [1.0, 2.0]]), [[1.0, 2.0]]);
        assert!(convex_hull(Vec::new()).is_empty());
    }
}

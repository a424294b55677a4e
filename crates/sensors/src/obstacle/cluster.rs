//! Clustering of echoes and fitting of a box to each cluster. The laws are in `obstacle/mod.rs`.

use crate::obstacle::Cuboid;
use merrow_math::Vec3;
use merrow_math::plane::convex_hull;
use merrow_math::real::sin_cos;
use merrow_model::sensor::obstacle::Echo;
use std::collections::BTreeMap;
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2, PI};

/// Lower limit d_0 of the distance of an echo from the nearest side of a box in (3) [m].
const MIN_SIDE_DISTANCE: f64 = 0.1;
/// Number of evenly spaced angles that the fit tries in addition to the angles of the hull sides,
/// and maximum number of the latter.
const UNIFORM_ANGLES: u32 = 90;
const MAX_HULL_SIDES: usize = 90;

/// Returns the indices of the echoes of each cluster, sorted by their first index; `gap` is the
/// maximum distance within a cluster [m]. (2)
pub(crate) fn cluster_echoes(echoes: &[Echo], gap: f64) -> Vec<Vec<usize>> {
    // all echoes within a cell are nearer to one another than the gap
    let side = gap * FRAC_1_SQRT_2;
    let mut cells: BTreeMap<(i64, i64), Vec<usize>> = BTreeMap::new();
    for (i, echo) in echoes.iter().enumerate() {
        let cell = |x: f64| (x / side).floor() as i64;
        cells
            .entry((cell(echo.p.x), cell(echo.p.y)))
            .or_default()
            .push(i);
    }
    let near = |a: &[usize], b: &[usize]| {
        // only echoes near the extent of the other cell can be near one of its echoes
        let (of_a, of_b) = (extent(echoes, a), extent(echoes, b));
        let a: Vec<usize> = a
            .iter()
            .copied()
            .filter(|i| is_within_gap(echoes[*i].p, &of_b, gap))
            .collect();
        let b: Vec<usize> = b
            .iter()
            .copied()
            .filter(|i| is_within_gap(echoes[*i].p, &of_a, gap))
            .collect();
        a.iter().any(|i| {
            b.iter().any(|j| {
                let d = echoes[*i].p - echoes[*j].p;
                d.x * d.x + d.y * d.y < gap * gap
            })
        })
    };
    let mut cluster_of: BTreeMap<(i64, i64), usize> = BTreeMap::new();
    let mut all: Vec<Vec<usize>> = Vec::new();
    for start in cells.keys() {
        if cluster_of.contains_key(start) {
            continue;
        }
        let number = all.len();
        all.push(Vec::new());
        cluster_of.insert(*start, number);
        let mut pending = vec![*start];
        while let Some(cell) = pending.pop() {
            let own = &cells[&cell];
            all[number].extend(own);
            for (dx, dy) in (-2..=2).flat_map(|dx| (-2..=2).map(move |dy| (dx, dy))) {
                let next = (cell.0 + dx, cell.1 + dy);
                let Some(other) = cells.get(&next) else {
                    continue;
                };
                if !cluster_of.contains_key(&next) && near(own, other) {
                    cluster_of.insert(next, number);
                    pending.push(next);
                }
            }
        }
    }
    all.iter_mut().for_each(|g| g.sort_unstable());
    all.sort_by_key(|g| g[0]);
    all
}

/// Returns the minimum and maximum x and y of the echoes `indices` [m].
fn extent(echoes: &[Echo], indices: &[usize]) -> [[f64; 2]; 2] {
    let mut all = [[f64::INFINITY, f64::NEG_INFINITY]; 2];
    for p in indices.iter().map(|i| echoes[*i].p) {
        for ([low, high], x) in all.iter_mut().zip([p.x, p.y]) {
            (*low, *high) = (low.min(x), high.max(x));
        }
    }
    all
}

/// Returns true if the horizontal distance of `p` from an extent is below `gap` [m].
fn is_within_gap(p: Vec3, extent: &[[f64; 2]; 2], gap: f64) -> bool {
    let [dx, dy] = [(p.x, extent[0]), (p.y, extent[1])]
        .map(|(x, [low, high])| (low - x).max(x - high).max(0.0));
    dx * dx + dy * dy < gap * gap
}

/// Returns the closeness (3) of the sides of a box with the angle `yaw` [rad] to the echoes, and
/// the area of the box [m²].
fn closeness(points: &[[f64; 2]], corners: &[[f64; 2]], yaw: f64) -> (f64, f64) {
    let (s, c) = sin_cos(yaw);
    let [[x0, x1], [y0, y1]] = extents(corners, s, c);
    let near = |p: &[f64; 2]| {
        let (u, v) = (c * p[0] + s * p[1], c * p[1] - s * p[0]);
        1.0 / (u - x0)
            .min(x1 - u)
            .min(v - y0)
            .min(y1 - v)
            .max(MIN_SIDE_DISTANCE)
    };
    (points.iter().map(near).sum(), (x1 - x0) * (y1 - y0))
}

/// Returns the minimum and maximum coordinate along and across the direction with sine `s` and
/// cosine `c`.
fn extents(corners: &[[f64; 2]], s: f64, c: f64) -> [[f64; 2]; 2] {
    let mut all = [[f64::INFINITY, f64::NEG_INFINITY]; 2];
    for p in corners {
        for (extent, v) in all
            .iter_mut()
            .zip([c * p[0] + s * p[1], c * p[1] - s * p[0]])
        {
            *extent = [extent[0].min(v), extent[1].max(v)];
        }
    }
    all
}

/// Fits a box to echoes. Its length is at least its width, and its yaw is between -π/2 and π/2. (3)
pub(crate) fn fit_cuboid(echoes: impl Iterator<Item = Echo> + Clone) -> Cuboid {
    let points: Vec<[f64; 2]> = echoes.clone().map(|e| [e.p.x, e.p.y]).collect();
    let corners = convex_hull(points.clone());
    let along = |k: usize| {
        let (a, b) = (corners[k], corners[(k + 1) % corners.len()]);
        libm::atan2(b[1] - a[1], b[0] - a[0])
    };
    let sides = (0..corners.len().min(MAX_HULL_SIDES)).map(along);
    let even = (0..UNIFORM_ANGLES).map(|k| FRAC_PI_2 * f64::from(k) / f64::from(UNIFORM_ANGLES));
    let mut best = (0.0, f64::INFINITY, 0.0);
    for yaw in sides.chain(even) {
        let (closeness_sum, area) = closeness(&points, &corners, yaw);
        // among equally close boxes the smallest area is selected
        if closeness_sum > best.0 * (1.0 + 1e-9)
            || closeness_sum > best.0 * (1.0 - 1e-9) && area < best.1
        {
            best = (closeness_sum, area, yaw);
        }
    }
    let mut yaw = best.2;
    let (s, c) = sin_cos(yaw);
    let [[x0, x1], [y0, y1]] = extents(&corners, s, c);
    let (u, v) = (0.5 * (x0 + x1), 0.5 * (y0 + y1));
    let heights = echoes.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], e| {
        [a.min(e.p.z - e.half_height), b.max(e.p.z + e.half_height)]
    });
    let mut size = Vec3::new(x1 - x0, y1 - y0, heights[1] - heights[0]);
    if size.y > size.x {
        size = Vec3::new(size.y, size.x, size.z);
        yaw += FRAC_PI_2;
    }
    yaw -= PI * libm::round(yaw / PI);
    Cuboid {
        p: Vec3::new(
            c * u - s * v,
            s * u + c * v,
            0.5 * (heights[0] + heights[1]),
        ),
        size,
        yaw,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn echo(x: f64, y: f64, z: f64) -> Echo {
        Echo {
            p: Vec3::new(x, y, z),
            half_height: 0.0,
        }
    }

    #[test]
    fn rotated_rectangle_is_fitted_exactly() {
        let (s, c) = 0.4_f64.sin_cos();
        let corner = |u: f64, v: f64, z: f64| echo(7.0 + c * u - s * v, -3.0 + s * u + c * v, z);
        let mut echoes = Vec::new();
        for i in 0..=8 {
            for j in 0..=4 {
                echoes.push(corner(
                    0.5 * f64::from(i) - 2.0,
                    0.25 * f64::from(j) - 0.5,
                    -f64::from(j),
                ));
            }
        }
        let found = fit_cuboid(echoes.iter().copied());
        assert!(
            (found.p - Vec3::new(7.0, -3.0, -2.0)).norm() < 1e-9,
            "{found:?}"
        );
        assert!(
            (found.size - Vec3::new(4.0, 1.0, 4.0)).norm() < 1e-9 && (found.yaw - 0.4).abs() < 1e-9
        );
    }

    #[test]
    fn lines_and_points_have_boxes() {
        let line = fit_cuboid((0..5).map(|k| echo(f64::from(k), 2.0 * f64::from(k), 0.0)));
        assert!(
            (line.size.x - 80_f64.sqrt()).abs() < 1e-9 && line.size.y < 1e-9,
            "{line:?}"
        );
        assert!((line.yaw - 2_f64.atan()).abs() < 1e-9);
        let point = fit_cuboid(
            [Echo {
                p: Vec3::new(1.0, 2.0, 3.0),
                half_height: 0.5,
            }]
            .into_iter(),
        );
        assert_eq!(
            (point.p, point.size),
            (Vec3::new(1.0, 2.0, 3.0), Vec3::new(0.0, 0.0, 1.0))
        );
    }

    // a chain of echoes 0.9 apart is one cluster, an echo 1.1 away is another cluster; the order of
    // the echoes does not matter
    #[test]
    fn clusters_are_separated_by_gaps() {
        let x = [3.7, 0.0, 1.8, 0.9, 4.6, 2.7, 5.7, 6.6];
        let echoes: Vec<Echo> = x.iter().map(|x| echo(*x, 0.3 * x, 0.0)).collect();
        let found = cluster_echoes(&echoes, 1.0);
        let by_x = |g: &Vec<usize>| g.iter().map(|i| x[*i]).fold(0.0, f64::max);
        assert_eq!(found.iter().map(Vec::len).sum::<usize>(), 8);
        assert_eq!(
            found.iter().map(by_x).collect::<Vec<_>>(),
            vec![4.6, 2.7, 6.6],
            "{found:?}"
        );
    }
}

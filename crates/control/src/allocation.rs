//! Thruster allocation: thrusts for a requested wrench.
//!
//! # Law
//! ```text
//!   τ = B T,   T = Bᵀ (B Bᵀ)⁺ τ                                 (1)  [Fossen 2021, eq. 11.36]
//! ```
//! The pseudo-inverse gives the thrusts with the smallest norm. Axes that the thrusters cannot
//! actuate independently are not controlled. For example, if surge always causes a pitching moment,
//! surge is allocated in full and pitch follows, as on a six-thruster BlueROV2.
//!
//! # Symbols
//! B wrench of unit thrusts, 6 x n, force first · T thrusts · τ wrench at the base origin in the
//! base frame.
//!
//! # Frames
//! Base frame (FLU).
//!
//! # Limits
//! Saturation scales all thrusts by one factor, so that the wrench keeps its direction. The thrust
//! curves hold in still water.
//!
//! # Checked by
//! tests below; test/ros (drives a BlueROV2)

use merrow_math::Vec3;
use merrow_model::scene::Robot;

/// Computes the pseudo-inverse of (1), one row [fx fy fz mx my mz] per thruster. `columns` are the
/// wrenches of unit thrusts; for thrusters on other links than the base the joint positions are
/// zero.
pub fn pseudo_inverse(columns: &[[f64; 6]]) -> Vec<[f64; 6]> {
    let (scaled, arm) = scale_moments(columns);
    let served = independent_axes(&scaled);
    let gram = nalgebra::SMatrix::<f64, 6, 6>::from_fn(|i, j| {
        if served[i] && served[j] {
            scaled.iter().map(|c| c[i] * c[j]).sum()
        } else {
            0.0
        }
    });
    let eigen = gram.symmetric_eigen();
    let largest = eigen.eigenvalues.max();
    let mut inverse = nalgebra::SMatrix::<f64, 6, 6>::zeros();
    for k in 0..6 {
        if eigen.eigenvalues[k] > 1e-6 * largest {
            let v = eigen.eigenvectors.column(k);
            inverse += v * v.transpose() / eigen.eigenvalues[k];
        }
    }
    let row = |c: &[f64; 6]| -> [f64; 6] {
        std::array::from_fn(|j| {
            let s: f64 = (0..6).map(|i| c[i] * inverse[(i, j)]).sum();
            if j < 3 { s } else { s / arm }
        })
    };
    scaled.iter().map(row).collect()
}

/// Divides the moments by the mean lever arm [m], so that newtons and newton metres have equal
/// weight. Returns the arm as well.
fn scale_moments(columns: &[[f64; 6]]) -> (Vec<[f64; 6]>, f64) {
    let arms: f64 = columns
        .iter()
        .map(|c| (c[3] * c[3] + c[4] * c[4] + c[5] * c[5]).sqrt())
        .sum();
    let arm = if arms > 0.0 {
        arms / columns.len() as f64
    } else {
        1.0
    };
    let scaled = columns
        .iter()
        .map(|c| std::array::from_fn(|i| if i < 3 { c[i] } else { c[i] / arm }))
        .collect();
    (scaled, arm)
}

/// Returns the components of the wrench that the thrusters produce independently; see
/// [`pseudo_inverse`]. `columns` are the wrenches of unit thrusts, force first [N, N m].
pub fn independent_components(columns: &[[f64; 6]]) -> [bool; 6] {
    independent_axes(&scale_moments(columns).0)
}

/// Returns the axes that the thrusters can actuate independently of those before them: surge, sway,
/// heave and yaw before roll and pitch, which most vehicles stabilise by their weight.
fn independent_axes(columns: &[[f64; 6]]) -> [bool; 6] {
    const MIN_NORM: f64 = 1e-3;
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let mut served = [false; 6];
    for axis in [0, 1, 2, 5, 3, 4] {
        let mut row: Vec<f64> = columns.iter().map(|c| c[axis]).collect();
        for b in &basis {
            let along: f64 = row.iter().zip(b).map(|(r, b)| r * b).sum();
            row.iter_mut().zip(b).for_each(|(r, b)| *r -= along * b);
        }
        let norm = row.iter().map(|r| r * r).sum::<f64>().sqrt();
        served[axis] = norm > MIN_NORM * (columns.len() as f64).sqrt();
        if served[axis] {
            basis.push(row.into_iter().map(|r| r / norm).collect());
        }
    }
    served
}

/// Returns the wrench of a unit thrust of each thruster at the base origin, force first [N, N m],
/// with the joints at zero. `poses` are attitude and position [m] of the links in the base frame.
pub fn unit_wrenches(robot: &Robot, poses: &[(merrow_math::Mat3, Vec3)]) -> Vec<[f64; 6]> {
    robot
        .thrusters
        .iter()
        .map(|t| {
            let (R_BL, p_BL) = &poses[t.link];
            let f = R_BL.mul_vec(t.direction);
            let m = (*p_BL + R_BL.mul_vec(t.p_LoT)).cross(f) + f.scale(t.reaction());
            [f.x, f.y, f.z, m.x, m.y, m.z]
        })
        .collect()
}

/// Writes the `commands`, one per thruster in its own unit, for a wrench at the base origin
/// (`force` [N] and `moment` [N m] in the base frame), in water of `density` [kg/m³]. Returns the
/// factor by which the wrench was reduced (1: not reduced; 0: no thruster manager).
pub fn allocate(
    robot: &Robot,
    force: Vec3,
    moment: Vec3,
    density: f64,
    commands: &mut [f64],
) -> f64 {
    let Some(manager) = &robot.allocation else {
        return 0.0;
    };
    let wrench = [force.x, force.y, force.z, moment.x, moment.y, moment.z];
    let thrust = |k: usize| -> f64 { (0..6).map(|i| manager.matrix[k][i] * wrench[i]).sum() };
    let mut factor: f64 = 1.0;
    for (k, thruster) in robot.thrusters.iter().enumerate() {
        let (t, [lo, hi]) = (thrust(k), thruster.thrust_limits(density));
        if t > hi {
            factor = factor.min(hi / t);
        } else if t < lo {
            factor = factor.min(lo / t);
        }
    }
    for (k, thruster) in robot.thrusters.iter().enumerate() {
        commands[k] = thruster.command_from_thrust(factor * thrust(k), density);
    }
    factor
}

/// Returns the fraction of `thrust` [N] that a thruster with these limits [N] can exert.
pub(crate) fn available_fraction(thrust: f64, [low, high]: [f64; 2]) -> f64 {
    let limit = if thrust > 0.0 { high } else { low };
    if thrust.abs() <= limit.abs() && thrust * limit >= 0.0 {
        1.0
    } else {
        (limit / thrust).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn over_actuated_geometry_produces_the_wrench() {
        // four horizontal thrusters at 45 deg and four vertical thrusters
        let c = std::f64::consts::FRAC_1_SQRT_2;
        let mut columns = Vec::new();
        for (x, y) in [(0.2, -0.1), (0.2, 0.1), (-0.2, -0.1), (-0.2, 0.1)] {
            let f = Vec3::new(c, if x * y < 0.0 { c } else { -c }, 0.0);
            let m = Vec3::new(x, y, 0.05).cross(f);
            columns.push([f.x, f.y, f.z, m.x, m.y, m.z]);
            let (f, m) = (
                Vec3::new(0.0, 0.0, 1.0),
                Vec3::new(x, 2.0 * y, 0.0).cross(Vec3::new(0.0, 0.0, 1.0)),
            );
            columns.push([f.x, f.y, f.z, m.x, m.y, m.z]);
        }
        let rows = pseudo_inverse(&columns);
        let tau = [3.0, -2.0, 5.0, 0.3, -0.4, 0.2];
        for i in 0..6 {
            let back: f64 = columns
                .iter()
                .zip(&rows)
                .map(|(c, r)| c[i] * (0..6).map(|j| r[j] * tau[j]).sum::<f64>())
                .sum();
            assert!(
                (back - tau[i]).abs() < 1e-12,
                "axis {i}: {back} instead of {}",
                tau[i]
            );
        }
    }

    #[test]
    fn surge_below_the_centre_is_produced_in_full() {
        // two thrusters along x below the origin: surge always causes pitch
        let columns = [
            [1.0, 0.0, 0.0, 0.0, -0.1, -0.3],
            [1.0, 0.0, 0.0, 0.0, -0.1, 0.3],
        ];
        let rows = pseudo_inverse(&columns);
        let surge: f64 = rows.iter().map(|r| r[0]).sum();
        assert!((surge - 1.0).abs() < 1e-12, "{surge}");
        assert!(
            rows.iter().all(|r| r[4].abs() < 1e-12),
            "pitch cannot be actuated independently"
        );
    }

    #[test]
    fn uncontrollable_axes_get_zero_thrust() {
        // two thrusters along x: surge and yaw only
        let columns = [
            [1.0, 0.0, 0.0, 0.0, 0.0, -0.3],
            [1.0, 0.0, 0.0, 0.0, 0.0, 0.3],
        ];
        let rows = pseudo_inverse(&columns);
        assert!((rows[0][0] - 0.5).abs() < 1e-12 && rows[0][1].abs() < 1e-12);
        assert!((rows[1][5] - 0.5 / 0.3).abs() < 1e-9);
    }
}

//! Tests REMUS 100 with Prestero's coefficients against his written-out equations of motion.

use crate::common::tree::Random;
use crate::common::{self, close};
use merrow_math::{Quat, Vec3};
use merrow_model::state::{Motion, Workspace};
use merrow_sim::step::Kernel;
use nalgebra::{SMatrix, SVector};

const G: f64 = 9.81;
const WEIGHT: f64 = 30.479102956 * G;
const BUOYANCY: f64 = WEIGHT + 7.0;

/// Returns the accelerations [u', v', w', p', q', r'] by the equations of the thesis
/// (forward-right-down at the centre of buoyancy), with the symmetric Z_ww and N_rr; `d` holds
/// rudder and stern plane angles [rad], `thrust` is in N.
fn thesis(nu: [f64; 6], roll: f64, pitch: f64, d: [f64; 2], thrust: f64) -> [f64; 6] {
    let [u, v, w, p, q, r] = nu;
    let [dr, ds] = d;
    let (m, zg) = (WEIGHT / G, 0.0196);
    let (Ixx, Iyy, Izz) = (0.177, 3.45, 3.45);
    let (sth, cth) = pitch.sin_cos();
    let (sph, cph) = roll.sin_cos();
    let net = WEIGHT - BUOYANCY;
    let X = -net * sth - 1.62 * u * u.abs() + (-35.5 - m) * w * q - 1.93 * q * q
        + (35.5 + m) * v * r
        - 1.93 * r * r
        - m * zg * p * r
        + thrust;
    let Y = net * cth * sph - 1310.0 * v * v.abs() + 0.632 * r * r.abs() - 28.6 * u * v
        + (35.5 + m) * w * p
        + (5.22 - m) * u * r
        - m * zg * q * r
        + 1.93 * p * q
        + 9.64 * u * u * dr;
    let Z = net * cth * cph - 1310.0 * w * w.abs() - 0.632 * q * q.abs() - 28.6 * u * w
        + (-5.22 + m) * u * q
        + (-35.5 - m) * v * p
        + m * zg * (p * p + q * q)
        + 1.93 * r * p
        - 9.64 * u * u * ds;
    let K = -zg * WEIGHT * cth * sph - 0.130 * p * p.abs() - (Izz - Iyy) * q * r - m * zg * w * p
        + m * zg * u * r
        - 0.140674 * thrust;
    let M = -zg * WEIGHT * sth + 3.18 * w * w.abs() - 188.0 * q * q.abs()
        + (4.86 - (Ixx - Izz)) * r * p
        + m * zg * v * r
        - m * zg * w * q
        - 2.0 * u * q
        + 24.0 * u * w
        - 1.93 * v * p
        - 6.15 * u * u * ds;
    let N = -3.18 * v * v.abs() - 188.0 * r * r.abs() - 24.0 * u * v
        + (-4.86 - (Iyy - Ixx)) * p * q
        - 1.93 * w * p
        - 2.0 * u * r
        - 6.15 * u * u * dr;
    let mut A = SMatrix::<f64, 6, 6>::from_diagonal(&SVector::from([
        m + 0.93,
        m + 35.5,
        m + 35.5,
        Ixx + 0.0704,
        Iyy + 4.88,
        Izz + 4.88,
    ]));
    for (i, j, x) in [(0, 4, m * zg), (1, 3, -m * zg), (1, 5, -1.93), (2, 4, 1.93)] {
        (A[(i, j)], A[(j, i)]) = (x, x);
    }
    let solved = A.lu().solve(&SVector::from([X, Y, Z, K, M, N])).unwrap();
    std::array::from_fn(|i| solved[i])
}

const WORLD: &str = "
water: {density_kg_m3: 1030}
robots: {auv: {model: {extends: robots/remus100_prestero.yaml, sensors: null}, position_m: [0, 0, -20]}}";

// Every coefficient acts as in the thesis. Method: 50 random forward motions, attitudes, fin angles
// and thrusts. Tolerance: 1e-9; 1e-4 for the fin moment, which is printed as 6.15 for 9.64 * 0.638
// = 6.1503.
#[test]
fn accelerations_match_thesis() {
    let scene = common::scene(WORLD);
    let robot = &scene.robots[0];
    let mut random = Random::new(5);
    for k in 0..50 {
        let mut b = |x: f64| random.between(-x, x);
        let nu = [1.5 + b(0.8), b(0.4), b(0.4), b(0.5), b(0.4), b(0.4)];
        let (roll, pitch, thrust) = (b(0.5), b(0.5), 3.86 * b(1.0));
        // Every other motion is without fins, for the finer tolerance.
        let angle = if k % 2 == 0 { 0.0 } else { 0.2 };
        let d = [b(angle), b(angle)];
        let mut motion = Motion::at_rest(0);
        motion.p_WB.z = -20.0;
        motion.q_WB = Quat::from_rpy(roll, -pitch, 0.0);
        motion.V_WB_B.v = Vec3::new(nu[0], -nu[1], -nu[2]);
        motion.V_WB_B.w = Vec3::new(nu[3], -nu[4], -nu[5]);
        let mut work = Workspace::new(robot);
        (work.fins[0].angle, work.fins[1].angle) = ([d[0]; 3], [d[1]; 3]);
        let unit = robot.thrusters[0].unit_wrench;
        work.thrust[0] = [merrow_math::SpatialForce {
            m: unit.m.scale(thrust),
            f: unit.f.scale(thrust),
        }; 3];
        Kernel::new().evaluate(
            robot,
            &common::initial_environment(&scene),
            &motion,
            &[],
            &mut work,
        );
        let A = work.links[0].A;
        let found = [A.v.x, -A.v.y, -A.v.z, A.w.x, -A.w.y, -A.w.z];
        for (i, (found, expected)) in found
            .into_iter()
            .zip(thesis(nu, roll, pitch, d, thrust))
            .enumerate()
        {
            let tolerance = if angle == 0.0 { 1e-9 } else { 1e-4 };
            close(
                &format!("motion {k}, component {i}"),
                found,
                expected,
                tolerance,
            );
        }
    }
}

// Case V50. Goal, method and tolerance are stated with the case, in
// `crates/validate/src/cases/vessels.rs`.
#[test]
fn steady_speed_and_sign_of_the_static_stability() {
    crate::witness::cases::run(50);
}

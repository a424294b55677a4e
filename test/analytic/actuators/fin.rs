//! Tests the force of each fin law in any flow, in a propeller race, at the surface and with
//! faults.

use crate::common::{close, close_vectors, initial_environment, scene, start};
use merrow_math::{Quat, SpatialForce, SpatialVelocity, Vec3};
use merrow_model::scene::Scene;
use merrow_model::state::Workspace;
use merrow_sim::step::Kernel;

const RHO: f64 = 1000.0;
const AREA: f64 = 0.02;
const RUDDER: &str = "position_m: [-0.7, 0, 0], shaft: [0, 0, 1]";

/// Returns a world with a neutral, deep body on which only a fin acts; `place` holds the mounting
/// keys and `surface` the parameters of the fin.
pub(super) fn fin_world(place: &str, surface: &str) -> String {
    format!(
        "
water: {{density_kg_m3: {RHO}}}
robots:
  board:
    position_m: [0, 0, -50]
    model:
      source: test
      body: {{source: test, axes: flu, mass_kg: 10, inertia_kg_m2: {{xx: 2, yy: 3, zz: 4}}, net_buoyancy_n: 0}}
      fins: {{f: {{{place}, surface: {{source: test, area_m2: {AREA}, span_m: 0.2, range_deg: [-170, 170], {surface}}}}}}}
"
    )
}

/// Returns the force [N] and moment [N m] of the fin at the base (B) for the velocity `V` and the
/// fin angle `angle` [rad].
fn force(scene: &Scene, V: SpatialVelocity, angle: f64) -> SpatialForce {
    let mut motion = start(scene, 0);
    motion.V_WB_B = V;
    let robot = &scene.robots[0];
    let at = |part: f64| {
        let mut work = Workspace::new(robot);
        work.fins[0].angle = [angle; 3];
        work.fins[0].area_fraction = part;
        Kernel::new().evaluate(robot, &initial_environment(scene), &motion, &[], &mut work);
        work.links[0].F
    };
    let (whole, none) = (at(1.0), at(0.0));
    SpatialForce {
        m: whole.m - none.m,
        f: whole.f - none.f,
    }
}

fn ahead(v: Vec3) -> SpatialVelocity {
    SpatialVelocity { w: Vec3::zero(), v }
}

fn rad(deg: f64) -> f64 {
    f64::to_radians(deg)
}

// Lift and drag have the correct magnitude and direction: attached, at stall, broadside and in
// reversed flow. Method: the terms of the law where only one of them acts. Tolerance: the share of
// the other term that the smooth stall leaves.
#[test]
fn lift_and_drag_over_the_whole_circle() {
    let s = scene(&fin_world(
        RUDDER,
        "law: {kind: lift_drag, lift_slope_per_rad: 3, aspect_ratio: 2, drag: 0.01, stall_deg: 20, stall_sharpness_per_rad: 60}",
    ));
    let q = 0.5 * RHO * 4.0 * AREA;
    // The leading edge points to the left, so the force is to the left; less than 1e-6 of the flow
    // is stalled at 5 deg.
    let F = force(&s, ahead(Vec3::new(2.0, 0.0, 0.0)), rad(5.0));
    let lift = 3.0 * rad(5.0);
    let drag = 0.01 + lift * lift / (std::f64::consts::PI * 0.9 * 2.0);
    close_vectors("attached", F.f, Vec3::new(-q * drag, q * lift, 0.0), 1e-6);
    close_vectors(
        "attached, moment",
        F.m,
        Vec3::new(0.0, 0.0, -0.7 * q * lift),
        1e-6,
    );
    // Half stalled at the stall angle, except for the far side of the sigmoid.
    let F = force(&s, ahead(Vec3::new(2.0, 0.0, 0.0)), rad(20.0));
    let plate = 1.2 * rad(20.0).sin() * rad(20.0).cos();
    close(
        "half stalled",
        F.f.y,
        q * 0.5 * (3.0 * rad(20.0) + plate),
        1e-9,
    );
    // A flat plate beyond it: normal to its chord except for the drag without lift.
    for deg in [45.0, 90.0, 135.0, -60.0] {
        let (sin, cos) = rad(deg).sin_cos();
        let F = force(&s, ahead(Vec3::new(2.0, 0.0, 0.0)), rad(deg));
        let expected = Vec3::new(-q * (0.01 + 1.2 * sin * sin), q * 1.2 * sin * cos, 0.0);
        close_vectors(&format!("plate at {deg}"), F.f, expected, 1e-9);
    }
    // Flow from astern, and from the left.
    let F = force(&s, ahead(Vec3::new(-2.0, 0.0, 0.0)), 0.0);
    close_vectors("astern", F.f, Vec3::new(q * 0.01, 0.0, 0.0), 1e-9);
    let F = force(&s, ahead(Vec3::new(0.0, 2.0, 0.0)), 0.0);
    close_vectors("sideways", F.f, Vec3::new(0.0, -q * 1.21, 0.0), 1e-9);
    // No force acts along the shaft.
    close_vectors(
        "along the shaft",
        force(&s, ahead(Vec3::new(0.0, 0.0, 2.0)), 0.3).f,
        Vec3::zero(),
        1e-12,
    );
}

// The lift slope follows from the aspect ratio. Method: Prestero's 3.12 per rad at 2.21, and the
// square of the span over the area if no ratio is given. Tolerance: the printed digits.
#[test]
fn slope_of_lift_from_the_aspect_ratio() {
    let slope = |keys: &str| {
        let s = scene(&fin_world(
            RUDDER,
            &format!("law: {{kind: lift_drag, {keys} drag: 0}}"),
        ));
        let F = force(&s, ahead(Vec3::new(1.0, 0.0, 0.0)), 1e-6);
        F.f.y / (0.5 * RHO * AREA * 1e-6)
    };
    close("Prestero", slope("aspect_ratio: 2.21,"), 3.12, 2e-3);
    close(
        "span squared over area",
        slope(""),
        slope("aspect_ratio: 2,"),
        1e-9,
    );
}

// A rotation of the body changes the flow at the fin. Method: yaw and pitch rates compared with the
// same velocity of the fin without rotation. Tolerance: rounding.
#[test]
fn fin_inflow_includes_body_rotation() {
    let s = scene(&fin_world(RUDDER, "law: {kind: lift_drag}"));
    let w = Vec3::new(0.3, -0.2, 0.5);
    let v = Vec3::new(1.5, 0.2, 0.1);
    let turning = force(&s, SpatialVelocity { w, v }, 0.1);
    let p = Vec3::new(-0.7, 0.0, 0.0);
    let still = force(&s, ahead(v + w.cross(p)), 0.1);
    close_vectors("force", turning.f, still.f, 1e-13);
    assert!(turning.f.norm() > 1.0);
}

// The Thetis formula, term by term. Method: F_x, F_z and M_q as printed, with the plane's own
// coefficients, for a bow and a stern plane moving forward at several angles. Tolerance: rounding.
#[test]
fn thetis_planes_match_formula() {
    let (a, c0, lcs, speed) = (3.0, 0.05, 0.012, 2.0);
    for x in [0.6, -0.8] {
        let place = format!("axes: frd, position_m: [{x}, 0, 0], shaft: [0, 1, 0]");
        let law = format!(
            "center_of_pressure_m: {lcs}, law: {{kind: chord, normal_slope_per_rad: {a}, axial: {c0}}}"
        );
        let s = scene(&fin_world(&place, &law));
        for deg in [-25.0, -10.0, 0.0, 5.0, 15.0] {
            let (sin, cos) = rad(deg).sin_cos();
            // In forward motion the angle of attack is the angle of the plane.
            let (cz, cx) = (a * sin, c0 * cos);
            let q = 0.5 * RHO * AREA * speed * speed;
            let (Fx, Fz) = (-q * (cz * sin + cx * cos), -q * (cz * cos - cx * sin));
            let Mq = Fz * (lcs * cos - x) + Fx * lcs * sin;
            let F = force(&s, ahead(Vec3::new(speed, 0.0, 0.0)), rad(deg));
            // Forward-right-down to forward-left-up.
            close_vectors(
                &format!("force at {deg}"),
                F.f,
                Vec3::new(Fx, 0.0, -Fz),
                1e-12,
            );
            close_vectors(
                &format!("moment at {deg}"),
                F.m,
                Vec3::new(0.0, -Mq, 0.0),
                1e-12,
            );
        }
    }
}

// A table is evaluated at the angle of attack, for both signs. Method: lift and drag at and between
// its points. Tolerance: rounding.
#[test]
fn table_is_evaluated_at_angle_of_attack() {
    let table =
        "law: {kind: table, alpha_deg: [0, 10, 180], lift: [0, 1, 0], drag: [0.1, 0.2, 0.5]}";
    let s = scene(&fin_world(RUDDER, table));
    let q = 0.5 * RHO * AREA;
    for (deg, lift, drag) in [
        (10.0, 1.0, 0.2),
        (5.0, 0.5, 0.15),
        (-5.0, -0.5, 0.15),
        (95.0, 0.5, 0.35),
    ] {
        let F = force(&s, ahead(Vec3::new(1.0, 0.0, 0.0)), rad(deg));
        close_vectors(
            &format!("at {deg}"),
            F.f,
            Vec3::new(-q * drag, q * lift, 0.0),
            1e-12,
        );
    }
}

// A fixed fin always dissipates energy. Method: many flow directions and angles.
#[test]
fn fin_laws_dissipate_energy() {
    for law in [
        "{kind: lift_drag}",
        "{kind: chord, normal_slope_per_rad: 3, axial: 0.05}",
    ] {
        let s = scene(&fin_world(
            "position_m: [0, 0, 0], shaft: [0, 0, 1]",
            &format!("law: {law}"),
        ));
        for k in 0..72 {
            let (sin, cos) = rad(5.0 * f64::from(k)).sin_cos();
            for angle in [-2.5, -0.4, 0.0, 0.1, 1.0] {
                let v = Vec3::new(1.3 * cos, 1.3 * sin, 0.4);
                let power = force(&s, ahead(v), angle).f.dot(v);
                assert!(power < 0.0, "{law}: {power} W at {k}, {angle}");
            }
        }
    }
}

// The race of a propeller washes the part of the fin that is in it, only for forward thrust.
// Method: bollard thrust T, whose fully developed race has the speed sqrt(2T/(ρA)); at the disc the
// speed is half of that. Tolerance: rounding.
#[test]
fn propeller_race_washes_part_of_the_fin() {
    let world = |development: f64, part: f64| {
        let place = format!(
            "{RUDDER}, slipstream: {{thruster: t, area_fraction: {part}, development: {development}}}"
        );
        let table = "law: {kind: table, alpha_deg: [0, 180], lift: [0, 0], drag: [0.5, 0.5]}";
        fin_world(&place, table)
            + "      thrusters: {t: {motor: {source: test, command: newton, range: [-50, 50], curve: direct, diameter_m: 0.2}, \
               position_m: [-0.5, 0, 0], direction: [1, 0, 0]}}\n"
    };
    let disc = std::f64::consts::PI * 0.01;
    let washed = |development: f64, part: f64, thrust: f64| {
        let s = scene(&world(development, part));
        let robot = &s.robots[0];
        let mut work = Workspace::new(robot);
        work.drive[0] = [thrust; 3];
        Kernel::new().evaluate(
            robot,
            &initial_environment(&s),
            &start(&s, 0),
            &[],
            &mut work,
        );
        work.links[0].F.f.x
    };
    let drag = |part: f64, u2: f64| -0.5 * RHO * AREA * part * 0.5 * u2;
    close(
        "far behind",
        washed(1.0, 1.0, 30.0),
        drag(1.0, 2.0 * 30.0 / (RHO * disc)),
        1e-12,
    );
    close(
        "half in it",
        washed(1.0, 0.5, 30.0),
        drag(0.5, 2.0 * 30.0 / (RHO * disc)),
        1e-12,
    );
    close(
        "at the disc",
        washed(0.5, 1.0, 30.0),
        drag(1.0, 0.25 * 2.0 * 30.0 / (RHO * disc)),
        1e-12,
    );
    assert_eq!(washed(1.0, 1.0, -30.0), 0.0, "astern");
}

// A fin half out of the water has half the force, a fin above the water none. Method: a rudder of
// 0.2 m span at four heights. Tolerance: rounding.
#[test]
fn emerged_fin_has_no_force() {
    let s = scene(&fin_world(
        "position_m: [0, 0, 0], shaft: [0, 0, 1]",
        "law: {kind: fossen, lift_slope_per_rad: 1}",
    ));
    let robot = &s.robots[0];
    for (z, part) in [(-0.2, 1.0), (0.0, 0.5), (0.05, 0.25), (0.2, 0.0)] {
        let mut motion = start(&s, 0);
        (motion.p_WB.z, motion.q_WB) = (z, Quat::identity());
        motion.V_WB_B.v.x = 2.0;
        let mut work = Workspace::new(robot);
        work.fins[0].angle = [0.1; 3];
        Kernel::new().evaluate(robot, &initial_environment(&s), &motion, &[], &mut work);
        close(
            &format!("at {z} m"),
            work.links[0].F.f.y,
            part * 0.5 * RHO * AREA * 4.0 * 0.1,
            1e-12,
        );
    }
}

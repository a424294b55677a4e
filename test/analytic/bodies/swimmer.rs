//! Tests three linked ellipses that swim in ideal fluid by changing their shape.

use crate::common::physics::{impulse, largest};
use crate::common::{close, evaluate, initial_environment, scene};
use merrow_environment as environment;
use merrow_math::{SpatialForce, SpatialInertia, SpatialVelocity, Vec3};
use merrow_model::kinematics;
use merrow_model::scene::{Robot, Scene};
use merrow_model::state::{Motion, Workspace};
use merrow_physics::dynamics::{aba, crba, integrate};
use merrow_physics::forces;

/// Returns the swimmer: unit thickness; semi-axes 1 and 0.1; neutrally buoyant; the hinges 1.1 fore
/// and aft of each centre.
fn swimmer() -> Scene {
    let pi = std::f64::consts::PI;
    let (mass, inertia) = (0.1 * pi, 0.1 * pi * 1.01 / 4.0);
    let (surge, sway, yaw) = (0.01 * pi, pi, pi * 0.99 * 0.99 / 8.0);
    let body = |c: f64| {
        let (couple, about) = (c * sway, yaw + c * c * sway);
        format!(
            "body: {{source: test, axes: flu, mass_kg: {mass}, center_of_mass_m: [{c}, 0, 0],
            inertia_kg_m2: {{xx: 1, yy: 1, zz: {inertia}}}, added_mass: {{kind: matrix, rows: [[{surge},0,0,0,0,0],
            [0,{sway},0,0,0,{couple}], [0,0,1,0,{},0], [0,0,0,1,0,0], [0,0,{},0,{},0], [0,{couple},0,0,0,{about}]]}}}}",
            -c,
            -c,
            1.0 + c * c
        )
    };
    let link = |name: &str, at: f64| {
        format!(
            "{name}: {{parent: base_link, joint: {{kind: continuous, position_m: [{at}, 0, 0],
          drive: {{kind: position}}}}, {}}}",
            body(at)
        )
    };
    scene(&format!(
        "
gravity_m_s2: 0
water: {{density_kg_m3: 1}}
robots:
  swimmer:
    position_m: [0, 0, -50]
    model:
      source: test
      {}
      links:
        {}
        {}
",
        body(0.0),
        link("fore", 1.1),
        link("aft", -1.1)
    ))
}

/// Returns joint angles, rates and accelerations at time t: 0.7 cos t fore, 0.7 sin t aft.
fn gait(t: f64) -> [[f64; 2]; 3] {
    let (s, c) = t.sin_cos();
    [
        [0.7 * c, 0.7 * s],
        [-0.7 * s, 0.7 * c],
        [-0.7 * c, -0.7 * s],
    ]
}

/// Computes the accelerations at time `t` for the joint accelerations of the gait.
fn evaluate_gait(scene: &Scene, motion: &Motion, t: f64, work: &mut Workspace) {
    let robot = &scene.robots[0];
    kinematics::poses(robot, motion, &mut work.links);
    kinematics::velocities(robot, motion, &mut work.links);
    environment::sample_water_motion(robot, &initial_environment(scene), &mut work.links);
    forces::sum(
        robot,
        &initial_environment(scene),
        motion,
        &motion.q,
        0,
        work,
    );
    work.qdd.copy_from_slice(&gait(t)[2]);
    aba::accelerations(robot, work);
}

/// Returns the base velocity at which the total momentum is zero, for the joint rates in `motion`.
fn velocity_without_momentum(robot: &Robot, motion: &Motion, work: &Workspace) -> SpatialVelocity {
    let M = crba::inertia_matrix(robot, work);
    let h: Vec<f64> = (0..6)
        .map(|i| -(M[i][6] * motion.qd[0] + M[i][7] * motion.qd[1]))
        .collect();
    let base: [[f64; 6]; 6] = std::array::from_fn(|i| std::array::from_fn(|j| M[i][j]));
    let f = SpatialForce {
        m: Vec3::new(h[0], h[1], h[2]),
        f: Vec3::new(h[3], h[4], h[5]),
    };
    merrow_math::spatial::solve(&SpatialInertia::from_matrix(&base), &f)
}

// V37: position and heading of the centre link after a quarter, a half, one, two and four strokes,
// with zero momentum throughout. Method: the kernel with prescribed joint accelerations, RK4 with
// 4000 steps per stroke, compared with a reference from the kinematic equations of zero momentum.
// Tolerance: 1e-5 as V37 requires; momentum 1e-10.
#[test]
fn swimmer_displacement_matches_geometric_reference() {
    let scene = swimmer();
    let robot = &scene.robots[0];
    let mut motion = crate::common::start(&scene, 0);
    motion.q.copy_from_slice(&gait(0.0)[0]);
    motion.qd.copy_from_slice(&gait(0.0)[1]);
    motion.V_WB_B = velocity_without_momentum(robot, &motion, &evaluate(&scene, &motion));
    let expected = [
        (1000, [-0.620_706_020_5, 0.384_286_032_3, 0.0]),
        (2000, [-0.688_409_415_5, 0.371_145_348_3, 0.383_416_685_6]),
        (4000, [-1.187_992_502_2, -0.230_579_782_1, 0.0]),
        (8000, [-2.375_985_004_3, -0.461_159_564_1, 0.0]),
        (16_000, [-4.751_970_008_7, -0.922_319_128_3, 0.0]),
    ];
    let h = std::f64::consts::TAU / 4000.0;
    let mut work = Workspace::new(robot);
    let mut done = 0;
    for (step, [x, y, psi]) in expected {
        for k in done..step {
            let t = f64::from(k) * h;
            evaluate_gait(&scene, &motion, t, &mut work);
            integrate::advance(
                scene.integrator,
                h,
                &mut motion,
                &mut work,
                |m: &Motion, stage: usize, work: &mut Workspace| {
                    evaluate_gait(&scene, m, t + 0.5 * h * stage as f64, work);
                },
            );
        }
        done = step;
        close(&format!("x after {step} steps"), motion.p_WB.x, x, 1e-5);
        close(&format!("y after {step} steps"), motion.p_WB.y, y, 1e-5);
        close(
            &format!("heading after {step} steps"),
            motion.q_WB.matrix().to_rpy()[2],
            psi,
            1e-5,
        );
        let momentum = largest(&impulse(&evaluate(&scene, &motion)));
        assert!(momentum < 1e-10, "momentum {momentum:e} after {step} steps");
    }
}

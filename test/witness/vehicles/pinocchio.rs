//! Tests the dynamics algorithms against Pinocchio, on a vehicle with a four-joint arm (V38).

use crate::common::physics::kinetic_energy;
use crate::common::{close, scene};
use merrow_math::{Quat, SpatialForce, SpatialVelocity, Vec3};
use merrow_model::scene::Scene;
use merrow_model::state::{Motion, Workspace};
use merrow_physics::dynamics::{crba, rnea};
use serde_json::Value;

/// Masses, centres, inertias and joints of hkolano/UVMS-SysID-with-EAs,
/// urdf/blue_rov_hardware_fixedjaw.urdf (MIT licence, (c) 2023 Hannah Kolano), including its
/// rounded angles. The joints have no limits, because the states exceed them.
const VEHICLE: &str = "
gravity_m_s2: GRAVITY
water: {density_kg_m3: 0}
robots:
  uvms:
    model:
      source: test
      body: {source: test, axes: flu, mass_kg: 25.14, center_of_mass_m: [0, 0, -0.02],
        inertia_kg_m2: {xx: 0.228, yy: 0.381, zz: 0.4185}}
      links:
        arm_base:
          parent: base_link
          joint: {kind: fixed, position_m: [0.25, -0.10965, 0.005]}
          body: {source: test, axes: flu, mass_kg: 0.53, center_of_mass_m: [-0.075, -0.006, -0.003], inertia_kg_m2:
            {xx: 0.000099, xy: 0.000139, xz: 0.000115, yy: 0.004334, yz: 0.000003, zz: 0.004348}}
        shoulder:
          parent: arm_base
          joint: {kind: continuous}
          body: {source: test, axes: flu, mass_kg: 0.226, center_of_mass_m: [0.005, -0.001, 0.016], inertia_kg_m2:
            {xx: 0.000196, xy: 0.000005, xz: 0.000054, yy: 0.000220, yz: 0.000003, zz: 0.000067}}
        upper_arm:
          parent: shoulder
          joint: {kind: continuous, attitude_rad: [1.57075, 1.3, 0], position_m: [0.020, 0, 0.046]}
          body: {source: test, axes: flu, mass_kg: 0.630, center_of_mass_m: [0.073, 0, 0], inertia_kg_m2:
            {xx: 0.000087, xy: -0.000076, xz: -0.000010, yy: 0.004906, zz: 0.004929}}
        forearm:
          parent: upper_arm
          joint: {kind: continuous, attitude_rad: [3.1415, 0, 1.3], position_m: [0.15, 0, 0]}
          body: {source: test, axes: flu, mass_kg: 0.147, center_of_mass_m: [0.017, -0.026, -0.002], inertia_kg_m2:
            {xx: 0.000127, xy: -0.000061, xz: -0.000001, yy: 0.000062, zz: 0.000163}}
        wrist:
          parent: forearm
          joint: {kind: continuous, attitude_rad: [-1.57075, 0, 0], position_m: [0.020, 0, 0]}
          body: {source: test, axes: flu, mass_kg: 0.559, center_of_mass_m: [0, 0.003, -0.098], inertia_kg_m2:
            {xx: 0.006152, xy: -0.000002, xz: -0.000004, yy: 0.006177, zz: 0.000079}}
        jaw:
          parent: wrist
          joint: {kind: fixed, position_m: [0, 0, -0.190]}
          body: {source: test, axes: flu, mass_kg: 0.01, inertia_kg_m2: {xx: 0.00001, yy: 0.00001, zz: 0.00001}}
        finger_right:
          parent: jaw
          joint: {kind: fixed, attitude_rad: [1.57075, 0, 0], position_m: [-0.015, 0, 0.05]}
          body: {source: test, axes: flu, mass_kg: 0.05, center_of_mass_m: [0.01, -0.045, 0],
            inertia_kg_m2: {xx: 0.00001, yy: 0.00001, zz: 0.00001}}
        finger_left:
          parent: jaw
          joint: {kind: fixed, attitude_rad: [1.57075, 0, 0], position_m: [0.015, 0, 0.05]}
          body: {source: test, axes: flu, mass_kg: 0.05, center_of_mass_m: [-0.01, -0.045, 0],
            inertia_kg_m2: {xx: 0.00001, yy: 0.00001, zz: 0.00001}}
";

/// Returns Merrow's joint indices of the arm in Pinocchio's order, found by name because fixed
/// links may have been merged.
fn joints(scene: &Scene) -> [usize; 4] {
    ["shoulder", "upper_arm", "forearm", "wrist"]
        .map(|name| scene.robots[0].link_index(name).unwrap() - 1)
}

fn numbers(v: &Value) -> Vec<f64> {
    v.as_array()
        .unwrap()
        .iter()
        .map(|x| x.as_f64().unwrap())
        .collect()
}

/// Returns the row or column of Merrow's inertia matrix (angular first, including fixed joints) for
/// each of Pinocchio's.
fn order(scene: &Scene) -> [usize; 10] {
    let mut order = [3, 4, 5, 0, 1, 2, 0, 0, 0, 0];
    for (k, joint) in joints(scene).into_iter().enumerate() {
        order[6 + k] = 6 + joint;
    }
    order
}

fn motion(scene: &Scene, vector: &Value) -> Motion {
    let (q, v) = (numbers(&vector["q"]), numbers(&vector["v"]));
    let mut m = Motion::at_rest(scene.robots[0].n_joints());
    m.p_WB = Vec3::new(q[0], q[1], q[2]);
    m.q_WB = Quat {
        w: q[6],
        x: q[3],
        y: q[4],
        z: q[5],
    };
    m.V_WB_B = SpatialVelocity {
        v: Vec3::new(v[0], v[1], v[2]),
        w: Vec3::new(v[3], v[4], v[5]),
    };
    for (k, joint) in joints(scene).into_iter().enumerate() {
        (m.q[joint], m.qd[joint]) = (q[7 + k], v[6 + k]);
    }
    m
}

/// Evaluates with the efforts of the vector, applying those on the base as a thrust.
fn evaluate(scene: &Scene, vector: &Value) -> Workspace {
    let robot = &scene.robots[0];
    let tau = numbers(&vector["tau"]);
    let mut work = Workspace::new(robot);
    work.thrust[0][0] = SpatialForce {
        f: Vec3::new(tau[0], tau[1], tau[2]),
        m: Vec3::new(tau[3], tau[4], tau[5]),
    };
    let mut commands = vec![0.0; robot.n_joints()];
    for (k, joint) in joints(scene).into_iter().enumerate() {
        commands[joint] = tau[6 + k];
    }
    let at = crate::common::initial_environment(scene);
    merrow_sim::step::Kernel::new().evaluate(
        robot,
        &at,
        &motion(scene, vector),
        &commands,
        &mut work,
    );
    work
}

fn vectors() -> Vec<Value> {
    let all: Value = serde_json::from_str(include_str!("../../data/pinocchio_uvms.json")).unwrap();
    let vectors = all["vectors"].as_array().unwrap().clone();
    assert!(vectors.len() >= 10);
    vectors
}

/// Compares in Pinocchio's order, each component relative to the largest of its kind.
fn compare(what: &str, actual: &[f64], expected: &[f64]) {
    let scale = expected.iter().fold(1e-3_f64, |a, x| a.max(x.abs()));
    for (k, (a, e)) in actual.iter().zip(expected).enumerate() {
        let error = (a - e).abs() / e.abs().max(1e-3 * scale);
        assert!(
            error < 1e-9,
            "{what}, component {k}: {a} instead of {e}, {error:.2e}"
        );
    }
}

// V38: accelerations of base and joints, without and with weight. Method: ten states of Pinocchio's
// ABA. Tolerance: 1e-9 of each component (of a thousandth of the largest for small values).
#[test]
fn accelerations_match_pinocchio() {
    for (key, gravity) in [("qdd_g0", "0"), ("qdd_g9.81", "9.81")] {
        let scene = scene(&VEHICLE.replace("GRAVITY", gravity));
        for vector in vectors() {
            let work = evaluate(&scene, &vector);
            let A = work.links[0].A;
            let mut all = [A.v.to_array(), A.w.to_array()].concat();
            all.extend(joints(&scene).map(|j| work.qdd[j]));
            compare(key, &all, &numbers(&vector[key]));
        }
    }
}

// Bias forces, inertia matrix, kinetic energy and the pose of the wrist. Method: the same states.
// Tolerance: 1e-9.
#[test]
fn bias_inertia_energy_and_pose_match() {
    for (key, gravity) in [("nle_g0", "0"), ("nle_g9.81", "9.81")] {
        let scene = scene(&VEHICLE.replace("GRAVITY", gravity));
        let robot = &scene.robots[0];
        for vector in vectors() {
            let mut work = evaluate(&scene, &vector);
            // The bias does not include applied efforts.
            let (thrust, w) = (work.thrust[0][0], &mut work.links[0]);
            w.F -= thrust;
            let (base, tau) = rnea::inverse(
                robot,
                &SpatialVelocity::zero(),
                &vec![0.0; robot.n_joints()],
                &work,
            );
            let mut bias = [base.f.to_array(), base.m.to_array()].concat();
            bias.extend(joints(&scene).map(|j| tau[j]));
            compare(key, &bias, &numbers(&vector[key]));
            let M = crba::inertia_matrix(robot, &work);
            for (i, row) in vector["M"].as_array().unwrap().iter().enumerate() {
                for (j, expected) in numbers(row).into_iter().enumerate() {
                    let ours = M[order(&scene)[i]][order(&scene)[j]];
                    assert!(
                        (ours - expected).abs() < 1e-12 * 27.342,
                        "M[{i}][{j}]: {ours} instead of {expected}"
                    );
                }
            }
            let energy = kinetic_energy(robot, &motion(&scene, &vector), &work);
            close("energy", energy, vector["KE"].as_f64().unwrap(), 1e-12);
            let wrist = &work.links[joints(&scene)[3] + 1];
            for i in 0..3 {
                let row = numbers(&vector["wrist_oMi"][i]);
                for j in 0..3 {
                    close("wrist attitude", wrist.R_WL.r[i][j], row[j], 1e-12);
                }
                close("wrist position", wrist.p_WL[i], row[3], 1e-12);
            }
        }
    }
}

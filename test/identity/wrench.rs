//! Tests wrench sensors of constrained robots against Newton-Euler with contact and coupling forces
//! as external forces.

use crate::common::physics::largest;
use crate::common::simulation;
use merrow_math::{SpatialForce, SpatialVelocity, Vec3};
use merrow_model::kinematics::coupling::end_motion;
use merrow_model::kinematics::joint_velocity;
use merrow_model::scene::JointKind;
use merrow_model::state::Workspace;
use merrow_model::state::contact::ContactBody;
use merrow_model::state::reading::Reading;
use merrow_physics::dynamics::rnea;
use merrow_sim::Simulation;
use merrow_sim::robot::Moment;

/// Returns a vehicle with an arm of three joints in water. The tip comes down on the seabed with
/// the joints against their friction and stops; one joint mimics another. A float is attached to
/// the arm by a weld or a ball joint.
fn world(coupling: &str, integrator: &str) -> String {
    let link = |parent: &str, at: &str, joint: &str, more: &str| {
        format!(
            "{{parent: {parent}, joint: {{kind: revolute, axis: [0, 1, 0], position_m: {at}, {joint}}}, body: {{source: test, axes: flu, \
             mass_kg: 3, volume_m3: 0.0011, center_of_mass_m: [0.2, 0.02, 0], center_of_buoyancy_m: [0.2, 0, 0.01], \
             inertia_kg_m2: {{xx: 0.02, yy: 0.05, zz: 0.06, xz: 0.003}}, \
             added_mass: {{kind: diagonal, values: [0.4, 1.1, 1.3, 0, 0.01, 0.01]}}, \
             quadratic_damping: {{kind: diagonal, values: [1, 9, 9, 0.01, 0.1, 0.1]}}{more}}}}}"
        )
    };
    format!(
        "
step: {{dt_s: 0.001, integrator: {integrator}}}
water: {{density_kg_m3: 1000}}
seabed: {{depth_m: 20}}
robots:
  r:
    position_m: [0, 0, -19.3]
    attitude_deg: [4, 20, 30]
    velocity_m_s: [0.2, 0.1, -0.3]
    model:
      source: test
      body:
        source: test
        axes: flu
        mass_kg: 14
        volume_m3: 0.0141
        center_of_mass_m: [0, 0, -0.03]
        inertia_kg_m2: {{xx: 0.4, yy: 0.5, zz: 0.6}}
        added_mass: {{kind: diagonal, values: [5, 8, 12, 0.1, 0.2, 0.2]}}
        quadratic_damping: {{kind: diagonal, values: [40, 60, 70, 2, 2, 2]}}
      links:
        upper: {upper}
        lower: {lower}
        tip: {tip}
      sensors:
        a: {{link: upper, {sensor}}}
        b: {{link: lower, {sensor}}}
        c: {{link: tip, {sensor}}}
  float:
    position_m: [0.6, 0.5, -18.9]
    model: {{source: test, body: {{source: test, axes: flu, mass_kg: 2, volume_m3: 0.0021, inertia_kg_m2: {{xx: 0.02, yy: 0.02, zz: 0.02}},
      added_mass: {{kind: diagonal, values: [1, 1, 1, 0, 0, 0]}}, quadratic_damping: {{kind: diagonal, values: [9, 9, 9, 0.1, 0.1, 0.1]}}}}}}
couplings:
  tie: {{{coupling}}}
",
        sensor = "position_m: [0.05, 0.01, 0.02], attitude_deg: [10, 20, 30], device: {source: test, rate_hz: 1000, kind: wrench}",
        upper = link("base_link", "[0.3, 0, 0]", "name: upper, lower_rad: -0.01, upper_rad: 0.02, friction: 0.2", ""),
        lower = link("upper", "[0.4, 0, 0]", "name: lower, lower_rad: -2, upper_rad: 2, damping: 0.3", ""),
        tip = link(
            "lower",
            "[0.4, 0, 0]",
            "name: tip, lower_rad: -2, upper_rad: 2, mimic: {joint: lower, multiplier: 0.5}",
            ", collisions: {ball: {kind: sphere, radius_m: 0.05, position_m: [0.4, 0, 0], material: {friction: 0.7}}}"
        ),
    )
}

/// Returns forces and accelerations at the current time, including the last step's contacts and
/// couplings, computed directly from the world description; and the efforts of the joint drives.
fn base_state(s: &mut Simulation, robot: usize) -> (Workspace, SpatialVelocity, Vec<f64>) {
    let (scene, now, dt) = (s.scene.clone(), s.state.time_ns, s.scene.dt());
    let (sea, mut own) = (s.state.sea.clone(), s.state.robots[robot].clone());
    s.runners[robot].evaluate(
        Moment::new(&scene, &sea, now),
        &scene.robots[robot],
        &mut own,
    );
    let mut work = s.runners[robot].work.clone();
    let (half, kick) = if own.impulse_acceleration.is_nonzero {
        (0.5, 1.0)
    } else {
        (1.0, 0.0)
    };
    let A0 = SpatialVelocity::zero()
        .add_scaled(&work.links[0].A, half)
        .add_scaled(&own.impulse_acceleration.A_WB_B, kick);
    let qdd = work
        .qdd
        .iter()
        .zip(&own.impulse_acceleration.qdd)
        .map(|(a, b)| half * a + kick * b)
        .collect();
    let mut add = |link: usize, p_W: Vec3, m: Vec3, f: Vec3| {
        let w = &mut work.links[link];
        let m = m + (p_W - w.p_WL).cross(f);
        w.F += SpatialForce {
            m: w.R_WL.tr_mul_vec(m),
            f: w.R_WL.tr_mul_vec(f),
        };
    };
    for c in &s.state.contacts.touching {
        for (side, sign) in [(c.a, 1.0), (c.b, -1.0)] {
            if let ContactBody::Link { robot: r, link, .. } = side
                && r as usize == robot
            {
                add(
                    link as usize,
                    c.p_W,
                    Vec3::zero(),
                    c.impulse_W.scale(sign / dt),
                );
            }
        }
    }
    for (c, memory) in scene.couplings.iter().zip(&s.state.couplings) {
        let p_WB = end_motion(&scene, &s.state, &c.b.unwrap()).p_W;
        for (end, sign) in [(c.a, -1.0), (c.b.unwrap(), 1.0)] {
            if let Some((r, link)) = end.link()
                && r == robot
            {
                add(
                    link,
                    p_WB,
                    memory.moment_W.scale(sign),
                    memory.force_W.scale(sign),
                );
            }
        }
    }
    // The coupling forces at the start of the next step differ from the forces of the last step.
    for (w, coupled) in work.links.iter_mut().zip(&work.coupling_wrenches) {
        w.F -= coupled[0];
    }
    (work, A0, qdd)
}

/// Returns the rate of momentum minus the external forces of `link` and all links beyond it, at
/// `p_W` [m, W], in W.
fn subtree_wrench(
    s: &Simulation,
    (work, A0, qdd): &(Workspace, SpatialVelocity, Vec<f64>),
    link: usize,
    p_W: Vec3,
) -> SpatialForce {
    let robot = &s.scene.robots[0];
    let mut A = vec![*A0; robot.links.len()];
    let mut sum = SpatialForce::zero();
    for (k, w) in work.links.iter().enumerate() {
        if k > 0 {
            let a = A[robot.links[k].parent.unwrap()].to_child(&w.R_PC, w.p_PC);
            let own = joint_velocity(robot.links[k].joint.kind, qdd[k - 1]);
            A[k] = a.add_scaled(&w.c, 1.0).add_scaled(&own, 1.0);
        }
        // The arm is a chain: later links are attached to earlier links.
        if k >= link {
            let net = w.inertia.mul(&A[k]) - w.F;
            let (m, f) = (w.R_WL.mul_vec(net.m), w.R_WL.mul_vec(net.f));
            sum += SpatialForce {
                m: m + (w.p_WL - p_W).cross(f),
                f,
            };
        }
    }
    sum
}

/// Returns the latest reading of each wrench sensor of the arm.
fn read_wrenches(s: &Simulation) -> Vec<SpatialForce> {
    (0..3)
        .map(|k| {
            match s.runners[0]
                .outbox
                .iter()
                .rfind(|d| d.sensor == k)
                .unwrap()
                .stamped
                .reading
            {
                Reading::Wrench(r) => SpatialForce {
                    m: r.torque,
                    f: r.force,
                },
                _ => panic!("not a wrench"),
            }
        })
        .collect()
}

/// Returns the largest component of the sum of a reading and the expected wrench, over the sensors.
fn compute_worst_residual(s: &Simulation, now: &(Workspace, SpatialVelocity, Vec<f64>)) -> f64 {
    let mut worst = 0.0_f64;
    for (k, F_S) in read_wrenches(s).iter().enumerate() {
        let sensor = &s.scene.robots[0].sensors[k];
        let w = &now.0.links[sensor.link];
        let (p_W, R_WS) = (
            w.p_WL + w.R_WL.mul_vec(sensor.p_LoS),
            w.R_WL.mul_mat(&sensor.R_LS),
        );
        let expected = subtree_wrench(s, now, sensor.link, p_W);
        // The sensor measures the wrench of the child on the parent.
        let sum = SpatialForce {
            m: R_WS.mul_vec(F_S.m),
            f: R_WS.mul_vec(F_S.f),
        } + expected;
        worst = worst.max(largest(&sum));
    }
    worst
}

/// Checks that 95 % of the relative errors of 1500 steps are below `usual` and all below `most`.
fn check_errors(what: &str, mut errors: Vec<f64>, usual: f64, most: f64) {
    errors.sort_by(f64::total_cmp);
    let (common, worst) = (errors[1425], errors[1499]);
    println!("{what}: {:e} {common:e} {worst:e}", errors[750]);
    assert!(
        common < usual && worst < most,
        "{what}: {common:e}, worst {worst:e}"
    );
}

// For any constraint on an arm, its wrench sensors measure the rate of momentum of all links beyond
// them, including added mass, minus all external forces there. With the mean forces of contacts and
// couplings as external forces, the residual of Newton-Euler on the floating base is small. Method:
// a floating vehicle whose arm lands on the seabed, runs into its stops, and has dry friction, a
// geared joint and a float coupled to it, step by step for 1.5 s. Tolerance: relative to the
// largest force on a link, a reading matches that sum to 1e-5 in 95 of 100 steps and to 1e-3 in
// all, because a coupling acts at the position of its end before the position correction of the
// step. The residual of the base is 5e-3 and, in steps with impacts, 2e-2. It is of order h,
// because weight and drag refer to an instant, accelerations and impulses to a step.
#[test]
fn wrench_readings_balance_contacts_couplings_and_stops() {
    let ends = "a: {robot: r, link: tip, position_m: [0.2, 0, 0.1]}, b: {robot: float}";
    for (kind, integrator) in [("weld", "rk4"), ("ball", "semi_implicit")] {
        let mut s = simulation(&world(
            &format!("kind: {kind}, engaged: true, {ends}"),
            integrator,
        ));
        let (mut touched, mut stopped, mut pulled) = (0, 0, 0.0_f64);
        let (mut readings, mut bases) = (Vec::new(), Vec::new());
        for _ in 0..1500 {
            s.clear_outboxes();
            s.advance(1);
            let now = base_state(&mut s, 0);
            let (work, A0, qdd) = &now;
            let on_links = work.links.iter().map(|w| largest(&w.F)).fold(1.0, f64::max);
            let scale = on_links.max(s.state.couplings[0].force_W.norm());
            let worst = compute_worst_residual(&s, &now) / scale;
            let (base, _) = rnea::inverse(&s.scene.robots[0], A0, qdd, work);
            readings.push(worst);
            bases.push(largest(&base) / scale);
            touched += usize::from(!s.state.contacts.touching.is_empty());
            stopped += usize::from(
                s.state.robots[0].motion.q[0] > 0.02 - 1e-4
                    || s.state.robots[0].motion.q[0] < -0.01 + 1e-4,
            );
            pulled = pulled.max(s.state.couplings[0].force_W.norm());
        }
        assert!(
            touched > 200 && stopped > 200 && pulled > 1.0,
            "{touched} {stopped} {pulled}"
        );
        for (what, errors, usual, most) in [
            ("reading", readings, 1e-5, 1e-3),
            ("base", bases, 5e-3, 2e-2),
        ] {
            check_errors(&format!("{kind}, {what}"), errors, usual, most);
        }
        assert!(
            s.scene.robots[0].links[1..]
                .iter()
                .all(|l| l.joint.kind == JointKind::Revolute)
        );
    }
}

//! Tests external forces on a robot.

use crate::common::simulation;
use merrow_math::{SpatialForce, Vec3};
use merrow_model::state::{AppliedWrench, BodyCommand, Command, WrenchFrame, WrenchSource};

/// A force along the world axes acts on a body in empty space. The body is rotated by 90 deg about
/// z, so that a wrong frame is detected, and has neither spin nor drag. v = F t / m is exact for a
/// constant force.
#[test]
fn external_force_acts_along_world_axes() {
    let mut sim = simulation(
        "gravity_m_s2: 0\nwater: {density_kg_m3: 0}\nrobots:\n  a:\n    attitude_deg: [0, 0, 90]\n    model: {source: test, body: {source: test, axes: flu, mass_kg: 4, inertia_kg_m2: {xx: 1, yy: 2, zz: 2}}}\n",
    );
    sim.state.robots[0].external_force[0] = SpatialForce {
        m: Vec3::zero(),
        f: Vec3::new(8.0, 2.0, -4.0),
    };
    sim.advance(500);
    let motion = &sim.state.robots[0].motion;
    let v = motion.q_WB.matrix().mul_vec(motion.V_WB_B.v);
    assert!((v - Vec3::new(2.0, 0.5, -1.0)).norm() < 1e-12, "{v:?}");
}

/// A body of 4 kg in empty space without gravity, rotated by 90 deg about z.
const FREE_BODY: &str = "gravity_m_s2: 0\nwater: {density_kg_m3: 0}\nrobots:\n  a:\n    attitude_deg: [0, 0, 90]\n    model: {source: test, body: {source: test, axes: flu, mass_kg: 4, inertia_kg_m2: {xx: 1, yy: 2, zz: 2}}}\n";

/// Returns a wrench along the axes of the link.
fn wrench(f: Vec3, m: Vec3) -> AppliedWrench {
    AppliedWrench {
        link: 0,
        source: WrenchSource::Service,
        frame: WrenchFrame::Link,
        F: SpatialForce { m, f },
        p_LoP: Vec3::zero(),
        start_ns: 0,
        end_ns: u64::MAX,
    }
}

/// A wrench with a delay and a duration changes the momentum by force times duration, in the axes
/// of its frame. Tolerance: 1e-12, rounding of 500 steps.
#[test]
fn wrench_acts_for_its_duration() {
    for (frame, expected) in [
        (WrenchFrame::World, Vec3::new(2.0, 0.5, -1.0)),
        (WrenchFrame::Link, Vec3::new(-0.5, 2.0, -1.0)),
    ] {
        let mut sim = simulation(FREE_BODY);
        sim.advance(7);
        let wrench = AppliedWrench {
            frame,
            start_ns: 100_000_000,
            end_ns: 1_000_000_000,
            ..wrench(Vec3::new(8.0, 2.0, -4.0), Vec3::zero())
        };
        let command = Command::Body(0, BodyCommand::ApplyWrench { wrench });
        assert!(sim.apply(&command).is_ok());
        sim.advance(50);
        assert_eq!(
            sim.state.robots[0].motion.V_WB_B.v.norm(),
            0.0,
            "before the delay"
        );
        sim.advance(1000);
        let motion = &sim.state.robots[0].motion;
        let v = motion.q_WB.matrix().mul_vec(motion.V_WB_B.v);
        assert!((v - expected).norm() < 1e-12, "{frame:?}: {v:?}");
        assert!(sim.state.robots[0].applied_wrenches.is_empty());
    }
}

/// A force beside the origin turns the body as its moment does: 0.5 m × 4 N about z for 0.1 s on
/// 2 kg m². The centre of mass is at the origin. Tolerance: 1e-12, rounding.
#[test]
fn force_at_a_point_has_a_moment() {
    let mut sim = simulation(FREE_BODY);
    let wrench = AppliedWrench {
        p_LoP: Vec3::new(0.5, 0.0, 0.0),
        end_ns: 100_000_000,
        ..wrench(Vec3::new(0.0, 4.0, 0.0), Vec3::zero())
    };
    assert!(
        sim.apply(&Command::Body(0, BodyCommand::ApplyWrench { wrench }))
            .is_ok()
    );
    sim.advance(200);
    let w = sim.state.robots[0].motion.V_WB_B.w;
    assert!((w - Vec3::new(0.0, 0.0, 0.1)).norm() < 1e-12, "{w:?}");
}

/// Wrenches of the topic replace each other, wrenches of the service add up until they are cleared;
/// values that are not finite are refused.
#[test]
fn wrenches_replace_add_and_clear() {
    let mut sim = simulation(FREE_BODY);
    let apply = |sim: &mut merrow_sim::Simulation, source, f: f64| {
        let wrench = AppliedWrench {
            source,
            ..wrench(Vec3::new(f, 0.0, 0.0), Vec3::zero())
        };
        sim.apply(&Command::Body(0, BodyCommand::ApplyWrench { wrench }))
    };
    for _ in 0..3 {
        assert!(apply(&mut sim, WrenchSource::Topic, 4.0).is_ok());
        assert!(apply(&mut sim, WrenchSource::Service, 8.0).is_ok());
    }
    assert!(apply(&mut sim, WrenchSource::Service, f64::NAN).is_err());
    sim.advance(1);
    let dt = sim.scene.dt();
    let v = sim.state.robots[0].motion.V_WB_B.v.x;
    assert!((v - 7.0 * dt).abs() < 1e-15, "{v}");
    let clear = Command::Body(0, BodyCommand::ClearWrenches { link: Some(0) });
    assert!(sim.apply(&clear).is_ok());
    sim.advance(1);
    let v = sim.state.robots[0].motion.V_WB_B.v.x;
    assert!((v - 8.0 * dt).abs() < 1e-15, "{v}");
}

/// A robot whose forces are not finite halts at its last position with a cause; the others continue
/// as without it, bit for bit. Method: a force, a command to a thruster and a speed that are not a
/// number, each in a world of two vehicles.
#[test]
fn numbers_that_are_not_finite_halt_only_their_robots() {
    let start = || {
        let text = "step: {dt_s: 0.004}
robots:
  rov: {model: bluerov2, position_m: [0, 0, -5]}
  drone: {model: firefly, position_m: [3, 0, 300]}
";
        let world = merrow_world::load_text("two.yaml", text, Default::default()).unwrap();
        merrow_sim::Simulation::new(std::sync::Arc::new(world.scene), 1).unwrap()
    };
    let mut alone = start();
    alone.advance(250);
    let expected = alone.state.robots[1].motion.p_WB;
    for name in ["force", "command", "speed"] {
        let mut s = start();
        s.advance(25);
        let before = s.state.robots[0].motion.p_WB;
        let own = &mut s.state.robots[0];
        match name {
            "force" => own.external_force[0].f.x = f64::NAN,
            "command" => own.actuators[0].target = f64::NAN,
            _ => own.motion.V_WB_B.v.x = f64::NAN,
        }
        s.advance(225);
        let [rov, drone] = &s.state.robots[..] else {
            panic!("two robots");
        };
        assert!(rov.halted.is_some(), "{name}: the vehicle continues");
        assert!(rov.motion.first_non_finite().is_none(), "{name}");
        assert!((rov.motion.p_WB - before).norm() < 0.01, "{name}");
        assert!(drone.halted.is_none(), "{name}");
        assert_eq!(drone.motion.p_WB, expected, "{name}");
    }
}

//! Tests motors and gears against closed-form solutions: mobility, torque-speed line, losses,
//! backlash and heating.

use crate::common::joints::{Hinge, cascade, command, effort_servo};
use crate::common::tree::{self, Random, Recipe};
use crate::common::{close, initial_environment, relative};
use merrow_model::scene::robot::actuator::{
    Actuator, Elastic, Encoder, EncoderSide, Servo, ServoLaw, Tachometer, TorqueSpeedLine,
};
use merrow_model::scene::{Drive, JointKind, JointMode, Scene};
use merrow_model::state::Workspace;
use merrow_physics::dynamics::{crba, mobility};
use merrow_sim::{Simulation, step::Kernel};
use merrow_yaml::read::Places;

/// Returns the position [rad] and the velocity [rad/s] of the hinge.
fn hinge(s: &Simulation) -> [f64; 2] {
    let m = &s.state.robots[0].motion;
    [m.q[0], m.qd[0]]
}

// Joint mobilities are rows of the inverse inertia matrix. Method: compare random trees, with
// floating and fixed bases, with the inverse of the composite-rigid-body matrix over the free
// coordinates. Tolerance: rounding of the inversion.
#[test]
fn mobility_matches_inverse_inertia_matrix() {
    for (links, floating) in [(2, true), (2, false), (6, true), (6, false), (15, true)] {
        let recipe = Recipe {
            links,
            floating,
            damping: true,
            held_joints: true,
            potential: true,
        };
        let scene = tree::scene(400 + links as u64, recipe);
        let robot = &scene.robots[0];
        let motion = tree::motion(&mut Random::new(links as u64), robot);
        let mut work = Workspace::new(robot);
        Kernel::new().evaluate(
            robot,
            &initial_environment(&scene),
            &motion,
            &vec![0.0; robot.n_joints()],
            &mut work,
        );
        let M = crba::inertia_matrix(robot, &work);
        let moves = |i: &usize| {
            if *i < 6 {
                floating
            } else {
                robot.links[i - 5].joint.is_free()
            }
        };
        let rows: Vec<usize> = (0..5 + links).filter(moves).collect();
        let n = rows.len();
        let inverse = nalgebra::DMatrix::from_fn(n, n, |a, b| M[rows[a]][rows[b]])
            .try_inverse()
            .unwrap();
        let joints = robot.n_joints();
        work.mobility = vec![0.0; joints * joints];
        for (a, row) in rows.iter().enumerate().filter(|(_, r)| **r >= 6) {
            mobility::compute_row(robot, &mut work, row - 6);
            for (b, column) in rows.iter().enumerate().filter(|(_, r)| **r >= 6) {
                let found = work.mobility[(row - 6) * joints + column - 6];
                close("mobility", found, inverse[(a, b)], 1e-9);
            }
        }
    }
}

// With only viscous friction a joint decays as exp(-b t / J). Method: b = 0.5, J = 1 plus a
// reflected rotor inertia of 1, for 4 s. Tolerance: RK4 at 1 ms, (b h / J)^4.
#[test]
fn viscous_friction_decays_exponentially() {
    let drive = effort_servo("gear_ratio: 10, rotor_inertia_kg_m2: 0.01");
    let mut s = Hinge {
        drive: &drive,
        joint: "damping: 0.5,",
        ..Hinge::default()
    }
    .world();
    s.state.robots[0].motion.qd[0] = 2.0;
    s.advance(4000);
    relative("velocity", hinge(&s)[1], 2.0 * (-1.0_f64).exp(), 1e-12);
    relative("way", hinge(&s)[0], 8.0 * (1.0 - (-1.0_f64).exp()), 1e-12);
}

// Against viscous friction b, a motor with the torque-speed line τ_s (1 - ω/ω_0) reaches ω = τ_s /
// (b + τ_s/ω_0) exponentially, with the time constant J / (b + τ_s/ω_0). Method: a stall effort of
// 6, a no-load speed of 3 and b = 1 give 2 rad/s and 1/3 s. Tolerance: the effort is held over a
// step of 1 ms and computed for the end of the step. The error is of order one: 3 / s times half a
// millisecond times a rise of 2. The terminal speed is exact.
#[test]
fn torque_speed_line_has_its_terminal_speed() {
    let drive = effort_servo("stall_effort: 6, no_load_speed: 3");
    let mut s = Hinge {
        drive: &drive,
        joint: "damping: 1,",
        ..Hinge::default()
    }
    .world();
    command(&mut s, 100.0);
    for k in 1..=1000 {
        s.advance(1);
        let closed = 2.0 * (1.0 - (-3.0 * 0.001 * f64::from(k)).exp());
        close("velocity during the motion", hinge(&s)[1], closed, 3e-3);
    }
    s.advance(20_000);
    relative("terminal velocity", hinge(&s)[1], 2.0, 1e-9);
    relative(
        "effort",
        s.state.robots[0].joints[0].measured.effort,
        2.0,
        1e-9,
    );
}

// A steep torque-speed line is stable on a light joint, where slope over inertia times the step is
// 20. Method: the same motor drives 1e-4 kg m²; no step may exceed the terminal speed. Tolerance:
// 1e-9.
#[test]
fn a_steep_line_is_stable_on_a_light_joint() {
    for integrator in ["rk4", "semi_implicit"] {
        let drive = effort_servo("stall_effort: 6, no_load_speed: 3");
        let hinge_ = Hinge {
            drive: &drive,
            integrator,
            inertia: 1e-4,
            ..Hinge::default()
        };
        let mut s = hinge_.world();
        command(&mut s, 100.0);
        for _ in 0..2000 {
            s.advance(1);
            assert!(hinge(&s)[1] <= 3.0 + 1e-9, "{:?}", hinge(&s));
        }
        relative("terminal velocity", hinge(&s)[1], 3.0, 1e-9);
    }
}

/// Returns an effort servo with a steep torque-speed line and losses. `rotor_inertia` is referred
/// to the joint [kg m2].
fn build_steep_servo(rotor_inertia: f64, elastic: Option<Elastic>) -> Drive {
    Drive::Servo(Box::new(Servo {
        mode: JointMode::Effort,
        rate_hz: 1000.0,
        position_gain_per_s: 0.0,
        max_speed: 10.0,
        law: ServoLaw::Cascade {
            velocity_gain: 0.0,
            integral_gain: 0.0,
            inertia_feed_forward: 0.0,
            bias_feed_forward: 0.0,
            at: Places::default(),
        },
        actuator: Actuator {
            rotor_inertia,
            elastic,
            line: Some(TorqueSpeedLine {
                stall_effort: 20_000.0,
                no_load_speed: 1.0,
            }),
            forward_loss: 0.3,
            backward_loss: 0.4,
            effort_per_ampere: 0.0,
            winding: None,
        },
        encoder: Encoder {
            side: EncoderSide::Joint,
            resolution: 0.0,
            noise_std: 0.0,
            velocity: Tachometer::Direct {
                resolution: 0.0,
                noise_std: 0.0,
                at: Places::default(),
            },
            at: Places::default(),
        },
        encoder_stream: merrow_math::rng::Stream::new(1, "encoder"),
    }))
}

/// Returns a chain of revolute joints with motors on a free base under water.
fn build_motor_chain(case: u64, random: &mut Random) -> Scene {
    let recipe = Recipe {
        links: 6,
        floating: true,
        damping: true,
        held_joints: false,
        potential: true,
    };
    let mut scene = tree::scene(3000 + case, recipe);
    let robot = &mut scene.robots[0];
    for (i, link) in robot.links.iter_mut().enumerate().skip(1) {
        link.parent = Some(i - 1);
        link.joint.kind = JointKind::Revolute;
        let rotor_inertia = libm::pow(10.0, random.between(-4.0, 0.0));
        let gear = Elastic {
            backlash: 0.02,
            stiffness: 1000.0,
            spring_damping: 1.0,
        };
        let elastic = (i.is_multiple_of(2) && case.is_multiple_of(2)).then_some(gear);
        link.joint.drive = build_steep_servo(rotor_inertia, elastic);
    }
    robot.update_derived();
    scene
}

// Motors on one chain do not excite each other. Method: chains of light and heavy links on a free
// base under water; each joint has a steep torque-speed line and losses, and every other chain has
// backlash. Each motor runs at full effort in a random direction that changes every 50 ms.
// Tolerance: 5 times the no-load speed of the motors. Measured: 1.0 to 1.5 with rigid gears, up to
// 3.7 where a rotor reaches the end of its backlash. Motors solved independently of each other
// reach 10 to 21.
#[test]
fn motors_on_a_chain_are_stable() {
    for case in 0..12 {
        let mut random = Random::new(case);
        let scene = build_motor_chain(case, &mut random);
        let mut s = Simulation::new(std::sync::Arc::new(scene), 1).unwrap();
        let mut worst = 0.0_f64;
        for _ in 0..20 {
            for joint in 0..5 {
                let value = 20_000.0 * random.between(-1.0, 1.0).signum();
                s.apply(&merrow_model::state::Command::Joint(
                    0,
                    merrow_model::state::JointCommand::Joint { joint, value },
                ))
                .unwrap();
            }
            for _ in 0..50 {
                s.advance(1);
                let r = &s.state.robots[0];
                assert!(r.halted.is_none(), "case {case}: {:?}", r.halted);
                worst = r.motion.qd.iter().fold(worst, |w, v| w.max(v.abs()));
            }
        }
        assert!(worst < 5.0, "case {case}: {worst} rad/s");
    }
}

// A gear of efficiency 0.5 needs twice the effort to lift a load and half the effort to be
// backdriven. Method: the weight applies 0.981 N m. With motor efforts of 0.4, 0.6, 1.8 and 2.4 it
// falls with 0.981 - 0.8, holds twice, and rises with 1.2 - 0.981. Tolerance: 1e-9 at rest; 2 % in
// motion, because the lever arm of the weight shortens over 0.1 s.
#[test]
fn gear_losses_when_held_driven_and_backdriven() {
    let drive = effort_servo("efficiency: 0.5");
    for (motor, acceleration) in [(0.4, -0.181), (0.6, 0.0), (1.8, 0.0), (2.4, 0.219)] {
        let joint = "axis: [0, -1, 0],";
        let mut s = Hinge {
            drive: &drive,
            joint,
            gravity: 9.81,
            arm: 0.1,
            ..Hinge::default()
        }
        .world();
        command(&mut s, motor);
        s.advance(100);
        let [q, qd] = hinge(&s);
        if acceleration == 0.0 {
            // At the first instant the gear does not yet use the fact that the effort of the first
            // tick held the joint.
            assert!(qd.abs() < 1e-9 && q.abs() < 1e-5, "{motor}: {q} {qd}");
        } else {
            relative("velocity", qd, acceleration * 0.1 / 1.01, 0.02);
        }
    }
}

/// Returns a drive with a rotor of 0.01 kg m² behind a backlash of 0.02 rad.
fn gap(keys: &str) -> String {
    effort_servo(&format!(
        "rotor_inertia_kg_m2: 0.01, backlash: 0.02, {keys}"
    ))
}

// The two gear sides exert equal and opposite efforts through the backlash. Method: a free rotor
// repeatedly hits a joint initially at rest. The sum of the angular momenta is constant, the energy
// only decreases, and finally both move at the common speed. Tolerance: rounding; the held effort
// moves the joint exactly.
#[test]
fn backlash_conserves_momentum_and_gains_no_energy() {
    for stiffness in [1.0, 100.0, 1e6] {
        let drive = gap(&format!("stiffness: {stiffness}"));
        let mut s = Hinge {
            drive: &drive,
            inertia: 0.04,
            ..Hinge::default()
        }
        .world();
        s.state.robots[0].joints[0].rotor[1] = 1.0;
        let mut last = f64::INFINITY;
        for _ in 0..20_000 {
            s.advance(1);
            let r = &s.state.robots[0];
            let (w, qd) = (r.joints[0].rotor[1], r.motion.qd[0]);
            relative("momentum", 0.01 * w + 0.04 * qd, 0.01, 1e-10);
            let gear = (r.joints[0].rotor[0] - r.motion.q[0]).abs() - 0.01;
            let energy = 0.005 * w * w + 0.02 * qd * qd + 0.5 * stiffness * gear.max(0.0).powi(2);
            // The spring's work is evaluated at the end of the step, so the sum may rise by the
            // work of one step.
            assert!(
                energy <= last * (1.0 + 1e-9) + 1e-4 * f64::from(stiffness < 1e3),
                "{energy} after {last}"
            );
            last = energy;
        }
        relative("rotor", s.state.robots[0].joints[0].rotor[1], 0.2, 1e-2);
        relative("joint", hinge(&s)[1], 0.2, 1e-2);
    }
}

// Backlash is a hysteresis of its width. Method: the encoder's loop moves the rotor slowly back and
// forth against a joint with viscous friction. Rotor minus joint angle is +gap/2 in the positive
// direction and -gap/2 in the negative direction. Tolerance: the deflection of the spring, b v / k,
// 1e-5 rad.
#[test]
fn backlash_hysteresis_equals_gap_width() {
    let actuator = "rotor_inertia_kg_m2: 0.01, backlash: 0.02, stiffness: 1000";
    let keys = format!(
        "rate_hz: 1000, mode: velocity, actuator: {{{actuator}}}, encoder: {{side: motor}},"
    );
    let drive = cascade("velocity_gain: 2, integral_gain: 20", &keys);
    let mut s = Hinge {
        drive: &drive,
        joint: "damping: 1,",
        inertia: 0.01,
        ..Hinge::default()
    }
    .world();
    let mut lost = Vec::new();
    for (k, speed) in [0.01, -0.01, 0.01].into_iter().enumerate() {
        command(&mut s, speed);
        let before = s.state.robots[0].clone();
        s.advance(10_000);
        let r = &s.state.robots[0];
        close(
            "flank",
            r.joints[0].rotor[0] - r.motion.q[0],
            0.01 * speed.signum(),
            2e-5,
        );
        if k > 0 {
            let (rotor, joint) = (
                r.joints[0].rotor[0] - before.joints[0].rotor[0],
                r.motion.q[0] - before.motion.q[0],
            );
            lost.push((rotor - joint).abs());
        }
    }
    lost.iter()
        .for_each(|lost| close("lost motion", *lost, 0.02, 4e-5));
}

// A loop with integral action closed over the joint has a limit cycle in the backlash, with an
// amplitude bounded by the gap. Method: the same backlash in a position loop with a balanced
// weight; the amplitude over the last 10 s. Tolerance: more than a tenth of the gap, less than ten
// gaps.
#[test]
fn position_loop_over_backlash_limit_cycles() {
    let actuator = "rotor_inertia_kg_m2: 0.01, backlash: 0.02, stiffness: 1000";
    let keys = format!("rate_hz: 1000, position_gain_per_s: 15, actuator: {{{actuator}}},");
    let drive = cascade("velocity_gain: 0.5, integral_gain: 5", &keys);
    let mut s = Hinge {
        drive: &drive,
        inertia: 0.01,
        ..Hinge::default()
    }
    .world();
    command(&mut s, 0.1);
    s.advance(20_000);
    let (mut lo, mut hi) = (f64::INFINITY, f64::NEG_INFINITY);
    for _ in 0..10_000 {
        s.advance(1);
        let q = hinge(&s)[0];
        (lo, hi) = (lo.min(q), hi.max(q));
    }
    let swing = hi - lo;
    assert!(swing > 0.002 && swing < 0.2, "{lo} to {hi}");
    assert!(lo < 0.1 && hi > 0.1, "{lo} to {hi}");
}

// The winding temperature of a blocked motor is R i² R_th (1 - exp(-t/τ)). Method: 2 N m at 0.5 N
// m/A are 4 A; 1.5 ohm and 2 K/W give 48 K; τ = 10 s. Tolerance: rounding; in the first step no
// effort has been measured yet.
#[test]
fn winding_heats_exponentially() {
    let drive = effort_servo(
        "effort_per_ampere: 0.5, winding: {resistance_ohm: 1.5, thermal_resistance_k_per_w: 2, thermal_time_constant_s: 10}",
    );
    let mut s = Hinge {
        drive: &drive,
        inertia: 1e12,
        ..Hinge::default()
    }
    .world();
    command(&mut s, 2.0);
    for k in 1..=30 {
        s.advance(1000);
        let heat = 48.0 * (1.0 - (-0.1 * f64::from(k)).exp());
        relative("rise", s.state.robots[0].joints[0].heat, heat, 1e-9);
    }
    let m = s.state.robots[0].joints[0].measured;
    close("current", m.current, 4.0, 1e-12);
    close(
        "temperature",
        m.temperature,
        20.0 + 48.0 * (1.0 - (-3.0_f64).exp()),
        1e-2,
    );
}

// Derating reaches its equilibrium. Method: the maximum effort of 2 is derated from 60 to 80 degC.
// The rise is 48 f² with f = (80 - T)/20: 48 f² = 60 - 20 f, so f = (-20 + sqrt(400 + 11520))/96.
// Tolerance: the residual after 60 time constants.
#[test]
fn derating_reaches_equilibrium() {
    let drive = effort_servo(
        "effort_per_ampere: 0.5, winding: {resistance_ohm: 1.5, thermal_resistance_k_per_w: 2, thermal_time_constant_s: 1, \
         derate_from_c: 60, max_temperature_c: 80}",
    );
    let mut s = Hinge {
        drive: &drive,
        joint: "max_effort: 2,",
        inertia: 1e12,
        ..Hinge::default()
    }
    .world();
    command(&mut s, 2.0);
    s.advance(60_000);
    let part = (-20.0 + 11_920.0_f64.sqrt()) / 96.0;
    relative(
        "effort",
        s.state.robots[0].joint_commands[0],
        2.0 * part,
        1e-6,
    );
    relative(
        "rise",
        s.state.robots[0].joints[0].heat,
        48.0 * part * part,
        1e-6,
    );
}

// Reading the sensors at the end of a block does not advance rotor and winding a second time.
// Method: backlash, a winding and a sensor that is due at every step, in blocks of 1, 7 and all
// steps.
#[test]
fn blocks_do_not_advance_a_motor_twice() {
    let drive = gap(
        "effort_per_ampere: 0.5, winding: {resistance_ohm: 1.5, thermal_resistance_k_per_w: 2, thermal_time_constant_s: 1}",
    );
    let model = "sensors: {truth: {device: {source: test, rate_hz: 1000, kind: odometry}}}";
    let ended = |block: u64| {
        let mut s = Hinge {
            drive: &drive,
            model,
            ..Hinge::default()
        }
        .world();
        command(&mut s, 0.1);
        for _ in 0..350 / block {
            s.advance(block);
            s.clear_outboxes();
        }
        s.state.hash()
    };
    assert!(ended(1) == ended(350) && ended(7) == ended(350));
}

//! Tests rotors in air: thrust, torque, lag, inflow, drag, ground effect, spin; and the data of the
//! Firefly (V52).

use crate::common::{advance, close, close_vectors, relative, scene, simulation, start};
use merrow_environment::air;
use merrow_math::{Mat3, Vec3};
use merrow_model::state::{ActuatorCommand, Command, Workspace};
use merrow_sim::{Simulation, step::Kernel};

/// Returns a weightless body of 2 kg, 1000 m up, with one rotor of `keys` at `mount`; `world` and
/// `start` are further keys.
fn rotor_world(keys: &str, mount: &str, world: &str, start: &str) -> String {
    format!(
        "
gravity_m_s2: 0
{world}
robots:
  r:
    position_m: [0, 0, 1000]
    {start}
    model:
      source: test
      body: {{source: test, axes: flu, mass_kg: 2, inertia_kg_m2: {{xx: 0.02, yy: 0.03, zz: 0.05}}}}
      thrusters:
        t: {{{mount}, motor: {{source: test, diameter_m: 0.3, command: rad_s, range: [0, 1000], {keys}}}}}
"
    )
}

const UP: &str = "position_m: [0, 0, 0], direction: [0, 0, 1]";

fn command(s: &mut Simulation, value: f64) {
    s.apply(&Command::Actuator(
        0,
        ActuatorCommand::Thruster { thruster: 0, value },
    ))
    .unwrap();
}

/// Returns the air density at the craft, relative to that at sea level.
fn relative_density(s: &Simulation) -> f64 {
    air::density(&s.scene.sea, 15.0, s.state.robots[0].motion.p_WB.z) / 1.225
}

// The rotor speed rises with one time constant and falls with another. Method: thrust compared with
// k n², n = 800 (1 - e^(-t/τ)), and down again. Tolerance: 1e-8, the ground effect 1000 m up.
#[test]
fn speed_rises_and_falls_with_its_own_time_constants() {
    let keys = "curve: {kind: rotor, thrust_n_s2_per_rad2: 1e-5}, lag: {kind: up_down, up_s: 0.0125, down_s: 0.025}";
    let mut s = simulation(&rotor_world(keys, UP, "step: {dt_s: 0.001}", ""));
    command(&mut s, 800.0);
    let mut check = |speed: &dyn Fn(f64) -> f64| {
        for k in 0..100 {
            // The thrust is that at the start of the step.
            let (n, density) = (speed(f64::from(k) * 0.001), relative_density(&s));
            s.advance(1);
            close(
                "thrust",
                s.state.robots[0].actuators[0].thrust,
                1e-5 * n * n * density,
                1e-8,
            );
        }
        let end = speed(0.1);
        command(&mut s, 0.0);
        end
    };
    let top = check(&|t| 800.0 * (1.0 - (-t / 0.0125).exp()));
    check(&|t| top * (-t / 0.025).exp());
}

// The body reacts the spin of a rotor: without air drag the total angular momentum is constant
// while the rotor speeds up and the body tumbles. Method: angular momentum J ω + I n e in W, before
// and after. Tolerance: 1e-6, the RK4 integral of the spin-up at 1 ms with a time constant of 20
// ms.
#[test]
fn body_reacts_rotor_spin() {
    let keys = "curve: {kind: rotor, thrust_n_s2_per_rad2: 1e-12, inertia_kg_m2: 2e-4}, lag: {kind: first_order, time_constant_s: 0.02}";
    for (turning, spin) in [("right", 1.0), ("left", -1.0)] {
        let mount = format!("position_m: [0, 0, 0], direction: [0.6, 0, 0.8], rotation: {turning}");
        let mut s = simulation(&rotor_world(
            keys,
            &mount,
            "step: {dt_s: 0.001}",
            "angular_velocity_rad_s: [1, -2, 0.5]",
        ));
        let momentum = |s: &Simulation, n: f64| {
            let m = &s.state.robots[0].motion;
            let w = m.V_WB_B.w;
            let body = Vec3::new(0.02 * w.x, 0.03 * w.y, 0.05 * w.z);
            m.q_WB
                .matrix()
                .mul_vec(body + Vec3::new(0.6, 0.0, 0.8).scale(spin * 2e-4 * n))
        };
        let before = momentum(&s, 0.0);
        command(&mut s, 500.0);
        advance(&mut s, 1.0);
        let after = momentum(&s, 500.0 * (1.0 - (-1.0_f64 / 0.02).exp()));
        close_vectors(turning, after, before, 1e-6);
        let w = s.state.robots[0].motion.V_WB_B.w;
        assert!(
            (w - Vec3::new(1.0, -2.0, 0.5)).norm() > 0.5,
            "the body took the spin: {w:?}"
        );
    }
}

/// Returns force [N] and moment [N m] about the craft's origin at the start of the second step, and
/// the relative air density.
fn wrench(text: &str, n: f64) -> (Vec3, Vec3, f64) {
    let mut s = simulation(text);
    command(&mut s, n);
    s.advance(1);
    s.state.robots[0].motion = start(&s.scene, 0);
    let mut work: Workspace = s.runners[0].work.clone();
    let at = crate::common::initial_environment(&s.scene);
    work.drive[0] = [n; 3];
    work.drive_rate[0] = [0.0; 3];
    work.thrust[0] = [merrow_math::SpatialForce::zero(); 3];
    Kernel::new().evaluate(
        &s.scene.robots[0],
        &at,
        &s.state.robots[0].motion,
        &[],
        &mut work,
    );
    (work.links[0].F.f, work.links[0].F.m, relative_density(&s))
}

// Thrust reduced by inflow, drag across the axis, reaction torque and rolling moment, for an
// off-centre rotor in wind on a moving body. Method: the law evaluated by hand. Tolerance: 1e-9,
// rounding.
#[test]
fn force_and_moment_in_moving_air() {
    let keys = "torque_per_thrust_m: 0.02, curve: {kind: rotor, thrust_n_s2_per_rad2: 1e-5, inflow_loss_n_s2_per_rad_m: 2e-4, drag_n_s2_per_rad_m: 8e-5, rolling_n_s2_per_rad: 1e-6}";
    for (turning, s) in [("right", 1.0), ("left", -1.0)] {
        let mount =
            format!("position_m: [0.3, -0.2, 0.1], direction: [0, 0.6, 0.8], rotation: {turning}");
        let world =
            "air: {shear: {kind: uniform}}\nweather: {wind_speed_m_s: 5, wind_from_deg: 270}";
        let moving = "velocity_m_s: [1, 2, 3]\n    angular_velocity_rad_s: [0, 0, 1]";
        let (f, m, rho) = wrench(&rotor_world(keys, &mount, world, moving), 500.0);
        let (p, e, w) = (
            Vec3::new(0.3, -0.2, 0.1),
            Vec3::new(0.0, 0.6, 0.8),
            Vec3::new(0.0, 0.0, 1.0),
        );
        let v = Vec3::new(1.0, 2.0, 3.0) - Vec3::new(5.0, 0.0, 0.0) + w.cross(p);
        let along = v.dot(e);
        let across = v - e.scale(along);
        let steady = 1e-5 * 500.0 * 500.0;
        let force =
            (e.scale(steady - 2e-4 * 500.0 * along) - across.scale(8e-5 * 500.0)).scale(rho);
        let moment = p.cross(force)
            - (e.scale(s * 0.02 * steady) + across.scale(s * 1e-6 * 500.0)).scale(rho);
        // The velocity product of the body itself is subtracted.
        let inertial = Vec3::new(0.0, 0.0, 1.0)
            .cross(Vec3::new(1.0, 2.0, 3.0))
            .scale(-2.0);
        close_vectors("force", f - inertial, force, 1e-9);
        close_vectors("moment", m, moment, 1e-9);
    }
}

// Rotor forces depend on the motion relative to the air: a craft that moves with the wind flies as
// in calm air, seen from the moving air. Method: the Firefly with six different rotor speeds,
// tumbling, in a wind of 7 m/s and in none, for 2 s. Tolerance: 1e-9 of the distance flown.
#[test]
fn flight_is_the_same_in_moving_air() {
    let fly = |wind: f64, velocity: &str| {
        let mut s = simulation(&format!(
            "
air: {{shear: {{kind: uniform}}}}
weather: {{wind_speed_m_s: {wind}, wind_from_deg: 270}}
robots: {{f: {{model: {{extends: robots/firefly.yaml, firmware: null}}, position_m: [0, 0, 200], velocity_m_s: {velocity}, angular_velocity_rad_s: [0.2, -0.1, 0.3]}}}}"
        ));
        let values = vec![560.0, 540.0, 555.0, 550.0, 538.0, 551.0];
        s.apply(&Command::Actuator(0, ActuatorCommand::Thrusters { values }))
            .unwrap();
        advance(&mut s, 2.0);
        s.state.robots[0].motion.clone()
    };
    let (calm, windy) = (fly(0.0, "[1, 0, 0]"), fly(7.0, "[8, 0, 0]"));
    close_vectors(
        "place",
        windy.p_WB - Vec3::new(14.0, 0.0, 0.0),
        calm.p_WB,
        1e-9,
    );
    crate::common::aligned("attitude", &windy.q_WB, &calm.q_WB, 1e-9);
    assert!((calm.p_WB - Vec3::new(0.0, 0.0, 200.0)).norm() > 1.0);
}

// Near terrain and near the water a rotor has more thrust, by Cheeseman and Bennett's law, less of
// it in motion, and limited to the value at half a radius. Method: the law evaluated by hand at
// some heights of the fixed hub. Tolerance: 1e-9.
#[test]
fn ground_effect_increases_thrust() {
    let lift = |height: f64, world: &str| {
        let keys = "curve: {kind: rotor, thrust_n_s2_per_rad2: 1e-5}";
        let text =
            rotor_world(keys, UP, world, "").replace("[0, 0, 1000]", &format!("[0, 0, {height}]"));
        let (f, _, rho) = wrench(&text, 500.0);
        f.z / rho / 2.5
    };
    let law = |z: f64| 1.0 / (1.0 - (0.15_f64 / (4.0 * z)).powi(2));
    for z in [0.1, 0.15, 0.3, 1.2] {
        relative("over the water", lift(z, ""), law(z), 1e-9);
    }
    relative("no more than this", lift(0.02, ""), law(0.075), 1e-9);
    close("half in the water", lift(0.0, ""), 0.5 * law(0.075), 1e-9);
    assert!(
        (lift(0.3, "water: {density_kg_m3: 0}\nseabed: {depth_m: 0.3}") - law(0.6)).abs() < 1e-9,
        "over ground"
    );
    let wind = "air: {shear: {kind: uniform}}\nweather: {wind_speed_m_s: 6, wind_from_deg: 0}";
    let induced2 = 2.5 / (2.0 * 1.225 * std::f64::consts::PI * 0.15 * 0.15);
    relative(
        "in a wind",
        lift(0.15, wind),
        1.0 / (1.0 - 0.0625 / (1.0 + 36.0 / induced2)),
        1e-9,
    );
    // Under water the thrust is zero.
    assert_eq!(lift(-0.5, ""), 0.0);
}

// The Firefly reaches the terminal speed at which the air carries its weight. Method: 1/2 ρ C A v²
// = m g evaluated by hand; at that speed the net force is zero. Tolerance: 1e-9.
#[test]
fn firefly_terminal_speed() {
    let world = scene(
        "robots: {f: {model: {extends: robots/firefly.yaml, firmware: null}, position_m: [0, 0, 500]}}",
    );
    let rho = air::density(&world.sea, 15.0, 500.0);
    let v = (2.0 * 1.56779 * 9.81 / (rho * 1.1 * 0.08)).sqrt();
    let mut motion = start(&world, 0);
    motion.V_WB_B.v = Vec3::new(0.0, 0.0, -v);
    let work = crate::common::evaluate(&world, &motion);
    assert!(v > 15.0 && v < 20.0, "{v}");
    close_vectors("force", work.links[0].F.f, Vec3::zero(), 1e-9);
}

// Kelpie's wind force (p·w)|w| forward and to the left does not depend on the vehicle's motion.
// Method: the law evaluated by hand, yawed and pitched, moving. Tolerance: 1e-9.
#[test]
fn kelpie_wind_force_is_independent_of_motion() {
    let world = scene(
        "
gravity_m_s2: 0
air: {shear: {kind: uniform}}
weather: {wind_speed_m_s: 5, wind_from_deg: 233.13010235415598}
robots:
  r:
    position_m: [0, 0, 20]
    attitude_deg: [0, 40, 90]
    velocity_m_s: [3, 1, -2]
    model:
      source: test
      body: {source: test, axes: flu, mass_kg: 2, inertia_kg_m2: {xx: 1, yy: 1, zz: 1},
        wind: {law: kelpie, area_m2: [2, 3, 9]}}
",
    );
    let motion = start(&world, 0);
    let work = crate::common::evaluate(&world, &motion);
    let rho = air::density(&world.sea, 15.0, 20.0);
    // The wind blows towards (4, 3) and the heading is north: 3 from astern, 4 from the left.
    let expected = Vec3::new(
        0.5 * rho * 3.0 * 4.0 * 5.0,
        0.5 * rho * 2.0 * 3.0 * 5.0,
        0.0,
    );
    let R: Mat3 = motion.q_WB.matrix();
    close_vectors("force", R.mul_vec(work.links[0].F.f), expected, 1e-9);
}

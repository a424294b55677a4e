//! Worlds with one servo-driven joint, in air and weightless by default.

use merrow_model::state::joint::{Trajectory, TrajectoryPoint};
use merrow_model::state::{Command, JointCommand};
use merrow_sim::Simulation;

/// A fixed base with one hinge about z, which carries a body of inertia `inertia` [kg m²]; its
/// drive is `drive`. `joint` holds further keys of the joint, each followed by a comma, and `model`
/// further lines of the model.
pub(crate) struct Hinge<'a> {
    /// Time step of the simulation [s].
    pub dt: f64,
    /// Name of the integrator, as in a world file.
    pub integrator: &'a str,
    /// Inertia about the hinge [kg m²].
    pub inertia: f64,
    /// Further keys of the joint, in YAML flow style.
    pub joint: &'a str,
    /// Drive of the joint, in YAML flow style.
    pub drive: &'a str,
    /// Further keys of the model, in YAML.
    pub model: &'a str,
    /// Gravity that acts on its mass of 1 kg [m/s²].
    pub gravity: f64,
    /// Position of that mass along x [m].
    pub arm: f64,
}

impl Default for Hinge<'_> {
    fn default() -> Self {
        Self {
            dt: 0.001,
            integrator: "rk4",
            inertia: 1.0,
            joint: "",
            drive: "effort",
            model: "",
            gravity: 0.0,
            arm: 0.0,
        }
    }
}

impl Hinge<'_> {
    /// Returns the text of the world file.
    pub(crate) fn text(&self) -> String {
        let Self {
            dt,
            integrator,
            inertia,
            joint,
            drive,
            model,
            gravity,
            arm,
        } = self;
        format!(
            "
step: {{dt_s: {dt}, integrator: {integrator}}}
gravity_m_s2: {gravity}
water: {{density_kg_m3: 0, temperature_c: 20}}
robots:
  r:
    model:
      source: test
      base: fixed
      body: {{source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}
      {model}
      links:
        arm:
          parent: base_link
          joint: {{name: hinge, kind: continuous, {joint} drive: {drive}}}
          body:
            {{source: test, axes: flu, mass_kg: 1, center_of_mass_m: [{arm}, 0, 0],
            inertia_kg_m2: {{xx: {inertia}, yy: {inertia}, zz: {inertia}}}}}
"
        )
    }

    /// Returns the simulation of this world at its start.
    pub(crate) fn world(&self) -> Simulation {
        super::simulation(&self.text())
    }
}

/// Returns a servo with the cascade law; `keys` are further keys of the servo, `law` the keys of
/// its law.
pub(crate) fn cascade(law: &str, keys: &str) -> String {
    format!("{{kind: servo, max_speed: 1000, {keys} law: {{kind: cascade, {law}}}}}")
}

/// Returns a servo that applies the commanded effort through the motor and gear `actuator`.
pub(crate) fn effort_servo(actuator: &str) -> String {
    cascade(
        "velocity_gain: 0",
        &format!("mode: effort, rate_hz: 1000, actuator: {{{actuator}}},"),
    )
}

/// Sends a set point to the only joint [rad, rad/s or N m, by its mode].
pub(crate) fn command(s: &mut Simulation, value: f64) {
    s.apply(&Command::Joint(0, JointCommand::Joint { joint: 0, value }))
        .unwrap();
}

/// Returns a trajectory of joints 0 and up from (seconds [s], positions [rad], velocities [rad/s]).
pub(crate) fn trajectory(points: &[(f64, &[f64], &[f64])]) -> Trajectory {
    let joints = (0..points[0].1.len()).collect();
    let point = |(t, q, v): &(f64, &[f64], &[f64])| TrajectoryPoint {
        positions: q.to_vec(),
        velocities: v.to_vec(),
        time_from_start_ns: (t * 1e9).round() as u64,
        ..TrajectoryPoint::default()
    };
    Trajectory {
        joints,
        points: points.iter().map(point).collect(),
        ..Trajectory::default()
    }
}

//! Worlds with one servo-driven joint, in air and without weight unless the test says otherwise.

use merrow_model::state::Command;
use merrow_model::state::joint::{Trajectory, TrajectoryPoint};
use merrow_sim::Simulation;

/// A fixed base with one hinge about z, a body of inertia `inertia` [kg m²] on it and `drive` in
/// its joint; `joint` holds further keys of the joint, each with a comma after it, and `model`
/// further lines of the model.
pub struct Hinge<'a> {
    /// Step [s].
    pub dt: f64,
    /// Integrator.
    pub integrator: &'a str,
    /// Inertia about the hinge.
    pub inertia: f64,
    /// Further keys of the joint.
    pub joint: &'a str,
    /// Its drive.
    pub drive: &'a str,
    /// Further keys of the model.
    pub model: &'a str,
    /// Gravity on its mass of 1 kg [m/s²].
    pub gravity: f64,
    /// Where that mass lies along x [m].
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
    /// As a world file.
    pub fn text(&self) -> String {
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

    /// At its start.
    pub fn world(&self) -> Simulation {
        super::simulation(&self.text())
    }
}

/// A servo of the cascaded law with these keys beside its law's.
pub fn cascade(law: &str, keys: &str) -> String {
    format!("{{kind: servo, max_speed: 1000, {keys} law: {{kind: cascade, {law}}}}}")
}

/// A servo that gives the effort that it is asked for, from the motor and gear `actuator`.
pub fn effort_servo(actuator: &str) -> String {
    cascade(
        "velocity_gain: 0",
        &format!("mode: effort, rate_hz: 1000, actuator: {{{actuator}}},"),
    )
}

/// Set-point of the only joint.
pub fn command(s: &mut Simulation, value: f64) {
    s.apply(&Command::Joint {
        robot: 0,
        joint: 0,
        value,
    })
    .unwrap();
}

/// A trajectory of joints 0 and up from (seconds, positions, velocities).
pub fn trajectory(points: &[(f64, &[f64], &[f64])]) -> Trajectory {
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

//! Data recorded in one trial, in Merrow's joint order and units.

use merrow_math::Quat;

/// Number of joints of the arm, from base to wrist.
pub(crate) const JOINTS: usize = 4;

/// Names of the joints in the robot's own order.
pub(crate) const JOINT_NAMES: [&str; JOINTS] = ["base", "shoulder", "elbow", "wrist"];

/// One measurement of the attitude.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AttitudeSample {
    /// Time on the recorder's clock [s].
    pub t: f64,
    /// Attitude of the vehicle in the world.
    pub q_WB: Quat,
}

/// One measurement of the encoders.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointSample {
    /// Time on the recorder's clock [s].
    pub t: f64,
    /// Joint positions relative to the robot's zeros [rad].
    pub q: [f64; JOINTS],
}

/// Commanded motion of the arm: a quintic polynomial in each joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quintic {
    /// Start position, relative to the robot's zeros [rad].
    pub from: [f64; JOINTS],
    /// Joint position at the end [rad].
    pub to: [f64; JOINTS],
    /// Speeds at start and end [rad/s].
    pub(crate) end_speeds: [[f64; JOINTS]; 2],
    /// Duration of the motion [s].
    pub duration: f64,
}

/// Recording of one trial.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// Name of the trial, as in its files.
    pub name: String,
    /// Attitude samples with strictly increasing times; at least two.
    pub attitude: Vec<AttitudeSample>,
    /// Encoder samples with strictly increasing times; at least two.
    pub joints: Vec<JointSample>,
    /// Height from motion capture, if recorded: time [s], height [m].
    pub height: Vec<(f64, f64)>,
    /// Start time of the commanded motion on the recorder's clock [s] and the motion, or `None` if
    /// not recorded.
    pub command: Option<(f64, Quintic)>,
}

impl Recording {
    /// Returns true for an ascent with the arm at rest.
    pub fn is_baseline(&self) -> bool {
        self.name.starts_with("baseline")
    }

    /// Returns the first and the last time of the recording [s].
    pub fn span(&self) -> [f64; 2] {
        let ends = |a: f64, b: f64, c: f64, d: f64| [a.min(b), c.max(d)];
        let (i, j) = (&self.attitude, &self.joints);
        ends(i[0].t, j[0].t, i[i.len() - 1].t, j[j.len() - 1].t)
    }
}

//! What was recorded in one trial, in our joint order and units.

use merrow_math::Quat;

/// Joints of the arm from its base to its wrist.
pub const JOINTS: usize = 4;

/// Names of the joints in the robot's own order.
pub const JOINT_NAMES: [&str; JOINTS] = ["base", "shoulder", "elbow", "wrist"];

/// One reading of the attitude.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AttitudeSample {
    /// Time on the recorder's clock [s].
    pub t: f64,
    /// Attitude of the vehicle in the world.
    pub q_WB: Quat,
}

/// One reading of the encoders.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointSample {
    /// Time on the recorder's clock [s].
    pub t: f64,
    /// Joint positions with the robot's zeros [rad].
    pub q: [f64; JOINTS],
}

/// What the arm was told: a quintic from rest to rest in each joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quintic {
    /// Where it starts, with the robot's zeros [rad].
    pub from: [f64; JOINTS],
    /// Where it ends [rad].
    pub to: [f64; JOINTS],
    /// Speeds at its ends [rad/s].
    pub end_speeds: [[f64; JOINTS]; 2],
    /// How long it takes [s].
    pub duration: f64,
}

/// One trial.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// Name, as in its files.
    pub name: String,
    /// Attitude, times strictly increasing; at least two.
    pub attitude: Vec<AttitudeSample>,
    /// Encoders, times strictly increasing; at least two.
    pub joints: Vec<JointSample>,
    /// Height by motion capture where there is one: time [s], height [m].
    pub height: Vec<(f64, f64)>,
    /// When the commanded motion began, on the recorder's clock, and what it was; none if that was not recorded.
    pub command: Option<(f64, Quintic)>,
}

impl Recording {
    /// True for an ascent with the arm at rest.
    pub fn is_baseline(&self) -> bool {
        self.name.starts_with("baseline")
    }

    /// First and last instant [s].
    pub fn span(&self) -> [f64; 2] {
        let ends = |a: f64, b: f64, c: f64, d: f64| [a.min(b), c.max(d)];
        let (i, j) = (&self.attitude, &self.joints);
        ends(i[0].t, j[0].t, i[i.len() - 1].t, j[j.len() - 1].t)
    }
}

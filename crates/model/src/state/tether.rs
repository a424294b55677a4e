//! What a tether must remember from step to step.

use crate::scene::Tether;
use merrow_math::Vec3;

/// State of one tether.
#[derive(Clone, Debug, PartialEq)]
pub struct TetherState {
    /// Nodes from the first end to the second, in the world [m].
    pub p: Vec<Vec3>,
    /// Their velocities, in the world [m/s].
    pub v: Vec<Vec3>,
    /// Unstretched length [m].
    pub length: f64,
    /// Force of the line on what holds its first and its second end over the last step, in the world [N].
    pub pull: [Vec3; 2],
    /// Speed of the winch's motor, positive paying out [m/s].
    pub winch_speed: f64,
    /// What the winch is to do.
    pub winch: WinchCommand,
    /// Where and when it has parted, if it has.
    pub parted: Option<Parted>,
    /// Instant at which the line was given up because its state was no longer finite [ns]; it pulls no more.
    pub halted_ns: Option<u64>,
}

/// A break in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parted {
    /// Segment that bears nothing any more.
    pub segment: usize,
    /// End of the step in which it broke [ns].
    pub time_ns: u64,
}

/// What a winch is to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WinchCommand {
    /// Turn at this speed, positive paying out [m/s]; 0 closes the brake.
    Speed(f64),
    /// Go to this unstretched length and stop [m].
    Length(f64),
}

impl TetherState {
    /// The line as the world file starts it, at rest.
    pub fn new(tether: &Tether) -> Self {
        Self {
            p: tether.start.clone(),
            v: vec![Vec3::zero(); tether.start.len()],
            length: tether.length,
            pull: [Vec3::zero(); 2],
            winch_speed: 0.0,
            winch: WinchCommand::Speed(0.0),
            parted: None,
            halted_ns: None,
        }
    }

    /// True while it holds its ends together.
    pub fn is_whole(&self) -> bool {
        self.parted.is_none() && self.halted_ns.is_none()
    }

    /// True if `segment` is where it has parted.
    pub fn is_gap(&self, segment: usize) -> bool {
        self.parted.is_some_and(|parted| parted.segment == segment)
    }

    /// Tension at the first and at the second end over the last step [N].
    pub fn end_tensions(&self) -> [f64; 2] {
        self.pull.map(Vec3::norm)
    }
}

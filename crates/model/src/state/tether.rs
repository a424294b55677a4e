//! State of a tether between steps.

use crate::persist::Persist;
use crate::scene::tether::Tether;
use merrow_math::Vec3;

/// State of one tether.
#[derive(Clone, Debug, PartialEq, Persist)]
pub struct TetherState {
    /// Node positions from the first end to the second, in W [m].
    pub p: Vec<Vec3>,
    /// Node velocities in W [m/s].
    pub v: Vec<Vec3>,
    /// Current unstretched length [m].
    pub length: f64,
    /// Force of the line on the bodies at its first and its second end over the last step, in W
    /// [N].
    pub end_force: [Vec3; 2],
    /// Speed of the winch motor, positive for paying out [m/s].
    pub winch_speed: f64,
    /// Latest commanded speed or unstretched length of the winch.
    pub winch: WinchCommand,
    /// Position and time of a break, if the line is broken.
    pub line_break: Option<LineBreak>,
    /// Time at which the line was halted because its state was no longer finite [ns]; it then
    /// exerts no force.
    pub halted_ns: Option<u64>,
}

/// Segment and time at which a line broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub struct LineBreak {
    /// Segment that no longer carries tension.
    pub segment: usize,
    /// End of the step in which it broke [ns].
    pub time_ns: u64,
}

/// Command of a winch.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub enum WinchCommand {
    /// Speed, positive for paying out [m/s]; 0 closes the brake.
    Speed(f64),
    /// Unstretched length at which the winch stops [m].
    Length(f64),
}

impl TetherState {
    /// Creates the initial state from the world file.
    pub fn new(tether: &Tether) -> Self {
        Self {
            p: tether.start.clone(),
            v: tether.start_v.clone(),
            length: tether.length_m,
            end_force: [Vec3::zero(); 2],
            winch_speed: tether
                .winch
                .as_ref()
                .map_or(0.0, |winch| winch.start_speed_m_s),
            winch: WinchCommand::Speed(0.0),
            line_break: tether.broken_segment.map(|segment| LineBreak {
                segment,
                time_ns: 0,
            }),
            halted_ns: None,
        }
    }

    /// Returns true while the line connects its ends.
    pub fn is_intact(&self) -> bool {
        self.line_break.is_none() && self.halted_ns.is_none()
    }

    /// Returns true if the line is broken at `segment`.
    #[inline]
    pub fn is_broken_at(&self, segment: usize) -> bool {
        self.line_break
            .is_some_and(|line_break| line_break.segment == segment)
    }

    /// Returns the tension at the first and at the second end over the last step [N].
    pub fn end_tensions(&self) -> [f64; 2] {
        self.end_force.map(Vec3::norm)
    }
}

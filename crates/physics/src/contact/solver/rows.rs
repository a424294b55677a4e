//! Rows of a contact problem: impulses of contacts, limits, dry friction and couplings in
//! generalized coordinates.

use crate::contact::solver::blocks::CoordinateRange;
use std::ops::Range;

/// Effect up to which a row counts as immovable [1/kg].
pub(crate) const MIN_EFFECT: f64 = 1e-11;
/// Overlap that is not corrected, so that resting contacts persist [m or rad].
pub(crate) const SLOP: f64 = 1e-6;

/// Coordinates of a row in one robot.
#[derive(Clone, Copy, Debug, Default)]
pub struct Segment {
    /// Index of the robot; not used by the solver.
    pub robot: u32,
    /// Index of the robot in the island.
    pub body: u32,
    /// Index of the first velocity.
    pub v: u32,
    /// Number of coordinates; 0 if the row has no robot here.
    pub n: u32,
    /// Index of the first element of J.
    pub at: u32,
}

/// One scalar constraint of the problem.
#[derive(Clone, Copy, Debug, Default)]
pub struct Row {
    /// Segments of the one or two robots of the row.
    pub segments: [Segment; 2],
    /// Target velocity, minus the contribution of prescribed joints [m/s or rad/s].
    pub target_velocity: f64,
    /// Inverse effective mass of the row, `J H⁻¹ Jᵀ`.
    pub(crate) inverse_mass: f64,
    /// Impulse [N s or N m s]; the initial guess on entry.
    pub impulse: f64,
    /// Time over which an impulse spread evenly over the step moves the coordinates [s].
    pub duration: f64,
    /// Velocity that an impact removes at once [m/s or rad/s].
    pub(crate) impact_velocity: f64,
    /// Time from the impact to the end of the step [s].
    pub(crate) time_since_impact: f64,
    /// Position error before the correction; negative for an overlap [m or rad].
    pub gap: f64,
    /// Impulse-like unknown of the position correction.
    pub push: f64,
}

/// Constraint on the impulses of a group of rows: friction cone, interval, or none.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Normal and two tangents of a contact.
    Contact {
        /// Coefficient of friction of the contact.
        friction: f64,
    },
    /// One row between two bounds [N s or N m s].
    Box {
        /// Minimum impulse [N s or N m s].
        lo: f64,
        /// Maximum impulse [N s or N m s].
        hi: f64,
        /// True for a limit or a stop, whose overlap is corrected; false for friction.
        stops: bool,
    },
    /// Up to six equality rows of a coupling.
    Equality,
}

impl Kind {
    /// A limit or a stop, which only pushes.
    pub(crate) const STOP: Self = Self::Box {
        lo: 0.0,
        hi: f64::INFINITY,
        stops: true,
    };
}

/// A group of rows that are solved together.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// Index of the first row.
    pub first: u32,
    /// Number of rows in the group.
    pub n: u32,
    /// Kind of the group.
    pub kind: Kind,
}

impl Block {
    /// Returns the indices of the rows of the group.
    #[inline(always)]
    pub(crate) fn rows(&self) -> Range<usize> {
        self.first as usize..(self.first + self.n) as usize
    }

    /// Returns the indices of the rows whose position errors are corrected.
    pub(crate) fn corrected_rows(&self) -> Range<usize> {
        let n = match self.kind {
            Kind::Equality => self.n,
            Kind::Contact { .. } | Kind::Box { stops: true, .. } => 1,
            Kind::Box { stops: false, .. } => 0,
        };
        self.first as usize..(self.first + n) as usize
    }
}

/// Constraints of an island.
pub(crate) struct Constraints<'a> {
    /// Index ranges of the coordinates of each robot in the velocities of the island.
    pub bodies: &'a [CoordinateRange],
    /// Coefficients of the rows.
    pub Z: &'a [f64],
    /// Groups of rows that are projected together.
    pub blocks: &'a [Block],
}

/// Computes `J v` of a row.
#[inline(always)]
pub(crate) fn dot_row(row: &Row, J: &[f64], v: &[f64]) -> f64 {
    dot_segments(&row.segments, J, v)
}

/// Computes `J v` for the segments of a row.
#[inline(always)]
pub(crate) fn dot_segments(segments: &[Segment; 2], J: &[f64], v: &[f64]) -> f64 {
    let mut sum = 0.0;
    for s in segments {
        let (at, n) = (s.at as usize, s.n as usize);
        let (j, v) = (&J[at..at + n], &v[s.v as usize..s.v as usize + n]);
        for (j, v) in j.iter().zip(v) {
            sum += j * v;
        }
    }
    sum
}

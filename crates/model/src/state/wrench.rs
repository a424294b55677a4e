//! Forces and moments that users apply to links.

use crate::persist::Persist;
use merrow_math::{SpatialForce, Vec3};

/// Axes along which a wrench is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub enum WrenchFrame {
    /// Axes of W, fixed in the world.
    World,
    /// Axes of L, which rotate with the link.
    Link,
}

/// Interface that applied a wrench, which decides whether it replaces other wrenches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub enum WrenchSource {
    /// Topic of the link; a new wrench replaces the former one.
    Topic,
    /// Service; wrenches add up.
    Service,
}

/// Force and moment on a link for a limited time.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct AppliedWrench {
    /// Index of the link.
    pub link: usize,
    /// Interface that applied the wrench.
    pub source: WrenchSource,
    /// Axes along which `F` is given.
    pub frame: WrenchFrame,
    /// Moment [N m] and force [N] at `p_LoP`, along the axes of `frame`.
    pub F: SpatialForce,
    /// Point of application, in L [m].
    pub p_LoP: Vec3,
    /// Start time of the wrench [ns].
    pub start_ns: u64,
    /// End time of the wrench [ns]; `u64::MAX`: none.
    pub end_ns: u64,
}

impl AppliedWrench {
    /// Returns true if the wrench acts at `now_ns` [ns].
    #[inline]
    pub fn is_active(&self, now_ns: u64) -> bool {
        self.start_ns <= now_ns && now_ns < self.end_ns
    }
}

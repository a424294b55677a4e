//! Modes, tasks and paths of vehicles, and the motion that a firmware estimates.

use crate::ensure;
use crate::persist::Persist;
use merrow_math::{Quat, Vec3};
use merrow_yaml::spec::spec;
use std::sync::Arc;

spec! {
    /// Mode of a firmware.
    #[derive(Persist)]
    pub enum ControlMode words {
        /// The controller does not command the thrusters.
        Off = "off",
        /// The pilot commands force and moment.
        Manual = "manual",
        /// Roll and pitch are controlled; the pilot commands force and yaw moment.
        Stabilize = "stabilize",
        /// As `Stabilize`, and the heading is held while the pilot requests no yaw moment.
        HeadingHold = "heading_hold",
        /// As `HeadingHold`, and the depth is held while the pilot requests no vertical force.
        DepthHold = "depth_hold",
        /// Velocity and yaw rate follow velocity commands.
        Velocity = "velocity",
        /// Position and attitude are held at a goal.
        StationKeeping = "station_keeping",
        /// The vehicle follows a path.
        PathFollowing = "path_following",
        /// A glider dives and climbs.
        Dive = "dive",
    }
}

#[allow(clippy::derivable_impls, reason = "`spec!` marks no variant")]
impl Default for ControlMode {
    fn default() -> Self {
        Self::Off
    }
}

impl ControlMode {
    /// Returns true if the pilot commands degrees of freedom that are not controlled.
    pub fn is_piloted(self) -> bool {
        matches!(
            self,
            Self::Manual | Self::Stabilize | Self::HeadingHold | Self::DepthHold
        )
    }
}

/// Pose that a vehicle holds in station keeping.
#[derive(Clone, Copy, Debug, Default, PartialEq, Persist)]
pub struct PoseGoal {
    /// Position of the base origin in W [m].
    pub p_WB: Vec3,
    /// Roll, pitch and yaw [rad].
    pub rpy: [f64; 3],
}

/// Waypoints of a path, its current leg and the deviation from this leg.
#[derive(Clone, Debug, PartialEq, Persist)]
pub struct PathProgress {
    /// Waypoints in W [m]; the first is the position at the start.
    pub waypoints: Arc<Vec<Vec3>>,
    /// Index of the waypoint at which the current leg begins.
    pub leg: usize,
    /// Integral state of the cross-track error [m].
    pub cross_track_integral: f64,
    /// Distance from the current leg, positive to its left [m].
    pub cross_track: f64,
}

/// Maximum number of waypoints of a path.
pub(crate) const MAX_WAYPOINTS: usize = 10_000;

impl PathProgress {
    /// Starts a path at `p` that leads to the `waypoints` [m, W].
    ///
    /// # Errors
    /// There is no waypoint, there are more than [`MAX_WAYPOINTS`], or one is not finite.
    pub fn new(p: Vec3, waypoints: &[Vec3]) -> Result<Self, String> {
        let n = waypoints.len();
        ensure!(
            (1..=MAX_WAYPOINTS).contains(&n),
            "path: expected 1 to {MAX_WAYPOINTS} waypoints, found {n}"
        );
        if let Some(k) = waypoints.iter().position(|p| !p.is_finite()) {
            return Err(format!("path: waypoint {k} is not finite"));
        }
        Ok(Self {
            waypoints: Arc::new(
                std::iter::once(p)
                    .chain(waypoints.iter().copied())
                    .collect(),
            ),
            leg: 0,
            cross_track_integral: 0.0,
            cross_track: 0.0,
        })
    }
}

/// Task of the guidance that moves a vehicle by velocity commands.
#[derive(Clone, Debug, PartialEq, Persist)]
pub enum GuidanceTask {
    /// No control; external velocity commands are accepted.
    None,
    /// Approaches and holds a pose. A vehicle that cannot move sideways stops when it has arrived,
    /// until it has left twice the acceptance radius.
    Goal {
        /// Position and heading of the goal.
        goal: PoseGoal,
        /// True after the arrival.
        has_arrived: bool,
    },
    /// Follows a path, then holds its end.
    Path(PathProgress),
}

/// Motion of the base as the firmware estimates it, with the times of the measurements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Persist)]
pub struct MotionEstimate {
    /// Attitude of B in W.
    pub q_WB: Quat,
    /// Position in W [m].
    pub p_WB: Vec3,
    /// Linear velocity in W [m/s].
    pub v_WB: Vec3,
    /// Angular velocity, expressed in B [rad/s].
    pub w_WB_B: Vec3,
    /// Time of the latest attitude [ns]; `None` before the first.
    pub attitude_ns: Option<u64>,
    /// Time of the latest velocity [ns]; `None` before the first.
    pub velocity_ns: Option<u64>,
    /// Time of the latest depth [ns]; `None` before the first.
    pub depth_ns: Option<u64>,
    /// Time at which the latest position that arrived by modem was measured [ns]; `None` before the
    /// first.
    pub fix_ns: Option<u64>,
    /// False before the first tick.
    pub started: bool,
}

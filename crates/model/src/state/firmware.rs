//! State of the stock firmwares.

pub mod tasks;

pub use crate::scene::robot::firmware::interface::Activity;
pub use crate::state::firmware::tasks::{ControlMode, GuidanceTask};

use crate::each_control_law;
use crate::persist::Persist;
use crate::scene::Robot;
use crate::scene::robot::firmware as law;
use crate::scene::robot::firmware::FirmwareLaw;
use crate::scene::robot::firmware::interface::{LawSettings, LawState};
use crate::state::Motion;
use crate::state::firmware::tasks::MotionEstimate;
use merrow_math::{Quat, Vec3};

/// State of the firmware of a robot.
#[derive(Clone, Debug, PartialEq, Persist)]
pub struct FirmwareState {
    /// Number of ticks so far.
    pub ticks: u64,
    /// True after the first tick of the robot, which can be later than the first tick of the run.
    pub started: bool,
    /// Latest velocity command: linear [m/s] and angular [rad/s].
    pub command: [Vec3; 2],
    /// Time of the latest velocity command [ns]; `None` before the first.
    pub command_ns: Option<u64>,
    /// Task of the guidance by velocity commands.
    pub task: GuidanceTask,
    /// Motion of the base as the sensors of the firmware measure it.
    pub estimate: MotionEstimate,
    /// State of the control law, of the same kind as the law of the robot.
    pub memory: FirmwareLawState,
}

/// Motion that a task has read for the firmware at the start of its job.
#[derive(Clone, Debug, Persist)]
pub struct FirmwareInput {
    /// Motion of the robot as the firmware has it.
    pub motion: Motion,
    /// Which parts of it are known.
    pub known: Known,
}

/// Parts of the motion that are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub struct Known {
    /// Attitude and angular velocity.
    pub attitude: bool,
    /// Horizontal components of the velocity.
    pub velocity: bool,
    /// Depth and vertical velocity.
    pub depth: bool,
}

impl Known {
    /// The whole motion is known.
    pub const ALL: Self = Self {
        attitude: true,
        velocity: true,
        depth: true,
    };
}

macro_rules! declare_states {
    ($($(#[doc = $doc:literal])* $file:ident: $law:ident = $kind:literal,)*) => {
        /// State of a control law.
        #[derive(Clone, Debug, PartialEq, Persist)]
        #[allow(clippy::large_enum_variant)] // a box would allocate when the state is copied
        pub enum FirmwareLawState {
            $(
                /// State of the law:
                $(#[doc = $doc])*
                $law(<law::$law as LawSettings>::State),
            )*
        }

        impl FirmwareLawState {
            fn new(law: &FirmwareLaw) -> Self {
                match law { $(FirmwareLaw::$law(settings) => Self::$law(settings.start()),)* }
            }

            /// Returns the number of the law in the list of laws, from 0.
            pub(crate) fn number(&self) -> usize {
                let is_own = [$(matches!(self, Self::$law(_))),*];
                is_own.iter().take_while(|is_own| !**is_own).count()
            }
        }

        impl FirmwareState {
            /// Returns what the firmware does now.
            pub fn activity(&self) -> Activity<'_> {
                match &self.memory {
                    $(FirmwareLawState::$law(state) => state.activity(&self.task),)*
                }
            }

            /// Returns the position in W [m] and the attitude that the law controls, as
            /// [`LawState::reference`] does.
            pub fn reference(&self, pose: (Vec3, Quat)) -> Option<(Vec3, Quat)> {
                match &self.memory {
                    $(FirmwareLawState::$law(state) => state.reference(pose),)*
                }
            }
        }
    };
}
each_control_law!(declare_states);

impl FirmwareState {
    /// Creates the initial state; `None` for a robot without firmware.
    pub fn new(robot: &Robot) -> Option<Self> {
        let firmware = robot.firmware.as_ref()?;
        Some(Self {
            ticks: 0,
            started: false,
            command: [Vec3::zero(); 2],
            command_ns: None,
            task: GuidanceTask::None,
            estimate: MotionEstimate::default(),
            memory: FirmwareLawState::new(&firmware.law),
        })
    }
}

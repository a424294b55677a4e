//! Stock firmwares: the list of the control laws, and what all of them have. A law has its keys, its
//! settings and its state in the file of its name in this folder, and its computation in the file
//! of the same name in `crates/control/src/laws`.

pub mod interface;

use crate::scene::robot::feedback::Feedback;
use crate::scene::robot::firmware::interface::{Abilities, LawSettings};
use crate::scene::robot::guidance::VelocityGuidance;

/// Stock firmware of a vehicle.
#[derive(Clone, Debug, PartialEq)]
pub struct Firmware {
    /// Tick rate of the controller [Hz].
    pub rate_hz: f64,
    /// Maximum age of a velocity command [s].
    pub command_timeout_s: f64,
    /// Guidance to goals and along paths by velocity commands; `None`: goals are refused, or the
    /// law has its own guidance.
    pub guidance: Option<VelocityGuidance>,
    /// Source of the motion that the firmware uses.
    pub feedback: Feedback,
    /// Control law and its settings.
    pub law: FirmwareLaw,
}

/// Calls the macro `$then` with all control laws of world files: the name of both files of the law,
/// the type of its settings, and the word after `kind:`. The description is that of the kind.
#[macro_export]
macro_rules! each_control_law {
    ($then:ident) => {
        $then! {
            /// Controls a multirotor from velocity commands.
            multirotor: Multirotor = "multirotor",
            /// Holds heading and depth of a torpedo-shaped vehicle with rudder and hydroplanes.
            heading_depth_hold: HeadingDepthHold = "heading_depth_hold",
            /// Drives the wheels on both sides from velocity commands.
            differential_drive: DifferentialDrive = "differential_drive",
            /// Controls surge speed and yaw rate of a surface vehicle from velocity commands.
            surge_yaw_rate: SurgeYawRate = "surge_yaw_rate",
            /// Controls the motion of a vehicle with thrusters in several modes.
            motion_control: MotionControl = "motion_control",
            /// Sails along courses and paths, and tacks.
            sailing: Sailing = "sailing",
            /// Dives and climbs with a glider.
            glider: Glider = "glider",
        }
    };
}

macro_rules! declare_laws {
    ($($(#[doc = $doc:literal])* $file:ident: $law:ident = $kind:literal,)*) => {
        $(
            pub mod $file;
            pub use $file::$law;
        )*

        /// Control law of a firmware and its settings.
        #[derive(Clone, Debug, PartialEq)]
        pub enum FirmwareLaw { $($(#[doc = $doc])* $law(Box<$law>),)* }

        impl Firmware {
            /// Returns what the firmware accepts.
            pub fn abilities(&self) -> Abilities {
                match &self.law {
                    $(FirmwareLaw::$law(law) => law.abilities(self.guidance.is_some()),)*
                }
            }

            /// Returns the maximum velocity commands in surge, sway and heave [m/s] and yaw [rad/s].
            pub fn max_velocity(&self) -> [f64; 4] {
                match &self.law {
                    $(FirmwareLaw::$law(law) => law.max_velocity(),)*
                }
            }

            /// Returns units and limits of the velocity commands; empty if it accepts none.
            pub fn velocity_unit(&self) -> String {
                match &self.law {
                    $(FirmwareLaw::$law(law) => law.velocity_unit(),)*
                }
            }
        }
    };
}
each_control_law!(declare_laws);

impl Firmware {
    /// Returns the settings of a multirotor, if it is one.
    pub fn multirotor(&self) -> Option<&Multirotor> {
        match &self.law {
            FirmwareLaw::Multirotor(settings) => Some(settings),
            _ => None,
        }
    }

    /// Returns the settings of a motion controller, if it is one.
    pub fn motion_control(&self) -> Option<&MotionControl> {
        match &self.law {
            FirmwareLaw::MotionControl(settings) => Some(settings),
            _ => None,
        }
    }
}

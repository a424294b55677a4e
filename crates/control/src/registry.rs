//! The control laws that a world file can choose.

use crate::law::{ControlLaw, Controller};
use merrow_model::scene::robot::firmware::{
    DifferentialDrive, FirmwareLaw, Glider, HeadingDepthHold, MotionControl, Multirotor, Sailing,
    SurgeYawRate,
};
use merrow_model::state::firmware::FirmwareLawState;

/// Declares the laws: each line names the variant of [`FirmwareLaw`] and of [`FirmwareLawState`],
/// and the type of the settings. [`Controller`] of settings and state implements [`ControlLaw`].
macro_rules! control_laws {
    ($($law:ident: $settings:ty,)*) => {
        /// Calls `f` with the law and its state. A state of another law is not possible, because
        /// the state of a robot is created for its law.
        pub fn with_law<R>(
            law: &FirmwareLaw,
            state: &mut FirmwareLawState,
            f: impl FnOnce(&mut dyn ControlLaw) -> R,
        ) -> R {
            match law {
                $(FirmwareLaw::$law(settings) => match state {
                    FirmwareLawState::$law(state) => {
                        let settings: &$settings = settings;
                        f(&mut Controller { settings, state })
                    }
                    other => unreachable!("the state {other:?} belongs to another law"),
                },)*
            }
        }
    };
}

control_laws! {
    Multirotor: Multirotor,
    HeadingDepthHold: HeadingDepthHold,
    Drive: DifferentialDrive,
    SurgeYawRate: SurgeYawRate,
    MotionControl: MotionControl,
    Sailing: Sailing,
    Glider: Glider,
}

//! Laws of `each_control_law!`, one per file, and the selection of the law of a firmware and of its
//! state.

use crate::law::{ControlLaw, Controller};
use merrow_model::each_control_law;
use merrow_model::scene::robot::firmware::FirmwareLaw;
use merrow_model::state::firmware::FirmwareLawState;

/// Declares the files of the laws, and selects the law: [`Controller`] of the settings and the state
/// of each law implements [`ControlLaw`].
macro_rules! declare_laws {
    ($($(#[doc = $doc:literal])* $file:ident: $law:ident = $kind:literal,)*) => {
        $(pub(crate) mod $file;)*

        /// Calls `f` with the law and its state. A state of another law is not possible, because
        /// the state of a robot is created for its law.
        pub fn with_law<R>(
            law: &FirmwareLaw,
            state: &mut FirmwareLawState,
            f: impl FnOnce(&mut dyn ControlLaw) -> R,
        ) -> R {
            match (law, state) {
                $((FirmwareLaw::$law(settings), FirmwareLawState::$law(state)) => {
                    let settings = settings.as_ref();
                    f(&mut Controller { settings, state })
                })*
                (_, other) => unreachable!("the state {other:?} belongs to another law"),
            }
        }
    };
}
each_control_law!(declare_laws);

//! Keys of the firmware of a robot.

use merrow_control::build::{BuildLaw, LawContext};
use merrow_model::each_control_law;
use merrow_model::scene::robot::firmware as law;
use merrow_model::scene::robot::firmware::FirmwareLaw;
use merrow_model::scene::robot::firmware::interface::{CommonKeys, LawKeys, LawSettings};
use merrow_yaml::spec::spec;

macro_rules! declare_laws {
    ($($(#[doc = $doc:literal])* $file:ident: $law:ident = $kind:literal,)*) => {
        spec! {
            /// Firmware of the on-board computer.
            pub enum FirmwareConfig {
                $($(#[doc = $doc])* $law = $kind (<law::$law as LawSettings>::Keys),)*
            }
        }

        impl FirmwareConfig {
            /// Returns the values that every firmware has.
            pub(crate) fn common(&self) -> CommonKeys<'_> {
                match self { $(Self::$law(keys) => keys.common(),)* }
            }

            /// Converts the keys of the law.
            pub(crate) fn build(&self, context: &LawContext<'_>) -> FirmwareLaw {
                match self {
                    $(Self::$law(keys) => {
                        FirmwareLaw::$law(Box::new(BuildLaw::build(keys, context)))
                    })*
                }
            }
        }
    };
}
each_control_law!(declare_laws);

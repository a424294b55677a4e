//! Forces on single links that a key of `body` selects, one law per file: the laws of the settings in
//! `crates/model/src/scene/robot/force`, which has their list.

pub mod interface;

use crate::forces::contributions::{Law, LinkSum, Sink};
use crate::forces::link::interface::{LinkForceLaw, LinkState};
use merrow_environment::EnvironmentState;
use merrow_math::Real;
use merrow_model::each_link_force;
use merrow_model::scene::Link;
use merrow_model::state::workspace::LinkWork;

macro_rules! declare_sums {
    ($($group:ident {
        $($(#[doc = $doc:literal])* $key:ident: $force:ident = $name:literal,)*
    })*) => {
        $($(pub mod $key;)*)*

        $(
            #[doc = concat!("Adds the forces of the group `", stringify!($group), "` on `link` to the sum.")]
            #[inline(always)]
            pub(crate) fn $group<T: Real, S: Sink>(
                link: &Link,
                environment: &EnvironmentState<'_>,
                work: &LinkWork<T>,
                sum: &mut LinkSum<'_, T, S>,
            ) {
                let state = LinkState { link, environment, work };
                $(if let Some(law) = &link.forces.$key {
                    sum.add(Law::$force, &law.force(&state));
                })*
            }
        )*
    };
}
each_link_force!(declare_sums);

//! Forces on single links that a key of `body` selects: the list of them, their keys and their
//! settings. The law of a force is in the file of the same name in `crates/physics/src/forces/link`.

pub mod interface;

pub use crate::scene::robot::force::interface::{ForceBody, LinkForce};

/// Calls the macro `$then`, after the tokens `$context`, with all forces on single links: the key
/// of `body`, which is also the name of both files, the type of the settings, and the name in the
/// table of forces. The description is that of the key.
///
/// Forces in `surface` and `water` act on links in water, after the damping; those in `surface` on
/// hulls at the surface. Forces in `air` act everywhere, after all others. Within a group they are
/// added in the order of the list, which is also the order of the keys.
#[macro_export]
macro_rules! each_link_force {
    ($then:ident $($context:tt)*) => {
        $then! {
            $($context)*
            surface {
                /// Additional losses at the water surface: roll damping and wave resistance. Default: none.
                surface_damping: SurfaceDamping = "surface damping",
                /// Pitch and roll proportional to the wave height, as in the Kelpie simulator, for vehicles
                /// without a hull mesh.
                kelpie_attitude: KelpieAttitude = "kelpie attitude",
            }
            water {
                /// Lift, drag and cross-flow drag of a torpedo-shaped body about the body origin.
                slender: SlenderBody = "slender body",
                /// Lift, drag and moments of an underwater glider about the body origin.
                glider: Glider = "glider",
            }
            air {
                /// Wind load. Default: none.
                wind: WindLoad = "wind",
            }
        }
    };
}

macro_rules! declare_forces {
    (
        surface { $($(#[doc = $surface_doc:literal])* $surface:ident: $Surface:ident = $surface_name:literal,)* }
        water { $($(#[doc = $water_doc:literal])* $water:ident: $Water:ident = $water_name:literal,)* }
        air { $($(#[doc = $air_doc:literal])* $air:ident: $Air:ident = $air_name:literal,)* }
    ) => {
        $(pub mod $surface; pub use $surface::$Surface;)*
        $(pub mod $water; pub use $water::$Water;)*
        $(pub mod $air; pub use $air::$Air;)*

        /// Forces on a link that keys of `body` select.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct LinkForces {
            $($(#[doc = $surface_doc])* pub $surface: Option<Box<$Surface>>,)*
            $($(#[doc = $water_doc])* pub $water: Option<Box<$Water>>,)*
            $($(#[doc = $air_doc])* pub $air: Option<Box<$Air>>,)*
        }

        impl LinkForces {
            /// Returns true if a force of the group `surface` acts on the link.
            pub fn act_at_surface(&self) -> bool {
                false $(|| self.$surface.is_some())*
            }

            /// Returns true if a force of the water acts on the link.
            pub fn act_in_water(&self) -> bool {
                self.act_at_surface() $(|| self.$water.is_some())*
            }
        }
    };
}
each_link_force!(declare_forces);

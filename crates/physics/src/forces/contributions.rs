//! Contributions to the sum of the forces, by law and device. The module `sum` and the laws that it
//! combines pass each contribution to a [`Sink`]; in a step the sink is `()`, which costs no time.

use merrow_math::{Real, SpatialForce};
use merrow_model::each_link_force;

macro_rules! laws {
    (
        first { $($(#[doc = $doc:literal])* $law:ident = $name:literal,)* }
        last { $($(#[doc = $last_doc:literal])* $last:ident = $last_name:literal,)* }
        $($group:ident {
            $($(#[doc = $force_doc:literal])* $key:ident: $force:ident = $force_name:literal,)*
        })*
    ) => {
        /// Law of a contribution.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Law {
            $($(#[doc = $doc])* $law,)*
            $($($(#[doc = $force_doc])* $force,)*)*
            $($(#[doc = $last_doc])* $last,)*
        }

        impl Law {
            /// All laws, in the order of tables.
            pub const ALL: &[Self] = &[
                $(Self::$law,)* $($(Self::$force,)*)* $(Self::$last,)*
            ];

            /// Returns the name, for example `buoyancy`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$law => $name,)*
                    $($(Self::$force => $force_name,)*)*
                    $(Self::$last => $last_name,)*
                }
            }
        }
    };
}

each_link_force!(laws
first {
    /// Weight of the links.
    Gravity = "gravity",
    /// Pressure of the water at rest and of the waves.
    Buoyancy = "buoyancy",
    /// Force and moment that a model states for its trim.
    Trim = "trim",
    /// Weight of the water in compartments.
    Flooding = "flooding",
    /// Volume of a buoyancy engine.
    BuoyancyEngine = "buoyancy engine",
    /// Damping by the water.
    Damping = "damping",
    /// Added mass: acceleration and velocity products.
    AddedMass = "added mass",
    /// Radiated and diffracted waves.
    Radiation = "radiation",
    /// Lift of derivatives.
    Lift = "lift",
}
last {
    /// Fins and rudders.
    Fin = "fin",
    /// Sails.
    Sail = "sail",
    /// Propellers and rotors.
    Thrust = "thrust",
    /// Ends of tethers.
    Tether = "tether",
    /// Applied wrenches.
    Wrench = "wrench",
    /// Control of a prop along its route.
    Route = "route",
    /// Couplings.
    Coupling = "coupling",
    /// Contacts.
    Contact = "contact",
});

/// Contribution to the forces on a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contribution {
    /// Law that causes it.
    pub law: Law,
    /// Index of the thruster, fin, sail or buoyancy engine that causes it, among its kind.
    pub device: Option<usize>,
    /// Index of the link.
    pub link: usize,
    /// Force and moment at Lo, in L [N m, N].
    pub F: SpatialForce,
}

/// Receiver of the contributions to a sum.
pub trait Sink {
    /// Receives the contribution of a law, and of a device by its index, to the forces on a link,
    /// at Lo in L. `F` is not called by a sink that keeps no contributions.
    fn add<T: Real>(
        &mut self,
        law: Law,
        device: Option<usize>,
        link: usize,
        F: impl FnOnce() -> SpatialForce<T>,
    );
}

/// Keeps no contributions.
impl Sink for () {
    #[inline(always)]
    fn add<T: Real>(
        &mut self,
        _law: Law,
        _device: Option<usize>,
        _link: usize,
        _F: impl FnOnce() -> SpatialForce<T>,
    ) {
    }
}

/// Keeps the contributions of the first lane.
impl Sink for Vec<Contribution> {
    fn add<T: Real>(
        &mut self,
        law: Law,
        device: Option<usize>,
        link: usize,
        F: impl FnOnce() -> SpatialForce<T>,
    ) {
        let F = F().lane(0);
        self.push(Contribution {
            law,
            device,
            link,
            F,
        });
    }
}

/// Forces on one link so far; every force that is added passes to the sink.
pub(crate) struct LinkSum<'a, T, S> {
    /// Sum at Lo, in L.
    pub(crate) F: SpatialForce<T>,
    pub(crate) link: usize,
    pub(crate) sink: &'a mut S,
}

impl<T: Real, S: Sink> LinkSum<'_, T, S> {
    /// Adds the force of a law.
    #[inline(always)]
    pub(crate) fn add(&mut self, law: Law, F: &SpatialForce<T>) {
        self.sink.add(law, None, self.link, || *F);
        self.F += *F;
    }

    /// Adds a velocity product of an inertia, or forces whose contributions have been recorded.
    #[inline(always)]
    pub(crate) fn add_unrecorded(&mut self, F: &SpatialForce<T>) {
        self.F += *F;
    }
}

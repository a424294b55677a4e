//! Objects of a scene that are also in the scene that replaces it.

use crate::scene::Scene;

macro_rules! correspondence {
    ($($(#[doc = $doc:literal])* $list:ident,)*) => {
        /// For the objects of a scene, their indices in the scene that replaces it; `None` for
        /// objects that no longer exist, and for all if the lists are empty. Objects correspond if
        /// they have the same name and the same parts.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct Correspondence {
            $($(#[doc = $doc])* pub $list: Vec<Option<usize>>,)*
        }

        impl Correspondence {
            /// Compares the scene `old` with `new`, which replaces it.
            pub fn new(old: &Scene, new: &Scene) -> Self {
                Self { $($list: match_names(&old.$list, &new.$list, |object| &object.name),)* }
            }

            /// Returns the correspondence of this change followed by `next`.
            pub fn then(&self, next: &Self) -> Self {
                Self { $($list: chain(&self.$list, &next.$list),)* }
            }
        }
    };
}

correspondence! {
    /// One entry per robot.
    robots,
    /// One entry per structure.
    structures,
    /// One entry per coupling.
    couplings,
    /// One entry per tether.
    tethers,
    /// One entry per charger.
    chargers,
    /// One entry per beacon.
    beacons,
    /// One entry per modem.
    modems,
}

impl Correspondence {
    /// Returns the index in the new scene of robot `old`; `None` if the robot no longer exists.
    pub fn robot(&self, old: usize) -> Option<usize> {
        self.robots.get(old).copied().flatten()
    }
}

/// Returns, for each object, its index after a change and the next one.
fn chain(first: &[Option<usize>], next: &[Option<usize>]) -> Vec<Option<usize>> {
    let follow = |index: &Option<usize>| index.and_then(|k| next.get(k).copied().flatten());
    first.iter().map(follow).collect()
}

/// Returns, for each object of `old`, the index of the object of the same name in `new`.
fn match_names<T>(old: &[T], new: &[T], name: impl Fn(&T) -> &String) -> Vec<Option<usize>> {
    let indices: std::collections::HashMap<&String, usize> = new
        .iter()
        .enumerate()
        .map(|(k, object)| (name(object), k))
        .collect();
    let find = |object: &T| indices.get(name(object)).copied();
    old.iter().map(find).collect()
}

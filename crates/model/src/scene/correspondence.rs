//! Objects of a scene that are also in the scene that replaces it.

use crate::scene::Scene;

/// For the objects of a scene, their indices in the scene that replaces it; `None` for objects that
/// no longer exist, and for all if the lists are empty. Objects correspond if they have the same
/// name and the same parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Correspondence {
    /// One entry per robot.
    pub robots: Vec<Option<usize>>,
    /// One entry per structure.
    pub structures: Vec<Option<usize>>,
    /// One entry per coupling.
    pub couplings: Vec<Option<usize>>,
    /// One entry per tether.
    pub tethers: Vec<Option<usize>>,
    /// One entry per charger.
    pub chargers: Vec<Option<usize>>,
    /// One entry per beacon.
    pub beacons: Vec<Option<usize>>,
    /// One entry per modem.
    pub modems: Vec<Option<usize>>,
}

impl Correspondence {
    /// Compares the scene `old` with `new`, which replaces it.
    pub fn new(old: &Scene, new: &Scene) -> Self {
        Self {
            robots: match_names(&old.robots, &new.robots, |robot| &robot.name),
            structures: match_names(&old.structures, &new.structures, |s| &s.name),
            couplings: match_names(&old.couplings, &new.couplings, |c| &c.name),
            tethers: match_names(&old.tethers, &new.tethers, |tether| &tether.name),
            chargers: match_names(&old.chargers, &new.chargers, |charger| &charger.name),
            beacons: match_names(&old.beacons, &new.beacons, |beacon| &beacon.name),
            modems: match_names(&old.modems, &new.modems, |modem| &modem.name),
        }
    }

    /// Returns the index in the new scene of robot `old`; `None` if the robot no longer exists.
    pub fn robot(&self, old: usize) -> Option<usize> {
        self.robots.get(old).copied().flatten()
    }

    /// Returns the correspondence of this change followed by `next`.
    pub fn then(&self, next: &Self) -> Self {
        let chain = |first: &[Option<usize>], second: &[Option<usize>]| {
            let follow = |old: &Option<usize>| old.and_then(|k| second.get(k).copied().flatten());
            first.iter().map(follow).collect()
        };
        Self {
            robots: chain(&self.robots, &next.robots),
            structures: chain(&self.structures, &next.structures),
            couplings: chain(&self.couplings, &next.couplings),
            tethers: chain(&self.tethers, &next.tethers),
            chargers: chain(&self.chargers, &next.chargers),
            beacons: chain(&self.beacons, &next.beacons),
            modems: chain(&self.modems, &next.modems),
        }
    }
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

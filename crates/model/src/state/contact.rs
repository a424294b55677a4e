//! Contacts after a step and the impulses of the step. The impulses are published and warm-start
//! the next step.

use crate::persist::Persist;
use crate::scene::correspondence::Correspondence;
use merrow_math::Vec3;

/// Source of an impulse, by which the next step finds its initial guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Persist)]
pub enum ImpulseKey {
    /// Dry friction (side 0), lower limit (1) or upper limit (2) of a joint.
    Joint {
        /// Index of the robot.
        robot: u32,
        /// Index of the joint, as in `Motion::q`.
        joint: u32,
        /// Which of the three, 0..2.
        side: u32,
    },
    /// Contact of two shapes, with their feature indices.
    Contact([u32; 2], [u32; 2]),
}

/// Impulse of one step.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Impulse {
    /// Components along the rows of the solver [N s or N m s].
    pub along_rows: [f64; 3],
    /// Sum in W on the first of the two bodies [N s].
    pub force_W: Vec3,
}

/// One of the two bodies of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Persist)]
pub enum ContactBody {
    /// Link of a robot.
    Link {
        /// Index of the robot.
        robot: u32,
        /// Index of the link.
        link: u32,
        /// Index of the collider of the robot.
        collider: u32,
    },
    /// Static structure of the world.
    Structure {
        /// Index of the structure.
        structure: u32,
        /// Index of the collider of the structure.
        collider: u32,
    },
    /// Seabed, plane or terrain.
    Seabed,
}

impl ContactBody {
    /// Returns the indices of the robot and its link; `None` for a body that is fixed in the world.
    pub fn link(self) -> Option<(usize, usize)> {
        match self {
            Self::Link { robot, link, .. } => Some((robot as usize, link as usize)),
            Self::Structure { .. } | Self::Seabed => None,
        }
    }

    /// Returns the same body in the scene that replaces its scene, if it still exists.
    pub fn in_scene(self, same: &Correspondence) -> Option<Self> {
        Some(match self {
            Self::Link {
                robot,
                link,
                collider,
            } => Self::Link {
                robot: same.robot(robot as usize)? as u32,
                link,
                collider,
            },
            Self::Structure {
                structure,
                collider,
            } => {
                let target = same.structures.get(structure as usize).copied().flatten()?;
                Self::Structure {
                    structure: target as u32,
                    collider,
                }
            }
            Self::Seabed => Self::Seabed,
        })
    }
}

/// Contact point with an impulse in the last step.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Contact {
    /// Body that is pushed along the normal.
    pub a: ContactBody,
    /// Body that pushes against the normal.
    pub b: ContactBody,
    /// Contact point in W [m].
    pub p_W: Vec3,
    /// Unit normal in W, from b to a.
    pub n_W: Vec3,
    /// Distance of the surfaces at the end of the step before position correction, negative for
    /// penetration [m].
    pub gap: f64,
    /// Impulse of the step on a, in W [N s]; divided by the time step it is the mean force.
    pub impulse_W: Vec3,
}

/// Contacts, impulses and counters of all robots after a step.
#[derive(Clone, Debug, Default, Persist)]
pub struct Contacts {
    /// Contact points with an impulse, in a fixed order.
    pub touching: Vec<Contact>,
    /// Impulses by source, sorted.
    pub impulses: Vec<(ImpulseKey, Impulse)>,
    /// Number of collisions since the start: pairs of a robot and another body that came into
    /// contact.
    pub collisions: u64,
    /// Number of islands since the start whose impulses did not converge within the iterations of a
    /// step.
    pub unsolved: u64,
    /// Pairs in contact after the last step, sorted. A new pair counts as a collision.
    pub pairs: Vec<(u32, u64)>,
}

impl Contacts {
    /// Creates an empty set with capacity for the typical number of contacts of `n_robots` robots.
    pub(crate) fn with_capacity_for(n_robots: usize) -> Self {
        let n = 64 + 8 * n_robots;
        Self {
            touching: Vec::with_capacity(n),
            impulses: Vec::with_capacity(n),
            collisions: 0,
            unsolved: 0,
            pairs: Vec::with_capacity(n),
        }
    }

    /// Returns the impulse of the last step for `key`.
    pub fn impulse(&self, key: &ImpulseKey) -> Option<&Impulse> {
        let found = self.impulses.binary_search_by(|(k, _)| k.cmp(key));
        found.ok().map(|i| &self.impulses[i].1)
    }
}

//! What touches what after a step, and the impulses of the step: published, and the first guess of the next.

use merrow_math::Vec3;

/// What an impulse belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ImpulseKey {
    /// A joint's dry friction (side 0), lower limit (1) or upper limit (2).
    Joint {
        /// Index of the robot.
        robot: u32,
        /// Index of the joint.
        joint: u32,
        /// Which of the three.
        side: u32,
    },
    /// Two shapes and their features.
    Touch([u32; 2], [u32; 2]),
}

/// Impulse of one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impulse {
    /// Along the solver's rows [N s or N m s].
    pub along_rows: [f64; 3],
    /// Sum in the world, on the first of the two [N s].
    pub force_W: Vec3,
}

/// One side of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// A link of a robot, and which of the robot's colliders.
    Link {
        /// Index of the robot.
        robot: u32,
        /// Index of the link.
        link: u32,
        /// Index of the collider.
        collider: u32,
    },
    /// A structure, and which of its colliders.
    Structure {
        /// Index of the structure.
        structure: u32,
        /// Index of the collider.
        collider: u32,
    },
    /// The seabed.
    Seabed,
}

/// A place where two surfaces pushed on each other in the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Who is pushed along the normal.
    pub a: Side,
    /// Who pushes.
    pub b: Side,
    /// Where, in the world [m].
    pub p_W: Vec3,
    /// Unit normal in the world, from b to a.
    pub n_W: Vec3,
    /// Distance of the surfaces at the end of the step before they were corrected, negative where they overlap [m].
    pub gap: f64,
    /// Impulse of the step on a, in the world [N s]; over the step's length it is the mean force.
    pub impulse_W: Vec3,
}

/// All contacts of a world.
#[derive(Clone, Debug, Default)]
pub struct Contacts {
    /// Places where something pushed, in a fixed order.
    pub touching: Vec<Contact>,
    /// Impulses by what they belong to, sorted.
    pub impulses: Vec<(ImpulseKey, Impulse)>,
    /// Pairs of a robot and another body that have come into touch since the start.
    pub collisions: u64,
    /// Groups of bodies whose impulses did not converge within a step's rounds, since the start.
    pub unsolved: u64,
    /// Pairs in touch after the last step, sorted; what is new among them is a collision.
    pub pairs: Vec<(u32, u64)>,
}

impl Contacts {
    /// Nothing touches; room for what usually does among this many robots.
    pub fn with_room(n_robots: usize) -> Self {
        let n = 64 + 8 * n_robots;
        Self {
            touching: Vec::with_capacity(n),
            impulses: Vec::with_capacity(n),
            collisions: 0,
            unsolved: 0,
            pairs: Vec::with_capacity(n),
        }
    }

    /// Impulse of the last step.
    pub fn impulse(&self, key: &ImpulseKey) -> Option<&Impulse> {
        let found = self.impulses.binary_search_by(|(k, _)| k.cmp(key));
        found.ok().map(|i| &self.impulses[i].1)
    }
}

//! Interface between the reader of world files and the settings of a force on one link.

use merrow_math::Vec3;
use merrow_yaml::error::Problems;

/// Settings of a force on one link.
pub trait LinkForce: Sized {
    /// Value of the key in the file.
    type Keys;

    /// Converts the keys of the force on `body`, and reports those that contradict each other.
    fn new(keys: &Self::Keys, body: &ForceBody<'_>, problems: &mut Problems) -> Self;
}

/// Body of a file on which a force acts.
#[derive(Clone, Copy)]
pub struct ForceBody<'a> {
    /// Name of the link.
    pub name: &'a str,
    /// True for the base of a robot.
    pub is_base: bool,
    /// True if the hull is a mesh.
    pub has_hull_mesh: bool,
    /// Converts a vector of the file to L.
    pub to_link: &'a dyn Fn([f64; 3]) -> Vec3,
}

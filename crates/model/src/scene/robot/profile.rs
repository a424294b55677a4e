//! Profiles: topic names, units and frames of another simulator.

/// Simulator whose names the topics of a robot have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Virtual RobotX (VRX), on Gazebo.
    Vrx,
    /// Gazebo with the systems of DAVE and POSIM.
    Gz,
    /// Stonefish with its ROS 2 package.
    Stonefish,
    /// UUV Simulator, with names that ROS 2 accepts.
    Uuv,
    /// Plankton, the ROS 2 version of UUV Simulator.
    Plankton,
}

impl Profile {
    /// All profiles with their names in world files and on the command line.
    pub const ALL: [(Profile, &'static str); 5] = [
        (Profile::Vrx, "vrx"),
        (Profile::Gz, "gz"),
        (Profile::Stonefish, "stonefish"),
        (Profile::Uuv, "uuv"),
        (Profile::Plankton, "plankton"),
    ];

    /// Returns the name in world files and on the command line.
    pub fn keyword(self) -> &'static str {
        let found = Self::ALL.iter().find(|(profile, _)| *profile == self);
        found.map_or("", |(_, name)| name)
    }

    /// Returns the profile with this name in [`Self::ALL`]; `None` for another name.
    pub fn from_keyword(name: &str) -> Option<Self> {
        let found = Self::ALL.iter().find(|(_, keyword)| *keyword == name);
        found.map(|(profile, _)| *profile)
    }
}

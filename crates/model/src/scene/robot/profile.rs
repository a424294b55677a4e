//! Profiles: topic names, units and frames of another simulator.

use merrow_yaml::spec::fieldless_choice;

fieldless_choice! {
    /// Simulator whose topic names, units and frames a robot has.
    pub enum Profile {
        /// Virtual RobotX, on Gazebo.
        Vrx = "vrx",
        /// Gazebo with the systems of DAVE and POSIM.
        Gz = "gz",
        /// Stonefish with its ROS 2 package.
        Stonefish = "stonefish",
        /// UUV Simulator, with names that ROS 2 accepts.
        Uuv = "uuv",
        /// Plankton, the ROS 2 version of UUV Simulator.
        Plankton = "plankton",
    }
}

impl Profile {
    /// All profiles.
    pub const ALL: [Profile; 5] = [
        Profile::Vrx,
        Profile::Gz,
        Profile::Stonefish,
        Profile::Uuv,
        Profile::Plankton,
    ];

    /// Returns the profile with this keyword; `None` for another name.
    pub fn from_keyword(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|profile| profile.keyword() == name)
    }
}

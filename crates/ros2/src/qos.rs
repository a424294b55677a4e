//! Quality of service of topics and services, with the policies and names of ROS.
//!
//! The publishers, the text that `describe` prints and the profiles in a bag all use this type, so
//! they agree. The module depends on no DDS library; `embedded/transport.rs` converts the policies.

use std::fmt;
use std::time::Duration;

/// Whether lost samples are sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reliability {
    /// Every sample that is still in the history is sent again until acknowledged.
    Reliable,
    /// Each sample is sent once.
    BestEffort,
}

/// Whether a late subscriber receives samples published before it joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Durability {
    /// A subscriber receives only samples published after it joined.
    Volatile,
    /// A late subscriber receives the history of every publisher that is still alive.
    TransientLocal,
}

/// Number of samples kept for subscribers that have not received them yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum History {
    /// Keeps the newest samples, up to this number.
    KeepLast(u32),
    /// Keeps all samples within the memory limits.
    KeepAll,
}

/// Quality of service of one publisher, subscription or service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Qos {
    /// Whether lost samples are sent again.
    pub reliability: Reliability,
    /// Whether late subscribers receive earlier samples.
    pub durability: Durability,
    /// Number of samples that are kept.
    pub history: History,
    /// Age at which a sample expires; `None` if samples do not expire.
    pub lifespan: Option<Duration>,
}

impl Qos {
    /// Default of ROS: reliable, volatile, keep last 10.
    pub const DEFAULT: Self = Self::reliable(10);

    /// QoS of a sensor data subscription, which matches reliable and best-effort publishers.
    pub const SENSOR_SUBSCRIPTION: Self = Self {
        reliability: Reliability::BestEffort,
        ..Self::reliable(5)
    };

    /// Keeps the last value for late subscribers, for topics such as `robot_description` and maps.
    pub const LATCHED: Self = Self::reliable(1).transient_local();

    /// QoS of the subscription of a command topic. The depth is the length of the queue to the
    /// callback: a burst of other messages must not displace a command.
    pub const COMMAND: Self = Self::reliable(1000);

    /// QoS of `/clock`. rclcpp subscribes best-effort with depth 1 and rclpy reliable; a reliable
    /// publisher matches both.
    pub const CLOCK: Self = Self::reliable(10);

    /// QoS of the topic `/tf`.
    pub const TF: Self = Self::reliable(100);

    /// QoS of the topic `/tf_static`.
    pub const TF_STATIC: Self = Self::reliable(1).transient_local();

    /// QoS of the requests and replies of a service.
    pub const SERVICE: Self = Self::reliable(10);

    /// QoS of the status topic of an action.
    pub const ACTION_STATUS: Self = Self::reliable(1).transient_local();

    /// QoS of the requests and replies of the parameter services.
    pub const PARAMETERS: Self = Self::reliable(1000);

    /// QoS of the topic `/parameter_events`.
    pub const PARAMETER_EVENTS: Self = Self::reliable(1000);

    /// QoS of the topic `/rosout`.
    pub const ROSOUT: Self = Self {
        lifespan: Some(Duration::from_secs(10)),
        ..Self::reliable(1000).transient_local()
    };

    /// QoS of `ros_discovery_info`, which lists the endpoints of each node.
    pub const DISCOVERY_INFO: Self = Self::reliable(1).transient_local();

    /// Returns a reliable, volatile QoS that keeps the last `depth` samples.
    pub const fn reliable(depth: u32) -> Self {
        Self {
            reliability: Reliability::Reliable,
            durability: Durability::Volatile,
            history: History::KeepLast(depth),
            lifespan: None,
        }
    }

    /// Returns a best-effort, volatile QoS that keeps the last `depth` samples.
    pub const fn best_effort(depth: u32) -> Self {
        Self {
            reliability: Reliability::BestEffort,
            ..Self::reliable(depth)
        }
    }

    /// Returns the same QoS with transient-local durability.
    const fn transient_local(self) -> Self {
        Self {
            durability: Durability::TransientLocal,
            ..self
        }
    }

    /// Returns the depth of the history, which is 0 for "keep all" as in ROS.
    pub const fn depth(&self) -> u32 {
        match self.history {
            History::KeepLast(depth) => depth,
            History::KeepAll => 0,
        }
    }

    /// Returns a one-element YAML list in the format of `offered_qos_profiles` of rosbag2, with the
    /// numbers of the policies, as up to metadata version 8.
    pub fn to_bag_yaml(&self) -> String {
        let history = match self.history {
            History::KeepLast(_) => 1,
            History::KeepAll => 2,
        };
        let reliability = match self.reliability {
            Reliability::Reliable => 1,
            Reliability::BestEffort => 2,
        };
        let durability = match self.durability {
            Durability::TransientLocal => 1,
            Durability::Volatile => 2,
        };
        let lifespan = match self.lifespan {
            Some(lifespan) => (lifespan.as_secs(), lifespan.subsec_nanos()),
            None => INFINITE,
        };
        let duration = |name: &str, (sec, nsec): (u64, u32)| {
            format!("  {name}:\n    sec: {sec}\n    nsec: {nsec}\n")
        };
        let mut yaml = format!(
            "- history: {history}\n  depth: {}\n  reliability: {reliability}\n  durability: {durability}\n",
            self.depth(),
        );
        yaml += &duration("deadline", INFINITE);
        yaml += &duration("lifespan", lifespan);
        yaml += "  liveliness: 1\n";
        yaml += &duration("liveliness_lease_duration", INFINITE);
        yaml += "  avoid_ros_namespace_conventions: false\n";
        yaml
    }
}

/// Infinite duration of ROS in seconds and nanoseconds: 2^63 - 1 nanoseconds.
const INFINITE: (u64, u32) = (9_223_372_036, 854_775_807);

impl fmt::Display for Reliability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reliable => "reliable",
            Self::BestEffort => "best_effort",
        })
    }
}

impl fmt::Display for Durability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Volatile => "volatile",
            Self::TransientLocal => "transient_local",
        })
    }
}

impl fmt::Display for Qos {
    /// Formats the QoS like `reliable, volatile, keep last 10`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}, ", self.reliability, self.durability)?;
        match self.history {
            History::KeepLast(depth) => write!(f, "keep last {depth}")?,
            History::KeepAll => write!(f, "keep all")?,
        }
        match self.lifespan {
            Some(lifespan) => write!(f, ", lifespan {} s", lifespan.as_secs_f64()),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_names_every_policy() {
        assert_eq!(Qos::DEFAULT.to_string(), "reliable, volatile, keep last 10");
        assert_eq!(
            Qos::SENSOR_SUBSCRIPTION.to_string(),
            "best_effort, volatile, keep last 5"
        );
        assert_eq!(
            Qos::ROSOUT.to_string(),
            "reliable, transient_local, keep last 1000, lifespan 10 s"
        );
        let keep_all = Qos {
            history: History::KeepAll,
            ..Qos::DEFAULT
        };
        assert_eq!(keep_all.to_string(), "reliable, volatile, keep all");
    }

    #[test]
    fn default_profile_is_that_of_ros() {
        let default = Qos::DEFAULT;
        assert_eq!(default.history, History::KeepLast(10));
        assert_eq!(default.reliability, Reliability::Reliable);
        assert_eq!(default.durability, Durability::Volatile);
        assert_eq!((default.depth(), default.lifespan), (10, None));
    }

    #[test]
    fn bag_format_matches_rosbag2() {
        let expected = "\
- history: 1
  depth: 1
  reliability: 1
  durability: 1
  deadline:
    sec: 9223372036
    nsec: 854775807
  lifespan:
    sec: 9223372036
    nsec: 854775807
  liveliness: 1
  liveliness_lease_duration:
    sec: 9223372036
    nsec: 854775807
  avoid_ros_namespace_conventions: false
";
        assert_eq!(Qos::LATCHED.to_bag_yaml(), expected);
        assert!(
            Qos::ROSOUT
                .to_bag_yaml()
                .contains("  lifespan:\n    sec: 10\n    nsec: 0\n")
        );
    }
}

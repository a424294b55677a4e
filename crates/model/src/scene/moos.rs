//! Connection of a robot to a community of MOOS.

use merrow_yaml::read::Places;
use merrow_yaml::spec::spec;

spec! {
    /// Connection to a MOOSDB, whose programs control the robot in place of a simulator such as
    /// uSimMarineV22.
    pub struct Moos {
        /// Name or address of the machine of the MOOSDB.
        host: String [not_empty] = "localhost".to_string(),
        /// Port of the MOOSDB.
        port: u32 [in 1.0..=65535.0] = 9000,
        /// Name that the community must have. Default: any.
        community: Option<String>,
        /// Name of the client; two robots of a community need different ones.
        client: String [not_empty] = "merrow".to_string(),
        /// Prefix of the variables of the motion.
        prefix: String [not_empty] = "NAV".to_string(),
        /// Rate of the variables of the motion, in simulated time.
        rate_hz: f64 [in 0.1..=100.0] = 10.0,
        /// Factor on DESIRED_THRUST and its forms, for a vehicle that is slower or faster at the same
        /// demand than the one for which the mission is written.
        thrust_gain: f64 [positive] = 1.0,
        /// INS of the robot whose estimate is its motion. Default: the true motion.
        navigation: Option<String>,
        /// Whether the readings of the sensors are published, the last of each at `rate_hz`.
        sensors: bool = false,
        /// Modem of the robot that carries NODE_MESSAGE_LOCAL to other robots, and measures ranges.
        /// Default: programs such as uFldNodeComms do so.
        messages: Option<String>,
        /// Whether the other robots of the world are reported as NODE_REPORT, as a receiver of AIS
        /// does.
        contacts: bool = false,
        /// Obstacle detector of the robot whose boxes are published as FLS_0, FLS_1 and so on.
        obstacles: Option<String> [not_empty],
        /// Whether the firmware of the robot follows DESIRED_HEADING, DESIRED_SPEED and
        /// DESIRED_DEPTH. Otherwise its devices follow DESIRED_THRUST and the like.
        set_points: bool = false,
        /// Programs for whose turn the world waits in each period, in this order. Default: the world
        /// waits for none.
        lock_step: Vec<String> = Vec::new(),
    }
}

impl Moos {
    /// Creates a connection to a MOOSDB, with the default of the other keys.
    pub fn new(host: String, port: u16, community: Option<String>) -> Self {
        Self {
            host,
            port: u32::from(port),
            community,
            client: "merrow".to_string(),
            prefix: "NAV".to_string(),
            rate_hz: 10.0,
            thrust_gain: 1.0,
            navigation: None,
            sensors: false,
            messages: None,
            contacts: false,
            obstacles: None,
            set_points: false,
            lock_step: Vec::new(),
            at: Places::default(),
        }
    }

    /// Returns these settings with the MOOSDB and the community of others.
    pub fn at_address_of(self, other: &Self) -> Self {
        Self {
            host: other.host.clone(),
            port: other.port,
            community: other.community.clone(),
            ..self
        }
    }
}

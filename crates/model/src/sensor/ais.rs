//! Automatic Identification System (AIS): parameters of transponders and receivers.

use crate::persist::Persist;
use crate::sensor::{ExteroceptiveProperties, ExteroceptiveSensor};
use merrow_math::Vec3;
use merrow_math::rng::Stream;
use merrow_yaml::spec::spec;

spec! {
    /// An AIS transponder that transmits identity, position and motion of a vessel.
    pub struct Ais {
        /// Robot or prop that carries the transponder; for a copy from `repeat` its own name, such
        /// as `usv_3`. Default: fixed in the world.
        robot: Option<String> [not_empty],
        /// Link of the robot.
        link: String [frame] = "base_link".to_string(),
        /// Position of the antenna on the link (forward, left, up), or in the world (east, north,
        /// up) without a robot.
        position_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Class of the transponder.
        class: AisClass = AisClass::B,
        /// Maritime Mobile Service Identity, nine digits.
        mmsi: u32 [in 0.0..=999999999.0],
        /// Name of the vessel; 20 characters are transmitted. Default: the name of this entry.
        ship_name: Option<String>,
        /// Call sign; 7 characters are transmitted.
        call_sign: String = String::new(),
        /// Number of the International Maritime Organization; 0 for none.
        imo: u32 [in 0.0..=1073741823.0] = 0,
        /// Type of ship as defined by the standard: 30 fishing, 36 sailing, 52 tug, 60 passengers,
        /// 70 cargo, 80 tanker.
        ship_type: u32 [in 0.0..=255.0] = 0,
        /// Distances from the antenna to bow, stern, port and starboard.
        extents_m: [f64; 4] [non_negative] = [0.0; 4],
        /// Draught of the vessel.
        draught_m: f64 [in 0.0..=25.5] = 0.0,
        /// Destination; 20 characters are transmitted.
        destination: String = String::new(),
        /// Navigational status: 0 under way, 1 at anchor, 5 moored, 15 not defined.
        status: u32 [in 0.0..=15.0] = 0,
        /// Transmitted power. Default: 12.5 for class A, 2 for class B.
        power_w: Option<f64> [positive],
        /// Standard deviation of each coordinate of the transmitted position.
        position_std_m: f64 [non_negative] = 0.0,
        /// Time of the first transmission.
        start_s: f64 [non_negative] = 0.0,
    }

    /// Class of an AIS transponder.
    pub enum AisClass words {
        /// For ships that are required to carry a transponder.
        A = "a",
        /// For all other vessels.
        B = "b",
    }
}

impl Ais {
    /// Returns the power of the transmitter [W].
    pub fn power(&self) -> f64 {
        self.power_w.unwrap_or(match self.class {
            AisClass::A => 12.5,
            AisClass::B => 2.0,
        })
    }
}

/// AIS transponder of a vessel.
#[derive(Clone, Debug)]
pub struct Transponder {
    /// Name in the world file.
    pub name: String,
    /// Index of the robot and of the link that carry the antenna; `None`: fixed in the world.
    pub on: Option<(usize, usize)>,
    /// Position of the antenna in L, or in W if no link carries it [m].
    pub p: Vec3,
    /// Keys of the transponder.
    pub ais: Ais,
    /// Random number stream of the transponder.
    pub stream: Stream,
}

impl Transponder {
    /// Returns the name of the vessel.
    pub fn ship_name(&self) -> &str {
        self.ais.ship_name.as_deref().unwrap_or(&self.name)
    }
}

spec! {
    /// A receiver of AIS transponders.
    pub struct AisReceiver {
        /// Received power at which half of the messages are decoded.
        sensitivity_dbm: f64 [in -150.0..=0.0] = -107.0,
        /// Standard deviation of received powers.
        fading_std_db: f64 [in 0.0..=40.0] = 3.0,
        /// Attenuation by land and structures in the path.
        shadow_db: f64 [in 0.0..=200.0] = 20.0,
    }
}

impl ExteroceptiveSensor for AisReceiver {
    fn properties(&self) -> ExteroceptiveProperties<'_> {
        ExteroceptiveProperties::new("ais_receiver", 0)
    }
}

/// AIS sentence as received by radio.
#[derive(Clone, Debug, PartialEq, Persist)]
pub struct Sentence {
    /// Time of transmission [ns].
    pub stamp_ns: u64,
    /// Text without the line terminator.
    pub text: String,
}

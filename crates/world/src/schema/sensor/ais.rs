//! What files of the Automatic Identification System may say.

use merrow_yaml::spec::{fieldless_choice, spec};

spec! {
    /// A transponder that tells who a vessel is, where it is and where it goes.
    pub struct AisFile {
        /// The robot or prop that carries it; a copy of a grid by its own name, such as `usv_3`. Without one it is fixed in the world.
        robot: Option<String> [not_empty],
        /// The link of the robot.
        link: String [name] = "base_link".to_string(),
        /// Place of the antenna on the link (forward, left, up), or in the world (east, north, up) if nothing carries it.
        position_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Its class.
        class: AisClassFile = AisClassFile::B,
        /// Maritime Mobile Service Identity, nine digits.
        mmsi: u32 [in 0.0..=999999999.0],
        /// Name of the vessel, of which 20 letters are told; that of this entry if not given.
        ship_name: Option<String>,
        /// Call sign, of which 7 letters are told.
        call_sign: String = String::new(),
        /// Number of the International Maritime Organization; 0 for none.
        imo: u32 [in 0.0..=1073741823.0] = 0,
        /// Kind of ship, by the standard's number: 30 fishing, 36 sailing, 52 tug, 60 passengers, 70 cargo, 80 tanker.
        ship_type: u32 [in 0.0..=255.0] = 0,
        /// From the antenna to bow, stern, port and starboard.
        reach_m: [f64; 4] [non_negative] = [0.0; 4],
        /// Draught.
        draught_m: f64 [in 0.0..=25.5] = 0.0,
        /// Destination, of which 20 letters are told.
        destination: String = String::new(),
        /// Status of navigation: 0 under way, 1 at anchor, 5 moored, 15 not defined.
        status: u32 [in 0.0..=15.0] = 0,
        /// Power sent; 12.5 of class A and 2 of class B if not given.
        power_w: Option<f64> [positive],
        /// Standard deviation of each axis of the position that it tells.
        position_std_m: f64 [non_negative] = 0.0,
        /// When it begins to send.
        start_s: f64 [non_negative] = 0.0,
    }
}

fieldless_choice! {
    /// Class of a transponder.
    pub enum AisClassFile {
        /// Of ships that must have one.
        A = "a",
        /// Of others.
        B = "b",
    }
}

spec! {
    /// A receiver of these transponders.
    pub struct AisReceiverFile {
        /// Power at which half of the messages are read.
        sensitivity_dbm: f64 [in -150.0..=0.0] = -107.0,
        /// Standard deviation of received powers.
        fading_std_db: f64 [in 0.0..=40.0] = 3.0,
        /// What land and structures in the way take.
        shadow_db: f64 [in 0.0..=200.0] = 20.0,
    }
}

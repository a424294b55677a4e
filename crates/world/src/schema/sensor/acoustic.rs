//! Keys of acoustic beacons and of the instruments that receive them.

use merrow_yaml::spec::{choice, spec};

spec! {
    /// A beacon: its type and its mounting.
    pub struct BeaconEntry {
        /// Type of the beacon: a name in `params/beacons`, a file, or a map.
        beacon: BeaconConfig,
        /// Robot or prop that carries the beacon; for a copy from `repeat` its own name, such as
        /// `rov_3`. Default: fixed in the world.
        robot: Option<String> [not_empty],
        /// Link of the robot.
        link: String [name] = "base_link".to_string(),
        /// Position on the link (forward, left, up), or in the world (east, north, up) without a
        /// robot.
        position_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Time of the first ping of a pinger.
        start_s: f64 [non_negative] = 0.0,
    }
}

spec! {
    /// Type of a beacon.
    pub struct BeaconConfig {
        /// Description of the beacon.
        description: String = String::new(),
        /// Source of the parameter values.
        source: String [not_empty],
        /// Values that are from memory or estimated, and the reason.
        estimated: String = String::new(),
        /// Frequency of the transmitted sound.
        frequency_khz: f64 [in 1.0..=500.0],
        /// Source level at 1 m, re 1 uPa.
        source_level_db: f64 [in 100.0..=240.0],
        ..sends: TransmissionConfig,
    }
}

choice! {
    /// Event at which a beacon transmits.
    pub enum TransmissionConfig {
        /// Transmits by its own clock.
        Pinger = "pinger" {
            /// Time between two pings.
            period_s: f64 [in 0.01..=86400.0],
        },
        /// Replies to the interrogation of an instrument.
        Transponder = "transponder" (TransponderConfig),
        /// Transmits when the positioning system that shares its clock samples.
        Locator = "locator",
    }
}

spec! {
    /// Reply of a transponder.
    pub struct TransponderConfig {
        /// Delay between the interrogation and the reply.
        turn_around_s: f64 [in 0.0..=60.0] = 0.0,
        ..ear: ReceiverConfig,
    }
}

spec! {
    /// Sensitivity of a receiver.
    pub struct ReceiverConfig {
        /// Bandwidth of the detector.
        bandwidth_khz: f64 [positive] = 1.0,
        /// Spectral level of the self noise, re 1 uPa2/Hz.
        self_noise_db: f64 [in -100.0..=200.0] = 30.0,
        /// Signal-to-noise ratio at which half of the signals are detected.
        threshold_db: f64 [in -60.0..=100.0] = 10.0,
        /// Standard deviation of received levels.
        fading_std_db: f64 [in 0.0..=40.0] = 3.0,
    }
}

spec! {
    /// A small array that receives pingers.
    pub struct HydrophoneConfig {
        /// Whether the array knows the time of the pings and can therefore measure the range.
        synchronised: bool = true,
        ..hearing: ReceptionConfig,
    }
}

spec! {
    /// A small array that interrogates transponders and measures their positions (USBL).
    pub struct UsblConfig {
        /// Frequency of the interrogation.
        frequency_khz: f64 [in 1.0..=500.0],
        /// Source level of the interrogation at 1 m, re 1 uPa.
        source_level_db: f64 [in 100.0..=240.0],
        /// Names of the transponders to interrogate, one per sample. Default: all in its band.
        targets: Option<Vec<String>> [not_empty],
        ..placing: CarrierConfig,
    }
}

spec! {
    /// An instrument that interrogates several transponders at once and computes its own position
    /// from their ranges (LBL).
    pub struct LblConfig {
        /// Frequency of the interrogation.
        frequency_khz: f64 [in 1.0..=500.0],
        /// Source level of the interrogation at 1 m, re 1 uPa.
        source_level_db: f64 [in 100.0..=240.0],
        /// Names of the transponders to interrogate. Default: all in its band.
        targets: Option<Vec<String>> [not_empty],
        /// Standard deviation of each coordinate of a surveyed transponder position.
        survey_std_m: f64 [non_negative] = 0.0,
        /// Standard deviation of its own depth sensor. Default: the position is computed from
        /// ranges alone.
        depth_std_m: Option<f64> [positive],
        ..hearing: ReceptionConfig,
    }
}

spec! {
    /// Receivers on a ship or a quay that measure the positions of locators (SBL).
    pub struct SblConfig {
        /// Positions of the receivers in the sensor frame (forward, left, up).
        receivers_m: Vec<[f64; 3]> [not_empty],
        /// Names of the locators. Default: all in its band.
        targets: Option<Vec<String>> [not_empty],
        /// Standard deviation of the depth that a locator transmits. Default: the position is
        /// computed from ranges alone.
        depth_std_m: Option<f64> [positive],
        ..placing: CarrierConfig,
    }
}

spec! {
    /// Position and attitude of the carrier of an instrument, for the transformation of
    /// measurements to the world.
    pub struct CarrierConfig {
        /// Standard deviations of roll, pitch and heading of the carrier. Default: positions are
        /// reported in the instrument frame only.
        carrier_attitude_std_deg: Option<[f64; 3]> [non_negative],
        /// Standard deviations of the position of the carrier: east, north and up.
        carrier_position_std_m: [f64; 3] [non_negative] = [0.0, 0.0, 0.0],
        ..hearing: ReceptionConfig,
    }
}

spec! {
    /// Reception of an instrument and its errors.
    pub struct ReceptionConfig {
        /// Minimum and maximum frequency of the reception band.
        band_khz: [f64; 2] [in 1.0..=500.0],
        /// Maximum range of the instrument.
        max_range_m: f64 [in 0.1..=20000.0],
        /// Standard deviation of each angle of a bearing, for strong signals.
        bearing_std_deg: f64 [in 0.0..=90.0] = 0.0,
        /// Standard deviation of the misalignment of the array about each axis, drawn once.
        alignment_std_deg: f64 [in 0.0..=90.0] = 0.0,
        /// Standard deviation of a range.
        range_std_m: f64 [non_negative] = 0.0,
        /// Resolution of a range; 0 for none.
        resolution_m: f64 [non_negative] = 0.0,
        /// Speed of sound for the conversion of time to range. Default: the speed of sound at the
        /// instrument.
        sound_speed_m_s: Option<f64> [in 1000.0..=2000.0],
        /// Whether sound propagates along rays bent by refraction; otherwise along straight lines.
        refraction: bool = false,
        ..ear: ReceiverConfig,
    }
}

//! What files of beacons and of the instruments that hear them may say.

use merrow_yaml::spec::{choice, spec};

spec! {
    /// A beacon: where it is, and which.
    pub struct BeaconEntry {
        /// The beacon: a name in `params/beacons`, a file, or a map.
        beacon: BeaconFile,
        /// The robot or prop that carries it; a copy of a grid by its own name, such as `rov_3`. Without one it is fixed in the world.
        robot: Option<String> [not_empty],
        /// The link of the robot.
        link: String [name] = "base_link".to_string(),
        /// Its place on the link (forward, left, up), or in the world (east, north, up) if nothing carries it.
        position_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// First ping of a pinger at this time.
        start_s: f64 [non_negative] = 0.0,
    }
}

spec! {
    /// A beacon as made.
    pub struct BeaconFile {
        /// What it is.
        description: String = String::new(),
        /// Where the figures come from.
        source: String [not_empty],
        /// Figures that are from memory or guessed, and why.
        estimated: String = String::new(),
        /// Frequency that it sends.
        frequency_khz: f64 [in 1.0..=500.0],
        /// Level of the source at 1 m, re 1 uPa.
        source_level_db: f64 [in 100.0..=240.0],
        ..sends: SendsFile,
    }
}

choice! {
    /// When a beacon sends.
    pub enum SendsFile {
        /// By its own clock.
        Pinger = "pinger" {
            /// From ping to ping.
            period_s: f64 [in 0.01..=86400.0],
        },
        /// When an instrument asks it.
        Transponder = "transponder" (TransponderFile),
        /// When the system that shares its clock samples.
        Locator = "locator",
    }
}

spec! {
    /// How a transponder replies.
    pub struct TransponderFile {
        /// From the question to the reply.
        turn_around_s: f64 [in 0.0..=60.0] = 0.0,
        ..ear: EarFile,
    }
}

spec! {
    /// How well something hears.
    pub struct EarFile {
        /// Bandwidth of the detector.
        bandwidth_khz: f64 [positive] = 1.0,
        /// Spectral level of its own noise, re 1 uPa2/Hz.
        self_noise_db: f64 [in -100.0..=200.0] = 30.0,
        /// Level over the noise at which half of the signals are heard.
        threshold_db: f64 [in -60.0..=100.0] = 10.0,
        /// Standard deviation of received levels.
        fading_std_db: f64 [in 0.0..=40.0] = 3.0,
    }
}

spec! {
    /// A small array that hears pingers.
    pub struct HydrophoneFile {
        /// Whether it knows when they ping, so that it can tell the range.
        synchronised: bool = true,
        ..hearing: HearingFile,
    }
}

spec! {
    /// A small array that asks transponders and tells where they are.
    pub struct UsblFile {
        /// Frequency of the question.
        frequency_khz: f64 [in 1.0..=500.0],
        /// Level of the question at 1 m, re 1 uPa.
        source_level_db: f64 [in 100.0..=240.0],
        /// Transponders that it asks, one a sample, by name; all in its band if not given.
        targets: Option<Vec<String>> [not_empty],
        ..placing: PlacingFile,
    }
}

spec! {
    /// An instrument that asks several transponders at once and tells its own place by their ranges.
    pub struct LblFile {
        /// Frequency of the question.
        frequency_khz: f64 [in 1.0..=500.0],
        /// Level of the question at 1 m, re 1 uPa.
        source_level_db: f64 [in 100.0..=240.0],
        /// Transponders that it asks, by name; all in its band if not given.
        targets: Option<Vec<String>> [not_empty],
        /// Standard deviation of each axis of a transponder's surveyed place.
        survey_std_m: f64 [non_negative] = 0.0,
        /// Standard deviation of its own depth gauge; without it the place is found by ranges alone.
        depth_std_m: Option<f64> [positive],
        ..hearing: HearingFile,
    }
}

spec! {
    /// Receivers on a ship or a quay that tell where locators are.
    pub struct SblFile {
        /// Places of the receivers in the sensor's frame (forward, left, up).
        receivers_m: Vec<[f64; 3]> [not_empty],
        /// Locators, by name; all in its band if not given.
        targets: Option<Vec<String>> [not_empty],
        /// Standard deviation of the depth that a locator tells; without it the place is found by ranges alone.
        depth_std_m: Option<f64> [positive],
        ..placing: PlacingFile,
    }
}

spec! {
    /// What is known of the carrier of an instrument, which turns places into the world.
    pub struct PlacingFile {
        /// Standard deviations of roll, pitch and heading of the carrier; without them places are told in the instrument's frame alone.
        carrier_attitude_std_deg: Option<[f64; 3]> [non_negative],
        /// Standard deviations of the carrier's place, east, north and up.
        carrier_position_std_m: [f64; 3] [non_negative] = [0.0, 0.0, 0.0],
        ..hearing: HearingFile,
    }
}

spec! {
    /// How an instrument hears, and how it errs.
    pub struct HearingFile {
        /// Least and greatest frequency that it hears.
        band_khz: [f64; 2] [in 1.0..=500.0],
        /// Greatest range.
        max_range_m: f64 [in 0.1..=20000.0],
        /// Standard deviation of either angle of a bearing, of strong signals.
        bearing_std_deg: f64 [in 0.0..=90.0] = 0.0,
        /// Standard deviation of the turn of the array about each axis, drawn once.
        alignment_std_deg: f64 [in 0.0..=90.0] = 0.0,
        /// Standard deviation of a range.
        range_std_m: f64 [non_negative] = 0.0,
        /// Step of a range.
        resolution_m: f64 [non_negative] = 0.0,
        /// Speed of sound by which time becomes range; that at the instrument if not given.
        sound_speed_m_s: Option<f64> [in 1000.0..=2000.0],
        /// Whether sound goes along rays that the water bends; else straight.
        ray_bent: bool = false,
        ..ear: EarFile,
    }
}

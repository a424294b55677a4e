//! What a robot's file may say of its firmware.

use merrow_yaml::spec::{choice, spec};

choice! {
    /// A stock firmware.
    pub enum FirmwareFile {
        /// Flies a multirotor by velocity commands.
        Multirotor = "multirotor" (MultirotorFile),
        /// Holds heading and depth of a torpedo-shaped vehicle with rudder and planes.
        Course = "course" (CourseFile),
        /// Drives wheels on both sides by velocity commands.
        Drive = "differential_drive" (DriveFile),
        /// Drives a surface vehicle by velocity commands.
        Vessel = "vessel" (VesselFile),
    }
}

spec! {
    /// The firmware of a multirotor. Gains along and about the base's axes.
    pub struct MultirotorFile {
        /// What it is.
        description: String = String::new(),
        /// Where the figures come from.
        source: String [not_empty],
        /// Figures that are guessed, and why.
        estimated: String = String::new(),
        /// Ticks per second.
        rate_hz: f64 [in 10.0..=10000.0] = 250.0,
        /// Age at which a velocity command no longer counts.
        command_timeout_s: f64 [positive] = 0.5,
        /// Force per position error.
        position_gain_n_m: [f64; 3] [non_negative],
        /// Force per velocity error.
        velocity_gain_n_s_m: [f64; 3] [non_negative],
        /// Moment per attitude error.
        attitude_gain_n_m_rad: [f64; 3] [non_negative],
        /// Moment per error of the angular velocity.
        rate_gain_n_m_s_rad: [f64; 3] [non_negative],
        /// Largest speed along the ground, up and down.
        max_speed_m_s: [f64; 3] [positive] = [5.0, 2.0, 1.5],
        /// Largest yaw rate.
        max_yaw_rate_rad_s: f64 [positive] = 1.5,
        /// Largest change of the wanted velocity.
        max_acceleration_m_s2: f64 [positive] = 3.0,
        /// Largest tilt that it asks for.
        max_tilt_deg: f64 [in 1.0..=80.0] = 35.0,
        /// How far the wanted place may lead the vehicle.
        leash_m: f64 [positive] = 1.5,
        /// Height over the start to which it takes off.
        takeoff_height_m: f64 [positive] = 1.5,
        /// Speeds of taking off and of landing.
        auto_speed_m_s: [f64; 2] [positive] = [1.0, 0.5],
        /// Whether it flies from the start of the run.
        starts_flying: bool = false,
    }
}

spec! {
    /// The heading and depth hold. Angles of fins per error.
    pub struct CourseFile {
        /// What it is.
        description: String = String::new(),
        /// Where the figures come from.
        source: String [not_empty],
        /// Figures that are guessed, and why.
        estimated: String = String::new(),
        /// Ticks per second.
        rate_hz: f64 [in 0.1..=10000.0] = 10.0,
        /// The fin that is its rudder: a positive angle turns to the right.
        rudder: String [frame] = "rudder".to_string(),
        /// Its stern planes: a positive angle puts the nose down.
        stern_planes: String [frame] = "stern_planes".to_string(),
        /// Its bow planes, if it has any: a positive angle puts the nose up.
        bow_planes: Option<String> [frame],
        /// Rudder over heading error.
        heading_gain: f64 [non_negative],
        /// Rudder over yaw rate.
        yaw_rate_gain_s: f64 [non_negative],
        /// Pitch over depth error.
        depth_gain_rad_m: f64 [non_negative],
        /// Pitch over sinking speed [rad s/m].
        sinking_gain: f64 [non_negative],
        /// Stern planes over pitch error.
        pitch_gain: f64 [non_negative],
        /// Stern planes over pitch rate.
        pitch_rate_gain_s: f64 [non_negative],
        /// Bow planes over stern planes.
        bow_part: f64 [non_negative] = 0.0,
        /// Steepest pitch down (negative) and up.
        pitch_limits_deg: [f64; 2],
        /// How it starts with the run; it waits for its first set-point if not given.
        start: Option<CourseStartFile>,
    }
}

spec! {
    /// A start with the run: heading and depth are held as they are then.
    pub struct CourseStartFile {
        /// The thruster that is set going.
        propeller: String [frame] = "propeller".to_string(),
        /// Its command, in its own unit; `thrusters/...` may change it later.
        command: f64,
    }
}

spec! {
    /// The firmware of a differential drive.
    pub struct DriveFile {
        /// What it is.
        description: String = String::new(),
        /// Where the figures come from.
        source: String [not_empty],
        /// Figures that are guessed, and why.
        estimated: String = String::new(),
        /// Ticks per second.
        rate_hz: f64 [in 1.0..=10000.0] = 50.0,
        /// Age at which a velocity command no longer counts.
        command_timeout_s: f64 [positive] = 0.5,
        /// Joints of the wheels on the left, with servos.
        left: Vec<String> [not_empty],
        /// Joints of the wheels on the right.
        right: Vec<String> [not_empty],
        /// Radius of the wheels.
        wheel_radius_m: f64 [positive],
        /// Distance between the sides that it reckons with.
        track_m: f64 [positive],
        /// Largest speed.
        max_speed_m_s: f64 [positive],
        /// Largest yaw rate.
        max_yaw_rate_rad_s: f64 [positive],
        /// Largest change of the speed.
        max_acceleration_m_s2: f64 [positive] = 1.0,
        /// Largest change of the yaw rate.
        max_yaw_acceleration_rad_s2: f64 [positive] = 2.0,
    }
}

spec! {
    /// The firmware of a surface vehicle. Thrust and moment per error, for the thrusters as the allocation has them.
    pub struct VesselFile {
        /// What it is.
        description: String = String::new(),
        /// Where the figures come from.
        source: String [not_empty],
        /// Figures that are guessed, and why.
        estimated: String = String::new(),
        /// Ticks per second.
        rate_hz: f64 [in 1.0..=10000.0] = 20.0,
        /// Age at which a velocity command no longer counts.
        command_timeout_s: f64 [positive] = 1.0,
        /// Thrust per error of the speed.
        speed_gain_n_s_m: f64 [non_negative],
        /// Thrust per metre lost.
        speed_integral_n_m: f64 [non_negative],
        /// Moment per error of the yaw rate.
        yaw_rate_gain_n_m_s_rad: f64 [non_negative],
        /// Moment per angle lost.
        yaw_integral_n_m_rad: f64 [non_negative],
        /// Largest speed.
        max_speed_m_s: f64 [positive],
        /// Largest yaw rate.
        max_yaw_rate_rad_s: f64 [positive],
        /// Largest change of the wanted speed.
        max_acceleration_m_s2: f64 [positive] = 0.5,
        /// Largest change of the wanted yaw rate.
        max_yaw_acceleration_rad_s2: f64 [positive] = 0.5,
    }
}

impl FirmwareFile {
    /// Source of its figures, and which are guessed.
    pub fn about(&self) -> (&str, &str) {
        match self {
            FirmwareFile::Multirotor(file) => (&file.source, &file.estimated),
            FirmwareFile::Course(file) => (&file.source, &file.estimated),
            FirmwareFile::Drive(file) => (&file.source, &file.estimated),
            FirmwareFile::Vessel(file) => (&file.source, &file.estimated),
        }
    }
}

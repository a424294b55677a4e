//! The lists of sensors, readings and frames, as macros that apply another macro to them.

/// Calls the macro `$then` with all kinds of sensors that are evaluated in the step: the name of
/// the kind, the types of its parameters and of its reading, and its `StepProperties`.
#[macro_export]
macro_rules! each_step_sensor {
    ($then:ident) => {
        $then! {
            /// Gyro and accelerometer, optionally with attitude.
            Imu($crate::sensor::inertial::ImuSpec) -> $crate::sensor::inertial::Imu
                { name: "imu", fault_channels: &["gyro", "accelerometer"] },
            /// Gyro, accelerometer and the attitude from a filter that also uses a magnetometer.
            Ahrs($crate::sensor::inertial::AhrsSpec) -> $crate::sensor::inertial::Imu
                { name: "ahrs", fault_channels: &["gyro", "accelerometer"],
                  workload: Workload::AttitudeFilter, is_magnetic: true },
            /// Inertial navigation, with or without aiding sensors.
            Ins($crate::sensor::inertial::InsSpec) -> $crate::sensor::inertial::Navigation
                { name: "ins", fault_channels: &["gyro", "accelerometer"],
                  workload: Workload::Filter },
            /// GNSS receiver for position and velocity.
            Gnss($crate::sensor::gnss::GnssSpec) -> $crate::sensor::gnss::Gnss
                { name: "gnss", is_gnss_receiver: true },
            /// Heading from two GNSS antennas.
            GnssHeading($crate::sensor::gnss::HeadingReceiver) -> $crate::sensor::gnss::Heading
                { name: "gnss_heading", is_gnss_receiver: true },
            /// Doppler velocity log (DVL).
            Dvl($crate::sensor::water::DvlSpec) -> $crate::sensor::water::Dvl { name: "dvl" },
            /// Absolute pressure sensor [Pa].
            Pressure($crate::sensor::water::PressureSpec) -> $crate::sensor::water::Pressure
                { name: "pressure" },
            /// Three-axis magnetometer that measures the field [T].
            Magnetometer($crate::sensor::inertial::MagnetometerSpec) -> $crate::sensor::inertial::Magnetometer
                { name: "magnetometer", is_magnetic: true },
            /// Single-beam echo sounder along its x axis [m].
            Altimeter($crate::sensor::water::AltimeterSpec) -> $crate::sensor::water::Altimeter
                { name: "altimeter" },
            /// Ground truth of pose and velocity.
            Odometry($crate::sensor::vehicle::OdometrySpec) -> $crate::sensor::vehicle::Odometry
                { name: "odometry" },
            /// Force and torque through the joint of the sensor's link, at So and expressed in S.
            Wrench($crate::sensor::vehicle::WrenchSpec) -> $crate::sensor::vehicle::Wrench
                { name: "wrench" },
            /// Probe of one quantity of the water.
            Probe($crate::sensor::water::ProbeSpec) -> $crate::sensor::water::Probe
                { name: "probe" },
            /// Conductivity, temperature and pressure (CTD).
            Ctd($crate::sensor::water::CtdSpec) -> $crate::sensor::water::Ctd
                { name: "ctd", fault_channels: &["temperature", "conductivity", "pressure"],
                  workload: Workload::Filter },
            /// Water sampler with bottles.
            WaterSampler($crate::sensor::water::SamplerSpec) -> $crate::state::bottle::Bottle
                { name: "water_sampler", skips_lost_samples: true },
            /// Barometer: air pressure [Pa].
            Barometer($crate::sensor::vehicle::BarometerSpec) -> $crate::sensor::water::Pressure
                { name: "barometer" },
            /// Wind speed and direction.
            Anemometer($crate::sensor::vehicle::AnemometerSpec) -> $crate::sensor::vehicle::Wind
                { name: "anemometer", fault_channels: &["speed", "direction"] },
            /// Detector of water in the hull.
            LeakDetector($crate::sensor::vehicle::LeakDetector) -> $crate::sensor::vehicle::Leak
                { name: "leak_detector" },
            /// Telemetry of a motor controller.
            Motor($crate::sensor::vehicle::MotorSpec) -> $crate::sensor::vehicle::Motor
                { name: "motor_telemetry",
                  fault_channels: &["speed", "current", "voltage", "temperature"] },
            /// Voltage, current and charge of the battery.
            PowerMeter($crate::sensor::vehicle::PowerSpec) -> $crate::sensor::vehicle::Power
                { name: "power_meter", fault_channels: &["voltage", "current"] },
        }
    };
}

/// Calls the macro `$then` with all kinds of readings: the tag in checkpoints, the name of the kind
/// and its type.
#[macro_export]
macro_rules! each_reading {
    ($then:ident) => {
        $then! {
            /// Inertial measurement (IMU or AHRS).
            Imu($crate::sensor::inertial::Imu),
            /// Position fix of a GNSS receiver.
            Gnss($crate::sensor::gnss::Gnss),
            /// Heading from two GNSS antennas.
            Heading($crate::sensor::gnss::Heading),
            /// Position, velocity and attitude of an INS.
            Navigation($crate::sensor::inertial::Navigation),
            /// Velocity over ground or through the water.
            Dvl($crate::sensor::water::Dvl),
            /// Absolute pressure of the water.
            Pressure($crate::sensor::water::Pressure),
            /// Magnetic field in S.
            Magnetometer($crate::sensor::inertial::Magnetometer),
            /// Range to the seabed.
            Altimeter($crate::sensor::water::Altimeter),
            /// Ground truth pose and velocity.
            Odometry($crate::sensor::vehicle::Odometry),
            /// Force and torque through a joint.
            Wrench($crate::sensor::vehicle::Wrench),
            /// One quantity of the water.
            Probe($crate::sensor::water::Probe),
            /// Conductivity, temperature and pressure.
            Ctd($crate::sensor::water::Ctd),
            /// Bottle of a water sampler.
            Bottle($crate::state::bottle::Bottle),
            /// Apparent wind at the sensor.
            Wind($crate::sensor::vehicle::Wind),
            /// Leak detection in the hull.
            Leak($crate::sensor::vehicle::Leak),
            /// Telemetry of a motor controller.
            Motor($crate::sensor::vehicle::Motor),
            /// Voltage, current and charge of the battery.
            Power($crate::sensor::vehicle::Power),
        }
    };
}

/// Calls the macro `$then` with all kinds of exteroceptive sensors: the name of the kind and the
/// type of its parameters.
#[macro_export]
macro_rules! each_exteroceptive_sensor {
    ($then:ident) => {
        $then! {
            /// Scanning laser, planar or multi-ring.
            Laser($crate::sensor::laser::LaserSpec),
            /// Camera with lens, exposure and noise.
            Camera($crate::sensor::camera::CameraSpec),
            /// Active sonar of any type.
            Sonar($crate::sensor::sonar::SonarSpec),
            /// Acoustic positioning instrument (hydrophone, USBL, LBL, SBL).
            Acoustic($crate::sensor::acoustic::AcousticSpec),
            /// Obstacle detector, from the echoes of another sensor or from the obstacles of the
            /// world file.
            Obstacles($crate::sensor::obstacle::DetectorSpec),
            /// Receiver of AIS messages.
            Ais($crate::sensor::ais::AisReceiver),
            /// Navigation radar with rotating antenna.
            Radar($crate::sensor::radar::RadarSpec),
        }
    };
}

/// Calls the macro `$then` with all kinds of frames: the tag in checkpoints, the name of the kind
/// and its type.
#[macro_export]
macro_rules! each_frame {
    ($then:ident) => {
        $then! {
            /// Ranges in a plane (laser).
            Scan($crate::sensor::laser::Scan),
            /// Point cloud of a laser.
            Cloud(Vec<$crate::sensor::laser::Point>),
            /// Images of a camera.
            CameraImages($crate::sensor::camera::CameraImages),
            /// Echoes of a sonar.
            Ping($crate::sensor::sonar::Ping),
            /// Observations of beacons by an acoustic instrument.
            Acoustic($crate::sensor::acoustic::AcousticObservations),
            /// Bounding boxes of obstacles.
            Detections(Vec<$crate::sensor::obstacle::Detection>),
            /// Echoes that the detector accumulates with the echoes of earlier samples.
            Echoes($crate::sensor::obstacle::EchoSet),
            /// Spokes of a radar.
            Sweep($crate::sensor::radar::Sweep),
            /// AIS sentences of a receiver.
            Sentences(Vec<$crate::sensor::ais::Sentence>),
        }
    };
}

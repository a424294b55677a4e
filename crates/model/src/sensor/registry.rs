//! The lists of sensors, readings and frames, as macros that apply another macro to them.

/// Calls the macro `$then` with all kinds of sensors that are evaluated in the step: the name of
/// the kind and the type of its parameters.
#[macro_export]
macro_rules! each_step_sensor {
    ($then:ident) => {
        $then! {
            /// Gyro and accelerometer, optionally with attitude.
            Imu($crate::sensor::inertial::ImuSpec),
            /// Gyro, accelerometer and the attitude from a filter that also uses a magnetometer.
            Ahrs($crate::sensor::inertial::AhrsSpec),
            /// Inertial navigation, with or without aiding sensors.
            Ins($crate::sensor::inertial::InsSpec),
            /// GNSS receiver for position and velocity.
            Gnss($crate::sensor::gnss::GnssSpec),
            /// Heading from two GNSS antennas.
            GnssHeading($crate::sensor::gnss::HeadingReceiver),
            /// Doppler velocity log (DVL).
            Dvl($crate::sensor::water::DvlSpec),
            /// Absolute pressure sensor [Pa].
            Pressure($crate::sensor::water::PressureSpec),
            /// Three-axis magnetometer that measures the field [T].
            Magnetometer($crate::sensor::inertial::MagnetometerSpec),
            /// Single-beam echo sounder along its x axis [m].
            Altimeter($crate::sensor::water::AltimeterSpec),
            /// Ground truth of pose and velocity.
            Odometry($crate::sensor::vehicle::OdometrySpec),
            /// Force and torque through the joint of the sensor's link, at So and expressed in S.
            Wrench($crate::sensor::vehicle::WrenchSpec),
            /// Probe of one quantity of the water.
            Probe($crate::sensor::water::ProbeSpec),
            /// Conductivity, temperature and pressure (CTD).
            Ctd($crate::sensor::water::CtdSpec),
            /// Water sampler with bottles.
            WaterSampler($crate::sensor::water::SamplerSpec),
            /// Barometer: air pressure [Pa].
            Barometer($crate::sensor::vehicle::BarometerSpec),
            /// Wind speed and direction.
            Anemometer($crate::sensor::vehicle::AnemometerSpec),
            /// Detector of water in the hull.
            LeakDetector($crate::sensor::vehicle::LeakDetector),
            /// Telemetry of a motor controller.
            Motor($crate::sensor::vehicle::MotorSpec),
            /// Voltage, current and charge of the battery.
            PowerMeter($crate::sensor::vehicle::PowerSpec),
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

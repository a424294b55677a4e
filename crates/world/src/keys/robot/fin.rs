//! Keys of fins, rudders, hydroplanes, sails and azimuth servos.

use crate::keys::Axes;
use merrow_model::scene::robot::fin::FinServo;
use merrow_yaml::spec::spec;

spec! {
    /// A fin, rudder, hydroplane or sail: its type and its mounting.
    pub struct FinConfig {
        /// Type of the fin: a name in `params/fins`, a file, or a map.
        surface: FinTypeConfig,
        /// Link on which the fin is mounted.
        link: String [frame] = "base_link".to_string(),
        /// Axes of `position_m`, `shaft` and `chord`.
        axes: Axes = Axes::Flu,
        /// Point of the shaft at half span, relative to the link origin.
        position_m: [f64; 3],
        /// Direction of the shaft in the link frame; angles are positive right-handed about it.
        shaft: [f64; 3],
        /// Direction of the chord at angle 0, from the trailing to the leading edge. Its component
        /// along the shaft is ignored.
        chord: [f64; 3] = [1.0, 0.0, 0.0],
        /// Whether the coefficients of the hull contain lift and drag of the fin at incidence, as
        /// in published coefficient sets of whole vehicles. If true, the laws `fossen` and
        /// `derivative` apply unchanged up to an incidence of 30 degrees. Otherwise the part of
        /// their force that would accelerate the fin is removed.
        incidence_in_hull: bool = false,
        /// Propeller slipstream at the fin. Default: none.
        slipstream: Option<SlipstreamConfig>,
    }

    /// Servo that turns a thruster about a shaft.
    pub struct AzimuthConfig {
        /// Direction of the shaft, perpendicular to the direction of thrust; angles are positive
        /// right-handed about it.
        shaft: [f64; 3] = [0.0, 0.0, 1.0],
        ..servo: FinServo,
    }

    /// Slipstream of a propeller at a fin.
    pub struct SlipstreamConfig {
        /// Name of the thruster, on the same link.
        thruster: String [frame],
        /// Fraction of the fin area within the slipstream.
        area_fraction: f64 [fraction] = 1.0,
        /// Development of the slipstream at the fin: 0.5 at the propeller disc, 1 far downstream,
        /// where it has its final speed.
        development: f64 [fraction] = 1.0,
    }

    /// Type of a fin, with its servo.
    pub struct FinTypeConfig {
        /// Description of the fin.
        description: String = String::new(),
        /// Source of the parameter values.
        source: String [not_empty],
        /// Values that are unverified or estimated, and the reason.
        estimated: String = String::new(),
        /// Area of the fin.
        area_m2: f64 [positive],
        /// Span along the shaft.
        span_m: f64 [positive],
        /// Distance of the centre of pressure behind the shaft, along the chord.
        center_of_pressure_m: f64 = 0.0,
        /// Whether it is a sail in the wind. The angle of a sail is the maximum boom angle to
        /// either side that the sheet allows.
        sail: bool = false,
        /// Force as a function of flow and angle.
        law: FinLawConfig,
        ..servo: FinServo,
    }

    /// Force law of a fin.
    pub enum FinLawConfig {
        /// Lift and drag as a function of the angle of attack, with a transition to a flat plate at
        /// stall.
        LiftDrag = "lift_drag" (LiftDragConfig),
        /// Measured lift and drag coefficients.
        Table = "table" (FinTableConfig),
        /// Coefficients along the axes of the fin, as in Thetis: `normal_slope_per_rad` times
        /// sin(alpha) normal to the chord, `axial` times cos(alpha) along it.
        Chord = "chord" {
            /// Slope of the normal coefficient.
            normal_slope_per_rad: f64 [positive],
            /// Coefficient along the chord.
            axial: f64 [non_negative] = 0.0,
        },
        /// Linear rudder of Fossen: lift proportional to the rudder angle, with the speed of the
        /// link origin.
        Fossen = "fossen" {
            /// Lift coefficient per rudder angle.
            lift_slope_per_rad: f64 [positive],
        },
        /// A derivative such as Y_uudr: force = coefficient times u|u| times angle, positive along
        /// shaft x chord.
        Derivative = "derivative" {
            /// Force per u|u| and per radian of angle.
            coefficient_n_s2_per_m2: f64 [positive],
        },
    }

    /// Lift and drag as a function of the angle of attack, with a transition to a flat plate at
    /// stall.
    pub struct LiftDragConfig {
        /// Slope of the lift coefficient. Default: computed from the aspect ratio.
        lift_slope_per_rad: Option<f64> [positive],
        /// Aspect ratio for lift and induced drag. Default: span squared divided by area. For a
        /// fin whose root is at a hull, include its mirror image.
        aspect_ratio: Option<f64> [positive],
        /// Drag coefficient at zero lift.
        drag: f64 [non_negative] = 0.01,
        /// Oswald efficiency factor of the induced drag.
        oswald: f64 [positive] = 0.9,
        /// Angle of attack at which half of the lift is lost.
        stall_deg: f64 [in 1.0..=60.0] = 20.0,
        /// Sharpness of the stall.
        stall_sharpness_per_rad: f64 [in 1.0..=200.0] = 30.0,
        /// Drag coefficient at an angle of attack of 90 degrees.
        broadside_drag: f64 [non_negative] = 1.2,
    }

    /// Measured lift and drag coefficients.
    pub struct FinTableConfig {
        /// Angles of attack in increasing order: from -180 to 180, or from 0 to 180 for a
        /// symmetric fin.
        alpha_deg: Vec<f64> [not_empty],
        /// Lift coefficients, one per angle.
        lift: Vec<f64> [not_empty],
        /// Drag coefficients, one per angle.
        drag: Vec<f64> [not_empty, non_negative],
    }
}

//! What a world file may say of fins, rudders and planes.

use crate::schema::Axes;
use crate::schema::energy::ServoPowerFile;
use merrow_yaml::spec::{choice, spec};

spec! {
    /// A fin, rudder or plane: where it is, and which.
    pub struct FinFile {
        /// The fin: a name in `params/fins`, a file, or a map.
        surface: SurfaceFile,
        /// Link that carries it.
        link: String [frame] = "base_link".to_string(),
        /// Axes of position, shaft and chord.
        axes: Axes = Axes::Flu,
        /// Point of its shaft in the middle of its span.
        position_m: [f64; 3],
        /// Its shaft: angles are positive right-handed about it.
        shaft: [f64; 3],
        /// Its chord at angle 0, from the trailing to the leading edge; what of it lies along the shaft does not count.
        chord: [f64; 3] = [1.0, 0.0, 0.0],
        /// Propeller whose race washes it.
        race: Option<RaceFile>,
    }
}

spec! {
    /// What turns a thruster about a shaft.
    pub struct AzimuthFile {
        /// Its shaft, square to the direction of thrust: angles are positive right-handed about it.
        shaft: [f64; 3] = [0.0, 0.0, 1.0],
        /// Lowest and highest angle.
        range_deg: [f64; 2],
        /// Largest rate; without it there is none.
        rate_deg_s: Option<f64> [positive],
        /// Time constant.
        time_constant_s: f64 [non_negative] = 0.0,
        /// Time between a command and its effect on the servo.
        dead_time_s: f64 [in 0.0..=10.0] = 0.0,
        /// What the servo draws.
        power: ServoPowerFile => "{}",
    }
}

spec! {
    /// A propeller's race at a fin.
    pub struct RaceFile {
        /// The thruster, on the same link.
        thruster: String [frame],
        /// Part of the fin's area that lies in the race.
        part: f64 [fraction] = 1.0,
        /// How far the race has come up to its final speed at the fin: 0.5 at the disc, 1 far behind.
        development: f64 [fraction] = 1.0,
    }
}

spec! {
    /// A fin as made, with its servo.
    pub struct SurfaceFile {
        /// What it is.
        description: String = String::new(),
        /// Where the figures come from.
        source: String [not_empty],
        /// Figures that are guessed, and why.
        estimated: String = String::new(),
        /// Area.
        area_m2: f64 [positive],
        /// Span along the shaft.
        span_m: f64 [positive],
        /// How far behind the shaft the force acts, along the chord.
        center_of_pressure_m: f64 = 0.0,
        /// Whether it is a sail: it stands in the wind, and its angle is how far the sheet lets the boom out to either side.
        sail: bool = false,
        /// How its force follows from flow and angle.
        law: LawFile,
        /// Lowest and highest angle; the same twice for a fin that does not turn.
        range_deg: [f64; 2],
        /// Largest rate of the servo; without it there is none.
        rate_deg_s: Option<f64> [positive],
        /// Time constant of the servo.
        time_constant_s: f64 [non_negative] = 0.0,
        /// Time between a command and its effect on the servo.
        dead_time_s: f64 [in 0.0..=10.0] = 0.0,
        /// What the servo draws.
        power: ServoPowerFile => "{}",
    }
}

choice! {
    /// A fin's force.
    pub enum LawFile {
        /// Lift and drag over the angle of attack, with stall into a flat plate.
        LiftDrag = "lift_drag" {
            /// Slope of lift; from the aspect ratio if not given.
            lift_slope_per_rad: Option<f64> [positive],
            /// Aspect ratio of lift and induced drag; span squared over area if not given. One whose root ends at a hull counts its mirror image.
            aspect_ratio: Option<f64> [positive],
            /// Drag coefficient without lift.
            drag: f64 [non_negative] = 0.01,
            /// Oswald's efficiency factor, for the induced drag.
            oswald: f64 [positive] = 0.9,
            /// Angle of attack at which half the lift is lost.
            stall_deg: f64 [in 1.0..=60.0] = 20.0,
            /// Sharpness of the stall [1/rad].
            stall_sharpness: f64 [in 1.0..=200.0] = 30.0,
            /// Drag coefficient broadside on.
            broadside_drag: f64 [non_negative] = 1.2,
        },
        /// Measured coefficients.
        Table = "table" {
            /// Angles of attack, rising: from -180 to 180, or from 0 to 180 for a fin that is alike on both sides.
            alpha_deg: Vec<f64> [not_empty],
            /// Lift coefficients, one per angle.
            lift: Vec<f64> [not_empty],
            /// Drag coefficients, one per angle.
            drag: Vec<f64> [not_empty, non_negative],
        },
        /// Coefficients along the fin's own axes, as in Thetis: a sin(alpha) normal to the chord, the other times cos(alpha) along it.
        Chord = "chord" {
            /// Slope of the normal coefficient.
            normal_slope_per_rad: f64 [positive],
            /// Coefficient along the chord.
            axial: f64 [non_negative] = 0.0,
        },
        /// Fossen's linear rudder: lift by the angle alone, from the speed of the link's origin.
        Fossen = "fossen" {
            /// Lift coefficient per angle.
            lift_slope_per_rad: f64 [positive],
        },
        /// A derivative such as Y_uudr: force = coefficient times u|u| times angle, positive along shaft x chord.
        Derivative = "derivative" {
            /// The coefficient.
            coefficient_n_s2_m2: f64 [positive],
        },
    }
}

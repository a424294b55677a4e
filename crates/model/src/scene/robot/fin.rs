//! Control surface (fin, rudder, plane): geometry, force law and servo. The servo of an azimuth
//! thruster is a fin without area.

use crate::scene::robot::energy::ServoPower;
use crate::scene::robot::thruster::interpolate;
use merrow_math::{Mat3, Real, Vec3};
use merrow_yaml::spec::spec;

/// Force law of a fin as a function of flow and angle (equation numbers in
/// `crates/physics/src/forces/actuators/fin.rs`).
#[derive(Clone, Debug, PartialEq)]
pub enum FinLaw {
    /// Lift and drag over the angle of attack: lift slope, induced drag, stall to a flat plate.
    LiftDrag(LiftDrag),
    /// Lift and drag coefficients over the angle of attack [rad], sorted; see [`FinTable`].
    Table(FinTable),
    /// Coefficients along the axes of the fin, as in Thetis.
    Chord {
        /// Slope of the normal-force coefficient [1/rad].
        normal_slope_per_rad: f64,
        /// Axial-force coefficient along the chord.
        axial: f64,
    },
    /// No force; rotates the thruster with this index.
    Azimuth(usize),
    /// Fossen's linear rudder: lift from only the angle, with the speed of the link origin.
    Fossen {
        /// Lift coefficient per angle [1/rad].
        lift_slope_per_rad: f64,
    },
    /// Hydrodynamic derivative such as `Y_uudr`: force along the fin's normal = `coefficient * u|u| *
    /// angle` [N].
    Derivative {
        /// Force per squared forward speed and angle [N s²/(m² rad)].
        coefficient_n_s2_per_m2: f64,
    },
}

/// Lift and drag with stall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LiftDrag {
    /// Lift slope in attached flow [1/rad].
    pub lift_slope_per_rad: f64,
    /// Drag coefficient at zero lift.
    pub drag: f64,
    /// Induced drag per squared lift coefficient, 1/(π e AR).
    pub induced: f64,
    /// Angle of attack at which half the attached lift is lost [rad].
    pub stall: f64,
    /// Sharpness of the stall transition [1/rad].
    pub stall_sharpness_per_rad: f64,
    /// Drag coefficient at 90° incidence.
    pub broadside_drag: f64,
}

/// Lift and drag coefficients over the angle of attack.
#[derive(Clone, Debug, PartialEq)]
pub struct FinTable {
    /// Lift coefficient over the angle of attack [rad], sorted.
    pub lift: Vec<[f64; 2]>,
    /// Drag coefficient over the angle of attack [rad], sorted.
    pub drag: Vec<[f64; 2]>,
    /// True if the table begins at zero; then lift is odd and drag is even.
    pub symmetric: bool,
}

/// Propeller slipstream over the fin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slipstream {
    /// Index of the thruster.
    pub thruster: usize,
    /// Fraction of the fin area inside the slipstream, 0..1.
    pub area_fraction: f64,
    /// Development of the slipstream velocity at the fin: 0.5 at the disc, 1 far downstream.
    pub development: f64,
}

spec! {
    /// Servo of a fin or of an azimuth thruster.
    pub struct FinServo {
        /// Minimum and maximum angle. Equal values: the angle is fixed.
        range_deg: [f64; 2],
        /// Maximum rate of the servo. Default: unlimited.
        rate_deg_s: Option<f64> [positive],
        /// Time constant of the servo.
        time_constant_s: f64 [non_negative] = 0.0,
        /// Time between a command and its effect on the servo.
        dead_time_s: f64 [in 0.0..=10.0] = 0.0,
        /// Power consumption of the servo.
        power: ServoPower => "{}",
    }
}

impl FinServo {
    /// Returns the maximum rate [rad/s]; infinite without a limit.
    #[inline]
    pub fn rate(&self) -> f64 {
        self.rate_deg_s.map_or(f64::INFINITY, f64::to_radians)
    }

    /// Returns the dead time in whole time steps of `dt` [s].
    pub fn dead_steps(&self, dt: f64) -> usize {
        let steps = self.dead_time_s / dt;
        // a world that could not be read has no time step
        if steps <= 1e7 {
            libm::round(steps) as usize
        } else {
            0
        }
    }
}

/// Control surface on a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Fin {
    /// Name; used in the topic, the frame and the joint.
    pub name: String,
    /// Index of the link that carries it.
    pub link: usize,
    /// Point of the shaft at which the force acts, before the shift by `center_of_pressure_m`, in the
    /// link frame L [m].
    pub p_LoF: Vec3,
    /// Axes at angle zero in L: chord forward, normal, shaft.
    pub R_LF: Mat3,
    /// The same point in the user's link frame U [m].
    pub p_UoF_U: Vec3,
    /// The same axes in U.
    pub R_UF: Mat3,
    /// Planform area of the fin [m²].
    pub area_m2: f64,
    /// Span along the shaft [m].
    pub span_m: f64,
    /// Distance of the point of attack behind the shaft, along the chord [m].
    pub center_of_pressure_m: f64,
    /// Force law of the fin.
    pub law: FinLaw,
    /// Minimum and maximum angle [rad]; equal for a fixed fin.
    pub range: [f64; 2],
    /// Servo that turns the fin.
    pub servo: FinServo,
    /// Dead time between command and servo [steps].
    pub dead_steps: usize,
    /// Index of the first delayed command of the fin in `RobotState::fin_delays`.
    pub delay_start: usize,
    /// Propeller slipstream over the fin, if any.
    pub slipstream: Option<Slipstream>,
    /// True if lift and drag of the fin at incidence are part of the coefficients of the hull.
    pub incidence_in_hull: bool,
    /// True for a sail. It is exposed to the wind, and its angle is the limit that the sheet sets
    /// for the boom.
    pub sail: bool,
}

impl Fin {
    /// Returns the mean chord [m].
    #[inline]
    pub fn chord(&self) -> f64 {
        self.area_m2 / self.span_m
    }

    /// Returns true if the fin can be commanded.
    #[inline]
    pub fn is_movable(&self) -> bool {
        self.range[0] < self.range[1]
    }

    /// Returns true if it rotates a thruster.
    #[inline]
    pub fn is_azimuth(&self) -> bool {
        matches!(self.law, FinLaw::Azimuth(_))
    }

    /// Returns the direction of the chord at `angle` [rad], in L.
    pub fn chord_direction<T: Real>(&self, angle: T) -> Vec3<T> {
        let (sin, cos) = angle.sin_cos();
        Vec3::splat(self.R_LF.col(0)).scale(cos) + Vec3::splat(self.R_LF.col(1)).scale(sin)
    }

    /// Returns true if the servo follows without lag and rate limit.
    #[inline]
    pub fn is_ideal(&self) -> bool {
        self.servo.time_constant_s == 0.0 && self.servo.rate().is_infinite()
    }

    /// Returns the angle without a command [rad]: zero, or the nearest angle in the range.
    pub fn neutral(&self) -> f64 {
        0.0_f64.clamp(self.range[0], self.range[1])
    }

    /// Returns the angle [rad] after `t` [s] from `angle` with a constant `target`.
    ///
    /// Solves `d' = clip((target - d)/lag, rate)` exactly: at the rate limit while the error is
    /// large, then exponential decay.
    pub fn servo_angle(&self, angle: f64, target: f64, t: f64) -> f64 {
        let error = target - angle;
        let size = error.abs();
        // magnitude of the error below which the rate limit is inactive
        let rate = self.servo.rate();
        let knee = rate * self.servo.time_constant_s;
        if rate.is_finite() && size > knee {
            let limited_time = (size - knee) / rate;
            if t <= limited_time {
                return angle + (rate * t).copysign(error);
            }
            return target - self.decayed(knee.copysign(error), t - limited_time);
        }
        target - self.decayed(error, t)
    }

    /// Returns the error that remains after `t` [s] due to only the lag.
    fn decayed(&self, error: f64, t: f64) -> f64 {
        if self.servo.time_constant_s > 0.0 {
            error * libm::exp(-t / self.servo.time_constant_s)
        } else {
            0.0
        }
    }
}

impl FinLaw {
    /// Returns the lift and drag coefficients at the angle of attack `alpha` [rad], -π to π; zero
    /// for laws that do not use the angle of attack.
    pub fn coefficients(&self, alpha: f64) -> [f64; 2] {
        let (s, c) = merrow_math::real::sin_cos(alpha);
        match self {
            FinLaw::LiftDrag(law) => law.coefficients(alpha, s, c),
            FinLaw::Table(table) => table.coefficients(alpha),
            FinLaw::Chord {
                normal_slope_per_rad,
                axial,
            } => {
                // n is normal to the chord, x along it; rotated into the flow axes
                let (n, x) = (normal_slope_per_rad * s, axial * c);
                [n * c - x * s, n * s + x * c]
            }
            FinLaw::Azimuth(_) | FinLaw::Fossen { .. } | FinLaw::Derivative { .. } => [0.0; 2],
        }
    }
}

impl LiftDrag {
    fn coefficients(&self, alpha: f64, s: f64, c: f64) -> [f64; 2] {
        let attached = self.lift_slope_per_rad * alpha;
        let stalled = self.stalled(alpha);
        let lift = (1.0 - stalled) * attached + stalled * self.broadside_drag * s * c;
        let drag = self.drag
            + (1.0 - stalled) * self.induced * attached * attached
            + stalled * self.broadside_drag * s * s;
        [lift, drag]
    }

    /// Returns the stalled fraction of the flow, 0..1 [Beard 2012, eq. 4.10].
    fn stalled(&self, alpha: f64) -> f64 {
        let below_stall =
            libm::exp((-self.stall_sharpness_per_rad * (alpha - self.stall)).min(MAX_EXPONENT));
        let above_stall =
            libm::exp((self.stall_sharpness_per_rad * (alpha + self.stall)).min(MAX_EXPONENT));
        (1.0 + below_stall + above_stall) / ((1.0 + below_stall) * (1.0 + above_stall))
    }
}

/// Larger exponents do not change the result and could overflow in a product.
const MAX_EXPONENT: f64 = 300.0;

impl FinTable {
    fn coefficients(&self, alpha: f64) -> [f64; 2] {
        if self.symmetric {
            let lift = interpolate(&self.lift, alpha.abs());
            return [
                if alpha < 0.0 { -lift } else { lift },
                interpolate(&self.drag, alpha.abs()),
            ];
        }
        [
            interpolate(&self.lift, alpha),
            interpolate(&self.drag, alpha),
        ]
    }
}

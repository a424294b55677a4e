//! A fin, rudder or plane: shape, law of its forces, servo, place. The servo that turns an azimuth thruster is one without area.

use crate::scene::robot::energy::ServoPower;
use crate::scene::robot::thruster::interpolate;
use merrow_math::{Mat3, Real, Vec3};

/// How a fin's force follows from flow and angle (`forces/fin.rs` numbers the laws).
#[derive(Clone, Debug, PartialEq)]
pub enum FinLaw {
    /// Lift and drag over the angle of attack: slope, induced drag, stall into a flat plate.
    LiftDrag(LiftDrag),
    /// Lift and drag coefficients over the angle of attack [rad], sorted; see [`FinTable`].
    Table(FinTable),
    /// Coefficients along the fin's own axes, as in Thetis.
    Chord {
        /// Slope of the normal coefficient [1/rad].
        normal_slope: f64,
        /// Coefficient along the chord.
        axial: f64,
    },
    /// None: it turns the thruster of this index.
    Azimuth(usize),
    /// Fossen's linear rudder: lift by angle alone, from the speed of the link's origin.
    Fossen {
        /// Lift coefficient per angle [1/rad].
        slope: f64,
    },
    /// A derivative such as `Y_uudr`: force along the fin's normal = `gain * u|u| * angle` [N s²/m²].
    Derivative {
        /// Force per forward speed squared and angle [N s²/(m² rad)].
        gain: f64,
    },
}

/// Lift and drag with stall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LiftDrag {
    /// Slope of lift where the flow is attached [1/rad].
    pub slope: f64,
    /// Drag coefficient at zero lift.
    pub drag: f64,
    /// Induced drag over lift squared, 1/(π e AR).
    pub induced: f64,
    /// Angle of attack at which half the attached lift is lost [rad].
    pub stall: f64,
    /// Sharpness of the stall [1/rad].
    pub sharpness: f64,
    /// Drag coefficient broadside on.
    pub broadside: f64,
}

/// Lift and drag coefficients over the angle of attack.
#[derive(Clone, Debug, PartialEq)]
pub struct FinTable {
    /// (angle of attack [rad], lift coefficient), sorted.
    pub lift: Vec<(f64, f64)>,
    /// (angle of attack [rad], drag coefficient), sorted.
    pub drag: Vec<(f64, f64)>,
    /// True if the table begins at zero: lift is odd and drag even.
    pub symmetric: bool,
}

/// A propeller whose race washes the fin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Race {
    /// Index of the thruster.
    pub thruster: usize,
    /// Part of the fin's area that lies in the race, 0..1.
    pub part: f64,
    /// How far the race has come up to its final speed where the fin stands: 0.5 at the disc, 1 far behind.
    pub development: f64,
}

/// A fin on a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Fin {
    /// Name; part of its topic, and that of its frame and joint.
    pub name: String,
    /// Link that carries it.
    pub link: usize,
    /// Point of its shaft at which its force acts, but for `center_of_pressure`, in the link frame L [m].
    pub p_LoF: Vec3,
    /// Its axes at angle zero in L: chord forward, normal, shaft.
    pub R_LF: Mat3,
    /// The same point in the user's link frame U [m].
    pub p_UoF_U: Vec3,
    /// The same axes in U.
    pub R_UF: Mat3,
    /// Area [m²].
    pub area: f64,
    /// Span along the shaft [m].
    pub span: f64,
    /// How far behind the shaft its force acts, along the chord [m].
    pub center_of_pressure: f64,
    /// Force law.
    pub law: FinLaw,
    /// Lowest and highest angle [rad]; equal for a fin that does not turn.
    pub range: [f64; 2],
    /// Largest rate of the servo [rad/s]; infinite if it has none.
    pub rate: f64,
    /// Time constant of the servo [s]; 0 for none.
    pub lag: f64,
    /// Dead time between command and servo, in steps.
    pub dead_steps: usize,
    /// Where the fin's commands on their way begin in `RobotState::fin_delays`.
    pub delay_start: usize,
    /// Propeller that washes it.
    pub race: Option<Race>,
    /// What its servo draws.
    pub power: ServoPower,
    /// True if it stands in the wind and its angle is how far its sheet lets the boom out.
    pub sail: bool,
}

impl Fin {
    /// Mean chord [m].
    pub fn chord(&self) -> f64 {
        self.area / self.span
    }

    /// True if it can be commanded.
    pub fn turns(&self) -> bool {
        self.range[0] < self.range[1]
    }

    /// True if it turns a thruster.
    pub fn is_azimuth(&self) -> bool {
        matches!(self.law, FinLaw::Azimuth(_))
    }

    /// Direction of the chord at `angle` [rad], in L.
    pub fn chord_at<T: Real>(&self, angle: T) -> Vec3<T> {
        let (sin, cos) = angle.sin_cos();
        Vec3::splat(self.R_LF.col(0)).scale(cos) + Vec3::splat(self.R_LF.col(1)).scale(sin)
    }

    /// True if its servo is there at once.
    pub fn is_ideal(&self) -> bool {
        self.lag == 0.0 && self.rate.is_infinite()
    }

    /// Angle where it stands without a command [rad]: zero, or the nearest that it can have.
    pub fn neutral(&self) -> f64 {
        0.0_f64.clamp(self.range[0], self.range[1])
    }

    /// Angle `t` seconds from where it stood at `angle`, its servo driven to `target` all the while [rad].
    ///
    /// Solves `d' = clip((target - d)/lag, rate)` exactly: at the rate limit as long as the error asks for more, then
    /// exponentially.
    pub fn servo(&self, angle: f64, target: f64, t: f64) -> f64 {
        let error = target - angle;
        let size = error.abs();
        // the error down to which the rate limits
        let knee = self.rate * self.lag;
        if self.rate.is_finite() && size > knee {
            let until = (size - knee) / self.rate;
            if t <= until {
                return angle + (self.rate * t).copysign(error);
            }
            return target - self.decayed(knee.copysign(error), t - until);
        }
        target - self.decayed(error, t)
    }

    /// What is left of `error` after `t` seconds of the lag alone.
    fn decayed(&self, error: f64, t: f64) -> f64 {
        if self.lag > 0.0 {
            error * libm::exp(-t / self.lag)
        } else {
            0.0
        }
    }
}

impl FinLaw {
    /// Lift and drag coefficients at the angle of attack `alpha` [rad], -π to π; for laws of the angle of attack only.
    pub fn coefficients(&self, alpha: f64) -> [f64; 2] {
        let (s, c) = merrow_math::real::sin_cos(alpha);
        match self {
            FinLaw::LiftDrag(law) => law.at(alpha, s, c),
            FinLaw::Table(table) => table.at(alpha),
            FinLaw::Chord {
                normal_slope,
                axial,
            } => {
                // n is normal to the chord, x along it: turned into the flow
                let (n, x) = (normal_slope * s, axial * c);
                [n * c - x * s, n * s + x * c]
            }
            FinLaw::Azimuth(_) | FinLaw::Fossen { .. } | FinLaw::Derivative { .. } => [0.0; 2],
        }
    }
}

impl LiftDrag {
    fn at(&self, alpha: f64, s: f64, c: f64) -> [f64; 2] {
        let attached = self.slope * alpha;
        let stalled = self.stalled(alpha);
        let lift = (1.0 - stalled) * attached + stalled * self.broadside * s * c;
        let drag = self.drag
            + (1.0 - stalled) * self.induced * attached * attached
            + stalled * self.broadside * s * s;
        [lift, drag]
    }

    /// Part of the flow that has left the fin, 0..1 [Beard 2012, eq. 4.10].
    fn stalled(&self, alpha: f64) -> f64 {
        let below = libm::exp((-self.sharpness * (alpha - self.stall)).min(EXP_MAX));
        let above = libm::exp((self.sharpness * (alpha + self.stall)).min(EXP_MAX));
        (1.0 + below + above) / ((1.0 + below) * (1.0 + above))
    }
}

/// Exponents beyond this make no difference and could overflow in a product.
const EXP_MAX: f64 = 300.0;

impl FinTable {
    fn at(&self, alpha: f64) -> [f64; 2] {
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

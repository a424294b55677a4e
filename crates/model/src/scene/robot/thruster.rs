//! Thruster parameters: command, thrust curve, lag, motor and pose.

use merrow_math::{Real, SpatialForce, Vec3};

/// Maximum number of steps of the inversion of a thrust curve.
const MAX_INVERSION_STEPS: usize = 100;

/// Unit of the command of an actuator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandUnit {
    /// The command is a thrust [N].
    Newton,
    /// Normalised command, -1 to 1.
    Normalized,
    /// The command is a shaft speed [rad/s].
    RadPerS,
    /// The command is a pulse width [us].
    PwmUs,
}

impl CommandUnit {
    /// Returns the symbol in world files and in `describe`.
    pub fn symbol(self) -> &'static str {
        match self {
            CommandUnit::Newton => "N",
            CommandUnit::Normalized => "-1..1",
            CommandUnit::RadPerS => "rad/s",
            CommandUnit::PwmUs => "us",
        }
    }
}

/// Mapping from command to thrust.
#[derive(Clone, Debug, PartialEq)]
pub enum Curve {
    /// Thrust [N] = command.
    Direct,
    /// Thrust [N] = sum of `c[k] * command^k`.
    Polynomial(Vec<f64>),
    /// Thrust [N], interpolated linearly between sorted (command, thrust) pairs.
    Table(Vec<(f64, f64)>),
    /// Shaft speed n [rad/s] = command times `speed_per_command`; thrust = `gain * n|n|` [N].
    Quadratic {
        /// Shaft speed per unit of command [rad/s].
        speed_per_command: f64,
        /// Thrust per n|n|, forward and reverse [N s²/rad²].
        gain: [f64; 2],
    },
    /// Propeller with open-water characteristics.
    OpenWater(Box<OpenWater>),
    /// Rotor in air with inflow and drag terms.
    Rotor(Box<Rotor>),
}

/// Rotor in air. The coefficients are for the air density [`Rotor::density`] and shaft speeds in
/// rad/s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rotor {
    /// Shaft speed per unit of command [rad/s]; unused for commands in newtons.
    pub speed_per_command: f64,
    /// Thrust per n|n| [N s²/rad²].
    pub thrust: f64,
    /// Thrust loss per shaft speed and axial speed [N s²/(rad m)].
    pub inflow: f64,
    /// Drag against the transverse motion, per shaft speed and transverse speed [N s²/(rad m)].
    pub drag: f64,
    /// Moment about the direction of the transverse motion, per shaft speed and transverse speed [N
    /// s²/rad].
    pub rolling: f64,
    /// Inertia of the rotating parts about the axis [kg m²].
    pub inertia: f64,
    /// Air density of the coefficients [kg/m³].
    pub density: f64,
    /// True if ground effect is modelled.
    pub ground_effect: bool,
}

/// Open-water propeller: `T = rho D⁴ KT(J) n|n|`, `Q = rho D⁵ KQ(J) n|n|`, n in rev/s, J = Va/(n
/// D).
#[derive(Clone, Debug, PartialEq)]
pub struct OpenWater {
    /// Shaft speed per unit of command [rad/s].
    pub speed_per_command: f64,
    /// Diameter of the propeller [m].
    pub diameter: f64,
    /// Thrust coefficient KT over advance ratio J, sorted.
    pub KT: Vec<(f64, f64)>,
    /// Torque coefficient KQ over advance ratio J, sorted.
    pub KQ: Vec<(f64, f64)>,
    /// Wake factor 1 - w: inflow speed per forward speed through the water.
    pub wake: f64,
    /// True if the inflow speed uses the magnitude of the velocity of the link origin instead of
    /// the axial speed.
    pub total_inflow: bool,
    /// Thrust deduction factor 1 - t.
    pub deduction: f64,
    /// Fraction of the shaft torque that acts on the hull (fins and stators recover swirl), 0..1.
    pub torque_fraction: f64,
}

/// Linear lag of order 0 to 3 between command and effect, discretised exactly over the step for a
/// constant input.
#[derive(Clone, Debug, PartialEq)]
pub struct Lag {
    /// Order of the lag; 0: none.
    pub order: usize,
    /// State transition matrix over the step.
    pub A: [[f64; 3]; 3],
    /// Input vector over the step.
    pub B: [f64; 3],
    /// Row vector of the output equation.
    pub C: [f64; 3],
    /// Output at mid-step: row vector on the state at the start, and gain on the input.
    pub midpoint_output: ([f64; 3], f64),
    /// Reciprocal of the time constant of a first-order lag [1/s]; 0 for other orders.
    pub inverse_tau: f64,
}

impl Lag {
    /// Creates a pass-through without lag.
    #[inline]
    pub fn pass_through() -> Self {
        Self {
            order: 0,
            A: [[0.0; 3]; 3],
            B: [0.0; 3],
            C: [0.0; 3],
            midpoint_output: ([0.0; 3], 0.0),
            inverse_tau: 0.0,
        }
    }
    /// Creates a first-order lag with time constant `tau` [s] for the step `dt` [s]; the state is
    /// the output.
    pub fn first_order(tau: f64, dt: f64) -> Self {
        let remaining = |dt: f64| libm::exp(-dt / tau);
        let (full_step, half_step) = (remaining(dt), remaining(0.5 * dt));
        let midpoint_output = ([half_step, 0.0, 0.0], 1.0 - half_step);
        let mut lag = Self {
            order: 1,
            inverse_tau: 1.0 / tau,
            midpoint_output,
            ..Self::pass_through()
        };
        (lag.A[0][0], lag.B[0], lag.C[0]) = (full_step, 1.0 - full_step, 1.0);
        lag
    }
    /// Discretises the proper transfer function `num(s)/den(s)` (highest power first, any gain) for
    /// the step `dt` [s].
    ///
    /// Uses the controllable canonical form and the exact matrix exponential for a constant input
    /// over the step.
    pub fn from_transfer_function(num: &[f64], den: &[f64], dt: f64) -> Self {
        let n = den.len() - 1;
        let leading_coefficient = den[0];
        let mut a = nalgebra::SMatrix::<f64, 4, 4>::zeros();
        for i in 0..n {
            if i + 1 < n {
                a[(i, i + 1)] = 1.0;
            }
            a[(n - 1, i)] = -den[n - i] / leading_coefficient;
        }
        a[(n - 1, 3)] = 1.0;
        let full_step = (a * dt).exp();
        let half_step = (a * (dt / 2.0)).exp();
        let mut c = nalgebra::SMatrix::<f64, 1, 4>::zeros();
        for (k, x) in num.iter().rev().enumerate() {
            c[k] = x / leading_coefficient;
        }
        let first_entries =
            |m: &dyn Fn(usize) -> f64| std::array::from_fn(|i| if i < n { m(i) } else { 0.0 });
        let midpoint_output = c * half_step;
        Self {
            order: n,
            A: std::array::from_fn(|i| {
                if i < n {
                    first_entries(&|j| full_step[(i, j)])
                } else {
                    [0.0; 3]
                }
            }),
            B: first_entries(&|i| full_step[(i, 3)]),
            C: first_entries(&|i| c[i]),
            midpoint_output: (first_entries(&|i| midpoint_output[i]), midpoint_output[3]),
            inverse_tau: 0.0,
        }
    }
    /// Returns the state after a step with constant input `u` [N or rad/s].
    ///
    /// The state `x` of a first-order lag has the unit of `u`. Entry i of the state of a transfer
    /// function of order n has the unit of `u` times [s^(n-i)].
    #[inline(always)]
    pub fn step<T: Real>(&self, x: &[T; 3], u: T) -> [T; 3] {
        // rows beyond the order are zero; three unrolled terms cost less than a loop
        [self.row(0, x, u), self.row(1, x, u), self.row(2, x, u)]
    }
    #[inline(always)]
    fn row<T: Real>(&self, i: usize, x: &[T; 3], u: T) -> T {
        u * self.B[i] + (x[0] * self.A[i][0] + x[1] * self.A[i][1] + x[2] * self.A[i][2])
    }
    /// Returns the output [N or rad/s] for the state `x` and the input `u` [N or rad/s] that led to
    /// it. [`Self::step`] documents the unit of `x`.
    #[inline(always)]
    pub fn output<T: Real>(&self, x: &[T; 3], u: T) -> T {
        if self.order == 0 {
            return u;
        }
        x[0] * self.C[0] + x[1] * self.C[1] + x[2] * self.C[2]
    }
    /// Returns the outputs [N or rad/s] at the start, midpoint and end of a step, and the state at
    /// its end. The input `u` [N or rad/s] is constant. [`Self::step`] documents the unit of the
    /// state.
    #[inline(always)]
    pub fn outputs<T: Real>(&self, x: &[T; 3], u: T) -> ([T; 3], [T; 3]) {
        if self.order == 0 {
            return ([u; 3], *x);
        }
        let (row, gain) = &self.midpoint_output;
        let midpoint_output = u * *gain + (x[0] * row[0] + x[1] * row[1] + x[2] * row[2]);
        let end = self.step(x, u);
        (
            [self.output(x, u), midpoint_output, self.output(&end, u)],
            end,
        )
    }
}

/// Electrical and thermal parameters of a thruster motor, for the battery and the diagnostics.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motor {
    /// Electrical power at thrust T: `power_coefficient * |T|^1.5` [W / N^1.5] (exponent of
    /// momentum theory).
    pub power_coefficient: f64,
    /// Shaft power per electrical power, for open-water propellers, whose torque is known; `None`:
    /// `power_coefficient` applies.
    pub efficiency: Option<f64>,
    /// Fraction of the electrical power that heats the motor, 0..1.
    pub loss: f64,
    /// Thermal resistance: temperature rise above the water per watt of loss [K/W].
    pub thermal_resistance: f64,
    /// Fraction of the approach to the final temperature per step, 1 - exp(-dt/tau).
    pub heating: f64,
    /// Temperature at which derating begins, and temperature at which the motor stops until it has
    /// cooled to the first [°C].
    pub temperature_limits: Option<[f64; 2]>,
    /// Rated voltage of the curve [V], and exponent of thrust over voltage; `None`: independent of
    /// the voltage.
    pub rated: Option<[f64; 2]>,
}

/// Thruster on a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Thruster {
    /// Name; used in its topic.
    pub name: String,
    /// Index of the link that carries it.
    pub link: usize,
    /// Position in the link frame L [m].
    pub p_LoT: Vec3,
    /// Unit direction of positive thrust, in L.
    pub direction: Vec3,
    /// Unit direction of positive thrust in the user's link frame U, for the thrust allocation.
    pub direction_U: Vec3,
    /// Position in the user's link frame U [m].
    pub p_UoT_U: Vec3,
    /// Unit of the command.
    pub unit: CommandUnit,
    /// Minimum and maximum command, in `unit`.
    pub command_range: [f64; 2],
    /// Command at which the shaft does not turn, in `unit`.
    pub neutral: f64,
    /// Dead band: commands within this distance of `neutral` have no effect, in `unit`.
    pub dead_band: f64,
    /// Mapping from command to thrust.
    pub curve: Curve,
    /// Lag on the thrust (static curves) or on the shaft speed (propellers and rotors).
    pub lag: Lag,
    /// Lag while the magnitude of the drive decreases, if different.
    pub lag_down: Option<Lag>,
    /// Sign of the reaction moment about the thrust axis: -1 for a right-handed propeller.
    pub hand: f64,
    /// Signed moment about the thrust axis per newton of thrust [m].
    pub reaction: f64,
    /// Wrench of 1 N of thrust including its reaction moment, at Lo in L.
    pub unit_wrench: SpatialForce,
    /// Depth of the disc below its position, for ventilation at the surface [m].
    pub submergence: f64,
    /// Radius of the disc, for ventilation at the surface [m].
    pub radius: f64,
    /// Electrical and thermal parameters.
    pub motor: Motor,
    /// Index of the fin (servo) that rotates the thruster; `direction` is then that at angle 0.
    pub azimuth: Option<usize>,
}

impl Thruster {
    /// Computes `unit_wrench`. Call it after every change of position, direction or reaction.
    pub fn update_unit_wrench(&mut self) {
        self.unit_wrench = SpatialForce::at_point(self.direction, self.p_LoT);
        self.unit_wrench.m += self.direction.scale(self.reaction);
    }

    /// Returns the steady thrust [N] of the static curve at `command`, in the unit `unit`, in still
    /// water of `density` [kg/m³].
    pub fn static_thrust(&self, command: f64, density: f64) -> f64 {
        let drive = self.drive(command);
        match &self.curve {
            Curve::Direct | Curve::Polynomial(_) | Curve::Table(_) => drive,
            Curve::Quadratic { gain, .. } => drive * drive.abs() * gain[usize::from(drive < 0.0)],
            Curve::OpenWater(p) => p.thrust_torque(drive, 0.0, density).0,
            Curve::Rotor(rotor) => rotor.thrust * drive * drive.abs(),
        }
    }

    /// Returns the input of the lag for `command`, in the unit `unit`: thrust [N] for static
    /// curves, shaft speed [rad/s] for propellers and rotors.
    pub fn drive(&self, command: f64) -> f64 {
        let u = command.clamp(self.command_range[0], self.command_range[1]);
        let u = if (u - self.neutral).abs() <= self.dead_band {
            self.neutral
        } else {
            u
        };
        match &self.curve {
            Curve::Direct => u,
            Curve::Polynomial(c) => c.iter().rev().fold(0.0, |acc, c| acc * u + c),
            Curve::Table(t) => interpolate(t, u),
            Curve::Quadratic {
                speed_per_command, ..
            } => (u - self.neutral) * speed_per_command,
            Curve::OpenWater(p) => (u - self.neutral) * p.speed_per_command,
            Curve::Rotor(rotor) if self.unit == CommandUnit::Newton => rotor.speed_from_thrust(u),
            Curve::Rotor(rotor) => (u - self.neutral) * rotor.speed_per_command,
        }
    }

    /// Returns true if the drive is a shaft speed [rad/s], which enters the thrust squared.
    #[inline]
    pub fn drive_is_speed(&self) -> bool {
        matches!(
            self.curve,
            Curve::Quadratic { .. } | Curve::OpenWater(_) | Curve::Rotor(_)
        )
    }

    /// Returns the rotor parameters, if it is a rotor.
    #[inline]
    pub fn rotor(&self) -> Option<&Rotor> {
        match &self.curve {
            Curve::Rotor(rotor) => Some(rotor),
            _ => None,
        }
    }

    /// Returns true if the thrust depends on the inflow in addition to the lagged drive. It is then
    /// evaluated at every integration stage.
    #[inline]
    pub fn depends_on_inflow(&self) -> bool {
        matches!(self.curve, Curve::OpenWater(_) | Curve::Rotor(_))
    }

    /// Returns true if only the lagged drive determines the thrust: a fixed thruster without inflow
    /// dependence.
    #[inline]
    pub fn is_fixed_without_inflow(&self) -> bool {
        self.azimuth.is_none() && !self.depends_on_inflow()
    }

    /// Returns the maximum thrust in reverse (negative) and forward [N], in still water of
    /// `density` [kg/m³]. Rotors use their own air density.
    pub fn thrust_limits(&self, density: f64) -> [f64; 2] {
        let a = self.static_thrust(self.command_range[0], density);
        let b = self.static_thrust(self.command_range[1], density);
        [a.min(b), a.max(b)]
    }

    /// Returns the command, in the unit `unit`, for `thrust` [N] in still water of `density`
    /// [kg/m³], by inversion of the monotonic static curve.
    pub fn command_from_thrust(&self, thrust: f64, density: f64) -> f64 {
        let [lo, hi] = self.command_range;
        if thrust == 0.0 {
            return self.neutral;
        }
        if let Some(rotor) = self.rotor() {
            let command = match self.unit {
                CommandUnit::Newton => thrust,
                _ => self.neutral + rotor.speed_from_thrust(thrust) / rotor.speed_per_command,
            };
            return command.clamp(lo, hi);
        }
        self.invert_thrust([lo, hi], thrust, density)
    }

    /// Returns the command in the range `[lo, hi]` with the static thrust `thrust` [N] in water of
    /// `density` [kg/m³]; the nearer end if there is none. The curve is monotonic. Secant steps
    /// alternate with bisection, so that flat parts such as a dead band do not slow it down.
    fn invert_thrust(&self, [mut lo, mut hi]: [f64; 2], thrust: f64, density: f64) -> f64 {
        let error = |command: f64| self.static_thrust(command, density) - thrust;
        let (mut f_lo, mut f_hi) = (error(lo), error(hi));
        if (f_lo < 0.0) == (f_hi < 0.0) {
            return if f_lo.abs() < f_hi.abs() { lo } else { hi };
        }
        let tolerance = 1e-13 * (f_lo.abs() + f_hi.abs());
        let mut bisects = false;
        for _ in 0..MAX_INVERSION_STEPS {
            let mid = if bisects {
                0.5 * (lo + hi)
            } else {
                lo - f_lo * (hi - lo) / (f_hi - f_lo)
            };
            let f = error(mid);
            if f.abs() <= tolerance {
                return mid;
            }
            if (f < 0.0) == (f_lo < 0.0) {
                (lo, f_lo) = (mid, f);
            } else {
                (hi, f_hi) = (mid, f);
            }
            bisects = !bisects;
        }
        0.5 * (lo + hi)
    }
}

impl Rotor {
    /// Returns the shaft speed [rad/s] for `thrust` [N] in still air of the reference density.
    pub(crate) fn speed_from_thrust(&self, thrust: f64) -> f64 {
        (thrust.abs() / self.thrust).sqrt().copysign(thrust)
    }
}

impl OpenWater {
    /// Returns thrust [N] and hull torque [N m] at shaft speed `n` [rad/s], axial inflow speed `va`
    /// [m/s] and water `density` [kg/m³].
    pub fn thrust_torque(&self, n: f64, va: f64, density: f64) -> (f64, f64) {
        let rev = n / (2.0 * std::f64::consts::PI);
        if rev.abs() < 1e-9 {
            return (0.0, 0.0);
        }
        let J = va / (rev * self.diameter);
        let d4 = self.diameter * self.diameter * self.diameter * self.diameter;
        let q = density * d4 * rev * rev.abs();
        let thrust = q * interpolate(&self.KT, J) * self.deduction;
        let torque = q * self.diameter * interpolate(&self.KQ, J) * self.torque_fraction;
        (thrust, torque)
    }

    /// Returns the shaft power [W] at shaft speed `n` [rad/s], axial inflow speed `va` [m/s] and
    /// water `density` [kg/m³].
    pub fn shaft_power(&self, n: f64, va: f64, density: f64) -> f64 {
        let rev = n / (2.0 * std::f64::consts::PI);
        if rev.abs() < 1e-9 {
            return 0.0;
        }
        let d2 = self.diameter * self.diameter;
        let KQ = interpolate(&self.KQ, va / (rev * self.diameter));
        density * d2 * d2 * self.diameter * rev * rev.abs() * KQ * n
    }
}

/// Interpolates linearly between sorted (x, y) pairs in any units; constant beyond the ends.
/// Returns 0 for an empty table.
pub fn interpolate(table: &[(f64, f64)], x: f64) -> f64 {
    let k = table.partition_point(|p| p.0 <= x);
    if k == 0 {
        return table.first().map_or(0.0, |p| p.1);
    }
    if k == table.len() {
        return table[k - 1].1;
    }
    let ((x0, y0), (x1, y1)) = (table[k - 1], table[k]);
    y0 + (y1 - y0) * ((x - x0) / (x1 - x0))
}

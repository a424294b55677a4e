//! Thruster: command, thrust curve, lag, motor and pose, and its state.

use crate::persist::Persist;
use crate::state::fault_effect::{FaultEffect, Health};
use merrow_math::{Real, SpatialForce, Vec3};
use merrow_yaml::spec::spec;

/// Maximum number of steps of the inversion of a thrust curve.
const MAX_INVERSION_STEPS: usize = 100;

spec! {
    /// Unit of an actuator command.
    pub enum CommandUnit words {
        /// Thrust, given in newtons.
        Newton = "newton",
        /// Normalised from -1 to 1.
        Normalized = "normalized",
        /// Shaft speed in rad/s.
        RadPerS = "rad_s",
        /// Pulse width in microseconds.
        PwmUs = "pwm_us",
    }
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

spec! {
    /// Thrust as a function of the command.
    pub enum Curve {
        /// The command is the thrust in newtons.
        Direct = "direct",
        /// A polynomial in the command.
        Polynomial = "polynomial" {
            /// Coefficients of the thrust in newtons, constant term first.
            coefficients: Vec<f64> [not_empty],
        },
        /// Interpolation in a table of command and thrust.
        Table = "table" {
            /// Pairs of command and thrust in newtons, by increasing command.
            points: Vec<[f64; 2]> [not_empty],
        },
        /// Thrust proportional to n|n|, with n the shaft speed.
        Quadratic = "quadratic" {
            /// Shaft speed per unit of command.
            speed_per_command_rad_s: f64 [positive] = 1.0,
            /// Thrust divided by n|n| for positive shaft speed.
            ahead_n_s2_per_rad2: f64 [positive],
            /// Thrust divided by n|n| for negative shaft speed.
            astern_n_s2_per_rad2: f64 [positive],
        },
        /// Open-water propeller: KT and KQ as functions of the advance number J.
        OpenWater = "open_water" (OpenWater),
        /// Rotor in air: thrust proportional to the square of the shaft speed, torque
        /// `torque_per_thrust_m` times the thrust.
        Rotor = "rotor" (Rotor),
    }

    /// Open-water propeller: `T = rho D⁴ KT(J) n|n|`, `Q = rho D⁵ KQ(J) n|n|`, with n in rev/s and
    /// J = Va/(n D).
    pub struct OpenWater {
        /// Shaft speed per unit of command.
        speed_per_command_rad_s: f64 [positive] = 1.0,
        /// Pairs of J and KT, by increasing J.
        kt: Vec<[f64; 2]> [not_empty],
        /// Pairs of J and KQ, by increasing J.
        kq: Vec<[f64; 2]> [not_empty],
        /// Ratio 1 - w of the inflow speed to the speed through the water, with the wake
        /// fraction w.
        wake_factor: f64 [positive] = 1.0,
        /// Velocity through the water from which the inflow is computed.
        inflow: Inflow = Inflow::Axial,
        /// Ratio 1 - t of the thrust on the hull to the thrust of the propeller, with the
        /// thrust deduction t.
        thrust_factor: f64 [positive] = 1.0,
        /// Fraction of the propeller torque that acts on the hull.
        torque_fraction: f64 [fraction] = 1.0,
    }

    /// Velocity from which the inflow of a propeller is computed.
    pub enum Inflow words {
        /// Component of the propeller velocity along its axis.
        Axial = "axial",
        /// Magnitude of the velocity of the link origin, as in Fossen's models of torpedo-shaped
        /// vehicles.
        Total = "total",
    }

    /// Rotor in air: thrust proportional to the square of the shaft speed, torque
    /// `torque_per_thrust_m` times the thrust.
    pub struct Rotor {
        /// Shaft speed per unit of command; not used if the command is in newtons.
        speed_per_command_rad_s: f64 [positive] = 1.0,
        /// Thrust divided by n|n|.
        thrust_n_s2_per_rad2: f64 [positive],
        /// Loss of thrust per product of shaft speed and speed along the axis.
        inflow_loss_n_s2_per_rad_m: f64 [non_negative] = 0.0,
        /// Drag across the axis per product of shaft speed and speed across the axis.
        drag_n_s2_per_rad_m: f64 [non_negative] = 0.0,
        /// Moment across the axis per product of shaft speed and speed across the axis.
        rolling_n_s2_per_rad: f64 [non_negative] = 0.0,
        /// Inertia of rotor and motor about the axis.
        inertia_kg_m2: f64 [non_negative] = 0.0,
        /// Air density for which the coefficients are valid.
        air_density_kg_m3: f64 [positive] = 1.225,
        /// Whether terrain and water below the rotor increase its thrust.
        ground_effect: bool = true,
    }

    /// A linear lag. It acts on the thrust for static curves and on the shaft speed for propellers.
    pub enum LagModel {
        /// The command acts immediately.
        None = "none",
        /// Lag of first order.
        First = "first_order" {
            /// Time constant of the lag.
            time_constant_s: f64 [positive],
        },
        /// First order with two time constants.
        UpDown = "up_down" {
            /// Time constant while the shaft speed, or thrust, increases.
            up_s: f64 [positive],
            /// Time constant while the shaft speed, or thrust, decreases.
            down_s: f64 [positive],
        },
        /// Lag of second order.
        Second = "second_order" {
            /// Natural frequency of the lag.
            natural_frequency_rad_s: f64 [positive],
            /// Damping ratio of the lag.
            damping_ratio: f64 [positive],
        },
        /// A stable transfer function of order 1 to 3 in s.
        Transfer = "transfer_function" {
            /// Coefficients of the numerator, highest power first.
            numerator: Vec<f64> [not_empty],
            /// Coefficients of the denominator, highest power first.
            denominator: Vec<f64> [not_empty],
        },
    }
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

spec! {
    /// Type of a thruster: motor and propeller.
    pub struct Motor {
        /// Description of the thruster.
        description: String = String::new(),
        /// Source of the parameter values.
        source: String [not_empty],
        /// Values that are unverified or estimated, and the reason.
        estimated: String = String::new(),
        /// Unit of the command.
        command: CommandUnit,
        /// Minimum and maximum command, in the unit of the command.
        range: [f64; 2],
        /// Command at which the propeller stops, in the unit of the command.
        neutral: f64 = 0.0,
        /// Half width of the dead band around `neutral`, in the unit of the command. Commands
        /// within it have no effect.
        dead_band: f64 [non_negative] = 0.0,
        /// Thrust as a function of the command.
        curve: Curve,
        /// Lag between command and effect.
        lag: LagModel => "{kind: none}",
        /// Diameter of the propeller.
        diameter_m: f64 [positive],
        /// Reaction moment about the thrust axis per newton of thrust.
        torque_per_thrust_m: f64 [non_negative] = 0.0,
        /// Electrical power at thrust T divided by T^1.5.
        power_w_per_n15: f64 [non_negative] = 0.0,
        /// Shaft power per electrical power, for the curve `open_water` only. Replaces
        /// `power_w_per_n15`.
        motor_efficiency: Option<f64> [in 0.01..=1.0],
        /// Fraction of the electrical power that heats the motor.
        heat_fraction: f64 [fraction] = 0.2,
        /// Steady temperature rise of the motor per watt of heat.
        thermal_resistance_k_per_w: f64 [non_negative] = 0.5,
        /// Time constant of the motor temperature.
        thermal_time_constant_s: f64 [positive] = 60.0,
        /// Motor temperatures at which derating begins and at which the motor stops. A stopped
        /// motor restarts when it has cooled to the first. Default: no derating.
        temperature_limits_c: Option<[f64; 2]>,
        /// Voltage for which the curve is valid. Default: the thrust does not depend on the battery
        /// voltage.
        rated_voltage_v: Option<f64> [positive],
        /// Exponent of the ratio of voltage to `rated_voltage_v` by which the thrust is scaled.
        voltage_exponent: f64 [in 0.0..=3.0] = 2.0,
    }

    /// Direction of rotation of a propeller.
    pub enum PropellerRotation words {
        /// Clockwise, seen from behind.
        Right = "right",
        /// Counter-clockwise, seen from behind.
        Left = "left",
    }
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
    /// Command, curve and motor.
    pub motor: Motor,
    /// Lag on the thrust (static curves) or on the shaft speed (propellers and rotors).
    pub lag: Lag,
    /// Lag while the magnitude of the drive decreases, if different.
    pub lag_down: Option<Lag>,
    /// Sign of the reaction moment about the thrust axis: -1 for a right-handed propeller.
    pub hand: f64,
    /// Wrench of 1 N of thrust including its reaction moment, at Lo in L.
    pub unit_wrench: SpatialForce,
    /// Depth of the disc below its position, for ventilation at the surface [m].
    pub submergence_m: f64,
    /// Fraction of the approach of the motor to its final temperature per step, 1 - exp(-dt/tau).
    pub heating: f64,
    /// Index of the fin (servo) that rotates the thruster; `direction` is then that at angle 0.
    pub azimuth: Option<usize>,
}

impl Thruster {
    /// Returns the signed moment about the thrust axis per newton of thrust [m].
    #[inline]
    pub fn reaction(&self) -> f64 {
        self.hand * self.motor.torque_per_thrust_m
    }

    /// Returns the radius of the disc, for ventilation at the surface [m].
    #[inline]
    pub fn radius(&self) -> f64 {
        0.5 * self.motor.diameter_m
    }

    /// Computes `unit_wrench`. Call it after every change of position or direction.
    pub fn update_unit_wrench(&mut self) {
        self.unit_wrench = SpatialForce::at_point(self.direction, self.p_LoT);
        self.unit_wrench.m += self.direction.scale(self.reaction());
    }

    /// Returns the steady thrust [N] of the static curve at `command`, in the unit of the command, in still
    /// water of `density` [kg/m³].
    pub fn static_thrust(&self, command: f64, density: f64) -> f64 {
        let drive = self.drive(command);
        match &self.motor.curve {
            Curve::Direct | Curve::Polynomial { .. } | Curve::Table { .. } => drive,
            Curve::Quadratic {
                ahead_n_s2_per_rad2: ahead,
                astern_n_s2_per_rad2: astern,
                ..
            } => drive * drive.abs() * if drive < 0.0 { astern } else { ahead },
            Curve::OpenWater(p) => {
                p.thrust_torque(self.motor.diameter_m, drive, 0.0, density)
                    .0
            }
            Curve::Rotor(rotor) => rotor.thrust_n_s2_per_rad2 * drive * drive.abs(),
        }
    }

    /// Returns the input of the lag for `command`, in the unit of the command: thrust [N] for static
    /// curves, shaft speed [rad/s] for propellers and rotors.
    pub fn drive(&self, command: f64) -> f64 {
        let u = command.clamp(self.motor.range[0], self.motor.range[1]);
        let u = if (u - self.motor.neutral).abs() <= self.motor.dead_band {
            self.motor.neutral
        } else {
            u
        };
        match &self.motor.curve {
            Curve::Direct => u,
            Curve::Polynomial {
                coefficients: c, ..
            } => c.iter().rev().fold(0.0, |acc, c| acc * u + c),
            Curve::Table { points, .. } => interpolate(points, u),
            Curve::Quadratic {
                speed_per_command_rad_s: k,
                ..
            } => (u - self.motor.neutral) * k,
            Curve::OpenWater(p) => (u - self.motor.neutral) * p.speed_per_command_rad_s,
            Curve::Rotor(rotor) if self.motor.command == CommandUnit::Newton => {
                rotor.speed_from_thrust(u)
            }
            Curve::Rotor(rotor) => (u - self.motor.neutral) * rotor.speed_per_command_rad_s,
        }
    }

    /// Returns true if the drive is a shaft speed [rad/s], which enters the thrust squared.
    #[inline]
    pub fn drive_is_speed(&self) -> bool {
        matches!(
            self.motor.curve,
            Curve::Quadratic { .. } | Curve::OpenWater(_) | Curve::Rotor(_)
        )
    }

    /// Returns the rotor parameters, if it is a rotor.
    #[inline]
    pub fn rotor(&self) -> Option<&Rotor> {
        match &self.motor.curve {
            Curve::Rotor(rotor) => Some(rotor),
            _ => None,
        }
    }

    /// Returns true if the thrust depends on the inflow in addition to the lagged drive. It is then
    /// evaluated at every integration stage.
    #[inline]
    pub fn depends_on_inflow(&self) -> bool {
        matches!(self.motor.curve, Curve::OpenWater(_) | Curve::Rotor(_))
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
        let a = self.static_thrust(self.motor.range[0], density);
        let b = self.static_thrust(self.motor.range[1], density);
        [a.min(b), a.max(b)]
    }

    /// Returns the command, in the unit of the command, for `thrust` [N] in still water of `density`
    /// [kg/m³], by inversion of the monotonic static curve.
    pub fn command_from_thrust(&self, thrust: f64, density: f64) -> f64 {
        let [lo, hi] = self.motor.range;
        if thrust == 0.0 {
            return self.motor.neutral;
        }
        if let Some(rotor) = self.rotor() {
            let command = match self.motor.command {
                CommandUnit::Newton => thrust,
                _ => {
                    self.motor.neutral
                        + rotor.speed_from_thrust(thrust) / rotor.speed_per_command_rad_s
                }
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
        (thrust.abs() / self.thrust_n_s2_per_rad2)
            .sqrt()
            .copysign(thrust)
    }
}

impl OpenWater {
    /// Returns thrust [N] and hull torque [N m] of a propeller of `diameter` [m] at shaft speed `n`
    /// [rad/s], axial inflow speed `va` [m/s] and water `density` [kg/m³].
    pub fn thrust_torque(&self, diameter: f64, n: f64, va: f64, density: f64) -> (f64, f64) {
        let rev = n / (2.0 * std::f64::consts::PI);
        if rev.abs() < 1e-9 {
            return (0.0, 0.0);
        }
        let J = va / (rev * diameter);
        let d4 = diameter * diameter * diameter * diameter;
        let q = density * d4 * rev * rev.abs();
        let thrust = q * interpolate(&self.kt, J) * self.thrust_factor;
        let torque = q * diameter * interpolate(&self.kq, J) * self.torque_fraction;
        (thrust, torque)
    }

    /// Returns the shaft power [W] of a propeller of `diameter` [m] at shaft speed `n` [rad/s],
    /// axial inflow speed `va` [m/s] and water `density` [kg/m³].
    pub fn shaft_power(&self, diameter: f64, n: f64, va: f64, density: f64) -> f64 {
        let rev = n / (2.0 * std::f64::consts::PI);
        if rev.abs() < 1e-9 {
            return 0.0;
        }
        let d2 = diameter * diameter;
        let KQ = interpolate(&self.kq, va / (rev * diameter));
        density * d2 * d2 * diameter * rev * rev.abs() * KQ * n
    }
}

/// Interpolates linearly between sorted (x, y) pairs in any units; constant beyond the ends.
/// Returns 0 for an empty table.
pub fn interpolate(table: &[[f64; 2]], x: f64) -> f64 {
    let k = table.partition_point(|p| p[0] <= x);
    if k == 0 {
        return table.first().map_or(0.0, |p| p[1]);
    }
    if k == table.len() {
        return table[k - 1][1];
    }
    let ([x0, y0], [x1, y1]) = (table[k - 1], table[k]);
    y0 + (y1 - y0) * ((x - x0) / (x1 - x0))
}

/// State of one thruster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Persist)]
pub struct ActuatorState {
    /// Command in the unit of the thruster.
    pub command: f64,
    /// Drive for the command: thrust [N] or shaft speed [rad/s]. Stored because commands change
    /// rarely.
    pub target: f64,
    /// State vector of the lag of the thruster; entries beyond its order are zero.
    pub lag: [f64; 3],
    /// Health, set at run time.
    pub health: Health,
    /// Drive held while stuck: thrust [N] or shaft speed [rad/s].
    pub held_drive: f64,
    /// Thrust at the last evaluation [N].
    pub thrust: f64,
    /// Shaft power at the last evaluation, where the torque is known [W].
    pub shaft_power: f64,
    /// Drive at the end of the last step (thrust [N] or shaft speed [rad/s]), and shaft torque at
    /// its start [N m]; NaN where unknown.
    pub shaft: [f64; 2],
    /// Electrical power consumption [W].
    pub power: f64,
    /// Motor temperature above the water temperature [K].
    pub heat: f64,
    /// True while the motor is stopped for cooling.
    pub is_overheated: bool,
    /// Fraction of its thrust that power and temperature allow over the next step, 0..1.
    pub available_fraction: f64,
    /// Effect of faults on the thruster.
    pub fault: FaultEffect,
}

impl ActuatorState {
    /// Creates the state of a healthy thruster at its neutral command.
    pub fn new(thruster: &Thruster) -> Self {
        Self {
            command: thruster.motor.neutral,
            target: thruster.drive(thruster.motor.neutral),
            available_fraction: 1.0,
            ..Self::default()
        }
    }

    /// Sets the command, in the unit of the thruster's command, clamped to its range.
    pub fn set_command(&mut self, thruster: &Thruster, command: f64) {
        self.command = command.clamp(thruster.motor.range[0], thruster.motor.range[1]);
        self.target = thruster.drive(self.command);
    }
}

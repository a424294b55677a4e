//! A thruster: command, curve, lag, place.

use merrow_math::{Real, SpatialForce, Vec3};

/// Unit in which an actuator takes its command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandUnit {
    /// Thrust [N].
    Newton,
    /// -1 to 1.
    Normalized,
    /// Shaft speed [rad/s].
    RadPerS,
    /// Pulse width [us].
    PwmUs,
}

impl CommandUnit {
    /// As written in world files and `describe`.
    pub fn symbol(self) -> &'static str {
        match self {
            CommandUnit::Newton => "N",
            CommandUnit::Normalized => "-1..1",
            CommandUnit::RadPerS => "rad/s",
            CommandUnit::PwmUs => "us",
        }
    }
}

/// How a command becomes thrust.
#[derive(Clone, Debug, PartialEq)]
pub enum Curve {
    /// Thrust [N] = command.
    Direct,
    /// Thrust [N] = sum of `c[k] * command^k`.
    Polynomial(Vec<f64>),
    /// Thrust [N] between (command, thrust) pairs, linear, sorted.
    Table(Vec<(f64, f64)>),
    /// Shaft speed n [rad/s] = command times `speed_per_command`; thrust = `gain * n|n|` [N].
    Quadratic {
        /// Shaft speed per unit of command [rad/s].
        speed_per_command: f64,
        /// Thrust per n|n|, ahead and astern [N s²/rad²].
        gain: [f64; 2],
    },
    /// Open-water propeller.
    OpenWater(Box<OpenWater>),
    /// Rotor in air.
    Rotor(Box<Rotor>),
}

/// A rotor in air; coefficients at the density of air [`Rotor::density`], for shaft speeds in rad/s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rotor {
    /// Shaft speed per unit of command [rad/s]; not used for commands in newtons.
    pub speed_per_command: f64,
    /// Thrust per n|n| [N s²/rad²].
    pub thrust: f64,
    /// Loss of thrust per shaft speed and speed along the axis [N s²/(rad m)].
    pub inflow: f64,
    /// Force against the motion across the axis, per shaft speed and speed [N s²/(rad m)].
    pub drag: f64,
    /// Moment about the direction of the motion across the axis, per shaft speed and speed [N s²/rad].
    pub rolling: f64,
    /// Inertia of what turns, about the axis [kg m²].
    pub inertia: f64,
    /// Density of the air for which the coefficients hold [kg/m³].
    pub density: f64,
    /// True if it feels the ground under it.
    pub ground_effect: bool,
}

/// Propeller in open water: `T = rho D⁴ KT(J) n|n|`, `Q = rho D⁵ KQ(J) n|n|`, n in rev/s, J = Va/(n D).
#[derive(Clone, Debug, PartialEq)]
pub struct OpenWater {
    /// Shaft speed per unit of command [rad/s].
    pub speed_per_command: f64,
    /// Diameter [m].
    pub diameter: f64,
    /// Thrust coefficient over advance number, sorted.
    pub KT: Vec<(f64, f64)>,
    /// Torque coefficient over advance number, sorted.
    pub KQ: Vec<(f64, f64)>,
    /// Inflow per forward speed through the water, 1 - w.
    pub wake: f64,
    /// True if the inflow goes by the magnitude of the velocity of the link's origin instead of the speed along the axis.
    pub total_inflow: bool,
    /// Thrust deduction factor 1 - t.
    pub deduction: f64,
    /// Part of the shaft torque that reaches the hull (fins and stators take swirl out), 0..1.
    pub torque_fraction: f64,
}

/// A linear lag of order 0 to 3 between command and effect, exactly discretised over the step for a held input.
#[derive(Clone, Debug, PartialEq)]
pub struct Lag {
    /// Order; 0 means none.
    pub order: usize,
    /// State matrix over the step.
    pub A: [[f64; 3]; 3],
    /// Input vector over the step.
    pub B: [f64; 3],
    /// Output row.
    pub C: [f64; 3],
    /// Output in the middle of the step, from the state at its start and the input.
    pub middle: ([f64; 3], f64),
    /// One over the time constant of a lag of first order [1/s]; 0 for others.
    pub over_tau: f64,
}

impl Lag {
    /// No lag.
    pub fn none() -> Self {
        Self {
            order: 0,
            A: [[0.0; 3]; 3],
            B: [0.0; 3],
            C: [0.0; 3],
            middle: ([0.0; 3], 0.0),
            over_tau: 0.0,
        }
    }
    /// First order with time constant `tau` [s], for the step `dt` [s], its output itself as the state.
    pub fn first_order(tau: f64, dt: f64) -> Self {
        let left = |dt: f64| libm::exp(-dt / tau);
        let (whole, half) = (left(dt), left(0.5 * dt));
        let middle = ([half, 0.0, 0.0], 1.0 - half);
        let mut lag = Self {
            order: 1,
            over_tau: 1.0 / tau,
            middle,
            ..Self::none()
        };
        (lag.A[0][0], lag.B[0], lag.C[0]) = (whole, 1.0 - whole, 1.0);
        lag
    }
    /// From a transfer function `num(s)/den(s)` (highest power first, proper, unit or any gain), for the step `dt` [s].
    ///
    /// Controllable canonical form, exact matrix exponential for an input held over the step.
    pub fn from_transfer_function(num: &[f64], den: &[f64], dt: f64) -> Self {
        let n = den.len() - 1;
        let lead = den[0];
        let mut a = nalgebra::SMatrix::<f64, 4, 4>::zeros();
        for i in 0..n {
            if i + 1 < n {
                a[(i, i + 1)] = 1.0;
            }
            a[(n - 1, i)] = -den[n - i] / lead;
        }
        a[(n - 1, 3)] = 1.0;
        let whole = (a * dt).exp();
        let half = (a * (dt / 2.0)).exp();
        let mut c = nalgebra::SMatrix::<f64, 1, 4>::zeros();
        for (k, x) in num.iter().rev().enumerate() {
            c[k] = x / lead;
        }
        let three =
            |m: &dyn Fn(usize) -> f64| std::array::from_fn(|i| if i < n { m(i) } else { 0.0 });
        let middle = c * half;
        Self {
            order: n,
            A: std::array::from_fn(|i| {
                if i < n {
                    three(&|j| whole[(i, j)])
                } else {
                    [0.0; 3]
                }
            }),
            B: three(&|i| whole[(i, 3)]),
            C: three(&|i| c[i]),
            middle: (three(&|i| middle[i]), middle[3]),
            over_tau: 0.0,
        }
    }
    /// State after a step with the input held at `u`.
    #[inline(always)]
    pub fn step<T: Real>(&self, x: &[T; 3], u: T) -> [T; 3] {
        // rows beyond the order are zero: three terms without a loop cost less than counting
        [self.row(0, x, u), self.row(1, x, u), self.row(2, x, u)]
    }
    #[inline(always)]
    fn row<T: Real>(&self, i: usize, x: &[T; 3], u: T) -> T {
        u * self.B[i] + (x[0] * self.A[i][0] + x[1] * self.A[i][1] + x[2] * self.A[i][2])
    }
    /// Output for a state and the input that led to it.
    #[inline(always)]
    pub fn output<T: Real>(&self, x: &[T; 3], u: T) -> T {
        if self.order == 0 {
            return u;
        }
        x[0] * self.C[0] + x[1] * self.C[1] + x[2] * self.C[2]
    }
    /// Outputs at the start, middle and end of a step with the input held at `u`, and the state at its end.
    #[inline(always)]
    pub fn outputs<T: Real>(&self, x: &[T; 3], u: T) -> ([T; 3], [T; 3]) {
        if self.order == 0 {
            return ([u; 3], *x);
        }
        let (row, gain) = &self.middle;
        let middle = u * *gain + (x[0] * row[0] + x[1] * row[1] + x[2] * row[2]);
        let end = self.step(x, u);
        ([self.output(x, u), middle, self.output(&end, u)], end)
    }
}

/// Electrical and thermal side of an actuator, for the battery and the diagnostics.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motor {
    /// Electrical power at thrust T: `power_coefficient * |T|^1.5` [W / N^1.5] (momentum theory's exponent).
    pub power_coefficient: f64,
    /// Shaft power over electrical, for open-water propellers, whose torque is known; none: by the coefficient.
    pub efficiency: Option<f64>,
    /// Part of the electrical power that heats the motor, 0..1.
    pub loss: f64,
    /// Temperature rise over the water per watt of loss [K/W].
    pub thermal_resistance: f64,
    /// Part of the way to its final temperature that the motor goes in a step, 1 - exp(-dt/tau).
    pub heating: f64,
    /// Temperatures from which it gives less, and at which it stops until it has cooled to the first [°C].
    pub temperature_limits: Option<[f64; 2]>,
    /// Voltage at which the curve holds [V], and the exponent of thrust over voltage; none: the voltage makes no difference.
    pub rated: Option<[f64; 2]>,
}

/// A thruster on a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Thruster {
    /// Name; part of its topic.
    pub name: String,
    /// Link it is bolted to.
    pub link: usize,
    /// Its place in the link frame L [m].
    pub p_LoT: Vec3,
    /// Direction of positive thrust in L, unit.
    pub direction: Vec3,
    /// Direction of positive thrust in the user's link frame, for the allocation.
    pub direction_U: Vec3,
    /// Its place in the user's link frame [m].
    pub p_UoT_U: Vec3,
    /// Unit of its command.
    pub unit: CommandUnit,
    /// Lowest and highest command.
    pub command_range: [f64; 2],
    /// Command at which it stands still.
    pub neutral: f64,
    /// Commands within this of neutral do nothing.
    pub dead_band: f64,
    /// Command to thrust.
    pub curve: Curve,
    /// Lag on the thrust (static curves) or on the shaft speed (propellers and rotors).
    pub lag: Lag,
    /// Lag while the drive falls in magnitude, where it is another.
    pub lag_down: Option<Lag>,
    /// Sign of the reaction's moment about the thrust axis: -1 for a right-handed propeller.
    pub hand: f64,
    /// Moment about the thrust axis per newton of thrust [m], signed.
    pub reaction: f64,
    /// Wrench of one newton of thrust, with its reaction, at Lo in L.
    pub unit_wrench: SpatialForce,
    /// How far under its place the disc is, for coming out of the water [m].
    pub submergence: f64,
    /// Radius of the disc, for coming out of the water [m].
    pub radius: f64,
    /// Electrical side.
    pub motor: Motor,
    /// Index of what turns it, among the robot's fins; `direction` is then that at angle 0.
    pub azimuth: Option<usize>,
}

impl Thruster {
    /// Fills what follows from place, direction and reaction; called whenever one of them was set.
    pub fn finish(&mut self) {
        self.unit_wrench = SpatialForce::at_point(self.direction, self.p_LoT);
        self.unit_wrench.m += self.direction.scale(self.reaction);
    }

    /// Steady thrust [N] of the static curve at `command`, in still water of `density` [kg/m³].
    pub fn static_thrust(&self, command: f64, density: f64) -> f64 {
        let drive = self.drive(command);
        match &self.curve {
            Curve::Direct | Curve::Polynomial(_) | Curve::Table(_) => drive,
            Curve::Quadratic { gain, .. } => drive * drive.abs() * gain[usize::from(drive < 0.0)],
            Curve::OpenWater(p) => p.thrust_torque(drive, 0.0, density).0,
            Curve::Rotor(rotor) => rotor.thrust * drive * drive.abs(),
        }
    }

    /// What the lag acts on: thrust [N] for static curves, shaft speed [rad/s] for propellers.
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
            Curve::Rotor(rotor) if self.unit == CommandUnit::Newton => rotor.speed_for(u),
            Curve::Rotor(rotor) => (u - self.neutral) * rotor.speed_per_command,
        }
    }

    /// True if the drive is a shaft speed [rad/s], whose square makes the thrust.
    pub fn drive_is_speed(&self) -> bool {
        matches!(
            self.curve,
            Curve::Quadratic { .. } | Curve::OpenWater(_) | Curve::Rotor(_)
        )
    }

    /// The rotor, if it is one.
    pub fn rotor(&self) -> Option<&Rotor> {
        match &self.curve {
            Curve::Rotor(rotor) => Some(rotor),
            _ => None,
        }
    }

    /// True if thrust depends on more than the lagged drive (inflow), so that it is found at every stage.
    pub fn feels_inflow(&self) -> bool {
        matches!(self.curve, Curve::OpenWater(_) | Curve::Rotor(_))
    }

    /// True if it neither turns nor feels its inflow: the lagged drive alone makes the thrust.
    pub fn is_plain(&self) -> bool {
        self.azimuth.is_none() && !self.feels_inflow()
    }

    /// Largest thrust ahead and astern [N] (astern negative) in still water of `density`; rotors in air of their own.
    pub fn thrust_limits(&self, density: f64) -> [f64; 2] {
        let a = self.static_thrust(self.command_range[0], density);
        let b = self.static_thrust(self.command_range[1], density);
        [a.min(b), a.max(b)]
    }

    /// Command that gives `thrust` [N] in still water, by bisection on the monotone static curve.
    pub fn command_for(&self, thrust: f64, density: f64) -> f64 {
        let [mut lo, mut hi] = self.command_range;
        let rising = self.static_thrust(hi, density) >= self.static_thrust(lo, density);
        if thrust == 0.0 {
            return self.neutral;
        }
        if let Some(rotor) = self.rotor() {
            let command = match self.unit {
                CommandUnit::Newton => thrust,
                _ => self.neutral + rotor.speed_for(thrust) / rotor.speed_per_command,
            };
            return command.clamp(lo, hi);
        }
        for _ in 0..60 {
            let mid = 0.5 * (lo + hi);
            if (self.static_thrust(mid, density) < thrust) == rising {
                lo = mid;
            } else {
                hi = mid;
            }
        }
        0.5 * (lo + hi)
    }
}

impl Rotor {
    /// Shaft speed [rad/s] that gives `thrust` [N] in still air of the reference density.
    pub fn speed_for(&self, thrust: f64) -> f64 {
        (thrust.abs() / self.thrust).sqrt().copysign(thrust)
    }
}

impl OpenWater {
    /// Thrust [N] and hull torque [N m] at shaft speed `n` [rad/s] and forward inflow speed `va` [m/s].
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

    /// Power at the shaft [W] at its speed `n` [rad/s] and the inflow `va` [m/s].
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

/// Linear between sorted (x, y) pairs, constant beyond the ends.
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

//! Extended Kalman filter of position, velocity and heading.
//!
//! # Law
//! The state is x = (p, v, ψ, b_g, b_a). Rate and specific force of the IMU are its inputs, roll φ and
//! pitch θ are those of the attitude reference of the IMU.
//! ```text
//!   p' = v,   v' = R(φ,θ,ψ) (f - b_a) + g,   b_g' = 0,   b_a' = 0                     (1)
//!   ψ' = (sin φ ω_y + cos φ (ω_z - b_g)) / cos θ                                      (2)
//!   x⁻ = F(x), P⁻ = Φ P Φᵀ + Q,   Φ = ∂F/∂x                                           (3)
//!   K = P⁻ Hᵀ (H P⁻ Hᵀ + V)⁻¹,   x = x⁻ + K (z - h(x⁻))                               (4)
//!   P = (I - K H) P⁻ (I - K H)ᵀ + K V Kᵀ                                              (5)
//!   GNSS position:  h = p + R l;   GNSS velocity:  h = v + R (ω × l);   compass:  h = ψ (6)
//! ```
//! The point p is that of the IMU, where (1) needs no angular acceleration. (1), (2) [Fossen 2021,
//! sections 2.2 and 14.4]; (3) to (5) [Bar-Shalom, Li, Kirubarajan 2001,
//! sections 10.3 and 5.2, (5) in the form of Joseph]; (6) with the lever arm l from the IMU to the
//! antenna.
//! The noise of the specific force enters position and velocity as (T²/2, T), constant over a step T,
//! the others as white noise and random walks.
//!
//! # Symbols
//! p, v position and velocity of the IMU in the map [m, m/s] · ψ heading [rad] · b_g bias of the yaw
//! rate [rad/s] · b_a bias of the specific force [m/s²] · f, ω readings of the IMU, in the axes of the
//! base · g gravity [m/s²] · R rotation from base to map.
//!
//! # Limits
//! Roll and pitch have no states: their errors appear as bias of the specific force, which holds if
//! they change slowly or average out. The heading must be known to about 0.3 rad at the start.
//!
//! # Checked by
//! tests below: gains and covariance of Kalata's closed solution, consistency (NEES), lever arm, delay

use crate::frames::{from_roll_pitch_yaw, wrapped};
use nalgebra::{Matrix3, SMatrix, SVector, UnitQuaternion, Vector3};
use std::collections::VecDeque;

/// Number of states.
pub const STATES: usize = 11;
const POS: usize = 0;
const VEL: usize = 3;
const YAW: usize = 6;
const GYRO: usize = 7;
const ACCEL: usize = 8;

/// Standard gravity, as accelerometers are calibrated with [m/s²].
const GRAVITY: f64 = 9.806_65;

/// Vector of all states.
pub type State = SVector<f64, STATES>;
/// Covariance of the states.
pub type Covariance = SMatrix<f64, STATES, STATES>;

/// Longest time for which inputs are kept for delayed measurements [ns].
const HISTORY_NS: u64 = 1_000_000_000;

/// Longest step of the prediction [s]; longer gaps of the IMU are bridged with several steps.
const MAX_STEP_S: f64 = 0.05;

/// Noise of inputs and measurements that has no message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// Standard deviation of the specific force, constant over a step [m/s²].
    pub force_m_s2: f64,
    /// Density of the yaw rate [rad/s/√Hz].
    pub rate_density: f64,
    /// Random walk of the bias of the yaw rate [rad/s/√s].
    pub rate_walk: f64,
    /// Random walk of the bias of the specific force [m/s²/√s].
    pub force_walk: f64,
}

/// Reading of the IMU, in the axes of the base.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImuReading {
    /// Time [ns].
    pub stamp_ns: u64,
    /// Specific force [m/s²].
    pub force: Vector3<f64>,
    /// Angular velocity [rad/s].
    pub rate: Vector3<f64>,
    /// Roll and pitch [rad].
    pub tilt: [f64; 2],
}

/// Measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Measurement {
    /// Position of the antenna [m] with its covariance.
    Position(Vector3<f64>, Matrix3<f64>),
    /// Velocity of the antenna [m/s] with its covariance.
    Velocity(Vector3<f64>, Matrix3<f64>),
    /// Heading [rad] with its variance.
    Heading(f64, f64),
}

/// The filter at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    /// States.
    pub x: State,
    /// Their covariance.
    pub P: Covariance,
    noise: Noise,
    /// Position of the antenna from the IMU, in the axes of the base [m].
    lever: Vector3<f64>,
}

impl Filter {
    /// Starts at a position [m] and heading [rad] with these variances; velocity and biases are zero
    /// with standard deviations of 2 m/s, 0.05 rad/s and 0.2 m/s².
    pub fn new(
        position: Vector3<f64>,
        position_variance: f64,
        heading: (f64, f64),
        noise: Noise,
        lever: Vector3<f64>,
    ) -> Self {
        let mut x = State::zeros();
        let mut P = Covariance::zeros();
        x.fixed_rows_mut::<3>(POS).copy_from(&position);
        x[YAW] = heading.0;
        for k in 0..3 {
            P[(k, k)] = position_variance;
            P[(VEL + k, VEL + k)] = 4.0;
            P[(ACCEL + k, ACCEL + k)] = 0.04;
        }
        P[(YAW, YAW)] = heading.1;
        P[(GYRO, GYRO)] = 0.0025;
        // the antenna, not the IMU, is at `position`
        let mut filter = Self { x, P, noise, lever };
        let offset = filter.rotation([0.0; 2]) * lever;
        let imu = position - offset;
        filter.x.fixed_rows_mut::<3>(POS).copy_from(&imu);
        filter
    }

    /// Returns the position of the IMU [m].
    pub fn position(&self) -> Vector3<f64> {
        self.x.fixed_rows::<3>(POS).into()
    }

    /// Returns the velocity of the IMU [m/s].
    pub fn velocity(&self) -> Vector3<f64> {
        self.x.fixed_rows::<3>(VEL).into()
    }

    /// Returns the heading [rad].
    pub fn heading(&self) -> f64 {
        self.x[YAW]
    }

    /// Returns the bias of the yaw rate [rad/s].
    pub fn rate_bias(&self) -> f64 {
        self.x[GYRO]
    }

    /// Returns the attitude with this roll and pitch [rad].
    pub fn rotation(&self, tilt: [f64; 2]) -> UnitQuaternion<f64> {
        from_roll_pitch_yaw([tilt[0], tilt[1], self.x[YAW]])
    }

    /// Predicts over `dt_s` seconds with the inputs of the IMU, by (1) to (3).
    pub fn predict(&mut self, imu: &ImuReading, dt_s: f64) {
        let mut left = dt_s;
        while left > 0.0 {
            let dt = left.min(MAX_STEP_S);
            self.step(imu, dt);
            left -= dt;
        }
    }

    fn step(&mut self, imu: &ImuReading, dt: f64) {
        let R: Matrix3<f64> = self.rotation(imu.tilt).to_rotation_matrix().into_inner();
        let bias: Vector3<f64> = self.x.fixed_rows::<3>(ACCEL).into();
        let force = R * (imu.force - bias);
        let a = force - Vector3::new(0.0, 0.0, GRAVITY);
        let [(sin_roll, cos_roll), (_, cos_pitch)] = imu.tilt.map(libm::sincos);
        let v = self.velocity();
        let p = self.position() + v * dt + a * (0.5 * dt * dt);
        let yaw_rate = (sin_roll * imu.rate.y + cos_roll * (imu.rate.z - self.x[GYRO])) / cos_pitch;
        // ∂a/∂ψ = z × R (f - b)
        let turn = Vector3::z().cross(&force);
        let mut F = Covariance::identity();
        for k in 0..3 {
            F[(POS + k, VEL + k)] = dt;
            F[(POS + k, YAW)] = 0.5 * dt * dt * turn[k];
            F[(VEL + k, YAW)] = dt * turn[k];
            for j in 0..3 {
                F[(POS + k, ACCEL + j)] = -0.5 * dt * dt * R[(k, j)];
                F[(VEL + k, ACCEL + j)] = -dt * R[(k, j)];
            }
        }
        F[(YAW, GYRO)] = -dt * cos_roll / cos_pitch;
        self.x.fixed_rows_mut::<3>(POS).copy_from(&p);
        self.x.fixed_rows_mut::<3>(VEL).copy_from(&(v + a * dt));
        self.x[YAW] = wrapped(self.x[YAW] + yaw_rate * dt);
        self.P = F * self.P * F.transpose();
        let Noise {
            force_m_s2,
            rate_density,
            rate_walk,
            force_walk,
        } = self.noise;
        let (q, h) = (force_m_s2 * force_m_s2, 0.5 * dt);
        for k in 0..3 {
            self.P[(POS + k, POS + k)] += q * dt * dt * h * h;
            self.P[(POS + k, VEL + k)] += q * dt * dt * h;
            self.P[(VEL + k, POS + k)] += q * dt * dt * h;
            self.P[(VEL + k, VEL + k)] += q * dt * dt;
            self.P[(ACCEL + k, ACCEL + k)] += force_walk * force_walk * dt;
        }
        self.P[(YAW, YAW)] += rate_density * rate_density * dt;
        self.P[(GYRO, GYRO)] += rate_walk * rate_walk * dt;
    }

    /// Updates with a measurement by (4) to (6); `imu` are the inputs of the same time.
    pub fn update(&mut self, measurement: &Measurement, imu: &ImuReading) {
        let R: Matrix3<f64> = self.rotation(imu.tilt).to_rotation_matrix().into_inner();
        match *measurement {
            Measurement::Position(z, covariance) => {
                let arm = R * self.lever;
                self.update_vector(POS, z - self.position() - arm, &arm, &covariance);
            }
            Measurement::Velocity(z, covariance) => {
                let mut rate = imu.rate;
                rate.z -= self.x[GYRO];
                let swing = R * rate.cross(&self.lever);
                self.update_vector(VEL, z - self.velocity() - swing, &swing, &covariance);
            }
            Measurement::Heading(z, variance) => {
                let mut H = SMatrix::<f64, 1, STATES>::zeros();
                H[YAW] = 1.0;
                let innovation = SVector::<f64, 1>::new(wrapped(z - self.x[YAW]));
                self.correct(&H, innovation, &SMatrix::<f64, 1, 1>::new(variance));
            }
        }
    }

    /// Updates with a vector measurement of three states from `first` on and of `arm`, a vector that
    /// turns with the heading.
    fn update_vector(
        &mut self,
        first: usize,
        innovation: Vector3<f64>,
        arm: &Vector3<f64>,
        covariance: &Matrix3<f64>,
    ) {
        let mut H = SMatrix::<f64, 3, STATES>::zeros();
        let turn = Vector3::z().cross(arm);
        for k in 0..3 {
            H[(k, first + k)] = 1.0;
            H[(k, YAW)] = turn[k];
        }
        self.correct(&H, innovation, covariance);
    }

    fn correct<const M: usize>(
        &mut self,
        H: &SMatrix<f64, M, STATES>,
        innovation: SVector<f64, M>,
        noise: &SMatrix<f64, M, M>,
    ) {
        let S = H * self.P * H.transpose() + noise;
        // a measurement whose covariance is not positive definite has no effect
        let Some(inverse) = S.try_inverse() else {
            return;
        };
        let K = self.P * H.transpose() * inverse;
        self.x += K * innovation;
        self.x[YAW] = wrapped(self.x[YAW]);
        let J = Covariance::identity() - K * H;
        self.P = J * self.P * J.transpose() + K * noise * K.transpose();
        self.P = 0.5 * (self.P + self.P.transpose());
    }
}

/// A filter whose measurements arrive late: it returns to the time of a measurement and repeats the
/// inputs and measurements since then.
#[derive(Clone, Debug)]
pub struct DelayedFilter {
    /// Filter before each kept event.
    events: VecDeque<(Filter, Event)>,
    now: Filter,
    now_ns: u64,
    imu: ImuReading,
}

#[derive(Clone, Debug)]
struct Event {
    stamp_ns: u64,
    kind: Kind,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Imu(ImuReading),
    Measured(Measurement),
}

impl DelayedFilter {
    /// Starts with a filter at the time of a reading of the IMU.
    pub fn new(filter: Filter, imu: ImuReading) -> Self {
        Self {
            events: VecDeque::new(),
            now: filter,
            now_ns: imu.stamp_ns,
            imu,
        }
    }

    /// Returns the filter at the time of the last input.
    pub fn filter(&self) -> &Filter {
        &self.now
    }

    /// Returns the last reading of the IMU.
    pub fn imu(&self) -> &ImuReading {
        &self.imu
    }

    /// Returns the time of the last input [ns].
    pub fn now_ns(&self) -> u64 {
        self.now_ns
    }

    /// Predicts to the time of a reading of the IMU. An older reading has no effect.
    pub fn predict(&mut self, imu: ImuReading) {
        if imu.stamp_ns > self.now_ns {
            self.insert(Event {
                stamp_ns: imu.stamp_ns,
                kind: Kind::Imu(imu),
            });
        }
    }

    /// Updates with a measurement of an earlier or equal time [ns]. Returns false if it is too old.
    pub fn update(&mut self, stamp_ns: u64, measurement: Measurement) -> bool {
        let oldest = self.events.front().map_or(self.now_ns, |(_, e)| e.stamp_ns);
        let is_kept = stamp_ns >= oldest && stamp_ns <= self.now_ns;
        if is_kept {
            self.insert(Event {
                stamp_ns,
                kind: Kind::Measured(measurement),
            });
        }
        is_kept
    }

    /// Inserts an event behind those of the same time and repeats the later ones.
    fn insert(&mut self, event: Event) {
        let place = self
            .events
            .partition_point(|(_, e)| e.stamp_ns <= event.stamp_ns);
        let later: Vec<Event> = self
            .events
            .drain(place..)
            .enumerate()
            .map(|(k, (filter, e))| {
                if k == 0 {
                    self.now = filter;
                }
                e
            })
            .collect();
        if let Some((_, last)) = self.events.back() {
            self.now_ns = last.stamp_ns;
        }
        if let Some(imu) = self.events.iter().rev().find_map(|(_, e)| match e.kind {
            Kind::Imu(imu) => Some(imu),
            Kind::Measured(_) => None,
        }) {
            self.imu = imu;
        }
        for event in std::iter::once(event).chain(later) {
            self.apply(event);
        }
        let end = self.now_ns;
        // the first event stays, because its time bounds the measurements that are accepted
        while self
            .events
            .get(1)
            .is_some_and(|(_, e)| e.stamp_ns + HISTORY_NS < end)
        {
            self.events.pop_front();
        }
    }

    fn apply(&mut self, event: Event) {
        let before = self.now.clone();
        let dt_s = event.stamp_ns.saturating_sub(self.now_ns) as f64 * 1e-9;
        match &event.kind {
            Kind::Imu(imu) => {
                self.now.predict(imu, dt_s);
                self.imu = *imu;
            }
            Kind::Measured(measurement) => {
                self.now.predict(&self.imu, dt_s);
                self.now.update(measurement, &self.imu);
            }
        }
        self.now_ns = event.stamp_ns.max(self.now_ns);
        self.events.push_back((before, event));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_math::rng::Stream;

    const NOISE: Noise = Noise {
        force_m_s2: 0.3,
        rate_density: 1e-3,
        rate_walk: 1e-4,
        force_walk: 1e-3,
    };

    fn at_rest(stamp_ns: u64) -> ImuReading {
        ImuReading {
            stamp_ns,
            force: Vector3::new(0.0, 0.0, GRAVITY),
            rate: Vector3::zeros(),
            tilt: [0.0; 2],
        }
    }

    // Gains and variance of the steady state. Method: a filter with known heading and biases is an
    // α-β filter along each axis; Kalata (1984) gives its gains in closed form from the tracking index
    // λ = σ_a T²/σ_z.
    #[test]
    fn steady_state_is_that_of_kalata() {
        let (T, sigma_z) = (0.05, 0.1);
        let noise = Noise {
            force_m_s2: 3.0,
            rate_density: 0.0,
            rate_walk: 0.0,
            force_walk: 0.0,
        };
        let start = Vector3::zeros();
        let mut filter = Filter::new(start, 1.0, (0.3, 0.0), noise, Vector3::zeros());
        for k in GYRO..STATES {
            filter.P[(k, k)] = 0.0;
        }
        let V_z = Matrix3::identity() * (sigma_z * sigma_z);
        let imu = at_rest(0);
        let mut gains = [0.0; 2];
        for _ in 0..2000 {
            filter.predict(&imu, T);
            let innovation_variance = filter.P[(0, 0)] + sigma_z * sigma_z;
            gains = [filter.P[(0, 0)], T * filter.P[(VEL, 0)]].map(|p| p / innovation_variance);
            filter.update(&Measurement::Position(filter.position(), V_z), &imu);
        }
        let index = noise.force_m_s2 * T * T / sigma_z;
        let r = (4.0 + index - (8.0 * index + index * index).sqrt()) / 4.0;
        let alpha = 1.0 - r * r;
        let beta = 2.0 * (2.0 - alpha) - 4.0 * (1.0 - alpha).sqrt();
        assert!((gains[0] - alpha).abs() < 1e-9, "{gains:?} {alpha}");
        assert!((gains[1] - beta).abs() < 1e-9, "{gains:?} {beta}");
        assert!((filter.P[(0, 0)] - alpha * sigma_z * sigma_z).abs() < 1e-12);
    }

    /// Boat that turns and accelerates, with its true states and readings.
    struct Truth {
        position: Vector3<f64>,
        velocity: Vector3<f64>,
        heading: f64,
    }

    impl Truth {
        fn new() -> Self {
            Self {
                position: Vector3::new(3.0, -2.0, 0.0),
                velocity: Vector3::zeros(),
                heading: 0.5,
            }
        }

        /// Moves for `dt` seconds with constant acceleration in the map and a yaw rate. Returns the
        /// force in the base.
        fn advance(&mut self, t: f64, dt: f64) -> (Vector3<f64>, f64) {
            let a = Vector3::new(0.3 * (0.2 * t).cos(), -0.2 * (0.3 * t).sin(), 0.0);
            let rate = 0.2 * (0.15 * t).sin();
            let R = from_roll_pitch_yaw([0.0, 0.0, self.heading]);
            let force = R.inverse() * (a + Vector3::new(0.0, 0.0, GRAVITY));
            self.position += self.velocity * dt + 0.5 * a * dt * dt;
            self.velocity += a * dt;
            self.heading += rate * dt;
            (force, rate)
        }
    }

    /// Simulates a boat with noisy sensors; GNSS arrives `delay` steps late. Returns the mean of the
    /// normalised squared errors of position, velocity and heading (7 states) after 20 s.
    fn nees(seed: u64, delay: usize) -> f64 {
        let dt = 0.01;
        let lever = Vector3::new(0.3, 0.1, 1.3);
        let mut stream = Stream::new(seed, "nees");
        let mut draws = stream.draw(0);
        let mut gauss = move |std: f64| std * draws.normal();
        stream = Stream::new(seed, "biases");
        let mut biases = stream.draw(0);
        let rate_bias = 0.02 * biases.normal();
        let force_bias = Vector3::from_fn(|_, _| 0.05 * biases.normal());
        let mut truth = Truth::new();
        let antenna =
            |truth: &Truth| truth.position + from_roll_pitch_yaw([0.0, 0.0, truth.heading]) * lever;
        let (sigma_p, sigma_v, sigma_h) = (0.05, 0.05, 0.02);
        let mut start = antenna(&truth);
        (0..3).for_each(|k| start[k] += gauss(sigma_p));
        let mut filter = Filter::new(
            start,
            sigma_p * sigma_p,
            (truth.heading + gauss(0.1), 0.01),
            NOISE,
            lever,
        );
        for k in 0..3 {
            filter.P[(ACCEL + k, ACCEL + k)] = 0.05 * 0.05;
            filter.P[(VEL + k, VEL + k)] = 0.04;
        }
        filter.P[(GYRO, GYRO)] = 0.02 * 0.02;
        let mut filter = DelayedFilter::new(filter, at_rest(0));
        let mut waiting: VecDeque<(u64, Measurement)> = VecDeque::new();
        let (mut sum, mut count) = (0.0, 0);
        for step in 1..=6000u64 {
            let (force, rate) = truth.advance((step - 1) as f64 * dt, dt);
            let stamp_ns = step * 10_000_000;
            let white = Vector3::from_fn(|_, _| gauss(NOISE.force_m_s2));
            filter.predict(ImuReading {
                stamp_ns,
                force: force + force_bias + white,
                rate: Vector3::new(
                    0.0,
                    0.0,
                    rate + rate_bias + gauss(NOISE.rate_density / dt.sqrt()),
                ),
                tilt: [0.0; 2],
            });
            if step.is_multiple_of(20) {
                let R = from_roll_pitch_yaw([0.0, 0.0, truth.heading]);
                let swing = R * Vector3::new(0.0, 0.0, rate).cross(&lever);
                let p = antenna(&truth) + Vector3::from_fn(|_, _| gauss(sigma_p));
                let v = truth.velocity + swing + Vector3::from_fn(|_, _| gauss(sigma_v));
                let noise = |std: f64| Matrix3::identity() * (std * std);
                waiting.push_back((stamp_ns, Measurement::Position(p, noise(sigma_p))));
                waiting.push_back((stamp_ns, Measurement::Velocity(v, noise(sigma_v))));
                let heading = wrapped(truth.heading + gauss(sigma_h));
                waiting.push_back((stamp_ns, Measurement::Heading(heading, sigma_h * sigma_h)));
            }
            let due = stamp_ns.saturating_sub(delay as u64 * 10_000_000);
            while waiting.front().is_some_and(|(at, _)| *at <= due) {
                let (at, measurement) = waiting.pop_front().unwrap();
                assert!(filter.update(at, measurement));
            }
            if step > 2000 && step.is_multiple_of(50) {
                let mut error = SVector::<f64, 7>::zeros();
                let estimate = filter.filter();
                error
                    .fixed_rows_mut::<3>(0)
                    .copy_from(&(estimate.position() - truth.position));
                error
                    .fixed_rows_mut::<3>(3)
                    .copy_from(&(estimate.velocity() - truth.velocity));
                error[6] = wrapped(estimate.heading() - truth.heading);
                let P: SMatrix<f64, 7, 7> = estimate.P.fixed_view::<7, 7>(0, 0).into();
                sum += (error.transpose() * P.try_inverse().unwrap() * error)[0];
                count += 1;
            }
        }
        sum / f64::from(count)
    }

    // The filter is consistent: errors have the covariance that it states, with and without delay of
    // the measurements. Method: the mean of the NEES of 7 states over runs with independent noise is
    // 7; the errors of one run are correlated over some seconds, so that 20 runs of 40 s have at least
    // 100 independent samples and a standard deviation of at most 0.37 (Bar-Shalom 2001, 5.4).
    #[test]
    fn errors_have_the_stated_covariance() {
        for delay in [0, 10] {
            let mean = (0..20).map(|seed| nees(seed, delay)).sum::<f64>() / 20.0;
            assert!((mean - 7.0).abs() < 1.2, "delay {delay}: {mean}");
        }
    }

    // A delayed measurement has the effect that it would have had at its time. Method: the same inputs
    // with and without delay end in the same state.
    #[test]
    fn delayed_measurements_are_applied_at_their_time() {
        let run = |delay: u64| {
            let noise = NOISE;
            let filter = Filter::new(Vector3::zeros(), 1.0, (0.2, 0.01), noise, Vector3::x());
            let mut filter = DelayedFilter::new(filter, at_rest(0));
            let covariance = Matrix3::identity() * 0.01;
            for step in 1..=100u64 {
                let mut imu = at_rest(step * 10_000_000);
                imu.rate.z = 0.1;
                imu.force.x = 0.2;
                filter.predict(imu);
                if step > delay && (step - delay).is_multiple_of(10) {
                    let at = (step - delay) * 10_000_000;
                    let z = Vector3::new(1.0 + 0.1 * (step - delay) as f64, 2.0, 0.0);
                    assert!(filter.update(at, Measurement::Position(z, covariance)));
                }
            }
            for step in 101..=100 + 20u64 {
                filter.predict(at_rest(step * 10_000_000));
                if delay > 0 && step <= 100 + delay && (step - delay).is_multiple_of(10) {
                    let at = (step - delay) * 10_000_000;
                    let z = Vector3::new(1.0 + 0.1 * (step - delay) as f64, 2.0, 0.0);
                    assert!(filter.update(at, Measurement::Position(z, covariance)));
                }
            }
            filter.filter().clone()
        };
        assert!((run(0).x - run(10).x).norm() < 1e-12);
        assert!((run(0).P - run(10).P).norm() < 1e-12);
    }

    #[test]
    fn measurements_outside_the_history_are_refused() {
        let filter = Filter::new(Vector3::zeros(), 1.0, (0.0, 1.0), NOISE, Vector3::zeros());
        let mut filter = DelayedFilter::new(filter, at_rest(0));
        (1..=300u64).for_each(|step| filter.predict(at_rest(step * 10_000_000)));
        let heading = Measurement::Heading(0.0, 0.01);
        assert!(!filter.update(1_500_000_000, heading));
        assert!(!filter.update(3_000_000_001, heading));
        assert!(filter.update(2_500_000_000, heading));
    }
}

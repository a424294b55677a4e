//! Inputs common to every sample of an exteroceptive sensor: pose, random numbers and faults.

use merrow_math::rng::{Draw, Stream};
use merrow_math::{Mat3, Quat, SpatialVelocity, Vec3};
use merrow_model::scene::Sensor;
use merrow_model::state::FaultEffect;
use merrow_model::state::frames::view::WorldView;

/// Pose and velocity of a sensor at the instant of a sample.
#[derive(Clone, Copy, Debug)]
pub struct Pose {
    /// Index of the robot that carries the sensor.
    pub robot: usize,
    /// Attitude of the sensor frame S in the world frame W.
    pub R_WS: Mat3,
    /// Position of the sensor in W [m].
    pub p_WS: Vec3,
    /// Velocity of the sensor in W, expressed in S [rad/s, m/s].
    pub V_WS_S: SpatialVelocity,
}

impl Pose {
    /// Computes the pose and velocity of sensor `sensor` of robot `robot` in a snapshot.
    pub fn of_sensor(view: &WorldView, robot: usize, sensor: &Sensor) -> Self {
        let (R_WL, p_WL) = &view.links[robot][sensor.link];
        let (V, p) = (view.velocities[robot][sensor.link], sensor.p_LoS);
        let (mut R, mut w) = (sensor.R_LS, Vec3::zero());
        let own = sensor.kind.exteroceptive().map(|spec| spec.properties());
        if let Some(tilt) = own.and_then(|own| own.tilt.filter(|_| own.has_one_tilt_per_sample)) {
            R = R.mul_mat(&tilt.axes(view.time_ns));
            w.y = tilt.speed(view.time_ns);
        }
        let v_S = V.v + V.w.cross(p);
        Self {
            robot,
            R_WS: R_WL.mul_mat(&R),
            p_WS: *p_WL + R_WL.mul_vec(p),
            V_WS_S: SpatialVelocity {
                w: R.tr_mul_vec(V.w) + w,
                v: R.tr_mul_vec(v_S),
            },
        }
    }

    /// Extrapolates attitude and position in W [m] by `time` [s], with constant linear velocity in
    /// W and constant angular velocity in S.
    pub fn extrapolate(&self, time: f64) -> (Mat3, Vec3) {
        let turn = Quat::from_rotation_vector(self.V_WS_S.w.scale(time)).matrix();
        (
            self.R_WS.mul_mat(&turn),
            self.p_WS + self.R_WS.mul_vec(self.V_WS_S.v.scale(time)),
        )
    }
}

/// Error sources of one sample: random numbers, noise switch and faults.
#[derive(Clone, Copy, Debug)]
pub struct SampleErrors {
    /// Source of the random numbers.
    pub stream: Stream,
    /// Index of the sample, which selects its random numbers in `stream`.
    pub sample: u64,
    /// Noise switch; with `false` the instrument is perfect.
    pub noise: bool,
    /// Combined effect of the active faults of the sensor.
    pub fault: FaultEffect,
}

impl SampleErrors {
    /// Returns random numbers of the sample. Those of different `k` are independent; `k` wraps, so
    /// that `u64::MAX` stands for -1.
    pub(crate) fn draw(&self, k: u64) -> Draw {
        let first = (self.sample + 1).wrapping_mul(1 << 20);
        self.stream.draw(first.wrapping_add(k))
    }

    /// Returns the standard deviation `std` of an error, or zero without noise.
    pub(crate) fn std(&self, std: f64) -> f64 {
        if self.noise { std } else { 0.0 }
    }
}

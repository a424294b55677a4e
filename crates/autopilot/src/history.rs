//! Motion of a robot in the last time steps, from which an autopilot receives its frames.
//!
//! # Law
//! ```text
//!   x(t) = x_a + (x_b - x_a) (t - t_a)/(t_b - t_a),   t_a < t <= t_b              (1)
//!   a(t) = (v_b - v_a)/(t_b - t_a)                                               (2)
//! ```
//! # Symbols
//! a, b successive samples · x position, attitude, velocity or angular velocity · v velocity ·
//! a(t) acceleration.
//!
//! # Frames
//! Position, velocity and acceleration in W (east, north, up); angular velocity in B.
//!
//! # Limits
//! (2) is the mean over a time step, as an integrating accelerometer measures it. Accelerations
//! above 1000 m/s² result from setting the pose of a robot and are replaced by 0.
//!
//! # Checked by
//! tests below

use merrow_environment::hydrostatics;
use merrow_math::{Quat, Vec3};
use merrow_model::scene::{Scene, Sea};
use merrow_sim::Simulation;
use std::collections::VecDeque;

/// Time for which samples are kept [ns].
const SPAN_NS: u64 = 50_000_000;
/// Maximum acceleration of a robot that was not placed elsewhere [m/s²].
const MAX_ACCELERATION: f64 = 1000.0;

/// Motion of the base of a robot at one instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionSample {
    /// Simulated time of the motion [ns].
    pub time_ns: u64,
    /// Position in W [m].
    pub position: Vec3,
    /// Rotation from B (forward, left, up) to W.
    pub attitude: Quat,
    /// Velocity in W [m/s].
    pub velocity: Vec3,
    /// Angular velocity in B [rad/s].
    pub angular_velocity: Vec3,
    /// Acceleration in W [m/s²].
    pub acceleration: Vec3,
}

impl MotionSample {
    /// Reads the motion of robot `robot`; its acceleration is 0.
    pub fn read(simulation: &Simulation, robot: usize) -> Self {
        let motion = &simulation.state.robots[robot].motion;
        Self {
            time_ns: simulation.time_ns(),
            position: motion.p_WB,
            attitude: motion.q_WB,
            velocity: motion.q_WB.matrix().mul_vec(motion.V_WB_B.v),
            angular_velocity: motion.V_WB_B.w,
            acceleration: Vec3::zero(),
        }
    }

    /// Returns the absolute pressure at the base without waves [Pa].
    pub(crate) fn still_pressure(&self, scene: &Scene, sea: &Sea) -> f64 {
        hydrostatics::pressure_at_rest(sea, scene.gravity, self.position, self.time())
    }

    /// Returns the height of the base above the mean water surface [m].
    pub(crate) fn height_above_water(&self, sea: &Sea) -> f64 {
        let p = self.position;
        p.z - hydrostatics::mean_level(sea, p.x, p.y, self.time())
    }

    /// Returns the simulated time of the motion [s].
    fn time(&self) -> f64 {
        self.time_ns as f64 * 1e-9
    }
}

/// Motion in the last 50 ms.
#[derive(Clone, Debug, Default)]
pub(crate) struct MotionHistory {
    samples: VecDeque<MotionSample>,
}

impl MotionHistory {
    /// Adds a sample, unless there is one of this time. A sample before the others removes them.
    pub(crate) fn push(&mut self, mut sample: MotionSample) {
        match self.samples.back() {
            Some(last) if last.time_ns == sample.time_ns => return,
            Some(last) if last.time_ns > sample.time_ns => self.samples.clear(),
            Some(last) => {
                let rate = 1e9 / (sample.time_ns - last.time_ns) as f64;
                let acceleration = (sample.velocity - last.velocity).scale(rate);
                if acceleration.norm() < MAX_ACCELERATION {
                    sample.acceleration = acceleration;
                }
            }
            None => {}
        }
        self.samples.push_back(sample);
        let is_old = |a: &MotionSample| a.time_ns + SPAN_NS < sample.time_ns;
        while self.samples.len() > 2 && is_old(&self.samples[1]) {
            self.samples.pop_front();
        }
    }

    /// Removes all samples, after a reset.
    pub(crate) fn clear(&mut self) {
        self.samples.clear();
    }

    /// Returns the motion at `time_ns` by (1) and (2): the motion of the first sample before it,
    /// and the motion of the last sample after it; `None` without samples.
    pub(crate) fn motion_at(&self, time_ns: u64) -> Option<MotionSample> {
        let later = self.samples.partition_point(|s| s.time_ns < time_ns);
        let Some(b) = self.samples.get(later) else {
            return self.samples.back().copied();
        };
        let Some(a) = later.checked_sub(1).map(|k| &self.samples[k]) else {
            return Some(*b);
        };
        let s = (time_ns - a.time_ns) as f64 / (b.time_ns - a.time_ns) as f64;
        let mix = |x: Vec3, y: Vec3| x.scale(1.0 - s) + y.scale(s);
        let (p, q) = (a.attitude, b.attitude);
        // both quaternions of an attitude are valid: the nearer one
        let dot = p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z;
        let t = if dot < 0.0 { -s } else { s };
        let blend = |x: f64, y: f64| x * (1.0 - s) + y * t;
        let attitude = Quat {
            w: blend(p.w, q.w),
            x: blend(p.x, q.x),
            y: blend(p.y, q.y),
            z: blend(p.z, q.z),
        };
        Some(MotionSample {
            time_ns,
            position: mix(a.position, b.position),
            attitude: attitude.normalized(),
            velocity: mix(a.velocity, b.velocity),
            angular_velocity: mix(a.angular_velocity, b.angular_velocity),
            acceleration: b.acceleration,
        })
    }
}

/// Returns the end of the next frame [ns] of at most `period_ns` after the last frame, which ended
/// at `sent_ns`: a number of time steps `dt_ns`, or a fraction of one; now if it is too long ago.
pub(crate) fn frame_end(sent_ns: Option<u64>, period_ns: u64, now_ns: u64, dt_ns: u64) -> u64 {
    let frame_ns = if period_ns < dt_ns {
        dt_ns / dt_ns.div_ceil(period_ns)
    } else {
        period_ns / dt_ns * dt_ns
    };
    let end_ns = sent_ns.unwrap_or(now_ns) + frame_ns;
    if end_ns + SPAN_NS < now_ns {
        now_ns
    } else {
        end_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(time_ms: u64, speed: f64, yaw: f64) -> MotionSample {
        MotionSample {
            time_ns: time_ms * 1_000_000,
            position: Vec3::new(speed, 0.0, -1.0),
            attitude: Quat::from_rpy(0.0, 0.0, yaw),
            velocity: Vec3::new(speed, 0.0, 0.0),
            angular_velocity: Vec3::new(0.0, 0.0, yaw),
            acceleration: Vec3::zero(),
        }
    }

    // Motions between two samples. Method: linear motion, whose interpolation is exact; the
    // attitude of a small rotation. Tolerance: rounding; 1e-6 rad for the attitude.
    #[test]
    fn motions_between_samples_are_interpolated() {
        let mut history = MotionHistory::default();
        assert_eq!(history.motion_at(5), None);
        history.push(sample(0, 1.0, 0.0));
        history.push(sample(2, 1.5, 0.02));
        let midpoint = history.motion_at(500_000).unwrap();
        assert!((midpoint.velocity.x - 1.125).abs() < 1e-12 && midpoint.time_ns == 500_000);
        assert!(
            (midpoint.acceleration.x - 250.0).abs() < 1e-9,
            "{midpoint:?}"
        );
        let expected = Quat::from_rpy(0.0, 0.0, 0.005);
        assert!(
            (midpoint.attitude.z - expected.z).abs() < 1e-6,
            "{midpoint:?}"
        );
        // the other quaternion of the same attitude
        let q = sample(4, 1.5, 0.04).attitude;
        let attitude = Quat {
            w: -q.w,
            x: -q.x,
            y: -q.y,
            z: -q.z,
        };
        history.push(MotionSample {
            attitude,
            ..sample(4, 1.5, 0.04)
        });
        let z = history.motion_at(3_000_000).unwrap().attitude.z;
        assert!((z - Quat::from_rpy(0.0, 0.0, 0.03).z).abs() < 1e-6, "{z}");
        assert_eq!(history.motion_at(9_000_000).unwrap().time_ns, 4_000_000);
    }

    #[test]
    fn frames_are_steps_or_fractions_of_one() {
        let ms = 1_000_000;
        assert_eq!(frame_end(Some(8 * ms), 4 * ms, 8 * ms, 2 * ms), 12 * ms);
        assert_eq!(frame_end(Some(8 * ms), 4 * ms, 8 * ms, 3 * ms), 11 * ms);
        assert_eq!(frame_end(Some(8 * ms), ms, 10 * ms, 2 * ms), 9 * ms);
        assert_eq!(frame_end(None, ms, 10 * ms, ms), 11 * ms);
        assert_eq!(frame_end(Some(0), ms, 100 * ms, ms), 100 * ms);
    }

    #[test]
    fn old_samples_are_removed_and_jumps_do_not_accelerate() {
        let mut history = MotionHistory::default();
        for k in 0..200 {
            history.push(sample(k, 1.0, 0.0));
        }
        assert!(history.samples.len() < 60, "{}", history.samples.len());
        assert!(
            history
                .motion_at(150_000_000)
                .is_some_and(|m| m.time_ns == 150_000_000)
        );
        history.push(sample(200, 100.0, 0.0));
        assert_eq!(
            history.motion_at(200_000_000).unwrap().acceleration,
            Vec3::zero()
        );
        history.push(sample(1, 1.0, 0.0));
        assert_eq!(history.samples.len(), 1);
    }
}

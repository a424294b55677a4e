//! Position-dependent parts of the current (jets, channels, eddies, grids), and tides, which depend
//! on time only.
//!
//! # Law
//! ```text
//!   tide     u = Σ a cos(ωt - g) + b sin(ωt - g)                              (1)
//!   jet      u = U sech²(n/b) exp(z/d)                                        (2)  [Bickley 1937]
//!   channel  u = U (1 - |n/w|^k) (h/H)^m  between the banks and over the bed  (3)
//!   eddy     u = ẑ × r Ω (1 - e^(-s))/s,  s = (r/a)²                          (4)
//!   Du/Dt = ∂u/∂t + (∇u) u,  u the whole current                              (5)
//!   (1) [Pugh 1987, §A3]
//!   (3) power laws [Chow 1959, §8-5]
//!   (4) [Lamb 1932, §334a]
//! ```
//! (5) is the acceleration of the water particle, which acts on a body in the water [Auton 1988].
//!
//! # Symbols
//! a, b vectors of the major and minor axis of a tidal constituent, ω its angular frequency, g its
//! phase lag · n distance from the axis of the stream · b half width of a jet, d its decay depth ·
//! w half width of a channel, H depth of its bed, h height over the bed · Ω angular velocity at the
//! centre of an eddy, r distance from its axis, a radius of its core.
//!
//! # Frames
//! World (ENU). Grids are linear between their samples (`crates/model/src/scene/sea/grid.rs`). Row
//! i of the gradient is the gradient of velocity component i.
//!
//! # Limits
//! Streams are straight, steady and horizontal. (2) has the same width along its whole length, so
//! it entrains no water. (4) does not spread with time. Overlapping flows are added; for (2)-(4)
//! the sum does not solve the equations of motion. A change of a gain causes no acceleration, and
//! neither does the edge of a region. In a closed region only the flows that name the region are
//! active.
//!
//! # Checked by
//! tests below; test/analytic/environment/flow.rs

use merrow_math::real::sin_cos;
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::sea::flow::{Channel, Constituent, Eddy, Flow, FlowLaw, Jet};
use merrow_model::scene::sea::grid::Grid;
use merrow_model::scene::sea::water::Region;
use std::sync::Arc;

/// Velocity field in the neighbourhood of one position at one instant, in W.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct FlowSample {
    /// Velocity of the water [m/s].
    pub velocity: Vec3,
    /// Time derivative of the velocity at a fixed position, ∂u/∂t [m/s²].
    pub rate: Vec3,
    /// Spatial derivative of the velocity, ∂u_i/∂x_j [1/s].
    pub gradient: Mat3,
}

impl FlowSample {
    /// Returns the acceleration of the water particle, Du/Dt [m/s²], W. (5)
    pub(crate) fn acceleration(&self) -> Vec3 {
        self.rate + self.gradient.mul_vec(self.velocity)
    }

    fn add(&mut self, gain: f64, other: &Self) {
        self.velocity += other.velocity.scale(gain);
        self.rate += other.rate.scale(gain);
        for i in 0..3 {
            self.gradient.r[i] += other.gradient.r[i].scale(gain);
        }
    }
}

/// Returns the sum of the position-dependent flows at `p` [m], W, and `t` [s].
///
/// If `own` is given, only the flows of that region (index into `regions`) are added.
pub(crate) fn sample_flows(
    flows: &[Flow],
    regions: &[Region],
    own: Option<usize>,
    p: Vec3,
    t: f64,
) -> FlowSample {
    let mut sum = FlowSample::default();
    for flow in flows {
        if own.is_some() && flow.region != own {
            continue;
        }
        if flow
            .region
            .and_then(|r| regions.get(r))
            .is_some_and(|region| !region.contains(p.x, p.y))
        {
            continue;
        }
        let local = match &flow.law {
            FlowLaw::Tide(_) => continue,
            FlowLaw::Jet(jet) => sample_jet(jet, p),
            FlowLaw::Channel(channel) => sample_channel(channel, p),
            FlowLaw::Eddy(eddy) => sample_eddy(eddy, p),
            FlowLaw::Grid(components) => sample_grid(components, p, t),
        };
        sum.add(flow.gain, &local);
    }
    sum
}

/// Returns the velocity [m/s] and acceleration [m/s²], W, of all tides at `t` [s] by (1).
pub(crate) fn tidal_motion(flows: &[Flow], t: f64) -> (Vec3, Vec3) {
    let (mut v, mut a) = (Vec3::zero(), Vec3::zero());
    for flow in flows {
        let FlowLaw::Tide(constituents) = &flow.law else {
            continue;
        };
        for c in constituents {
            let (s, k) = sin_cos(phase(c, t));
            v += (c.major.scale(k) + c.minor.scale(s)).scale(flow.gain);
            a += (c.minor.scale(k) - c.major.scale(s)).scale(c.omega * flow.gain);
        }
    }
    (v, a)
}

/// Returns the phase of a constituent [rad], reduced to one turn, so that the sine keeps its
/// precision over years.
fn phase(c: &Constituent, t: f64) -> f64 {
    let turns = c.omega * t / std::f64::consts::TAU;
    (turns - turns.floor()) * std::f64::consts::TAU - c.lag
}

fn sample_jet(jet: &Jet, p: Vec3) -> FlowSample {
    let n = jet.across.dot(p - jet.p_W) / jet.half_width_m;
    let tanh = libm::tanh(n);
    let depth_factor = if jet.decay_depth_m.is_finite() {
        libm::exp(p.z.min(0.0) / jet.decay_depth_m)
    } else {
        1.0
    };
    let profile = (1.0 - tanh * tanh) * depth_factor;
    let slope_across = -2.0 * tanh * profile / jet.half_width_m;
    let slope_along_z = if p.z < 0.0 {
        profile / jet.decay_depth_m
    } else {
        0.0
    };
    let slope = jet.across.scale(slope_across) + Vec3::new(0.0, 0.0, slope_along_z);
    scaled_stream(jet.velocity, profile, slope)
}

fn sample_channel(channel: &Channel, p: Vec3) -> FlowSample {
    let n = channel.across.dot(p - channel.p_W) / channel.half_width;
    if n.abs() >= 1.0 {
        return FlowSample::default();
    }
    let k = channel.exponent;
    let across = 1.0 - libm::pow(n.abs(), k);
    let bank_slope = -k * libm::pow(n.abs(), k - 1.0) * n.signum() / channel.half_width;
    let (bed_factor, bed_slope) = match channel.bed {
        None => (1.0, 0.0),
        Some([depth, m]) => {
            let h = (1.0 + p.z / depth).min(1.0);
            if h <= 0.0 {
                return FlowSample::default();
            }
            let bed_factor = libm::pow(h, m);
            (
                bed_factor,
                if h < 1.0 {
                    m * bed_factor / (h * depth)
                } else {
                    0.0
                },
            )
        }
    };
    let slope =
        channel.across.scale(bank_slope * bed_factor) + Vec3::new(0.0, 0.0, across * bed_slope);
    scaled_stream(channel.velocity, across * bed_factor, slope)
}

/// Returns the stream along `velocity` times a `factor` with the gradient `slope`.
fn scaled_stream(velocity: Vec3, factor: f64, slope: Vec3) -> FlowSample {
    FlowSample {
        velocity: velocity.scale(factor),
        rate: Vec3::zero(),
        gradient: Mat3::from_rows(
            slope.scale(velocity.x),
            slope.scale(velocity.y),
            slope.scale(velocity.z),
        ),
    }
}

/// Returns the velocities from grids, in which depth is positive downwards.
fn sample_grid(components: &[Option<Arc<Grid>>; 3], p: Vec3, t: f64) -> FlowSample {
    let mut local = FlowSample::default();
    for (i, grid) in components.iter().enumerate() {
        let Some(grid) = grid else { continue };
        let sample = grid.interpolate([p.x, p.y, -p.z, t]);
        local.velocity[i] = sample.value;
        local.rate[i] = sample.slope[3];
        local.gradient.r[i] = Vec3::new(sample.slope[0], sample.slope[1], -sample.slope[2]);
    }
    local
}

fn sample_eddy(eddy: &Eddy, p: Vec3) -> FlowSample {
    let (x, y) = (p.x - eddy.p_W.x, p.y - eddy.p_W.y);
    let s = (x * x + y * y) / (eddy.core_radius_m * eddy.core_radius_m);
    // f = Ω (1 - e^(-s))/s and its derivative with respect to s; near the axis by their series
    let (f, f_s) = if s < 1e-3 {
        (1.0 - s / 2.0 + s * s / 6.0, -0.5 + s / 3.0 - s * s / 8.0)
    } else {
        let f = -libm::expm1(-s) / s;
        (f, (libm::exp(-s) - f) / s)
    };
    let (f, f_s) = (
        eddy.angular_velocity_rad_s * f,
        eddy.angular_velocity_rad_s * f_s,
    );
    let (f_x, f_y) = (
        f_s * 2.0 * x / (eddy.core_radius_m * eddy.core_radius_m),
        f_s * 2.0 * y / (eddy.core_radius_m * eddy.core_radius_m),
    );
    FlowSample {
        velocity: Vec3::new(-f * y, f * x, 0.0),
        rate: Vec3::zero(),
        gradient: Mat3::from_rows(
            Vec3::new(-f_x * y, -f - f_y * y, 0.0),
            Vec3::new(f + f_x * x, f_y * x, 0.0),
            Vec3::zero(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flows() -> Vec<Flow> {
        let (c, s) = (0.8, 0.6);
        let along = Vec3::new(c, s, 0.0).scale(1.3);
        let across = Vec3::new(-s, c, 0.0);
        let p_W = Vec3::new(3.0, -2.0, 0.0);
        let jet = Jet {
            velocity: along,
            across,
            p_W,
            half_width_m: 4.0,
            decay_depth_m: 9.0,
        };
        let channel = Channel {
            velocity: along,
            across,
            p_W,
            half_width: 20.0,
            exponent: 2.5,
            bed: Some([12.0, 1.0 / 7.0]),
        };
        let eddy = Eddy {
            angular_velocity_rad_s: 0.4,
            p_W,
            core_radius_m: 5.0,
        };
        let flow = |gain, law| Flow {
            name: String::new(),
            gain,
            region: None,
            law,
        };
        vec![
            flow(0.7, FlowLaw::Jet(jet)),
            flow(1.0, FlowLaw::Channel(channel)),
            flow(-1.2, FlowLaw::Eddy(eddy)),
        ]
    }

    // The gradients agree with the velocities. Method: central differences at general points,
    // including near the axis of an eddy. Tolerance: 1e-8, the error of the differences with a step
    // of 1e-4.
    #[test]
    fn gradients_match_finite_differences() {
        let flows = flows();
        let h = 1e-4;
        for p in [
            Vec3::new(1.0, 2.0, -3.0),
            Vec3::new(3.05, -2.02, -0.7),
            Vec3::new(-7.0, 4.0, -11.0),
        ] {
            let local = sample_flows(&flows, &[], None, p, 0.0);
            for j in 0..3 {
                let mut step = Vec3::zero();
                step[j] = h;
                let slope = (sample_flows(&flows, &[], None, p + step, 0.0).velocity
                    - sample_flows(&flows, &[], None, p - step, 0.0).velocity)
                    .scale(0.5 / h);
                for i in 0..3 {
                    let sample = local.gradient.r[i][j];
                    assert!(
                        (sample - slope[i]).abs() < 1e-8,
                        "d u{i}/d x{j} = {sample}, not {}",
                        slope[i]
                    );
                }
            }
        }
    }

    #[test]
    fn channel_flow_ends_at_banks_and_bed() {
        let mut channel = flows();
        channel.retain(|f| matches!(f.law, FlowLaw::Channel(_)));
        let across = Vec3::new(-0.6, 0.8, 0.0);
        let axis_point = Vec3::new(3.0, -2.0, 0.0);
        assert!(
            (sample_flows(&channel, &[], None, axis_point, 0.0)
                .velocity
                .norm()
                - 1.3)
                .abs()
                < 1e-15
        );
        for p in [
            axis_point + across.scale(20.001),
            axis_point - across.scale(25.0),
            axis_point + Vec3::new(0.0, 0.0, -12.0),
        ] {
            assert_eq!(
                sample_flows(&channel, &[], None, p, 0.0),
                FlowSample::default()
            );
        }
    }

    #[test]
    fn tide_is_periodic_and_acceleration_is_its_derivative() {
        let m2 = Constituent {
            omega: std::f64::consts::TAU / 44_714.16,
            major: Vec3::new(0.9, 0.3, 0.0),
            minor: Vec3::new(-0.1, 0.3, 0.0),
            lag: 0.4,
        };
        let flows = [Flow {
            name: String::new(),
            gain: 2.0,
            region: None,
            law: FlowLaw::Tide(vec![m2]),
        }];
        let at_flood = 0.4 / m2.omega;
        let assert_close =
            |a: Vec3, b: Vec3, tolerance: f64| assert!((a - b).norm() < tolerance, "{a:?} {b:?}");
        assert_close(tidal_motion(&flows, at_flood).0, m2.major.scale(2.0), 1e-12);
        assert_close(
            tidal_motion(&flows, at_flood + 0.25 * 44_714.16).0,
            m2.minor.scale(2.0),
            1e-12,
        );
        // equal after ten years of periods, within the rounding of time itself
        assert_close(
            tidal_motion(&flows, at_flood + 7000.0 * 44_714.16).0,
            m2.major.scale(2.0),
            1e-9,
        );
        let slope = (tidal_motion(&flows, 5000.5).0 - tidal_motion(&flows, 4999.5).0).norm();
        assert!((tidal_motion(&flows, 5000.0).1.norm() - slope).abs() < 1e-11);
    }
}

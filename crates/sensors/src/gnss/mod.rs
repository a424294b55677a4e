//! Satellite navigation (GNSS) receiver. It has no fix under water, and after surfacing none until
//! it has reacquired its satellites.
//!
//! # Law
//! ```text
//!   p = p_WS + e D/D_0 + s m,   v = v_WS + n D/D_0              (1)
//! ```
//! on the WGS84 ellipsoid (`crates/environment/src/geodesy.rs`); e and m are Gauss-Markov
//! processes, n is white.
//!
//! # Symbols
//! p, v measured position and velocity · e position error under an open sky, with the stated
//! standard deviation · D dilution of precision, D_0 dilution under the open sky
//! (`gnss/visibility.rs`) · m multipath error, with the standard deviation of a range times D, s
//! its factor by (2) of `gnss/visibility.rs` · n velocity error of the Doppler measurement.
//!
//! # Frames
//! Errors in W (east, north, up).
//!
//! # Limits
//! Without `sky` there is neither obstruction nor multipath. Spray over the antenna is not
//! modelled. The velocity is the instantaneous one; the filters of real receivers lag.
//!
//! # Checked by
//! test/sensors/navigation/position_sensors.rs (V83), test/sensors/navigation/gnss.rs,
//! test/analytic/bodies/floating.rs

pub mod heading;
pub mod interference;
pub mod visibility;

use crate::fault::Faulty;
use crate::gnss::interference::{Interference, interference};
use crate::measure::{Measure, Sample};
use merrow_environment::geodesy;
use merrow_math::Vec3;
use merrow_math::ellipsoid::curvature_radii;
use merrow_model::sensor::gnss::{Gnss, GnssSky, GnssSpec, SatelliteConstellation};

impl Measure for GnssSpec {
    /// Takes one sample. Channels 0-2 of `SensorState::drift` hold both position errors, channel 3
    /// the time above water [s].
    fn measure(&self, sample: &mut Sample<'_>) -> Option<Gnss> {
        let (receiver, truth) = (&self.receiver, sample.truth);
        let radio = &interference(sample);
        let h = receiver.horizontal_std_m;
        let std = Vec3::new(h, h, receiver.vertical_std_m);
        let mut error = Vec3::zero();
        for i in 0..3 {
            error[i] = gauss_markov_step(sample, [i, 0], std[i], receiver.correlation_time_s);
        }
        let limits = (receiver.max_depth_m, receiver.reacquisition_s);
        let up = has_signal(sample, truth.p_WS, limits, radio);
        let draw = &mut sample.draw;
        let doppler = receiver
            .velocity_std_m_s
            .map(|[h, v]| (h, v, [draw.normal(), draw.normal(), draw.normal()]));
        let (mut ratios, mut multipath) = (Vec3::new(1.0, 1.0, 1.0), Vec3::zero());
        let (mut fix, mut satellites, mut dilution) = (up, None, None);
        if let Some((sky, constellation)) = receiver.sky.as_ref().zip(self.constellation.as_ref()) {
            let view = visibility::satellite_visibility((sky, &constellation.satellites), truth);
            multipath = multipath_std(sky, &view);
            ratios = dilution_ratio(constellation, view.dilution);
            for i in 0..3 {
                let echoes =
                    gauss_markov_step(sample, [i, 1], 1.0, sky.multipath_correlation_time_s);
                error[i] = error[i] * ratios[i] + multipath[i] * echoes; // (1)
            }
            fix &= view.dilution.is_some();
            satellites = Some(if up { view.visible_satellites } else { 0 });
            dilution = view.dilution.filter(|_| fix);
        }
        let mut reading = Gnss {
            fix,
            position: [f64::NAN; 3],
            velocity: Vec3::new(f64::NAN, f64::NAN, f64::NAN),
            variances: [0, 1, 2].map(|i| {
                let open_sky = std[i] * ratios[i];
                open_sky * open_sky + multipath[i] * multipath[i]
            }),
            velocity_variances: [f64::INFINITY; 3],
            augmentation: receiver.augmentation,
            satellites,
            dilution,
        };
        if !fix {
            return Some(reading);
        }
        let on = if sample.memory.noise { 1.0 } else { 0.0 };
        let p = truth.p_WS + error.scale(on) + radio.offset;
        reading.position = geodesy::geodetic_from_world(truth.around.origin, p);
        if let Some((h, v, n)) = doppler {
            let std = Vec3::new(h * ratios.x, h * ratios.y, v * ratios.z);
            let noise = Vec3::new(std.x * n[0], std.y * n[1], std.z * n[2]);
            reading.velocity =
                truth.R_WS.mul_vec(truth.V_WS_S.v) + noise.scale(on) + radio.velocity;
            reading.velocity_variances = std.to_array().map(|s| s * s);
        }
        Some(reading)
    }
}

impl Faulty for Gnss {
    fn add_errors(&mut self, error: &mut dyn FnMut() -> f64) {
        let e = Vec3::new(error(), error(), error());
        let cosine = merrow_math::real::sin_cos(self.position[0]).1;
        let [M, N] = curvature_radii(self.position[0]).map(|radius| radius + self.position[2]);
        self.position[0] += e.y / M;
        self.position[1] += e.x / (N * cosine.max(1e-9));
        self.position[2] += e.z;
    }
}

/// Advances a Gauss-Markov process with the standard deviation `std` and the time constant `tau`
/// [s] to this sample; the first sample is drawn from the steady state. The process is element `j`
/// of channel `i` of `SensorState::drift`.
pub(crate) fn gauss_markov_step(
    sample: &mut Sample<'_>,
    [i, j]: [usize; 2],
    std: f64,
    tau: f64,
) -> f64 {
    let decay = if tau > 0.0 {
        libm::exp(-sample.period() / tau)
    } else {
        0.0
    };
    let innovation = std * sample.draw.normal();
    let state = &mut sample.memory.drift[i][j];
    *state = if sample.memory.samples == 0 {
        innovation
    } else {
        decay * *state + (1.0 - decay * decay).sqrt() * innovation
    };
    *state
}

/// Returns true if an antenna at `p` (in W [m]) has received satellites for long enough. The limits
/// are the maximum depth of the antenna [m] and the time for reacquisition [s]; channel 3 of
/// `SensorState::drift` counts the time.
pub(crate) fn has_signal(
    sample: &mut Sample<'_>,
    p: Vec3,
    (max_depth, reacquisition): (f64, f64),
    radio: &Interference,
) -> bool {
    let (first, dt) = (sample.memory.samples == 0, sample.period());
    let above = &mut sample.memory.drift[3][0];
    let depth = -sample.truth.around.environment.height_above_surface(p);
    let is_blocked = radio.jammed || depth > max_depth;
    *above = match (is_blocked, first) {
        (true, _) => 0.0,
        (false, true) => reacquisition,
        (false, false) => *above + dt,
    };
    !is_blocked && *above >= reacquisition
}

/// Returns the ratio of the dilution of precision to the dilution under the open sky, along east,
/// north and up.
fn dilution_ratio(sky: &SatelliteConstellation, dilution: Option<[f64; 2]>) -> Vec3 {
    let [h, v] = dilution.unwrap_or(sky.dilution);
    let h = h / sky.dilution[0];
    Vec3::new(h, h, v / sky.dilution[1])
}

/// Returns the standard deviation of the multipath error along east, north and up [m].
fn multipath_std(sky: &GnssSky, view: &visibility::SatelliteVisibility) -> Vec3 {
    let [h, v] = view.dilution.unwrap_or_default();
    let range = view.echoes * sky.multipath_std_m;
    let h = h * range * std::f64::consts::FRAC_1_SQRT_2;
    Vec3::new(h, h, v * range)
}

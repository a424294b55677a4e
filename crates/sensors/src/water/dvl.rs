//! Doppler velocity log (DVL) with four beams, bottom track and water track.
//!
//! # Law
//! ```text
//!   b_i = (v_S - v_i) · d_i (1 + s) + n  (1)  beam velocity, positive out of the transducer
//!   v = (NᵀN)⁻¹ Nᵀ b                     (2)  least squares over the valid beams
//!   cov = σ² (NᵀN)⁻¹ + σ_s² v vᵀ + q²/12
//! ```
//! With four beams at angle θ from the axis (2) gives σ_xy = σ/(√2 sin θ) and σ_z = σ/(2 cos θ).
//! With range modes (`PingRates`) the ping rate depends on the last measured altitude.
//! Without bottom lock it is the rate of water track or of the bottom search.
//!
//! # Symbols
//! b_i beam velocities · v_S velocity of S · d_i beam directions, N matrix with the rows d_i · v_i
//! velocity of the target of the beam: zero for the seabed and structures, its own velocity for
//! another robot · s scale error (drawn once), σ_s its standard deviation, q resolution · n normal
//! error, σ its standard deviation for one beam, of bottom track or of water track. v is the
//! velocity of S relative to the targets (bottom track) or relative to the water of the layer
//! (water track).
//!
//! # Frames
//! S: x forward, z up; the beams point to -z.
//!
//! # Limits
//! The beams are straight and hit the seabed, structures and other robots; they ignore their own
//! robot. All beams are measured at the same instant. The slant range of each beam is limited to
//! that at the limits of the altitude with a level instrument over a level seabed. Beams are lost
//! at random with a probability that grows with the square of the range. A solution needs at least
//! three beams. A change of the range mode takes effect with the next ping; no ping is lost.
//!
//! # Checked by
//! test/sensors/navigation/dvl.rs (V81), test/sensors/sonar/beam_targets.rs

use crate::fault::faulty;
use crate::measure::{Measure, Sample};
use crate::{Truth, noise};
use merrow_math::rng::Draw;
use merrow_math::{SpatialVelocity, Sym3, Vec3};
use merrow_model::sensor::water::{Dvl, DvlBeam, DvlLock, DvlSpec};
use merrow_model::state::workspace::BeamHit;

/// Lower limit of the determinant of NᵀN for a solution.
const MIN_DETERMINANT: f64 = 1e-9;

impl Measure for DvlSpec {
    /// Takes one sample: a ping of all beams.
    fn measure(&self, sample: &mut Sample<'_>) -> Option<Dvl> {
        let (spec, sensor, truth) = (self, sample.sensor, sample.truth);
        let on = sample.memory.noise;
        let scale = if on {
            1.0 + spec.scale_std * sensor.stream.draw(0).normal()
        } else {
            1.0
        };
        let in_water = truth.around.environment.height_above_surface(truth.p_WS) <= 0.0;
        let (mut beams, altitude) = track_bottom(self, sample, (in_water, on, scale));
        let mut lock = DvlLock::Bottom;
        let mut std = spec.log.bottom_std_m_s;
        let mut solution = solve_velocity(&beams);
        if solution.is_none()
            && in_water
            && let Some(v_water) = water_velocity(spec, truth)
        {
            lock = DvlLock::Water;
            std = spec.log.water_std_m_s;
            track_water(
                spec,
                truth,
                v_water,
                scale,
                on,
                &mut beams,
                &mut sample.draw,
            );
            solution = solve_velocity(&beams);
        }
        for beam in &mut beams {
            let error = spec.scale_std * beam.velocity;
            let scale = if error.is_nan() { 0.0 } else { error * error };
            beam.velocity_variance = std * std + scale;
        }
        let (velocity, covariance) = match solution {
            Some((v, inverse)) => (v, velocity_covariance(spec, std, v, &inverse)),
            None => {
                lock = DvlLock::None;
                (Vec3::new(f64::NAN, f64::NAN, f64::NAN), Sym3::zero())
            }
        };
        let c = covariance.full();
        Some(Dvl {
            lock,
            velocity: Vec3::from(
                velocity
                    .to_array()
                    .map(|x| noise::quantise(x, spec.log.resolution_m_s)),
            ),
            covariance: std::array::from_fn(|k| c.r[k / 3][k % 3]),
            altitude: if lock == DvlLock::Bottom && altitude > 0.0 {
                altitude
            } else {
                f64::NAN
            },
            beams,
            range_variance: spec.log.range_std_m * spec.log.range_std_m,
            sound_speed: truth.around.environment.sound_speed(truth.p_WS),
        })
    }
}

/// Returns the covariance of the velocity `v` [m²/s²] by (2), from the standard deviation `std` of
/// a beam [m/s] and `inverse`, (NᵀN)⁻¹.
fn velocity_covariance(spec: &DvlSpec, std: f64, v: Vec3, inverse: &Sym3) -> Sym3 {
    let noise = inverse.scale(std * std);
    let mut all = noise.minus_outer(v, -spec.scale_std * spec.scale_std);
    let rounding = spec.log.resolution_m_s * spec.log.resolution_m_s / 12.0;
    for element in [&mut all.xx, &mut all.yy, &mut all.zz] {
        *element += rounding;
    }
    all
}

faulty!(Dvl: velocity);

/// Measures range and velocity of each beam on the seabed; returns the beams and the mean altitude
/// over the beams with an echo [m]. `scale` is the scale error of the velocity.
fn track_bottom(
    spec: &DvlSpec,
    sample: &mut Sample<'_>,
    (in_water, on, scale): (bool, bool, f64),
) -> ([DvlBeam; 4], f64) {
    let truth = sample.truth;
    let hits = &sample.on_board.work.beam_hits(sample.index);
    let draw = &mut sample.draw;
    let mut beams = [DvlBeam {
        direction: Vec3::zero(),
        bottom: false,
        range: f64::NAN,
        velocity: f64::NAN,
        velocity_variance: f64::NAN,
    }; 4];
    let mut heights = (0.0, 0.0);
    for ((beam, d), hit) in beams.iter_mut().zip(spec.beams).zip(hits) {
        beam.direction = d;
        let d_W = truth.R_WS.mul_vec(d);
        // all numbers are drawn in any case, so that a lost echo does not change the noise of the
        // other beams
        let (n_velocity, n_range, uniform) = (draw.normal(), draw.normal(), draw.uniform());
        let Some((range, v)) = beam_echo(spec, truth, (in_water, hit), [d, d_W], uniform, on)
        else {
            continue;
        };
        let speed = truth.V_WS_S.v.dot(d) - v.dot(d_W);
        if speed.abs() > spec.log.max_beam_speed_m_s {
            continue;
        }
        beam.bottom = true;
        beam.range = if on {
            (range + spec.log.range_std_m * n_range).max(0.0)
        } else {
            range
        };
        beam.velocity = scale * speed
            + if on {
                spec.log.bottom_std_m_s * n_velocity
            } else {
                0.0
            };
        heights.0 -= beam.range * d_W.z;
        heights.1 += 1.0;
    }
    (beams, heights.0 / heights.1)
}

/// Returns the slant range of the echo of a beam [m] and the velocity of its target in W [m/s], or
/// `None` without an echo. `d` and `d_W` are the direction of the beam in S and in W, `uniform` is
/// a uniform random number in 0..1.
fn beam_echo(
    spec: &DvlSpec,
    truth: &Truth<'_>,
    (in_water, hit): (bool, &BeamHit),
    [d, d_W]: [Vec3; 2],
    uniform: f64,
    on: bool,
) -> Option<(f64, Vec3)> {
    if !in_water {
        return None;
    }
    let static_range = truth.ray_range(d_W).unwrap_or(f64::INFINITY);
    let (range, v) = if hit.range < static_range {
        (hit.range, hit.v_W)
    } else {
        (static_range, Vec3::zero())
    };
    if !range.is_finite() {
        return None;
    }
    let limits = spec.range_limits(d);
    let is_in_range = range >= limits[0] && range <= limits[1];
    let ratio = range / limits[1];
    let is_lost = on && uniform < spec.log.beam_loss * ratio * ratio;
    (is_in_range && !is_lost).then_some((range, v))
}

/// Returns the velocity of the water in the centre of the water-track layer, in S [m/s]; `None` if
/// there is no layer or if the layer is not in the water.
fn water_velocity(spec: &DvlSpec, truth: &Truth<'_>) -> Option<Vec3> {
    let [near, far] = spec.log.water_layer_m?;
    let down = truth.R_WS.col(2);
    let center = truth.p_WS - down.scale(0.5 * (near + far));
    let end = truth.p_WS - down.scale(far);
    let at = truth.around.environment;
    let bottom = at.sea.seabed.height(end.x, end.y);
    if at.height_above_surface(center) > 0.0 || end.z < bottom {
        return None;
    }
    Some(truth.R_WS.tr_mul_vec(at.water_motion(center).0))
}

fn track_water(
    spec: &DvlSpec,
    truth: &Truth<'_>,
    v_water: Vec3,
    scale: f64,
    on: bool,
    beams: &mut [DvlBeam; 4],
    draw: &mut Draw,
) {
    let relative = SpatialVelocity {
        w: truth.V_WS_S.w,
        v: truth.V_WS_S.v - v_water,
    };
    for beam in beams {
        let n = draw.normal();
        let speed = relative.v.dot(beam.direction);
        beam.bottom = false;
        beam.range = f64::NAN;
        beam.velocity = if speed.abs() > spec.log.max_beam_speed_m_s {
            f64::NAN
        } else {
            scale * speed + if on { spec.log.water_std_m_s * n } else { 0.0 }
        };
    }
}

/// Computes (2): velocity [m/s] and (NᵀN)⁻¹ over the beams with a finite velocity. Returns `None`
/// with fewer than three.
fn solve_velocity(beams: &[DvlBeam; 4]) -> Option<(Vec3, Sym3)> {
    let valid = || beams.iter().filter(|b| b.velocity.is_finite());
    if valid().count() < 3 {
        return None;
    }
    let (mut n, mut rhs) = (Sym3::zero(), Vec3::zero());
    for b in valid() {
        n = n.minus_outer(b.direction, -1.0);
        rhs += b.direction.scale(b.velocity);
    }
    (n.determinant() > MIN_DETERMINANT).then(|| {
        let inverse = n.inverse();
        (inverse.mul_vec(rhs), inverse)
    })
}

//! Errors of a range measurement, and the direction of its reply at a modem with an array: a USBL
//! fix on the reply.
//!
//! # Law
//! ```text
//!   d = R_LW (p_T(t_1) - p_M(t_2)) / |p_T(t_1) - p_M(t_2)|                  (1)
//!   d' = unit(d + n × d),   n ~ N(0, σ² (1 + s_0/s))                        (2)
//!   r' = r + m,   m ~ N(0, σ_r²)                                             (3)
//! ```
//! # Symbols
//! p_T position of the other modem at the transmission t_1 of its reply · p_M position of the own
//! modem at the arrival t_2 · R_LW attitude of the link that carries the modem · σ standard
//! deviation of the bearing at a large signal-to-noise ratio s · s_0 ratio at which the slowest
//! scheme is selected, as the threshold of a USBL instrument · r range from the measured travel
//! time · σ_r its standard deviation.
//!
//! # Frames
//! Link that carries the modem, world (ENU) for a fixed modem.
//!
//! # Limits
//! The path is straight. Positions at t_1 and t_2 follow from position and velocity at the end of
//! the step. Misalignment of the array and errors of an attitude sensor are not modelled.
//!
//! # Checked by
//! test/determinism/communication.rs

use merrow_math::Vec3;
use merrow_math::decibels::ratio;
use merrow_math::rng::Stream;
use merrow_model::scene::Scene;
use merrow_model::scene::comms::Modem;
use merrow_model::state::comms::{RangeResult, ReplyDirection};
use merrow_model::state::frames::view::WorldView;

/// Returns the stream of the errors of the directions that a modem measures.
pub(crate) fn error_stream(scene: &Scene, modem: &Modem) -> Stream {
    Stream::new(scene.seed, &format!("{}/fix", modem.name))
}

/// Sets the direction, for a modem with an array, and the error of a range measurement. `errors`:
/// stream of every modem.
pub(crate) fn measure(
    scene: &Scene,
    view: &WorldView,
    errors: &[Stream],
    result: &mut RangeResult,
) {
    let modem = &scene.modems[result.modem as usize];
    let mut draw = errors[result.modem as usize].draw(result.true_arrival_ns);
    if let Some(bearing_std_deg) = modem.transceiver.bearing_std_deg {
        let bearing_std = bearing_std_deg.to_radians();
        let normals = Vec3::new(draw.normal(), draw.normal(), draw.normal());
        result.direction = measure_direction(scene, view, (modem, bearing_std), normals, result);
    }
    result.range_error = modem.transceiver.range_std_m * draw.normal();
}

/// Measures the direction of the reply with the standard normal deviates `normals`, by (1) and (2).
fn measure_direction(
    scene: &Scene,
    view: &WorldView,
    (modem, bearing_std): (&Modem, f64),
    normals: Vec3,
    result: &RangeResult,
) -> Option<ReplyDirection> {
    let other = &scene.modems[result.other as usize];
    let own_p = position(modem, view, result.true_arrival_ns);
    let chord = position(other, view, result.true_transmission_ns) - own_p;
    let R_WL = view.point(modem.on, modem.p).R_WL;
    let d = R_WL.tr_mul_vec(chord).unit()?;
    let schemes = modem.transceiver.schemes.iter();
    let threshold = schemes
        .map(|scheme| scheme.min_snr_db)
        .fold(f64::INFINITY, f64::min);
    let weak = ratio(threshold) / result.snr.max(1e-6);
    let variance = bearing_std * bearing_std * (1.0 + weak);
    let turned = d + normals.scale(variance.sqrt()).cross(d);
    Some(ReplyDirection {
        d: turned.unit()?,
        bearing_variance: variance,
    })
}

/// Returns the position of a modem at `t_ns` [ns], W [m].
fn position(modem: &Modem, view: &WorldView, t_ns: u64) -> Vec3 {
    let motion = view.point(modem.on, modem.p);
    let after = (t_ns as f64 - view.time_ns as f64) * 1e-9;
    motion.p + motion.v.scale(after)
}

//! Clocks of modems.
//!
//! # Law
//! ```text
//!   l(t) = t + b + round(s (t - t0))      (1)  reading of the clock
//!   t(l) = min { t : l(t) >= l }          (2)  time at which the clock reaches a reading
//! ```
//!
//! # Symbols
//! t simulated time [ns] · t0 time of the last adjustment [ns] · b offset at t0 [ns] · s relative
//! error of the rate.
//!
//! # Limits
//! The rate is constant between two adjustments; dependence on temperature and random walk are not
//! modelled.
//!
//! # Checked by
//! Tests of this file.

use merrow_model::state::comms::modem::ClockState;

/// Returns the reading of the clock [ns] at the simulated time `t_ns` [ns].
pub fn local_ns(clock: &ClockState, t_ns: u64) -> i64 {
    let elapsed = t_ns.cast_signed() - clock.since_ns.cast_signed();
    t_ns.cast_signed() + clock.offset_ns + (clock.skew * elapsed as f64).round() as i64
}

/// Returns the simulated time [ns] at which the clock reaches the reading `local` [ns]; 0 if this
/// is before the start.
pub fn global_ns(clock: &ClockState, local: i64) -> u64 {
    let elapsed = local - clock.offset_ns - clock.since_ns.cast_signed();
    let t = clock.since_ns.cast_signed() + (elapsed as f64 / (1.0 + clock.skew)).round() as i64;
    let mut t = t.max(0).cast_unsigned();
    // corrects the rounding error of the quotient, some nanoseconds
    while local_ns(clock, t) < local {
        t += 1;
    }
    while t > 0 && local_ns(clock, t - 1) >= local {
        t -= 1;
    }
    t
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_math::rng::Stream;

    // Laws (1) and (2) are consistent. Method: random clocks and times up to 100 h, skews of up to
    // 500 ppm.
    #[test]
    fn readings_and_times_are_inverse() {
        let stream = Stream::new(5, "clock");
        for k in 0..2000 {
            let mut draw = stream.draw(k);
            let clock = ClockState {
                since_ns: (draw.uniform() * 1e12) as u64,
                offset_ns: ((draw.uniform() - 0.5) * 1e10) as i64,
                skew: (draw.uniform() - 0.5) * 1e-3,
            };
            let t = 20_000_000_000 + (draw.uniform() * 3.6e14) as u64;
            let local = local_ns(&clock, t);
            let back = global_ns(&clock, local);
            assert_eq!(local_ns(&clock, back), local);
            assert!(back <= t && t - back <= 1);
        }
    }
}

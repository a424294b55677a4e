//! Effect of faults on readings: stuck, biased, noisy or dead.
//!
//! # Law
//! ```text
//!   y' = y + b + σ n                                            (1)  on every component
//! ```
//! # Symbols
//! y, y' reading before and after the fault · b bias, σ standard deviation of the fault · n
//! standard normal number, drawn for each sample and component.
//!
//! # Frames
//! Those of the reading: S for vectors, east, north and up for a fix, W for ground truth.
//!
//! # Limits
//! (1) applies to the first quantity of the sensor: position of a fix and of ground truth, velocity
//! of a DVL, force of a wrench, temperature of a CTD, speed of wind and of a motor shaft, voltage
//! of a battery, volume of a water sample, the signal (0 or 1) of a leak detector, which reports
//! water from 0.5 on. For an IMU it applies to angular velocity and acceleration.
//!
//! The parts of an IMU (gyro, accelerometer), the cells of a CTD and the quantities of anemometers,
//! motor controllers and power meters can also have faults of their own. They are NaN while dead.
//! Quantities that a CTD or an anemometer derives from its readings are computed again after the
//! fault.
//!
//! Faults are applied after resolution and full scale. For a fix, metres are converted to angles on
//! a sphere (0.4 % error).
//!
//! # Checked by
//! test/analytic/fault.rs

use crate::vehicle::anemometer;
use crate::water::ctd;
use merrow_math::Vec3;
use merrow_math::rng::Draw;
use merrow_model::scene::{Sensor, SensorKind};
use merrow_model::state::reading::{Imu, Reading};
use merrow_model::state::{FaultEffect, SensorState};

/// Mean radius of the Earth [m].
const EARTH: f64 = 6_371_008.8;

/// Applies the faults of a sensor to its `reading`; `memory.samples` is the index of the sample.
/// Returns `None` if there is no reading. A stuck sensor repeats its last reading.
pub fn apply_faults(
    sensor: &Sensor,
    memory: &mut SensorState,
    reading: Option<Reading>,
) -> Option<Reading> {
    let fault = memory.fault;
    // instruments with a filter have already applied the faults of their parts: `inertial/mod.rs`
    let parts = if memory.filter.is_some() {
        [FaultEffect::NONE; 4]
    } else {
        memory.channel_faults
    };
    if fault.stuck && memory.last.is_some() {
        return reading.and(memory.last);
    }
    let mut reading = reading?;
    if fault == FaultEffect::NONE && parts == [FaultEffect::NONE; 4] {
        memory.last = Some(reading);
        return Some(reading);
    }
    // a draw index that no measurement uses
    let mut draw = sensor.stream.draw(u64::MAX - memory.samples);
    let errs = |fault: &FaultEffect| fault.offset != 0.0 || fault.noise > 0.0;
    if errs(&fault) || parts.iter().any(errs) {
        add_errors(&mut reading, &fault, &mut draw);
        for_each_part_value(&mut reading, |part, _, x| {
            *x += draw_error(&parts[part], &mut draw)
        });
    }
    if let Some(mut last) = memory.last {
        let mut before = [0.0; 6];
        for_each_part_value(&mut last, |_, k, x| before[k] = *x);
        for_each_part_value(&mut reading, |part, k, x| {
            if parts[part].stuck {
                *x = before[k];
            }
        });
    }
    recompute_derived(sensor, &mut reading);
    memory.last = Some(reading);
    if parts.iter().any(|part| part.dead) {
        // `memory.last` keeps the value without NaN: a part that becomes stuck after it was dead
        // repeats this value
        for_each_part_value(&mut reading, |part, _, x| {
            if parts[part].dead {
                *x = f64::NAN;
            }
        });
        recompute_derived(sensor, &mut reading);
    }
    Some(reading)
}

/// Calls `f` for every number of the parts that can have faults of their own, with the index of the
/// part, the index of the number and the number.
fn for_each_part_value(reading: &mut Reading, mut f: impl FnMut(usize, usize, &mut f64)) {
    match reading {
        Reading::Imu(imu) => {
            for (part, triad) in triads(imu).into_iter().enumerate() {
                for axis in 0..3 {
                    f(part, 3 * part + axis, &mut triad[axis]);
                }
            }
        }
        Reading::Ctd(ctd) => {
            f(0, 0, &mut ctd.temperature);
            f(1, 1, &mut ctd.conductivity);
            f(2, 2, &mut ctd.pressure);
        }
        Reading::Wind(wind) => {
            f(0, 0, &mut wind.speed);
            f(1, 1, &mut wind.from);
        }
        Reading::Motor(motor) => {
            let all = [
                &mut motor.speed,
                &mut motor.current,
                &mut motor.voltage,
                &mut motor.temperature,
            ];
            all.into_iter().enumerate().for_each(|(k, x)| f(k, k, x));
        }
        Reading::Power(power) => {
            f(0, 0, &mut power.voltage);
            f(1, 1, &mut power.current);
        }
        _ => {}
    }
}

/// Computes again the quantities that an instrument derives from its readings.
fn recompute_derived(sensor: &Sensor, reading: &mut Reading) {
    match (&sensor.kind, reading) {
        (SensorKind::Ctd(spec), Reading::Ctd(r)) => ctd::derive_quantities(spec, r),
        (_, Reading::Wind(r)) => anemometer::update_vector(r),
        _ => {}
    }
}

/// Returns the angular velocity and the linear acceleration of an IMU reading.
fn triads(imu: &mut Imu) -> [&mut Vec3; 2] {
    [&mut imu.angular_velocity, &mut imu.linear_acceleration]
}

/// Computes the error of one number by (1), in its unit.
fn draw_error(fault: &FaultEffect, draw: &mut Draw) -> f64 {
    fault.offset + fault.noise * draw.normal()
}

/// Computes an independent error for each of three components.
fn draw_error_vector(fault: &FaultEffect, draw: &mut Draw) -> Vec3 {
    Vec3::new(
        draw_error(fault, draw),
        draw_error(fault, draw),
        draw_error(fault, draw),
    )
}

/// Adds the errors of (1) to the first quantity of a reading.
fn add_errors(reading: &mut Reading, fault: &FaultEffect, draw: &mut Draw) {
    match reading {
        Reading::Imu(r) => triads(r)
            .into_iter()
            .for_each(|triad| *triad += draw_error_vector(fault, draw)),
        Reading::Gnss(r) => {
            let e = draw_error_vector(fault, draw);
            let cosine = merrow_math::real::sin_cos(r.position[0]).1;
            r.position[0] += e.y / EARTH;
            r.position[1] += e.x / (EARTH * cosine.max(1e-9));
            r.position[2] += e.z;
        }
        Reading::Navigation(r) => r.p_WS += draw_error_vector(fault, draw),
        Reading::Heading(r) => r.yaw += draw_error(fault, draw),
        Reading::Dvl(r) => r.velocity += draw_error_vector(fault, draw),
        Reading::Pressure(r) => r.pressure += draw_error(fault, draw),
        Reading::Magnetometer(r) => r.field += draw_error_vector(fault, draw),
        Reading::Altimeter(r) => r.range += draw_error(fault, draw),
        Reading::Probe(r) => r.value += draw_error(fault, draw),
        Reading::Ctd(r) => r.temperature += draw_error(fault, draw),
        Reading::Bottle(r) => r.volume += draw_error(fault, draw),
        Reading::Wind(r) => r.speed += draw_error(fault, draw),
        Reading::Leak(r) => r.signal += draw_error(fault, draw),
        Reading::Motor(r) => r.speed += draw_error(fault, draw),
        Reading::Power(r) => r.voltage += draw_error(fault, draw),
        Reading::Odometry(r) => r.p_WS += draw_error_vector(fault, draw),
        Reading::Wrench(r) => r.force += draw_error_vector(fault, draw),
    }
}

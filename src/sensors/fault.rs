//! What faults make of a reading: repeated, off, noisy.
//!
//! # Law
//! ```text
//!   y' = y + b + σ n                                            (1)  on every component
//! ```
//! # Symbols
//! b bias, σ standard deviation of the fault, n normal, drawn for each sample and component.
//!
//! # Frames
//! Those of the reading: S for vectors, east, north and up for a fix, W for ground truth.
//!
//! # Limits
//! (1) is on what the sensor measures first: position of a fix and of ground truth, velocity of a DVL, force of a wrench; of an IMU on angular velocity and
//! acceleration, each of which may have faults of its own, and is NaN while it is dead. It comes after resolution and full scale. Metres become angles of a fix on a sphere (0.4 %).
//!
//! # Checked by
//! test/analytic/fault.rs

use crate::math::Vec3;
use crate::math::rng::Draw;
use crate::scene::Sensor;
use crate::state::reading::{Imu, Reading};
use crate::state::{Effect, SensorState};

/// Mean radius of the Earth [m].
const EARTH: f64 = 6_371_008.8;

/// The reading as it leaves a sensor with faults; `memory.samples` is its index.
pub fn spoil(sensor: &Sensor, memory: &mut SensorState, reading: Option<Reading>) -> Option<Reading> {
    let fault = memory.fault;
    if fault.stuck && memory.last.is_some() {
        return reading.and(memory.last);
    }
    let mut reading = reading?;
    let errs = |fault: &Effect| fault.offset != 0.0 || fault.noise > 0.0;
    if errs(&fault) || memory.parts.iter().any(errs) {
        // a draw that no measurement makes
        let mut draw = sensor.stream.draw(u64::MAX - memory.samples);
        add(&mut reading, &fault, &mut draw);
        if let Reading::Imu(imu) = &mut reading {
            for (triad, part) in triads(imu).into_iter().zip(&memory.parts) {
                *triad += vector(part, &mut draw);
            }
        }
    }
    if let Reading::Imu(imu) = &mut reading {
        let mut before = match memory.last {
            Some(Reading::Imu(last)) => last,
            _ => *imu,
        };
        for ((triad, last), part) in triads(imu).into_iter().zip(triads(&mut before)).zip(&memory.parts) {
            if part.stuck {
                *triad = *last;
            }
        }
        memory.last = Some(reading);
        // what is stuck when a dead triad comes back is what it said before
        return Some(silenced(reading, &memory.parts));
    }
    memory.last = Some(reading);
    Some(reading)
}

/// Gyro and accelerometer.
fn triads(imu: &mut Imu) -> [&mut Vec3; 2] {
    [&mut imu.angular_velocity, &mut imu.linear_acceleration]
}

/// Without what its dead triads would say.
fn silenced(mut reading: Reading, parts: &[Effect; 2]) -> Reading {
    if let Reading::Imu(imu) = &mut reading {
        for (triad, _) in triads(imu).into_iter().zip(parts).filter(|(_, part)| part.dead) {
            *triad = Vec3::new(f64::NAN, f64::NAN, f64::NAN);
        }
    }
    reading
}

/// An error on a number.
fn error(fault: &Effect, draw: &mut Draw) -> f64 {
    fault.offset + fault.noise * draw.normal()
}

/// One on each of three components.
fn vector(fault: &Effect, draw: &mut Draw) -> Vec3 {
    Vec3::new(error(fault, draw), error(fault, draw), error(fault, draw))
}

/// (1)
fn add(reading: &mut Reading, fault: &Effect, draw: &mut Draw) {
    match reading {
        Reading::Imu(r) => triads(r).into_iter().for_each(|triad| *triad += vector(fault, draw)),
        Reading::Gnss(r) => {
            let e = vector(fault, draw);
            let cosine = crate::math::real::sin_cos(r.position[0]).1;
            r.position[0] += e.y / EARTH;
            r.position[1] += e.x / (EARTH * cosine.max(1e-9));
            r.position[2] += e.z;
        }
        Reading::Dvl(r) => r.velocity += vector(fault, draw),
        Reading::Pressure(r) => r.pressure += error(fault, draw),
        Reading::Magnetometer(r) => r.field += vector(fault, draw),
        Reading::Altimeter(r) => r.range += error(fault, draw),
        Reading::Odometry(r) => r.p_WS += vector(fault, draw),
        Reading::Wrench(r) => r.force += vector(fault, draw),
    }
}

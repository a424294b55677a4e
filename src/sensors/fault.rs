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
//! (1) is on what the sensor measures first: angular velocity of an IMU, position of a fix and of ground truth, velocity of a DVL, force of a
//! wrench. It comes after resolution and full scale. Metres become angles of a fix on a sphere (0.4 %).
//!
//! # Checked by
//! test/analytic/fault.rs

use crate::math::Vec3;
use crate::math::rng::Draw;
use crate::scene::Sensor;
use crate::state::reading::Reading;
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
    if fault.offset != 0.0 || fault.noise > 0.0 {
        // a draw that no measurement makes
        let mut draw = sensor.stream.draw(u64::MAX - memory.samples);
        add(&mut reading, &fault, &mut draw);
    }
    memory.last = Some(reading);
    Some(reading)
}

/// (1)
fn add(reading: &mut Reading, fault: &Effect, draw: &mut Draw) {
    let mut error = || fault.offset + fault.noise * draw.normal();
    let mut vector = || Vec3::new(error(), error(), error());
    match reading {
        Reading::Imu(r) => r.angular_velocity += vector(),
        Reading::Gnss(r) => {
            let e = vector();
            let cosine = crate::math::real::sin_cos(r.position[0]).1;
            r.position[0] += e.y / EARTH;
            r.position[1] += e.x / (EARTH * cosine.max(1e-9));
            r.position[2] += e.z;
        }
        Reading::Dvl(r) => r.velocity += vector(),
        Reading::Pressure(r) => r.pressure += error(),
        Reading::Magnetometer(r) => r.field += vector(),
        Reading::Altimeter(r) => r.range += error(),
        Reading::Odometry(r) => r.p_WS += vector(),
        Reading::Wrench(r) => r.force += vector(),
    }
}

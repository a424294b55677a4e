//! Leak detector: a probe in the hull that reports water at its position.
//!
//! # Law
//! ```text
//!   h = -2 R sin(asin(1 - 2 w/V)/3),  V = 4/3 π R³  (1)
//!   (1) level over the centre of a sphere that holds w
//! ```
//! The detector is wet if its position is below the level (1) of a compartment of its link. If a
//! volume is stated, it is wet from that volume of water in the link on.
//!
//! # Symbols
//! h water level over the centre · w water that came in through a leak · V volume of the
//! compartment, R radius of a sphere of this volume.
//!
//! # Frames
//! Heights in W.
//!
//! # Limits
//! The compartment is a sphere about its centre, so that for any attitude the level depends only on
//! the positions of centre and probe. Sloshing is not modelled. A probe that dries again reports
//! dry.
//!
//! # Checked by
//! test/sensors/instruments/air_sensors.rs

use crate::fault::faulty;
use crate::measure::{Measure, Sample};
use merrow_math::Vec3;
use merrow_model::scene::fault::{Device, FaultKind};
use merrow_model::sensor::vehicle::{Leak, LeakDetector};

impl Measure for LeakDetector {
    /// Takes one sample of a detector that trips at its volume of water in its link, or without a
    /// volume if the water reaches its position.
    fn measure(&self, sample: &mut Sample<'_>) -> Option<Leak> {
        let (sensor, truth, on_board) = (sample.sensor, sample.truth, sample.on_board);
        let volume = self.trigger_volume_m3;
        let leaks = on_board.state.faults.iter().filter_map(|memory| {
            match (memory.fault.kind, memory.fault.device) {
                (
                    FaultKind::Leak {
                        center_m,
                        compartment_m3,
                        ..
                    },
                    Device::Hull(link),
                ) if link == sensor.link => Some((center_m, compartment_m3, memory.water)),
                _ => None,
            }
        });
        let wet = match volume {
            Some(volume) => {
                let water: f64 = leaks.map(|(_, _, water)| water).sum();
                water > 0.0 && water >= volume
            }
            None => leaks.into_iter().any(|(center_m, compartment, water)| {
                let link = &on_board.work.links[sensor.link];
                let R_LU = &on_board.robot.links[sensor.link].R_LU;
                let p_LoC = R_LU.mul_vec(Vec3::from(center_m));
                let center = link.p_WL + link.R_WL.mul_vec(p_LoC);
                water > 0.0 && truth.p_WS.z - center.z <= water_level(compartment, water)
            }),
        };
        Some(Leak {
            signal: f64::from(u8::from(wet)),
        })
    }
}

faulty!(Leak: signal);

/// Computes (1): level of `water` [m³] over the centre of a compartment with this volume [m³], in
/// metres.
fn water_level(volume: f64, water: f64) -> f64 {
    let radius = libm::cbrt(0.75 * volume / std::f64::consts::PI);
    let empty = (1.0 - 2.0 * water / volume).clamp(-1.0, 1.0);
    -2.0 * radius * libm::sin(libm::asin(empty) / 3.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn level_matches_spherical_cap_volume() {
        use std::f64::consts::PI;
        let volume = 4.0 / 3.0 * PI;
        for h in [-0.9, -0.3, 0.0, 0.4, 1.0] {
            let depth: f64 = h + 1.0;
            let cap = PI * depth * depth * (3.0 - depth) / 3.0;
            assert!((water_level(volume, cap) - h).abs() < 1e-7, "{h}");
        }
    }
}

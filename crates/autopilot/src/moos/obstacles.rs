//! Boxes of an obstacle detector of the robot, as `FLS_0`, `FLS_1` and so on, in the format of pFLSim.
//!
//! A box has its barycentre east, north and above the mean water level [m], its lengths along its
//! axes [m], and the rotation of the first one, counter-clockwise from east [deg]. An obstacle keeps
//! its number while the detector tracks it (`association_distance_m`, `track_timeout_s`). A box does not
//! shrink, as the detector forgets the echoes of the sides that are out of sight.

use merrow_environment::hydrostatics;
use merrow_model::scene::Scene;
use merrow_model::sensor::obstacle::Detection;
use merrow_sensors::obstacle::numbered::NumberedBoxes;
use merrow_sim::Simulation;
use std::collections::BTreeMap;

/// Boxes that wait to be published.
#[derive(Debug, Default)]
pub(crate) struct Obstacles {
    boxes: NumberedBoxes,
    /// Area of the largest box of each obstacle [m²], by its number.
    largest: BTreeMap<u64, f64>,
    waiting: Vec<(String, String)>,
}

impl Obstacles {
    /// Requests the frames of the detector `name`, as a subscriber does.
    pub(crate) fn request(simulation: &Simulation, robot: usize, name: &str) {
        let scene = &simulation.scene;
        if let (Some(scheduler), Some(sensor)) =
            (&simulation.sensor_scheduler, find(scene, robot, name))
        {
            scheduler.request_frames(scene, robot, sensor, true);
        }
    }

    /// Takes the frames of the detector of a block.
    pub(crate) fn take(&mut self, simulation: &Simulation, robot: usize, name: &str) {
        let scene = &simulation.scene;
        let Some(sensor) = find(scene, robot, name) else {
            return;
        };
        let model = &scene.robots[robot].sensors[sensor];
        let (sea, time) = (&simulation.state.sea, simulation.time_ns() as f64 * 1e-9);
        let frames = simulation.frames.iter();
        for frame in frames.filter(|own| (own.robot, own.sensor) == (robot, sensor)) {
            for (number, own) in self.boxes.take(model, frame) {
                let largest = self.largest.entry(number).or_default();
                if own.size.x * own.size.y < *largest {
                    continue;
                }
                *largest = own.size.x * own.size.y;
                let level = hydrostatics::mean_level(sea, own.p_W.x, own.p_W.y, time);
                self.waiting
                    .push((format!("FLS_{number}"), text(&own, level)));
            }
        }
    }

    /// Forgets all obstacles, when the state is reset.
    pub(crate) fn reset(&mut self) {
        *self = Self::default();
    }

    /// Returns the variables and values of the boxes since the last call, oldest first.
    pub(crate) fn take_boxes(&mut self) -> Vec<(String, String)> {
        std::mem::take(&mut self.waiting)
    }
}

/// Returns the index of a sensor.
fn find(scene: &Scene, robot: usize, name: &str) -> Option<usize> {
    let mut sensors = scene.robots[robot].sensors.iter();
    sensors.position(|own| own.name == name)
}

/// Returns the value of a box; `level` is the height of the mean water level [m].
fn text(found: &Detection, level: f64) -> String {
    let (p, size) = (found.p_W, found.size);
    let [_, _, yaw] = found.q.matrix().to_rpy();
    // half a turn does not change a box
    let rotation = yaw.to_degrees().rem_euclid(180.0);
    format!(
        "x={:.2},y={:.2},z={:.2},length={:.2},width={:.2},height={:.2},rotation={rotation:.1}",
        p.x,
        p.y,
        p.z - level,
        size.x.max(0.01),
        size.y.max(0.01),
        size.z.max(0.01),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_math::{Quat, Vec3};

    #[test]
    fn boxes_have_the_format_of_the_script() {
        let found = Detection {
            p: Vec3::zero(),
            q: Quat::from_rpy(0.0, 0.0, -0.5),
            size: Vec3::new(24.0, 16.0, 0.0),
            p_W: Vec3::new(60.0, 3.0, -2.0),
            echoes: 20,
            listed: None,
        };
        assert_eq!(
            text(&found, 1.0),
            "x=60.00,y=3.00,z=-3.00,length=24.00,width=16.00,height=0.01,rotation=151.4"
        );
    }
}

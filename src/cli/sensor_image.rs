//! Images of exteroceptive sensors for `merrow snapshot`. A camera, sonar, radar or laser is
//! sampled at one time in a static world. Line sensors and tilting lasers accumulate samples of the
//! preceding run.

use merrow::picture::{ImageBuilder, Samples, SensorImage};
use merrow_model::sensor::camera::CameraImages;
use merrow_model::state::frames::FrameData;
use merrow_sim::Simulation;
use merrow_sim::sensors::{current_frame, frame_recorder};

/// Error of a sensor without samples.
const NO_IMAGE: &str = "the sensor has no image output";

/// Renders the images of a camera after `steps` steps. `light` is called before.
pub(super) fn render_camera(
    simulation: &mut Simulation,
    (robot, sensor): (usize, usize),
    steps: u64,
    light: impl FnOnce(&mut Simulation),
) -> Result<CameraImages, String> {
    // the frames of the preceding run are not needed
    simulation.sensor_scheduler = None;
    simulation.advance(steps);
    light(simulation);
    match current_frame::compute_frame(simulation, robot, sensor) {
        Some(FrameData::CameraImages(images)) => Ok(images),
        _ => Err(NO_IMAGE.to_string()),
    }
}

/// Renders the output of a sensor after `steps` steps with `image`.
pub(super) fn render(
    simulation: &mut Simulation,
    (robot, sensor): (usize, usize),
    steps: u64,
    (samples, mut image): (Samples, Box<dyn ImageBuilder + '_>),
) -> Result<SensorImage, String> {
    let until_ns = steps * simulation.scene.dt_ns;
    let mut count = 0;
    if let Samples::Run(seconds) = samples {
        let from_ns = until_ns.saturating_sub((seconds * 1e9) as u64);
        let place = (robot, sensor);
        frame_recorder::record(simulation, place, steps, from_ns, |frame, pose| {
            image.add(&frame.data, pose, frame.stamp_ns);
            count += 1;
        })?;
    } else {
        simulation.sensor_scheduler = None;
        simulation.advance(steps);
    }
    if count == 0 {
        // one instant, or a run that ends before the first line
        let pose = current_frame::pose_of(simulation, robot, sensor);
        let n = match samples {
            Samples::Instant(n) => n,
            Samples::Run(_) => 1,
        };
        for data in current_frame::compute_frames(simulation, robot, sensor, n) {
            image.add(&data, &pose, until_ns);
        }
    }
    image.finish().ok_or_else(|| NO_IMAGE.to_string())
}

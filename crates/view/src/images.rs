//! Images of sensors for the clients that watch them.
//!
//! The view requests the outputs of a watched sensor and keeps its recent frames, a limited number.
//! The thread of the client draws and encodes the image, so that the run does not wait.

use crate::controls::Controls;
use crate::hub::Hub;
use bytes::Bytes;
use merrow_math::SpatialVelocity;
use merrow_model::kinematics::link_poses;
use merrow_model::scene::Sensor;
use merrow_model::state::frames::Frame;
use merrow_model::state::workspace::LinkWork;
use merrow_sensors::sample::Pose;
use merrow_sim::Simulation;
use std::collections::VecDeque;

/// First byte of an image.
pub const IMAGE_KIND: u8 = 3;
/// First byte of the points of a laser.
pub(crate) const POINTS_KIND: u8 = 4;
/// Maximum number of points in one message.
pub(crate) const MAX_POINTS: usize = 6000;

/// Images that a sensor can show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImageSource {
    /// Names of the images, each with the bits of the outputs that it shows.
    pub kinds: Vec<(String, u8)>,
    /// Number of recent frames from which an image is drawn.
    pub frames: usize,
}

/// Image of a sensor, drawn for a client.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnImage {
    /// Content of the JPEG or PNG file.
    pub file: Vec<u8>,
    /// Quantity that the colours show.
    pub scale: ColorScale,
}

/// Quantity that the colours of an image show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ColorScale {
    /// No quantity, or a quantity without a scale.
    None,
    /// Depth on a logarithmic scale, from the nearest to the farthest surface [m].
    Depth([f32; 2]),
    /// Level of the echo from zero to the largest level.
    Level,
}

impl ColorScale {
    /// Returns the number of the quantity and the values at the ends of the scale.
    fn code(self) -> (u8, [f32; 2]) {
        match self {
            Self::None => (0, [0.0; 2]),
            Self::Depth(ends) => (1, ends),
            Self::Level => (2, [0.0, 1.0]),
        }
    }
}

/// Frame of a watched sensor and the pose of the sensor at its delivery.
#[derive(Clone, Debug)]
pub struct WatchedFrame {
    /// Frame of the sensor.
    pub frame: Frame,
    /// Pose of the sensor, without velocity.
    pub pose: Pose,
    /// Name and file of an image of a recording, which is shown as it is.
    pub file: Option<(String, Bytes)>,
}

/// Sensor that a client watches.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Watch {
    /// Index of the robot.
    pub robot: usize,
    /// Index of the sensor.
    pub sensor: usize,
    /// Name of the image, one of [`ImageSource::kinds`].
    pub kind: String,
}

/// Recent frames of a watched sensor.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recent {
    /// Number of frames since the sensor is watched.
    pub number: u64,
    /// Newest frames, the newest last.
    pub frames: VecDeque<WatchedFrame>,
}

/// Requests of outputs that the view has made.
#[derive(Debug, Default)]
pub(crate) struct Images {
    requested: Vec<(usize, usize)>,
}

impl Images {
    /// Requests the outputs of the watched sensors. Called after other observers have set their
    /// requests.
    pub(crate) fn request(&mut self, simulation: &Simulation, hub: &Hub, controls: &dyn Controls) {
        let Some(scheduler) = &simulation.sensor_scheduler else {
            return;
        };
        let scene = &simulation.scene;
        let watched = hub.watched();
        for (robot, sensor) in std::mem::take(&mut self.requested) {
            let is_watched = |watch: &Watch| (watch.robot, watch.sensor) == (robot, sensor);
            if !watched.iter().any(is_watched) {
                scheduler.request_outputs(scene, robot, sensor, 0);
            }
        }
        for Watch { robot, sensor, .. } in &watched {
            let same = |watch: &&Watch| (watch.robot, watch.sensor) == (*robot, *sensor);
            let Some(device) = sensor_at(simulation, *robot, *sensor) else {
                continue;
            };
            let source = controls.image_source((*robot, *sensor), device);
            let source = source.unwrap_or_default();
            let bits = |watch: &Watch| {
                let kinds = source.kinds.iter();
                let shown = kinds.filter(|(name, _)| *name == watch.kind);
                shown.fold(0, |bits, (_, own)| bits | own)
            };
            let all = watched.iter().filter(same).map(bits);
            let all = all.fold(0, |bits, own| bits | own);
            // another observer may have requested further outputs; an image needs only these
            scheduler.add_requested_outputs(*robot, *sensor, all);
            self.requested.push((*robot, *sensor));
        }
    }

    /// Keeps the new frames of the watched sensors.
    pub(crate) fn collect(&mut self, simulation: &Simulation, hub: &Hub, controls: &dyn Controls) {
        if self.requested.is_empty() {
            return;
        }
        for frame in &simulation.frames {
            let place = (frame.robot, frame.sensor);
            if self.requested.contains(&place) {
                keep_frame(simulation, hub, controls, frame.clone(), None);
            }
        }
        hub.keep_sensors(&self.requested);
    }
}

/// Keeps a frame with the current pose of its sensor. `file`: its image in a recording.
pub(crate) fn keep_frame(
    simulation: &Simulation,
    hub: &Hub,
    controls: &dyn Controls,
    frame: Frame,
    file: Option<(String, Bytes)>,
) {
    let place = (frame.robot, frame.sensor);
    let Some(device) = sensor_at(simulation, frame.robot, frame.sensor) else {
        return;
    };
    let source = controls.image_source(place, device);
    let limit = source.map_or(1, |source| source.frames.max(1));
    let pose = pose(simulation, frame.robot, device);
    hub.add_sensor_frame(place, WatchedFrame { frame, pose, file }, limit);
}

fn sensor_at(simulation: &Simulation, robot: usize, sensor: usize) -> Option<&Sensor> {
    simulation.scene.robots.get(robot)?.sensors.get(sensor)
}

/// Returns the current pose of a sensor.
fn pose(simulation: &Simulation, robot: usize, sensor: &Sensor) -> Pose {
    let model = &simulation.scene.robots[robot];
    let links = link_poses(model, &simulation.state.robots[robot].motion);
    let LinkWork { R_WL, p_WL, .. } = links[sensor.link];
    Pose {
        robot,
        R_WS: R_WL.mul_mat(&sensor.R_LS),
        p_WS: p_WL + R_WL.mul_vec(sensor.p_LoS),
        V_WS_S: SpatialVelocity::zero(),
    }
}

/// Returns the message of points in W [m]: kind, indices of robot and sensor, time of the sample
/// [s], three numbers as f32 each.
pub(crate) fn points_message(place: (usize, usize), stamp_ns: u64, points: &[[f32; 3]]) -> Vec<u8> {
    let mut out = head([POINTS_KIND, 0], place, [0, 0], stamp_ns);
    let numbers = points.iter().flatten();
    out.extend(numbers.flat_map(|x| x.to_le_bytes()));
    out
}

/// Returns the message of an image: kind, indices of robot and sensor, index of the image among the
/// images of the sensor, quantity of the colours, time of the sample [s], ends of the colour scale,
/// image file.
pub(crate) fn message(
    place: (usize, usize),
    image: usize,
    stamp_ns: u64,
    drawn: &DrawnImage,
) -> Vec<u8> {
    let (quantity, ends) = drawn.scale.code();
    let mut out = head([IMAGE_KIND, 0], place, [image as u8, quantity], stamp_ns);
    out.extend(ends.into_iter().flat_map(f32::to_le_bytes));
    out.extend_from_slice(&drawn.file);
    out
}

/// Returns the start of a message, before its content.
fn head(kind: [u8; 2], (robot, sensor): (usize, usize), image: [u8; 2], stamp_ns: u64) -> Vec<u8> {
    let mut out = kind.to_vec();
    out.extend((robot as u16).to_le_bytes());
    out.extend((sensor as u16).to_le_bytes());
    out.extend(image);
    out.extend((stamp_ns as f64 * 1e-9).to_le_bytes());
    out
}

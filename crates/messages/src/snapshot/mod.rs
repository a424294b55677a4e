//! Outputs of exteroceptive sensors for `merrow snapshot` and the live view.
//!
//! The parameters of each kind implement [`Snapshot`] in the file of the kind in
//! [`crate::convert`]; [`output`] selects the implementation with the registry of
//! `merrow_model::sensor`, so that a kind without an output does not compile.

pub mod cloud;
pub mod colors;
pub mod recorded;

use crate::convert::curves::Axis;
use crate::snapshot::cloud::RenderedImage;
use merrow_math::Vec3;
use merrow_model::each_exteroceptive_sensor;
use merrow_model::scene::Sensor;
use merrow_model::sensor::ExteroceptiveSpec;
use merrow_model::state::frames::{Frame, FrameData};
use merrow_ros2::msg::sensor_msgs::Image;
use merrow_sensors::sample::Pose;

/// Output of a kind of exteroceptive sensor.
pub(crate) trait Snapshot {
    /// Returns the output of `sensor`, which has these parameters.
    fn output<'a>(&'a self, sensor: &'a Sensor) -> SnapshotOutput<'a>;

    /// Returns the points of a sample, taken at `stamp_ns` [ns]; `None` if the sensor measures no
    /// points.
    fn points(&self, _data: &FrameData, _stamp_ns: u64) -> Option<Points> {
        None
    }

    /// Returns the part of the world that a sensor with these parameters covers, for display.
    fn field_of_view(&self) -> Option<FieldOfView> {
        None
    }
}

/// Part of the world that a sensor covers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FieldOfView {
    /// Unit directions along its edge in S: the corners of an image, or a fan.
    pub edge: Vec<[f64; 3]>,
    /// True if the edge is closed.
    pub is_closed: bool,
    /// Maximum range of the sensor [m].
    pub range: f64,
}

/// Output of a sensor.
pub enum SnapshotOutput<'a> {
    /// Images of a camera with these columns and rows, and the bits of its outputs.
    Camera([usize; 2], u8),
    /// Image that is built from samples.
    Image(Samples, Box<dyn ImageBuilder + 'a>),
    /// Plot of the frames of a run.
    Plot(Box<PlotFrames<'a>>),
}

/// Function that returns the content of a plot of frames; `None` without data.
pub type PlotFrames<'a> = dyn Fn(&[Frame]) -> Option<Plot> + 'a;

/// Samples from which an image is built.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Samples {
    /// Number of samples of the world at one instant.
    Instant(u64),
    /// Duration of the run that the image shows [s].
    Run(f64),
}

/// Image of a sensor.
pub enum SensorImage {
    /// Greyscale display of a sonar or radar.
    Grey(Image),
    /// Coloured display of points or depths.
    Colored(RenderedImage),
}

/// Content of a plot of the frames of a sensor.
pub enum Plot {
    /// Quantities over time: time [ns] and values of each frame.
    Curves(Vec<(u64, Vec<Axis>)>),
    /// Lines of text, oldest first.
    Text(Vec<String>),
    /// Outlines of detected obstacles, seen from above.
    Plan(PlanView),
}

/// Outlines of detected obstacles, seen from above.
pub struct PlanView {
    /// Label of each outline, and its corners (x, y) [m].
    pub outlines: Vec<(String, Vec<[f64; 2]>)>,
    /// True if the corners are in W, false if they are in S.
    pub in_world: bool,
}

/// Points that a sensor has measured, in S [m].
pub(crate) type Points = Vec<[f32; 3]>;

/// Builder of an image from samples.
pub trait ImageBuilder {
    /// Adds a sample of time `stamp_ns` [ns], taken at `pose`.
    fn add(&mut self, data: &FrameData, pose: &Pose, stamp_ns: u64);

    /// Returns the image; `None` without samples.
    fn finish(self: Box<Self>) -> Option<SensorImage>;
}

/// Image builder that keeps the image of the latest sample, which `draw` returns.
pub(crate) struct LatestImage<F> {
    /// Draws a sample taken at the time of the second argument [ns].
    draw: F,
    shown: Option<SensorImage>,
}

impl<F: FnMut(&FrameData, u64) -> Option<SensorImage>> LatestImage<F> {
    /// Creates a builder that draws each sample with `draw`.
    pub(crate) fn new(draw: F) -> Self {
        Self { draw, shown: None }
    }
}

impl<F: FnMut(&FrameData, u64) -> Option<SensorImage>> ImageBuilder for LatestImage<F> {
    fn add(&mut self, data: &FrameData, _: &Pose, stamp_ns: u64) {
        self.shown = (self.draw)(data, stamp_ns);
    }

    fn finish(self: Box<Self>) -> Option<SensorImage> {
        self.shown
    }
}

macro_rules! select_snapshot {
    ($($(#[doc = $doc:literal])* $kind:ident($spec:ty),)*) => {
        fn snapshot(spec: &ExteroceptiveSpec) -> &dyn Snapshot {
            match spec {
                $(ExteroceptiveSpec::$kind(spec) => spec,)*
            }
        }
    };
}

each_exteroceptive_sensor!(select_snapshot);

/// Returns the points in W [m] of a frame of an exteroceptive sensor, taken at `pose`, at most
/// `max` of them; `None` if it measures no points.
pub fn points_in_world(
    sensor: &Sensor,
    frame: &Frame,
    pose: &Pose,
    max: usize,
) -> Option<Vec<[f32; 3]>> {
    let spec = snapshot(sensor.kind.exteroceptive()?);
    let points = spec.points(&frame.data, frame.stamp_ns)?;
    let stride = points.len().div_ceil(max.max(1)).max(1);
    let in_world = |p: &[f32; 3]| {
        let p = pose.p_WS + pose.R_WS.mul_vec(Vec3::from(p.map(f64::from)));
        p.to_array().map(|x| x as f32)
    };
    let finite = points.iter().filter(|p| p.iter().all(|x| x.is_finite()));
    Some(finite.step_by(stride).map(in_world).collect())
}

/// Returns the part of the world that an exteroceptive sensor covers; `None` if it is not known.
pub fn field_of_view(sensor: &Sensor) -> Option<FieldOfView> {
    snapshot(sensor.kind.exteroceptive()?).field_of_view()
}

/// Returns the output of an exteroceptive sensor; `None` for any other sensor.
pub fn output(sensor: &Sensor) -> Option<SnapshotOutput<'_>> {
    Some(snapshot(sensor.kind.exteroceptive()?).output(sensor))
}

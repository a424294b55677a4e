//! Images of exteroceptive sensors for `merrow snapshot`. A camera, sonar, radar or laser is
//! sampled at one time in a static world. Line sensors and tilting lasers accumulate samples of the
//! preceding run.

use merrow::convert::header;
use merrow::display::cloud;
use merrow::display::cloud::{RenderedImage, SwathPoint};
use merrow::display::radar::PlanPositionDisplay;
use merrow::display::sonar::SonarDisplay;
use merrow_model::scene::sensor::ExteroceptiveSpec;
use merrow_model::scene::sensor::laser::LaserSpec;
use merrow_model::scene::sensor::sonar::{SonarKind, SonarSpec};
use merrow_model::state::frames;
use merrow_model::state::frames::FrameData;
use merrow_model::state::frames::ping::{Ping, Sounding};
use merrow_ros2::msg::sensor_msgs::Image;
use merrow_sensors::sample::Pose;
use merrow_sim::Simulation;
use merrow_sim::sensors::{current_frame, frame_recorder};

/// Image to write to the file.
pub(super) enum SensorImage {
    /// Image of a camera.
    Camera(frames::CameraImages),
    /// Greyscale display of a sensor.
    Grey(Image),
    /// Coloured display of a sensor.
    Colored(RenderedImage),
}

/// Returns true if the output of a sensor can be shown as an image.
pub(super) fn has_image(exteroceptive: &ExteroceptiveSpec) -> bool {
    matches!(
        exteroceptive,
        ExteroceptiveSpec::Camera(_)
            | ExteroceptiveSpec::Sonar(_)
            | ExteroceptiveSpec::Radar(_)
            | ExteroceptiveSpec::Laser(_)
    )
}

/// Returns the duration of the run that the image shows [s]; `None` for an image at one time.
fn accumulation_time(exteroceptive: &ExteroceptiveSpec, rate: f64) -> Option<f64> {
    match exteroceptive {
        ExteroceptiveSpec::Sonar(SonarSpec {
            kind: SonarKind::SideScan | SonarKind::Multibeam,
            ..
        }) => {
            // two more, because the last lines have not been received completely at the end
            Some((cloud::SWATH_LINES + 2) as f64 / rate)
        }
        // one full set of tilt angles
        ExteroceptiveSpec::Laser(LaserSpec {
            tilt: Some(tilt), ..
        }) => Some(0.5e-9 * tilt.period_ns as f64),
        _ => None,
    }
}

/// Renders the output of a sensor after `steps` steps. `light` is called before an image at one
/// time is rendered.
pub(super) fn render(
    simulation: &mut Simulation,
    (robot, sensor): (usize, usize),
    steps: u64,
    light: impl FnOnce(&mut Simulation),
) -> Result<SensorImage, String> {
    let device = &simulation.scene.robots[robot].sensors[sensor];
    let (rate, nothing) = (device.rate, || "the sensor has no image output".to_string());
    let exteroceptive = device.kind.exteroceptive().cloned().ok_or_else(nothing)?;
    let Some(seconds) = accumulation_time(&exteroceptive, rate) else {
        // the frames of the preceding run are not needed
        simulation.sensor_scheduler = None;
        simulation.advance(steps);
        light(simulation);
        let samples = match &*exteroceptive {
            ExteroceptiveSpec::Radar(spec) => (rate / spec.turns).ceil() as u64,
            ExteroceptiveSpec::Sonar(spec) => spec.sweep_pings(),
            _ => 1,
        };
        let frames = current_frame::compute_frames(simulation, robot, sensor, samples);
        return instantaneous_image(&exteroceptive, frames).ok_or_else(nothing);
    };
    let until_ns = steps * simulation.scene.dt_ns;
    let from_ns = until_ns.saturating_sub((seconds * 1e9) as u64);
    let mut strip = LineAccumulator::default();
    frame_recorder::record(
        simulation,
        (robot, sensor),
        steps,
        from_ns,
        |frame, pose| {
            strip.add(&exteroceptive, &frame.data, pose, frame.stamp_ns);
        },
    )?;
    if strip.count == 0 {
        // the run ends before the first line
        let pose = current_frame::pose_of(simulation, robot, sensor);
        let data = current_frame::compute_frame(simulation, robot, sensor).ok_or_else(nothing)?;
        strip.add(&exteroceptive, &data, &pose, until_ns);
    }
    strip.finish(&exteroceptive).ok_or_else(nothing)
}

/// Builds the image from samples taken at one time.
fn instantaneous_image(
    exteroceptive: &ExteroceptiveSpec,
    frames: Vec<FrameData>,
) -> Option<SensorImage> {
    let (mut display, mut scope, mut shown) = (
        SonarDisplay::default(),
        PlanPositionDisplay::default(),
        None,
    );
    for data in frames {
        shown = Some(match (exteroceptive, data) {
            (ExteroceptiveSpec::Camera(_), FrameData::CameraImages(images)) => {
                SensorImage::Camera(images)
            }
            (ExteroceptiveSpec::Sonar(spec), FrameData::Ping(ping)) => {
                SensorImage::Grey(display.add_ping(spec, &ping, header(0, "")))
            }
            (ExteroceptiveSpec::Radar(spec), FrameData::Sweep(sweep)) => {
                SensorImage::Grey(scope.add_sector(spec, &sweep, header(0, "")))
            }
            (ExteroceptiveSpec::Laser(spec), FrameData::Cloud(points)) => {
                SensorImage::Colored(cloud::lidar(spec, &points))
            }
            (ExteroceptiveSpec::Laser(spec), FrameData::Scan(scan)) => {
                SensorImage::Colored(cloud::scan(&cloud::scan_points(spec, &scan, 0, 0)))
            }
            _ => return None,
        });
    }
    shown
}

/// Accumulator of samples that are drawn line by line.
#[derive(Default)]
struct LineAccumulator {
    count: u16,
    display: SonarDisplay,
    grey: Option<Image>,
    lines: Vec<Vec<SwathPoint>>,
    points: Vec<frames::Point>,
}

impl LineAccumulator {
    fn add(
        &mut self,
        exteroceptive: &ExteroceptiveSpec,
        data: &FrameData,
        pose: &Pose,
        stamp_ns: u64,
    ) {
        match (exteroceptive, data) {
            (ExteroceptiveSpec::Sonar(spec), FrameData::Ping(ping))
                if spec.kind == SonarKind::SideScan =>
            {
                self.grey = Some(self.display.add_ping(spec, ping, header(0, "")));
            }
            (ExteroceptiveSpec::Sonar(spec), FrameData::Ping(ping)) => {
                self.lines.push(soundings(spec, ping, pose))
            }
            (ExteroceptiveSpec::Laser(spec), FrameData::Scan(scan)) => {
                self.points
                    .extend(cloud::scan_points(spec, scan, stamp_ns, self.count));
            }
            _ => {}
        }
        self.count = self.count.saturating_add(1);
    }

    fn finish(self, exteroceptive: &ExteroceptiveSpec) -> Option<SensorImage> {
        Some(match (self.grey, exteroceptive) {
            (Some(image), _) => SensorImage::Grey(image),
            (None, ExteroceptiveSpec::Laser(_)) => {
                SensorImage::Colored(cloud::tilted_scan(&self.points))
            }
            (None, ExteroceptiveSpec::Sonar(_)) => SensorImage::Colored(cloud::swath(&self.lines)),
            _ => return None,
        })
    }
}

/// Returns the seabed detections of the beams of a ping.
fn soundings(spec: &SonarSpec, ping: &Ping, pose: &Pose) -> Vec<SwathPoint> {
    let port = pose.R_WS.col(1);
    let level = (port.x * port.x + port.y * port.y).sqrt().max(1e-9);
    let found = spec
        .steering
        .iter()
        .zip(&ping.soundings)
        .filter(|(_, sounding)| sounding.range.is_finite());
    let one = |(angle, sounding): (&f64, &Sounding)| {
        let away = pose
            .R_WS
            .mul_vec(spec.direction(*angle, 0.0).scale(sounding.range));
        let across = -(away.x * port.x + away.y * port.y) / level;
        SwathPoint {
            across,
            depth: -(pose.p_WS.z + away.z),
        }
    };
    found.map(one).collect()
}

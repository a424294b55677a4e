//! Images of exteroceptive sensors for `merrow snapshot`. A camera, sonar, radar or laser is
//! sampled at one time in a static world. Line sensors and tilting lasers accumulate samples of the
//! preceding run.

use merrow::convert::header;
use merrow::display::cloud;
use merrow::display::cloud::{Across, Shown};
use merrow::display::radar::Scope;
use merrow::display::sonar::Display;
use merrow_model::scene::sensor::Looks;
use merrow_model::scene::sensor::laser::LaserSpec;
use merrow_model::scene::sensor::sonar::{SonarKind, SonarSpec};
use merrow_model::state::frames;
use merrow_model::state::frames::FrameData;
use merrow_model::state::frames::ping::{Ping, Sounding};
use merrow_ros2::msg::sensor_msgs::Image;
use merrow_sensors::sample::Pose;
use merrow_sim::Simulation;
use merrow_sim::sensors::{frame_recorder, scheduler};

/// Image to write to the file.
pub enum Content {
    /// Image of a camera.
    Camera(frames::Picture),
    /// Greyscale display of a sensor.
    Grey(Image),
    /// Coloured display of a sensor.
    Colored(Shown),
}

/// Whether the output of a sensor can be shown as an image.
pub fn has_picture(looks: &Looks) -> bool {
    matches!(
        looks,
        Looks::Camera(_) | Looks::Sonar(_) | Looks::Radar(_) | Looks::Laser(_)
    )
}

/// Duration of the run that the image shows [s]; `None` for an image at one time.
fn memory(looks: &Looks, rate: f64) -> Option<f64> {
    match looks {
        Looks::Sonar(SonarSpec {
            kind: SonarKind::SideScan | SonarKind::Multibeam,
            ..
        }) => {
            // two more, because the last lines have not been received completely at the end
            Some((cloud::LINES + 2) as f64 / rate)
        }
        // one full set of tilt angles
        Looks::Laser(LaserSpec {
            tilt: Some(tilt), ..
        }) => Some(0.5e-9 * tilt.period_ns as f64),
        _ => None,
    }
}

/// Renders the output of a sensor after `steps` steps. `light` is called before an image at one
/// time is rendered.
pub fn picture(
    simulation: &mut Simulation,
    (robot, sensor): (usize, usize),
    steps: u64,
    light: impl FnOnce(&mut Simulation),
) -> Result<Content, String> {
    let device = &simulation.scene.robots[robot].sensors[sensor];
    let (rate, nothing) = (device.rate, || "the sensor has no image output".to_string());
    let looks = device.kind.looks().cloned().ok_or_else(nothing)?;
    let Some(seconds) = memory(&looks, rate) else {
        // the frames of the preceding run are not needed
        simulation.lookout = None;
        simulation.advance(steps);
        light(simulation);
        let samples = match &*looks {
            Looks::Radar(spec) => (rate / spec.turns).ceil() as u64,
            Looks::Sonar(spec) => spec.sweep_pings(),
            _ => 1,
        };
        let frames = scheduler::several(simulation, robot, sensor, samples);
        return at_once(&looks, frames).ok_or_else(nothing);
    };
    let until_ns = steps * simulation.scene.dt_ns;
    let from_ns = until_ns.saturating_sub((seconds * 1e9) as u64);
    let mut strip = Strip::default();
    frame_recorder::record(
        simulation,
        (robot, sensor),
        steps,
        from_ns,
        |frame, pose| {
            strip.add(&looks, &frame.data, pose, frame.stamp_ns);
        },
    )?;
    if strip.count == 0 {
        // the run ends before the first line
        let pose = scheduler::pose_of(simulation, robot, sensor);
        let data = scheduler::once(simulation, robot, sensor).ok_or_else(nothing)?;
        strip.add(&looks, &data, &pose, until_ns);
    }
    strip.shown(&looks).ok_or_else(nothing)
}

/// Builds the image from samples taken at one time.
fn at_once(looks: &Looks, frames: Vec<FrameData>) -> Option<Content> {
    let (mut display, mut scope, mut shown) = (Display::default(), Scope::default(), None);
    for data in frames {
        shown = Some(match (looks, data) {
            (Looks::Camera(_), FrameData::Picture(picture)) => Content::Camera(picture),
            (Looks::Sonar(spec), FrameData::Ping(ping)) => {
                Content::Grey(display.show(spec, &ping, header(0, "")))
            }
            (Looks::Radar(spec), FrameData::Sweep(sweep)) => {
                Content::Grey(scope.show(spec, &sweep, header(0, "")))
            }
            (Looks::Laser(spec), FrameData::Cloud(points)) => {
                Content::Colored(cloud::lidar(spec, &points))
            }
            (Looks::Laser(spec), FrameData::Scan(scan)) => {
                Content::Colored(cloud::scan(&cloud::points_of(spec, &scan, 0, 0)))
            }
            _ => return None,
        });
    }
    shown
}

/// Accumulator of samples that are drawn line by line.
#[derive(Default)]
struct Strip {
    count: u16,
    display: Display,
    grey: Option<Image>,
    lines: Vec<Vec<Across>>,
    points: Vec<frames::Point>,
}

impl Strip {
    fn add(&mut self, looks: &Looks, data: &FrameData, pose: &Pose, stamp_ns: u64) {
        match (looks, data) {
            (Looks::Sonar(spec), FrameData::Ping(ping)) if spec.kind == SonarKind::SideScan => {
                self.grey = Some(self.display.show(spec, ping, header(0, "")));
            }
            (Looks::Sonar(spec), FrameData::Ping(ping)) => {
                self.lines.push(soundings(spec, ping, pose))
            }
            (Looks::Laser(spec), FrameData::Scan(scan)) => {
                self.points
                    .extend(cloud::points_of(spec, scan, stamp_ns, self.count));
            }
            _ => {}
        }
        self.count = self.count.saturating_add(1);
    }

    fn shown(self, looks: &Looks) -> Option<Content> {
        Some(match (self.grey, looks) {
            (Some(image), _) => Content::Grey(image),
            (None, Looks::Laser(_)) => Content::Colored(cloud::nod(&self.points)),
            (None, Looks::Sonar(_)) => Content::Colored(cloud::swath(&self.lines)),
            _ => return None,
        })
    }
}

/// Returns the seabed detections of the beams of a ping.
fn soundings(spec: &SonarSpec, ping: &Ping, pose: &Pose) -> Vec<Across> {
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
        Across {
            across,
            depth: -(pose.p_WS.z + away.z),
        }
    };
    found.map(one).collect()
}

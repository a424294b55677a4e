//! Images of sonars.

use crate::FieldOfView;
use crate::picture::cloud;
use crate::picture::cloud::SwathPoint;
use crate::picture::{ImageBuilder, LatestImage, Samples, SensorImage, Snapshot, SnapshotOutput};
use merrow_messages::convert::image::grey_image;
use merrow_model::scene::Sensor;
use merrow_model::scene::sensor::sonar::{Ping, SonarKind, SonarSpec, Sounding};
use merrow_model::state::frames::FrameData;
use merrow_ros2::msg::std_msgs::Header;
use merrow_sensors::sample::Pose;
use merrow_sensors::sonar::products::display::SonarDisplay;

impl Snapshot for SonarSpec {
    fn output<'a>(&'a self, sensor: &'a Sensor) -> SnapshotOutput<'a> {
        let mut display = SonarDisplay::default();
        let image = move |data: &FrameData, _| match data {
            FrameData::Ping(ping) => {
                let shown = display.add_ping(self, ping);
                Some(SensorImage::Grey(grey_image(&shown, Header::default())))
            }
            _ => None,
        };
        // two more, because the last lines have not been received completely at the end
        let run = Samples::Run((cloud::SWATH_LINES + 2) as f64 / sensor.rate);
        match self.kind {
            SonarKind::SideScan => SnapshotOutput::Image(run, Box::new(LatestImage::new(image))),
            SonarKind::Multibeam => {
                let (spec, lines) = (self, Vec::new());
                SnapshotOutput::Image(run, Box::new(Swath { spec, lines }))
            }
            SonarKind::Imaging | SonarKind::Scanning => {
                let turn = Samples::Instant(self.sweep_pings());
                SnapshotOutput::Image(turn, Box::new(LatestImage::new(image)))
            }
        }
    }

    fn field_of_view(&self) -> Option<FieldOfView> {
        let (first, last) = (*self.columns.first()?, *self.columns.last()?);
        let step = (last - first) / (FAN_POINTS - 1) as f64;
        let edge = (0..FAN_POINTS).map(|k| self.direction(first + step * k as f64, 0.0));
        Some(FieldOfView {
            edge: edge.map(|d| d.to_array()).collect(),
            is_closed: false,
            range: self.limits[1],
        })
    }
}

/// Number of directions along the fan of a sonar.
const FAN_POINTS: usize = 25;

/// Builder of the image of the soundings of a multibeam sonar.
struct Swath<'a> {
    spec: &'a SonarSpec,
    lines: Vec<Vec<SwathPoint>>,
}

impl ImageBuilder for Swath<'_> {
    fn add(&mut self, data: &FrameData, pose: &Pose, _: u64) {
        if let FrameData::Ping(ping) = data {
            self.lines.push(swath_line(self.spec, ping, pose));
        }
    }

    fn finish(self: Box<Self>) -> Option<SensorImage> {
        (!self.lines.is_empty()).then(|| SensorImage::Colored(cloud::swath(&self.lines)))
    }
}

/// Returns the seabed detections of the beams of a ping.
fn swath_line(spec: &SonarSpec, ping: &Ping, pose: &Pose) -> Vec<SwathPoint> {
    let port = pose.R_WS.col(1);
    let level = (port.x * port.x + port.y * port.y).sqrt().max(1e-9);
    let detected = spec
        .steering
        .iter()
        .zip(&ping.soundings)
        .filter(|(_, sounding)| sounding.range.is_finite());
    let point = |(angle, sounding): (&f64, &Sounding)| {
        let d_S = spec.direction(*angle, 0.0).scale(sounding.range);
        let d_W = pose.R_WS.mul_vec(d_S);
        SwathPoint {
            across: -(d_W.x * port.x + d_W.y * port.y) / level,
            depth: -(pose.p_WS.z + d_W.z),
        }
    };
    detected.map(point).collect()
}

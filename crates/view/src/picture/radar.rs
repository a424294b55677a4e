//! Images of radars.

use crate::picture::{LatestImage, Samples, SensorImage, Snapshot, SnapshotOutput};
use merrow_messages::convert::image::grey_image;
use merrow_model::scene::Sensor;
use merrow_model::scene::sensor::radar::RadarSpec;
use merrow_model::state::frames::FrameData;
use merrow_ros2::msg::std_msgs::Header;
use merrow_sensors::radar::display::PlanPositionDisplay;

impl Snapshot for RadarSpec {
    fn output<'a>(&'a self, sensor: &'a Sensor) -> SnapshotOutput<'a> {
        let mut display = PlanPositionDisplay::default();
        let image = move |data: &FrameData, _| match data {
            FrameData::Sweep(sweep) => {
                let shown = display.add_sector(self, sweep);
                Some(SensorImage::Grey(grey_image(&shown, Header::default())))
            }
            _ => None,
        };
        let turn = Samples::Instant((sensor.rate / self.turns).ceil() as u64);
        SnapshotOutput::Image(turn, Box::new(LatestImage::new(image)))
    }
}

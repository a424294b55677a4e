//! Images of lasers.

use crate::picture::cloud;
use crate::picture::cloud::RangeGrid;
use crate::picture::{
    ImageBuilder, LatestImage, Points, Samples, SensorImage, Snapshot, SnapshotOutput,
};
use merrow_model::scene::Sensor;
use merrow_model::scene::sensor::laser::{LaserSpec, Point};
use merrow_model::state::frames::FrameData;
use merrow_sensors::laser::scan_points;
use merrow_sensors::sample::Pose;

impl Snapshot for LaserSpec {
    fn output<'a>(&'a self, _: &'a Sensor) -> SnapshotOutput<'a> {
        if let Some(tilt) = self.tilt {
            // one full set of tilt angles
            let run = Samples::Run(0.5e-9 * tilt.period_ns as f64);
            let (spec, scans, points) = (self, 0, Vec::new());
            return SnapshotOutput::Image(
                run,
                Box::new(TiltedScans {
                    spec,
                    scans,
                    points,
                }),
            );
        }
        let grid = RangeGrid {
            rings: self.elevations.len(),
            columns: self.columns,
            first_azimuth: self.first_azimuth,
            azimuth_step: self.azimuth_step,
        };
        let image = move |data: &FrameData, _| match data {
            FrameData::Cloud(points) => Some(SensorImage::Colored(cloud::lidar(&grid, points))),
            FrameData::Scan(scan) => {
                let points = scan_points(self, scan, 0, 0);
                Some(SensorImage::Colored(cloud::scan(&points)))
            }
            _ => None,
        };
        SnapshotOutput::Image(Samples::Instant(1), Box::new(LatestImage::new(image)))
    }

    fn points(&self, data: &FrameData, stamp_ns: u64) -> Option<Points> {
        if self.tilt.is_some() {
            // the points are in the axes of the mount
            return None;
        }
        let positions = |points: &[Point]| points.iter().map(|point| point.p).collect();
        match data {
            FrameData::Cloud(points) => Some(positions(points)),
            FrameData::Scan(scan) => Some(positions(&scan_points(self, scan, stamp_ns, 0))),
            _ => None,
        }
    }
}

/// Builder of the image of a tilting laser.
struct TiltedScans<'a> {
    spec: &'a LaserSpec,
    scans: u16,
    points: Vec<Point>,
}

impl ImageBuilder for TiltedScans<'_> {
    fn add(&mut self, data: &FrameData, _: &Pose, stamp_ns: u64) {
        if let FrameData::Scan(scan) = data {
            let points = scan_points(self.spec, scan, stamp_ns, self.scans);
            self.points.extend(points);
        }
        self.scans = self.scans.saturating_add(1);
    }

    fn finish(self: Box<Self>) -> Option<SensorImage> {
        Some(SensorImage::Colored(cloud::tilted_scan(&self.points)))
    }
}

//! Images of cameras.

use crate::picture::{Snapshot, SnapshotOutput};
use merrow_model::scene::Sensor;
use merrow_model::scene::sensor::camera::CameraSpec;

impl Snapshot for CameraSpec {
    fn output<'a>(&'a self, _: &'a Sensor) -> SnapshotOutput<'a> {
        SnapshotOutput::Camera(self.size)
    }
}

//! Images of cameras.

use crate::FieldOfView;
use crate::picture::{Snapshot, SnapshotOutput};
use merrow_model::scene::Sensor;
use merrow_model::scene::sensor::camera::CameraSpec;

impl Snapshot for CameraSpec {
    fn output<'a>(&'a self, _: &'a Sensor) -> SnapshotOutput<'a> {
        SnapshotOutput::Camera(self.size, self.outputs)
    }

    fn field_of_view(&self) -> Option<FieldOfView> {
        let [right, lower] = self.size.map(|n| n.saturating_sub(1) as f64);
        let corners = [[0.0, 0.0], [right, 0.0], [right, lower], [0.0, lower]];
        let edge: Option<Vec<[f64; 3]>> = corners
            .into_iter()
            // from the optical frame to S
            .map(|corner| self.lens.direction(corner).map(|d| [d.z, -d.x, -d.y]))
            .collect();
        Some(FieldOfView {
            edge: edge?,
            is_closed: true,
            range: self.range[1],
        })
    }
}

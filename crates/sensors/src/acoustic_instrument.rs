//! Acoustic positioning instruments as exteroceptive sensors; the laws are in
//! `crates/sensors/src/acoustic`.

use crate::acoustic;
use crate::cost::{CostSite, RECEPTION};
use crate::exteroceptive::{Observation, Observe};
use merrow_model::sensor::acoustic::AcousticSpec;
use merrow_model::state::frames::FrameData;

impl Observe for AcousticSpec {
    fn observe(&self, sample: &Observation<'_>) -> FrameData {
        acoustic::sample_instrument(
            (self, sample.rate),
            &sample.scene.beacons,
            (
                sample.ray_scenes.collision(),
                sample.view,
                sample.environment,
            ),
            sample.pose,
            sample.errors,
        )
    }

    fn cost(&self, site: &CostSite<'_>) -> f64 {
        self.targets.len() as f64 * (RECEPTION + 2.0 * site.world.ray())
    }
}

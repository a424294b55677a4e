//! Builders of AIS transponders and receivers.

use crate::context::SceneContext;
use crate::sensor::acoustic::{DeviceMount, find_mount};
use crate::sensor::{BuildSensor, SensorContext};
use merrow_math::rng::Stream;
use merrow_model::sensor::ais::{Ais, AisReceiver, Transponder};
use merrow_yaml::read::NamedMap;

impl BuildSensor for AisReceiver {
    type Spec = Self;

    fn build(&self, _: &SensorContext<'_>) -> Self {
        self.clone()
    }
}

/// Builds the AIS transponders of a world whose robots are known.
pub(crate) fn build_transponders(file: &NamedMap<Ais>, cx: SceneContext<'_>) -> Vec<Transponder> {
    let one = |(name, ais): (&str, &Ais)| {
        let place = (ais.robot.as_deref(), ais.link.as_str(), ais.position_m);
        let DeviceMount { on, p, .. } = find_mount(name, place, &ais.at, cx)?;
        Some(Transponder {
            name: name.to_string(),
            on,
            p,
            ais: ais.clone(),
            stream: Stream::new(cx.scene.seed, &format!("ais/{name}")),
        })
    };
    file.iter().filter_map(one).collect()
}

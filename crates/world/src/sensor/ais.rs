//! Builders of AIS transponders and receivers.

use crate::sensor::acoustic::{DeviceMount, find_mount};
use crate::sensor::{BuildSensor, SensorContext, exteroceptive};
use merrow_math::rng::Stream;
use merrow_model::scene::{Scene, SensorKind};
use merrow_model::sensor::ExteroceptiveSpec;
use merrow_model::sensor::ais::{Ais, AisReceiver, Transponder};
use merrow_yaml::error::Problems;
use merrow_yaml::read::NamedMap;

impl BuildSensor for AisReceiver {
    fn build(&self, _context: &SensorContext<'_>, _problems: &mut Problems) -> SensorKind {
        exteroceptive(ExteroceptiveSpec::Ais(self.clone()))
    }
}

/// Builds the AIS transponders of a world whose robots are known.
pub fn build_transponders(
    file: &NamedMap<Ais>,
    scene: &Scene,
    problems: &mut Problems,
) -> Vec<Transponder> {
    file.iter()
        .filter_map(|(name, entry)| build_transponder(name, entry, scene, problems))
        .collect()
}

fn build_transponder(
    name: &str,
    file: &Ais,
    scene: &Scene,
    problems: &mut Problems,
) -> Option<Transponder> {
    let place = (file.robot.as_deref(), file.link.as_str(), file.position_m);
    let DeviceMount { on, p, .. } = find_mount(name, place, &file.at, scene, problems)?;
    Some(Transponder {
        name: name.to_string(),
        on,
        p,
        ais: file.clone(),
        stream: Stream::new(scene.seed, &format!("ais/{name}")),
    })
}

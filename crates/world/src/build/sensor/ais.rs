//! Conversion of AIS transponders and receivers.

use crate::build::sensor::acoustic::find_mount;
use crate::schema::sensor::ais::{AisClassConfig, AisConfig, AisReceiverConfig};
use merrow_math::rng::Stream;
use merrow_model::scene::Scene;
use merrow_model::scene::sensor::ais::{ReceiverSpec, Transponder, Vessel};
use merrow_yaml::error::Problems;
use merrow_yaml::read::NamedMap;

/// Builds the AIS transponders of a world whose robots are known.
pub fn build_transponders(
    file: &NamedMap<AisConfig>,
    scene: &Scene,
    problems: &mut Problems,
) -> Vec<Transponder> {
    file.iter()
        .filter_map(|(name, entry)| build_transponder(name, entry, scene, problems))
        .collect()
}

fn build_transponder(
    name: &str,
    file: &AisConfig,
    scene: &Scene,
    problems: &mut Problems,
) -> Option<Transponder> {
    let place = (file.robot.as_deref(), file.link.as_str(), file.position_m);
    let (on, p) = find_mount(name, place, &file.at, scene, problems)?;
    let is_class_a = file.class == AisClassConfig::A;
    Some(Transponder {
        name: name.to_string(),
        on,
        p,
        is_class_a,
        vessel: Vessel {
            mmsi: file.mmsi,
            imo: file.imo,
            call_sign: file.call_sign.clone(),
            name: file.ship_name.clone().unwrap_or_else(|| name.to_string()),
            kind: file.ship_type,
            reach: file.extents_m,
            draught: file.draught_m,
            destination: file.destination.clone(),
        },
        status: file.status,
        power: file.power_w.unwrap_or(if is_class_a { 12.5 } else { 2.0 }),
        position_std: file.position_std_m,
        start: file.start_s,
        stream: Stream::new(scene.seed, &format!("ais/{name}")),
    })
}

/// Builds an AIS receiver.
pub fn build_receiver(file: &AisReceiverConfig) -> ReceiverSpec {
    ReceiverSpec {
        sensitivity: file.sensitivity_dbm,
        fading: file.fading_std_db,
        shadow: file.shadow_db,
    }
}

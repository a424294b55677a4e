//! AIS transponders and receivers: keys of their files and conversion to the scene.

use crate::sensor::acoustic::{DeviceMount, find_mount};
use crate::sensor::{BuildSensor, SensorContext, exteroceptive};
use merrow_math::rng::Stream;
use merrow_model::scene::{Scene, SensorKind};
use merrow_model::sensor::ExteroceptiveSpec;
use merrow_model::sensor::ais::{ReceiverSpec, Transponder, Vessel};
use merrow_yaml::error::Problems;
use merrow_yaml::read::NamedMap;
use merrow_yaml::spec::{fieldless_choice, spec};

spec! {
    /// An AIS transponder that transmits identity, position and motion of a vessel.
    pub struct AisConfig {
        /// Robot or prop that carries the transponder; for a copy from `repeat` its own name, such
        /// as `usv_3`. Default: fixed in the world.
        robot: Option<String> [not_empty],
        /// Link of the robot.
        link: String [frame] = "base_link".to_string(),
        /// Position of the antenna on the link (forward, left, up), or in the world (east, north,
        /// up) without a robot.
        position_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Class of the transponder.
        class: AisClassConfig = AisClassConfig::B,
        /// Maritime Mobile Service Identity, nine digits.
        mmsi: u32 [in 0.0..=999999999.0],
        /// Name of the vessel; 20 characters are transmitted. Default: the name of this entry.
        ship_name: Option<String>,
        /// Call sign; 7 characters are transmitted.
        call_sign: String = String::new(),
        /// Number of the International Maritime Organization; 0 for none.
        imo: u32 [in 0.0..=1073741823.0] = 0,
        /// Type of ship as defined by the standard: 30 fishing, 36 sailing, 52 tug, 60 passengers,
        /// 70 cargo, 80 tanker.
        ship_type: u32 [in 0.0..=255.0] = 0,
        /// Distances from the antenna to bow, stern, port and starboard.
        extents_m: [f64; 4] [non_negative] = [0.0; 4],
        /// Draught of the vessel.
        draught_m: f64 [in 0.0..=25.5] = 0.0,
        /// Destination; 20 characters are transmitted.
        destination: String = String::new(),
        /// Navigational status: 0 under way, 1 at anchor, 5 moored, 15 not defined.
        status: u32 [in 0.0..=15.0] = 0,
        /// Transmitted power. Default: 12.5 for class A, 2 for class B.
        power_w: Option<f64> [positive],
        /// Standard deviation of each coordinate of the transmitted position.
        position_std_m: f64 [non_negative] = 0.0,
        /// Time of the first transmission.
        start_s: f64 [non_negative] = 0.0,
    }
}

fieldless_choice! {
    /// Class of an AIS transponder.
    pub(crate) enum AisClassConfig {
        /// For ships that are required to carry a transponder.
        A = "a",
        /// For all other vessels.
        B = "b",
    }
}

spec! {
    /// A receiver of AIS transponders.
    pub(crate) struct AisReceiverConfig {
        /// Received power at which half of the messages are decoded.
        sensitivity_dbm: f64 [in -150.0..=0.0] = -107.0,
        /// Standard deviation of received powers.
        fading_std_db: f64 [in 0.0..=40.0] = 3.0,
        /// Attenuation by land and structures in the path.
        shadow_db: f64 [in 0.0..=200.0] = 20.0,
    }
}

impl BuildSensor for AisReceiverConfig {
    fn build(&self, _context: &SensorContext<'_>, _problems: &mut Problems) -> SensorKind {
        exteroceptive(ExteroceptiveSpec::Ais(build_receiver(self)))
    }
}

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
    let DeviceMount { on, p, .. } = find_mount(name, place, &file.at, scene, problems)?;
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
pub(crate) fn build_receiver(file: &AisReceiverConfig) -> ReceiverSpec {
    ReceiverSpec {
        sensitivity: file.sensitivity_dbm,
        fading: file.fading_std_db,
        shadow: file.shadow_db,
    }
}

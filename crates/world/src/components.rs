//! Components of world files, and the loader that finds them.

use crate::data_dir;
use crate::keys::world::DEFAULT_SEED;
use merrow_math::rng::Stream;
use merrow_yaml::load::{Loader, Random};

/// Keys whose string value names a component file, and the folder of `params` that contains such
/// files.
pub(crate) const COMPONENTS: &[(&str, &str)] = &[
    ("model", "robots"),
    ("body", "bodies"),
    ("motor", "thrusters"),
    ("surface", "fins"),
    ("battery", "batteries"),
    ("firmware", "firmware"),
    ("device", "sensors"),
    ("line", "lines"),
    ("beacon", "beacons"),
    ("modem", "modems"),
    ("hydrodynamics", "hydrodynamics"),
];

/// Random numbers of the parameters of a world: those of `seed`, or of the seed of the file.
pub(crate) fn random(seed: Option<u64>) -> Random {
    Random {
        draw: |seed, name, index| {
            let mut draw = Stream::new(seed, &format!("parameters/{name}")).draw(index);
            [draw.uniform(), draw.normal()]
        },
        seed,
        default_seed: DEFAULT_SEED,
    }
}

pub(crate) fn loader() -> Loader {
    Loader::new(data_dir::params_folders())
        .with_components(COMPONENTS)
        .with_parameters(Vec::new(), random(None))
        .with_named_files(|name, place| {
            if place.is_in_request() {
                return data_dir::bundled_world(name);
            }
            Some(data_dir::world_file(name)).filter(|path| path.is_file())
        })
}

//! Components of world files, and the loader that finds them.

use crate::data_dir;
use merrow_yaml::node::Loader;

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

pub(crate) fn loader() -> Loader {
    Loader::new(data_dir::params_folders())
        .with_components(COMPONENTS)
        .with_parameters(Vec::new())
        .with_named_files(|name, place| {
            if place.is_in_request() {
                return data_dir::bundled_world(name);
            }
            Some(data_dir::world_file(name)).filter(|path| path.is_file())
        })
}

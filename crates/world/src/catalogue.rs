//! Bundled models and worlds with their descriptions, for lists.

use crate::components::loader;
use crate::data_dir::{file_names, params_folders, share_folders};
use crate::document::{self, Labels};
use merrow_yaml::error::Problems;
use merrow_yaml::load::Loader;
use std::path::Path;

/// Bundled model that can be added to a running world.
#[derive(Clone, Debug, PartialEq)]
pub struct BundledModel {
    /// Name of its file, without `.yaml`.
    pub name: String,
    /// The `description` of the file.
    pub description: String,
    /// True for an object without actuators, in `params/props`; false for a robot.
    pub is_prop: bool,
    /// Height of its origin above the seabed where it is placed [m]; `None` at the water level.
    pub height_above_seabed: Option<f64>,
}

/// Returns the bundled robots, then the bundled props, each sorted by name.
pub fn bundled_models() -> Vec<BundledModel> {
    let folders = [("params/robots", false), ("params/props", true)];
    let models = folders.into_iter().flat_map(|(folder, is_prop)| {
        file_names(folder)
            .into_iter()
            .map(move |name| BundledModel {
                description: description(folder, &name),
                height_above_seabed: text_of_key(folder, &name, "height_above_seabed_m")
                    .parse()
                    .ok(),
                name,
                is_prop,
            })
    });
    models.collect()
}

/// Returns the value of the key `model` for the bundled robot or prop `name`; `None` if there is
/// none.
pub fn model_reference(name: &str) -> Option<String> {
    let is_in = |folder: &str| file_names(folder).iter().any(|known| known == name);
    if is_in("params/robots") {
        Some(name.to_string())
    } else if is_in("params/props") {
        Some(format!("props/{name}.yaml"))
    } else {
        None
    }
}

/// Returns the description and the tags of a world file; empty if it has none.
pub fn world_labels(path: &Path) -> Labels {
    // Errors are reported when the file is used.
    let node = loader().load(path, &mut Problems::default());
    node.map_or_else(Labels::default, |node| document::labels_of_world(&node))
}

/// Returns the `description` of the file `name` in `worlds` or `params/<kind>`, its own or the
/// description of its base; empty if there is none.
pub fn description(folder: &str, name: &str) -> String {
    text_of_key(folder, name, "description")
}

/// Returns the text of the key `key` of the file `name` in `worlds` or `params/<kind>`, its own or
/// the text of its base; empty if there is none.
fn text_of_key(folder: &str, name: &str, key: &str) -> String {
    let mut files = share_folders()
        .into_iter()
        .map(|f| f.join(folder).join(format!("{name}.yaml")));
    let Some(path) = files.find(|path| path.is_file()) else {
        return String::new();
    };
    // Errors are reported when the file is used.
    let node = Loader::new(params_folders()).load(&path, &mut Problems::default());
    let text = node.as_ref().and_then(|node| node.get(key)?.as_text());
    text.unwrap_or_default().to_string()
}

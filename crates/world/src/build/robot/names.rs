//! Names of links, fins, buoyancy engines and sensors: names that become part of topics must be
//! valid in ROS, and no frame may have two transforms.

use crate::context::Context;
use crate::keys::RobotModelConfig;
use merrow_yaml::error::quote;

/// Maximum length of a name, so that topics stay below the limit of DDS [bytes].
pub const LENGTH_MAX: usize = 128;

/// Ends of the names of the further frames of a sensor (`crates/messages/src/frames`).
const SENSOR_FRAMES: [&str; 4] = ["", "_optical_frame", "_acoustic", "_mount"];

/// Returns true if `name` can be part of a ROS topic: letters, digits and `_` between slashes, no
/// part starting with a digit.
pub(crate) fn is_topic_name(name: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && !part.starts_with(|c: char| c.is_ascii_digit())
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    name.len() <= LENGTH_MAX && name.split('/').all(is_part)
}

/// Checks the names in `model`.
pub(crate) fn check_names(model: &RobotModelConfig, cx: Context<'_>) {
    let links = || {
        let others = model.links.iter();
        let others = others.map(|(name, file)| (name, &file.at.whole));
        std::iter::once((model.root.as_str(), model.at.key_place("root"))).chain(others)
    };
    let fins = model.fins.iter().map(|(name, file)| (name, &file.at.whole));
    let engines = model.buoyancy_engines.iter();
    let engines = engines.map(|(name, file)| (name, &file.at.whole));
    let of_kind = |kind: &'static str| move |(name, place)| (kind, name, place);
    let named = links().map(of_kind("link"));
    let named = named.chain(fins.map(of_kind("fin")));
    for (kind, name, place) in named.chain(engines.map(of_kind("buoyancy engine"))) {
        if !is_topic_name(name) {
            let text = format!(
                "the {kind} {}: expected a name of letters, digits and `_` between slashes, no part \
                 starting with a digit, of at most {LENGTH_MAX} characters",
                quote(name)
            );
            cx.error(place, text);
        }
    }
    // fins are compared with links and sensors where they are built
    let links: Vec<&str> = links().map(|(name, _)| name).collect();
    for (name, file) in model.sensors.iter() {
        for end in SENSOR_FRAMES {
            let frame = format!("{name}{end}");
            if links.contains(&frame.as_str()) {
                let text = format!(
                    "the sensor has the frame {} of a link; expected a unique name; rename the sensor",
                    quote(&frame)
                );
                cx.error(&file.at.whole, text);
            }
        }
    }
}

//! Determines which hydrodynamic keys of the links are given, and which have to be estimated.

use crate::import::urdf::tree::LinkTree;
use merrow_schema::urdf::EstimateConfig;
use merrow_yaml::error::{Problems, did_you_mean, quote, quoted_list};
use merrow_yaml::node::{Key, Map, Node, Value};

/// Keys of a body that describe its hydrodynamics.
const KEYS: [&str; 14] = [
    "volume_m3",
    "net_buoyancy_n",
    "center_of_buoyancy_m",
    "hull",
    "loads",
    "added_mass",
    "linear_damping",
    "quadratic_damping",
    "linear_damping_decay_s_per_m",
    "slender",
    "munk_moment",
    "munk_moment_yaw",
    "coefficients_at",
    "damping_point_m",
];

/// Hydrodynamics of the links given in the world file and its parameter files.
#[derive(Debug)]
pub(crate) struct GivenHydrodynamics {
    /// Shapes used to estimate the missing values.
    pub estimate: EstimateConfig,
    /// Source of the given values, as a text for reports.
    pub source: String,
    /// Per link of the tree: the keys of `hydrodynamics`, which override the keys of its body.
    overrides: Vec<Vec<(Key, Node)>>,
    /// Per link: the names of the keys in the model's own `body` and `links`.
    own: Vec<Vec<String>>,
}

impl GivenHydrodynamics {
    /// Reads the keys that affect the estimates. The values themselves are checked later, when the
    /// model is read.
    pub(super) fn new(
        node: Option<&Node>,
        model: &Map,
        tree: &LinkTree,
        problems: &mut Problems,
    ) -> Option<GivenHydrodynamics> {
        let file = node.and_then(as_map);
        let text = |key: &str| match file.and_then(|f| f.get(key)).map(|n| &n.value) {
            Some(Value::Scalar { text, .. }) => text.clone(),
            _ => String::new(),
        };
        let estimate = match text("estimate").as_str() {
            "visual" => EstimateConfig::Visual,
            "none" => EstimateConfig::None,
            _ => EstimateConfig::Collision,
        };
        let mut given = GivenHydrodynamics {
            estimate,
            source: text("source"),
            overrides: vec![Vec::new(); tree.nodes.len()],
            own: own_keys(model, tree),
        };
        let before = problems.len();
        for (key, link) in file
            .and_then(|f| as_map(f.get("links")?))
            .map_or(&[][..], |m| &m.entries)
        {
            let Some(k) = tree
                .nodes
                .iter()
                .position(|link_node| link_node.link.name == key.name)
            else {
                let names = || tree.nodes.iter().map(|k| k.link.name.as_str());
                let (hint, known) = (did_you_mean(&key.name, names()), quoted_list(names()));
                problems.push(
                    &key.place,
                    format!(
                        "no link {} in the URDF; expected one of {known}{hint}",
                        quote(&key.name)
                    ),
                );
                continue;
            };
            let entries = as_map(link).map_or(&[][..], |m| &m.entries);
            given.overrides[k] = entries
                .iter()
                .filter(|(key, _)| KEYS.contains(&key.name.as_str()))
                .cloned()
                .collect();
        }
        (problems.len() == before).then_some(given)
    }

    /// Returns true if `key` of link `k` is given in any of these places.
    pub(super) fn has_key(&self, k: usize, key: &str) -> bool {
        self.overrides[k].iter().any(|(given, _)| given.name == key)
            || self.own[k].iter().any(|given| given == key)
    }

    /// Returns true if any hydrodynamic key of link `k` is given.
    pub(crate) fn has_any_key(&self, k: usize) -> bool {
        KEYS.iter().any(|key| self.has_key(k, key))
    }

    /// Returns the keys of `hydrodynamics` for link `k`.
    pub(super) fn overrides(&self, k: usize) -> &[(Key, Node)] {
        &self.overrides[k]
    }
}

fn as_map(node: &Node) -> Option<&Map> {
    match &node.value {
        Value::Map(map) => Some(map),
        _ => None,
    }
}

/// Returns the names of the keys in the model's own `body` and `links`, per link of the tree.
fn own_keys(model: &Map, tree: &LinkTree) -> Vec<Vec<String>> {
    let names = |body: Option<&Node>| -> Vec<String> {
        body.and_then(as_map).map_or(Vec::new(), |m| {
            m.entries.iter().map(|(key, _)| key.name.clone()).collect()
        })
    };
    let links = model.get("links").and_then(as_map);
    let of_link = |name: &str| names(links.and_then(|l| as_map(l.get(name)?)?.get("body")));
    let root = names(model.get("body"));
    tree.nodes
        .iter()
        .enumerate()
        .map(|(k, link_node)| {
            if k == 0 {
                root.clone()
            } else {
                of_link(&link_node.link.name)
            }
        })
        .collect()
}

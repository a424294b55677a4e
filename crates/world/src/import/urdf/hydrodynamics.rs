//! Determines which hydrodynamic keys of the links are given, and which have to be estimated.

use crate::import::urdf::tree::LinkTree;
use crate::keys::urdf::{EstimateConfig, LinkHydrodynamics};
use merrow_yaml::error::Problems;
use merrow_yaml::node::{Map, Node};
use merrow_yaml::read::Fields;
use merrow_yaml::schema::Defs;

/// Hydrodynamics of the links given in the world file and its parameter files.
#[derive(Debug)]
pub(crate) struct GivenHydrodynamics {
    /// Shapes used to estimate the missing values.
    pub estimate: EstimateConfig,
    /// Source of the given values, as a text for reports.
    pub source: String,
    /// Keys of a body that describe its hydrodynamics.
    keys: Vec<String>,
    /// Per link of the tree: the keys of `hydrodynamics`, which override the keys of its body.
    overrides: Vec<Map>,
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
        let file = node.and_then(Node::as_map);
        let text = |key: &str| file.and_then(|f| f.get_text(key)).unwrap_or("");
        let estimate = match text("estimate") {
            "visual" => EstimateConfig::Visual,
            "none" => EstimateConfig::None,
            _ => EstimateConfig::Collision,
        };
        let mut given = GivenHydrodynamics {
            estimate,
            source: text("source").to_string(),
            keys: LinkHydrodynamics::key_sets(&mut Defs::default())
                .iter()
                .flat_map(|set| set.keys().map(str::to_string))
                .collect(),
            overrides: vec![Map::default(); tree.nodes.len()],
            own: own_keys(model, tree),
        };
        let before = problems.len();
        let links = file.and_then(|f| f.get_map("links"));
        for (key, link) in links.iter().flat_map(|links| &links.entries) {
            let names = tree.nodes.iter().map(|node| node.link.name.as_str());
            let found = problems.find(&key.place, &key.name, names, |link| {
                format!("no link {link} in the URDF")
            });
            let Some(k) = found else { continue };
            for (key, node) in link.as_map().iter().flat_map(|map| &map.entries) {
                if given.keys.contains(&key.name) {
                    given.overrides[k].entries.push((key.clone(), node.clone()));
                }
            }
        }
        (problems.len() == before).then_some(given)
    }

    /// Returns true if `key` of link `k` is given in any of these places.
    pub(super) fn has_key(&self, k: usize, key: &str) -> bool {
        self.overrides[k].get(key).is_some() || self.own[k].iter().any(|given| given == key)
    }

    /// Returns true if any hydrodynamic key of link `k` is given.
    pub(crate) fn has_any_key(&self, k: usize) -> bool {
        self.keys.iter().any(|key| self.has_key(k, key))
    }

    /// Returns the keys of `hydrodynamics` for link `k`.
    pub(super) fn overrides(&self, k: usize) -> &Map {
        &self.overrides[k]
    }
}

/// Returns the names of the keys in the model's own `body` and `links`, per link of the tree.
fn own_keys(model: &Map, tree: &LinkTree) -> Vec<Vec<String>> {
    let names = |body: Option<&Map>| -> Vec<String> {
        let entries = body.iter().flat_map(|body| &body.entries);
        entries.map(|(key, _)| key.name.clone()).collect()
    };
    let links = model.get_map("links");
    let of_link = |name: &str| links?.get_map(name)?.get_map("body");
    let nodes = tree.nodes.iter().enumerate();
    nodes
        .map(|(k, link_node)| match k {
            0 => names(model.get_map("body")),
            _ => names(of_link(&link_node.link.name)),
        })
        .collect()
}

//! Repair of a tree with wrong values, so that its references are checked in the same run.

use crate::context::Context;
use crate::keys::WorldConfig;
use merrow_yaml::error::{Place, Problems, quote};
use merrow_yaml::node::{Node, Value};
use merrow_yaml::read;

/// Maximum number of attempts. Each repairs all problems of the attempt before.
const ATTEMPTS: usize = 16;

/// Tree that can be read after wrong values were replaced or removed.
pub(super) struct Repaired {
    pub(super) file: WorldConfig,
    /// Names of the removed entries, to which other entries may refer.
    removed: Vec<String>,
}

impl Repaired {
    /// Repairs a tree; `None` if that fails.
    pub(super) fn new(node: &Node) -> Option<Self> {
        let mut tree = node.clone();
        let mut removed = Vec::new();
        for attempt in 0..ATTEMPTS {
            let mut problems = Problems::new();
            if let Some(file) = read::read_root::<WorldConfig>(&tree, &mut problems) {
                return Some(Self { file, removed });
            }
            for problem in problems.iter() {
                // a number that is out of range; what it should be is not known
                if attempt > 0 || !replace(&mut tree, &problem.place) {
                    remove(&mut tree, &problem.place, &mut removed);
                }
            }
        }
        None
    }

    /// Adds the problems `found` in the repaired tree that the original tree has too: references to
    /// objects that do not exist.
    pub(super) fn add_references(&self, found: &Problems, cx: Context<'_>) {
        let is_removed = |text: &str| self.removed.iter().any(|name| text.contains(&quote(name)));
        for problem in found.iter() {
            let text = &problem.text;
            let is_reference = text.starts_with("no ") || text.contains(": no ");
            // the place names the kind of the object that does not exist
            let wrong = text
                .split_once(';')
                .map_or(text.as_str(), |(wrong, _)| wrong);
            if is_reference && !is_removed(wrong) {
                // the list of the known objects lacks those that were removed
                let whole = self.removed.is_empty();
                cx.error(&problem.place, if whole { text } else { wrong });
            }
        }
    }
}

/// Replaces the number at `place` by 1. Returns false if there is none.
fn replace(node: &mut Node, place: &Place) -> bool {
    let is_here = node.place == *place;
    match &mut node.value {
        Value::Scalar { text, .. } if is_here && text.parse::<f64>().is_ok() && text != "1" => {
            *text = "1".to_string();
            true
        }
        Value::Null | Value::Scalar { .. } => false,
        Value::Seq(items) => items.iter_mut().any(|item| replace(item, place)),
        Value::Map(map) => map
            .entries
            .iter_mut()
            .any(|(_, inner)| replace(inner, place)),
    }
}

/// Removes the entry whose key or value is at `place`, and adds its name to `removed`. Returns
/// false if there is none.
fn remove(node: &mut Node, place: &Place, removed: &mut Vec<String>) -> bool {
    match &mut node.value {
        Value::Null | Value::Scalar { .. } => false,
        Value::Seq(items) => {
            let at = items.iter().position(|item| item.place == *place);
            if items.iter_mut().any(|item| remove(item, place, removed)) {
                return true;
            }
            at.map(|k| items.remove(k)).is_some()
        }
        Value::Map(map) => {
            let inner = map.entries.iter_mut();
            if inner
                .into_iter()
                .any(|(_, node)| remove(node, place, removed))
            {
                return true;
            }
            let is_wrong = |(key, node): &(_, Node)| {
                let key: &merrow_yaml::node::Key = key;
                key.place == *place || node.place == *place
            };
            let Some(k) = map.entries.iter().position(is_wrong) else {
                return false;
            };
            let (key, _) = map.entries.remove(k);
            removed.push(key.name);
            true
        }
    }
}

//! Reads robots from URDF. A model that names a URDF file has its links, joints, inertias and
//! shapes as if they were written in the world file.
//!
//! The conversion happens before the model is read, so that every key of the model can override the
//! URDF by the rules of `extends`, and every error is reported at its line, in the URDF or in the
//! world file.
//!
//! This module does not build the robot: `crates/world/src/build/robot` does.

mod hydrodynamics;
mod tree;
mod write;
mod xml;

use crate::context::Context;
use crate::import::files;
use crate::import::urdf::hydrodynamics::GivenHydrodynamics;
use crate::import::urdf::tree::LinkTree;
use merrow_yaml::error::Place;
use merrow_yaml::node::{Map, Node, merge};

/// Merges every model of the world `root` that names a URDF with the content of that file; the keys
/// of the model take precedence.
pub(crate) fn expand_urdf_models(root: &mut Node, cx: Context<'_>) {
    let density = density(root);
    let cx = Context { density, ..cx };
    let robots = root.get_mut("robots").and_then(Node::as_map_mut);
    for (_, robot) in robots.into_iter().flat_map(|robots| &mut robots.entries) {
        if let Some(model) = robot.get_mut("model") {
            expand_model(model, cx);
        }
    }
}

/// Returns the density of the water in the world file, or the default [kg/m³].
fn density(root: &Node) -> f64 {
    const DEFAULT: f64 = 1025.0;
    let water = root.get("water").and_then(Node::as_map);
    water
        .and_then(|water| water.get_text("density_kg_m3")?.parse().ok())
        .filter(|d| (0.0..=2000.0).contains(d))
        .unwrap_or(DEFAULT)
}

fn expand_model(model: &mut Node, cx: Context<'_>) {
    let Some(map) = model.as_map_mut() else {
        return;
    };
    let Some(named) = map.get("urdf").cloned() else {
        return;
    };
    let Some(text) = named.as_text() else {
        return;
    };
    let hydrodynamics = map.get("hydrodynamics").cloned();
    match urdf_model(text, &named.place, hydrodynamics.as_ref(), map, cx) {
        Some(base) => {
            let overrides = std::mem::replace(model, Node::empty_map(&named.place));
            *model = merge(base, overrides);
        }
        // missing keys are not reported then, because the URDF may contain them
        None => map.partial = true,
    }
}

/// Returns the name of a URDF in messages, and its text. `name` is a file or the text itself.
fn read_urdf(name: &str, place: &Place, cx: Context<'_>) -> Option<(String, String)> {
    if is_text(name) {
        return Some((format!("{} (URDF)", place.file), name.to_string()));
    }
    let path = files::find_file(name, place, &mut cx.problems())?;
    let file = path.to_string_lossy().into_owned();
    match files::read_text(&path) {
        Ok(text) => Some((file, text)),
        Err(why) => cx.refuse(&Place::file(&file), why),
    }
}

/// Returns true if the value of `urdf` is the text of a URDF instead of the name of a file.
fn is_text(urdf: &str) -> bool {
    urdf.trim_start().starts_with('<')
}

/// Returns the name that a URDF text gives its robot.
pub(crate) fn robot_name(text: &str) -> Option<String> {
    let document = roxmltree::Document::parse(text).ok()?;
    let name = document.root_element().attribute("name")?;
    Some(name.to_string()).filter(|name| !name.is_empty())
}

/// Returns the model described by the URDF, with the given hydrodynamics applied.
fn urdf_model(
    name: &str,
    place: &Place,
    hydrodynamics: Option<&Node>,
    model: &Map,
    cx: Context<'_>,
) -> Option<Node> {
    let (file, text) = read_urdf(name, place, cx)?;
    let robot = xml::read(&file, &text, &mut cx.problems())?;
    let held = model.get_text("base") == Some("fixed");
    let tree = LinkTree::new(robot, held, &mut cx.problems())?;
    let given = GivenHydrodynamics::new(hydrodynamics, model, &tree, &mut cx.problems())?;
    Some(write::model_node(&tree, &given, cx))
}

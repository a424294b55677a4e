//! Fixed structures of a world, for the score: read from the world file, which nodes do not see.

use std::path::Path;

use merrow_yaml::error::Problems;
use merrow_yaml::load::Loader;
use merrow_yaml::node::Node;

/// A structure that a boat can meet, as a circle on the water.
#[derive(Clone, Debug, PartialEq)]
pub struct Structure {
    /// Name.
    pub name: String,
    /// Centre [m].
    pub centre: [f64; 2],
    /// Radius [m].
    pub radius_m: f64,
}

/// Height up to which a boat reaches [m].
const BOAT_HEIGHT_M: f64 = 2.5;

/// Reads the round structures of a world file: cylinders, capsules and spheres that a boat can reach.
///
/// # Errors
/// The lines of the reader of the file, joined.
pub fn structures(world: &Path) -> Result<Vec<Structure>, String> {
    let mut problems = Problems::new();
    let node = Loader::new(Vec::new()).load(world, &mut problems);
    let node = problems.into_result(node).map_err(|p| p.to_string())?;
    let mut found = Vec::new();
    let Some(map) = node.get("structures").and_then(Node::as_map) else {
        return Ok(found);
    };
    for (name, structure) in &map.entries {
        let Some(at) = numbers(structure.get("position_m")) else {
            continue;
        };
        let shapes = structure.get("shapes").and_then(Node::as_map);
        for (_, shape) in shapes.into_iter().flat_map(|shapes| &shapes.entries) {
            let offset = numbers(shape.get("position_m")).unwrap_or([0.0; 3]);
            let number = |key: &str| shape.get(key)?.as_text()?.parse::<f64>().ok();
            let Some(radius_m) = number("radius_m") else {
                continue;
            };
            let half = 0.5 * number("length_m").unwrap_or(2.0 * radius_m);
            if at[2] + offset[2] - half < BOAT_HEIGHT_M {
                found.push(Structure {
                    name: name.name.clone(),
                    centre: [at[0] + offset[0], at[1] + offset[1]],
                    radius_m,
                });
            }
        }
    }
    Ok(found)
}

/// Reads three numbers.
fn numbers(node: Option<&Node>) -> Option<[f64; 3]> {
    let texts = node?.as_texts();
    let numbers: Vec<f64> = texts.iter().filter_map(|text| text.parse().ok()).collect();
    numbers.try_into().ok()
}

//! Worlds that several tests use.

use super::folder::Folder;
use super::meshes::GeneratedMesh;
use super::simulation;
use merrow_model::scene::Scene;
use merrow_sim::Simulation;
use merrow_world::{Overrides, load_text};

/// Returns a world with one body with a mesh hull, in water of 1000 kg/m³.
pub(crate) fn mesh_hull_scene(
    name: &str,
    mesh: &GeneratedMesh,
    body: &str,
    world: &str,
    entry: &str,
) -> Scene {
    let folder = Folder::new(&format!("hull_{name}"), &[("hull.obj", &mesh.obj())]);
    let text = format!(
        "water: {{density_kg_m3: 1000{world}}}
robots:
  hull:
    {entry}
    model:
      source: test
      body:
        {{source: test, axes: flu, {body},
         hull: {{kind: mesh, file: {}/hull.obj}}}}
",
        folder.0.display()
    );
    load_text("test.yaml", &text, Overrides::default())
        .unwrap_or_else(|p| panic!("{p}\n{text}"))
        .scene
}

/// Returns a simulation with one tether and no robot.
pub(crate) fn tethered(world: &str, line: &str, tether: &str) -> Simulation {
    simulation(&format!(
        "{world}\nrobots: {{}}\ntethers:\n  t:\n    line: {{source: test, {line}}}\n    {}\n",
        tether.replace('\n', "\n    ")
    ))
}

/// Returns a neutral body of 10 kg without drag, deep under water, with one thruster `motor` at
/// `mount`.
pub(crate) fn boat(motor: &str, mount: &str, start: &str) -> String {
    format!(
        "
water: {{density_kg_m3: 1000}}
robots:
  boat:
    position_m: [0, 0, -50]
    {start}
    model:
      source: test
      body: {{source: test, axes: flu, mass_kg: 10, inertia_kg_m2: {{xx: 2, yy: 3, zz: 4}}, net_buoyancy_n: 0}}
      thrusters: {{t: {{motor: {{source: test, diameter_m: 0.2, {motor}}}, {mount}}}}}
"
    )
}

/// Returns a fixed body with the battery keys `battery` and further lines of the model.
pub(crate) fn held_robot(battery: &str, model: &str, world: &str) -> String {
    format!(
        "
water: {{density_kg_m3: 1000}}
{world}
robots:
  r:
    position_m: [0, 0, -5]
    model:
      source: test
      base: fixed
      body: {{source: test, axes: flu, mass_kg: 10, inertia_kg_m2: {{xx: 2, yy: 3, zz: 4}}}}
      battery: {{source: test, {battery}}}
      {model}
"
    )
}

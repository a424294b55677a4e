//! Provides worlds, tables and recordings to the cases of `crate::cases`.
//!
//! The command and the tests use this module to run the cases on the same files. It does not depend
//! on the quantity that a case compares.

use crate::cases::reference_data::{BodyShape, ReferenceData};
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::Scene;
use merrow_world::import::estimate::{PlacedSolid, Solid, estimate};
use merrow_world::{Overrides, data_dir, load_text, load_world};
use std::path::{Path, PathBuf};

/// Folder of the tables of other programs and of recordings in the source tree.
const DATA: &str = "test/data";

/// Returns the folder of tables and recordings in the source tree that Merrow was built from, if it
/// exists.
pub fn data_folder() -> Option<PathBuf> {
    data_dir::share_folders()
        .into_iter()
        .map(|folder| folder.join(DATA))
        .find(|folder| folder.is_dir())
}

/// Calls `use_them` with the bundled worlds and with the tables and recordings in `folder`.
pub fn with_reference_data<T>(folder: &Path, use_them: impl FnOnce(&ReferenceData<'_>) -> T) -> T {
    let table = |name: &str| {
        let path = folder.join(name);
        std::fs::read_to_string(&path)
            .map_err(|e| format!("{}: cannot be read: {e}", path.display()))
    };
    let file = |name: &str| scene_of_file(&folder.join(name));
    use_them(&ReferenceData {
        world: &scene_of_text,
        shipped: &shipped,
        file: &file,
        table: &table,
        folder,
        added: &added,
    })
}

fn scene_of_text(text: &str) -> Result<Scene, String> {
    load_text("case.yaml", text, Overrides::default())
        .map(|world| world.scene)
        .map_err(|p| p.to_string())
}

fn shipped(name: &str) -> Result<Scene, String> {
    scene_of_file(&data_dir::world_file(name))
}

fn scene_of_file(path: &Path) -> Result<Scene, String> {
    load_world(path, Overrides::default())
        .map(|world| world.scene)
        .map_err(|p| p.to_string())
}

fn added(shape: BodyShape) -> Result<[f64; 6], String> {
    let solid = match shape {
        BodyShape::Box(size) => Solid::Box(size),
        BodyShape::Cylinder([radius, length]) => Solid::Cylinder { radius, length },
        BodyShape::Ellipsoid(axes) => Solid::Ellipsoid(axes),
    };
    let alone = PlacedSolid {
        solid,
        R: Mat3::identity(),
        p: Vec3::zero(),
    };
    let found = estimate(&[alone], 1.0).ok_or("a shape without volume")?;
    let (D, A) = (found.added.D, found.added.A);
    Ok([D.xx, D.yy, D.zz, A.xx, A.yy, A.zz])
}

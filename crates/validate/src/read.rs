//! Provides worlds, tables and recordings to the cases of `crate::cases`.
//!
//! The command and the tests use this module to run the cases on the same files. It does not depend
//! on the quantity that a case compares.

use crate::cases::reference_data::ReferenceData;
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::Scene;
use merrow_world::import::estimate::{PlacedSolid, Solid, estimate};
use merrow_world::{Overrides, data_dir, load_text, load_world};
use std::path::{Path, PathBuf};

/// Folder of the tables of other programs, in the source tree and among the bundled data.
const DATA: &str = "test/data";

/// Returns the folder of tables of other programs, in the source tree or unpacked from the program.
pub fn data_folder() -> Option<PathBuf> {
    data_dir::share_folders()
        .into_iter()
        .map(|folder| folder.join(DATA))
        .find(|folder| folder.is_dir())
}

impl ReferenceData {
    /// Returns the scene of a world file's text.
    ///
    /// # Errors
    /// Errors in the text of the world.
    pub fn world(&self, text: &str) -> Result<Scene, String> {
        let world = load_text("case.yaml", text, Overrides::default());
        world.map(|world| world.scene).map_err(|p| p.to_string())
    }

    /// Returns the scene of a bundled world by its name.
    ///
    /// # Errors
    /// Errors of the world file.
    pub fn shipped(&self, name: &str) -> Result<Scene, String> {
        scene_of_file(&data_dir::world_file(name))
    }

    /// Returns the scene of a world file by its path in the folder of reference data.
    ///
    /// # Errors
    /// Errors of the world file.
    pub fn file(&self, name: &str) -> Result<Scene, String> {
        scene_of_file(&self.folder.join(name))
    }

    /// Returns the text of a table of another program, by its file name.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn text(&self, name: &str) -> Result<String, String> {
        let path = self.folder.join(name);
        std::fs::read_to_string(&path)
            .map_err(|e| format!("{}: cannot be read: {e}", path.display()))
    }

    /// Returns the estimated added mass of a shape, about its centre, over the density of water:
    /// along x, y, z [m³], then about them [m⁵].
    ///
    /// # Errors
    /// The shape has no volume.
    pub fn added(&self, solid: Solid) -> Result<[f64; 6], String> {
        let alone = PlacedSolid {
            solid,
            R: Mat3::identity(),
            p: Vec3::zero(),
        };
        let found = estimate(&[alone], 1.0).ok_or("a shape without volume")?;
        let (D, A) = (found.added.D, found.added.A);
        Ok([D.xx, D.yy, D.zz, A.xx, A.yy, A.zz])
    }
}

fn scene_of_file(path: &Path) -> Result<Scene, String> {
    let world = load_world(path, Overrides::default());
    world.map(|world| world.scene).map_err(|p| p.to_string())
}

//! Cache of the meshes and images that a world file names: each file is read once.
//!
//! This module does not depend on the use of these files.

use crate::import::files::find_file;
use crate::import::image;
use crate::import::image::Points;
use crate::import::mesh;
use crate::import::mesh::{CornerTextureCoordinates, ManifoldCheck};
use merrow_model::scene::robot::collision::Mesh;
use merrow_model::scene::texture::Texture;
use merrow_yaml::error::{Place, Problems, quote};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A mesh with the result of its manifold check.
pub(crate) type CheckedMesh = (Arc<Mesh>, ManifoldCheck);

/// Contents of the files read so far, by their path and how they were read.
type Cache<K, T> = RefCell<BTreeMap<(PathBuf, K), Result<T, String>>>;

/// Cache of the files read so far. Copies of a robot share their meshes.
#[derive(Debug, Default)]
pub(crate) struct Assets {
    /// Meshes with the bit patterns of their scale factors.
    meshes: Cache<[u64; 3], CheckedMesh>,
    /// Images, and whether they repeat.
    images: Cache<bool, Arc<Texture>>,
}

/// Returns the content of the file `name`, which is read once for each `key`. On failure it reports
/// a problem at `place`, where the file is named, and returns `None`.
fn cached<K: Ord, T: Clone>(
    cache: &Cache<K, T>,
    (name, key): (&str, K),
    place: &Place,
    problems: &mut Problems,
    read: impl FnOnce(&Path) -> Result<T, String>,
) -> Option<T> {
    let path = find_file(name, place, problems)?;
    let mut cache = cache.borrow_mut();
    let found = cache.entry((path.clone(), key));
    let found = found.or_insert_with(|| read(&path)).clone();
    found
        .map_err(|text| {
            problems.push(place, format!("{}: {text}", quote(&path.to_string_lossy())));
        })
        .ok()
}

impl Assets {
    /// Returns the mesh in the file `name`, scaled along its axes by `scale` [-]. On failure it
    /// reports a problem at `place`, where the world file names the mesh, and returns `None`.
    pub(crate) fn mesh(
        &self,
        name: &str,
        scale: [f64; 3],
        place: &Place,
        problems: &mut Problems,
    ) -> Option<CheckedMesh> {
        let key = (name, scale.map(f64::to_bits));
        cached(&self.meshes, key, place, problems, |path| {
            let mesh = mesh::scaled(&mesh::read(path)?, scale);
            let check = mesh::check_manifold(&mesh);
            Ok((Arc::new(mesh), check))
        })
    }

    /// Returns the image in the file `name` as a texture. On failure it reports a problem at
    /// `place`, where the file is named, and returns `None`.
    pub(crate) fn image(
        &self,
        name: &str,
        repeats: bool,
        place: &Place,
        problems: &mut Problems,
    ) -> Option<Arc<Texture>> {
        cached(&self.images, (name, repeats), place, problems, |path| {
            let (size, points): Points = image::read(path)?;
            Ok(Arc::new(Texture::new(size, points, repeats)))
        })
    }

    /// Returns the mesh in the file `name`, scaled along its axes, with its texture coordinates.
    /// The inner option is `None` if the file has no texture coordinates. Call [`Assets::mesh`]
    /// first: it reports the problems of the file.
    pub(crate) fn mesh_corners(
        &self,
        name: &str,
        scale: [f64; 3],
        place: &Place,
        problems: &mut Problems,
    ) -> Option<Option<(Arc<Mesh>, CornerTextureCoordinates)>> {
        let path = find_file(name, place, problems)?;
        let (mesh, corners) = mesh::read_with_corners(&path).ok()?;
        let (mesh, corners) = mesh::scaled_with_corners(&mesh, corners, scale);
        Some(corners.map(|corners| (Arc::new(mesh), corners)))
    }
}

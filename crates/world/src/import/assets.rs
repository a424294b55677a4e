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
use std::path::PathBuf;
use std::sync::Arc;

/// A mesh with the result of its manifold check.
pub(crate) type CheckedMesh = (Arc<Mesh>, ManifoldCheck);

/// Path of the file and bit patterns of the scale factors.
type MeshKey = (PathBuf, [u64; 3]);

/// Path of the file, and whether the image repeats.
type ImageKey = (PathBuf, bool);

/// Cache of the files read so far. Copies of a robot share their meshes.
#[derive(Debug, Default)]
pub(crate) struct Assets {
    meshes: RefCell<BTreeMap<MeshKey, Result<CheckedMesh, String>>>,
    images: RefCell<BTreeMap<ImageKey, Result<Arc<Texture>, String>>>,
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
        let path = find_file(name, place, problems)?;
        let key = (path.clone(), scale.map(f64::to_bits));
        let mut meshes = self.meshes.borrow_mut();
        let read = meshes.entry(key).or_insert_with(|| {
            let mesh = mesh::scaled(&mesh::read(&path)?, scale);
            let check = mesh::check_manifold(&mesh);
            Ok((Arc::new(mesh), check))
        });
        match read {
            Ok(found) => Some(found.clone()),
            Err(text) => {
                problems.push(place, format!("{}: {text}", quote(&path.to_string_lossy())));
                None
            }
        }
    }
}

impl Assets {
    /// Returns the image in the file `name` as a texture. On failure it reports a problem at
    /// `place`, where the file is named, and returns `None`.
    pub(crate) fn image(
        &self,
        name: &str,
        repeats: bool,
        place: &Place,
        problems: &mut Problems,
    ) -> Option<Arc<Texture>> {
        let path = find_file(name, place, problems)?;
        let mut images = self.images.borrow_mut();
        let read = images.entry((path.clone(), repeats)).or_insert_with(|| {
            let (size, points): Points = image::read(&path)?;
            Ok(Arc::new(Texture::new(size, points, repeats)))
        });
        match read {
            Ok(found) => Some(Arc::clone(found)),
            Err(text) => {
                problems.push(place, format!("{}: {text}", quote(&path.to_string_lossy())));
                None
            }
        }
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

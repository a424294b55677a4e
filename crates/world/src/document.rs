//! A world whose robots, props and structures change during a run.
//!
//! A document is the tree of a world file together with the changes since it was loaded. A changed
//! copy is built as a whole, so that it is checked like a file and either has all its objects or
//! reports all errors. [`Document::to_yaml`] writes the changes as a world file that extends the
//! original one.

mod changes;
mod environment;
mod faults;
mod foreign;
mod objects;
mod plausibility;
mod resource;
mod sets;
mod settings;

pub(crate) use crate::document::objects::labels_of_world;
pub use crate::document::resource::{Resource, ResourceError};

use crate::build::comms::Addresses;
use crate::build::{Overrides, build_checked};
use crate::components::loader;
use crate::document::sets::Trees;
use crate::import::assets::Assets;
use crate::{Problems, World, data_dir};
use merrow_math::{Quat, Vec3};
use merrow_model::scene::Scene;
use merrow_model::state::State;
use merrow_physics::contact::free_pose;
use merrow_yaml::node::{Node, Value, merge};
use merrow_yaml::parameters;
use merrow_yaml::parameters::PARAMETERS;
use parking_lot::Mutex;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Sections of a world file that contain objects.
pub const SECTIONS: [&str; 4] = ["robots", "props", "actors", "structures"];

/// A world file and the changes since it was loaded.
#[derive(Clone, Debug)]
pub struct Document {
    name: String,
    base: Base,
    overrides: Overrides,
    /// Tree of the file with all `extends` and parameters resolved.
    file: Arc<Node>,
    /// The same with the values that the overrides set.
    original: Arc<Node>,
    /// The same with the changes.
    pub(crate) tree: Node,
    /// Entries of spawned robots before their component files were resolved.
    spawned: Vec<(String, Node)>,
    /// Meshes and images read so far, and the addresses of the modems of the running world.
    shared: Arc<Mutex<(Assets, Addresses)>>,
    /// Addresses of the modems of the world as it was loaded.
    loaded_addresses: Arc<Addresses>,
}

/// Origin of the original tree.
#[derive(Clone, Debug)]
enum Base {
    File(PathBuf),
    Text,
}

/// Pose of an object in W.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// Position of the origin of the base link [m].
    pub p_WB: Vec3,
    /// Attitude of the base link.
    pub q_WB: Quat,
}

/// An object of a world.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectInfo {
    /// Name of the object.
    pub name: String,
    /// Section of the world file that contains it, one of [`SECTIONS`].
    pub section: &'static str,
    /// Category, description and tags stated in the file, empty without. Without a description of
    /// its own, the object has the description of its model or body.
    pub labels: Labels,
    /// Pose of a structure; `None` for other objects, whose poses the simulation computes.
    pub placement: Option<Placement>,
}

/// Category, description and tags of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    /// Category, as in a world file.
    pub category: String,
    /// Description of the object.
    pub description: String,
    /// Tags of the object.
    pub tags: Vec<String>,
}

/// A pose of the world that has a name.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedPose {
    /// Name of the pose.
    pub name: String,
    /// Description of the pose.
    pub description: String,
    /// Tags of the pose.
    pub tags: Vec<String>,
    /// Position and attitude in W.
    pub placement: Placement,
    /// Edge lengths of the free box around the pose, along its axes [m].
    pub free_size: Option<Vec3>,
}

/// Checks the poses at which the robots start. A changed world is not checked: its robots have
/// moved.
fn check_starts(tree: &Node, world: &World) -> Result<(), Problems> {
    let mut problems = Problems::new();
    for (robot, why) in free_pose::check_starts(&world.scene) {
        let (model, name) = (&world.models[robot], &world.scene.robots[robot].name);
        problems.push(
            &changes::place_below(tree, &[model.section, name, "position_m"]),
            why,
        );
    }
    problems.into_result(Some(()))
}

/// Returns the message for an object that does not exist.
fn missing(name: &str) -> String {
    format!("no robot, prop, actor or structure {name:?}")
}

/// Returns the addresses of the modems of a world.
fn addresses_of(world: &World) -> Addresses {
    let modems = world.scene.modems.iter();
    modems.map(|m| (m.name.clone(), m.address)).collect()
}

impl Document {
    /// Returns the place of the key with this path in the world file or a component file; of the last
    /// key of the path that exists, if there is no such key.
    pub fn place_below(&self, path: &[&str]) -> crate::Place {
        changes::place_below(&self.tree, path)
    }

    /// Loads a world file and builds its scene.
    ///
    /// # Errors
    /// Returns all errors of the world file and its component files.
    pub fn load(path: &Path, overrides: Overrides) -> Result<(Self, World), Problems> {
        let mut problems = Problems::new();
        if let Some(what) = foreign::explain(path) {
            problems.push(&crate::Place::file(&path.to_string_lossy()), what);
            return Err(problems);
        }
        let trees = sets::load(&overrides, &mut problems, &|loader, problems| {
            loader.load(path, problems)
        });
        let name = path
            .file_stem()
            .map_or_else(|| "world".into(), |s| s.to_string_lossy().into_owned());
        // a saved world is loaded from another folder
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        let has_parent = absolute.components().any(|c| c == Component::ParentDir);
        // `..` after a link is not the folder of the link
        let absolute = match has_parent {
            true => absolute.canonicalize().unwrap_or(absolute),
            false => absolute,
        };
        Self::new(trees, name, Base::File(absolute), overrides, problems)
    }

    /// Returns the same as [`Self::load`], for a world in memory; `name` is used as its path in
    /// messages.
    ///
    /// # Errors
    /// Returns all errors of the world and its component files.
    pub fn from_text(
        name: &str,
        text: &str,
        overrides: Overrides,
    ) -> Result<(Self, World), Problems> {
        let mut problems = Problems::new();
        let trees = sets::load(&overrides, &mut problems, &|loader, problems| {
            loader.load_text(name, text, problems)
        });
        Self::new(trees, name.to_string(), Base::Text, overrides, problems)
    }

    fn new(
        trees: Trees,
        name: String,
        base: Base,
        overrides: Overrides,
        problems: Problems,
    ) -> Result<(Self, World), Problems> {
        let assets = Assets::default();
        let mut addresses = Addresses::default();
        let context = (&assets, &addresses);
        let node = trees.tree;
        let mut world = build_checked(node.clone(), &name, &overrides, context, problems)?;
        addresses = addresses_of(&world);
        let tree = node.unwrap_or_else(|| Node::empty_map(&crate::Place::file(&name)));
        check_starts(&tree, &world)?;
        world.warnings = plausibility::warnings(&tree, &world);
        world.warnings.extend(trees.warnings);
        let original = Arc::new(tree.clone());
        let document = Self {
            name,
            base,
            overrides,
            file: trees.file.map_or_else(|| Arc::clone(&original), Arc::new),
            original,
            tree,
            spawned: Vec::new(),
            loaded_addresses: Arc::new(addresses.clone()),
            shared: Arc::new(Mutex::new((assets, addresses))),
        };
        Ok((document, world))
    }

    /// Returns the name of the world.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the path of the world file; `None` for a world in memory.
    pub fn path(&self) -> Option<&Path> {
        match &self.base {
            Base::File(path) => Some(path),
            Base::Text => None,
        }
    }

    /// Builds the scene of the changed world.
    ///
    /// # Errors
    /// Returns all errors.
    pub fn build(&self) -> Result<World, Problems> {
        let mut shared = self.shared.lock();
        let (assets, addresses) = &mut *shared;
        // the addresses of the running world replace the addresses of the file
        let mut tree = self.tree.clone();
        changes::set_modem_addresses(&mut tree, &Addresses::new());
        let tree = Some(tree);
        let context = (&*assets, &*addresses);
        let world = build_checked(tree, &self.name, &self.overrides, context, Problems::new())?;
        *addresses = addresses_of(&world);
        Ok(world)
    }

    /// Returns the world with another category, description and tags of an object. The scene does
    /// not change.
    ///
    /// # Errors
    /// There is no such object.
    pub fn with_labels(&self, name: &str, labels: &Labels) -> Result<Self, String> {
        let mut changed = self.clone();
        if let Some((_, entry)) = changed
            .spawned
            .iter_mut()
            .find(|(spawned, _)| spawned == name)
        {
            changes::set_labels(entry, labels);
        }
        let is_labelled = SECTIONS.into_iter().any(|section| {
            let map = changes::existing_section(&mut changed.tree, section);
            let entry = map.and_then(|map| changes::labelled_entry(map, name));
            entry
                .map(|entry| changes::set_labels(entry, labels))
                .is_some()
        });
        is_labelled.then_some(changed).ok_or_else(|| missing(name))
    }

    /// Returns the world with an additional robot `name`, whose topics are in `namespace` (empty:
    /// the namespace of the node). The result is not built yet.
    ///
    /// # Errors
    /// The resource does not exist, has an unsupported format or cannot be parsed.
    pub fn with_robot(
        &self,
        name: &str,
        namespace: &str,
        resource: &Resource,
        placement: Placement,
    ) -> Result<Self, ResourceError> {
        let (mut written, mut resolved) = resource.entry()?;
        for entry in [&mut written, &mut resolved] {
            changes::set_placement(entry, placement);
            if !namespace.is_empty() {
                entry.set("namespace", namespace);
            }
        }
        let mut changed = self.clone();
        changes::name_robots_of_task(&mut changed.tree);
        let robots = changed.tree.get_or_make("robots").make_map();
        robots.insert(name, resolved);
        changed.spawned.push((name.to_string(), written));
        Ok(changed)
    }

    /// Returns the world with a copy of the robot, prop or structure `name` at another place. The
    /// result is not built yet.
    ///
    /// # Errors
    /// There is no such object, or it cannot be copied.
    pub fn with_copy(&self, name: &str, copy: &str, placement: Placement) -> Result<Self, String> {
        let mut changed = self.clone();
        changes::name_robots_of_task(&mut changed.tree);
        for section in ["robots", "props", "structures"] {
            let Some(map) = changes::existing_section(&mut changed.tree, section) else {
                continue;
            };
            let Some(mut entry) = changes::copy_of(map, name) else {
                continue;
            };
            changes::set_placement(&mut entry, placement);
            map.insert(copy, entry);
            return Ok(changed);
        }
        Err(format!("no robot, prop or structure {name:?}"))
    }

    /// Returns the world without the robot, prop or structure `name`. The result is not built yet.
    ///
    /// # Errors
    /// There is no such object.
    pub fn without(&self, name: &str) -> Result<Self, String> {
        let mut changed = self.clone();
        changed.spawned.retain(|(spawned, _)| spawned != name);
        let is_removed = SECTIONS.into_iter().any(|section| {
            changes::existing_section(&mut changed.tree, section)
                .is_some_and(|map| map.remove(name).is_some() || changes::leave_out_copy(map, name))
        });
        is_removed.then_some(changed).ok_or_else(|| missing(name))
    }

    /// Returns the world with the robot, prop or structure `name` as `source` contains it: undoes
    /// [`Self::without`]. The result is not built yet.
    ///
    /// # Errors
    /// `source` has no such object.
    pub fn with_object_of(&self, name: &str, source: &Self) -> Result<Self, String> {
        let mut changed = self.clone();
        let spawned = source.spawned.iter().find(|(spawned, _)| spawned == name);
        changed.spawned.retain(|(spawned, _)| spawned != name);
        changed.spawned.extend(spawned.cloned());
        let mut tree = source.tree.clone();
        for section in SECTIONS {
            let Some(from) = changes::existing_section(&mut tree, section) else {
                continue;
            };
            if let Some(entry) = from.get(name) {
                let to = changed.tree.get_or_make(section).make_map();
                to.insert(name, entry.clone());
                return Ok(changed);
            }
            let to = changes::existing_section(&mut changed.tree, section);
            if to.is_some_and(|to| changes::restore_copy(to, from, name)) {
                return Ok(changed);
            }
        }
        Err(missing(name))
    }

    /// Returns the world with a structure at another place. The result is not built yet.
    ///
    /// # Errors
    /// There is no such structure.
    pub fn with_structure_at(&self, name: &str, placement: Placement) -> Result<Self, String> {
        let mut changed = self.clone();
        let entry = changes::existing_section(&mut changed.tree, "structures")
            .and_then(|map| map.get_mut(name));
        let entry = entry.ok_or_else(|| format!("no structure {name:?}"))?;
        changes::set_placement(entry, placement);
        Ok(changed)
    }

    /// Returns the world without the objects that were added since it was loaded, and with those
    /// that were removed.
    pub fn as_loaded(&self) -> Self {
        Self {
            tree: Node::clone(&self.original),
            spawned: Vec::new(),
            ..self.clone()
        }
    }

    /// Returns the world without the objects that were added since it was loaded.
    pub fn without_spawned(&self) -> Self {
        let names = self.spawned.iter().map(|(name, _)| name);
        let remove = |document: Self, name: &String| document.without(name).unwrap_or(document);
        names.fold(self.clone(), remove)
    }

    /// Returns the changes since the world was loaded, as text for [`Self::with_changes`]; empty
    /// without changes.
    pub fn changes(&self) -> String {
        match changes::difference(&self.original, &self.addressed_tree()) {
            Some(changes) => self.text(changes),
            None => String::new(),
        }
    }

    /// Returns the world whose robots start with the poses, velocities and joint positions of
    /// `state`, and whose couplings start as engaged as in `state`.
    pub fn with_state(&self, scene: &Scene, state: &State) -> Self {
        let mut changed = self.clone();
        changes::set_state(&mut changed.tree, scene, state);
        for (name, entry) in &mut changed.spawned {
            if let Some(robot) = scene.robots.iter().position(|r| r.name == *name) {
                changes::set_robot_start(entry, &scene.robots[robot], &state.robots[robot]);
            }
        }
        changed
    }

    /// Returns the changed world as a world file, with the values of its parameters in place of
    /// their names. If the world was loaded from a file, the text extends that file, a bundled world
    /// by its name, and contains the changes only, with the values that the overrides set.
    pub fn to_yaml(&self) -> String {
        let mut tree = self.addressed_tree();
        tree.make_map().remove(PARAMETERS);
        self.text(match &self.base {
            Base::Text => tree,
            Base::File(path) => {
                let mut file = Node::clone(&self.file);
                file.make_map().remove(PARAMETERS);
                let changes = changes::difference(&file, &tree);
                let changes = changes.unwrap_or_else(|| Node::empty_map(&self.tree.place));
                // a bundled world has another path in another installation
                let name = data_dir::name_of_bundled_world(path);
                let name = name.unwrap_or_else(|| path.to_string_lossy().into_owned());
                changes::extending(&name, changes)
            }
        })
    }

    /// Returns the tree with the addresses of all modems, unless they are the addresses of the
    /// loaded world, which a build of the tree assigns again.
    fn addressed_tree(&self) -> Node {
        let shared = self.shared.lock();
        let mut tree = self.tree.clone();
        if shared.1 != *self.loaded_addresses {
            changes::set_modem_addresses(&mut tree, &shared.1);
        }
        tree
    }

    /// Returns a tree as text, with the entries of spawned robots as they were written.
    fn text(&self, mut root: Node) -> String {
        parameters::escape(&mut root);
        if let Some(robots) = changes::existing_section(&mut root, "robots") {
            for (name, entry) in &self.spawned {
                // an entry that replaces an entry of the file keeps the full form
                let replaces = changes::has_entry(&self.original, "robots", name);
                if let Some(written) = robots.get_mut(name).filter(|_| !replaces) {
                    *written = entry.clone();
                    parameters::escape(written);
                }
            }
        }
        merrow_yaml::write::to_text(&root)
    }

    /// Applies the changes of a text written by [`Self::changes`] to this world, as it was loaded.
    /// The result is not built yet.
    ///
    /// # Errors
    /// The text is not valid.
    pub fn with_changes(&self, text: &str) -> Result<Self, Problems> {
        let mut problems = Problems::new();
        let label = format!("changes of {}", self.name);
        let mut changed = self.as_loaded();
        if text.is_empty() {
            return Ok(changed);
        }
        let written = merrow_yaml::node::parse(&label, text, &mut problems);
        let resolved = loader().load_text(&label, text, &mut problems);
        if let (Some(mut written), Some(resolved)) = (written, resolved) {
            parameters::unescape(&mut written);
            if let Some(robots) = changes::existing_section(&mut written, "robots") {
                let added = robots.entries.drain(..).filter(|(key, node)| {
                    !matches!(node.value, Value::Null)
                        && !changes::has_entry(&self.original, "robots", &key.name)
                });
                changed.spawned = added.map(|(key, node)| (key.name, node)).collect();
            }
            changed.tree = merge(Node::clone(&self.original), resolved);
        }
        problems.into_result(Some(changed))
    }
}

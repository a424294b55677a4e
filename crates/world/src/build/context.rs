//! What the functions that build a world share: its values, and the errors found so far.

use crate::import::assets::Assets;
use crate::keys::{GRAVITY, WorldConfig, find};
use crate::sensor::WorldValues;
use merrow_math::Vec3;
use merrow_model::scene::{LinkFrame, Origin, Robot, Scene};
use merrow_yaml::error::{Place, Problems};
use std::cell::{RefCell, RefMut};
use std::ops::Deref;

/// Values of the world, files read so far, and errors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a> {
    /// Errors and notes found so far.
    pub(crate) problems: &'a RefCell<Problems>,
    /// Loader of meshes and other files in addition to the world file.
    pub(crate) assets: &'a Assets,
    /// Gravity, time step, seed and water of the world.
    pub(crate) world: WorldValues<'a>,
    /// Depth of the seabed plane at the origin of W [m].
    pub(crate) depth: f64,
    /// Position of the origin of W.
    pub(crate) origin: Origin,
}

impl<'a> Deref for Context<'a> {
    type Target = WorldValues<'a>;

    fn deref(&self) -> &WorldValues<'a> {
        &self.world
    }
}

impl<'a> Context<'a> {
    /// Creates the context of a world with water of `density` [kg/m³], whose other values are not
    /// known yet. Sensor rates are not checked against its time step.
    pub(crate) fn new(problems: &'a RefCell<Problems>, assets: &'a Assets, density: f64) -> Self {
        Self {
            problems,
            assets,
            world: WorldValues {
                gravity: GRAVITY,
                density,
                air_pressure: 101_325.0,
                seed: 0,
                dt: f64::MIN_POSITIVE,
                dt_place: None,
                tracers: None,
            },
            depth: 100.0,
            origin: Origin {
                latitude: 0.0,
                longitude: 0.0,
                altitude: 0.0,
                magnetic_field: Vec3::zero(),
            },
        }
    }

    /// Returns the context with the values of `scene`. `tracers` holds the name and unit of every
    /// tracer of the water.
    pub(crate) fn with_scene(
        self,
        file: &'a WorldConfig,
        scene: &Scene,
        tracers: &'a [(String, String)],
    ) -> Self {
        let step = &file.step.at;
        Self {
            world: WorldValues {
                gravity: scene.gravity,
                density: scene.sea.density,
                air_pressure: scene.sea.air_pressure,
                seed: scene.seed,
                dt: scene.dt_ns as f64 * 1e-9,
                dt_place: step.has_key("dt_s").then(|| step.key_place("dt_s")),
                tracers: Some(tracers),
            },
            depth: -scene.sea.seabed.z0,
            origin: scene.origin,
            ..self
        }
    }

    /// Returns the errors and notes. They must not be held while another function with this context
    /// is called.
    pub(crate) fn problems(self) -> RefMut<'a, Problems> {
        self.problems.borrow_mut()
    }

    /// Adds an error, as [`Problems::push`] does.
    pub(crate) fn error(self, place: &Place, text: impl AsRef<str>) {
        self.problems().push(place, text);
    }

    /// Adds a note, as [`Problems::note`] does.
    pub(crate) fn note(self, place: &Place, text: impl AsRef<str>) {
        self.problems().note(place, text);
    }

    /// Returns the index of `name` among `names` or reports an error, as [`Problems::find`] does.
    pub(crate) fn find<'n>(
        self,
        place: &Place,
        name: &str,
        names: impl IntoIterator<Item = &'n str>,
        explain: impl FnOnce(String) -> String,
    ) -> Option<usize> {
        self.problems().find(place, name, names, explain)
    }

    /// Returns the index of a robot or prop; reports that `user` names one that does not exist.
    pub(crate) fn find_robot(
        self,
        user: &str,
        name: &str,
        place: &Place,
        scene: &Scene,
    ) -> Option<usize> {
        find::find_robot(user, name, place, scene, &mut self.problems())
    }

    /// Returns the frame of a link, or reports that `robot` has none with this name.
    pub(crate) fn find_link(self, name: &str, place: &Place, robot: &Robot) -> Option<LinkFrame> {
        find::find_link(name, place, robot, &mut self.problems())
    }
}

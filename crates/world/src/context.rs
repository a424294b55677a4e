//! What the functions that build a world share: its values, and the errors found so far.

use crate::import::assets::Assets;
use merrow_math::Vec3;
use merrow_model::scene::{LinkFrame, Origin, Robot, Scene};
use merrow_yaml::error::{Place, Problems};
use merrow_yaml::read::Places;
use std::cell::{RefCell, RefMut};
use std::ops::Deref;

/// Default acceleration of gravity [m/s²].
pub const GRAVITY: f64 = 9.81;

/// Values of the world, files read so far, and errors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a> {
    /// Errors and notes found so far.
    pub(crate) problems: &'a RefCell<Problems>,
    /// Loader of meshes and other files in addition to the world file.
    pub(crate) assets: &'a Assets,
    /// Acceleration of gravity [m/s²].
    pub(crate) gravity: f64,
    /// Density of the water at the surface [kg/m³].
    pub(crate) density: f64,
    /// Seed of the world.
    pub(crate) seed: u64,
    /// Time step of the world [s].
    pub(crate) dt: f64,
    /// Place of `dt_s`, if the world gives it.
    pub(crate) dt_place: Option<&'a Place>,
    /// Names and units of the tracers of the water; `None` if unknown.
    pub(crate) tracers: Option<&'a [(String, String)]>,
    /// Depth of the seabed plane at the origin of W [m].
    pub(crate) depth: f64,
    /// Position of the origin of W.
    pub(crate) origin: Origin,
}

impl<'a> Context<'a> {
    /// Creates the context of a world with water of `density` [kg/m³], whose other values are not
    /// known yet. Sensor rates are not checked against its time step.
    pub(crate) fn new(problems: &'a RefCell<Problems>, assets: &'a Assets, density: f64) -> Self {
        Self {
            problems,
            assets,
            gravity: GRAVITY,
            density,
            seed: 0,
            dt: f64::MIN_POSITIVE,
            dt_place: None,
            tracers: None,
            depth: 100.0,
            origin: Origin {
                latitude: 0.0,
                longitude: 0.0,
                altitude: 0.0,
                magnetic_field: Vec3::zero(),
            },
        }
    }

    /// Returns the context with the values of `scene`, whose time step has the keys `step`.
    /// `tracers` holds the name and unit of every tracer of the water.
    pub(crate) fn with_scene(
        self,
        step: &'a Places,
        scene: &Scene,
        tracers: &'a [(String, String)],
    ) -> Self {
        Self {
            gravity: scene.gravity,
            density: scene.sea.density,
            seed: scene.seed,
            dt: scene.dt_ns as f64 * 1e-9,
            dt_place: step.has_key("dt_s").then(|| step.key_place("dt_s")),
            tracers: Some(tracers),
            depth: -scene.sea.seabed.z0,
            origin: scene.origin,
            ..self
        }
    }

    /// Returns the context together with the scene.
    pub(crate) fn on<'b>(self, scene: &'b Scene) -> SceneContext<'b>
    where
        'a: 'b,
    {
        SceneContext { world: self, scene }
    }

    /// Returns the position of an error in a rate above the rate of the time step. A component file
    /// can be bundled or shared, so the error is at `dt_s` unless the world itself gives the rate.
    pub(crate) fn step_rate_place<'p>(&self, rate: &'p Place) -> &'p Place
    where
        'a: 'p,
    {
        match self.dt_place {
            Some(dt_s) if dt_s.file != rate.file => dt_s,
            _ => rate,
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

    /// Adds an error in place of a value.
    pub(crate) fn refuse<T>(self, place: &Place, text: impl AsRef<str>) -> Option<T> {
        self.problems().refuse(place, text)
    }

    /// Adds a note, as [`Problems::note`] does.
    pub(crate) fn note(self, place: &Place, text: impl AsRef<str>) {
        self.problems().note(place, text);
    }

    /// Reports a pair of values under `key` whose first is not the smaller one.
    pub(crate) fn check_ascending(self, at: &Places, key: &str, [low, high]: [f64; 2]) {
        if low >= high {
            let text = format!("`{key}` is [{low}, {high}]; expected the smaller value first");
            self.error(at.key_place(key), text);
        }
    }

    /// Reports ranges of a sensor of which the minimum is not less than the maximum [m].
    pub(crate) fn check_ranges(self, at: &Places, min: f64, max: f64) {
        if min >= max {
            let text = format!("`min_range_m` is {min}; expected less than `max_range_m` {max}");
            self.error(at.key_place("min_range_m"), text);
        }
    }

    /// Reports `key` if it is given but has no effect because `with` is missing.
    pub(crate) fn check_effect(self, at: &Places, key: &str, with: &str) {
        at.report_ineffective_key(key, with, &mut self.problems());
    }

    /// Returns the unit vector along `v`, the value of `key`; `default` after reporting that `what`
    /// has no length.
    pub(crate) fn direction(
        self,
        (at, key): (&Places, &str),
        what: &str,
        v: Vec3,
        default: Vec3,
    ) -> Vec3 {
        v.unit().unwrap_or_else(|| {
            let text = format!("{what} has no length; expected numbers that are not all 0");
            self.error(at.key_place(key), text);
            default
        })
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

    /// Returns the frame of a link, or reports that `robot` has none with this name.
    pub(crate) fn find_link(self, name: &str, place: &Place, robot: &Robot) -> Option<LinkFrame> {
        let found = robot.find_frame(name);
        if found.is_none() {
            self.find(place, name, robot.frame_names(), |name| {
                format!("no link {name} on {}", robot.name)
            });
        }
        found
    }
}

/// Context of a world whose robots are known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SceneContext<'a> {
    /// Context of the world.
    world: Context<'a>,
    /// Scene, as far as it is built.
    pub(crate) scene: &'a Scene,
}

impl<'a> Deref for SceneContext<'a> {
    type Target = Context<'a>;

    fn deref(&self) -> &Context<'a> {
        &self.world
    }
}

impl SceneContext<'_> {
    /// Returns the index of a robot or prop; reports that `user` names one that does not exist.
    pub(crate) fn find_robot(self, user: &str, name: &str, place: &Place) -> Option<usize> {
        let names = self.scene.robots.iter().map(|robot| robot.name.as_str());
        self.find(place, name, names, |name| {
            format!("no robot or prop {name} for {user}")
        })
    }
}

/// Returns the robot of an entry of `robots`, or the first of its copies.
pub(crate) fn first_copy<'a>(scene: &'a Scene, name: &str) -> Option<&'a Robot> {
    let mut robots = scene.robots.iter();
    robots.find(|robot| robot.name == name || robot.name == format!("{name}_0"))
}

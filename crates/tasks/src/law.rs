//! Interface of a kind of task: what it resolves when the world is loaded, what it sees at a tick,
//! and what it reports.

use crate::geometry::Zone;
use crate::keys::{AnchorKeys, GoalKeys, ZoneKeys};
use crate::state::{Event, RobotRun};
use merrow_math::real::wrap_angle;
use merrow_math::{Quat, Vec3};
use merrow_persist::Persist;
use merrow_yaml::error::Place;
use std::f64::consts::PI;
use std::ops::Deref;

/// Names and positions of a world that is being loaded. Errors and notes have the place of the key.
pub trait Names {
    /// Adds an error.
    fn error(&self, place: &Place, text: &str);
    /// Adds a note: a value that is valid and hardly meant.
    fn note(&self, place: &Place, text: &str);
    /// Returns the point at `offset` [m], along the axes of the robot, prop, actor or structure `name`
    /// from its origin; reports that there is none.
    fn find_object(&self, name: &str, offset: Vec3, place: &Place) -> Option<Anchor>;
    /// Returns the index of a coupling; reports that there is none.
    fn find_coupling(&self, name: &str, place: &Place) -> Option<usize>;
    /// Returns the names of the robots and their indices among the bodies, without props and actors.
    fn robots(&self) -> Vec<(String, usize)>;
    /// Returns the position of a body at the start of the run, in W [m].
    fn start(&self, body: usize) -> Vec3;
    /// Returns the attitude of a body in W at the start of the run.
    fn start_attitude(&self, body: usize) -> Quat;
    /// Returns whether a body moves along a route, as actors do.
    fn has_route(&self, body: usize) -> bool;
    /// Returns whether a body floats at the surface or stands on the ground, so that the heights of
    /// goals do not matter.
    fn stays_at_surface(&self, body: usize) -> bool;
    /// Returns the height of the water without waves at the start of the run [m]; minus infinity where
    /// there is none.
    fn water_level(&self, x: f64, y: f64) -> f64;
    /// Returns the height of the seabed [m].
    fn seabed(&self, x: f64, y: f64) -> f64;
    /// Returns the structure that contains a point in W [m].
    fn structure_at(&self, p: Vec3) -> Option<String>;
    /// Returns the position in W of a latitude and a longitude [rad] at sea level [m].
    fn position(&self, latitude: f64, longitude: f64) -> Vec3;
}

/// The world that is being loaded, and the robots of the task.
#[derive(Clone, Copy)]
pub struct Site<'a> {
    /// Names and positions of the world.
    pub names: &'a dyn Names,
    /// Names of the robots of the task, and their indices among the bodies.
    pub robots: &'a [(String, usize)],
}

impl<'a> Deref for Site<'a> {
    type Target = dyn Names + 'a;

    fn deref(&self) -> &Self::Target {
        self.names
    }
}

/// A point that a task refers to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Anchor {
    /// Fixed in W [m].
    Fixed(Vec3),
    /// Origin of a robot, prop or actor, by its index.
    Body(usize),
    /// Point of a robot, prop or actor, along its axes from its origin [m].
    OnBody(usize, Vec3),
}

impl Anchor {
    /// Returns the point in W [m].
    pub fn position(self, truth: &dyn Truth) -> Vec3 {
        match self {
            Self::Fixed(p) => p,
            Self::Body(body) => truth.motion(body).p_WB,
            Self::OnBody(body, p_BoA) => {
                let motion = truth.motion(body);
                motion.p_WB + motion.q_WB.matrix().mul_vec(p_BoA)
            }
        }
    }
}

/// A place with a heading or without.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// Position in W [m].
    pub p_W: Vec3,
    /// Heading from east, counter-clockwise, -π..π [rad]; `None`: any.
    pub yaw: Option<f64>,
}

/// True pose and velocity of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// Attitude in W.
    pub q_WB: Quat,
    /// Origin in W [m].
    pub p_WB: Vec3,
    /// Velocity of the origin in W [m/s].
    pub v_WB: Vec3,
}

impl Motion {
    /// Returns the angle of the forward axis from east, counter-clockwise, -π..π [rad].
    pub fn yaw(&self) -> f64 {
        self.q_WB.matrix().to_rpy()[2]
    }
}

/// The world at an instant.
pub trait Truth {
    /// Returns the motion of a body.
    fn motion(&self, body: usize) -> Motion;
    /// Returns true if a coupling is engaged.
    fn is_engaged(&self, coupling: usize) -> bool;
    /// Calls `visit` with the names of the bodies that touch a body, `None` for the seabed.
    fn touching(&self, body: usize, visit: &mut dyn FnMut(Option<&str>));
}

/// What a robot has reported.
#[derive(Clone, Debug, PartialEq, Persist)]
pub enum Report {
    /// An object of this class at this position in W [m].
    Object {
        /// Class of the object.
        class: String,
        /// Position in W [m].
        p_W: Vec3,
    },
    /// Words, such as the colours of a light buoy.
    Words(Vec<String>),
}

/// Reports that a task takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reports {
    /// It takes none.
    None,
    /// Objects of these classes.
    Objects(Vec<String>),
    /// This number of words.
    Words(usize),
}

impl Reports {
    /// Checks a report.
    ///
    /// # Errors
    /// Why the task does not take it.
    pub fn check(&self, report: &Report) -> Result<(), String> {
        match (self, report) {
            (Self::Objects(classes), Report::Object { class, .. }) => {
                if classes.contains(class) {
                    return Ok(());
                }
                let class = merrow_yaml::error::quote(class);
                Err(format!(
                    "no class {class}; expected one of {}",
                    classes.join(", ")
                ))
            }
            (Self::Words(n), Report::Words(words)) => {
                if words.len() == *n {
                    return Ok(());
                }
                Err(format!("expected {n} words, found {}", words.len()))
            }
            (_, Report::Object { .. }) => {
                Err("the task of this world takes no objects".to_string())
            }
            (_, Report::Words(_)) => Err("the task of this world takes no words".to_string()),
        }
    }
}

/// Inputs of a law at one tick of a robot in the phase `running`.
#[derive(Clone, Copy)]
pub struct Tick<'a> {
    /// Time since the beginning of the phase `running` [s].
    pub elapsed_s: f64,
    /// Time since the last tick [s].
    pub dt_s: f64,
    /// Motion of the robot.
    pub motion: Motion,
    /// The other objects.
    pub truth: &'a dyn Truth,
    /// Reports of the robot since the last tick.
    pub reports: &'a [Report],
}

/// Score and events of a robot, which a law changes at a tick.
pub struct Run<'a> {
    pub(crate) run: &'a mut RobotRun,
    pub(crate) events: &'a mut Vec<Event>,
    pub(crate) head: Event,
}

impl Run<'_> {
    /// Sets the score, in the unit of the kind. A value that is not finite has no effect.
    pub fn set(&mut self, score: f64) {
        if score.is_finite() {
            self.run.score = score;
        }
    }

    /// Adds to the score, in the unit of the kind.
    pub fn add(&mut self, points: f64) {
        self.set(self.run.score + points);
    }

    /// Returns the score so far in the unit of the kind, without penalties that are counted apart.
    pub fn score(&self) -> f64 {
        self.run.score
    }

    /// Returns the number of collisions so far.
    pub fn collisions(&self) -> u32 {
        self.run.collisions
    }

    /// Records an event.
    pub fn event(&mut self, text: impl Into<String>) {
        if self.events.len() < Event::MAX {
            self.events.push(Event {
                text: text.into(),
                ..self.head.clone()
            });
        }
    }

    /// Ends the task of the robot.
    pub fn finish(&mut self, text: impl Into<String>) {
        if self.run.finished_ns.is_none() {
            self.run.finished_ns = Some(self.head.time_ns);
            self.event(text);
        }
    }
}

/// Which scores are better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// Errors and times; penalties are added.
    Lower,
    /// Points; penalties are subtracted, down to zero.
    Higher,
}

/// Parts of a task that a robot has done.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// Number of parts that are done.
    pub done: usize,
    /// Number of all parts; 0: the task has no parts.
    pub total: usize,
    /// Where the next part is, if it has a place.
    pub next: Option<Anchor>,
}

/// A part of a task for figures and maps.
#[derive(Clone, Debug, PartialEq)]
pub struct Marker {
    /// What the points are.
    pub shape: Shape,
    /// Name of the part.
    pub name: String,
    /// The points.
    pub points: Vec<Anchor>,
    /// Heading at the first point [rad], if the task asks for one.
    pub yaw: Option<f64>,
}

/// What the points of a marker are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Places to reach.
    Points,
    /// The left and the right end of a gate.
    Gate,
    /// A line to follow.
    Line,
    /// The corners of an area.
    Area,
}

impl Shape {
    /// Returns the name of the shape in messages of the live view.
    pub fn keyword(self) -> &'static str {
        match self {
            Self::Points => "points",
            Self::Gate => "gate",
            Self::Line => "line",
            Self::Area => "area",
        }
    }
}

impl Marker {
    /// Creates a marker of one place.
    pub fn goal(name: impl Into<String>, goal: &Goal) -> Self {
        Self {
            shape: Shape::Points,
            name: name.into(),
            points: vec![Anchor::Fixed(goal.p_W)],
            yaw: goal.yaw,
        }
    }

    /// Creates a marker of points without a heading.
    pub fn new(shape: Shape, name: impl Into<String>, points: Vec<Anchor>) -> Self {
        Self {
            shape,
            name: name.into(),
            points,
            yaw: None,
        }
    }
}

/// A kind of task.
pub trait TaskLaw: Sized {
    /// Keys of the kind in a world file.
    type Keys;
    /// What one robot has done so far.
    type State;
    /// Which scores are better.
    const BETTER: Better;

    /// Builds the law and reports what does not fit the world.
    fn build(keys: &Self::Keys, names: &Site<'_>) -> Option<Self>;

    /// Returns the state of a robot before the phase `running`.
    fn start(&self) -> Self::State;

    /// Evaluates one tick.
    fn tick(&self, state: &mut Self::State, tick: &Tick<'_>, run: &mut Run<'_>);

    /// Ends the task of a robot at the end of the phase `running`.
    fn end(&self, _state: &mut Self::State, _run: &mut Run<'_>) {}

    /// Returns true if a state of a checkpoint has as many parts as the task.
    fn fits(&self, _state: &Self::State) -> bool {
        true
    }

    /// Returns what is done.
    fn progress(&self, state: &Self::State) -> Progress;

    /// Calls `visit` with the names and values that the score is computed from.
    fn figures(&self, state: &Self::State, visit: &mut dyn FnMut(&str, f64));

    /// Returns the parts of the task for figures and maps.
    fn markers(&self) -> Vec<Marker>;

    /// Returns which reports of the robots have an effect.
    fn reports(&self) -> Reports {
        Reports::None
    }
}

/// Returns the place of `keys`. `place` is that of the map.
pub fn build_goal(keys: &GoalKeys, names: &Site<'_>) -> Option<Goal> {
    let p_W = match (keys.position_m, keys.latitude_deg, keys.longitude_deg) {
        (Some(p), None, None) => Vec3::from(p),
        (None, Some(latitude), Some(longitude)) => {
            names.position(latitude.to_radians(), longitude.to_radians())
        }
        _ => {
            let text = "a place: expected `position_m`, or `latitude_deg` and `longitude_deg`";
            names.error(&keys.at.whole, text);
            return None;
        }
    };
    let yaw = keys
        .yaw_deg
        .map(|yaw| wrap_angle(yaw.to_radians()).clamp(-PI, PI));
    Some(Goal { p_W, yaw })
}

/// Returns the object or the place of `keys`.
pub fn build_anchor(keys: &AnchorKeys, names: &Site<'_>) -> Option<Anchor> {
    match (&keys.object, keys.position_m) {
        (Some(name), offset) => {
            let offset = Vec3::from(offset.unwrap_or_default());
            names.find_object(name, offset, keys.at.key_place("object"))
        }
        (None, Some(p)) => Some(Anchor::Fixed(p.into())),
        (None, None) => {
            let text = "an object or a place: expected `object` or `position_m`";
            names.error(&keys.at.whole, text);
            None
        }
    }
}

/// Returns the position of an anchor at the start of the run, in W [m].
pub fn start_position(anchor: Anchor, names: &Site<'_>) -> Vec3 {
    match anchor {
        Anchor::Fixed(p) => p,
        Anchor::Body(body) => names.start(body),
        Anchor::OnBody(body, p_BoA) => {
            names.start(body) + names.start_attitude(body).matrix().mul_vec(p_BoA)
        }
    }
}

/// Returns the zone of `keys`.
pub fn build_zone(keys: &ZoneKeys) -> Zone {
    Zone {
        p_W: keys.position_m.into(),
        size_m: keys.size_m.into(),
        yaw: keys.yaw_deg.to_radians(),
    }
}

/// Returns the places of waypoints, which robots can reach.
pub fn build_waypoints(keys: &[GoalKeys], surface: bool, names: &Site<'_>) -> Option<Vec<Goal>> {
    let mut waypoints = Vec::with_capacity(keys.len());
    for (k, waypoint) in keys.iter().enumerate() {
        let goal = build_goal(waypoint, names)?;
        let what = format!("waypoint {k}");
        check_reachable(goal.p_W, surface, &what, &waypoint.at.whole, names);
        waypoints.push(goal);
    }
    Some(waypoints)
}

/// Returns the bodies of the objects that the robots of a task follow, avoid or move. Reports
/// structures, robots of the task, and names that are given twice. `key` is the key of the names.
pub fn find_others<'n>(
    given: impl IntoIterator<Item = (&'n str, &'n Place)>,
    key: &str,
    names: &Site<'_>,
) -> Option<Vec<usize>> {
    let mut found = Vec::new();
    for (name, place) in given {
        let body = match names.find_object(name, Vec3::zero(), place)? {
            Anchor::Body(body) | Anchor::OnBody(body, _) => body,
            Anchor::Fixed(_) => {
                let text = format!(
                    "`{key}`: the structure {name} does not move; expected a robot, a prop or an actor"
                );
                names.error(place, &text);
                return None;
            }
        };
        let text = if names.robots.iter().any(|(_, robot)| *robot == body) {
            format!("`{key}`: {name} is a robot of the task itself; expected another object")
        } else if found.contains(&body) {
            format!("`{key}` has {name} twice; remove one")
        } else {
            found.push(body);
            continue;
        };
        names.error(place, &text);
        return None;
    }
    Some(found)
}

/// Reports a place that no robot can reach: in the seabed or inside a structure. A robot at the
/// surface needs water there, at the level of its region.
pub fn check_reachable(p: Vec3, surface: bool, what: &str, place: &Place, names: &Site<'_>) {
    let [x, y] = [p.x, p.y];
    let seabed = names.seabed(x, y);
    let level = names.water_level(x, y);
    let z = if surface { level } else { p.z };
    if seabed >= z {
        let found = format!(
            "{what}: ({x:.2}, {y:.2}, {z:.2}) m is in the seabed, which is at {seabed:.2} m there"
        );
        let text = if surface {
            format!("{what}: ({x:.2}, {y:.2}) m is on land; expected a place on the water")
        } else {
            format!("{found}; expected a place in the water")
        };
        names.error(place, &text);
    } else if let Some(structure) = names.structure_at(Vec3::new(x, y, z)) {
        let text = format!(
            "{what}: ({x:.2}, {y:.2}, {z:.2}) m is inside {structure}; expected a free place"
        );
        names.error(place, &text);
    }
}

/// Returns whether only horizontal distances count for the robots of a task.
pub fn is_horizontal(given: Option<bool>, names: &Site<'_>) -> bool {
    let at_surface = || {
        let mut robots = names.robots.iter();
        robots.all(|(_, body)| names.stays_at_surface(*body))
    };
    given.unwrap_or_else(at_surface)
}

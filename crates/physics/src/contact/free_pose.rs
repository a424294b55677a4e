//! The rule for the poses at which robots are placed, by a world file, a command or a service: a
//! robot is not inside another body.
//!
//! The contact solver removes an overlap within a few steps. A deep overlap would therefore become
//! a high speed.

use crate::contact::Contacts;
use merrow_math::Vec3;
use merrow_model::kinematics;
use merrow_model::scene::Scene;
use merrow_model::state::contact::ContactBody;
use merrow_model::state::{State, Workspace};

/// Maximum depth by which a placed robot may overlap another body [m]: the roundings of a world
/// file and of a body that rests on the ground.
pub const OVERLAP_MAX_M: f64 = 0.01;
/// Maximum distance of a robot from the origin of the world, along each axis [m]. The frame of the
/// world is tangent to the Earth.
pub const POSITION_MAX_M: f64 = 1e6;
/// Part of the message about a pose that is not free.
pub const EXPECTED: &str = "expected a free pose";
/// Maximum number of positions that are tried along one direction.
const TRIES: usize = 24;
/// Number of misplaced robots for which a free position is searched.
const SEARCHES: usize = 8;

/// Checks the position `p` [m, W] of the object `name`.
///
/// # Errors
/// The limit that the position exceeds.
pub fn check_position(name: &str, p: Vec3) -> Result<(), String> {
    // also false for NaN
    if p.to_array().iter().all(|x| x.abs() <= POSITION_MAX_M) {
        return Ok(());
    }
    Err(format!(
        "{name}: expected a position within {:.0} km of the origin of the world, found ({}, {}, {}) m",
        POSITION_MAX_M * 1e-3,
        p.x,
        p.y,
        p.z
    ))
}

/// Poses of the robots of a world, and the bodies with which they can overlap. `W` contains the
/// workspace of a robot.
pub struct Poses<'a, W> {
    /// Model of the robots and structures.
    pub scene: &'a Scene,
    /// State with the poses.
    pub state: &'a mut State,
    /// Detector of overlaps; `None`: the world has no shapes that can touch.
    pub contacts: Option<&'a mut Contacts>,
    /// Scratch memory, one entry per robot.
    pub works: &'a mut [W],
}

impl<W: AsRef<Workspace> + AsMut<Workspace>> Poses<'_, W> {
    /// Detects the overlaps at the current poses.
    pub fn detect(&mut self) {
        let Some(contacts) = &mut self.contacts else {
            return;
        };
        let robots = self.scene.robots.iter().zip(&self.state.robots);
        for ((robot, state), work) in robots.zip(self.works.iter_mut()) {
            kinematics::poses(robot, &state.motion, &mut work.as_mut().links);
        }
        contacts.detect_overlaps(self.scene, self.state, self.works);
    }

    /// Returns the deepest overlap of a robot at the poses of [`Self::detect`] and its depth [m].
    /// Of the other robots, only those count for which `is_present` returns true.
    pub fn overlap(
        &self,
        robot: usize,
        is_present: impl Fn(usize) -> bool,
    ) -> Option<(ContactBody, f64)> {
        let model = &self.scene.robots[robot];
        if model.colliders.is_empty() {
            // the foundation of a fixed robot may be in the seabed
            let p = self.state.robots[robot].motion.p_WB;
            let depth = self.state.sea.seabed.height(p.x, p.y) - p.z;
            return (model.floating && depth > 0.0).then_some((ContactBody::Seabed, depth));
        }
        self.contacts.as_ref()?.deepest_overlap(robot, is_present)
    }

    /// Checks the pose of a robot after [`Self::detect`]. With `search`, a free position is
    /// proposed; the poses are then detected again.
    ///
    /// # Errors
    /// The depth of the overlap and a free position.
    pub fn check(
        &mut self,
        robot: usize,
        is_present: impl Fn(usize) -> bool,
        search: bool,
    ) -> Result<(), String> {
        let name = &self.scene.robots[robot].name;
        let Some((body, depth)) = self.overlap(robot, &is_present) else {
            return Ok(());
        };
        if depth <= OVERLAP_MAX_M {
            return Ok(());
        }
        let other = match body {
            ContactBody::Link { robot, .. } => &self.scene.robots[robot as usize].name,
            ContactBody::Structure { structure, .. } => {
                &self.scene.structures[structure as usize].name
            }
            ContactBody::Seabed => "the seabed",
        };
        let found = format!("{name} is {depth:.2} m inside {other}; {EXPECTED}");
        let on_ground = body == ContactBody::Seabed;
        let free = search.then(|| self.free_position(robot, on_ground, &is_present));
        Err(match free.flatten() {
            Some(p) => format!(
                "{found}, such as the position [{:.2}, {:.2}, {:.2}] m",
                p.x, p.y, p.z
            ),
            None => found,
        })
    }

    /// Returns the nearest free position above the robot; if it is not in the seabed, also beside
    /// it, which is preferred because a surface vessel would fall.
    fn free_position(
        &mut self,
        robot: usize,
        on_ground: bool,
        is_present: &impl Fn(usize) -> bool,
    ) -> Option<Vec3> {
        let start = self.state.robots[robot].motion.p_WB;
        let up = (Vec3::new(0.0, 0.0, 1.0), 3.0);
        let beside = [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]];
        let beside = beside.map(|[x, y]| (Vec3::new(x, y, 0.0), 1.0));
        let directions = beside.into_iter().filter(|_| !on_ground).chain([up]);
        let mut nearest: Option<(f64, Vec3)> = None;
        for (direction, weight) in directions {
            let mut moved = 0.0;
            for _ in 0..TRIES {
                let p = start + direction.scale(moved);
                self.state.robots[robot].motion.p_WB = p;
                self.detect();
                let Some((_, depth)) = self.overlap(robot, is_present) else {
                    let cost = weight * moved;
                    if nearest.is_none_or(|(least, _)| cost < least) {
                        nearest = Some((cost, p));
                    }
                    break;
                };
                // the depth is not the distance along this direction
                moved += depth.max(0.5 * OVERLAP_MAX_M) + 1e-3;
            }
        }
        self.state.robots[robot].motion.p_WB = start;
        self.detect();
        nearest.map(|(_, p)| p)
    }
}

/// Checks the poses at which the robots of a world start. Returns the misplaced robots and the
/// messages. Two robots that overlap are one error, of the later robot.
pub fn check_starts(scene: &Scene) -> Vec<(usize, String)> {
    let starts = scene.robots.iter().enumerate();
    let far = starts.filter_map(|(robot, model)| {
        let why = check_position(&model.name, model.start.p_WB).err()?;
        Some((robot, why))
    });
    let far: Vec<_> = far.collect();
    if !far.is_empty() {
        return far;
    }
    // a shape that cannot be created is reported when the simulation is created
    let Ok(mut contacts) = Contacts::new(scene) else {
        return Vec::new();
    };
    let mut state = State::new(scene);
    let mut works: Vec<Workspace> = scene.robots.iter().map(Workspace::new).collect();
    let mut poses = Poses {
        scene,
        state: &mut state,
        contacts: contacts.as_mut(),
        works: &mut works,
    };
    poses.detect();
    let mut found = Vec::new();
    for (robot, model) in scene.robots.iter().enumerate() {
        // two fixed bodies do not move each other
        let is_present = |other: usize| {
            other < robot && (model.floating || scene.robots[other].floating)
                || other > robot && model.floating && !scene.robots[other].floating
        };
        if let Err(why) = poses.check(robot, is_present, found.len() < SEARCHES) {
            found.push((robot, why));
        }
    }
    found
}

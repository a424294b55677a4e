//! Intersection of DVL and echo-sounder beams with other robots and props.
//!
//! # Law
//! ```text
//!   R_j = max over its shapes of |distance to the link| + |p_LoG| + r_G  (1)
//!   |m|² - (m·d)² <= R_j²,  -R_j <= m·d <= far + R_j,  m = p_WBj - p  (2)  a beam that can hit it
//!   v = V_L.v + V_L.w x p_LX                                          (3)
//!   (1) sphere about the base, for any position of the joints
//!   (3) velocity of the target at the hit point X
//! ```
//! The beam is intersected with every shape of a robot that passes (2); the nearest hit counts.
//!
//! Over a block of steps, a beam certainly hits no robot if (2) excludes all robots with
//! ```text
//!   R_j' = R_j + a_j + a + (|p_BoS| + far') t                          (4)
//! ```
//! as long as no base moves farther than a and no base with beams turns by more than t. Such beams
//! are not intersected.
//!
//! # Symbols
//! p, d origin and unit direction of the beam · far maximum range of the beam · R_j radius of robot
//! j · p_WBj position of its base · p_LoG position of a shape in its link · r_G radius of a shape
//! about its origin · V_L spatial velocity of the link, p_LX position of X in L · a, a_j distances
//! that the robot and robot j may move · t angle that the robot may turn · p_BoS position of the
//! sensor · far' maximum range for any permitted motion.
//!
//! # Frames
//! W; shapes are stored in the frame L of their link, and beams are transformed into it.
//!
//! # Limits
//! Only the centre line of the beam is used, as for the seabed. Shapes are the collision shapes of
//! a link, or its hull if it has none (`ray_scene.rs`). A beam ignores its own robot, but not a
//! robot that is tethered or coupled to it.
//!
//! # Checked by
//! test/sensors/sonar/beam_targets.rs

use crate::ray_scene;
use crate::ray_scene::{MeshTrees, RayKind};
use merrow_math::sphere_grid::{Sphere, SphereGrid};
use merrow_math::{Mat3, Vec3};
use merrow_model::kinematics;
use merrow_model::scene::{Robot, Scene, Sensor, SensorKind};
use merrow_model::state::workspace::BeamHit;
use merrow_model::state::{RobotState, State, Workspace};
use merrow_raytrace::{PosedShape, Ray, RayShape, Scratch, ShapeScene};
use std::sync::Arc;

/// Shapes of one link in its frame.
#[derive(Debug)]
struct LinkShapes {
    link: usize,
    shapes: ShapeScene,
}

/// Shapes of a robot; identical robots share them.
#[derive(Clone, Debug)]
struct RobotShapes {
    parts: Arc<[LinkShapes]>,
    /// Radius R_j of (1) [m].
    reach: f64,
}

/// Index of a sensor with beams.
#[derive(Clone, Copy, Debug)]
struct BeamSensor {
    robot: usize,
    sensor: usize,
}

/// Motion of a base over a block for which the selection of beams holds.
#[derive(Clone, Copy, Debug)]
pub struct MotionLimit {
    /// Largest distance from the position at the start [m].
    pub distance: f64,
    /// Largest angle from the attitude at the start [rad].
    pub angle: f64,
}

/// Speed that a robot may gain in a block, in addition to doubling its speed [m/s].
const SPEED_GAIN: f64 = 0.5;
/// Angular speed that a robot may gain in a block, in addition to doubling it [rad/s].
const ANGULAR_SPEED_GAIN: f64 = 1.0;
/// Downward component of a beam below which all beams of its sensor are intersected.
const MIN_DOWNWARD_COMPONENT: f64 = 0.05;
/// Angle beyond which all beams of a robot are intersected [rad].
const MAX_ROTATION: f64 = 0.3;

/// Shapes of all robots for the intersection with beams.
#[derive(Debug)]
pub struct MovingTargets {
    shapes: Vec<RobotShapes>,
    beam_sensors: Vec<BeamSensor>,
    /// Whether a beam of each of these sensors may hit a robot in the current block.
    is_watched: Vec<bool>,
    /// Whether the stored hits of each of these sensors may contain a hit.
    has_hits: Vec<bool>,
    /// Whether each robot has such a sensor.
    has_beams: Vec<bool>,
    /// Motion that each robot may make in the current block.
    limits: Vec<MotionLimit>,
    /// Spheres around the robots, enlarged by the distance that they may move.
    spheres: SphereGrid,
    /// Whether the link poses and velocities of each robot are evaluated for the current instant.
    is_evaluated: Vec<bool>,
    scratch: Scratch,
}

impl MovingTargets {
    /// Builds the moving targets of a world. Returns `None` if no beam can hit another robot.
    pub fn new(scene: &Scene) -> Option<Self> {
        let of_robot = |(robot, model): (usize, &Robot)| {
            let beams = model
                .sensors
                .iter()
                .enumerate()
                .filter(|(_, s)| Beams::of_sensor(s).is_some());
            beams
                .map(|(sensor, _)| BeamSensor { robot, sensor })
                .collect::<Vec<_>>()
        };
        let beam_sensors: Vec<BeamSensor> =
            scene.robots.iter().enumerate().flat_map(of_robot).collect();
        if beam_sensors.is_empty() || scene.robots.len() < 2 {
            return None;
        }
        let mut robot_shapes: Vec<RobotShapes> = Vec::with_capacity(scene.robots.len());
        for (r, robot) in scene.robots.iter().enumerate() {
            let same_robot = (0..r)
                .find(|k| have_same_shapes(&scene.robots[*k], robot))
                .map(|k| robot_shapes[k].clone());
            robot_shapes.push(same_robot.unwrap_or_else(|| RobotShapes::new(robot)));
        }
        let has_targets = |s: &BeamSensor| {
            robot_shapes
                .iter()
                .enumerate()
                .any(|(r, o)| r != s.robot && !o.parts.is_empty())
        };
        let beam_sensors: Vec<BeamSensor> = beam_sensors.into_iter().filter(has_targets).collect();
        if beam_sensors.is_empty() {
            return None;
        }
        let n = robot_shapes.len();
        let mut has_beams = vec![false; n];
        for sensor in &beam_sensors {
            has_beams[sensor.robot] = true;
        }
        let unlimited = MotionLimit {
            distance: f64::INFINITY,
            angle: f64::INFINITY,
        };
        Some(Self {
            shapes: robot_shapes,
            is_watched: vec![true; beam_sensors.len()],
            has_hits: vec![true; beam_sensors.len()],
            has_beams,
            limits: vec![unlimited; n],
            spheres: SphereGrid::with_capacity(n),
            beam_sensors,
            is_evaluated: vec![false; n],
            scratch: Scratch::default(),
        })
    }

    /// Returns the number of steps until a watched beam is due that is not due now; at least 1.
    pub fn steps_to_next(&self, scene: &Scene, state: &State) -> u64 {
        let now = state.time_ns;
        let next = |s: &BeamSensor| {
            let own = &state.robots[s.robot];
            let due = own.sensors[s.sensor].due_ns;
            // a beam that is due now is sampled first; the next sample follows at its highest rate
            let period_ns = (1e9 / scene.robots[s.robot].sensors[s.sensor].rate) as u64;
            let next = if due > now {
                due
            } else {
                due.saturating_add(period_ns)
            };
            own.halted.is_none().then_some(next)
        };
        let watched = self.beam_sensors.iter().zip(&self.is_watched);
        let next = watched
            .filter_map(|(s, watched)| watched.then(|| next(s)).flatten())
            .min()
            .unwrap_or(u64::MAX);
        next.saturating_sub(now).div_ceil(scene.dt_ns).max(1)
    }

    /// Watches all beams: they are intersected at every sample.
    pub fn watch_all(&mut self) {
        self.is_watched.fill(true);
    }

    /// Selects the beams that may hit a robot within the coming `steps` steps by (4). The other
    /// beams have no hits as long as every robot stays within its [`MovingTargets::limit`].
    pub fn watch_near<W: AsMut<Workspace>>(
        &mut self,
        scene: &Scene,
        state: &State,
        works: &mut [W],
        steps: u64,
    ) {
        let span_s = steps as f64 * scene.dt();
        for ((limit, robot), has_beams) in self
            .limits
            .iter_mut()
            .zip(&state.robots)
            .zip(&self.has_beams)
        {
            let V = &robot.motion.V_WB_B;
            limit.distance = span_s * (2.0 * V.v.norm() + SPEED_GAIN);
            limit.angle = if *has_beams {
                span_s * (2.0 * V.w.norm() + ANGULAR_SPEED_GAIN)
            } else {
                f64::INFINITY
            };
        }
        let all = state.robots.iter().zip(&self.shapes).zip(&self.limits);
        let with_shapes = all
            .enumerate()
            .filter(|(_, ((_, shapes), _))| !shapes.parts.is_empty());
        self.spheres
            .rebuild(with_shapes.map(|(owner, ((robot, shapes), limit))| Sphere {
                center: robot.motion.p_WB,
                radius: shapes.reach + limit.distance,
                owner,
            }));
        let end_ns = state.time_ns + steps * scene.dt_ns;
        for k in 0..self.beam_sensors.len() {
            let BeamSensor { robot, sensor } = self.beam_sensors[k];
            let own = &state.robots[robot];
            let is_sampled = own.halted.is_none() && own.sensors[sensor].due_ns <= end_ns;
            self.is_watched[k] = is_sampled && self.may_hit_robot(scene, state, robot, sensor);
            if is_sampled && !self.is_watched[k] && std::mem::take(&mut self.has_hits[k]) {
                store_hits(works[robot].as_mut(), sensor, [BeamHit::NONE; 4]);
            }
        }
    }

    /// Returns the motion that robot `r` may make after the last call of
    /// [`MovingTargets::watch_near`].
    #[inline]
    pub fn limit(&self, r: usize) -> MotionLimit {
        self.limits[r]
    }

    /// Returns true unless (4) excludes a hit of every beam of a sensor.
    fn may_hit_robot(&self, scene: &Scene, state: &State, robot: usize, sensor: usize) -> bool {
        let (device, limit) = (&scene.robots[robot].sensors[sensor], self.limits[robot]);
        let is_bounded = limit.distance.is_finite() && limit.angle <= MAX_ROTATION;
        if device.link != 0 || !is_bounded {
            return true;
        }
        let motion = &state.robots[robot].motion;
        let R_WB = motion.q_WB.matrix();
        let origin = motion.p_WB + R_WB.mul_vec(device.p_LoS);
        let pose = (R_WB.mul_mat(&device.R_LS), origin);
        let Some(beams) = Beams::of_sensor(device) else {
            return false;
        };
        beams.directions.into_iter().flatten().any(|d_S| {
            let Some(beam) = longest_beam(state, (device, &beams), pose, d_S, limit) else {
                return true;
            };
            let max_range = beam.range[1];
            let extra = limit.distance + (device.p_LoS.norm() + max_range) * limit.angle;
            let (low, high) = rectangle(&beam, extra);
            let may = |s: &Sphere| s.owner != robot && may_hit(&beam, s.center, s.radius + extra);
            self.spheres.candidates(low, high).any(may)
        })
    }

    /// Intersects the watched beams that are due now with all other robots and stores the hits in
    /// `works` (`Workspace::beam_hits`).
    pub fn intersect_beams<W>(&mut self, scene: &Scene, state: &State, works: &mut [W])
    where
        W: AsMut<Workspace>,
    {
        let now = state.time_ns;
        let is_due = |s: &BeamSensor| {
            let own: &RobotState = &state.robots[s.robot];
            own.halted.is_none() && own.sensors[s.sensor].due_ns <= now
        };
        let watched = |this: &Self, k: usize| this.is_watched[k] && is_due(&this.beam_sensors[k]);
        let n = self.beam_sensors.len();
        let Some(first) = (0..n).find(|k| watched(self, *k)) else {
            return;
        };
        self.is_evaluated.fill(false);
        let all = state.robots.iter().zip(&self.shapes).enumerate();
        let with_shapes = all.filter(|(_, (_, shapes))| !shapes.parts.is_empty());
        self.spheres
            .rebuild(with_shapes.map(|(owner, (robot, shapes))| Sphere {
                center: robot.motion.p_WB,
                radius: shapes.reach,
                owner,
            }));
        for k in first..n {
            if watched(self, k) {
                self.intersect_sensor(scene, state, works, k);
            }
        }
    }

    /// Intersects the beams of sensor `k` with all other robots.
    fn intersect_sensor<W: AsMut<Workspace>>(
        &mut self,
        scene: &Scene,
        state: &State,
        works: &mut [W],
        k: usize,
    ) {
        let Self {
            shapes,
            beam_sensors,
            has_hits,
            spheres,
            is_evaluated,
            scratch,
            ..
        } = self;
        let BeamSensor { robot, sensor } = beam_sensors[k];
        evaluate_kinematics(scene, state, robot, works, is_evaluated);
        let device = &scene.robots[robot].sensors[sensor];
        let beams = beams(state, device, works[robot].as_mut());
        let mut hits = [BeamHit::NONE; 4];
        for (beam, hit) in beams.iter().zip(&mut hits) {
            let Some(beam) = beam else { continue };
            let (low, high) = rectangle(beam, 0.0);
            for other in spheres.candidates(low, high).filter(|s| s.owner != robot) {
                if may_hit(beam, other.center, other.radius) {
                    evaluate_kinematics(scene, state, other.owner, works, is_evaluated);
                    let work = works[other.owner].as_mut();
                    intersect_robot(beam, &shapes[other.owner], work, scratch, hit);
                }
            }
        }
        has_hits[k] = true;
        store_hits(works[robot].as_mut(), sensor, hits);
    }
}

/// Stores the hits of a sensor.
fn store_hits(work: &mut Workspace, sensor: usize, hits: [BeamHit; 4]) {
    match work.beam_hits.iter_mut().find(|(k, _)| *k == sensor) {
        Some((_, known)) => *known = hits,
        None => work.beam_hits.push((sensor, hits)),
    }
}

/// Returns the horizontal rectangle [m] around a beam, enlarged by `extra` [m].
fn rectangle(beam: &Ray, extra: f64) -> ([f64; 2], [f64; 2]) {
    let (from, to) = (
        beam.origin,
        beam.origin + beam.direction.scale(beam.range[1]),
    );
    (
        [from.x.min(to.x) - extra, from.y.min(to.y) - extra],
        [from.x.max(to.x) + extra, from.y.max(to.y) + extra],
    )
}

impl RobotShapes {
    fn new(robot: &Robot) -> Self {
        let all = ray_scene::robot_shapes(0, robot, RayKind::Collision, &mut MeshTrees::default());
        let (mut parts, mut reach) = (Vec::new(), 0.0_f64);
        for link in 0..robot.links.len() {
            let mut own = Vec::new();
            for (shape, mount, ..) in all.iter().filter(|(_, mount, ..)| mount.link == link) {
                let size = match shape {
                    RayShape::Primitive(primitive) => primitive.half_size().norm(),
                    RayShape::Mesh(mesh) => mesh.extent().0.norm() + mesh.extent().1.norm(),
                    RayShape::Ground(_) => continue,
                };
                reach = reach.max(robot.max_link_distance(link) + mount.p_LoG.norm() + size);
                own.push(PosedShape::new(shape.clone(), mount.R_LG, mount.p_LoG));
            }
            if !own.is_empty() {
                parts.push(LinkShapes {
                    link,
                    shapes: ShapeScene::new(own, Vec::new()),
                });
            }
        }
        Self {
            parts: parts.into(),
            reach,
        }
    }
}

/// Returns true if two robots have the same shapes.
fn have_same_shapes(a: &Robot, b: &Robot) -> bool {
    let same = |(a, b): (
        &merrow_model::scene::Collider,
        &merrow_model::scene::Collider,
    )| {
        (a.link, &a.geometry, a.R_LG, a.p_LoG) == (b.link, &b.geometry, b.R_LG, b.p_LoG)
    };
    let colliders =
        a.colliders.len() == b.colliders.len() && a.colliders.iter().zip(&b.colliders).all(same);
    a.model == b.model && colliders && a.links == b.links
}

/// Beams of a sensor.
struct Beams {
    /// Unit vectors in S.
    directions: [Option<Vec3>; 4],
    /// Maximum range, or maximum altitude [m].
    limit: f64,
    /// Whether `limit` is an altitude, which applies to beams that point down.
    is_altitude: bool,
}

impl Beams {
    /// Returns the beams of a sensor; `None` if it has none.
    fn of_sensor(sensor: &Sensor) -> Option<Self> {
        match &sensor.kind {
            SensorKind::Dvl(spec) => Some(Self {
                directions: spec.beams.map(Some),
                limit: spec.log.altitude_m[1],
                is_altitude: true,
            }),
            SensorKind::Altimeter(spec) => Some(Self {
                directions: [Some(Vec3::new(1.0, 0.0, 0.0)), None, None, None],
                limit: spec.keys.max_range_m,
                is_altitude: false,
            }),
            _ => None,
        }
    }
}

/// Returns the beams of a sensor in W, with the maximum range or, for a plane seabed, the range to
/// it.
fn beams(state: &State, sensor: &Sensor, work: &mut Workspace) -> [Option<Ray>; 4] {
    let link = &work.links[sensor.link];
    let R_WS = link.R_WL.mul_mat(&sensor.R_LS);
    let origin = link.p_WL + link.R_WL.mul_vec(sensor.p_LoS);
    let seabed = Some(&state.sea.seabed).filter(|seabed| seabed.terrain.is_none());
    let Some(beams) = Beams::of_sensor(sensor) else {
        return [None; 4];
    };
    let beam = |d_S: Vec3| {
        let d = R_WS.mul_vec(d_S);
        let max_range = if !beams.is_altitude {
            beams.limit
        } else if d.z < 0.0 {
            beams.limit / -d.z
        } else {
            return None;
        };
        let max_range = seabed
            .and_then(|seabed| seabed.range(origin, d))
            .map_or(max_range, |bottom| max_range.min(bottom));
        Some(Ray::new(origin, d, [0.0, max_range]))
    };
    beams.directions.map(|d_S| d_S.and_then(beam))
}

/// Returns the beam along `d_S` with the maximum range for any motion within `limit`; `None` if the
/// range has no useful bound. `R_WS` and `origin` are the pose of the sensor.
fn longest_beam(
    state: &State,
    (sensor, beams): (&Sensor, &Beams),
    (R_WS, origin): (Mat3, Vec3),
    d_S: Vec3,
    limit: MotionLimit,
) -> Option<Ray> {
    let direction = R_WS.mul_vec(d_S);
    let seabed = &state.sea.seabed;
    // smallest rate at which the beam approaches the plane seabed per metre of range
    let steepness = (1.0 + seabed.slope[0].powi(2) + seabed.slope[1].powi(2)).sqrt();
    let approach_rate = seabed.slope[0] * direction.x + seabed.slope[1] * direction.y - direction.z;
    let approach_rate = approach_rate - limit.angle * steepness;
    let displacement = limit.distance + sensor.p_LoS.norm() * limit.angle;
    let above = origin.z - seabed.height(origin.x, origin.y) + steepness * displacement;
    let mut max_range = beams.limit;
    if beams.is_altitude {
        let down = -direction.z - limit.angle;
        if down < MIN_DOWNWARD_COMPONENT {
            return None;
        }
        max_range /= down;
    }
    if seabed.terrain.is_none()
        && approach_rate > MIN_DOWNWARD_COMPONENT
        && above >= 2.0 * steepness * displacement
    {
        max_range = max_range.min(above / approach_rate);
    }
    Some(Ray::new(origin, direction, [0.0, max_range]))
}

/// Evaluates (2); returns true also for NaN.
fn may_hit(beam: &Ray, center: Vec3, reach: f64) -> bool {
    let m = center - beam.origin;
    let along = m.dot(beam.direction);
    let is_past = along < -reach || along > beam.range[1] + reach;
    let is_beside = m.dot(m) - along * along > reach * reach * (1.0 + 1e-9);
    !(is_past || is_beside)
}

/// Evaluates link poses and velocities of robot `r`, once per instant.
fn evaluate_kinematics<W: AsMut<Workspace>>(
    scene: &Scene,
    state: &State,
    r: usize,
    works: &mut [W],
    is_evaluated: &mut [bool],
) {
    if !std::mem::replace(&mut is_evaluated[r], true) {
        let (motion, links) = (&state.robots[r].motion, &mut works[r].as_mut().links);
        kinematics::poses(&scene.robots[r], motion, links);
        kinematics::velocities(&scene.robots[r], motion, links);
    }
}

/// Replaces `nearest` by the nearest hit of a beam on a robot if this hit is nearer.
fn intersect_robot(
    beam: &Ray,
    robot_shapes: &RobotShapes,
    work: &Workspace,
    scratch: &mut Scratch,
    nearest: &mut BeamHit,
) {
    for part in &*robot_shapes.parts {
        let link = &work.links[part.link];
        let origin = link.R_WL.tr_mul_vec(beam.origin - link.p_WL);
        let direction = link.R_WL.tr_mul_vec(beam.direction);
        let max_range = nearest.range.min(beam.range[1]);
        let ray = Ray::new(origin, direction, [0.0, max_range]);
        if let Some(hit) = part.shapes.closest_with(&ray, &(0..0), scratch) {
            let point = origin + direction.scale(hit.distance);
            let v_L = link.V.v + link.V.w.cross(point);
            *nearest = BeamHit {
                range: hit.distance,
                v_W: link.R_WL.mul_vec(v_L),
            };
        }
    }
}

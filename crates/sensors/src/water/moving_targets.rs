//! Intersection of DVL and echo-sounder beams with other robots and props.
//!
//! # Law
//! ```text
//!   R_j = max over its shapes of |distance to the link| + |p_LoG| + r_G (1)  sphere about the base, for any position of the joints
//!   |m|² - (m·d)² <= R_j²,  -R_j <= m·d <= far + R_j,  m = p_WBj - p   (2)  a beam that can hit it
//!   v = V_L.v + V_L.w x p_LX                                           (3)  velocity of the target at the hit point X
//! ```
//! The beam is intersected with every shape of a robot that passes (2); the nearest hit counts.
//!
//! # Symbols
//! p, d origin and unit direction of the beam · far maximum range of the beam · R_j radius of robot
//! j · p_WBj position of its base · p_LoG position of a shape in its link · r_G radius of a shape
//! about its origin · V_L spatial velocity of the link, p_LX position of X in L.
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
//! test/sensors/met.rs

use crate::ray_scene;
use crate::ray_scene::RayKind;
use crate::raytrace::{PosedShape, Ray, Scratch, Shape, ShapeScene};
use merrow_math::Vec3;
use merrow_model::kinematics;
use merrow_model::scene::{Robot, Scene, Sensor, SensorKind};
use merrow_model::state::workspace::BeamHit;
use merrow_model::state::{RobotState, State, Workspace};
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

/// Shapes of all robots for the intersection with beams.
#[derive(Debug)]
pub struct MovingTargets {
    shapes: Vec<RobotShapes>,
    beam_sensors: Vec<BeamSensor>,
    /// Largest radius R_j of all robots [m].
    max_radius: f64,
    /// East coordinate of the base [m] and index of each robot, sorted by the coordinate.
    order: Vec<(f64, usize)>,
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
                .filter(|(_, s)| max_beam_range(s).is_some());
            beams
                .map(|(sensor, _)| BeamSensor { robot, sensor })
                .collect::<Vec<_>>()
        };
        let sounders: Vec<BeamSensor> =
            scene.robots.iter().enumerate().flat_map(of_robot).collect();
        if sounders.is_empty() || scene.robots.len() < 2 {
            return None;
        }
        let mut shown: Vec<RobotShapes> = Vec::with_capacity(scene.robots.len());
        for (r, robot) in scene.robots.iter().enumerate() {
            let twin = (0..r)
                .find(|k| have_same_shapes(&scene.robots[*k], robot))
                .map(|k| shown[k].clone());
            shown.push(twin.unwrap_or_else(|| RobotShapes::new(robot)));
        }
        let is_met = |s: &BeamSensor| {
            shown
                .iter()
                .enumerate()
                .any(|(r, o)| r != s.robot && !o.parts.is_empty())
        };
        let sounders: Vec<BeamSensor> = sounders.into_iter().filter(is_met).collect();
        if sounders.is_empty() {
            return None;
        }
        let n = shown.len();
        let reach = shown.iter().map(|o| o.reach).fold(0.0, f64::max);
        let (order, placed) = (Vec::with_capacity(n), vec![false; n]);
        Some(Self {
            shapes: shown,
            beam_sensors: sounders,
            max_radius: reach,
            order,
            is_evaluated: placed,
            scratch: Scratch::default(),
        })
    }

    /// Number of steps until a beam is due that is not due now; at least 1.
    pub fn steps_to_next(&self, scene: &Scene, state: &State) -> u64 {
        let now = state.time_ns;
        let next = |s: &BeamSensor| {
            let own = &state.robots[s.robot];
            let due = own.sensors[s.sensor].due_ns;
            // a beam that is due now is sampled first; the next sample follows at its highest rate
            let again = (1e9 / scene.robots[s.robot].sensors[s.sensor].rate) as u64;
            let next = if due > now {
                due
            } else {
                due.saturating_add(again)
            };
            own.halted.is_none().then_some(next)
        };
        let next = self
            .beam_sensors
            .iter()
            .filter_map(next)
            .min()
            .unwrap_or(u64::MAX);
        next.saturating_sub(now).div_ceil(scene.dt_ns).max(1)
    }

    /// Intersects the beams that are due now with all other robots and stores the hits in `works`
    /// (`Workspace::met`).
    pub fn intersect_beams<W>(&mut self, scene: &Scene, state: &State, works: &mut [W])
    where
        W: AsMut<Workspace>,
    {
        let now = state.time_ns;
        let is_due = |s: &BeamSensor| {
            let own: &RobotState = &state.robots[s.robot];
            own.halted.is_none() && own.sensors[s.sensor].due_ns <= now
        };
        if !self.beam_sensors.iter().any(is_due) {
            return;
        }
        let Self {
            shapes: shown,
            beam_sensors: sounders,
            max_radius: reach,
            order,
            is_evaluated: placed,
            scratch,
        } = self;
        placed.fill(false);
        order.clear();
        let bases = state.robots.iter().map(|own| own.motion.p_WB.x).enumerate();
        order.extend(
            bases
                .filter(|(r, _)| !shown[*r].parts.is_empty())
                .map(|(r, x)| (x, r)),
        );
        order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for &BeamSensor { robot, sensor } in sounders.iter().filter(|s| is_due(s)) {
            evaluate_kinematics(scene, state, robot, works, placed);
            let device = &scene.robots[robot].sensors[sensor];
            let beams = beams(state, device, works[robot].as_mut());
            let mut met = [BeamHit::NONE; 4];
            let ends = || {
                beams
                    .iter()
                    .flatten()
                    .map(|b| b.origin.x + b.range[1] * b.direction.x)
            };
            let from = beams.iter().flatten().map(|b| b.origin.x);
            let west = ends().chain(from.clone()).fold(f64::INFINITY, f64::min) - *reach;
            let east = ends().chain(from).fold(f64::NEG_INFINITY, f64::max) + *reach;
            let first = order.partition_point(|(x, _)| *x < west);
            let near = order[first..].iter().take_while(|(x, _)| *x <= east);
            for &(_, other) in near.filter(|(_, other)| *other != robot) {
                let center = state.robots[other].motion.p_WB;
                let may = |b: &Ray| may_hit(b, center, shown[other].reach);
                if !beams.iter().flatten().any(may) {
                    continue;
                }
                evaluate_kinematics(scene, state, other, works, placed);
                let work = works[other].as_mut();
                for (beam, met) in beams.iter().zip(&mut met) {
                    if let Some(beam) = beam.as_ref().filter(|b| may(b)) {
                        intersect_robot(beam, &shown[other], work, scratch, met);
                    }
                }
            }
            let own = works[robot].as_mut();
            match own.beam_hits.iter_mut().find(|(k, _)| *k == sensor) {
                Some((_, known)) => *known = met,
                None => own.beam_hits.push((sensor, met)),
            }
        }
    }
}

impl RobotShapes {
    fn new(robot: &Robot) -> Self {
        let all = ray_scene::robot_shapes(0, robot, RayKind::Sound);
        let (mut parts, mut reach) = (Vec::new(), 0.0_f64);
        for link in 0..robot.links.len() {
            let mut own = Vec::new();
            for (shape, mount, ..) in all.iter().filter(|(_, mount, ..)| mount.link == link) {
                let size = match shape {
                    Shape::Primitive(primitive) => primitive.half().norm(),
                    Shape::Mesh(mesh) => mesh.extent().0.norm() + mesh.extent().1.norm(),
                    Shape::Ground(_) => continue,
                };
                reach = reach.max(robot.longest_way(link) + mount.p_LoG.norm() + size);
                own.push(PosedShape {
                    shape: shape.clone(),
                    R_WG: mount.R_LG,
                    p_WG: mount.p_LoG,
                });
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

/// Maximum altitude (DVL) or range (echo sounder) of the beams of a sensor [m]; `None` if it has no
/// beams.
fn max_beam_range(sensor: &Sensor) -> Option<f64> {
    match &sensor.kind {
        SensorKind::Dvl(spec) => Some(spec.altitude[1]),
        SensorKind::Altimeter(spec) => Some(spec.limits[1]),
        _ => None,
    }
}

/// Returns the beams of a sensor in W, with the maximum range or, for a plane seabed, the range to
/// it.
fn beams(state: &State, sensor: &Sensor, work: &mut Workspace) -> [Option<Ray>; 4] {
    let link = &work.links[sensor.link];
    let R_WS = link.R_WL.mul_mat(&sensor.R_LS);
    let origin = link.p_WL + link.R_WL.mul_vec(sensor.p_LoS);
    let seabed = Some(&state.sea.seabed).filter(|seabed| seabed.terrain.is_none());
    let beam = |d_S: Vec3, height: bool| {
        let d = R_WS.mul_vec(d_S);
        let far = max_beam_range(sensor)?;
        // the altitude limit applies to beams that point down
        let far = if !height {
            far
        } else if d.z < 0.0 {
            far / -d.z
        } else {
            return None;
        };
        let far = seabed
            .and_then(|seabed| seabed.range(origin, d))
            .map_or(far, |bottom| far.min(bottom));
        Some(Ray {
            origin,
            direction: d,
            range: [0.0, far],
        })
    };
    match &sensor.kind {
        SensorKind::Dvl(spec) => spec.beams.map(|d| beam(d, true)),
        _ => [beam(Vec3::new(1.0, 0.0, 0.0), false), None, None, None],
    }
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
    placed: &mut [bool],
) {
    if !std::mem::replace(&mut placed[r], true) {
        let (motion, links) = (&state.robots[r].motion, &mut works[r].as_mut().links);
        kinematics::poses(&scene.robots[r], motion, links);
        kinematics::velocities(&scene.robots[r], motion, links);
    }
}

/// Replaces `met` by the nearest hit of a beam on a robot if this hit is nearer.
fn intersect_robot(
    beam: &Ray,
    shown: &RobotShapes,
    work: &Workspace,
    scratch: &mut Scratch,
    met: &mut BeamHit,
) {
    for part in &*shown.parts {
        let link = &work.links[part.link];
        let origin = link.R_WL.tr_mul_vec(beam.origin - link.p_WL);
        let direction = link.R_WL.tr_mul_vec(beam.direction);
        let ray = Ray {
            origin,
            direction,
            range: [0.0, met.range.min(beam.range[1])],
        };
        if let Some(hit) = part.shapes.closest_with(&ray, &(0..0), scratch) {
            let at = origin + direction.scale(hit.distance);
            let v_L = link.V.v + link.V.w.cross(at);
            *met = BeamHit {
                range: hit.distance,
                v_W: link.R_WL.mul_vec(v_L),
            };
        }
    }
}

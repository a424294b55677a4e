//! Contact part of a step: after the free motion of all robots, impulses and corrections remove
//! overlaps.

use crate::contact::coupling::Couplings;
use crate::contact::geometry::clearance::Clearance;
use crate::contact::geometry::detect::{ContactPoint, Detector};
use crate::contact::geometry::ground_effect_rays::GroundEffectRays;
use crate::contact::geometry::shapes::pose;
use crate::contact::island;
use crate::contact::island::{AssemblyContext, Island, RobotDynamics};
use crate::dynamics::integrate;
use crate::workers::{Task, Workers};
use merrow_math::{SpatialForce, Vec3};
use merrow_model::kinematics;
use merrow_model::scene::{Correspondence, Robot, Scene};
use merrow_model::state;
use merrow_model::state::contact::{Contact, ContactBody, Impulse, ImpulseKey};
use merrow_model::state::{Halt, RobotState, State, Workspace};

/// Colliders and scratch memory of a world. It holds no state that the next step needs.
#[derive(Debug)]
pub struct Contacts {
    detector: Detector,
    frames: Vec<RobotDynamics>,
    /// Robots with joint limits or joint friction, which are solved in every step.
    has_joint_stops: Vec<bool>,
    /// Robots that impulses can move.
    movable: Vec<bool>,
    parents: Vec<u32>,
    islands: Vec<Island>,
    n_islands: usize,
    contact_points: Vec<ContactPoint>,
    couplings: Couplings,
    ground_effect_rays: GroundEffectRays,
    pairs: Vec<(u32, u64)>,
    clearance: Clearance,
}

/// Number of islands allocated at the start: one per robot up to this number, so that first
/// contacts allocate no memory.
const FIRST_ISLANDS: usize = 64;

impl Contacts {
    /// Creates the contacts of `scene`; `None` if no shapes, couplings, joint limits or joint
    /// friction exist.
    ///
    /// # Errors
    /// One line for each shape that cannot be created.
    pub fn new(scene: &Scene) -> Result<Option<Self>, Vec<String>> {
        let detector = Detector::new(scene)?;
        let has_joint_stops: Vec<bool> = scene.robots.iter().map(has_stops).collect();
        if detector.is_empty() && !has_joint_stops.contains(&true) && scene.couplings.is_empty() {
            return Ok(None);
        }
        let frames: Vec<RobotDynamics> = scene.robots.iter().map(RobotDynamics::new).collect();
        let capacity = 64 + 8 * scene.robots.len();
        let clearance = detector.clearance(
            scene,
            has_joint_stops.contains(&true) || !scene.couplings.is_empty(),
        );
        Ok(Some(Self {
            clearance,
            detector,
            movable: frames.iter().map(|f| f.dofs.n > 0).collect(),
            frames,
            has_joint_stops,
            parents: Vec::with_capacity(scene.robots.len()),
            islands: (0..scene.robots.len().min(FIRST_ISLANDS))
                .map(|_| Island::with_capacity())
                .collect(),
            n_islands: 0,
            contact_points: Vec::with_capacity(capacity),
            couplings: Couplings::default(),
            ground_effect_rays: GroundEffectRays::new(scene),
            pairs: Vec::with_capacity(capacity),
        }))
    }

    /// Copies the contacts and impulses of the bodies that exist in this world and in the world of
    /// `old`, with the indices of this world.
    pub fn transfer_impulses(
        &self,
        old: &Self,
        same: &Correspondence,
        before: &state::Contacts,
        now: &mut state::Contacts,
    ) {
        let shapes = self.detector.corresponding_shapes(&old.detector, same);
        let shape = |k: u32| shapes.get(&k).copied();
        let key = |key: &ImpulseKey| {
            Some(match *key {
                ImpulseKey::Joint { robot, joint, side } => ImpulseKey::Joint {
                    robot: same.robot(robot as usize)? as u32,
                    joint,
                    side,
                },
                ImpulseKey::Contact([a, b], features) => {
                    ImpulseKey::Contact([shape(a)?, shape(b)?], features)
                }
            })
        };
        let impulses = before.impulses.iter();
        now.impulses
            .extend(impulses.filter_map(|(k, impulse)| Some((key(k)?, *impulse))));
        now.impulses.sort_unstable_by_key(|(key, _)| *key);
        let touching = before.touching.iter();
        now.touching.extend(touching.filter_map(|contact| {
            let (a, b) = (contact.a.in_scene(same)?, contact.b.in_scene(same)?);
            Some(Contact { a, b, ..*contact })
        }));
        collect_pairs(&now.touching, &mut now.pairs);
    }

    /// Detects the overlaps of all bodies at the poses of `works`, for [`Self::deepest_overlap`].
    pub fn detect_overlaps<W: AsRef<Workspace>>(
        &mut self,
        scene: &Scene,
        state: &mut State,
        works: &[W],
    ) {
        // twice, so that the motion since the last step has no effect
        self.update_poses(works);
        self.update_poses(works);
        // a query draws no bodies together
        let couplings = state.couplings.clone();
        self.couplings.update_active(scene, state);
        state.couplings = couplings;
        self.detector.detect_contact_points(
            scene,
            &state.sea.seabed,
            &self.couplings.non_colliding,
            &mut self.contact_points,
        );
        let excluded = &self.couplings.non_colliding;
        self.detector
            .detect_enclosed(scene, excluded, &mut self.contact_points);
    }

    /// Returns the body that robot `robot` overlaps most, and by how far [m]; `None` if it overlaps
    /// none. [`Self::detect_overlaps`] is called before. Other robots count if `is_present` returns
    /// true.
    pub fn deepest_overlap(
        &self,
        robot: usize,
        is_present: impl Fn(usize) -> bool,
    ) -> Option<(ContactBody, f64)> {
        let is_own = |body: ContactBody| body.link().is_some_and(|(r, _)| r == robot);
        let points = self.contact_points.iter().filter(|point| point.gap < 0.0);
        let is_absent = |body: ContactBody| {
            body.link()
                .is_some_and(|(r, _)| r != robot && !is_present(r))
        };
        let own = points.filter(|point| {
            is_own(point.a) != is_own(point.b) && !is_absent(point.a) && !is_absent(point.b)
        });
        let deepest = own.min_by(|a, b| a.gap.total_cmp(&b.gap))?;
        let other = if is_own(deepest.a) {
            deepest.b
        } else {
            deepest.a
        };
        Some((other, -deepest.gap))
    }

    /// Returns the index of a structure that contains the point `p` [m, W].
    pub fn structure_at(&self, p: Vec3) -> Option<usize> {
        self.detector.structure_at(p)
    }

    /// Sets the poses of all shapes from `works`.
    pub fn update_poses<W: AsRef<Workspace>>(&mut self, works: &[W]) {
        self.detector.update_poses(|r, l| {
            let link = &works[r].as_ref().links[l];
            pose(&link.R_WL, link.p_WL)
        });
    }

    /// Updates the decks below rotors before a step that all robots make together.
    pub fn update_rotor_decks<W: AsRef<Workspace> + AsMut<Workspace>>(
        &self,
        scene: &Scene,
        works: &mut [W],
    ) {
        self.ground_effect_rays
            .cast_rays(scene, &self.detector, works);
    }

    /// Clears the decks below rotors before a block in which the robots are stepped independently,
    /// far from all other objects.
    pub fn clear_rotor_decks<W: AsMut<Workspace>>(&self, works: &mut [W]) {
        self.ground_effect_rays.clear_rotor_decks(works);
    }

    /// Applies the predicted loads of couplings before a free step.
    pub fn apply_predicted_loads<W: AsMut<Workspace>>(
        &self,
        scene: &Scene,
        state: &State,
        works: &mut [W],
    ) {
        if !scene.couplings.is_empty() {
            self.couplings.apply_predicted_loads(scene, state, works);
        }
    }

    /// Returns true if no robot can touch an object within `span_s` [s], as long as none moves
    /// farther than [`Self::allowed_distance`].
    pub fn is_clear(&mut self, state: &State, span_s: f64) -> bool {
        self.clearance.is_clear(state, span_s)
    }

    /// Returns the distance [m] that robot `r` may move after the last call of
    /// [`Contacts::is_clear`].
    pub fn allowed_distance(&self, r: usize) -> f64 {
        self.clearance.allowed_distance(r)
    }

    /// Records that no contacts occurred in the last step.
    pub fn clear_contacts(&self, state: &mut State) {
        state.contacts.touching.clear();
        state.contacts.impulses.clear();
        state.contacts.pairs.clear();
    }

    /// Removes overlaps: `works` holds the poses at the end of the free step, `state` its motions.
    ///
    /// `workers` share the islands and the robots; the result does not depend on their number.
    pub fn step<W>(
        &mut self,
        scene: &Scene,
        state: &mut State,
        works: &mut [W],
        workers: &mut impl Workers,
    ) where
        W: AsRef<Workspace> + AsMut<Workspace> + Send + Sync,
    {
        self.update_poses(works);
        self.couplings.update_active(scene, state);
        self.detector.detect_contact_points(
            scene,
            &state.sea.seabed,
            &self.couplings.non_colliding,
            &mut self.contact_points,
        );
        self.build_islands(scene, state);
        self.factor_inertias(scene, state, works, workers);
        let context = AssemblyContext {
            scene,
            state: &*state,
            works: &*works,
            frames: &self.frames,
            contact_points: &self.contact_points,
            couplings: &self.couplings,
        };
        let solve = |island: &mut Island| {
            island.assemble(&context);
            let previous_recomputed = island.robots.iter().any(|r| {
                context.state.robots[*r as usize]
                    .impulse_acceleration
                    .is_recomputed
            });
            island.outcome = island.problem.solve(previous_recomputed);
            island.problem.compute_displacements();
        };
        let islands = &mut self.islands[..self.n_islands];
        // one island is solved by one thread
        if islands.len() > 1 {
            let rows = self.contact_points.len() + self.couplings.active.len() + islands.len();
            workers.for_each(Task::Islands, rows as f64, islands.iter_mut(), solve);
        } else {
            islands.iter_mut().for_each(solve);
        }
        self.write_results(scene, state, works);
        self.couplings.update_after_step(
            (scene, &*works),
            state,
            &mut self.islands[..self.n_islands],
            &self.frames,
        );
        self.update_corrected_poses(scene, state, works);
    }

    /// Updates the poses of the corrected robots for the start of the next step.
    fn update_corrected_poses<W: AsRef<Workspace> + AsMut<Workspace>>(
        &mut self,
        scene: &Scene,
        state: &State,
        works: &mut [W],
    ) {
        let Self {
            frames, detector, ..
        } = self;
        for (r, _) in frames.iter().enumerate().filter(|(_, frame)| frame.active) {
            kinematics::poses(
                &scene.robots[r],
                &state.robots[r].motion,
                &mut works[r].as_mut().links,
            );
        }
        detector.correct_poses(|r, l| {
            let link = &works[r].as_ref().links[l];
            frames[r].active.then(|| pose(&link.R_WL, link.p_WL))
        });
    }

    /// Assigns robots, contact points and couplings to islands.
    fn build_islands(&mut self, scene: &Scene, state: &State) {
        let n = scene.robots.len() as u32;
        self.parents.clear();
        self.parents.extend(0..n);
        for (r, frame) in self.frames.iter_mut().enumerate() {
            frame.active = self.has_joint_stops[r] && state.robots[r].halted.is_none();
        }
        let movable = &self.movable;
        let contact_points = self
            .contact_points
            .iter()
            .map(|t| [t.a, t.b].map(|o| movable_robot(movable, state, o)));
        let couplings = self
            .couplings
            .active
            .iter()
            .map(|l| l.movable_robots(movable));
        for sides in contact_points.chain(couplings) {
            for r in sides.into_iter().flatten() {
                self.frames[r as usize].active = true;
            }
            if let [Some(a), Some(b)] = sides {
                island::union_sets(&mut self.parents, a, b);
            }
        }
        self.islands[..self.n_islands]
            .iter_mut()
            .for_each(Island::clear);
        self.n_islands = 0;
        for r in 0..n {
            if !self.frames[r as usize].active {
                continue;
            }
            let root = island::find_root(&mut self.parents, r);
            let k = self.find_or_create_island(root);
            self.islands[k].robots.push(r);
        }
        for t in 0..self.contact_points.len() {
            let point = &self.contact_points[t];
            let sides = [point.a, point.b].map(|o| movable_robot(&self.movable, state, o));
            if let Some(island) = self.island_with(sides) {
                island.contact_points.push(t as u32);
            }
        }
        for l in 0..self.couplings.active.len() {
            let sides = self.couplings.active[l].movable_robots(&self.movable);
            if let Some(island) = self.island_with(sides) {
                island.couplings.push(l as u32);
            }
        }
    }

    /// Returns the island of the movable robots in `sides`; `None` if none can move.
    fn island_with(&mut self, sides: [Option<u32>; 2]) -> Option<&mut Island> {
        let r = sides.into_iter().flatten().min()?;
        let root = island::find_root(&mut self.parents, r);
        let k = self.islands[..self.n_islands].partition_point(|i| i.robots[0] < root);
        self.islands.get_mut(k)
    }

    /// Returns the index of the island whose smallest robot is `root`; creates it if necessary.
    ///
    /// The roots arrive in increasing order, because the smallest robot of a set is its root.
    fn find_or_create_island(&mut self, root: u32) -> usize {
        let found = self.islands[..self.n_islands].binary_search_by_key(&root, |i| i.robots[0]);
        found.unwrap_or_else(|k| {
            if self.n_islands == self.islands.len() {
                self.islands.push(Island::with_capacity());
            }
            self.n_islands += 1;
            k
        })
    }

    /// Computes the inertia of all robots that take part, and their positions in their islands.
    fn factor_inertias<W: AsMut<Workspace> + Send>(
        &mut self,
        scene: &Scene,
        state: &State,
        works: &mut [W],
        workers: &mut impl Workers,
    ) {
        for island in &self.islands[..self.n_islands] {
            let mut offset = 0;
            for (island_index, r) in island.robots.iter().enumerate() {
                let frame = &mut self.frames[*r as usize];
                (frame.offset, frame.island_index) = (offset, island_index as u32);
                offset += frame.dofs.n;
            }
        }
        let factor_one = |(((frame, work), robot), state): (
            ((&mut RobotDynamics, &mut W), &Robot),
            &RobotState,
        )| {
            if frame.active && state.halted.is_none() {
                let RobotDynamics {
                    dofs,
                    L,
                    full: [full, H],
                    ..
                } = frame;
                dofs.factor(robot, work.as_mut(), full, H, L);
            }
        };
        let robot_count = self.islands[..self.n_islands]
            .iter()
            .map(|i| i.robots.len())
            .sum::<usize>();
        let frames = self.frames.iter_mut().zip(works);
        let robots = frames.zip(&scene.robots).zip(&state.robots);
        workers.for_each(Task::Inertias, robot_count as f64, robots, factor_one);
    }

    /// Writes velocities, positions and impulses to the state.
    fn write_results<W: AsRef<Workspace>>(
        &mut self,
        scene: &Scene,
        state: &mut State,
        works: &[W],
    ) {
        let h = scene.dt();
        for robot in &mut state.robots {
            robot.impulse_acceleration.clear();
        }
        state.contacts.touching.clear();
        state.contacts.impulses.clear();
        for island in &self.islands[..self.n_islands] {
            state.contacts.unsolved += u64::from(!island.outcome.is_solved);
            if !island.problem.is_finite() {
                halt_robots(island, scene, state);
                continue;
            }
            for r in island.robots.iter().map(|r| *r as usize) {
                let step = (h, works[r].as_ref());
                let is_floating = scene.robots[r].floating;
                move_robot(
                    island,
                    &self.frames[r],
                    is_floating,
                    step,
                    &mut state.robots[r],
                );
            }
            let contact_points = island
                .contact_points
                .iter()
                .map(|t| &self.contact_points[*t as usize]);
            let joints = island.keys.len() - island.contact_points.len();
            for (key, along_rows) in island.impulses().take(joints) {
                let impulse = Impulse {
                    along_rows,
                    force_W: Vec3::zero(),
                };
                state.contacts.impulses.push((key, impulse));
            }
            for ((key, along_rows), point) in island.impulses().skip(joints).zip(contact_points) {
                let impulse = island::total_impulse(point.n_W, along_rows);
                state.contacts.impulses.push((key, impulse));
                if along_rows[0] > 0.0 {
                    state
                        .contacts
                        .touching
                        .push(contact_from_point(point, &impulse));
                    add_contact_force(
                        point,
                        impulse.force_W.scale(1.0 / h),
                        &mut state.robots,
                        works,
                    );
                }
            }
        }
        state
            .contacts
            .impulses
            .sort_unstable_by_key(|(key, _)| *key);
        self.count_collisions(state);
    }

    /// Counts the pairs that came into contact in this step.
    fn count_collisions(&mut self, state: &mut State) {
        collect_pairs(&state.contacts.touching, &mut self.pairs);
        let previous_pairs = &state.contacts.pairs;
        let new_pairs = self
            .pairs
            .iter()
            .filter(|p| previous_pairs.binary_search(p).is_err())
            .count();
        state.contacts.collisions += new_pairs as u64;
        std::mem::swap(&mut self.pairs, &mut state.contacts.pairs);
    }
}

/// Collects the pairs of a robot and another body that are in contact, sorted.
fn collect_pairs(touching: &[Contact], pairs: &mut Vec<(u32, u64)>) {
    let number = |body: ContactBody| match body {
        ContactBody::Link { robot, .. } => u64::from(robot),
        ContactBody::Structure { structure, .. } => 1 << 32 | u64::from(structure),
        ContactBody::Seabed => 2 << 32,
    };
    pairs.clear();
    for contact in touching {
        if let ContactBody::Link { robot, .. } = contact.a {
            pairs.push((robot, number(contact.b)));
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
}

/// Returns the robot of `body`, if impulses can move it.
fn movable_robot(movable: &[bool], state: &State, body: ContactBody) -> Option<u32> {
    let (r, _) = body.link()?;
    (movable[r] && state.robots[r].halted.is_none()).then_some(r as u32)
}

/// Halts the robots of an island with non-finite impulses at the result of their free step.
fn halt_robots(island: &Island, scene: &Scene, state: &mut State) {
    for r in &island.robots {
        let cause =
            "an impulse of a contact, a joint's stop or a coupling is no longer finite".to_string();
        state.robots[*r as usize].halted = Some(Halt {
            time_ns: state.time_ns + scene.dt_ns,
            cause,
        });
    }
}

/// Adds the mean force of a contact point over the step to both links.
fn add_contact_force<W: AsRef<Workspace>>(
    point: &ContactPoint,
    f: Vec3,
    robots: &mut [RobotState],
    works: &[W],
) {
    for (body, f) in [(point.a, f), (point.b, -f)] {
        if let Some((r, l)) = body.link()
            && robots[r].halted.is_none()
        {
            let arm = point.p_W - works[r].as_ref().links[l].p_WL;
            robots[r].clear_step_forces();
            robots[r].contact_force[l] += SpatialForce::new(arm.cross(f), f);
        }
    }
}

fn contact_from_point(point: &ContactPoint, impulse: &Impulse) -> Contact {
    Contact {
        a: point.a,
        b: point.b,
        p_W: point.p_W,
        n_W: point.n_W,
        gap: point.gap,
        impulse_W: impulse.force_W,
    }
}

/// Returns true if a joint that forces move has a limit or dry friction.
fn has_stops(robot: &Robot) -> bool {
    robot.links[1..].iter().any(|l| {
        let limited = l.joint.limits.iter().any(|x| x.is_finite());
        l.joint.is_free() && (limited || l.joint.friction > 0.0)
    })
}

/// Applies the impulses of an island to the motion of one of its robots over a step of `h` [s].
fn move_robot(
    island: &Island,
    frame: &RobotDynamics,
    is_floating: bool,
    (h, work): (f64, &Workspace),
    robot: &mut RobotState,
) {
    robot.clear_step_forces();
    let range = frame.offset..frame.offset + frame.dofs.n;
    let (v, x) = (&island.problem.v[range.clone()], &island.problem.x[range]);
    integrate::apply_impulses(
        &mut robot.motion,
        is_floating,
        &frame.dofs.joint,
        (v, x),
        (h, work),
        &mut robot.impulse_acceleration,
    );
    robot.impulse_acceleration.is_recomputed = island.outcome.is_recomputed;
}

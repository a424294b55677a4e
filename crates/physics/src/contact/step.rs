//! Contact part of a step: after the free motion of all robots, impulses and corrections remove
//! overlaps.

use crate::contact::coupling::Couplings;
use crate::contact::geometry::clearance::Clearance;
use crate::contact::geometry::detect::{Detector, Touch};
use crate::contact::geometry::ground_effect_rays::Decks;
use crate::contact::geometry::shapes::{Owner, pose};
use crate::contact::island;
use crate::contact::island::{Frame, Island, Surroundings};
use crate::dynamics::integrate;
use merrow_math::{SpatialForce, Vec3};
use merrow_model::kinematics;
use merrow_model::scene::{Robot, Scene};
use merrow_model::state::contact::{Contact, Impulse, Side};
use merrow_model::state::{Halt, RobotState, State, Workspace};
use rayon::prelude::*;

/// Colliders and scratch memory of a world. It holds no state that the next step needs.
#[derive(Debug)]
pub struct Contacts {
    detector: Detector,
    frames: Vec<Frame>,
    /// Robots with joint limits or joint friction, which are solved in every step.
    jointed: Vec<bool>,
    /// Robots that impulses can move.
    movable: Vec<bool>,
    parents: Vec<u32>,
    islands: Vec<Island>,
    n_islands: usize,
    touches: Vec<Touch>,
    couplings: Couplings,
    decks: Decks,
    pairs: Vec<(u32, u64)>,
    clearance: Clearance,
}

/// Number of islands allocated at the start: one per robot up to this number, so that first
/// contacts allocate no memory.
const FIRST_ISLANDS: usize = 64;
/// Number of touches in a step above which islands are solved in parallel.
const PARALLEL_FROM: usize = 64;

impl Contacts {
    /// Creates the contacts of `scene`; `None` if no shapes, couplings, joint limits or joint
    /// friction exist.
    ///
    /// # Errors
    /// One line for each shape that cannot be created.
    pub fn new(scene: &Scene) -> Result<Option<Self>, Vec<String>> {
        let detector = Detector::new(scene)?;
        let jointed: Vec<bool> = scene.robots.iter().map(has_stops).collect();
        if detector.is_empty() && !jointed.contains(&true) && scene.couplings.is_empty() {
            return Ok(None);
        }
        let frames: Vec<Frame> = scene.robots.iter().map(Frame::new).collect();
        let room = 64 + 8 * scene.robots.len();
        let clearance = detector.clearance(
            scene,
            jointed.contains(&true) || !scene.couplings.is_empty(),
        );
        Ok(Some(Self {
            clearance,
            detector,
            movable: frames.iter().map(|f| f.dofs.n > 0).collect(),
            frames,
            jointed,
            parents: Vec::with_capacity(scene.robots.len()),
            islands: (0..scene.robots.len().min(FIRST_ISLANDS))
                .map(|_| Island::with_room())
                .collect(),
            n_islands: 0,
            touches: Vec::with_capacity(room),
            couplings: Couplings::default(),
            decks: Decks::new(scene),
            pairs: Vec::with_capacity(room),
        }))
    }

    /// Sets the poses of all shapes from `works`.
    pub fn place<W: AsRef<Workspace>>(&mut self, works: &[W]) {
        self.detector.place(|r, l| {
            let link = &works[r].as_ref().links[l];
            pose(&link.R_WL, link.p_WL)
        });
    }

    /// Updates the decks below rotors before a step that all robots make together.
    pub fn look_under_rotors<W: AsRef<Workspace> + AsMut<Workspace>>(
        &self,
        scene: &Scene,
        works: &mut [W],
    ) {
        self.decks.look(scene, &self.detector, works);
    }

    /// Clears the decks below rotors before a block in which the robots are stepped independently,
    /// far from everything.
    pub fn nothing_under_rotors<W: AsMut<Workspace>>(&self, works: &mut [W]) {
        self.decks.none(works);
    }

    /// Applies the predicted loads of couplings before a free step.
    pub fn feed<W: AsMut<Workspace>>(&self, scene: &Scene, state: &State, works: &mut [W]) {
        if !scene.couplings.is_empty() {
            self.couplings.feed(scene, state, works);
        }
    }

    /// Returns true if no robot can touch anything within `span_s` [s], as long as none moves
    /// farther than [`Contacts::allowed`].
    pub fn is_clear(&mut self, state: &State, span_s: f64) -> bool {
        self.clearance.is_clear(state, span_s)
    }

    /// Distance [m] that robot `r` may move after the last call of [`Contacts::is_clear`].
    pub fn allowed(&self, r: usize) -> f64 {
        self.clearance.allowed(r)
    }

    /// Records that no contacts occurred in the last step.
    pub fn nothing(&self, state: &mut State) {
        state.contacts.touching.clear();
        state.contacts.impulses.clear();
        state.contacts.pairs.clear();
    }

    /// Removes overlaps: `works` holds the poses at the end of the free step, `state` its motions.
    pub fn step<W>(&mut self, scene: &Scene, state: &mut State, works: &mut [W])
    where
        W: AsRef<Workspace> + AsMut<Workspace> + Send + Sync,
    {
        self.place(works);
        self.couplings.look(scene, state);
        self.detector.touches(
            scene,
            &state.sea.seabed,
            &self.couplings.apart,
            &mut self.touches,
        );
        self.group(scene, state);
        self.factor(scene, state, works);
        let around = Surroundings {
            scene,
            state: &*state,
            works: &*works,
            frames: &self.frames,
            touches: &self.touches,
            couplings: &self.couplings,
        };
        let solve = |island: &mut Island| {
            island.assemble(&around);
            let after = island
                .robots
                .iter()
                .any(|r| around.state.robots[*r as usize].kick.anew);
            island.outcome = island.problem.solve(after);
            island.problem.displace();
        };
        let islands = &mut self.islands[..self.n_islands];
        if self.touches.len() >= PARALLEL_FROM
            && islands.len() > 1
            && rayon::current_num_threads() > 1
        {
            islands.par_iter_mut().for_each(solve);
        } else {
            islands.iter_mut().for_each(solve);
        }
        self.write(scene, state, works);
        self.couplings.follow(
            (scene, &*works),
            state,
            &mut self.islands[..self.n_islands],
            &self.frames,
        );
        self.settle(scene, state, works);
    }

    /// Updates the poses of the corrected robots for the start of the next step.
    fn settle<W: AsRef<Workspace> + AsMut<Workspace>>(
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
        detector.correct(|r, l| {
            let link = &works[r].as_ref().links[l];
            frames[r].active.then(|| pose(&link.R_WL, link.p_WL))
        });
    }

    /// Assigns robots, touches and couplings to islands.
    fn group(&mut self, scene: &Scene, state: &State) {
        let n = scene.robots.len() as u32;
        self.parents.clear();
        self.parents.extend(0..n);
        for (r, frame) in self.frames.iter_mut().enumerate() {
            frame.active = self.jointed[r] && state.robots[r].halted.is_none();
        }
        let movable = &self.movable;
        let touches = self
            .touches
            .iter()
            .map(|t| [t.a, t.b].map(|o| mover(movable, state, o)));
        let couplings = self.couplings.live.iter().map(|l| l.movers(movable));
        for sides in touches.chain(couplings) {
            for r in sides.into_iter().flatten() {
                self.frames[r as usize].active = true;
            }
            if let [Some(a), Some(b)] = sides {
                island::join(&mut self.parents, a, b);
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
            let root = island::root(&mut self.parents, r);
            let k = self.island_of(root);
            self.islands[k].robots.push(r);
        }
        for t in 0..self.touches.len() {
            let touch = &self.touches[t];
            let sides = [touch.a, touch.b].map(|o| mover(&self.movable, state, o));
            if let Some(island) = self.island_with(sides) {
                island.touches.push(t as u32);
            }
        }
        for l in 0..self.couplings.live.len() {
            let sides = self.couplings.live[l].movers(&self.movable);
            if let Some(island) = self.island_with(sides) {
                island.couplings.push(l as u32);
            }
        }
    }

    /// Island of the movable robots in `sides`; `None` if none can move.
    fn island_with(&mut self, sides: [Option<u32>; 2]) -> Option<&mut Island> {
        let r = sides.into_iter().flatten().min()?;
        let root = island::root(&mut self.parents, r);
        let k = self.islands[..self.n_islands].partition_point(|i| i.robots[0] < root);
        self.islands.get_mut(k)
    }

    /// Index of the island whose smallest robot is `root`; creates it if necessary.
    ///
    /// The roots arrive in increasing order, because the smallest robot of a set is its root.
    fn island_of(&mut self, root: u32) -> usize {
        let known = self.islands[..self.n_islands].binary_search_by_key(&root, |i| i.robots[0]);
        known.unwrap_or_else(|k| {
            if self.n_islands == self.islands.len() {
                self.islands.push(Island::with_room());
            }
            self.n_islands += 1;
            k
        })
    }

    /// Computes the inertia of all robots that take part, and their positions in their islands.
    fn factor<W: AsMut<Workspace> + Send>(
        &mut self,
        scene: &Scene,
        state: &State,
        works: &mut [W],
    ) {
        for island in &self.islands[..self.n_islands] {
            let mut offset = 0;
            for (place, r) in island.robots.iter().enumerate() {
                let frame = &mut self.frames[*r as usize];
                (frame.offset, frame.place) = (offset, place as u32);
                offset += frame.dofs.n;
            }
        }
        let one =
            |(((frame, work), robot), state): (((&mut Frame, &mut W), &Robot), &RobotState)| {
                if frame.active && state.halted.is_none() {
                    let Frame {
                        dofs,
                        L,
                        full: [full, H],
                        ..
                    } = frame;
                    dofs.factor(robot, work.as_mut(), full, H, L);
                }
            };
        let busy = self.islands[..self.n_islands]
            .iter()
            .map(|i| i.robots.len())
            .sum::<usize>();
        let robots = &scene.robots;
        if busy >= PARALLEL_FROM && rayon::current_num_threads() > 1 {
            self.frames
                .par_iter_mut()
                .zip(works)
                .zip(robots)
                .zip(&state.robots)
                .for_each(one);
        } else {
            self.frames
                .iter_mut()
                .zip(works)
                .zip(robots)
                .zip(&state.robots)
                .for_each(one);
        }
    }

    /// Writes velocities, positions and impulses to the state.
    fn write<W: AsRef<Workspace>>(&mut self, scene: &Scene, state: &mut State, works: &[W]) {
        let h = scene.dt();
        for robot in &mut state.robots {
            robot.kick.clear();
        }
        state.contacts.touching.clear();
        state.contacts.impulses.clear();
        for island in &self.islands[..self.n_islands] {
            state.contacts.unsolved += u64::from(!island.outcome.fits);
            if !island.problem.is_finite() {
                stop(island, scene, state);
                continue;
            }
            for r in &island.robots {
                let (frame, robot) = (&self.frames[*r as usize], &mut state.robots[*r as usize]);
                robot.feel();
                let part = frame.offset..frame.offset + frame.dofs.n;
                let (v, x) = (&island.problem.v[part.clone()], &island.problem.x[part]);
                let is_floating = scene.robots[*r as usize].floating;
                integrate::correct(
                    &mut robot.motion,
                    is_floating,
                    &frame.dofs.joint,
                    (v, x),
                    (h, works[*r as usize].as_ref()),
                    &mut robot.kick,
                );
                robot.kick.anew = island.outcome.is_anew;
            }
            let touches = island.touches.iter().map(|t| &self.touches[*t as usize]);
            let joints = island.keys.len() - island.touches.len();
            for (key, along_rows) in island.impulses().take(joints) {
                let impulse = Impulse {
                    along_rows,
                    force_W: Vec3::zero(),
                };
                state.contacts.impulses.push((key, impulse));
            }
            for ((key, along_rows), touch) in island.impulses().skip(joints).zip(touches) {
                let impulse = island::impulse_W(touch.n_W, along_rows);
                state.contacts.impulses.push((key, impulse));
                if along_rows[0] > 0.0 {
                    state.contacts.touching.push(contact(touch, &impulse));
                    press(
                        touch,
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
        self.count(state);
    }

    /// Counts the pairs that came into contact in this step.
    fn count(&mut self, state: &mut State) {
        let number = |s: Side| match s {
            Side::Link { robot, .. } => u64::from(robot),
            Side::Structure { structure, .. } => 1 << 32 | u64::from(structure),
            Side::Seabed => 2 << 32,
        };
        self.pairs.clear();
        for c in &state.contacts.touching {
            if let Side::Link { robot, .. } = c.a {
                self.pairs.push((robot, number(c.b)));
            }
        }
        self.pairs.sort_unstable();
        self.pairs.dedup();
        let known = &state.contacts.pairs;
        let fresh = self
            .pairs
            .iter()
            .filter(|p| known.binary_search(p).is_err())
            .count();
        state.contacts.collisions += fresh as u64;
        std::mem::swap(&mut self.pairs, &mut state.contacts.pairs);
    }
}

/// Robot of `owner`, if impulses can move it.
fn mover(movable: &[bool], state: &State, owner: Owner) -> Option<u32> {
    match owner {
        Owner::Link(r, _) if movable[r as usize] && state.robots[r as usize].halted.is_none() => {
            Some(r)
        }
        _ => None,
    }
}

/// Halts the robots of an island with non-finite impulses at the result of their free step.
fn stop(island: &Island, scene: &Scene, state: &mut State) {
    for r in &island.robots {
        let cause =
            "an impulse of a contact, a joint's stop or a coupling is no longer finite".to_string();
        state.robots[*r as usize].halted = Some(Halt {
            time_ns: state.time_ns + scene.dt_ns,
            cause,
        });
    }
}

/// Adds the mean force of a touch over the step to both links.
fn press<W: AsRef<Workspace>>(touch: &Touch, f: Vec3, robots: &mut [RobotState], works: &[W]) {
    for (owner, f) in [(touch.a, f), (touch.b, -f)] {
        if let Owner::Link(r, l) = owner
            && robots[r as usize].halted.is_none()
        {
            let arm = touch.p_W - works[r as usize].as_ref().links[l as usize].p_WL;
            robots[r as usize].feel();
            let sum = &mut robots[r as usize].contact_force[l as usize];
            *sum = sum.plus(&SpatialForce { m: arm.cross(f), f });
        }
    }
}

fn contact(touch: &Touch, impulse: &Impulse) -> Contact {
    let side = |owner: Owner, collider: u32| match owner {
        Owner::Link(robot, link) => Side::Link {
            robot,
            link,
            collider,
        },
        Owner::Structure(structure) => Side::Structure {
            structure,
            collider,
        },
        Owner::Seabed => Side::Seabed,
    };
    Contact {
        a: side(touch.a, touch.colliders[0]),
        b: side(touch.b, touch.colliders[1]),
        p_W: touch.p_W,
        n_W: touch.n_W,
        gap: touch.gap,
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

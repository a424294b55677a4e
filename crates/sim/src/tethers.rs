//! Tethers between robots: motion of their ends and the forces on the robots.
//!
//! Before every step each tether is solved, with its ends moving as the robots would
//! ([`Tethers::solve_step`]). The resulting end forces are external forces of the robots over the
//! step. After the step of the robots the solution becomes the state of the tethers
//! ([`Tethers::commit_step`]). Between these two calls the state of the tethers does not change. A
//! repeated `solve_step`, for example after a command, gives bit-identical results.

use crate::control::winch;
use crate::control::winch::DrumMotion;
use crate::environment_cache::EnvironmentCache;
use crate::robot::{Moment, Runner};
use merrow_environment::EnvironmentState;
use merrow_math::{Quat, SpatialForce, Vec3};
use merrow_model::kinematics;
use merrow_model::scene::{Integrator, LineModel, Scene, Tether, TetherEnd};
use merrow_model::state::FaultEffect;
use merrow_model::state::workspace::LinkWork;
use merrow_model::state::{LineBreak, RobotState, State, TetherState};
use merrow_physics::dynamics::tether;
use merrow_physics::dynamics::tether::{EndCondition, LineWork, StepParameters};
use merrow_physics::dynamics::{catenary, response};
use merrow_physics::workers::{Task, Workers};

/// Fraction of the step at which the lever arm of a pull is evaluated. It is slightly after the
/// midpoint, so that a robot that swings about its attachment point loses energy and never gains
/// any.
const LEVER_FRACTION: f64 = 0.6;

/// Workspace of all tethers; contains no state that is needed to resume.
#[derive(Debug)]
pub struct Tethers {
    lines: Vec<LineWork>,
    drum_motions: Vec<DrumMotion>,
    /// Robots with a tether, each once.
    robots: Vec<usize>,
    /// Number of tether ends attached to each robot of the scene.
    ends: Vec<usize>,
    environment: EnvironmentCache,
}

impl Tethers {
    /// Creates the workspace for the tethers of `scene`.
    pub fn new(scene: &Scene) -> Self {
        let mut ends = vec![0; scene.robots.len()];
        for tether in &scene.tethers {
            for end in &tether.ends {
                if let TetherEnd::Link { robot, .. } = end {
                    ends[*robot] += 1;
                }
            }
        }
        Self {
            lines: scene.tethers.iter().map(LineWork::new).collect(),
            drum_motions: vec![DrumMotion::default(); scene.tethers.len()],
            robots: (0..ends.len()).filter(|r| ends[*r] > 0).collect(),
            ends,
            environment: EnvironmentCache::default(),
        }
    }

    /// Returns true if the scene has no tethers.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Solves every tether over the step that starts at `now_ns` [ns] and stores the end forces as
    /// external forces of the robots.
    pub(crate) fn solve_step(
        &mut self,
        scene: &Scene,
        state: &mut State,
        runners: &mut [Runner],
        workers: &mut impl Workers,
        now_ns: u64,
    ) {
        for &r in &self.robots {
            let (robot, motion) = (&scene.robots[r], &state.robots[r].motion);
            kinematics::poses(robot, motion, &mut runners[r].work.links);
            kinematics::velocities(robot, motion, &mut runners[r].work.links);
        }
        let tethers = &state.tethers;
        apply_end_forces(scene, &mut state.robots, runners, 0.0, |k| {
            tethers[k].end_force
        });
        for &r in &self.robots {
            let (robot, robot_state) = (&scene.robots[r], &mut state.robots[r]);
            if robot_state.halted.is_some() {
                continue;
            }
            let at = Moment::new(scene, &state.sea, now_ns);
            runners[r].evaluate(at, robot, robot_state);
        }
        self.solve(scene, state, runners, workers, now_ns);
        self.store_winch_power(scene, runners);
        apply_end_forces(scene, &mut state.robots, runners, scene.dt(), |k| {
            self.lines[k].pull
        });
    }

    /// Stores the power of the winches on board of each robot over the step [W].
    fn store_winch_power(&self, scene: &Scene, runners: &mut [Runner]) {
        for &r in &self.robots {
            runners[r].work.winch_power = 0.0;
        }
        for (tether, turn) in scene.tethers.iter().zip(&self.drum_motions) {
            if let Some(robot) = tether.winch_robot() {
                runners[robot].work.winch_power += turn.power;
            }
        }
    }

    fn solve(
        &mut self,
        scene: &Scene,
        state: &mut State,
        runners: &[Runner],
        workers: &mut impl Workers,
        now_ns: u64,
    ) {
        let moment = Moment::new(scene, &state.sea, now_ns);
        let at = self.environment.start_environment(moment);
        let ties = TetherSolver {
            scene,
            robots: &state.robots,
            runners,
            ends: &self.ends,
        };
        let work = |(((tether, memory), line), turn): (((&Tether, _), _), _)| {
            ties.solve(tether, memory, line, turn, &at)
        };
        let memories = scene.tethers.iter().zip(&mut state.tethers);
        let all = memories.zip(&mut self.lines).zip(&mut self.drum_motions);
        workers.for_each(Task::Tethers, all.len() as f64, all, work);
    }

    /// Makes the solution of the step that ends at `now_ns` [ns] the state of the tethers.
    pub(crate) fn commit_step(&mut self, scene: &Scene, state: &mut State, now_ns: u64) {
        for ((memory, line), turn) in state
            .tethers
            .iter_mut()
            .zip(&self.lines)
            .zip(&self.drum_motions)
        {
            if memory.halted_ns.is_some() {
                continue;
            }
            if !line.finite {
                memory.halted_ns = Some(now_ns);
                memory.end_force = [Vec3::zero(); 2];
                memory.v.fill(Vec3::zero());
                continue;
            }
            memory.p.copy_from_slice(&line.p);
            memory.v.copy_from_slice(&line.v);
            memory.end_force = line.pull;
            if let Some(segment) = line.breaking_segment {
                memory.line_break = Some(LineBreak {
                    segment,
                    time_ns: now_ns,
                });
            }
            memory.length += turn.rate * scene.dt();
            memory.winch_speed = turn.motor;
        }
    }
}

/// Robot data needed at the ends of tethers.
struct TetherSolver<'a> {
    scene: &'a Scene,
    robots: &'a [RobotState],
    /// Evaluated at the start of the step for all robots with a tether.
    runners: &'a [Runner],
    ends: &'a [usize],
}

impl TetherSolver<'_> {
    /// Solves one tether over the step.
    fn solve(
        &self,
        tether: &Tether,
        memory: &mut TetherState,
        line: &mut LineWork,
        turn: &mut DrumMotion,
        environment: &EnvironmentState<'_>,
    ) {
        if memory.halted_ns.is_some() {
            (line.pull, *turn) = ([Vec3::zero(); 2], DrumMotion::default());
            return;
        }
        let h = self.scene.dt();
        let holds = [0, 1].map(|e| self.end_condition(&tether.ends[e], memory.end_force[e]));
        set_end_nodes(memory, &holds);
        if let Some(winch) = &tether.winch {
            let carrier = tether.winch_robot().map(|r| &self.robots[r]);
            let powered = carrier.is_none_or(|robot| robot.battery.is_on());
            let fault = carrier.map_or(FaultEffect::NONE, |robot| robot.winches[tether.winch_slot]);
            *turn = winch::advance_drum(winch, tether, memory, powered, &fault, h);
        }
        // integrators of order one move the points of a robot with the new velocity; implicit Euler
        // is the matching rule
        let damping = if self.scene.integrator == Integrator::Rk4 {
            tether::DAMPING
        } else {
            0.5
        };
        let pace = StepParameters {
            h,
            rate: turn.rate,
            damping,
        };
        match tether.method {
            LineModel::Catenary if memory.line_break.is_none() => {
                catenary::step_quasi_static(tether, memory, &holds, environment, pace, line);
            }
            _ => tether::step(tether, memory, &holds, environment, pace, line),
        }
        if !line.finite {
            line.pull = [Vec3::zero(); 2];
        }
    }

    fn end_condition(&self, end: &TetherEnd, pull: Vec3) -> EndCondition {
        let (robot, link, p_LoQ) = match *end {
            TetherEnd::World(p) => return EndCondition::World(p),
            TetherEnd::Free(_) => return EndCondition::Free,
            TetherEnd::Link { robot, link, p_LoQ } => (robot, link, p_LoQ),
        };
        let work = &self.runners[robot].work;
        let (p, v, a) = motion_of(&work.links[link], p_LoQ);
        if self.robots[robot].halted.is_some() {
            return EndCondition::World(p);
        }
        let W = response::point_mobility(&self.scene.robots[robot], work, link, p_LoQ);
        // several ends on one robot must not each use its whole mass
        let share = self.ends[robot] as f64;
        EndCondition::Point {
            p,
            v,
            a,
            W: W.scale(share),
            pull,
        }
    }
}

/// Sets the end nodes to the positions and velocities of their attachment points.
fn set_end_nodes(memory: &mut TetherState, holds: &[EndCondition; 2]) {
    let last = memory.p.len() - 1;
    for (hold, i) in holds.iter().zip([0, last]) {
        match hold {
            EndCondition::Free => {}
            EndCondition::World(p) => (memory.p[i], memory.v[i]) = (*p, Vec3::zero()),
            EndCondition::Point { p, v, .. } => (memory.p[i], memory.v[i]) = (*p, *v),
        }
    }
}

/// Returns position [m], velocity [m/s] and acceleration [m/s²] in W of a point of a link that has
/// been evaluated.
fn motion_of(w: &LinkWork, p_LoQ: Vec3) -> (Vec3, Vec3, Vec3) {
    let v = w.V.v + w.V.w.cross(p_LoQ);
    let a = w.A.v + w.A.w.cross(p_LoQ) + w.V.w.cross(v);
    (
        w.p_WL + w.R_WL.mul_vec(p_LoQ),
        w.R_WL.mul_vec(v),
        w.R_WL.mul_vec(a),
    )
}

/// Writes the end forces of every tether, as returned by `of` (in W [N]), into the external forces
/// of the links.
///
/// An external force rotates with its link during the step of `h` [s]. It is rotated back, so that
/// at the midpoint of the step it points along the tether.
fn apply_end_forces(
    scene: &Scene,
    robots: &mut [RobotState],
    runners: &[Runner],
    h: f64,
    of: impl Fn(usize) -> [Vec3; 2],
) {
    let ends = || {
        scene
            .tethers
            .iter()
            .enumerate()
            .flat_map(|(k, t)| t.ends.iter().enumerate().map(move |(e, end)| (k, e, end)))
    };
    for (_, _, end) in ends() {
        if let TetherEnd::Link { robot, link, .. } = *end {
            robots[robot].external_force[link] = SpatialForce::zero();
        }
    }
    for (k, e, end) in ends() {
        let TetherEnd::Link { robot, link, p_LoQ } = *end else {
            continue;
        };
        let w = &runners[robot].work.links[link];
        let turned_back = |s: f64| Quat::from_rotation_vector(w.V.w.scale(-s * h)).matrix();
        let F_L = w.R_WL.tr_mul_vec(of(k)[e]);
        let f = turned_back(0.5).mul_vec(F_L);
        let m = p_LoQ.cross(turned_back(LEVER_FRACTION).mul_vec(F_L));
        robots[robot].external_force[link] +=
            SpatialForce::new(w.R_WL.mul_vec(m), w.R_WL.mul_vec(f));
    }
}

//! Replays a trial: the vehicle floats freely while the arm moves as measured or as its servo moves
//! it.

use crate::pool::joints::{JointMotion, JointState};
use crate::pool::model::Model;
use crate::pool::recording::{JOINTS, Quintic};
use crate::pool::score::Curve;
use crate::pool::servo::Servo;
use merrow_environment as environment;
use merrow_math::{Quat, SpatialForce, SpatialVelocity, Vec3};
use merrow_model::kinematics;
use merrow_model::scene::Drive;
use merrow_model::state::{Motion, Workspace};
use merrow_physics::{dynamics, forces};

/// Depth of the replay [m], as in the paper, so large that surface and seabed have no effect.
const DEPTH: f64 = 50.0;

/// Sampling interval of the curves of a replay [s].
pub(crate) const CURVE_STEP: f64 = 0.01;

/// Motion of the arm in a replay.
#[derive(Clone, Debug)]
pub enum ArmMotion<'a> {
    /// Exactly as measured by the encoders.
    Measured(&'a JointMotion),
    /// Moved by the servo, which follows a quintic that starts at the given time [s].
    Servo(&'a Quintic, f64),
}

/// Plan of a replay.
#[derive(Clone, Debug)]
pub struct Plan<'a> {
    /// Attitude at the start of settling.
    pub q_WB: Quat,
    /// Time to settle with the arm held, before the first sample [s].
    pub settle: f64,
    /// First and last time on the recorder's clock [s].
    pub span: [f64; 2],
    /// Joint positions of the arm while the vehicle settles [rad].
    pub hold: [f64; JOINTS],
    /// Motion of the arm after settling.
    pub arm: ArmMotion<'a>,
}

/// Curves that a replay records.
#[derive(Clone, Debug)]
pub struct Track {
    /// Roll, pitch, yaw of the vehicle [rad].
    pub rpy: [Curve; 3],
    /// Height relative to the start of settling [m].
    pub height: Curve,
    /// Positions of the joints, first the base's child [rad].
    pub joints: [Curve; JOINTS],
    /// Time [s] at which a value was no longer finite, or the vehicle faster than 100 rad/s or 100
    /// m/s; the curves end there.
    pub diverged_at: Option<f64>,
}

/// State of a replay.
pub(crate) struct Replay<'a> {
    model: &'a Model,
    motion: Motion,
    /// Stage of the integrator with the prescribed joint positions.
    stage: Motion,
    /// Workspace of the last evaluation.
    pub(crate) work: Workspace,
    commands: Vec<f64>,
    /// Accelerations of the previous step, for the delayed added mass.
    last_accelerations: Vec<SpatialVelocity>,
}

impl<'a> Replay<'a> {
    /// Creates a replay at rest, with all joints at 0.
    pub(crate) fn new(model: &'a Model, q_WB: Quat) -> Self {
        let robot = &model.robot;
        let mut motion = Motion::at_rest(robot.n_joints());
        motion.q_WB = q_WB.normalized();
        motion.p_WB = Vec3::new(0.0, 0.0, -DEPTH);
        Self {
            model,
            stage: motion.clone(),
            motion,
            work: Workspace::new(robot),
            commands: vec![0.0; robot.n_joints()],
            last_accelerations: vec![SpatialVelocity::zero(); robot.links.len()],
        }
    }

    /// Advances by one step from `t` [s]. `joints` prescribes the arm; `None` applies the efforts
    /// in `commands`.
    pub(crate) fn step(&mut self, t: f64, joints: Option<&dyn Fn(f64) -> JointState>) {
        let model = self.model;
        let dt = model.dt();
        let (motion, stage, work, commands) = (
            &mut self.motion,
            &mut self.stage,
            &mut self.work,
            &self.commands,
        );
        let before = &self.last_accelerations;
        let mut evaluate = |motion: &Motion, k: usize, work: &mut Workspace| {
            let at = joints.map(|f| f(t + [0.0, 0.5, 1.0][k] * dt));
            stage.clone_from(motion);
            accelerations(model, stage, commands, at.as_ref(), before, work);
        };
        evaluate(motion, 0, work);
        let now: Vec<SpatialVelocity> = work.links.iter().map(|w| w.A).collect();
        dynamics::integrate::advance(model.scene.integrator, dt, motion, work, evaluate);
        self.last_accelerations = now;
        if let Some(f) = joints {
            let s = f(t + dt);
            set_joints(model, &s, &mut self.motion);
        }
    }

    /// Puts the arm at `q` [rad], at rest, and evaluates the dynamics.
    pub(crate) fn hold(&mut self, q: [f64; JOINTS]) {
        let still = JointState {
            q,
            ..JointState::default()
        };
        set_joints(self.model, &still, &mut self.motion);
        let (model, motion) = (self.model, &mut self.motion);
        accelerations(
            model,
            motion,
            &self.commands,
            Some(&still),
            &self.last_accelerations,
            &mut self.work,
        );
    }

    /// Returns the acceleration of the base at the start of the last step.
    pub(crate) fn last_base_acceleration(&self) -> SpatialVelocity {
        self.last_accelerations[0]
    }

    /// Returns the joint efforts [N m] that would keep the acceleration of base and joints at zero
    /// now.
    fn bias_efforts(&mut self) -> [f64; JOINTS] {
        let model = self.model;
        accelerations(
            model,
            &mut self.motion,
            &self.commands,
            None,
            &self.last_accelerations,
            &mut self.work,
        );
        let zeros = vec![0.0; model.robot.n_joints()];
        let (_, tau) =
            dynamics::rnea::inverse(&model.robot, &SpatialVelocity::zero(), &zeros, &self.work);
        model.joints.map(|j| tau[j])
    }

    fn has_diverged(&self) -> bool {
        let V = self.motion.V_WB_B;
        self.motion.first_non_finite().is_some() || V.w.dot(V.w).max(V.v.dot(V.v)) > 1e4
    }
}

/// Sets the prescribed joint positions and velocities.
fn set_joints(model: &Model, s: &JointState, motion: &mut Motion) {
    for (k, j) in model.joints.into_iter().enumerate() {
        motion.q[j] = s.q[k];
        motion.qd[j] = s.qd[k];
    }
}

/// Evaluates the dynamics like `merrow_sim::step::Kernel::evaluate`, with prescribed joints, and
/// with the added mass as a force if the model requests it.
fn accelerations(
    model: &Model,
    motion: &mut Motion,
    commands: &[f64],
    joints: Option<&JointState>,
    before: &[SpatialVelocity],
    work: &mut Workspace,
) {
    let (robot, at) = (&model.robot, model.environment());
    if let Some(s) = joints {
        set_joints(model, s, motion);
    }
    kinematics::poses(robot, motion, &mut work.links);
    kinematics::velocities(robot, motion, &mut work.links);
    environment::sample_water_motion(robot, &at, &mut work.links);
    forces::sum(robot, &at, motion, commands, 0, work);
    if let Some(s) = joints {
        for (k, j) in model.joints.into_iter().enumerate() {
            work.qdd[j] = s.qdd[k];
        }
    }
    if model.delayed_added_mass {
        for ((link, w), A) in robot.links.iter().zip(&mut work.links).zip(before) {
            let late: SpatialForce = link.added.mul(A);
            w.F -= late;
            w.inertia = link.rigid;
        }
    }
    dynamics::aba::accelerations(robot, work);
}

/// Replays `plan` and returns the recorded curves.
pub fn replay(model: &Model, plan: &Plan<'_>) -> Track {
    let dt = model.dt();
    let mut track = Track::starting_at(plan.span[0]);
    let mut replay = Replay::new(model, plan.q_WB);
    let held = |_: f64| JointState {
        q: plan.hold,
        ..JointState::default()
    };
    set_joints(model, &held(0.0), &mut replay.motion);
    for _ in 0..libm::round(plan.settle / dt) as u64 {
        replay.step(0.0, Some(&held));
    }
    let every = libm::round(CURVE_STEP / dt).max(1.0) as u64;
    let steps = libm::round((plan.span[1] - plan.span[0]) / CURVE_STEP) as u64 * every;
    let driven;
    let mut servo = None;
    if let ArmMotion::Servo(..) = plan.arm {
        driven = model.clone().with_drive(Drive::Effort {
            stiffness: 0.0,
            spring_rest: 0.0,
        });
        replay.model = &driven;
        servo = Some(Servo::holding(
            model.controllers.clone(),
            replay.bias_efforts(),
        ));
    }
    for k in 0..=steps {
        let t = plan.span[0] + k as f64 * dt;
        if replay.has_diverged() {
            track.diverged_at = Some(t);
            break;
        }
        if k % every == 0 {
            track.push(replay.model, &replay.motion);
        }
        match (&plan.arm, &mut servo) {
            (ArmMotion::Servo(quintic, start), Some(servo)) => {
                let due = servo.due_loops(k, dt);
                if due.contains(&true) {
                    let commanded = quintic.state_at(t - start).qd;
                    let joints = replay.model.joints;
                    let bias = replay.bias_efforts();
                    let efforts =
                        servo.update(due, joints.map(|j| replay.motion.qd[j]), commanded, bias);
                    for (j, effort) in joints.into_iter().zip(efforts) {
                        replay.commands[j] = effort;
                    }
                }
                replay.step(t, None);
            }
            (ArmMotion::Measured(motion), _) => replay.step(t, Some(&|t| motion.state_at(t))),
            (ArmMotion::Servo(..), None) => {}
        }
    }
    track
}

impl Track {
    fn starting_at(start: f64) -> Self {
        let empty = || Curve {
            start,
            step: CURVE_STEP,
            values: Vec::new(),
        };
        Self {
            rpy: std::array::from_fn(|_| empty()),
            height: empty(),
            joints: std::array::from_fn(|_| empty()),
            diverged_at: None,
        }
    }

    fn push(&mut self, model: &Model, motion: &Motion) {
        for (curve, angle) in self.rpy.iter_mut().zip(motion.q_WB.matrix().to_rpy()) {
            curve.values.push(angle);
        }
        self.height.values.push(motion.p_WB.z + DEPTH);
        for (curve, j) in self.joints.iter_mut().zip(model.joints) {
            curve.values.push(motion.q[j]);
        }
    }
}

//! Complete state of a run, from which it can be continued bit for bit, and the workspace that
//! every step recomputes.

pub mod bottle;
pub mod commands;
pub mod comms;
pub mod computer;
pub mod contact;
pub mod coupling;
pub mod energy;
pub mod fault;
pub mod fault_effect;
pub mod firmware;
pub mod frames;
mod hash;
pub mod joint;
pub mod navigation;
pub mod reading;
pub mod shape;
pub mod tether;
pub mod wave_tile;
pub mod workspace;
pub mod wrench;

pub use crate::scene::robot::thruster::ActuatorState;
pub use crate::state::commands::{
    ActuatorCommand, BodyCommand, Command, DeviceCommand, FirmwareCommand, JointCommand,
};
pub use crate::state::contact::Contacts;
pub use crate::state::coupling::CouplingState;
pub use crate::state::energy::BatteryState;
pub(crate) use crate::state::energy::ChargerState;
pub use crate::state::fault::FaultState;
pub use crate::state::fault_effect::{FaultEffect, Health};
pub use crate::state::joint::{GroupState, JointDriveState};
pub use crate::state::tether::{LineBreak, TetherState, WinchCommand};
pub use crate::state::workspace::Workspace;
pub use crate::state::wrench::{AppliedWrench, WrenchFrame, WrenchSource};

use crate::scene::schedule::ScheduledCommand;
use crate::scene::{BuoyancyEngine, Fin, Robot, Scene, Sea, Sensor, SensorKind};
use crate::sensor::water::DvlLock;
use crate::state::reading::Reading;
use merrow_derive::CloneFields;
use merrow_math::{Quat, Real, SpatialForce, SpatialVelocity, Vec3};
use merrow_persist::{Persist, Tail};
use merrow_tasks::TaskState;
use std::collections::VecDeque;

/// Complete state of a world.
#[derive(Clone, Debug, Persist)]
pub struct State {
    /// Simulated time since the start [ns].
    pub time_ns: u64,
    /// Number of steps so far.
    pub step: u64,
    /// Current sea; initialised with the sea of the scene and changed by parameters.
    pub sea: Sea,
    /// One entry per robot of the scene.
    pub robots: Vec<RobotState>,
    /// Contacts and impulses of the last step.
    pub contacts: Contacts,
    /// One entry per coupling of the scene.
    pub couplings: Vec<CouplingState>,
    /// One entry per tether of the scene.
    pub tethers: Vec<TetherState>,
    /// One entry per charger of the scene.
    pub chargers: Vec<ChargerState>,
    /// Faults of beacons and fixed modems, from the world file and from commands.
    pub faults: Vec<FaultState>,
    /// Number of scheduled commands that have been applied.
    pub scheduled: u64,
    /// Network of the modems of the scene.
    pub network: comms::NetworkState,
    /// State of the task of the scene, if any; the last field.
    pub task: Tail<TaskState>,
}

/// Position and velocity of one robot (or of several robots of the same model in the lanes of `T`).
#[derive(CloneFields, Debug, Persist)]
pub struct Motion<T = f64> {
    /// Attitude of the base B in W.
    pub q_WB: Quat<T>,
    /// Base origin in W [m].
    pub p_WB: Vec3<T>,
    /// Velocity of the base at its origin, expressed in B [rad/s, m/s].
    pub V_WB_B: SpatialVelocity<T>,
    /// Joint positions, one per link after the base [rad or m].
    pub q: Vec<T>,
    /// Joint velocities [rad/s or m/s].
    pub qd: Vec<T>,
}

/// State of one robot.
#[derive(CloneFields, Debug, Persist)]
pub struct RobotState {
    /// Position and velocity of base and joints.
    pub motion: Motion,
    /// One entry per thruster.
    pub actuators: Vec<ActuatorState>,
    /// One entry per fin.
    pub fins: Vec<FinState>,
    /// One entry per buoyancy engine.
    pub buoyancy_engines: Vec<BuoyancyEngineState>,
    /// Effects of faults on the winches on board.
    pub winches: Vec<FaultEffect>,
    /// Delayed commands of fins with dead time, fin by fin [rad].
    pub fin_delays: Vec<f64>,
    /// Effort over the next step, or position for ideal position drives, one entry per joint.
    /// Written by commands for ideal drives, by the servos and by trajectories.
    pub joint_commands: Vec<f64>,
    /// One entry per joint.
    pub joints: Vec<JointDriveState>,
    /// One entry per joint group.
    pub groups: Vec<GroupState>,
    /// Time up to which the joint controllers have run [ns]; they run once per instant.
    pub joints_ns: Option<u64>,
    /// Time of the latest thruster command [ns]; `None` before the first and after a time-out.
    pub last_command_ns: Option<u64>,
    /// Radiation memory of the base: state of each filter, angular first.
    pub radiation_state: Vec<[SpatialVelocity; 2]>,
    /// State of the firmware; `None` without firmware.
    pub firmware: Option<crate::state::firmware::FirmwareState>,
    /// One entry per computer.
    pub computers: Vec<crate::state::computer::ComputerState>,
    /// One entry per sensor.
    pub sensors: Vec<SensorState>,
    /// State of the battery.
    pub battery: BatteryState,
    /// Level of each load, 0..1.
    pub loads: Vec<f64>,
    /// Electrical power of the modems over the next step [W].
    pub modem_power: f64,
    /// Faults from the world file and from commands.
    pub faults: Vec<FaultState>,
    /// External forces (tethers) over the next step: one entry per link, at Lo, in W.
    pub external_force: Vec<SpatialForce>,
    /// Wrenches from commands, present and future.
    pub applied_wrenches: Vec<AppliedWrench>,
    /// Mean contact forces of the last step: one entry per link, at Lo, in W; valid only if
    /// `has_current_forces` of `impulse_acceleration` is true.
    pub contact_force: Vec<SpatialForce>,
    /// Mean forces of couplings and funnels of the last step, without the part that the couplings
    /// apply in advance in the next step.
    pub coupling_force: Vec<SpatialForce>,
    /// Contribution of impulses to the accelerations of the last step.
    pub impulse_acceleration: ImpulseAcceleration,
    /// Reason for which the robot no longer moves; `None`: it moves. [`Halt::cause`] lists the
    /// reasons.
    pub halted: Option<Halt>,
}

/// State of one fin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Persist)]
pub struct FinState {
    /// Commanded angle of the fin [rad].
    pub command: f64,
    /// Current angle of the fin [rad].
    pub angle: f64,
    /// Mean angular rate over the last step [rad/s].
    pub rate: f64,
    /// Hydrodynamic moment about the shaft at the last evaluation; only for a robot with a battery
    /// [N m].
    pub moment: f64,
    /// Electrical power of the servo [W].
    pub power: f64,
    /// Index of the oldest command in its delay buffer.
    pub delay_at: usize,
    /// Health, set at run time.
    pub health: Health,
    /// Effect of faults on the fin.
    pub fault: FaultEffect,
}

/// State of one buoyancy engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Persist)]
pub struct BuoyancyEngineState {
    /// Commanded volume of the buoyancy engine [m³].
    pub command: f64,
    /// Current volume of the buoyancy engine [m³].
    pub volume: f64,
    /// Electrical power over the last step [W].
    pub power: f64,
    /// Effect of faults on the buoyancy engine.
    pub fault: FaultEffect,
}

/// State of one sensor.
#[derive(CloneFields, Debug, Default, Persist)]
pub struct SensorState {
    /// Number of samples taken or dropped: index of the noise draw and of the next sample time.
    pub samples: u64,
    /// Time of the next sample [ns]. It follows from `samples`, or from the measurements where the
    /// rate depends on them.
    pub due_ns: u64,
    /// Slow errors of up to six channels: bias instability and random walk.
    pub drift: [[f64; 2]; 6],
    /// True if noise is enabled; set at run time.
    pub noise: bool,
    /// Effect of faults on the sensor.
    pub fault: FaultEffect,
    /// Additional effects of faults on its separate channels (`StepProperties::fault_channels`).
    pub channel_faults: [FaultEffect; 4],
    /// State of its first-order lags; `None` before the first sample or without lags.
    pub lag: Option<SensorLag>,
    /// State of the bottles; `None` for sensors other than water samplers.
    pub sampler: Option<crate::state::bottle::SamplerState>,
    /// State of its navigation filter, if any.
    pub filter: Option<Box<crate::state::navigation::NavigationFilter>>,
    /// Last reading, repeated while stuck.
    pub last: Option<crate::state::reading::Reading>,
    /// Readings in flight: delivery time [ns] and reading.
    pub in_flight: VecDeque<(u64, crate::state::reading::Stamped)>,
}

/// State of up to three first-order lags of a sensor at the last sample.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct SensorLag {
    /// Time of the last sample [s].
    pub time: f64,
    /// Inputs at the last sample.
    pub input: [f64; 3],
    /// Outputs at the last sample.
    pub output: [f64; 3],
}

/// Contribution K of impulses to the acceleration of a step. The acceleration at the end of the
/// step is `½ A + K`, with A the free acceleration of the next step. This is the mean acceleration
/// of the step, extrapolated by half a step with the change of the free acceleration. A body at
/// rest therefore has zero acceleration to rounding error.
#[derive(CloneFields, Debug, Default, PartialEq, Persist)]
pub struct ImpulseAcceleration {
    /// True if impulses changed a velocity.
    pub is_nonzero: bool,
    /// True if the underlying forces are the forces of the last step. Also true for a robot that
    /// does not move and has no contribution.
    pub has_current_forces: bool,
    /// True if the impulses were computed in this step; false if the impulses of the preceding step
    /// were reused.
    pub is_recomputed: bool,
    /// K of the base, at Bo in B [rad/s², m/s²].
    pub A_WB_B: SpatialVelocity,
    /// K of the joints [rad/s² or m/s²].
    pub qdd: Vec<f64>,
}

impl ImpulseAcceleration {
    /// Creates a zero contribution for `n_joints` joints.
    pub fn new(n_joints: usize) -> Self {
        Self {
            qdd: vec![0.0; n_joints],
            ..Self::default()
        }
    }

    /// Resets the contribution to zero.
    pub fn clear(&mut self) {
        if self.is_nonzero || self.has_current_forces {
            (self.is_nonzero, self.has_current_forces, self.is_recomputed) = (false, false, false);
            self.A_WB_B = SpatialVelocity::zero();
            self.qdd.fill(0.0);
        }
    }
}

/// Time and cause of the halt of a robot. A halted robot stays at its pose and takes no samples
/// until its pose is set.
#[derive(CloneFields, Debug, PartialEq, Persist)]
pub struct Halt {
    /// End of the step in which the robot was halted [ns].
    pub time_ns: u64,
    /// Quantity that was no longer finite, or grid that the robot has left.
    pub cause: String,
}

impl<T: Real> Motion<T> {
    /// Creates a motion at rest at the origin.
    pub fn at_rest(n_joints: usize) -> Self {
        Self {
            q_WB: Quat::identity(),
            p_WB: Vec3::zero(),
            V_WB_B: SpatialVelocity::zero(),
            q: vec![T::zero(); n_joints],
            qd: vec![T::zero(); n_joints],
        }
    }
}

impl Motion<f64> {
    /// Returns attitude and position [m] of the base in W.
    #[inline]
    pub fn pose(&self) -> (Quat, Vec3) {
        (self.q_WB, self.p_WB)
    }
    /// Returns the name of the first quantity that is not finite.
    pub fn first_non_finite(&self) -> Option<&'static str> {
        let q = self.q_WB;
        let V = self.V_WB_B;
        if !(q.w + q.x + q.y + q.z).is_finite() {
            return Some("attitude");
        }
        if !self.p_WB.is_finite() {
            return Some("position");
        }
        if !V.v.is_finite() {
            return Some("velocity");
        }
        if !V.w.is_finite() {
            return Some("angular velocity");
        }
        let joints = self.q.iter().chain(&self.qd).all(|x| x.is_finite());
        (!joints).then_some("joint state")
    }
}

impl State {
    /// Creates the state at the start of a run.
    pub fn new(scene: &Scene) -> Self {
        let is_past = |entry: &ScheduledCommand| entry.time_ns + scene.dt_ns <= scene.start_ns;
        Self {
            time_ns: scene.start_ns,
            step: scene.start_ns / scene.dt_ns.max(1),
            sea: scene.sea.clone(),
            robots: (0..scene.robots.len())
                .map(|r| RobotState::from_scene(scene, r))
                .collect(),
            contacts: Contacts::with_capacity_for(scene.robots.len()),
            couplings: scene.couplings.iter().map(CouplingState::new).collect(),
            tethers: scene.tethers.iter().map(TetherState::new).collect(),
            chargers: vec![ChargerState::default(); scene.chargers.len()],
            faults: scene
                .faults
                .iter()
                .filter(|fault| fault.robot.is_none())
                .map(FaultState::new)
                .collect(),
            scheduled: scene.schedule.partition_point(is_past) as u64,
            network: comms::NetworkState::default(),
            task: Tail(
                scene
                    .task
                    .as_ref()
                    .map(|task| task.initial_state(scene.start_ns)),
            ),
        }
    }

    /// Returns the initial state with the settings that the user has changed since: the sea, noise
    /// switches, health of thrusters and fins, levels of loads. The corresponding parameters keep
    /// their values across a reset.
    pub fn reset(&self, scene: &Scene) -> Self {
        let sea = Sea {
            waves: self.sea.waves.without_transitions(),
            ..self.sea.clone()
        };
        let mut start = Self {
            sea,
            ..Self::new(scene)
        };
        // completes a change of the weather in progress
        start.sea.air.change = [0.0, 0.0];
        for (new, old) in start.robots.iter_mut().zip(&self.robots) {
            for (new, old) in new.actuators.iter_mut().zip(&old.actuators) {
                new.health = old.health;
            }
            for (new, old) in new.fins.iter_mut().zip(&old.fins) {
                new.health = old.health;
            }
            for (new, old) in new.sensors.iter_mut().zip(&old.sensors) {
                new.noise = old.noise;
            }
            new.loads.clone_from(&old.loads);
        }
        start
    }
}

impl RobotState {
    /// Creates the initial state of robot `index` of a scene, with the faults that the world file
    /// schedules for it.
    pub fn from_scene(scene: &Scene, index: usize) -> Self {
        let own = scene
            .faults
            .iter()
            .filter(|fault| fault.robot == Some(index));
        Self {
            faults: own.map(FaultState::new).collect(),
            ..Self::new(&scene.robots[index])
        }
    }

    /// Creates the initial state of a robot from the world file.
    pub fn new(robot: &Robot) -> Self {
        let mut motion = Motion::at_rest(robot.n_joints());
        let s = &robot.start;
        motion.q_WB = Quat::from_rpy(s.rpy[0], s.rpy[1], s.rpy[2]);
        motion.p_WB = s.p_WB;
        motion.V_WB_B = SpatialVelocity::new(s.w_WB_B, s.v_WB_B);
        motion.q.copy_from_slice(&s.q);
        motion.qd.copy_from_slice(&s.qd);
        Self {
            joint_commands: start_commands(robot),
            joints: robot.links[1..]
                .iter()
                .zip(robot.start.q.iter().zip(&robot.start.qd))
                .map(|(link, (q, qd))| JointDriveState::new(&link.joint, *q, *qd))
                .collect(),
            groups: vec![GroupState::default(); robot.joint_groups.len()],
            joints_ns: None,
            motion,
            actuators: robot.thrusters.iter().map(ActuatorState::new).collect(),
            fins: robot.fins.iter().map(FinState::new).collect(),
            buoyancy_engines: robot
                .buoyancy_engines
                .iter()
                .map(BuoyancyEngineState::new)
                .collect(),
            winches: vec![FaultEffect::NONE; robot.winches.len()],
            fin_delays: robot
                .fins
                .iter()
                .flat_map(|f| vec![f.neutral(); f.dead_steps])
                .collect(),
            last_command_ns: None,
            firmware: crate::state::firmware::FirmwareState::new(robot),
            computers: crate::state::computer::start_states(robot),
            radiation_state: vec![
                [SpatialVelocity::zero(); 2];
                robot.links[0]
                    .radiation
                    .as_ref()
                    .map_or(0, |r| r.filters.len())
            ],
            sensors: robot.sensors.iter().map(SensorState::new).collect(),
            battery: BatteryState::new(robot.battery.as_ref()),
            loads: robot.loads.iter().map(|load| load.level).collect(),
            modem_power: 0.0,
            faults: Vec::new(),
            external_force: vec![SpatialForce::zero(); robot.links.len()],
            applied_wrenches: Vec::new(),
            contact_force: vec![SpatialForce::zero(); robot.links.len()],
            coupling_force: vec![SpatialForce::zero(); robot.links.len()],
            impulse_acceleration: ImpulseAcceleration::new(robot.n_joints()),
            halted: None,
        }
    }
}

impl RobotState {
    /// Clears the contact and coupling forces of the preceding step; effective once per step.
    pub fn clear_step_forces(&mut self) {
        if !self.impulse_acceleration.has_current_forces {
            self.impulse_acceleration.has_current_forces = true;
            self.contact_force.fill(SpatialForce::zero());
            self.coupling_force.fill(SpatialForce::zero());
        }
    }
}

/// Returns the initial joint commands: position drives hold their initial position, effort drives
/// start at zero.
fn start_commands(robot: &Robot) -> Vec<f64> {
    robot.links[1..]
        .iter()
        .zip(&robot.start.q)
        .map(|(link, q)| match link.joint.drive {
            crate::scene::Drive::Position { .. } => *q,
            crate::scene::Drive::Effort { .. } | crate::scene::Drive::Servo(_) => 0.0,
        })
        .collect()
}

impl FinState {
    /// Creates the state at rest at the neutral angle.
    pub fn new(fin: &Fin) -> Self {
        let angle = fin.neutral();
        Self {
            command: angle,
            angle,
            ..Self::default()
        }
    }

    /// Sets the command [rad], clamped to the range of the fin.
    pub fn set_command(&mut self, fin: &Fin, command: f64) {
        self.command = command.clamp(fin.range[0], fin.range[1]);
    }
}

impl BuoyancyEngineState {
    /// Creates the state at the initial volume.
    pub fn new(engine: &BuoyancyEngine) -> Self {
        Self {
            command: engine.start_m3,
            volume: engine.start_m3,
            ..Self::default()
        }
    }
}

impl SensorState {
    /// Creates the initial state with capacity for the readings in flight.
    pub fn new(sensor: &Sensor) -> Self {
        Self {
            due_ns: sensor.sample_ns(0),
            noise: true,
            sampler: match &sensor.kind {
                SensorKind::WaterSampler(spec) => {
                    Some(crate::state::bottle::SamplerState::new(spec.keys.bottles))
                }
                _ => None,
            },
            filter: crate::state::navigation::NavigationFilter::for_sensor(sensor),
            in_flight: VecDeque::with_capacity(sensor.queue),
            ..Self::default()
        }
    }

    /// Counts one sample as taken or dropped and computes the time of the next sample.
    #[inline]
    pub fn count(&mut self, sensor: &Sensor) {
        self.samples += 1;
        let Some(ping_rates) = sensor.ping_rates() else {
            self.due_ns = sensor.sample_ns(self.samples);
            return;
        };
        let rate = match &self.last {
            Some(Reading::Dvl(r)) => ping_rates.rate(
                Some(r.altitude).filter(|a| a.is_finite()),
                r.lock == DvlLock::Water,
            ),
            _ => ping_rates.search,
        };
        self.due_ns = self
            .due_ns
            .saturating_add((1e9 / rate.min(sensor.rate)) as u64);
    }
}

//! All that is needed to resume a run, bit for bit; and beside it the scratch that every step derives anew.

pub mod bottle;
pub mod commands;
pub mod contact;
pub mod coupling;
pub mod energy;
pub mod fault;
pub mod firmware;
pub mod frames;
pub mod hash;
pub mod joint;
pub mod navigation;
pub mod reading;
pub mod tether;
pub mod wave_tile;
pub mod workspace;

pub use crate::state::commands::{Command, Health};
pub use crate::state::contact::Contacts;
pub use crate::state::coupling::CouplingState;
pub use crate::state::energy::{BatteryState, ChargerState};
pub use crate::state::fault::{Effect, FaultState};
pub use crate::state::joint::{GroupState, JointMemory};
pub use crate::state::tether::{Parted, TetherState, WinchCommand};
pub use crate::state::workspace::Workspace;

use crate::scene::{Ballast, Fin, Robot, Scene, Sea, Sensor, SensorKind, Thruster};
use crate::state::reading::{DvlLock, Reading};
use merrow_math::{Quat, Real, SpatialForce, SpatialVelocity, Vec3};
use std::collections::VecDeque;

/// The whole state of a world.
#[derive(Clone, Debug)]
pub struct State {
    /// Simulated time [ns].
    pub time_ns: u64,
    /// Steps made.
    pub step: u64,
    /// The water as it is now; starts as the scene's and is changed by parameters.
    pub sea: Sea,
    /// One entry per robot of the scene.
    pub robots: Vec<RobotState>,
    /// What touches what.
    pub contacts: Contacts,
    /// One per coupling of the scene.
    pub couplings: Vec<CouplingState>,
    /// One entry per tether of the scene.
    pub tethers: Vec<TetherState>,
    /// One entry per charger of the scene.
    pub chargers: Vec<ChargerState>,
    /// Faults of beacons, of the world file, and those commanded since.
    pub faults: Vec<FaultState>,
}

/// Position and velocity of one robot (or of several copies in the lanes of `T`).
#[derive(Clone, Debug)]
pub struct Motion<T = f64> {
    /// Attitude of the base B in the world W.
    pub q_WB: Quat<T>,
    /// Base origin in the world [m].
    pub p_WB: Vec3<T>,
    /// Velocity of the base at its origin, expressed in B.
    pub V_WB_B: SpatialVelocity<T>,
    /// Joint positions, one per link after the base [rad or m].
    pub q: Vec<T>,
    /// Joint velocities [rad/s or m/s].
    pub qd: Vec<T>,
}

/// State of one robot.
#[derive(Clone, Debug)]
pub struct RobotState {
    /// Position and velocity.
    pub motion: Motion,
    /// One per thruster.
    pub actuators: Vec<ActuatorState>,
    /// One per fin.
    pub fins: Vec<FinState>,
    /// One per buoyancy engine.
    pub ballasts: Vec<BallastState>,
    /// What faults do to the winches on board.
    pub winches: Vec<Effect>,
    /// Commands of fins with dead time on their way, each fin's behind the other's [rad].
    pub fin_delays: Vec<f64>,
    /// Effort over the coming step, or position for ideal position drives, one per joint. Written by commands for ideal
    /// drives, by the servos and by trajectories.
    pub joint_commands: Vec<f64>,
    /// One per joint.
    pub joints: Vec<JointMemory>,
    /// One per group of joints.
    pub groups: Vec<GroupState>,
    /// Instant up to which the joints' controllers have run [ns]: they run once for every instant.
    pub joints_ns: Option<u64>,
    /// Instant of the newest thruster command [ns]; none before the first or after a time-out.
    pub last_command_ns: Option<u64>,
    /// What the base's own waves remember of its motion: state of each filter, angular first.
    pub memory: Vec<[SpatialVelocity; 2]>,
    /// Memory of its firmware; none without one.
    pub firmware: Option<crate::state::firmware::FirmwareState>,
    /// One per sensor.
    pub sensors: Vec<SensorState>,
    /// Battery.
    pub battery: BatteryState,
    /// Level of each load, 0..1.
    pub loads: Vec<f64>,
    /// Faults of the world file, and those commanded since.
    pub faults: Vec<FaultState>,
    /// Forces from outside the robot (tethers) over the coming step: one per link, at Lo, along the world's axes.
    pub external: Vec<SpatialForce>,
    /// Mean forces of contacts over the last step: one per link, at Lo, along the world's axes; stale unless `kick.felt`.
    pub contact_force: Vec<SpatialForce>,
    /// The same of couplings and their funnels, less what couplings already begin the coming step with.
    pub coupling_force: Vec<SpatialForce>,
    /// What contacts added to the accelerations of the last step.
    pub kick: Kick,
    /// Why the robot stands still; set once a value is no longer finite.
    pub halted: Option<Halt>,
}

/// Memory of one thruster.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActuatorState {
    /// Command in the thruster's own unit.
    pub command: f64,
    /// What the curve makes of the command: thrust [N] or shaft speed [rad/s]. Kept, because commands are rare.
    pub target: f64,
    /// State of the lag.
    pub lag: [f64; 3],
    /// Health, set at run time.
    pub health: Health,
    /// Drive held while stuck (thrust [N] or shaft speed [rad/s]).
    pub stuck_at: f64,
    /// Thrust at the last evaluation [N].
    pub thrust: f64,
    /// Power at the shaft at the last evaluation, where the torque is known [W].
    pub shaft_power: f64,
    /// Drive at the end of the last step (thrust [N] or shaft speed [rad/s]), and torque at the shaft at its start [N m]; NaN where not known.
    pub shaft: [f64; 2],
    /// Electrical power [W].
    pub power: f64,
    /// Motor temperature over the water's [K].
    pub heat: f64,
    /// True while the motor has stopped to cool.
    pub too_hot: bool,
    /// Part of its thrust that power and temperature leave it over the coming step.
    pub supply: f64,
    /// What faults do to it.
    pub fault: Effect,
}

/// Memory of one fin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FinState {
    /// Commanded angle [rad].
    pub command: f64,
    /// Where it stands [rad].
    pub angle: f64,
    /// Its mean rate over the last step [rad/s].
    pub rate: f64,
    /// Moment of the water about its shaft at the last evaluation; only of a robot with a battery [N m].
    pub moment: f64,
    /// Electrical power of its servo [W].
    pub power: f64,
    /// Where among its commands on their way the oldest is.
    pub delay_at: usize,
    /// Health, set at run time.
    pub health: Health,
    /// What faults do to it.
    pub fault: Effect,
}

/// Memory of one buoyancy engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BallastState {
    /// Commanded volume [m³].
    pub command: f64,
    /// Its volume [m³].
    pub volume: f64,
    /// Electrical power over the last step [W].
    pub power: f64,
    /// What faults do to it.
    pub fault: Effect,
}

/// Memory of one sensor.
#[derive(Clone, Debug)]
pub struct SensorState {
    /// Samples taken or dropped so far: index of the noise draw and of the next due instant.
    pub samples: u64,
    /// Instant of the next sample [ns]; follows from `samples`, or from what was found so far where the rate depends on it.
    pub due_ns: u64,
    /// Slow errors of up to six channels: bias instability and random walk.
    pub drift: [[f64; 2]; 6],
    /// Noise switch, set at run time.
    pub noise: bool,
    /// What faults do to it.
    pub fault: Effect,
    /// What faults do to the parts of it that can have faults of their own, beside that (`SensorKind::parts`).
    pub parts: [Effect; 4],
    /// What its slow parts remember; none before the first sample, or without any.
    pub cells: Option<Cells>,
    /// Its bottles, of a water sampler.
    pub sampler: Option<crate::state::bottle::SamplerState>,
    /// Memory of its filter, if it has one.
    pub filter: Option<Box<crate::state::navigation::Filter>>,
    /// What it said last, for when it is stuck.
    pub last: Option<crate::state::reading::Reading>,
    /// Readings on their way: due instant [ns] and the reading.
    pub in_flight: VecDeque<(u64, crate::state::reading::Stamped)>,
}

/// What up to three slow parts of a sensor remember of the last sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cells {
    /// When it was [s].
    pub at: f64,
    /// What they met.
    pub met: [f64; 3],
    /// What they showed.
    pub shown: [f64; 3],
}

/// What impulses made of the accelerations of a step. At its end the acceleration is `½ A + K` with A that of the coming free step: the mean of
/// the step carried on by half a step, as the free acceleration has changed. So what rests has none, to rounding.
#[derive(Clone, Debug, PartialEq)]
pub struct Kick {
    /// True if impulses changed a velocity.
    pub any: bool,
    /// True if the forces behind it are of the last step; also of a robot that nothing moves, and which has no kick.
    pub felt: bool,
    /// True if the impulses were found anew; false if those of the step before still fitted.
    pub anew: bool,
    /// K of the base, at Bo in B [rad/s², m/s²].
    pub A_WB_B: SpatialVelocity,
    /// K of the joints [rad/s² or m/s²].
    pub qdd: Vec<f64>,
}

impl Kick {
    /// None yet.
    pub fn new(n_joints: usize) -> Self {
        Self {
            any: false,
            felt: false,
            anew: false,
            A_WB_B: SpatialVelocity::zero(),
            qdd: vec![0.0; n_joints],
        }
    }
    /// Back to none.
    pub fn clear(&mut self) {
        if self.any || self.felt {
            (self.any, self.felt, self.anew) = (false, false, false);
            self.A_WB_B = SpatialVelocity::zero();
            self.qdd.fill(0.0);
        }
    }
}

/// Why a robot was stopped.
#[derive(Clone, Debug, PartialEq)]
pub struct Halt {
    /// When [ns].
    pub time_ns: u64,
    /// What was no longer finite.
    pub cause: String,
}

impl<T: Real> Motion<T> {
    /// At rest at the origin.
    pub fn rest(n_joints: usize) -> Self {
        Self {
            q_WB: Quat::identity(),
            p_WB: Vec3::zero(),
            V_WB_B: SpatialVelocity::zero(),
            q: vec![T::zero(); n_joints],
            qd: vec![T::zero(); n_joints],
        }
    }
    /// Copies `other` into `self` without allocating.
    pub fn copy_from(&mut self, other: &Self) {
        self.q_WB = other.q_WB;
        self.p_WB = other.p_WB;
        self.V_WB_B = other.V_WB_B;
        self.q.copy_from_slice(&other.q);
        self.qd.copy_from_slice(&other.qd);
    }
}

impl Motion<f64> {
    /// Attitude and place of the base.
    pub fn pose(&self) -> (Quat, Vec3) {
        (self.q_WB, self.p_WB)
    }
    /// The first thing that is not finite, in words.
    pub fn not_finite(&self) -> Option<&'static str> {
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
    /// The state at the start of a run.
    pub fn new(scene: &Scene) -> Self {
        Self {
            time_ns: 0,
            step: 0,
            sea: scene.sea.clone(),
            robots: (0..scene.robots.len())
                .map(|r| RobotState::of_scene(scene, r))
                .collect(),
            contacts: Contacts::with_room(scene.robots.len()),
            couplings: scene.couplings.iter().map(CouplingState::new).collect(),
            tethers: scene.tethers.iter().map(TetherState::new).collect(),
            chargers: vec![ChargerState::default(); scene.chargers.len()],
            faults: scene
                .faults
                .iter()
                .filter(|fault| fault.robot.is_none())
                .map(FaultState::new)
                .collect(),
        }
    }

    /// The start of the run again, with what the user has set since: the water, noise switches, health of thrusters and fins,
    /// levels of loads.
    /// The parameters that say so outlive a reset.
    pub fn restarted(&self, scene: &Scene) -> Self {
        let sea = Sea {
            waves: self.sea.waves.settled(),
            ..self.sea.clone()
        };
        let mut start = Self {
            sea,
            ..Self::new(scene)
        };
        // a change of the weather that was under way is done
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
    /// Robot `index` of a scene, with the faults that the world file schedules for it.
    pub fn of_scene(scene: &Scene, index: usize) -> Self {
        let own = scene
            .faults
            .iter()
            .filter(|fault| fault.robot == Some(index));
        Self {
            faults: own.map(FaultState::new).collect(),
            ..Self::new(&scene.robots[index])
        }
    }

    /// The robot as the world file starts it.
    pub fn new(robot: &Robot) -> Self {
        let mut motion = Motion::rest(robot.n_joints());
        let s = &robot.start;
        motion.q_WB = Quat::from_rpy(s.rpy[0], s.rpy[1], s.rpy[2]);
        motion.p_WB = s.p_WB;
        motion.V_WB_B = SpatialVelocity {
            w: s.w_WB_B,
            v: s.v_WB_B,
        };
        motion.q.copy_from_slice(&s.q);
        Self {
            joint_commands: start_commands(robot),
            joints: robot.links[1..]
                .iter()
                .zip(&robot.start.q)
                .map(|(link, q)| JointMemory::new(&link.joint, *q))
                .collect(),
            groups: vec![GroupState::default(); robot.joint_groups.len()],
            joints_ns: None,
            motion,
            actuators: robot.thrusters.iter().map(ActuatorState::new).collect(),
            fins: robot.fins.iter().map(FinState::new).collect(),
            ballasts: robot.ballasts.iter().map(BallastState::new).collect(),
            winches: vec![Effect::NONE; robot.winches.len()],
            fin_delays: robot
                .fins
                .iter()
                .flat_map(|f| vec![f.neutral(); f.dead_steps])
                .collect(),
            last_command_ns: None,
            firmware: crate::state::firmware::FirmwareState::new(robot),
            memory: vec![
                [SpatialVelocity::zero(); 2];
                robot.links[0]
                    .radiation
                    .as_ref()
                    .map_or(0, |r| r.filters.len())
            ],
            sensors: robot.sensors.iter().map(SensorState::new).collect(),
            battery: BatteryState::new(robot.battery.as_ref()),
            loads: robot.loads.iter().map(|load| load.level).collect(),
            faults: Vec::new(),
            external: vec![SpatialForce::zero(); robot.links.len()],
            contact_force: vec![SpatialForce::zero(); robot.links.len()],
            coupling_force: vec![SpatialForce::zero(); robot.links.len()],
            kick: Kick::new(robot.n_joints()),
            halted: None,
        }
    }
}

impl RobotState {
    /// Forgets the forces of contacts and couplings of the step before, once a step.
    pub fn feel(&mut self) {
        if !self.kick.felt {
            self.kick.felt = true;
            self.contact_force.fill(SpatialForce::zero());
            self.coupling_force.fill(SpatialForce::zero());
        }
    }

    /// Copies itself over `spare`, a state of the same robot, without allocating.
    pub fn save(&self, spare: &mut Self) {
        let Self {
            motion,
            actuators,
            fins,
            ballasts,
            winches,
            fin_delays,
            joint_commands,
            joints,
            groups,
            joints_ns,
            last_command_ns,
            memory,
            firmware,
            sensors,
            battery,
            loads,
            faults,
            external,
            contact_force,
            coupling_force,
            kick,
            halted,
        } = self;
        spare.motion.copy_from(motion);
        spare.actuators.copy_from_slice(actuators);
        spare.fins.copy_from_slice(fins);
        spare.ballasts.copy_from_slice(ballasts);
        spare.winches.copy_from_slice(winches);
        spare.fin_delays.copy_from_slice(fin_delays);
        spare.joint_commands.copy_from_slice(joint_commands);
        spare.joints.copy_from_slice(joints);
        spare.groups.clone_from(groups);
        spare.joints_ns = *joints_ns;
        spare.last_command_ns = *last_command_ns;
        spare.memory.copy_from_slice(memory);
        spare.firmware = *firmware;
        for (to, from) in spare.sensors.iter_mut().zip(sensors) {
            (to.samples, to.due_ns, to.drift, to.noise) =
                (from.samples, from.due_ns, from.drift, from.noise);
            (to.fault, to.parts, to.cells, to.last) =
                (from.fault, from.parts, from.cells, from.last);
            to.sampler.clone_from(&from.sampler);
            if let (Some(to), Some(from)) = (&mut to.filter, &from.filter) {
                **to = **from;
            }
            to.in_flight.clone_from(&from.in_flight);
        }
        spare.battery = *battery;
        spare.loads.copy_from_slice(loads);
        spare.faults.clone_from(faults);
        spare.external.copy_from_slice(external);
        spare.contact_force.copy_from_slice(contact_force);
        spare.coupling_force.copy_from_slice(coupling_force);
        (spare.kick.any, spare.kick.felt) = (kick.any, kick.felt);
        (spare.kick.anew, spare.kick.A_WB_B) = (kick.anew, kick.A_WB_B);
        spare.kick.qdd.copy_from_slice(&kick.qdd);
        if spare.halted != *halted {
            spare.halted.clone_from(halted);
        }
    }
}

/// Position drives hold where they start; effort drives start with nothing.
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

impl ActuatorState {
    /// Standing still.
    pub fn new(thruster: &Thruster) -> Self {
        Self {
            command: thruster.neutral,
            target: thruster.drive(thruster.neutral),
            lag: [0.0; 3],
            health: Health::Healthy,
            stuck_at: 0.0,
            thrust: 0.0,
            shaft_power: 0.0,
            shaft: [0.0; 2],
            power: 0.0,
            heat: 0.0,
            too_hot: false,
            supply: 1.0,
            fault: Effect::NONE,
        }
    }

    /// Takes a command, held within the thruster's range.
    pub fn set_command(&mut self, thruster: &Thruster, command: f64) {
        self.command = command.clamp(thruster.command_range[0], thruster.command_range[1]);
        self.target = thruster.drive(self.command);
    }
}

impl FinState {
    /// Standing still at zero.
    pub fn new(fin: &Fin) -> Self {
        let angle = fin.neutral();
        Self {
            command: angle,
            angle,
            rate: 0.0,
            moment: 0.0,
            power: 0.0,
            delay_at: 0,
            health: Health::Healthy,
            fault: Effect::NONE,
        }
    }

    /// Takes a command [rad], held within the fin's range.
    pub fn set_command(&mut self, fin: &Fin, command: f64) {
        self.command = command.clamp(fin.range[0], fin.range[1]);
    }
}

impl BallastState {
    /// At its volume of the start.
    pub fn new(ballast: &Ballast) -> Self {
        Self {
            command: ballast.start,
            volume: ballast.start,
            power: 0.0,
            fault: Effect::NONE,
        }
    }
}

impl SensorState {
    /// Fresh, with room for its readings in flight.
    pub fn new(sensor: &Sensor) -> Self {
        Self {
            samples: 0,
            due_ns: sensor.sample_ns(0),
            drift: [[0.0; 2]; 6],
            noise: true,
            fault: Effect::NONE,
            parts: [Effect::NONE; 4],
            cells: None,
            sampler: match &sensor.kind {
                SensorKind::WaterSampler(spec) => {
                    Some(crate::state::bottle::SamplerState::new(spec.bottles))
                }
                _ => None,
            },
            filter: crate::state::navigation::Filter::of(sensor),
            last: None,
            in_flight: VecDeque::with_capacity(sensor.queue),
        }
    }

    /// One more sample is taken or dropped.
    pub fn count(&mut self, sensor: &Sensor) {
        self.samples += 1;
        let Some(pace) = sensor.pace() else {
            self.due_ns = sensor.sample_ns(self.samples);
            return;
        };
        let rate = match &self.last {
            Some(Reading::Dvl(r)) => pace.rate(
                Some(r.altitude).filter(|a| a.is_finite()),
                r.lock == DvlLock::Water,
            ),
            _ => pace.search,
        };
        self.due_ns = self
            .due_ns
            .saturating_add((1e9 / rate.min(sensor.rate)) as u64);
    }
}

//! External autopilot programs that control robots, in step with the world.
//!
//! [`ardupilot`] exchanges packets with ArduPilot SITL and [`px4`] MAVLink messages with PX4 SITL,
//! in step with the world. [`history`] contains the motion of the last time steps, from which both
//! receive their frames, [`ned`] converts it to their axes, and [`status`] contains the state of a
//! link.
//! [`mavlink`] sends telemetry to ground stations, [`moos`] exchanges variables with a community of
//! MOOS, and `serial` is the line of a robot's own computer.
//!
//! # Example
//! ```
//! use merrow_autopilot::mavlink::frames::{FrameBuffer, encode};
//! use mavlink::dialects::common::{ATTITUDE_DATA, MavMessage};
//!
//! // a message of vehicle 1, received as a stream of bytes
//! let message = MavMessage::ATTITUDE(ATTITUDE_DATA::default());
//! let mut buffer = FrameBuffer::default();
//! buffer.push(&encode(1, 0, &message));
//! let (header, received) = buffer.next_message().expect("a frame");
//! assert_eq!((header.system_id, received), (1, message));
//! ```

#![forbid(unsafe_code)]

pub mod ardupilot;
mod estimate;
pub mod history;
pub mod mavlink;
pub mod moos;
pub mod ned;
pub mod px4;
mod serial;
mod set_points;
pub mod status;

use crate::mavlink::Station;
use crate::status::{LinkKind, LinkStatus, LogSink, SharedStatus};
use merrow_model::scene::autopilot::{Autopilot, AutopilotKind, ServoDevice, ServoOutput};
use merrow_model::scene::{Correspondence, JointMode, Robot, Scene};
use merrow_model::state::{ActuatorCommand, Command, DeviceCommand, JointCommand};
use merrow_sim::{BlockLimit, Control, Observer, Pace, Simulation};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

/// Time for which a world waits for packets before it handles its requests.
const WAIT: Duration = Duration::from_millis(2);

/// Period of the status for the diagnostics, in simulated or wall-clock time.
const STATUS_PERIOD: Duration = Duration::from_millis(100);

/// Polling period in simulated time while the world does not wait for the autopilot [ns].
const POLL_NS: u64 = 1_000_000;

/// Returns the number of steps of `dt_ns` [ns] until the next poll for a packet.
fn poll_steps(dt_ns: u64) -> BlockLimit {
    BlockLimit::Steps((POLL_NS / dt_ns).max(1))
}

/// Link of a robot to another program.
pub(crate) trait Link {
    /// Returns the index of the connected robot in the current scene, which changes with the scene.
    fn robot(&mut self) -> &mut usize;
    /// Returns the status of the link. Its counters continue when the other program reconnects and
    /// when the state is reset.
    fn status(&self) -> &LinkStatus;
    /// Returns robot and address, for the start of a run.
    fn description(&self) -> String;
    /// Returns true if the world waits for the other program also at a pace that follows the wall
    /// clock.
    fn is_in_lock_step(&self) -> bool;
    /// Returns the socket on which packets arrive; `None` for a link that never delays the world.
    fn socket(&self) -> Option<BorrowedFd<'_>>;
    /// Adapts to a reset of the state.
    fn reset(&mut self);
    /// Sends the messages that are due before a block, receives the packets that have arrived and
    /// applies them. `follows_clock`: the world follows the wall clock. Returns the steps until the
    /// end of the frame, or [`BlockLimit::Wait`] if the next packet has not arrived.
    fn exchange(&mut self, simulation: &mut Simulation, follows_clock: bool) -> BlockLimit;
    /// Reads the simulation after a block, and sends the messages that are due then.
    fn after_block(&mut self, simulation: &Simulation);
}

/// Opens the link of a kind of the robot with the index `robot`; `None` if it has no such link.
fn open_link(
    scene: &Scene,
    robot: usize,
    kind: LinkKind,
    pace: Pace,
    log: &LogSink,
) -> Option<Result<Box<dyn Link>, String>> {
    fn boxed(link: impl Link + 'static) -> Box<dyn Link> {
        Box::new(link)
    }
    let own = &scene.robots[robot];
    let settings = |program| enabled_autopilot(own).filter(|settings| settings.kind == program);
    Some(match kind {
        LinkKind::ArduPilot => {
            let settings = settings(AutopilotKind::ArduPilot)?;
            ardupilot::Link::open(robot, &own.name, settings, log).map(boxed)
        }
        LinkKind::Px4 => {
            let settings = settings(AutopilotKind::Px4)?;
            px4::Link::open(robot, &own.name, settings, scene.seed, log).map(boxed)
        }
        LinkKind::GroundStation => Station::open(robot, &own.name, own.mavlink?, log).map(boxed),
        LinkKind::Serial => {
            let settings = own.serial.as_deref()?;
            serial::Feed::open(robot, &own.name, settings, log).map(boxed)
        }
        LinkKind::Moos => {
            let settings = own.moos.as_deref()?;
            Ok(boxed(moos::Link::open(scene, robot, settings, pace, log)))
        }
    })
}

/// Returns the command that sets `device` of robot `robot` to `value`, in the unit of the device. A
/// joint is commanded in position mode.
fn device_command(robot: usize, device: ServoDevice, value: f64) -> Command {
    match device {
        ServoDevice::Thruster(thruster) => {
            Command::Actuator(robot, ActuatorCommand::Thruster { thruster, value })
        }
        ServoDevice::Fin(fin) => Command::Actuator(robot, ActuatorCommand::Fin { fin, value }),
        ServoDevice::Joint(joint) => JointCommand::JointWithMode {
            joint,
            mode: JointMode::Position,
            value,
        }
        .of(robot),
        ServoDevice::Load(load) => {
            Command::Device(robot, DeviceCommand::Load { load, level: value })
        }
    }
}

/// Stops the thrusters of `robot` that `outputs` command, as motor controllers do without a signal.
/// Fins, joints and loads hold their commands.
fn stop_thrusters(robot: usize, outputs: &[ServoOutput], simulation: &mut Simulation) {
    for output in outputs {
        if let ServoDevice::Thruster(_) = output.device {
            // the neutral command is in the range of the thruster, so it is not refused
            let _ = simulation.apply(&device_command(robot, output.device, output.command[1]));
        }
    }
}

/// Waits at most `left` for a packet on any link. A time-out of a socket would be rounded to the
/// clock ticks of the system.
fn wait_for_packet(sockets: &[BorrowedFd<'_>], left: Duration) {
    let timeout = Timespec {
        tv_sec: left.as_secs() as i64,
        tv_nsec: i64::from(left.subsec_nanos()),
    };
    let sockets = sockets.iter().map(|s| PollFd::new(s, PollFlags::IN));
    let mut sockets: Vec<_> = sockets.collect();
    // a failure ends the wait early, which is harmless
    let _ = poll(&mut sockets, Some(&timeout));
}

/// Returns the settings of the autopilot of `robot`, if it has an enabled autopilot.
fn enabled_autopilot(robot: &Robot) -> Option<&Autopilot> {
    robot
        .autopilot
        .as_deref()
        .filter(|settings| settings.enabled)
}

/// Links of all robots, to autopilots and to ground stations. As an [`Observer`], it exchanges
/// packets before each block of steps.
pub struct Links {
    /// Links to autopilots before links to ground stations.
    links: Vec<Box<dyn Link>>,
    /// Links of robots that were added to the world and could not be opened.
    failures: Vec<LinkStatus>,
    status: SharedStatus,
    log: LogSink,
    pace: Pace,
    /// Wall-clock time and simulated time [ns] of the last update of the status.
    updated: (Instant, u64),
}

impl Links {
    /// Opens the links of all robots with an enabled autopilot, with telemetry or with a community of
    /// MOOS, in a world that runs at `pace`.
    ///
    /// # Errors
    /// A socket cannot be opened, for example because another program uses its port.
    pub fn connect(
        scene: &Scene,
        pace: Pace,
        status: SharedStatus,
        log: LogSink,
    ) -> Result<Self, String> {
        let mut links = Self {
            links: Vec::new(),
            failures: Vec::new(),
            status,
            log,
            pace,
            updated: (Instant::now(), 0),
        };
        let failures = links.open_missing(scene).into_iter();
        match failures.filter_map(|link| link.failure).next() {
            Some(why) => Err(why),
            None => {
                links.share_status();
                Ok(links)
            }
        }
    }

    /// Opens the links that the robots of a scene lack. Returns those that cannot be opened.
    fn open_missing(&mut self, scene: &Scene) -> Vec<LinkStatus> {
        let mut failures = Vec::new();
        for (k, robot) in scene.robots.iter().enumerate() {
            for kind in LinkKind::ALL {
                let mut links = self.links.iter_mut();
                if links.any(|link| link.status().kind == kind && *link.robot() == k) {
                    continue;
                }
                match open_link(scene, k, kind, self.pace, &self.log) {
                    Some(Ok(link)) => self.links.push(link),
                    Some(Err(why)) => failures.push(LinkStatus {
                        robot: robot.name.clone(),
                        kind,
                        failure: Some(why),
                        ..LinkStatus::default()
                    }),
                    None => {}
                }
            }
        }
        self.links
            .sort_by_key(|link| link.status().kind == LinkKind::GroundStation);
        failures
    }

    /// Passes the status of all links to the diagnostics.
    fn share_status(&self) {
        let links = self.links.iter().map(|link| link.status());
        let mut all: Vec<&LinkStatus> = links.chain(&self.failures).collect();
        all.sort_by_key(|status| status.kind == LinkKind::GroundStation);
        self.status.set(all.into_iter());
    }

    /// Returns a line per link: robot and address.
    pub fn descriptions(&self) -> Vec<String> {
        self.links.iter().map(|link| link.description()).collect()
    }
}

impl Observer for Links {
    fn before_block(
        &mut self,
        simulation: &mut Simulation,
        deadline: Option<Instant>,
    ) -> BlockLimit {
        let end = deadline.unwrap_or_else(|| Instant::now() + WAIT);
        loop {
            let (mut limit, mut awaited) = (u64::MAX, Vec::new());
            for (k, link) in self.links.iter_mut().enumerate() {
                match link.exchange(simulation, deadline.is_some()) {
                    BlockLimit::Steps(steps) => limit = limit.min(steps),
                    BlockLimit::Wait => awaited.push(k),
                }
            }
            let awaited: Vec<_> = awaited.into_iter().map(|k| &self.links[k]).collect();
            if awaited.is_empty() {
                return BlockLimit::Steps(limit);
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let waits = deadline.is_none() || awaited.iter().any(|link| link.is_in_lock_step());
                return if waits {
                    BlockLimit::Wait
                } else {
                    BlockLimit::Steps(1)
                };
            }
            let sockets: Vec<_> = awaited.iter().filter_map(|link| link.socket()).collect();
            wait_for_packet(&sockets, left);
        }
    }

    fn after_block(&mut self, simulation: &Simulation, _control: &Control) {
        for link in &mut self.links {
            link.after_block(simulation);
        }
        let (now_ns, (updated, updated_ns)) = (simulation.time_ns(), self.updated);
        let passed = Duration::from_nanos(now_ns.abs_diff(updated_ns)).max(updated.elapsed());
        if passed > STATUS_PERIOD {
            self.updated = (Instant::now(), now_ns);
            self.share_status();
        }
    }

    fn reset(&mut self) {
        self.links.iter_mut().for_each(|link| link.reset());
    }

    fn state_reset(&mut self) {
        self.links.iter_mut().for_each(|link| link.reset());
    }

    fn replaced(&mut self, simulation: &Simulation, same: &Correspondence) {
        self.links.retain_mut(|link| {
            let robot = link.robot();
            same.robot(*robot).map(|k| *robot = k).is_some()
        });
        self.failures = self.open_missing(&simulation.scene);
        let reasons = self
            .failures
            .iter()
            .filter_map(|link| link.failure.as_ref());
        reasons.for_each(|why| self.log.write(why));
        self.share_status();
    }
}

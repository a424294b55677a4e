//! Autopilot programs that fly robots from outside, in step with the world.
//!
//! [`packet`] decodes the outputs of ArduPilot SITL, [`history`] contains the motion of the last
//! time steps, [`state_message`] encodes the motion at the end of a frame, and [`link`] exchanges
//! packets and messages over UDP.

pub mod history;
pub mod link;
pub mod packet;
pub mod state_message;

use crate::autopilot::link::{Link, LinkStatus, Progress};
use merrow_model::scene::autopilot::Autopilot;
use merrow_model::scene::{Correspondence, Robot, Scene};
use merrow_model::state::commands::CommandRejection;
use merrow_sim::{BlockLimit, Control, Observer, Simulation};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time for which a world waits for packets before it handles its requests.
const WAIT: Duration = Duration::from_millis(2);

/// Waits until a packet of one of the links is there, at most for `left`. A time-out of a socket
/// would be rounded to the clock ticks of the system.
fn wait_for_packet(links: &[&Link], left: Duration) {
    let timeout = Timespec {
        tv_sec: left.as_secs() as i64,
        tv_nsec: i64::from(left.subsec_nanos()),
    };
    let sockets = links.iter().map(|link| link.socket());
    let mut sockets: Vec<_> = sockets.map(|s| PollFd::new(s, PollFlags::IN)).collect();
    // a failure ends the wait early, which is harmless
    let _ = poll(&mut sockets, Some(&timeout));
}

/// Settings of the autopilot of `robot`, if it has one that is enabled.
fn enabled_autopilot(robot: &Robot) -> Option<&Autopilot> {
    robot
        .autopilot
        .as_deref()
        .filter(|settings| settings.enabled)
}

/// Links of all robots with an autopilot.
pub struct Autopilots {
    links: Vec<Link>,
    status: SharedStatus,
}

/// Status of all links, for the diagnostics.
#[derive(Clone, Debug, Default)]
pub struct SharedStatus(Arc<Mutex<Vec<LinkStatus>>>);

impl SharedStatus {
    /// Returns the present status of all links.
    pub fn read(&self) -> Vec<LinkStatus> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn write(&self, links: &[Link]) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.clear();
        all.extend(links.iter().map(|link| link.status().clone()));
    }
}

impl Autopilots {
    /// Opens the sockets of all robots with an autopilot.
    ///
    /// # Errors
    /// A socket cannot be opened, for example because another program uses its port.
    pub fn connect(scene: &Scene, status: SharedStatus) -> Result<Self, String> {
        let robots = scene.robots.iter().enumerate();
        let links = robots
            .filter_map(|(k, robot)| {
                let settings = enabled_autopilot(robot)?;
                Some(Link::open(k, &robot.name, settings))
            })
            .collect::<Result<Vec<_>, _>>()?;
        status.write(&links);
        Ok(Self { links, status })
    }

    /// Returns a line per link: robot and address.
    pub fn descriptions(&self) -> Vec<String> {
        self.links.iter().map(Link::description).collect()
    }
}

impl Observer for Autopilots {
    fn before_block(
        &mut self,
        simulation: &mut Simulation,
        deadline: Option<Instant>,
    ) -> BlockLimit {
        let end = deadline.unwrap_or_else(|| Instant::now() + WAIT);
        loop {
            let (mut limit, mut awaited) = (u64::MAX, Vec::new());
            for link in &mut self.links {
                match link.exchange(simulation) {
                    Progress::Steps(steps) => limit = limit.min(steps),
                    Progress::Awaiting => awaited.push(&*link),
                }
            }
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
            wait_for_packet(&awaited, left);
        }
    }

    fn after_block(&mut self, simulation: &Simulation, _control: &Control) {
        for link in &mut self.links {
            link.read_sensors(simulation);
        }
        self.status.write(&self.links);
    }

    fn rejected(&mut self, _rejection: &CommandRejection, _simulation: &Simulation) {}

    fn reset(&mut self) {
        self.links.iter_mut().for_each(Link::reset);
    }

    fn state_reset(&mut self) {
        self.links.iter_mut().for_each(Link::reset);
    }

    fn replaced(&mut self, simulation: &Simulation, same: &Correspondence) {
        let mut kept = Vec::new();
        for mut link in self.links.drain(..) {
            if let Some(robot) = same.robot(link.robot()) {
                link.set_robot(robot);
                kept.push(link);
            }
        }
        for (k, robot) in simulation.scene.robots.iter().enumerate() {
            let Some(settings) = enabled_autopilot(robot) else {
                continue;
            };
            if kept.iter().all(|link| link.robot() != k) {
                match Link::open(k, &robot.name, settings) {
                    Ok(link) => kept.push(link),
                    Err(why) => eprintln!("merrow: {why}"),
                }
            }
        }
        self.links = kept;
        self.status.write(&self.links);
    }
}

//! Serial feed of a robot's own computer, such as that of a REMUS: navigation from it and set-points to
//! it, in the lines of `merrow_moos::feed`, over a pseudoterminal.
//!
//! A pseudoterminal has no rate: a line that the rate of the serial line could not carry in simulated
//! time is lost, as one that the other program does not read.

use crate::estimate::Estimate;
use crate::moos::motion::NauticalMotion;
use crate::set_points::SetPoints;
use crate::status::{LinkKind, LinkLog, LinkStatus, LogSink};
use merrow_model::scene::serial::SerialFeed;
use merrow_moos::feed::{Navigation, Port, Sentence};
use merrow_sim::{BlockLimit, Simulation};
use std::os::fd::BorrowedFd;

/// Bits of a byte on the line, with start and stop.
const BITS_PER_BYTE: f64 = 10.0;
/// Time for which the line can be behind [s].
const MAX_LAG_S: f64 = 0.2;

/// The feed of a robot.
#[derive(Debug)]
pub(crate) struct Feed {
    robot: usize,
    settings: SerialFeed,
    port: Port,
    estimate: Estimate,
    set_points: SetPoints,
    /// Time at which the line has carried what was written [s].
    busy_until_s: f64,
    /// Time of the next line [ns].
    next_ns: u64,
    log: LinkLog,
}

impl Feed {
    /// Opens the pseudoterminal of a robot.
    ///
    /// # Errors
    /// The system has none left.
    pub(crate) fn open(
        robot: usize,
        name: &str,
        settings: &SerialFeed,
        log: &LogSink,
    ) -> Result<Self, String> {
        let opened = Port::pseudoterminal(settings.baud);
        let (port, path) =
            opened.map_err(|why| format!("serial feed of {name}: no pseudoterminal: {why}"))?;
        Ok(Self {
            robot,
            settings: settings.clone(),
            port,
            estimate: Estimate::new(settings.navigation.clone()),
            set_points: SetPoints::default(),
            busy_until_s: 0.0,
            next_ns: 0,
            log: LinkLog::new(name, LinkKind::Serial, path, log),
        })
    }

    /// Takes the lines that have arrived.
    fn receive(&mut self) {
        let lines = match self.port.read_lines() {
            Ok(lines) => lines,
            Err(why) => return self.log.note(format!("cannot read: {why}")),
        };
        for line in lines {
            match Sentence::decode(&line) {
                Ok(Sentence::SetPoints(found)) => {
                    self.log.status.frames += 1;
                    if self.log.status.peer.is_none() {
                        self.log.connected("a program with set-points");
                    }
                    let own = &mut self.set_points;
                    let heading = found.heading_deg.map(f64::to_radians);
                    own.heading = heading.or(own.heading);
                    own.speed = found.speed_m_s.or(own.speed);
                    own.depth = found.depth_m.or(own.depth);
                }
                Ok(Sentence::Navigation(_)) => {
                    self.log.status.malformed += 1;
                    self.log.note("expected set-points, found navigation");
                }
                Err(why) => {
                    self.log.status.malformed += 1;
                    self.log.note(why);
                }
            }
        }
    }

    /// Gives the set-points to the firmware.
    fn command(&mut self, simulation: &mut Simulation) {
        for command in self.set_points.commands(self.robot) {
            if let Err(refused) = simulation.apply(&command) {
                self.log.refuse_outputs(&refused.reason);
            }
        }
    }

    /// Writes the navigation.
    fn send(&mut self, simulation: &Simulation) {
        let own = NauticalMotion::new(simulation, &self.estimate.motion(simulation, self.robot));
        let time_s = simulation.time_ns() as f64 * 1e-9;
        let line = Sentence::Navigation(Navigation {
            time_s,
            position_m: own.position,
            position_deg: own.geographic,
            depth_m: own.depth,
            altitude_m: own.altitude,
            attitude_deg: own.attitude,
            speed_m_s: own.speeds[0],
        });
        let line = line.encode();
        let takes_s = line.len() as f64 * BITS_PER_BYTE / f64::from(self.settings.baud);
        let busy_s = self.busy_until_s.max(time_s);
        if busy_s - time_s > MAX_LAG_S {
            self.log.status.lost_frames += 1;
            let baud = self.settings.baud;
            return self.log.note(format!(
                "lines at {} Hz exceed {baud} baud, and are lost; lower `rate_hz`",
                self.settings.rate_hz
            ));
        }
        self.busy_until_s = busy_s + takes_s;
        match self.port.write(&line) {
            Ok(true) => {}
            // before the other program reads
            Ok(false) => self.log.status.lost_frames += 1,
            Err(why) => self.log.note(format!("cannot write: {why}")),
        }
    }
}

impl crate::Link for Feed {
    fn robot(&mut self) -> &mut usize {
        &mut self.robot
    }

    fn description(&self) -> String {
        let LinkStatus { robot, address, .. } = &self.log.status;
        format!(
            "serial feed of {robot}: {address}, {} baud",
            self.settings.baud
        )
    }

    fn status(&self) -> &LinkStatus {
        &self.log.status
    }

    fn is_in_lock_step(&self) -> bool {
        false
    }

    fn socket(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    fn reset(&mut self) {
        (self.next_ns, self.busy_until_s) = (0, 0.0);
        self.estimate.clear();
        self.set_points = SetPoints::default();
    }

    fn exchange(&mut self, simulation: &mut Simulation, _follows_clock: bool) -> BlockLimit {
        self.receive();
        let now_ns = simulation.time_ns();
        let period_ns = (1e9 / self.settings.rate_hz).round() as u64;
        if now_ns >= self.next_ns {
            self.next_ns = (now_ns / period_ns + 1) * period_ns;
            self.command(simulation);
            self.send(simulation);
        }
        let steps = (self.next_ns - now_ns).div_ceil(simulation.scene.dt_ns);
        BlockLimit::Steps(steps.max(1))
    }

    fn after_block(&mut self, simulation: &Simulation) {
        self.estimate.read(simulation, self.robot);
    }
}

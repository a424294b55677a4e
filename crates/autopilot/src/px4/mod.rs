//! Link of a robot to PX4 SITL: exchanges MAVLink messages over TCP in step with the world.
//!
//! PX4 connects to the simulator, which sends `HIL_SENSOR` at 250 Hz and `HIL_GPS` at 10 Hz; the
//! time of `HIL_SENSOR` is the time of PX4, which answers with `HIL_ACTUATOR_CONTROLS`. Source:
//! PX4, src/modules/simulation/simulator_mavlink/SimulatorMavlink.cpp (000f5fdb).
//!
//! At a pace that follows the wall clock the frames also follow it. Otherwise, and with
//! `lock_step`, the world waits for the answer to each frame. PX4 does not answer every frame while
//! it starts or if its controllers are slower; the wait then times out after a few milliseconds.
//!
//! If PX4 stops receiving, frames are dropped as soon as the buffers of the system are full. The
//! connection stays open, and PX4 continues with the next frame that it receives.
//!
//! In a world with time steps above 4 ms, frames contain interpolated motions, and outputs take
//! effect at the next step.

pub mod hil_messages;
mod send_queue;

use crate::history::{MotionHistory, MotionSample, frame_end};
use crate::mavlink::frames::{FrameBuffer, encode};
use crate::px4::hil_messages::{Readings, SimulatedSurroundings, gnss, sensors, true_state};
use crate::px4::send_queue::SendQueue;
use crate::status::{LinkKind, LinkLog, LinkStatus, LogSink};
use crate::{device_command, poll_steps, stop_thrusters};
use mavlink::dialects::common::{HIL_ACTUATOR_CONTROLS_DATA, MavMessage};
use merrow_math::rng::Stream;
use merrow_model::scene::autopilot::{Autopilot, ServoOutput};
use merrow_model::state::reading::Reading;
use merrow_model::state::reading::magnetic_flux_density;
use merrow_sim::{BlockLimit, Simulation};
use std::io::{self, Read};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

/// Period of `HIL_SENSOR` [ns].
const FRAME_NS: u64 = 4_000_000;
/// Number of frames between two readings of magnetometer and barometer.
const SLOW_FRAMES: u64 = 5;
/// Number of frames between two fixes of the GNSS receiver.
const GNSS_FRAMES: u64 = 25;
/// Time for which the world waits for the answer to a frame.
const SHORT_WAIT: Duration = Duration::from_millis(4);
/// The same if PX4 has answered all of the last frames.
const LONG_WAIT: Duration = Duration::from_millis(500);
/// Number of frames that PX4 has answered without exception, after which the long wait holds.
const ANSWERED_FRAMES: u32 = 50;
/// Length of the buffer for received bytes.
const BUFFER: usize = 4096;
/// Number of the simulator as a MAVLink system.
const SYSTEM_ID: u8 = 1;
/// Maximum number of frames between two steps.
const MAX_FRAMES: usize = 1000;

/// Phase of the exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The frame ends at this time [ns].
    Running { until_ns: u64 },
    /// The frame was sent at this time; the outputs are due.
    Awaiting { since: Instant },
}

/// Returns the command of the device of `output`, in its unit, for the controls of PX4, -1..1.
///
/// # Errors
/// The control is missing or not finite.
pub fn output_command(output: &ServoOutput, controls: &[f32]) -> Result<f64, String> {
    match controls.get(output.channel) {
        Some(control) if control.is_finite() => Ok(output.command_from_input(f64::from(*control))),
        found => {
            let found = found.map_or_else(|| "none".to_string(), f32::to_string);
            let number = output.channel + 1;
            Err(format!(
                "output {number}: expected a number from -1 to 1, found {found}"
            ))
        }
    }
}

/// Link of a robot to its autopilot.
pub struct Link {
    robot: usize,
    settings: Autopilot,
    listener: TcpListener,
    stream: Option<TcpStream>,
    /// True if the connection has ended and the thrusters have not been stopped since.
    must_stop: bool,
    phase: Phase,
    /// Number of the last frames that were answered without exception.
    answered: u32,
    frames: FrameBuffer,
    outgoing: SendQueue,
    sequence: u8,
    /// Number of frames since the connection.
    frame: u64,
    /// Simulated time of the last frame [ns].
    sent_ns: Option<u64>,
    history: MotionHistory,
    readings: Readings,
    /// Noise of the true values.
    noise: Stream,
    log: LinkLog,
}

impl Link {
    /// Opens the port of robot `robot` in a world with the seed `seed`.
    ///
    /// # Errors
    /// The port cannot be opened, for example because another program uses it.
    pub fn open(
        robot: usize,
        name: &str,
        settings: &Autopilot,
        seed: u64,
        log: &LogSink,
    ) -> Result<Self, String> {
        let address = SocketAddr::new(settings.address, settings.port);
        let failed = |why: io::Error| {
            format!(
                "autopilot of {name}: TCP {address}: {why}; expected a free port: end the other \
                 program, or give another `instance`"
            )
        };
        let listener = TcpListener::bind(address).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        Ok(Self {
            robot,
            settings: settings.clone(),
            listener,
            stream: None,
            must_stop: false,
            phase: Phase::Running { until_ns: 0 },
            answered: 0,
            frames: FrameBuffer::default(),
            outgoing: SendQueue::default(),
            sequence: 0,
            frame: 0,
            sent_ns: None,
            history: MotionHistory::default(),
            readings: Readings::default(),
            noise: Stream::new(seed, &format!("{name}/px4")),
            log: LinkLog::new(name, LinkKind::Px4, address, log),
        })
    }

    /// Accepts the connection of PX4, and refuses connections of further programs.
    fn accept(&mut self, now_ns: u64) {
        while let Ok((stream, from)) = self.listener.accept() {
            if self.stream.is_some() {
                self.log.status.foreign += 1;
                self.log.note(format!(
                    "{from} is a second autopilot on this port: its connection is closed"
                ));
                continue;
            }
            if let Err(why) = stream
                .set_nonblocking(true)
                .and_then(|()| stream.set_nodelay(true))
            {
                self.log.note(format!("connection of {from}: {why}"));
                continue;
            }
            self.log.status.restarts += u64::from(self.log.status.frames > 0);
            (self.answered, self.frame, self.sent_ns) = (0, 0, None);
            self.phase = Phase::Running { until_ns: now_ns };
            self.frames = FrameBuffer::default();
            self.outgoing = SendQueue::default();
            self.stream = Some(stream);
            self.log.connected(from);
        }
    }

    /// Closes the connection to PX4.
    fn disconnect(&mut self, why: &str) {
        self.stream = None;
        self.must_stop = true;
        self.log.lost(why);
    }

    /// Returns the next outputs, if they have arrived.
    fn receive(&mut self) -> Option<HIL_ACTUATOR_CONTROLS_DATA> {
        let mut buffer = [0; BUFFER];
        loop {
            while let Some((_, message)) = self.frames.next_message() {
                if let MavMessage::HIL_ACTUATOR_CONTROLS(controls) = message {
                    return Some(controls);
                }
            }
            if self.frames.invalid_bytes > 0 {
                self.frames.invalid_bytes = 0;
                self.log.status.malformed += 1;
                self.log.note("bytes that are not MAVLink");
            }
            match self.stream.as_mut()?.read(&mut buffer) {
                Ok(0) => {
                    self.disconnect("the autopilot has closed the connection");
                    return None;
                }
                Ok(length) => self.frames.push(&buffer[..length]),
                Err(why) if why.kind() == io::ErrorKind::WouldBlock => return None,
                Err(why) => {
                    self.disconnect(&format!("the connection has failed: {why}"));
                    return None;
                }
            }
        }
    }

    /// Commands the devices of the robot.
    fn apply(&mut self, controls: &HIL_ACTUATOR_CONTROLS_DATA, simulation: &mut Simulation) {
        for output in &self.settings.outputs {
            let value = match output_command(output, &controls.controls) {
                Ok(value) => value,
                Err(why) => {
                    self.log.status.malformed += 1;
                    self.log.note(format!("{why}: its device is at rest"));
                    output.command[1]
                }
            };
            let command = device_command(self.robot, output.device, value);
            if let Err(refused) = simulation.apply(&command) {
                self.log.refuse_outputs(&refused.reason);
            }
        }
    }

    /// Sends the readings of the sensors at `time_ns` [ns].
    fn send_frame(&mut self, simulation: &Simulation, time_ns: u64) {
        self.sent_ns = Some(time_ns);
        let Some(motion) = self.history.motion_at(time_ns) else {
            return;
        };
        let around = SimulatedSurroundings {
            scene: &simulation.scene,
            sea: &simulation.state.sea,
        };
        let (index, mut messages) = (self.frame, Vec::new());
        if index % GNSS_FRAMES == 0 {
            messages.push(gnss(&motion, around, &self.readings));
        }
        let is_slow_due = index % SLOW_FRAMES == 0;
        if is_slow_due {
            messages.push(true_state(&motion, around));
        }
        // last, because it advances the time of PX4
        let noise = self.noise.draw(index);
        let sensors = sensors(&motion, around, &self.readings, noise, is_slow_due);
        messages.push(sensors);
        self.frame += 1;
        let mut bytes = Vec::new();
        for message in &messages {
            bytes.extend(encode(SYSTEM_ID, self.sequence, message));
            self.sequence = self.sequence.wrapping_add(1);
        }
        let Some(stream) = &mut self.stream else {
            return;
        };
        match self.outgoing.send(stream, &bytes) {
            Ok(true) => self.log.status.frames += 1,
            Ok(false) => {
                self.log.status.lost_frames += 1;
                self.log
                    .note("the autopilot receives no frames: they are dropped");
            }
            Err(why) => self.disconnect(&format!("cannot send: {why}")),
        }
    }

    /// Returns the time for which the world waits for the answer to a frame.
    fn wait(&self) -> Duration {
        if self.answered > ANSWERED_FRAMES {
            LONG_WAIT
        } else {
            SHORT_WAIT
        }
    }
}

impl crate::Link for Link {
    fn robot(&mut self) -> &mut usize {
        &mut self.robot
    }

    fn description(&self) -> String {
        let status = &self.log.status;
        format!(
            "autopilot of {}: listens for PX4 on TCP {}; the world runs without it until it connects",
            status.robot, status.address
        )
    }

    fn status(&self) -> &LinkStatus {
        &self.log.status
    }

    fn is_in_lock_step(&self) -> bool {
        self.settings.lock_step
    }

    fn socket(&self) -> Option<BorrowedFd<'_>> {
        Some(match &self.stream {
            Some(stream) => stream.as_fd(),
            None => self.listener.as_fd(),
        })
    }

    /// Closes the connection. PX4 does not support a decrease of time, so it must reconnect.
    fn reset(&mut self) {
        self.history.clear();
        self.readings = Readings::default();
        if self.stream.is_some() {
            self.disconnect("the world was reset; start PX4 again");
        }
        // the reset has set the commands to their initial values
        self.must_stop = false;
    }

    fn exchange(&mut self, simulation: &mut Simulation, follows_clock: bool) -> BlockLimit {
        self.history
            .push(MotionSample::read(simulation, self.robot));
        let (now_ns, dt_ns) = (simulation.time_ns(), simulation.scene.dt_ns);
        self.accept(now_ns);
        let mut is_answered = false;
        while let Some(controls) = self.receive() {
            self.apply(&controls, simulation);
            is_answered = true;
        }
        for _ in 0..MAX_FRAMES {
            if self.stream.is_none() {
                break;
            }
            match self.phase {
                Phase::Running { until_ns } if now_ns < until_ns => {
                    return BlockLimit::Steps((until_ns - now_ns).div_ceil(dt_ns));
                }
                Phase::Running { until_ns } => {
                    self.send_frame(simulation, until_ns);
                    let since = Instant::now();
                    self.phase = Phase::Awaiting { since };
                }
                Phase::Awaiting { since } => {
                    if is_answered {
                        self.answered = self.answered.saturating_add(1);
                    } else if !follows_clock || self.settings.lock_step {
                        if since.elapsed() < self.wait() {
                            return BlockLimit::Wait;
                        }
                        self.answered = 0;
                    }
                    is_answered = false;
                    let until_ns = frame_end(self.sent_ns, FRAME_NS, now_ns, dt_ns);
                    self.phase = Phase::Running { until_ns };
                }
            }
        }
        if std::mem::take(&mut self.must_stop) {
            stop_thrusters(self.robot, &self.settings.outputs, simulation);
        }
        if self.settings.lock_step && !self.log.status.lost {
            return BlockLimit::Wait;
        }
        poll_steps(dt_ns)
    }

    /// Keeps the latest readings of the sensors that the autopilot receives.
    fn after_block(&mut self, simulation: &Simulation) {
        let (settings, readings) = (&self.settings, &mut self.readings);
        let model = &simulation.scene.robots[self.robot];
        for delivered in &simulation.runners[self.robot].outbox {
            let (k, reading) = (Some(delivered.sensor), &delivered.stamped.reading);
            let R_BS = model.sensors[delivered.sensor].R_LS;
            match reading {
                Reading::Imu(imu) if settings.imu == k => {
                    let both = [imu.angular_velocity, imu.linear_acceleration];
                    readings.imu = Some(both.map(|v| R_BS.mul_vec(v)));
                }
                Reading::Gnss(fix) if settings.gnss == k => readings.gnss = Some(*fix),
                Reading::Pressure(pressure) if settings.barometer == k => {
                    readings.pressure = Some(pressure.pressure);
                }
                reading if settings.magnetometer == k => {
                    let field = magnetic_flux_density(reading);
                    readings.field = field.map(|field| R_BS.mul_vec(field));
                }
                _ => {}
            }
        }
    }
}

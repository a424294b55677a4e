//! Sensor models: readings of sensors from ground truth, noise and faults.
//!
//! Each sensor has its own file. The scalar and vector sensors share one noise model (`noise.rs`)
//! and one schedule (`read_due`).
//!
//! A sensor is read at the start of a step, or at the end of the preceding block, which is the same
//! instant. Pose, velocity and acceleration refer to this instant. The reading is stamped with this
//! instant and is delivered when its latency has passed. A sensor writes only its own
//! `SensorState`; readings of DVL, GNSS and pressure sensors are also passed to the inertial
//! navigation systems of the same robot.
//!
//! # Example
//! ```
//! use merrow_model::sensor::water::DepthLaw;
//! use merrow_sensors::noise::quantise;
//! use merrow_sensors::water::ctd::depth;
//!
//! // a pressure sensor with a resolution of 100 Pa at 1 MPa above the air pressure
//! let pressure = quantise(1_000_040.0, 100.0);
//! assert_eq!(pressure, 1e6);
//! // 99 m in seawater
//! let depth = depth(DepthLaw::Seawater, pressure, 9.81);
//! assert!((depth - 99.1).abs() < 0.1);
//! ```

#![forbid(unsafe_code)]

pub mod acoustic;
pub mod ais;
pub mod camera;
pub mod cost;
pub mod display;
pub mod exteroceptive;
pub mod fault;
pub mod gnss;
pub mod inertial;
pub mod lag;
pub mod laser;
pub mod measure;
pub mod noise;
pub mod obstacle;
pub mod radar;
pub mod ray_scene;
pub mod sample;
pub mod sonar;
pub mod vehicle;
pub mod water;
pub mod wave_clipmap;

use crate::measure::{Sample, take_sample};
use crate::ray_scene::StaticGeometry;
use merrow_environment::EnvironmentState;
use merrow_math::{Mat3, SpatialVelocity, Vec3};
use merrow_model::scene::{Origin, Robot, Sensor, SensorKind};
use merrow_model::state::reading::{Reading, Stamped};
use merrow_model::state::{RobotState, SensorState, Workspace};

/// A reading that is delivered after its latency has passed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Delivered {
    /// Index of the sensor on its robot.
    pub sensor: usize,
    /// The reading and the instant of its measurement [ns].
    pub stamped: Stamped,
}

/// Environment of a robot at one instant.
#[derive(Clone, Copy, Debug)]
pub struct SensorEnvironment<'a> {
    /// Sea, air and gravity at this instant.
    pub environment: &'a EnvironmentState<'a>,
    /// Geodetic origin of the world frame W.
    pub origin: &'a Origin,
    /// Static geometry of the world; with `None` there is only the seabed.
    pub static_geometry: Option<&'a StaticGeometry>,
}

/// Ground truth at a sensor at one instant.
#[derive(Clone, Copy, Debug)]
pub struct Truth<'a> {
    /// Attitude of the sensor frame S in the world frame W.
    pub R_WS: Mat3,
    /// Position of the sensor in W [m].
    pub p_WS: Vec3,
    /// Velocity of S in W, expressed in S [rad/s, m/s].
    pub V_WS_S: SpatialVelocity,
    /// Acceleration of the origin of S in W, expressed in S [m/s²].
    pub a_WS_S: Vec3,
    /// Environment of the robot at this instant.
    pub around: SensorEnvironment<'a>,
}

/// Robot that on-board sensors measure.
#[derive(Clone, Copy, Debug)]
pub struct OnBoard<'a> {
    /// Model of the robot.
    pub robot: &'a Robot,
    /// State of the robot; the memory of the sensors is elsewhere ([`Sample::memory`]).
    pub state: &'a RobotState,
    /// Evaluated kinematics and dynamics of its links.
    pub work: &'a Workspace,
    /// Simulated time of the evaluation [ns].
    pub now_ns: u64,
}

impl Truth<'_> {
    /// Computes the distance from the sensor along the unit vector `d` (in W) to the seabed or to a
    /// static structure [m]. Returns `None` if the ray hits neither.
    pub(crate) fn ray_range(&self, d: Vec3) -> Option<f64> {
        let seabed = &self.around.environment.sea.seabed;
        self.around.static_geometry.map_or_else(
            || seabed.range(self.p_WS, d),
            |geometry| geometry.range(seabed, self.p_WS, d),
        )
    }
}

/// Reads every due sensor of `robot` that is evaluated inside the step, at `now_ns` [ns], and
/// appends every reading whose latency has passed to `out`.
pub fn read_due(
    robot: &Robot,
    state: &mut RobotState,
    work: &Workspace,
    environment: &SensorEnvironment<'_>,
    now_ns: u64,
    out: &mut Vec<Delivered>,
) {
    // a sensor reads the state of its robot and writes only its own memory
    let mut sensors = std::mem::take(&mut state.sensors);
    let on_board = OnBoard {
        robot,
        state,
        work,
        now_ns,
    };
    for (idx, sensor) in robot.sensors.iter().enumerate() {
        let memory = &mut sensors[idx];
        if memory.due_ns <= now_ns && sensor.kind.exteroceptive().is_none() {
            // a sensor without power takes no sample
            let on = on_board.state.battery.is_on() && !memory.fault.dead;
            if !on && let Some(filter) = memory.filter.as_deref_mut() {
                filter.stop();
            }
            let reading = if on {
                take_sample(Sample {
                    sensor,
                    index: idx,
                    truth: &sensor_truth(sensor, work, environment),
                    on_board: &on_board,
                    // draw 0 made the fixed errors of the instrument
                    draw: sensor.stream.draw(memory.samples + 1),
                    memory,
                })
            } else {
                None
            };
            let reading = crate::fault::apply_faults(sensor, memory, reading);
            memory.count(sensor);
            if let Some(reading) = reading {
                let stamped = Stamped {
                    stamp_ns: now_ns,
                    reading,
                };
                // the usual case needs no memory of the queue
                if sensor.latency_ns == 0 && memory.in_flight.is_empty() {
                    out.push(Delivered {
                        sensor: idx,
                        stamped,
                    });
                } else {
                    let due = now_ns + sensor.latency_ns;
                    memory.in_flight.push_back((due, stamped));
                }
                forward_to_navigation(robot, &mut sensors, idx, stamped);
            }
        }
        deliver_due(&mut sensors[idx], idx, now_ns, out);
    }
    state.sensors = sensors;
}

/// Appends the readings of sensor number `sensor` whose latency has passed at `now_ns` [ns] to
/// `out`.
fn deliver_due(memory: &mut SensorState, sensor: usize, now_ns: u64, out: &mut Vec<Delivered>) {
    while has_due_reading(memory, now_ns)
        && let Some((_, stamped)) = memory.in_flight.pop_front()
    {
        out.push(Delivered { sensor, stamped });
    }
}

/// Returns true if at `now_ns` [ns] a reading must be delivered.
#[inline(always)]
fn has_due_reading(memory: &SensorState, now_ns: u64) -> bool {
    let next = memory.in_flight.front();
    next.is_some_and(|(due, _)| *due <= now_ns)
}

/// Passes a reading of sensor number `sensor` to the inertial navigation systems of the same robot.
fn forward_to_navigation(
    robot: &Robot,
    sensors: &mut [SensorState],
    sensor: usize,
    stamped: Stamped,
) {
    if !matches!(
        stamped.reading,
        Reading::Dvl(_) | Reading::Gnss(_) | Reading::Pressure(_)
    ) {
        return;
    }
    for (system, memory) in robot.sensors.iter().zip(sensors) {
        if let SensorKind::Ins(spec) = &system.kind {
            crate::inertial::ins::store_aid_reading(spec, memory, sensor, stamped);
        }
    }
}

/// Returns true if at `now_ns` [ns] a sensor must be read or a reading must be delivered.
#[inline(always)]
pub fn is_due(memory: &SensorState, now_ns: u64) -> bool {
    memory.due_ns <= now_ns || has_due_reading(memory, now_ns)
}

/// Computes pose, velocity and acceleration of a sensor from the motion of its link.
pub(crate) fn sensor_truth<'a>(
    sensor: &Sensor,
    work: &Workspace,
    environment: &SensorEnvironment<'a>,
) -> Truth<'a> {
    let link = &work.links[sensor.link];
    let (p, w) = (sensor.p_LoS, link.V.w);
    let v_S = link.V.v + w.cross(p);
    // classical acceleration of the point: spatial acceleration, plus w x v, plus the two lever-arm
    // terms
    let a_S = link.A.v + w.cross(link.V.v) + link.A.w.cross(p) + w.cross(w.cross(p));
    let R = &sensor.R_LS;
    Truth {
        R_WS: link.R_WL.mul_mat(R),
        p_WS: link.p_WL + link.R_WL.mul_vec(p),
        V_WS_S: SpatialVelocity {
            w: R.tr_mul_vec(w),
            v: R.tr_mul_vec(v_S),
        },
        a_WS_S: R.tr_mul_vec(a_S),
        around: *environment,
    }
}

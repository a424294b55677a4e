//! V01: the mission of Thetis's lake trial, heading 150 deg and depth 0.4 m, with Taipan 300 and
//! its standard autopilot.
//!
//! The paper publishes neither coefficients nor gains. Both are Merrow's, so the comparison is of
//! the manoeuvre, with a tolerance of 30 %.

use merrow_chart::canvas::Drawing;
use merrow_chart::chart::{BLACK, COLOURS, Panel, PlotCurve, coloured, draw_figure};
use merrow_control::autopilot;
use merrow_control::autopilot::{HeadingDepth, Measured};
use merrow_model::scene::{Robot, Scene};
use merrow_model::state::reading::Reading;
use merrow_model::state::{ActuatorCommand, Command};
use merrow_sim::Simulation;
use merrow_yaml::read::from_text;
use std::sync::Arc;

/// Commanded depth of the mission [m].
pub const DEPTH: f64 = 0.4;
/// Commanded heading, clockwise from north [deg].
pub(crate) const HEADING: f64 = 150.0;
/// Settling time [s] and overshoot [m] read from the figure of the paper.
pub const PAPER: [f64; 2] = [25.0, 0.4];
/// Relative tolerance of the simulation against those values.
pub const TOLERANCE: f64 = 0.3;
/// Half width of the band about the commanded depth that defines settling [m]: a quarter of the
/// depth.
pub const BAND: f64 = 0.1;

/// Duration of the mission [s].
const SECONDS: f64 = 60.0;
/// Period of the controller [s].
const PERIOD: f64 = 0.1;
/// Shaft speed for 2 m/s [rad/s].
const SHAFT: f64 = 128.0;

/// Gains chosen for Merrow, because the paper does not publish its own. The vehicle dives steeply
/// and returns slowly, with a slow pitch loop. With stiffer gains and set-points of 8 deg in both
/// directions it settles in 4 s and overshoots by 4 cm.
const GAINS: &str = "source: thetis
heading_gain: 0.8
yaw_rate_gain_s: 0.8
depth_gain_rad_per_m: 1
sinking_gain_rad_per_m_s: 0.3
pitch_gain: 0.2
pitch_rate_gain_s: 0
bow_gain: 0.3
pitch_limits_deg: [-22.918311805232932, 0.6875493541569879]";

/// State of the vehicle at one instant of the mission.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Time since the start [s].
    pub t: f64,
    /// Depth of the vehicle's origin [m].
    pub depth: f64,
    /// Heading, clockwise from north [deg].
    pub heading: f64,
    /// Pitch, nose up [deg].
    pub pitch: f64,
    /// Speed through the water [m/s].
    pub speed: f64,
    /// Angles of rudder, bow and stern planes [deg].
    pub fins: [f64; 3],
}

/// Start and end of the stall of the controller in V04 [s].
pub(crate) const STALL: [f64; 2] = [20.0, 25.0];

/// What the controller does during [`STALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Controller {
    /// It controls as at all other times.
    Runs,
    /// It sends no commands.
    Stalls,
    /// It repeats its last command.
    Repeats,
}

/// Result of the mission.
#[derive(Clone, Debug, PartialEq)]
pub struct Mission {
    /// Samples of the state, one per controller period.
    pub samples: Vec<Sample>,
    /// Time at which the vehicle entered the band about the commanded depth and remained in it [s].
    pub settled: Option<f64>,
    /// Greatest depth minus the commanded depth [m].
    pub overshoot: f64,
}

/// Simulates the mission in `scene`, whose first robot is a Taipan 300.
///
/// # Errors
/// The robot lacks one of the fins or sensors that the autopilot needs.
pub fn run_mission(scene: Arc<Scene>) -> Result<Mission, String> {
    run_with(scene, Controller::Runs)
}

/// Simulates the mission with a controller that may stall.
///
/// # Errors
/// As [`run_mission`].
pub(crate) fn run_with(scene: Arc<Scene>, controller: Controller) -> Result<Mission, String> {
    let robot = scene.robots.first().ok_or("the world has no robot")?;
    let fins = ["rudder", "bow_planes", "stern_planes"];
    let find = |name: &str| {
        robot
            .fins
            .iter()
            .position(|f| f.name == name)
            .ok_or(format!("{} has no fin {name}", robot.name))
    };
    let [rudder, bow, stern] = fins.map(find);
    let (rudder, bow, stern) = (rudder?, bow?, stern?);
    let sensors = Sensors::find(robot)?;
    let dt = scene.dt();
    let steps = libm::round(PERIOD / dt).max(1.0) as u64;
    let mut simulation = Simulation::new(Arc::clone(&scene), 1)?;
    let refused = |r: merrow_model::state::commands::CommandRejection| r.reason;
    simulation
        .apply(&Command::Actuator(
            0,
            ActuatorCommand::Thruster {
                thruster: 0,
                value: SHAFT,
            },
        ))
        .map_err(refused)?;
    let gains = from_text(GAINS).map_err(|e| e.to_string())?;
    let set_points = HeadingDepth {
        heading: HEADING.to_radians(),
        depth: DEPTH,
    };
    let (mut measured, mut samples) = (Measured::default(), Vec::new());
    let mut values = vec![0.0; scene.robots[0].fins.len()];
    while simulation.time_ns() as f64 * 1e-9 < SECONDS {
        simulation.advance(steps);
        sensors.read(&mut simulation, steps as f64 * dt, &mut measured);
        let t = simulation.time_ns() as f64 * 1e-9;
        let is_late = controller != Controller::Runs && (STALL[0]..STALL[1]).contains(&t);
        if !is_late {
            let angles = autopilot::fin_angles(&gains, &set_points, &measured);
            (values[rudder], values[bow], values[stern]) =
                (angles.rudder, angles.bow_planes, angles.stern_planes);
        }
        if !is_late || controller == Controller::Repeats {
            let values = values.clone();
            simulation
                .apply(&Command::Actuator(0, ActuatorCommand::Fins { values }))
                .map_err(refused)?;
        }
        samples.push(sample(&simulation, [rudder, bow, stern]));
    }
    let outside = samples.iter().rposition(|s| (s.depth - DEPTH).abs() > BAND);
    let settled = match outside {
        None => samples.first().map(|s| s.t),
        Some(k) => samples.get(k + 1).map(|s| s.t),
    };
    let deepest = samples.iter().map(|s| s.depth).fold(0.0, f64::max);
    Ok(Mission {
        samples,
        settled,
        overshoot: deepest - DEPTH,
    })
}

/// Indices of the sensors that measure attitude and depth.
struct Sensors {
    imu: usize,
    pressure: usize,
}

impl Sensors {
    fn find(robot: &Robot) -> Result<Self, String> {
        let find = |name: &str| {
            let found = robot.sensors.iter().position(|s| s.name == name);
            found.ok_or(format!("{} has no sensor {name}", robot.name))
        };
        Ok(Self {
            imu: find("imu")?,
            pressure: find("pressure")?,
        })
    }

    /// Copies the latest readings of the last `elapsed` seconds to `measured`.
    fn read(&self, simulation: &mut Simulation, elapsed: f64, measured: &mut Measured) {
        let last_depth = measured.depth;
        for delivered in &simulation.runners[0].outbox {
            match &delivered.stamped.reading {
                Reading::Imu(imu) if delivered.sensor == self.imu => {
                    if let Some(q) = imu.orientation {
                        let [_, pitch, yaw] = q.matrix().to_rpy();
                        (measured.pitch, measured.heading) =
                            (-pitch, std::f64::consts::FRAC_PI_2 - yaw);
                    }
                    let w = imu.angular_velocity;
                    (measured.pitch_rate, measured.yaw_rate) = (-w.y, -w.z);
                }
                Reading::Pressure(pressure) if delivered.sensor == self.pressure => {
                    measured.depth = pressure.height().map_or(0.0, |[z, _]| -z);
                }
                _ => {}
            }
        }
        measured.sinking = (measured.depth - last_depth) / elapsed;
        simulation.clear_outboxes();
    }
}

fn sample(simulation: &Simulation, fins: [usize; 3]) -> Sample {
    let state = &simulation.state.robots[0];
    let [_, pitch, yaw] = state.motion.q_WB.matrix().to_rpy();
    let heading = 90.0 - yaw.to_degrees();
    Sample {
        t: simulation.time_ns() as f64 * 1e-9,
        depth: -state.motion.p_WB.z,
        heading: if heading < 0.0 {
            heading + 360.0
        } else {
            heading
        },
        pitch: -pitch.to_degrees(),
        speed: state.motion.V_WB_B.v.norm(),
        fins: fins.map(|k| state.fins[k].angle.to_degrees()),
    }
}

impl Mission {
    /// Returns one line per limit that is missed.
    pub fn missed_limits(&self) -> Vec<String> {
        let mut misses = Vec::new();
        let mut check = |what: &str, found: Option<f64>, paper: f64, unit: &str| {
            let (lo, hi) = ((1.0 - TOLERANCE) * paper, (1.0 + TOLERANCE) * paper);
            match found {
                Some(x) if (lo..=hi).contains(&x) => {}
                Some(x) => {
                    misses.push(format!(
                        "{what}: {x:.2} {unit}; expected {lo:.2} to {hi:.2} {unit}"
                    ));
                }
                None => misses.push(format!("{what}: never; expected {lo:.2} to {hi:.2} {unit}")),
            }
        };
        check("settled at the depth", self.settled, PAPER[0], "s");
        check("overshoot", Some(self.overshoot), PAPER[1], "m");
        if let Some(last) = self
            .samples
            .last()
            .filter(|s| (s.heading - HEADING).abs() > HEADING_BAND)
        {
            misses.push(format!(
                "heading at the end: {:.1} deg; expected {HEADING} +- {HEADING_BAND}",
                last.heading
            ));
        }
        misses
    }

    /// Plots depth, pitch, heading and fin angles over time.
    pub fn figure(&self) -> Drawing {
        let points = |f: &dyn Fn(&Sample) -> f64| -> Vec<[f64; 2]> {
            self.samples.iter().map(|s| [s.t, f(s)]).collect()
        };
        let controlled = |value: f64, f: &dyn Fn(&Sample) -> f64| {
            let set_point = vec![[0.0, value], [SECONDS, value]];
            vec![
                PlotCurve::new("wanted", BLACK, true, set_point),
                PlotCurve::new("vehicle", COLOURS[0], false, points(f)),
            ]
        };
        let fins = [("rudder", 0), ("bow", 1), ("stern", 2)];
        let fins = coloured(fins.map(|(name, k)| (name, points(&|s| s.fins[k]))));
        let pitch = coloured([("", points(&|s| s.pitch))]);
        let panels = [
            // depth is plotted as negative height, so that the surface is at the top
            Panel::new("height [m]", "", controlled(-DEPTH, &|s| -s.depth)),
            Panel::new("heading [deg]", "", controlled(HEADING, &|s| s.heading)),
            Panel::new("pitch, nose up [deg]", "", pitch),
            Panel::new("fins [deg]", "time [s]", fins),
        ];
        let title = "Taipan 300, heading 150 deg and depth 0.4 m";
        draw_figure(title, &panels, 820, 170)
    }
}

/// Tolerance of the heading at the end of the mission [deg].
pub(crate) const HEADING_BAND: f64 = 3.0;

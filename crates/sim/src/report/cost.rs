//! Estimates the CPU cost of sensors before a world runs, for `merrow describe`.
//!
//! # Law
//! ```text
//!   cost = f (c_0 + Σ n_i c_i)                                                            (1)
//!   c_ray = RAY k,   k = 1 + log2(1 + N)/10                                               (2)
//!   c_waves = (FIXED + COMPONENT n) sqrt(s/0.016), for each ray that reaches the surface  (3)
//!   c_waves = CROSSING for each of these rays, and once LATTICE + POINTS n                (4)
//!   camera: pixels × instants × points per pixel × (pixel k + lamps × lamp k)
//!   sonar:  rays (ECHO + c_ray) + waves + beams × bins NUMBER + Σ main lobes × bins OPEN
//!           + Σ beam patterns × bins SPREAD
//!   radar:  lines (rows c_ray + bins LINE) + spokes × bins (NUMBER_RADAR + received lines × HEARD)
//! ```
//! (4) replaces (3) from `wave_clipmap::MIN_CLIPMAP_RAYS` rays on. (1) is fitted to measured
//! worlds. The times of exteroceptive sensors are in `crates/sensors/src/cost.rs` and in the
//! folders of their laws.
//!
//! # Symbols
//! f rate [Hz] · c time [ns] · n_i number of items of the kind i.
//!
//! # Limits
//! The estimate is accurate to a factor of two, because the hits of rays are not known in advance.
//! Sensor poses are taken at the start. The times apply to the processor of
//! docs/explanation/benchmarks-sensors.md. Encoding, recording and sending of messages are not included.
//!
//! # Checked by
//! test/budget/cost.rs

use merrow_math::{Mat3, Vec3};
use merrow_model::kinematics;
use merrow_model::scene::{Scene, SensorKind};
use merrow_model::sensor::Workload;
use merrow_model::state::{RobotState, Workspace};
use merrow_sensors::cost::{CostSite, SAMPLE, WorldCost};
use merrow_sensors::exteroceptive;

/// Reading of a sensor that is evaluated inside the step [ns]; one thread of an Intel Xeon at 2.1
/// GHz, release build.
const READING: f64 = 300.0;
/// The same for an attitude filter over inertial sensors [ns].
const ATTITUDE: f64 = 450.0;
/// The same for inertial navigation, or for the equation of state of sea water [ns].
const FILTER: f64 = 2000.0;

/// Estimates the cost of every sensor of a world at its rate, in processor cores that it occupies
/// while it is subscribed to [-]: 0.5 is half of one. Indexed by robot and sensor.
pub fn sensor_costs(scene: &Scene) -> Vec<Vec<f64>> {
    let model = CostModel::new(scene);
    let of_robot = |robot: usize| {
        let sensors = 0..scene.robots[robot].sensors.len();
        sensors
            .map(|s| 1e-9 * scene.robots[robot].sensors[s].rate * model.sample_cost(robot, s))
            .collect()
    };
    (0..scene.robots.len()).map(of_robot).collect()
}

/// Quantities common to all sensors of a world.
struct CostModel<'a> {
    world: WorldCost<'a>,
    /// Attitudes and positions of all links at the start, by robot.
    links: Vec<Vec<(Mat3, Vec3)>>,
}

impl<'a> CostModel<'a> {
    fn new(scene: &'a Scene) -> Self {
        let place = |robot| {
            let mut work = Workspace::new(robot);
            kinematics::poses(robot, &RobotState::new(robot).motion, &mut work.links);
            work.links.iter().map(|w| (w.R_WL, w.p_WL)).collect()
        };
        Self {
            world: WorldCost::new(scene),
            links: scene.robots.iter().map(place).collect(),
        }
    }

    /// Returns the time of one sample [ns].
    fn sample_cost(&self, robot: usize, sensor: usize) -> f64 {
        let device = &self.world.scene.robots[robot].sensors[sensor];
        if let Some(properties) = device.kind.properties() {
            return self.reading(&device.kind, properties.workload);
        }
        let Some(spec) = device.kind.exteroceptive() else {
            return 0.0;
        };
        let (R_WL, p_WL) = &self.links[robot][device.link];
        let site = CostSite {
            world: &self.world,
            R_WS: R_WL.mul_mat(&device.R_LS),
            z: (*p_WL + R_WL.mul_vec(device.p_LoS)).z,
            rate: device.rate,
            source: spec
                .properties()
                .source
                .map_or(0.0, |s| self.sample_cost(robot, s)),
        };
        SAMPLE + exteroceptive::law(spec).cost(&site)
    }

    /// Returns the time of one sample of a sensor that is evaluated in the step [ns].
    fn reading(&self, kind: &SensorKind, workload: Workload) -> f64 {
        let fixed = match workload {
            Workload::Reading => READING,
            Workload::AttitudeFilter => ATTITUDE,
            Workload::Filter => FILTER,
        };
        fixed + kind.rays() as f64 * self.world.ray()
    }
}

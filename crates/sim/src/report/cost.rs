//! Estimates the CPU cost of sensors before a world runs, for `merrow describe`.
//!
//! # Law
//! ```text
//!   cost = f (c_0 + Σ n_i c_i)                                                            (1)
//!   c_ray = RAY k,   k = 1 + log2(1 + N)/10                                               (2)
//!   c_waves = (FIXED + COMPONENT n) sqrt(s/0.016), for each ray that reaches the surface  (3)
//!   from `wave_clipmap::MIN_CLIPMAP_RAYS` rays on instead CROSSING each, and once LATTICE + POINTS n
//!   camera: pixels × instants × points per pixel × (pixel k + lamps × lamp k)
//!   sonar:  rays (ECHO + c_ray) + waves + beams × bins NUMBER + Σ main lobes × bins OPEN
//!           + Σ beam patterns × bins SPREAD
//!   radar:  lines (rows c_ray + bins LINE) + spokes × bins (NUMBER_RADAR + received lines × HEARD)
//! ```
//! (1) is fitted to measured worlds. The table of `UnitCosts` is measured with `merrow run WORLD
//! --no-ros --pace max --threads 1` with and without a sensor.
//!
//! # Symbols
//! f rate [Hz] · c time [ns] · n_i number of items of the kind i · N number of shapes, triangles
//! and terrain cells that rays can hit · k factor for the number of shapes · n wave components of
//! the sea · s standard deviation of its slope.
//!
//! # Frames
//! None.
//!
//! # Limits
//! The estimate is accurate to a factor of two, because the hits of rays are not known in advance.
//! Sensor poses are taken at the start. The times apply to the processor of
//! docs/benchmarks-sensors.md. Encoding, recording and sending of messages are not included.
//!
//! # Checked by
//! test/budget/cost.rs

use merrow_math::{Mat3, Vec3};
use merrow_model::kinematics;
use merrow_model::scene::robot::collision::Geometry;
use merrow_model::scene::sensor::ExteroceptiveSpec;
use merrow_model::scene::sensor::camera::{CameraOutput, CameraSpec};
use merrow_model::scene::sensor::laser::LaserSpec;
use merrow_model::scene::sensor::radar::RadarSpec;
use merrow_model::scene::sensor::sonar::{SonarKind, SonarSpec};
use merrow_model::scene::{Scene, SensorKind};
use merrow_model::sensor::Workload;
use merrow_model::state::{RobotState, Workspace};
use merrow_sensors::{laser, radar, wave_clipmap};

/// Measured times per item [ns]; one thread of an Intel Xeon at 2.1 GHz, release build.
struct UnitCosts {
    /// Reading of a sensor that is evaluated inside the step.
    reading: f64,
    /// The same for an attitude filter over inertial sensors.
    attitude: f64,
    /// The same for inertial navigation, or for the equation of state of sea water.
    filter: f64,
    /// Fixed part of a sample of an exteroceptive sensor.
    sample: f64,
    /// Ray in an empty world.
    ray: f64,
    /// Intersection of a ray with the wave surface evaluated directly: fixed part, and per
    /// component of the sea.
    waves: [f64; 2],
    /// Wave clipmap: fixed part, and per component of the sea.
    lattice: [f64; 2],
    /// Intersection of a ray with the wave clipmap.
    crossing: f64,
    /// Pixel of a camera above flat water, above waves, and under water.
    pixel: [f64; 3],
    /// Lamp per pixel, above and under water.
    lamp: [f64; 2],
    /// Pixel of a depth image without colour.
    depth: f64,
    /// Echo of one sonar ray.
    echo: f64,
    /// Noise and level of one beam and range of a sonar.
    number: f64,
    /// Volume reverberation of one column in one main lobe and range.
    open: f64,
    /// Echo of one column in one beam and range, for imaging sonars.
    spread: f64,
    /// One range of a radar line.
    line: f64,
    /// One range of a radar spoke, and each line received in it.
    spoke: [f64; 2],
    /// Reception of one beacon or transponder.
    reception: f64,
}

const UNIT_COSTS: UnitCosts = UnitCosts {
    reading: 300.0,
    attitude: 450.0,
    filter: 2000.0,
    sample: 20_000.0,
    ray: 80.0,
    waves: [500.0, 32.0],
    lattice: [1_000_000.0, 40_000.0],
    crossing: 250.0,
    pixel: [310.0, 450.0, 290.0],
    lamp: [50.0, 25.0],
    depth: 140.0,
    echo: 280.0,
    number: 15.0,
    open: 0.6,
    spread: 0.15,
    line: 100.0,
    spoke: [360.0, 2.0],
    reception: 20_000.0,
};

/// Estimates the cost of every sensor of a world at its rate, in processor cores that it occupies
/// while it is subscribed to [-]: 0.5 is half of one. Indexed by robot and sensor.
pub fn sensor_costs(scene: &Scene) -> Vec<Vec<f64>> {
    let around = CostModel::new(scene);
    let of_robot = |robot: usize| {
        let sensors = 0..scene.robots[robot].sensors.len();
        sensors
            .map(|s| 1e-9 * scene.robots[robot].sensors[s].rate * around.sample_cost(robot, s))
            .collect()
    };
    (0..scene.robots.len()).map(of_robot).collect()
}

/// Quantities common to all sensors of a world.
struct CostModel<'a> {
    scene: &'a Scene,
    /// Factor k of (2) for the number of shapes.
    scene_factor: f64,
    /// c_waves of (3) and the time of the wave clipmap [ns]; 0 without waves.
    waves: [f64; 2],
    /// Number of lamps of all robots.
    lamps: f64,
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
        let fields = scene.sea.waves.seas.iter().map(|(_, field)| field);
        let slope = |field: &merrow_model::scene::sea::waves::WaveField| {
            let c = &field.components;
            (0.5 * c
                .a
                .iter()
                .zip(&c.k)
                .map(|(a, k)| (a * k).powi(2))
                .sum::<f64>())
            .sqrt()
        };
        let cost = |[fixed, each]: [f64; 2], n: usize| fixed + each * n as f64;
        let waves = fields
            .map(|f| {
                [
                    cost(UNIT_COSTS.waves, f.n) * (slope(f) / 0.016).sqrt(),
                    cost(UNIT_COSTS.lattice, f.n),
                ]
            })
            .next();
        Self {
            scene,
            scene_factor: 1.0 + libm::log2(1.0 + count_shapes(scene)) / 10.0,
            waves: waves.unwrap_or_default(),
            lamps: scene
                .robots
                .iter()
                .map(|robot| robot.lamps.len() as f64)
                .sum(),
            links: scene.robots.iter().map(place).collect(),
        }
    }

    /// Returns the time of one sample [ns].
    fn sample_cost(&self, robot: usize, sensor: usize) -> f64 {
        let device = &self.scene.robots[robot].sensors[sensor];
        if let Some(workload) = device.kind.workload() {
            return self.reading(&device.kind, workload);
        }
        let Some(exteroceptive) = device.kind.exteroceptive() else {
            return 0.0;
        };
        let (R_WL, p_WL) = &self.links[robot][device.link];
        let (R_WS, p_WS) = (
            R_WL.mul_mat(&device.R_LS),
            *p_WL + R_WL.mul_vec(device.p_LoS),
        );
        UNIT_COSTS.sample
            + match &**exteroceptive {
                ExteroceptiveSpec::Laser(spec) => self.laser(spec, &R_WS, p_WS.z),
                ExteroceptiveSpec::Camera(spec) => self.camera(spec, p_WS.z),
                ExteroceptiveSpec::Sonar(spec) => self.sonar(spec, &R_WS, p_WS.z),
                ExteroceptiveSpec::Radar(spec) => self.radar(spec, device.rate),
                ExteroceptiveSpec::Acoustic(spec) => {
                    spec.targets.len() as f64 * (UNIT_COSTS.reception + 2.0 * self.ray())
                }
                ExteroceptiveSpec::Ais(_) => {
                    self.scene.ais.len() as f64 * (UNIT_COSTS.reception + self.ray())
                }
                // it computes the sample of the other sensor again
                ExteroceptiveSpec::Obstacles(spec) => spec
                    .sensor
                    .as_ref()
                    .map_or(0.0, |(_, s)| self.sample_cost(robot, *s)),
            }
    }

    /// Returns the time of one sample of a sensor that is evaluated in the step [ns].
    fn reading(&self, kind: &SensorKind, workload: Workload) -> f64 {
        let fixed = match workload {
            Workload::Reading => UNIT_COSTS.reading,
            Workload::AttitudeFilter => UNIT_COSTS.attitude,
            Workload::Filter => UNIT_COSTS.filter,
        };
        fixed + kind.rays() as f64 * self.ray()
    }

    fn ray(&self) -> f64 {
        UNIT_COSTS.ray * self.scene_factor
    }

    /// Returns the time for the intersections with the water surface [ns], for a total of `rays`
    /// rays and for `wet` rays that reach the surface.
    fn surface(&self, rays: f64, wet: f64) -> f64 {
        match self.waves {
            _ if wet == 0.0 => 0.0,
            [_, lattice] if rays >= wave_clipmap::MIN_CLIPMAP_RAYS as f64 && lattice > 0.0 => {
                lattice + wet * UNIT_COSTS.crossing
            }
            [each, _] => wet * each,
        }
    }

    fn laser(&self, spec: &LaserSpec, R_WS: &Mat3, z: f64) -> f64 {
        let rays = (spec.directions.len() * laser::rays_per_beam(spec)) as f64;
        if z < 0.0 {
            // rays that reach the surface from below are lost
            return rays * self.ray();
        }
        // for a tilting laser: both end positions and the midpoint
        let tilts = spec.tilt.map_or([0.0; 3], |tilt| {
            [
                tilt.limits[0],
                0.5 * (tilt.limits[0] + tilt.limits[1]),
                tilt.limits[1],
            ]
        });
        let wet = |tilt: f64| {
            let R = R_WS.mul_mat(&Mat3::from_rpy(0.0, tilt, 0.0));
            spec.directions
                .iter()
                .filter(|d| reaches_surface(R.mul_vec(**d).z, z, spec.limits[1]))
                .count() as f64
        };
        let part = tilts.map(wet).iter().sum::<f64>() / (3.0 * spec.directions.len() as f64);
        // two more rays from the surface: reflected and refracted
        rays * self.ray() * (1.0 + 2.0 * part) + self.surface(rays, part * rays)
    }

    fn camera(&self, spec: &CameraSpec, z: f64) -> f64 {
        let pixels = (spec.size[0] * spec.size[1]) as f64;
        if !CameraOutput::Rgb.is_enabled_in(spec.outputs) {
            return pixels * UNIT_COSTS.depth * self.scene_factor;
        }
        let wet = z < 0.0;
        let kind = if wet {
            2
        } else {
            usize::from(self.waves[0] > 0.0)
        };
        let instants = if spec.exposure_time > 0.0 {
            spec.instants as f64
        } else {
            1.0
        };
        let places = spec.subpixels.len().max(1) as f64;
        let pixel = UNIT_COSTS.pixel[kind] + self.lamps * UNIT_COSTS.lamp[usize::from(wet)];
        instants * places * (pixels * self.scene_factor * pixel + self.waves[1])
    }

    fn sonar(&self, spec: &SonarSpec, R_WS: &Mat3, z: f64) -> f64 {
        if z > 0.0 {
            return (spec.steering.len() * spec.bins) as f64 * UNIT_COSTS.number;
        }
        let (rays, bins) = (
            (spec.columns.len() * spec.rows.len()) as f64,
            spec.bins as f64,
        );
        let ends = spec
            .columns
            .iter()
            .flat_map(|column| spec.rows.iter().map(move |row| (column, row)));
        let up = |(column, row): (&f64, &f64)| R_WS.mul_vec(spec.direction(*column, *row)).z;
        let wet = ends
            .filter(|at| reaches_surface(up(*at), z, spec.limits[1]))
            .count() as f64;
        let (mut main, mut all) = (0, 0);
        for column in &spec.column_beams {
            (main, all) = (main + column.main.len(), all + column.weights.len());
        }
        // a sonar that points down receives the seabed in few ranges of each column
        let spread = if spec.kind == SonarKind::Imaging {
            UNIT_COSTS.spread
        } else {
            0.0
        };
        let numbers = spec.steering.len() as f64 * UNIT_COSTS.number
            + main as f64 * UNIT_COSTS.open
            + all as f64 * spread;
        // reflections from surface and seabed, and several segments of a refracted ray
        let ways = if spec.multipath { 3.0 } else { 1.0 } * if spec.refracts { 4.0 } else { 1.0 };
        ways * rays * (UNIT_COSTS.echo + self.ray()) + self.surface(rays, wet) + bins * numbers
    }

    fn radar(&self, spec: &RadarSpec, rate: f64) -> f64 {
        let (spokes, reach) = (
            spec.turns * spec.spokes as f64 / rate,
            radar::contributing_spokes(spec) as f64,
        );
        let (bins, columns) = (spec.bins as f64, spec.columns as f64);
        let lines = columns * (spokes + 2.0 * reach);
        let contributing_rays = columns * (2.0 * reach + 1.0);
        lines * (spec.rows.len() as f64 * self.ray() + bins * UNIT_COSTS.line)
            + spokes * bins * (UNIT_COSTS.spoke[0] + contributing_rays * UNIT_COSTS.spoke[1])
    }
}

/// Returns true if a ray from the height `z` [m] with the upward component `up` reaches the mean
/// surface within `far` [m].
fn reaches_surface(up: f64, z: f64, far: f64) -> bool {
    up * z < 0.0 && z.abs() < far * up.abs()
}

/// Returns the number of shapes N of (2).
fn count_shapes(scene: &Scene) -> f64 {
    let of_shape = |geometry: &Geometry| match geometry {
        Geometry::ConvexHull(mesh) | Geometry::ConvexDecomposition(mesh) | Geometry::Mesh(mesh) => {
            mesh.triangles.len()
        }
        _ => 1,
    };
    let structures = scene.structures.iter().flat_map(|s| &s.colliders);
    let robots = scene.robots.iter().flat_map(|r| &r.colliders);
    let n: usize = structures
        .chain(robots)
        .map(|c| of_shape(&c.geometry))
        .sum();
    let ground = scene
        .sea
        .seabed
        .terrain
        .as_ref()
        .map_or(0, |terrain| terrain.count().iter().product());
    (n + ground) as f64
}

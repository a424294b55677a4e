//! Measures the cost of the dynamics kernel, in nanoseconds of CPU time of a thread: the Merrow
//! part of `benches/run`.
//!
//! Prints one JSON object with medians over batches. `--mixed THREADS` instead runs the mixed
//! fleet, with all vehicles moving, as fast as possible. `--callgrind CASE STEPS` instead makes
//! that many steps of one case, for instruction counts; with 0 steps it only sets the case up,
//! which `benches/instructions` subtracts.

use merrow_environment::{EnvironmentState, Variation, WaveState};
use merrow_math::{F64x4, Vec3, f64x4};
use merrow_model::scene::{Drive, Integrator, Robot, Scene};
use merrow_model::sensor::camera::CameraOutput;
use merrow_model::state::commands::FirmwareOrder;
use merrow_model::state::firmware::ControlMode;
use merrow_model::state::{ActuatorCommand, Command, FirmwareCommand, Motion, State, Workspace};
use merrow_physics::dynamics;
use merrow_sim::Simulation;
use merrow_sim::control::firmware;
use merrow_sim::step::{Kernel, KernelReal};
use merrow_world as world;
use rustix::time::{ClockId, clock_gettime};
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

fn scene(name: &str) -> Scene {
    load(&world::data_dir::world_file(name))
}

fn load(path: &Path) -> Scene {
    match world::load_world(path, world::Overrides::default()) {
        Ok(world) => world.scene,
        Err(problems) => panic!("{problems}"),
    }
}

/// Height at which the vehicles of the cases are kept [m].
const DEEP: f64 = -50.0;

/// Returns the CPU time of this thread [ns]; other processes on the machine do not affect it.
fn thread_time_ns() -> f64 {
    let t = clock_gettime(ClockId::ThreadCPUTime);
    t.tv_sec as f64 * 1e9 + t.tv_nsec as f64
}

/// Returns the median over 21 batches of 20 to 40 ms each [ns per call].
fn time_per_call(mut call: impl FnMut()) -> f64 {
    let mut batch = |n: u32| {
        let start = thread_time_ns();
        (0..n).for_each(|_| call());
        thread_time_ns() - start
    };
    let mut n = 1_u32;
    while batch(n) < 20e6 {
        n = n.saturating_mul(2);
    }
    let mut samples: Vec<f64> = (0..21).map(|_| batch(n) / f64::from(n)).collect();
    samples.sort_by(f64::total_cmp);
    samples[10]
}

/// One robot with a general motion, ready for evaluation.
struct Case<T> {
    scene: Scene,
    motion: Motion<T>,
    commands: Vec<T>,
    work: Workspace<T>,
}

impl<T: KernelReal> Case<T> {
    fn new(name: &str) -> Self {
        Self::from_scene(scene(name))
    }

    /// Creates a case whose joints are moved by efforts, as in other libraries, instead of position
    /// drives.
    fn with_free_joints(name: &str) -> Self {
        Self::from_scene(with_effort_drives(scene(name)))
    }

    /// Creates the task of `pinocchio::aba`: q, v, tau to accelerations of a rigid tree in a
    /// vacuum.
    fn dry_with_free_joints(name: &str) -> Self {
        let mut scene = with_effort_drives(scene(name));
        for link in &mut scene.robots[0].links {
            link.wet = false;
        }
        Self::from_scene(scene)
    }

    fn from_scene(scene: Scene) -> Self {
        let robot = &scene.robots[0];
        let start = &State::new(&scene).robots[0];
        let mut motion: Motion<T> = Motion::at_rest(robot.n_joints());
        let vary = |x: f64| T::from_lanes(|i| x + 0.01 * i as f64);
        motion.p_WB.z = vary(start.motion.p_WB.z);
        motion.V_WB_B.v.x = vary(0.3);
        motion.V_WB_B.w.z = vary(0.2);
        for (j, q) in motion.q.iter_mut().enumerate() {
            *q = vary(start.motion.q[j]);
        }
        let commands = start.joint_commands.iter().map(|c| T::splat(*c)).collect();
        let work = Workspace::new(robot);
        Self {
            scene,
            motion,
            commands,
            work,
        }
    }

    fn evaluate(&mut self) {
        let at = initial_environment(&self.scene);
        let robot = &self.scene.robots[0];
        Kernel::new().evaluate(
            robot,
            &at,
            black_box(&self.motion),
            &self.commands,
            &mut self.work,
        );
    }

    fn accelerations(&mut self) {
        dynamics::aba::accelerations(black_box(&self.scene.robots[0]), &mut self.work);
    }

    fn rk4(&mut self) {
        let at = [initial_environment(&self.scene); 3];
        let robot: &Robot = &self.scene.robots[0];
        let dt = self.scene.dt();
        // deep water, so that a long series does not reach the surface
        self.motion.p_WB.z = T::splat(DEEP);
        let (kernel, how) = (Kernel::new(), (Integrator::Rk4, dt));
        kernel.evaluate(robot, &at[0], &self.motion, &self.commands, &mut self.work);
        kernel.advance(
            robot,
            how,
            &at,
            &mut self.motion,
            &self.commands,
            &mut self.work,
        );
    }
}

fn with_effort_drives(mut scene: Scene) -> Scene {
    for link in &mut scene.robots[0].links[1..] {
        link.joint.drive = Drive::Effort {
            stiffness: 0.0,
            spring_rest: 0.0,
        };
    }
    scene
}

fn initial_environment(scene: &Scene) -> EnvironmentState<'_> {
    EnvironmentState {
        sea: &scene.sea,
        gravity: scene.gravity,
        time: 0.0,
        variation: Variation::NONE,
        waves: None,
    }
}

/// A full robot step as in a run, without sensors.
struct FullStep {
    simulation: Simulation,
}

impl FullStep {
    fn new(name: &str) -> Self {
        let mut scene = scene(name);
        scene.robots.truncate(1);
        scene.robots[0].sensors.clear();
        // it is kept at a depth below the floors of the pools
        scene.robots[0].colliders.clear();
        let mut simulation = Simulation::new(Arc::new(scene), 1).expect("one thread needs no pool");
        for (actuator, thruster) in simulation.state.robots[0]
            .actuators
            .iter_mut()
            .zip(&simulation.scene.robots[0].thrusters)
        {
            actuator.set_command(
                thruster,
                0.5 * thruster.motor.range[1] + 0.5 * thruster.motor.neutral,
            );
        }
        Self { simulation }
    }

    fn step(&mut self) {
        self.simulation.state.robots[0].motion.p_WB.z = DEEP;
        self.simulation.advance(1);
    }
}

/// Returns the time per component and point [ns]: elevation of 1000 points in one call, then
/// surface and water at one point per call.
fn waves() -> [f64; 2] {
    let scene = scene("waves");
    let now = WaveState::new(&scene.sea.waves, 1e9);
    let n = scene.sea.waves.latest().map_or(0, |field| field.n) as f64;
    let x: Vec<f64> = (0..1000).map(|i| 1.3 * f64::from(i)).collect();
    let y: Vec<f64> = (0..1000).map(|i| -0.7 * f64::from(i)).collect();
    let mut out = vec![0.0; 1000];
    let many = time_per_call(|| now.elevations(black_box(&x), &y, &mut out)) / (1000.0 * n);
    let one = time_per_call(|| {
        black_box(now.surface_and_motion(black_box(Vec3::new(31.0, -7.0, -1.0))));
    });
    [many, one / n]
}

/// Returns the time of one hull evaluation [ns] with 2048 triangles in a sea of 80 waves: a quarter
/// of a step, including the wave grid.
fn hull() -> f64 {
    let mut scene = scene("hulls");
    let buoy = scene
        .robots
        .iter()
        .position(|r| r.name == "buoy")
        .expect("world hulls has a buoy");
    scene.robots.swap(0, buoy);
    scene.robots.truncate(1);
    let robot = &mut scene.robots[0];
    robot.sensors.clear();
    robot.links[0].radiation = None;
    let mut simulation = Simulation::new(Arc::new(scene), 1).expect("one thread needs no pool");
    // until the initial transient has decayed
    simulation.advance(2000);
    time_per_call(|| simulation.advance(1)) / 4.0
}

/// Returns the real-time factor of the mixed fleet in motion, with its state hash: AUVs dive, boats
/// move, drones hover.
fn mixed(threads: usize) -> serde_json::Value {
    const SETTLE_S: f64 = 8.0;
    const MEASURE_S: f64 = 10.0;
    let mut all = Simulation::new(Arc::new(scene("fleet_mixed")), threads).expect("threads start");
    let fleet = Arc::clone(&all.scene);
    for (robot, model) in fleet.robots.iter().enumerate() {
        let mut tell = |command| all.apply(&command).expect("the fleet accepts its commands");
        if model.firmware.is_some() {
            tell(Command::Firmware(
                robot,
                FirmwareCommand::FirmwareOrder {
                    order: FirmwareOrder::TakeOff,
                },
            ));
            continue;
        }
        for (thruster, one) in model.thrusters.iter().enumerate() {
            let value = one.motor.neutral + 0.6 * (one.motor.range[1] - one.motor.neutral);
            tell(Command::Actuator(
                robot,
                ActuatorCommand::Thruster { thruster, value },
            ));
        }
    }
    let block = 10;
    let blocks = |seconds: f64| (seconds / fleet.dt() / block as f64) as u64;
    let mut run = |blocks: u64| {
        for _ in 0..blocks {
            all.advance(block);
            all.clear_outboxes();
        }
    };
    run(blocks(SETTLE_S));
    let start = std::time::Instant::now();
    run(blocks(MEASURE_S));
    let wall_s = start.elapsed().as_secs_f64();
    assert!(
        all.state.robots.iter().all(|r| r.halted.is_none()),
        "a robot stopped during a measurement"
    );
    let flying = fleet
        .robots
        .iter()
        .zip(&all.state.robots)
        .filter(|(model, _)| model.firmware.is_some());
    assert!(
        flying.clone().all(|(_, state)| state.motion.p_WB.z > 5.0),
        "a drone lost its height"
    );
    serde_json::json!({"real_time_factor": MEASURE_S / wall_s, "state_hash": all.state.hash()})
}

/// Makes `steps` steps of one case.
fn callgrind(case: &str, steps: u64) {
    match case {
        "rov_step" => {
            let mut full = FullStep::new("pool");
            (0..steps).for_each(|_| full.step());
        }
        "uvms_step" => {
            let mut full = FullStep::new("uvms_pool");
            (0..steps).for_each(|_| full.step());
        }
        "uvms_aba" => {
            let mut case = Case::<f64>::with_free_joints("uvms_pool");
            case.evaluate();
            (0..steps).for_each(|_| case.accelerations());
        }
        "fleet" => {
            let mut all =
                Simulation::new(Arc::new(scene("fleet_100")), 1).expect("one thread needs no pool");
            for _ in 0..steps {
                all.advance(1);
                all.clear_outboxes();
            }
        }
        "contact" => {
            let pile = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/worlds/pile_50.yaml");
            let mut pile =
                Simulation::new(Arc::new(load(&pile)), 1).expect("one thread needs no pool");
            (0..steps).for_each(|_| pile.advance(1));
        }
        "camera" => {
            let sea = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/worlds/camera.yaml");
            let mut sea =
                Simulation::new(Arc::new(load(&sea)), 1).expect("one thread needs no pool");
            let scene = Arc::clone(&sea.scene);
            let scheduler = sea.sensor_scheduler.as_ref().expect("cameras");
            // one camera above the water and one below
            (0..2).for_each(|robot| {
                scheduler.request_outputs(&scene, robot, 0, CameraOutput::Rgb as u8)
            });
            let to_next = 100_000_000 / scene.dt_ns;
            (0..steps).for_each(|_| sea.advance(to_next));
            assert!(steps == 0 || !sea.frames.is_empty(), "no images");
        }
        _ => panic!(
            "no case {case}: expected rov_step, uvms_step, uvms_aba, fleet, contact or camera"
        ),
    }
}

/// Returns the time of one tick of the motion controller of a BlueROV2 Heavy that keeps station
/// [ns]: with thrusts within the limits, and with thrusters at their limits.
fn motion_control() -> [f64; 2] {
    [0.05, 3.0].map(|speed| {
        let mut simulation = Simulation::new(Arc::new(scene("pool")), 1).expect("a simulation");
        let mode = ControlMode::StationKeeping;
        let command = Command::Firmware(0, FirmwareCommand::ControlMode { mode });
        simulation.apply(&command).expect("a mode of the robot");
        simulation.advance(10);
        let scene = Arc::clone(&simulation.scene);
        let (robot, state) = (&scene.robots[0], &mut simulation.state.robots[0]);
        state.motion.V_WB_B.v = Vec3::new(speed, speed, -speed);
        let period_ns = robot.firmware.as_ref().map_or(0.0, |f| 1e9 / f.rate_hz) as u64;
        let mut now_ns = simulation.state.time_ns;
        let environment = EnvironmentState {
            sea: &scene.sea,
            gravity: scene.gravity,
            time: 0.0,
            variation: Variation::NONE,
            waves: None,
        };
        time_per_call(|| {
            now_ns += period_ns;
            firmware::advance(robot, state, &environment, now_ns);
        })
    })
}

/// Measures the time of every case [ns], by name.
fn measure_times() -> serde_json::Map<String, serde_json::Value> {
    let mut rows = serde_json::Map::new();
    let mut row = |name: &str, ns: f64| {
        rows.insert(
            name.to_string(),
            serde_json::json!((ns * 100.0).round() / 100.0),
        );
    };
    let mut rov = Case::<f64>::new("pool");
    row("6-DOF derivative", time_per_call(|| rov.evaluate()));
    row("6-DOF RK4 step", time_per_call(|| rov.rk4()));
    if f64x4::is_supported() {
        let mut lanes = Case::<F64x4>::new("pool");
        row(
            "6-DOF RK4 step, per robot of 4 lanes",
            time_per_call(|| lanes.rk4()) / 4.0,
        );
    }
    let mut full = FullStep::new("pool");
    row(
        "BlueROV2 Heavy whole step (8 thrusters, battery)",
        time_per_call(|| full.step()),
    );
    let mut dry = Case::<f64>::dry_with_free_joints("uvms_pool");
    row(
        "10-DOF forward dynamics (q, v, tau to accelerations, no water)",
        time_per_call(|| dry.evaluate()),
    );
    let mut uvms = Case::<f64>::with_free_joints("uvms_pool");
    uvms.evaluate();
    row(
        "10-DOF ABA passes only",
        time_per_call(|| uvms.accelerations()),
    );
    row("10-DOF derivative", time_per_call(|| uvms.evaluate()));
    row("10-DOF RK4 step", time_per_call(|| uvms.rk4()));
    let mut driven = Case::<f64>::new("uvms_pool");
    row(
        "10-DOF RK4 step, position drives",
        time_per_call(|| driven.rk4()),
    );
    let mut full = FullStep::new("uvms_pool");
    row("OSU UVMS whole step", time_per_call(|| full.step()));
    let [within, at_limits] = motion_control();
    row(
        "motion control, one tick, thrusts within the limits",
        within,
    );
    row(
        "motion control, one tick, thrusters at their limits",
        at_limits,
    );
    let [many, one] = waves();
    row(
        "waves: elevation of many points, per component and point",
        many,
    );
    row("waves: surface and water at one point, per component", one);
    row("hull of 2048 triangles in 80 waves, one evaluation", hull());
    rows
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(k) = arguments.iter().position(|a| a == "--callgrind") {
        let argument = |n: usize| arguments.get(k + n).map_or("", String::as_str);
        callgrind(
            argument(1),
            argument(2)
                .parse()
                .expect("a number of steps after the case"),
        );
        return;
    }
    if let Some(k) = arguments.iter().position(|a| a == "--mixed") {
        let threads = arguments
            .get(k + 1)
            .and_then(|n| n.parse().ok())
            .expect("a number of threads");
        println!("{}", mixed(threads));
        return;
    }
    println!("{}", serde_json::Value::Object(measure_times()));
}

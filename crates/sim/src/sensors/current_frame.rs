//! Frames of exteroceptive sensors of a world at rest, for images of the command line: computed at
//! once on the calling thread, without the scheduler.

use crate::Simulation;
use crate::control::fault;
use crate::environment_cache::EnvironmentCache;
use crate::robot::Moment;
use crate::sensors::cpu_meter::CpuMeter;
use crate::sensors::priority::{Class, Priority};
use crate::sensors::scheduler::{ALL_OUTPUTS, source_errors};
use crate::sensors::worker::{Sample, SampleRequest, Worker};
use crate::sensors::world_view;
use merrow_math::rng::Stream;
use merrow_math::{Mat3, SpatialVelocity, Vec3};
use merrow_model::state::FaultEffect;
use merrow_model::state::frames::FrameData;
use merrow_model::state::frames::view::WorldView;
use merrow_sensors::exteroceptive::{Observation, Observe};
use merrow_sensors::ray_scene::{RayScenes, StaticGeometry};
use merrow_sensors::sample::{Pose, SampleErrors};
use std::sync::Arc;

/// Takes a snapshot of the current world of a simulation.
pub(crate) fn snapshot_of(simulation: &mut Simulation) -> WorldView {
    let (scene, state) = (&simulation.scene, &mut simulation.state);
    let beacons = fault::beacon_effects(&mut state.faults, scene.beacons.len(), state.time_ns);
    world_view::snapshot(scene, state, &mut simulation.runners, beacons)
}

/// Returns the current pose of a sensor of a simulation.
pub fn pose_of(simulation: &mut Simulation, robot: usize, sensor: usize) -> Pose {
    let scene = Arc::clone(&simulation.scene);
    let device = &scene.robots[robot].sensors[sensor];
    Pose::of_sensor(&snapshot_of(simulation), robot, device)
}

/// Computes the current frame of an exteroceptive sensor; `None` for any other sensor.
pub fn compute_frame(
    simulation: &mut Simulation,
    robot: usize,
    sensor: usize,
) -> Option<FrameData> {
    compute_frames(simulation, robot, sensor, 1).pop()
}

/// Computes the next `n` frames of an exteroceptive sensor with the world unchanged.
pub fn compute_frames(
    simulation: &mut Simulation,
    robot: usize,
    sensor: usize,
    n: u64,
) -> Vec<FrameData> {
    let scene = Arc::clone(&simulation.scene);
    let device = &scene.robots[robot].sensors[sensor];
    let Some(spec) = device.kind.exteroceptive().cloned() else {
        return Vec::new();
    };
    let mut memory = simulation.state.robots[robot].sensors[sensor].clone();
    // the sample index is behind if the sensor was not scheduled
    while memory.due_ns < simulation.state.time_ns {
        memory.count(device);
    }
    let (first, noise, fault) = (memory.samples, memory.noise, memory.fault);
    let source = source_errors(device, &simulation.state.robots[robot], (noise, fault));
    let view = Arc::new(snapshot_of(simulation));
    let mut ray_scenes = RayScenes::new(&scene, &StaticGeometry::new(&scene));
    ray_scenes.update_poses(&view);
    let mut worker = Worker {
        scene,
        devices: Vec::new(),
        ray_scenes,
        environment_cache: EnvironmentCache::default(),
        current_view: None,
        pool: None,
    };
    let mut sample = |k| {
        let job = SampleRequest {
            order: 0,
            device: 0,
            view: Arc::clone(&view),
            sample: Sample {
                index: first + k,
                due_ns: 0,
                outputs: ALL_OUTPUTS,
                noise,
                fault,
                source,
            },
            priority: Priority {
                class: Class::Prompt,
                deadline_ns: 0,
                period_ns: 0,
            },
        };
        worker.compute_frame(&job, &spec, (robot, sensor), &CpuMeter::default())
    };
    (0..n).map(&mut sample).collect()
}

/// Computes the current frame of a camera or another exteroceptive sensor `spec` at `p_WS` [m] with
/// the attitude `R_WS`, which no robot carries.
pub fn compute_view(
    simulation: &mut Simulation,
    spec: &impl Observe,
    R_WS: Mat3,
    p_WS: Vec3,
) -> FrameData {
    let scene = Arc::clone(&simulation.scene);
    let view = snapshot_of(simulation);
    let mut ray_scenes = RayScenes::new(&scene, &StaticGeometry::new(&scene));
    ray_scenes.update_poses(&view);
    let mut environment_cache = EnvironmentCache::default();
    let environment =
        environment_cache.start_environment(Moment::new(&scene, &view.sea, view.time_ns));
    let pose = Pose {
        robot: 0,
        R_WS,
        p_WS,
        V_WS_S: SpatialVelocity::zero(),
    };
    spec.observe(&Observation {
        scene: &scene,
        view: &view,
        ray_scenes: &ray_scenes,
        environment: &environment,
        index: 0,
        rate: 1.0,
        pose: &pose,
        errors: &SampleErrors {
            stream: Stream::new(scene.seed, "view"),
            sample: 0,
            noise: false,
            fault: FaultEffect::NONE,
        },
        outputs: ALL_OUTPUTS,
        meter: None,
        source: None,
    })
}

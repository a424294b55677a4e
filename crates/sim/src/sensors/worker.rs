//! Worker thread that computes samples of exteroceptive sensors.

use crate::environment_cache::EnvironmentCache;
use crate::robot::Moment;
use crate::sensors::cpu_meter::CpuMeter;
use crate::sensors::dispatcher::Event;
use crate::sensors::priority::Priority;
use crossbeam_channel::{Receiver, Sender};
use merrow_model::scene::Scene;
use merrow_model::sensor::ExteroceptiveSpec;
use merrow_model::state::FaultEffect;
use merrow_model::state::frames::FrameData;
use merrow_model::state::frames::view::WorldView;
use merrow_sensors::exteroceptive::{self, Observation, SourceFrame};
use merrow_sensors::ray_scene::RayScenes;
use merrow_sensors::sample::{Pose, SampleErrors};
use rayon::ThreadPool;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// A sample that a sensor takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub(crate) index: u64,
    pub(crate) due_ns: u64,
    /// Requested outputs, as bits.
    pub(crate) outputs: u8,
    pub(crate) noise: bool,
    pub(crate) fault: FaultEffect,
    /// Noise switch and faults of the source sensor of an obstacle detector; for any other sensor
    /// its own.
    pub(crate) source: (bool, FaultEffect),
}

/// Request for one sample, with the data that its computation needs.
#[derive(Debug)]
pub(crate) struct SampleRequest {
    pub(crate) order: u64,
    pub(crate) device: usize,
    pub(crate) view: Arc<WorldView>,
    pub(crate) sample: Sample,
    pub(crate) priority: Priority,
}

/// Frame of one requested sample, and the CPU time of its computation.
#[derive(Debug)]
pub(crate) struct SampleResult {
    pub(crate) order: u64,
    pub(crate) device: usize,
    pub(crate) stamp_ns: u64,
    pub(crate) due_ns: u64,
    /// `None`: repeat the last frame.
    pub(crate) data: Option<Arc<FrameData>>,
    /// CPU time of its computation [ns]; `None` if it was not computed.
    pub(crate) cost_ns: Option<u64>,
}

/// Where a worker sends its results.
pub(crate) struct Outbox {
    /// Number of the worker.
    pub(crate) worker: usize,
    pub(crate) results: Sender<Result<SampleResult, String>>,
    pub(crate) events: Sender<Event>,
}

/// State of a worker thread.
pub(crate) struct Worker {
    pub(crate) scene: Arc<Scene>,
    /// Robot, sensor and specification of each device.
    pub(crate) devices: Vec<(usize, usize, Arc<ExteroceptiveSpec>)>,
    pub(crate) ray_scenes: RayScenes,
    pub(crate) environment_cache: EnvironmentCache,
    /// Snapshot to which the poses of the scenes were last updated.
    pub(crate) current_view: Option<Arc<WorldView>>,
    /// Threads that render an image together; `None` for a single thread or without a camera.
    pub(crate) pool: Option<Arc<ThreadPool>>,
}

/// Creates the threads that render an image together; `None` if `threads` is 1.
pub(crate) fn render_pool(threads: usize, nice: i32) -> Result<Option<ThreadPool>, String> {
    if threads < 2 {
        return Ok(None);
    }
    let builder = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .start_handler(move |_| lower_priority(nice));
    let named = builder.thread_name(|k| format!("merrow-part-{k}"));
    named
        .build()
        .map(Some)
        .map_err(|e| format!("cannot start {threads} threads for sensors: {e}"))
}

impl Worker {
    /// Computes samples until there is no more request or a sample panics. The thread increments
    /// its nice value by `nice`.
    pub(crate) fn run(mut self, nice: i32, inbox: &Receiver<SampleRequest>, outbox: &Outbox) {
        lower_priority(nice);
        for job in inbox {
            // the state of a sample that panicked is not used again
            let worked = catch_unwind(AssertUnwindSafe(|| self.process_request(&job)));
            let message = worked.map_err(|panic| self.panic_message(&job, &*panic));
            let is_ok = message.is_ok();
            if outbox.results.send(message).is_err() || !is_ok {
                break;
            }
            // the dispatcher may have ended before
            let _ = outbox.events.send(Event::Completed(outbox.worker));
        }
    }

    fn process_request(&mut self, job: &SampleRequest) -> SampleResult {
        let meter = CpuMeter::default();
        meter.measure(|| self.update_view(&job.view));
        let (robot, sensor, spec) = self.devices[job.device].clone();
        let pool = self.pool.clone();
        let mut compute =
            || meter.measure(|| self.compute_frame(job, &spec, (robot, sensor), &meter));
        let data = match pool.filter(|_| spec.properties().is_parallel) {
            Some(pool) => pool.install(compute),
            None => compute(),
        };
        SampleResult {
            order: job.order,
            device: job.device,
            stamp_ns: job.view.time_ns,
            due_ns: job.sample.due_ns,
            data: Some(Arc::new(data)),
            cost_ns: Some(meter.total_ns()),
        }
    }

    /// Moves all shapes to their poses in `view`.
    fn update_view(&mut self, view: &Arc<WorldView>) {
        let current = self.current_view.as_ref();
        if current.is_none_or(|current| !Arc::ptr_eq(current, view)) {
            self.ray_scenes.update_poses(view);
            self.current_view = Some(Arc::clone(view));
        }
    }

    /// Formats a panic as one line.
    fn panic_message(&self, job: &SampleRequest, panic: &(dyn Any + Send)) -> String {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let why = text
            .or(panic.downcast_ref::<&str>().copied())
            .unwrap_or("no reason given");
        let (robot, sensor, _) = &self.devices[job.device];
        let model = &self.scene.robots[*robot];
        let (name, time) = (&model.sensors[*sensor].name, job.view.time_ns as f64 * 1e-9);
        let line = why.lines().next().unwrap_or_default();
        format!(
            "{}: the sensor {name} failed at {time:.3} s, which is a bug: {line}",
            model.name
        )
    }

    /// Computes the frame of a sensor; `meter` measures the bands of images.
    pub(crate) fn compute_frame(
        &mut self,
        job: &SampleRequest,
        spec: &ExteroceptiveSpec,
        (robot, sensor): (usize, usize),
        meter: &CpuMeter,
    ) -> FrameData {
        let view = &*job.view;
        let scene = Arc::clone(&self.scene);
        let sensors = &scene.robots[robot].sensors;
        let source = spec.properties().source.and_then(|other| {
            let source = &sensors[other];
            let source_spec = source.kind.exteroceptive()?;
            // the frame of the source sensor, with its head at the current position; also if the
            // source itself is not sampled
            let (noise, fault) = job.sample.source;
            let sample = Sample {
                index: source.sample_index(view.time_ns),
                noise,
                fault,
                ..job.sample
            };
            let view = Arc::clone(&job.view);
            let source_request = SampleRequest {
                view,
                sample,
                ..*job
            };
            let data = self.compute_frame(&source_request, source_spec, (robot, other), meter);
            Some((source_spec, data, Pose::of_sensor(&job.view, robot, source)))
        });
        let environment =
            self.environment_cache
                .start_environment(Moment::new(&scene, &view.sea, view.time_ns));
        let device = &sensors[sensor];
        exteroceptive::law(spec).observe(&Observation {
            scene: &scene,
            view,
            ray_scenes: &self.ray_scenes,
            environment: &environment,
            index: sensor,
            rate: device.rate,
            pose: &Pose::of_sensor(view, robot, device),
            errors: &SampleErrors {
                stream: device.stream,
                sample: job.sample.index,
                noise: job.sample.noise,
                fault: job.sample.fault,
            },
            outputs: job.sample.outputs,
            meter: Some(meter),
            source: source
                .as_ref()
                .map(|(spec, data, pose)| SourceFrame { spec, data, pose }),
        })
    }
}

/// Lowers the priority of the calling thread below the priority of the step and of the publishers,
/// by an increment of its nice value. Without permission of the system all threads have the same
/// priority.
pub(crate) fn lower_priority(nice: i32) {
    // only on Linux does this affect a single thread; elsewhere it would affect the process
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(nice);
    #[cfg(not(target_os = "linux"))]
    let _ = nice;
}

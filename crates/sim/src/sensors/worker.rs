//! Worker thread that computes samples of exteroceptive sensors.

use crate::instants::EnvironmentCache;
use crate::sensors::world_view;
use crate::sensors::world_view::interfering_pulses;
use crossbeam_channel::{Receiver, Sender};
use merrow_model::scene::Scene;
use merrow_model::scene::sensor::ExteroceptiveSpec;
use merrow_model::state::FaultEffect;
use merrow_model::state::frames::FrameData;
use merrow_model::state::frames::view::WorldView;
use merrow_sensors::ray_scene::RayScenes;
use merrow_sensors::sample::SampleErrors;
use merrow_sensors::{acoustic, ais, camera, laser, obstacle, radar, sonar};
use rayon::ThreadPool;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Request for one sample.
pub(crate) struct SampleRequest {
    pub(crate) order: u64,
    pub(crate) device: usize,
    pub(crate) view: Arc<WorldView>,
    pub(crate) sample: u64,
    pub(crate) outputs: u8,
    pub(crate) noise: bool,
    pub(crate) fault: FaultEffect,
    /// Noise switch and faults of the source sensor of an obstacle detector; for any other sensor
    /// its own.
    pub(crate) source: (bool, FaultEffect),
    pub(crate) due_ns: u64,
}

/// Result of one sample.
pub(crate) struct SampleResult {
    pub(crate) order: u64,
    pub(crate) device: usize,
    pub(crate) stamp_ns: u64,
    pub(crate) due_ns: u64,
    /// `None`: repeat the last frame.
    pub(crate) data: Option<Arc<FrameData>>,
}

impl std::fmt::Debug for SampleResult {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Done({})", self.order)
    }
}

/// State of a worker thread.
pub(crate) struct Worker {
    pub(crate) scene: Arc<Scene>,
    /// Robot, sensor and specification of each device.
    pub(crate) devices: Vec<(usize, usize, Arc<ExteroceptiveSpec>)>,
    pub(crate) stages: RayScenes,
    pub(crate) instants: EnvironmentCache,
    /// Snapshot to which the poses of the scenes were last updated.
    pub(crate) current_view: Option<Arc<WorldView>>,
    /// Threads that render an image together; `None` for a single thread or without a camera.
    pub(crate) pool: Option<Arc<ThreadPool>>,
}

/// Creates the threads that render an image together; `None` if `threads` is 1.
pub(crate) fn render_pool(threads: usize) -> Result<Option<ThreadPool>, String> {
    if threads < 2 {
        return Ok(None);
    }
    let builder = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .start_handler(|_| lower_priority());
    let named = builder.thread_name(|k| format!("merrow-part-{k}"));
    named
        .build()
        .map(Some)
        .map_err(|e| format!("cannot start {threads} threads for sensors: {e}"))
}

impl Worker {
    pub(crate) fn run(
        mut self,
        inbox: &Receiver<SampleRequest>,
        outbox: &Sender<Result<SampleResult, String>>,
    ) {
        lower_priority();
        for job in inbox {
            // the state of a sample that panicked is not used again
            let worked = catch_unwind(AssertUnwindSafe(|| self.process_request(&job)));
            let message = worked.map_err(|panic| self.panic_message(&job, &*panic));
            let goes_on = message.is_ok();
            if outbox.send(message).is_err() || !goes_on {
                break;
            }
        }
    }

    fn process_request(&mut self, job: &SampleRequest) -> SampleResult {
        if self
            .current_view
            .as_ref()
            .is_none_or(|view| !Arc::ptr_eq(view, &job.view))
        {
            self.stages.update_poses(&job.view);
            self.current_view = Some(Arc::clone(&job.view));
        }
        let (robot, sensor, looks) = self.devices[job.device].clone();
        let data = Some(Arc::new(match (self.pool.clone(), &*looks) {
            (Some(pool), ExteroceptiveSpec::Camera(_)) => {
                pool.install(|| self.compute_frame(job, &looks, robot, sensor))
            }
            _ => self.compute_frame(job, &looks, robot, sensor),
        }));
        let SampleRequest {
            order,
            device,
            due_ns,
            ..
        } = *job;
        SampleResult {
            order,
            device,
            stamp_ns: job.view.time_ns,
            due_ns,
            data,
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

    pub(crate) fn compute_frame(
        &mut self,
        job: &SampleRequest,
        looks: &ExteroceptiveSpec,
        robot: usize,
        sensor: usize,
    ) -> FrameData {
        let view = &*job.view;
        let at = self.instants.at_start(&self.scene, &view.sea, view.time_ns);
        let model = &self.scene.robots[robot].sensors[sensor];
        let by = SampleErrors {
            stream: model.stream,
            sample: job.sample,
            noise: job.noise,
            fault: job.fault,
        };
        let pose = world_view::sensor_pose(view, robot, model);
        let (light, stage) = (self.stages.light(), self.stages.sound());
        match looks {
            ExteroceptiveSpec::Laser(spec) => laser::scan(spec, light, view, &at, &pose, &by),
            ExteroceptiveSpec::Camera(spec) => {
                let world = camera::RenderContext {
                    scene: &self.scene,
                    stage: light,
                    view,
                    at: &at,
                };
                FrameData::CameraImages(camera::render_image(spec, &world, &pose, &by, job.outputs))
            }
            ExteroceptiveSpec::Sonar(spec) => {
                let bursts =
                    interfering_pulses(&self.scene, (spec, sensor), stage, view, &at, &pose);
                sonar::ping(spec, stage, view, &at, &pose, &by, &bursts)
            }
            ExteroceptiveSpec::Acoustic(spec) => {
                let around = (stage, view, &at);
                acoustic::sample_instrument(
                    (spec, model.rate),
                    &self.scene.beacons,
                    around,
                    &pose,
                    &by,
                )
            }
            ExteroceptiveSpec::Radar(spec) => {
                let around = (stage, view, &at);
                radar::sweep(
                    (spec, model.rate),
                    around,
                    self.scene.structures.len(),
                    &pose,
                    &by,
                )
            }
            ExteroceptiveSpec::Ais(spec) => {
                let Scene {
                    ais: transponders,
                    origin,
                    ..
                } = &*self.scene;
                let air = ais::RadioEnvironment {
                    transponders,
                    origin,
                    stage,
                    view,
                    at: &at,
                };
                ais::receive((spec, model.rate), &air, &pose, &by)
            }
            ExteroceptiveSpec::Obstacles(spec) => match &spec.sensor {
                None => obstacle::listed_boxes(spec, &self.scene.obstacles, &pose, &by),
                Some((_, other)) => {
                    let listened = &self.scene.robots[robot].sensors[*other];
                    let there = world_view::sensor_pose(view, robot, listened);
                    let Some(with) = listened.kind.exteroceptive().cloned() else {
                        return FrameData::Detections(Vec::new());
                    };
                    // the frame of the source sensor, with its head at the current position; also
                    // if the source itself is not sampled
                    let sample = listened.sample_index(view.time_ns);
                    let (noise, fault) = job.source;
                    let as_it = SampleRequest {
                        view: Arc::clone(&job.view),
                        sample,
                        noise,
                        fault,
                        ..*job
                    };
                    let data = self.compute_frame(&as_it, &with, robot, *other);
                    obstacle::frame_boxes(spec, (&with, &data, view.time_ns), &there, &pose, &by)
                }
            },
        }
    }
}

/// Lowers the priority of the calling thread below that of the step and of the publishers: an image
/// may be late, a step may not. Without permission of the system all threads have the same
/// priority.
pub(crate) fn lower_priority() {
    // only on Linux does this affect the thread alone; elsewhere it would affect the process
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(10);
}

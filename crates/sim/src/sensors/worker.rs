//! Worker thread that computes samples of exteroceptive sensors.

use crate::instants::Instants;
use crate::sensors::world_view;
use crate::sensors::world_view::bursts;
use crossbeam_channel::{Receiver, Sender};
use merrow_model::scene::Scene;
use merrow_model::scene::sensor::Looks;
use merrow_model::state::Effect;
use merrow_model::state::frames::FrameData;
use merrow_model::state::frames::view::View;
use merrow_sensors::ray_scene::Stages;
use merrow_sensors::sample::Spoiling;
use merrow_sensors::{acoustic, ais, camera, laser, obstacle, radar, sonar};
use rayon::ThreadPool;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Request for one sample.
pub(crate) struct Job {
    pub(crate) order: u64,
    pub(crate) device: usize,
    pub(crate) view: Arc<View>,
    pub(crate) sample: u64,
    pub(crate) parts: u8,
    pub(crate) noise: bool,
    pub(crate) fault: Effect,
    /// Noise switch and faults of the source sensor of an obstacle detector; for any other sensor
    /// its own.
    pub(crate) heard: (bool, Effect),
    pub(crate) due_ns: u64,
}

/// Result of one sample.
pub(crate) struct Done {
    pub(crate) order: u64,
    pub(crate) device: usize,
    pub(crate) stamp_ns: u64,
    pub(crate) due_ns: u64,
    /// `None`: repeat the last frame.
    pub(crate) data: Option<Arc<FrameData>>,
}

impl std::fmt::Debug for Done {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Done({})", self.order)
    }
}

/// State of a worker thread.
pub(crate) struct Worker {
    pub(crate) scene: Arc<Scene>,
    /// Robot, sensor and specification of each device.
    pub(crate) devices: Vec<(usize, usize, Arc<Looks>)>,
    pub(crate) stages: Stages,
    pub(crate) instants: Instants,
    /// Snapshot to which the poses of the scenes were last updated.
    pub(crate) placed: Option<Arc<View>>,
    /// Threads that render an image together; `None` for a single thread or without a camera.
    pub(crate) pool: Option<Arc<ThreadPool>>,
}

/// Creates the threads that render an image together; `None` if `threads` is 1.
pub(crate) fn pool(threads: usize) -> Result<Option<ThreadPool>, String> {
    if threads < 2 {
        return Ok(None);
    }
    let builder = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .start_handler(|_| give_way());
    let named = builder.thread_name(|k| format!("merrow-part-{k}"));
    named
        .build()
        .map(Some)
        .map_err(|e| format!("cannot start {threads} threads for sensors: {e}"))
}

impl Worker {
    pub(crate) fn run(mut self, inbox: &Receiver<Job>, outbox: &Sender<Result<Done, String>>) {
        give_way();
        for job in inbox {
            // the state of a sample that panicked is not used again
            let worked = catch_unwind(AssertUnwindSafe(|| self.work(&job)));
            let message = worked.map_err(|panic| self.told(&job, &*panic));
            let goes_on = message.is_ok();
            if outbox.send(message).is_err() || !goes_on {
                break;
            }
        }
    }

    fn work(&mut self, job: &Job) -> Done {
        if self
            .placed
            .as_ref()
            .is_none_or(|view| !Arc::ptr_eq(view, &job.view))
        {
            self.stages.place(&job.view);
            self.placed = Some(Arc::clone(&job.view));
        }
        let (robot, sensor, looks) = self.devices[job.device].clone();
        let data = Some(Arc::new(match (self.pool.clone(), &*looks) {
            (Some(pool), Looks::Camera(_)) => {
                pool.install(|| self.look(job, &looks, robot, sensor))
            }
            _ => self.look(job, &looks, robot, sensor),
        }));
        let Job {
            order,
            device,
            due_ns,
            ..
        } = *job;
        Done {
            order,
            device,
            stamp_ns: job.view.time_ns,
            due_ns,
            data,
        }
    }

    /// Formats a panic as one line.
    fn told(&self, job: &Job, panic: &(dyn Any + Send)) -> String {
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

    pub(crate) fn look(
        &mut self,
        job: &Job,
        looks: &Looks,
        robot: usize,
        sensor: usize,
    ) -> FrameData {
        let view = &*job.view;
        let at = self.instants.start(&self.scene, &view.sea, view.time_ns);
        let model = &self.scene.robots[robot].sensors[sensor];
        let by = Spoiling {
            stream: model.stream,
            sample: job.sample,
            noise: job.noise,
            fault: job.fault,
        };
        let pose = world_view::pose(view, robot, model);
        let (light, stage) = (self.stages.light(), self.stages.sound());
        match looks {
            Looks::Laser(spec) => laser::scan(spec, light, view, &at, &pose, &by),
            Looks::Camera(spec) => {
                let world = camera::World {
                    scene: &self.scene,
                    stage: light,
                    view,
                    at: &at,
                };
                FrameData::Picture(camera::picture(spec, &world, &pose, &by, job.parts))
            }
            Looks::Sonar(spec) => {
                let bursts = bursts(&self.scene, (spec, sensor), stage, view, &at, &pose);
                sonar::ping(spec, stage, view, &at, &pose, &by, &bursts)
            }
            Looks::Acoustic(spec) => {
                let around = (stage, view, &at);
                acoustic::listen((spec, model.rate), &self.scene.beacons, around, &pose, &by)
            }
            Looks::Radar(spec) => {
                let around = (stage, view, &at);
                radar::sweep(
                    (spec, model.rate),
                    around,
                    self.scene.structures.len(),
                    &pose,
                    &by,
                )
            }
            Looks::Ais(spec) => {
                let Scene {
                    ais: transponders,
                    origin,
                    ..
                } = &*self.scene;
                let air = ais::Air {
                    transponders,
                    origin,
                    stage,
                    view,
                    at: &at,
                };
                ais::receive((spec, model.rate), &air, &pose, &by)
            }
            Looks::Obstacles(spec) => match &spec.sensor {
                None => obstacle::listed(spec, &self.scene.obstacles, &pose, &by),
                Some((_, other)) => {
                    let listened = &self.scene.robots[robot].sensors[*other];
                    let there = world_view::pose(view, robot, listened);
                    let Some(with) = listened.kind.looks().cloned() else {
                        return FrameData::Boxes(Vec::new());
                    };
                    // the frame of the source sensor, with its head at the current position; also
                    // if the source itself is not sampled
                    let sample = listened.sample_at(view.time_ns);
                    let (noise, fault) = job.heard;
                    let as_it = Job {
                        view: Arc::clone(&job.view),
                        sample,
                        noise,
                        fault,
                        ..*job
                    };
                    let data = self.look(&as_it, &with, robot, *other);
                    obstacle::heard(spec, (&with, &data, view.time_ns), &there, &pose, &by)
                }
            },
        }
    }
}

/// Lowers the priority of the calling thread below that of the step and of the publishers: an image
/// may be late, a step may not. Without permission of the system all threads have the same
/// priority.
pub(crate) fn give_way() {
    // only on Linux does this affect the thread alone; elsewhere it would affect the process
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(10);
}

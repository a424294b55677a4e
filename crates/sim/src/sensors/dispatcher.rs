//! Threads of the exteroceptive sensors: a dispatcher by priority, and the workers that compute
//! them.
//!
//! In addition to the requested number of shared workers there are a few reserved workers. Only
//! short samples of cheap sensors are computed there ([`priority`](crate::sensors::priority)), at a
//! higher priority of the operating system, so that these sensors keep their rates while images
//! occupy all other threads. When the run waits for frames, the reserved workers are idle.

use crate::environment_cache::EnvironmentCache;
use crate::sensors::priority::{Class, Lane, RESERVED, WaitingSamples};
use crate::sensors::worker::{Outbox, SampleRequest, SampleResult, Worker, render_pool};
use crossbeam_channel::{Receiver, Sender, unbounded};
use merrow_model::scene::Scene;
use merrow_model::sensor::ExteroceptiveSpec;
use merrow_sensors::ray_scene::{RayScenes, StaticGeometry};
use std::sync::Arc;
use std::thread::JoinHandle;

/// Increments of the nice value of shared and of reserved workers, whose work is short: an image
/// may be late, a step may not.
const NICE: [i32; 2] = [10, 5];

/// Message to the dispatcher.
#[derive(Debug)]
pub(crate) enum Event {
    Request(SampleRequest),
    /// The worker of this number has completed its sample.
    Completed(usize),
    Stop,
}

/// Threads that compute samples. Dropping them waits for the samples being computed.
#[derive(Debug)]
pub(crate) struct SensorThreads {
    events: Sender<Event>,
    /// Results of all workers.
    pub done: Receiver<Result<SampleResult, String>>,
    threads: Vec<JoinHandle<()>>,
}

impl SensorThreads {
    /// Starts the threads for the sensors `places` (robot and sensor), with `threads` shared
    /// workers at most.
    ///
    /// # Errors
    /// Returns a message if a thread cannot be started.
    pub(crate) fn start(
        scene: &Arc<Scene>,
        static_geometry: &StaticGeometry,
        places: &[(usize, usize)],
        threads: usize,
    ) -> Result<Self, String> {
        let spec = |(robot, sensor): &(usize, usize)| {
            let kind = &scene.robots[*robot].sensors[*sensor].kind;
            Some((*robot, *sensor, Arc::clone(kind.exteroceptive()?)))
        };
        let devices: Vec<_> = places.iter().filter_map(spec).collect();
        let is_parallel =
            |(_, _, spec): &(usize, usize, Arc<ExteroceptiveSpec>)| spec.properties().is_parallel;
        let pool = if devices.iter().any(is_parallel) {
            render_pool(threads, NICE[0])?.map(Arc::new)
        } else {
            None
        };
        let ray_scenes = RayScenes::new(scene, static_geometry);
        let (events, inbox) = unbounded();
        let (results, done) = unbounded();
        let mut this = Self {
            events: events.clone(),
            done,
            threads: Vec::new(),
        };
        // after `this`: on an error it is dropped first, which ends the workers that `this` joins
        let mut dispatcher = Dispatcher {
            waiting: WaitingSamples::new(places.len()),
            workers: Vec::new(),
        };
        for (k, lane) in lanes(places.len(), threads).into_iter().enumerate() {
            let worker = Worker {
                scene: Arc::clone(scene),
                devices: devices.clone(),
                ray_scenes: ray_scenes.clone(),
                environment_cache: EnvironmentCache::default(),
                current_view: None,
                pool: pool.clone().filter(|_| lane == Lane::Shared),
            };
            let (requests, jobs) = unbounded();
            dispatcher.workers.push(WorkerSlot {
                lane,
                requests,
                computing: None,
            });
            let outbox = Outbox {
                worker: k,
                results: results.clone(),
                events: events.clone(),
            };
            let nice = NICE[usize::from(lane != Lane::Shared)];
            this.spawn(format!("merrow-look-{k}"), move || {
                worker.run(nice, &jobs, &outbox)
            })?;
        }
        this.spawn("merrow-dispatch".to_string(), move || {
            dispatcher.run(&inbox)
        })?;
        Ok(this)
    }

    fn spawn(&mut self, name: String, run: impl FnOnce() + Send + 'static) -> Result<(), String> {
        let builder = std::thread::Builder::new().name(name);
        let thread = builder.spawn(run);
        let failed = |e| format!("cannot start a thread for sensors: {e}");
        self.threads.push(thread.map_err(failed)?);
        Ok(())
    }

    /// Requests a sample from the dispatcher.
    pub(crate) fn request(&self, sample: SampleRequest) {
        // the dispatcher exists as long as `self`
        let _ = self.events.send(Event::Request(sample));
    }
}

impl Drop for SensorThreads {
    fn drop(&mut self) {
        let _ = self.events.send(Event::Stop);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// Returns the kinds of the workers for `n_sensors` sensors and `threads` threads: reserved workers
/// first, which are useful only for several sensors.
fn lanes(n_sensors: usize, threads: usize) -> Vec<Lane> {
    let reserved = (0..RESERVED.min(n_sensors - 1)).map(Lane::Reserved);
    let shared = (0..threads.clamp(1, n_sensors)).map(|_| Lane::Shared);
    reserved.chain(shared).collect()
}

/// State of a worker in the dispatcher.
struct WorkerSlot {
    lane: Lane,
    requests: Sender<SampleRequest>,
    /// Class of the sample that it computes.
    computing: Option<Class>,
}

/// Passes each sample that waits to a worker.
struct Dispatcher {
    waiting: WaitingSamples<SampleRequest>,
    workers: Vec<WorkerSlot>,
}

impl Dispatcher {
    /// Runs until it is stopped. The workers end when it does.
    fn run(mut self, inbox: &Receiver<Event>) {
        for event in inbox {
            match event {
                Event::Request(sample) => {
                    self.waiting.push(sample.device, sample.priority, sample);
                }
                Event::Completed(worker) => self.workers[worker].computing = None,
                Event::Stop => break,
            }
            self.start_samples();
        }
    }

    /// Starts a sample on every idle worker for which one waits.
    fn start_samples(&mut self) {
        for k in 0..self.workers.len() {
            let with_long = self.may_start_long();
            let worker = &mut self.workers[k];
            if worker.computing.is_none()
                && let Some((class, sample)) = self.waiting.pop(worker.lane, with_long)
            {
                worker.computing = Some(class);
                // a worker that has failed ends the run
                let _ = worker.requests.send(sample);
            }
        }
    }

    /// Returns true if a shared worker remains for other samples after a long one has started, or
    /// if there is only one shared worker.
    fn may_start_long(&self) -> bool {
        let shared = self.workers.iter().filter(|w| w.lane == Lane::Shared);
        let is_long = |w: &&WorkerSlot| w.computing == Some(Class::Expensive { is_long: true });
        let n_long = shared.clone().filter(is_long).count();
        n_long == 0 || n_long + 1 < shared.count()
    }
}

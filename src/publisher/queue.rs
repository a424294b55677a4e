//! Queue of batches from the simulation loop to the publisher thread.
//!
//! A full queue drops the samples of its oldest batch, which later samples replace, and counts
//! them. Results that occur once, such as received packets or the status of goals, are never
//! dropped.

use crate::publisher::Batch;
use crossbeam_channel::{Receiver, Sender, bounded};
use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;

/// Maximum number of batches with samples; at 2 ms per batch this is a quarter of a second.
const QUEUE_LEN: usize = 128;

/// Queue of batches.
pub(super) struct BatchQueue {
    content: Mutex<Content>,
    /// Signalled after a batch was taken.
    space: Condvar,
    /// Holds an element while the queue has a batch.
    filled: Sender<()>,
}

#[derive(Default)]
struct Content {
    /// Batches, the oldest first.
    batches: VecDeque<Batch>,
    /// Number of batches with samples, which are the newest.
    with_samples: usize,
    /// Whether the thread that takes the batches has ended.
    is_ended: bool,
}

impl BatchQueue {
    /// Returns an empty queue, and the channel that has an element while it is not empty.
    pub(super) fn new() -> (Self, Receiver<()>) {
        let (filled, is_filled) = bounded(1);
        let queue = Self {
            content: Mutex::default(),
            space: Condvar::new(),
            filled,
        };
        (queue, is_filled)
    }

    /// Adds a batch. A full queue waits with `can_wait`, otherwise it drops its oldest samples.
    pub(super) fn push(&self, batch: Batch, can_wait: bool) {
        let mut content = self.content.lock();
        while can_wait && content.with_samples >= QUEUE_LEN && !content.is_ended {
            self.space.wait(&mut content);
        }
        if content.is_ended {
            return;
        }
        content.batches.push_back(batch);
        content.with_samples += 1;
        if content.with_samples > QUEUE_LEN {
            content.drop_oldest_samples();
        }
        self.signal();
    }

    /// Takes the oldest batch.
    pub(super) fn pop(&self) -> Option<Batch> {
        let mut content = self.content.lock();
        let batch = content.batches.pop_front();
        content.with_samples = content.with_samples.min(content.batches.len());
        if !content.batches.is_empty() {
            self.signal();
        }
        self.space.notify_one();
        batch
    }

    /// Returns the number of batches.
    pub(super) fn len(&self) -> usize {
        self.content.lock().batches.len()
    }

    /// Refuses further batches, so that no sender waits.
    pub(super) fn end(&self) {
        self.content.lock().is_ended = true;
        self.space.notify_all();
    }

    fn signal(&self) {
        // full: it is signalled already
        let _ = self.filled.try_send(());
    }
}

impl Content {
    /// Drops the samples of the oldest batch that has samples, and the batch if it has no events.
    fn drop_oldest_samples(&mut self) {
        let oldest = self.batches.len() - self.with_samples;
        self.with_samples -= 1;
        self.batches[oldest].drop_samples();
        let (batch, next) = (&self.batches[oldest], &self.batches[oldest + 1]);
        if batch.scene_version == next.scene_version && !batch.has_events(next) {
            let lost = self.batches.remove(oldest).map(|batch| batch.lost);
            self.batches[oldest].lost.add(&lost.unwrap_or_default());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::diagnostics::HealthSnapshot;
    use crate::node::states::WorldStatus;
    use crate::node::thrust_watch::ThrustWatch;
    use crate::publisher::{PublisherContext, PublisherThread, SceneOutputs};
    use crate::topics::Plan;
    use merrow_messages::frames::ObjectStates;
    use merrow_model::state::comms::{Delivery, NetworkOutput};
    use merrow_ros2::cdr::from_bytes;
    use merrow_ros2::msg::diagnostic_msgs::DiagnosticArray;
    use merrow_sim::{Control, Pace, Simulation};
    use merrow_world::{Overrides, data_dir, load_world};
    use std::sync::Arc;

    const BATCHES: u64 = 2000;

    const CONTROL: Control = Control {
        paused: false,
        pace: Pace::Factor(1.0),
        wall_s: 0.0,
        overruns: 0,
        jitter_s: (0.0, 0.0),
        worst_lateness_s: 0.0,
        rejected: 0,
    };

    /// Starts a thread without a node and a bag.
    fn start(simulation: &Simulation, plan: &Arc<Plan>) -> PublisherThread {
        let outputs = SceneOutputs {
            version: simulation.scene_version,
            scene: Arc::clone(&simulation.scene),
            plan: Arc::clone(plan),
            publishers: Arc::default(),
        };
        PublisherThread::start(PublisherContext::without_node(outputs)).unwrap()
    }

    /// Returns a batch with a time, states and, of one batch in ten, a packet for the first modem.
    fn batch(simulation: &Simulation, number: u64) -> Batch {
        let delivery = Delivery {
            message: 0,
            from: 1,
            to: 0,
            destination: 0,
            is_overheard: false,
            is_bridged: false,
            created_ns: 0,
            transmitted_ns: 0,
            received_ns: number,
            snr: 1.0,
            doppler: 0.0,
            payload_start: 0,
            payload_len: 0,
            published_ns: number,
        };
        let output = NetworkOutput {
            deliveries: vec![delivery],
            ..NetworkOutput::default()
        };
        let mut snapshot = ObjectStates::read(simulation);
        snapshot.time_ns = number;
        Batch {
            time_ns: number,
            snapshot: Some(snapshot),
            network: number.is_multiple_of(10).then(|| Arc::new(output)),
            ..Batch::default()
        }
    }

    // A thread that stops for 4 s loses no packet, and counts every lost sample on its topic.
    // Method: the thread waits for a lock while it receives 2000 batches of 2 ms, each with a time,
    // states and one packet in ten. Every packet arrives in order; the times and states that arrive
    // are the newest, and the diagnostics count the others.
    #[test]
    fn a_stalled_publisher_loses_samples_only_and_counts_them() {
        let world = load_world(&data_dir::world_file("modems"), Overrides::default()).unwrap();
        let simulation = Simulation::new(Arc::new(world.scene), 1).unwrap();
        let plan = Arc::new(Plan::new(&simulation.scene));
        let thread = start(&simulation, &plan);
        let packets = format!("{}/rx", simulation.scene.modems[0].name);
        let [clock, tf, diagnostics] = ["/clock", "/tf", "/diagnostics"].map(String::from);
        let shared = Arc::clone(&thread.shared);
        let topics = [&clock, &tf, &packets, &diagnostics].map(Clone::clone);
        shared.plotted.set(&topics);
        let stall = shared.robots_without_truth_tf.lock();
        for number in 1..=BATCHES {
            let mut sent = batch(&simulation, number);
            sent.health = (number == BATCHES).then(|| {
                let status = Arc::new(WorldStatus::read(&simulation));
                HealthSnapshot::read(&simulation, status, &CONTROL, &mut ThrustWatch::default())
            });
            thread.send(sent, false);
        }
        drop(stall);
        drop(thread);
        let messages = shared.plotted.take();
        let times = |topic: &str| -> Vec<u64> {
            let own = messages.iter().filter(|message| *message.topic == *topic);
            own.map(|message| message.time_ns).collect()
        };
        assert_eq!(
            times(&packets),
            (10..=BATCHES).step_by(10).collect::<Vec<_>>()
        );
        let last = messages
            .iter()
            .rfind(|message| *message.topic == *diagnostics);
        let found: DiagnosticArray = from_bytes(&last.unwrap().bytes).unwrap();
        let status = found.status.iter().find(|s| s.name == "merrow: publisher");
        for topic in [clock, tf] {
            let arrived = times(&topic);
            let newest = BATCHES - QUEUE_LEN as u64 + 1..=BATCHES;
            assert!(
                arrived.ends_with(&newest.collect::<Vec<_>>()),
                "{arrived:?}"
            );
            let mut values = status.unwrap().values.iter();
            let lost = values.find(|value| value.key == topic).unwrap();
            assert_eq!(lost.value, (BATCHES as usize - arrived.len()).to_string());
        }
        let total = shared.dropped.load(std::sync::atomic::Ordering::Relaxed);
        assert!(total >= 2 * (BATCHES - 2 * QUEUE_LEN as u64), "{total}");
    }

    // A sender that waits for space continues when the thread ends. Method: a full queue that ends
    // while a sender waits.
    #[test]
    fn senders_do_not_wait_for_an_ended_thread() {
        let (queue, _filled) = BatchQueue::new();
        for _ in 0..QUEUE_LEN {
            queue.push(Batch::default(), true);
        }
        std::thread::scope(|scope| {
            let sender = scope.spawn(|| queue.push(Batch::default(), true));
            std::thread::sleep(std::time::Duration::from_millis(50));
            assert!(!sender.is_finished());
            queue.end();
        });
        assert_eq!(queue.len(), QUEUE_LEN);
    }
}

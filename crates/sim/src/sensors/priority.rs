//! Decides which samples of exteroceptive sensors are computed first when the run follows the wall
//! clock.
//!
//! A sensor is cheap if it needs less than [`CHEAP`] of a core. Cheap sensors come first, in the
//! order of their deadlines, as long as all of them together need less than [`ADMITTED`] of the
//! threads. A computation is not interrupted. Reserved threads therefore take only samples of cheap
//! sensors, and each of them only samples that are short against the shortest period that depends
//! on it.
//!
//! The other sensors share the remaining time. The scheduler selects the waiting sample with the
//! smallest virtual start time (start-time fair queueing with the period of the sensor as the
//! length of a sample), so that all expensive sensors miss the same fraction of their samples. Long
//! samples leave one thread free for sensors with shorter periods.

/// Fraction of a core below which a sensor is cheap. On a loaded processor a sample takes up to
/// 1.5 times the CPU time, so the limit is above the 10 % that the documentation states.
const CHEAP: f64 = 0.15;
/// Maximum load by cheap sensors, as a fraction of the threads.
const ADMITTED: f64 = 0.5;
/// Maximum duration of a sample on a reserved thread, in shortest periods.
const SHORT: f64 = 0.5;
/// Number of reserved threads.
pub(crate) const RESERVED: usize = 2;
/// Periods after which a sample must be computed, so that no later sample is missed.
pub(crate) const DEADLINE_PERIODS: u64 = 2;

/// Cost and period of the samples of one sensor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    /// Mean CPU time of a sample [s].
    pub cost_s: f64,
    /// Wall-clock time between two samples [s].
    pub period_s: f64,
    /// False if the sensor has no subscriber and is not recorded.
    pub(crate) is_requested: bool,
}

impl Load {
    /// Returns the number of cores that the sensor needs.
    pub(crate) fn cores(&self) -> f64 {
        self.cost_s / self.period_s
    }
}

/// Order in which samples are computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Class {
    /// Cheap and short: reserved threads from this number on, or any other thread.
    Reserved(usize),
    /// Before all expensive sensors on a thread that is not reserved.
    Prompt,
    /// Shares the remaining time.
    Expensive {
        /// True if a sample takes so long that others must not wait for its end.
        is_long: bool,
    },
}

/// Urgency of one sample.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Priority {
    pub class: Class,
    /// Simulated time at which the sample is late [ns].
    pub(crate) deadline_ns: u64,
    /// Simulated time between two samples of the sensor [ns].
    pub period_ns: u64,
}

/// Returns the class of every sensor for `threads` threads.
pub(crate) fn classify(loads: &[Load], threads: usize) -> Vec<Class> {
    let mut cheap: Vec<usize> = (0..loads.len())
        .filter(|k| loads[*k].is_requested && loads[*k].cores() < CHEAP)
        .collect();
    cheap.sort_by(|a, b| loads[*a].cores().total_cmp(&loads[*b].cores()));
    let mut sum = 0.0;
    cheap.retain(|k| {
        sum += loads[*k].cores();
        sum <= ADMITTED * threads as f64
    });
    let mut classes = expensive_classes(loads, &cheap);
    for tier in 0..RESERVED {
        let longest = SHORT * shortest_period(loads, &cheap);
        let is_short = |k: &usize| loads[*k].cost_s <= longest;
        cheap
            .iter()
            .filter(|k| is_short(k))
            .for_each(|k| classes[*k] = Class::Reserved(tier));
        cheap.retain(|k| !is_short(k));
    }
    cheap.iter().for_each(|k| classes[*k] = Class::Prompt);
    classes
}

/// Returns the classes of the sensors that are not cheap. A sample is long if another sensor that
/// one thread could sustain would miss samples during it.
fn expensive_classes(loads: &[Load], cheap: &[usize]) -> Vec<Class> {
    let sustained: Vec<usize> = (0..loads.len())
        .filter(|k| loads[*k].is_requested && !cheap.contains(k) && loads[*k].cores() < 1.0)
        .collect();
    let shortest = shortest_period(loads, &sustained);
    let class = |load: &Load| Class::Expensive {
        is_long: load.cost_s > DEADLINE_PERIODS as f64 * shortest,
    };
    loads.iter().map(class).collect()
}

/// Returns the shortest period of the sensors `some` [s].
fn shortest_period(loads: &[Load], some: &[usize]) -> f64 {
    some.iter()
        .map(|k| loads[*k].period_s)
        .fold(f64::INFINITY, f64::min)
}

/// Kind of a thread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Lane {
    /// Reserved thread of this number.
    Reserved(usize),
    /// Thread for all samples.
    Shared,
}

/// A sample that waits for a thread.
#[derive(Debug)]
struct Waiting<T> {
    priority: Priority,
    /// Number of samples that were requested before.
    order: u64,
    /// Start tag of the fair queue [ns].
    tag: u64,
    job: T,
}

/// Samples that wait for a thread. Contains no clock: the choice depends only on the priorities and
/// on the order of the calls.
#[derive(Debug)]
pub(crate) struct WaitingSamples<T> {
    waiting: Vec<Waiting<T>>,
    /// Finish tag of the last expensive sample of each sensor [ns].
    finish_tags: Vec<u64>,
    /// Start tag of the expensive sample that was started last [ns].
    virtual_ns: u64,
    order: u64,
}

impl<T> WaitingSamples<T> {
    /// Creates an empty queue for the sensors 0 to `n_sensors - 1`.
    pub(crate) fn new(n_sensors: usize) -> Self {
        Self {
            waiting: Vec::new(),
            finish_tags: vec![0; n_sensors],
            virtual_ns: 0,
            order: 0,
        }
    }

    /// Adds a sample of `sensor`. If it is expensive, its start tag is not before the finish tag of
    /// the preceding expensive sample of this sensor.
    pub(crate) fn push(&mut self, sensor: usize, priority: Priority, job: T) {
        let mut tag = 0;
        if matches!(priority.class, Class::Expensive { .. }) {
            tag = self.virtual_ns.max(self.finish_tags[sensor]);
            self.finish_tags[sensor] = tag + priority.period_ns;
        }
        self.order += 1;
        let order = self.order;
        self.waiting.push(Waiting {
            priority,
            order,
            tag,
            job,
        });
    }

    /// Removes and returns the class and the sample that a thread computes next; `None` if it must
    /// stay idle. `with_long` is false if the thread must not start a long sample.
    pub(crate) fn pop(&mut self, lane: Lane, with_long: bool) -> Option<(Class, T)> {
        let rank = |waiting: &Waiting<T>| {
            let urgency = match (waiting.priority.class, lane) {
                (Class::Reserved(tier), Lane::Reserved(own)) if tier > own => None,
                (Class::Prompt | Class::Expensive { .. }, Lane::Reserved(_)) => None,
                (Class::Expensive { is_long: true }, _) if !with_long => None,
                (Class::Expensive { .. }, _) => Some((1, waiting.tag)),
                _ => Some((0, waiting.priority.deadline_ns)),
            };
            urgency.map(|urgency| (urgency, waiting.order))
        };
        let ranked = self.waiting.iter().enumerate();
        let (_, k) = ranked.filter_map(|(k, w)| Some((rank(w)?, k))).min()?;
        let chosen = self.waiting.swap_remove(k);
        self.virtual_ns = self.virtual_ns.max(chosen.tag);
        Some((chosen.priority.class, chosen.job))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Class = Class::Expensive { is_long: true };
    const SHARED: Class = Class::Expensive { is_long: false };

    fn load(cost_ms: f64, rate_hz: f64) -> Load {
        Load {
            cost_s: 1e-3 * cost_ms,
            period_s: 1.0 / rate_hz,
            is_requested: true,
        }
    }

    // Cheap sensors use reserved threads, none of which has samples that are long against the
    // shortest period on it; a long sample does not block an expensive sensor. Method: the laser,
    // sonar, lidar and cameras of riverwatch with their costs, a slow cheap sensor with long
    // samples, and two more whose lengths differ.
    #[test]
    fn sensors_are_classified_by_cost_and_length() {
        let mut loads = vec![
            load(1.5, 40.0),
            load(3.5, 11.0),
            load(17.0, 10.0),
            load(290.0, 5.0),
            load(300.0, 0.2),
        ];
        let reserved = Class::Reserved;
        assert_eq!(
            classify(&loads, 2),
            [reserved(0), reserved(0), SHARED, LONG, reserved(1)]
        );
        loads.push(load(20.0, 4.0));
        loads.push(load(900.0, 0.1));
        assert_eq!(
            classify(&loads, 2)[4..],
            [Class::Prompt, reserved(1), Class::Prompt]
        );
        // the laser and the lidar are not requested
        (loads[0].is_requested, loads[2].is_requested) = (false, false);
        assert_eq!(
            classify(&loads, 2)[3..6],
            [SHARED, reserved(1), reserved(0)]
        );
    }

    // Cheap sensors have priority only as far as the threads suffice. Method: 30 sensors of 9 % on
    // two threads, of which half a core each is for cheap sensors, and on eight threads.
    #[test]
    fn cheap_sensors_are_limited_to_half_of_the_threads() {
        let loads = vec![load(9.0, 10.0); 30];
        let n = |threads: usize| {
            let classes = classify(&loads, threads);
            classes.iter().filter(|c| **c == Class::Reserved(0)).count()
        };
        assert_eq!((n(2), n(8)), (11, 30));
    }

    fn priority(class: Class, deadline_ms: u64, period_ms: u64) -> Priority {
        Priority {
            class,
            deadline_ns: deadline_ms * 1_000_000,
            period_ns: period_ms * 1_000_000,
        }
    }

    // Cheap samples come first, by deadline; a reserved thread takes no other samples, and a long
    // one only starts where it may. Method: one sample of each class, in the opposite order.
    #[test]
    fn the_earliest_deadline_comes_first() {
        let mut samples = WaitingSamples::new(5);
        for (sensor, class, deadline) in [
            (0, LONG, 1),
            (1, SHARED, 2),
            (2, Class::Prompt, 30),
            (3, Class::Reserved(1), 20),
            (4, Class::Reserved(0), 25),
        ] {
            samples.push(sensor, priority(class, deadline, 100), sensor);
        }
        let mut next = |lane, with_long| samples.pop(lane, with_long).map(|(_, sensor)| sensor);
        assert_eq!(next(Lane::Reserved(0), true), Some(4));
        assert_eq!(next(Lane::Reserved(0), true), None);
        assert_eq!(next(Lane::Shared, false), Some(3));
        assert_eq!(next(Lane::Reserved(1), true), None);
        assert_eq!(next(Lane::Shared, false), Some(2));
        assert_eq!(next(Lane::Shared, false), Some(1));
        assert_eq!(next(Lane::Shared, false), None);
        assert_eq!(next(Lane::Shared, true), Some(0));
    }

    // Expensive sensors complete the same fraction of their samples, and a sensor that was idle
    // does not make up for the time before. Method: four sensors of 5, 5, 1 and 20 Hz on one
    // thread, each with two samples waiting at any time; 620 samples are 20 s of all of them. Then
    // a fifth one joins. Tolerance: one sample.
    #[test]
    fn expensive_sensors_share_the_shortage() {
        let periods_ms = [200, 200, 1000, 50, 100];
        let mut samples = WaitingSamples::new(5);
        let push = |samples: &mut WaitingSamples<usize>, sensor: usize| {
            samples.push(sensor, priority(SHARED, 0, periods_ms[sensor]), sensor);
        };
        let run = |samples: &mut WaitingSamples<usize>, n: usize| {
            let mut computed = [0_usize; 5];
            for _ in 0..n {
                let (_, sensor) = samples.pop(Lane::Shared, true).expect("samples wait");
                computed[sensor] += 1;
                push(samples, sensor);
            }
            computed
        };
        for sensor in [0, 0, 1, 1, 2, 2, 3, 3] {
            samples.push(sensor, priority(SHARED, 0, periods_ms[sensor]), sensor);
        }
        let expect = |computed: [usize; 5], expected: [usize; 5]| {
            let is_near = |(a, b): (&usize, &usize)| a.abs_diff(*b) <= 1;
            assert!(computed.iter().zip(&expected).all(is_near), "{computed:?}");
        };
        expect(run(&mut samples, 620), [100, 100, 20, 400, 0]);
        for _ in 0..2 {
            samples.push(4, priority(SHARED, 0, periods_ms[4]), 4);
        }
        expect(run(&mut samples, 410), [50, 50, 10, 200, 100]);
    }
}

//! Threads that share the work of a step.
//!
//! The threads start once and wait. A task calls the same closure on every thread, and the closure
//! takes items until none are left. The calling thread takes items itself and waits only for
//! threads that still process one, so a late wake-up of a thread does not delay the task.
//!
//! A task runs on several threads only where that is measured to be faster than on the calling
//! thread only. The measurement decides which thread processes an item, never the result.

use crate::pace::Stopwatch;
use merrow_physics::workers::{Task, Workers};
use parking_lot::{Condvar, Mutex};
use std::cell::UnsafeCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;

/// Duration of a task on one thread below which it is not distributed [s]. Waking a sleeping
/// thread costs about 15 us of processor time.
const MIN_DISTRIBUTED_S: f64 = 150e-6;
/// Largest ratio of the durations on several threads and on one at which a task is distributed.
/// Above it two threads use more than 1.15 times the processor time of one, most of it for waiting.
const MAX_RATIO: f64 = 0.8;
/// Number of executions between two measurements of the alternative (one thread or several).
const PROBE_INTERVAL: u32 = 64;
/// Number of executions between two measurements of a task far too short to distribute.
const MEASURE_INTERVAL: u32 = 32;
/// Number of checks for a new task before a thread sleeps (a few microseconds).
const SPINS: u32 = 200;
/// Number of checks for the last item of another thread before the calling thread sleeps (some tens
/// of microseconds).
const SPINS_AT_END: u32 = 2000;
/// Largest number of items that a thread takes at once.
const MAX_GRAIN: usize = 8;
/// Work of the items that a thread takes at once [s], if they are short.
const GRAIN_S: f64 = 5e-6;

/// Threads of a simulation and the measured durations of its tasks.
#[derive(Debug)]
pub(crate) struct StepThreads {
    helpers: Option<Helpers>,
    costs: [TaskCost; Task::COUNT],
}

impl StepThreads {
    /// Starts `threads` - 1 threads; the calling thread is the remaining one.
    ///
    /// # Errors
    /// Returns a message if a thread cannot be started.
    pub(crate) fn new(threads: usize) -> Result<Self, String> {
        let helpers = (threads > 1).then(|| Helpers::new(threads - 1)).transpose();
        Ok(Self {
            helpers: helpers.map_err(|e| format!("cannot start {threads} threads: {e}"))?,
            costs: [TaskCost::default(); Task::COUNT],
        })
    }
}

impl Workers for StepThreads {
    fn for_each<I>(&mut self, task: Task, amount: f64, items: I, work: impl Fn(I::Item) + Sync)
    where
        I: DoubleEndedIterator + ExactSizeIterator + Send,
    {
        let Some(helpers) = &mut self.helpers else {
            return items.for_each(work);
        };
        let cost = &mut self.costs[task as usize];
        cost.executions = cost.executions.wrapping_add(1);
        let is_distributed = cost.distributes(amount);
        if !is_distributed && !cost.is_measured_now(amount) {
            return items.for_each(work);
        }
        let watch = Stopwatch::start();
        if is_distributed {
            let item_s = cost.alone.unwrap_or(0.0) * amount / items.len().max(1) as f64;
            let grain = (GRAIN_S / item_s).clamp(1.0, MAX_GRAIN as f64) as usize;
            helpers.for_each(grain, items, &work);
        } else {
            items.for_each(work);
        }
        cost.update(is_distributed, watch.elapsed_s() / amount.max(1.0));
    }
}

/// Measured durations of a task per unit of its amount [s]: on one thread and distributed.
#[derive(Clone, Copy, Debug, Default)]
struct TaskCost {
    alone: Option<f64>,
    distributed: Option<f64>,
    executions: u32,
}

impl TaskCost {
    /// Decides whether the next execution is distributed.
    fn distributes(&self, amount: f64) -> bool {
        let Some(alone) = self.alone else {
            return false;
        };
        if alone * amount < MIN_DISTRIBUTED_S {
            return false;
        }
        let is_faster = self.distributed.is_none_or(|d| d < MAX_RATIO * alone);
        is_faster != self.executions.is_multiple_of(PROBE_INTERVAL)
    }

    /// Returns true if an execution on one thread is measured.
    fn is_measured_now(&self, amount: f64) -> bool {
        let is_short = self
            .alone
            .is_some_and(|alone| alone * amount < 0.25 * MIN_DISTRIBUTED_S);
        !is_short || self.executions.is_multiple_of(MEASURE_INTERVAL)
    }

    /// Includes a measured duration [s]. One interrupted execution changes the value little.
    fn update(&mut self, was_distributed: bool, measured: f64) {
        let value = if was_distributed {
            &mut self.distributed
        } else {
            &mut self.alone
        };
        *value = Some(value.map_or(measured, |v| 0.75 * v + 0.25 * measured.min(2.0 * v)));
    }
}

/// A closure that every thread calls; it stays valid until the task is closed.
type Job = *const (dyn Fn(usize) + Sync);

/// Marks a task that threads may still join, in `PoolState::word`.
const OPEN: u64 = 1 << 31;
/// Marks the number of threads that take part in the task, in `PoolState::word`.
const ACTIVE: u64 = OPEN - 1;
/// Unit of the number of the task, in `PoolState::word`.
const TASK: u64 = 1 << 32;

/// Threads that wait for tasks.
#[derive(Debug)]
struct Helpers {
    shared: Arc<PoolState>,
    handles: Vec<JoinHandle<()>>,
}

/// State that the threads share.
struct PoolState {
    /// Number of the task, whether it is open, and the number of helpers that take part.
    word: AtomicU64,
    job: UnsafeCell<Option<Job>>,
    /// For each helper, whether it sleeps.
    asleep: Vec<AtomicBool>,
    /// True while the calling thread sleeps until the helpers have left the task.
    caller_waits: AtomicBool,
    /// Protects the sleep of the calling thread.
    caller_lock: Mutex<()>,
    /// Wakes the calling thread.
    all_left: Condvar,
    stop: AtomicBool,
    panicked: AtomicBool,
}

// SAFETY: `job` is written by the thread that owns the helpers, while no task is open and no helper
// takes part in one, and read only by helpers that take part in an open task.
unsafe impl Sync for PoolState {}
// SAFETY: the job is a reference to a closure that is `Sync`.
unsafe impl Send for PoolState {}

impl std::fmt::Debug for PoolState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PoolState({} helpers)", self.asleep.len())
    }
}

impl Helpers {
    fn new(n: usize) -> std::io::Result<Self> {
        let shared = Arc::new(PoolState {
            word: AtomicU64::new(0),
            job: UnsafeCell::new(None),
            asleep: (0..n).map(|_| AtomicBool::new(false)).collect(),
            caller_waits: AtomicBool::new(false),
            caller_lock: Mutex::new(()),
            all_left: Condvar::new(),
            stop: AtomicBool::new(false),
            panicked: AtomicBool::new(false),
        });
        let mut helpers = Self {
            shared,
            handles: Vec::with_capacity(n),
        };
        for k in 0..n {
            let shared = Arc::clone(&helpers.shared);
            let named = std::thread::Builder::new().name(format!("merrow-step-{}", k + 1));
            helpers.handles.push(named.spawn(move || shared.help(k))?);
        }
        Ok(helpers)
    }

    /// Calls `work` for every item, on all threads, which take `grain` items at once. Threads with
    /// an even index take items from the front and the others from the back, so that a thread
    /// mostly processes the same items again.
    fn for_each<I>(&mut self, grain: usize, items: I, work: &(impl Fn(I::Item) + Sync))
    where
        I: DoubleEndedIterator + ExactSizeIterator + Send,
    {
        let items = Mutex::new(items);
        self.run(&|thread| {
            loop {
                let taken: [Option<I::Item>; MAX_GRAIN] = {
                    let mut items = items.lock();
                    std::array::from_fn(|k| match k < grain {
                        false => None,
                        true if thread.is_multiple_of(2) => items.next(),
                        true => items.next_back(),
                    })
                };
                if taken[0].is_none() {
                    return;
                }
                taken.into_iter().flatten().for_each(work);
            }
        });
    }

    /// Calls `job` with its index on the calling thread (0) and on every helper that is awake in
    /// time, and returns when all calls have returned.
    fn run(&mut self, job: &(dyn Fn(usize) + Sync)) {
        let shared = &*self.shared;
        shared.panicked.store(false, Ordering::Release);
        // SAFETY: only the lifetime changes. The guard below closes the task and waits for the
        // helpers before `job` ends, also if the call panics.
        let job_ptr =
            unsafe { std::mem::transmute::<*const (dyn Fn(usize) + Sync + '_), Job>(job) };
        // SAFETY: no task is open and no helper takes part in one, so no other thread reads it.
        unsafe { *shared.job.get() = Some(job_ptr) };
        let number = shared.word.load(Ordering::Relaxed) & !(OPEN | ACTIVE);
        shared
            .word
            .store(number.wrapping_add(TASK) | OPEN, Ordering::SeqCst);
        let guard = OpenTask(shared);
        for (asleep, handle) in shared.asleep.iter().zip(&self.handles) {
            if asleep.swap(false, Ordering::SeqCst) {
                handle.thread().unpark();
            }
        }
        job(0);
        drop(guard);
        if shared.panicked.load(Ordering::Acquire) {
            resume_unwind(Box::new("a thread that steps robots panicked"));
        }
    }
}

/// A task that helpers may join. It is closed when the guard is dropped.
struct OpenTask<'a>(&'a PoolState);

impl Drop for OpenTask<'_> {
    fn drop(&mut self) {
        self.0.word.fetch_and(!OPEN, Ordering::AcqRel);
        for _ in 0..SPINS_AT_END {
            if self.0.active_helpers() == 0 {
                return;
            }
            std::hint::spin_loop();
        }
        self.0.wait_for_helpers();
    }
}

impl PoolState {
    /// Returns the number of helpers that take part in the task.
    fn active_helpers(&self) -> u64 {
        self.word.load(Ordering::SeqCst) & ACTIVE
    }

    /// Sleeps until no helper takes part in the task, so that uneven items cost no processor time.
    fn wait_for_helpers(&self) {
        let mut lock = self.caller_lock.lock();
        self.caller_waits.store(true, Ordering::SeqCst);
        self.all_left
            .wait_while(&mut lock, |()| self.active_helpers() > 0);
        drop(lock);
        self.caller_waits.store(false, Ordering::SeqCst);
    }

    /// Leaves the task as a helper, and wakes the calling thread if it waits.
    fn leave(&self) {
        self.word.fetch_sub(1, Ordering::SeqCst);
        if self.caller_waits.load(Ordering::SeqCst) {
            drop(self.caller_lock.lock());
            self.all_left.notify_one();
        }
    }

    /// Waits for tasks and takes part in them, as helper `k`, until the threads are stopped.
    fn help(&self, k: usize) {
        let (mut last, mut spins) = (0, 0);
        while !self.stop.load(Ordering::Acquire) {
            let word = self.word.load(Ordering::Acquire);
            if word & OPEN > 0 && word / TASK != last {
                let joined =
                    self.word
                        .compare_exchange(word, word + 1, Ordering::AcqRel, Ordering::Acquire);
                if joined.is_ok() {
                    self.run_joined_task(k);
                    (last, spins) = (word / TASK, 0);
                }
            } else if spins < SPINS {
                spins += 1;
                std::hint::spin_loop();
            } else {
                self.sleep(k, last);
                spins = 0;
            }
        }
    }

    /// Calls the job of the task that this helper has joined, and leaves the task.
    fn run_joined_task(&self, k: usize) {
        // SAFETY: this helper has joined an open task, whose job is valid until it leaves.
        let result = catch_unwind(AssertUnwindSafe(|| unsafe {
            if let Some(job) = *self.job.get() {
                (*job)(k + 1);
            }
        }));
        if result.is_err() {
            self.panicked.store(true, Ordering::Release);
        }
        self.leave();
    }

    /// Sleeps until a task that is not `last` opens or the threads stop.
    fn sleep(&self, k: usize, last: u64) {
        self.asleep[k].store(true, Ordering::SeqCst);
        let is_new = |word: u64| word & OPEN > 0 && word / TASK != last;
        while self.asleep[k].load(Ordering::SeqCst)
            && !is_new(self.word.load(Ordering::SeqCst))
            && !self.stop.load(Ordering::SeqCst)
        {
            std::thread::park();
        }
        self.asleep[k].store(false, Ordering::SeqCst);
    }
}

impl Drop for Helpers {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        for handle in self.handles.drain(..) {
            handle.thread().unpark();
            // a helper catches panics, so it ends normally
            let _ = handle.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;

    // Every item is processed exactly once, for any number of threads, items and grain, in tasks
    // that follow each other at once and after the threads have fallen asleep. Method: counts per
    // item.
    #[test]
    fn every_item_is_processed_once() {
        for n in [1, 2, 5] {
            let mut helpers = Helpers::new(n).unwrap();
            for round in 0..400_usize {
                if round.is_multiple_of(100) {
                    std::thread::sleep(std::time::Duration::from_millis(2));
                }
                let counts: Vec<AtomicU32> = (0..round % 70).map(|_| AtomicU32::new(0)).collect();
                let grain = 1 + round % MAX_GRAIN;
                helpers.for_each(grain, counts.iter(), &|count: &AtomicU32| {
                    count.fetch_add(1, Ordering::Relaxed);
                });
                assert!(counts.iter().all(|c| c.load(Ordering::Relaxed) == 1));
            }
        }
    }

    // A panic of any thread reaches the caller, and the threads then process further tasks. Method:
    // one item panics.
    #[test]
    fn a_panic_reaches_the_caller() {
        let mut helpers = Helpers::new(2).unwrap();
        for bad in 0..50 {
            let run = AssertUnwindSafe(|| {
                helpers.for_each(1, 0..50, &|k| assert!(k != bad, "expected in this test"));
            });
            assert!(catch_unwind(run).is_err());
            let sum = AtomicU32::new(0);
            helpers.for_each(1, 0..50, &|k| {
                sum.fetch_add(k, Ordering::Relaxed);
            });
            assert_eq!(sum.into_inner(), 49 * 25);
        }
    }

    /// Returns the number of distributed executions among 640 of a task with the given durations
    /// [s].
    fn distributed(alone: f64, distributed: f64) -> usize {
        let mut cost = TaskCost::default();
        let execute = |_: &u32| {
            cost.executions += 1;
            let is_distributed = cost.distributes(1.0);
            let duration = if is_distributed { distributed } else { alone };
            cost.update(is_distributed, duration);
            is_distributed
        };
        (0..640).filter(execute).count()
    }

    // A task is distributed if that is faster and worth waking a thread, and otherwise only to
    // measure it again. Method: given durations. Tolerance: one execution in 64, and the first
    // executions.
    #[test]
    fn a_task_is_distributed_where_that_is_faster() {
        assert_eq!(distributed(5e-6, 1e-6), 0, "short");
        assert!(distributed(1e-3, 0.55e-3) >= 625, "faster");
        assert!(distributed(1e-3, 0.98e-3) <= 15, "not faster");
        assert!(distributed(1e-3, 3e-3) <= 15, "slower");
    }

    // One interrupted execution does not change the decision for long. Method: a short task with
    // one measurement of 10 ms. Tolerance: 20 executions.
    #[test]
    fn an_interruption_is_forgotten() {
        let mut cost = TaskCost::default();
        for measured in [20e-6, 20e-6, 10e-3] {
            cost.update(false, measured);
        }
        assert!(!cost.distributes(1.0));
    }
}

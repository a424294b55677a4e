//! Real-time kernel of a computer: releases, processor time and scheduling of jobs.
//!
//! # Law
//! ```text
//!   r_k = t(O + k T)                                        (1)  periodic release
//!   d_k = r_k + D                                           (2)  absolute deadline
//!   running: the m most urgent of the first jobs of all tasks  (3)
//!   dc/dt = -1 while a job runs, completed at c = 0         (4)
//!   urgency: P, largest first | D, shortest first | d_k, earliest first   (5)
//! ```
//! (5) are fixed priorities, deadline-monotonic and earliest-deadline-first scheduling [Liu 1973,
//! Leung 1982]. Kernel, tasks and jobs have the same structure as in TrueTime [Cervin 2003].
//!
//! # Symbols
//! t simulated time at which the clock of the computer has a reading · O offset, T period, D
//! relative deadline of a task · P priority · c remaining processor time of a job · m number of
//! processors.
//!
//! # Limits
//! A change of the running job takes no time. Jobs of one task run one after the other. Tasks share
//! no resources other than the processors. A computer without power discards its jobs and inputs at
//! the next event; it has no start-up time.
//!
//! # Checked by
//! Tests of this file, test/determinism/computers.rs

use merrow_comms::network::{global_ns, local_ns};
use merrow_model::scene::computer::{Activation, Computer, ExecutionTime, Scheduling, Task};
use merrow_model::state::computer::{ComputerState, Job, TaskActivity, TaskState};

/// Maximum number of inputs that wait for a task without a job for each of them.
const MAX_INPUTS: usize = 1024;

/// Interface through which the kernel of a computer reports the progress of its jobs.
pub(crate) trait JobEffects {
    /// Whether the computer has power now.
    fn is_powered(&self) -> bool;
    /// Factor on the execution times of the jobs that are released now.
    fn execution_factor(&self) -> f64;
    /// Called when a job of `task` starts; it takes the first `taken` inputs.
    fn start(&mut self, task: usize, state: &mut TaskState);
    /// Called when a job of `task` is completed, before its inputs are removed.
    fn complete(&mut self, task: usize, state: &mut TaskState);
    /// Called at the end of an interval with a job, from `start_ns` to `end_ns` [ns].
    fn record(&mut self, task: usize, activity: TaskActivity, start_ns: u64, end_ns: u64);
}

/// Returns the time of the next event [ns]: a release, or the completion of a job.
pub(crate) fn next_event_ns(computer: &Computer, state: &ComputerState) -> u64 {
    let tasks = computer.tasks.iter().zip(&state.tasks);
    let of_task = |(task, own): (&Task, &TaskState)| {
        let release = match task.activation {
            Activation::Periodic { .. } => release_ns(task, state, own.next_release),
            Activation::Message => own.inputs.get(own.seen).map_or(u64::MAX, |i| i.arrival_ns),
            Activation::After { .. } => u64::MAX,
        };
        let completion = match own.jobs.front() {
            Some(job) if own.activity == TaskActivity::Running => {
                state.time_ns.saturating_add(job.remaining_ns)
            }
            _ => u64::MAX,
        };
        release.min(completion)
    };
    tasks.map(of_task).min().unwrap_or(u64::MAX)
}

/// Processes all events up to `until_ns` [ns].
pub(crate) fn advance(
    computer: &Computer,
    state: &mut ComputerState,
    until_ns: u64,
    effects: &mut impl JobEffects,
) {
    loop {
        // an input that arrived before the last event is released now
        let next = next_event_ns(computer, state).max(state.time_ns);
        if next > until_ns {
            return;
        }
        let elapsed = next - state.time_ns;
        for task in &mut state.tasks {
            if let (TaskActivity::Running, Some(job)) = (task.activity, task.jobs.front_mut()) {
                job.remaining_ns = job.remaining_ns.saturating_sub(elapsed);
            }
        }
        state.time_ns = next;
        if !effects.is_powered() {
            discard_jobs(computer, state, effects);
            continue;
        }
        complete_jobs(computer, state, effects);
        release_jobs(computer, state, effects.execution_factor());
        dispatch(computer, state, effects);
    }
}

/// Discards the jobs of a computer that halts at `now_ns` [ns], with all inputs.
pub(crate) fn halt(
    computer: &Computer,
    state: &mut ComputerState,
    now_ns: u64,
    effects: &mut impl JobEffects,
) {
    if state.tasks.iter().any(|task| !task.jobs.is_empty()) {
        state.time_ns = now_ns;
        discard_jobs(computer, state, effects);
    }
}

/// Skips the periodic releases before `now_ns` [ns], so that a computer starts at this time.
pub(crate) fn start_at(computer: &Computer, state: &mut ComputerState, now_ns: u64) {
    state.time_ns = now_ns;
    let local = local_ns(&state.clock, now_ns);
    for (task, own) in computer.tasks.iter().zip(&mut state.tasks) {
        own.since_ns = now_ns;
        own.next_release = task.activation.first_release(local);
    }
}

/// Returns the time of release number `k` of a periodic task [ns]; not before the start of the
/// run. (1)
fn release_ns(task: &Task, state: &ComputerState, k: u64) -> u64 {
    match task.activation {
        Activation::Periodic {
            period_ns,
            offset_ns,
        } => {
            let local = offset_ns.saturating_add(k.saturating_mul(period_ns));
            global_ns(&state.clock, local.cast_signed())
        }
        _ => u64::MAX,
    }
}

/// Completes the running jobs without remaining processor time and releases the tasks after them.
fn complete_jobs(computer: &Computer, state: &mut ComputerState, effects: &mut impl JobEffects) {
    let now = state.time_ns;
    for k in 0..state.tasks.len() {
        let own = &mut state.tasks[k];
        let is_done = own.jobs.front().is_some_and(|job| job.remaining_ns == 0);
        if own.activity != TaskActivity::Running || !is_done {
            continue;
        }
        effects.complete(k, own);
        let inputs = own.taken.min(own.inputs.len());
        own.inputs.drain(..inputs);
        (own.seen, own.taken) = (own.seen.saturating_sub(inputs), 0);
        own.firmware = None;
        if let Some(job) = own.jobs.pop_front() {
            let response = now - job.release_ns;
            own.counts.completed += 1;
            own.counts.missed += u64::from(now > job.deadline_ns && !job.is_late);
            own.counts.response_ns += response;
            own.counts.max_response_ns = own.counts.max_response_ns.max(response);
        }
        set_activity(k, own, TaskActivity::Idle, now, effects);
        for (after, task) in computer.tasks.iter().enumerate() {
            if task.activation == (Activation::After { task: k }) {
                let factor = effects.execution_factor();
                release(task, &mut state.tasks[after], now, factor);
            }
        }
    }
}

/// Releases the jobs that are due now, and marks jobs whose deadline has passed. `factor` applies
/// to the execution times.
fn release_jobs(computer: &Computer, state: &mut ComputerState, factor: f64) {
    let now = state.time_ns;
    for (k, task) in computer.tasks.iter().enumerate() {
        while release_ns(task, state, state.tasks[k].next_release) <= now {
            let own = &mut state.tasks[k];
            own.next_release += 1;
            release(task, own, now, factor);
        }
        let own = &mut state.tasks[k];
        if task.activation == Activation::Message {
            while own
                .inputs
                .get(own.seen)
                .is_some_and(|input| input.arrival_ns <= now)
            {
                let arrival = own.inputs[own.seen].arrival_ns;
                own.seen += 1;
                make_room(task, own);
                release(task, own, arrival, factor);
            }
        } else {
            while own.inputs.len() > MAX_INPUTS + own.taken {
                own.inputs.remove(own.taken);
                own.counts.dropped += 1;
            }
        }
        for job in own.jobs.iter_mut() {
            if job.deadline_ns <= now && !job.is_late {
                job.is_late = true;
                own.counts.missed += 1;
            }
        }
    }
}

/// Discards the oldest waiting job of a full task with its input, so that a new job has room.
fn make_room(task: &Task, own: &mut TaskState) {
    if own.jobs.len() < task.max_jobs {
        return;
    }
    let first = usize::from(own.jobs.front().is_some_and(|job| job.is_started));
    // a task whose only job runs discards the new input
    let job = first.min(own.jobs.len());
    if job < own.jobs.len() {
        own.jobs.remove(job);
    }
    own.inputs.remove(job);
    own.seen -= 1;
    own.counts.dropped += 1;
}

/// Releases a job at `release_ns` [ns], unless too many jobs of the task are not completed.
/// `factor` applies to its execution time.
fn release(task: &Task, own: &mut TaskState, release_ns: u64, factor: f64) {
    if own.jobs.len() >= task.max_jobs {
        if task.activation != Activation::Message {
            own.counts.skipped += 1;
        }
        return;
    }
    let deadline = task.deadline_ns.map(|d| release_ns.saturating_add(d));
    let execution_ns = execution_ns(task, own.counts.released);
    let remaining_ns = match factor {
        1.0 => execution_ns,
        _ => (execution_ns as f64 * factor).round() as u64,
    };
    own.jobs.push_back(Job {
        release_ns,
        deadline_ns: deadline.unwrap_or(u64::MAX),
        remaining_ns,
        is_started: false,
        is_late: false,
    });
    own.counts.released += 1;
    own.counts.busy_ns = own.counts.busy_ns.saturating_add(remaining_ns);
}

/// Returns the processor time of job number `k` of a task [ns].
fn execution_ns(task: &Task, k: u64) -> u64 {
    match &task.execution {
        ExecutionTime::Constant { time_s } => time_s.0,
        ExecutionTime::Uniform {
            range_s: [min, max],
        } => {
            let fraction = task.stream.draw(k).uniform();
            min.0 + ((max.0 - min.0) as f64 * fraction).round() as u64
        }
        ExecutionTime::Normal {
            mean_s,
            std_s,
            min_s,
        } => {
            let time = 1e9 * mean_s + 1e9 * std_s * task.stream.draw(k).normal();
            (time.round().max(0.0) as u64).max(min_s.0)
        }
        ExecutionTime::Exponential { mean_s, min_s } => {
            let above = (1e9 * mean_s - min_s.0 as f64) * task.stream.draw(k).exponential();
            min_s.0 + above.round() as u64
        }
        ExecutionTime::Trace { times_s } => times_s[(k % times_s.len() as u64) as usize].0,
    }
}

/// Gives the processors to the most urgent jobs. (3)
fn dispatch(computer: &Computer, state: &mut ComputerState, effects: &mut impl JobEffects) {
    let now = state.time_ns;
    let mut chosen = 0_u64;
    for _ in 0..computer.processors {
        let tasks = state.tasks.iter().enumerate();
        let waiting = tasks.filter(|(k, own)| chosen & (1 << k) == 0 && !own.jobs.is_empty());
        let most_urgent = waiting.min_by_key(|(k, own)| urgency(computer, *k, own));
        match most_urgent {
            Some((k, _)) => chosen |= 1 << k,
            None => break,
        }
    }
    for (k, own) in state.tasks.iter_mut().enumerate() {
        let activity = match own.jobs.front() {
            None => TaskActivity::Idle,
            Some(_) if chosen & (1 << k) == 0 => TaskActivity::Ready,
            Some(_) => TaskActivity::Running,
        };
        set_activity(k, own, activity, now, effects);
        if activity != TaskActivity::Running {
            continue;
        }
        if let Some(job) = own.jobs.front_mut().filter(|job| !job.is_started) {
            job.is_started = true;
            let arrived = own.inputs.iter().take_while(|i| i.arrival_ns <= now);
            own.taken = match computer.tasks[k].activation {
                Activation::Message => 1,
                _ => arrived.count(),
            };
            effects.start(k, own);
        }
    }
}

/// Returns the rank of the first job of task number `k`; the smallest one runs first. (5)
fn urgency(computer: &Computer, k: usize, own: &TaskState) -> (bool, i64, u64, usize) {
    let task = &computer.tasks[k];
    let (release, deadline) = own
        .jobs
        .front()
        .map_or((0, u64::MAX), |job| (job.release_ns, job.deadline_ns));
    let rank = match computer.scheduling {
        Scheduling::FixedPriority => -i64::from(task.priority),
        Scheduling::DeadlineMonotonic => rank(task.deadline_ns.unwrap_or(u64::MAX)),
        Scheduling::EarliestDeadlineFirst => rank(deadline),
    };
    let can_be_interrupted = computer.preemptive || own.activity != TaskActivity::Running;
    (can_be_interrupted, rank, release, k)
}

/// Converts a time [ns] to a rank.
fn rank(time_ns: u64) -> i64 {
    i64::try_from(time_ns).unwrap_or(i64::MAX)
}

/// Sets the activity of task number `k` at `now` [ns] and records the interval that ends.
fn set_activity(
    k: usize,
    own: &mut TaskState,
    activity: TaskActivity,
    now: u64,
    effects: &mut impl JobEffects,
) {
    if own.activity == activity {
        return;
    }
    if own.activity != TaskActivity::Idle && now > own.since_ns {
        effects.record(k, own.activity, own.since_ns, now);
    }
    (own.activity, own.since_ns) = (activity, now);
}

/// Discards all jobs and inputs of a computer without power, and the releases that are due.
fn discard_jobs(computer: &Computer, state: &mut ComputerState, effects: &mut impl JobEffects) {
    let now = state.time_ns;
    for (k, task) in computer.tasks.iter().enumerate() {
        while release_ns(task, state, state.tasks[k].next_release) <= now {
            state.tasks[k].next_release += 1;
        }
        let own = &mut state.tasks[k];
        own.counts.dropped += own.inputs.len() as u64;
        own.jobs.clear();
        own.inputs.clear();
        (own.seen, own.taken, own.firmware) = (0, 0, None);
        set_activity(k, own, TaskActivity::Idle, now, effects);
    }
}

#[cfg(test)]
#[path = "kernel_tests.rs"]
mod tests;

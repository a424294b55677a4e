use super::*;
use merrow_math::rng::Stream;
use merrow_model::scene::comms::ClockError;
use merrow_model::scene::nanoseconds::Nanoseconds;
use merrow_model::state::ActuatorCommand;
use merrow_model::state::computer::command::TaskCommand;
use merrow_model::state::computer::{Input, InputData, TaskCounts};

const MS: u64 = 1_000_000;

/// Effects that record starts, completions and intervals [ms].
struct Record {
    is_powered: bool,
    events: Vec<(usize, &'static str, u64)>,
    intervals: Vec<(usize, TaskActivity, u64, u64)>,
    inputs: Vec<usize>,
}

impl JobEffects for Record {
    fn is_powered(&self) -> bool {
        self.is_powered
    }
    fn execution_factor(&self) -> f64 {
        1.0
    }
    fn start(&mut self, task: usize, _: &mut TaskState) {
        self.events.push((task, "start", 0));
    }
    fn complete(&mut self, task: usize, state: &mut TaskState) {
        self.events.push((task, "complete", 0));
        self.inputs.push(state.taken);
    }
    fn record(&mut self, task: usize, activity: TaskActivity, start_ns: u64, end_ns: u64) {
        let interval = (task, activity, start_ns / MS, end_ns / MS);
        self.intervals.push(interval);
    }
}

impl Record {
    fn new() -> Self {
        Self {
            is_powered: true,
            events: Vec::new(),
            intervals: Vec::new(),
            inputs: Vec::new(),
        }
    }

    /// Returns the intervals in which a task runs [ms].
    fn runs(&self, task: usize) -> Vec<(u64, u64)> {
        let all = self.intervals.iter();
        let own = all.filter(|i| i.0 == task && i.1 == TaskActivity::Running);
        own.map(|i| (i.2, i.3)).collect()
    }
}

/// Returns a periodic task with times in ms.
fn periodic(period: u64, execution: u64, priority: i32) -> Task {
    Task {
        name: "task".to_string(),
        activation: Activation::Periodic {
            period_ns: period * MS,
            offset_ns: 0,
        },
        deadline_ns: Some(period * MS),
        priority,
        execution: ExecutionTime::Constant {
            time_s: Nanoseconds(execution * MS),
        },
        max_jobs: 1,
        stream: Stream::new(1, "task"),
    }
}

fn computer(scheduling: Scheduling, tasks: Vec<Task>) -> Computer {
    Computer {
        name: "main".to_string(),
        processors: 1,
        scheduling,
        preemptive: true,
        clock: ClockError::new(0.0, 0.0),
        tasks,
    }
}

/// Runs a computer for a time [ms] in blocks of a length [ms].
fn run(computer: &Computer, until: u64, block: u64) -> (ComputerState, Record) {
    let mut state = ComputerState::new(computer);
    let mut record = Record::new();
    let mut now = 0;
    advance(computer, &mut state, 0, &mut record);
    while now < until {
        now += block.min(until - now);
        advance(computer, &mut state, now * MS, &mut record);
    }
    (state, record)
}

fn counts(state: &ComputerState) -> Vec<TaskCounts> {
    state.tasks.iter().map(|task| task.counts).collect()
}

// A job of a higher priority interrupts a running job. Method: three tasks with period and
// execution time 20/3, 5/2 and 10/2 ms and rate-monotonic priorities; the schedule was derived by
// hand.
#[test]
fn fixed_priorities_preempt() {
    let tasks = vec![periodic(20, 3, 1), periodic(5, 2, 3), periodic(10, 2, 2)];
    let (state, record) = run(&computer(Scheduling::FixedPriority, tasks), 19, 19);
    assert_eq!(record.runs(1), [(0, 2), (5, 7), (10, 12), (15, 17)]);
    assert_eq!(record.runs(2), [(2, 4), (12, 14)]);
    assert_eq!(record.runs(0), [(4, 5), (7, 9)]);
    assert_eq!(counts(&state)[0].max_response_ns, 9 * MS);
    assert!(counts(&state).iter().all(|c| c.missed == 0));
}

// At a load of 0.97, earliest deadline first meets all deadlines, rate-monotonic priorities do not.
// Method: two tasks with 2/5 and 4/7 ms; the load is above the bound of 0.83 for rate-monotonic
// priorities and below 1 [Liu 1973].
#[test]
fn earliest_deadline_first_meets_deadlines_at_full_load() {
    let tasks = vec![periodic(5, 2, 2), periodic(7, 4, 1)];
    let fixed = computer(Scheduling::FixedPriority, tasks.clone());
    let (state, _) = run(&fixed, 35, 35);
    assert!(counts(&state)[1].missed > 0);
    let edf = computer(Scheduling::EarliestDeadlineFirst, tasks);
    let (state, _) = run(&edf, 3500, 3500);
    let counts = counts(&state);
    assert!(
        counts.iter().all(|c| c.missed == 0 && c.skipped == 0),
        "{counts:?}"
    );
    assert_eq!([counts[0].completed, counts[1].completed], [700, 500]);
}

// The order of deadline-monotonic scheduling follows the relative deadline, not the period. Method:
// two tasks that are released together; the task with the longer period has the shorter deadline.
#[test]
fn deadline_monotonic_orders_by_deadline() {
    let mut urgent = periodic(100, 2, 0);
    urgent.deadline_ns = Some(5 * MS);
    let tasks = vec![periodic(10, 3, 0), urgent];
    let (_, record) = run(&computer(Scheduling::DeadlineMonotonic, tasks), 9, 9);
    assert_eq!(record.runs(1), [(0, 2)]);
    assert_eq!(record.runs(0), [(2, 5)]);
}

// Without preemption a running job is completed first; two processors run two jobs, and jobs of one
// task never at once. Method: a long job of low priority and a short one of high priority that is
// released later.
#[test]
fn preemption_and_processors_are_respected() {
    let mut urgent = periodic(100, 2, 5);
    urgent.activation = Activation::Periodic {
        period_ns: 100 * MS,
        offset_ns: 3 * MS,
    };
    let tasks = vec![periodic(100, 10, 0), urgent];
    let mut one = computer(Scheduling::FixedPriority, tasks);
    let (_, preempted) = run(&one, 50, 50);
    assert_eq!(preempted.runs(0), [(0, 3), (5, 12)]);
    assert_eq!(preempted.runs(1), [(3, 5)]);
    one.preemptive = false;
    let (_, record) = run(&one, 50, 50);
    assert_eq!(
        (record.runs(0), record.runs(1)),
        (vec![(0, 10)], vec![(10, 12)])
    );
    one.processors = 2;
    let (_, record) = run(&one, 50, 50);
    assert_eq!(
        (record.runs(0), record.runs(1)),
        (vec![(0, 10)], vec![(3, 5)])
    );
}

// The longest response time under fixed priorities equals the fixed point of response-time
// analysis, R = C + sum of ceil(R/T_j) C_j over the tasks of higher priority [Joseph 1986]. Method:
// random sets of three tasks, all released at time 0, which is the worst case. Tolerance: sets
// whose fixed point exceeds the period are left out.
#[test]
fn longest_response_is_that_of_response_time_analysis() {
    let stream = Stream::new(3, "sets");
    let mut compared = 0;
    for k in 0..400 {
        let mut draw = stream.draw(k);
        let mut number = |max: f64| 1 + (max * draw.uniform()) as u64;
        let mut set: Vec<(u64, u64)> = (0..3).map(|_| (4 + number(40.0), number(8.0))).collect();
        set.sort_unstable();
        let response = |i: usize| {
            let mut r = set[i].1;
            loop {
                let higher: u64 = set[..i].iter().map(|(t, c)| r.div_ceil(*t) * c).sum();
                let next = set[i].1 + higher;
                if next == r || next > set[i].0 {
                    return next;
                }
                r = next;
            }
        };
        if (0..3).any(|i| response(i) > set[i].0) {
            continue;
        }
        let tasks: Vec<Task> = (0..3)
            .map(|i| periodic(set[i].0, set[i].1, 3 - i as i32))
            .collect();
        let (state, _) = run(&computer(Scheduling::FixedPriority, tasks), 2000, 2000);
        for (i, counts) in counts(&state).iter().enumerate() {
            assert_eq!(
                counts.max_response_ns,
                response(i) * MS,
                "{set:?}, task {i}"
            );
            assert_eq!(counts.missed, 0);
        }
        compared += 1;
    }
    assert!(compared > 50, "{compared} sets");
}

// The blocks in which a computer is advanced have no effect. Method: random execution times, an
// overloaded processor, blocks of 1, 7 and 1000 ms.
#[test]
fn blocks_have_no_effect() {
    let mut tasks = vec![periodic(5, 0, 1), periodic(7, 0, 2), periodic(11, 0, 3)];
    tasks[0].execution = ExecutionTime::Uniform {
        range_s: [Nanoseconds(0), Nanoseconds(4 * MS)],
    };
    tasks[1].execution = ExecutionTime::Exponential {
        mean_s: 3e-3,
        min_s: Nanoseconds(MS),
    };
    tasks[2].execution = ExecutionTime::Normal {
        mean_s: 2e-3,
        std_s: 1e-3,
        min_s: Nanoseconds(0),
    };
    tasks[0].max_jobs = 3;
    let computer = computer(Scheduling::EarliestDeadlineFirst, tasks);
    let (state, whole) = run(&computer, 5000, 5000);
    assert!(counts(&state)[0].missed > 0);
    for block in [1, 7, 1000] {
        let (other, record) = run(&computer, 5000, block);
        assert_eq!(counts(&state), counts(&other));
        assert_eq!(whole.intervals, record.intervals);
    }
}

// Execution times have the mean and the limits of their distribution. Method: 20,000 jobs of each
// distribution. Tolerance: four standard errors of the mean; none for the limits.
#[test]
fn execution_times_follow_their_distribution() {
    let n = 20_000;
    let cases = [
        (
            ExecutionTime::Uniform {
                range_s: [Nanoseconds(MS), Nanoseconds(3 * MS)],
            },
            2e6,
            2e6 / 12_f64.sqrt(),
        ),
        (
            ExecutionTime::Exponential {
                mean_s: 3e-3,
                min_s: Nanoseconds(MS),
            },
            3e6,
            2e6,
        ),
        (
            ExecutionTime::Normal {
                mean_s: 5e-3,
                std_s: 1e-3,
                min_s: Nanoseconds(MS),
            },
            5e6,
            1e6,
        ),
    ];
    for (execution, mean, std) in cases {
        let task = Task {
            execution,
            ..periodic(10, 1, 0)
        };
        let times: Vec<u64> = (0..n).map(|k| execution_ns(&task, k)).collect();
        let found = times.iter().sum::<u64>() as f64 / n as f64;
        assert!(
            (found - mean).abs() < 4.0 * std / (n as f64).sqrt(),
            "{found}"
        );
        assert!(times.iter().all(|time| *time >= MS));
    }
    let trace = Task {
        execution: ExecutionTime::Trace {
            times_s: [5, 7, 9].map(Nanoseconds).into(),
        },
        ..periodic(10, 1, 0)
    };
    let times: Vec<u64> = (0..5).map(|k| execution_ns(&trace, k)).collect();
    assert_eq!(times, [5, 7, 9, 5, 7]);
}

// A clock that runs fast by s releases after T/(1 + s). Method: skew of 1000 ppm and offset of half
// a period, 1000 releases. Tolerance: 1 ns, the resolution.
#[test]
fn releases_follow_the_clock() {
    let mut computer = computer(Scheduling::FixedPriority, vec![periodic(10, 0, 0)]);
    computer.clock = ClockError::new(0.005, 1000.0);
    let state = ComputerState::new(&computer);
    for k in [1, 2, 1000_u64] {
        let expected = (10e6 * k as f64 - 5e6) / 1.001;
        let found = release_ns(&computer.tasks[0], &state, k) as f64;
        assert!((found - expected).abs() <= 1.0, "{k}: {found}, {expected}");
    }
    assert_eq!(state.tasks[0].next_release, 1);
}

// An overrunning periodic task skips releases; with a longer queue it completes them late. Method:
// 15 ms of work every 10 ms.
#[test]
fn overruns_are_skipped_or_queued() {
    let mut computer = computer(Scheduling::FixedPriority, vec![periodic(10, 15, 0)]);
    let (state, _) = run(&computer, 300, 300);
    let own = counts(&state)[0];
    assert_eq!((own.completed, own.skipped, own.missed), (15, 15, 15));
    computer.tasks[0].max_jobs = 4;
    let (state, record) = run(&computer, 300, 300);
    let own = counts(&state)[0];
    assert_eq!(own.completed, 20);
    let runs = record.runs(0);
    let is_busy = runs.windows(2).all(|pair| pair[0].1 == pair[1].0);
    assert!(is_busy, "the processor was idle: {runs:?}");
}

/// Returns an input that arrives at a time [ms].
fn input(arrival: u64) -> Input {
    Input {
        arrival_ns: arrival * MS,
        data: InputData::Command(TaskCommand::Actuator(ActuatorCommand::Fins {
            values: Vec::new(),
        })),
    }
}

// A task on messages has one job per input, in order, and discards the oldest waiting one if it is
// full; a task after it has a job per completed job; a periodic task takes all inputs that have
// arrived. Method: inputs at 1, 2, 3 and 4 ms, a job of 10 ms, at most two jobs.
#[test]
fn inputs_release_jobs() {
    let on_message = Task {
        activation: Activation::Message,
        deadline_ns: None,
        max_jobs: 2,
        ..periodic(10, 10, 1)
    };
    let after = Task {
        activation: Activation::After { task: 0 },
        deadline_ns: None,
        ..periodic(10, 1, 2)
    };
    let mut late = periodic(30, 1, 0);
    late.activation = Activation::Periodic {
        period_ns: 30 * MS,
        offset_ns: 3 * MS,
    };
    let computer = computer(Scheduling::FixedPriority, vec![on_message, after, late]);
    let mut state = ComputerState::new(&computer);
    let mut record = Record::new();
    for k in 1..=4 {
        state.tasks[0].inputs.push_back(input(k));
        state.tasks[2].inputs.push_back(input(k));
        advance(&computer, &mut state, k * MS, &mut record);
    }
    advance(&computer, &mut state, 29 * MS, &mut record);
    assert_eq!(record.runs(0), [(1, 11), (12, 22)]);
    assert_eq!(record.runs(1), [(11, 12), (22, 23)]);
    let own = counts(&state);
    assert_eq!((own[0].dropped, own[0].completed), (2, 2));
    assert_eq!(own[1].completed, 2);
    assert!(state.tasks[0].inputs.is_empty());
    // the periodic task started at 23 ms, when all four inputs had arrived
    assert_eq!(record.inputs.last(), Some(&4));
}

// A computer without power discards its jobs and continues at the next release after the power has
// returned. Method: power off from 12 to 31 ms.
#[test]
fn a_computer_without_power_runs_no_jobs() {
    let computer = computer(Scheduling::FixedPriority, vec![periodic(10, 5, 0)]);
    let mut state = ComputerState::new(&computer);
    let mut record = Record::new();
    advance(&computer, &mut state, 12 * MS, &mut record);
    record.is_powered = false;
    advance(&computer, &mut state, 31 * MS, &mut record);
    record.is_powered = true;
    advance(&computer, &mut state, 50 * MS, &mut record);
    assert_eq!(record.runs(0), [(0, 5), (10, 15), (40, 45)]);
    assert_eq!(counts(&state)[0].completed, 2);
}

//! Conversion of the computers of a robot and their tasks.

use crate::context::Context;
use crate::keys::RobotModelConfig;
use crate::keys::robot::computer::{ActivationConfig, ComputerConfig, TaskConfig};
use merrow_math::rng::Stream;
use merrow_model::scene::Robot;
use merrow_model::scene::computer::MAX_TASKS;
use merrow_model::scene::computer::{
    Activation, Computer, ExecutionTime, OnboardComputers, Task, TaskIndex,
};
use merrow_model::scene::nanoseconds::nanoseconds;

/// Default of `max_jobs` for a task that is released by its inputs.
const MAX_MESSAGE_JOBS: usize = 10;

/// Builds the computers of `robot`, whose sensors and firmware are complete. `None` without
/// computers.
pub(crate) fn build_computers(
    model: &RobotModelConfig,
    robot: &Robot,
    cx: Context<'_>,
) -> Option<Box<OnboardComputers>> {
    model.computers.iter().next()?;
    let mut onboard = OnboardComputers {
        sensors: vec![None; robot.sensors.len()],
        ..OnboardComputers::default()
    };
    for (c, (name, file)) in model.computers.iter().enumerate() {
        let found = file.tasks.iter().count();
        if found > MAX_TASKS {
            let text = format!("{name}: expected at most {MAX_TASKS} tasks, found {found}");
            cx.error(file.at.key_place("tasks"), text);
        }
        let is_name_taken = robot.sensors.iter().any(|sensor| sensor.name == name)
            || model.modems.iter().any(|(modem, _)| modem == name);
        if is_name_taken {
            let text = format!("a sensor or modem of the robot is called {name}; rename one");
            cx.error(&file.at.whole, text);
        }
        for (t, (task_name, task)) in file.tasks.iter().enumerate() {
            let index = TaskIndex {
                computer: c,
                task: t,
            };
            let place = (&mut onboard, robot, model);
            connect_task(place, (task_name, task), index, cx);
        }
        onboard
            .computers
            .push(build_computer(name, file, robot, cx));
    }
    Some(Box::new(onboard))
}

/// Enters what passes through a task.
fn connect_task(
    (onboard, robot, model): (&mut OnboardComputers, &Robot, &RobotModelConfig),
    (name, file): (&str, &TaskConfig),
    index: TaskIndex,
    cx: Context<'_>,
) {
    let taken = |key: &str, what: &str| {
        let text = format!("`{key}` of {name}: {what} already passes through another task");
        cx.error(file.at.key_place(key), text);
    };
    if file.runs_firmware {
        if robot.firmware.is_none() {
            let text = format!("`runs_firmware` of {name}: the robot has no firmware");
            cx.error(file.at.key_place("runs_firmware"), text);
        }
        if matches!(file.activation, ActivationConfig::Message) {
            let text = format!(
                "`runs_firmware` of {name}: expected the activation `periodic` or `after`, found `message`"
            );
            cx.error(file.at.key_place("runs_firmware"), text);
        }
        if onboard.firmware.replace(index).is_some() {
            taken("runs_firmware", "the firmware");
        }
    }
    if file.commands && onboard.commands.replace(index).is_some() {
        taken("commands", "every command");
    }
    for sensor in &file.sensors {
        let names = robot.sensors.iter().map(|sensor| sensor.name.as_str());
        let found = cx.find(file.at.key_place("sensors"), sensor, names, |sensor| {
            format!("`sensors` of {name}: no sensor {sensor}")
        });
        let Some(k) = found else { continue };
        if onboard.sensors[k].replace(index).is_some() {
            taken("sensors", sensor);
        }
    }
    for modem in &file.modems {
        let names = model.modems.iter().map(|(name, _)| name);
        cx.find(file.at.key_place("modems"), modem, names, |modem| {
            format!("`modems` of {name}: no modem {modem}")
        });
    }
    let has_input = file.commands || !file.sensors.is_empty() || !file.modems.is_empty();
    if matches!(file.activation, ActivationConfig::Message) && !has_input {
        let text = format!(
            "{name}: the activation `message` requires `commands`, `sensors` or `modems`; add one"
        );
        cx.error(file.at.key_place("activation"), text);
    }
}

/// Returns the task that the received messages of the modem `name` pass through.
pub(crate) fn modem_task(model: &RobotModelConfig, modem: &str) -> Option<TaskIndex> {
    model
        .computers
        .iter()
        .enumerate()
        .find_map(|(c, (_, file))| {
            let mut tasks = file.tasks.iter().enumerate();
            let found = tasks.find(|(_, (_, task))| task.modems.iter().any(|name| name == modem));
            found.map(|(t, _)| TaskIndex {
                computer: c,
                task: t,
            })
        })
}

fn build_computer(name: &str, file: &ComputerConfig, robot: &Robot, cx: Context<'_>) -> Computer {
    let tasks = file.tasks.iter();
    let computer = Computer {
        name: name.to_string(),
        processors: file.processors as usize,
        scheduling: file.scheduling,
        preemptive: file.preemptive,
        clock: file.clock.clone(),
        tasks: tasks
            .map(|(task_name, task)| {
                let path = format!("{}/{name}/{task_name}", robot.name);
                let stream = Stream::new(cx.seed, &path);
                build_task((task_name, task), file, robot, stream, cx)
            })
            .collect(),
    };
    check_cycles(&computer, file, cx);
    computer
}

fn build_task(
    (name, file): (&str, &TaskConfig),
    computer: &ComputerConfig,
    robot: &Robot,
    stream: Stream,
    cx: Context<'_>,
) -> Task {
    let activation = build_activation((name, file), computer, robot, cx);
    let period = match activation {
        // 1 ns is the period of a task without one, which is an error
        Activation::Periodic { period_ns, .. } => (period_ns > 1).then_some(period_ns),
        _ => None,
    };
    let before = cx.problems().len();
    check_execution((name, file), cx);
    let execution = &file.execution;
    let deadline_ns = file.deadline_s.map(nanoseconds).or(period);
    if cx.problems().len() == before {
        check_times((name, file), [period, deadline_ns], execution, cx);
    }
    let max_jobs = match activation {
        Activation::Message => MAX_MESSAGE_JOBS,
        _ => 1,
    };
    Task {
        name: name.to_string(),
        activation,
        deadline_ns,
        priority: file.priority as i32,
        execution: execution.clone(),
        max_jobs: file.max_jobs.map_or(max_jobs, |n| n as usize),
        stream,
    }
}

/// Reports a task of which no job can end within its period or by its deadline [ns].
fn check_times(
    (name, file): (&str, &TaskConfig),
    [period, deadline]: [Option<u64>; 2],
    execution: &ExecutionTime,
    cx: Context<'_>,
) {
    let shortest = execution.min_ns();
    let limits = [
        (period, "period", "raise `period_s`"),
        (deadline, "deadline", "raise `deadline_s`"),
    ];
    let exceeded = limits.into_iter().find_map(|(limit, what, remedy)| {
        let limit = limit.filter(|limit| shortest > *limit)?;
        Some((limit, what, remedy))
    });
    if let Some((limit, what, remedy)) = exceeded {
        let [limit, shortest] = [limit, shortest].map(|ns| ns as f64 / 1e9);
        let text = format!(
            "{name}: no job can end within its {what}; expected an execution time of at most \
             {limit} s, found at least {shortest} s; {remedy} or lower the execution time"
        );
        // an overloaded computer can be what the user studies
        cx.note(file.at.key_place("execution"), text);
    }
}

fn build_activation(
    (name, file): (&str, &TaskConfig),
    computer: &ComputerConfig,
    robot: &Robot,
    cx: Context<'_>,
) -> Activation {
    let rate = robot.firmware.as_ref().filter(|_| file.runs_firmware);
    let own_period = rate.map(|firmware| nanoseconds(1.0 / firmware.rate_hz));
    match &file.activation {
        ActivationConfig::Periodic {
            period_s, offset_s, ..
        } => {
            let period = period_s.map(nanoseconds);
            if period.is_none() && own_period.is_none() {
                let text = format!("{name}: missing key `period_s`");
                cx.error(file.at.key_place("activation"), text);
            }
            Activation::Periodic {
                period_ns: period.or(own_period).unwrap_or(1),
                offset_ns: nanoseconds(*offset_s),
            }
        }
        ActivationConfig::Message => Activation::Message,
        ActivationConfig::After { task: other, .. } => {
            let names = computer.tasks.iter().map(|(name, _)| name);
            let place = file.at.key_place("activation");
            let found = cx.find(place, other, names, |other| {
                format!("{name}: no task {other}")
            });
            found.map_or(Activation::Message, |task| Activation::After { task })
        }
    }
}

/// Reports tasks that release each other in a cycle, and therefore never start.
fn check_cycles(computer: &Computer, file: &ComputerConfig, cx: Context<'_>) {
    for (k, (name, file)) in file.tasks.iter().enumerate() {
        let mut at = k;
        for _ in 0..computer.tasks.len() {
            let Activation::After { task } = computer.tasks[at].activation else {
                break;
            };
            at = task;
            if at == k {
                let text = format!("{name}: the task releases itself, through `after`");
                cx.error(file.at.key_place("activation"), text);
                break;
            }
        }
    }
}

/// Reports times of an execution that contradict each other.
fn check_execution((name, file): (&str, &TaskConfig), cx: Context<'_>) {
    let text = match &file.execution {
        ExecutionTime::Uniform {
            range_s: [min, max],
        } if min > max => "`range_s`: expected the minimum first",
        ExecutionTime::Exponential { mean_s, min_s } if nanoseconds(*mean_s) < min_s.0 => {
            "`mean_s`: expected at least `min_s`"
        }
        _ => return,
    };
    let text = format!("{name}: {text}");
    cx.error(file.at.key_place("execution"), text);
}

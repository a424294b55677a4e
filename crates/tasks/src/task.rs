//! The task of a world: phases, start zone, collisions, boundary, time limits, several robots.
//!
//! # Law
//! ```text
//!   initial --t ≥ t_ready--> ready --t ≥ t_running--> running --t ≥ t_finish or all done--> finished
//!   S = s + p + k t                                        (1)  lower scores are better
//!   S = max(0, s - k t), s ← max(0, s - Δp) at a penalty   (2)  higher scores are better
//! ```
//! The law of the kind of task computes the score s of each robot while the phase is `running`.
//!
//! # Symbols
//! t_ready, t_running, t_finish sums of the durations of the phases from the start of the run [s] ·
//! S score of a robot · s score of the law · p sum of the penalties, Δp one of them ·
//! k `time_penalty_per_s` · t time of the robot in the phase `running` [s].
//!
//! # Source
//! Phases, (2) and the time between two collisions: osrf/vrx at 93ae8d0, `vrx_gz/src/ScoringPlugin.cc`
//! and `NavigationScoringPlugin.cc`. (1): `AcousticTrackingScoringPlugin.cc`.
//!
//! # Limits
//! A halted robot is not scored any more.
//!
//! # Checked by
//! tests below

use crate::geometry::{heading_error, horizontal_distance, polygon_area, polygon_contains};
use crate::keys::{BoundaryKeys, CollisionKeys, StartKeys, TaskKeys, Total};
use crate::law::{
    Anchor, Better, Goal, Marker, Names, Progress, Report, Run, Shape, Site, Tick, Truth,
    build_goal, check_reachable, is_horizontal,
};
use crate::registry::Law;
use crate::state::{Event, Phase, RobotRun, TaskState};
use merrow_math::Vec3;

/// Maximum number of reports of a robot between two ticks.
pub const MAX_REPORTS: usize = 64;
/// Maximum length of the texts of reports [bytes].
pub const MAX_TEXT: usize = 256;

/// Task of a world.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// Name of the task.
    pub name: String,
    /// Description in one line.
    pub description: String,
    /// Names of the robots that are scored, and their indices among the bodies.
    pub robots: Vec<(String, usize)>,
    /// How the scores of several robots are combined.
    pub total: Total,
    /// Time between two ticks [ns].
    pub period_ns: u64,
    /// Time of the phases `ready`, `running` and `finished` after its start [ns].
    pub phases_ns: [u64; 3],
    /// Zone in which the robots start, if any.
    pub start: Option<(Goal, StartKeys)>,
    /// Which contacts are collisions.
    pub collisions: CollisionKeys,
    /// Area that the robots must not leave.
    pub boundary: Option<BoundaryKeys>,
    /// Penalty per second.
    pub time_penalty_per_s: f64,
    /// Law of its kind.
    pub law: Law,
}

impl Task {
    /// Builds the task of a world and reports what does not fit the world.
    pub fn build(keys: &TaskKeys, names: &dyn Names) -> Option<Self> {
        let robots = build_robots(keys, names)?;
        check_collisions(&keys.collisions, names);
        let boundary = keys.boundary.clone();
        if let Some(boundary) = &boundary {
            check_boundary(boundary, &robots, names);
        }
        let site = &Site {
            names,
            robots: &robots,
        };
        let start = match &keys.start {
            Some(start) => {
                let goal = build_goal(&start.pose, site)?;
                let horizontal = is_horizontal(None, site);
                check_reachable(goal.p_W, horizontal, "`start`", &start.at.whole, site);
                Some((goal, start.clone()))
            }
            None => None,
        };
        let law = Law::build(&keys.kind, site)?;
        let nanoseconds = |s: f64| (s * 1e9).round() as u64;
        let ready = nanoseconds(keys.initial_duration_s);
        let running = ready + nanoseconds(keys.ready_duration_s);
        let name = match keys.name.is_empty() {
            true => law.kind().to_string(),
            false => keys.name.clone(),
        };
        Some(Self {
            name,
            description: keys.description.clone(),
            robots,
            total: keys.total,
            period_ns: nanoseconds(1.0 / keys.rate_hz).max(1),
            phases_ns: [
                ready,
                running,
                running + nanoseconds(keys.running_duration_s),
            ],
            start,
            collisions: keys.collisions.clone(),
            boundary,
            time_penalty_per_s: keys.time_penalty_per_s,
            law,
        })
    }

    /// Returns the state of a task that starts at `now_ns` [ns].
    pub fn initial_state(&self, now_ns: u64) -> TaskState {
        let run = || RobotRun {
            law: self.law.start(),
            score: 0.0,
            penalty: 0.0,
            time_penalty: 0.0,
            touched: None,
            collisions: 0,
            last_collision_ns: None,
            is_outside: false,
            finished_ns: None,
            reports: Vec::new(),
            recorded: None,
        };
        TaskState {
            start_ns: now_ns,
            last_ns: now_ns,
            next_ns: now_ns,
            phase: Phase::Initial,
            timed_out: false,
            finished_ns: None,
            robots: self.robots.iter().map(|_| run()).collect(),
            events: Vec::new(),
        }
    }

    /// Returns true if `state` is a state of this task.
    pub fn fits(&self, state: &TaskState) -> bool {
        let all = state.robots.iter().all(|run| self.law.fits(&run.law));
        let ticks_ns = state.next_ns.checked_sub(state.start_ns);
        let is_known = |k: u32| (k as usize) < self.robots.len();
        let mut events = state.events.iter();
        let has_robots = events.all(|event| event.robot.is_none_or(is_known));
        let is_tick = ticks_ns.is_some_and(|ns| ns % self.period_ns == 0);
        all && is_tick && has_robots && state.robots.len() == self.robots.len()
    }

    /// Evaluates the tick at `now_ns` [ns], if it is due. `is_halted` returns true for bodies that no
    /// longer move.
    pub fn advance(
        &self,
        state: &mut TaskState,
        now_ns: u64,
        truth: &dyn Truth,
        is_halted: &dyn Fn(usize) -> bool,
    ) {
        if now_ns < state.next_ns {
            return;
        }
        self.note_contacts(state, truth);
        // a tick is at the end of a step, which can be longer than the period
        let dt_s = now_ns.saturating_sub(state.last_ns).max(1) as f64 * 1e-9;
        state.last_ns = now_ns;
        let ticks = (now_ns - state.start_ns) / self.period_ns + 1;
        state.next_ns = state.start_ns + ticks * self.period_ns;
        let [ready, running, finish] = self.phase_times(state);
        if state.phase == Phase::Initial && now_ns >= ready {
            state.enter(Phase::Ready, now_ns);
        }
        if state.phase == Phase::Ready && now_ns >= running {
            state.enter(Phase::Running, now_ns);
            self.check_start(state, now_ns, truth);
        }
        if state.phase != Phase::Running {
            // a report before the task has no effect on it
            for run in &mut state.robots {
                run.reports.clear();
                run.touched = None;
            }
            return;
        }
        let is_over = now_ns >= finish;
        let elapsed_s = now_ns.saturating_sub(running) as f64 * 1e-9;
        for robot in 0..self.robots.len() {
            if state.robots[robot].finished_ns.is_some() {
                continue;
            }
            let is_halted = is_halted(self.robots[robot].1);
            self.advance_robot(
                state,
                robot,
                (now_ns, elapsed_s, dt_s),
                truth,
                is_over,
                is_halted,
            );
        }
        let is_done = state.robots.iter().all(|run| run.finished_ns.is_some());
        if is_done || is_over {
            state.timed_out = is_over && !is_done;
            state.finished_ns = Some(now_ns);
            state.enter(Phase::Finished, now_ns);
        }
    }

    fn advance_robot(
        &self,
        state: &mut TaskState,
        robot: usize,
        (now_ns, elapsed_s, dt_s): (u64, f64, f64),
        truth: &dyn Truth,
        is_over: bool,
        is_halted: bool,
    ) {
        let TaskState { robots, events, .. } = state;
        let own = &mut robots[robot];
        let mut law = own.law.clone();
        let reports = std::mem::take(&mut own.reports);
        let head = Event {
            time_ns: now_ns,
            robot: Some(robot as u32),
            text: String::new(),
        };
        let mut run = Run {
            run: own,
            events,
            head,
        };
        let motion = truth.motion(self.robots[robot].1);
        let tick = Tick {
            elapsed_s,
            dt_s,
            motion,
            truth,
            reports: &reports,
        };
        if is_over {
            self.law.end(&mut law, &mut run);
        } else if is_halted || !motion.p_WB.is_finite() {
            run.finish("halted");
            self.law.end(&mut law, &mut run);
        } else {
            self.count_collision(&mut run);
            self.check_boundary(&mut run, &tick);
            if elapsed_s > 0.0 {
                run.run.time_penalty += self.time_penalty_per_s * tick.dt_s;
            }
            // also at the end of the task, so that a robot that ends at once has a score
            self.law.tick(&mut law, &tick, &mut run);
            if run.run.finished_ns.is_some() {
                self.law.end(&mut law, &mut run);
            }
        }
        own.law = law;
    }

    /// Adds a penalty by (1) or (2).
    fn penalise(&self, run: &mut Run<'_>, penalty: f64) {
        if penalty > 0.0 {
            run.run.penalty += penalty;
            if self.law.better() == Better::Higher {
                run.set((run.score() - penalty).max(0.0));
            }
        }
    }

    fn check_start(&self, state: &mut TaskState, now_ns: u64, truth: &dyn Truth) {
        let Some((goal, keys)) = &self.start else {
            return;
        };
        let TaskState { robots, events, .. } = state;
        for (k, (run, (_, body))) in robots.iter_mut().zip(&self.robots).enumerate() {
            let motion = truth.motion(*body);
            let distance = horizontal_distance(motion.p_WB, goal.p_W);
            let turn = goal.yaw.map_or(0.0, |yaw| heading_error(yaw, motion.yaw()));
            if distance <= keys.radius_m && turn <= keys.yaw_tolerance_deg.to_radians() {
                continue;
            }
            let head = Event {
                time_ns: now_ns,
                robot: Some(k as u32),
                text: String::new(),
            };
            let mut run = Run { run, events, head };
            self.penalise(&mut run, keys.penalty);
            let turn = turn.to_degrees();
            run.event(format!(
                "outside of the start zone: {distance:.1} m and {turn:.0} deg from its pose"
            ));
        }
    }

    /// Notes what the robots touch now, for the next tick. To be called after every step with
    /// contacts, because a contact can be shorter than the time between two ticks.
    pub fn note_contacts(&self, state: &mut TaskState, truth: &dyn Truth) {
        let keys = &self.collisions;
        for (run, (_, body)) in state.robots.iter_mut().zip(&self.robots) {
            let touched = &mut run.touched;
            truth.touching(*body, &mut |other| {
                let counts = match other {
                    Some(name) => !keys.except.iter().any(|except| except == name),
                    None => keys.seabed,
                };
                if counts && touched.is_none() {
                    *touched = Some(other.unwrap_or("the seabed").to_string());
                }
            });
        }
    }

    fn count_collision(&self, run: &mut Run<'_>) {
        let now_ns = run.head.time_ns;
        let keys = &self.collisions;
        let buffer_ns = (keys.buffer_s * 1e9) as u64;
        let is_counted = |last: u64| now_ns.saturating_sub(last) <= buffer_ns;
        let touched = run.run.touched.take();
        let Some(with) = touched.filter(|_| !run.run.last_collision_ns.is_some_and(is_counted))
        else {
            return;
        };
        run.run.last_collision_ns = Some(now_ns);
        run.run.collisions += 1;
        self.penalise(run, keys.penalty);
        run.event(format!("collision with {with}"));
        if keys.limit.is_some_and(|limit| run.run.collisions >= limit) {
            run.finish(format!("ended by {} collisions", run.run.collisions));
        }
    }

    fn check_boundary(&self, run: &mut Run<'_>, tick: &Tick<'_>) {
        let Some(keys) = &self.boundary else {
            return;
        };
        let p = tick.motion.p_WB;
        let within = keys
            .z_m
            .is_none_or(|[low, high]| (low..=high).contains(&p.z));
        let is_outside = !(within && polygon_contains(&keys.polygon_m, p));
        let was_outside = std::mem::replace(&mut run.run.is_outside, is_outside);
        if is_outside {
            self.penalise(run, keys.penalty_per_s * tick.dt_s);
        }
        if is_outside && !was_outside {
            self.penalise(run, keys.penalty);
            run.event("left the area");
            if keys.ends {
                run.finish("ended outside of the area");
            }
        } else if was_outside && !is_outside {
            run.event("returned to the area");
        }
    }

    /// Accepts a report of the robot with the index `body`.
    ///
    /// # Errors
    /// Why the report is refused.
    pub fn report(
        &self,
        state: &mut TaskState,
        body: usize,
        report: &Report,
    ) -> Result<(), String> {
        let robot = self.robots.iter().position(|(_, own)| *own == body);
        let robot = robot.ok_or("the robot has no part in the task")?;
        let texts: &[String] = match report {
            Report::Object { class, p_W } => {
                if !p_W.is_finite() {
                    return Err("the position of the object is not finite".to_string());
                }
                std::slice::from_ref(class)
            }
            Report::Words(words) => words,
        };
        if texts.iter().map(String::len).sum::<usize>() > MAX_TEXT {
            return Err(format!(
                "the texts of a report have more than {MAX_TEXT} bytes"
            ));
        }
        self.law.reports().check(report)?;
        if state.phase != Phase::Running {
            let phase = state.phase.keyword();
            return Err(format!(
                "the task is in the phase {phase}; send reports while it is running"
            ));
        }
        let run = &mut state.robots[robot];
        if run.finished_ns.is_some() {
            return Err("the robot has finished its task".to_string());
        }
        if run.reports.len() >= MAX_REPORTS {
            return Err(format!(
                "more than {MAX_REPORTS} reports within {} s",
                self.period_ns as f64 * 1e-9
            ));
        }
        run.reports.push(report.clone());
        Ok(())
    }

    /// Returns the parts that a robot has done; in a replay those of the recording.
    pub fn progress(&self, run: &RobotRun) -> Progress {
        let of_law = self.law.progress(&run.law);
        match run.recorded {
            Some(recorded) => Progress {
                done: recorded.done as usize,
                next: recorded.next.map(Anchor::Fixed),
                ..of_law
            },
            None => of_law,
        }
    }

    /// Returns the score of a robot with its penalties, in the unit of the kind.
    pub fn robot_score(&self, run: &RobotRun) -> f64 {
        match self.law.better() {
            Better::Lower => run.score + run.penalties(),
            Better::Higher => (run.score - run.time_penalty).max(0.0),
        }
    }

    /// Returns the score of the task, in the unit of the kind.
    pub fn score(&self, state: &TaskState) -> f64 {
        let scores = state.robots.iter().map(|run| self.robot_score(run));
        match self.total {
            Total::Mean => scores.sum::<f64>() / state.robots.len().max(1) as f64,
            Total::Sum => scores.sum(),
            Total::Best => match self.law.better() {
                Better::Lower => scores.reduce(f64::min),
                Better::Higher => scores.reduce(f64::max),
            }
            .unwrap_or(0.0),
        }
    }

    /// Returns the times of the phases `ready`, `running` and `finished` [ns].
    pub fn phase_times(&self, state: &TaskState) -> [u64; 3] {
        self.phases_ns.map(|ns| state.start_ns.saturating_add(ns))
    }

    /// Returns the time in the phase `running` so far and what is left of it [s].
    pub fn times(&self, state: &TaskState, now_ns: u64) -> [f64; 2] {
        let [_, running, finish] = self.phase_times(state);
        let now = state.finished_ns.unwrap_or(now_ns).clamp(running, finish);
        [now - running, finish - now].map(|ns| ns as f64 * 1e-9)
    }

    /// Returns the parts of the task for figures and maps, with its boundary and its start zone.
    pub fn markers(&self) -> Vec<Marker> {
        let mut all = self.law.markers();
        if let Some((goal, _)) = &self.start {
            all.push(Marker::goal("start", goal));
        }
        if let Some(boundary) = &self.boundary {
            let corners = boundary.polygon_m.iter();
            let corners = corners.map(|[x, y]| Anchor::Fixed(Vec3::new(*x, *y, 0.0)));
            all.push(Marker::new(Shape::Area, "boundary", corners.collect()));
        }
        all
    }
}

impl TaskState {
    /// Begins a phase.
    fn enter(&mut self, phase: Phase, now_ns: u64) {
        self.phase = phase;
        if self.events.len() < Event::MAX {
            self.events.push(Event {
                time_ns: now_ns,
                robot: None,
                text: phase.keyword().to_string(),
            });
        }
    }
}

/// Returns the robots of the task with their indices.
fn build_robots(keys: &TaskKeys, names: &dyn Names) -> Option<Vec<(String, usize)>> {
    let all = names.robots();
    if keys.robots.is_empty() {
        return match all.as_slice() {
            [_] => Some(all),
            _ => {
                let text = format!(
                    "a task in a world with {} robots: expected `robots` with the names of those that are scored",
                    all.len()
                );
                names.error(&keys.at.whole, &text);
                None
            }
        };
    }
    let place = keys.at.key_place("robots");
    let mut found: Vec<(String, usize)> = Vec::new();
    for name in &keys.robots {
        if found.iter().any(|(other, _)| other == name) {
            names.error(place, &format!("`robots` has {name} twice; remove one"));
            return None;
        }
        match all.iter().find(|(other, _)| other == name) {
            Some(robot) => found.push(robot.clone()),
            None => {
                // reports the names that exist, if it is no prop or actor
                if names.find_object(name, Vec3::zero(), place).is_some() {
                    let text =
                        format!("`robots`: {name} is no robot; expected a robot of `robots`");
                    names.error(place, &text);
                }
                return None;
            }
        }
    }
    Some(found)
}

fn check_collisions(keys: &CollisionKeys, names: &dyn Names) {
    for name in &keys.except {
        names.find_object(name, Vec3::zero(), keys.at.key_place("except"));
    }
}

/// Reports a boundary without an area, or one that a robot starts outside of.
fn check_boundary(keys: &BoundaryKeys, robots: &[(String, usize)], names: &dyn Names) {
    let place = keys.at.key_place("polygon_m");
    if keys.polygon_m.len() < 3 || polygon_area(&keys.polygon_m).abs() < 1e-6 {
        let text = format!(
            "`polygon_m` has no area; expected at least 3 corners that are not on one line, found {}",
            keys.polygon_m.len()
        );
        names.error(place, &text);
        return;
    }
    if let Some([low, high]) = keys.z_m.filter(|[low, high]| low >= high) {
        let text = format!("`z_m` is [{low}, {high}]; expected the smaller value first");
        names.error(keys.at.key_place("z_m"), &text);
    }
    for (name, body) in robots {
        if !polygon_contains(&keys.polygon_m, names.start(*body)) {
            names.note(
                place,
                &format!("{name} starts outside of the boundary of its task"),
            );
        }
    }
}

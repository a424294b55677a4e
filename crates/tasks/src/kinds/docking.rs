//! Docking: dock in the right bay, and report the colours that name it.
//!
//! # Law
//! ```text
//!   first report of the words is right:                          S ← S + a
//!   in the zone of a bay, or its latch engaged, for T:           docked
//!   docked, and in the entrance of the bay if it has one:        S ← S + b, + c if it is the right bay, end
//! ```
//! # Symbols
//! a `report_points` · b `dock_points` · c `right_bay_points` · T `dock_time_s` of the bay.
//!
//! # Source
//! osrf/vrx at 93ae8d0, `vrx_gz/src/ScanDockScoringPlugin.cc`, with a = b = c = 10.
//!
//! # Limits
//! Only the first report counts, and only one docking. The deliveries of projectiles of the plug-in
//! are not simulated.
//!
//! # Checked by
//! tests below, against the arithmetic of the plug-in

use crate::geometry::Zone;
use crate::keys::ZoneKeys;
use crate::law::{
    Anchor, Better, Marker, Progress, Report, Reports, Run, Shape, Site, TaskLaw, Tick, build_zone,
};
use merrow_persist::Persist;
use merrow_yaml::read::NamedMap;
use merrow_yaml::spec::spec;

spec! {
    /// Dock in the right bay. Score: points; higher is better.
    pub struct DockingKeys {
        /// The bays, by name.
        bays: NamedMap<BayKeys> [not_empty],
        /// Words that a report must have in this order, such as the colours of a light. Default: no
        /// report is expected.
        report: Vec<String> [not_empty] = Vec::new(),
        /// Points for the right words in the first report.
        report_points: f64 [in 0.0..=1e9] = 10.0,
        /// Points for docking in any bay.
        dock_points: f64 [in 0.0..=1e9] = 10.0,
        /// Additional points for docking in the right bay.
        right_bay_points: f64 [in 0.0..=1e9] = 10.0,
    }

    /// A bay.
    pub struct BayKeys {
        /// Zone in which the robot is docked. Default: `latch`.
        zone: Option<ZoneKeys>,
        /// Name of the coupling that is engaged when the robot is docked, instead of a zone.
        latch: Option<String> [name],
        /// Zone that the robot must be in when it leaves. Default: the task ends in the bay.
        entrance: Option<ZoneKeys>,
        /// Time for which the robot must be docked.
        dock_time_s: f64 [in 0.0..=1e9] = 10.0,
        /// Whether this is the right bay.
        right: bool = true,
    }
}

/// How a robot is docked in a bay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Dock {
    /// In a zone.
    Zone(Zone),
    /// With an engaged coupling, by its index.
    Latch(usize),
}

/// Law of docking.
#[derive(Clone, Debug, PartialEq)]
pub struct Docking {
    /// How the robot is docked, and the entrance, of each bay.
    pub bays: Vec<(Dock, Option<Zone>)>,
    /// Keys of the file.
    pub keys: DockingKeys,
}

/// What a robot has done.
#[derive(Clone, Debug, PartialEq, Persist)]
pub struct State {
    /// Time for which the robot has been in each bay [s].
    pub in_bay_s: Vec<Option<f64>>,
    /// Whether the robot was docked in each bay.
    pub was_docked: Vec<bool>,
    /// Whether a report was received, and whether it was right.
    pub report: Option<bool>,
}

impl Docking {
    fn bay(&self, k: usize) -> (&str, &BayKeys) {
        let (key, bay) = &self.keys.bays.0[k];
        (&key.name, bay)
    }

    fn is_inside(&self, k: usize, tick: &Tick<'_>) -> bool {
        match self.bays[k].0 {
            Dock::Zone(zone) => zone.contains(tick.motion.p_WB),
            Dock::Latch(coupling) => tick.truth.is_engaged(coupling),
        }
    }

    fn read_reports(&self, state: &mut State, tick: &Tick<'_>, run: &mut Run<'_>) {
        for report in tick.reports {
            let Report::Words(words) = report else {
                continue;
            };
            if state.report.is_some() {
                run.event("ignored a further report");
                continue;
            }
            let words = words.iter().map(|word| word.to_lowercase());
            let expected = self.keys.report.iter().map(|word| word.to_lowercase());
            let is_right = words.eq(expected);
            state.report = Some(is_right);
            if is_right {
                run.add(self.keys.report_points);
            }
            run.event(if is_right {
                "reported the right words"
            } else {
                "reported wrong words"
            });
        }
    }
}

impl TaskLaw for Docking {
    type Keys = DockingKeys;
    type State = State;
    const BETTER: Better = Better::Higher;

    fn build(keys: &Self::Keys, names: &Site<'_>) -> Option<Self> {
        let mut bays = Vec::new();
        for (name, bay) in keys.bays.iter() {
            let dock = match (&bay.zone, &bay.latch) {
                (Some(zone), None) => Dock::Zone(build_zone(zone)),
                (None, Some(latch)) => {
                    Dock::Latch(names.find_coupling(latch, bay.at.key_place("latch"))?)
                }
                _ => {
                    let text = format!("the bay {name}: expected `zone` or `latch`");
                    names.error(&bay.at.whole, &text);
                    return None;
                }
            };
            if let Dock::Zone(zone) = dock
                && names.seabed(zone.p_W.x, zone.p_W.y) >= zone.p_W.z + 0.5 * zone.size_m.z
            {
                let text = format!(
                    "the zone of the bay {name} is in the ground; expected a place in the water"
                );
                names.error(bay.at.key_place("zone"), &text);
            }
            bays.push((dock, bay.entrance.as_ref().map(build_zone)));
        }
        if !keys.bays.iter().any(|(_, bay)| bay.right) {
            names.note(
                keys.at.key_place("bays"),
                "no bay of the task is the right one",
            );
        }
        Some(Self {
            bays,
            keys: keys.clone(),
        })
    }

    fn start(&self) -> State {
        State {
            in_bay_s: vec![None; self.bays.len()],
            was_docked: vec![false; self.bays.len()],
            report: None,
        }
    }

    fn tick(&self, state: &mut State, tick: &Tick<'_>, run: &mut Run<'_>) {
        self.read_reports(state, tick, run);
        for k in 0..self.bays.len() {
            let (name, bay) = self.bay(k);
            state.in_bay_s[k] = match (self.is_inside(k, tick), state.in_bay_s[k]) {
                (true, Some(time)) => Some(time + tick.dt_s),
                (true, None) => {
                    run.event(format!("entered the bay {name}"));
                    Some(0.0)
                }
                (false, Some(_)) => {
                    run.event(format!("left the bay {name}"));
                    None
                }
                (false, None) => None,
            };
            // half a tick: the time is a sum of ticks
            let is_docked = |time: f64| time >= bay.dock_time_s - 0.5 * tick.dt_s;
            if state.in_bay_s[k].is_some_and(is_docked) && !state.was_docked[k] {
                state.was_docked[k] = true;
                run.event(format!("docked in the bay {name}"));
            }
            let may_end = self.bays[k]
                .1
                .is_none_or(|zone| zone.contains(tick.motion.p_WB));
            if state.was_docked[k] && may_end {
                run.add(self.keys.dock_points);
                if bay.right {
                    run.add(self.keys.right_bay_points);
                }
                let word = if bay.right { "right" } else { "wrong" };
                run.finish(format!("finished in the {word} bay {name}"));
                return;
            }
        }
    }

    fn fits(&self, state: &State) -> bool {
        [state.in_bay_s.len(), state.was_docked.len()] == [self.bays.len(); 2]
    }

    fn progress(&self, state: &State) -> Progress {
        let right = (0..self.bays.len()).find(|k| self.bay(*k).1.right);
        let zone = right.and_then(|k| match (self.bays[k], state.was_docked[k]) {
            ((_, Some(entrance)), true) => Some(entrance),
            ((Dock::Zone(zone), _), _) => Some(zone),
            ((Dock::Latch(_), _), _) => None,
        });
        Progress {
            done: usize::from(state.was_docked.iter().any(|docked| *docked)),
            total: 1,
            next: zone.map(|zone| Anchor::Fixed(zone.p_W)),
        }
    }

    fn figures(&self, state: &State, visit: &mut dyn FnMut(&str, f64)) {
        let longest = state
            .in_bay_s
            .iter()
            .flatten()
            .fold(0.0, |a: f64, b| a.max(*b));
        visit("time_in_bay", longest);
        if !self.keys.report.is_empty() {
            visit(
                "report_is_right",
                f64::from(u8::from(state.report == Some(true))),
            );
        }
    }

    fn markers(&self) -> Vec<Marker> {
        let zones = self
            .bays
            .iter()
            .enumerate()
            .filter_map(|(k, bay)| match bay.0 {
                Dock::Zone(zone) => Some((k, zone)),
                Dock::Latch(_) => None,
            });
        zones
            .map(|(k, zone)| {
                let corners = zone.outline().map(Anchor::Fixed);
                Marker::new(Shape::Area, self.bay(k).0, corners.to_vec())
            })
            .collect()
    }

    fn reports(&self) -> Reports {
        match self.keys.report.len() {
            0 => Reports::None,
            n => Reports::Words(n),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::kinds::testing::{Scenario, build, events, pose, run};
    use crate::law::Report;

    const TASK: &str = "{kind: docking, report: [red, green, Blue], dock_points: 15, right_bay_points: 5, bays: {\
        left: {zone: {position_m: [20, 5, 0], size_m: [6, 3, 4]}, entrance: {position_m: [14, 5, 0], size_m: [4, 3, 4]}, right: false}, \
        right: {zone: {position_m: [20, -5, 0], size_m: [6, 3, 4]}, entrance: {position_m: [14, -5, 0], size_m: [4, 3, 4]}}}}";

    /// Into a bay at `y` for `stay` seconds, and out of it, with a report of `words`.
    fn score(y: f64, stay: f64, words: &[&str]) -> (f64, Vec<String>) {
        let task = build(TASK).unwrap();
        let state = run(&task, 100.0, |t| {
            let x = if t < 20.0 {
                t
            } else {
                20.0 - (t - 20.0 - stay).max(0.0)
            };
            let words = words
                .iter()
                .map(|word| word.to_string())
                .collect::<Vec<_>>();
            Scenario {
                reports: if (t - 5.0).abs() < 1e-6 {
                    vec![Report::Words(words)]
                } else {
                    vec![]
                },
                ..Scenario::of(&[pose(x, y, 0.0, 0.0)])
            }
        });
        let events = events(&state)
            .iter()
            .map(|event| event.to_string())
            .collect();
        (task.score(&state), events)
    }

    // the points of the plug-in: 10 for the words, 15 for docking, 5 for the bay
    #[test]
    fn scores_equal_those_of_vrx() {
        let right = ["red", "GREEN", "blue"];
        assert_eq!(score(-5.0, 10.0, &right).0, 30.0);
        assert_eq!(score(5.0, 10.0, &right).0, 25.0);
        assert_eq!(score(-5.0, 10.0, &["red", "red", "blue"]).0, 20.0);
        // 3 m in, 3 m out, at 1 m/s: 7.5 s
        let (points, events) = score(-5.0, 1.5, &["red"]);
        assert_eq!(points, 0.0);
        assert!(
            events.contains(&"left the bay right".to_string()),
            "{events:?}"
        );
    }

    #[test]
    fn latches_dock_without_an_entrance() {
        let text = "{kind: docking, bays: {seat: {latch: gripper, dock_time_s: 2}}}";
        let task = build(text).unwrap();
        let state = run(&task, 10.0, |t| Scenario {
            is_engaged: t > 3.0,
            ..Scenario::of(&[pose(0.0, 0.0, 0.0, 0.0)])
        });
        assert_eq!(task.score(&state), 20.0);
        assert_eq!(events(&state)[3], "docked in the bay seat");
        let text = text.replace("gripper", "hand");
        assert!(build(&text).unwrap_err().contains("no coupling hand"));
        let text = "{kind: docking, bays: {seat: {dock_time_s: 2}}}";
        assert!(
            build(text)
                .unwrap_err()
                .contains("expected `zone` or `latch`")
        );
    }
}

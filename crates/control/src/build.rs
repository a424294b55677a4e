//! Interface between the reader of world files and the settings of a control law.

use merrow_model::scene::Robot;
use merrow_model::scene::robot::firmware::interface::LawSettings;
use merrow_yaml::error::{Place, Problems, quote};
use merrow_yaml::read::Places;
use std::cell::RefCell;

/// Settings of a control law that the keys of a file determine.
pub trait BuildLaw: LawSettings {
    /// Converts the keys for the robot of `context`, and reports those that do not fit it.
    fn build(keys: &Self::Keys, context: &LawContext<'_>) -> Self;
}

/// Robot that has the control law, and the errors found so far.
#[derive(Clone, Copy, Debug)]
pub struct LawContext<'a> {
    /// Robot with its links, actuators and thruster allocation.
    pub robot: &'a Robot,
    /// Errors and notes found so far.
    pub problems: &'a RefCell<Problems>,
}

impl LawContext<'_> {
    /// Reports an error.
    pub fn error(&self, place: &Place, text: impl AsRef<str>) {
        self.problems.borrow_mut().push(place, text);
    }

    /// Returns the index of the item `name` among `names`; 0 after reporting a missing `what` at
    /// `place`.
    pub fn find<'n>(
        &self,
        what: &str,
        name: &str,
        names: impl IntoIterator<Item = &'n str>,
        place: &Place,
    ) -> usize {
        self.try_find(what, name, names, place).unwrap_or(0)
    }

    /// Returns the index of the item `name` among `names`, or reports a missing `what` at `place`.
    pub fn try_find<'n>(
        &self,
        what: &str,
        name: &str,
        names: impl IntoIterator<Item = &'n str>,
        place: &Place,
    ) -> Option<usize> {
        let explain = |name| format!("no {what} {name}");
        self.problems.borrow_mut().find(place, name, names, explain)
    }

    /// Reports the motions in `axes` that the thrusters cannot produce independently. `kind` names
    /// the law.
    pub fn check_thrusters(&self, kind: &str, axes: &[(usize, &str)], places: &Places) {
        let can = |axis: usize| {
            let allocation = self.robot.allocation.as_ref();
            allocation.is_some_and(|m| m.matrix.iter().any(|row| row[axis].abs() > 1e-9))
        };
        for (_, what) in axes.iter().filter(|(axis, _)| !can(*axis)) {
            let text = format!(
                "firmware {}: the thrusters of {} cannot {what}",
                quote(kind),
                self.robot.name
            );
            self.error(&places.whole, text);
        }
    }
}

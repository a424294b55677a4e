//! List of the kinds of task, and the selection of a law and its state.

use crate::kinds::*;
use crate::law::{Better, Marker, Progress, Reports, Run, Site, TaskLaw, Tick};
use merrow_persist::Persist;
use merrow_yaml::spec::spec;

/// Calls the macro `$then` with all kinds of task: their names, the word of the key `kind`, and the
/// module in [`crate::kinds`] whose type of that name is the law.
#[macro_export]
macro_rules! each_task {
    ($then:ident) => {
        $then! {
            /// Hold a position and a heading.
            StationKeeping = "station_keeping" in station_keeping,
            /// Come as near as possible to each of several poses.
            Wayfinding = "wayfinding" in wayfinding,
            /// Reach waypoints in their order.
            Waypoints = "waypoints" in waypoints,
            /// Pass through gates in their order.
            Gates = "gates" in gates,
            /// Pass through gates, then hold a position.
            Gymkhana = "gymkhana" in gymkhana,
            /// Follow a path.
            PathFollowing = "path_following" in path_following,
            /// Bring all parts of an object into the view of a sensor.
            Inspection = "inspection" in inspection,
            /// Dock in the right bay.
            Docking = "docking" in docking,
            /// Move objects to their places.
            PickAndPlace = "pick_and_place" in pick_and_place,
            /// Report classes and positions of objects.
            Perception = "perception" in perception,
            /// Follow a moving target.
            FollowTarget = "follow_target" in follow_target,
            /// Go around some objects and stay away from others.
            Wildlife = "wildlife" in wildlife,
            /// Reach a goal among traffic by the rules of the road.
            AvoidTraffic = "avoid_traffic" in avoid_traffic,
        }
    };
}

macro_rules! declare_kinds {
    ($($(#[doc = $doc:literal])* $law:ident = $word:literal in $module:ident,)*) => {
        spec! {
            /// Kind of a task.
            pub enum TaskKind {
                $($(#[doc = $doc])* $law = $word (<$module::$law as TaskLaw>::Keys),)*
            }
        }

        /// Law of a task.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Law { $($(#[doc = $doc])* $law(Box<$module::$law>),)* }

        /// State of the law of a task.
        #[derive(Clone, Debug, Persist)]
        pub enum LawState { $($(#[doc = $doc])* $law($module::State),)* }

        impl Law {
            /// Builds the law of `kind`; `None` after reporting an error.
            pub fn build(kind: &TaskKind, names: &Site<'_>) -> Option<Self> {
                match kind {
                    $(TaskKind::$law(keys) => {
                        <$module::$law as TaskLaw>::build(keys, names).map(|law| Self::$law(Box::new(law)))
                    })*
                }
            }

            /// Returns the word of the kind.
            pub fn kind(&self) -> &'static str {
                match self { $(Self::$law(_) => $word,)* }
            }

            /// Returns which scores are better.
            pub fn better(&self) -> Better {
                match self { $(Self::$law(_) => <$module::$law as TaskLaw>::BETTER,)* }
            }

            /// Returns the state of a robot before the phase `running`.
            pub fn start(&self) -> LawState {
                match self { $(Self::$law(law) => LawState::$law(law.start()),)* }
            }

            /// Evaluates one tick.
            pub fn tick(&self, state: &mut LawState, tick: &Tick<'_>, run: &mut Run<'_>) {
                match (self, state) {
                    $((Self::$law(law), LawState::$law(state)) => law.tick(state, tick, run),)*
                    (_, other) => mismatch(other),
                }
            }

            /// Ends the task of a robot.
            pub fn end(&self, state: &mut LawState, run: &mut Run<'_>) {
                match (self, state) {
                    $((Self::$law(law), LawState::$law(state)) => law.end(state, run),)*
                    (_, other) => mismatch(other),
                }
            }

            /// Returns what is done.
            pub fn progress(&self, state: &LawState) -> Progress {
                match (self, state) {
                    $((Self::$law(law), LawState::$law(state)) => law.progress(state),)*
                    (_, other) => mismatch(other),
                }
            }

            /// Calls `visit` with the names and values that the score is computed from, each in its
            /// unit.
            pub fn figures(&self, state: &LawState, visit: &mut dyn FnMut(&str, f64)) {
                match (self, state) {
                    $((Self::$law(law), LawState::$law(state)) => law.figures(state, visit),)*
                    (_, other) => mismatch(other),
                }
            }

            /// Returns the parts of the task for figures and maps.
            pub fn markers(&self) -> Vec<Marker> {
                match self { $(Self::$law(law) => law.markers(),)* }
            }

            /// Returns which reports of the robots have an effect.
            pub fn reports(&self) -> Reports {
                match self { $(Self::$law(law) => law.reports(),)* }
            }

            /// Returns true if `state` is a state of this law.
            pub fn fits(&self, state: &LawState) -> bool {
                match (self, state) {
                    $((Self::$law(law), LawState::$law(state)) => law.fits(state),)*
                    _ => false,
                }
            }
        }
    };
}
each_task!(declare_kinds);

/// A state of another law is not possible, because the state of a robot is created for its law and a
/// checkpoint is compared with it.
fn mismatch(state: &LawState) -> ! {
    unreachable!("the state {state:?} belongs to another law")
}

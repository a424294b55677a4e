//! Blocks of steps in which every group of robots advances independently, and the iterator that
//! distributes the groups to threads.

use crate::parallel::simd_batch::RobotGroup;
use crate::robot::{Moment, Runner};
use merrow_model::state::RobotState;
use merrow_physics::contact::Contacts;
use merrow_sensors::water::moving_targets::{MotionLimit, MovingTargets};

/// Steps that every group of robots makes independently.
pub(crate) struct Block<'a> {
    pub(crate) start: Moment<'a>,
    pub(crate) steps: u64,
    /// Contacts that limit how far each robot may move, if there are any.
    pub(crate) contacts: Option<&'a Contacts>,
    /// Targets of beams that limit how far each robot may move and turn, if beams that cannot hit a
    /// robot are not intersected.
    pub(crate) targets: Option<&'a MovingTargets>,
}

impl Block<'_> {
    /// Returns true if robots may move or turn by a limited amount only.
    pub(crate) fn has_limits(&self) -> bool {
        self.contacts.is_some() || self.targets.is_some()
    }

    /// Returns true if the motion of robot `r` has stayed within its limits.
    fn has_stayed(&self, r: usize, runner: &Runner) -> bool {
        let is_within = |limit: MotionLimit| {
            runner.excursion() <= limit.distance && runner.max_rotation() <= limit.angle
        };
        self.contacts
            .is_none_or(|contacts| runner.excursion() <= contacts.allowed_distance(r))
            && self
                .targets
                .is_none_or(|targets| is_within(targets.limit(r)))
    }

    /// Advances one group by the steps of the block. Returns false if a robot moved further than
    /// its allowed distance.
    pub(crate) fn advance(&self, one: GroupOfRobots<'_>) -> bool {
        let GroupOfRobots {
            first,
            group,
            runners,
            states,
            saved_states,
        } = one;
        for (saved, state) in saved_states.iter_mut().zip(&*states) {
            saved.clone_from(state);
        }
        for (runner, state) in runners.iter_mut().zip(&*states) {
            runner.start_motion_tracking(state);
        }
        let (scene, mut at) = (self.start.scene, self.start);
        let robots = &scene.robots[first..first + group.len];
        for _ in 0..self.steps {
            group.step(at, robots, runners, states);
            at.now_ns += scene.dt_ns;
            for (runner, state) in runners.iter_mut().zip(&mut *states) {
                // the impulses of a step affect the readings of the next step only
                state.impulse_acceleration.clear();
                runner.update_excursion(state);
            }
        }
        let mut all = runners.iter().enumerate();
        all.all(|(r, runner)| self.has_stayed(first + r, runner))
    }
}

/// A group of robots with their workspaces and states; `first` is the index of the first robot in
/// the list of the world.
pub(crate) struct GroupOfRobots<'a> {
    first: usize,
    group: &'a mut RobotGroup,
    runners: &'a mut [Runner],
    states: &'a mut [RobotState],
    /// States before the block; empty in a world without contacts.
    saved_states: &'a mut [RobotState],
}

/// Iterator over groups of robots.
pub(crate) struct RobotGroups<'a> {
    pub(crate) first: usize,
    pub(crate) groups: std::slice::IterMut<'a, RobotGroup>,
    pub(crate) runners: &'a mut [Runner],
    pub(crate) states: &'a mut [RobotState],
    pub(crate) saved_states: &'a mut [RobotState],
}

impl<'a> Iterator for RobotGroups<'a> {
    type Item = GroupOfRobots<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let group = self.groups.next()?;
        let first = self.first;
        self.first += group.len;
        Some(GroupOfRobots {
            first,
            runners: split_front(&mut self.runners, group.len),
            states: split_front(&mut self.states, group.len),
            saved_states: split_front(&mut self.saved_states, group.len),
            group,
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.groups.size_hint()
    }
}

impl DoubleEndedIterator for RobotGroups<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        let group = self.groups.next_back()?;
        let runners = split_back(&mut self.runners, group.len);
        Some(GroupOfRobots {
            first: self.first + self.runners.len(),
            runners,
            states: split_back(&mut self.states, group.len),
            saved_states: split_back(&mut self.saved_states, group.len),
            group,
        })
    }
}

impl ExactSizeIterator for RobotGroups<'_> {}

/// Removes the first `n` elements from `slice` and returns them; an empty slice stays empty.
fn split_front<'a, T>(slice: &mut &'a mut [T], n: usize) -> &'a mut [T] {
    slice
        .split_off_mut(..n.min(slice.len()))
        .unwrap_or_default()
}

/// Removes the last `n` elements from `slice` and returns them; an empty slice stays empty.
fn split_back<'a, T>(slice: &mut &'a mut [T], n: usize) -> &'a mut [T] {
    slice
        .split_off_mut(slice.len().saturating_sub(n)..)
        .unwrap_or_default()
}

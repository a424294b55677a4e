//! Interface of threads that share the work of a step.

/// Kinds of work that threads share; each kind has its own measured cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Several steps of each robot.
    Block,
    /// Poses of the links of each robot.
    Poses,
    /// One time step of the dynamics of each robot.
    Step,
    /// Readings of the sensors that are due after a block.
    Read,
    /// One time step of the line of each tether.
    Tethers,
    /// Inertia of each robot in contact.
    Inertias,
    /// Contact impulses of each island.
    Islands,
}

impl Task {
    /// Number of kinds of work.
    pub const COUNT: usize = 7;
}

/// Threads that share the work of a step.
pub trait Workers {
    /// Calls `work` once for every item, in any order and on any thread, and returns when all calls
    /// have returned. `amount` is proportional to the expected duration.
    fn for_each<I>(&mut self, task: Task, amount: f64, items: I, work: impl Fn(I::Item) + Sync)
    where
        I: DoubleEndedIterator + ExactSizeIterator + Send;
}

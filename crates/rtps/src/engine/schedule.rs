//! Queue of endpoints with pending work and their deadlines; avoids visiting all endpoints in every
//! call.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use super::config::Nanos;
use crate::wire::EntityId;

/// Timers of endpoints, at most one each.
#[derive(Debug, Default)]
pub(super) struct Timers {
    order: BTreeSet<(Nanos, EntityId)>,
    deadlines: HashMap<EntityId, Nanos>,
}

impl Timers {
    /// Sets or removes the timer of an endpoint.
    pub(super) fn set(&mut self, entity: EntityId, at: Option<Nanos>) {
        let earlier = match at {
            Some(at) => self.deadlines.insert(entity, at),
            None => self.deadlines.remove(&entity),
        };
        if earlier == at {
            return;
        }
        if let Some(earlier) = earlier {
            self.order.remove(&(earlier, entity));
        }
        if let Some(at) = at {
            self.order.insert((at, entity));
        }
    }

    /// Returns the time of the earliest timer.
    pub(super) fn next(&self) -> Option<Nanos> {
        self.order.first().map(|(at, _)| *at)
    }

    /// Removes a timer that is due and returns its endpoint.
    pub(super) fn pop(&mut self, now: Nanos) -> Option<EntityId> {
        let (at, entity) = *self.order.first()?;
        if at > now {
            return None;
        }
        self.set(entity, None);
        Some(entity)
    }
}

/// Writers with samples to send, in the order of their turns.
#[derive(Debug, Default)]
pub(super) struct Turns {
    queue: VecDeque<EntityId>,
    queued: HashSet<EntityId>,
}

impl Turns {
    /// Adds a writer at the end; a waiting writer keeps its turn.
    pub(super) fn push(&mut self, writer: EntityId) {
        if self.queued.insert(writer) {
            self.queue.push_back(writer);
        }
    }

    /// Removes the writer whose turn is next.
    pub(super) fn pop(&mut self) -> Option<EntityId> {
        let writer = self.queue.pop_front()?;
        self.queued.remove(&writer);
        Some(writer)
    }

    /// Returns the number of waiting writers.
    pub(super) fn len(&self) -> usize {
        self.queue.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entity(key: u32) -> EntityId {
        EntityId::user_writer(key)
    }

    #[test]
    fn timers_are_due_in_order() {
        let mut timers = Timers::default();
        timers.set(entity(1), Some(Nanos(30)));
        timers.set(entity(2), Some(Nanos(10)));
        timers.set(entity(3), Some(Nanos(5)));
        timers.set(entity(1), Some(Nanos(20)));
        timers.set(entity(3), None);
        assert_eq!(timers.next(), Some(Nanos(10)));
        assert_eq!(timers.pop(Nanos(9)), None);
        assert_eq!(timers.pop(Nanos(20)), Some(entity(2)));
        assert_eq!(timers.pop(Nanos(20)), Some(entity(1)));
        assert_eq!(timers.pop(Nanos(99)), None);
    }

    #[test]
    fn writers_take_turns() {
        let mut turns = Turns::default();
        [1, 2, 1]
            .into_iter()
            .for_each(|key| turns.push(entity(key)));
        assert_eq!(turns.len(), 2);
        assert_eq!(turns.pop(), Some(entity(1)));
        turns.push(entity(1));
        assert_eq!(turns.pop(), Some(entity(2)));
        assert_eq!(turns.pop(), Some(entity(1)));
        assert_eq!(turns.pop(), None);
    }
}

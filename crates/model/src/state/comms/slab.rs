//! Storage of items with a stable index, whose memory is reused.

use crate::persist::Persist;

/// An item of a slab.
pub trait Reset: Default {
    /// Restores the initial value and keeps allocated memory.
    fn reset(&mut self);
}

/// Items with stable indices. A released item keeps its memory for the next item in its place.
#[derive(Clone, Debug, Default, PartialEq, Persist)]
pub struct Slab<T> {
    /// All items; released items have their initial value.
    pub items: Vec<T>,
    /// Whether the item with the same index is in use.
    pub used: Vec<bool>,
    /// Indices of released items; the last index is used first.
    pub free: Vec<u32>,
}

impl<T: Reset> Slab<T> {
    /// Returns the index of an unused item with its initial value and marks it as used.
    pub fn allocate(&mut self) -> u32 {
        if let Some(k) = self.free.pop() {
            self.used[k as usize] = true;
            return k;
        }
        self.items.push(T::default());
        self.used.push(true);
        (self.items.len() - 1) as u32
    }

    /// Restores the initial value of item `k` and marks it as unused.
    pub fn release(&mut self, k: u32) {
        self.items[k as usize].reset();
        self.used[k as usize] = false;
        self.free.push(k);
    }

    /// Returns true if `k` is the index of an item in use.
    pub fn is_used(&self, k: u32) -> bool {
        self.used.get(k as usize) == Some(&true)
    }

    /// Iterates over the items in use with their indices.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        let all = self.items.iter().zip(&self.used).enumerate();
        all.filter_map(|(k, (item, is_used))| is_used.then_some((k as u32, item)))
    }

    /// Returns true if the lists have consistent lengths and indices.
    pub fn is_consistent(&self) -> bool {
        let unused = self.used.iter().filter(|is_used| !**is_used).count();
        self.items.len() == self.used.len()
            && self.free.len() == unused
            && self
                .free
                .iter()
                .all(|k| self.used.get(*k as usize) == Some(&false))
    }
}

impl<T> std::ops::Index<u32> for Slab<T> {
    type Output = T;
    fn index(&self, k: u32) -> &T {
        &self.items[k as usize]
    }
}

impl<T> std::ops::IndexMut<u32> for Slab<T> {
    fn index_mut(&mut self, k: u32) -> &mut T {
        &mut self.items[k as usize]
    }
}

//! Parts of a scene that many robots have in common: stored once, copied when one of them changes.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// Value that robots of the same model share. Cloning it copies a pointer; changing one clone
/// leaves the others as they are. A fleet then needs the memory, and the cache lines, of one robot.
///
/// ```
/// use merrow_model::scene::Shared;
///
/// let mut blades: Shared<Vec<u32>> = vec![3, 3].into();
/// let spare = blades.clone();
/// blades[0] = 4;
/// assert_eq!((blades[0], spare[0]), (4, 3));
/// ```
#[derive(Debug)]
pub struct Shared<T>(Arc<T>);

impl<T> Shared<T> {
    /// Shares the value of `other` if the two are equal.
    pub(crate) fn unite(&mut self, other: &Self)
    where
        T: PartialEq,
    {
        if self == other {
            self.0 = Arc::clone(&other.0);
        }
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: PartialEq> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

impl<T: Default> Default for Shared<T> {
    fn default() -> Self {
        T::default().into()
    }
}

impl<T> From<T> for Shared<T> {
    fn from(value: T) -> Self {
        Self(Arc::new(value))
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Clone> DerefMut for Shared<T> {
    fn deref_mut(&mut self) -> &mut T {
        Arc::make_mut(&mut self.0)
    }
}

impl<T> FromIterator<T> for Shared<Vec<T>> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Vec::from_iter(items).into()
    }
}

impl<'a, T> IntoIterator for &'a Shared<Vec<T>> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, T: Clone> IntoIterator for &'a mut Shared<Vec<T>> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

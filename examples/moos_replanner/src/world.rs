//! Collections of features: the world, with a registry of its kinds, and the itinerary.

use crate::feature::{Feature, Shape};
use crate::vector::Vector;
use std::collections::BTreeMap;

/// Maximum number of obstacles.
const MAX_FEATURES: usize = 10_000;

/// Obstacles that were perceived.
#[derive(Clone, Debug, Default)]
pub struct World {
    registry: Vec<&'static str>,
    composition: Vec<Feature>,
    /// Sides of near obstacles on which the vehicle passes, by their name.
    sides: BTreeMap<String, f64>,
}

impl World {
    /// Registers a kind of feature, by the name of a shape. A world without kinds takes no features.
    pub fn register(&mut self, kind: &'static str) {
        if !self.registry.contains(&kind) {
            self.registry.push(kind);
        }
    }

    /// Adds a feature, or replaces the one of its name.
    ///
    /// # Errors
    /// One line: its kind is not registered, or the world is full.
    pub fn put(&mut self, feature: Feature) -> Result<(), String> {
        let kind = feature.shape.name();
        if !self.registry.contains(&kind) {
            return Err(format!(
                "{kind} is not registered; expected one of {}",
                self.registry.join(", ")
            ));
        }
        let mut own = self.composition.iter_mut();
        if let Some(own) = own.find(|own| own.name == feature.name) {
            *own = feature;
        } else if self.composition.len() < MAX_FEATURES {
            self.composition.push(feature);
        } else {
            return Err(format!("expected at most {MAX_FEATURES} obstacles"));
        }
        Ok(())
    }

    /// Returns the obstacles.
    pub fn features(&self) -> &[Feature] {
        &self.composition
    }

    /// Returns the obstacles whose outline may be within a distance of a point [m].
    pub fn near(&self, p: Vector, distance: f64) -> Vec<&Feature> {
        let own = self.composition.iter();
        let is_near = |own: &&Feature| (own.position - p).norm() - own.reach() < distance;
        own.filter(is_near).collect()
    }

    /// Decides on which side the vehicle passes the obstacles that are nearer than `distance` [m]. A
    /// decision stays until the obstacle is further away: the rotor would else turn back and forth
    /// in front of a wide obstacle.
    pub fn decide_sides(&mut self, vehicle: Vector, waypoint: Vector, distance: f64) {
        let Self {
            composition, sides, ..
        } = self;
        for own in composition.iter() {
            if own.distance(vehicle).0 > distance {
                sides.remove(&own.name);
            } else if !sides.contains_key(&own.name) {
                sides.insert(own.name.clone(), own.side(vehicle, waypoint));
            }
        }
    }

    /// Forgets the sides, for a new waypoint.
    pub fn forget_sides(&mut self) {
        self.sides.clear();
    }

    /// Returns the potential of all obstacles at a point [m], by (1).
    pub fn potential(&self, p: Vector, vehicle: Vector, waypoint: Vector) -> f64 {
        let parts = self.composition.iter().map(|own| {
            let side = self.sides.get(&own.name).copied();
            let side = side.unwrap_or_else(|| own.side(vehicle, waypoint));
            own.static_potential(p) + own.rotor_potential(p, vehicle, waypoint, side)
        });
        parts.sum()
    }
}

/// Waypoints in their order, each with the distance at which the next one follows.
#[derive(Clone, Debug, Default)]
pub struct Itinerary {
    waypoints: Vec<(Feature, f64)>,
    current: usize,
}

impl Itinerary {
    /// Appends a waypoint [m] with its distance [m].
    pub fn put(&mut self, position: Vector, distance: f64) {
        let name = format!("waypoint {}", self.waypoints.len());
        let feature = Feature::new(name, position, Shape::Waypoint);
        self.waypoints.push((feature, distance));
    }

    /// Goes on to the next waypoints that the vehicle has reached. Returns the current one, or
    /// `None` at the end.
    pub fn advance(&mut self, vehicle: Vector) -> Option<&Feature> {
        while let Some((waypoint, distance)) = self.waypoints.get(self.current) {
            if waypoint.distance(vehicle).0 > *distance {
                break;
            }
            self.current += 1;
        }
        self.waypoints
            .get(self.current)
            .map(|(waypoint, _)| waypoint)
    }

    /// Returns the positions of all waypoints [m].
    pub fn positions(&self) -> impl Iterator<Item = Vector> {
        self.waypoints.iter().map(|(waypoint, _)| waypoint.position)
    }

    /// Returns the last waypoint.
    pub fn last(&self) -> Option<&Feature> {
        self.waypoints.last().map(|(waypoint, _)| waypoint)
    }

    /// Returns the number of reached waypoints, and of all.
    pub fn progress(&self) -> [usize; 2] {
        [self.current, self.waypoints.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worlds_take_registered_kinds() {
        let mut world = World::default();
        let circle = |x| Feature::new("a", Vector::new(x, 0.0), Shape::Circle { radius: 1.0 });
        assert!(world.put(circle(0.0)).is_err());
        world.register("Circle");
        world.put(circle(0.0)).unwrap();
        world.put(circle(5.0)).unwrap();
        assert_eq!(world.features(), [circle(5.0)]);
    }

    #[test]
    fn itineraries_go_on() {
        let mut itinerary = Itinerary::default();
        for x in [0.0, 1.0, 50.0] {
            itinerary.put(Vector::new(x, 0.0), 3.0);
        }
        let next = itinerary.advance(Vector::default()).unwrap();
        assert_eq!(next.position.x, 50.0);
        assert_eq!(itinerary.progress(), [2, 3]);
        assert!(itinerary.advance(Vector::new(49.0, 0.0)).is_none());
    }
}

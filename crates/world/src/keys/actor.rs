//! Keys of actors: objects that move along a route.

use crate::keys::robot::Category;
use crate::keys::robot::body::BodyConfig;
use merrow_yaml::spec::spec;

spec! {
    /// Object that moves along a predefined route, such as a ship, a swimmer or debris. It is
    /// solid, and visible to all sensors.
    pub struct ActorEntry {
        /// Body of the object: a name in `params/bodies`, a file, or a map.
        body: BodyConfig,
        /// Waypoints in the world (east, north, up), at least two. The heading of the object
        /// follows the route.
        waypoints_m: Vec<[f64; 3]> [not_empty],
        /// Time of each waypoint [s], ascending. Default: from `speed_m_s`.
        times_s: Vec<f64> = Vec::new(),
        /// Speed along the route, instead of `times_s`.
        speed_m_s: Option<f64> [positive],
        /// Whether the route starts again at its end; the last waypoint is then at the position of
        /// the first.
        repeats: bool = false,
        /// Whether height, roll and pitch follow from buoyancy and waves. False: the object keeps
        /// the height of its route and stays upright, as a diver does.
        floats: bool = true,
        /// Description of this object. Empty: description of the body.
        description: String = String::new(),
        /// Category reported by the services of `simulation_interfaces`.
        category: Category = Category::DynamicObject,
        /// Tags reported by the services of `simulation_interfaces`.
        tags: Vec<String> = Vec::new(),
    }
}

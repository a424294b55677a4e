//! Conversion of actors: bodies that move along a route.

use crate::context::Context;
use crate::keys::actor::ActorEntry;
use crate::keys::contact::PropEntry;
use merrow_math::Vec3;
use merrow_model::scene::robot::route::Route;

/// Distance within which the ends of a repeating route must agree [m].
const END_TOLERANCE: f64 = 1e-6;

/// Builds the route of an actor; `None` after reporting an error.
pub(crate) fn build_route(file: &ActorEntry, cx: Context<'_>) -> Option<Route> {
    let points: Vec<Vec3> = file.waypoints_m.iter().map(|p| Vec3::from(*p)).collect();
    let n = points.len();
    if n < 2 {
        let text = "`waypoints_m`: expected at least 2 waypoints, found 1";
        return cx.refuse(file.at.key_place("waypoints_m"), text);
    }
    let times = waypoint_times(file, &points, cx)?;
    if let Some(k) = (1..n).find(|k| times[*k] <= times[k - 1]) {
        let text = format!(
            "the time {} s of waypoint {k} is not after the time of the waypoint before, {} s",
            times[k],
            times[k - 1]
        );
        return cx.refuse(&file.at.whole, text);
    }
    if file.repeats && (points[n - 1] - points[0]).norm() > END_TOLERANCE {
        let text = "`repeats`: expected the last waypoint at the position of the first";
        return cx.refuse(file.at.key_place("repeats"), text);
    }
    Some(Route {
        times_s: times,
        waypoints_m: points,
        repeats: file.repeats,
        floats: file.floats,
    })
}

/// Returns the times of the waypoints [s], as given or from the speed.
fn waypoint_times(file: &ActorEntry, points: &[Vec3], cx: Context<'_>) -> Option<Vec<f64>> {
    match file.speed_m_s {
        Some(_) if !file.times_s.is_empty() => {
            let text = "expected `times_s` or `speed_m_s`, found both";
            cx.refuse(file.at.key_place("speed_m_s"), text)
        }
        Some(speed) => {
            let mut times = vec![0.0];
            for pair in points.windows(2) {
                let last = times[times.len() - 1];
                times.push(last + (pair[1] - pair[0]).norm() / speed);
            }
            Some(times)
        }
        None if file.times_s.len() == points.len() => Some(file.times_s.clone()),
        None => {
            let text = format!(
                "`times_s`: expected one time for each waypoint, or `speed_m_s`, found {} times for {} waypoints",
                file.times_s.len(),
                points.len()
            );
            cx.refuse(&file.at.whole, text)
        }
    }
}

/// Returns the actor as a prop at its place at the start of the run, or of a later route.
pub(crate) fn actor_as_prop(file: &ActorEntry, route: &Route) -> PropEntry {
    let start = route.reference(route.times_s[0].max(0.0));
    let v = start.v;
    let speed = (v.x * v.x + v.y * v.y).sqrt();
    PropEntry {
        body: file.body.clone(),
        position_m: start.p.to_array(),
        attitude_deg: [0.0, 0.0, start.yaw.to_degrees()],
        velocity_m_s: [speed, 0.0, if route.floats { 0.0 } else { v.z }],
        angular_velocity_rad_s: [0.0, 0.0, start.yaw_rate],
        repeat: None,
        description: file.description.clone(),
        category: file.category,
        tags: file.tags.clone(),
        at: file.at.clone(),
    }
}

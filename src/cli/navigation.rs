//! What a planner needs to know of a robot in `merrow describe`: limits of its velocity commands,
//! and its footprint.

use merrow_math::bounds::box_around;
use merrow_math::plane::convex_hull;
use merrow_model::scene::{Robot, Scene};
use merrow_view::teleoperation::limits::{max_velocity, max_wrench};
use serde_json::{Value, json};

/// Describes how a robot follows velocity commands and paths, and the box that it occupies; null if
/// it accepts no velocity commands.
///
/// Accelerations are those of the thrusters without drag and, with a motion controller, at most its
/// limits. The footprint is the convex hull of the bounding boxes of the collision shapes of the
/// base, in the plane of `base_link`.
pub(super) fn navigation_json(robot: &Robot, scene: &Scene) -> Value {
    let Some(firmware) = robot.firmware.as_ref().filter(|f| f.abilities().velocity) else {
        return Value::Null;
    };
    let (speed, line_of_sight) = match (firmware.motion_control(), &firmware.guidance) {
        (Some(law), _) => (Some(law.keys.path_speed()), Some(law.keys.line_of_sight())),
        (None, Some(guidance)) => (Some(guidance.speed_m_s), Some(guidance.line_of_sight())),
        (None, None) => (None, None),
    };
    let R_UB = robot.links[0].R_LU.transpose();
    let shapes = robot.colliders.iter().filter(|shape| shape.link == 0);
    let corners: Vec<_> = shapes
        .flat_map(|shape| shape.corners())
        .map(|p| R_UB.mul_vec(p))
        .collect();
    let hull = convex_hull(corners.iter().map(|p| [p.x, p.y]).collect());
    let height = box_around(corners).map(|[low, high]| [low.z, high.z]);
    let velocity = max_velocity(robot);
    json!({
        "max_velocity": {
            "surge_m_s": velocity[0], "sway_m_s": velocity[1], "heave_m_s": velocity[2], "yaw_rad_s": velocity[3],
        },
        "max_acceleration": max_acceleration(robot, scene),
        "path_speed_m_s": speed,
        "look_ahead_m": line_of_sight.map(|l| l.look_ahead_m),
        "acceptance_radius_m": line_of_sight.map(|l| l.acceptance_radius_m),
        "footprint_m": hull,
        "height_m": height,
    })
}

/// Returns the accelerations in surge and yaw from rest; null for a robot without thrusters.
fn max_acceleration(robot: &Robot, scene: &Scene) -> Value {
    let wrench = max_wrench(scene, robot);
    let total = &robot.links[0].total;
    let law = robot.firmware.as_ref().and_then(|f| f.motion_control());
    let limits = law.map_or([f64::INFINITY; 2], |law| {
        [
            law.keys.max_acceleration_m_s2,
            law.keys.max_yaw_acceleration_rad_s2,
        ]
    });
    let limited = |force: f64, inertia: f64, limit: f64| {
        Some((force / inertia).min(limit)).filter(|acceleration| *acceleration > 0.0)
    };
    json!({
        "surge_m_s2": limited(wrench[0], total.D.xx, limits[0]),
        "yaw_rad_s2": limited(wrench[3], total.A.zz, limits[1]),
    })
}

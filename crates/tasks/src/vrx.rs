//! Trajectories, and the scores that the plug-ins of Virtual RobotX give on them.
//!
//! The numbers are those of the arithmetic of the plug-ins in `vrx_gz/src` of osrf/vrx at 93ae8d0
//! (`StationkeepingScoringPlugin.cc`, `WayfindingScoringPlugin.cc`, `NavigationScoringPlugin.cc`,
//! `GymkhanaScoringPlugin.cc`, `AcousticTrackingScoringPlugin.cc`, `PerceptionScoringPlugin.cc`,
//! `WildlifeScoringPlugin.cc`), compiled with g++ 12, on the trajectories of this file at 10 Hz. The
//! tasks are in the tests that use the numbers. Angles follow gz-math. Messages between plug-ins
//! arrive at once, and the markers of gates are exchanged: those plug-ins have `left_marker` on the
//! right.

use crate::law::Motion;
use merrow_math::{Quat, Vec3};
use std::f64::consts::PI;

/// Score, and pose error at the last tick.
pub(crate) const STATION_KEEPING: [f64; 2] = [11.705862863991499, 6.075363765411848];
/// Score, and smallest error of each waypoint.
pub(crate) const WAYFINDING: [f64; 4] = [
    13.453071684444161,
    4.1255839469335935,
    2.323924755979739,
    33.90970635041915,
];
/// Scores of the three courses.
pub(crate) const GATES: [f64; 3] = [27.0, 15.0, 27.0];
/// Score on course 0.
pub(crate) const GYMKHANA: f64 = 36.88368084848846;
/// Score with one collision.
pub(crate) const ACOUSTIC_TRACKING: f64 = 13.88232123489386;
/// Score of [`REPORTS`].
pub(crate) const PERCEPTION: f64 = 1.2060113295832984;
/// Scores without and with a collision.
pub(crate) const WILDLIFE: [f64; 2] = [50.4, 139.9];

/// Reports: time [s], class, position [m].
pub(crate) const REPORTS: [(f64, &str, f64, f64); 6] = [
    (0.5, "buoy", 10.0, 0.5),
    (2.0, "buoy", 11.0, 0.5),
    (2.5, "buoy", 10.2, 0.0),
    (3.5, "duck", 4.6, 5.3),
    (12.0, "duck", 50.0, 50.0),
    (13.0, "duck", -5.0, 5.0),
];

/// Returns a motion at rest.
fn at(x: f64, y: f64, z: f64, q_WB: Quat) -> Motion {
    Motion {
        q_WB,
        p_WB: Vec3::new(x, y, z),
        v_WB: Vec3::zero(),
    }
}

/// Returns the pose on a closed curve at the time `t` [s], with roll and pitch.
pub(crate) fn trajectory(t: f64) -> Motion {
    let (roll, pitch) = (0.05 * t.sin(), 0.03 * t.cos());
    at(
        12.0 * (0.1 * t).cos() - 4.0,
        9.0 * (0.13 * t + 1.0).sin(),
        0.1 * t.sin(),
        Quat::from_rpy(roll, pitch, 0.3 * t - 2.0),
    )
}

/// Returns the pose on a course towards -x at the time `t` [s]: through all gates, past the second
/// one, or through the first one from behind and back.
pub(crate) fn course(course: usize, t: f64) -> Motion {
    let x = 10.0 - 0.5 * t;
    let (x, y) = match course {
        0 => (x, 3.0 * (0.2 * t).sin()),
        1 => (x, if x > -45.0 && x < -15.0 { 15.0 } else { 0.0 }),
        _ if t < 20.0 => (-5.0 + t, 0.0),
        _ => (15.0 - 0.6 * (t - 20.0), 0.0),
    };
    at(x, y, 0.0, Quat::from_rpy(0.0, 0.0, PI))
}

/// Returns true at the times [s] of contacts.
pub(crate) fn collides(t: f64) -> bool {
    [[69.95, 70.45], [74.95, 75.05], [119.95, 124.95]]
        .iter()
        .any(|[from, to]| t > *from && t < *to)
}

/// Returns the pose at the time `t` [s] on a clockwise circle around (10, 0), then on a
/// counter-clockwise one around (40, 0).
pub(crate) fn circles(t: f64) -> Motion {
    let first = |a: f64| (10.0 + 5.0 * a.cos(), 5.0 * a.sin());
    let (x, y) = if t < 10.0 {
        (-10.0 + 1.5 * t, 0.0)
    } else if t < 60.0 {
        first(PI - 2.6 * PI * (t - 10.0) / 50.0)
    } else if t < 100.0 {
        let ((x, y), s) = (first(PI - 2.6 * PI), (t - 60.0) / 40.0);
        (x + (34.0 - x) * s, y - y * s)
    } else {
        let a = PI + 2.6 * PI * (t - 100.0) / 60.0;
        (40.0 + 6.0 * a.cos(), 6.0 * a.sin())
    };
    at(x, y, 0.0, Quat::identity())
}

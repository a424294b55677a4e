//! Services that apply wrenches to links and end them.

use crate::input::find_robot;
use merrow_math::{SpatialForce, Vec3};
use merrow_messages::convert::{WORLD_FRAME, from_vector3};
use merrow_messages::msg::{ApplyWrenchRequest, ClearWrenchesRequest};
use merrow_model::scene::Scene;
use merrow_model::state::{AppliedWrench, Command, WrenchFrame, WrenchSource};

/// Converts a request to a command.
///
/// # Errors
/// The reason why the request is invalid.
pub(crate) fn apply_command(
    scene: &Scene,
    request: &ApplyWrenchRequest,
) -> Result<Command, String> {
    let (robot, link) = find_body(scene, &request.body)?;
    let link = link.unwrap_or(0);
    let frame = match request.reference_frame.as_str() {
        WORLD_FRAME => WrenchFrame::World,
        "" => WrenchFrame::Link,
        own if own == merrow_messages::frames::link_frame(&scene.robots[robot], link) => {
            WrenchFrame::Link
        }
        other => {
            return Err(format!(
                "reference_frame: expected {WORLD_FRAME:?}, the frame of the link or an empty text, found {other:?}"
            ));
        }
    };
    if !(request.delay_s >= 0.0 && request.delay_s.is_finite()) {
        let delay = request.delay_s;
        return Err(format!("delay_s is {delay}; expected at least 0"));
    }
    if request.duration_s.is_nan() {
        return Err("duration_s is NaN; expected a number".to_string());
    }
    let p = &request.reference_point;
    Ok(Command::ApplyWrench {
        robot,
        wrench: AppliedWrench {
            link,
            source: WrenchSource::Service,
            frame,
            F: SpatialForce {
                m: from_vector3(&request.wrench.torque),
                f: from_vector3(&request.wrench.force),
            },
            p_LoP: Vec3::new(p.x, p.y, p.z),
            start_ns: (request.delay_s * 1e9) as u64,
            end_ns: if request.duration_s < 0.0 {
                u64::MAX
            } else {
                (request.duration_s * 1e9) as u64
            },
        },
    })
}

/// Converts a request to a command.
///
/// # Errors
/// The reason why the request is invalid.
pub(crate) fn clear_command(
    scene: &Scene,
    request: &ClearWrenchesRequest,
) -> Result<Command, String> {
    let (robot, link) = find_body(scene, &request.body)?;
    Ok(Command::ClearWrenches { robot, link })
}

/// Finds a robot, or a link of a robot, by name.
fn find_body(scene: &Scene, body: &str) -> Result<(usize, Option<usize>), String> {
    let (name, link) = match body.split_once('/') {
        Some((robot, link)) => (robot, Some(link)),
        None => (body, None),
    };
    let robot = find_robot(scene, name)?;
    let index = |link: &str| {
        let links = scene.robots[robot]
            .links
            .iter()
            .map(|link| link.name.as_str());
        let names: Vec<&str> = links.collect();
        let found = scene.robots[robot].link_index(link);
        found.ok_or_else(|| format!("no link {link:?}; expected {}", names.join(", ")))
    };
    Ok((robot, link.map(index).transpose()?))
}

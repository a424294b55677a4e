//! Services that apply wrenches to links and end them.

use crate::input::mailbox::find_robot;
use merrow_math::SpatialForce;
use merrow_messages::convert::{WORLD_FRAME, from_point, from_vector3};
use merrow_messages::msg::{ApplyWrenchRequest, ClearWrenchesRequest};
use merrow_model::scene::{LinkFrame, Robot, Scene};
use merrow_model::state::{AppliedWrench, BodyCommand, Command, WrenchFrame, WrenchSource};
use merrow_ros2::msg::geometry_msgs::{Vector3, Wrench};
use merrow_yaml::error::known_names;

/// Converts a request to a command.
///
/// # Errors
/// The reason why the request is invalid.
pub(crate) fn apply_command(
    scene: &Scene,
    request: &ApplyWrenchRequest,
) -> Result<Command, String> {
    let (robot, name) = find_body(scene, &request.body)?;
    let model = &scene.robots[robot];
    let base = model.links[0].name.as_str();
    let frame = find_frame(model, name.unwrap_or(base))?;
    let own = name.filter(|name| model.link_index(name).is_none());
    let own = match own {
        Some(merged) => format!("{}/{merged}", model.name),
        None => merrow_messages::frames::link_frame(model, frame.link),
    };
    let axes = match request.reference_frame.as_str() {
        WORLD_FRAME => WrenchFrame::World,
        axes if axes.is_empty() || axes == own => WrenchFrame::Link,
        other => {
            return Err(format!(
                "reference_frame: expected {WORLD_FRAME:?}, {own:?} or an empty text, found {other:?}"
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
    Ok(BodyCommand::ApplyWrench {
        wrench: AppliedWrench {
            link: frame.link,
            source: WrenchSource::Service,
            frame: axes,
            F: along_axes(&frame, axes, &request.wrench),
            p_LoP: frame.point(from_point(&request.reference_point)),
            start_ns: (request.delay_s * 1e9) as u64,
            end_ns: if request.duration_s < 0.0 {
                u64::MAX
            } else {
                (request.duration_s * 1e9) as u64
            },
        },
    }
    .of(robot))
}

/// Converts a request to a command.
///
/// # Errors
/// The reason why the request is invalid.
pub(crate) fn clear_command(
    scene: &Scene,
    request: &ClearWrenchesRequest,
) -> Result<Command, String> {
    let (robot, name) = find_body(scene, &request.body)?;
    let model = &scene.robots[robot];
    let link = name.map(|name| find_frame(model, name)).transpose()?;
    Ok(BodyCommand::ClearWrenches {
        link: link.map(|frame| frame.link),
    }
    .of(robot))
}

/// Returns a wrench along the axes of W, or of the frame, along the axes of W or L.
pub(super) fn along_axes(frame: &LinkFrame, axes: WrenchFrame, wrench: &Wrench) -> SpatialForce {
    let in_axes = |v: &Vector3| match axes {
        WrenchFrame::World => from_vector3(v),
        WrenchFrame::Link => frame.R_LF.mul_vec(from_vector3(v)),
    };
    SpatialForce {
        m: in_axes(&wrench.torque),
        f: in_axes(&wrench.force),
    }
}

/// Finds the frame of a link, also of a link that was merged into another.
fn find_frame(model: &Robot, name: &str) -> Result<LinkFrame, String> {
    model.find_frame(name).ok_or_else(|| {
        let known = known_names(name, model.frame_names());
        format!("no link {name:?} on {}{known}", model.name)
    })
}

/// Finds a robot, and separates the name of a link from it.
fn find_body<'a>(scene: &Scene, body: &'a str) -> Result<(usize, Option<&'a str>), String> {
    let (name, link) = match body.split_once('/') {
        Some((robot, link)) => (robot, Some(link)),
        None => (body, None),
    };
    Ok((find_robot(scene, name)?, link))
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_math::Vec3;
    use merrow_ros2::msg::geometry_msgs::Point;
    use merrow_world::{Overrides, load_text};

    const WORLD: &str = "
robots:
  r:
    model:
      source: test
      body: {source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {xx: 1, yy: 1, zz: 1}}
      links:
        arm:
          parent: base_link
          joint: {name: j, kind: revolute, position_m: [1, 0, 0], axis: [1, 0, 0], lower_rad: -1, upper_rad: 1}
          body: {source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {xx: 1, yy: 1, zz: 1}}
        plate:
          parent: arm
          joint: {kind: fixed, position_m: [0, 0, 2], attitude_rad: [0, 0, 1.5707963267948966]}
          body: {source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {xx: 1, yy: 1, zz: 1}}
";

    // A wrench on a link that was merged into another acts at its frame, and a wrench on a link
    // along the axes of its file. Method: the force and the point of the command in the axes of the
    // link in the dynamics, by its rotation; the plate is turned by 90 degrees. Tolerance:
    // rounding.
    #[test]
    fn wrenches_act_in_the_frames_of_links() {
        let world = load_text("w.yaml", WORLD, Overrides::default());
        let scene = world.unwrap_or_else(|problems| panic!("{problems}")).scene;
        let model = &scene.robots[0];
        assert!(model.link_index("plate").is_none(), "the plate is merged");
        let arm = model.link_index("arm").unwrap();
        let R_LU = &model.links[arm].R_LU;
        for (body, frame, force, point) in [
            ("r/plate", "", [0.0, 1.0, 0.0], [0.0, 0.5, 2.0]),
            ("r/plate", "r/plate", [0.0, 1.0, 0.0], [0.0, 0.5, 2.0]),
            ("r/arm", "", [1.0, 0.0, 0.0], [0.5, 0.0, 0.0]),
        ] {
            let mut request = ApplyWrenchRequest {
                body: body.to_string(),
                reference_frame: frame.to_string(),
                ..ApplyWrenchRequest::default()
            };
            request.wrench.force.x = 1.0;
            request.reference_point = Point {
                x: 0.5,
                y: 0.0,
                z: 0.0,
            };
            let command = apply_command(&scene, &request);
            let Ok(Command::Body(_, BodyCommand::ApplyWrench { wrench, .. })) = command else {
                panic!("{command:?}");
            };
            assert_eq!(wrench.link, arm);
            let in_arm = |v: [f64; 3]| R_LU.mul_vec(Vec3::from(v));
            assert!(
                (wrench.F.f - in_arm(force)).norm() < 1e-12,
                "{body}: {wrench:?}"
            );
            assert!(
                (wrench.p_LoP - in_arm(point)).norm() < 1e-12,
                "{body}: {wrench:?}"
            );
        }
    }
}

//! Services that list the named poses of the world.

use crate::simulation_interfaces::{Connections, done, failure};
use merrow_messages::convert;
use merrow_messages::convert::vector3;
use merrow_ros2::msg::simulation_interfaces::{
    Bounds, GetNamedPoseBounds, GetNamedPoseBoundsResponse, GetNamedPoses, GetNamedPosesResponse,
    NamedPose, ServiceResult, TagsFilter,
};
use merrow_ros2::node::{NodeError, Service};
use merrow_world::document::NamedPose as WorldPose;

/// Starts the services of this file.
pub(super) fn serve(connections: &Connections) -> Result<Vec<Service>, NodeError> {
    Ok(vec![
        connections.serve_edit::<GetNamedPoses>(false, |editor, request| {
            let poses = editor.document().named_poses();
            let selected = poses.iter().filter(|p| has_tags(&request.tags, &p.tags));
            let poses = selected.map(named_pose).collect();
            Ok(GetNamedPosesResponse { poses, ..done() })
        })?,
        connections.serve_edit::<GetNamedPoseBounds>(false, |editor, request| {
            let poses = editor.document().named_poses();
            let found = poses.iter().find(|pose| pose.name == request.name);
            let why = format!("no named pose {:?}", request.name);
            let missing = || failure(ServiceResult::RESULT_NOT_FOUND, why);
            let bounds = bounds(found.ok_or_else(missing)?);
            Ok(GetNamedPoseBoundsResponse { bounds, ..done() })
        })?,
    ])
}

/// Returns true if `tags` fulfil a filter.
pub(super) fn has_tags(filter: &TagsFilter, tags: &[String]) -> bool {
    if filter.filter_mode == TagsFilter::FILTER_MODE_ALL {
        filter.tags.iter().all(|tag| tags.contains(tag))
    } else {
        filter.tags.is_empty() || filter.tags.iter().any(|tag| tags.contains(tag))
    }
}

fn named_pose(pose: &WorldPose) -> NamedPose {
    NamedPose {
        name: pose.name.clone(),
        description: pose.description.clone(),
        tags: pose.tags.clone(),
        pose: convert::pose(pose.placement.p_WB, pose.placement.q_WB),
    }
}

/// Returns the free box around a pose, in the frame of the pose; empty without limits.
fn bounds(pose: &WorldPose) -> Bounds {
    pose.free_size.map_or_else(Bounds::default, |size| Bounds {
        r#type: Bounds::TYPE_BOX,
        points: vec![vector3(size.scale(0.5)), vector3(size.scale(-0.5))],
    })
}

//! The occupancy grid of a world as a topic and a service, for planners such as Nav2.

use crate::input::node_service::NodeService;
use crate::topics::Output;
use merrow_messages::convert::{header, time};
use merrow_model::scene::Scene;
use merrow_model::scene::map::OccupancyMap;
use merrow_physics::contact::occupancy::{Cell, OccupancyGrid};
use merrow_ros2::msg::geometry_msgs::{Point, Pose, Quaternion};
use merrow_ros2::msg::nav_msgs::{self, GetMap, GetMapResponse, MapMetaData};
use merrow_ros2::qos::Qos;
use std::sync::{Arc, OnceLock};

/// Returns the topic of the grid of `scene`, if it has one.
pub(super) fn output(scene: &Scene) -> Option<Output> {
    let settings = scene.map.clone()?;
    let output = Output::once("map", move |moment| {
        message(moment.scene, &settings, moment.now_ns)
    });
    Some(output.with_qos(Qos::LATCHED).local())
}

/// Returns the service of the grid of `scene`, if it has one.
pub(crate) fn service(scene: &Scene) -> Option<NodeService> {
    let settings = Arc::new(scene.map.clone()?);
    let grid: Arc<OnceLock<nav_msgs::OccupancyGrid>> = Arc::default();
    Some(NodeService::other::<GetMap>(
        "~/get_map",
        move |context, _, caller| {
            let (scene, settings) = (Arc::clone(&context.mailbox.scene), Arc::clone(&settings));
            let grid = Arc::clone(&grid);
            // a large grid takes seconds
            std::thread::spawn(move || {
                let map = grid.get_or_init(|| message(&scene, &settings, scene.start_ns));
                caller.send(&GetMapResponse { map: map.clone() });
            });
        },
    ))
}

/// Builds the message of the grid. The load of the world checks that it can be computed.
fn message(scene: &Scene, settings: &OccupancyMap, now_ns: u64) -> nav_msgs::OccupancyGrid {
    let header = header(now_ns, &settings.frame_id);
    let Ok(grid) = OccupancyGrid::new(scene, settings) else {
        return nav_msgs::OccupancyGrid {
            header,
            ..nav_msgs::OccupancyGrid::default()
        };
    };
    let data = grid.cells.iter().map(|cell| match cell {
        Cell::Free => 0,
        Cell::Occupied => 100,
        Cell::Unknown => -1,
    });
    let [x, y] = grid.origin;
    nav_msgs::OccupancyGrid {
        header,
        info: MapMetaData {
            map_load_time: time(now_ns),
            resolution: grid.resolution_m as f32,
            width: grid.count[0] as u32,
            height: grid.count[1] as u32,
            origin: Pose {
                position: Point { x, y, z: 0.0 },
                orientation: Quaternion {
                    w: 1.0,
                    ..Quaternion::default()
                },
            },
        },
        data: data.collect(),
    }
}

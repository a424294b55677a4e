//! Conversion of contacts to messages: all contacts of a world, and the contact wrench on each
//! link.

use crate::convert::{WORLD_FRAME, header, point, vector3};
use crate::frames::{ObjectStates, link_frame};
use crate::msg::{Contact, Contacts};
use merrow_math::SpatialForce;
use merrow_model::scene::{Link, Robot, Scene};
use merrow_model::state::contact::ContactBody;
use merrow_model::state::workspace::LinkWork;
use merrow_model::state::{RobotState, Workspace};
use merrow_ros2::msg::geometry_msgs::{Wrench, WrenchStamped};

/// Builds the message with all contacts of the last step before the snapshot. Forces [N] are
/// impulses divided by the time step.
pub fn contacts_message(scene: &Scene, snapshot: &ObjectStates) -> Contacts {
    let rate = 1.0 / scene.dt();
    let contacts = snapshot.contacts.iter().map(|c| {
        let [robot_a, link_a, collider_a] = names(scene, c.a);
        let [robot_b, link_b, collider_b] = names(scene, c.b);
        Contact {
            robot_a,
            link_a,
            collider_a,
            robot_b,
            link_b,
            collider_b,
            position: point(c.p_W),
            normal: vector3(c.n_W),
            separation: c.gap,
            force: vector3(c.impulse_W.scale(rate)),
            impulse: vector3(c.impulse_W),
        }
    });
    Contacts {
        header: header(snapshot.time_ns, WORLD_FRAME),
        contacts: contacts.collect(),
    }
}

/// Returns the names of robot, link and collider.
fn names(scene: &Scene, side: ContactBody) -> [String; 3] {
    match side {
        ContactBody::Link {
            robot,
            link,
            collider,
        } => {
            let robot = &scene.robots[robot as usize];
            let collider = robot
                .colliders
                .get(collider as usize)
                .map_or("", |c| &c.name);
            [
                robot.name.clone(),
                robot.links[link as usize].name.clone(),
                collider.to_string(),
            ]
        }
        ContactBody::Structure {
            structure,
            collider,
        } => {
            let structure = &scene.structures[structure as usize];
            let shape = structure
                .colliders
                .get(collider as usize)
                .map_or("", |c| &c.name);
            [
                String::new(),
                String::new(),
                format!("{}/{shape}", structure.name),
            ]
        }
        ContactBody::Seabed => [String::new(), String::new(), "seabed".to_string()],
    }
}

/// Builds the message with the mean contact wrench on a link over the last step, at the link's
/// origin and in the link's frame.
pub fn wrench(scene: &Scene, robot: usize, link: usize, snapshot: &ObjectStates) -> WrenchStamped {
    let F = snapshot.contact_wrenches[robot]
        .get(link)
        .copied()
        .unwrap_or(SpatialForce::zero());
    let frame = link_frame(&scene.robots[robot], link);
    WrenchStamped {
        header: header(snapshot.time_ns, &frame),
        wrench: Wrench {
            force: vector3(F.f),
            torque: vector3(F.m),
        },
    }
}

/// Computes the contact wrenches on all links of a robot, each at the link's origin in the user's
/// link frame U. Empty if the robot has no contact.
pub fn wrenches(robot: &Robot, state: &RobotState, work: &Workspace) -> Vec<SpatialForce> {
    if !state.impulse_acceleration.has_current_forces {
        return Vec::new();
    }
    let on = |((link, w), F): ((&Link, &LinkWork), &SpatialForce)| {
        let R_WU = w.R_WL.mul_mat(&link.R_LU);
        SpatialForce {
            m: R_WU.tr_mul_vec(F.m),
            f: R_WU.tr_mul_vec(F.f),
        }
    };
    robot
        .links
        .iter()
        .zip(&work.links)
        .zip(&state.contact_force)
        .map(on)
        .collect()
}

//! Objects that a world file names: robots and their links.

use merrow_model::scene::LinkFrame;
use merrow_model::scene::{Robot, Scene};
use merrow_yaml::error::{Place, Problems};

/// Returns the index of a robot or prop; reports that `user` names one that does not exist.
pub fn find_robot(
    user: &str,
    name: &str,
    place: &Place,
    scene: &Scene,
    problems: &mut Problems,
) -> Option<usize> {
    let names = scene.robots.iter().map(|robot| robot.name.as_str());
    problems.find(place, name, names, |name| {
        format!("no robot or prop {name} for {user}")
    })
}

/// Returns the frame of a link, or reports that `robot` has none with this name.
pub fn find_link(
    name: &str,
    place: &Place,
    robot: &Robot,
    problems: &mut Problems,
) -> Option<LinkFrame> {
    let found = robot.find_frame(name);
    if found.is_none() {
        problems.find(place, name, robot.frame_names(), |name| {
            format!("no link {name} on {}", robot.name)
        });
    }
    found
}

/// Returns the robot of an entry of `robots`, or the first of its copies.
pub fn first_copy<'a>(scene: &'a Scene, name: &str) -> Option<&'a Robot> {
    let mut robots = scene.robots.iter();
    robots.find(|robot| robot.name == name || robot.name == format!("{name}_0"))
}

//! Files of other programs that are given as a world.

use std::io::Read as _;
use std::path::Path;

/// Number of bytes at the start of a file that are searched for the name of its format.
const HEAD: u64 = 4096;

/// Returns what a file or folder is, and how to use it, if it is not a world file but has a
/// format of another program.
pub(super) fn explain(path: &Path) -> Option<String> {
    let shown = path.display();
    if path.is_dir() {
        let is_bag = path.join("metadata.yaml").is_file();
        return is_bag.then(|| bag(path));
    }
    let mut head = Vec::new();
    let file = path.is_file().then(|| std::fs::File::open(path).ok())??;
    file.take(HEAD).read_to_end(&mut head).ok()?;
    let text = String::from_utf8_lossy(&head);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let starts_element = |name: &str| text.contains(&format!("<{name}"));
    if head.starts_with(b"\x89MCAP") || text.starts_with("rosbag2_bagfile_information") {
        return Some(bag(path));
    }
    if head.starts_with(b"SQLite format 3") || head.starts_with(b"#ROSBAG") {
        return Some(format!(
            "is a bag of another format; convert it with `ros2 bag convert` to MCAP, and show it with \
             `merrow replay {shown}`"
        ));
    }
    if !text.starts_with('<') {
        return None;
    }
    Some(if starts_element("sdf") {
        "is an SDF file of Gazebo, which is not read; write a world file in YAML with its robots \
         (`model: {urdf: FILE}` reads their URDFs); `merrow run WORLD --profile gz` uses the topic \
         names of Gazebo"
            .to_string()
    } else if starts_element("robot") {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        format!(
            "is a URDF, which describes a robot; name it in a world file: `robots: {{r: {{model: {{source: \
             own, urdf: {name}}}}}}}`"
        )
    } else if starts_element("scenario") {
        "is a scenario of Stonefish, which is not read; write a world file in YAML; `merrow run \
         WORLD --profile stonefish` uses the topic names of Stonefish"
            .to_string()
    } else {
        "is an XML file; expected a world file in YAML".to_string()
    })
}

fn bag(path: &Path) -> String {
    let shown = path.display();
    format!("is a bag; show it with `merrow replay {shown}`, or name its world file")
}

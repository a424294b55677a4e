//! Declares the message types of `merrow_msgs` and of marine packages from their interface files.

use merrow_interfaces::{Options, Package, generate, packages};
use std::path::Path;

/// Folder of the package `merrow_msgs`.
const OWN: &str = "../../ros/merrow_msgs";

fn main() -> Result<(), String> {
    for folder in ["interfaces", OWN] {
        println!("cargo::rerun-if-changed={folder}");
    }
    let mut all = packages(Path::new("interfaces"))?;
    all.push(Package {
        module: "merrow_msgs".to_string(),
        name: "merrow_msgs".to_string(),
        folder: OWN.into(),
    });
    let options = Options {
        macros: "merrow_ros2",
        shared: &["marine_acoustic_msgs/msg/SonarImageData.data"],
        renamed: &[],
    };
    let folder = std::env::var("OUT_DIR").map_err(|e| e.to_string())?;
    std::fs::write(
        Path::new(&folder).join("interfaces.rs"),
        generate(&all, &options)?,
    )
    .map_err(|e| e.to_string())
}

//! Declares the message types of standard packages from their interface files.

use merrow_interfaces::{Options, generate, packages};
use std::path::Path;

fn main() -> Result<(), String> {
    println!("cargo::rerun-if-changed=interfaces");
    let options = Options {
        macros: "crate",
        shared: &[
            "sensor_msgs/msg/Image.data",
            "sensor_msgs/msg/CompressedImage.data",
            "sensor_msgs/msg/PointCloud2.data",
        ],
        // `Result` is the type of the standard library
        renamed: &[("simulation_interfaces/msg/Result", "ServiceResult")],
    };
    let text = generate(&packages(Path::new("interfaces"))?, &options)?;
    let folder = std::env::var("OUT_DIR").map_err(|e| e.to_string())?;
    std::fs::write(Path::new(&folder).join("interfaces.rs"), text).map_err(|e| e.to_string())
}

//! Compiles the calls into `rmw` against the headers of the sourced ROS 2 (feature `rmw`).
//!
//! With `MERROW_RMW_STUB=1` in the environment it skips the C part. Then `cargo check` and `cargo
//! clippy` read the Rust code where no ROS 2 is installed. Such a build cannot be linked.

fn main() {
    println!("cargo::rerun-if-changed=shim/rmw.c");
    #[cfg(feature = "rmw")]
    shim::compile();
}

#[cfg(feature = "rmw")]
mod shim {
    use std::env;
    use std::path::{Path, PathBuf};

    /// Packages whose headers `rmw.c` includes. Humble lacks the last.
    const PACKAGES: [&str; 5] = [
        "rcutils",
        "rmw",
        "rosidl_runtime_c",
        "rosidl_typesupport_interface",
        "rosidl_dynamic_typesupport",
    ];

    /// Compiles `shim/rmw.c`, or reports that no ROS 2 is sourced.
    pub(super) fn compile() {
        for name in ["AMENT_PREFIX_PATH", "ROS_DISTRO", "MERROW_RMW_STUB"] {
            println!("cargo::rerun-if-env-changed={name}");
        }
        let distro = env::var("ROS_DISTRO").unwrap_or_default();
        println!("cargo::rustc-env=MERROW_ROS_DISTRO={distro}");
        if env::var("MERROW_RMW_STUB").is_ok_and(|value| value == "1") {
            return;
        }
        let prefixes = env::var_os("AMENT_PREFIX_PATH").unwrap_or_default();
        let folders = include_folders(&env::split_paths(&prefixes).collect::<Vec<_>>());
        if !folders
            .iter()
            .any(|folder| folder.join("rmw/rmw.h").exists())
        {
            println!(
                "cargo::error=the feature `native` needs a sourced ROS 2: found no rmw/rmw.h in \
                 AMENT_PREFIX_PATH; source /opt/ros/DISTRO/setup.bash, or build without the feature"
            );
            return;
        }
        cc::Build::new()
            .file("shim/rmw.c")
            .includes(folders)
            .compile("merrow_rmw");
    }

    /// Returns the folders of headers, for installations with a folder per package and with a
    /// common folder.
    fn include_folders(prefixes: &[PathBuf]) -> Vec<PathBuf> {
        let in_prefix = |prefix: &PathBuf| {
            let include = prefix.join("include");
            let packages = PACKAGES.map(|package| include.join(package));
            packages.into_iter().chain([include])
        };
        let folders = prefixes.iter().flat_map(in_prefix);
        folders.filter(|folder| Path::is_dir(folder)).collect()
    }
}

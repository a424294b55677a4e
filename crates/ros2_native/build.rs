//! Compiles the calls into `rmw` against the headers of the sourced ROS 2 (feature `rmw`).

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

    pub(super) fn compile() {
        println!("cargo::rerun-if-env-changed=AMENT_PREFIX_PATH");
        println!("cargo::rerun-if-env-changed=ROS_DISTRO");
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
        let distro = env::var("ROS_DISTRO").unwrap_or_default();
        println!("cargo::rustc-env=MERROW_ROS_DISTRO={distro}");
        cc::Build::new()
            .file("shim/rmw.c")
            .includes(folders)
            .compile("merrow_rmw");
    }

    /// Returns the folders of headers, for installations with one folder per package and with a
    /// common one.
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

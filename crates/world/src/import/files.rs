//! Finds the files that a world file names, and reads them within limits.

use crate::data_dir;
use merrow_yaml::error::{Place, Problems, quote};
use merrow_yaml::load::not_for_requests;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// Returns the path of the file `name`, which is named at `place`.
///
/// `name` is `package://<package>/<path>`, `model://<package>/<path>`, `file://<path>`, or a
/// relative path. Relative paths are looked up in the folder of the file that names them, then in
/// Merrow's data folders.
pub(crate) fn find_file(name: &str, place: &Place, problems: &mut Problems) -> Option<PathBuf> {
    // URDFs written on Windows contain backslashes
    let name = name.replace('\\', "/");
    let name = name.as_str();
    let base_folder = place.folder().unwrap_or(Path::new("")).to_path_buf();
    if let Some(rest) = name
        .strip_prefix("package://")
        .or_else(|| name.strip_prefix("model://"))
    {
        let (package, path) = rest.split_once('/').unwrap_or((rest, ""));
        if !place.may_name(rest) {
            return problems.refuse(place, not_for_requests(name));
        }
        let file_in = |folders: Vec<PathBuf>| {
            let mut files = folders.into_iter().map(|folder| folder.join(path));
            files.find(|file| file.is_file())
        };
        let found = file_in(package_folders(package, &base_folder))
            .or_else(|| file_in(declared_package_folders(package, &base_folder)));
        if found.is_none() {
            let text = format!(
                "no file {}: package {} with this file is not in AMENT_PREFIX_PATH, in \
                 ROS_PACKAGE_PATH, in a parent folder of {} or in Merrow's data folders; source \
                 its workspace, or write a path",
                quote(name),
                quote(package),
                quote(&place.file)
            );
            problems.push(place, text);
        }
        return found;
    }
    let plain = name.strip_prefix("file://").unwrap_or(name);
    if !place.may_name(plain) {
        return problems.refuse(place, not_for_requests(name));
    }
    let own = place.folder().map(Path::to_path_buf);
    let folders = own.into_iter().chain(data_dir::share_folders());
    let found = folders
        .map(|folder| folder.join(plain))
        .find(|path| path.is_file());
    if found.is_none() {
        let looked = match place.is_in_option() {
            true => "in the current folder".to_string(),
            false => format!("next to {}", quote(&place.file)),
        };
        let text = format!(
            "no file {}, looked {looked} and in Merrow's data folders",
            quote(name)
        );
        problems.push(place, text);
    }
    found
}

/// Returns the resource name of a mesh file that was found at `path`: `package://merrow/<path>` for
/// bundled files, the `name` in the world file if it has a package, otherwise `file://<path>`.
pub(crate) fn resource_name(name: &str, path: &Path) -> String {
    if name.starts_with("package://") {
        return name.to_string();
    }
    let bundled = |folder: PathBuf| path.strip_prefix(folder).ok().map(Path::to_path_buf);
    match data_dir::share_folders().into_iter().find_map(bundled) {
        Some(rest) => format!("package://merrow/{}", rest.display()),
        None => {
            let whole = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
            format!("file://{}", whole.display())
        }
    }
}

/// Reads a text file, or returns the reason why it cannot be read.
pub(crate) fn read_text(path: &Path) -> Result<String, String> {
    merrow_yaml::load::read_text(path)
}

/// Maximum size of a file that is read as a whole [bytes].
const FILE_MAX: u64 = 256 << 20;

/// Reads a regular file of at most 256 MiB, or returns the reason why it cannot be read. A
/// device or a pipe has no end.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, String> {
    let unreadable = |e: std::io::Error| format!("cannot be read: {e}");
    let found = std::fs::metadata(path).map_err(unreadable)?;
    if !found.is_file() {
        return Err("not a regular file; name a file".to_string());
    }
    let too_large = || format!("too large; expected at most {} MiB", FILE_MAX >> 20);
    if found.len() > FILE_MAX {
        return Err(too_large());
    }
    // the file may grow, and files of `/proc` have the size 0
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(unreadable)?;
    file.take(FILE_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    if bytes.len() as u64 > FILE_MAX {
        return Err(too_large());
    }
    Ok(bytes)
}

/// Reads a regular file that a model names relative to its own folder, below that folder.
pub(crate) fn read_below(folder: &Path, name: &str) -> Result<Vec<u8>, String> {
    let is_below = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if !Path::new(name).components().all(is_below) {
        return Err("expected a name below the folder of the model".to_string());
    }
    read_bytes(&folder.join(name))
}

/// Returns the candidate share folders of a ROS package by their folder name, in search order:
/// environment variables, parent folders, Merrow's data folders.
fn package_folders(package: &str, base_folder: &Path) -> Vec<PathBuf> {
    let variable = |name: &str| -> Vec<PathBuf> {
        std::env::var_os(name)
            .map(|paths| std::env::split_paths(&paths).collect())
            .unwrap_or_default()
    };
    let mut folders: Vec<PathBuf> = variable("AMENT_PREFIX_PATH")
        .into_iter()
        .map(|p| p.join("share").join(package))
        .collect();
    for path in variable("ROS_PACKAGE_PATH") {
        if path.file_name().is_some_and(|name| name == package) {
            folders.push(path.clone());
        }
        folders.push(path.join(package));
    }
    let base_folder = base_folder
        .canonicalize()
        .unwrap_or_else(|_| base_folder.to_path_buf());
    for above in base_folder.ancestors() {
        if above.file_name().is_some_and(|name| name == package) {
            folders.push(above.to_path_buf());
        }
        folders.push(above.join(package));
    }
    for share in data_dir::share_folders() {
        if package == "merrow" {
            folders.push(share.clone());
        }
        folders.push(share.join(package));
        folders.push(share.join("meshes").join(package));
    }
    folders
}

/// Returns the share folders whose `package.xml` declares the name `package`, regardless of the
/// folder name: the parent folders of `base_folder`, the folders of `ROS_PACKAGE_PATH`, and the
/// folders in them.
fn declared_package_folders(package: &str, base_folder: &Path) -> Vec<PathBuf> {
    let base_folder = base_folder
        .canonicalize()
        .unwrap_or_else(|_| base_folder.to_path_buf());
    let listed = std::env::var_os("ROS_PACKAGE_PATH").unwrap_or_default();
    let parents = base_folder.ancestors().map(Path::to_path_buf);
    let mut folders = Vec::new();
    for folder in parents.chain(std::env::split_paths(&listed)) {
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let mut inner: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        // the order of a directory listing is arbitrary
        inner.sort_unstable();
        folders.push(folder);
        folders.extend(inner);
    }
    folders.retain(|folder| declared_name(folder).is_some_and(|name| name == package));
    folders
}

/// Returns the `<name>` in the `package.xml` of a folder.
fn declared_name(folder: &Path) -> Option<String> {
    let text = read_text(&folder.join("package.xml")).ok()?;
    let document = roxmltree::Document::parse(&text).ok()?;
    let root = document.root_element();
    let mut inner = root.children().filter(|node| node.has_tag_name("name"));
    inner.next()?.text().map(|name| name.trim().to_string())
}

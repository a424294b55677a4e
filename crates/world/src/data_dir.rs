//! Search paths of the files that ship with Merrow: worlds, params, urdf, grids, meshes.

mod embedded;

pub use crate::data_dir::embedded::File as EmbeddedFile;

use merrow_yaml::error::did_you_mean;
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

/// Environment variable that names the first share folder.
const VARIABLE: &str = "MERROW_SHARE";

static EMBEDDED: OnceLock<Vec<EmbeddedFile>> = OnceLock::new();
static SEARCH: OnceLock<Search> = OnceLock::new();

/// The share folders, and why others are not used.
struct Search {
    folders: Vec<PathBuf>,
    /// Folders without data, each with the reason.
    missing: Vec<String>,
    /// The problem of `MERROW_SHARE`, if it has one.
    wrong_variable: Option<String>,
}

/// Declares the bundled data that the program contains. Has an effect before the first use of the
/// share folders.
pub fn embed(files: Vec<EmbeddedFile>) {
    // the first declaration counts
    let _ = EMBEDDED.set(files);
}

/// Returns the folders that contain `worlds/` and `params/`, in search order: `MERROW_SHARE`,
/// `share/merrow` next to the program or to a folder above it, the source tree if the program runs
/// from it, and the data inside the program.
pub fn share_folders() -> Vec<PathBuf> {
    SEARCH.get_or_init(search).folders.clone()
}

/// Checks that the bundled data was found.
///
/// # Errors
/// `MERROW_SHARE` names a folder without data, or there is no data at all; the places that were
/// searched.
pub fn check() -> Result<(), String> {
    let search = SEARCH.get_or_init(search);
    if let Some(why) = &search.wrong_variable {
        return Err(why.clone());
    }
    if search.folders.is_empty() {
        let missing = search.missing.join(", ");
        return Err(format!(
            "no bundled worlds and robots; looked for a folder with `params/` in {missing}; set \
             {VARIABLE} to a folder with the `worlds`, `params`, `grids`, `meshes` and `urdf` of Merrow"
        ));
    }
    Ok(())
}

fn search() -> Search {
    let mut found = Search {
        folders: Vec::new(),
        missing: Vec::new(),
        wrong_variable: None,
    };
    let has = |folder: &Path, name: &str| folder.join(name).is_dir();
    if let Some(folder) = std::env::var_os(VARIABLE).filter(|value| !value.is_empty()) {
        let folder = PathBuf::from(folder);
        if has(&folder, "params") || has(&folder, "worlds") {
            found.folders.push(folder);
        } else {
            found.wrong_variable = Some(format!(
                "{VARIABLE}: expected a folder with `params` or `worlds`, found {}; correct or \
                 unset it",
                folder.display()
            ));
        }
    }
    let own = found.folders.len();
    let program = std::env::current_exe().and_then(|program| program.canonicalize());
    let program = program.unwrap_or_default();
    // `merrow`, `bin/merrow` and `lib/merrow/merrow`
    let above = program.ancestors().skip(1).take(3);
    let installed = above.map(|folder| folder.join("share/merrow"));
    let embedded = EMBEDDED.get().filter(|files| !files.is_empty());
    // This crate is in `crates/world`. A program that was moved away from the source tree does not
    // depend on what the tree contains now.
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
    let is_source = |tree: &&Path| embedded.is_none() || program.starts_with(tree);
    let source = source.filter(is_source).map(Path::to_path_buf);
    for folder in installed.chain(source) {
        if has(&folder, "params") {
            found.folders.push(folder);
        } else {
            found.missing.push(folder.display().to_string());
        }
    }
    if found.folders.len() == own
        && let Some(files) = embedded
    {
        match embedded::unpack(files) {
            Ok(folder) => found.folders.push(folder),
            Err(why) => found
                .missing
                .push(format!("the program, whose data was not unpacked: {why}")),
        }
    }
    found
}

/// Returns the folders of component files.
pub fn params_folders() -> Vec<PathBuf> {
    share_folders()
        .into_iter()
        .map(|p| p.join("params"))
        .collect()
}

/// Returns the file of a world given by its path or by the name of a bundled world, with or without
/// `.yaml`.
pub fn world_file(name: &str) -> PathBuf {
    let direct = PathBuf::from(name);
    if direct.is_file() {
        return direct;
    }
    bundled_world(name).unwrap_or(direct)
}

/// Returns the file of a bundled world given by its name, with or without `.yaml`. Its path below
/// the folder of the bundled worlds is accepted too, as `get_available_worlds` returns it.
pub fn bundled_world(name: &str) -> Option<PathBuf> {
    let folders = || share_folders().into_iter().map(|f| f.join("worlds"));
    let given = Path::new(name);
    let stem = folders().find_map(|folder| given.strip_prefix(folder).ok());
    let stem = stem.unwrap_or(given);
    let mut parts = stem.components();
    if !matches!(
        (parts.next(), parts.next()),
        (Some(Component::Normal(_)), None)
    ) {
        return None;
    }
    let with_ending = format!("{}.yaml", stem.display());
    let files = folders().flat_map(|folder| [folder.join(stem), folder.join(&with_ending)]);
    let mut worlds = files.filter(|file| file.extension().is_some_and(|ending| ending == "yaml"));
    worlds.find(|file| file.is_file())
}

/// Returns the name of a bundled world that is the file at `path`; `None` for another file.
pub(crate) fn name_of_bundled_world(path: &Path) -> Option<String> {
    let name = path.file_stem()?.to_str()?;
    let bundled = bundled_world(name)?.canonicalize().ok()?;
    (path.canonicalize().ok()? == bundled).then(|| name.to_string())
}

/// Returns the message for the name of a world that is neither a file nor a bundled world; `None`
/// if it is either, or a path.
pub fn unknown_world_message(name: &str) -> Option<String> {
    let is_path = Path::new(name).components().count() > 1 || name.ends_with(".yaml");
    if is_path || Path::new(name).exists() || world_file(name).is_file() {
        return None;
    }
    let shipped = file_names("worlds");
    let hint = did_you_mean(name, shipped.iter().map(String::as_str));
    Some(format!(
        "{name}: no such file, and no bundled world has this name (`merrow list` lists them){hint}"
    ))
}

/// Returns the names of the files in `worlds` or `params/<kind>`, sorted, without `.yaml`.
pub fn file_names(folder: &str) -> Vec<String> {
    let mut names: Vec<String> = share_folders()
        .into_iter()
        .filter_map(|f| std::fs::read_dir(f.join(folder)).ok())
        .flatten()
        .flatten()
        .filter_map(|e| {
            e.file_name()
                .to_str()?
                .strip_suffix(".yaml")
                .map(str::to_owned)
        })
        .collect();
    names.sort();
    names.dedup();
    names
}

/// Lists the names and paths of the YAML files in a folder, sorted.
///
/// # Errors
/// One line with the folder and the reason why it cannot be read.
pub fn worlds_in(folder: &Path) -> Result<Vec<(String, PathBuf)>, String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let named = |path: PathBuf| {
        let is_yaml = path.extension().is_some_and(|suffix| suffix == "yaml");
        let name = path.file_stem()?.to_str()?.to_string();
        is_yaml.then_some((name, path))
    };
    let paths = entries.flatten().map(|entry| entry.path());
    let mut found: Vec<_> = paths.filter_map(named).collect();
    found.sort();
    Ok(found)
}

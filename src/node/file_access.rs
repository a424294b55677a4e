//! Which files requests from the network may write and read.
//!
//! Every machine that reaches the node can call its services. Their file names are therefore
//! relative to one folder, have the ending of their kind, and replace only a file of the same kind.
//! World files are read from the bundled worlds and from this folder. The user of the command line
//! has the rights of the process and is not checked.

use merrow_world::document::Resource as RobotDescription;
use merrow_world::{catalogue, data_dir};
use merrow_yaml::error::REQUEST;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// Maximum length of the name of a file in a request [bytes].
const NAME_MAX: usize = 255;

/// Kind of a file that a request writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// Checkpoint of a run.
    Checkpoint,
    /// World file, as `merrow save` writes it.
    World,
    /// Recorded bag: an MCAP file, or a new folder with one.
    Bag,
}

impl FileKind {
    /// Endings of the names of such files.
    fn endings(self) -> &'static [&'static str] {
        match self {
            Self::Checkpoint => &["cp"],
            Self::World => &["yaml"],
            Self::Bag => &["mcap", ""],
        }
    }

    /// Returns the first bytes of such files.
    fn mark(self) -> &'static [u8] {
        match self {
            Self::Checkpoint => &merrow_sim::checkpoint::MARK,
            Self::World => WORLD_MARK.as_bytes(),
            Self::Bag => b"\x89MCAP0\r\n",
        }
    }

    /// Returns true if a file begins as files of this kind do.
    pub(crate) fn is_kind_of(self, path: &Path) -> bool {
        let mut found = vec![0; self.mark().len()];
        let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut found));
        read.is_ok() && found == self.mark()
    }

    fn expectation(self) -> &'static str {
        match self {
            Self::Checkpoint => "a name that ends in `.cp`",
            Self::World => "a name that ends in `.yaml`",
            Self::Bag => "a name that ends in `.mcap`, or a name without ending",
        }
    }
}

/// First line of every saved world, by which a later request recognises that it may replace it.
pub const WORLD_MARK: &str = "# World saved by Merrow.\n";

/// Files that requests from the network may write and read.
#[derive(Clone, Debug)]
pub struct FileAccess {
    folder: PathBuf,
    has_all_paths: bool,
}

impl FileAccess {
    /// Allows the files below `folder`; with `has_all_paths` all files of the user of the process.
    pub fn new(folder: PathBuf, has_all_paths: bool) -> Self {
        Self {
            folder,
            has_all_paths,
        }
    }

    /// Returns the path of a file that a request names and writes.
    ///
    /// # Errors
    /// One line: the name is not allowed, or the file exists and is of another kind.
    pub fn path_to_write(&self, name: &str, kind: FileKind) -> Result<PathBuf, String> {
        if name.is_empty() {
            return Err("expected the name of the file to write, found none".to_string());
        }
        if self.has_all_paths {
            return Ok(PathBuf::from(name));
        }
        let path = self.inside(name)?;
        let ending = path.extension().unwrap_or_default();
        if !kind.endings().iter().any(|known| ending == *known) {
            return Err(format!(
                "{}: wrong ending; expected {}",
                shown(name),
                kind.expectation()
            ));
        }
        match std::fs::symlink_metadata(&path) {
            Err(_) => {}
            Ok(found) if found.is_file() && kind.is_kind_of(&path) => {}
            Ok(_) => {
                return Err(format!(
                    "{} exists and is of another kind; choose another name",
                    shown(name)
                ));
            }
        }
        Ok(path)
    }

    /// Returns the path of a world file that a request names and reads: a bundled world, or a file
    /// in the folder.
    ///
    /// # Errors
    /// One line: the name is not allowed or not found.
    pub fn world_to_read(&self, name: &str) -> Result<PathBuf, String> {
        if self.has_all_paths {
            if let Some(why) = data_dir::unknown_world_message(name) {
                return Err(why);
            }
            return Ok(data_dir::world_file(name));
        }
        if let Some(bundled) = data_dir::bundled_world(name) {
            return Ok(bundled);
        }
        let path = self.inside(name)?;
        let is_world = path.extension().is_some_and(|ending| ending == "yaml") && path.is_file();
        if is_world {
            Ok(path)
        } else {
            Err(format!(
                "{}: no bundled world has this name, and the output folder has no such world file",
                shown(name)
            ))
        }
    }

    /// Returns the description of a robot in a request: a bundled robot or prop, a file of the
    /// folder, or a text.
    ///
    /// # Errors
    /// One line: the name is not allowed.
    pub fn robot(&self, uri: &str, text: &str) -> Result<RobotDescription, String> {
        if self.has_all_paths {
            return Ok(match uri.is_empty() {
                true => RobotDescription::Text(text.to_string()),
                false => RobotDescription::Uri(uri.to_string()),
            });
        }
        if uri.is_empty() {
            return Ok(RobotDescription::RequestText(text.to_string()));
        }
        if catalogue::model_reference(uri).is_some() {
            return Ok(RobotDescription::Uri(uri.to_string()));
        }
        let path = self.inside(uri)?;
        let ending = path.extension().unwrap_or_default();
        if (ending == "yaml" || ending == "urdf") && path.is_file() {
            return Ok(RobotDescription::Uri(path.display().to_string()));
        }
        Err(format!(
            "{}: no bundled robot or prop has this name, and the output folder has no such robot \
             file; get_spawnables lists the bundled ones",
            shown(uri)
        ))
    }

    /// Returns the name of the text of a world in a request, by which its files are limited.
    pub fn text_name(&self) -> &'static str {
        if self.has_all_paths { "world" } else { REQUEST }
    }

    /// Returns error lines for the answer to a request: lines about files keep their position and
    /// lose their text, which quotes the file. Lines about the text of the request are whole.
    pub fn without_contents(&self, lines: &str) -> String {
        let hidden = |line: &str| {
            let (place, _) = line.split_once(": ")?;
            let mut parts = place.rsplitn(3, ':');
            let is_number = |part: Option<&str>| part.is_some_and(|p| p.parse::<u32>().is_ok());
            let is_position = is_number(parts.next()) && is_number(parts.next());
            let file = parts.next().filter(|_| is_position)?;
            let text = "invalid; `merrow check` on the machine of the run shows the error";
            (file != REQUEST).then(|| format!("{place}: {text}"))
        };
        if self.has_all_paths {
            return lines.to_string();
        }
        let shown = |line: &str| hidden(line).unwrap_or_else(|| line.to_string());
        lines.lines().map(shown).collect::<Vec<_>>().join("\n")
    }

    /// Returns a folder whose world files a request lists.
    ///
    /// # Errors
    /// One line: the folder is not allowed.
    pub fn folder_to_list(&self, name: &str) -> Result<PathBuf, String> {
        if self.has_all_paths {
            return Ok(PathBuf::from(name));
        }
        self.inside(name)
    }

    /// Returns the path of a name below the folder.
    fn inside(&self, name: &str) -> Result<PathBuf, String> {
        let plain = |component: Component<'_>| match component {
            Component::Normal(part) => part
                .to_str()
                .is_some_and(|part| !part.starts_with('.') && !part.contains(char::is_control)),
            _ => false,
        };
        let is_plain = name.len() <= NAME_MAX && Path::new(name).components().all(plain);
        if !is_plain {
            return Err(format!(
                "{}: not allowed in a request; expected a name relative to the output folder, \
                 without `..` and without leading dots; start Merrow with --output-dir for another \
                 folder, or with --allow-paths",
                shown(name)
            ));
        }
        let path = self.folder.join(name);
        // links must not lead out of the folder
        let canonical = |path: &Path| {
            let is_empty = path.as_os_str().is_empty();
            let path = if is_empty { Path::new(".") } else { path };
            path.canonicalize().ok()
        };
        let own = canonical(&self.folder);
        let is_inside = |found: &Path| own.as_ref().is_some_and(|own| found.starts_with(own));
        let Some(parent) = path.parent().and_then(canonical) else {
            return Err(format!("{}: its folder does not exist", shown(name)));
        };
        let target = if path.is_symlink() {
            canonical(&path)
        } else {
            Some(parent.clone())
        };
        if is_inside(&parent) && target.is_some_and(|target| is_inside(&target)) {
            Ok(path)
        } else {
            Err(format!("{}: leads out of the output folder", shown(name)))
        }
    }
}

/// Returns the text of a name for a message of one line.
fn shown(name: &str) -> String {
    let short: String = name.chars().take(60).collect();
    let dots = if short.len() < name.len() { "..." } else { "" };
    format!("{short:?}{dots}")
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let name = format!("merrow_access_{name}_{}", std::process::id());
            let path = std::env::temp_dir().join(name);
            std::fs::create_dir_all(path.join("out/sub")).unwrap();
            Self(path)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    const KINDS: [(FileKind, &str); 3] = [
        (FileKind::Checkpoint, "cp"),
        (FileKind::World, "yaml"),
        (FileKind::Bag, "mcap"),
    ];

    #[test]
    fn errors_do_not_quote_files() {
        let lines = "out/secret.yaml:1:1: unknown key `password`\n\
                     request:3:4: unknown key `robts`\nrobot r: too heavy";
        let access = FileAccess::new(PathBuf::from("out"), false);
        let shown = access.without_contents(lines);
        assert!(!shown.contains("password"), "{shown}");
        assert!(shown.starts_with("out/secret.yaml:1:1: invalid"), "{shown}");
        assert!(shown.ends_with("unknown key `robts`\nrobot r: too heavy"));
        let all = FileAccess::new(PathBuf::from("out"), true);
        assert_eq!(all.without_contents(lines), lines);
    }

    #[test]
    fn names_outside_the_folder_are_refused() {
        let folder = Folder::new("outside");
        let access = FileAccess::new(folder.0.join("out"), false);
        std::os::unix::fs::symlink(&folder.0, folder.0.join("out/link")).unwrap();
        let absolute = folder.0.join("x").display().to_string();
        let long = "n".repeat(300);
        for (kind, ending) in KINDS {
            for stem in [
                "../x",
                "sub/../../x",
                ".profile",
                "sub/.x",
                "/etc/x",
                "~/../x",
                "a\nb",
                "link/x",
                "none/x",
                "./x",
                &absolute,
                &long,
                "file:///tmp/x",
            ] {
                let name = format!("{stem}.{ending}");
                let refused = access.path_to_write(&name, kind);
                assert!(refused.is_err(), "{name}: {refused:?}");
            }
            for name in ["", "x.sh", "x.bashrc", "x.yaml.sh", "..", ".", "/"] {
                assert!(access.path_to_write(name, kind).is_err(), "{name}");
            }
            for stem in ["x", "sub/x"] {
                let name = format!("{stem}.{ending}");
                assert!(access.path_to_write(&name, kind).is_ok(), "{name}");
            }
        }
        let open = FileAccess::new(folder.0.join("out"), true);
        assert!(open.path_to_write("/etc/x", FileKind::World).is_ok());
    }

    #[test]
    fn files_of_another_kind_are_not_replaced() {
        let folder = Folder::new("kind");
        let access = FileAccess::new(folder.0.join("out"), false);
        for (kind, ending) in KINDS {
            let name = format!("x.{ending}");
            let path = folder.0.join("out").join(&name);
            for content in [&b""[..], b"robots: {}", b"#!/bin/sh\n"] {
                std::fs::write(&path, content).unwrap();
                assert!(access.path_to_write(&name, kind).is_err(), "{name}");
            }
            std::fs::write(&path, kind.mark()).unwrap();
            assert!(access.path_to_write(&name, kind).is_ok(), "{name}");
            std::fs::remove_file(&path).unwrap();
            std::os::unix::fs::symlink("/etc/passwd", &path).unwrap();
            assert!(access.path_to_write(&name, kind).is_err(), "{name}");
        }
    }

    #[test]
    fn only_worlds_of_the_folder_and_bundled_worlds_are_read() {
        let folder = Folder::new("read");
        let access = FileAccess::new(folder.0.join("out"), false);
        std::fs::write(folder.0.join("secret.yaml"), "password: 1").unwrap();
        std::fs::write(folder.0.join("out/lake.yaml"), "robots: {}").unwrap();
        std::os::unix::fs::symlink("../secret.yaml", folder.0.join("out/link.yaml")).unwrap();
        for name in [
            "/etc/passwd",
            "../secret.yaml",
            "link.yaml",
            "/dev/zero",
            "none",
            "",
        ] {
            let refused = access.world_to_read(name);
            assert!(refused.is_err(), "{name}: {refused:?}");
        }
        assert!(access.world_to_read("lake.yaml").is_ok());
        assert!(access.world_to_read("pool").is_ok());
        assert!(access.world_to_read("pool.yaml").is_ok());
        std::fs::write(folder.0.join("out/secret"), "password: 1").unwrap();
        for name in [
            "/etc/passwd",
            "../secret.yaml",
            "link.yaml",
            "secret",
            "Cargo.toml",
            "none",
        ] {
            let refused = access.robot(name, "");
            assert!(refused.is_err(), "{name}: {refused:?}");
        }
        assert!(access.robot("bluerov2_heavy", "").is_ok());
        assert!(access.robot("lake.yaml", "").is_ok());
        assert!(access.folder_to_list("/etc").is_err());
        assert!(access.folder_to_list("sub").is_ok());
    }
}

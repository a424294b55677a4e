//! Descriptions of robots that are added during a run: a bundled model, a file, or a text.

use crate::components::loader;
use crate::import::files;
use crate::import::urdf;
use crate::{Place, Problems};
use crate::{catalogue, data_dir};
use merrow_yaml::error::{REQUEST, quote};
use merrow_yaml::node::{Node, Value, parse};
use serde_json::{Value as Json, json};
use std::path::Path;

/// Name of a text in messages.
const LABEL: &str = "resource";

/// Description of a robot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resource {
    /// Name of a bundled robot model, path of a robot file or URDF, or URI of such a file
    /// (`file://`, `package://`).
    Uri(String),
    /// Content of a robot file, of an entry of `robots:` in a world file, or of a URDF.
    Text(String),
    /// The same from a request, which names bundled files only.
    RequestText(String),
}

/// Reason why a resource cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResourceError {
    /// The resource is an empty name or text.
    Missing,
    /// No bundled model and no file has the name.
    NotFound(String),
    /// The format is neither YAML nor URDF.
    UnsupportedFormat(String),
    /// The text is malformed: all errors, one per line.
    Malformed(String),
}

impl std::fmt::Display for ResourceError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing => {
                f.write_str("expected the name of a bundled robot, a file or a text, found none")
            }
            Self::NotFound(text) | Self::UnsupportedFormat(text) | Self::Malformed(text) => {
                f.write_str(text)
            }
        }
    }
}

/// Formats of other simulators: start of the text, suffix of the file, name.
const OTHER_FORMATS: [(&str, &[&str], &str); 4] = [
    ("<sdf", &["sdf", "world"], "SDF"),
    ("<mujoco", &["mjcf"], "MJCF"),
    ("#usda", &["usd", "usda", "usdc", "usdz"], "USD"),
    ("<launch", &["launch"], "a launch file"),
];

impl Resource {
    /// Returns the name that the resource states itself: the name of a URDF, or of the file.
    pub fn own_name(&self) -> Option<String> {
        match self {
            Self::Text(text) | Self::RequestText(text) => {
                let is_urdf = text.trim_start().starts_with('<');
                is_urdf.then(|| urdf::robot_name(text)).flatten()
            }
            Self::Uri(uri) => {
                let path = Path::new(without_scheme(uri));
                let stem = path.file_stem()?.to_str()?;
                Some(stem.to_string()).filter(|stem| !stem.is_empty())
            }
        }
    }

    /// Returns the entry of the robot, as written and with its component files resolved.
    pub(super) fn entry(&self) -> Result<(Node, Node), ResourceError> {
        let mut written = match self {
            Self::Uri(uri) if uri.trim().is_empty() => return Err(ResourceError::Missing),
            Self::Text(text) | Self::RequestText(text) if text.trim().is_empty() => {
                return Err(ResourceError::Missing);
            }
            Self::Uri(uri) => entry_of_file(uri.trim())?,
            Self::Text(text) => entry_of_text(text, LABEL)?,
            Self::RequestText(text) => entry_of_text(text, REQUEST)?,
        };
        let mut problems = Problems::new();
        let resolved = loader().resolve(written.clone(), &mut problems);
        match problems.into_result(resolved) {
            Ok(resolved) => {
                merrow_yaml::parameters::unescape(&mut written);
                Ok((written, resolved))
            }
            Err(problems) => Err(ResourceError::Malformed(problems.to_string())),
        }
    }
}

fn without_scheme(uri: &str) -> &str {
    uri.strip_prefix("file://").unwrap_or(uri)
}

/// Returns the entry of a robot that a name, path or URI describes.
fn entry_of_file(uri: &str) -> Result<Node, ResourceError> {
    let file = without_scheme(uri);
    let suffix = file.rsplit_once('.').map_or("", |(_, suffix)| suffix);
    let suffix = suffix.to_ascii_lowercase();
    let other = OTHER_FORMATS
        .iter()
        .find(|(_, suffixes, _)| suffixes.contains(&suffix.as_str()));
    if let Some((_, _, name)) = other {
        return Err(unsupported(name));
    }
    if suffix == "xacro" {
        let found = "xacro; convert it with `xacro FILE > robot.urdf`";
        return Err(unsupported(found));
    }
    if suffix == "urdf" || suffix == "xml" {
        let mut problems = Problems::new();
        return match files::find_file(file, &Place::file(LABEL), &mut problems) {
            Some(path) => Ok(entry_of_urdf(&absolute(&path), LABEL)),
            None => Err(ResourceError::NotFound(problems.to_string())),
        };
    }
    let path = Path::new(file);
    if path.is_file() {
        return Ok(entry(absolute(path), LABEL));
    }
    if let Some(model) = catalogue::model_reference(file) {
        return Ok(entry(model, LABEL));
    }
    let names = ["params/robots", "params/props"].map(data_dir::file_names);
    let names = names.iter().flatten().map(String::as_str);
    let hint = merrow_yaml::error::did_you_mean(file, names);
    let text = format!(
        "no bundled robot or prop and no file is called {}{hint}",
        quote(file)
    );
    Err(ResourceError::NotFound(text))
}

/// Returns the absolute path, because a saved world is loaded from another folder.
fn absolute(path: &Path) -> String {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    absolute.to_string_lossy().into_owned()
}

/// Returns the entry of a robot that a text describes.
fn entry_of_text(text: &str, label: &str) -> Result<Node, ResourceError> {
    let start = text.trim_start();
    let other = OTHER_FORMATS
        .iter()
        .find(|(mark, _, _)| start.contains(mark) && start.starts_with(['<', '#']));
    if let Some((_, _, name)) = other {
        return Err(unsupported(name));
    }
    if start.starts_with('<') {
        return Ok(entry_of_urdf(start, label));
    }
    let mut problems = Problems::new();
    let parsed = parse(label, text, &mut problems);
    // a duplicate key is a problem of a tree
    let node = problems
        .into_result(parsed)
        .map_err(|problems| ResourceError::Malformed(problems.to_string()))?;
    match &node.value {
        Value::Map(map) if map.get("model").is_some() => Ok(node),
        Value::Map(_) => Ok(Node::map([("model", node)], &Place::file(LABEL))),
        _ => Err(ResourceError::Malformed(format!(
            "{label}:1:1: expected the keys of a robot file or of an entry of `robots`"
        ))),
    }
}

fn unsupported(found: &str) -> ResourceError {
    let text = format!("expected a YAML robot file or a URDF, found {found}");
    ResourceError::UnsupportedFormat(text)
}

/// Returns an entry whose model is a JSON value at the position `label`.
fn entry(model: impl Into<Json>, label: &str) -> Node {
    Node::new(json!({"model": model.into()}), &Place::file(label))
}

/// Returns an entry with a URDF, which is a file name or the text itself.
fn entry_of_urdf(urdf: &str, label: &str) -> Node {
    entry(
        json!({"source": "URDF of the resource", "urdf": urdf}),
        label,
    )
}

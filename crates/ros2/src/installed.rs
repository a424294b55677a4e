//! Types of the interface files that a ROS installation or a workspace contains.
//!
//! A type `package/msg/Type` is in `share/package/msg/Type.msg` below one of the folders in
//! `AMENT_PREFIX_PATH`. Hash and definition equal the output of rosidl and rosbag2 for the file.

use crate::dynamic::definition::{Definition, Primitive, parse_line, used_name};
use crate::message::{ServiceInfo, TypeInfo};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::OnceLock;

/// Line between the request and the response of a service.
const SERVICE_SEPARATOR: &str = "---";

/// Interface files of installed packages, and the types that were read from them. A type is read
/// once and kept until the program ends.
pub struct InstalledTypes {
    /// Folders that contain `share/<package>`, in the order of the search.
    prefixes: Vec<PathBuf>,
    messages: Mutex<HashMap<String, &'static TypeInfo>>,
    services: Mutex<HashMap<String, &'static ServiceInfo>>,
}

impl InstalledTypes {
    /// Creates a search in the folders of a list as `AMENT_PREFIX_PATH` contains it.
    pub fn new(prefixes: &OsStr) -> Self {
        Self {
            prefixes: std::env::split_paths(prefixes)
                .filter(|prefix| !prefix.as_os_str().is_empty())
                .collect(),
            messages: Mutex::default(),
            services: Mutex::default(),
        }
    }

    /// Returns the types of the sourced ROS installation and workspaces.
    pub fn sourced() -> &'static Self {
        static SOURCED: OnceLock<InstalledTypes> = OnceLock::new();
        SOURCED
            .get_or_init(|| Self::new(&std::env::var_os("AMENT_PREFIX_PATH").unwrap_or_default()))
    }

    /// Returns the message type with a ROS name such as `my_interfaces/msg/Status`; `None` if no
    /// package contains it.
    ///
    /// # Errors
    /// One line: the interface file, or a file that it uses, cannot be read or is invalid.
    pub fn message(&self, name: &str) -> Result<Option<&'static TypeInfo>, String> {
        let mut known = self.messages.lock();
        if let Some(found) = known.get(name) {
            return Ok(Some(found));
        }
        let Some(text) = self.interface_text(name, "msg") else {
            return Ok(None);
        };
        let info = self.type_info(name, text)?;
        known.insert(name.to_owned(), info);
        Ok(Some(info))
    }

    /// Returns the service type with a ROS name such as `my_interfaces/srv/Start`; `None` if no
    /// package contains it.
    ///
    /// # Errors
    /// One line: the interface file, or a file that it uses, cannot be read or is invalid.
    pub fn service(&self, name: &str) -> Result<Option<&'static ServiceInfo>, String> {
        let mut known = self.services.lock();
        if let Some(found) = known.get(name) {
            return Ok(Some(found));
        }
        let Some(text) = self.interface_text(name, "srv") else {
            return Ok(None);
        };
        let lines: Vec<&str> = text.lines().collect();
        let end = lines
            .iter()
            .position(|line| line.trim() == SERVICE_SEPARATOR);
        let end = end.ok_or_else(|| format!("{name}: expected a line `{SERVICE_SEPARATOR}`"))?;
        let part = |suffix: &str, lines: &[&str]| {
            self.type_info(&format!("{name}{suffix}"), lines.join("\n"))
        };
        let request = part("_Request", &lines[..end])?;
        let response = part("_Response", &lines[end + 1..])?;
        let whole = TypeInfo::for_service(leak(name), [request, response]);
        let whole = whole.map_err(|e| e.to_string())?;
        let info = ServiceInfo::new(Box::leak(Box::new(whole)), [request, response]);
        let info = &*Box::leak(Box::new(info));
        known.insert(name.to_owned(), info);
        Ok(Some(info))
    }

    /// Returns the text of the interface file of `package/folder/Type`; `None` without such a file.
    fn interface_text(&self, name: &str, folder: &str) -> Option<String> {
        let parts: Vec<&str> = name.split('/').collect();
        let is_name = |part: &&str| {
            !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        };
        let [package, kind, own] = parts[..] else {
            return None;
        };
        if kind != folder || !parts.iter().all(is_name) {
            return None;
        }
        let file = PathBuf::from(format!("share/{package}/{kind}/{own}.{kind}"));
        let mut paths = self.prefixes.iter().map(|prefix| prefix.join(&file));
        paths.find_map(|path| std::fs::read_to_string(path).ok())
    }

    /// Reads the type `name` with the interface text `text`, and the types that it uses: depth
    /// first, each at its first use, as rosbag2 stores them.
    fn type_info(&self, name: &str, text: String) -> Result<&'static TypeInfo, String> {
        let mut files = vec![(name.to_owned(), text)];
        let mut open = uses(&files[0])?;
        while let Some(Use { name, base, user }) = open.pop() {
            if files.iter().any(|(known, _)| *known == name) {
                continue;
            }
            let text = self.interface_text(&name, "msg").ok_or_else(|| {
                format!("{user}: no package in AMENT_PREFIX_PATH contains the type `{base}`")
            })?;
            let file = (name, text);
            open.extend(uses(&file)?);
            files.push(file);
        }
        let definition = Definition::of_types(files).map_err(|e| e.to_string())?;
        Ok(Box::leak(Box::new(TypeInfo::new(leak(name), definition))))
    }
}

/// Message type of a field.
struct Use {
    /// ROS name of the type.
    name: String,
    /// Name in the interface file.
    base: String,
    /// ROS name of the type that contains the field.
    user: String,
}

/// Returns the message types of the fields of an interface file, the last first.
fn uses((user, text): &(String, String)) -> Result<Vec<Use>, String> {
    let mut uses = Vec::new();
    for line in text.lines().map(str::trim) {
        let raw = parse_line(user, line).map_err(|e| e.to_string())?;
        let Some(base) = raw.map(|raw| raw.base) else {
            continue;
        };
        if Primitive::from_name(&base).is_none() {
            uses.push(Use {
                name: used_name(user, &base),
                base,
                user: user.clone(),
            });
        }
    }
    uses.reverse();
    Ok(uses)
}

/// Keeps a text until the program ends.
fn leak(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

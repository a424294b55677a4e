//! Types of the interface files that a ROS installation or a workspace contains.
//!
//! A type `package/msg/Type` is in `share/package/msg/Type.msg` below one of the folders in
//! `AMENT_PREFIX_PATH`. Hash and definition equal the output of rosidl and rosbag2 for the file.

use crate::description::{Description, Element, Field, FieldType};
use crate::dynamic::definition::{MAX_DEPTH, RawField, parse_line, primitive, short};
use crate::message::{Message, ServiceInfo, TypeInfo, service_description};
use crate::msg::service_msgs::ServiceEventInfo;
use parking_lot::Mutex;
use std::borrow::Cow;
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

/// Message type with the text of its interface file.
struct ReadType {
    description: Description,
    text: String,
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
        let mut read = HashMap::new();
        let description = self.describe(name, &text, &mut read, 0)?;
        let info = &*Box::leak(Box::new(type_info(name, &text, description, &read)));
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
            let (name, text) = (format!("{name}{suffix}"), lines.join("\n"));
            let mut read = HashMap::new();
            let description = self.describe(&name, &text, &mut read, 0)?;
            let info = type_info(&name, &text, description, &read);
            Ok::<_, String>(&*Box::leak(Box::new(info)))
        };
        let request = part("_Request", &lines[..end])?;
        let response = part("_Response", &lines[end + 1..])?;
        let description = service_description(
            name,
            [&request.description, &response.description].map(Clone::clone),
            ServiceEventInfo::description(),
        );
        let hash = leak(&description.hash());
        let info = ServiceInfo {
            name: leak(name),
            hash,
            request,
            response,
            description: Box::leak(Box::new(move || description.clone())),
        };
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

    /// Describes the type `name` with the interface text `text`. Adds all types that it uses to
    /// `read`.
    fn describe(
        &self,
        name: &str,
        text: &str,
        read: &mut HashMap<String, ReadType>,
        depth: usize,
    ) -> Result<Description, String> {
        if depth > MAX_DEPTH {
            return Err(format!(
                "{name}: nested in itself, or in more than {MAX_DEPTH} levels"
            ));
        }
        let mut fields = Vec::new();
        for line in text.lines().map(str::trim) {
            let raw = parse_line(name, line).map_err(|e| e.to_string())?;
            let Some(raw) = raw else { continue };
            fields.push(self.field(name, raw, read, depth)?);
        }
        Ok(Description {
            name: Cow::Owned(name.to_owned()),
            constants: Vec::new(),
            fields,
        })
    }

    /// Resolves a field of the type `name`.
    fn field(
        &self,
        name: &str,
        raw: RawField,
        read: &mut HashMap<String, ReadType>,
        depth: usize,
    ) -> Result<Field, String> {
        let element = match primitive(&raw.base) {
            Some(primitive) => Element::Primitive(primitive),
            None => {
                let used = used_name(name, &raw.base);
                let unknown = || {
                    let base = &raw.base;
                    format!("{name}: no package in AMENT_PREFIX_PATH contains the type `{base}`")
                };
                if !read.contains_key(&used) {
                    let text = self.interface_text(&used, "msg").ok_or_else(unknown)?;
                    let description = self.describe(&used, &text, read, depth + 1)?;
                    read.insert(used.clone(), ReadType { description, text });
                }
                Element::Message(read.get(&used).ok_or_else(unknown)?.description.clone())
            }
        };
        Ok(Field {
            name: leak(&raw.name),
            shape: FieldType {
                element,
                count: raw.count,
            },
            default: None,
        })
    }
}

/// Returns the ROS name of the type `base` of a field of the type `name`.
fn used_name(name: &str, base: &str) -> String {
    let package = name.split('/').next().unwrap_or_default();
    match base.split('/').collect::<Vec<_>>()[..] {
        [package, own] => format!("{package}/msg/{own}"),
        // the only type that interface files may name without its package
        ["Header"] => "std_msgs/msg/Header".to_owned(),
        [own] => format!("{package}/msg/{own}"),
        _ => base.to_owned(),
    }
}

/// Keeps a text until the program ends.
fn leak(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

/// Builds the names and texts of a type. The definition is the text of its interface file, followed
/// by the texts of the types that it uses, as rosbag2 stores them.
fn type_info(
    name: &str,
    text: &str,
    description: Description,
    read: &HashMap<String, ReadType>,
) -> TypeInfo {
    let mut definition = text.to_owned();
    let mut seen = vec![name.to_owned()];
    append_used(&description, read, &mut definition, &mut seen);
    TypeInfo::new(leak(name), definition, description)
}

/// Appends the texts of the types that `description` uses, depth first, each at its first use.
fn append_used(
    description: &Description,
    read: &HashMap<String, ReadType>,
    definition: &mut String,
    seen: &mut Vec<String>,
) {
    for field in &description.fields {
        let Element::Message(used) = &field.shape.element else {
            continue;
        };
        if seen.iter().any(|name| *name == used.name) {
            continue;
        }
        seen.push(used.name.to_string());
        if !definition.ends_with('\n') {
            definition.push('\n');
        }
        definition.push_str(&"=".repeat(80));
        definition.push_str("\nMSG: ");
        definition.push_str(&short(&used.name));
        definition.push('\n');
        if let Some(read) = read.get(used.name.as_ref()) {
            definition.push_str(&read.text);
        }
        append_used(used, read, definition, seen);
    }
}

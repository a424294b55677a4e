//! Writes Rust declarations of ROS interface files (`.msg`, `.srv`, `.action`), for build scripts.
//!
//! The interface files are the declaration of a type: the build script of a crate turns them into
//! invocations of the macros `ros_message!`, `ros_service!` and `ros_action!` of the crate `ros2`,
//! which generate the struct, its encoding, its hash and its definition.
//!
//! # Example
//! ```
//! use merrow_interfaces::{Message, parse};
//!
//! let text = "# Position of a point.\n\nfloat64 x  # to the east [m]\nuint8 KIND=2\n";
//! let [Message { doc, fields, constants }] = &parse(text, 1)?[..] else { unreachable!() };
//! assert_eq!((doc.as_str(), fields[0].doc.as_str()), ("Position of a point.", "to the east [m]"));
//! assert_eq!((fields[0].name.as_str(), constants[0].value.as_str()), ("x", "2"));
//! # Ok::<(), String>(())
//! ```

#![forbid(unsafe_code)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The folder of a package's interface files.
#[derive(Clone, Debug)]
pub struct Package {
    /// Name of the Rust module.
    pub module: String,
    /// Name of the ROS package.
    pub name: String,
    /// Folder with the folders `msg`, `srv` and `action`.
    pub folder: PathBuf,
}

/// What the declarations depend on besides the files.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// Path of the crate with the macros, such as `merrow_ros2`.
    pub macros: &'a str,
    /// Fields of type `uint8[]` whose bytes messages share: `package/msg/Type.field`.
    pub shared: &'a [&'a str],
    /// Rust names that differ from those of ROS: `package/msg/Type` and the name.
    pub renamed: &'a [(&'a str, &'a str)],
}

/// A message, or one part of a service or an action.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Message {
    /// Comment at the start, up to an empty line.
    pub doc: String,
    /// Fields in order.
    pub fields: Vec<Item>,
    /// Constants in order.
    pub constants: Vec<Item>,
}

/// A field or a constant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Item {
    /// Comment before it, or behind it.
    pub doc: String,
    /// ROS type, such as `float64[9]`.
    pub kind: String,
    /// Name in the file.
    pub name: String,
    /// Value of a constant, or default of a field; empty without one.
    pub value: String,
}

/// Finds the packages in `root`. A folder `name@variant` has the types of the package `name` in a
/// module of its own.
///
/// # Errors
/// The folder cannot be read.
pub fn packages(root: &Path) -> Result<Vec<Package>, String> {
    let package = |folder: PathBuf| {
        let text = folder.file_name().unwrap_or_default().to_string_lossy();
        Package {
            module: text.replace('@', "_"),
            name: text.split('@').next().unwrap_or_default().to_string(),
            folder: folder.clone(),
        }
    };
    Ok(entries(root)?.into_iter().map(package).collect())
}

/// Returns the Rust modules of all packages, and the functions `catalogue` and `services` that list
/// their types.
///
/// # Errors
/// A file cannot be read or is no interface file.
pub fn generate(packages: &[Package], options: &Options<'_>) -> Result<String, String> {
    let mut out = String::new();
    let (mut samples, mut services) = (Vec::new(), Vec::new());
    for package in packages {
        let module = &package.module;
        let _ = writeln!(
            out,
            "/// Types of the ROS package `{}`, declared by its interface files.\n\
             #[allow(missing_docs)]\npub mod {module} {{",
            package.name
        );
        let writer = Writer {
            package,
            packages,
            options,
        };
        for (folder, parts) in [("msg", 1), ("srv", 2), ("action", 3)] {
            for file in entries(&package.folder.join(folder)).unwrap_or_default() {
                let name = file.file_stem().unwrap_or_default().to_string_lossy();
                let text = std::fs::read_to_string(&file)
                    .map_err(|e| format!("{}: {e}", file.display()))?;
                let parsed = parse(&text, parts).map_err(|e| format!("{}: {e}", file.display()))?;
                writer.declare(&name, &parsed, &mut out);
                writer.list(&name, parts, &mut samples, &mut services);
            }
        }
        out.push_str("}\n");
    }
    let macros = options.macros;
    let _ = writeln!(
        out,
        "/// Returns every message type, also the parts of services and actions, and its decoder.\n\
         pub fn catalogue() -> Vec<(&'static {macros}::message::TypeInfo, \
         {macros}::message::RoundTrip)> {{\nuse {macros}::message::{{Message, round_trip}};\nvec!["
    );
    for name in samples {
        let _ = writeln!(out, "({name}::info(), round_trip::<{name}>),");
    }
    let _ = writeln!(
        out,
        "]\n}}\n/// Returns the names and types of every service.\n\
         pub fn services() -> Vec<{macros}::message::ServiceInfo> {{\nvec!["
    );
    for name in services {
        let _ = writeln!(out, "<{name} as {macros}::message::Service>::info(),");
    }
    out.push_str("]\n}\n");
    Ok(out)
}

/// Parses the text of an interface file of `parts` parts that lines of `---` separate.
///
/// # Errors
/// A line is neither a field nor a constant, or the number of parts differs.
pub fn parse(text: &str, parts: usize) -> Result<Vec<Message>, String> {
    let mut all = vec![Message::default()];
    let mut comment = String::new();
    for (n, line) in text.lines().enumerate() {
        let (code, trailing) = line.split_once('#').unwrap_or((line, ""));
        let (code, trailing) = (code.trim(), trailing.trim());
        let Some(message) = all.last_mut() else { break };
        if code == "---" {
            all.push(Message::default());
            comment.clear();
        } else if code.is_empty() && trailing.is_empty() {
            if message.fields.is_empty() && message.constants.is_empty() && message.doc.is_empty() {
                message.doc = std::mem::take(&mut comment);
            }
            comment.clear();
        } else if code.is_empty() {
            append(&mut comment, trailing);
        } else {
            append(&mut comment, trailing);
            let (kind, rest) = code
                .split_once(char::is_whitespace)
                .ok_or_else(|| format!("{}: expected a type and a name, found `{code}`", n + 1))?;
            let rest = rest.trim();
            let (name, value, is_constant) = match rest.split_once('=') {
                Some((name, value)) => (name, value, true),
                None => {
                    let (name, value) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
                    (name, value, false)
                }
            };
            let item = Item {
                doc: std::mem::take(&mut comment),
                kind: kind.to_string(),
                name: name.trim().to_string(),
                value: value.trim().to_string(),
            };
            match is_constant {
                true => message.constants.push(item),
                false => message.fields.push(item),
            }
        }
    }
    match all.len() {
        found if found == parts => Ok(all),
        found => Err(format!("expected {parts} parts, found {found}")),
    }
}

fn append(comment: &mut String, text: &str) {
    if !comment.is_empty() && !text.is_empty() {
        comment.push(' ');
    }
    comment.push_str(text);
}

/// Returns the entries of a folder, sorted.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let read = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut all: Vec<PathBuf> = read.flatten().map(|entry| entry.path()).collect();
    all.sort();
    Ok(all)
}

/// Writer of the declarations of one package.
struct Writer<'a> {
    package: &'a Package,
    packages: &'a [Package],
    options: &'a Options<'a>,
}

impl Writer<'_> {
    fn declare(&self, name: &str, parts: &[Message], out: &mut String) {
        let macros = self.options.macros;
        let package = &self.package.name;
        match parts {
            [message] => {
                let (full, rust) = (format!("{package}/msg/{name}"), self.rust_name(name));
                let doc = doc(&message.doc);
                let body = self.body(&full, message);
                let _ = writeln!(
                    out,
                    "{macros}::message::ros_message! {{ {doc}pub struct {rust}({full:?}) {body} }}"
                );
            }
            [request, response] => {
                let full = format!("{package}/srv/{name}");
                let (doc, service) = (doc(&request.doc), self.service_name(name));
                let _ = writeln!(
                    out,
                    "{macros}::message::ros_service! {{ {doc}pub struct {service}({full:?}) {{ \
                     request {name}Request {} response {name}Response {} }} }}",
                    self.body(&full, request),
                    self.body(&full, response)
                );
                let _ = writeln!(out, "{}", self.outcome(name, response));
            }
            [goal, result, feedback] => {
                let full = format!("{package}/action/{name}");
                let (doc, module) = (doc(&goal.doc), snake_case(name));
                let _ = writeln!(
                    out,
                    "{macros}::action_type::ros_action! {{ {doc}pub mod {module}({full:?}) {{ \
                     goal {} result {} feedback {} }} }}",
                    self.body(&full, goal),
                    self.body(&full, result),
                    self.body(&full, feedback)
                );
            }
            _ => {}
        }
    }

    /// Adds the Rust paths of the messages and services of a file.
    fn list(
        &self,
        name: &str,
        parts: usize,
        messages: &mut Vec<String>,
        services: &mut Vec<String>,
    ) {
        let module = &self.package.module;
        let mut service = |scope: &str, name: &str, rust: &str| {
            messages.extend(["Request", "Response"].map(|part| format!("{scope}::{name}{part}")));
            services.push(format!("{scope}::{rust}"));
        };
        match parts {
            1 => messages.push(format!("{module}::{}", self.rust_name(name))),
            2 => service(module, name, &self.service_name(name)),
            _ => {
                let scope = format!("{module}::{}", snake_case(name));
                service(&scope, "SendGoal", "SendGoal");
                service(&scope, "GetResult", "GetResult");
                let own = ["Goal", "Result", "Feedback", "FeedbackMessage"];
                messages.extend(own.map(|part| format!("{scope}::{part}")));
            }
        }
    }

    /// Returns the Rust name of a message of this package.
    fn rust_name(&self, name: &str) -> String {
        let full = format!("{}/msg/{name}", self.package.name);
        let renamed = self.options.renamed.iter().find(|(ros, _)| *ros == full);
        renamed.map_or(name, |(_, rust)| rust).to_string()
    }

    /// Returns the Rust name of a service; a message of the same name has precedence.
    fn service_name(&self, name: &str) -> String {
        let message = self.package.folder.join(format!("msg/{name}.msg"));
        format!("{name}{}", if message.exists() { "Service" } else { "" })
    }

    fn body(&self, full: &str, message: &Message) -> String {
        let mut out = "{ ".to_string();
        for field in &message.fields {
            let is_shared = self
                .options
                .shared
                .contains(&&*format!("{full}.{}", field.name));
            let name = match field.name.as_str() {
                "type" => "r#type",
                name => name,
            };
            let _ = write!(
                out,
                "{}{name}: {}",
                doc(&field.doc),
                self.rust_type(&field.kind, is_shared)
            );
            if !field.value.is_empty() {
                let _ = write!(out, " = {}", field.value);
            }
            out.push_str(", ");
        }
        out.push('}');
        if !message.constants.is_empty() {
            out.push_str(" consts { ");
            for constant in &message.constants {
                let kind = self.rust_type(&constant.kind, false);
                let _ = write!(out, "{}: {kind} = {}, ", constant.name, constant.value);
            }
            out.push('}');
        }
        out
    }

    /// Returns the response of a service to a request without further data, by the names of its
    /// fields.
    fn outcome(&self, service: &str, response: &Message) -> String {
        let macros = self.options.macros;
        let has = |kind: &str, name: &str| {
            let mut fields = response.fields.iter();
            fields.any(|field| field.kind == kind && field.name == name)
        };
        let mut values = String::new();
        if has("Result", "result") {
            values.push_str("result: done, ");
        } else if has("bool", "success") {
            values.push_str("success: done.is_ok(), ");
            if has("string", "message") {
                values.push_str("message: done.error_message, ");
            }
        }
        format!(
            "impl {macros}::msg::Outcome for {service}Response {{ \
             #[allow(unused_variables, clippy::needless_update)] \
             fn of(done: {macros}::msg::simulation_interfaces::ServiceResult) -> Self {{ \
             Self {{ {values}..Self::default() }} }} }}"
        )
    }

    /// Returns the Rust type of a field, with `as` and its ROS type where Rust has none.
    fn rust_type(&self, kind: &str, is_shared: bool) -> String {
        let macros = self.options.macros;
        if is_shared {
            return "::bytes::Bytes".to_string();
        }
        let (element, count) = match kind.strip_suffix(']').and_then(|k| k.rsplit_once('[')) {
            Some((element, count)) => (element, Some(count)),
            None => (kind, None),
        };
        let (rust, ros) = self.element(element);
        let wrap = |t: &str, is_ros: bool| match count {
            None => t.to_string(),
            Some("") => format!("::std::vec::Vec<{t}>"),
            Some(count) => match count.strip_prefix("<=") {
                Some(bound) if is_ros => format!("{macros}::message::Bounded<{t}, {bound}>"),
                Some(_) => format!("::std::vec::Vec<{t}>"),
                None => format!("[{t}; {count}]"),
            },
        };
        let (plain, exact) = (wrap(&rust, false), wrap(&ros, true));
        match plain == exact {
            true => plain,
            false => format!("{plain} as {exact}"),
        }
    }

    /// Returns the Rust type of an element, and the type that stands for its ROS type.
    fn element(&self, kind: &str) -> (String, String) {
        let macros = self.options.macros;
        let number = |ros: &str| {
            let name = match ros {
                "bool" => "bool",
                "float32" => "f32",
                "float64" => "f64",
                "int8" => "i8",
                "uint8" => "u8",
                "int16" => "i16",
                "uint16" => "u16",
                "int32" => "i32",
                "uint32" => "u32",
                "int64" => "i64",
                "uint64" => "u64",
                "string" => "::std::string::String",
                _ => return None,
            };
            Some(name.to_string())
        };
        if let Some(rust) = number(kind) {
            return (rust.clone(), rust);
        }
        if let Some(bound) = kind.strip_prefix("string<=") {
            let exact = format!("{macros}::message::BoundedString<{bound}>");
            return ("::std::string::String".to_string(), exact);
        }
        match kind {
            "byte" => ("u8".to_string(), format!("{macros}::message::Byte")),
            "char" => ("u8".to_string(), format!("{macros}::message::Char")),
            _ => {
                let path = self.message_path(kind);
                (path.clone(), path)
            }
        }
    }

    /// Returns the Rust path of a message type.
    fn message_path(&self, kind: &str) -> String {
        let (package, name) = kind.split_once('/').unwrap_or((&self.package.name, kind));
        let declares = |p: &&Package| p.folder.join(format!("msg/{name}.msg")).exists();
        // a variant of a package prefers its own types
        let own = Some(self.package).filter(|p| p.name == package && declares(p));
        let found = own.or_else(|| {
            self.packages
                .iter()
                .find(|p| p.name == package && p.module == p.name)
        });
        match found {
            Some(found) => {
                let writer = Writer {
                    package: found,
                    ..*self
                };
                format!("crate::msg::{}::{}", found.module, writer.rust_name(name))
            }
            None => format!("{}::msg::{package}::{name}", self.options.macros),
        }
    }
}

/// Returns a doc attribute, empty without a text.
fn doc(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => {
            let sentence = format!(" {}{}", first.to_uppercase(), letters.as_str());
            let stop = if sentence.ends_with('.') { "" } else { "." };
            let escaped = (sentence + stop).replace('[', "\\[").replace(']', "\\]");
            format!("#[doc = {escaped:?}] ")
        }
        None => String::new(),
    }
}

fn snake_case(name: &str) -> String {
    let mut out = String::new();
    for (i, c) in name.char_indices() {
        if c.is_uppercase() && i > 0 {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}

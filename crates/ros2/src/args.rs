//! What a ROS user says to a node: the `--ros-args` of the command line and the environment variables of ROS.
//!
//! Everything is checked here, once, and each mistake is one clear line, so that the node starts as asked or not at
//! all. Reads neither files nor the environment itself: the caller passes both in.

use std::fmt;

use crate::names::{Endpoint, Remapping, check_full_name, check_node_name};
use crate::parameters::value::ParameterValue;
use crate::parameters::yaml;

/// Largest DDS domain whose ports exist (7400 + 250 * domain, UDP).
const MAX_DOMAIN_ID: u16 = 232;

/// Why arguments or environment were refused, in one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgsError(String);

impl fmt::Display for ArgsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ArgsError {}

/// How far the node looks for others, and lets itself be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiscoveryRange {
    /// The networks this machine is on.
    Subnet,
    /// This machine alone.
    Localhost,
    /// Nowhere.
    Off,
}

/// Size of a Gid in `rmw_dds_common`, which changed between distributions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GidSize {
    /// Humble: 24 bytes.
    Humble24,
    /// Iron and newer: 16 bytes.
    Iron16,
}

/// Severity of a log message, with ROS's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Severity {
    /// For whoever debugs the node.
    Debug = 10,
    /// Ordinary.
    Info = 20,
    /// Something may go wrong.
    Warn = 30,
    /// Something went wrong.
    Error = 40,
    /// The node cannot go on.
    Fatal = 50,
}

impl Severity {
    /// `DEBUG` to `FATAL`, in any case.
    pub fn from_name(name: &str) -> Option<Self> {
        [
            Self::Debug,
            Self::Info,
            Self::Warn,
            Self::Error,
            Self::Fatal,
        ]
        .into_iter()
        .find(|severity| severity.name().eq_ignore_ascii_case(name))
    }

    /// `DEBUG` to `FATAL`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Debug => "DEBUG",
            Self::Info => "INFO",
            Self::Warn => "WARN",
            Self::Error => "ERROR",
            Self::Fatal => "FATAL",
        }
    }
}

/// How a node is named, where it joins, and what it starts with.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeOptions {
    /// Name without namespace.
    pub name: String,
    /// Namespace, `/` for the root.
    pub namespace: String,
    /// DDS domain, 0 to 232.
    pub domain_id: u16,
    /// How far the node looks for others.
    pub discovery: DiscoveryRange,
    /// Size of a Gid on this domain.
    pub gid_size: GidSize,
    /// Rules for names of topics and services.
    pub remappings: Vec<Remapping>,
    /// Values of parameters that replace the defaults; of one name, the last counts.
    pub parameter_overrides: Vec<(String, ParameterValue)>,
    /// Least severity that is logged.
    pub log_level: Severity,
    /// Whether logs go to `/rosout`.
    pub rosout_logs: bool,
    /// Whether logs go to the standard error stream.
    pub console_logs: bool,
    /// What was understood but has no effect here.
    pub warnings: Vec<String>,
}

/// Where values outside the command line come from.
pub struct Surroundings<'a> {
    /// Value of an environment variable.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// Content of a file.
    pub read_file: &'a dyn Fn(&str) -> std::io::Result<String>,
}

impl NodeOptions {
    /// Options of a node with no argument and no variable set.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            namespace: "/".to_owned(),
            domain_id: 0,
            discovery: DiscoveryRange::Subnet,
            gid_size: GidSize::Iron16,
            remappings: Vec::new(),
            parameter_overrides: Vec::new(),
            log_level: Severity::Info,
            rosout_logs: true,
            console_logs: true,
            warnings: Vec::new(),
        }
    }

    /// Reads command line (without the program's name) and environment. Returns the options and the arguments outside
    /// `--ros-args ... --`, which are not ROS's.
    ///
    /// # Errors
    /// The first argument or variable that is wrong.
    pub fn parse(
        default_name: &str,
        args: &[String],
        around: &Surroundings<'_>,
    ) -> Result<(Self, Vec<String>), ArgsError> {
        let mut options = Self::new(default_name);
        options.read_environment(around)?;
        let (ros, rest) = split(args);
        let mut parser = Parser {
            options,
            files: Vec::new(),
            args: ros.into_iter(),
        };
        parser.run()?;
        let Parser {
            mut options, files, ..
        } = parser;
        options.read_parameter_files(&files, around)?;
        Ok((options, rest))
    }

    fn read_environment(&mut self, around: &Surroundings<'_>) -> Result<(), ArgsError> {
        let variable = |name| (around.variable)(name).filter(|value| !value.is_empty());
        if let Some(value) = variable("ROS_DOMAIN_ID") {
            self.domain_id = value
                .parse()
                .ok()
                .filter(|id| *id <= MAX_DOMAIN_ID)
                .ok_or_else(|| {
                    ArgsError(format!(
                        "ROS_DOMAIN_ID is '{value}', expected a number from 0 to {MAX_DOMAIN_ID}"
                    ))
                })?;
        }
        if let Some(value) = variable("ROS_AUTOMATIC_DISCOVERY_RANGE") {
            self.discovery = match value.as_str() {
                "SUBNET" | "SYSTEM_DEFAULT" => DiscoveryRange::Subnet,
                "LOCALHOST" => DiscoveryRange::Localhost,
                "OFF" => DiscoveryRange::Off,
                _ => {
                    return Err(ArgsError(format!(
                        "ROS_AUTOMATIC_DISCOVERY_RANGE is '{value}', expected SUBNET, LOCALHOST, OFF or SYSTEM_DEFAULT"
                    )));
                }
            };
        }
        // the older variable wins where both are set, as in rcl
        match variable("ROS_LOCALHOST_ONLY").as_deref() {
            None | Some("0") => {}
            Some("1") => self.discovery = DiscoveryRange::Localhost,
            Some(value) => {
                return Err(ArgsError(format!(
                    "ROS_LOCALHOST_ONLY is '{value}', expected 0 or 1"
                )));
            }
        }
        if variable("ROS_DISTRO").as_deref() == Some("humble") {
            self.gid_size = GidSize::Humble24;
        }
        if variable("ROS_STATIC_PEERS").is_some() {
            self.warnings
                .push("ROS_STATIC_PEERS has no effect on the embedded ROS client".to_owned());
        }
        Ok(())
    }

    /// Puts the files' parameters before those of the command line, which win.
    fn read_parameter_files(
        &mut self,
        files: &[String],
        around: &Surroundings<'_>,
    ) -> Result<(), ArgsError> {
        let mut overrides = Vec::new();
        for file in files {
            let text = (around.read_file)(file)
                .map_err(|error| ArgsError(format!("--params-file {file}: {error}")))?;
            let mut parameters = yaml::parse_file(&text, &self.namespace, &self.name)
                .map_err(|error| ArgsError(format!("--params-file {file}:{error}")))?;
            overrides.append(&mut parameters);
        }
        overrides.append(&mut self.parameter_overrides);
        self.parameter_overrides = overrides;
        Ok(())
    }
}

/// Arguments of ROS, and the others.
fn split(args: &[String]) -> (Vec<String>, Vec<String>) {
    let (mut ros, mut rest) = (Vec::new(), Vec::new());
    let mut in_ros = false;
    for arg in args {
        match arg.as_str() {
            "--ros-args" => in_ros = true,
            "--" if in_ros => in_ros = false,
            _ if in_ros => ros.push(arg.clone()),
            _ => rest.push(arg.clone()),
        }
    }
    (ros, rest)
}

struct Parser {
    options: NodeOptions,
    files: Vec<String>,
    args: std::vec::IntoIter<String>,
}

impl Parser {
    fn run(&mut self) -> Result<(), ArgsError> {
        while let Some(flag) = self.args.next() {
            match flag.as_str() {
                "-r" | "--remap" => self.remap(&flag)?,
                "-p" | "--param" => self.parameter(&flag)?,
                "--params-file" => {
                    let file = self.value(&flag, "a file")?;
                    self.files.push(file);
                }
                "--log-level" => self.log_level(&flag)?,
                "--enable-rosout-logs" => self.options.rosout_logs = true,
                "--disable-rosout-logs" => self.options.rosout_logs = false,
                "--enable-stdout-logs" => self.options.console_logs = true,
                "--disable-stdout-logs" => self.options.console_logs = false,
                "--enable-external-lib-logs" | "--disable-external-lib-logs" => {}
                "-e" | "--enclave" | "--log-config-file" | "--log-file-name" => {
                    self.value(&flag, "a value")?;
                    self.options
                        .warnings
                        .push(format!("{flag} has no effect on the embedded ROS client"));
                }
                _ => {
                    return Err(ArgsError(format!(
                        "'{flag}' is no ROS argument; expected -r, -p, --params-file, --log-level, \
                         --enable-rosout-logs, --disable-rosout-logs, or -- to end them"
                    )));
                }
            }
        }
        Ok(())
    }

    fn value(&mut self, flag: &str, what: &str) -> Result<String, ArgsError> {
        self.args
            .next()
            .ok_or_else(|| ArgsError(format!("{flag} needs {what} after it")))
    }

    /// The two sides of `name:=value`.
    fn rule(&mut self, flag: &str, form: &str) -> Result<(String, String), ArgsError> {
        let rule = self.value(flag, form)?;
        match rule.split_once(":=") {
            Some((left, right)) if !left.is_empty() && !right.is_empty() => {
                Ok((left.to_owned(), right.to_owned()))
            }
            _ => Err(ArgsError(format!("{flag} {rule}: expected {form}"))),
        }
    }

    fn remap(&mut self, flag: &str) -> Result<(), ArgsError> {
        let (left, to) = self.rule(flag, "from:=to")?;
        let (node, from) = node_prefix(&left);
        let bad =
            |error: crate::names::NameError| ArgsError(format!("{flag} {left}:={to}: {error}"));
        match from {
            "__node" | "__name" => {
                check_node_name(&to).map_err(bad)?;
                self.options.name = to;
            }
            "__ns" => {
                if to != "/" {
                    check_full_name(&to).map_err(bad)?;
                }
                self.options.namespace = to;
            }
            _ => {
                let (kind, from) = match from.split_once("://") {
                    None => (None, from),
                    Some(("rostopic", from)) => (Some(Endpoint::Topic), from),
                    Some(("rosservice", from)) => (Some(Endpoint::Service), from),
                    Some((scheme, _)) => {
                        return Err(ArgsError(format!(
                            "{flag} {left}:={to}: '{scheme}://' is unknown; expected rostopic:// or rosservice://"
                        )));
                    }
                };
                let (node, from) = (node.map(str::to_owned), from.to_owned());
                self.options.remappings.push(Remapping {
                    node,
                    kind,
                    from,
                    to,
                });
            }
        }
        Ok(())
    }

    fn parameter(&mut self, flag: &str) -> Result<(), ArgsError> {
        let (name, value) = self.rule(flag, "name:=value")?;
        let value = yaml::parse_value(&value)
            .map_err(|error| ArgsError(format!("{flag} {name}:={value}: {error}")))?;
        self.options.parameter_overrides.push((name, value));
        Ok(())
    }

    /// `LEVEL` or `logger:=LEVEL`.
    fn log_level(&mut self, flag: &str) -> Result<(), ArgsError> {
        let value = self.value(flag, "a level")?;
        let (logger, level) = value
            .split_once(":=")
            .map_or((None, value.as_str()), |(l, r)| (Some(l), r));
        let level = Severity::from_name(level).ok_or_else(|| {
            ArgsError(format!(
                "{flag} {value}: expected DEBUG, INFO, WARN, ERROR or FATAL"
            ))
        })?;
        // the node has one logger; the levels of others concern other nodes of a composed process
        if logger.is_none_or(|logger| logger.rsplit('.').next() == Some(self.options.name.as_str()))
        {
            self.options.log_level = level;
        }
        Ok(())
    }
}

/// The node of `node:name`, and the name; the `:` of `rostopic://` is none.
fn node_prefix(rule: &str) -> (Option<&str>, &str) {
    match rule.split_once(':') {
        Some((node, name)) if !name.starts_with("//") => (Some(node), name),
        _ => (None, rule),
    }
}

#[cfg(test)]
#[path = "args_test.rs"]
mod tests;

//! Parser of the `--ros-args` of the command line and of the environment variables of ROS.
//!
//! All arguments are checked here, before the node starts. Each error is one line of text. The
//! parser reads files and the environment only through [`ArgsContext`].

use crate::names::{Endpoint, Remapping, check_full_name, check_node_name};
use crate::parameters::value::ParameterValue;
use crate::parameters::yaml;

/// Largest DDS domain with valid ports (7400 + 250 * domain, UDP).
const MAX_DOMAIN_ID: u16 = 232;

/// Variables that an environment of ROS sets, or that a user of ROS sets for a node.
const ROS_VARIABLES: [&str; 7] = [
    "ROS_DISTRO",
    "ROS_VERSION",
    "AMENT_PREFIX_PATH",
    "RMW_IMPLEMENTATION",
    "ROS_DOMAIN_ID",
    "ROS_STATIC_PEERS",
    "ROS_LOCALHOST_ONLY",
];

/// Range in which the node discovers other nodes and is discovered by them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiscoveryRange {
    /// The networks to which this machine is connected.
    Subnet,
    /// Only processes on this machine.
    Localhost,
    /// Discovery is off; the node finds no other node.
    Off,
}

/// Severity of a log message, with the numbers of ROS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Severity {
    /// Details for developers of the node.
    Debug = 10,
    /// Events of normal operation.
    Info = 20,
    /// A condition that may lead to an error.
    Warn = 30,
    /// An operation of the node failed.
    Error = 40,
    /// The node cannot continue and stops.
    Fatal = 50,
}

impl Severity {
    /// Parses `DEBUG` to `FATAL`, ignoring case.
    fn from_name(name: &str) -> Option<Self> {
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

    /// Returns the name, `DEBUG` to `FATAL`.
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

/// Options of a node: its name, its DDS domain and its initial settings.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeOptions {
    /// Name of the node without namespace.
    pub name: String,
    /// Namespace of the node; `/` is the root.
    pub namespace: String,
    /// DDS domain, 0 to 232.
    pub domain_id: u16,
    /// Range in which the node discovers other nodes.
    pub discovery: DiscoveryRange,
    /// Hosts, each `host` or `host:port`, that are discovered in addition to the range.
    pub static_peers: Vec<String>,
    /// Remapping rules for the names of topics and services.
    pub remappings: Vec<Remapping>,
    /// Parameter values that override the defaults. If a name occurs more than once, the last value
    /// applies.
    pub parameter_overrides: Vec<(String, ParameterValue)>,
    /// Lowest severity that is logged.
    pub log_level: Severity,
    /// Whether log messages are published on `/rosout`.
    pub rosout_logs: bool,
    /// Whether log messages are written to the standard error stream.
    pub console_logs: bool,
    /// Warnings about arguments that are valid but have no effect here.
    pub warnings: Vec<String>,
}

/// Access to the environment and the file system, supplied by the caller.
pub struct ArgsContext<'a> {
    /// Returns the value of an environment variable.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// Returns the content of the file with this path, which must be UTF-8 text.
    pub read_file: &'a dyn Fn(&str) -> std::io::Result<String>,
}

impl ArgsContext<'static> {
    /// Returns the access of this process to its environment and the file system.
    pub fn of_process() -> Self {
        ArgsContext {
            variable: &|name| std::env::var(name).ok(),
            read_file: &|path| std::fs::read_to_string(path),
        }
    }
}

impl NodeOptions {
    /// Returns the options of a node without arguments and environment variables.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            namespace: "/".to_owned(),
            domain_id: 0,
            discovery: DiscoveryRange::Localhost,
            static_peers: Vec::new(),
            remappings: Vec::new(),
            parameter_overrides: Vec::new(),
            log_level: Severity::Info,
            rosout_logs: true,
            console_logs: true,
            warnings: Vec::new(),
        }
    }

    /// Parses the command line (without the program name) and the environment. Returns the options,
    /// and the arguments outside of `--ros-args ... --`, which do not belong to ROS.
    ///
    /// In an environment of ROS, the discovery range is the subnet, as in ROS 2. Otherwise it is
    /// this machine: a user without ROS expects no peers in the network.
    ///
    /// # Errors
    /// The first argument or variable that is wrong.
    pub fn parse(
        default_name: &str,
        args: &[String],
        around: &ArgsContext<'_>,
    ) -> Result<(Self, Vec<String>), String> {
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

    fn read_environment(&mut self, around: &ArgsContext<'_>) -> Result<(), String> {
        let variable = |name| (around.variable)(name).filter(|value| !value.is_empty());
        if ROS_VARIABLES.iter().any(|name| variable(name).is_some()) {
            self.discovery = DiscoveryRange::Subnet;
        }
        if let Some(value) = variable("ROS_DOMAIN_ID") {
            self.domain_id = value
                .parse()
                .ok()
                .filter(|id| *id <= MAX_DOMAIN_ID)
                .ok_or_else(|| {
                    format!(
                        "ROS_DOMAIN_ID is '{value}'; expected a number from 0 to {MAX_DOMAIN_ID}"
                    )
                })?;
        }
        if let Some(value) = variable("ROS_AUTOMATIC_DISCOVERY_RANGE") {
            self.discovery = match value.as_str() {
                "SUBNET" | "SYSTEM_DEFAULT" => DiscoveryRange::Subnet,
                "LOCALHOST" => DiscoveryRange::Localhost,
                "OFF" => DiscoveryRange::Off,
                _ => {
                    return Err(format!(
                        "ROS_AUTOMATIC_DISCOVERY_RANGE is '{value}'; expected SUBNET, LOCALHOST, OFF or SYSTEM_DEFAULT"
                    ));
                }
            };
        }
        // the older variable has priority if both are set, as in rcl
        match variable("ROS_LOCALHOST_ONLY").as_deref() {
            None | Some("0") => {}
            Some("1") => {
                if let Some(range) = variable("ROS_AUTOMATIC_DISCOVERY_RANGE")
                    && self.discovery != DiscoveryRange::Localhost
                {
                    self.warnings.push(format!(
                        "ROS_LOCALHOST_ONLY=1 has priority over ROS_AUTOMATIC_DISCOVERY_RANGE={range}; unset it"
                    ));
                }
                self.discovery = DiscoveryRange::Localhost;
            }
            Some(value) => {
                return Err(format!("ROS_LOCALHOST_ONLY is '{value}'; expected 0 or 1"));
            }
        }
        if let Some(peers) = variable("ROS_STATIC_PEERS") {
            let peers = peers.split(';').map(str::trim);
            let peers = peers.filter(|peer| !peer.is_empty()).map(str::to_owned);
            self.static_peers = peers.collect();
        }
        Ok(())
    }

    /// Inserts the parameters of the files before the parameters of the command line, which take
    /// priority.
    fn read_parameter_files(
        &mut self,
        files: &[String],
        around: &ArgsContext<'_>,
    ) -> Result<(), String> {
        let mut overrides = Vec::new();
        for file in files {
            let text = (around.read_file)(file)
                .map_err(|error| format!("--params-file {file}: {error}"))?;
            let mut parameters = yaml::parse_file(&text, &self.namespace, &self.name)
                .map_err(|error| format!("--params-file {file}:{error}"))?;
            overrides.append(&mut parameters);
        }
        overrides.append(&mut self.parameter_overrides);
        self.parameter_overrides = overrides;
        Ok(())
    }
}

/// Splits the arguments into ROS arguments and all others: ROS arguments follow `--ros-args`, up to
/// `--`.
pub fn split(args: &[String]) -> (Vec<String>, Vec<String>) {
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
    fn run(&mut self) -> Result<(), String> {
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
                    return Err(format!(
                        "unknown ROS argument '{flag}'; expected -r, -p, --params-file, --log-level, \
                         --enable-rosout-logs, --disable-rosout-logs, or -- to end the ROS arguments"
                    ));
                }
            }
        }
        Ok(())
    }

    fn value(&mut self, flag: &str, what: &str) -> Result<String, String> {
        self.args
            .next()
            .ok_or_else(|| format!("{flag}: missing argument; expected {what}"))
    }

    /// Returns the two sides of `name:=value`.
    fn rule(&mut self, flag: &str, form: &str) -> Result<(String, String), String> {
        let rule = self.value(flag, form)?;
        match rule.split_once(":=") {
            Some((left, right)) if !left.is_empty() && !right.is_empty() => {
                Ok((left.to_owned(), right.to_owned()))
            }
            _ => Err(format!("{flag} {rule}: expected {form}")),
        }
    }

    fn remap(&mut self, flag: &str) -> Result<(), String> {
        let (left, to) = self.rule(flag, "from:=to")?;
        let (node, from) = node_prefix(&left);
        let bad = |error: crate::names::NameError| format!("{flag} {left}:={to}: {error}");
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
                        return Err(format!(
                            "{flag} {left}:={to}: '{scheme}://' is unknown; expected rostopic:// or rosservice://"
                        ));
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

    fn parameter(&mut self, flag: &str) -> Result<(), String> {
        let (name, value) = self.rule(flag, "name:=value")?;
        let value = yaml::parse_value(&value)
            .map_err(|error| format!("{flag} {name}:={value}: {error}"))?;
        self.options.parameter_overrides.push((name, value));
        Ok(())
    }

    /// Parses `LEVEL` or `logger:=LEVEL`.
    fn log_level(&mut self, flag: &str) -> Result<(), String> {
        let value = self.value(flag, "a level")?;
        let (logger, level) = value
            .split_once(":=")
            .map_or((None, value.as_str()), |(l, r)| (Some(l), r));
        let level = Severity::from_name(level)
            .ok_or_else(|| format!("{flag} {value}: expected DEBUG, INFO, WARN, ERROR or FATAL"))?;
        // the node has one logger; other loggers belong to other nodes of a composed process
        if logger.is_none_or(|logger| logger.rsplit('.').next() == Some(self.options.name.as_str()))
        {
            self.options.log_level = level;
        }
        Ok(())
    }
}

/// Splits `node:name` into node and name. The `:` of `rostopic://` does not separate a node.
fn node_prefix(rule: &str) -> (Option<&str>, &str) {
    match rule.split_once(':') {
        Some((node, name)) if !name.starts_with("//") => (Some(node), name),
        _ => (None, rule),
    }
}

#[cfg(test)]
#[path = "args_tests.rs"]
mod tests;

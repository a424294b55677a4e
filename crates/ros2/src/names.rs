//! Names of topics, services and nodes: validation, expansion, remapping, and conversion to DDS
//! names.
//!
//! The rules agree with rcl, so that a name has the same meaning as in every other node. This
//! module depends neither on endpoints nor on message types.

/// Maximum length of a fully qualified name [bytes] that DDS vendors accept.
const MAX_LEN: usize = 247;

/// Invalid name and the rule that it violates.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("name '{name}' {problem}")]
pub struct NameError {
    name: String,
    problem: String,
}

impl NameError {
    fn new(name: &str, problem: impl Into<String>) -> Self {
        Self {
            name: name.to_owned(),
            problem: problem.into(),
        }
    }
}

/// Kind of endpoint to which a remapping applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Endpoint {
    /// The rule applies to topics, `rostopic://`.
    Topic,
    /// The rule applies to services, `rosservice://`.
    Service,
}

/// Remapping rule `from:=to` of the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remapping {
    /// Node to which the rule is limited (`node:from:=to`), if any.
    pub node: Option<String>,
    /// Kind of endpoint to which the rule is limited, if any.
    pub kind: Option<Endpoint>,
    /// Name to replace, not yet expanded.
    pub from: String,
    /// Replacement name, not yet expanded.
    pub to: String,
}

/// Name resolver of one node: expands relative and private names and applies the remapping rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameResolver {
    namespace: String,
    node: String,
    remappings: Vec<Remapping>,
}

impl NameResolver {
    /// Creates the resolver of node `node` in `namespace`. An empty namespace is the root; the
    /// leading `/` is optional.
    ///
    /// # Errors
    /// The namespace or the node name is not valid.
    pub fn new(namespace: &str, node: &str, remappings: Vec<Remapping>) -> Result<Self, NameError> {
        check_node_name(node)?;
        let namespace = match namespace.trim_start_matches('/') {
            "" if namespace.len() <= 1 => "/".to_owned(),
            _ if namespace.starts_with('/') => namespace.to_owned(),
            relative => format!("/{relative}"),
        };
        if namespace != "/" {
            check_full_name(&namespace)?;
        }
        Ok(Self {
            namespace,
            node: node.to_owned(),
            remappings,
        })
    }

    /// Returns the namespace of the node; `/` is the root.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Returns the name of the node without its namespace.
    pub fn node(&self) -> &str {
        &self.node
    }

    /// Returns namespace and name as `/ns/node`.
    pub fn full_node_name(&self) -> String {
        join(&self.namespace, &self.node)
    }

    /// Returns the name of the node's logger, `ns.node`.
    pub fn logger_name(&self) -> String {
        self.full_node_name()[1..].replace('/', ".")
    }

    /// Returns the fully qualified name of a topic or service after expansion and remapping.
    ///
    /// # Errors
    /// The name, or its replacement by a rule, is not valid.
    pub fn resolve(&self, kind: Endpoint, name: &str) -> Result<String, NameError> {
        let expanded = self.expand(name)?;
        for rule in &self.remappings {
            let for_this_node = rule.node.as_ref().is_none_or(|node| *node == self.node);
            let for_this_kind = rule.kind.is_none_or(|only| only == kind);
            if for_this_node && for_this_kind && self.expand(&rule.from)? == expanded {
                return self.expand(&rule.to);
            }
        }
        Ok(expanded)
    }

    /// Returns the fully qualified form of an absolute (`/a`), private (`~/a`) or relative (`a`)
    /// name, without remapping.
    ///
    /// # Errors
    /// The name is not valid.
    pub fn expand(&self, name: &str) -> Result<String, NameError> {
        if name.is_empty() {
            return Err(NameError::new(name, "is empty"));
        }
        let substituted = name
            .replace("{node}", &self.node)
            .replace("{namespace}", &self.namespace)
            .replace("{ns}", &self.namespace);
        let full = if substituted.starts_with('/') {
            substituted
        } else if let Some(rest) = substituted.strip_prefix('~') {
            if !rest.is_empty() && !rest.starts_with('/') {
                return Err(NameError::new(name, "has '~' that is not followed by '/'"));
            }
            format!("{}{rest}", self.full_node_name())
        } else {
            join(&self.namespace, &substituted)
        };
        check_full_name(&full).map_err(|error| NameError::new(name, error.problem))?;
        Ok(full)
    }
}

fn join(namespace: &str, name: &str) -> String {
    if namespace == "/" {
        format!("/{name}")
    } else {
        format!("{namespace}/{name}")
    }
}

/// Checks the name of a node: letters, digits and underscores, and no leading digit.
///
/// # Errors
/// The name violates one of the rules.
pub fn check_node_name(name: &str) -> Result<(), NameError> {
    if name.is_empty() {
        return Err(NameError::new(name, "is empty"));
    }
    check_token(name, name)
}

/// Checks a fully qualified topic or service name or namespace.
///
/// # Errors
/// The name violates one of the rules.
pub fn check_full_name(name: &str) -> Result<(), NameError> {
    let Some(tokens) = name.strip_prefix('/') else {
        return Err(NameError::new(name, "does not start with '/'"));
    };
    if tokens.is_empty() || tokens.ends_with('/') {
        return Err(NameError::new(name, "ends with '/'"));
    }
    if name.len() > MAX_LEN {
        return Err(NameError::new(
            name,
            format!("has {} bytes, at most {MAX_LEN} expected", name.len()),
        ));
    }
    tokens
        .split('/')
        .try_for_each(|token| check_token(name, token))
}

fn check_token(name: &str, token: &str) -> Result<(), NameError> {
    if token.is_empty() {
        return Err(NameError::new(name, "has two '/' in a row"));
    }
    if token.starts_with(|first: char| first.is_ascii_digit()) {
        return Err(NameError::new(
            name,
            format!("has '{token}', which starts with a digit"),
        ));
    }
    match token
        .chars()
        .find(|c| !c.is_ascii_alphanumeric() && *c != '_')
    {
        Some(bad) => Err(NameError::new(
            name,
            format!("has '{bad}'; expected letters, digits, '_' and '/' only"),
        )),
        None => Ok(()),
    }
}

/// Returns the DDS topic of a fully qualified ROS topic.
pub fn dds_topic(name: &str) -> String {
    format!("rt{name}")
}

/// Returns the fully qualified ROS topic of a DDS topic; `None` for the topic of a service.
pub fn ros_topic(dds_topic: &str) -> Option<&str> {
    let name = dds_topic.strip_prefix("rt")?;
    name.starts_with('/').then_some(name)
}

/// Returns the fully qualified ROS service of the DDS topic of its replies; `None` for another
/// topic.
pub fn ros_service(dds_topic: &str) -> Option<&str> {
    let name = dds_topic.strip_prefix("rr")?.strip_suffix("Reply")?;
    name.starts_with('/').then_some(name)
}

/// Returns the ROS name of a message type on DDS, such as `sensor_msgs/msg/Imu`; `None` for
/// another type.
pub fn ros_type(dds_type: &str) -> Option<String> {
    let (package, name) = dds_type.split_once("::msg::dds_::")?;
    Some(format!("{package}/msg/{}", name.strip_suffix('_')?))
}

/// Returns the DDS topic for requests of a fully qualified ROS service.
pub fn dds_request_topic(name: &str) -> String {
    format!("rq{name}Request")
}

/// Returns the DDS topic for replies of a fully qualified ROS service.
pub fn dds_reply_topic(name: &str) -> String {
    format!("rr{name}Reply")
}

#[cfg(test)]
mod tests {
    use super::*;

    // Names on DDS are converted back to ROS names. Method: a topic, a service, and types of both
    // kinds.
    #[test]
    fn names_on_dds_are_converted_back() {
        assert_eq!(ros_topic(&dds_topic("/a/b")), Some("/a/b"));
        assert_eq!(ros_topic(&dds_request_topic("/a")), None);
        assert_eq!(ros_topic("rtc"), None);
        let imu = ros_type("sensor_msgs::msg::dds_::Imu_");
        assert_eq!(imu.as_deref(), Some("sensor_msgs/msg/Imu"));
        assert_eq!(ros_type("std_srvs::srv::dds_::Trigger_Request_"), None);
        assert_eq!(ros_type("Imu"), None);
    }

    fn resolver(remappings: Vec<Remapping>) -> NameResolver {
        NameResolver::new("/fleet", "sim", remappings).unwrap()
    }

    fn rule(from: &str, to: &str) -> Remapping {
        Remapping {
            node: None,
            kind: None,
            from: from.to_owned(),
            to: to.to_owned(),
        }
    }

    #[test]
    fn names_expand_as_in_rcl() {
        let names = resolver(vec![]);
        let check = |name, expected: &str| {
            assert_eq!(names.expand(name).as_deref(), Ok(expected), "{name}")
        };
        check("imu", "/fleet/imu");
        check("rov/imu", "/fleet/rov/imu");
        check("/imu", "/imu");
        check("~/state", "/fleet/sim/state");
        check("~", "/fleet/sim");
        check("{node}/x", "/fleet/sim/x");
        check("{ns}/x", "/fleet/x");
        let root = NameResolver::new("", "sim", vec![]).unwrap();
        assert_eq!(root.expand("imu").unwrap(), "/imu");
        assert_eq!(root.expand("~/imu").unwrap(), "/sim/imu");
        assert_eq!(
            (root.namespace(), root.logger_name().as_str()),
            ("/", "sim")
        );
        assert_eq!(
            (names.full_node_name(), names.logger_name()),
            ("/fleet/sim".to_owned(), "fleet.sim".to_owned())
        );
        assert_eq!(NameResolver::new("fleet", "sim", vec![]).unwrap(), names);
    }

    #[test]
    fn invalid_names_are_refused_with_the_violated_rule() {
        let names = resolver(vec![]);
        let check = |name: &str, expected| {
            let message = names.expand(name).unwrap_err().to_string();
            assert_eq!(message, format!("name '{name}' {expected}"));
        };
        check("", "is empty");
        check("/", "ends with '/'");
        check("/imu/", "ends with '/'");
        check("a//b", "has two '/' in a row");
        check("//b", "has two '/' in a row");
        check("2nd", "has '2nd', which starts with a digit");
        check("a/2nd", "has '2nd', which starts with a digit");
        check(
            "my topic",
            "has ' '; expected letters, digits, '_' and '/' only",
        );
        check(
            "imu-front",
            "has '-'; expected letters, digits, '_' and '/' only",
        );
        check("~imu", "has '~' that is not followed by '/'");
        check("a/~", "has '~'; expected letters, digits, '_' and '/' only");
        check(
            "tiefe_größe",
            "has 'ö'; expected letters, digits, '_' and '/' only",
        );
        check(&"x".repeat(250), "has 257 bytes, at most 247 expected");
        assert!(NameResolver::new("/a//b", "sim", vec![]).is_err());
        assert!(NameResolver::new("//", "sim", vec![]).is_err());
        assert!(NameResolver::new("/", "my sim", vec![]).is_err());
        assert!(NameResolver::new("/", "", vec![]).is_err());
        assert!(NameResolver::new("/", "a/b", vec![]).is_err());
    }

    #[test]
    fn first_matching_rule_remaps() {
        let names = resolver(vec![
            Remapping {
                node: Some("other".to_owned()),
                ..rule("imu", "wrong")
            },
            Remapping {
                kind: Some(Endpoint::Service),
                ..rule("imu", "calibrate")
            },
            rule("imu", "/imu/data"),
            rule("imu", "too_late"),
            rule("~/state", "state"),
        ]);
        assert_eq!(names.resolve(Endpoint::Topic, "imu").unwrap(), "/imu/data");
        assert_eq!(
            names.resolve(Endpoint::Topic, "/fleet/imu").unwrap(),
            "/imu/data"
        );
        assert_eq!(
            names.resolve(Endpoint::Service, "imu").unwrap(),
            "/fleet/calibrate"
        );
        assert_eq!(
            names.resolve(Endpoint::Topic, "~/state").unwrap(),
            "/fleet/state"
        );
        assert_eq!(
            names.resolve(Endpoint::Topic, "depth").unwrap(),
            "/fleet/depth"
        );
    }

    #[test]
    fn dds_topic_names() {
        assert_eq!(dds_topic("/rov/imu"), "rt/rov/imu");
        assert_eq!(dds_request_topic("/sim/reset"), "rq/sim/resetRequest");
        assert_eq!(dds_reply_topic("/sim/reset"), "rr/sim/resetReply");
    }
}

//! Unit tests of the parser of command line and environment: every effect, and the text of every
//! error.

use crate::args::*;

fn parse_in(
    args: &[&str],
    variables: &[(&str, &str)],
) -> Result<(NodeOptions, Vec<String>), String> {
    let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
    let find = |name: &str| {
        variables
            .iter()
            .find(|(key, _)| *key == name)
            .map(|(_, value)| (*value).to_owned())
    };
    let read = |name: &str| match name {
        "sim.yaml" => Ok("/**:\n  ros__parameters:\n    pace: max\n    gain: 1.5\n".to_owned()),
        "bad.yaml" => Ok("/**:\n  ros__parameters:\n    pace: [1, two]\n".to_owned()),
        _ => Err(std::io::Error::from(std::io::ErrorKind::NotFound)),
    };
    NodeOptions::parse(
        "sim",
        &args,
        &ArgsContext {
            variable: &find,
            read_file: &read,
        },
    )
    .map_err(|error| error.to_string())
}

fn parse(args: &[&str]) -> Result<NodeOptions, String> {
    parse_in(args, &[]).map(|(options, _)| options)
}

#[test]
fn ros_arguments_end_at_the_double_dash() {
    let (options, rest) = parse_in(
        &[
            "run",
            "a.yaml",
            "--ros-args",
            "-r",
            "__ns:=/fleet",
            "--",
            "--seed",
            "3",
        ],
        &[],
    )
    .unwrap();
    assert_eq!(options.namespace, "/fleet");
    assert_eq!(rest, ["run", "a.yaml", "--seed", "3"]);
}

#[test]
fn every_argument_takes_effect() {
    let options = parse(&[
        "--ros-args",
        "-r",
        "imu:=imu/data",
        "--remap",
        "rosservice://reset:=/reset",
        "-r",
        "other:a:=b",
        "-r",
        "__node:=ocean",
        "-p",
        "gain:=2.5",
        "--params-file",
        "sim.yaml",
        "--log-level",
        "debug",
        "--disable-rosout-logs",
        "--disable-stdout-logs",
        "--enclave",
        "/x",
    ])
    .unwrap();
    assert_eq!(options.name, "ocean");
    let rule = |node: Option<&str>, kind, from: &str, to: &str| Remapping {
        node: node.map(str::to_owned),
        kind,
        from: from.to_owned(),
        to: to.to_owned(),
    };
    assert_eq!(
        options.remappings,
        [
            rule(None, None, "imu", "imu/data"),
            rule(None, Some(Endpoint::Service), "reset", "/reset"),
            rule(Some("other"), None, "a", "b"),
        ]
    );
    // the parameters of the file come first, so that the command line has priority
    let doubles: Vec<_> = options
        .parameter_overrides
        .iter()
        .filter(|(name, _)| name == "gain")
        .collect();
    assert_eq!(doubles.last().unwrap().1, ParameterValue::Double(2.5));
    assert_eq!(options.parameter_overrides.len(), 3);
    assert_eq!(options.log_level, Severity::Debug);
    assert!(!options.rosout_logs && !options.console_logs);
    assert_eq!(
        options.warnings,
        ["--enclave has no effect on the embedded ROS client"]
    );
}

#[test]
fn each_error_gives_one_line() {
    let check = |args: &[&str], expected: &str| {
        let args = [&["--ros-args"], args].concat();
        assert_eq!(parse(&args).unwrap_err(), expected);
    };
    check(&["-r"], "-r: missing argument; expected from:=to");
    check(&["-r", "imu=x"], "-r imu=x: expected from:=to");
    check(&["-p", "gain:="], "-p gain:=: expected name:=value");
    check(
        &["-r", "__ns:=fleet"],
        "-r __ns:=fleet: name 'fleet' does not start with '/'",
    );
    check(
        &["-r", "__node:=a b"],
        "-r __node:=a b: name 'a b' has ' '; expected letters, digits, '_' and '/' only",
    );
    check(
        &["-r", "http://a:=b"],
        "-r http://a:=b: 'http://' is unknown; expected rostopic:// or rosservice://",
    );
    check(
        &["--log-level", "loud"],
        "--log-level loud: expected DEBUG, INFO, WARN, ERROR or FATAL",
    );
    check(
        &["--params-file", "none.yaml"],
        "--params-file none.yaml: entity not found",
    );
    check(
        &["--params-file", "bad.yaml"],
        "--params-file bad.yaml:3: list of different types: integer and string",
    );
    check(
        &["--speed"],
        "unknown ROS argument '--speed'; expected -r, -p, --params-file, --log-level, --enable-rosout-logs, \
         --disable-rosout-logs, or -- to end the ROS arguments",
    );
}

#[test]
fn environment_variables_are_applied() {
    let (options, _) =
        parse_in(&[], &[("ROS_DOMAIN_ID", "42"), ("ROS_LOCALHOST_ONLY", "1")]).unwrap();
    assert_eq!(
        (options.domain_id, options.discovery),
        (42, DiscoveryRange::Localhost)
    );
    let (options, _) = parse_in(&[], &[("ROS_STATIC_PEERS", "10.0.0.7; boat:7410;")]).unwrap();
    assert_eq!(options.static_peers, ["10.0.0.7", "boat:7410"]);
    let (options, _) = parse_in(&[], &[("ROS_AUTOMATIC_DISCOVERY_RANGE", "OFF")]).unwrap();
    assert_eq!(options.discovery, DiscoveryRange::Off);
    let (options, _) = parse_in(&[], &[("ROS_DOMAIN_ID", "")]).unwrap();
    assert_eq!(options, NodeOptions::new("sim"));
}

#[test]
fn only_users_of_ros_are_discovered_by_other_machines() {
    let range = |variables: &[_]| parse_in(&[], variables).unwrap().0.discovery;
    assert_eq!(range(&[]), DiscoveryRange::Localhost);
    assert_eq!(range(&[("HOME", "/")]), DiscoveryRange::Localhost);
    // the set of variables that docs/reference/security.md lists
    let variables = [
        ("ROS_DISTRO", "jazzy"),
        ("ROS_VERSION", "2"),
        ("AMENT_PREFIX_PATH", "/opt/ros/jazzy"),
        ("RMW_IMPLEMENTATION", "rmw_fastrtps_cpp"),
        ("ROS_DOMAIN_ID", "1"),
        ("ROS_STATIC_PEERS", "10.0.0.1"),
        ("ROS_LOCALHOST_ONLY", "0"),
    ];
    let page = include_str!("../../../docs/reference/security.md");
    for variable in variables {
        assert_eq!(range(&[variable]), DiscoveryRange::Subnet, "{variable:?}");
        assert!(page.contains(&format!("`{}`", variable.0)), "{variable:?}");
    }
    assert_eq!(variables.map(|(name, _)| name), ROS_VARIABLES);
    for (value, expected) in [
        ("SUBNET", DiscoveryRange::Subnet),
        ("SYSTEM_DEFAULT", DiscoveryRange::Subnet),
        ("LOCALHOST", DiscoveryRange::Localhost),
        ("OFF", DiscoveryRange::Off),
    ] {
        let variables = [
            ("ROS_DISTRO", "jazzy"),
            ("ROS_AUTOMATIC_DISCOVERY_RANGE", value),
        ];
        assert_eq!(range(&variables), expected);
    }
}

#[test]
fn contradicting_variables_of_discovery_are_reported() {
    let warnings = |range| {
        let variables = [
            ("ROS_LOCALHOST_ONLY", "1"),
            ("ROS_AUTOMATIC_DISCOVERY_RANGE", range),
        ];
        parse_in(&[], &variables).unwrap().0.warnings
    };
    let expected =
        "ROS_LOCALHOST_ONLY=1 has priority over ROS_AUTOMATIC_DISCOVERY_RANGE=SUBNET; unset it";
    assert_eq!(warnings("SUBNET"), [expected]);
    assert!(warnings("LOCALHOST").is_empty());
}

#[test]
fn invalid_environment_variables_are_refused() {
    let check = |name, value, expected| {
        assert_eq!(parse_in(&[], &[(name, value)]).unwrap_err(), expected);
    };
    check(
        "ROS_DOMAIN_ID",
        "233",
        "ROS_DOMAIN_ID is '233'; expected a number from 0 to 232",
    );
    check(
        "ROS_DOMAIN_ID",
        "x",
        "ROS_DOMAIN_ID is 'x'; expected a number from 0 to 232",
    );
    check(
        "ROS_LOCALHOST_ONLY",
        "yes",
        "ROS_LOCALHOST_ONLY is 'yes'; expected 0 or 1",
    );
    check(
        "ROS_AUTOMATIC_DISCOVERY_RANGE",
        "NEAR",
        "ROS_AUTOMATIC_DISCOVERY_RANGE is 'NEAR'; expected SUBNET, LOCALHOST, OFF or SYSTEM_DEFAULT",
    );
}

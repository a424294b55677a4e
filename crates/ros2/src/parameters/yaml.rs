//! Parser of parameters in YAML: the value of `-p name:=value`, and the files of `--params-file`.
//!
//! The format is defined by rcl: node names as keys (`/**`, `/ns/node`, `node`), `ros__parameters`
//! below them, and nested keys joined by dots. Errors contain the line number. The parameter server
//! checks whether a parameter exists.

use merrow_yaml::error::Problems;
use merrow_yaml::node::{self, Node, Value};

use crate::parameters::value::ParameterValue;

/// Error in a YAML text, with its line number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{line}: {problem}")]
pub struct YamlError {
    line: u32,
    problem: String,
}

/// Parses the value of a parameter written in YAML, as after `-p name:=`.
///
/// # Errors
/// The text is not YAML, or not a value that a parameter can have.
pub fn parse_value(text: &str) -> Result<ParameterValue, String> {
    let node = parse(text).map_err(|error| error.problem)?;
    value(&node).map_err(|error| error.problem)
}

/// Returns the parameters of a file for node `node` in `namespace`, in the order of the file.
///
/// # Errors
/// The text is not YAML, or not a parameter file. The message begins with the line number.
pub fn parse_file(
    text: &str,
    namespace: &str,
    node: &str,
) -> Result<Vec<(String, ParameterValue)>, YamlError> {
    let mut parameters = Vec::new();
    let root = parse(text)?;
    if root.value != Value::Null {
        let name = [namespace, "/", node].concat().replace("//", "/");
        read_nodes(&root, "", &name, &mut parameters)?;
    }
    Ok(parameters)
}

/// Visits the keys above `ros__parameters`, whose joined path names the nodes.
fn read_nodes(
    at: &Node,
    prefix: &str,
    node: &str,
    parameters: &mut Vec<(String, ParameterValue)>,
) -> Result<(), YamlError> {
    let Value::Map(map) = &at.value else {
        return Err(error_at(
            at,
            format!("'{prefix}': expected ros__parameters"),
        ));
    };
    for (key, child) in &map.entries {
        let key = &key.name;
        if key == "ros__parameters" {
            if prefix.is_empty() {
                return Err(error_at(
                    child,
                    "ros__parameters is not below a node name; expected a node name or /**",
                ));
            }
            if name_matches(prefix, node) {
                read_parameters(child, "", parameters)?;
            }
        } else {
            let name = format!("{prefix}/{}", key.trim_matches('/'));
            read_nodes(child, &name, node, parameters)?;
        }
    }
    Ok(())
}

/// Returns true if a pattern matches a node's full name. The pattern consists of tokens; `*`
/// matches one token and `**` any number of tokens.
fn name_matches(pattern: &str, node: &str) -> bool {
    fn fits(pattern: &[&str], name: &[&str]) -> bool {
        match pattern.split_first() {
            None => name.is_empty(),
            Some((&"**", rest)) => (0..=name.len()).any(|skip| fits(rest, &name[skip..])),
            Some((token, rest)) => name.split_first().is_some_and(|(first, others)| {
                (*token == "*" || token == first) && fits(rest, others)
            }),
        }
    }
    let pattern: Vec<&str> = pattern
        .split('/')
        .filter(|token| !token.is_empty())
        .collect();
    let name: Vec<&str> = node.split('/').filter(|token| !token.is_empty()).collect();
    fits(&pattern, &name)
}

fn read_parameters(
    at: &Node,
    prefix: &str,
    parameters: &mut Vec<(String, ParameterValue)>,
) -> Result<(), YamlError> {
    let Value::Map(map) = &at.value else {
        return Err(error_at(at, "ros__parameters: expected names and values"));
    };
    for (key, child) in &map.entries {
        let key = &key.name;
        let name = if prefix.is_empty() {
            key.clone()
        } else {
            format!("{prefix}.{key}")
        };
        match child.value {
            Value::Map(_) => read_parameters(child, &name, parameters)?,
            _ => parameters.push((name, value(child)?)),
        }
    }
    Ok(())
}

fn error_at(node: &Node, problem: impl Into<String>) -> YamlError {
    YamlError {
        line: node.place.line,
        problem: problem.into(),
    }
}

/// Converts a scalar or a list of scalars of one type to a parameter value.
fn value(node: &Node) -> Result<ParameterValue, YamlError> {
    match &node.value {
        Value::Null => Err(error_at(node, "no value")),
        Value::Scalar { text, quoted } => Ok(scalar(text, !quoted)),
        Value::Map(_) => Err(error_at(node, "a mapping is not a parameter value")),
        Value::Seq(items) => {
            let mut values = Vec::with_capacity(items.len());
            for item in items {
                let Value::Scalar { text, quoted } = &item.value else {
                    return Err(error_at(
                        item,
                        "a list of lists, mappings or empty values is not a parameter value",
                    ));
                };
                values.push(scalar(text, !quoted));
            }
            array(values).map_err(|problem| error_at(node, problem))
        }
    }
}

/// Parses a scalar as YAML 1.1 and ROS do: booleans, integers, floats, otherwise text.
fn scalar(text: &str, plain: bool) -> ParameterValue {
    if plain {
        match text {
            "true" | "True" | "TRUE" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => {
                return ParameterValue::Bool(true);
            }
            "false" | "False" | "FALSE" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => {
                return ParameterValue::Bool(false);
            }
            ".inf" | "+.inf" => return ParameterValue::Double(f64::INFINITY),
            "-.inf" => return ParameterValue::Double(f64::NEG_INFINITY),
            ".nan" | ".NaN" | ".NAN" => return ParameterValue::Double(f64::NAN),
            _ => {}
        }
        if let Some(integer) = integer(text) {
            return ParameterValue::Integer(integer);
        }
        // Rust also parses "inf" and "nan" as numbers, unlike YAML
        if text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c))
            && text.contains(|c: char| c.is_ascii_digit())
            && let Ok(double) = text.parse()
        {
            return ParameterValue::Double(double);
        }
    }
    ParameterValue::String(text.to_owned())
}

fn integer(text: &str) -> Option<i64> {
    match text.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// Converts values of one type to an array; integers in a list of doubles become doubles.
fn array(values: Vec<ParameterValue>) -> Result<ParameterValue, String> {
    let (mut bools, mut integers, mut doubles, mut strings) = (vec![], vec![], vec![], vec![]);
    for value in &values {
        match value {
            ParameterValue::Bool(value) => bools.push(*value),
            ParameterValue::Integer(value) => {
                integers.push(*value);
                doubles.push(*value as f64);
            }
            ParameterValue::Double(value) => doubles.push(*value),
            ParameterValue::String(value) => strings.push(value.clone()),
            _ => {}
        }
    }
    let n = values.len();
    let Some(first) = values.first() else {
        // an empty list has no element type; the server adapts a string array to the type of the
        // default
        return Ok(ParameterValue::StringArray(Vec::new()));
    };
    if bools.len() == n {
        Ok(ParameterValue::BoolArray(bools))
    } else if integers.len() == n {
        Ok(ParameterValue::IntegerArray(integers))
    } else if doubles.len() == n {
        Ok(ParameterValue::DoubleArray(doubles))
    } else if strings.len() == n {
        Ok(ParameterValue::StringArray(strings))
    } else {
        let other = values
            .iter()
            .find(|value| value.type_number() != first.type_number())
            .unwrap_or(first);
        Err(format!(
            "list of different types: {} and {}",
            first.type_name(),
            other.type_name()
        ))
    }
}

/// Parses a YAML text into its tree. The first error is returned.
fn parse(text: &str) -> Result<Node, YamlError> {
    let mut problems = Problems::new();
    let tree = node::parse("", text, &mut problems);
    match (tree, problems.iter().next()) {
        (Some(tree), None) => Ok(tree),
        (_, problem) => Err(YamlError {
            line: problem.map_or(0, |problem| problem.place.line),
            problem: problem.map_or_else(String::new, |problem| problem.text.clone()),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_the_types_of_ros() {
        let check = |text: &str, expected| assert_eq!(parse_value(text), Ok(expected), "{text}");
        check("true", ParameterValue::Bool(true));
        check("off", ParameterValue::Bool(false));
        check("-7", ParameterValue::Integer(-7));
        check("0x1F", ParameterValue::Integer(31));
        check("7.0", ParameterValue::Double(7.0));
        check("1e3", ParameterValue::Double(1000.0));
        check("-.5", ParameterValue::Double(-0.5));
        check("-.inf", ParameterValue::Double(f64::NEG_INFINITY));
        check("max", ParameterValue::String("max".to_owned()));
        check("nan", ParameterValue::String("nan".to_owned()));
        check("'7'", ParameterValue::String("7".to_owned()));
        check("!!str 7", ParameterValue::String("7".to_owned()));
        check("3 robots", ParameterValue::String("3 robots".to_owned()));
        check("[1, 2]", ParameterValue::IntegerArray(vec![1, 2]));
        check("[1, 2.5]", ParameterValue::DoubleArray(vec![1.0, 2.5]));
        check("[true, no]", ParameterValue::BoolArray(vec![true, false]));
        check(
            "[a, 'b']",
            ParameterValue::StringArray(vec!["a".to_owned(), "b".to_owned()]),
        );
        check("[]", ParameterValue::StringArray(vec![]));
    }

    #[test]
    fn invalid_values_are_refused() {
        let check = |text: &str, expected: &str| {
            assert_eq!(parse_value(text).unwrap_err(), expected, "{text}")
        };
        check("{a: 1}", "a mapping is not a parameter value");
        check(
            "[[1], [2]]",
            "a list of lists, mappings or empty values is not a parameter value",
        );
        check("[1, two]", "list of different types: integer and string");
        check("", "no value");
        assert!(parse_value("[1, 2").is_err());
        assert!(parse_value(&"[".repeat(100_000)).is_err());
    }

    #[test]
    fn files_select_nodes_and_flatten_nested_names() {
        let text = "
/**:
  ros__parameters:
    pace: max
    noise: {imu: 0.5, dvl: {rate: 5}}
sim:
  ros__parameters:
    pace: realtime
/fleet:
  sim:
    ros__parameters:
      seed: 7
/*/sim:
  ros__parameters:
    star: 1
other:
  ros__parameters:
    seed: 9
";
        let names = |parameters: Vec<(String, ParameterValue)>| -> Vec<String> {
            parameters
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect()
        };
        let root = parse_file(text, "/", "sim").unwrap();
        assert_eq!(
            names(root),
            [
                "pace='max'",
                "noise.imu=0.5",
                "noise.dvl.rate=5",
                "pace='realtime'"
            ]
        );
        let fleet = parse_file(text, "/fleet", "sim").unwrap();
        assert_eq!(
            names(fleet),
            [
                "pace='max'",
                "noise.imu=0.5",
                "noise.dvl.rate=5",
                "seed=7",
                "star=1"
            ]
        );
    }

    #[test]
    fn file_errors_state_the_line() {
        let check = |text: &str, expected: &str| {
            assert_eq!(
                parse_file(text, "/", "sim").unwrap_err().to_string(),
                expected
            );
        };
        check(
            "ros__parameters:\n  a: 1\n",
            "2: ros__parameters is not below a node name; expected a node name or /**",
        );
        check(
            "sim:\n  pace: max\n",
            "2: '/sim/pace': expected ros__parameters",
        );
        check(
            "sim:\n  ros__parameters: 3\n",
            "2: ros__parameters: expected names and values",
        );
        check(
            "/**:\n  ros__parameters:\n    a: 1\n    a: 2\n",
            "4: duplicate key `a` in one map",
        );
        check(
            "/**:\n  ros__parameters:\n    a: [[1]]\n",
            "3: a list of lists, mappings or empty values is not a parameter value",
        );
        assert!(
            parse_file("sim: [", "/", "sim")
                .unwrap_err()
                .to_string()
                .starts_with(|c: char| c.is_ascii_digit())
        );
        assert_eq!(parse_file("", "/", "sim"), Ok(vec![]));
    }
}

//! Parser of parameters in YAML: the value of `-p name:=value`, and the files of `--params-file`.
//!
//! The format is that of rcl: node names as keys (`/**`, `/ns/node`, `node`), `ros__parameters`
//! below them, and nested keys joined by dots. Errors contain the line number. The parameter server
//! checks whether a parameter exists.

use std::borrow::Cow;
use std::fmt;

use saphyr_parser::{Event, Parser, ScalarStyle};

use crate::parameters::value::ParameterValue;

/// Error in a YAML text, with its line number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YamlError {
    line: usize,
    problem: String,
}

impl fmt::Display for YamlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.line, self.problem)
    }
}

impl std::error::Error for YamlError {}

/// A YAML node with its line number.
#[derive(Debug)]
struct Node {
    line: usize,
    content: Content,
}

#[derive(Debug)]
enum Content {
    /// Text, and whether it is a plain scalar, which may be a number.
    Scalar(String, bool),
    Sequence(Vec<Node>),
    Mapping(Vec<(String, Node)>),
}

/// Maximum nesting depth that is accepted.
const MAX_DEPTH: usize = 64;

/// Parses the value of a parameter written in YAML, as after `-p name:=`.
///
/// # Errors
/// The text is not YAML, or not a value that a parameter can have.
pub fn parse_value(text: &str) -> Result<ParameterValue, String> {
    let node = parse(text).map_err(|error| error.problem)?;
    match node {
        Some(node) => value(&node).map_err(|error| error.problem),
        None => Err("no value".to_owned()),
    }
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
    if let Some(root) = parse(text)? {
        read_nodes(
            &root,
            "",
            &[namespace, "/", node].concat().replace("//", "/"),
            &mut parameters,
        )?;
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
    let Content::Mapping(entries) = &at.content else {
        return Err(at.error(format!("'{prefix}': expected ros__parameters")));
    };
    for (key, child) in entries {
        if key == "ros__parameters" {
            if prefix.is_empty() {
                return Err(child.error(
                    "ros__parameters is not below a node name; expected a node name or /**"
                        .to_owned(),
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

/// Whether a pattern matches a node's full name. The pattern consists of tokens; `*` matches one
/// token and `**` any number of tokens.
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
    let Content::Mapping(entries) = &at.content else {
        return Err(at.error("ros__parameters: expected names and values".to_owned()));
    };
    for (key, child) in entries {
        let name = if prefix.is_empty() {
            key.clone()
        } else {
            format!("{prefix}.{key}")
        };
        match child.content {
            Content::Mapping(_) => read_parameters(child, &name, parameters)?,
            _ => parameters.push((name, value(child)?)),
        }
    }
    Ok(())
}

impl Node {
    fn error(&self, problem: String) -> YamlError {
        YamlError {
            line: self.line,
            problem,
        }
    }
}

/// Converts a scalar or a list of scalars of one type to a parameter value.
fn value(node: &Node) -> Result<ParameterValue, YamlError> {
    match &node.content {
        Content::Scalar(text, plain) => Ok(scalar(text, *plain)),
        Content::Mapping(_) => Err(node.error("a mapping is not a parameter value".to_owned())),
        Content::Sequence(items) => {
            let mut values = Vec::with_capacity(items.len());
            for item in items {
                match &item.content {
                    Content::Scalar(text, plain) => values.push(scalar(text, *plain)),
                    _ => {
                        return Err(item.error(
                            "a list of lists or mappings is not a parameter value".to_owned(),
                        ));
                    }
                }
            }
            array(values).map_err(|problem| node.error(problem))
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

/// Parses the first document as a tree; `None` if there is no document.
fn parse(text: &str) -> Result<Option<Node>, YamlError> {
    let mut parser = Parser::new_from_str(text);
    loop {
        let (event, line) = next(&mut parser)?;
        match event {
            Event::StreamEnd => return Ok(None),
            Event::Nothing | Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd => {}
            event => return node(&mut parser, event, line, 0).map(Some),
        }
    }
}

type TextParser<'a> = Parser<'a, saphyr_parser::StrInput<'a>>;

fn next<'a>(parser: &mut TextParser<'a>) -> Result<(Event<'a>, usize), YamlError> {
    match parser.next() {
        Some(Ok((event, span))) => Ok((event, span.start.line())),
        Some(Err(error)) => Err(YamlError {
            line: error.marker().line(),
            problem: error.info().to_owned(),
        }),
        None => Ok((Event::StreamEnd, 0)),
    }
}

fn node<'a>(
    parser: &mut TextParser<'a>,
    event: Event<'a>,
    line: usize,
    depth: usize,
) -> Result<Node, YamlError> {
    if depth > MAX_DEPTH {
        return Err(YamlError {
            line,
            problem: format!("nested too deeply; expected at most {MAX_DEPTH} levels"),
        });
    }
    let content = match event {
        Event::Scalar(text, style, _, tag) => {
            let forced_text = tag.as_deref().is_some_and(|tag| tag.suffix == "str");
            Content::Scalar(
                Cow::into_owned(text),
                style == ScalarStyle::Plain && !forced_text,
            )
        }
        Event::SequenceStart(..) => {
            let mut items = Vec::new();
            loop {
                match next(parser)? {
                    (Event::SequenceEnd, _) => break Content::Sequence(items),
                    (event, line) => items.push(node(parser, event, line, depth + 1)?),
                }
            }
        }
        Event::MappingStart(..) => {
            let mut entries = Vec::new();
            loop {
                let (event, line) = next(parser)?;
                if event == Event::MappingEnd {
                    break Content::Mapping(entries);
                }
                let Event::Scalar(key, ..) = event else {
                    return Err(YamlError {
                        line,
                        problem: "a key is not text; expected a string".to_owned(),
                    });
                };
                let (event, line) = next(parser)?;
                entries.push((Cow::into_owned(key), node(parser, event, line, depth + 1)?));
            }
        }
        Event::Alias(_) => {
            return Err(YamlError {
                line,
                problem: "aliases are not supported".to_owned(),
            });
        }
        _ => {
            return Err(YamlError {
                line,
                problem: "unexpected end of the text".to_owned(),
            });
        }
    };
    Ok(Node { line, content })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_the_types_that_ros_gives_them() {
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
    fn what_is_no_value_is_refused() {
        let check = |text: &str, expected: &str| {
            assert_eq!(parse_value(text).unwrap_err(), expected, "{text}")
        };
        check("{a: 1}", "a mapping is not a parameter value");
        check(
            "[[1], [2]]",
            "a list of lists or mappings is not a parameter value",
        );
        check("[1, two]", "list of different types: integer and string");
        check("", "no value");
        assert!(parse_value("[1, 2").is_err());
        assert!(parse_value(&"[".repeat(100_000)).is_err());
    }

    #[test]
    fn files_name_nodes_and_nest() {
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
    fn mistakes_in_files_say_the_line() {
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
            "/**:\n  ros__parameters:\n    a: [[1]]\n",
            "3: a list of lists or mappings is not a parameter value",
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

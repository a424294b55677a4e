//! Writing of a tree as YAML text.
//!
//! Reading the text again gives an equal tree, except for the positions. Maps and lists of maps are
//! written in block style, lists of scalars on one line.

use crate::node::{Map, Node, Value};

/// Additional indentation of each level.
const INDENT: usize = 2;

/// Returns the tree as YAML text. Comments and anchors of the file that was read are not part of a
/// tree, so they are lost.
///
/// # Example
/// ```
/// use merrow_yaml::error::Problems;
/// use merrow_yaml::node::parse;
/// use merrow_yaml::write::to_text;
///
/// let mut problems = Problems::new();
/// let tree = parse("a.yaml", "{robots: {rov: {position_m: [0, 0, -1]}}}", &mut problems).unwrap();
/// assert_eq!(to_text(&tree), "robots:\n  rov:\n    position_m: [0, 0, -1]\n");
/// ```
pub fn to_text(node: &Node) -> String {
    let mut out = String::new();
    match &node.value {
        Value::Map(map) if !map.entries.is_empty() => write_map(&mut out, map, 0),
        Value::Seq(items) if !is_inline(&node.value) => write_items(&mut out, items, 0),
        _ => {
            write_inline(&mut out, &node.value);
            out.push('\n');
        }
    }
    out
}

/// Returns true if a value is written on the line of its key.
fn is_inline(value: &Value) -> bool {
    match value {
        Value::Null | Value::Scalar { .. } => true,
        Value::Map(map) => map.entries.is_empty(),
        Value::Seq(items) => items.iter().all(|item| match &item.value {
            Value::Seq(_) => is_inline(&item.value),
            Value::Map(map) => map.entries.is_empty(),
            Value::Null | Value::Scalar { .. } => true,
        }),
    }
}

fn write_map(out: &mut String, map: &Map, indent: usize) {
    for (key, node) in &map.entries {
        out.extend(std::iter::repeat_n(' ', indent));
        write_scalar(out, &key.name, false);
        out.push(':');
        write_below(out, &node.value, indent);
    }
}

/// Writes the value of a key or list item at `indent`, after its `:` or `-`.
fn write_below(out: &mut String, value: &Value, indent: usize) {
    if is_inline(value) {
        out.push(' ');
        write_inline(out, value);
        out.push('\n');
        return;
    }
    out.push('\n');
    match value {
        Value::Map(map) => write_map(out, map, indent + INDENT),
        Value::Seq(items) => write_items(out, items, indent + INDENT),
        Value::Null | Value::Scalar { .. } => {}
    }
}

fn write_items(out: &mut String, items: &[Node], indent: usize) {
    for item in items {
        out.extend(std::iter::repeat_n(' ', indent));
        out.push('-');
        write_below(out, &item.value, indent);
    }
}

fn write_inline(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push('~'),
        Value::Scalar { text, quoted } => write_scalar(out, text, *quoted),
        Value::Map(_) => out.push_str("{}"),
        Value::Seq(items) => {
            out.push('[');
            for (k, item) in items.iter().enumerate() {
                if k > 0 {
                    out.push_str(", ");
                }
                write_inline(out, &item.value);
            }
            out.push(']');
        }
    }
}

/// Writes a scalar, with quotes if it had quotes or cannot be written without them.
fn write_scalar(out: &mut String, text: &str, quoted: bool) {
    if !quoted && is_plain(text) {
        out.push_str(text);
        return;
    }
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Returns true if a scalar keeps its meaning without quotes, in block and in flow style.
fn is_plain(text: &str) -> bool {
    let inner = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '+' | '-' | '/' | ' ');
    let first = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '+' | '-');
    let mut chars = text.chars();
    let starts = match (chars.next(), chars.next()) {
        // a hyphen before a space starts a list item
        (Some('-' | '+'), second) => second.is_some_and(|c| c.is_ascii_alphanumeric() || c == '.'),
        (Some(c), _) => first(c),
        (None, _) => false,
    };
    starts && text.chars().all(inner) && !text.ends_with(' ')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Problems;
    use crate::node::parse;
    use crate::node::tests::show;

    /// Trees with every kind of node and scalar are equal after writing and reading.
    #[test]
    fn written_trees_are_read_again() {
        let texts = [
            "~",
            "a",
            "{}",
            "[]",
            "[1, [2, 3], []]",
            "{a: ~, b: {c: {d: 1}}, e: [{f: 1, g: [1, 2]}, {h: ~}, {}]}",
            "[{a: [{b: 1}]}, [{c: 2}, 3]]",
            "a: \"1\"\nb: 'text with: colon # and hash'\nc: plain, with comma\nd: -1.5e-3\ne: \"\"",
            "a: |\n  two\n  lines\nb: >\n  folded\n  line\n'key: odd': 1\n\"\": 2",
            "a: \"- no item\"\nb: '? x'\nc: \"tab\\t quote\\\" back\\\\slash\"\nd: 20 °C\ne: '~'\nf: 'null'",
            "a: '-'\nb: -.5\nc: +3\nd: .inf\ne: x y  z",
        ];
        for text in texts {
            let mut problems = Problems::new();
            let Some(tree) = parse("a.yaml", text, &mut problems) else {
                panic!("{text}: {problems}");
            };
            let written = to_text(&tree);
            let again = parse("b.yaml", &written, &mut problems);
            let again = again.unwrap_or_else(|| panic!("{written}: {problems}"));
            assert_eq!(
                show(&without_quotes(&tree)),
                show(&without_quotes(&again)),
                "{written}"
            );
        }
    }

    /// Quotes are added around texts, which keeps their meaning; quotes of numbers and of null must
    /// be kept.
    fn without_quotes(node: &Node) -> Node {
        let value = match &node.value {
            Value::Scalar { text, quoted: true } if !is_special(text) => Value::Scalar {
                text: text.clone(),
                quoted: false,
            },
            Value::Seq(items) => Value::Seq(items.iter().map(without_quotes).collect()),
            Value::Map(map) => {
                let entries = map.entries.iter();
                Value::Map(Map {
                    entries: entries
                        .map(|(key, node)| (key.clone(), without_quotes(node)))
                        .collect(),
                    partial: map.partial,
                })
            }
            other => other.clone(),
        };
        Node {
            value,
            place: node.place.clone(),
        }
    }

    fn is_special(text: &str) -> bool {
        text.parse::<f64>().is_ok() || matches!(text, "~" | "null" | "true" | "false" | "")
    }
}

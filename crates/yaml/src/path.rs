//! Paths of values in a tree: keys and indices, such as `robots.rov.position_m[2]`.

use std::fmt;

use crate::ensure;
use crate::error::{did_you_mean, known_names, quote};
use crate::node::{Map, Node, Value};

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Value of a key.
    Key(String),
    /// Element of a list, from 0.
    Index(usize),
}

/// Path of a value in a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path(pub Vec<Step>);

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, step) in self.0.iter().enumerate() {
            match step {
                Step::Index(index) => write!(f, "[{index}]")?,
                Step::Key(key) => {
                    let dot = if n > 0 { "." } else { "" };
                    match key.contains(['.', '[', ']', '=', '"', '\'']) {
                        true if key.contains('"') => write!(f, "{dot}'{key}'")?,
                        true => write!(f, "{dot}\"{key}\"")?,
                        false => write!(f, "{dot}{key}")?,
                    }
                }
            }
        }
        Ok(())
    }
}

impl Path {
    /// Splits a text into a path and what follows the first `=` after it; `None` without an `=`.
    /// Keys that contain one of `.[]=` are quoted: `joints."shoulder.pan"`.
    ///
    /// # Errors
    /// The path is not valid.
    pub fn parse(text: &str) -> Result<(Path, Option<&str>), String> {
        let mut steps = Vec::new();
        let mut rest = text;
        loop {
            let key;
            (key, rest) = parse_key(rest)?;
            steps.push(Step::Key(key));
            while let Some(inside) = rest.strip_prefix('[') {
                let (index, after) = inside
                    .split_once(']')
                    .ok_or("`[` is not closed; expected `]`")?;
                steps.push(Step::Index(parse_index(index)?));
                rest = after;
            }
            if rest.is_empty() {
                return Ok((Path(steps), None));
            }
            if let Some(value) = rest.strip_prefix('=') {
                return Ok((Path(steps), Some(value)));
            }
            rest = rest
                .strip_prefix('.')
                .ok_or_else(|| format!("expected `.`, `[` or `=` before {}", quote(rest)))?;
        }
    }

    /// Returns true if the path is `other` or the path of a value below it.
    pub fn is_below(&self, other: &Path) -> bool {
        self.0.starts_with(&other.0)
    }

    /// Returns the key with which the path begins.
    pub fn first_key(&self) -> &str {
        match self.0.first() {
            Some(Step::Key(key)) => key,
            Some(Step::Index(_)) | None => "",
        }
    }
}

/// Returns the key at the start of a text, and what follows it.
fn parse_key(text: &str) -> Result<(String, &str), String> {
    if let Some(quote @ ('"' | '\'')) = text.chars().next() {
        let (key, rest) = text[1..]
            .split_once(quote)
            .ok_or_else(|| format!("the key after {quote} is not closed; expected {quote}"))?;
        ensure!(!key.is_empty(), "a key is empty; expected a name");
        return Ok((key.to_string(), rest));
    }
    let end = text.find(['.', '[', ']', '=']).unwrap_or(text.len());
    let (key, rest) = text.split_at(end);
    ensure!(
        !key.is_empty(),
        "expected a key, found {}",
        if rest.is_empty() {
            "the end of the path".to_string()
        } else {
            quote(rest)
        }
    );
    Ok((key.to_string(), rest))
}

fn parse_index(text: &str) -> Result<usize, String> {
    let is_whole = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let index = text.parse().ok().filter(|_| is_whole);
    index.ok_or_else(|| {
        format!(
            "expected the index of a list element, from 0, found {}; a key with a bracket is quoted",
            quote(&format!("[{text}]"))
        )
    })
}

/// Decides whether a map without the key may get it: gets the keys of the path up to and including
/// the missing one, and returns true if the missing key is a name that is free to choose and whose
/// map is not complete without other keys.
pub type IsIncomplete<'a> = &'a dyn Fn(&[&str]) -> bool;

/// Sets the value at `path` below `root`. A null removes its key, or is kept if there is no such
/// key, as in a file that extends another. Maps on the way are created unless `is_incomplete`.
///
/// # Errors
/// One line: the path leads through a value that has no such key or element.
pub fn set(
    root: &mut Node,
    path: &Path,
    value: Node,
    is_incomplete: IsIncomplete<'_>,
) -> Result<(), String> {
    let Some((last, before)) = path.0.split_last() else {
        return Ok(());
    };
    let mut at = root;
    let mut owner = "the file".to_string();
    // keys up to here; the elements of lists share their keys
    let mut keys: Vec<&str> = Vec::new();
    for (n, step) in before.iter().enumerate() {
        match step {
            Step::Key(key) => {
                keys.push(key);
                let map = map_of(at, key, &owner, &value)?;
                if map.get(key).is_none() {
                    let names = || map.entries.iter().map(|(key, _)| key.name.as_str());
                    ensure!(
                        !matches!(path.0.get(n + 1), Some(Step::Index(_))),
                        "{owner} has no list {}{}; set the whole list",
                        quote(key),
                        did_you_mean(key, names())
                    );
                    ensure!(
                        !is_incomplete(&keys),
                        "no {} in {owner}{}",
                        quote(key),
                        known_names(key, names())
                    );
                }
                let empty = Node::empty_map(&value.place);
                at = map.get_or_insert(key, empty);
                owner = quote(key);
            }
            Step::Index(index) => {
                at = element_of(at, *index, &owner)?;
                owner = format!("element {index} of {owner}");
            }
        }
    }
    match last {
        Step::Index(index) => *element_of(at, *index, &owner)? = value,
        Step::Key(name) => {
            let map = map_of(at, name, &owner, &value)?;
            if matches!(value.value, Value::Null) && map.remove(name).is_some() {
                return Ok(());
            }
            map.insert(name, value);
        }
    }
    Ok(())
}

/// Returns the map of a node, which becomes one if it is null. `owner` names the node in messages.
fn map_of<'a>(
    node: &'a mut Node,
    key: &str,
    owner: &str,
    value: &Node,
) -> Result<&'a mut Map, String> {
    match &node.value {
        Value::Map(_) => {}
        Value::Null => node.place = value.place.clone(),
        Value::Seq(items) => {
            let n = items.len();
            let key = quote(key);
            return Err(format!(
                "{owner} is a list of {n}, which has no key {key}; expected an index such as [0]"
            ));
        }
        Value::Scalar { text, .. } => {
            let (found, key) = (quote(text), quote(key));
            return Err(format!("{owner} is {found}, which has no key {key}"));
        }
    }
    Ok(node.make_map())
}

/// Returns an element of a list. `owner` names the list in messages.
fn element_of<'a>(node: &'a mut Node, index: usize, owner: &str) -> Result<&'a mut Node, String> {
    let items = match &mut node.value {
        Value::Seq(items) => items,
        Value::Null => return Err(format!("{owner} has no value; set the whole list")),
        Value::Map(_) => return Err(format!("{owner} is a map, which has no element [{index}]")),
        Value::Scalar { text, .. } => {
            let found = quote(text);
            return Err(format!(
                "{owner} is {found}, which has no element [{index}]"
            ));
        }
    };
    let n = items.len();
    items.get_mut(index).ok_or_else(|| match n {
        0 => format!("{owner} is an empty list, which has no element [{index}]"),
        1 => format!("{owner} has one element; expected [0], found [{index}]"),
        n => format!(
            "{owner} has {n} elements; expected [0] to [{}], found [{index}]",
            n - 1
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Problems;
    use crate::node::tests::show;
    use crate::parse::parse;

    fn tree(text: &str) -> Node {
        parse("a.yaml", text, &mut Problems::new()).unwrap()
    }

    #[test]
    fn paths_are_split_and_written() {
        let check = |text: &str, path: &str, value: Option<&str>| {
            let (found, rest) = Path::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!((found.to_string().as_str(), rest), (path, value), "{text}");
            assert_eq!(Path::parse(path).unwrap().0, found, "{path}");
        };
        check("seed=7", "seed", Some("7"));
        check("a.b[2][0].c=x=y", "a.b[2][0].c", Some("x=y"));
        check("a.b", "a.b", None);
        check("\"a.b\".'c[0]=\"'=1", "\"a.b\".'c[0]=\"'", Some("1"));
        check("a=", "a", Some(""));
        check("é.ü=1", "é.ü", Some("1"));
    }

    #[test]
    fn wrong_paths_are_explained() {
        let check = |text: &str, expected: &str| {
            assert_eq!(Path::parse(text).unwrap_err(), expected, "{text}");
        };
        check("", "expected a key, found the end of the path");
        check("=1", "expected a key, found `=1`");
        check("a.=1", "expected a key, found `=1`");
        check("a..b=1", "expected a key, found `.b=1`");
        check("a.", "expected a key, found the end of the path");
        check("a]=1", "expected `.`, `[` or `=` before `]=1`");
        check("[0]=1", "expected a key, found `[0]=1`");
        check("a[0=1", "`[` is not closed; expected `]`");
        let index = "expected the index of a list element, from 0, found";
        let quoted = "a key with a bracket is quoted";
        for wrong in ["[]", "[-1]", "[+1]", "[x]", "[99999999999999999999]"] {
            check(
                &format!("a{wrong}=1"),
                &format!("{index} `{wrong}`; {quoted}"),
            );
        }
        check("\"a=1", "the key after \" is not closed; expected \"");
        check("a.''=1", "a key is empty; expected a name");
        check("'a'b=1", "expected `.`, `[` or `=` before `b=1`");
    }

    #[test]
    fn values_are_set_at_their_path() {
        let check = |path: &str, value: &str, expected: &str| {
            let mut root = tree("{a: 1, b: {c: [2, {d: 3}], e: ~}, n: {x: {y: 1}}}");
            let path = Path::parse(path).unwrap().0;
            let is_incomplete = |keys: &[&str]| keys.len() == 2 && keys[0] == "n";
            match set(&mut root, &path, tree(value), &is_incomplete) {
                Ok(()) => assert_eq!(show(&root), expected, "{path}"),
                Err(why) => assert_eq!(why, expected, "{path}"),
            }
        };
        let rest = "n: {x: {y: 1}}}";
        check(
            "a",
            "[5]",
            &format!("{{a: [5], b: {{c: [2, {{d: 3}}], e: ~}}, {rest}"),
        );
        check(
            "b.c[1].d",
            "4",
            &format!("{{a: 1, b: {{c: [2, {{d: 4}}], e: ~}}, {rest}"),
        );
        check(
            "b.c[0]",
            "x",
            &format!("{{a: 1, b: {{c: [x, {{d: 3}}], e: ~}}, {rest}"),
        );
        check(
            "b.e.f.g",
            "1",
            &format!("{{a: 1, b: {{c: [2, {{d: 3}}], e: {{f: {{g: 1}}}}}}, {rest}"),
        );
        check("b", "~", &format!("{{a: 1, {rest}"));
        check(
            "z",
            "~",
            "{a: 1, b: {c: [2, {d: 3}], e: ~}, n: {x: {y: 1}}, z: ~}",
        );
        check("a.b", "1", "`a` is `1`, which has no key `b`");
        check("a[0]", "1", "`a` is `1`, which has no element [0]");
        check(
            "b.c.d",
            "1",
            "`c` is a list of 2, which has no key `d`; expected an index such as [0]",
        );
        check(
            "b.c[2]",
            "1",
            "`c` has 2 elements; expected [0] to [1], found [2]",
        );
        check(
            "b.c[0].d",
            "1",
            "element 0 of `c` is `2`, which has no key `d`",
        );
        check("b.d[0]", "1", "`b` has no list `d`; set the whole list");
        check("n.y.y", "1", "no `y` in `n`; expected `x`");
    }
}

//! Parsing of a YAML text into its tree.
//!
//! A text that is not valid YAML or contains a duplicate key is rejected with its line. Size and
//! depth are limited, so that no input can exhaust the stack or the memory. `extends` is resolved
//! in `load.rs`.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Span, StrInput};

use crate::error::{Place, Problems, quote};
use crate::node::{DEPTH_MAX, Key, Map, NODE_BYTES, Node, Value};
use crate::syntax_error::explain;

/// Approximate maximum memory for one file, aliases expanded [bytes].
const MAX_FILE_BYTES: usize = 64 << 20;

/// Parses one YAML text into its tree. `file` is its name in messages. `extends` is left as
/// written.
///
/// A text that is not valid YAML yields `None` and a problem. A duplicate key yields a problem, and
/// the first value is kept.
pub fn parse(file: &str, text: &str, problems: &mut Problems) -> Option<Node> {
    let file: Arc<str> = Arc::from(file);
    if let Some(place) = forbidden_character(&file, text) {
        return problems.refuse(&place, "not valid YAML: control characters are not allowed");
    }
    let mut builder = Builder {
        file,
        stack: Vec::new(),
        root: None,
        anchors: HashMap::new(),
        weight: 0,
        problems,
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut parser = Parser::new_from_str(text);
    match builder.run(text, &mut parser) {
        Ok(node) => Some(node),
        Err((place, text)) => problems.refuse(&place, text),
    }
}

/// Returns the position of the first character that YAML forbids. The parser would interpret a NUL
/// as the end of the file.
fn forbidden_character(file: &Arc<str>, text: &str) -> Option<Place> {
    let bad = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{85}');
    let at = text.find(bad)?;
    let before = &text[..at];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or(before).chars().count() + 1;
    Some(Place::new(file, line as u32, column as u32))
}

/// Fatal parse error: the rest of the file cannot be parsed.
type Fatal = (Place, String);

fn fatal<T>(place: &Place, text: impl Into<String>) -> Result<T, Fatal> {
    Err((place.clone(), text.into()))
}

/// A list or map that is not closed yet.
struct OpenCollection {
    place: Place,
    anchor: usize,
    inside: OpenContent,
}

enum OpenContent {
    Seq(Vec<Node>),
    Map {
        entries: Vec<(Key, Node)>,
        seen: HashSet<String>,
        key: Option<NextKey>,
    },
}

/// Key of the next value.
enum NextKey {
    Valid(Key),
    /// Already rejected; its value is parsed and dropped.
    Rejected(Place),
}

/// Builds the tree from the events of the parser, with its own stack.
struct Builder<'a> {
    file: Arc<str>,
    stack: Vec<OpenCollection>,
    root: Option<Node>,
    anchors: HashMap<usize, Node>,
    weight: usize,
    problems: &'a mut Problems,
}

impl Builder<'_> {
    fn run(&mut self, text: &str, parser: &mut Parser<'_, StrInput<'_>>) -> Result<Node, Fatal> {
        let mut documents = 0;
        while let Some(event) = parser.next_event() {
            let (event, span) = event.map_err(|error| {
                let (marker, info) = (error.marker(), error.info());
                match explain(text, marker.line(), marker.col() + 1, info) {
                    Some((line, column, cause)) => (
                        Place::new(&self.file, line, column),
                        format!("not valid YAML: {cause}"),
                    ),
                    None => (self.place(marker), format!("not valid YAML: {info}")),
                }
            })?;
            if let Event::DocumentStart(_) = event {
                documents += 1;
                if documents > 1 {
                    let place = self.place(&span.start);
                    return fatal(&place, "a second YAML document; expected one per file");
                }
            }
            self.event(event, span)?;
        }
        let start = Place::new(&self.file, 1, 1);
        Ok(self.root.take().unwrap_or(Value::Null.at(&start)))
    }

    fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), Fatal> {
        let place = self.place(&span.start);
        match event {
            Event::Scalar(text, _, anchor, Some(tag))
                if tag.is_yaml_core_schema() && tag.suffix == "str" =>
            {
                self.scalar(place, text.into_owned(), ScalarStyle::SingleQuoted, anchor)
            }
            Event::Scalar(.., Some(_))
            | Event::SequenceStart(_, Some(_))
            | Event::MappingStart(_, Some(_)) => fatal(
                &place,
                "YAML tags (`!...`) other than `!!str` are not supported; expected only the value",
            ),
            Event::Scalar(text, style, anchor, None) => {
                self.scalar(place, text.into_owned(), style, anchor)
            }
            Event::SequenceStart(anchor, None) => {
                self.open(place, anchor, OpenContent::Seq(Vec::new()))
            }
            Event::MappingStart(anchor, None) => self.open(
                place,
                anchor,
                OpenContent::Map {
                    entries: Vec::new(),
                    seen: HashSet::new(),
                    key: None,
                },
            ),
            Event::SequenceEnd | Event::MappingEnd => self.close(),
            Event::Alias(id) => self.alias(place, id),
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd => Ok(()),
        }
    }

    fn scalar(
        &mut self,
        place: Place,
        text: String,
        style: ScalarStyle,
        anchor: usize,
    ) -> Result<(), Fatal> {
        self.add_memory(&place, NODE_BYTES + text.len())?;
        let quoted = style != ScalarStyle::Plain;
        if self.expects_key() {
            return self.key(place, text, quoted, anchor);
        }
        let null = !quoted && matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL");
        // An empty value has no position: the parser returns the position of the next token.
        let place = if text.is_empty() && !quoted {
            self.key_place().unwrap_or(place)
        } else {
            place
        };
        let value = if null {
            Value::Null
        } else {
            Value::Scalar { text, quoted }
        };
        self.finish(Node { value, place }, anchor)
    }

    fn key(
        &mut self,
        place: Place,
        name: String,
        quoted: bool,
        anchor: usize,
    ) -> Result<(), Fatal> {
        let wrong = match name.as_str() {
            "<<" if !quoted => Some(
                "merge keys (`<<`) are not supported; expected the keys themselves or `extends: FILE`",
            ),
            "" => Some("a key is empty; expected a name before the colon"),
            _ => None,
        };
        if let Some(text) = wrong {
            self.problems.push(&place, text);
        }
        if anchor > 0 {
            let text = name.clone();
            let node = Value::Scalar { text, quoted }.at(&place);
            self.store_anchor(anchor, &node)?;
        }
        if let Some(OpenCollection {
            inside: OpenContent::Map { key, .. },
            ..
        }) = self.stack.last_mut()
        {
            *key = Some(if wrong.is_some() {
                NextKey::Rejected(place)
            } else {
                NextKey::Valid(Key { name, place })
            });
        }
        Ok(())
    }

    fn open(&mut self, place: Place, anchor: usize, inside: OpenContent) -> Result<(), Fatal> {
        self.refuse_as_key(&place)?;
        self.add_memory(&place, NODE_BYTES)?;
        self.check_depth(&place, 1)?;
        self.stack.push(OpenCollection {
            place,
            anchor,
            inside,
        });
        Ok(())
    }

    fn close(&mut self) -> Result<(), Fatal> {
        let Some(OpenCollection {
            place,
            anchor,
            inside,
        }) = self.stack.pop()
        else {
            return Ok(());
        };
        let value = match inside {
            OpenContent::Seq(items) => Value::Seq(items),
            OpenContent::Map { entries, .. } => Value::Map(Map {
                entries,
                partial: false,
            }),
        };
        self.finish(Node { value, place }, anchor)
    }

    fn alias(&mut self, place: Place, id: usize) -> Result<(), Fatal> {
        self.refuse_as_key(&place)?;
        let Some(node) = self.anchors.get(&id) else {
            return fatal(&place, "an alias (`*`) inside the value that it refers to");
        };
        let (weight, depth) = node.memory_and_depth();
        self.check_depth(&place, depth)?;
        self.add_memory(&place, weight)?;
        match self.anchors.get(&id).cloned() {
            Some(node) => self.finish(node, 0),
            None => Ok(()),
        }
    }

    /// Appends a complete node to the innermost open list or map.
    fn finish(&mut self, node: Node, anchor: usize) -> Result<(), Fatal> {
        if anchor > 0 {
            self.store_anchor(anchor, &node)?;
        }
        match self.stack.last_mut().map(|open| &mut open.inside) {
            None => self.root = Some(node),
            Some(OpenContent::Seq(items)) => items.push(node),
            Some(OpenContent::Map { entries, seen, key }) => {
                let Some(NextKey::Valid(key)) = key.take() else {
                    return Ok(());
                };
                if seen.insert(key.name.clone()) {
                    entries.push((key, node));
                } else {
                    self.problems.push(
                        &key.place,
                        format!("duplicate key {} in one map", quote(&key.name)),
                    );
                }
            }
        }
        Ok(())
    }

    fn store_anchor(&mut self, anchor: usize, node: &Node) -> Result<(), Fatal> {
        self.add_memory(&node.place, node.memory_and_depth().0)?;
        self.anchors.insert(anchor, node.clone());
        Ok(())
    }

    fn add_memory(&mut self, place: &Place, weight: usize) -> Result<(), Fatal> {
        self.weight = self.weight.saturating_add(weight);
        if self.weight > MAX_FILE_BYTES {
            return fatal(
                place,
                "too large: the file with its aliases expanded exceeds the limit",
            );
        }
        Ok(())
    }

    /// Checks that `depth` further levels may be nested in the open collections.
    fn check_depth(&self, place: &Place, depth: usize) -> Result<(), Fatal> {
        if self.stack.len() + depth > DEPTH_MAX {
            let text = format!("nested too deep; expected at most {DEPTH_MAX} levels");
            return fatal(place, text);
        }
        Ok(())
    }

    fn expects_key(&self) -> bool {
        matches!(
            self.stack.last(),
            Some(OpenCollection {
                inside: OpenContent::Map { key: None, .. },
                ..
            })
        )
    }

    fn refuse_as_key(&self, place: &Place) -> Result<(), Fatal> {
        if self.expects_key() {
            return fatal(
                place,
                "expected plain text as key, found a list, a map or an alias",
            );
        }
        Ok(())
    }

    fn key_place(&self) -> Option<Place> {
        match self.stack.last() {
            Some(OpenCollection {
                inside: OpenContent::Map { key: Some(key), .. },
                ..
            }) => match key {
                NextKey::Valid(Key { place, .. }) | NextKey::Rejected(place) => Some(place.clone()),
            },
            _ => None,
        }
    }

    fn place(&self, marker: &Marker) -> Place {
        Place::new(&self.file, marker.line() as u32, marker.col() as u32 + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::tests::show;

    fn parsed(text: &str) -> (Option<Node>, String) {
        let mut problems = Problems::new();
        let node = parse("a.yaml", text, &mut problems);
        (node, problems.to_string())
    }

    fn tree(text: &str) -> String {
        match parsed(text) {
            (Some(node), problems) if problems.is_empty() => show(&node),
            (_, problems) => panic!("{problems}"),
        }
    }

    #[test]
    fn scalar_types_are_recognised() {
        assert_eq!(
            tree("a: 1\nb: '1'\nc: [x, ~, null]\nd:\ne: {f: \"\"}"),
            "{a: 1, b: '1', c: [x, ~, ~], d: ~, e: {f: ''}}"
        );
        assert_eq!(tree(""), "~");
        assert_eq!(
            tree(
                "# empty
"
            ),
            "~"
        );
        assert_eq!(tree("\u{feff}a: 1"), "{a: 1}");
        assert_eq!(tree("a: &x {b: 1}\nc: *x"), "{a: {b: 1}, c: {b: 1}}");
    }

    #[test]
    fn places_count_from_one() {
        let (node, _) = parsed("a: 1\nb:\n  c: [2, é, 3]\n  d:\ne: 4\n");
        let Value::Map(map) = node.unwrap().value else {
            panic!()
        };
        let at = |node: &Node| (node.place.line, node.place.column);
        assert_eq!(at(map.get("a").unwrap()), (1, 4));
        let Value::Map(b) = &map.get("b").unwrap().value else {
            panic!()
        };
        assert_eq!(
            (b.entries[0].0.place.line, b.entries[0].0.place.column),
            (3, 3)
        );
        let Value::Seq(items) = &b.get("c").unwrap().value else {
            panic!()
        };
        assert_eq!(
            items.iter().map(at).collect::<Vec<_>>(),
            [(3, 7), (3, 10), (3, 13)]
        );
        assert_eq!(
            at(b.get("d").unwrap()),
            (4, 3),
            "an empty value stands at its key"
        );
        assert_eq!(at(map.get("b").unwrap()), (3, 3));
    }

    #[test]
    fn errors_are_reported_with_their_position() {
        let check = |text: &str, expected: &str| assert_eq!(parsed(text).1, expected, "{text:?}");
        check(
            "a: 1\nb: 2\na: 3\n",
            "a.yaml:3:1: duplicate key `a` in one map",
        );
        check(
            "a: *x\n",
            "a.yaml:1:4: not valid YAML: while parsing node, found unknown anchor",
        );
        check(
            "a: &x [*x]\n",
            "a.yaml:1:8: an alias (`*`) inside the value that it refers to",
        );
        check(
            "a: 1\n---\nb: 2\n",
            "a.yaml:2:1: a second YAML document; expected one per file",
        );
        check(
            "a: !!int 1\n",
            "a.yaml:1:4: YAML tags (`!...`) other than `!!str` are not supported; expected only the value",
        );
        check(
            "a: 1\nb: \0\n",
            "a.yaml:2:4: not valid YAML: control characters are not allowed",
        );
        check(
            "[1]: 2\n",
            "a.yaml:1:1: expected plain text as key, found a list, a map or an alias",
        );
        check(
            ": 2\n",
            "a.yaml:1:1: a key is empty; expected a name before the colon",
        );
        let merge =
            "merge keys (`<<`) are not supported; expected the keys themselves or `extends: FILE`";
        check(
            "a: &x {b: 1}\nc:\n  <<: *x\n",
            &format!("a.yaml:3:3: {merge}"),
        );
        check(
            "a: [1\nb: 2\n",
            "a.yaml:1:4: not valid YAML: `[` is not closed before line 2; expected `]`",
        );
        assert!(parsed("a:\n\t- 1\n").1.starts_with("a.yaml:2:"));
    }

    #[test]
    fn hostile_files_are_refused() {
        let deep = "[".repeat(100);
        assert_eq!(
            parsed(&deep).1,
            "a.yaml:1:65: nested too deep; expected at most 64 levels"
        );
        let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
        for n in 1..20 {
            let below = format!("*a{}, ", n - 1).repeat(9);
            bomb.push_str(&format!("a{n}: &a{n} [{below}]\n"));
        }
        assert!(
            parsed(&bomb)
                .1
                .ends_with("too large: the file with its aliases expanded exceeds the limit")
        );
        let long = format!(
            "a: &a {}\nb: [{}]",
            "x".repeat(1 << 20),
            "*a, ".repeat(1000)
        );
        assert!(
            parsed(&long)
                .1
                .ends_with("too large: the file with its aliases expanded exceeds the limit")
        );
        let mut nested = String::from("a0: &a0 [x]\n");
        for n in 1..70 {
            nested.push_str(&format!("a{n}: &a{n} [*a{}]\n", n - 1));
        }
        assert!(
            parsed(&nested)
                .1
                .ends_with("nested too deep; expected at most 64 levels")
        );
    }

    #[test]
    fn no_text_makes_the_parser_panic() {
        let seed = "a: &x [1, '2', {b: *x}]\nc: |\n  text\nd:\n- e: ~\n- \"\\u0041\"\n? f\n: g # h\n--- !t\n%YAML 1.2\n";
        let odd = b"\n\t :-[]{}#&*!|>'\"%@`,?~\\<=\r\0\xff\xc3\xa9a1.";
        let mut random = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = |below: usize| {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) as usize % below.max(1)
        };
        for round in 0..3000 {
            let mut bytes = if round % 3 == 0 {
                Vec::new()
            } else {
                seed.as_bytes().to_vec()
            };
            for _ in 0..=next(12) {
                let at = next(bytes.len() + 1);
                let byte = odd[next(odd.len())];
                match next(3) {
                    0 if at < bytes.len() => drop(bytes.remove(at)),
                    1 if at < bytes.len() => bytes[at] = byte,
                    _ => bytes.insert(at, byte),
                }
            }
            let mut problems = Problems::new();
            let node = parse("fuzz.yaml", &String::from_utf8_lossy(&bytes), &mut problems);
            assert!(node.is_some() || !problems.is_empty());
        }
    }
}

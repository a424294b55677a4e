//! Mission files of MOOS (`.moos`): values of the community and blocks of its programs.
//!
//! A line is `NAME = value`; `//` begins a comment, outside of double quotes. `ProcessConfig = NAME`
//! and braces enclose the lines of a program. Names are compared without regard to case, and the
//! first of equal names counts, as in `CMOOSFileReader`. `${NAME}` is a value of a line
//! `define: NAME = value`, or of the environment.
//!
//! Of the preprocessor `nsplug`, `#include FILE`, `#define NAME VALUE`, `$(NAME)`, `#ifdef NAME [VALUE]`,
//! `#ifndef NAME`, `#else` and `#endif` are known; others are errors, with the advice to run it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Maximum depth of included files, and of conditions.
const MAX_DEPTH: usize = 32;
/// Largest file [bytes], and largest number of lines of a mission with its included files.
const MAX_FILE: u64 = 16 << 20;
const MAX_LINES: usize = 1_000_000;

/// A line `NAME = value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Name as written.
    pub name: String,
    /// Value, without blanks at its ends.
    pub value: String,
    /// Place, as `file:line`.
    pub place: String,
}

impl Entry {
    /// Returns the value as a number, in the unit of the line.
    ///
    /// # Errors
    /// One line: it is none.
    pub fn number(&self) -> Result<f64, String> {
        let number = self.value.parse::<f64>().ok();
        number.filter(|number| number.is_finite()).ok_or_else(|| {
            format!(
                "{}: {}: expected a number, found {:?}",
                self.place, self.name, self.value
            )
        })
    }
}

/// Lines of a program, `ProcessConfig = NAME { ... }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Name of the program.
    pub program: String,
    /// Lines of the form `NAME = value`.
    pub entries: Vec<Entry>,
}

impl Block {
    /// Returns the number of a name in the unit of its line, or `default` without it.
    ///
    /// # Errors
    /// One line: the value is no number above 0.
    pub fn positive(&self, name: &str, default: f64) -> Result<f64, String> {
        let Some(entry) = self.get(name) else {
            return Ok(default);
        };
        let number = Some(entry.number()?).filter(|number| *number > 0.0);
        number.ok_or_else(|| format!("{}: {name}: expected a number above 0", entry.place))
    }

    /// Returns the value of a name.
    pub fn get(&self, name: &str) -> Option<&Entry> {
        find(&self.entries, name)
    }
}

/// A program that `pAntler` starts: `Run = NAME @ OPTIONS ~ ALIAS`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Program.
    pub program: String,
    /// Name of the process, that of its block and of its client.
    pub alias: String,
    /// Options, such as `NewConsole = false`.
    pub options: Vec<(String, String)>,
}

/// A mission file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mission {
    /// Lines outside of the blocks.
    pub entries: Vec<Entry>,
    /// Blocks of programs.
    pub blocks: Vec<Block>,
}

impl Mission {
    /// Reads a file.
    ///
    /// # Errors
    /// One line with the place: the file cannot be read, or is no mission file.
    pub fn read(path: &Path) -> Result<Self, String> {
        let mut lines = Lines::default();
        lines.read(path, 0)?;
        Self::from_lines(&lines.lines)
    }

    /// Reads a text; `name` is that of its places.
    ///
    /// # Errors
    /// One line with the place: it is no mission file.
    pub fn from_text(text: &str, name: &str) -> Result<Self, String> {
        let mut lines = Lines::default();
        lines.add(text, Path::new(name), 0)?;
        Self::from_lines(&lines.lines)
    }

    fn from_lines(lines: &[(String, String)]) -> Result<Self, String> {
        let mut mission = Self::default();
        let mut variables = BTreeMap::new();
        // the program of a block before its brace, and the open block
        let mut named: Option<(String, &str)> = None;
        let mut open: Option<(Block, &str)> = None;
        for (place, line) in lines {
            let line = expand(&without_comment(line), "${", "}", |name| {
                let own = variables.get(name).cloned();
                own.or_else(|| std::env::var(name).ok())
            });
            let line = line.map_err(|name| {
                format!(
                    "{place}: ${{{name}}} is not defined; add `define: {name} = VALUE` or set the \
                     environment variable"
                )
            })?;
            let line = line.trim();
            if line.is_empty() {
                continue;
            }
            if line == "{" {
                let (program, _) = named.take().ok_or_else(|| {
                    format!("{place}: brace without `ProcessConfig = NAME` before it")
                })?;
                let entries = Vec::new();
                open = Some((Block { program, entries }, place));
                continue;
            }
            if line == "}" {
                let (block, _) = open
                    .take()
                    .ok_or_else(|| format!("{place}: closing brace without a block; remove it"))?;
                mission.blocks.push(block);
                continue;
            }
            if let Some((program, at)) = &named {
                return Err(format!(
                    "{at}: ProcessConfig = {program}: expected `{{` in the next line, found {line:?}"
                ));
            }
            let definition = line.strip_prefix("define:");
            if let Some((name, value)) = definition.and_then(|text| text.split_once('=')) {
                variables.insert(name.trim().to_string(), value.trim().to_string());
                continue;
            }
            let Some((name, value)) = line.split_once('=') else {
                // programs read such lines of their blocks themselves
                if open.is_some() {
                    continue;
                }
                return Err(format!("{place}: expected `NAME = value`, found {line:?}"));
            };
            let (name, value) = (name.trim(), value.trim());
            if name.eq_ignore_ascii_case("ProcessConfig") {
                if let Some((block, at)) = &open {
                    return Err(format!(
                        "{at}: the block of {} is not closed before {place}; add `}}`",
                        block.program
                    ));
                }
                // the brace may stand in the same line
                match value.strip_suffix('{') {
                    Some(program) => {
                        let program = program.trim().to_string();
                        let entries = Vec::new();
                        open = Some((Block { program, entries }, place));
                    }
                    None => named = Some((value.to_string(), place)),
                }
                continue;
            }
            let entry = Entry {
                name: name.to_string(),
                value: value.to_string(),
                place: place.clone(),
            };
            match &mut open {
                Some((block, _)) => block.entries.push(entry),
                None => mission.entries.push(entry),
            }
        }
        if let Some((program, at)) = named {
            return Err(format!(
                "{at}: ProcessConfig = {program}: expected `{{` after it"
            ));
        }
        if let Some((block, at)) = open {
            return Err(format!(
                "{at}: the block of {} is not closed; add `}}`",
                block.program
            ));
        }
        Ok(mission)
    }

    /// Returns the line of a name outside of the blocks.
    pub fn get(&self, name: &str) -> Option<&Entry> {
        find(&self.entries, name)
    }

    /// Returns the text of a name outside of the blocks.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name).map(|entry| entry.value.as_str())
    }

    /// Returns the number of a name outside of the blocks, in the unit of its line.
    ///
    /// # Errors
    /// One line: the value is no number.
    pub fn number(&self, name: &str) -> Result<Option<f64>, String> {
        self.get(name).map(Entry::number).transpose()
    }

    /// Returns the block of a program.
    pub fn block(&self, program: &str) -> Option<&Block> {
        let mut blocks = self.blocks.iter();
        blocks.find(|block| block.program.eq_ignore_ascii_case(program))
    }

    /// Returns the programs that `pAntler` starts, in their order.
    pub fn launches(&self) -> Vec<Launch> {
        let Some(block) = self.block("ANTLER") else {
            return Vec::new();
        };
        let runs = block.entries.iter();
        let runs = runs.filter(|entry| entry.name.eq_ignore_ascii_case("Run"));
        runs.map(|entry| launch(&entry.value)).collect()
    }
}

/// Reads the value of a line `Run = `.
fn launch(value: &str) -> Launch {
    let (command, alias) = match value.rsplit_once('~') {
        Some((command, alias)) => (command, Some(alias.trim())),
        None => (value, None),
    };
    let (program, options) = command.split_once('@').unwrap_or((command, ""));
    let program = program.trim().to_string();
    let own = program.rsplit('/').next().unwrap_or_default();
    Launch {
        alias: alias
            .filter(|alias| !alias.is_empty())
            .unwrap_or(own)
            .to_string(),
        program,
        options: options
            .split(',')
            .filter_map(|option| option.split_once('='))
            .map(|(name, value)| (name.trim().to_string(), value.trim().to_string()))
            .collect(),
    }
}

fn find<'a>(entries: &'a [Entry], name: &str) -> Option<&'a Entry> {
    entries
        .iter()
        .find(|entry| entry.name.eq_ignore_ascii_case(name))
}

/// Returns a line without its comment and without the first pair of double quotes, which keep `//`.
fn without_comment(line: &str) -> String {
    let quoted = line.find('"').and_then(|start| {
        let end = line[start + 1..].find('"')? + start + 1;
        Some((start, end))
    });
    let comment = line.find("//");
    match (quoted, comment) {
        (Some((start, end)), comment) if comment.is_none_or(|at| at > start) => {
            let rest = &line[end + 1..];
            let rest = rest.find("//").map_or(rest, |at| &rest[..at]);
            format!("{}{}{rest}", &line[..start], &line[start + 1..end])
        }
        (_, Some(at)) => line[..at].to_string(),
        (_, None) => line.to_string(),
    }
}

/// Replaces `OPEN name CLOSE` by the values of the names.
///
/// # Errors
/// The name without a value.
fn expand(
    line: &str,
    open: &str,
    close: &str,
    value: impl Fn(&str) -> Option<String>,
) -> Result<String, String> {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once(open) {
        let Some((name, after)) = after.split_once(close) else {
            break;
        };
        text += before;
        text += &value(name).ok_or_else(|| name.to_string())?;
        rest = after;
    }
    Ok(text + rest)
}

/// Lines of a file after the preprocessor, each with its place.
#[derive(Default)]
struct Lines {
    lines: Vec<(String, String)>,
    defined: BTreeMap<String, String>,
}

impl Lines {
    fn read(&mut self, path: &Path, depth: usize) -> Result<(), String> {
        let shown = path.display();
        let failed = |why: std::io::Error| format!("{shown}: {why}");
        let data = std::fs::metadata(path).map_err(failed)?;
        if !data.is_file() || data.len() > MAX_FILE {
            return Err(format!(
                "{shown}: expected a file of at most {MAX_FILE} bytes"
            ));
        }
        let bytes = std::fs::read(path).map_err(failed)?;
        self.add(&String::from_utf8_lossy(&bytes), path, depth)
    }

    fn add(&mut self, text: &str, path: &Path, depth: usize) -> Result<(), String> {
        // whether the lines of each open condition count, with its place
        let mut conditions: Vec<(bool, String)> = Vec::new();
        for (k, line) in text.lines().enumerate() {
            let place = format!("{}:{}", path.display(), k + 1);
            let is_read = conditions.iter().all(|(holds, _)| *holds);
            let Some(directive) = directive(line) else {
                if is_read {
                    let line = self.expanded(line, &place)?;
                    if self.lines.len() >= MAX_LINES {
                        return Err(format!("{place}: expected at most {MAX_LINES} lines"));
                    }
                    self.lines.push((place, line));
                }
                continue;
            };
            let mut words = directive.split_whitespace();
            let (word, name) = (words.next().unwrap_or_default(), words.next());
            let value = words.collect::<Vec<_>>().join(" ");
            let needs_name = || {
                let name = name.map(str::to_string);
                name.ok_or_else(|| format!("{place}: #{word}: expected a name after it"))
            };
            match word {
                "ifdef" | "ifndef" => {
                    let own = self.defined.get(&needs_name()?);
                    let is_defined = own.is_some_and(|own| value.is_empty() || *own == value);
                    if conditions.len() >= MAX_DEPTH {
                        return Err(format!("{place}: expected at most {MAX_DEPTH} conditions"));
                    }
                    conditions.push((is_defined == (word == "ifdef"), place));
                }
                "else" => match conditions.last_mut() {
                    Some((holds, _)) => *holds = !*holds,
                    None => return Err(format!("{place}: #else without #ifdef")),
                },
                "endif" => {
                    let open = conditions.pop();
                    open.ok_or_else(|| format!("{place}: #endif without #ifdef"))?;
                }
                _ if !is_read => {}
                "define" => {
                    self.defined.insert(needs_name()?, value);
                }
                "include" if value.is_empty() => {
                    let name = self.expanded(&needs_name()?, &place)?;
                    let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
                    let file: PathBuf = folder.join(name.trim_matches('"'));
                    if depth >= MAX_DEPTH {
                        return Err(format!(
                            "{place}: {} is included {MAX_DEPTH} levels deep; does it include itself?",
                            file.display()
                        ));
                    }
                    let read = self.read(&file, depth + 1);
                    read.map_err(|why| format!("{place}: {why}"))?;
                }
                _ => {
                    return Err(format!(
                        "{place}: #{directive}: expected include, define, ifdef, ifndef, else or endif; \
                         run nsplug first"
                    ));
                }
            }
        }
        match conditions.pop() {
            None => Ok(()),
            Some((_, place)) => Err(format!("{place}: the condition has no #endif")),
        }
    }

    /// Replaces `$(NAME)` by the values of `#define`. A name without a value stays, as in `nsplug`.
    fn expanded(&self, line: &str, place: &str) -> Result<String, String> {
        let value = |name: &str| {
            let own = self.defined.get(name).cloned();
            Some(own.unwrap_or_else(|| format!("$({name})")))
        };
        expand(line, "$(", ")", value).map_err(|name| format!("{place}: $({name})"))
    }
}

/// Returns the part of a line of the preprocessor behind `#`. Other lines may contain a `#`, and
/// comments may begin with it.
fn directive(line: &str) -> Option<&str> {
    const WORDS: [&str; 7] = [
        "include",
        "define",
        "ifdef",
        "ifndef",
        "else",
        "elseifdef",
        "endif",
    ];
    let rest = line.trim().strip_prefix('#')?;
    let word = rest.split_whitespace().next().unwrap_or_default();
    (WORDS.contains(&word) || !rest.starts_with([' ', '#'])).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MISSION: &str = r#"
// the start script of the paper
ServerHost = localhost
ServerPort = 9000   // of MOOSDB
Community  = remus
serverport = 9001
define: ORIGIN = 36.6284333
LatOrigin  = ${ORIGIN}
Url = "http://a//b" // kept

ProcessConfig = ANTLER
{
  MSBetweenLaunches = 200
  Run = ./MOOSDB @ NewConsole = true
  Run = pLogger  @ NewConsole = false, XConfig = a ~ logger
}
ProcessConfig = iREMUS {
  BaudRate = 57600
  a line of its own
}
"#;

    #[test]
    fn missions_have_values_blocks_and_programs() {
        let mission = Mission::from_text(MISSION, "m.moos").unwrap();
        assert_eq!(mission.text("SERVERPORT"), Some("9000"));
        assert_eq!(mission.number("LatOrigin"), Ok(Some(36.628_433_3)));
        assert_eq!(mission.number("LongOrigin"), Ok(None));
        assert_eq!(mission.text("Url"), Some("http://a//b"));
        let launches = mission.launches();
        assert_eq!(launches[0].alias, "MOOSDB");
        assert_eq!(launches[0].program, "./MOOSDB");
        assert_eq!(launches[1].alias, "logger");
        assert_eq!(launches[1].options[1], ("XConfig".into(), "a".into()));
        let block = mission.block("iremus").unwrap();
        assert_eq!(block.get("baudrate").unwrap().number(), Ok(57600.0));
        assert_eq!(block.entries.len(), 1);
    }

    #[test]
    fn files_are_included_and_lines_chosen() {
        let folder = std::env::temp_dir().join(format!("merrow_moos_{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
        write(
            "plug.moos",
            "ServerPort = $(PORT)\n#ifdef WARP\nMOOSTimeWarp = $(WARP)\n#else\nNone = 1\n#endif\n",
        );
        write(
            "m.moos",
            "#define PORT 9005\n#define WARP 10\n#include plug.moos\n# a comment\nA = $(B)\n",
        );
        write("self.moos", "#include self.moos\n");
        let mission = Mission::read(&folder.join("m.moos"));
        let why = mission.unwrap_err();
        assert!(
            why.ends_with("m.moos:4: expected `NAME = value`, found \"# a comment\""),
            "{why}"
        );
        write(
            "m.moos",
            "#define PORT 9005\n#define WARP 10\n#include plug.moos\nA = $(B)\n",
        );
        let mission = Mission::read(&folder.join("m.moos")).unwrap();
        assert_eq!(mission.text("ServerPort"), Some("9005"));
        assert_eq!(mission.text("MOOSTimeWarp"), Some("10"));
        assert_eq!(
            (mission.text("None"), mission.text("A")),
            (None, Some("$(B)"))
        );
        assert!(
            mission
                .get("ServerPort")
                .unwrap()
                .place
                .ends_with("plug.moos:1")
        );
        let why = Mission::read(&folder.join("self.moos")).unwrap_err();
        assert!(why.contains("does it include itself?"), "{why}");
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn errors_have_one_line_with_their_place() {
        for (text, expected) in [
            ("A", "m:1: expected `NAME = value`, found \"A\""),
            ("{", "m:1: brace without `ProcessConfig = NAME` before it"),
            ("}", "m:1: closing brace without a block; remove it"),
            (
                "ProcessConfig = p\nA = 1",
                "m:1: ProcessConfig = p: expected `{` in the next line, found \"A = 1\"",
            ),
            (
                "ProcessConfig = p",
                "m:1: ProcessConfig = p: expected `{` after it",
            ),
            (
                "ProcessConfig = p\n{\n",
                "m:1: the block of p is not closed; add `}`",
            ),
            (
                "ProcessConfig = p\n{\nProcessConfig = q",
                "m:2: the block of p is not closed before m:3; add `}`",
            ),
            (
                "A = ${MERROW_MOOS_NOT_SET}",
                "m:1: ${MERROW_MOOS_NOT_SET} is not defined; add `define: MERROW_MOOS_NOT_SET = VALUE` or set the environment variable",
            ),
            ("#endif", "m:1: #endif without #ifdef"),
            ("\n#ifdef A", "m:2: the condition has no #endif"),
            ("#define", "m:1: #define: expected a name after it"),
            (
                "#include a <tag>",
                "m:1: #include a <tag>: expected include, define, ifdef, ifndef, else or endif; run nsplug first",
            ),
        ] {
            let found = Mission::from_text(text, "m").unwrap_err();
            // the open block is at the line of its brace or of its name
            let found = found.replace(
                "m:2: the block of p is not closed; ",
                "m:1: the block of p is not closed; ",
            );
            assert_eq!(found, expected);
        }
    }
}

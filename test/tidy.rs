//! Rules of the code base that a program can check: one-way dependencies, words outside their
//! module, headings, citations, sizes, widths, doc links, and the wording of pages, comments and
//! messages.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

/// Crates in the order data flows; each may depend on those before it.
const ORDER: [&str; 20] = [
    "math",
    "model",
    "environment",
    "physics",
    "raytrace",
    "sensors",
    "comms",
    "sim",
    "autopilot",
    "yaml",
    "schema",
    "world",
    "rtps",
    "ros2",
    "ros2_native",
    "messages",
    "validate",
    "analysis",
    "view",
    "scenery",
];

/// Columns of a line of comment or Markdown.
const WIDTH: usize = 100;
/// Columns of a line of formulas in a block of a doc comment.
const FORMULA_WIDTH: usize = 124;
/// Lines of a function.
const FUNCTION_LINES: usize = 70;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn files_below(folder: &Path, ending: &str, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            let name = entry.file_name();
            if !["target", ".git", "node_modules"]
                .iter()
                .any(|skip| name == *skip)
            {
                files_below(&path, ending, out);
            }
        } else if path.extension().is_some_and(|e| e == ending) {
            out.push(path);
        }
    }
}

/// Returns the files with this ending below the folders, relative to the repository, and their
/// texts.
fn files(folders: &[&str], ending: &str) -> Vec<(String, String)> {
    let mut paths = Vec::new();
    for folder in folders {
        files_below(&root().join(folder), ending, &mut paths);
    }
    paths.sort();
    let relative = |path: &PathBuf| {
        path.strip_prefix(root())
            .unwrap()
            .to_string_lossy()
            .into_owned()
    };
    paths
        .iter()
        .map(|path| (relative(path), std::fs::read_to_string(path).unwrap()))
        .collect()
}

/// Returns the source files of the libraries and the node, without their unit tests.
fn sources() -> Vec<(String, String)> {
    let is_test = |name: &str| {
        ["_test.rs", "_tests.rs", "/tests.rs"]
            .iter()
            .any(|end| name.ends_with(end))
            || name.contains("/tests/")
    };
    files(&["crates", "tools", "src"], "rs")
        .into_iter()
        .filter(|(name, _)| !is_test(name))
        .map(|(name, text)| {
            let tests = [
                "#[cfg(test)]\nmod tests",
                "#[cfg(test)]\npub(crate) mod tests",
            ];
            let end = tests.iter().filter_map(|tests| text.find(tests)).min();
            (name, text[..end.unwrap_or(text.len())].to_string())
        })
        .collect()
}

#[track_caller]
fn expect_none(rule: &str, wrong: &[String]) {
    assert!(
        wrong.is_empty(),
        "{rule}; {} places:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn dependencies_go_one_way() {
    let mut wrong = Vec::new();
    for (own, name) in ORDER.iter().enumerate() {
        let folder = if *name == "scenery" {
            "tools"
        } else {
            "crates"
        };
        let manifest = text(&format!("{folder}/{name}/Cargo.toml"));
        let dependencies = manifest.split("[dependencies]").nth(1).unwrap();
        let dependencies = dependencies.split("\n[").next().unwrap();
        for used in dependencies
            .lines()
            .filter_map(|l| l.strip_prefix("merrow-"))
        {
            let used = used.split('.').next().unwrap();
            if ORDER
                .iter()
                .position(|other| *other == used)
                .is_none_or(|other| other >= own)
            {
                wrong.push(format!("{folder}/{name} depends on {used}"));
            }
        }
    }
    for (name, allowed) in [
        ("ros2", "rtps yaml"),
        ("ros2_native", "ros2"),
        ("yaml", ""),
        ("math", ""),
        ("rtps", ""),
    ] {
        let manifest = text(&format!("crates/{name}/Cargo.toml"));
        for line in manifest.lines().filter(|l| l.starts_with("merrow-")) {
            let used = line["merrow-".len()..]
                .split('.')
                .next()
                .unwrap_or_default();
            if !allowed.split(' ').any(|name| name == used) {
                wrong.push(format!("crates/{name} must not have the line {line}"));
            }
        }
    }
    expect_none("a crate may depend on those before it only", &wrong);
}

/// Words, and where they may be used.
const MODULE_WORDS: [(&str, &[&str]); 18] = [
    (
        "std::fs",
        &[
            "crates/world/",
            "crates/yaml/src/load.rs",
            "crates/ros2/src/bag/",
            "crates/ros2/src/args.rs",
            "crates/ros2/src/installed.rs",
            "crates/rtps/src/udp/networks.rs",
            "crates/validate/src/read/",
            "src/cli/",
            "src/node/checkpoint.rs",
            "src/node/file_access.rs",
        ],
    ),
    (
        "File::open",
        &[
            "crates/world/",
            "crates/yaml/src/load.rs",
            "crates/ros2/src/bag/",
            "src/node/checkpoint.rs",
            "src/node/file_access.rs",
        ],
    ),
    (
        "Instant::now",
        &[
            "crates/autopilot/",
            "crates/comms/tests/world.rs",
            "crates/sim/src/pace.rs",
            "crates/ros2/",
            "crates/ros2_native/src/spin.rs",
            "crates/rtps/src/udp/",
            "crates/view/src/server.rs",
            "src/",
        ],
    ),
    (
        "SystemTime",
        &["crates/ros2/", "crates/rtps/src/participant.rs", "src/"],
    ),
    (
        "clock_gettime",
        &[
            "crates/sim/src/pace.rs",
            "crates/rtps/src/udp/driver.rs",
            "crates/rtps/tests/",
            "crates/comms/tests/network/speed.rs",
            "crates/view/src/readings/load.rs",
        ],
    ),
    ("mul_add", &[]),
    // gravity of a world without the key, standard gravity, and the figure of the Earth
    ("9.81", &["crates/schema/src/lib.rs"]),
    ("9.806", &["crates/environment/src/air/mod.rs"]),
    ("299_792_458", &["crates/environment/src/lib.rs"]),
    ("6_378_137", &["crates/math/src/ellipsoid.rs"]),
    ("7.292_115e-5", &["crates/math/src/ellipsoid.rs"]),
    ("6_371", &["crates/environment/src/magnetic_field.rs"]),
    (
        "merrow_rtps",
        &["crates/ros2/src/embedded/", "crates/rtps/"],
    ),
    ("parry3d", &["crates/physics/src/contact/"]),
    // dlopen and the calls of rmw
    ("merrow_ros2_native", &["src/cli/ros_backend.rs"]),
    (
        "extern \"C\"",
        &[
            "crates/ros2_native/src/ffi.rs",
            "crates/world/src/import/grid/mapped_file.rs",
        ],
    ),
    (".unwrap()", &[]),
    ("todo!", &[]),
];

#[test]
fn words_stay_in_their_modules() {
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        for (n, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            for (word, allowed) in &MODULE_WORDS {
                if code.contains(word) && !allowed.iter().any(|a| file.starts_with(a)) {
                    wrong.push(format!("{file}:{}: {word}", n + 1));
                }
            }
        }
    }
    expect_none("words outside their place", &wrong);
}

#[test]
fn every_law_states_source_symbols_frames_limits_and_tests() {
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        let is_law = text.contains("//! # Law");
        let others = ["mod.rs", "sum.rs", "contributions.rs"];
        let must_be = file.starts_with("crates/physics/src/forces/")
            && !others.iter().any(|name| file.ends_with(name));
        if must_be && !is_law {
            wrong.push(format!("{file}: no `# Law`"));
        }
        if is_law && !file.starts_with("crates/world/") {
            for heading in ["# Symbols", "# Frames", "# Limits", "# Checked by"] {
                if !text.contains(&format!("//! {heading}")) {
                    wrong.push(format!("{file}: no `{heading}`"));
                }
            }
        }
    }
    expect_none("a law states its symbols, frames, limits and tests", &wrong);
}

#[test]
fn tests_that_laws_name_exist() {
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        for word in text.split(|c: char| c.is_whitespace() || ",(`)".contains(c)) {
            let word = word.trim_end_matches(['.', ';', ':']);
            if word.starts_with("test/") && !word.contains('"') && !root().join(word).exists() {
                wrong.push(format!("{file}: {word} does not exist"));
            }
        }
    }
    expect_none("a named test exists", &wrong);
}

#[test]
fn citations_resolve() {
    let sources_md = text("SOURCES.md");
    let keys: BTreeSet<&str> = sources_md
        .lines()
        .filter_map(|l| l.strip_prefix("| ")?.split(" |").next())
        .collect();
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        let joined = text.replace("\n//! ", " ").replace("\n/// ", " ");
        for cited in joined
            .split('[')
            .skip(1)
            .filter_map(|rest| rest.split(']').next())
        {
            // a citation is "Name year" or "Name year, place"
            let key = cited.split([',', ';']).next().unwrap_or_default().trim();
            let year = key.rsplit([' ', '-']).next().unwrap_or_default();
            let looks_cited = year.len() == 4
                && year.chars().all(|c| c.is_ascii_digit())
                && key.contains(' ')
                && key.starts_with(char::is_uppercase);
            if looks_cited && !keys.contains(key) {
                wrong.push(format!("{file}: [{key}]"));
            }
        }
    }
    expect_none("a citation is an entry of SOURCES.md", &wrong);
}

// Goal: SOURCES.md states how many entries have each mark. Method: the counts of the entries of its
// table of keys with the words "confirmed" and "unverified", compared with the sentence above the
// table. Tolerance: none.
#[test]
fn source_counts_match_the_table() {
    let sources_md = text("SOURCES.md");
    let (head, table) = sources_md.split_once("| key | work |").unwrap();
    // below the line of dashes, up to the empty line
    let rows = table.lines().skip(2);
    let entries: Vec<&str> = rows.take_while(|l| !l.is_empty()).collect();
    let count = |is_confirmed: bool, is_unverified: bool| {
        let has_marks = |entry: &&&str| {
            entry.contains("confirmed") == is_confirmed
                && entry.contains("unverified") == is_unverified
        };
        entries.iter().filter(has_marks).count()
    };
    let expected = format!(
        "Of the {} entries, {} are confirmed, {} are confirmed in part and unverified in part, {} \
         are unverified, and {} have no mark.",
        entries.len(),
        count(true, false),
        count(true, true),
        count(false, true),
        count(false, false)
    );
    let head: Vec<&str> = head.split_whitespace().collect();
    let is_stated = head.join(" ").contains(&expected);
    assert!(is_stated, "SOURCES.md does not contain: {expected}");
}

// Goal: each source file of the RTPS library names the sections that it implements. Method: the
// name of the specification in the file, unless the README of the crate lists the file among those
// without a section. Tolerance: none.
#[test]
fn rtps_files_cite_the_specification() {
    let readme = text("crates/rtps/README.md");
    let exempt = readme.lines().find(|line| line.contains("name no section"));
    let exempt = exempt.expect("the list of files without a section");
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        let name = file.rsplit('/').next().unwrap_or_default();
        let is_ours = file.starts_with("crates/rtps/src/");
        let cites = ["RTPS 2.5", "DDS 1.4"].iter().any(|s| text.contains(s));
        if is_ours && cites == exempt.contains(&format!("`{name}`")) {
            wrong.push(file);
        }
    }
    expect_none("a file of the RTPS library cites a section", &wrong);
}

/// Returns the functions of a file: line, name and number of lines.
fn functions(text: &str) -> Vec<(usize, String, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (start, line) in lines.iter().enumerate() {
        let code = line.trim_start();
        let indent = &line[..line.len() - code.len()];
        let Some(position) = code.find("fn ").filter(|_| !code.starts_with("//")) else {
            continue;
        };
        let is_function = code[..position].split_whitespace().all(|word| {
            [
                "pub",
                "pub(crate)",
                "pub(super)",
                "pub(in",
                "crate::engine)",
                "const",
                "unsafe",
                "async",
            ]
            .contains(&word)
        });
        if !is_function || line.trim_end().ends_with(['}', ';']) {
            continue;
        }
        let name = code[position + 3..]
            .split(['(', '<'])
            .next()
            .unwrap()
            .to_string();
        let end = lines[start..].iter().position(|l| {
            // a declaration without a body ends with a semicolon
            l.strip_prefix(indent)
                .is_some_and(|rest| rest == "}" || rest.starts_with(')') && rest.ends_with(';'))
        });
        found.push((start + 1, name, end.map_or(0, |n| n + 1)));
    }
    found
}

#[test]
fn functions_keep_to_their_size() {
    let mut wrong = Vec::new();
    // unit tests and the other tests as well
    for (file, text) in files(&["crates", "tools", "src", "test", "benches"], "rs") {
        for (line, name, n) in functions(&text) {
            if n > FUNCTION_LINES {
                wrong.push(format!("{file}:{line}: {name} has {n} lines"));
            }
        }
    }
    expect_none(
        &format!("a function has at most {FUNCTION_LINES} lines"),
        &wrong,
    );
}

/// Files of a sensor outside the folder of its law.
const SENSOR_FILES: usize = 5;

/// A kind of sensor.
struct RegisteredSensor {
    /// Beginning of the paths of its law.
    law: String,
    /// Names of the types of its parameters and keys.
    types: Vec<String>,
}

/// Returns the modules and types of the paths between `marks` in the lines of a list, which begins
/// with `head`.
fn registered_types<'a>(text: &'a str, head: &str, marks: [&str; 2]) -> Vec<(&'a str, &'a str)> {
    let list = text.split(head).nth(1).unwrap();
    let list = list.split("\n}\n").next().unwrap();
    let split = |line: &'a str| {
        let (path, _) = line.split_once(marks[0])?.1.split_once(marks[1])?;
        let (path, name) = path.rsplit_once("::")?;
        Some((path.rsplit("::").next()?, name))
    };
    list.lines().filter_map(split).collect()
}

/// Returns all kinds of sensors of the registry. The keys of a kind are those of its module.
fn registered_sensors() -> Vec<RegisteredSensor> {
    let kinds = text("crates/schema/src/sensor/mod.rs");
    let configs = registered_types(&kinds, "\ndeclare_kinds! {", [" (", "),"]);
    let registry = text("crates/model/src/sensor/mod.rs");
    let mut specs = Vec::new();
    for list in ["each_step_sensor", "each_exteroceptive_sensor"] {
        let head = format!("macro_rules! {list}");
        specs.extend(registered_types(&registry, &head, ["($crate::", "),"]));
    }
    let with_keys = |(module, name): (&str, &str)| {
        let own = configs.iter().filter(|(other, _)| *other == module);
        let types = own.map(|(_, config)| *config).chain([name]);
        RegisteredSensor {
            law: format!("crates/sensors/src/{module}"),
            types: types.map(str::to_string).collect(),
        }
    };
    specs.into_iter().map(with_keys).collect()
}

/// Returns the words of the lines that are no comments.
fn words_of_code(text: &str) -> HashSet<&str> {
    text.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'))
        .collect()
}

// Goal: adding a sensor changes at most five files outside the folder of its law, as
// docs/extending.md says. Method: the files that name the types of parameters and keys of each
// sensor of the registry; comments do not count. No file outside the registries and the keys names
// a kind of exteroceptive sensor. Tolerance: none.
#[test]
fn sensors_are_named_in_few_files() {
    let sources = sources();
    let words: Vec<(&str, HashSet<&str>)> = sources
        .iter()
        .map(|(name, text)| (name.as_str(), words_of_code(text)))
        .collect();
    let sensors = registered_sensors();
    assert!(sensors.len() >= 26, "{} kinds of sensors", sensors.len());
    let mut wrong = Vec::new();
    for RegisteredSensor { law, types } in sensors {
        assert!(types.len() >= 2, "no keys: {types:?}");
        let found: Vec<&str> = words
            .iter()
            .filter(|(name, words)| {
                !name.starts_with(&law) && types.iter().any(|name| words.contains(name.as_str()))
            })
            .map(|(name, _)| *name)
            .collect();
        if found.len() > SENSOR_FILES || found.is_empty() {
            wrong.push(format!("{}: {}", types.join(" "), found.join(", ")));
        }
    }
    for (file, text) in &sources {
        let names_kind = text.lines().any(|line| {
            let kind = code_of(line).split("ExteroceptiveSpec::").nth(1);
            kind.is_some_and(|kind| !kind.starts_with('$'))
        });
        if names_kind && !file.starts_with("crates/schema/src/sensor/") {
            wrong.push(format!("{file} names a kind of exteroceptive sensor"));
        }
    }
    expect_none(
        &format!("a sensor is named in at most {SENSOR_FILES} files"),
        &wrong,
    );
}

// Goal: comments are readable side by side with code. Method: columns of each line of comment; a
// line with an address is exempt, and so is a formula with aligned columns, which contains two
// consecutive spaces, in a block of code of a doc comment. Tolerance: none.
#[test]
fn comments_keep_to_their_width() {
    let mut wrong = Vec::new();
    for (file, text) in files(&["crates", "tools", "src", "test", "benches"], "rs") {
        let mut in_block = false;
        for (n, line) in text.lines().enumerate() {
            let code = line.trim_start();
            if !code.starts_with("//") {
                in_block = false;
                continue;
            }
            in_block ^= code.contains("```");
            let limit = if in_block && code.contains("  ") {
                FORMULA_WIDTH
            } else {
                WIDTH
            };
            let columns = line.chars().count();
            if columns > limit && !code.contains("://") {
                wrong.push(format!("{file}:{}: {columns} columns", n + 1));
            }
        }
    }
    expect_none(&format!("a comment has at most {WIDTH} columns"), &wrong);
}

/// Verbs that begin the docs of functions although they do not end with "s".
const OTHER_VERBS: [&str; 1] = ["Called"];
/// Nouns that end with "s" and do not begin the docs of functions.
const PLURALS: [&str; 16] = [
    "As",
    "Indices",
    "Components",
    "Coefficients",
    "Contacts",
    "Forces",
    "Positions",
    "Distances",
    "Angles",
    "Errors",
    "Sensors",
    "Velocities",
    "Loss",
    "Slowness",
    "Nanoseconds",
    "Status",
];

// Goal: the doc of a function begins with a verb in the third person, such as "Returns". Method:
// the first word of the doc comment above every function of libraries and node ends with "s".
// Tolerance: none.
#[test]
fn docs_of_functions_begin_with_a_verb() {
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
        for (line, name, _) in functions(&text) {
            let above = lines[..line - 1].iter().rev();
            let doc: Vec<&str> = above
                .skip_while(|l| l.starts_with("#[") || l.starts_with(")]"))
                .take_while(|l| l.starts_with("///"))
                .copied()
                .collect();
            let Some(first) = doc.last().map(|l| l.trim_start_matches("///").trim_start()) else {
                continue;
            };
            let word = first.split([' ', ',', ':']).next().unwrap_or_default();
            let is_verb = word.ends_with('s') && word.starts_with(char::is_uppercase);
            if PLURALS.contains(&word) || !is_verb && !OTHER_VERBS.contains(&word) {
                wrong.push(format!("{file}:{line}: {name}: {first}"));
            }
        }
    }
    expect_none("the doc of a function begins with a verb", &wrong);
}

// Goal: a number never lacks its unit. Method: every public function of a library with a
// floating-point argument or result has a unit in brackets, `[-]` for a plain ratio, or names its
// unit in words. Code, links and citations are no units. Vectors are excluded: their frame is in
// their name. Tolerance: none.
#[test]
fn numbers_of_public_functions_have_units() {
    let year = regex_lite::Regex::new(r"\b(1[89]|20)[0-9]{2}\b").unwrap();
    let is_unit = |text: &str| !text.is_empty() && !text.contains("::") && !year.is_match(text);
    let has_unit = |doc: &str| {
        let words = ["unit", "radian", "metre", "second", "dimensionless"];
        let prose: String = doc.split('`').step_by(2).collect();
        let mut brackets = prose.split('[').skip(1);
        brackets.any(|rest| rest.split_once(']').is_some_and(|(text, _)| is_unit(text)))
            || words.iter().any(|word| prose.to_lowercase().contains(word))
    };
    let mut wrong = Vec::new();
    for (file, text) in files(&["crates"], "rs") {
        let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
        for (n, line) in lines.iter().enumerate() {
            let start = ["pub fn ", "pub const fn ", "pub unsafe fn "];
            if !file.contains("/src/") || !start.iter().any(|s| line.starts_with(s)) {
                continue;
            }
            let signature: String = lines[n..]
                .iter()
                .scan(true, |is_open, l| {
                    std::mem::replace(is_open, !l.contains(['{', ';'])).then_some(*l)
                })
                .collect();
            let above = lines[..n].iter().rev();
            let mut doc: Vec<&str> = above
                .take_while(|l| l.starts_with("///") || l.starts_with("#["))
                .filter(|l| l.starts_with("///"))
                .copied()
                .collect();
            doc.reverse();
            let signature = signature.split('{').next().unwrap_or_default();
            if (signature.contains("f64") || signature.contains("f32")) && !has_unit(&doc.join(" "))
            {
                wrong.push(format!("{file}:{}: {line}", n + 1));
            }
        }
    }
    expect_none("a public function states the unit of its numbers", &wrong);
}

/// Returns the lines of prose of a Markdown text, with their numbers: no tables, code, images or
/// headings.
fn prose_lines(text: &str) -> Vec<(usize, &str)> {
    let mut in_code = false;
    let mut lines = Vec::new();
    for (n, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        } else if !in_code && !line.starts_with(['|', '#']) && !line.starts_with("![") {
            lines.push((n + 1, line));
        }
    }
    lines
}

/// Returns all pages: those of the root, of docs/ and of the crates.
fn pages() -> Vec<(String, String)> {
    let mut pages = files(
        &["docs", "crates", "tools", "test", "meshes", "grids"],
        "md",
    );
    for entry in std::fs::read_dir(root()).unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".md") {
            pages.push((name.clone(), text(&name)));
        }
    }
    pages
}

#[test]
fn pages_keep_to_their_width() {
    let mut wrong = Vec::new();
    for (file, text) in pages() {
        for (n, line) in prose_lines(&text) {
            if line.chars().count() > WIDTH && !line.contains("](") && !line.contains("://") {
                wrong.push(format!("{file}:{n}: {} columns", line.chars().count()));
            }
        }
    }
    expect_none(
        &format!("a line of prose has at most {WIDTH} columns"),
        &wrong,
    );
}

// Goal: a change of a sentence changes one line. Method: a line of prose does not contain the end
// of a sentence before a capital letter, a link or a code span. Tolerance: none.
#[test]
fn pages_have_one_sentence_per_line() {
    let end = regex_lite::Regex::new(r#"[.!?][)"]* +[A-Z\["]"#).unwrap();
    let mut wrong = Vec::new();
    for (file, text) in pages() {
        for (n, line) in prose_lines(&text) {
            let marker = line.trim_start().split(' ').next().unwrap_or_default();
            let is_number =
                marker.ends_with('.') && marker[..marker.len() - 1].parse::<u32>().is_ok();
            let line = if is_number {
                line.trim_start()[marker.len()..].trim_start()
            } else {
                line
            };
            let spans = line.split('`').enumerate();
            let shown: String = spans
                .map(|(k, part)| if k % 2 == 0 { part } else { "X" })
                .collect();
            if end.is_match(&shown) {
                wrong.push(format!("{file}:{n}: {line}"));
            }
        }
    }
    expect_none("a line of a page contains one sentence", &wrong);
}

/// Names that keep their capital in headings.
const PROPER_NAMES: &[&str] = &[
    "Merrow",
    "ROS",
    "I",
    "Kelpie",
    "Thetis",
    "Python",
    "Fast",
    "DDS",
    "Cyclone",
    "Rust",
    "Markdown",
    "Earth",
    "Beaufort",
    "Embree",
    "MuJoCo",
    "Pinocchio",
    "Added",
    "Changed",
    "Fixed",
    "Removed",
    "Unreleased",
    "Xeon",
    "Intel",
    "Doppler",
    "Capytaine",
    "Gazebo",
    "Stonefish",
    "Otter",
    "Heron",
    "Linux",
    "English",
    "Taipan",
    "Remus",
    "Salagou",
    "Hinsdale",
    "Wave",
    "Research",
    "Laboratory",
    "August",
    "Wagner",
    "Coulomb",
    "Kirchhoff",
    "Fossen",
    "Apache",
    "Ekman",
    "Airy",
    "Stokes",
    "Wheeler",
];

/// Words that begin questions and negations; a heading is a noun phrase.
const QUESTIONS: [&str; 8] = ["What", "Where", "How", "Why", "Who", "When", "Which", "Not"];

/// Returns true if a word has more than one letter, and only the first is a capital.
fn is_capitalised(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(char::is_uppercase)
        && !letters.as_str().is_empty()
        && letters.all(char::is_lowercase)
}

#[test]
fn headings_are_in_sentence_case() {
    let mut wrong = Vec::new();
    for (file, text) in pages() {
        let mut in_code = false;
        for (n, line) in text.lines().enumerate() {
            if line.trim_start().starts_with("```") {
                in_code = !in_code;
            }
            let Some(heading) = line.strip_prefix('#').filter(|_| !in_code) else {
                continue;
            };
            let heading = heading.trim_start_matches('#').trim();
            let first = heading.split(' ').next().unwrap_or_default();
            if QUESTIONS.contains(&first) {
                wrong.push(format!("{file}:{}: {heading}: not a noun phrase", n + 1));
            }
            for phrase in heading.split(": ") {
                for word in phrase.split([' ', '-', '/', '(']).skip(1) {
                    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
                    if is_capitalised(word)
                        && !PROPER_NAMES.contains(&word)
                        && !heading.contains('`')
                    {
                        wrong.push(format!("{file}:{}: {heading}", n + 1));
                    }
                }
            }
        }
    }
    expect_none("a heading is a noun phrase in sentence case", &wrong);
}

/// Phrases of the style guide's word list and what replaces them.
const PHRASES: [(&str, &str); 56] = [
    ("worked out", "computed"),
    ("is told", "is reported"),
    ("are told", "are reported"),
    (" tells ", "reports, returns, documents"),
    (" goes by ", "uses, follows"),
    (" heeds ", "uses, follows"),
    (" lets go", "releases"),
    ("takes hold", "latches, grasps"),
    (" mended", "fixed"),
    (" anew", "again, re-"),
    ("that is none", "NaN, none"),
    ("whoever", "clients, callers"),
    ("looks around", "exteroceptive"),
    (" lesser ", "smaller, minimum"),
    ("each for itself", "independently"),
    (" to be had", "available"),
    ("stands in ", "is in"),
    ("stands beside", "is next to"),
    ("laid over", "overlaid, applied"),
    ("is nothing", "is zero, none"),
    ("in vain", "unnecessarily"),
    ("thereby", "rephrase"),
    ("thereof", "rephrase"),
    (" so many ", "n"),
    ("speaks of", "documents"),
    (" at hand ", "available"),
    (" so does ", "name both subjects"),
    (" let go ", "released"),
    ("from memory", "unverified, or name the storage"),
    ("nothing is ", "name the subject"),
    ("knows nothing", "is independent of"),
    (" knows ", "has, receives"),
    (" hears ", "receives"),
    (" wants ", "requests"),
    (" asks ", "requests"),
    ("whatever", "any, regardless of"),
    (" to and fro", "back and forth"),
    (" brings ", "outputs, publishes"),
    (" brought ", "published, moved"),
    (" parted ", "broken, separated"),
    (" parts at ", "breaks at"),
    ("mirrors ", "reflects specularly"),
    ("act as mirror", "reflect specularly"),
    (" glints", "specular reflections"),
    (" picture", "image, figure, plot"),
    (" thing ", "the noun"),
    (" things ", "the noun"),
    ("beside the step", "asynchronously"),
    ("beside them", "concurrently, next to"),
    (" lay over ", "overlay, apply"),
    (" sees ", "measures, receives"),
    (" tell ", "report, return"),
    (" hear ", "receive"),
    (" speak of ", "document"),
    (" or nothing", "or zero, or none"),
    ("sea bottom", "seabed"),
];

/// Returns the patterns that prose does not contain, and what replaces them. They apply to pages,
/// comments, and the messages of libraries and node.
fn patterns() -> Vec<(regex_lite::Regex, &'static str)> {
    let patterns = [
        (r"\bsays?\b", "reports, states"),
        (r"\b(some|any|every|no)thing\b", "the noun"),
        (r"\bknows?\b", "has, uses, has discovered"),
        (r"\bmistakes?\b", "error"),
        (
            r"\bstands? (for|still|in|beside)\b",
            "represents, is stationary",
        ),
        (r"\bsame bits\b", "bit-identical"),
        (r"\bbesides\b", "in addition to"),
        (r"\b(gets?|got)\b", "receives, has"),
        (r"\bcount of\b", "number of"),
        (r"\b(that|those) of\b", "repeat the noun"),
        (r"\bones\b", "repeat the noun"),
        (
            r"\b(this|another|last|first|new|old|next) one\b",
            "repeat the noun",
        ),
        (r"\balone\b", "only, separately"),
        (
            r"\b(nobody|everybody|somebody|whoever)\b",
            "subscribers, callers",
        ),
        (
            r"\b(hears?|wants?|asks?|tells?|sees)\b",
            "receives, requests, reports",
        ),
        (r"\b(goes|go) on\b", "continues"),
        (r"\bwhat (touches|looks|comes|happens|goes)\b", "the noun"),
        (
            r"\bpresent (pose|mode|leg|value|state|position|heading|angle|course|wrench|waves|sea)\b",
            "current",
        ),
        (r"\bthe present\b", "the current"),
        (
            r"\b(on|along) (its|the|their) way\b",
            "in transit, on the path",
        ),
        (r"\b(way|line)s? of (the )?(sound|light)\b", "path, ray"),
        (
            r"\b(commands?|wrench|forces?|robots?) from outside\b",
            "external, direct",
        ),
    ];
    let compile = |pattern| regex_lite::Regex::new(pattern).unwrap();
    patterns
        .map(|(pattern, instead)| (compile(pattern), instead))
        .into()
}

/// Words with a technical use: pattern, what replaces the word elsewhere, and the technical uses.
const TECHNICAL: [(&str, &str, &str); 4] = [
    (r"\bmiddle\b", "centre, midpoint, mean", r"^ *middle(:| *$)"),
    (
        r"\bmirrors?\b",
        "specular reflection",
        r"\blloyd('s)? mirror|\bmirror images?\b|\bmirror or head\b",
    ),
    (
        r"\bthe (bottom|ground)\b",
        "the seabed, the terrain, the lower edge",
        r"\bthe bottom([ -](lock|track|search|paint|bar)| of)|\bthe ground (effect|station|truth)|\bon the ground\b",
    ),
    // "of the one ... of the other"
    (r"\bthe one\b", "the first, the noun", r"\bthe one(-| or )"),
];

/// Returns the words of a text in lower case that [`TECHNICAL`] replaces, and what replaces them.
/// Code spans and placeholders of messages do not count.
fn find_untechnical(
    rules: &[(regex_lite::Regex, &'static str, regex_lite::Regex)],
    prose: &str,
) -> Option<(String, &'static str)> {
    rules.iter().find_map(|(pattern, instead, technical)| {
        pattern.find(prose)?;
        let code = regex_lite::Regex::new(r"`[^`]*`|\{[^}]*\}").unwrap();
        let text = code.replace_all(prose, "X");
        let text = technical.replace_all(&text, "X");
        let found = pattern.find(&text)?;
        Some((found.as_str().to_string(), *instead))
    })
}

/// Returns the string literals of a line of code; a line whose string continues on the next line
/// counts as a whole.
fn messages_of(line: &str) -> String {
    if line.ends_with('\\') {
        return line.to_string();
    }
    let strings: Vec<&str> = code_of(line).split('"').skip(1).step_by(2).collect();
    strings.join(" ")
}

/// Returns the comment of a line, after the mark `mark`.
fn comment_of<'a>(line: &'a str, mark: &str) -> &'a str {
    line.split_once(mark).map_or("", |(_, comment)| comment)
}

/// Returns the docstrings and comments of a Python script, each in its line.
fn python_prose(text: &str) -> String {
    let mut in_docstring = false;
    let mut prose = String::new();
    for line in text.lines() {
        let marks = line.matches("\"\"\"").count();
        prose += if in_docstring || marks > 0 {
            line
        } else {
            comment_of(line, "#")
        };
        prose.push('\n');
        in_docstring ^= marks % 2 == 1;
    }
    prose
}

/// Returns the text files that are not Rust sources, with the mark of their comments; empty: all is
/// prose.
fn other_files() -> Vec<(String, String, &'static str)> {
    let kinds: [(&[&str], &str, &str); 14] = [
        (&["params", "worlds", "config", "docs", "ros"], "yaml", ""),
        (&["config"], "parm", ""),
        (&["ros"], "srdf", ""),
        (&["config", "ros"], "xml", ""),
        (&["ros"], "rviz", ""),
        (&["crates", "tools", "fuzz"], "toml", "#"),
        (&["crates/view/page"], "html", ""),
        (&["crates/view/page"], "js", "//"),
        (&["test"], "sh", "#"),
        (&["test"], "txt", "#"),
        (&["ros"], "msg", "#"),
        (&["ros"], "srv", "#"),
        (&["benches", "test"], "cpp", "//"),
        (&["benches", "test"], "hpp", "//"),
    ];
    let mut found = Vec::new();
    for (folders, ending, mark) in kinds {
        let of_kind = files(folders, ending).into_iter();
        found.extend(of_kind.map(|(name, text)| (name, text, mark)));
    }
    let scripts = ["benches", "docs", "meshes", "ros", "test", "tools"];
    for (name, text) in files(&scripts, "py") {
        found.push((name, python_prose(&text), ""));
    }
    // scripts without an ending
    for name in [
        "Cargo.toml",
        ".ci/run",
        "test/run",
        "benches/run",
        "benches/ros",
        "benches/threads",
        "benches/sensors",
        "benches/rays",
        "benches/instructions",
        "docs/render_images",
    ] {
        found.push((name.to_string(), text(name), "#"));
    }
    found
}

// Goal: pages, comments and messages use standard technical English. Method: the patterns of
// `patterns` in pages, in the comments of all sources and scripts, and in the messages of libraries
// and node. Tolerance: none.
#[test]
fn prose_has_no_vague_references() {
    let patterns = patterns();
    let compile = |pattern| regex_lite::Regex::new(pattern).unwrap();
    let technical =
        TECHNICAL.map(|(pattern, instead, uses)| (compile(pattern), instead, compile(uses)));
    let mut wrong = Vec::new();
    let mut check = |file: &str, n: usize, prose: &str| {
        // most lines of code contain no prose
        if prose.trim().is_empty() {
            return;
        }
        let prose = prose.to_lowercase();
        for (pattern, instead) in &patterns {
            if let Some(found) = pattern.find(&prose) {
                wrong.push(format!("{file}:{}: `{}`: {instead}", n + 1, found.as_str()));
            }
        }
        if let Some((found, instead)) = find_untechnical(&technical, &prose) {
            wrong.push(format!("{file}:{}: `{found}`: {instead}", n + 1));
        }
    };
    for (file, text) in pages() {
        // titles of publications are quoted
        let is_quoted = file == "SOURCES.md";
        for (n, line) in text.lines().enumerate().filter(|_| !is_quoted) {
            check(&file, n, line);
        }
    }
    for (file, text) in sources() {
        for (n, line) in text.lines().enumerate() {
            check(&file, n, &messages_of(line));
        }
    }
    let all = ["crates", "tools", "src", "benches", "test", "fuzz", "docs"];
    for (file, text) in files(&all, "rs") {
        // this file lists the patterns
        for (n, line) in text.lines().enumerate().filter(|_| file != "test/tidy.rs") {
            check(&file, n, comment_of(line, "//"));
        }
    }
    for (file, text, mark) in other_files() {
        for (n, line) in text.lines().enumerate() {
            let prose = if mark.is_empty() {
                line
            } else {
                comment_of(line, mark)
            };
            check(&file, n, prose);
        }
    }
    expect_none("prose repeats nouns and uses standard verbs", &wrong);
}

// Goal: error messages have the form that CONVENTIONS.md defines. Method: in the messages of
// libraries and node, `found` does not precede `expected` in a clause, a statement before
// `expected` ends with a semicolon, and so does the text before a remedy. Tolerance: none.
#[test]
fn messages_state_the_expected_value_first() {
    let compile = |pattern| regex_lite::Regex::new(pattern).unwrap();
    let order = compile(r"\bfound\b[^;]*[,;:] expected\b");
    let comma = compile(r", expected\b");
    let remedy = compile(
        r"[a-z0-9`)}]: (use|write|set|repair|add|give|rename|remove|choose|create|enable|start|increase|convert|run|check|install) [^+]",
    );
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        for (n, line) in text.lines().enumerate() {
            let message = messages_of(line);
            let patterns = [&order, &comma, &remedy];
            if patterns.iter().any(|pattern| pattern.is_match(&message)) {
                wrong.push(format!("{file}:{}: {}", n + 1, message.trim()));
            }
        }
    }
    expect_none(
        "a message is `what is wrong; expected X, found Y; do Z`",
        &wrong,
    );
}

/// Returns the prose of a line of Rust: its string literals and its comment. A line whose string
/// continues on the next line counts as a whole.
fn prose_of(line: &str) -> String {
    if line.ends_with('\\') {
        return line.to_string();
    }
    let (code, comment) = line.split_once("//").unwrap_or((line, ""));
    let strings: Vec<&str> = code.split('"').skip(1).collect();
    format!("{} {comment}", strings.join(" "))
}

#[test]
fn prose_uses_standard_words() {
    let mut wrong = Vec::new();
    let mut check = |place: String, prose: &str| {
        if prose.trim().is_empty() {
            return;
        }
        let padded = format!(" {} ", prose.to_lowercase());
        for (phrase, instead) in PHRASES {
            if padded.contains(phrase) {
                wrong.push(format!("{place}: `{}`: {instead}", phrase.trim()));
            }
        }
    };
    for (file, text) in pages() {
        for (n, line) in text.lines().enumerate() {
            check(format!("{file}:{}", n + 1), line);
        }
    }
    for (file, text) in files(
        &["crates", "tools", "src", "benches", "test", "fuzz", "docs"],
        "rs",
    ) {
        // this file lists the phrases
        if file == "test/tidy.rs" {
            continue;
        }
        for (n, line) in text.lines().enumerate() {
            check(format!("{file}:{}", n + 1), &prose_of(line));
        }
    }
    for (file, text, _) in other_files() {
        for (n, line) in text.lines().enumerate() {
            check(format!("{file}:{}", n + 1), line);
        }
    }
    expect_none("words that the style guide replaces", &wrong);
}

/// Words that a public name does not contain: `min`, `max` and `count` say which is meant.
const VAGUE: [&str; 5] = ["lesser", "least", "most", "many", "few"];

/// Returns the parts of a name in snake case or camel case, in lower case, without the fixed
/// phrases "at most" and "at least".
fn name_parts(name: &str) -> Vec<String> {
    let mut snake = String::new();
    for c in name.chars() {
        if c.is_uppercase() {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
    }
    let snake = snake.replace("at_most", "").replace("at_least", "");
    snake.split('_').map(str::to_string).collect()
}

// Goal: public names state minimum, maximum and count. Method: the names that a line with `pub`
// declares, and the names of the variants and keys of public types. Tolerance: none.
#[test]
fn public_names_have_no_vague_words() {
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        for (n, line) in text.lines().enumerate() {
            let mut names = BTreeSet::new();
            add_declared(line, &mut names);
            let is_public = line.trim_start().starts_with("pub ");
            let is_key = file.starts_with("crates/schema/");
            for name in names.iter().filter(|_| is_public || is_key) {
                let parts = name_parts(name);
                if parts.iter().any(|part| VAGUE.contains(&part.as_str())) {
                    wrong.push(format!("{file}:{}: {name}", n + 1));
                }
            }
        }
    }
    expect_none("a public name says min, max or count", &wrong);
}

// Goal: a crate declares only dependencies that it uses. Method: the name of each dependency occurs
// in a source file of the crate. Tolerance: none.
#[test]
fn declared_dependencies_are_used() {
    let mut wrong = Vec::new();
    for name in ORDER {
        let folder = if name == "scenery" { "tools" } else { "crates" };
        let manifest = text(&format!("{folder}/{name}/Cargo.toml"));
        let dependencies = manifest.split("[dependencies]").nth(1).unwrap();
        let dependencies = dependencies.split("\n[").next().unwrap();
        let code: String = files(&[&format!("{folder}/{name}/src")], "rs")
            .into_iter()
            .map(|(_, text)| text)
            .collect();
        for line in dependencies.lines().filter(|l| l.contains(".workspace")) {
            let used = line.split('.').next().unwrap().replace('-', "_");
            // the macros that declare keys expand to it
            let is_in_macro = name == "schema" && used == "serde_json";
            if !is_in_macro && !code.contains(&format!("{used}::")) {
                wrong.push(format!("{folder}/{name}: {used}"));
            }
        }
    }
    expect_none("a declared dependency is used", &wrong);
}

#[test]
fn paths_in_the_map_exist() {
    let mut wrong = Vec::new();
    for (file, text) in pages() {
        if file.starts_with("CHANGELOG") {
            continue;
        }
        for word in text.split('`').skip(1).step_by(2) {
            let path = word.trim_end_matches('/');
            let is_ours = ["crates/", "src/", "test/", "tools/", "benches/", "docs/"]
                .iter()
                .any(|top| path.starts_with(top));
            let is_path = is_ours && !word.contains([' ', '*', '>', '<', '$', '{', '\n']);
            // the example sensor of the page is not in the tree
            let is_example = word.ends_with("/inclinometer.rs");
            if is_path && !is_example && !root().join(path).exists() {
                wrong.push(format!("{file}: `{word}`"));
            }
        }
    }
    expect_none("a path named on a page exists", &wrong);
}

#[test]
fn figures_are_shown() {
    let pages: String = pages().into_iter().map(|(_, text)| text).collect();
    let mut wrong = Vec::new();
    // a command of a page with a wrong working folder creates it
    if root().join("docs/docs").exists() {
        wrong.push("docs/docs".to_string());
    }
    for ending in ["png", "jpg", "svg"] {
        let mut figures = Vec::new();
        files_below(&root().join("docs"), ending, &mut figures);
        for figure in figures {
            let name = figure.file_name().unwrap().to_string_lossy().into_owned();
            if !pages.contains(&name) {
                wrong.push(figure.display().to_string());
            }
        }
    }
    expect_none("a figure is shown on a page", &wrong);
}

// Goal: no folder such as `docs/docs`, which a command creates in the wrong folder. Method: no
// folder of the repository contains a folder of the same name. Tolerance: none.
#[test]
fn folders_do_not_contain_their_own_name() {
    fn walk(folder: &Path, wrong: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let is_ours = !["target", "node_modules"].iter().any(|skip| name == *skip)
                && !name.to_string_lossy().starts_with('.');
            if path.is_dir() && is_ours {
                if folder != root() && folder.file_name() == Some(&name) {
                    wrong.push(path.display().to_string());
                }
                walk(&path, wrong);
            }
        }
    }
    let mut wrong = Vec::new();
    walk(root(), &mut wrong);
    expect_none("a folder contains a folder of its own name", &wrong);
}

/// Returns the keys that the declarations of a file of `crates/schema` between two texts contain.
fn declared_keys(text: &str, from: &str, to: &str) -> BTreeSet<String> {
    let text = text.split(from).nth(1).unwrap();
    let text = text.split(to).next().unwrap();
    let lines = text.lines().map(str::trim_start);
    let keys = lines.filter_map(|l| Some(l.trim_start_matches("..").split_once(": ")?.0));
    let is_key = |key: &&str| {
        key.chars()
            .all(|c| c.is_ascii_lowercase() || "_23".contains(c))
    };
    keys.filter(is_key).map(str::to_string).collect()
}

// Goal: the head of transceiver.rs lists the keys of modem files. Method: every key that the schema
// declares for the media and for the type of a modem occurs in the list, and every word of the list
// that ends with a unit is such a key. Tolerance: none.
#[test]
fn keys_of_modem_files_are_listed() {
    let list = text("crates/model/src/scene/comms/transceiver.rs");
    let list = list.split("//! ```").nth(1).unwrap();
    let words = |text: &str| -> BTreeSet<String> {
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.map(str::to_string).collect()
    };
    let modem = text("crates/schema/src/comms/mod.rs");
    let mut keys = declared_keys(
        &text("crates/schema/src/comms/medium.rs"),
        "pub enum MediumConfig",
        "\0",
    );
    keys.extend(declared_keys(
        &modem,
        "pub struct ModemConfig",
        "pub struct ClockConfig",
    ));
    keys.remove("medium");
    let listed = words(list);
    let missing: Vec<String> = keys.difference(&listed).cloned().collect();
    expect_none("the list lacks keys of modem files", &missing);
    let units = [
        "_m", "_s", "_w", "_db", "_hz", "_khz", "_mhz", "_deg", "_bits", "_bytes", "_um", "_nm",
    ];
    let is_outdated =
        |word: &&String| units.iter().any(|unit| word.ends_with(unit)) && !keys.contains(*word);
    let outdated: Vec<String> = listed.iter().filter(is_outdated).cloned().collect();
    expect_none("the list has keys that modem files do not have", &outdated);
}

#[test]
fn open_points_name_their_issue() {
    let marks = [
        "TO".to_string() + "DO",
        "FIX".to_string() + "ME",
        "X".repeat(3),
    ];
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        for (n, line) in text.lines().enumerate() {
            if marks.iter().any(|m| line.contains(m.as_str())) && !line.contains("(#") {
                wrong.push(format!("{file}:{}", n + 1));
            }
        }
    }
    expect_none("an open point names its issue", &wrong);
}

#[test]
fn every_dependency_has_its_reason() {
    let manifest = text("Cargo.toml");
    let section = manifest.split("[workspace.dependencies]").nth(1).unwrap();
    let section = section.split("\n[").next().unwrap();
    let mut reason = false;
    for line in section.lines().filter(|l| !l.is_empty()) {
        let family = line.starts_with("rand") || line.starts_with("merrow-");
        assert!(
            line.starts_with('#') || reason || family,
            "no reason above: {line}"
        );
        reason = line.starts_with('#');
    }
}

#[test]
fn crates_introduce_themselves() {
    let mut wrong = Vec::new();
    for name in ORDER {
        let folder = if name == "scenery" { "tools" } else { "crates" };
        if !root().join(format!("{folder}/{name}/README.md")).is_file() {
            wrong.push(format!("{folder}/{name}: no README.md"));
        }
        let library = text(&format!("{folder}/{name}/src/lib.rs"));
        let head: String = library
            .lines()
            .take_while(|l| l.starts_with("//!"))
            .collect();
        if !head.contains("```") {
            wrong.push(format!("{folder}/{name}/src/lib.rs: no example"));
        }
    }
    expect_none("a crate has a README and an example", &wrong);
}

/// Returns the crates of the workspace that a crate depends on.
fn dependencies_of(name: &str) -> BTreeSet<String> {
    let folder = if name == "scenery" { "tools" } else { "crates" };
    let manifest = text(&format!("{folder}/{name}/Cargo.toml"));
    let dependencies = manifest.split("[dependencies]").nth(1).unwrap();
    let dependencies = dependencies.split("\n[").next().unwrap();
    let lines = dependencies
        .lines()
        .filter_map(|l| l.strip_prefix("merrow-"));
    lines
        .map(|l| l.split('.').next().unwrap().replace('-', "_"))
        .collect()
}

/// Returns the crates that the sentences of `page` with `phrase` name, after it or before it.
fn named_crates(page: &str, phrase: &str, is_after: bool) -> BTreeSet<String> {
    let joined = page.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut named = BTreeSet::new();
    for sentence in joined.split(". ") {
        let Some((before, after)) = sentence.split_once(phrase) else {
            continue;
        };
        let part = if is_after { after } else { before };
        let words = part.split(|c: char| !c.is_alphanumeric() && c != '_');
        named.extend(
            words
                .filter(|word| ORDER.contains(word))
                .map(str::to_string),
        );
    }
    named
}

// Goal: the README of a crate names its place among the crates. Method: the crates in the sentence
// with "depends on", compared with its Cargo.toml; the crates in the sentence with "depend on it",
// if the page has one that names crates, compared with the other Cargo.toml. Tolerance: none.
#[test]
fn readmes_name_the_dependencies() {
    let mut wrong = Vec::new();
    for name in ORDER {
        let folder = if name == "scenery" { "tools" } else { "crates" };
        let page = text(&format!("{folder}/{name}/README.md"));
        let named = named_crates(&page, "The crate depends on ", true);
        let expected = dependencies_of(name);
        if named != expected {
            wrong.push(format!("{name} depends on {expected:?}, README: {named:?}"));
        }
        let mut users = named_crates(&page, " depend on it", false);
        users.extend(named_crates(&page, " depends on it", false));
        let uses_it = |other: &&str| dependencies_of(other).contains(name);
        let expected = ORDER.into_iter().filter(uses_it);
        let expected: BTreeSet<String> = expected.map(str::to_string).collect();
        // all simulation crates depend on math
        if users != expected && name != "math" {
            wrong.push(format!("users of {name}: {expected:?}, README: {users:?}"));
        }
    }
    expect_none("the README of a crate names its dependencies", &wrong);
}

#[test]
fn params_state_their_source() {
    let files = files(&["params"], "yaml");
    assert!(files.len() > 15);
    for (path, text) in files {
        let inherits = text.lines().any(|l| l.starts_with("extends:"));
        let states = text.lines().any(|l| l.starts_with("source:"));
        assert!(inherits || states, "{path}: no source");
    }
}

// Goal: a value without a source is marked, as SOURCES.md says. Method: the words "guessed" and
// "assumed" in parameter files follow "unverified (". Tolerance: none.
#[test]
fn guessed_values_are_marked() {
    let mut wrong = Vec::new();
    for (file, text) in files(&["params"], "yaml") {
        let words = ["guessed", "assumed"];
        let count = |text: &str| -> usize {
            let counts = words.iter().map(|word| text.matches(word).count());
            counts.sum()
        };
        let marked = words.map(|word| text.matches(&format!("unverified ({word}")).count());
        if count(&text) != marked.iter().sum::<usize>() {
            wrong.push(file);
        }
    }
    expect_none("a guessed or assumed value is `unverified (...)`", &wrong);
}

/// Returns a key of SOURCES.md in lower case, with the accented letters that keys contain as plain
/// letters.
fn sort_key(key: &str) -> String {
    let plain = |c: char| match c {
        'å' | 'ä' => 'a',
        'é' => 'e',
        'ö' | 'ø' => 'o',
        _ => c,
    };
    key.to_lowercase().chars().map(plain).collect()
}

// Goal: a reader finds an entry of SOURCES.md by its name. Method: the order of the keys of the
// table, without case and accents. Tolerance: none.
#[test]
fn sources_are_sorted() {
    let sources_md = text("SOURCES.md");
    let (_, table) = sources_md.split_once("| key | work |").unwrap();
    let rows = table.lines().skip(2).map_while(|l| l.strip_prefix("| "));
    let keys: Vec<String> = rows
        .map(|row| sort_key(row.split(" |").next().unwrap()))
        .collect();
    let wrong: Vec<String> = keys
        .windows(2)
        .filter(|pair| pair[0] > pair[1])
        .map(|pair| format!("{} precedes {}", pair[0], pair[1]))
        .collect();
    expect_none("the entries of SOURCES.md are sorted", &wrong);
}

// Goal: statements are confirmed or marked `unverified`; none rests on memory. Method: the phrase
// in the table of sources, in the parameter files and in the descriptions of keys, whose lines are
// joined. Tolerance: none.
#[test]
fn no_statement_is_from_memory() {
    let mut all = files(&["params"], "yaml");
    all.extend(files(&["crates/schema"], "rs"));
    all.push(("SOURCES.md".to_string(), text("SOURCES.md")));
    let mut wrong = Vec::new();
    for (file, text) in all {
        let joined = text.to_lowercase().replace("///", " ").replace("//!", " ");
        let words: Vec<&str> = joined.split_whitespace().collect();
        if words.join(" ").contains("from memory") {
            wrong.push(file);
        }
    }
    expect_none("a statement is confirmed or marked `unverified`", &wrong);
}

/// Returns the part of a line of code before its comment.
fn code_of(line: &str) -> &str {
    line.split("//").next().unwrap_or_default()
}

/// Returns the words of a line of code, without its comment.
fn code_words(line: &str) -> impl Iterator<Item = &str> {
    code_of(line)
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
}

/// Adds the names of the items, fields and variants that a line of code declares.
fn add_declared<'a>(line: &'a str, names: &mut BTreeSet<&'a str>) {
    let keywords = [
        "fn",
        "struct",
        "enum",
        "union",
        "trait",
        "type",
        "const",
        "static",
        "mod",
        "macro_rules",
    ];
    let words: Vec<&str> = code_words(line).collect();
    let items = words.windows(2).filter(|pair| keywords.contains(&pair[0]));
    names.extend(items.map(|pair| pair[1]));
    let mut code = code_of(line).trim();
    for visibility in ["pub ", "pub(crate) ", "pub(super) "] {
        code = code.strip_prefix(visibility).unwrap_or(code);
    }
    let end = code.find(|c: char| !c.is_alphanumeric() && c != '_');
    let (name, rest) = code.split_at(end.unwrap_or(code.len()));
    let rest = rest.trim_start();
    let is_variant = name.starts_with(char::is_uppercase)
        && (rest.is_empty() || rest.starts_with([',', '(', '{', '=']));
    let is_field = rest.starts_with(':') && !rest.starts_with("::");
    if is_variant || is_field {
        names.insert(name);
    }
}

/// Returns true if the path of a link from a file with these words names a declared item. A path of
/// one segment, or behind `Self`, must occur in the code of the file.
fn is_resolved(path: &str, words: &BTreeSet<&str>, declared: &BTreeSet<&str>) -> bool {
    let path = path.split('<').next().unwrap_or_default();
    let segments: Vec<&str> = path
        .trim_end_matches(['(', ')', '!'])
        .split("::")
        .filter(|name| !name.is_empty())
        .collect();
    match segments[..] {
        [] | ["std" | "core" | "alloc", ..] => true,
        [name] | ["Self", name] => words.contains(name),
        _ => segments.iter().all(|name| {
            let is_place = ["crate", "super", "self", "Self"].contains(name);
            is_place || name.starts_with("merrow") || declared.contains(name)
        }),
    }
}

// Goal: a link in a doc comment names an item that exists. `cargo doc` does not check this, because
// it takes units in brackets for links. Method: text search for the segments of every [`path`]
// among the declared names; see `is_resolved`. Tolerance: none.
#[test]
fn doc_links_name_existing_items() {
    let files = files(&["crates", "tools", "src"], "rs");
    let mut declared = BTreeSet::new();
    for (_, text) in &files {
        text.lines()
            .for_each(|line| add_declared(line, &mut declared));
    }
    let mut wrong = Vec::new();
    for (file, text) in &files {
        let words: BTreeSet<&str> = text.lines().flat_map(code_words).collect();
        for (n, line) in text.lines().enumerate() {
            let doc = line.trim_start();
            if !doc.starts_with("///") && !doc.starts_with("//!") {
                continue;
            }
            let links = doc.split("[`").skip(1);
            for path in links.filter_map(|rest| rest.split_once("`]").map(|(path, _)| path)) {
                if !path.contains(['`', ' ']) && !is_resolved(path, &words, &declared) {
                    wrong.push(format!("{file}:{}: {path}", n + 1));
                }
            }
        }
    }
    expect_none("a link in a doc comment names an existing item", &wrong);
}

/// The crates of a build for this machine have licences that deny.toml lists, and come from the
/// registry. `cargo deny` checks all platforms and the advisories.
#[test]
fn dependencies_have_accepted_licences() {
    let rules = std::fs::read_to_string("deny.toml").unwrap();
    let list = rules.split("allow = [").nth(1).unwrap();
    let list = list.split(']').next().unwrap();
    let allowed: HashSet<_> = list.split('"').skip(1).step_by(2).collect();
    let platform = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let arguments = [
        "metadata",
        "--format-version=1",
        "--locked",
        "--all-features",
    ];
    let output = std::process::Command::new("cargo")
        .args(arguments)
        .args(["--filter-platform", &platform])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let is_allowed = |choice: &str| allowed.contains(choice.trim_matches(['(', ')', ' ']));
    let mut wrong = Vec::new();
    for package in packages {
        let name = &package["name"];
        let text = package["license"].as_str().unwrap_or_default();
        // each part of a conjunction offers a choice
        let mut parts = text.split(" AND ");
        if !parts.all(|part| part.replace('/', " OR ").split(" OR ").any(is_allowed)) {
            wrong.push(format!("{name}: licence {text:?}"));
        }
        let source = package["source"].as_str().unwrap_or("registry+");
        if !source.starts_with("registry+") {
            wrong.push(format!("{name}: source {source}"));
        }
    }
    assert!(packages.len() > 100);
    expect_none("dependencies have licences of deny.toml", &wrong);
}

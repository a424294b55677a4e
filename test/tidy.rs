//! Rules of the code base that a program can check: one-way dependencies, words outside their
//! module, headings, citations, sizes, widths, doc links, and the wording of pages, comments and
//! messages.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

/// Crates in the order data flows; each may depend on those before it.
const ORDER: [&str; 26] = [
    "math",
    "derive",
    "yaml",
    "persist",
    "tasks",
    "model",
    "environment",
    "physics",
    "raytrace",
    "sensors",
    "comms",
    "control",
    "world",
    "sim",
    "moos",
    "autopilot",
    "rtps",
    "interfaces",
    "ros2",
    "ros2_native",
    "messages",
    "chart",
    "validate",
    "analysis",
    "view",
    "scenery",
];

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
        let dependencies = manifest.split("[dependencies]").nth(1).unwrap_or_default();
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
        ("ros2", "rtps yaml interfaces"),
        ("ros2_native", "ros2"),
        ("interfaces", ""),
        ("yaml", ""),
        ("math", ""),
        ("rtps", ""),
    ] {
        let manifest = text(&format!("crates/{name}/Cargo.toml"));
        // code that tests share is no part of a library
        let (manifest, _) = manifest
            .split_once("[dev-dependencies]")
            .unwrap_or((&manifest, ""));
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
            "crates/interfaces/",
            "crates/messages/build.rs",
            "crates/moos/src/feed.rs",
            "crates/moos/src/mission.rs",
            "crates/moos/src/server.rs",
            "crates/moos/tests/",
            "crates/ros2/build.rs",
            "crates/world/",
            "crates/yaml/src/load.rs",
            "crates/ros2/src/bag/",
            "crates/ros2/src/args.rs",
            "crates/ros2/src/installed.rs",
            "crates/rtps/src/udp/networks.rs",
            "crates/validate/src/read.rs",
            "crates/validate/src/program.rs",
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
            "src/cli/moos/",
            "src/node/checkpoint.rs",
            "src/node/file_access.rs",
        ],
    ),
    (
        "Instant::now",
        &[
            "crates/autopilot/",
            "crates/moos/",
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
        &[
            "crates/moos/src/clock.rs",
            "crates/ros2/",
            "crates/rtps/src/participant.rs",
            "src/",
        ],
    ),
    (
        "clock_gettime",
        &[
            "crates/sim/src/pace.rs",
            "crates/rtps/src/udp/driver.rs",
            "crates/comms/tests/network/speed.rs",
            "crates/view/src/readings/load.rs",
        ],
    ),
    ("mul_add", &[]),
    // gravity of a world without the key, standard gravity, and the figure of the Earth
    ("9.81", &["crates/world/src/context.rs"]),
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
fn every_law_states_its_limits_and_tests() {
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        let is_law = text.contains("//! # Law");
        let others = ["mod.rs", "sum.rs", "contributions.rs", "interface.rs"];
        let must_be = file.starts_with("crates/physics/src/forces/")
            && !others.iter().any(|name| file.ends_with(name));
        if must_be && !is_law {
            wrong.push(format!("{file}: no `# Law`"));
        }
        if is_law && !file.starts_with("crates/world/") {
            for heading in ["# Limits", "# Checked by"] {
                if !text.contains(&format!("//! {heading}")) {
                    wrong.push(format!("{file}: no `{heading}`"));
                }
            }
        }
    }
    expect_none("a law states its limits and tests", &wrong);
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

// SOURCES.md states how many entries have each mark. Method: the counts of the entries of its table
// of keys with the words "confirmed" and "unverified", compared with the sentence above the table.
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

// Each source file of the RTPS library names the sections that it implements. Method: the name of
// the specification in the file, unless the README of the crate lists the file among those without
// a section.
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
    let kinds = text("crates/world/src/sensor/mod.rs");
    let configs = registered_types(&kinds, "\ndeclare_kinds! {", [" (", "),"]);
    let registry = text("crates/model/src/sensor/registry.rs");
    let mut specs = Vec::new();
    for list in ["each_step_sensor", "each_exteroceptive_sensor"] {
        let head = format!("macro_rules! {list}");
        specs.extend(registered_types(&registry, &head, ["($crate::", ")"]));
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

// Adding a sensor changes at most five files outside the folder of its law, as docs/guides/extending.md
// says. Method: the files that name the types of parameters and keys of each sensor of the
// registry; comments do not count. No file outside the registries and the keys names a kind of
// exteroceptive sensor.
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
        if names_kind && !file.starts_with("crates/world/src/sensor/") {
            wrong.push(format!("{file} names a kind of exteroceptive sensor"));
        }
    }
    expect_none(
        &format!("a sensor is named in at most {SENSOR_FILES} files"),
        &wrong,
    );
}

// A number never lacks its unit. Method: every public function of a library with a floating-point
// argument or result has a unit in brackets, `[-]` for a plain ratio, or names its unit in words.
// Code, links and citations are no units. Vectors are excluded: their frame is in their name.
/// Returns the entries of a list of files and types: `file: Type = "name",`.
fn listed_types<'a>(text: &'a str, list: &str) -> Vec<(&'a str, &'a str)> {
    let entries = text.split(&format!("macro_rules! {list} ")).nth(1).unwrap();
    let entries = entries.split("\n}\n").next().unwrap();
    let split = |line: &'a str| {
        let (file, rest) = line.trim_end_matches(',').split_once(": ")?;
        let (name, word) = rest.split_once(" = ")?;
        word.ends_with('"').then_some((file.trim(), name))
    };
    entries.lines().filter_map(split).collect()
}

/// Returns the entries of a list that more than `most` source files name by one of the `words` of the
/// entry, outside of the list and of the two files of the entry in `folders`.
fn named_elsewhere(
    (path, list): (&str, &str),
    folders: [&str; 2],
    words: fn(&str, &str) -> Vec<String>,
    most: usize,
) -> Vec<String> {
    let registry = text(path);
    let entries = listed_types(&registry, list);
    assert!(entries.len() > 4, "{entries:?}");
    let sources = sources();
    let others = |(file, name): &(&str, &str)| {
        let (own, words) = (
            folders.map(|folder| format!("{folder}/{file}")),
            words(file, name),
        );
        let others = sources.iter().filter(|(other, text)| {
            other != path
                && !own.iter().any(|own| other.starts_with(own.as_str()))
                && words.iter().any(|word| text.contains(word.as_str()))
        });
        let others: Vec<_> = others.map(|(other, _)| other.as_str()).collect();
        (others.len() > most).then(|| format!("{name}: {}", others.join(" ")))
    };
    entries.iter().filter_map(others).collect()
}

// A force on one link is named in its two files and in the list, and in at most one other file: where
// a value follows from the whole robot, or where another key contains its keys.
#[test]
fn forces_are_named_in_few_files() {
    let wrong = named_elsewhere(
        (
            "crates/model/src/scene/robot/force/mod.rs",
            "each_link_force",
        ),
        [
            "crates/model/src/scene/robot/force",
            "crates/physics/src/forces/link",
        ],
        |file, name| {
            vec![
                format!("forces.{file}"),
                format!("force::{name}"),
                format!("force::{file}::"),
            ]
        },
        1,
    );
    expect_none("a force is named in two files", &wrong);
}

// A control law is named in its two files and in the list, and elsewhere only where a topic, a
// parameter, an entry of a saved world or a demand on thrust belongs to this law.
#[test]
fn control_laws_are_named_in_few_files() {
    let wrong = named_elsewhere(
        (
            "crates/model/src/scene/robot/firmware.rs",
            "each_control_law",
        ),
        [
            "crates/model/src/scene/robot/firmware",
            "crates/control/src/laws",
        ],
        |_, name| {
            vec![
                format!("FirmwareLaw::{name}("),
                format!("FirmwareLawState::{name}("),
            ]
        },
        5,
    );
    expect_none("a control law is named in two files", &wrong);
}

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

// A crate declares only dependencies that it uses. Method: the name of each dependency occurs in a
// source file of the crate.
#[test]
fn declared_dependencies_are_used() {
    let mut wrong = Vec::new();
    for name in ORDER {
        let folder = if name == "scenery" { "tools" } else { "crates" };
        let manifest = text(&format!("{folder}/{name}/Cargo.toml"));
        let dependencies = manifest.split("[dependencies]").nth(1).unwrap_or_default();
        let dependencies = dependencies.split("\n[").next().unwrap();
        let code: String = files(&[&format!("{folder}/{name}/src")], "rs")
            .into_iter()
            .map(|(_, text)| text)
            .collect();
        for line in dependencies.lines().filter(|l| l.contains(".workspace")) {
            let used = line.split('.').next().unwrap().replace('-', "_");
            // the macros that declare keys expand to it
            let is_in_macro = matches!(name, "world" | "model") && used == "serde_json"
                || name == "messages" && used == "bytes"
                || name == "model" && used == "merrow_derive";
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
            // the examples of the page are not in the tree
            let is_example = ["/inclinometer.rs", "/mooring.rs", "/thruster_depth_hold.rs"]
                .iter()
                .any(|end| word.ends_with(end));
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
    if root().join("docs/figures/docs").exists() {
        wrong.push("docs/figures/docs".to_string());
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

// A value without a source is marked, as SOURCES.md says. Method: the words "guessed" and "assumed"
// in parameter files follow "unverified (".
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

// A link in a doc comment names an item that exists. `cargo doc` does not check this, because it
// takes units in brackets for links. Method: text search for the segments of every [`path`] among
// the declared names; see `is_resolved`.
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

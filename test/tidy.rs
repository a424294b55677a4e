//! The rules of the code itself: one-way imports, words outside their module, headings, citations, sizes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Modules in the order data flows; each may name itself and those before it.
const ORDER: [&str; 11] = [
    "math",
    "scene",
    "state",
    "kinematics",
    "environment",
    "forces",
    "dynamics",
    "sensors",
    "control",
    "sim",
    "validate",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files_below(folder: &Path, ending: &str, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files_below(&path, ending, out);
        } else if path.extension().is_some_and(|e| e == ending) {
            out.push(path);
        }
    }
}

/// Source files and their text without unit tests.
fn sources() -> Vec<(String, String)> {
    let mut files = Vec::new();
    files_below(&root().join("src"), "rs", &mut files);
    files
        .into_iter()
        .map(|path| {
            let text = std::fs::read_to_string(&path).unwrap();
            let text = text
                .split("#[cfg(test)]")
                .next()
                .unwrap_or_default()
                .to_string();
            (
                path.strip_prefix(root().join("src"))
                    .unwrap()
                    .to_string_lossy()
                    .into_owned(),
                text,
            )
        })
        .filter(|(name, _)| {
            !(name.ends_with("_test.rs")
                || name.ends_with("_tests.rs")
                || name.ends_with("/tests.rs"))
        })
        .collect()
}

fn module(file: &str) -> &str {
    file.split('/').next().unwrap_or_default()
}

/// Names of modules after `crate::` in a text, comments left out.
fn crate_paths(text: &str) -> Vec<String> {
    let code = text
        .lines()
        .filter(|l| !l.trim_start().starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n");
    code.split("crate::")
        .skip(1)
        .flat_map(|rest| {
            let inner = if let Some(group) = rest.strip_prefix('{') {
                group.split('}').next().unwrap_or_default().to_string()
            } else {
                rest.to_string()
            };
            let grouped = rest.starts_with('{');
            let names: Vec<String> = inner
                .split(',')
                .take(if grouped { usize::MAX } else { 1 })
                .map(|p| {
                    p.trim()
                        .chars()
                        .take_while(|c| c.is_alphanumeric() || *c == '_')
                        .collect()
                })
                .collect();
            names
        })
        .collect()
}

#[test]
fn imports_go_one_way() {
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        let Some(own) = ORDER.iter().position(|m| *m == module(&file)) else {
            continue;
        };
        for used in crate_paths(&text) {
            // the scene builds its allocation with control's formula when a world is loaded: world may name all of these
            if let Some(other) = ORDER.iter().position(|m| *m == used)
                && other > own
            {
                wrong.push(format!("src/{file} names {used}"));
            }
            if used == "ros" || used == "world" {
                wrong.push(format!("src/{file} names {used}"));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "modules may name those before them only:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn words_stay_in_their_modules() {
    // word, where it may stand
    let rules: [(&str, &[&str]); 6] = [
        ("std::fs", &["world/", "ros/bag/", "cli/"]),
        ("Instant::now", &["sim/pace.rs", "ros/"]),
        ("mul_add", &[]),
        ("rustdds", &["ros/dds/"]),
        (".unwrap()", &[]),
        ("todo!", &[]),
    ];
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        for (line_no, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            for (word, allowed) in &rules {
                if code.contains(word) && !allowed.iter().any(|a| file.starts_with(a)) {
                    wrong.push(format!("src/{file}:{}: {word}", line_no + 1));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "words outside their place:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn every_law_states_source_symbols_frames_limits_and_tests() {
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        let is_law = text.contains("//! # Law");
        let must_be =
            module(&file) == "forces" && !file.ends_with("mod.rs") && !file.ends_with("sum.rs");
        if must_be && !is_law {
            wrong.push(format!("src/{file}: no `# Law`"));
        }
        if is_law && !file.starts_with("world/") {
            for heading in ["# Symbols", "# Frames", "# Limits", "# Checked by"] {
                if !text.contains(&format!("//! {heading}")) {
                    wrong.push(format!("src/{file}: no `{heading}`"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn tests_that_laws_name_exist() {
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        for word in text.split(|c: char| c.is_whitespace() || c == ',' || c == '(' || c == ')') {
            let word = word.trim_end_matches(['.', ';']);
            if word.starts_with("test/") && !root().join(word).exists() {
                wrong.push(format!("src/{file}: {word} does not exist"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn citations_resolve() {
    let sources_md = std::fs::read_to_string(root().join("SOURCES.md")).unwrap();
    let keys: BTreeSet<&str> = sources_md
        .lines()
        .filter_map(|l| l.strip_prefix("| ")?.split(" |").next())
        .collect();
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        for cited in text
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
                wrong.push(format!("src/{file}: [{key}] is not in SOURCES.md"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_keep_to_their_size() {
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        let lines = text.lines().count();
        // the declaration of all keys and the macros that read it are lists, not logic
        if lines > 600 && !["world/file.rs", "world/spec.rs"].contains(&file.as_str()) {
            wrong.push(format!("src/{file}: {lines} lines, expected at most 600"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn paths_in_the_map_exist() {
    let map = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let mut wrong = Vec::new();
    for word in map.split('`').skip(1).step_by(2) {
        let path = word.trim_end_matches('/');
        let is_path = word.contains('/') && !word.contains([' ', '*', '>']);
        if is_path && !root().join(path).exists() && !root().join("src").join(path).exists() {
            wrong.push(word.to_string());
        }
    }
    assert!(
        wrong.is_empty(),
        "ARCHITECTURE.md names what does not exist: {wrong:?}"
    );
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
                wrong.push(format!("src/{file}:{}", n + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "open points without an issue: {wrong:?}");
}

#[test]
fn every_dependency_has_its_reason() {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let section = manifest
        .split("[dependencies]")
        .nth(1)
        .unwrap()
        .split("\n[")
        .next()
        .unwrap();
    let mut reason = false;
    for line in section.lines().filter(|l| !l.is_empty()) {
        let family = line.starts_with("rand");
        assert!(
            line.starts_with('#') || reason || family,
            "no reason above: {line}"
        );
        reason = line.starts_with('#');
    }
}

#[test]
fn params_state_their_source() {
    let mut files = Vec::new();
    files_below(&root().join("params"), "yaml", &mut files);
    assert!(files.len() > 15);
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        let inherits = text.lines().any(|l| l.starts_with("extends:"));
        assert!(
            inherits || text.lines().any(|l| l.starts_with("source:")),
            "{}: no source",
            path.display()
        );
    }
}

//! Runs README and the tutorials as a reader does: the files and the shell blocks of a page, in its
//! order, in an empty folder.
//!
//! A fenced block with `title="NAME"` is the file NAME. A block `sh` is run as written by `bash -e`,
//! with the program `merrow` of test/support/reader. Blocks for another machine or for an environment
//! of ROS (`ELSEWHERE`) are not run here; `COVERED` names the check that runs them.

use crate::common::folder::Folder;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// A fenced block of a page.
#[derive(Debug, PartialEq)]
pub(crate) struct Block {
    /// Line number of its fence.
    pub line: usize,
    /// First word after the fence, such as `yaml`.
    pub language: String,
    /// Name of the file that the block is.
    pub title: Option<String>,
    /// Lines between the fences, without the indentation of the fence.
    pub text: String,
}

/// Returns the fenced blocks of a page; fails with a fence that does not end or a title that is not
/// the name of a file in the working folder.
pub(crate) fn blocks(page: &str) -> Result<Vec<Block>, String> {
    let mut blocks = Vec::new();
    let mut lines = page.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        let fence = line.trim_start();
        let indentation = line.len() - fence.len();
        let info = fence.trim_start_matches('`');
        let ticks = fence.len() - info.len();
        if ticks < 3 || info.contains('`') {
            continue;
        }
        let mut block = Block {
            line: index + 1,
            language: info
                .split_whitespace()
                .next()
                .filter(|word| !word.contains('='))
                .unwrap_or_default()
                .to_owned(),
            title: title_of(info).map_err(|problem| format!("{}: {problem}", index + 1))?,
            text: String::new(),
        };
        loop {
            let (_, line) = lines
                .next()
                .ok_or_else(|| format!("{}: the block does not end", block.line))?;
            let end = line.trim();
            if end.len() >= ticks && end.bytes().all(|byte| byte == b'`') {
                break;
            }
            let outside = line.len() - line.trim_start().len();
            block.text.push_str(&line[indentation.min(outside)..]);
            block.text.push('\n');
        }
        blocks.push(block);
    }
    Ok(blocks)
}

/// Returns the file name in the words after a fence: relative, without `..`.
fn title_of(info: &str) -> Result<Option<String>, String> {
    let Some((_, rest)) = info.split_once("title=") else {
        return Ok(None);
    };
    let name = rest
        .strip_prefix('"')
        .and_then(|rest| rest.split_once('"'))
        .map(|(name, _)| name)
        .ok_or_else(|| format!("expected title=\"NAME\", found title={rest}"))?;
    let is_inside = Path::new(name)
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    if name.is_empty() || name.ends_with('/') || !is_inside {
        return Err(format!(
            "expected the name of a file in the folder of the page, found title=\"{name}\""
        ));
    }
    Ok(Some(name.to_owned()))
}

/// Returns the program that the pages run: an installed one whose path is in MERROW_PROGRAM, or the
/// program of this build.
fn program() -> std::ffi::OsString {
    std::env::var_os("MERROW_PROGRAM").unwrap_or_else(|| env!("CARGO_BIN_EXE_merrow").into())
}

/// Writes the file that a block with a title is.
pub(crate) fn write_file(block: &Block, name: &str, folder: &Path) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, &block.text).unwrap();
}

/// First words of lines whose block needs another machine, MOOS-IvP or an environment of ROS.
const ELSEWHERE: [&str; 13] = [
    "ros2", "source", "sudo", "apt", "pip", "python3", "colcon", "cargo", "git", "docker",
    "export", "pAntler", "uPokeDB",
];

/// A tutorial with blocks that only another check runs.
struct Covered {
    /// File name in docs/tutorials.
    page: &'static str,
    /// Why its blocks are not run here.
    reason: &'static str,
    /// File of the check, which names the page.
    check: &'static str,
}

/// Pages with blocks that are not run here, except `ros2` commands, which
/// test/ros/checks/program/pages.py runs.
const COVERED: &[Covered] = &[
    Covered {
        page: "depth_controller.md",
        reason: "rclpy, and a build of an example",
        check: "test/ros/native/rclpy_checks.py",
    },
    Covered {
        page: "moos.md",
        reason: "MOOS-IvP",
        check: "test/moos/missions.py",
    },
    Covered {
        page: "navigation_stack.md",
        reason: "Nav2",
        check: "test/ros/native/nav2_checks.py",
    },
    Covered {
        page: "ros2_jazzy.md",
        reason: "packages of ROS 2, and rclpy",
        check: "test/ros/native/rclpy_checks.py",
    },
];

/// Lines after a shell block within which a block `text` is its output.
const OUTPUT_WITHIN: usize = 8;

/// What is done with a block of a tutorial.
#[derive(Debug, PartialEq)]
enum Use {
    /// Written to this file.
    File(String),
    /// Run in all tests, or only with the slow ones.
    Run { slow: bool },
    /// Run by another check: the lines that demand it.
    Elsewhere(Vec<String>),
    /// Shown to the reader.
    Shown,
}

/// Returns what is done with a block, or what is wrong with it.
fn use_of(block: &Block) -> Result<Use, String> {
    if let Some(name) = &block.title {
        return Ok(Use::File(name.clone()));
    }
    if ["bash", "shell", "console", "zsh"].contains(&block.language.as_str()) {
        return Err(format!("expected ```sh, found ```{}", block.language));
    }
    if block.language != "sh" {
        return Ok(Use::Shown);
    }
    let joined = block.text.replace("\\\n", " ");
    let starts = |line: &&str, words: &[&str]| {
        words.iter().any(|word| {
            let rest = line.trim_start().strip_prefix(word);
            rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        })
    };
    let elsewhere: Vec<String> = joined
        .lines()
        .filter(|line| starts(line, &ELSEWHERE))
        .map(str::to_owned)
        .collect();
    let slow = joined
        .lines()
        .filter_map(|line| line.split_once('#'))
        .any(|(_, comment)| comment.contains(super::SLOW));
    if elsewhere.is_empty() {
        return Ok(Use::Run { slow });
    }
    match joined.lines().find(|line| starts(line, &["merrow"])) {
        Some(line) => Err(format!(
            "`{line}` would not be run: the block also has `{}`; give each a block of its own",
            elsewhere[0]
        )),
        None => Ok(Use::Elsewhere(elsewhere)),
    }
}

/// Returns the blocks of a page with their uses; an error starts with the name of the page.
fn uses(page: &str, text: &str) -> Result<Vec<(Block, Use)>, String> {
    blocks(text)
        .map_err(|problem| format!("{page}:{problem}"))?
        .into_iter()
        .map(|block| match use_of(&block) {
            Ok(found) => Ok((block, found)),
            Err(problem) => Err(format!("{page}:{}: {problem}", block.line)),
        })
        .collect()
}

/// Runs the blocks of a page in an empty folder and returns their number; 0 without a slow block if
/// only these are asked for. An error has the page, the block and its standard error.
fn run_page(page: &str, text: &str, slow: bool) -> Result<usize, String> {
    let uses = uses(page, text)?;
    if slow && !uses.iter().any(|(_, found)| *found == Use::Run { slow }) {
        return Ok(0);
    }
    let folder = Folder::new("tutorial", &[]);
    let mut n = 0;
    for (index, (block, found)) in uses.iter().enumerate() {
        match found {
            Use::File(name) => write_file(block, name, &folder.0),
            Use::Run { slow: true } if !slow => {}
            Use::Run { .. } => {
                let output = run_block(block, &folder.0)
                    .map_err(|problem| format!("{page}:{}: {problem}", block.line))?;
                if let Some((shown, Use::Shown)) = uses.get(index + 1)
                    && shown.language == "text"
                    && shown.line <= block.line + block.text.lines().count() + OUTPUT_WITHIN
                    && !is_changed(block)
                    && let Some(line) = missing_line(&shown.text, &output)
                {
                    return Err(format!(
                        "{page}:{}: not printed: {line}\nprinted:\n{output}",
                        shown.line
                    ));
                }
                n += 1;
            }
            Use::Elsewhere(_) | Use::Shown => {}
        }
    }
    Ok(n)
}

/// Returns true if `merrow` of test/support/reader does less than what the reader runs, so that its
/// output is another one.
fn is_changed(block: &Block) -> bool {
    let joined = block.text.replace("\\\n", " ");
    joined.lines().any(|line| {
        let is_run = line.contains("merrow run");
        let is_whole = line.contains("--no-ros") && line.contains("--for");
        is_run && !is_whole || line.contains("merrow replay")
    })
}

/// Returns the first line of a block `text` that a command did not print. `...` stands for any text.
/// Numbers of lines with wall-clock times are not compared.
fn missing_line<'a>(shown: &'a str, output: &str) -> Option<&'a str> {
    let normal = |line: &str| match ["wall", "overruns"].iter().any(|word| line.contains(word)) {
        true => line.replace(|c: char| c.is_ascii_digit() || c == '.', ""),
        false => line.trim().to_owned(),
    };
    let printed: Vec<String> = output.lines().map(normal).collect();
    let is_in = |line: &str| {
        let pieces: Vec<String> = line.split("...").map(normal).collect();
        printed.iter().any(|printed| {
            let mut rest = printed.as_str();
            pieces.iter().all(|piece| match rest.find(piece.as_str()) {
                Some(at) => {
                    rest = &rest[at + piece.len()..];
                    true
                }
                None => false,
            })
        })
    };
    let mut lines = shown.lines().filter(|line| !line.trim().is_empty());
    lines.find(|line| !is_in(line))
}

/// Runs a shell block and returns what it prints; an error has its text, the command that failed and
/// the standard error.
fn run_block(block: &Block, folder: &Path) -> Result<String, String> {
    let reader = Path::new(env!("CARGO_MANIFEST_DIR")).join("test/support/reader");
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    let path = std::iter::once(reader).chain(std::env::split_paths(&inherited));
    // names the command that ended the block
    let trap = "trap 'echo \"failed: $BASH_COMMAND\" >&2' ERR";
    let start = Instant::now();
    let done = Command::new("bash")
        .args(["-e", "-o", "pipefail", "-c"])
        .arg(format!("{trap}\n{}", block.text))
        .current_dir(folder)
        .env("PATH", std::env::join_paths(path).unwrap())
        .env("MERROW_PROGRAM", program())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let first = block.text.lines().next().unwrap_or_default();
    println!("{:6.1} s  {first}", start.elapsed().as_secs_f64());
    let errors = String::from_utf8_lossy(&done.stderr);
    match done.status.success() {
        true => Ok(String::from_utf8_lossy(&done.stdout).into_owned() + &errors),
        false => Err(format!("{}\n{}{errors}", done.status, block.text)),
    }
}

/// Returns the pages of docs/tutorials except their table of contents: file name, text.
fn tutorials() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/tutorials");
    let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
    super::pages_of_docs()
        .iter()
        .filter(|path| path.starts_with(&folder) && !path.ends_with("index.md"))
        .map(|path| (name(path), std::fs::read_to_string(path).unwrap()))
        .collect()
}

/// Runs all tutorials concurrently and returns the number of their blocks.
fn run_tutorials(slow: bool) -> usize {
    let results: Vec<_> = tutorials()
        .par_iter()
        .map(|(page, text)| run_page(&format!("docs/tutorials/{page}"), text, slow))
        .collect();
    let (done, failed): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
    let failed: Vec<_> = failed.into_iter().filter_map(Result::err).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    done.into_iter().filter_map(Result::ok).sum()
}

#[test]
fn the_tutorials_work() {
    let n = run_tutorials(false);
    assert!(n >= 1, "docs/tutorials has no shell block");
}

#[test]
#[ignore = "runs the blocks that are marked as slow: test/run slow"]
fn the_slow_tutorials_work() {
    run_tutorials(true);
}

#[test]
fn the_readme_works() {
    let page = super::text("README.md");
    let n = run_page("README.md", &page, false).unwrap_or_else(|problem| panic!("{problem}"));
    assert!(n >= 2, "README shows only {n} blocks of commands");
}

/// Returns what is missing in the list of checks for one page: a block that no check runs, or an
/// entry without need.
fn uncovered(page: &str, text: &str, covered: &[Covered]) -> Result<(), String> {
    let uses = uses(page, text)?;
    let runs = uses
        .iter()
        .any(|(_, found)| matches!(found, Use::Run { .. }));
    let elsewhere = uses.iter().find_map(|(block, found)| match found {
        Use::Elsewhere(lines) => lines
            .iter()
            .find(|line| !line.trim_start().starts_with("ros2 "))
            .map(|line| format!("line {}: no check runs `{}`", block.line, line.trim())),
        Use::File(_) | Use::Run { .. } | Use::Shown => None,
    });
    let is_listed = covered.iter().any(|entry| entry.page == page);
    match (runs, elsewhere, is_listed) {
        (_, Some(problem), false) => Err(format!(
            "{page}, {problem}; write a check and add it to COVERED"
        )),
        (false, None, false) => Err(format!(
            "{page}: no block is run; write a check and add it to COVERED"
        )),
        (true, None, true) => Err(format!(
            "{page}: all blocks are run; remove it from COVERED"
        )),
        (_, Some(_), true) | (false, None, true) | (true, None, false) => Ok(()),
    }
}

/// Each block of a tutorial is run here or by a check that exists.
#[test]
fn every_tutorial_is_checked() {
    let pages = tutorials();
    let mut wrong: Vec<String> = pages
        .iter()
        .filter_map(|(page, text)| uncovered(page, text, COVERED).err())
        .collect();
    for Covered {
        page,
        reason,
        check,
    } in COVERED
    {
        let source = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(check));
        if !source.is_ok_and(|source| source.contains(page)) || reason.is_empty() {
            wrong.push(format!("{page}: no reason, or {check} does not name it"));
        }
        if !pages.iter().any(|(known, _)| known == page) {
            wrong.push(format!("{page}: no such page in docs/tutorials"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A page with a file, an indented block, a loop, a redirection and a block for another machine is
/// run in its order; a replaced file counts from its place on.
#[test]
fn pages_are_run_as_written() {
    let page = "1. A world:

    ```yaml title=\"w/lake.yaml\"
    robots:
      rov: {model: bluerov2_heavy, position_m: [0, 0, -2]}
    ```

    ```sh
    for seed in 1 2; do
      merrow run w/lake.yaml --for=0.1 --seed $seed --json > $seed.json
    done
    ```

```sh
merrow run w/lake.yaml --record dive.mcap
merrow replay dive.mcap
grep -q density w/lake.yaml && exit 7
ls 1.json 2.json
```

````yaml title=\"w/lake.yaml\" hl_lines=\"1\"
water: {density_kg_m3: 1000}
```
````

```sh
grep -q density w/lake.yaml
touch \\
  done # (slow, but short)
```

```sh
sudo false
```
";
    assert_eq!(run_page("p.md", page, false), Ok(2));
    assert_eq!(run_page("p.md", page, true), Ok(3));
    assert_eq!(run_page("p.md", "```sh\nfalse\n```\n", true), Ok(0));
}

#[test]
fn failures_of_pages_are_reported() {
    for (page, expected) in [
        (
            "Text.\n\n```sh\nmerrow list\nmerrow check none.yaml\ntrue\n```\n",
            &[
                "p.md:3: exit status: 2\nmerrow list\n",
                "none.yaml",
                "failed: merrow check none.yaml",
            ][..],
        ),
        (
            "```sh\nmerrow run none | cat\n```\n",
            &["merrow: none: no such file"],
        ),
        (
            "```sh\nfor i in 1 2; do false; done\n```\n",
            &["p.md:1: exit status: 1", "failed: false"],
        ),
        ("```sh\ntrue\n", &["p.md:1: the block does not end"]),
        (
            "```yaml title=\"../w.yaml\"\n```\n",
            &["p.md:1: expected the name of a file"],
        ),
        (
            "```yaml title=\"/w.yaml\"\n```\n",
            &["p.md:1: expected the name of a file"],
        ),
        (
            "```yaml title=\"\"\n```\n",
            &["p.md:1: expected the name of a file"],
        ),
        (
            "\n```yaml title=w.yaml\n```\n",
            &["p.md:2: expected title=\"NAME\", found title=w.yaml"],
        ),
        (
            "```bash\ntrue\n```\n",
            &["p.md:1: expected ```sh, found ```bash"],
        ),
        (
            "```sh\n  pip install x\nmerrow list\n```\n",
            &["p.md:1: `merrow list` would not be run: the block also has `  pip install x`"],
        ),
    ] {
        let found = run_page("p.md", page, false).expect_err(page);
        for part in expected {
            assert!(found.contains(part), "{page}: {found}");
        }
    }
}

#[test]
fn other_output_is_reported() {
    let page = |shown: &str| {
        format!(
            "```sh\nmerrow check none.yaml || echo \"exit status $?\"\n```\n\n```text\n{shown}\n```\n"
        )
    };
    assert_eq!(
        run_page(
            "p.md",
            &page("... 1 error in none.yaml\nexit status 2"),
            false
        ),
        Ok(1)
    );
    let found = run_page("p.md", &page("exit status 1"), false).expect_err("another status");
    assert!(
        found.starts_with("p.md:5: not printed: exit status 1\n"),
        "{found}"
    );
}

#[test]
fn pages_without_checks_are_reported() {
    let listed = [Covered {
        page: "p.md",
        reason: "",
        check: "",
    }];
    let run = "```sh\nmerrow list\n```\n";
    let shell = "```sh\ngit clone x\n```\n";
    let ros = "```sh\nros2 topic list\n```\n";
    assert_eq!(uncovered("p.md", run, &[]), Ok(()));
    assert_eq!(uncovered("p.md", &format!("{run}{ros}"), &[]), Ok(()));
    assert_eq!(uncovered("p.md", &format!("{run}{shell}"), &listed), Ok(()));
    assert_eq!(uncovered("p.md", ros, &listed), Ok(()));
    let expected = [
        (
            format!("{run}{shell}"),
            &[][..],
            "p.md, line 4: no check runs `git clone x`",
        ),
        (ros.to_owned(), &[], "p.md: no block is run"),
        ("Text.\n".to_owned(), &[], "p.md: no block is run"),
        (run.to_owned(), &listed, "p.md: all blocks are run"),
    ];
    for (page, list, part) in expected {
        let found = uncovered("p.md", &page, list).expect_err(part);
        assert!(found.starts_with(part), "{found}");
    }
}

//! Tests the docking study, which takes minutes.

use std::path::Path;

// V12 to V16 are within their tolerances, also V13, which takes minutes, and docs/explanation/docking.md has the
// tables and figures of the command; the figure of the clocks is a measurement of one computer.
#[test]
#[ignore = "takes three minutes: test/run slow"]
fn docking_page_is_current() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("docking");
    std::fs::create_dir_all(&out).unwrap();
    let done = std::process::Command::new(env!("CARGO_BIN_EXE_merrow-studies"))
        .args(["docking", "--check", "--out"])
        .arg(&out)
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&done.stdout);
    assert!(
        done.status.success() && printed.ends_with("verdict: pass\n"),
        "{printed}"
    );
    let page = std::fs::read_to_string(root.join("docs/explanation/docking.md")).unwrap();
    let rows = printed.lines().filter(|line| line.starts_with("| "));
    let missing: Vec<&str> = rows.clone().filter(|row| !page.contains(row)).collect();
    assert!(rows.count() > 12, "{printed}");
    assert!(
        missing.is_empty(),
        "docs/explanation/docking.md lacks {missing:#?}"
    );
    for entry in std::fs::read_dir(root.join("docs/figures/docking")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap();
        if name == "clocks.svg" {
            continue;
        }
        let drawn = std::fs::read_to_string(out.join(name)).unwrap();
        if std::env::var_os("MERROW_BLESS").is_some() {
            std::fs::write(&path, &drawn).unwrap();
        }
        let written = std::fs::read_to_string(&path).unwrap();
        assert!(written == drawn, "{name:?} is out of date");
    }
}

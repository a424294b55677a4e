//! The examples of README are run as they stand.

use merrow::world::{Overrides, load_text};
use std::path::Path;
use std::process::Command;

fn readme() -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap()
}

/// Blocks of one language.
fn blocks(language: &str) -> Vec<String> {
    let text = readme();
    let fence = format!("```{language}\n");
    text.split(&fence).skip(1).filter_map(|rest| rest.split("```").next()).map(str::to_owned).collect()
}

fn world() -> String {
    blocks("yaml").remove(0)
}

#[test]
fn the_world_file_loads() {
    let world = load_text("lake.yaml", &world(), Overrides::default()).unwrap_or_else(|p| panic!("{p}"));
    assert_eq!(world.scene.robots.len(), 1);
}

#[test]
fn the_mistakes_are_reported_as_shown() {
    // README shows what happens when the rate is given in the wrong unit and the model is misspelt
    let broken = world().replace("rate_hz: 5", "rate_khz: 5").replace("bluerov2_heavy", "bluerov2_hevy");
    let shown = blocks("text").into_iter().find(|b| b.starts_with("lake.yaml:")).unwrap();
    let problems = load_text("lake.yaml", &broken, Overrides::default()).unwrap_err().to_string();
    // where the search looked depends on where Merrow is installed
    for line in shown.lines() {
        let (start, end) = line.split_once(" ... ").unwrap_or((line, ""));
        let found = problems.lines().any(|l| l.starts_with(start) && l.ends_with(end));
        assert!(found, "README shows {line:?}, the loader says\n{problems}");
    }
}

#[test]
fn the_commands_work() {
    let folder = std::env::temp_dir().join(format!("merrow_readme_{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("my_world.yaml"), world()).unwrap();
    let mut n = 0;
    for line in blocks("sh").iter().flat_map(|b| b.lines()) {
        let line = line.split('#').next().unwrap_or_default().split('>').next().unwrap_or_default().trim();
        let Some(arguments) = line.strip_prefix("merrow ") else { continue };
        let mut arguments: Vec<&str> = arguments.split_whitespace().collect();
        if arguments[0] == "run" {
            // as shown, but short, fast and off the network
            let keep_pace = arguments.contains(&"--pace");
            if let Some(k) = arguments.iter().position(|a| *a == "--for") {
                arguments.drain(k..k + 2);
            }
            arguments.retain(|a| *a != "--no-ros");
            arguments.extend(["--for", "1", "--no-ros"]);
            if !keep_pace {
                arguments.extend(["--pace", "max"]);
            }
        }
        let output = Command::new(env!("CARGO_BIN_EXE_merrow"))
            .args(&arguments)
            .current_dir(&folder)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "merrow {}: {}",
            arguments.join(" "),
            String::from_utf8_lossy(&output.stderr)
        );
        n += 1;
    }
    assert!(n >= 6, "README shows only {n} commands");
    // a folder left behind harms nothing
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn the_shipped_urdf_is_what_the_models_give() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("urdf");
    for name in merrow::world::share::list("params/robots") {
        let text = format!("robots: {{{name}: {{model: {name}}}}}");
        let world = load_text("urdf.yaml", &text, Overrides::default()).unwrap_or_else(|p| panic!("{p}"));
        let path = folder.join(format!("{name}.urdf"));
        let urdf = merrow::ros::urdf::urdf(&world.scene.robots[0]);
        if std::env::var_os("MERROW_BLESS").is_some() {
            std::fs::write(&path, &urdf).unwrap();
        }
        let shipped = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            shipped == urdf,
            "urdf/{name}.urdf is out of date: MERROW_BLESS=1 cargo test urdf writes it anew"
        );
    }
}

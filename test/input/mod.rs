//! Tests that wrong input is rejected with a message at its position, and that every shipped file
//! is accepted.
//!
//! A world either loads completely or lists all its errors, each as `file:line:column: what, found,
//! expected`. Method: small worlds in memory with one error each and the exact text of their
//! message.

mod describe;
mod devices;
mod environment;
mod format;
mod models;
mod plausibility;
mod program;
mod recording;
mod requests;
mod robot;
mod runs;
mod status;
mod tasks;

use merrow_world::{Overrides, data_dir, load_text};
use merrow_yaml::error::quote;

/// A world with the shipped BlueROV2; keys of the model follow.
const BLUEROV2: &str = "robots:\n  r:\n    model:\n      extends: robots/bluerov2.yaml\n";

/// Loads the world `text` as `w.yaml` and compares all messages, one per line.
#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(messages(text), expected, "of\n{text}");
}

/// Returns the messages of a world in memory, without the folder of the source tree.
fn messages(text: &str) -> String {
    match load_text("w.yaml", text, Overrides::default()) {
        Ok(_) => "accepted".into(),
        Err(problems) => without_root(&problems.to_string()),
    }
}

/// Returns a message in which shipped files have their names relative to the repository.
fn without_root(message: &str) -> String {
    let params = data_dir::params_folders()
        .first()
        .map(|path| path.to_string_lossy().into_owned())
        .unwrap_or_default();
    let root = params.trim_end_matches("params");
    message
        .replace(&quote(&params), "`params`")
        .replace(root, "")
}

/// Returns a world without robots, with one more line before them.
fn world(line: &str) -> String {
    format!("{line}\nrobots: {{}}\n")
}

/// Returns a BlueROV2 with one changed line in its model, at line 5, column 7.
fn bluerov2(line: &str) -> String {
    format!("{BLUEROV2}      {line}\n")
}

/// Returns a robot with one plain body; `keys` and the required keys of the body are in line 5.
fn body(keys: &str) -> String {
    format!(
        "robots:\n  r:\n    model:\n      source: test\n      body: {{source: test, axes: flu, {keys}mass_kg: 10, \
         inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}\n"
    )
}

/// Returns a robot with one plain body and one more line in its model, at line 6, column 7.
fn plain(line: &str) -> String {
    body("") + "      " + line + "\n"
}

/// Returns a robot with the link `arm`, whose joint is declared in line 9 from column 18 on.
fn joint(joint: &str) -> String {
    let arm =
        format!("arm:\n          parent: base_link\n          joint: {joint}\n          body: ");
    plain(&format!(
        "links:\n        {arm}{{source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}"
    ))
}

/// Returns a robot with the thruster `t1`, whose motor is declared in line 10.
fn motor(keys: &str) -> String {
    let place = "t1:\n          position_m: [0, 0, 0]\n          direction: [1, 0, 0]\n";
    plain(&format!(
        "thrusters:\n        {place}          motor: {{source: test, diameter_m: 0.1, {keys}}}"
    ))
}

/// Returns a robot with the sensor `s1`, whose device is declared in line 8.
fn device(keys: &str) -> String {
    plain(&format!(
        "sensors:\n        s1:\n          device: {{source: test, rate_hz: 1, {keys}}}"
    ))
}

/// No error hides another. Method: one file with ten errors in its keys, values, names, files,
/// links and joints.
#[test]
fn ten_errors_are_all_reported() {
    let text = "\
sed: 1
step: {dt_s: 2, integrator: euler}
water: {density: 1025}
robots:
  ROV: {model: bluerov2}
  a:
    model: bluerov3
    position_m: [0, 0]
  b:
    model:
      extends: robots/osu_uvms.yaml
      body: {mass_kg: -1}
  c:
    model:
      extends: robots/osu_uvms.yaml
      sensors: {dvl: {link: rist}}
    joint_positions: {elbow: 9}
";
    let expected = "\
w.yaml:1:1: unknown key `sed` in the file; expected one of `description`, `parameters`, `seed`, `start_time_s`, `step`, `gravity_m_s2`, `origin`, \
`water`, `seabed`, `air`, `weather`, `robots`, `props`, `actors`, `structures`, `couplings`, `chargers`, `tethers`, `faults`, `schedule`, `beacons`, `modems`, `modem_addresses`, `bridges`, `obstacles`, `ais`, `task`, `map`, `named_poses`, `tags`; did you mean `seed`?
w.yaml:2:14: `dt_s`: expected a number from 0.000001 to 0.1 [s], found `2`
w.yaml:2:29: `integrator`: expected one of `rk4`, `semi_implicit`, found string `euler`
w.yaml:3:9: `density` needs its unit; write `density_kg_m3`
w.yaml:5:3: in `robots`: expected a name of lowercase letters, digits and `_` that starts with a letter, found `ROV`
w.yaml:7:12: no file `robots/bluerov3.yaml`, looked in `.`, `params`; did you mean `bluerov2.yaml`?
w.yaml:8:17: `position_m`: expected 3 numbers [m], found 2
w.yaml:12:23: `mass_kg`: expected a positive number [kg], found `-1`
w.yaml:16:29: no link `rist` declared above this line; did you mean `wrist`?
w.yaml:17:23: joint elbow starts at 9; expected 0 to 3.4907";
    check(text, expected);
}

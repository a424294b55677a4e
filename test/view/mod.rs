//! Test of the live view in a real browser.
//!
//! Goal: the page shows the robots and controls the run. Method: headless Chromium opens the page
//! of a running world, driven through the DevTools protocol. Skipped if Chromium is not installed.

use crate::common::python;

#[test]
fn page_shows_and_controls_a_run_in_chromium() {
    let Some(mut command) = python::script("view/page.py") else {
        return;
    };
    command.args(["--binary", env!("CARGO_BIN_EXE_merrow")]);
    let status = command.status().expect("python starts");
    assert!(status.success(), "{status}");
}

//! Studies of published trials that Merrow repeats: a lake mission, pool trials of a vehicle with an
//! arm, docking by modem, the laws of the Kelpie simulator, fleets with modems.
//!
//! The product does not contain them. `cargo run --release -p merrow-studies -- --help` lists the
//! programs; the cases are in the tests and on the page `docs/explanation/studies.md`.

#![forbid(unsafe_code)]

pub mod cases;
pub mod docking;
pub mod pool;
pub mod sets;
pub mod thetis;

use merrow_validate::page::Page;

/// The page `docs/explanation/studies.md`.
pub static PAGE: Page = Page {
    head: HEAD,
    notes: NOTES,
    sets: &sets::ALL,
    figures: "figures/validation",
};

const HEAD: &str = "# Studies

This page lists the results of the cases that repeat published trials.
They are in `studies/`, a program of its own beside the simulator, and run on the production code.

```sh
cargo run --release -p merrow-studies -- all --check          # all cases that take seconds (slow)
cargo run --release -p merrow-studies -- all --write docs     # this page and its figures (slow)
cargo run --release -p merrow-studies -- kelpie --out out     # one set: thetis, kelpie, uvms, fleets, docking (slow)
```

Recordings are in `studies/data`.
A row shows the comparison with the largest error relative to its tolerance; the command prints all
comparisons.
[validation.md](validation.md) has the cases with closed forms and outside programs.

| case | subject | source | comparison closest to its tolerance | expected | computed | tolerance | verdict |
| --- | --- | --- | --- | --- | --- | --- | --- |
";

const NOTES: &str = "
V13 takes a minute (docking against currents, 100 runs; `docs/explanation/docking.md`).
Only `merrow-studies docking` and the slow tests run it.
`docs/explanation/uvms.md` describes V20, and explains why V19 (the stored simulations of its authors) is not
run.
V04 compares simulated time; `test/ros/checks/program/process.py` tests over ROS that the rate
against the wall clock is unchanged.
";

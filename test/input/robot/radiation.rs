//! Tests of radiation tables: rejected tables, and notes on valid tables.
//!
//! A broken table is reported in one line that names the file and the error. Method: the shipped
//! tables of the hemisphere with one error each; the message from the key on. Tolerance: the exact
//! text.

use crate::common::folder::Folder;
use merrow_world::{Overrides, data_dir, load_text};

/// Returns the shipped table with this file extension.
fn shipped(ending: &str) -> String {
    let folder = data_dir::share_folders().remove(0);
    std::fs::read_to_string(
        folder
            .join("meshes/bem")
            .join(format!("hemisphere_r1.{ending}")),
    )
    .unwrap()
}

/// Returns the messages, or else the notes, of a ball with `files` in its folder and `radiation`;
/// `more` holds further keys of its body.
fn load_messages(files: &[(&str, &str)], radiation: &str, hull: &str, more: &str) -> String {
    let folder = Folder::new("radiation", files);
    let text = format!(
        "robots:\n  r:\n    model:\n      source: test\n      body:\n        source: test\n        axes: flu\n        mass_kg: 2000\n        \
         inertia_kg_m2: {{xx: 800, yy: 800, zz: 800}}\n        hull: {hull}\n{more}        radiation: {{{radiation}}}\n"
    );
    let path = folder.0.join("w.yaml");
    std::fs::write(&path, &text).unwrap();
    let name = path.to_string_lossy().into_owned();
    let found = match load_text(&name, &text, Overrides::default()) {
        Ok(world) => world
            .notes
            .iter()
            .map(|n| n.text.clone())
            .collect::<Vec<_>>()
            .join("\n"),
        Err(problems) => problems.to_string(),
    };
    let found = found.replace(&name, "w.yaml");
    found
        .split_once(": ")
        .filter(|(place, _)| place.starts_with("w.yaml"))
        .map_or(found.clone(), |(_, text)| text.into())
}

const BALL: &str = "{kind: mesh, file: meshes/ball_2m.obj}";
const WAMIT: &str = "kind: wamit, added_mass: t.1";

/// Returns the same as [`load_messages`], with this `.1` file.
fn table(text: &str) -> String {
    load_messages(&[("t.1", text)], WAMIT, BALL, "")
}

#[test]
fn broken_tables_are_refused() {
    let good = shipped("1");
    assert_eq!(table(&good), "", "a good one");
    assert_eq!(
        table(&good.replacen("   1\t    1\t", "   7\t    1\t", 1)),
        "`t.1`: line 1: expected a mode from 1 to 6, found 7; use a table of one body without generalized modes"
    );
    assert_eq!(
        table("8.0 1 1 0.5\n"),
        "`t.1`: line 1: the damping is missing; expected PER I J A B"
    );
    assert_eq!(
        table("8.0 1\n"),
        "`t.1`: line 1: expected the numbers PER I J A and B, found 2 numbers"
    );
    assert_eq!(
        table("8 1 1 0.5 0.1\n7 1 1 0.5 0.1\n"),
        "`t.1`: expected at least 4 finite frequencies of added mass and damping, found 2"
    );
    let negative: String = (1..7).map(|k| format!("{k} 3 3 0.5 -0.3\n")).collect();
    assert!(
        table(&negative).starts_with("the radiation of base_link would add energy at ")
            && table(&negative).ends_with(
                "of its largest damping: the tables are not coefficients of a body that makes waves"
            )
    );
    assert_eq!(
        load_messages(
            &[("t.nc", "CDF\u{1}rest")],
            "kind: capytaine, file: t.nc",
            BALL,
            ""
        ),
        "`t.nc`: cannot be read as NetCDF: unexpected end of file at offset 8: need 4 bytes, available 0"
    );
    let hdf5 = merrow_world::import::bem::capytaine::read(b"\x89HDF\r\n\x1a\n", 1025.0, 9.81);
    assert_eq!(
        hdf5.unwrap_err(),
        "tables of panel methods: expected NetCDF classic, found a NetCDF-4 file; convert it with `nccopy -k cdf5 in.nc out.nc`"
    );
}

#[test]
fn wave_forces_must_fit_the_hull() {
    let (one, three) = (shipped("1"), shipped("3"));
    let with = |three: &str, keys: &str, hull: &str| {
        load_messages(
            &[("t.1", &one), ("t.3", three)],
            &format!("{WAMIT}, {keys}"),
            hull,
            "",
        )
    };
    assert_eq!(with(&three, "excitation: t.3", BALL), "");
    assert_eq!(
        with(&three, "excitation: t.3, scattering: t.3", BALL),
        "both `excitation` and `scattering` are given; expected one of them"
    );
    assert_eq!(
        with(
            &three,
            "excitation: t.3",
            "{kind: ellipsoid, size_m: [2, 2, 2]}"
        ),
        "the tables contain wave forces, which need a hull of the kind `mesh` for the pressure of the incident waves; give base_link one, or \
         leave them out"
    );
    let ahead: String = three
        .lines()
        .filter(|l| l.contains("\t    0.000000"))
        .map(|l| format!("{l}\n"))
        .collect();
    let narrow = |one: &str| {
        let files = [("t.1", one), ("t.3", ahead.as_str())];
        load_messages(&files, &format!("{WAMIT}, excitation: t.3"), BALL, "")
    };
    assert_eq!(narrow(&one), "", "a body of revolution");
    let longer: String = one
        .lines()
        .filter(|l| l.split_whitespace().nth(1) != Some("2"))
        .map(|l| format!("{l}\n"))
        .collect();
    assert!(
        narrow(&longer).contains(
            "the headings of the wave forces cover neither 0 to 180 degrees nor the full circle; expected one of the two, or one heading for a \
             body of revolution"
        )
    );
    let gap = three.replacen("  180.000000", "  170.000000", 6);
    assert!(with(&gap, "excitation: t.3", BALL).starts_with("`t.3`: no force at the period "));
    assert_eq!(
        with("8 0 1 1 1\n", "excitation: t.3", BALL),
        "`t.3`: line 1: expected the numbers PER BETA I MOD PHS RE IM, found 5 numbers"
    );
}

#[test]
fn replaced_keys_must_not_be_given() {
    let one = shipped("1");
    let files = [("t.1", one.as_str())];
    let added = "        added_mass: {kind: diagonal, values: [1, 1, 1, 1, 1, 1]}\n";
    assert_eq!(
        load_messages(&files, WAMIT, BALL, added),
        "the added mass of base_link follows from `radiation` (at w.yaml:12:20): leave `added_mass` out"
    );
    assert_eq!(
        load_messages(
            &files,
            &format!("{WAMIT}, origin_m: [0, 0, -1.5]"),
            BALL,
            ""
        ),
        "no part of the hull of base_link lies under the surface through `origin_m`"
    );
    let notes = load_messages(
        &[("t.1", &one), ("t.hst", "3 3 12.0\n")],
        &format!("{WAMIT}, hydrostatics: t.hst"),
        BALL,
        "",
    );
    assert!(
        notes.starts_with(
            "`t.hst`: the tables' waterplane is 12.0000 m2, the waterplane of the hull of base_link 3.14"
        ),
        "{notes}"
    );
}

//! Tests of broken grids: each kind of error has its message.
//!
//! Each error is reported at its position, with a message that states how to fix it. Method: files
//! written by the test, the exact message.

use crate::common::folder::Folder;
use crate::input::{check, messages, world};

/// Checks the message of a world whose gridded flow is read from a file `name` with the content
/// `content`.
#[track_caller]
fn refuses(name: &str, content: &[u8], keys: &str, expected: &str) {
    let folder = Folder::new(&format!("g{}", std::panic::Location::caller().line()), &[]);
    let path = folder.0.join(name);
    std::fs::write(&path, content).unwrap();
    let text = world(&format!(
        "water: {{flows: {{g: {{kind: gridded, east: {{file: {}{keys}}}}}}}}}",
        path.display()
    ));
    let found = messages(&text).replace(&format!("{}/", folder.0.display()), "");
    assert_eq!(found, expected);
}

#[test]
fn invalid_grid_declarations_are_rejected() {
    check(
        &world("water: {flows: {g: {kind: gridded}}}"),
        "w.yaml:1:20: a gridded flow needs at least one of `east`, `north` and `up`",
    );
    refuses(
        "q.xyz",
        b"",
        "",
        "w.yaml:1:49: `q.xyz`: expected a grid that ends in .nc, .csv, .asc, .tif, or .yaml for the header of a raw grid",
    );
    check(
        &world("water: {flows: {g: {kind: gridded, east: {file: no.nc}}}}"),
        "w.yaml:1:49: no file `no.nc`, looked next to `w.yaml` and in Merrow's data folders",
    );
}

#[test]
fn invalid_netcdf_files_are_rejected() {
    let good = std::fs::read("test/data/grids/cdf1.nc").unwrap();
    let at = "w.yaml:1:49: `q.nc`";
    refuses(
        "q.nc",
        b"\x89HDF\r\n\x1a\n",
        "",
        &format!(
            "{at}: cannot be read as NetCDF: HDF5 error: unexpected end of data at offset 8 (need 1 bytes, have 0)"
        ),
    );
    refuses(
        "q.nc",
        b"PK",
        "",
        &format!("{at}: cannot be read as NetCDF: invalid NetCDF magic bytes"),
    );
    refuses(
        "q.nc",
        &good[..100],
        "",
        &format!(
            "{at}: cannot be read as NetCDF: invalid data: classic attribute claims 8 bytes but only 4 remain"
        ),
    );
    refuses(
        "q.nc",
        &good[..800],
        ", variable: q",
        &format!(
            "{at}: cannot be read as NetCDF: invalid data: classic header declares 2 records (852 bytes) but the file has only 800 bytes"
        ),
    );
    refuses(
        "q.nc",
        &good,
        ", variable: p",
        &format!("{at}: no variable `p`; expected one of `flag`, `q`"),
    );
    refuses(
        "q.nc",
        &good,
        "",
        &format!(
            "{at}: the file has several variables; expected the key `variable` with one of `flag`, `q`, found none"
        ),
    );
    refuses(
        "q.nc",
        &good,
        ", variable: q, unit: knots",
        &format!("{at}: its unit is `m s-1`; expected `knots`"),
    );
    refuses(
        "q.nc",
        &good,
        ", variable: q, axes: {x: east}",
        &format!(
            "{at}: the axis `lon` is none of `x`, `lon`, `longitude`, `easting`, `y`, `lat`, `latitude`, `northing`, `depth`, `z`, `height`, `altitude`, `lev`, `time`, `t`; name it under `axes` as `x`, `y`, `depth` or `time`"
        ),
    );
    let holes = std::fs::read("test/data/grids/cdf2.nc").unwrap();
    refuses(
        "q.nc",
        &holes,
        ", variable: q",
        &format!(
            "{at}: 1 of 48 samples have no value; to fill them write `holes: nearest`, or `holes: value` and `hole_value`"
        ),
    );
}

/// A header with wrong counts does not crash the program. Method: every byte of a valid file is set
/// to 255, one at a time; any message is accepted.
#[test]
fn netcdf_headers_with_wrong_counts() {
    let good = std::fs::read("test/data/grids/cdf5.nc").unwrap();
    let folder = Folder::new("glies", &[]);
    let path = folder.0.join("q.nc");
    let text = world(&format!(
        "water: {{flows: {{g: {{kind: gridded, east: {{file: {}, variable: q}}}}}}}}",
        path.display()
    ));
    let mut refused = 0;
    for k in 0..good.len() {
        let mut bad = good.clone();
        bad[k] = 255;
        std::fs::write(&path, &bad).unwrap();
        refused += usize::from(messages(&text) != "accepted");
    }
    assert!(refused > 100, "{refused} of {} refused", good.len());
}

#[test]
fn invalid_tables_are_rejected() {
    let at = "w.yaml:1:49: `q.csv`";
    refuses(
        "q.csv",
        b"a,b\n1,2\n",
        "",
        &format!(
            "{at}: expected some of `x`, `lon`, `longitude`, `easting`, `y`, `lat`, `latitude`, `northing`, `depth`, `z`, `height`, `altitude`, `lev`, `time`, `t` in its first line, found no column of coordinates"
        ),
    );
    refuses(
        "q.csv",
        b"x,y\n1,2\n",
        "",
        &format!("{at}: found no column of values next to the coordinate columns"),
    );
    refuses(
        "q.csv",
        b"x,u,v\n1,2,3\n",
        "",
        &format!(
            "{at}: the file has several columns of values; expected the key `variable` with one of `u`, `v`, found none"
        ),
    );
    refuses(
        "q.csv",
        b"x,u,v\n1,2,3\n",
        ", variable: w",
        &format!("{at}: no column `w`; expected one of `u`, `v`"),
    );
    refuses(
        "q.csv",
        b"x,u\n1,2\n2,b\n",
        "",
        &format!("{at}: line 3: `b` is not a number"),
    );
    refuses(
        "q.csv",
        b"x,u\n1,2\n1,3\n",
        "",
        &format!("{at}: line 3: found the same coordinates as in line 2"),
    );
    refuses(
        "q.csv",
        b"x,u\n1,2\nnan,3\n",
        "",
        &format!("{at}: line 3: a coordinate is not finite"),
    );
    refuses(
        "q.csv",
        b"x,y,u\n1,1,2\n1,2,3\n2,1,4\n",
        "",
        &format!(
            "{at}: 1 of 4 samples have no value; to fill them write `holes: nearest`, or `holes: value` and `hole_value`"
        ),
    );
    refuses(
        "q.csv",
        b"x,u\n1,\n2,\n",
        ", holes: nearest",
        &format!("{at}: no sample has a value"),
    );
}

#[test]
fn invalid_rasters_are_rejected() {
    let at = "w.yaml:1:49: `q.asc`";
    let head = "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\n";
    let with = |rest: &str| format!("{head}{rest}").into_bytes();
    refuses(
        "q.asc",
        b"1 2 3",
        "",
        &format!("{at}: no `ncols` and `nrows` in its header: not an ESRI ASCII grid"),
    );
    refuses(
        "q.asc",
        &with("1 2\n3 4\n"),
        "",
        &format!("{at}: no positive `cellsize` in its header: not an ESRI ASCII grid"),
    );
    refuses(
        "q.asc",
        &with("cellsize 5\n1 2\n3\n"),
        "",
        &format!("{at}: expected 2 x 2 numbers, found 3"),
    );
    refuses(
        "q.asc",
        &with("cellsize 5\n1 2\n3 x\n"),
        "",
        &format!("{at}: line 7: `x` is not a number"),
    );
    let tiff = std::fs::read("test/data/grids/area.tif").unwrap();
    refuses(
        "q.tif",
        &tiff[..4],
        "",
        "w.yaml:1:49: `q.tif`: not a readable TIFF: failed to fill whole buffer",
    );
    refuses(
        "q.tif",
        &tiff,
        "",
        "w.yaml:1:49: `q.tif`: 1 of 12 samples have no value; to fill them write `holes: nearest`, or `holes: value` and `hole_value`",
    );
}

#[test]
fn invalid_raw_files_are_rejected() {
    let folder = Folder::new("graw", &[("q.f32", "12345678"), ("q.yaml", "")]);
    let wrong = |head: &str, expected: &str| {
        std::fs::write(folder.0.join("q.yaml"), head).unwrap();
        let path = folder.0.join("q.yaml");
        let text = world(&format!(
            "water: {{flows: {{g: {{kind: gridded, east: {{file: {}}}}}}}}}",
            path.display()
        ));
        assert_eq!(
            messages(&text).replace(&format!("{}/", folder.0.display()), ""),
            expected
        );
    };
    wrong(
        "{data: q.f32, number: f32, axes: [{name: x, count: 2}]}",
        "accepted",
    );
    wrong(
        "{data: q.f32, number: f32, axes: [{name: x, count: 3}]}",
        "w.yaml:1:49: `q.f32`: expected 12 bytes, 3 numbers of 4 bytes after 0, found 8",
    );
    wrong(
        "{data: q.f32, number: f32, axes: [{name: x}]}",
        "q.yaml:1:35: the axis `x` needs either `count` or `coordinates`",
    );
    wrong(
        "{data: q.f32, number: f32, axes: [{name: x, coordinates: [1, 1]}]}",
        "w.yaml:1:49: `q.yaml`: the coordinates along `x` are not monotonic",
    );
    wrong(
        "{data: q.f32, number: f16, axes: [{name: x, count: 2}]}",
        "q.yaml:1:23: `number`: expected one of `i8`, `u8`, `i16`, `u16`, `i32`, `f32`, `f64`, found string `f16`",
    );
}

#[test]
fn invalid_terrain_is_rejected() {
    let table = b"x,y,h\n0,0,1\n1,0,1\n3,0,1\n0,1,1\n1,1,1\n3,1,1\n";
    let folder = Folder::new(
        "gterrain",
        &[("h.csv", std::str::from_utf8(table).unwrap())],
    );
    let wrong = |keys: &str, expected: &str| {
        let text = world(&format!(
            "seabed: {{terrain: {{file: {}/h.csv}}{keys}}}",
            folder.0.display()
        ));
        assert_eq!(
            messages(&text).replace(&format!("{}/", folder.0.display()), ""),
            expected
        );
    };
    wrong(
        "",
        "w.yaml:1:26: the samples of `terrain` are not evenly spaced, or fewer than two along an axis",
    );
}

// Damaged NetCDF-4 files are rejected or read, without a panic. Method: 300 copies of a file with
// one to four changed bytes, and files cut at every 97th byte.
#[test]
fn damaged_netcdf4_files_do_not_panic() {
    let good = std::fs::read("test/data/grids/nc4_packed.nc").unwrap();
    let folder = Folder::new("nc4", &[]);
    let path = folder.0.join("q.nc");
    let text = world(&format!(
        "water: {{flows: {{g: {{kind: gridded, east: {{file: {}, variable: q, holes: nearest, axes: {{x: lon, y: lat}}}}}}}}}}",
        path.display()
    ));
    let load = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        messages(&text)
    };
    assert_eq!(load(&good), "accepted");
    let stream = merrow_math::rng::Stream::new(1, "damage");
    for k in 0..300 {
        let mut draw = stream.draw(k);
        let mut bytes = good.clone();
        for _ in 0..=k % 4 {
            let at = (draw.uniform() * bytes.len() as f64) as usize;
            bytes[at] = (draw.uniform() * 256.0) as u8;
        }
        load(&bytes);
    }
    for end in (8..good.len()).step_by(97) {
        assert_ne!(load(&good[..end]), "accepted", "{end} bytes");
    }
}

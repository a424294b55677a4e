//! Tests grids written by netCDF4 and tifffile (test/data/grids/make.py), read by the crates
//! netcdf-reader and tiff.

use crate::common::scene;
use merrow_model::scene::FlowLaw;
use merrow_model::scene::sea::grid::Grid;
use std::sync::Arc;

fn q(t: f64, z: f64, y: f64, x: f64) -> f64 {
    1.0 + 2.0 * x - 3.0 * y + 0.5 * z + 0.1 * t + 0.01 * x * y
}

fn grid(keys: &str) -> Arc<Grid> {
    let text =
        format!("water: {{flows: {{g: {{kind: gridded, east: {{{keys}}}}}}}}}\nrobots: {{}}\n");
    let scene = scene(&text);
    match &scene.sea.current.flows[0].law {
        FlowLaw::Grid([Some(grid), None, None]) => Arc::clone(grid),
        law => panic!("{law:?}"),
    }
}

// Samples and interpolated values are correct for CDF-1, CDF-2, CDF-5 and NetCDF-4 files with
// records, padding, compressed chunks, packed numbers, descending latitudes and a hole, which has
// the fill value of the file or the default of its type. Method: a multilinear quantity, for which
// linear interpolation is exact; the degrees of the file are read as metres. Tolerance: the
// resolution of the stored numbers: double 1e-12, single 1e-5, packed 0.005.
#[test]
fn netcdf_files_are_read() {
    let axes = "axes: {x: lon, y: lat}";
    for (keys, tolerance) in [
        (
            format!("file: test/data/grids/cdf1.nc, variable: q, unit: m s-1, {axes}"),
            1e-12,
        ),
        (
            format!("file: test/data/grids/cdf2.nc, variable: q, holes: nearest, {axes}"),
            0.005,
        ),
        (
            format!("file: test/data/grids/cdf5.nc, variable: q, {axes}"),
            1e-5,
        ),
        (
            format!("file: test/data/grids/fill.nc, variable: q, holes: nearest, {axes}"),
            0.005,
        ),
        (
            format!("file: test/data/grids/nc4_double.nc, variable: q, unit: m s-1, {axes}"),
            1e-12,
        ),
        (
            format!("file: test/data/grids/nc4_packed.nc, variable: q, holes: nearest, {axes}"),
            0.005,
        ),
        (
            format!("file: test/data/grids/nc4_plain.nc, variable: q, {axes}"),
            1e-5,
        ),
    ] {
        let grid = grid(&keys);
        for (t, z, y, x) in [
            (0.0, 0.0, 10.0, 0.0),
            (60.0, 5.0, 30.0, 3.0),
            (17.0, 1.3, 21.0, 0.6),
            (59.0, 4.0, 29.0, 2.9),
        ] {
            let found = grid.interpolate([x, y, z, t]);
            let expected = q(t, z, y, x);
            assert!(
                (found.value - expected).abs() <= tolerance,
                "{keys}: {found:?}, expected {expected}"
            );
            // Slopes of packed numbers equal slopes of numbers rounded to the hundredth.
            let slope = [2.0 + 0.01 * y, -3.0 + 0.01 * x, 0.5, 0.1];
            let inside = z > 0.0 && z < 5.0;
            for i in (0..4).filter(|_| inside) {
                assert!(
                    (found.slope[i] - slope[i]).abs() <= 2.0 * tolerance,
                    "{keys}: {found:?} {slope:?}"
                );
            }
        }
    }
    // The hole is filled with the value of one of its neighbours.
    for file in ["cdf2.nc", "fill.nc", "nc4_packed.nc"] {
        let filled = grid(&format!(
            "file: test/data/grids/{file}, variable: q, holes: nearest, {axes}"
        ));
        let hole = filled.interpolate([3.0, 10.0, 5.0, 60.0]).value;
        let neighbours = [q(60.0, 5.0, 10.0, 2.0), q(60.0, 5.0, 20.0, 3.0)];
        assert!(
            neighbours.iter().any(|n| (n - hole).abs() < 0.006),
            "{file}: {hole} {neighbours:?}"
        );
    }
}

// Grids in degrees are at their position on the ellipsoid, also far from the origin, with slopes
// along W. Method: a quantity that is multilinear in longitude and latitude, at positions up to 40
// km away whose geodetic coordinates pyproj's equations give (V70). Tolerance: 1e-9 of a degree,
// 0.1 mm, times its rates; slopes compared with differences over 200 m, 1e-6 of them.
#[test]
fn geodetic_grids_match_ellipsoid() {
    let text = "origin: {latitude_deg: 20.3, longitude_deg: 2, altitude_m: 40}
water: {flows: {g: {kind: gridded, east: {file: test/data/grids/cdf1.nc, variable: q, axes: {horizontal: degrees}}}}}
robots: {}
";
    let scene = scene(text);
    let FlowLaw::Grid([Some(grid), ..]) = &scene.sea.current.flows[0].law else {
        panic!()
    };
    use merrow_environment::geodesy::geodetic_from_world;
    use merrow_math::Vec3;
    for (x, y) in [
        (0.0, 0.0),
        (100.0, -70.0),
        (10_000.0, 10_000.0),
        (-40_000.0, -28_000.0),
    ] {
        let [latitude, longitude, _] = geodetic_from_world(&scene.origin, Vec3::new(x, y, 0.0));
        let found = grid.interpolate([x, y, 0.0, 0.0]);
        let expected = q(0.0, 0.0, latitude.to_degrees(), longitude.to_degrees());
        assert!(
            (found.value - expected).abs() < 1e-9 * 5.0,
            "{x} {y}: {} {expected}",
            found.value
        );
        let d = 100.0;
        let differences = [
            grid.interpolate([x + d, y, 0.0, 0.0]).value
                - grid.interpolate([x - d, y, 0.0, 0.0]).value,
            grid.interpolate([x, y + d, 0.0, 0.0]).value
                - grid.interpolate([x, y - d, 0.0, 0.0]).value,
        ];
        for k in 0..2 {
            let slope = differences[k] / (2.0 * d);
            assert!(
                (found.slope[k] - slope).abs() < 1e-6 * 3e-5,
                "{k}: {:?} {slope}",
                found.slope
            );
        }
    }
}

// GeoTIFF files with cells or points, compressed or not, with a hole, are read correctly. Method:
// as above, a raster of single or double precision. Tolerance: 1e-5 for single precision, 1e-12 for
// double.
#[test]
fn geotiff_files_are_read() {
    let area = grid("file: test/data/grids/area.tif, holes: value, hole_value: 7");
    let point = grid("file: test/data/grids/point.tif");
    for (y, x) in [(10.0, 0.0), (30.0, 3.0), (13.0, 1.7)] {
        assert!((area.interpolate([x, y, 0.0, 0.0]).value - q(0.0, 0.0, y, x)).abs() < 1e-5);
        assert!((point.interpolate([x, y, 0.0, 0.0]).value - q(0.0, 0.0, y, x)).abs() < 1e-12);
    }
    assert_eq!(area.interpolate([0.0, 30.0, 0.0, 0.0]).value, 7.0);
}

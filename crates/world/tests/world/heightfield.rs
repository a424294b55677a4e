//! Tests the readers of height fields.

use merrow_model::scene::robot::collision::Heightfield;
use merrow_world::Problems;
use merrow_world::import::heightfield::heightfield;
use merrow_world::keys::contact::HeightfieldConfig;
use merrow_yaml::read::from_defaults;

fn keys() -> HeightfieldConfig {
    HeightfieldConfig {
        size_m: Some([4.0, 2.0]),
        ..from_defaults()
    }
}

/// Returns the height field, or the text of its problem.
fn load(keys: &HeightfieldConfig) -> Result<Heightfield, String> {
    let mut problems = Problems::new();
    let field = heightfield(keys, &mut problems);
    field.ok_or_else(|| {
        problems
            .iter()
            .next()
            .map(ToString::to_string)
            .unwrap_or_default()
    })
}

/// Reads the text of a raster with this ending.
fn load_raster(ending: &str, text: &str, size: Option<[f64; 2]>) -> Result<Heightfield, String> {
    let thread = format!("{:?}", std::thread::current().id()).replace(['(', ')'], "");
    let name = format!("merrow_heights_{}_{thread}.{ending}", std::process::id());
    let path = std::env::temp_dir().join(name);
    std::fs::write(&path, text).unwrap();
    let field = load(&HeightfieldConfig {
        file: path.to_str().map(str::to_string),
        size_m: size,
        ..keys()
    });
    std::fs::remove_file(&path).unwrap();
    field
}

#[test]
fn north_first_rows_are_reversed() {
    let rows = [vec![1.0, 2.0, 3.0], vec![4.0, 5.0, 6.0]];
    let field = load(&HeightfieldConfig {
        heights_m: Some(rows.to_vec()),
        height_scale: -1.0,
        ..keys()
    })
    .unwrap();
    assert_eq!((field.count, field.size), ([3, 2], [4.0, 2.0]));
    assert_eq!(field.heights, [-4.0, -5.0, -6.0, -1.0, -2.0, -3.0]);
}

#[test]
fn rasters_are_read() {
    let field = load_raster("csv", "# heights\n1, 2\n3,4,\n", Some([4.0, 2.0])).unwrap();
    assert_eq!(field.heights, [3.0, 4.0, 1.0, 2.0]);
    let grid = "ncols 2\nnrows 3\nxllcorner 500000\nyllcorner 4e6\ncellsize 2.5\nNODATA_value -1\n1 2\n3 4\n5 6\n";
    let field = load_raster("asc", grid, None).unwrap();
    assert_eq!((field.count, field.size), ([2, 3], [2.5, 5.0]));
}

#[test]
fn invalid_rasters_give_one_line_errors() {
    let is_refused = |ending: &str, text: &str, expected: &str| {
        let size = (ending == "csv").then_some([4.0, 2.0]);
        let error = load_raster(ending, text, size).unwrap_err();
        assert!(error.ends_with(expected), "{error}");
    };
    is_refused(
        "asc",
        "ncols 2\nnrows 2\ncellsize 1\n1 2\n3 -9999\n",
        "row 2: a cell without data; expected heights everywhere: fill the gaps",
    );
    is_refused(
        "asc",
        "ncols 2\nnrows 2\ncellsize 1\n1 2\n3\n",
        "expected 2 x 2 numbers, found 3",
    );
    is_refused(
        "asc",
        "cellsize 1\n1 2\n",
        "no `ncols` and `nrows` in its header: not an ESRI ASCII grid",
    );
    is_refused("csv", "1,x\n", "line 1: `x` is not a number");
    is_refused(
        "csv",
        "1,2\n1\n",
        "row 2 of the heights: expected 2 numbers as in the first row, found 1",
    );
}

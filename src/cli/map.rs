//! `merrow map`: writes the occupancy grid of a world as a map of `map_server` of Nav2.

use super::failure::Failure;
use super::snapshot::{self, write_file};
use super::{WorldArguments, load};
use clap::Args;
use merrow_messages::convert::image::{ImageView, Pixels};
use merrow_model::scene::map::OccupancyMap;
use merrow_physics::contact::occupancy::{Cell, OccupancyGrid};
use merrow_yaml::read::from_defaults;
use std::path::PathBuf;

/// First key of the description of a map.
const FIRST_KEY: &str = "image:";

/// Arguments of `merrow map`.
#[derive(Args, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    world: WorldArguments,
    /// Depth of water that the vessel needs; short for --set map.depth_m=METRES [default: 0.6].
    #[arg(long, value_name = "METRES")]
    depth: Option<String>,
    /// Height above the water that the vessel needs: higher structures, such as bridges, leave their
    /// cells free; short for --set map.clearance_m=METRES [default: 3].
    #[arg(long, value_name = "METRES")]
    clearance: Option<String>,
    /// Depth of the highest point of a submerged vehicle, in place of the clearance: structures that
    /// end above it leave their cells free; short for --set map.top_depth_m=METRES.
    #[arg(long, value_name = "METRES", conflicts_with = "clearance")]
    top_depth: Option<String>,
    /// Edge length of a cell; short for --set map.resolution_m=METRES [default: 0.5].
    #[arg(long, value_name = "METRES")]
    resolution: Option<String>,
    /// Image of the map; its description is written beside it, with the extension yaml.
    #[arg(short, long, value_name = "NAME.png", default_value = "map.png")]
    output: PathBuf,
}

/// Computes and writes the map.
///
/// # Errors
/// The world cannot be loaded, its grid cannot be computed, or the files cannot be written.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut overrides = arguments.world.overrides();
    let keys = [
        ("depth_m", &arguments.depth),
        ("clearance_m", &arguments.clearance),
        ("top_depth_m", &arguments.top_depth),
        ("resolution_m", &arguments.resolution),
    ];
    let given = keys
        .iter()
        .filter_map(|(key, value)| Some((key, value.as_ref()?)));
    overrides
        .sets
        .extend(given.map(|(key, value)| format!("map.{key}={value}")));
    let scene = load(&arguments.world.world, overrides)?.scene;
    let settings: OccupancyMap = scene.map.clone().unwrap_or_else(from_defaults);
    let grid = OccupancyGrid::new(&scene, &settings).map_err(|why| format!("map: {why}"))?;
    let image = &arguments.output;
    if image.extension().is_none_or(|extension| extension != "png") {
        let found = image.display();
        return Err(
            format!("--output: found {found}; expected a file name that ends with .png").into(),
        );
    }
    let description = image.with_extension("yaml");
    // the name can be that of a world
    let text = std::fs::read_to_string(&description).unwrap_or_default();
    if description.exists() && !text.starts_with(FIRST_KEY) {
        let found = description.display();
        let why = format!("{found} exists and is no description of a map; choose another name");
        return Err(why.into());
    }
    let name = image.file_name().unwrap_or_default().to_string_lossy();
    let view = ImageView {
        width: grid.count[0] as u32,
        height: grid.count[1] as u32,
        pixels: Pixels::Mono8(&pixels(&grid).into()),
    };
    snapshot::save(&view, image)?;
    write_file(&description, to_yaml(&grid, &name).as_bytes())?;
    let share = |kind: Cell| {
        let count = grid.cells.iter().filter(|cell| **cell == kind).count();
        100.0 * count as f64 / grid.cells.len() as f64
    };
    println!(
        "wrote {} and {}: {} x {} cells of {} m, {:.1} % free, {:.1} % occupied, {:.1} % unknown",
        image.display(),
        description.display(),
        grid.count[0],
        grid.count[1],
        grid.resolution_m,
        share(Cell::Free),
        share(Cell::Occupied),
        share(Cell::Unknown)
    );
    Ok(())
}

/// Returns the grey pixels of the grid, north at the top.
fn pixels(grid: &OccupancyGrid) -> Vec<u8> {
    let rows = grid.cells.chunks(grid.count[0]).rev();
    let grey = |cell: &Cell| match cell {
        Cell::Free => 254,
        Cell::Occupied => 0,
        Cell::Unknown => 205,
    };
    rows.flatten().map(grey).collect()
}

/// Returns the description of the image for `map_server`.
fn to_yaml(grid: &OccupancyGrid, image: &str) -> String {
    let [x, y] = grid.origin;
    // the thresholds separate the three greys of the image
    format!(
        "{FIRST_KEY} {}\nmode: trinary\nresolution: {}\norigin: [{x:?}, {y:?}, 0.0]\nnegate: 0\n\
         occupied_thresh: 0.65\nfree_thresh: 0.196\n",
        serde_json::Value::from(image),
        grid.resolution_m
    )
}

//! Generates the files of a river: rasters of bed and current, the part of a world file that uses
//! them, and the map.

use crate::river::{HALF_EXTENT, River, map};
use crate::sites::File;
use crate::sites::raster::Raster;
use std::fmt::Write as _;

/// Colours of the tree crowns.
const LEAVES: [&str; 3] = [
    "[0.12, 0.2, 0.05]",
    "[0.16, 0.22, 0.07]",
    "[0.1, 0.17, 0.06]",
];
/// Distance between the samples of the terrain [m].
const GROUND_STEP: f64 = 3.0;
const CURRENT_STEP: f64 = 4.0;
/// Height of one unit of the stored terrain samples [m].
const GROUND_UNIT: f64 = 0.001;
const CURRENT_UNIT: f64 = 0.0001;

/// Returns all files of a river.
pub fn river_files(river: &River) -> Vec<File> {
    let ground = |p: [f64; 2]| river.valley.height(p);
    let flow = |axis: usize| move |p: [f64; 2]| river.stream.velocity(&river.valley, p)[axis];
    let [ground_head, ground_data] = raster("ground.i16", GROUND_STEP, GROUND_UNIT, "m", ground);
    let [east_head, east_data] = raster(
        "current_east.i16",
        CURRENT_STEP,
        CURRENT_UNIT,
        "m s-1",
        flow(0),
    );
    let [north_head, north_data] = raster(
        "current_north.i16",
        CURRENT_STEP,
        CURRENT_UNIT,
        "m s-1",
        flow(1),
    );
    vec![
        ("ground.yaml", ground_head),
        ("ground.i16", ground_data),
        ("current_east.yaml", east_head),
        ("current_east.i16", east_data),
        ("current_north.yaml", north_head),
        ("current_north.i16", north_data),
        ("valley.yaml", world_text(river).into_bytes()),
        ("map.svg", map::draw_map(river).svg().into_bytes()),
    ]
}

/// Returns header and numbers of a raster over the valley.
fn raster(
    data: &str,
    step: f64,
    factor: f64,
    unit: &str,
    value: impl Fn([f64; 2]) -> f64,
) -> [Vec<u8>; 2] {
    Raster {
        data,
        half_extent: HALF_EXTENT,
        step,
        factor,
        unit,
    }
    .header_and_data(value)
}

/// Returns the part of a world file with the river: terrain, current, trees, buoys and moorings.
/// Writing to a String does not fail.
fn world_text(river: &River) -> String {
    let mut out = format!(
        "# written by `merrow terrain riverwatch --seed {}`: include it in a world with `extends`\n\
         description: A river valley with bars, trees and moored buoys; {:.1} m3/s flow through it\n\
         water:\n  density_kg_m3: 999\n  sound_speed_m_s: 1466\n  flows:\n    river:\n      kind: gridded\n\
         \x20     east: {{file: current_east.yaml, unit: m s-1}}\n      north: {{file: current_north.yaml, unit: m s-1}}\n\
         seabed:\n  terrain: {{file: ground.yaml, unit: m}}\n  material: {{friction: 0.6}}\nrobots: {{}}\nstructures:\n",
        river.seed, river.stream.discharge
    );
    for (k, tree) in river.trees.iter().enumerate() {
        let ([x, y, z], [height, trunk, crown]) = (tree.p, tree.size);
        // the trunk starts half a metre below the terrain and ends inside the crown
        let (length, center) = (height - crown + 0.5, 0.5 * (height - crown - 0.5));
        let _ = writeln!(
            out,
            "  tree_{:02}:\n    position_m: [{x:.2}, {y:.2}, {z:.2}]\n    shapes:\n      \
             trunk: {{kind: cylinder, radius_m: {trunk:.2}, length_m: {length:.2}, position_m: [0, 0, {center:.2}], \
             material: {{color: [0.22, 0.17, 0.12]}}}}\n      \
             crown: {{kind: sphere, radius_m: {crown:.2}, position_m: [0, 0, {:.2}], material: {{color: {}}}}}",
            k + 1,
            height - crown,
            LEAVES[k % LEAVES.len()]
        );
    }
    out.push_str("props:\n");
    for (k, buoy) in river.buoys.iter().enumerate() {
        let [x, y] = buoy.start;
        let _ = writeln!(
            out,
            "  buoy_{}: {{body: channel_buoy, position_m: [{x:.2}, {y:.2}, 0]}}",
            k + 1
        );
    }
    out.push_str("tethers:\n");
    for (k, buoy) in river.buoys.iter().enumerate() {
        let [x, y, _] = buoy.anchor;
        let _ = writeln!(
            out,
            "  mooring_{0}:\n    line: short_link_chain_10mm\n    from: {{kind: seabed, position_m: [{x:.2}, {y:.2}]}}\n    \
             to: {{kind: robot, robot: buoy_{0}, position_m: [0, 0, -0.38]}}\n    \
             length_m: {1:.1}\n    segments: 8\n    method: catenary",
            k + 1,
            buoy.length
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    // The same seed gives the same bytes, another seed different bytes, and the files are small.
    // Method: generate each twice.
    #[test]
    fn seed_reproduces_its_bytes() {
        let [a, again, b] = [3, 3, 4].map(|seed| river_files(&River::new(seed)));
        assert_eq!(a, again);
        assert!(a.iter().zip(&b).filter(|(a, b)| a.1 != b.1).count() >= 5);
        let size: usize = a.iter().map(|(_, bytes)| bytes.len()).sum();
        assert!(size < 300_000, "{size}");
    }
}

//! Generates the files of a wreck on sand: raster, hull, and the part of a world file that uses
//! them.

use crate::sites::File;
use crate::sites::raster::Raster;
use crate::sites::sand::{HALF_EXTENT, Sand};
use crate::sites::wreck;
use crate::sites::wreck::{FLOOR, HOLDS, deck_edge_height};
use merrow_math::rng::Stream;
use std::fmt::Write as _;

/// Distance between the samples of the seabed [m].
const STEP: f64 = 0.5;
/// Surface properties of rusty, overgrown steel.
const STEEL: &str =
    "{friction: 0.6, reflectivity: 0.2, color: [0.23, 0.13, 0.07], backscatter_db: -13}";

/// Returns all files of a survey site.
pub fn survey_files(seed: u64) -> Vec<File> {
    let sand = Sand::new(seed);
    let raster = Raster {
        data: "sand.i16",
        half_extent: HALF_EXTENT,
        step: STEP,
        factor: 0.001,
        unit: "m",
    };
    let [head, data] = raster.header_and_data(|p| sand.height(p));
    vec![
        ("sand.yaml", head),
        ("sand.i16", data),
        (
            "hull.obj",
            wreck::hull_mesh().to_obj("the hull of a coaster with two holds, x ahead, z up"),
        ),
        ("wreck.yaml", world_text(&sand, seed).into_bytes()),
    ]
}

/// Returns the part of a world file with the wreck. Writing to a String does not fail.
fn world_text(sand: &Sand, seed: u64) -> String {
    let wreck = &sand.wreck;
    let [list, trim, heading] = wreck.attitude;
    let mut out = format!(
        "# written by `merrow terrain survey --seed {seed}`: include it in a world with `extends`\n\
         description: A wreck with a list, partly buried in rippled sand\n\
         seabed:\n  terrain: {{file: sand.yaml, unit: m}}\n  \
         material: {{friction: 0.6, color: [0.46, 0.40, 0.29], reflectivity: 0.4, backscatter_db: -30}}\n\
         robots: {{}}\nstructures:\n  wreck:\n    position_m: [{}, {}, {}]\n    attitude_deg: [{list}, {trim}, {heading}]\n    \
         material: {STEEL}\n    shapes:\n      hull: {{kind: mesh, file: hull.obj, form: triangles}}\n",
        wreck.p.x, wreck.p.y, wreck.p.z
    );
    superstructure(&mut out);
    cargo(seed, &mut out);
    debris_field(sand, seed, &mut out);
    out
}

/// Adds house, funnel, masts and coamings.
fn superstructure(out: &mut String) {
    let deck = |x: f64| deck_edge_height(x) - 0.7;
    let mut add = |name: &str, shape: &str| {
        let _ = writeln!(out, "      {name}: {{{shape}}}");
    };
    let z = deck(-11.5);
    add(
        "house",
        &format!(
            "kind: box, size_m: [4.6, 4.4, 2.3], position_m: [-11.6, 0, {:.2}]",
            z + 1.15
        ),
    );
    add(
        "bridge",
        &format!(
            "kind: box, size_m: [2.4, 3.6, 1.9], position_m: [-10.6, -0.2, {:.2}], attitude_deg: [0, 0, 4]",
            z + 3.2
        ),
    );
    add(
        "funnel",
        &format!(
            "kind: cylinder, radius_m: 0.55, length_m: 2.2, position_m: [-13.1, 0, {:.2}], attitude_deg: [0, -6, 0]",
            z + 3.3
        ),
    );
    add(
        "foremast",
        &format!(
            "kind: capsule, radius_m: 0.16, length_m: 6.2, position_m: [0.1, 0, {:.2}]",
            deck(0.1) + 3.1
        ),
    );
    // the derrick has fallen over the starboard side
    add(
        "derrick",
        &format!(
            "kind: capsule, radius_m: 0.13, length_m: 8.5, position_m: [3.4, -4.2, {:.2}], attitude_deg: [74, 0, 12]",
            deck_edge_height(3.4) - 0.9
        ),
    );
    add(
        "windlass",
        &format!(
            "kind: box, size_m: [1, 1.8, 0.8], position_m: [12.6, 0, {:.2}]",
            deck(12.6) + 0.4
        ),
    );
    for (k, [a, b]) in HOLDS.iter().enumerate() {
        let (center, length) = (0.5 * (a + b), b - a);
        for (side, y) in [("starboard", -2.2), ("port", 2.2)] {
            add(
                &format!("coaming_{}_{side}", k + 1),
                &format!(
                    "kind: box, size_m: [{length:.2}, 0.12, 0.7], position_m: [{center:.2}, {y}, {:.2}]",
                    deck(center) + 0.3
                ),
            );
        }
    }
}

/// Adds the remaining cargo in the holds.
fn cargo(seed: u64, out: &mut String) {
    let stream = Stream::new(seed, "survey/cargo");
    for k in 0..9 {
        let mut draw = stream.draw(k);
        let [a, b] = HOLDS[(k % 2) as usize];
        let x = a + 1.0 + (b - a - 2.0) * draw.uniform();
        let y = 1.1 * (2.0 * draw.uniform() - 1.0);
        let size = [0, 1, 2].map(|_| 0.5 + 0.9 * draw.uniform());
        let _ = writeln!(
            out,
            "      cargo_{}: {{kind: box, size_m: [{:.2}, {:.2}, {:.2}], \
             position_m: [{x:.2}, {y:.2}, {:.2}], attitude_deg: [0, 0, {:.0}]}}",
            k + 1,
            size[0],
            size[1],
            size[2],
            FLOOR + 0.5 * size[2],
            180.0 * draw.uniform()
        );
    }
}

/// Adds plates, boxes and a boiler scattered around the wreck.
fn debris_field(sand: &Sand, seed: u64, out: &mut String) {
    let _ = write!(out, "  field:\n    material: {STEEL}\n    shapes:\n");
    let stream = Stream::new(seed, "survey/field");
    let (mut kept, mut attempt) = (0, 0);
    while kept < 14 && attempt < 2000 {
        let mut draw = stream.draw(attempt);
        attempt += 1;
        let p = [
            30.0 * (2.0 * draw.uniform() - 1.0),
            22.0 * (2.0 * draw.uniform() - 1.0),
        ];
        let far = sand.distance_from_wreck(p);
        if !(1.5..12.0).contains(&far) {
            continue;
        }
        kept += 1;
        let (size, turn) = (0.5 + 1.3 * draw.uniform(), 180.0 * draw.uniform());
        let z = sand.height(p);
        let (x, y) = (p[0], p[1]);
        let _ = if kept == 1 {
            writeln!(
                out,
                "      boiler: {{kind: cylinder, radius_m: 1.1, length_m: 2.6, \
                 position_m: [{x:.2}, {y:.2}, {:.2}], attitude_deg: [90, 0, {turn:.0}]}}",
                z + 0.7
            )
        } else if kept % 3 == 0 {
            writeln!(
                out,
                "      plate_{kept}: {{kind: box, size_m: [{:.2}, {size:.2}, 0.04], \
                 position_m: [{x:.2}, {y:.2}, {:.2}], attitude_deg: [{:.0}, 12, {turn:.0}]}}",
                1.6 * size,
                z + 0.15,
                10.0 + 25.0 * draw.uniform()
            )
        } else {
            writeln!(
                out,
                "      box_{kept}: {{kind: box, size_m: [{size:.2}, {:.2}, {:.2}], \
                 position_m: [{x:.2}, {y:.2}, {:.2}], attitude_deg: [8, 5, {turn:.0}]}}",
                0.7 * size,
                0.6 * size,
                z + 0.12
            )
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The same seed gives the same bytes, another seed different bytes, and the files are small.
    // Method: generate each twice.
    #[test]
    fn seed_reproduces_its_bytes() {
        let [a, again, b] = [3, 3, 4].map(survey_files);
        assert_eq!(a, again);
        assert_eq!(
            a.iter().zip(&b).filter(|(a, b)| a.1 != b.1).count(),
            2,
            "sand and wreck, not header and hull"
        );
        let size: usize = a.iter().map(|(_, bytes)| bytes.len()).sum();
        assert!(size < 500_000, "{size}");
    }
}

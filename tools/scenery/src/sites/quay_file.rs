//! Generates the files of a quay: raster of the mud, meshes, and the part of a world file that uses
//! them.

use crate::sites::File;
use crate::sites::growth::{GROWTH_KINDS, Growth, GrowthKind, Kind, SHADES};
use crate::sites::objects;
use crate::sites::quay::{
    BLOCK, Debris, DebrisKind, FACE, FENDERS, FOOT, HALF_EXTENT, HALF_LENGTH, LADDER, PILE_RADIUS,
    Quay, TOP, pile_positions, shade, zone_color,
};
use crate::sites::raster::Raster;
use merrow_math::rng::Stream;
use std::fmt::Write as _;

/// Distance between the samples of the mud [m].
const STEP: f64 = 0.3;
/// Collision groups of visual-only shapes, which have no contacts.
const NO_CONTACT_GROUPS: &str = "groups: {member_of: [], collides_with: []}";

/// Returns all files of a quay.
pub fn quay_files(quay: &Quay) -> Vec<File> {
    let raster = Raster {
        data: "mud.i16",
        half_extent: HALF_EXTENT,
        step: STEP,
        factor: 0.001,
        unit: "m",
    };
    let [head, data] = raster.header_and_data(|p| quay.height(p));
    let stream = |name: &str| Stream::new(quay.seed, &format!("quay/meshes/{name}"));
    let lump = |name: &str, roughness: f64| {
        objects::lump_mesh(&stream(name), roughness, [18, 11]).to_obj("a lump of radius 1")
    };
    let clump = |name: &str, n: u64, slim: f64| {
        objects::clump_mesh(&stream(name), n, slim).to_obj("a clump on a wall, out along x")
    };
    let tuft = |name: &str, n: u64| {
        objects::tuft_mesh(&stream(name), n).to_obj("a tuft of weed, 1 m high")
    };
    vec![
        ("mud.yaml", head),
        ("mud.i16", data),
        ("lump_1.obj", lump("lump_1", 0.16)),
        ("lump_2.obj", lump("lump_2", 0.2)),
        ("clump_1.obj", clump("clump_1", 9, 0.55)),
        ("clump_2.obj", clump("clump_2", 13, 0.45)),
        ("rock.obj", lump("rock", 0.11)),
        ("tuft_1.obj", tuft("tuft_1", 9)),
        ("tuft_2.obj", tuft("tuft_2", 12)),
        (
            "tyre.obj",
            objects::tyre_mesh(0.31, 0.19, 0.09).to_obj("a tyre of a car"),
        ),
        ("quay.yaml", world_text(quay).into_bytes()),
    ]
}

/// Returns the part of a world file with the quay. Writing to a String does not fail.
fn world_text(quay: &Quay) -> String {
    let mut out = format!(
        "# written by `merrow terrain harbour-inspection --seed {}`: include it in a world with `extends`\n\
         description: A quay of concrete blocks with a jetty, a ladder and fenders over a muddy bottom\n\
         seabed:\n  terrain: {{file: mud.yaml, unit: m}}\n  \
         material: {{friction: 0.4, color: [0.30, 0.25, 0.17], reflectivity: 0.25, backscatter_db: -32}}\n\
         robots: {{}}\nstructures:\n",
        quay.seed
    );
    wall(quay, &mut out);
    jetty(&mut out);
    ladder(&mut out);
    fenders(&mut out);
    growth(quay, &mut out);
    for (k, thing) in quay.debris.iter().enumerate() {
        debris(k, thing, &mut out);
    }
    out
}

fn list(numbers: &[f64]) -> String {
    let text: Vec<String> = numbers
        .iter()
        .map(|x| {
            format!("{x:.3}")
                .trim_end_matches('0')
                .trim_end_matches('.')
                .to_string()
        })
        .collect();
    format!("[{}]", text.join(", "))
}

fn wall(quay: &Quay, out: &mut String) {
    out.push_str(
        "  quay:\n    material: {friction: 0.7, reflectivity: 0.35, backscatter_db: -17}\n    shapes:\n",
    );
    let center = 0.5 * (TOP + FOOT - 2.0);
    let (deep, high) = (10.0, TOP - FOOT + 2.0 - 0.6);
    let _ = writeln!(
        out,
        "      core: {{kind: box, size_m: {}, position_m: {}, material: {{color: [0.05, 0.05, 0.045], backscatter_db: -24}}}}",
        list(&[deep, 2.0 * HALF_LENGTH, high]),
        list(&[FACE + 0.12 + 0.5 * deep, 0.0, center - 0.3])
    );
    let _ = writeln!(
        out,
        "      coping: {{kind: box, size_m: {}, position_m: {}, material: {{color: [0.52, 0.5, 0.45], backscatter_db: -17}}}}",
        list(&[deep + 0.3, 2.0 * HALF_LENGTH, 0.6]),
        list(&[FACE - 0.1 + 0.5 * (deep + 0.3), 0.0, TOP - 0.3])
    );
    let _ = writeln!(
        out,
        "      asphalt: {{kind: box, size_m: {}, position_m: {}, material: {{color: [0.13, 0.13, 0.13]}}}}",
        list(&[deep - 0.7, 2.0 * HALF_LENGTH, 0.04]),
        list(&[FACE + 1.0 + 0.5 * (deep - 0.7), 0.0, TOP + 0.02])
    );
    for (k, y) in FENDERS.iter().enumerate() {
        let _ = writeln!(
            out,
            "      bollard_{}: {{kind: capsule, radius_m: 0.16, length_m: 0.5, position_m: {}, \
             material: {{color: [0.5, 0.36, 0.05]}}}}",
            k + 1,
            list(&[FACE + 0.35, y - 1.2, TOP + 0.25])
        );
    }
    for (k, block) in quay.blocks.iter().enumerate() {
        let _ = writeln!(
            out,
            "      block_{k:03}: {{kind: box, size_m: {}, position_m: {}, \
             material: {{friction: 0.7, reflectivity: 0.35, backscatter_db: -17, color: {}}}}}",
            list(&[BLOCK[2], block.size[1], block.size[2]]),
            list(&block.p),
            list(&block.color)
        );
    }
}

/// Adds piles in bands of their zones, caps and a deck.
fn jetty(out: &mut String) {
    out.push_str(
        "  jetty:\n    material: {friction: 0.6, reflectivity: 0.3, backscatter_db: -20, \
         color: [0.27, 0.22, 0.16]}\n    shapes:\n",
    );
    let edges = [FOOT - 1.5, -4.2, -2.4, -0.9, 0.1, 0.6, 1.2, TOP - 0.5];
    for (k, [x, y]) in pile_positions().enumerate() {
        for (band, ends) in edges.windows(2).enumerate() {
            let z = 0.5 * (ends[0] + ends[1]);
            let color = shade(
                zone_color(z, [0.27, 0.22, 0.16]),
                0.85 + 0.1 * ((k + band) % 4) as f64,
            );
            let _ = writeln!(
                out,
                "      pile_{}_{band}: {{kind: cylinder, radius_m: {PILE_RADIUS}, length_m: {:.2}, \
                 position_m: {}, material: {{backscatter_db: -20, color: {}}}}}",
                k + 1,
                ends[1] - ends[0],
                list(&[x, y, z]),
                list(&color)
            );
        }
    }
    for (k, x) in crate::sites::quay::PILES.0.iter().enumerate() {
        let _ = writeln!(
            out,
            "      cap_{}: {{kind: box, size_m: [0.35, 4.2, 0.35], position_m: {}}}",
            k + 1,
            list(&[*x, 6.6, TOP - 0.33])
        );
    }
    let _ = writeln!(
        out,
        "      deck: {{kind: box, size_m: [12.4, 4.2, 0.15], position_m: {}, material: {{color: [0.36, 0.31, 0.24]}}}}",
        list(&[-0.2, 6.6, TOP - 0.075])
    );
}

fn ladder(out: &mut String) {
    let [y, low] = LADDER;
    let (x, high) = (FACE - 0.22, TOP - 0.1);
    out.push_str(
        "  ladder:\n    material: {friction: 0.4, reflectivity: 0.4, backscatter_db: -14, \
         color: [0.28, 0.13, 0.07]}\n    shapes:\n",
    );
    let length = high - low + 0.3;
    for (name, side) in [("south", -0.22), ("north", 0.22)] {
        // painted above the tide, rust below
        for (part, ends, color) in [
            ("low", [low - 0.3, 0.9], "[0.24, 0.11, 0.06]"),
            ("high", [0.9, high], "[0.75, 0.58, 0.06]"),
        ] {
            let _ = writeln!(
                out,
                "      {name}_{part}: {{kind: box, size_m: [0.07, 0.05, {:.3}], position_m: {}, \
                 material: {{backscatter_db: -14, color: {color}}}}}",
                ends[1] - ends[0],
                list(&[x, y + side, 0.5 * (ends[0] + ends[1])])
            );
        }
    }
    let rungs = (length / 0.3) as usize;
    for k in 0..rungs {
        let _ = writeln!(
            out,
            "      rung_{:02}: {{kind: cylinder, radius_m: 0.018, length_m: 0.44, position_m: {}, attitude_deg: [90, 0, 0]}}",
            k + 1,
            list(&[x, y, low + 0.3 * k as f64])
        );
    }
}

/// Adds upright rubber cylinders, and a tyre on a chain next to each.
fn fenders(out: &mut String) {
    out.push_str(
        "  fenders:\n    material: {friction: 0.9, reflectivity: 0.06, backscatter_db: -24, \
         color: [0.05, 0.05, 0.05]}\n    shapes:\n",
    );
    for (k, y) in FENDERS.iter().enumerate() {
        let k = k + 1;
        let _ = writeln!(
            out,
            "      rubber_{k}: {{kind: cylinder, radius_m: 0.3, length_m: 2.9, position_m: {}}}",
            list(&[FACE - 0.32, *y, 0.35])
        );
        let _ = writeln!(
            out,
            "      tyre_{k}: {{kind: mesh, file: tyre.obj, form: triangles, \
             scale: [1.5, 1.5, 1.6], position_m: {}, attitude_deg: [0, 90, 0]}}",
            list(&[FACE - 0.16, y + 1.5, 0.2])
        );
        let _ = writeln!(
            out,
            "      chain_{k}: {{kind: capsule, radius_m: 0.025, length_m: 1.6, position_m: {}, \
             material: {{color: [0.25, 0.14, 0.08], backscatter_db: -14}}}}",
            list(&[FACE - 0.13, y + 1.5, 1.35])
        );
    }
}

/// Adds one structure for each kind and shade of growth.
fn growth(quay: &Quay, out: &mut String) {
    for (GrowthKind { kind, color, .. }, (n, factor)) in GROWTH_KINDS
        .iter()
        .flat_map(|habit| SHADES.iter().enumerate().map(move |shade| (habit, shade)))
    {
        let own = quay
            .growth
            .iter()
            .enumerate()
            .filter(|(_, g)| (g.kind, g.shade) == (*kind, n));
        let mut own = own.peekable();
        if own.peek().is_none() {
            continue;
        }
        let name = format!("{kind:?}_{}", n + 1).to_lowercase();
        let color = list(&shade(*color, *factor));
        let _ = writeln!(
            out,
            "  {name}:\n    material: {{reflectivity: 0.15, backscatter_db: -24, color: {color}}}\n    shapes:"
        );
        for (k, g) in own {
            let (p, form) = (list(&g.p), growth_shape(g));
            let _ = writeln!(
                out,
                "      g{k:03}: {{kind: mesh, form: triangles, {form}, position_m: {p}, {NO_CONTACT_GROUPS}}}"
            );
        }
    }
}

/// Returns mesh, scale and attitude of an item of growth. The z axis of a tuft points outwards and
/// up; lumps lie flat on the surface.
fn growth_shape(g: &Growth) -> String {
    let [across, out] = g.size;
    let n = g.mesh + 1;
    match g.kind {
        Kind::Weed | Kind::Lettuce => {
            format!(
                "file: tuft_{n}.obj, scale: {}, attitude_deg: {}",
                list(&[across, across, out]),
                list(&[0.0, 62.0, g.outward_deg])
            )
        }
        _ => format!(
            "file: {}_{n}.obj, scale: {}, attitude_deg: {}",
            if g.kind == Kind::Sponge {
                "lump"
            } else {
                "clump"
            },
            list(&[out, across, across]),
            list(&[(g.rotation_deg / 45.0).floor() * 45.0, 0.0, g.outward_deg])
        ),
    }
}

fn debris(k: usize, d: &Debris, out: &mut String) {
    let k = k + 1;
    let (name, material, shape) = match d.kind {
        DebrisKind::Rock => {
            let s = (d.scale * 50.0).ceil() / 50.0;
            (
                "rock",
                "{color: [0.24, 0.22, 0.19], backscatter_db: -20}",
                format!(
                    "{{kind: mesh, file: rock.obj, form: triangles, scale: {}}}",
                    list(&[s, 0.8 * s, 0.6 * s])
                ),
            )
        }
        DebrisKind::Tyre => (
            "tyre",
            "{color: [0.06, 0.06, 0.055], reflectivity: 0.06, backscatter_db: -24}",
            "{kind: mesh, file: tyre.obj, form: triangles}".to_string(),
        ),
        DebrisKind::Drum => (
            "drum",
            "{color: [0.10, 0.18, 0.32], backscatter_db: -12}",
            "{kind: cylinder, radius_m: 0.29, length_m: 0.88, attitude_deg: [90, 0, 0]}"
                .to_string(),
        ),
        DebrisKind::Cinder => (
            "cinder",
            "{color: [0.40, 0.38, 0.34], backscatter_db: -17}",
            format!(
                "{{kind: box, size_m: {}}}",
                list(&[0.4 * d.scale, 0.2 * d.scale, 0.2 * d.scale])
            ),
        ),
        DebrisKind::Bottle => (
            "bottle",
            "{color: [0.06, 0.22, 0.08], backscatter_db: -18}",
            "{kind: capsule, radius_m: 0.036, length_m: 0.19, attitude_deg: [90, 0, 0]}"
                .to_string(),
        ),
        DebrisKind::Beam => (
            "beam",
            "{color: [0.22, 0.16, 0.10], backscatter_db: -24}",
            format!(
                "{{kind: box, size_m: {}}}",
                list(&[2.2 * d.scale, 0.18, 0.18])
            ),
        ),
        DebrisKind::Pot => (
            "pot",
            "{color: [0.10, 0.22, 0.20], backscatter_db: -18}",
            String::new(),
        ),
    };
    let _ = writeln!(
        out,
        "  {name}_{k:02}:\n    position_m: {}\n    attitude_deg: {}\n    material: {material}\n    shapes:",
        list(&d.p),
        list(&d.attitude)
    );
    if d.kind == DebrisKind::Pot {
        pot(out);
    } else {
        let _ = writeln!(out, "      s: {shape}");
    }
}

/// Adds a lobster pot: the edges of a box, and bars on its sides.
fn pot(out: &mut String) {
    let half = [0.4_f64, 0.25, 0.22];
    let mut n = 0;
    let mut bar = |center: [f64; 3], length: f64, attitude: &str| {
        n += 1;
        let _ = writeln!(
            out,
            "      b{n:02}: {{kind: capsule, radius_m: 0.012, length_m: {length:.2}, position_m: {}, attitude_deg: {attitude}}}",
            list(&center)
        );
    };
    for z in [-1.0, 0.0, 1.0] {
        for side in [-1.0, 1.0] {
            bar(
                [0.0, side * half[1], z * half[2]],
                2.0 * half[0],
                "[0, 90, 0]",
            );
            bar(
                [side * half[0], 0.0, z * half[2]],
                2.0 * half[1],
                "[90, 0, 0]",
            );
        }
    }
    for x in [-1.0, -0.5, 0.0, 0.5, 1.0] {
        for side in [-1.0, 1.0] {
            bar(
                [x * half[0], side * half[1], 0.0],
                2.0 * half[2],
                "[0, 0, 0]",
            );
        }
        bar([x * half[0], 0.0, half[2]], 2.0 * half[1], "[90, 0, 0]");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The same seed gives the same bytes, another seed different bytes, and the files are small.
    // Method: generate each twice.
    #[test]
    fn seed_reproduces_its_bytes() {
        let [a, again, b] = [3, 3, 4].map(|seed| quay_files(&Quay::new(seed)));
        assert_eq!(a, again);
        assert!(a.iter().zip(&b).filter(|(a, b)| a.1 != b.1).count() >= 5);
        let size: usize = a.iter().map(|(_, bytes)| bytes.len()).sum();
        assert!(size < 500_000, "{size}");
    }
}

//! Tests gridded terrain: echo sounders, contact, and grids larger than memory.

use crate::common::folder::Folder;
use crate::common::turntable::{ball, set_pose};
use crate::common::{advance, close, close_vectors, reading};
use merrow_environment::waves::dispersion::wave_number;
use merrow_math::Vec3;
use merrow_model::state::reading::Reading;
use merrow_sim::Simulation;
use merrow_world::{Overrides, load_world};
use std::sync::Arc;

/// Returns a simulation of a world in its own folder.
fn simulation(name: &str, files: &[(&str, &str)], text: &str) -> (Folder, Simulation) {
    let folder = Folder::new(name, files);
    let path = folder.0.join("w.yaml");
    std::fs::write(&path, text).unwrap();
    let world = load_world(&path, Overrides::default()).unwrap_or_else(|p| panic!("{p}"));
    (folder, Simulation::new(Arc::new(world.scene), 1).unwrap())
}

/// Returns a ridge along north: 30 m deep at x = 0, deeper by half of the distance on both sides;
/// samples every 5 m.
fn roof() -> String {
    let mut table = String::from("x,y,depth_of_water\n");
    for y in -4..=4 {
        for x in -8..=8 {
            let (x, y) = (f64::from(x) * 5.0, f64::from(y) * 5.0);
            table += &format!("{x},{y},{}\n", 30.0 + 0.5 * x.abs());
        }
    }
    table
}

const ROOF: &str = "seabed: {terrain: {file: roof.csv, factor: -1}}";
const DEVICE: &str =
    "a: {device: {source: test, kind: altimeter, rate_hz: 500, min_range_m: 0.5, max_range_m: 200},
        attitude_deg: [0, 90, 0]}";

// An echo sounder measures the gridded terrain on both sides of a ridge and beyond the edge of the
// grid. Method: hand calculation. Tolerance: 1e-9.
#[test]
fn echo_sounder_measures_gridded_terrain() {
    let (_folder, mut s) = simulation(
        "terrain_echo",
        &[("roof.csv", &roof())],
        &ball(ROOF, "", DEVICE),
    );
    let mut range = |p: [f64; 3], rpy: [f64; 3]| {
        set_pose(&mut s, Vec3::from(p), rpy);
        let Reading::Altimeter(a) = reading(&mut s, 0) else {
            panic!("not an altimeter")
        };
        a.range
    };
    close(
        "over the ridge",
        range([0.0, 3.0, -10.0], [0.0; 3]),
        20.0,
        1e-9,
    );
    close(
        "over the side",
        range([-7.0, 3.0, -10.0], [0.0; 3]),
        23.5,
        1e-9,
    );
    close(
        "beyond the edge",
        range([60.0, 3.0, -10.0], [0.0; 3]),
        40.0,
        1e-9,
    );
    // Pitched nose-up by 45 degrees the beam points forward and down: from x = -7 over the ridge to
    // the far side.
    let angle = -std::f64::consts::FRAC_PI_4;
    // Depth 10 + t = 30 + (t - 7)/2 on the far side.
    close(
        "ahead",
        range([-7.0, 3.0, -10.0], [0.0, angle, 0.0]),
        33.0 * 2.0_f64.sqrt(),
        1e-9,
    );
}

// The same terrain supports bodies. Method: a box with little friction on the slope slides down
// with g' (sin a - μ cos a); a box with more friction stays. Tolerance: 1e-3 of the distance, the
// settling at the start.
#[test]
fn boxes_slide_and_stay_on_the_slope() {
    let slope = 0.5_f64.atan();
    for (friction, moves) in [(0.1, true), (0.8, false)] {
        // The centre of a box of 1 x 1 x 0.4 m that rests flat on the slope at x = 10.
        let text = format!(
            "
seabed: {{terrain: {{file: roof.csv, factor: -1}}, material: {{friction: {friction}}}}}
water: {{density_kg_m3: 0}}
props:
  box:
    position_m: [{}, 1.3, {}]
    attitude_deg: [0, {}, 0]
    body:
      {{source: test, axes: flu, mass_kg: 50, inertia_kg_m2: {{xx: 5, yy: 5, zz: 8}},
      collisions: {{box: {{kind: box, size_m: [1, 1, 0.4], material: {{friction: {friction}}}}}}}}}
robots: {{}}
",
            10.0 + 0.2 * slope.sin(),
            -35.0 + 0.2 * slope.cos(),
            slope.to_degrees()
        );
        let name = format!("terrain_slide_{}", u32::from(moves));
        let (_folder, mut s) = simulation(&name, &[("roof.csv", &roof())], &text);
        let start = s.state.robots[0].motion.p_WB;
        advance(&mut s, 1.5);
        let way = s.state.robots[0].motion.p_WB - start;
        let a = if moves {
            9.81 * (slope.sin() - friction * slope.cos())
        } else {
            0.0
        };
        let d = 0.5 * a * 1.5 * 1.5;
        close_vectors(
            "way",
            way,
            Vec3::new(d * slope.cos(), 0.0, -d * slope.sin()),
            2e-3,
        );
    }
}

// A body dropped onto a peak narrower than itself rests on the peak, and a fast one does not pass
// through the terrain. Method: a ball over a single high sample; a ball at 200 m/s. Tolerance: the
// contact is within a millimetre.
#[test]
fn bodies_do_not_fall_through_terrain() {
    let mut table = String::from("x,y,h\n");
    for y in -10..=10 {
        for x in -10..=10 {
            table += &format!("{x},{y},{}\n", if x == 0 && y == 0 { -8.0 } else { -10.0 });
        }
    }
    for (name, x, speed, expected) in [("peak", 0.0, 0.0, -7.5), ("bullet", 4.3, -200.0, -9.5)] {
        let text = format!(
            "
seabed: {{terrain: {{file: h.csv}}}}
water: {{density_kg_m3: 0}}
props:
  ball:
    position_m: [{x}, 0, -4.1]
    velocity_m_s: [0, 0, {speed}]
    body:
      {{source: test, axes: flu, mass_kg: 50, inertia_kg_m2: {{xx: 5, yy: 5, zz: 5}},
      collisions: {{ball: {{kind: sphere, radius_m: 0.5}}}}}}
robots: {{}}
"
        );
        let (_folder, mut s) = simulation(&format!("terrain_{name}"), &[("h.csv", &table)], &text);
        let mut lowest = f64::INFINITY;
        for _ in 0..50 {
            advance(&mut s, 0.02);
            lowest = lowest.min(s.state.robots[0].motion.p_WB.z);
        }
        assert!(
            (lowest - expected).abs() < 1e-3,
            "{name}: {lowest} {expected}"
        );
    }
}

// Bathymetry of 5000 x 5000 samples is used without being read into memory. Method: a sparse raw
// file of 50 MB; the depth, and the memory of the process, which without memory mapping would grow
// by 100 MB or more. The operating system counts cached pages of the file to the process, so only
// anonymous memory (RssAnon) is compared. Tolerance: 50 MB, for other tests of the process that run
// at the same time.
#[test]
#[cfg(target_os = "linux")]
fn large_grid_is_memory_mapped() {
    use std::io::{Seek, SeekFrom, Write};
    let own = || {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status
            .lines()
            .find(|l| l.starts_with("RssAnon"))
            .unwrap()
            .to_string();
        line.split_whitespace()
            .nth(1)
            .unwrap()
            .parse::<u64>()
            .unwrap()
            / 1024
    };
    let head = "{data: h.i16, number: i16, factor: 0.01, offset: -50, axes: [
        {name: y, start: -25000, step: 10, count: 5000}, {name: x, start: -25000, step: 10, count: 5000}]}";
    let folder = Folder::new("terrain_large", &[("h.yaml", head)]);
    let mut data = std::fs::File::create(folder.0.join("h.i16")).unwrap();
    data.set_len(50_000_000).unwrap();
    // The sample at (20, 30) is 20 m higher.
    data.seek(SeekFrom::Start(2 * (2503 * 5000 + 2502)))
        .unwrap();
    data.write_all(&2000_i16.to_le_bytes()).unwrap();
    drop(data);
    let path = folder.0.join("w.yaml");
    std::fs::write(&path, ball("seabed: {terrain: {file: h.yaml}}", "", DEVICE)).unwrap();
    let before = own();
    let world = load_world(&path, Overrides::default()).unwrap_or_else(|p| panic!("{p}"));
    let mut s = Simulation::new(Arc::new(world.scene), 1).unwrap();
    for (x, expected) in [(20.0, 20.0), (15.0, 30.0), (-15_000.0, 40.0)] {
        set_pose(&mut s, Vec3::new(x, 30.0, -10.0), [0.0; 3]);
        let Reading::Altimeter(a) = reading(&mut s, 0) else {
            panic!("not an altimeter")
        };
        close("range", a.range, expected, 1e-9);
    }
    let grown = own().saturating_sub(before);
    assert!(grown < 50, "{grown} MB");
}

// Terrain in degrees is one surface for echo sounders and contact, at its position on the
// ellipsoid. Method: a slope that is linear in longitude and latitude, 10 km to the north-east of
// the origin at 45 degrees; its height there from the geodetic coordinates; rays in three
// directions; the corners of its triangles. Tolerance: 1e-6 m; the end of a ray within 1e-4 m of
// the surface, the curvature over 100 m.
#[test]
fn geodetic_terrain_matches_ellipsoid() {
    use merrow_environment::geodesy::geodetic_from_world;
    let ground = |latitude: f64, longitude: f64| {
        -30.0 + 900.0 * (latitude - 45.09) + 700.0 * (longitude - 5.13)
    };
    let mut table = String::from("lon,lat,ground\n");
    for j in 0..=40 {
        for i in 0..=40 {
            let (longitude, latitude) = (5.11 + 0.001 * f64::from(i), 45.07 + 0.001 * f64::from(j));
            table += &format!(
                "{longitude},{latitude},{:.9}\n",
                ground(latitude, longitude)
            );
        }
    }
    let text = ball(
        "origin: {latitude_deg: 45, longitude_deg: 5}\nseabed: {terrain: {file: slope.csv, axes: {horizontal: degrees}}}",
        "",
        DEVICE,
    );
    let (_folder, s) = simulation("terrain_degrees", &[("slope.csv", &table)], &text);
    let seabed = &s.scene.sea.seabed;
    let truth = |p: Vec3| {
        let [latitude, longitude, _] =
            geodetic_from_world(&s.scene.origin, Vec3::new(p.x, p.y, 0.0));
        ground(latitude.to_degrees(), longitude.to_degrees())
    };
    for (x, y) in [
        (10_000.0, 10_000.0),
        (9_500.0, 9_100.0),
        (10_900.0, 11_000.0),
    ] {
        let p = Vec3::new(x, y, 10.0);
        close("height", seabed.height(x, y), truth(p), 1e-6);
        for d in [
            Vec3::new(0.0, 0.0, -1.0),
            Vec3::new(0.6, 0.48, -0.64),
            Vec3::new(-0.8, 0.36, -0.48),
        ] {
            let range = seabed.range(p, d).unwrap();
            let end = p + d.scale(range);
            close("end of the ray", end.z, truth(end), 1e-4);
        }
    }
    let terrain = seabed.terrain.as_ref().unwrap();
    let mut n = 0;
    terrain.triangles(
        Vec3::new(9_990.0, 9_990.0, -99.0),
        Vec3::new(10_010.0, 10_010.0, 99.0),
        |_, corners| {
            n += 1;
            for c in corners {
                close("corner", c.z, truth(c), 1e-6);
            }
        },
    );
    assert!(n >= 2, "{n}");
}

// Waves use the depth of the terrain, not the default depth of a plane. Method: the wave number of
// a regular wave over the ridge, 30 m deep at the origin, and over an island, where the mean depth
// of the samples under water counts, satisfies the dispersion relation. Tolerance: 1e-9.
#[test]
fn waves_use_the_depth_of_the_terrain() {
    let island = "x,y,h\n-10,0,-4\n0,0,1\n10,0,-8\n-10,10,-4\n0,10,1\n10,10,-8\n";
    for (file, factor, depth) in [(roof(), -1, 30.0), (island.to_string(), 1, 6.0)] {
        let text = format!(
            "water: {{waves: {{kind: regular, height_m: 0.2, period_s: 7}}}}
seabed: {{terrain: {{file: bed.csv, factor: {factor}}}}}
robots: {{}}
"
        );
        let (_folder, s) = simulation("terrain_depth", &[("bed.csv", &file)], &text);
        let waves = s.scene.sea.waves.latest().expect("waves");
        close("depth", waves.depth, depth, 1e-9);
        close("height of the seabed", s.scene.sea.seabed.z0, -depth, 1e-9);
        let omega = std::f64::consts::TAU / 7.0;
        let k = wave_number(omega, depth, 9.81);
        close("wave number", waves.components.k[0], k, 1e-9);
    }
}

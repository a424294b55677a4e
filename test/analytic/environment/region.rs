//! Tests regions of water and land with their own level, waves and current: hulls, sensors and
//! currents use the same sea.

use crate::common::folder::Folder;
use crate::common::meshes::cuboid;
use crate::common::{advance, close, close_vectors, initial_environment, reading, simulation};
use merrow_environment::waves::WaveState;
use merrow_math::Vec3;
use merrow_model::state::Command;
use merrow_model::state::reading::Reading;
use merrow_sim::{Pace, Simulation};
use merrow_world::{Overrides, data_dir, load_world};
use std::sync::Arc;

/// A lake 12 m up to the east of x = 50, a harbour without waves to the west of x = -50, a polder
/// to the north of y = 50; a sea with a tide and a current between them.
const WATER: &str = "
water:
  density_kg_m3: 1000
  current: {kind: uniform, speed_m_s: 0.4, direction_deg: 0}
  tide: {level_m: 0.3}
  waves: {kind: bretschneider, hs_m: 0.5, tp_s: 4, direction_deg: 90, components: COMPONENTS}
  regions:
    lake: {corners_m: [[50, -40], [90, -40], [90, 40], [50, 40]], level_m: 12, wave_factor: 0, open_to_current: false, density_kg_m3: 1000}
    harbour: {corners_m: [[-50, -40], [-90, -40], [-90, 40], [-50, 40]], wave_factor: 0, density_kg_m3: 1000}
    polder: {corners_m: [[-40, 50], [40, 50], [40, 90], [-40, 90]], dry: true}
  flows:
    inlet: {kind: jet, region: lake, speed_m_s: 0.2, direction_deg: 90, half_width_m: 1.0e+6}
seabed: {depth_m: 30}
";

/// Returns a floating body that is half submerged, with the given hull and a pressure sensor 0.4 m
/// below its origin.
fn floater(components: usize, hull: &str, place: [f64; 3]) -> Simulation {
    let cube = cuboid([1.0, 1.0, 1.0], 1).obj();
    let folder = Folder::new(
        &format!("region_{components}_{}", place[0]),
        &[("cube.obj", &cube)],
    );
    let hull = hull.replace("FOLDER", &folder.0.to_string_lossy());
    simulation(&format!(
        "{}
robots:
  r:
    position_m: {place:?}
    model:
      source: test
      body: {{source: test, axes: flu, mass_kg: 500, volume_m3: 1, inertia_kg_m2: {{xx: 80, yy: 80, zz: 80}}, center_of_mass_m: [0, 0, -0.1],
        hull: {hull}, linear_damping: {{kind: diagonal, values: [400, 400, 3000, 200, 200, 200]}}}}
      sensors:
        p: {{device: {{kind: pressure, source: test, rate_hz: 500}}, position_m: [0, 0, -0.4]}}
",
        WATER.replace("COMPONENTS", &components.to_string())
    ))
}

fn position(s: &Simulation) -> Vec3 {
    s.state.robots[0].motion.p_WB
}

const HULLS: [&str; 3] = [
    "{kind: box, size_m: [1, 1, 1]}",
    "{kind: ellipsoid, size_m: [1.2407, 1.2407, 1.2407]}",
    "{kind: mesh, file: FOLDER/cube.obj}",
];

// Any kind of hull floats in a lake as in calm water, 12 m higher, and the pressure there is the
// pressure of the water and the air above it. Method: half its volume submerged, 20 s after
// placement, with few waves and with many (the lattice) beyond the shore. Tolerance: 1 mm; 20 Pa, 2
// mm of water.
#[test]
fn hulls_float_at_the_level_of_the_lake() {
    for components in [8, 64] {
        for hull in HULLS {
            let mut s = floater(components, hull, [60.0, 0.0, 12.1]);
            advance(&mut s, 20.0);
            close_vectors(
                hull,
                Vec3::new(0.0, 0.0, position(&s).z),
                Vec3::new(0.0, 0.0, 12.0),
                1e-3 / 12.0,
            );
            let Reading::Pressure(p) = reading(&mut s, 0) else {
                panic!("not a pressure")
            };
            // The air pressure over the lake is lower by 144 Pa, by ISO 2533.
            let air = 101_325.0 * (1.0 - 0.0065 * 12.0 / 288.15_f64).powf(5.2559);
            close(
                "pressure",
                p.pressure,
                air + 1000.0 * 9.81 * 0.4,
                20.0 / 101_325.0,
            );
            // Only the inlet flows there.
            let v = s.state.robots[0].motion.V_WB_B.v;
            close_vectors("drift", v, Vec3::new(0.2, 0.0, 0.0), 0.02);
        }
    }
}

// A harbour has the tide and no waves, a polder has no water, and the sea between them has both.
// Method: the surface at positions in each, one by one and in a batch; heads; the velocity of the
// water; a body that falls in the polder. Tolerance: 1e-9, the difference allowed for a batch.
#[test]
fn region_queries_are_consistent() {
    let s = floater(40, HULLS[0], [0.0, 70.0, -5.0]);
    let sea = &s.scene.sea;
    let waves = WaveState::new(&sea.waves, 3.7e9);
    let x = [70.0, -70.0, 0.0, 0.0, 55.0, -45.0];
    let y = [3.0, 7.0, 70.0, -20.0, 39.0, 9.0];
    let (mut eta, mut head) = ([0.0; 6], [0.0; 6]);
    waves.elevations(&x, &y, &mut eta);
    let mut z = eta.map(|eta| eta - 0.7);
    waves.pressure_heads(&x, &y, &mut z, &eta, &mut head);
    for k in 0..6 {
        close("surface", waves.elevation(x[k], y[k]), eta[k], 1e-9);
        let water = waves.orbital_motion(Vec3::new(x[k], y[k], eta[k] - 0.7), eta[k]);
        close("head", water.head, head[k], 1e-9);
        if ![3, 5].contains(&k) {
            assert_eq!(water.velocity.norm(), 0.0, "no waves at {} {}", x[k], y[k]);
        }
    }
    close_vectors(
        "levels",
        Vec3::new(eta[0], eta[1], eta[4]),
        Vec3::new(12.0, 0.3, 12.0),
        1e-12,
    );
    assert!(
        eta[2] < -1e5 && (eta[3] - 0.3).abs() > 1e-3 && (eta[5] - 0.3).abs() > 1e-3,
        "{eta:?}"
    );
    let at = initial_environment(&s.scene);
    close_vectors(
        "lake",
        at.water_motion(Vec3::new(70.0, 3.0, 11.0)).0,
        Vec3::new(0.2, 0.0, 0.0),
        1e-9,
    );
    close_vectors(
        "harbour",
        at.water_motion(Vec3::new(-70.0, 3.0, -1.0)).0,
        Vec3::new(0.0, 0.4, 0.0),
        1e-12,
    );
    let mut s = s;
    advance(&mut s, 1.0);
    close("falls", position(&s).z, -5.0 - 0.5 * 9.81, 2e-3);
}

// A hull that drifts over an edge gives the same state hash in blocks and in single steps. Method:
// a mesh in the waves of the sea drifts into the harbour, which has no waves; hashes after 400
// steps.
#[test]
fn crossing_region_edges_is_independent_of_blocks() {
    let travel = |block: u64| {
        let mut s = floater(64, HULLS[2], [-49.8, 0.0, 0.3]);
        s.state.robots[0].motion.V_WB_B.v = Vec3::new(-1.0, 0.0, 0.0);
        for _ in 0..400 / block {
            s.advance(block);
            s.clear_outboxes();
        }
        assert!(position(&s).x < -50.0);
        s.state.hash()
    };
    assert_eq!(travel(1), travel(200));
}

// The boats of `worlds/harbour.yaml` follow the water of their regions. One heaves and drifts at
// sea, one lies quiet behind the mole at the same tide, one at the level of the lake. Method: 20 s,
// heights every 0.1 s from the fifth second on. Tolerance: 10 cm of height for draught and trim on
// the lake, whose water is flat. The waves of the harbour are a tenth of the waves of the sea, and
// a light boat responds to them at most twice as much.
#[test]
fn harbour_boats_follow_their_regions() {
    let world = load_world(&data_dir::world_file("harbour"), Overrides::default());
    let scene = world.unwrap_or_else(|problems| panic!("{problems}")).scene;
    let mut s = Simulation::new(Arc::new(scene), 1).unwrap();
    advance(&mut s, 5.0);
    let [mut sum, mut squares] = [[0.0; 3]; 2];
    for _ in 0..150 {
        advance(&mut s, 0.1);
        for (k, robot) in s.state.robots.iter().enumerate() {
            let z = robot.motion.p_WB.z;
            (sum[k], squares[k]) = (sum[k] + z / 150.0, squares[k] + z * z / 150.0);
        }
    }
    let spread = [0, 1, 2].map(|k: usize| (squares[k] - sum[k] * sum[k]).max(0.0).sqrt());
    assert!(
        spread[0] > 0.06 && spread[1] < 0.2 * spread[0] && spread[2] < 1e-3,
        "{spread:?}"
    );
    assert!(
        (sum[0] - 1.2).abs() < 0.15 && (sum[1] - 1.2).abs() < 0.05,
        "high water is 1.2 m: {sum:?}"
    );
    let float = s.scene.robots[2].links[0].restoring.is_some();
    assert!(float && (sum[2] - 6.0).abs() < 0.1, "{sum:?}");
    let north = s
        .state
        .robots
        .iter()
        .map(|r| r.motion.p_WB.y)
        .collect::<Vec<_>>();
    assert!(
        north[0] > 1.0 && north[1].abs() < 0.5 && north[2].abs() < 0.5,
        "the current stays outside: {north:?}"
    );
    assert!(s.state.robots.iter().all(|r| r.halted.is_none()));
}

// Parameters change the level of a lake and the waves of a harbour at run time. Method: a box on
// the lake whose level is raised by a metre; the surface of the harbour before and after; a later
// wave command keeps both changes. Tolerance: 1 mm of the equilibrium after 20 s.
#[test]
fn levels_and_waves_change_at_run_time() {
    let mut s = floater(8, HULLS[0], [60.0, 0.0, 12.0]);
    let named = merrow::node::parameters::list::declarations(&s.scene, Pace::Max);
    let names: Vec<_> = named
        .iter()
        .map(|d| d.name.as_str())
        .filter(|name| name.starts_with("water.regions."))
        .collect();
    assert_eq!(
        names,
        [
            "water.regions.lake.level_m",
            "water.regions.lake.wave_factor",
            "water.regions.harbour.wave_factor"
        ],
        "dry land has neither"
    );
    let harbour = |s: &Simulation| WaveState::new(&s.state.sea.waves, 3.7e9).elevation(-70.0, 5.0);
    close("still", harbour(&s), 0.3, 1e-12);
    let mut sea = s.state.sea.clone();
    sea.regions[0].level_m = Some(13.0);
    sea.regions[1].wave_factor = 1.0;
    s.apply(&Command::Sea(Box::new(sea))).unwrap();
    assert!((harbour(&s) - 0.3).abs() > 1e-3);
    s.apply(&Command::Sea(Box::new(s.state.sea.clone())))
        .unwrap();
    advance(&mut s, 20.0);
    close("rises", position(&s).z, 13.0, 1e-3 / 13.0);
}

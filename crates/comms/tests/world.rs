//! Tests of the channels of a world: obstacles, reciprocity, reproducibility and cost.

mod common;

use common::robot::{collider, sphere};
use common::{C, acoustic, carried, environment, fixed, read, scene, sea, sound, view, within};
use merrow_comms::channel::world::{ChannelInstant, WorldChannel};
use merrow_comms::propagation::{Channel, Propagation};
use merrow_environment::water_column::build_column;
use merrow_math::Vec3;
use merrow_model::scene::comms::medium::AcousticMedium;
use merrow_model::scene::comms::{Modem, Transceiver};
use merrow_model::scene::robot::collision::Primitive;
use merrow_model::scene::sea::water::SoundSpeedLaw;
use merrow_model::scene::{Geometry, Scene, Structure};
use merrow_model::state::comms::LossCause;
use merrow_sensors::ray_scene::{RayKind, RayScene, StaticGeometry};
use std::sync::Arc;

fn wall(p: Vec3, half: Vec3) -> Structure {
    Structure {
        name: "wall".into(),
        colliders: vec![collider(
            "wall",
            Geometry::Primitive(Primitive::Box { half }),
            p,
        )],
    }
}

/// Returns all links between `modems` in `scene` at `t_ns` [ns].
fn all_links(scene: &Scene, modems: &[Modem], t_ns: u64) -> Vec<Propagation> {
    let mut channel = WorldChannel::new(scene, modems);
    let view = view(scene, 0, &[]);
    let environment = environment(scene, 0.0, None);
    let mut ray_scene = RayScene::new(scene, &StaticGeometry::new(scene), RayKind::Collision);
    ray_scene.update_poses(&view);
    let instant = ChannelInstant {
        view: &view,
        environment: &environment,
        ray_scene: Some(&ray_scene),
        shaft_speeds: &[],
    };
    let channel = channel.update_to(&instant);
    let n = modems.len();
    let pairs = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    pairs
        .filter(|(i, j)| i != j)
        .map(|(i, j)| channel.propagate(i, j, t_ns, 1.0))
        .collect()
}

// Structures and the seabed block the straight line, if the modem requires it. Method: modems
// beside and behind a wall and a seabed that slopes up between two modems.
#[test]
fn structures_and_terrain_block_the_line_of_sight() {
    let mut modem = acoustic(sound());
    modem.line_of_sight = true;
    let mut scene = scene(sea(35.0));
    scene.structures = vec![wall(
        Vec3::new(50.0, 0.0, -50.0),
        Vec3::new(1.0, 10.0, 10.0),
    )];
    let place = |name: &str, y: f64, x: f64| fixed(name, Vec3::new(x, y, -50.0), &modem);
    let modems = [
        place("a", 0.0, 0.0),
        place("b", 0.0, 100.0),
        place("c", 30.0, 100.0),
    ];
    let causes = |scene: &Scene, modems: &[Modem]| -> Vec<_> {
        let links = all_links(scene, modems, 0);
        links.iter().map(|p| p.obstruction).collect()
    };
    let blocked = Some(LossCause::Structure);
    assert_eq!(
        causes(&scene, &modems),
        [blocked, None, blocked, None, None, None]
    );
    let links = all_links(&scene, &modems, 0);
    assert_eq!((links[0].power, links[0].mean_power), (0.0, 0.0));
    assert_eq!(links[0].delay_ns, (100.0 / C * 1e9 + 0.5) as u64);
    let mut through = modems.clone();
    through
        .iter_mut()
        .for_each(|m| m.transceiver.line_of_sight = false);
    assert_eq!(causes(&scene, &through), [None; 6]);
    // a plane from -60 m at the origin to -20 m: the second modem is below it
    scene.structures.clear();
    scene.sea.seabed.z0 = -60.0;
    scene.sea.seabed.slope = [0.4, 0.0];
    let terrain = Some(LossCause::Terrain);
    assert_eq!(causes(&scene, &modems[..2]), [terrain, terrain]);
}

// Hulls block the line of sight, except the hull of the modem's own robot. Method: two robots with
// modems inside their hulls, and a third robot on or next to the line between them.
#[test]
fn hulls_of_other_robots_block_the_line_of_sight() {
    let mut modem = acoustic(sound());
    modem.line_of_sight = true;
    let mut scene = scene(sea(35.0));
    scene.robots = ["a", "b", "c"].map(|name| sphere(name, 0.5)).into();
    scene.structures = vec![wall(
        Vec3::new(0.0, -500.0, -50.0),
        Vec3::new(1.0, 1.0, 1.0),
    )];
    let modems = [carried(0, &modem), carried(1, &modem)];
    let cause = |y: f64| {
        let at = |x: f64, y: f64| (Vec3::new(x, y, -50.0), Vec3::zero());
        let view = view(&scene, 0, &[at(0.0, 0.0), at(100.0, 0.0), at(40.0, y)]);
        let environment = environment(&scene, 0.0, None);
        let mut ray_scene = RayScene::new(&scene, &StaticGeometry::new(&scene), RayKind::Collision);
        ray_scene.update_poses(&view);
        let instant = ChannelInstant {
            view: &view,
            environment: &environment,
            ray_scene: Some(&ray_scene),
            shaft_speeds: &[],
        };
        let mut channel = WorldChannel::new(&scene, &modems);
        let channel = channel.update_to(&instant);
        [(0, 1), (1, 0)].map(|(from, to)| channel.propagate(from, to, 0, 1.0).obstruction)
    };
    assert_eq!(cause(0.4), [Some(LossCause::Robot); 2]);
    assert_eq!(cause(0.6), [None; 2]);
}

// Both directions of a link have the same power and fading. Method: all pairs at two times.
// Tolerance: 1e-9; none for the fading.
#[test]
fn links_at_rest_are_reciprocal() {
    let mut modem = acoustic(sound());
    modem.fading = read("{kind: rice, k_db: 3, coherence_s: 0.3}");
    let scene = scene(sea(35.0));
    let place = |name: &str, x: f64, z: f64| fixed(name, Vec3::new(x, 0.3 * x, z), &modem);
    let modems = [place("a", 0.0, -20.0), place("b", 700.0, -80.0)];
    for t in [0, 12_345_678_901] {
        let links = all_links(&scene, &modems, t);
        within("power", links[0].power / links[1].power, 1.0, 1e-9);
        assert_eq!(links[0].delay_ns, links[1].delay_ns);
        assert_ne!(links[0].power, links[0].mean_power);
    }
}

// An additional modem changes no other link, and repeated evaluation is bit-identical. Method: the
// links of two modems without and with a third modem between them.
#[test]
fn other_modems_leave_the_bits_of_a_link() {
    let mut modem = acoustic(sound());
    modem.fading = read("{kind: rayleigh, coherence_s: 0.3}");
    modem.line_of_sight = true;
    let mut scene = scene(sea(35.0));
    scene.structures = vec![wall(
        Vec3::new(50.0, 90.0, -50.0),
        Vec3::new(1.0, 10.0, 10.0),
    )];
    let place = |name: &str, x: f64| fixed(name, Vec3::new(x, 0.0, -50.0), &modem);
    let few = all_links(&scene, &[place("a", 0.0), place("b", 200.0)], 777);
    let many = all_links(
        &scene,
        &[place("a", 0.0), place("m", 90.0), place("b", 200.0)],
        777,
    );
    assert_eq!(few[0], many[1]);
    assert_eq!(few[1], many[4]);
    assert_eq!(
        many,
        all_links(
            &scene,
            &[place("a", 0.0), place("m", 90.0), place("b", 200.0)],
            777
        )
    );
}

/// Returns the link from the first to the second modem of a channel at the start of a step, with
/// robots at these positions [m] and velocities [m/s].
fn first_link(channel: &mut WorldChannel, scene: &Scene, robots: &[(Vec3, Vec3)]) -> Propagation {
    let (view, environment) = (view(scene, 0, robots), environment(scene, 0.0, None));
    let instant = ChannelInstant {
        view: &view,
        environment: &environment,
        ray_scene: None,
        shaft_speeds: &[],
    };
    channel.update_to(&instant).propagate(0, 1, 0, 1.0)
}

// Values that are kept over instants do not change the results. Method: the results of a channel
// that was used in other water before are bit-identical to the results of a new channel.
#[test]
fn a_change_of_the_water_takes_effect() {
    let modem = acoustic(sound());
    let modems = [
        fixed("a", Vec3::new(0.0, 0.0, -50.0), &modem),
        fixed("b", Vec3::new(900.0, 0.0, -150.0), &modem),
    ];
    let homogeneous = scene(sea(35.0));
    let mut layered = homogeneous.clone();
    let profile = [[0.0, 20.0, 35.0], [100.0, 12.0, 35.5], [900.0, 5.0, 35.0]];
    let column = build_column(&profile, 900.0, common::GRAVITY, SoundSpeedLaw::Unesco);
    layered.sea.column = Some(Arc::new(column));
    let warm = {
        let mut scene = homogeneous.clone();
        scene.sea.temperature = 15.0;
        scene
    };
    let mut used = WorldChannel::new(&homogeneous, &modems);
    let mut seen = Vec::new();
    for scene in [&homogeneous, &layered, &warm, &homogeneous] {
        let found = first_link(&mut used, scene, &[]);
        let fresh = first_link(&mut WorldChannel::new(scene, &modems), scene, &[]);
        assert_eq!(found, fresh);
        seen.push(found);
    }
    assert!(seen[0] != seen[1] && seen[0] != seen[2] && seen[0] == seen[3]);
}

// Arrivals that are kept while both ends rest do not change the results. Method: two modems on
// robots, with reflections; a robot moves, the seabed changes, and both return. The results of a
// channel that was used before are bit-identical to the results of a new channel.
#[test]
fn a_change_of_a_place_or_of_the_seabed_takes_effect() {
    let modem = acoustic(AcousticMedium {
        multipath: Some(read("{max_reflections: 2, max_delay_s: 1}")),
        ..sound()
    });
    let modems = [carried(0, &modem), carried(1, &modem)];
    let mut deep = scene(sea(35.0));
    deep.robots = ["a", "b"].map(|name| sphere(name, 0.5)).into();
    deep.sea.seabed.z0 = -200.0;
    let mut shallow = deep.clone();
    shallow.sea.seabed.z0 = -120.0;
    let mut used = WorldChannel::new(&deep, &modems);
    let mut seen = Vec::new();
    for (scene, x, v) in [
        (&deep, 900.0, 0.0),
        (&deep, 900.0, 0.0),
        (&deep, 950.0, 0.0),
        (&shallow, 950.0, 0.0),
        (&deep, 900.0, 1.5),
        (&deep, 900.0, 0.0),
    ] {
        let robots = [
            (Vec3::new(0.0, 0.0, -50.0), Vec3::zero()),
            (Vec3::new(x, 0.0, -80.0), Vec3::new(v, 0.0, 0.0)),
        ];
        let found = first_link(&mut used, scene, &robots);
        let fresh = first_link(&mut WorldChannel::new(scene, &modems), scene, &robots);
        assert_eq!(found, fresh, "x {x} m, {v} m/s");
        seen.push(found);
    }
    assert!(seen[0] == seen[1] && seen[0] == seen[5]);
    assert!(seen[0] != seen[2] && seen[2] != seen[3] && seen[0] != seen[4]);
}

/// Returns the mean time [ns] of one evaluation among 200 modems of this kind on robots with
/// spherical hulls, over `rounds` instants.
fn time_per_pair(transceiver: &Transceiver, scene: &Scene, rounds: u64) -> f64 {
    let n = 200;
    let modems: Vec<Modem> = (0..n).map(|k| carried(k, transceiver)).collect();
    let motion = |k: usize| {
        let s = k as f64;
        let p = Vec3::new(
            (37.0 * s) % 1000.0,
            (91.0 * s) % 1000.0,
            -20.0 - (13.0 * s) % 100.0,
        );
        (p, Vec3::new(0.01 * s, -1.0, 0.1))
    };
    let motions: Vec<_> = (0..n).map(motion).collect();
    let mut scene = scene.clone();
    scene.robots = (0..n).map(|k| sphere(&format!("r{k}"), 0.5)).collect();
    let (view, environment) = (view(&scene, 0, &motions), environment(&scene, 0.0, None));
    let mut ray_scene = RayScene::new(&scene, &StaticGeometry::new(&scene), RayKind::Collision);
    ray_scene.update_poses(&view);
    let instant = ChannelInstant {
        view: &view,
        environment: &environment,
        ray_scene: Some(&ray_scene),
        shaft_speeds: &[],
    };
    let mut channel = WorldChannel::new(&scene, &modems);
    let start = std::time::Instant::now();
    let mut sum = 0.0;
    for round in 0..rounds {
        let channel = channel.update_to(&instant);
        for i in 0..n {
            for j in (0..n).filter(|j| *j != i) {
                sum += channel.propagate(i, j, round * 1_000_003, 1.0).power;
            }
        }
    }
    assert!(sum.is_finite());
    start.elapsed().as_secs_f64() * 1e9 / (rounds as usize * n * (n - 1)) as f64
}

// Cost of a link; `--nocapture` prints it. Method: 200 modems, all pairs. Tolerance: the design
// value of the first line is 150 ns.
#[test]
fn cost_of_a_link_is_measured() {
    let plain = acoustic(sound());
    let homogeneous = scene(sea(35.0));
    let mut layered = homogeneous.clone();
    let profile = [[0.0, 20.0, 35.0], [100.0, 12.0, 35.5], [900.0, 5.0, 35.0]];
    let column = build_column(&profile, 900.0, common::GRAVITY, SoundSpeedLaw::Unesco);
    layered.sea.column = Some(Arc::new(column));
    let mut fading = plain.clone();
    fading.fading = read("{kind: rayleigh, coherence_s: 0.5}");
    let mut hidden = plain.clone();
    hidden.line_of_sight = true;
    let multipath = Some(read("{max_reflections: 2, max_delay_s: 0.05}"));
    let echoing = acoustic(AcousticMedium {
        multipath,
        ..sound()
    });
    for (name, transceiver, scene, rounds) in [
        ("straight rays", &plain, &homogeneous, 20),
        ("with Rayleigh fading", &fading, &homogeneous, 10),
        ("with obstacles, once in a step", &hidden, &homogeneous, 2),
        ("in a water column", &plain, &layered, 4),
        ("with two reflections", &echoing, &homogeneous, 2),
    ] {
        println!(
            "{name}: {:.0} ns",
            time_per_pair(transceiver, scene, rounds)
        );
    }
}

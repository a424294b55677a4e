//! Tests that a step allocates no memory after warm-up; the global allocator counts the
//! allocations.

use crate::common::{scene, simulation};
use merrow_model::state::comms::{ModemCommand, Ranging};
use merrow_model::state::{ActuatorCommand, Command, FirmwareCommand, JointCommand};
use merrow_sim::Simulation;
use merrow_testing::allocator::{Counting, allocations as count};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Returns the number of allocations of this thread while `s` advances `blocks` blocks of five
/// steps and its outboxes are cleared.
fn allocations(s: &mut Simulation, blocks: u64) -> u64 {
    let before = count();
    for _ in 0..blocks {
        s.advance(5);
        s.clear_outboxes();
    }
    count() - before
}

// The counter counts allocations. Method: one box.
#[test]
fn allocation_counter_counts() {
    let before = count();
    drop(std::hint::black_box(Box::new(1_u64)));
    assert_eq!(count(), before + 1);
}

// A fleet with an arm, thrusters, battery, every sensor, and a layered and varying current, with
// one robot at the surface, makes no allocation in 4 s after 4 s of warm-up. Method: as above, on
// one thread.
#[test]
fn steps_allocate_nothing() {
    let mut s =
        crate::determinism::batch::fleet::started(crate::determinism::batch::fleet::fleet(), 1);
    allocations(&mut s, 400);
    assert_eq!(allocations(&mut s, 400), 0);
    assert!(s.state.robots[0].sensors.iter().all(|m| m.samples > 0));
}

// The same for semi-implicit steps and for a robot that is halted because its state is no longer
// finite. Method: a pool world, 2 s.
#[test]
fn halted_and_semi_implicit_robots_allocate_nothing() {
    let mut world = scene(
        "
step: {integrator: semi_implicit}
robots: {rov: {model: bluerov2_heavy, position_m: [0, 0, -3], repeat: {count: [2, 1, 1], spacing_m: [2, 0, 0]}}}
",
    );
    world.sea.current.profile[0].1.x = 0.2;
    let mut s = Simulation::new(std::sync::Arc::new(world), 1).unwrap();
    s.state.robots[1].motion.V_WB_B.w.x = 1e200;
    allocations(&mut s, 200);
    assert!(s.state.robots[1].halted.is_some() && s.state.robots[0].halted.is_none());
    assert_eq!(allocations(&mut s, 200), 0);
}

// Commands that set one value do not allocate either. Method: thruster and joint commands between
// blocks.
#[test]
fn single_commands_allocate_nothing() {
    let mut s = simulation("{robots: {rov: {model: bluerov2_heavy, position_m: [0, 0, -3]}}}");
    allocations(&mut s, 400);
    let before = count();
    for k in 0..100 {
        let value = 0.01 * f64::from(k);
        s.apply(&Command::Actuator(
            0,
            ActuatorCommand::Thruster { thruster: 0, value },
        ))
        .unwrap();
        s.advance(1);
        s.clear_outboxes();
    }
    assert_eq!(count(), before);
}

// Fins and their commands do not allocate, including dead time and a propeller race. Method: a
// torpedo-shaped vehicle that steers.
#[test]
fn fins_allocate_nothing() {
    let mut s = simulation(
        "
robots:
  auv:
    position_m: [0, 0, -20]
    model:
      extends: robots/taipan300.yaml
      sensors: null
      fins: {rudder: {slipstream: {thruster: propeller, area_fraction: 0.5}, surface: {dead_time_s: 0.05}}}
",
    );
    s.apply(&Command::Actuator(
        0,
        ActuatorCommand::Thruster {
            thruster: 0,
            value: 120.0,
        },
    ))
    .unwrap();
    allocations(&mut s, 40);
    let before = count();
    for k in 0..100 {
        let value = 0.002 * f64::from(k);
        s.apply(&Command::Actuator(
            0,
            ActuatorCommand::Fin {
                fin: k as usize % 3,
                value,
            },
        ))
        .unwrap();
        s.advance(1);
    }
    assert_eq!(count(), before);
    let state = &s.state.robots[0];
    assert!(
        state.halted.is_none() && state.motion.V_WB_B.w.norm() > 1e-3,
        "{:?}",
        state.motion
    );
}

// The same for coupled robots. Method: a chain of ten with every kind of coupling, on one thread.
#[test]
fn coupled_robots_allocate_nothing() {
    let mut s = Simulation::new(
        std::sync::Arc::new(crate::determinism::batch::fleet::chain()),
        1,
    )
    .unwrap();
    allocations(&mut s, 40);
    assert_eq!(allocations(&mut s, 100), 0);
}

// Active servos, motors, trajectories, keep-out boxes and a wrench sensor do not allocate. Method:
// the arm of the pool trials with an active trajectory.
#[test]
fn servos_and_trajectories_allocate_nothing() {
    use merrow_model::state::joint::{Trajectory, TrajectoryPoint};
    let mut s = simulation(
        "
step: {dt_s: 0.001}
robots:
  uvms:
    position_m: [0, 0, -3]
    joint_positions: {shoulder: 0.5, elbow: 0.5}
    model:
      extends: robots/osu_uvms_servo.yaml
      keep_out:
        boxes: {hull: {center_m: [0, 0, 0], size_m: [0.4, 0.3, 0.2]}}
        spheres: {tip: {link: wrist, center_m: [0, 0, -0.1]}}
      sensors: {ft: {link: wrist, device: {source: test, rate_hz: 100, kind: wrench}}}
",
    );
    let to = |positions: &[f64], seconds: u64| TrajectoryPoint {
        positions: positions.to_vec(),
        velocities: vec![0.0; 4],
        time_from_start_ns: seconds * 1_000_000_000,
        ..TrajectoryPoint::default()
    };
    let points = vec![to(&[0.3, 0.8, 0.7, -0.4], 2), to(&[0.0, 0.5, 0.5, 0.0], 4)];
    let trajectory = std::sync::Arc::new(Trajectory {
        joints: vec![0, 1, 2, 3],
        points,
        ..Trajectory::default()
    });
    allocations(&mut s, 20);
    s.apply(&Command::Joint(
        0,
        JointCommand::Trajectory {
            group: 0,
            id: 1,
            trajectory,
        },
    ))
    .unwrap();
    assert_eq!(allocations(&mut s, 1000), 0);
}

// Packets, acknowledgements, messages and calls of bridges, ranges and fixes allocate no memory in
// a world: channels, network, results, messages through a task. Method: the traffic of a world with
// modems of all media, with refracted sound, with an array, a computer and a chain of bridges,
// repeated every 6.5 s; 30 s after 600 s of warm-up, on one thread.
#[test]
fn packets_allocate_nothing() {
    use crate::determinism::communication::{traffic, world};
    let task = "      computers: {main: {tasks: {radio: {activation: {kind: message}, modems: [acoustic], \
                execution: {kind: constant, time_s: 0.01}}}}}\n";
    let column = "seabed: {depth_m: 40}\nwater: {column: {layers: [{depth_m: 0, temperature_c: 16, salinity_psu: 35}, \
                  {depth_m: 15, temperature_c: 9, salinity_psu: 35}]}}\n";
    let text = world()
        .replace(
            "acoustic: {modem: evologics_s2c_r_18_34}, ",
            "acoustic: {modem: evologics_s2c_r_18_34_usbl}, ",
        )
        .replace(
            "modem: evologics_s2c_r_18_34_usbl",
            "modem: {extends: modems/evologics_s2c_r_18_34_usbl.yaml, refraction: true}",
        )
        .replace(
            "modem: evologics_s2c_r_18_34,",
            "modem: {extends: modems/evologics_s2c_r_18_34.yaml, refraction: true},",
        )
        .replace("seabed: {depth_m: 40}\n", column)
        .replace("modems:\n  office", &format!("{task}modems:\n  office"));
    let mut s = simulation(&text);
    let mut commands: Vec<Command> = traffic(&s).into_iter().map(|next| next.command).collect();
    // not a thruster: its robot would leave the range of its modems
    commands.remove(0);
    for bridge in [0, 2] {
        let message = vec![0; 60];
        commands.push(Command::Bridge { bridge, message });
    }
    let (boat, destination) = (6, s.scene.modems[0].address);
    assert!(s.scene.modems[boat].transceiver.bearing_std_deg.is_some());
    commands.push(Command::Modem(ModemCommand::Range {
        modem: boat,
        destination,
        kind: Ranging::TwoWay,
    }));
    let mut counts = [0; 4];
    let mut run = |s: &mut Simulation, seconds: u64| {
        let before = count();
        for k in 0..20 * seconds {
            // a command every 0.5 s
            if let Some(command) = commands.get((k % 130) as usize / 10)
                && k % 10 == 0
            {
                s.apply(command).unwrap();
            }
            s.advance(5);
            let output = &s.network_output;
            counts[0] += output.deliveries.iter().filter(|d| d.is_bridged).count();
            counts[1] += output.deliveries.iter().filter(|d| !d.is_bridged).count();
            counts[2] += output.ranges.len();
            counts[3] += output
                .ranges
                .iter()
                .filter(|r| r.direction.is_some())
                .count();
            s.clear_outboxes();
        }
        count() - before
    };
    for _ in 0..20 {
        run(&mut s, 30);
    }
    assert_eq!(run(&mut s, 30), 0);
    assert!(counts.iter().all(|n| *n > 40), "{counts:?}");
}

// A world with lumped and catenary tethers and with winches does not allocate either, while a chain
// pulls its robot to the seabed during the count. Method: as above.
#[test]
fn tether_steps_allocate_nothing() {
    let mut s = crate::determinism::worlds::tethers::started(1);
    allocations(&mut s, 60);
    assert_eq!(allocations(&mut s, 60), 0);
    assert!(s.state.contacts.collisions > 0);
}

// Flows, columns, regions, grids, terrain triangles, gusts and wind loads do not allocate. Method:
// a box that slides down a slope of the terrain in all of them, after half a second of warm-up.
#[test]
fn water_ground_and_wind_allocate_nothing() {
    let folder = crate::common::folder::Folder::new(
        "budget_water",
        &[
            (
                "h.csv",
                "x,y,h\n-50,-50,-5\n50,-50,-25\n-50,50,-5\n50,50,-25\n",
            ),
            ("u.csv", "time,u\n0,0.1\n9,0.3\n"),
        ],
    );
    let mut s = simulation(&format!(
        "
seabed: {{terrain: {{file: {0}/h.csv}}, material: {{friction: 0.1}}}}
water:
  column: {{layers: [{{depth_m: 0, temperature_c: 15, salinity_psu: 35}}, {{depth_m: 40, temperature_c: 9, salinity_psu: 35}}]}}
  regions: {{river: {{corners_m: [[5, -9], [9, -9], [9, 9], [5, 9]]}}}}
  flows:
    tide: {{kind: tidal, constituents: [{{name: M2, speed_m_s: 0.5, direction_deg: 90}}]}}
    jet: {{kind: jet, speed_m_s: 0.2, direction_deg: 10, half_width_m: 5}}
    whirl: {{kind: eddy, angular_velocity_rad_s: 0.1, core_radius_m: 3}}
    grid: {{kind: gridded, east: {{file: {0}/u.csv}}}}
air: {{gusts: {{kind: npd}}}}
weather: {{wind_speed_m_s: 10}}
props:
  box:
    position_m: [0, 0, -14.6]
    body: {{source: test, axes: flu, mass_kg: 800, inertia_kg_m2: {{xx: 50, yy: 50, zz: 50}}, volume_m3: 0.1,
      wind: {{area_m2: [1, 1, 1]}}, collisions: {{box: {{kind: box, size_m: [1, 1, 0.5], material: {{friction: 0.1}}}}}}}}
robots: {{}}
",
        folder.0.display()
    ));
    allocations(&mut s, 50);
    assert_eq!(allocations(&mut s, 200), 0);
    assert!(!s.state.contacts.touching.is_empty() && s.state.robots[0].motion.p_WB.x > 0.5);
}

// Mesh hulls do not allocate, in waves and when they pass through the surface. Method: a ball falls
// from 1 m into a sea.
#[test]
fn mesh_hulls_allocate_nothing() {
    let ball = crate::common::meshes::sphere(0.5, 2);
    let sea = ", waves: {kind: jonswap, hs_m: 1, tp_s: 4, components: 24}";
    let body = "mass_kg: 250, inertia_kg_m2: {xx: 20, yy: 20, zz: 20}";
    let scene = crate::common::worlds::mesh_hull_scene(
        "allocation",
        &ball,
        body,
        sea,
        "position_m: [0, 0, 1]",
    );
    let mut s = Simulation::new(std::sync::Arc::new(scene), 1).unwrap();
    allocations(&mut s, 2);
    assert_eq!(allocations(&mut s, 120), 0);
    assert!(s.state.robots[0].motion.p_WB.z < 0.5);
}

// Flights in gusts, drives on wheels and dives with a buoyancy engine do not allocate, firmware
// included. Method: the bundled worlds under a command, 2 s.
#[test]
fn flights_drives_and_dives_allocate_nothing() {
    use merrow_math::Vec3;
    use merrow_model::state::commands::FirmwareOrder;
    let velocity = Command::Firmware(
        0,
        FirmwareCommand::Velocity {
            linear: Vec3::new(0.5, 0.0, 0.1),
            angular: Vec3::zero(),
        },
    );
    for (name, command) in [
        (
            "hover",
            Command::Firmware(
                0,
                FirmwareCommand::FirmwareOrder {
                    order: FirmwareOrder::TakeOff,
                },
            ),
        ),
        ("bank", velocity),
        (
            "glider",
            Command::Actuator(
                0,
                ActuatorCommand::BuoyancyEngine {
                    engine: 0,
                    value: -2e-4,
                },
            ),
        ),
    ] {
        let path = merrow_world::data_dir::world_file(name);
        let world = merrow_world::load_world(&path, merrow_world::Overrides::default());
        let world = world.unwrap_or_else(|p| panic!("{p}"));
        let mut s = Simulation::new(std::sync::Arc::new(world.scene), 1).unwrap();
        s.apply(&command).unwrap();
        allocations(&mut s, 100);
        assert_eq!(allocations(&mut s, 200), 0, "{name}");
    }
}

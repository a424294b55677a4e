//! Tests that mesh hulls are bit-identical for any threads, blocks, lanes and processors, and when
//! resumed.

use super::waves::lanes_and_kernels_agree;
use crate::common::folder::Folder;
use crate::common::meshes::{cuboid, sphere};
use merrow_model::scene::Scene;
use merrow_sim::Simulation;
use merrow_world::{Overrides, load_text};
use std::sync::Arc;

/// Returns three hulls in a short-crested sea.
fn fleet() -> Arc<Scene> {
    let meshes = [
        ("ball.obj", sphere(0.8, 2).obj()),
        ("barge.obj", cuboid([2.0, 1.0, 0.8], 2).obj()),
    ];
    let files = meshes.each_ref().map(|(name, text)| (*name, text.as_str()));
    let folder = Folder::new("hull_bits", &files);
    let robot = |name: &str, mesh: &str, x: f64| {
        format!(
            "  {name}:
    position_m: [{x}, 1, 0.1]
    attitude_deg: [10, 5, 30]
    model:
      source: test
      body:
        source: test
        axes: flu
        mass_kg: 700
        center_of_mass_m: [0, 0, -0.2]
        inertia_kg_m2: {{xx: 100, yy: 200, zz: 250}}
        hull: {{kind: mesh, file: {}/{mesh}}}
        added_mass: {{kind: diagonal, values: [50, 300, 500, 20, 80, 30]}}
        quadratic_damping: {{kind: diagonal, values: [100, 300, 500, 50, 100, 50]}}
",
            folder.0.display()
        )
    };
    let text = format!(
        "seed: 3
step: {{dt_s: 0.004}}
water: {{waves: {{kind: jonswap, hs_m: 1.5, tp_s: 5, direction_deg: 30, components: 40}},
  current: {{kind: uniform, speed_m_s: 0.3}}, variation: {{std_m_s: [0.1, 0.1, 0.02], correlation_time_s: 2}}}}
seabed: {{depth_m: 25}}
robots:
{}{}{}",
        robot("a", "ball.obj", 0.0),
        robot("b", "barge.obj", 8.0),
        robot("c", "ball.obj", 16.0)
    );
    Arc::new(
        load_text("test.yaml", &text, Overrides::default())
            .unwrap_or_else(|p| panic!("{p}"))
            .scene,
    )
}

fn run(threads: usize, block: u64, resumed: bool) -> String {
    let scene = fleet();
    let mut s = Simulation::new(Arc::clone(&scene), threads).unwrap();
    for _ in 0..60 / block {
        s.advance(block);
    }
    if resumed {
        let state = s.state.clone();
        s = Simulation::new(scene, threads).unwrap();
        s.state = state;
    }
    for _ in 0..60 / block {
        s.advance(block);
    }
    assert!(s.state.robots.iter().all(|r| r.halted.is_none()));
    s.state.hash()
}

// Threads, blocks and resumption change no bit. Method: state hash of three hulls after 0.5 s.
#[test]
fn results_are_independent_of_threads_blocks_and_resumption() {
    let reference = run(1, 30, false);
    for (threads, block, resumed) in [(2, 30, false), (3, 1, false), (1, 60, true)] {
        assert_eq!(
            run(threads, block, resumed),
            reference,
            "{threads} threads, blocks of {block}"
        );
    }
}

// Each lane equals the single robot, and the wide kernel is bit-identical to the portable one.
// Method: as for waves.
#[test]
fn lanes_and_kernels_agree_on_mesh_hulls() {
    lanes_and_kernels_agree(&fleet());
}

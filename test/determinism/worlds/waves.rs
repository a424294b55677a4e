//! Tests that waves are bit-identical for any threads, blocks, lanes and processors, when resumed,
//! and while they change.

use crate::common::{initial_environment, scene};
use crate::determinism::batch::fleet::travel;
use crate::determinism::batch::lanes::has_no_lanes;
use merrow_environment::waves::realise::wave_field;
use merrow_environment::{EnvironmentState, WaveState};
use merrow_math::{F64x4, Quat, Real, SpatialVelocity, Vec3};
use merrow_model::scene::{Scene, Waves};
use merrow_model::state::{Command, Motion, State, Workspace};
use merrow_sim::Simulation;
use merrow_sim::step::{Kernel, KernelReal};
use std::sync::Arc;

/// Returns four vehicles at and under the surface of a short-crested sea.
fn fleet() -> Arc<Scene> {
    let robots: String = [0.0, -0.3, -2.0, -15.0]
        .iter()
        .enumerate()
        .map(|(k, z)| {
            format!(
                "  r{k}: {{position_m: [{}, {k}, {z}], model: bluerov2_heavy}}\n",
                7 * k
            )
        })
        .collect();
    Arc::new(scene(&format!(
        "
seed: 11
water: {{waves: {{kind: jonswap, hs_m: 1.5, tp_s: 6, direction_deg: 30, components: 60, ramp_s: 1}},
  current: {{kind: uniform, speed_m_s: 0.3}}, variation: {{std_m_s: [0.1, 0.1, 0.02], correlation_time_s: 2}}}}
seabed: {{depth_m: 25}}
robots:
{robots}"
    )))
}

const STEPS: u64 = 600;

/// Runs the fleet in blocks; half-way a command requests higher waves. Returns the state hash and
/// the readings.
fn run(threads: usize, block: u64, resumed: bool) -> (String, Vec<String>) {
    let scene = fleet();
    let mut s = Simulation::new(Arc::clone(&scene), threads).unwrap();
    let mut all = travel(&mut s, STEPS / 2, block);
    let mut sea = s.state.sea.clone();
    let mut sea_state = sea.waves.latest().unwrap().requested.clone();
    (sea_state.hs_m, sea_state.tp_s) = (2.5, 7.0);
    sea.waves = Waves::from_field(wave_field(sea_state, 25.0, scene.gravity, scene.seed));
    s.apply(&Command::Sea(Box::new(sea))).unwrap();
    if resumed {
        let state = s.state.clone();
        s = Simulation::new(Arc::clone(&scene), threads).unwrap();
        s.state = state;
    }
    for (text, more) in all.iter_mut().zip(travel(&mut s, STEPS / 2, block)) {
        *text += &more;
    }
    assert!(s.state.robots.iter().all(|r| r.halted.is_none()));
    (s.state.hash(), all)
}

// Threads, blocks and resumption change no bit, also during a transition of the sea. Method: state
// hash and readings of four vehicles after 1.2 s.
#[test]
fn results_are_independent_of_threads_blocks_and_resumption() {
    let reference = run(1, 50, false);
    assert!(reference.1.iter().all(|r| r.lines().count() > 20));
    for (threads, block, resumed) in [
        (2, 50, false),
        (2, 1, false),
        (4, STEPS / 2, false),
        (1, 50, true),
    ] {
        assert!(
            run(threads, block, resumed) == reference,
            "{threads} threads, blocks of {block}"
        );
    }
}

// Another seed gives another sea, and a reset starts with the waves requested last. Method:
// elevations and the restarted state.
#[test]
fn reset_keeps_last_requested_waves() {
    let scene = fleet();
    let mut s = Simulation::new(Arc::clone(&scene), 1).unwrap();
    s.advance(10);
    let mut sea = s.state.sea.clone();
    let mut sea_state = sea.waves.latest().unwrap().requested.clone();
    sea_state.hs_m = 2.0;
    let other = Waves::from_field(wave_field(
        sea_state.clone(),
        25.0,
        scene.gravity,
        scene.seed + 1,
    ));
    sea.waves = Waves::from_field(wave_field(sea_state, 25.0, scene.gravity, scene.seed));
    assert_ne!(
        WaveState::new(&other, 0.0).elevation(0.0, 0.0),
        WaveState::new(&sea.waves, 0.0).elevation(0.0, 0.0)
    );
    s.apply(&Command::Sea(Box::new(sea.clone()))).unwrap();
    assert_eq!(s.state.sea.waves.seas.len(), 2);
    assert_eq!(State::reset(&s.state, &scene).sea.waves, sea.waves);
}

fn bits<T: Real>(m: &Motion<T>, lane: usize) -> Vec<u64> {
    let (q, V) = (&m.q_WB, &m.V_WB_B);
    let mut all = vec![q.w, q.x, q.y, q.z];
    all.extend(
        m.p_WB
            .to_array()
            .into_iter()
            .chain(V.w.to_array())
            .chain(V.v.to_array()),
    );
    all.into_iter().map(|x| x.lane(lane).to_bits()).collect()
}

/// Advances 200 RK4 steps in the waves, each stage at its own time.
fn travel_in_waves<T: KernelReal>(scene: &Scene, motion: &mut Motion<T>, kernel: Kernel) {
    let robot = &scene.robots[0];
    let mut work = Workspace::<T>::new(robot);
    for k in 0..200 {
        let waves =
            [0.0, 0.5, 1.0].map(|s| WaveState::new(&scene.sea.waves, (f64::from(k) + s) * 2e6));
        let at = [0, 1, 2].map(|i| EnvironmentState {
            waves: Some(&waves[i]),
            ..initial_environment(scene)
        });
        kernel.evaluate(robot, &at[0], motion, &[], &mut work);
        kernel.advance(
            robot,
            (scene.integrator, 0.002),
            &at,
            motion,
            &[],
            &mut work,
        );
    }
}

// Each lane equals the single robot in waves too, and the wide kernel is bit-identical to the
// portable one. Method: four starts from deep to airborne, batched, separate, and by the portable
// kernel.
#[test]
fn lanes_and_kernels_agree_in_waves() {
    lanes_and_kernels_agree(&fleet());
}

/// Compares the first robot of a world from four starts: in lanes, separate, and by the portable
/// kernel.
pub(super) fn lanes_and_kernels_agree(scene: &Scene) {
    if has_no_lanes() {
        return;
    }
    let positions = [0.0, 3.0, -8.0, 20.0];
    let heights = [-6.0, -0.4, 0.1, 4.0];
    let mut together = Motion::<F64x4>::at_rest(0);
    together.p_WB = Vec3::new(
        F64x4::from_lanes(|lane| positions[lane]),
        F64x4::splat(1.0),
        F64x4::from_lanes(|lane| heights[lane]),
    );
    let still = SpatialVelocity {
        w: Vec3::new(0.1, 0.2, -0.3),
        v: Vec3::new(0.5, 0.0, 0.1),
    };
    together.V_WB_B = SpatialVelocity {
        w: Vec3::splat(still.w),
        v: Vec3::splat(still.v),
    };
    let alone = |lane: usize| {
        let mut m = Motion::at_rest(0);
        (m.p_WB, m.V_WB_B, m.q_WB) = (together.p_WB.lane(lane), still, Quat::identity());
        m
    };
    let singles: Vec<Motion> = (0..4).map(alone).collect();
    travel_in_waves(scene, &mut together, Kernel::new());
    for (lane, start) in singles.iter().enumerate() {
        let (mut single, mut portable) = (start.clone(), start.clone());
        travel_in_waves(scene, &mut single, Kernel::new());
        travel_in_waves(scene, &mut portable, Kernel::portable());
        assert!(single.p_WB.is_finite());
        assert_eq!(bits(&together, lane), bits(&single, 0), "lane {lane}");
        assert_eq!(bits(&portable, 0), bits(&single, 0), "lane {lane}");
    }
}

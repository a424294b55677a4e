//! Tests that four robots in the lanes of one kernel are bit-identical to four single robots.

use crate::common::initial_environment;
use crate::common::tree::{self, Random, Recipe};
use merrow_math::{F64x4, Quat, Real, SpatialVelocity, Vec3, f64x4};
use merrow_model::scene::robot::thruster::OpenWater;
use merrow_model::scene::{Curve, Integrator, Scene};
use merrow_model::state::{Motion, Workspace};
use merrow_sim::step::{Kernel, KernelReal};

type FourLanes = F64x4;

/// Returns true if robots never share a kernel on this processor.
pub(crate) fn has_no_lanes() -> bool {
    cfg!(target_arch = "x86_64") && !f64x4::is_supported()
}

fn pack(m: &[Motion]) -> Motion<FourLanes> {
    let v = |f: &dyn Fn(&Motion) -> Vec3| {
        Vec3::new(
            FourLanes::from_lanes(|i| f(&m[i]).x),
            FourLanes::from_lanes(|i| f(&m[i]).y),
            FourLanes::from_lanes(|i| f(&m[i]).z),
        )
    };
    let q = |f: &dyn Fn(&Quat) -> f64| FourLanes::from_lanes(|i| f(&m[i].q_WB));
    Motion {
        q_WB: Quat {
            w: q(&|q| q.w),
            x: q(&|q| q.x),
            y: q(&|q| q.y),
            z: q(&|q| q.z),
        },
        p_WB: v(&|m| m.p_WB),
        V_WB_B: SpatialVelocity {
            w: v(&|m| m.V_WB_B.w),
            v: v(&|m| m.V_WB_B.v),
        },
        q: (0..m[0].q.len())
            .map(|j| FourLanes::from_lanes(|i| m[i].q[j]))
            .collect(),
        qd: (0..m[0].q.len())
            .map(|j| FourLanes::from_lanes(|i| m[i].qd[j]))
            .collect(),
    }
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
    all.extend(m.q.iter().chain(&m.qd).copied());
    all.into_iter().map(|x| x.lane(lane).to_bits()).collect()
}

fn travel<T: KernelReal>(scene: &Scene, motion: &mut Motion<T>, commands: &[T], steps: usize) {
    let robot = &scene.robots[0];
    let at = [
        initial_environment(scene),
        initial_environment(scene),
        initial_environment(scene),
    ];
    let mut work = Workspace::<T>::new(robot);
    for _ in 0..steps {
        Kernel::new().evaluate(robot, &at[0], motion, commands, &mut work);
        Kernel::new().advance(
            robot,
            (Integrator::Rk4, 0.001),
            &at,
            motion,
            commands,
            &mut work,
        );
    }
}

/// Returns a damped chain in a layered current; its joints have limits that some lanes exceed and
/// some do not.
fn chain(links: usize) -> Scene {
    let recipe = Recipe {
        links,
        floating: true,
        damping: true,
        held_joints: links > 4,
        potential: true,
    };
    let mut scene = tree::scene(61 + links as u64, recipe);
    scene.sea.current.profile = vec![
        (0.0, Vec3::new(0.5, 0.0, 0.0)),
        (3.0, Vec3::new(0.0, 0.4, 0.1)),
    ];
    for link in &mut scene.robots[0].links[1..] {
        link.joint.limits = [-1.0, 1.0];
    }
    scene
}

// Each lane equals the single robot bitwise: joints, full added mass, damping, layered current,
// partial submergence, end stops. Method: chains of 1, 3 and 6 links; lane 0 deep, the others at or
// near the surface; 1000 RK4 steps compared with the single robots.
#[test]
fn every_lane_has_the_bits_of_the_single_robot() {
    if has_no_lanes() {
        return;
    }
    for links in [1, 3, 6] {
        let scene = chain(links);
        let mut random = Random::new(62);
        let motions: Vec<Motion> = [-30.0, 0.0, -0.25, 0.4]
            .into_iter()
            .map(|z| {
                let mut m = tree::motion(&mut random, &scene.robots[0]);
                m.p_WB.z = z;
                m
            })
            .collect();
        let commands: Vec<[f64; 4]> = (1..links)
            .map(|_| std::array::from_fn(|_| random.between(-2.0, 2.0)))
            .collect();
        let mut together = pack(&motions);
        let lanes: Vec<FourLanes> = commands
            .iter()
            .map(|c| F64x4::from_lanes(|i| c[i]))
            .collect();
        travel(&scene, &mut together, &lanes, 1000);
        for (lane, motion) in motions.iter().enumerate() {
            let mut single = motion.clone();
            let own: Vec<f64> = commands.iter().map(|c| c[lane]).collect();
            travel(&scene, &mut single, &own, 1000);
            assert!(single.p_WB.is_finite());
            assert_eq!(
                bits(&together, lane),
                bits(&single, 0),
                "{links} links, lane {lane}"
            );
        }
    }
}

// The same for propellers that depend on their inflow, each lane with its own submerged part of the
// disc. Method: one evaluation, propellers deep, half submerged, and in air.
#[test]
fn propellers_of_every_lane_have_their_own_inflow() {
    if has_no_lanes() {
        return;
    }
    let mut scene = crate::common::scene(&crate::common::worlds::boat(
        "command: rad_s, range: [-200, 200], curve: {kind: open_water, kt: [[0, 0.5], [1, 0.1]], kq: [[0, 0.07]]}",
        "position_m: [-0.5, 0.1, 0], direction: [1, 0, 0]",
        "",
    ));
    let robot = &mut scene.robots[0];
    assert!(
        matches!(&robot.thrusters[0].motor.curve, Curve::OpenWater(p) if !OpenWater::clone(p).kt.is_empty())
    );
    robot.links[0].hull.bound = 0.0;
    let motions: Vec<Motion> = [-5.0, 0.03, -0.02, 0.5]
        .into_iter()
        .map(|z| {
            let mut m = Motion::at_rest(0);
            m.p_WB.z = z;
            m.V_WB_B.v = Vec3::new(0.5, 0.1, z);
            m
        })
        .collect();
    let robot = &scene.robots[0];
    let mut lanes = Workspace::<FourLanes>::new(robot);
    lanes.drive[0] = [FourLanes::splat(60.0); 3];
    Kernel::new().evaluate(
        robot,
        &initial_environment(&scene),
        &pack(&motions),
        &[],
        &mut lanes,
    );
    for (lane, motion) in motions.iter().enumerate() {
        let mut work = Workspace::new(robot);
        work.drive[0] = [60.0; 3];
        Kernel::new().evaluate(robot, &initial_environment(&scene), motion, &[], &mut work);
        let (ours, single) = (lanes.links[0].F.f.x.lane(lane), work.links[0].F.f.x);
        assert_eq!(
            ours.to_bits(),
            single.to_bits(),
            "lane {lane}: {ours} instead of {single}"
        );
    }
}

// The same for fins: each lane has its own flow, angle, submerged part and race. Method: one
// evaluation of a rudder behind a propeller.
#[test]
fn fins_of_every_lane_have_their_own_inflow() {
    if has_no_lanes() {
        return;
    }
    let text = crate::common::worlds::boat(
        "command: rad_s, range: [-200, 200], curve: {kind: open_water, kt: [[0, 0.5], [1, 0.1]], kq: [[0, 0.07]]}",
        "position_m: [-0.5, 0.1, 0], direction: [1, 0, 0]",
        "",
    ) + "      fins: {f: {position_m: [-0.6, 0, 0], shaft: [0, 0.1, 1], slipstream: {thruster: t, area_fraction: 0.7}, surface: {source: test, \
         area_m2: 0.02, span_m: 0.2, law: {kind: lift_drag}, range_deg: [-30, 30]}}}\n";
    let scene = crate::common::scene(&text);
    let robot = &scene.robots[0];
    let motions: Vec<Motion> = [-5.0, 0.03, -0.02, 0.5]
        .into_iter()
        .map(|z| {
            let mut m = Motion::at_rest(0);
            m.p_WB.z = z;
            m.V_WB_B.v = Vec3::new(0.5, 0.1, z);
            m.V_WB_B.w = Vec3::new(0.1, z, 0.3);
            m
        })
        .collect();
    let angles = [0.1, -0.3, 0.2, 0.4];
    let mut lanes = Workspace::<FourLanes>::new(robot);
    lanes.drive[0] = [FourLanes::splat(60.0); 3];
    lanes.fins[0].angle = [FourLanes::from_lanes(|i| angles[i]); 3];
    Kernel::new().evaluate(
        robot,
        &initial_environment(&scene),
        &pack(&motions),
        &[],
        &mut lanes,
    );
    for (lane, motion) in motions.iter().enumerate() {
        let mut work = Workspace::new(robot);
        work.drive[0] = [60.0; 3];
        work.fins[0].angle = [angles[lane]; 3];
        Kernel::new().evaluate(robot, &initial_environment(&scene), motion, &[], &mut work);
        let of = |F: merrow_math::SpatialForce| {
            [F.m.x, F.m.y, F.m.z, F.f.x, F.f.y, F.f.z].map(f64::to_bits)
        };
        let F = &lanes.links[0].F;
        let lane_of =
            |v: Vec3<FourLanes>| Vec3::new(v.x.lane(lane), v.y.lane(lane), v.z.lane(lane));
        let ours = merrow_math::SpatialForce {
            m: lane_of(F.m),
            f: lane_of(F.f),
        };
        assert_eq!(of(ours), of(work.links[0].F), "lane {lane}");
    }
}

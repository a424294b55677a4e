//! Tests that the AVX2 kernel and the portable kernel give bit-identical results.

use crate::common;
use merrow_model::scene::Integrator;
use merrow_model::state::{Motion, State, Workspace};
use merrow_sim::step::Kernel;

// The instruction set of the processor changes no bit. Method: the vehicle with its arm, near the
// surface with moving joints, 2000 RK4 steps by each kernel. On a processor without AVX2 both are
// the portable kernel.
#[test]
fn wide_and_portable_kernels_agree() {
    let scene = common::scene(
        "
water: {density_kg_m3: 997, current: {kind: uniform, speed_m_s: 0.2, direction_deg: 40}}
robots: {uvms: {model: {extends: robots/osu_uvms.yaml, sensors: null}, position_m: [0, 0, -0.2]}}",
    );
    let robot = &scene.robots[0];
    let run = |kernel: Kernel| {
        let start = &State::new(&scene).robots[0];
        let mut motion: Motion = start.motion.clone();
        motion
            .qd
            .iter_mut()
            .enumerate()
            .for_each(|(j, qd)| *qd = 0.3 - 0.1 * j as f64);
        let mut work = Workspace::new(robot);
        let at = [common::initial_environment(&scene); 3];
        for _ in 0..2000 {
            kernel.evaluate(robot, &at[0], &motion, &start.joint_commands, &mut work);
            let how = (Integrator::Rk4, 0.001);
            kernel.advance(
                robot,
                how,
                &at,
                &mut motion,
                &start.joint_commands,
                &mut work,
            );
        }
        motion
    };
    let (wide, portable) = (run(Kernel::new()), run(Kernel::portable()));
    let bits = |m: &Motion| -> Vec<u64> {
        let q = m.q_WB;
        let base = [q.w, q.x, q.y, q.z].into_iter().chain(m.p_WB.to_array());
        let velocity = m
            .V_WB_B
            .w
            .to_array()
            .into_iter()
            .chain(m.V_WB_B.v.to_array());
        base.chain(velocity)
            .chain(m.q.clone())
            .chain(m.qd.clone())
            .map(f64::to_bits)
            .collect()
    };
    assert!(wide.p_WB.is_finite());
    assert_eq!(bits(&wide), bits(&portable));
}

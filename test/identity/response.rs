//! Tests the response to an additional force against a second run of the articulated-body algorithm
//! with that force.

use crate::common::physics::largest;
use crate::common::tree::{self, Random, Recipe};
use crate::common::{close_vectors, initial_environment};
use merrow_math::SpatialForce;
use merrow_model::state::Workspace;
use merrow_physics::dynamics::{aba, response};
use merrow_sim::step::Kernel;

// `response` is the derivative of ABA with respect to a force. Method: random trees, floating
// and fixed, with all joint kinds; ABA with and without a random force on a random link; also for a
// single body, whose inertia is factored in advance. Tolerance: rounding over 12 links, relative to
// the change: 1e-9.
#[test]
fn response_is_difference_of_aba_with_force() {
    for (links, floating) in (1..=12).flat_map(|n| [true, false].map(|f| (n, f))) {
        let recipe = Recipe {
            links,
            floating,
            damping: true,
            held_joints: true,
            potential: true,
        };
        let scene = tree::scene(300 + links as u64, recipe);
        let robot = &scene.robots[0];
        let mut random = Random::new(links as u64);
        let motion = tree::motion(&mut random, robot);
        let mut work = Workspace::new(robot);
        Kernel::new().evaluate(
            robot,
            &initial_environment(&scene),
            &motion,
            &vec![0.0; robot.n_joints()],
            &mut work,
        );
        let link = random.between(0.0, links as f64) as usize;
        let F = SpatialForce {
            m: random.vector(1.0),
            f: random.vector(1.0),
        };
        let answer = response::response_to_force(robot, &work, link, &F);
        let p = random.vector(0.3);
        let at_point = response::point_mobility(robot, &work, link, p);
        let before = work.links[link].A;
        work.links[link].F += F;
        aba::accelerations(robot, &mut work);
        let after = work.links[link].A;
        close_vectors("linear", answer.v, after.v - before.v, 1e-9);
        close_vectors("angular", answer.w, after.w - before.w, 1e-9);
        // The same force applied at a point: its moment about Lo is p × f.
        let pure = SpatialForce::at_point(F.f, p);
        let a = response::response_to_force(robot, &work, link, &pure);
        let R_WL = work.links[link].R_WL;
        close_vectors(
            "point",
            at_point.mul_vec(R_WL.mul_vec(F.f)),
            R_WL.mul_vec(a.v + a.w.cross(p)),
            1e-9,
        );
        let skew = at_point - at_point.transpose();
        assert!(
            skew.r.iter().all(|r| r.norm() < 1e-9),
            "{links} links: {at_point:?}"
        );
        assert!(largest(&F) > 0.0);
    }
}

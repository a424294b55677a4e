//! Tests lines that break above their breaking load.

use crate::common::worlds::tethered;
use crate::common::{close, simulation};
use merrow_math::Vec3;
use merrow_sim::Simulation;

/// Returns a line of 10 m between two points that a winch heaves taut; its breaking load is 100 N.
fn heaved_line(method: &str, more: &str) -> Simulation {
    tethered(
        "step: {dt_s: 0.002}\nwater: {density_kg_m3: 0}\nseabed: {depth_m: 500}",
        &format!(
            "diameter_m: 0.01, mass_kg_per_m: 0.1, axial_stiffness_n: 5000, axial_damping_n_s: 50, breaking_load_n: 100{more}"
        ),
        &format!(
            "from: {{kind: world, position_m: [0, 0, 5]}}\nto: {{kind: world, position_m: [10, 0, 5.5]}}\nlength_m: 10.2\nsegments: 10\n\
             method: {method}\nwinch: {{max_speed_m_s: 0.05}}"
        ),
    )
}

// A line breaks in the step after which its tension exceeds its breaking load, at the point of
// maximum tension, its upper end. From then on it transmits no force between its ends; a reset
// restores it. Method: a winch heaves it taut, with both methods. Tolerance: the tension of the
// last intact step is below the load, and above it by no more than the haul of one step, 0.05 ·
// 0.002 · 5000 / 10 = 0.05 N, and 1 N with the oscillation of the line.
#[test]
fn line_parts_above_breaking_load() {
    for method in ["lumped", "catenary"] {
        let mut s = heaved_line(method, "");
        s.state.tethers[0].winch = merrow_model::state::WinchCommand::Speed(-0.05);
        let mut before = 0.0;
        while s.state.tethers[0].line_break.is_none() {
            assert!(
                s.time_ns() < 20_000_000_000,
                "{method}: it holds {before} N"
            );
            before = s.state.tethers[0].end_tensions()[1];
            assert!(before < 100.0, "{method}: whole at {before} N");
            s.advance(1);
        }
        let (line_break, t) = (
            s.state.tethers[0].line_break.unwrap(),
            s.state.tethers[0].end_tensions()[1],
        );
        assert_eq!(
            (line_break.segment, line_break.time_ns),
            (9, s.time_ns()),
            "{method}"
        );
        // In the lumped line the uppermost segment carries the end tension, because its weight
        // hangs below its midpoint.
        assert!(t > 100.0 && t < 101.0, "{method}: {before} N, then {t} N");
        assert!(!s.state.tethers[0].is_intact());
        s.advance(1);
        assert_eq!(
            s.state.tethers[0].end_tensions()[1],
            0.0,
            "{method}: the upper end carries no tension"
        );
        s.state.tethers[0].winch = merrow_model::state::WinchCommand::Speed(0.0);
        let before_p = s.state.tethers[0].p[9];
        s.advance(3000);
        // The remaining line swings from the lower end.
        let [low, high] = s.state.tethers[0].end_tensions();
        let fell = before_p - s.state.tethers[0].p[9];
        assert!(
            high == 0.0 && low > 0.0 && low < 50.0 && fell.norm() > 1.0,
            "{method}: {low} N, its free end by {fell:?}"
        );
        s.state = s.state.reset(&s.scene);
        assert!(s.state.tethers[0].is_intact());
    }
}

// A line without a breaking load does not break. Method: the same, with no breaking load, until the
// winch stops at 1.5 % of stretch.
#[test]
fn line_without_breaking_load_does_not_part() {
    let mut s = heaved_line("lumped", "");
    std::sync::Arc::get_mut(&mut s.scene).unwrap().tethers[0]
        .line
        .breaking_load_n = None;
    s.state.tethers[0].winch = merrow_model::state::WinchCommand::Length(9.8);
    s.advance(10_000);
    assert!(s.state.tethers[0].is_intact() && s.state.tethers[0].end_tensions()[1] > 100.0);
}

// A line that breaks conserves momentum and releases its robots. Method: two separate robots in
// empty space drift away from each other on a line with a breaking load of 20 N. The momentum of
// robots and line is compared, and the robots' velocities after it is broken. Tolerance: 4e-15 per
// step, as for intact lines: 1e-11 over 2 s. Without tension they move straight on.
#[test]
fn parting_conserves_momentum() {
    let robot = |name: &str, x: f64, v: f64| {
        format!(
            "  {name}: {{position_m: [{x}, 0, 0], velocity_m_s: [{v}, 0.1, 0], model: {{source: test, body: {{source: test, axes: flu, mass_kg: 5, \
             inertia_kg_m2: {{xx: 0.1, yy: 0.1, zz: 0.1}}}}}}}}\n"
        )
    };
    let mut s = simulation(&format!(
        "step: {{dt_s: 0.001}}\ngravity_m_s2: 0\nwater: {{density_kg_m3: 0}}\nrobots:\n{}{}tethers:\n  t:\n    line: {{source: test, diameter_m: 0.01, mass_kg_per_m: 0.1, \
         axial_stiffness_n: 5000, breaking_load_n: 20}}\n    from: {{kind: robot, robot: a}}\n    to: {{kind: robot, robot: b}}\n    length_m: 5\n    segments: 10\n",
        robot("a", 0.0, -0.4),
        robot("b", 5.0, 0.5)
    ));
    let momentum = |s: &Simulation| {
        let robots = s.state.robots.iter().fold(Vec3::zero(), |sum, r| {
            sum + r.motion.q_WB.matrix().mul_vec(r.motion.V_WB_B.v).scale(5.0)
        });
        let t = &s.state.tethers[0];
        let share = |i: usize| if i == 1 || i == 9 { 1.5 } else { 1.0 };
        (1..10).fold(robots, |sum, i| sum + t.v[i].scale(0.05 * share(i)))
    };
    let before = momentum(&s);
    let mut worst = 0.0_f64;
    let mut broke = 0;
    for k in 0..2000 {
        s.advance(1);
        worst = worst.max((momentum(&s) - before).norm());
        if broke == 0 && s.state.tethers[0].line_break.is_some() {
            broke = k;
        }
    }
    println!(
        "broken after {broke} ms in {:?}, momentum within {worst:e}",
        s.state.tethers[0].line_break
    );
    assert!(broke > 0, "it did not break");
    assert!(worst < 1e-11, "{worst:e}");
    let apart = s.state.robots[1].motion.V_WB_B.v.x - s.state.robots[0].motion.V_WB_B.v.x;
    assert!(
        apart > 0.5 && apart < 0.9,
        "they part at {apart} m/s: the line has taken some"
    );
    let v: Vec<Vec3> = s.state.robots.iter().map(|r| r.motion.V_WB_B.v).collect();
    s.advance(500);
    for (r, v) in s.state.robots.iter().zip(v) {
        // The free ends still pull on the robots with their own 0.25 kg against 5 kg.
        close("straight on", (r.motion.V_WB_B.v - v).norm(), 0.0, 0.05);
    }
}

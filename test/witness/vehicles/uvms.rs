//! Tests the pool trials of a vehicle with a four-joint arm: attitude at rest, replays with its
//! servo, the results of the paper's own model, and the stability limit of added mass as a force.
//! Case V17 of `merrow validate` replays the measured joint angles.

use merrow_model::scene::Integrator;
use merrow_model::state::{Motion, Workspace};
use merrow_physics::dynamics::aba;
use merrow_sim::step::Kernel;
use merrow_studies::pool::baseline;
use merrow_studies::pool::coupling;
use merrow_studies::pool::delayed;
use merrow_studies::pool::joints::JointMotion;
use merrow_studies::pool::model::Model;
use merrow_studies::pool::recording::Recording;
use merrow_studies::pool::summary::{missed_limits, simulate_rest, summarize};
use merrow_studies::pool::trial::{Mode, Outcome, replay_and_score};
use merrow_studies::pool::trials;
use merrow_world::{Overrides, data_dir, load_world};
use std::path::Path;

fn recordings() -> Vec<Recording> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("studies/data/uvms_pool_2023");
    let trials = trials::load_trials(&folder).unwrap();
    assert!(trials.problems.is_empty(), "{}", trials.problems);
    trials.recordings
}

fn model(world: &str) -> Model {
    let scene = |world: &str| {
        load_world(&data_dir::world_file(world), Overrides::default())
            .unwrap()
            .scene
    };
    Model::new(scene(world), &scene("uvms_pool_servo")).unwrap()
}

fn home(model: &Model) -> [f64; 4] {
    model.joints.map(|j| model.robot.start.q[j])
}

fn replays(model: &Model, recordings: &[Recording], mode: Mode) -> Vec<Outcome> {
    recordings
        .iter()
        .filter_map(|r| replay_and_score(model, r, mode))
        .collect()
}

/// Returns every fifth trial, sufficient where a test does not need all of them.
fn every_fifth_trial(recordings: &[Recording]) -> Vec<Recording> {
    recordings
        .iter()
        .filter(|r| !r.is_baseline())
        .step_by(5)
        .cloned()
        .collect()
}

// The rest attitude and the ascent speed match the ascents, on which only the parameters were
// tuned. Method: the model at rest compared with the mean of the three ascents. Tolerance: a tenth
// of the paper's spread between trials; for the speed, the spread of the three.
#[test]
fn rest_attitude_matches_ascents() {
    let ascents: Vec<_> = recordings()
        .iter()
        .filter_map(baseline::measured_ascent)
        .collect();
    assert_eq!(ascents.len(), 3);
    let measured = baseline::mean_ascent(&ascents).unwrap();
    let model = model("uvms_pool");
    let ours = simulate_rest(&model, home(&model));
    assert!(
        (ours.angles[0] - measured.angles[0]).abs() < 0.022,
        "{ours:?} {measured:?}"
    );
    assert!(
        (ours.angles[1] - measured.angles[1]).abs() < 0.040,
        "{ours:?} {measured:?}"
    );
    assert!(
        (ours.ascent - measured.speed).abs() < 0.003,
        "{ours:?} {measured:?}"
    );
}

// Explain the lag of the paper. Method: its set of parameters, with the drag of rotation and
// translation exchanged as in its program, and in the correct order. Tolerance: the lag of 1 to 2 s
// that the paper reports; in the correct order, the limit of Merrow's own parameters.
#[test]
fn exchanged_drag_explains_paper_lag() {
    let published = model("uvms_pool_published");
    let trials = every_fifth_trial(&recordings());
    let lag = |model: &Model| {
        summarize(&replays(model, &trials, Mode::Measured))
            .unwrap()
            .lag
            .0
    };
    let (exchanged, in_order) = (
        lag(&published.clone().with_drag_exchanged()),
        lag(&published),
    );
    assert!((1.0..2.0).contains(&exchanged), "{exchanged}");
    assert!(in_order.abs() < 0.2, "{in_order}");
}

// The servo of table I follows the commanded motion, and the vehicle responds as measured. Method:
// all 26 trials replayed with it. Tolerance: the limits of `merrow-studies uvms --servo --check`.
#[test]
fn servo_replay_is_within_its_limits() {
    let model = model("uvms_pool");
    let mut trials = recordings();
    trials.retain(|r| !r.is_baseline());
    let outcomes = replays(&model, &trials, Mode::Servo);
    let summary = summarize(&outcomes).unwrap();
    assert_eq!(summary.trials, 26);
    let misses = missed_limits(&summary, &simulate_rest(&model, home(&model)), Mode::Servo);
    assert!(misses.is_empty(), "{misses:?}");
    for (outcome, trial) in outcomes.iter().zip(&trials) {
        let (_, quintic) = trial.command.unwrap();
        for j in 0..4 {
            let q = &outcome.track.joints[j].values;
            let moved = q[q.len() - 1] - q[0];
            let expected = quintic.to[j] - quintic.from[j];
            // A velocity servo drifts: a tenth of a radian allowed.
            assert!(
                (moved - expected).abs() < 0.1,
                "{} joint {j}: moved {moved}, expected {expected}",
                trial.name
            );
        }
    }
}

// Prescribed joints are exactly at the encoder positions at every instant. Method: one replayed
// trial. Tolerance: rounding.
#[test]
fn prescribed_joints_are_exact() {
    let model = model("uvms_pool");
    let recording = &every_fifth_trial(&recordings())[1];
    let motion = JointMotion::fit(&recording.joints);
    let outcome = replay_and_score(&model, recording, Mode::Measured).unwrap();
    for (j, curve) in outcome.track.joints.iter().enumerate() {
        for [t, q] in curve.points() {
            assert!((q - motion.state_at(t).q[j]).abs() < 1e-9, "{t}: {q}");
        }
    }
}

// Added mass as a force of the previous step diverges at the theoretical limit, with any
// integrator. Method: bisection on the factor. Tolerance: 0.5 %; 0.1 % from the bisection, the rest
// from the limited growth in 10 s.
#[test]
fn delayed_added_mass_diverges_at_mass_ratio_one() {
    let model = model("uvms_pool");
    let q = home(&model);
    let [rigid, added] = delayed::composite_inertias(&model, q);
    let theory = delayed::theoretical_limit(&rigid, &added);
    // The real vehicle is beyond the limit.
    assert!(theory < 1.0, "{theory}");
    let found = delayed::simulated_limit(&model, q, Integrator::Rk4);
    assert!(
        (found / theory - 1.0).abs() < 0.005,
        "{found} instead of {theory}"
    );
    let heave = delayed::on_one_axis(&model, q, 5);
    let found = delayed::simulated_limit(&heave, q, Integrator::SemiImplicit);
    assert!((found - 1.0).abs() < 0.005, "{found} instead of 1");
}

// The coupling metric matches the equations of motion. Method: base acceleration with one joint
// accelerated, minus that without. Tolerance: rounding.
#[test]
fn coupling_metric_matches_base_acceleration() {
    let model = model("uvms_pool");
    let q = [0.4, 1.2, 0.9, -0.5];
    let mut motion = Motion::at_rest(model.robot.n_joints());
    motion.p_WB.z = -50.0;
    for (k, j) in model.joints.into_iter().enumerate() {
        motion.q[j] = q[k];
    }
    let mut work = Workspace::new(&model.robot);
    Kernel::new().evaluate(
        &model.robot,
        &model.environment(),
        &motion,
        &motion.q,
        &mut work,
    );
    let still = work.links[0].A;
    let couplings = coupling::inertial_coupling(&model, q);
    for (k, [acceleration, _]) in couplings.iter().enumerate() {
        let j = model.joints[k];
        work.qdd[j] = 1.0;
        aba::accelerations(&model.robot, &mut work);
        work.qdd[j] = 0.0;
        let A = work.links[0].A;
        let answer = [(A.w - still.w).to_array(), (A.v - still.v).to_array()].concat();
        for (i, a) in answer.iter().enumerate() {
            assert!(
                (a - acceleration[i]).abs() < 1e-12,
                "joint {k}, component {i}"
            );
        }
    }
}

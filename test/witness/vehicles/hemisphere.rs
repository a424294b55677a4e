//! Tests a floating hemisphere in waves against tables of a boundary element method. [V34]
//!
//! The expected values (`floating_hemisphere.csv`) come from another mesh, without a lid, than the
//! tables that the world reads.

use crate::common::{close, relative};
use crate::witness::cases::run;
use merrow_math::SpatialVelocity;
use merrow_sim::Simulation;
use merrow_validate::cases::hemisphere;
use merrow_validate::cases::hemisphere::{EXCITATION, RADIATION, RHO_G_A, RHO_V};
use merrow_world::{Overrides, World, load_text};
use std::sync::Arc;

const SCATTERED: &str = ", scattering: meshes/bem/hemisphere_r1.3sc";

fn world(radiation: &str, ka: f64, amplitude: f64, step: f64) -> World {
    let text = hemisphere::world(radiation, ka, amplitude, step);
    load_text("test.yaml", &text, Overrides::default()).unwrap_or_else(|p| panic!("{p}"))
}

// Case V34. Goal, method and tolerance are stated with the case, in
// `crates/validate/src/cases/hemisphere.rs`.
#[test]
fn radiation_excitation_and_response_match_tables() {
    run(34);
}

// Fitting the filters gives no notes, and half the ball is wet; the limit of the added mass in
// heave at infinite frequency is half the displaced mass. Method: the scene. Tolerance: rounding; 3
// %.
#[test]
fn the_filters_start_at_infinite_frequency() {
    let found = world(RADIATION, 1.0, 0.0, 0.01);
    assert_eq!(found.notes, [], "no notes");
    let link = &found.scene.robots[0].links[0];
    close(
        "wet at rest",
        link.radiation.as_ref().unwrap().wet_at_rest,
        0.5,
        1e-6,
    );
    relative(
        "infinite frequency",
        link.added.D.zz * 0.5 / RHO_V,
        0.5,
        0.03,
    );
}

// The total force minus Merrow's own pressure is the scattered force of the program, and its NetCDF
// file contains the same values as its WAMIT files. Method: the loaded diffraction in three ways.
// Tolerance: 1 % of the largest total force (two meshes); 1e-5, the digits of the text.
#[test]
fn scattered_forces_agree_between_formats() {
    let netcdf = "kind: capytaine, file: meshes/bem/hemisphere_r1.nc";
    let [total, scattered, binary] = [
        format!("{RADIATION}{EXCITATION}"),
        format!("{RADIATION}{SCATTERED}"),
        netcdf.into(),
    ]
    .map(|text| {
        world(&text, 1.0, 0.0, 0.01).scene.robots[0].links[0]
            .radiation
            .clone()
            .unwrap()
    });
    let [a, b, c] =
        [&total, &scattered, &binary].map(|r| r.diffraction.as_ref().expect("diffraction"));
    // 20 intervals of the tables in 4 parts, their last frequency and 20 above it
    assert_eq!(
        (a.omega.len(), a.headings.len(), a.mirrored),
        (101, 5, true)
    );
    for (k, force) in b.force.iter().enumerate() {
        for (i, [re, im]) in force.iter().enumerate() {
            for (part, value) in [re, im].into_iter().enumerate() {
                assert!(
                    (a.force[k][i][part] - value).abs() < 0.01 * RHO_G_A,
                    "{k} {i} {part}"
                );
                assert!(
                    (c.force[k][i][part] - value).abs() < 1e-5 * RHO_G_A,
                    "{k} {i} {part}"
                );
            }
        }
    }
    for (one, other) in scattered.filters.iter().zip(&binary.filters) {
        relative("gain", one.gain.D.zz, other.gain.D.zz, 1e-3);
    }
}

// The radiation memory depends on the motion relative to the water, and it is part of the state. A
// hull that drifts with a current, or is at rest in still water, has no memory force. Method: 20 s
// of drift in 1 m/s; a run resumed half-way. Tolerance: 1e-9; none.
#[test]
fn radiation_memory_is_relative_to_water_and_in_state() {
    let mut scene = world(RADIATION, 1.0, 0.0, 0.02).scene;
    scene.sea.current.profile[0].1.x = 1.0;
    scene.robots[0].start.v_WB_B.x = 1.0;
    let mut s = Simulation::new(Arc::new(scene), 1).unwrap();
    s.advance(1000);
    close("speed", s.state.robots[0].motion.V_WB_B.v.x, 1.0, 1e-9);

    let mut scene = world(RADIATION, 1.0, 0.0, 0.02).scene;
    scene.robots[0].start.p_WB.z = 0.3;
    let scene = Arc::new(scene);
    let mut whole = Simulation::new(Arc::clone(&scene), 1).unwrap();
    whole.advance(100);
    let mut resumed = Simulation::new(scene, 1).unwrap();
    resumed.state = whole.state.clone();
    assert!(
        resumed.state.robots[0]
            .radiation_state
            .iter()
            .any(|x| x[1].v.z.abs() > 1e-6)
    );
    let mut forgetful = resumed.state.clone();
    forgetful.robots[0]
        .radiation_state
        .fill([SpatialVelocity::zero(); 2]);
    assert_ne!(
        forgetful.hash(),
        resumed.state.hash(),
        "the memory is part of the hash"
    );
    whole.advance(100);
    resumed.advance(100);
    assert_eq!(whole.state.hash(), resumed.state.hash());
}

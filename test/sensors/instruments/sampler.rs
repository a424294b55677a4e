//! Tests of water samplers.

use crate::common::turntable::{set_motion, set_pose, weightless};
use crate::common::{close, close_vectors, readings, relative, simulation};
use merrow_math::Vec3;
use merrow_model::state::bottle::{Bottle, Filling};
use merrow_model::state::reading::Reading;
use merrow_model::state::{Command, DeviceCommand};
use merrow_sim::Simulation;

const TOP: &str =
    "water: {temperature_c: 12, tracers: {turbidity: {unit: NTU, profile: [[0, 0], [100, 50]]}}}";

fn sampler(more: &str) -> Simulation {
    let device = format!(
        "s: {{device: {{source: test, kind: water_sampler, rate_hz: 100, bottles: 2, volume_m3: 0.002, flow_m3_s: 0.0002{more}}}}}"
    );
    simulation(&weightless(TOP, &device))
}

fn set_sampler(s: &mut Simulation, on: bool) -> Result<(), String> {
    s.apply(&Command::Device(0, DeviceCommand::Sample { sensor: 0, on }))
        .map_err(|refusal| refusal.reason)
}

fn last_bottle(s: &mut Simulation, seconds: f64) -> Bottle {
    let Reading::Bottle(bottle) = readings(s, 0, seconds).last().unwrap().reading else {
        panic!("no bottle")
    };
    bottle
}

// A bottle holds the mean of the water over its filling time. Method: a robot sinks at 2 m/s for 10
// s while 2 l fill at 0.2 l/s from 10 m depth on: the mean is that at 20 m, minus half a tick.
// Tolerance: rounding, and the distance of half a tick, 1 cm.
#[test]
fn bottle_holds_the_mean_of_its_water() {
    let mut s = sampler("");
    assert!(
        readings(&mut s, 0, 0.5).is_empty(),
        "a sampler publishes no reading before its first command"
    );
    set_motion(
        &mut s,
        Vec3::new(3.0, 0.0, -10.0),
        [0.0; 3],
        Vec3::new(0.0, 0.0, -2.0),
        Vec3::zero(),
    );
    set_sampler(&mut s, true).unwrap();
    let half = last_bottle(&mut s, 5.0);
    assert_eq!((half.number, half.filling), (1, Filling::Pumping));
    close("half", half.volume, 0.001, 1e-12);
    let full = last_bottle(&mut s, 6.0);
    assert_eq!(
        (full.number, full.filling, full.volume),
        (1, Filling::Full, 0.002)
    );
    close_vectors("place", full.p_W, Vec3::new(3.0, 0.0, -20.01), 1e-9);
    relative("turbidity", full.means[2], 0.5 * 20.01, 1e-9);
    close("temperature", full.means[0], 12.0, 1e-12);
    assert_eq!(full.time_ns, [500_000_000, 10_500_000_000]);
}

// Bottles are filled one after the other, are closed on command, and their number is limited.
// Method: commands in every wrong order.
#[test]
fn bottles_are_used_once() {
    let mut s = sampler("");
    set_pose(&mut s, Vec3::new(0.0, 0.0, -5.0), [0.0; 3]);
    assert_eq!(
        set_sampler(&mut s, false).unwrap_err(),
        "s is not filling a bottle"
    );
    set_sampler(&mut s, true).unwrap();
    s.advance(500);
    assert_eq!(
        set_sampler(&mut s, true).unwrap_err(),
        "s is already filling bottle 1"
    );
    set_sampler(&mut s, false).unwrap();
    let first = last_bottle(&mut s, 1.0);
    assert_eq!((first.number, first.filling), (1, Filling::Stopped));
    close("closed", first.volume, 0.0002, 1e-12);
    set_sampler(&mut s, true).unwrap();
    assert_eq!(last_bottle(&mut s, 11.0).number, 2);
    assert_eq!(
        set_sampler(&mut s, true).unwrap_err(),
        "s has no empty bottle left"
    );
    let other = s
        .apply(&Command::Device(
            0,
            DeviceCommand::Sample {
                sensor: 7,
                on: true,
            },
        ))
        .unwrap_err();
    assert_eq!(other.reason, "no such sensor");
}

// A sampler does not pump in air. Method: half of the filling time out of the water. Tolerance: one
// tick.
#[test]
fn sampler_does_not_pump_in_air() {
    let mut s = sampler("");
    set_pose(&mut s, Vec3::new(0.0, 0.0, -5.0), [0.0; 3]);
    set_sampler(&mut s, true).unwrap();
    s.advance(1000);
    set_pose(&mut s, Vec3::new(0.0, 0.0, 5.0), [0.0; 3]);
    s.advance(1000);
    set_pose(&mut s, Vec3::new(0.0, 0.0, -5.0), [0.0; 3]);
    let after = last_bottle(&mut s, 2.0);
    assert!((after.volume - 0.0008).abs() <= 2.1e-6, "{}", after.volume);
}

// A run that is resumed while a sampler pumps ends with a bit-identical state for any block length;
// a dead sampler does not respond. Method: hashes at the end, from a clone in mid-run.
#[test]
fn sampler_resumes_with_the_same_bits() {
    let start = || {
        let mut s = sampler("");
        set_motion(
            &mut s,
            Vec3::new(0.0, 0.0, -10.0),
            [0.0; 3],
            Vec3::new(0.1, 0.0, -2.0),
            Vec3::zero(),
        );
        set_sampler(&mut s, true).unwrap();
        s
    };
    let mut whole = start();
    whole.advance(4000);
    let mut first = start();
    first.advance(1777);
    let mut second = start();
    second.state = first.state.clone();
    for _ in 0..2223 {
        second.advance(1);
    }
    assert_eq!(second.state.hash(), whole.state.hash());
    let mut idle = start();
    idle.state.robots[0].sensors[0]
        .sampler
        .as_mut()
        .unwrap()
        .current = None;
    idle.advance(4000);
    assert_ne!(idle.state.hash(), whole.state.hash());
    let dead = "faults: {x: {robot: ball, target: s, kind: dead}}";
    let device = "s: {device: {source: test, kind: water_sampler, rate_hz: 100, volume_m3: 1, flow_m3_s: 1}}";
    let mut s = simulation(&weightless(&format!("{TOP}\n{dead}"), device));
    s.advance(1);
    assert_eq!(
        set_sampler(&mut s, true).unwrap_err(),
        "s has no power or has failed"
    );
}

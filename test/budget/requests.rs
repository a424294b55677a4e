//! Tests the time that requests take from the run.

use crate::common::simulation;
use crossbeam_channel::unbounded;
use merrow_sim::{Access, Pace, Request, Simulation};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Returns a channel with many requests of a millisecond each; the request `stop_at` sets `stop`.
fn flood(stop: &Arc<AtomicBool>, stop_at: usize) -> crossbeam_channel::Receiver<Request> {
    let (sender, requests) = unbounded();
    for k in 0..2000 {
        let stop = Arc::clone(stop);
        let call = move |_: &mut Simulation| {
            std::thread::sleep(Duration::from_millis(1));
            stop.fetch_or(k == stop_at, Ordering::Relaxed);
        };
        let sent = sender.send(Request::Access(Access::new(call)));
        assert!(sent.is_ok());
    }
    requests
}

// A client that sends requests without waiting for the answers must not keep the run from stepping.
#[test]
fn the_run_steps_between_many_requests() {
    let mut simulation = simulation("robots: {rov: {model: bluerov2_heavy}}");
    let stop: Arc<AtomicBool> = Arc::default();
    let requests = flood(&stop, usize::MAX);
    let until_s = Some(simulation.scene.dt());
    let summary = merrow_sim::run(
        &mut simulation,
        Pace::Max,
        until_s,
        &requests,
        &mut [],
        &stop,
    );
    assert_eq!(summary.steps, 1);
    assert!(requests.len() > 1900, "{} left", requests.len());
}

// An interrupt ends the run although requests wait.
#[test]
fn an_interrupt_precedes_waiting_requests() {
    let mut simulation = simulation("robots: {rov: {model: bluerov2_heavy}}");
    let stop: Arc<AtomicBool> = Arc::default();
    let requests = flood(&stop, 10);
    merrow_sim::run(
        &mut simulation,
        Pace::Lockstep,
        None,
        &requests,
        &mut [],
        &stop,
    );
    assert_eq!(requests.len(), 1989);
}

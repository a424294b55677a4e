//! Reaction of a command to interrupt and termination signals.
//!
//! The signals are blocked in all threads, and a thread of its own waits for them.

use crossbeam_channel::Sender;
use merrow::publisher::state::Task;
use merrow::publisher::stop_recording;
use merrow::terminal;
use nix::sys::signal::{SigSet, Signal};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Period after the first signal in which further signals count as the same request [s]. A launcher
/// that signals its process group delivers each signal twice.
const REPEAT_S: f64 = 2.0;

/// Time in which a forced exit completes a recording.
const COMPLETION: Duration = Duration::from_secs(5);

/// Makes a write to a file at its size limit fail with an error, as on a full disk, instead of a
/// signal that ends the process. Call this before the process starts another thread.
pub(super) fn block_file_size_signal() {
    // fails only for an invalid set
    let _ = SigSet::from(Signal::SIGXFSZ).thread_block();
}

/// Reaction to SIGINT, SIGTERM and SIGHUP.
pub(super) struct Signals {
    /// Set by the first signal after [`Signals::end_cleanly`]; the loop of the command then ends.
    pub(super) stop: Arc<AtomicBool>,
    /// Channel to the recorder, for a forced exit.
    pub(super) recorder: Arc<OnceLock<Sender<Task>>>,
    first: Arc<OnceLock<Signal>>,
    is_clean: Arc<AtomicBool>,
}

impl Signals {
    /// Handles the signals from now on. A signal ends the process, until [`Signals::end_cleanly`] is
    /// called. Call this before the process starts another thread.
    ///
    /// # Errors
    /// The operating system does not start a thread.
    pub(super) fn install() -> Result<Self, String> {
        let this = Self {
            stop: Arc::default(),
            recorder: Arc::default(),
            first: Arc::default(),
            is_clean: Arc::default(),
        };
        let signals: SigSet = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP]
            .into_iter()
            .collect();
        let failed = |why: &dyn std::fmt::Display| format!("cannot handle signals: {why}");
        signals.thread_block().map_err(|why| failed(&why))?;
        let (stop, recorder) = (Arc::clone(&this.stop), Arc::clone(&this.recorder));
        let (first, is_clean) = (Arc::clone(&this.first), Arc::clone(&this.is_clean));
        std::thread::Builder::new()
            .name("merrow-signals".into())
            .spawn(move || {
                let mut at: Option<Instant> = None;
                // fails only for a set without signals
                while let Ok(signal) = signals.wait() {
                    if !is_clean.load(Ordering::Relaxed) {
                        std::process::exit(128 + signal as i32);
                    }
                    // the first signal gives the exit status
                    let _ = first.set(signal);
                    stop.store(true, Ordering::Relaxed);
                    match at {
                        None => at = Some(Instant::now()),
                        Some(at) if at.elapsed().as_secs_f64() < REPEAT_S => {}
                        Some(_) => force_exit(recorder.get(), signal),
                    }
                }
            })
            .map_err(|why| failed(&why))?;
        Ok(this)
    }

    /// Lets the command end cleanly after the first signal.
    pub(super) fn end_cleanly(&self) {
        self.is_clean.store(true, Ordering::Relaxed);
    }

    /// Returns the name and the number of the first signal; `None` before it.
    pub(super) fn first(&self) -> Option<(&'static str, u8)> {
        self.first
            .get()
            .map(|signal| (signal.as_str(), *signal as u8))
    }
}

/// Ends the process without waiting for the simulation loop; an active recording is completed.
fn force_exit(recorder: Option<&Sender<Task>>, signal: Signal) {
    terminal::warn(format_args!(
        "merrow: repeated signal: exiting without waiting for the simulation"
    ));
    if let Some(tasks) = recorder.cloned() {
        let (done, ended) = crossbeam_channel::bounded(1);
        // a disk that does not answer must not keep the process
        std::thread::spawn(move || done.send(stop_recording(&tasks)));
        match ended.recv_timeout(COMPLETION) {
            Ok(Ok(Some(line))) => terminal::warn(format_args!("merrow: recorded {line}")),
            Ok(Ok(None)) => {}
            Ok(Err(why)) => terminal::warn(format_args!("merrow: recording: {why}")),
            Err(_) => terminal::warn(format_args!(
                "merrow: the recording is incomplete: its disk does not answer; `merrow repair` completes it"
            )),
        }
    }
    std::process::exit(128 + signal as i32);
}

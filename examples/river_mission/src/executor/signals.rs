//! Signals that end the program.

use std::sync::{Arc, OnceLock};

use nix::sys::signal::{SigSet, Signal};

/// SIGINT, SIGTERM and SIGHUP: the first one is kept, so that the program ends what it has started.
#[derive(Clone, Debug, Default)]
pub struct Signals(Arc<OnceLock<Signal>>);

impl Signals {
    /// Keeps the signals from now on. Call this before the process starts another thread.
    ///
    /// # Errors
    /// One line: the operating system refuses it.
    pub fn install() -> Result<Self, String> {
        let this = Self::default();
        let signals: SigSet = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP]
            .into_iter()
            .collect();
        let failed = |why: &dyn std::fmt::Display| format!("cannot handle signals: {why}");
        signals.thread_block().map_err(|why| failed(&why))?;
        let first = Arc::clone(&this.0);
        std::thread::Builder::new()
            .name("signals".into())
            .spawn(move || {
                // fails only for a set without signals
                while let Ok(signal) = signals.wait() {
                    // a launcher and the terminal can both send one
                    let _ = first.set(signal);
                }
            })
            .map_err(|why| failed(&why))?;
        Ok(this)
    }

    /// Returns the name of the first signal.
    pub fn first(&self) -> Option<&'static str> {
        self.0.get().map(|signal| signal.as_str())
    }
}

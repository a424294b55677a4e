//! The simulator as a process of its own.

use serde_json::Value;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Longest wall time in which the simulator ends after the request to end.
const END: Duration = Duration::from_secs(20);

/// A running simulator; dropping it ends it.
#[derive(Debug)]
pub struct Simulator {
    child: Child,
    /// Standard output and error.
    output: [PathBuf; 2],
}

/// Finds the program `merrow`: the given path, next to this program, or on the `PATH`.
pub fn program(given: Option<&Path>) -> PathBuf {
    let next_to = || {
        let own = std::env::current_exe().ok()?;
        // tests run in a folder below
        let folders = own.ancestors().skip(1).take(2);
        let mut found = folders.map(|folder| folder.join("merrow"));
        found.find(|path| path.is_file())
    };
    let given = given.map(Path::to_path_buf);
    given.or_else(next_to).unwrap_or_else(|| "merrow".into())
}

impl Simulator {
    /// Starts `merrow run` with these arguments; its output goes to files in a folder.
    ///
    /// # Errors
    /// One line: the program or a file is missing.
    pub fn start(program: &Path, arguments: &[String], folder: &Path) -> Result<Self, String> {
        let output = ["simulator.json", "simulator.log"].map(|name| folder.join(name));
        let file =
            |path: &PathBuf| File::create(path).map_err(|why| format!("{}: {why}", path.display()));
        let (stdout, stderr) = (file(&output[0])?, file(&output[1])?);
        let child = Command::new(program)
            .arg("run")
            .args(arguments)
            .arg("--json")
            .stdin(Stdio::null())
            .stdout(stdout)
            .stderr(stderr)
            .spawn();
        let child = child.map_err(|why| {
            let program = program.display();
            format!("{program}: {why}; build it with `cargo build --bin merrow`, or name it with --merrow")
        })?;
        Ok(Self { child, output })
    }

    /// Checks that the simulator runs.
    ///
    /// # Errors
    /// One line: it has ended, with its last line.
    pub fn check(&mut self) -> Result<(), String> {
        let Some(status) = self.child.try_wait().map_err(|why| why.to_string())? else {
            return Ok(());
        };
        let text = std::fs::read_to_string(&self.output[1]).unwrap_or_default();
        let mut lines = text.lines().rev();
        let last = lines.find(|line| !line.trim().is_empty());
        Err(format!(
            "the simulator ended ({status}): {}",
            last.unwrap_or("without a message").trim()
        ))
    }

    /// Ends the simulator and returns the hash of its final state, if it has one.
    pub fn end(mut self) -> Option<String> {
        self.terminate();
        let text = std::fs::read_to_string(&self.output[0]).ok()?;
        let summary: Value = serde_json::from_str(text.trim()).ok()?;
        summary["state_hash"].as_str().map(str::to_string)
    }

    fn terminate(&mut self) {
        let end = Instant::now() + END;
        let pid = rustix::process::Pid::from_child(&self.child);
        if matches!(self.child.try_wait(), Ok(None)) {
            // it may end at this moment
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        }
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Simulator {
    fn drop(&mut self) {
        self.terminate();
    }
}

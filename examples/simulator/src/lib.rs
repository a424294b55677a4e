//! The simulator as a process that an example starts and ends.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Longest wall time in which the simulator ends after the request to end.
const END_TIMEOUT: Duration = Duration::from_secs(20);

/// Longest wall time in which the simulator of a mission that failed ends before it is killed.
const DROP_TIMEOUT: Duration = Duration::from_secs(5);

/// A running simulator. Dropping it ends it.
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
        let folder = own.parent()?;
        // tests run in a folder below
        let folders = [Some(folder), folder.parent()];
        let mut found = folders
            .into_iter()
            .flatten()
            .map(|folder| folder.join("merrow"));
        found.find(|path| path.is_file())
    };
    given
        .map(Path::to_path_buf)
        .or_else(next_to)
        .unwrap_or_else(|| "merrow".into())
}

impl Simulator {
    /// Starts `merrow run` with these arguments, in a DDS domain if one is given; its output goes to
    /// files in a folder.
    ///
    /// # Errors
    /// One line: the program or a file is missing.
    pub fn start(
        program: &Path,
        arguments: &[String],
        domain: Option<u16>,
        folder: &Path,
    ) -> Result<Self, String> {
        let output = ["simulator.json", "simulator.log"].map(|name| folder.join(name));
        let file =
            |path: &PathBuf| File::create(path).map_err(|why| format!("{}: {why}", path.display()));
        let (stdout, stderr) = (file(&output[0])?, file(&output[1])?);
        let domain = domain.map(|domain| ("ROS_DOMAIN_ID", domain.to_string()));
        let child = Command::new(program)
            .arg("run")
            .args(arguments)
            .arg("--json")
            .envs(domain)
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
    /// One line: it has ended, with its last words.
    pub fn check(&mut self) -> Result<(), String> {
        match self.child.try_wait() {
            Ok(None) => Ok(()),
            Ok(Some(status)) => {
                let words = last_line(&self.output[1]).or_else(|| last_line(&self.output[0]));
                let words = words.unwrap_or_else(|| "without a message".to_owned());
                Err(format!("the simulator ended ({status}): {words}"))
            }
            Err(why) => Err(format!("the simulator: {why}")),
        }
    }

    /// Ends the simulator and returns the hash of its final state.
    ///
    /// # Errors
    /// One line: it does not end, or its summary has no hash.
    pub fn end(mut self) -> Result<String, String> {
        if !self.terminate(END_TIMEOUT) {
            return Err("the simulator does not end; it is killed".to_owned());
        }
        let text = std::fs::read_to_string(&self.output[0]).unwrap_or_default();
        let summary: serde_json::Value = serde_json::from_str(text.trim())
            .map_err(|why| format!("{}: no summary: {why}", self.output[0].display()))?;
        let hash = summary["state_hash"].as_str();
        hash.map(str::to_owned)
            .ok_or_else(|| "the summary has no state hash".to_owned())
    }

    /// Requests the end of the process; returns whether it ends in time.
    fn terminate(&mut self, timeout: Duration) -> bool {
        let pid = rustix::process::Pid::from_child(&self.child);
        let end = Instant::now() + timeout;
        let mut is_asked = false;
        while matches!(self.child.try_wait(), Ok(None)) {
            if !is_asked {
                // it may end at this moment
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
                is_asked = true;
            }
            if Instant::now() > end {
                return false;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        true
    }
}

impl Drop for Simulator {
    fn drop(&mut self) {
        self.terminate(DROP_TIMEOUT);
        // it has ended, or does not
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the last line of the last kilobyte of a file that is not empty.
fn last_line(path: &Path) -> Option<String> {
    let mut file = File::open(path).ok()?;
    let size = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(size.saturating_sub(1024))).ok()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    text.lines()
        .rfind(|line| !line.trim().is_empty())
        .map(|line| line.trim().to_owned())
}

//! Checkpoints: a run that is continued from one gives bit-identical results to an uninterrupted
//! run.
//!
//! A checkpoint contains the state, and the frames of exteroceptive sensors in progress. Frames
//! depend on the requests, so the state hash covers only the state: exactly the bytes of the state
//! in the checkpoint. Readings and frames that are delivered and not yet fetched are not part of a
//! checkpoint.
//!
//! # Law
//! ```text
//!   file = head | state | frames | SHA-256 of all before
//!   head = mark | format | version of Merrow | hash of the layout | length of the file
//!          | changes of the world file | world | seed | digest of the scene
//! ```
//! The hash of the layout covers the names and types of all fields of the state, so that a program
//! with another state refuses a checkpoint instead of misreading it. The digest of the scene covers
//! all that the world file and the files it names determine.
//!
//! # Limits
//! A checkpoint is valid for the version of Merrow and the world that made it. The digest detects
//! damage; of values that were changed on purpose, times and lengths are checked, and a trial of
//! 0.2 s must run.
//!
//! # Checked by
//! test/determinism/state/checkpoint.rs, test/determinism/state/hostile_checkpoint.rs

use crate::sensors::scheduler::SavedFrames;
use crate::simulation::Simulation;
use merrow_model::ensure;
use merrow_model::persist::{Layout, Persist, Reader, Writer, to_bytes};
use merrow_model::scene::{Scene, Sea, identity};
use merrow_model::state::{State, shape};
use parking_lot::Mutex;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock};

/// First bytes of every checkpoint.
pub const MARK: [u8; 8] = *b"merrowCP";
/// Number of the form of the head and of the file around the state.
const FORMAT: u32 = 6;
/// Version of Merrow that writes and reads the checkpoints.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Simulated time of the trial before a run continues [s].
const TRIAL: f64 = 0.2;
/// Longest simulated time: ten years [ns].
const MAX_TIME_NS: u64 = 10 * 31_557_600 * 1_000_000_000;
/// Longest time between the clock of a computer and the time of the world [ns].
const MAX_DIFFERENCE_NS: u64 = 1_000_000_000;
/// Length of the digest at the end [bytes].
const SUM: usize = 32;

/// Hash of the layout of the contents.
static LAYOUT: LazyLock<[u8; 8]> = LazyLock::new(|| {
    let text = Layout::of::<(State, Option<SavedFrames>)>();
    let digest = identity::digest(text.as_bytes());
    std::array::from_fn(|i| digest[i])
});

/// Contents of a checkpoint.
#[derive(Clone)]
struct Contents {
    state: State,
    frames: Option<SavedFrames>,
}

impl Simulation {
    /// Returns a checkpoint of the current instant. Waits for the frames in progress; the run
    /// continues as without the checkpoint.
    ///
    /// # Errors
    /// A thread of an exteroceptive sensor has failed.
    pub fn checkpoint(&mut self) -> Result<Vec<u8>, String> {
        let frames = self.sensor_scheduler.as_mut();
        let frames = frames.map(|s| s.saved_frames()).transpose()?;
        let mut to = Writer::default();
        to.bytes.extend_from_slice(&MARK);
        FORMAT.save(&mut to);
        VERSION.to_string().save(&mut to);
        LAYOUT.save(&mut to);
        let length_at = to.bytes.len();
        0_u64.save(&mut to);
        self.changes.save(&mut to);
        self.scene.name.save(&mut to);
        self.scene.seed.save(&mut to);
        self.scene_digest().save(&mut to);
        to_bytes(&self.state).save(&mut to);
        to_bytes(&frames).save(&mut to);
        let length = (to.bytes.len() + SUM) as u64;
        to.bytes[length_at..length_at + 8].copy_from_slice(&length.to_le_bytes());
        identity::digest(&to.bytes).save(&mut to);
        Ok(to.bytes)
    }

    /// Returns the digest of the scene, which takes longer than the rest of a checkpoint.
    fn scene_digest(&mut self) -> [u8; 32] {
        let known = self.scene_digest.as_ref();
        match known.filter(|(scene, _)| Arc::ptr_eq(scene, &self.scene)) {
            Some((_, digest)) => *digest,
            None => {
                let digest = identity::scene_digest(&self.scene);
                self.scene_digest = Some((Arc::clone(&self.scene), digest));
                digest
            }
        }
    }

    /// Continues from a checkpoint: sets the state and the frames in progress. Readings and frames
    /// in the outboxes are discarded.
    ///
    /// # Errors
    /// One-line reason why the data is not a checkpoint of this world; the simulation is unchanged.
    pub fn resume(&mut self, checkpoint: &[u8]) -> Result<(), String> {
        let contents = read(checkpoint, &self.scene)?;
        let mut trial = Self::new(Arc::clone(&self.scene), 1)?;
        trial.set_contents(contents.clone())?;
        if !trial.can_continue() {
            return Err(damaged("the world cannot continue from its values"));
        }
        self.set_contents(contents)
    }

    fn set_contents(&mut self, contents: Contents) -> Result<(), String> {
        let Contents { state, frames } = contents;
        if !self.accepts_network(&state) {
            return Err(damaged("its network differs from the modems of the world"));
        }
        if !has_plausible_times(&state) {
            return Err(damaged("its times differ"));
        }
        let restored = match (&mut self.sensor_scheduler, frames) {
            (Some(scheduler), Some(saved)) => scheduler.restore_frames(saved),
            (None, None) => true,
            _ => false,
        };
        if !restored {
            return Err(damaged("its sensors differ from the sensors of the world"));
        }
        self.state = state;
        self.clear_outboxes();
        Ok(())
    }

    /// Returns false if a short run ends with a panic, as of an index that is out of range. The
    /// ranges of most values depend on the world and are checked where they are used.
    fn can_continue(&mut self) -> bool {
        let steps = (TRIAL / self.scene.dt()).ceil() as u64;
        // the reason is reported in one line; the hook belongs to all threads
        static HOOK: Mutex<()> = Mutex::new(());
        let _hook = HOOK.lock();
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        let run = catch_unwind(AssertUnwindSafe(|| {
            self.advance(steps.max(1));
            self.checkpoint()
        }));
        std::panic::set_hook(hook);
        matches!(run, Ok(Ok(_)))
    }
}

/// Returns true if no time is so long that sums of times overflow, or that tasks of computers have
/// more releases than a run has.
fn has_plausible_times(state: &State) -> bool {
    let computers = state.robots.iter().flat_map(|robot| &robot.computers);
    let mut differences = computers.map(|computer| computer.time_ns.abs_diff(state.time_ns));
    state.time_ns <= MAX_TIME_NS && differences.all(|ns| ns <= MAX_DIFFERENCE_NS)
}

/// Returns the changes of the world file in a checkpoint, with which the scene must be built before
/// [`Simulation::resume`]. `sea` is the sea of the unchanged world.
///
/// # Errors
/// One-line reason why the data is not a checkpoint.
pub fn world_changes(checkpoint: &[u8], sea: &Sea) -> Result<String, String> {
    let mut from = Reader::new(checkpoint, sea);
    check_file(&mut from, checkpoint)?;
    String::load(&mut from).map_err(|why| damaged(&why))
}

/// Decodes a checkpoint after the checks of its version, its digest and its world.
fn read(checkpoint: &[u8], scene: &Scene) -> Result<Contents, String> {
    let mut from = Reader::new(checkpoint, &scene.sea);
    check_file(&mut from, checkpoint)?;
    String::load(&mut from).map_err(|why| damaged(&why))?;
    check_world(&mut from, scene)?;
    contents(&mut from, scene).map_err(|why| damaged(&why))
}

/// Checks mark, format, version, length and digest of a checkpoint.
fn check_file(from: &mut Reader<'_>, checkpoint: &[u8]) -> Result<(), String> {
    let is_marked = from.read_bytes(MARK.len()).ok() == Some(&MARK);
    ensure!(is_marked, "this is not a checkpoint of Merrow");
    let short = |_| {
        format!(
            "the checkpoint ends early; expected a header and a state, found {} bytes",
            checkpoint.len()
        )
    };
    let format = u32::load(from).map_err(short)?;
    ensure!(
        format == FORMAT,
        "this checkpoint has format {format}; expected format {FORMAT} of Merrow {VERSION}"
    );
    let version = String::load(from).map_err(short)?;
    ensure!(
        version == VERSION,
        "this is a checkpoint of Merrow {version}; expected one of Merrow {VERSION}"
    );
    let layout = <[u8; 8]>::load(from).map_err(short)?;
    if layout != *LAYOUT {
        let hex = |hash: [u8; 8]| format!("{:016x}", u64::from_be_bytes(hash));
        return Err(format!(
            "this checkpoint has the state layout {}; expected {}; continue it with the program \
             that wrote it",
            hex(layout),
            hex(*LAYOUT)
        ));
    }
    let length = u64::load(from).map_err(short)?;
    let found = checkpoint.len() as u64;
    ensure!(
        found >= length,
        "the checkpoint ends early; expected {length} bytes, found {found}"
    );
    let (all, sum) = checkpoint.split_at(checkpoint.len().saturating_sub(SUM));
    if found > length || identity::digest(all) != *sum {
        return Err(damaged("its digest does not agree"));
    }
    Ok(())
}

/// Checks that the checkpoint belongs to `scene`.
fn check_world(from: &mut Reader<'_>, scene: &Scene) -> Result<(), String> {
    let damage = |why: String| damaged(&why);
    let name = String::load(from).map_err(damage)?;
    ensure!(
        name == scene.name,
        "this is a checkpoint of the world {name}; expected one of {}",
        scene.name
    );
    let seed = u64::load(from).map_err(damage)?;
    ensure!(
        seed == scene.seed,
        "this checkpoint has the seed {seed}; expected the seed {} of the world {name}",
        scene.seed
    );
    let world = <[u8; 32]>::load(from).map_err(damage)?;
    ensure!(
        world == identity::scene_digest(scene),
        "the files of the world {name} or the values of --set have changed since this checkpoint"
    );
    Ok(())
}

/// Reads state and frames.
fn contents(from: &mut Reader<'_>, scene: &Scene) -> Result<Contents, String> {
    let part = |from: &mut Reader<'_>| Vec::<u8>::load(from);
    let (state, frames) = (part(from)?, part(from)?);
    let mut reader = Reader::new(&state, &scene.sea);
    let state = State::load(&mut reader)?;
    reader.finish()?;
    let fits = shape::has_shape_of(&state, scene);
    ensure!(fits, "its lists have other lengths");
    let mut reader = Reader::new(&frames, &scene.sea);
    let frames = Option::<SavedFrames>::load(&mut reader)?;
    reader.finish()?;
    Ok(Contents { state, frames })
}

fn damaged(why: &str) -> String {
    format!("the checkpoint is damaged: {why}")
}

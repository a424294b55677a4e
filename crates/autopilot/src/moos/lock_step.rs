//! Lock-step with programs of the community: in each period the world waits until the programs of the
//! key `lock_step` had their turn, one after the other.
//!
//! When it connects, the link posts `LOCK_STEP = ,0`, by which programs know of the lock-step before
//! the first variables. After the variables of a period it posts `LOCK_STEP = PROGRAM,PERIOD` for the first program.
//! This posts its values and then `LOCK_STEP_DONE = PROGRAM,PERIOD`, and it is the turn of the next one.
//! A MOOSDB passes the messages of a client on in their order, so that the order of all messages, and
//! with it the run, is equal each time. A program without an answer within [`PATIENCE`] has one line,
//! and the world goes on without it until it answers.

use merrow_moos::message::Message;
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// Variable of a turn, and of the answer.
pub(crate) const TURN: &str = "LOCK_STEP";
pub(crate) const DONE: &str = "LOCK_STEP_DONE";
/// Value of [`TURN`] before the first period.
pub(crate) const NO_TURN: &str = ",0";
/// Wall time within which a program must answer.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// Turns of the programs.
#[derive(Debug)]
pub(crate) struct LockStep {
    programs: Vec<String>,
    /// Programs that have not answered in time.
    absent: HashSet<String>,
    period: u64,
    /// Number of the program whose turn it is, and when that began.
    turn: Option<(usize, Instant)>,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Post this value of [`TURN`].
    Post(String),
    /// Write this line, and ask again.
    Note(String),
    /// Wait for messages.
    Wait,
    /// All had their turn.
    Done,
}

impl LockStep {
    /// Creates the turns of programs, of which there may be none.
    pub(crate) fn new(programs: &[String]) -> Self {
        Self {
            programs: programs.to_vec(),
            absent: HashSet::new(),
            period: 0,
            turn: None,
        }
    }

    /// Returns whether the world waits for programs.
    pub(crate) fn is_used(&self) -> bool {
        !self.programs.is_empty()
    }

    /// Begins a period. Returns what is to be done.
    pub(crate) fn begin(&mut self, now: Instant) -> Step {
        self.period += 1;
        self.next(0, now)
    }

    /// Gives the turn to the first present program from number `k` on.
    fn next(&mut self, k: usize, now: Instant) -> Step {
        let mut rest = self.programs.iter().enumerate().skip(k);
        match rest.find(|(_, program)| !self.absent.contains(*program)) {
            Some((k, program)) => {
                self.turn = Some((k, now));
                Step::Post(format!("{program},{}", self.period))
            }
            None => {
                self.turn = None;
                Step::Done
            }
        }
    }

    /// Takes an answer. Returns what is to be done.
    ///
    /// # Errors
    /// One line: the value is no answer.
    pub(crate) fn answer(&mut self, message: &Message, now: Instant) -> Result<Step, String> {
        let text = message.text();
        let known = text.rsplit_once(',').and_then(|(program, period)| {
            let known = self.programs.iter().any(|own| own == program);
            known.then_some((program, period.parse::<u64>().ok()?))
        });
        let (program, period) = known.ok_or_else(|| {
            format!("expected `PROGRAM,PERIOD` with a program of `lock_step`, found {text:?}")
        })?;
        self.absent.remove(program);
        Ok(match self.turn {
            Some((k, _)) if self.programs[k] == program && period == self.period => {
                self.next(k + 1, now)
            }
            Some(_) => Step::Wait,
            None => Step::Done,
        })
    }

    /// Returns what is to be done without an answer.
    pub(crate) fn wait(&mut self, now: Instant) -> Step {
        let Some((k, since)) = self.turn else {
            return Step::Done;
        };
        if now.duration_since(since) < PATIENCE {
            return Step::Wait;
        }
        let program = &self.programs[k];
        if self.absent.insert(program.clone()) {
            return Step::Note(format!(
                "{program} does not answer its turn within {} s: the world goes on without it; start it, or remove it from `lock_step`",
                PATIENCE.as_secs()
            ));
        }
        self.next(k + 1, now)
    }

    /// Ends the turns, when the connection has ended.
    pub(crate) fn end(&mut self) {
        self.turn = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(text: &str) -> Message {
        Message::notify(DONE, text, 0.0)
    }

    #[test]
    fn programs_take_turns() {
        let mut own = LockStep::new(&["a".to_string(), "b".to_string()]);
        let now = Instant::now();
        assert_eq!(own.begin(now), Step::Post("a,1".into()));
        assert_eq!(own.answer(&done("b,1"), now), Ok(Step::Wait));
        assert_eq!(own.answer(&done("a,0"), now), Ok(Step::Wait));
        assert_eq!(own.answer(&done("a,1"), now), Ok(Step::Post("b,1".into())));
        assert_eq!(own.wait(now), Step::Wait);
        assert_eq!(own.answer(&done("b,1"), now), Ok(Step::Done));
        assert!(own.answer(&done("c,1"), now).is_err());
        assert!(own.answer(&done("a"), now).is_err());
    }

    #[test]
    fn silent_programs_are_left_out_until_they_answer() {
        let mut own = LockStep::new(&["a".to_string(), "b".to_string()]);
        let (now, late) = (Instant::now(), Instant::now() + 2 * PATIENCE);
        own.begin(now);
        assert!(
            matches!(own.wait(late), Step::Note(line) if line.starts_with("a does not answer"))
        );
        assert_eq!(own.wait(late), Step::Post("b,1".into()));
        assert_eq!(own.answer(&done("b,1"), late), Ok(Step::Done));
        assert_eq!(own.begin(late), Step::Post("b,2".into()));
        assert_eq!(own.answer(&done("a,1"), late), Ok(Step::Wait));
        assert_eq!(own.answer(&done("b,2"), late), Ok(Step::Done));
        assert_eq!(own.begin(late), Step::Post("a,3".into()));
    }
}

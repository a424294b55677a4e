//! `merrow moos replay`: posts the messages of a log again, in their order.

use super::{Community, Failure, Signals, connect, is_ended};
use clap::Args;
use merrow_moos::alog::Reader;
use merrow_moos::client::{Client, Connection};
use merrow_moos::clock;
use merrow_moos::pattern;
use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

/// Longest wait between two looks for a signal.
const POLL: Duration = Duration::from_millis(100);
/// Wait for a message of which a line tells.
const LONG: Duration = Duration::from_secs(30);
/// Time within which the MOOSDB must take messages.
const TAKE: Duration = Duration::from_secs(10);
/// Messages after which the MOOSDB must have taken them, so that none is dropped.
const AT_ONCE: u64 = 1000;

/// Arguments of `merrow moos replay`.
#[derive(Args, Debug)]
pub(in crate::cli) struct Arguments {
    /// Log of pLogger or of `merrow moos log`.
    #[arg(value_name = "FILE.alog")]
    log: PathBuf,
    /// Address and port of the MOOSDB, or the mission file of its community.
    #[arg(default_value = "localhost:9000", value_parser = Community::parse, value_name = "HOST:PORT|FILE.moos")]
    address: Community,
    /// Speed, in recorded seconds per second; 0: without a wait.
    #[arg(long, default_value_t = 1.0, value_parser = speed)]
    speed: f64,
    /// Variables, with * and ?. The option can be repeated [default: all].
    #[arg(long, value_name = "PATTERN")]
    variables: Vec<String>,
}

fn speed(text: &str) -> Result<f64, String> {
    let speed = text
        .parse()
        .ok()
        .filter(|speed| (0.0..=1e6).contains(speed));
    speed.ok_or_else(|| format!("expected a number from 0 to 1e6, found {text:?}"))
}

/// Posts the messages until the end of the log, or a signal. Their sources are those of the log, and
/// their times begin now.
///
/// # Errors
/// There is no MOOSDB, it takes no messages, or a line of the log cannot be read; the messages before
/// it are posted.
pub(super) fn run(arguments: &Arguments, signals: &Signals) -> Result<(), Failure> {
    let path = &arguments.log;
    let located = |why: String| Failure::Failed(format!("{}: {why}", path.display()));
    let file = File::open(path).map_err(|why| located(why.to_string()))?;
    let pace = if arguments.speed > 0.0 {
        arguments.speed
    } else {
        1.0
    };
    let client = connect("merrow_replay", &arguments.address, clock::wall(pace))?;
    let (begin, begin_s) = (Instant::now(), client.time_s());
    let mut count = 0_u64;
    for message in Reader::new(BufReader::new(file)) {
        let mut message = message.map_err(located)?;
        let is_wanted = arguments.variables.is_empty()
            || arguments
                .variables
                .iter()
                .any(|wanted| pattern::matches(wanted, &message.key));
        if !is_wanted {
            continue;
        }
        if arguments.speed > 0.0 {
            let due = Duration::try_from_secs_f64(message.time / pace).unwrap_or_default();
            let left = due.saturating_sub(begin.elapsed());
            if left > LONG {
                eprintln!("the next message is due in {} s", left.as_secs());
            }
            while let Some(left) = due.checked_sub(begin.elapsed())
                && !is_ended(signals)
            {
                thread::sleep(left.min(POLL));
            }
        }
        if is_ended(signals) {
            break;
        }
        message.time += begin_s;
        message.community.clear();
        client.post(message);
        count += 1;
        if count.is_multiple_of(AT_ONCE) {
            wait_taken(&client)?;
        }
    }
    wait_taken(&client)?;
    println!("{}: {count} messages posted", path.display());
    Ok(())
}

/// Waits until the MOOSDB has taken all messages.
fn wait_taken(client: &Client) -> Result<(), Failure> {
    let is_connected = || matches!(client.connection(), Connection::Connected(_));
    if is_connected() && client.flush(TAKE) && is_connected() {
        return Ok(());
    }
    Err(Failure::Failed(
        "the MOOSDB takes no messages any more".to_string(),
    ))
}

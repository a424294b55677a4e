//! `merrow moos log`: writes the variables of a community to a log, as pLogger does.

use super::{Community, Failure, Signals, connect, is_ended};
use clap::Args;
use merrow_moos::alog::Writer;
use merrow_moos::client::Connection;
use merrow_moos::clock;
use merrow_moos::message::Kind;
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Time after which what is buffered is written.
const FLUSH: Duration = Duration::from_secs(1);

/// Arguments of `merrow moos log`.
#[derive(Args, Debug)]
pub(in crate::cli) struct Arguments {
    /// Address and port of the MOOSDB, or the mission file of its community.
    #[arg(default_value = "localhost:9000", value_parser = Community::parse, value_name = "HOST:PORT|FILE.moos")]
    address: Community,
    /// File of the log; a file that exists is not replaced.
    #[arg(short, long, value_name = "FILE.alog")]
    output: PathBuf,
    /// Variables, with * and ?. The option can be repeated [default: all].
    #[arg(long, value_name = "PATTERN", default_value = "*")]
    variables: Vec<String>,
}

/// Logs until a signal, or until the MOOSDB ends.
///
/// # Errors
/// There is no MOOSDB, or the file exists or cannot be written.
pub(super) fn run(arguments: &Arguments, signals: &Signals) -> Result<(), Failure> {
    let path = &arguments.output;
    let failed = |why: std::io::Error| Failure::Failed(format!("{}: {why}", path.display()));
    let client = connect(
        "merrow_log",
        &arguments.address,
        clock::wall(arguments.address.warp()?),
    )?;
    let file = File::create_new(path).map_err(failed)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut log = Writer::new(BufWriter::new(file), &name, client.time_s()).map_err(failed)?;
    for pattern in &arguments.variables {
        client.register(pattern, 0.0);
    }
    let (mut count, mut flushed) = (0_u64, Instant::now());
    let mut is_connected = true;
    while is_connected && !is_ended(signals) {
        // what arrived before the end of the connection is in the mail
        is_connected = matches!(client.connection(), Connection::Connected(_));
        for message in client.wait(FLUSH) {
            if message.kind == Kind::Notify {
                log.write(&message).map_err(failed)?;
                count += 1;
            }
        }
        if flushed.elapsed() >= FLUSH {
            log.flush().map_err(failed)?;
            flushed = Instant::now();
        }
    }
    log.flush().map_err(failed)?;
    let dropped = client.take_dropped();
    let lost = match dropped {
        0 => String::new(),
        n => format!("; {n} were lost, because the disk is too slow"),
    };
    println!("{}: {count} messages{lost}", path.display());
    Ok(())
}

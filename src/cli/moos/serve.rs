//! `merrow moos serve`: a MOOSDB.

use super::{Community, Failure, Signals, is_ended};
use clap::Args;
use merrow_moos::clock;
use merrow_moos::server::{Server, Settings};
use std::net::ToSocketAddrs as _;
use std::thread;
use std::time::Duration;

/// Time between two looks for lines of the server.
const POLL: Duration = Duration::from_millis(200);

/// Arguments of `merrow moos serve`.
#[derive(Args, Debug)]
pub(in crate::cli) struct Arguments {
    /// Address and port, or a mission file with ServerHost, ServerPort, Community and MOOSTimeWarp. An
    /// address such as 0.0.0.0 accepts clients of other machines.
    #[arg(default_value = "localhost:9000", value_parser = Community::parse, value_name = "HOST:PORT|FILE.moos")]
    address: Community,
    /// Name of the community [default: that of the mission file, or `merrow`].
    #[arg(long)]
    community: Option<String>,
}

/// Serves until a signal.
///
/// # Errors
/// The address cannot be used.
pub(super) fn run(arguments: &Arguments, signals: &Signals) -> Result<(), Failure> {
    let moos = &arguments.address.moos;
    let name = arguments.community.clone().or(moos.community.clone());
    let port = u16::try_from(moos.port).unwrap_or_default();
    let mut settings = Settings::new(name.unwrap_or_else(|| "merrow".to_string()), port);
    let addresses = (moos.host.as_str(), port).to_socket_addrs();
    let addresses = addresses.map_err(|why| format!("{}: {why}", moos.host))?;
    // clients look for `localhost` at the address of version 4
    let mut addresses: Vec<_> = addresses.map(|address| address.ip()).collect();
    addresses.sort_by_key(|address| !address.is_ipv4());
    settings.address = *addresses
        .first()
        .ok_or_else(|| "the host has no address".to_string())?;
    let warp = arguments.address.warp()?;
    let (community, address) = (settings.community.clone(), settings.address);
    let server = Server::start(settings, clock::wall(warp))?;
    let port = server.port();
    println!("community {community:?} at {address}:{port}, time warp {warp}; Ctrl-C ends it");
    while !is_ended(signals) {
        for line in server.take_notes() {
            eprintln!("{line}");
        }
        thread::sleep(POLL);
    }
    Ok(())
}

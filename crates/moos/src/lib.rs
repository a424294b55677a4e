//! MOOS, the middleware of MOOS-IvP: a client and a server of its protocol, its mission files and
//! its logs.
//!
//! Programs of a *community* exchange messages over one server, the MOOSDB. A message has a name (a
//! *variable*) and a number, a text or bytes; a program receives the variables for which it has
//! registered. [`client::Client`] is such a program, [`server::Server`] is a MOOSDB.
//!
//! The protocol is that of MOOS 10 (`moos-ivp/moos-ivp` at a2a9b71, `MOOSCore/Core/libMOOS/Comms`),
//! of which only the facts were taken; the crate is tested against its programs.
//!
//! # Example
//! ```
//! use merrow_moos::client::{Client, Settings};
//! use merrow_moos::clock;
//! use merrow_moos::message::Value;
//! use merrow_moos::server::{self, Server};
//! use std::time::Duration;
//!
//! let server = Server::start(server::Settings::new("alpha", 0), clock::wall(1.0))?;
//! let settings = Settings::new("pHelm", "127.0.0.1", server.port());
//! let (helm, viewer) = (
//!     Client::start(settings.clone(), clock::wall(1.0)),
//!     Client::start(Settings { name: "viewer".into(), ..settings }, clock::wall(1.0)),
//! );
//! viewer.register("DESIRED_*", 0.0);
//! helm.notify("DESIRED_SPEED", Value::Number(1.5));
//! let mail = viewer.wait(Duration::from_secs(5));
//! assert_eq!(mail[0].key, "DESIRED_SPEED");
//! assert_eq!(mail[0].number(), Some(1.5));
//! # Ok::<(), String>(())
//! ```

#![forbid(unsafe_code)]

pub mod alog;
pub mod client;
pub mod clock;
pub mod database;
pub mod feed;
pub mod message;
pub mod mission;
pub mod packet;
pub mod pattern;
pub mod server;

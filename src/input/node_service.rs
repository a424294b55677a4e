//! A service that the node offers for a scene: its name, its type, the command that its requests
//! become, and how it starts.

use crate::input::mailbox::Mailbox;
use crate::input::serve::{Caller, record, serve};
use merrow_model::scene::Scene;
use merrow_model::state::Command;
use merrow_model::state::commands::CommandRejection;
use merrow_ros2::cdr::from_bytes;
use merrow_ros2::message::{Service as ServiceType, ServiceInfo};
use merrow_ros2::msg::Outcome;
use merrow_ros2::node::{Node, NodeError, Service};
use merrow_ros2::parameters::ParameterServer;
use merrow_sim::Request;
use std::sync::Arc;

/// Converts the CDR bytes of a request to a command.
type Convert = Box<dyn Fn(&Scene, &ParameterServer, &[u8]) -> Result<Command, String>>;
/// Function that starts a service.
type Start = Box<dyn Fn(&Node, &Mailbox, &Arc<ParameterServer>) -> Result<Service, NodeError>>;

/// What a handler knows beside its request.
pub(crate) struct Context<'a> {
    /// The way to the run.
    pub(crate) mailbox: &'a Mailbox,
    /// Parameters of the node.
    pub(crate) parameters: &'a ParameterServer,
    /// The request in CDR.
    bytes: &'a [u8],
}

/// A service of the node.
pub(crate) struct NodeService {
    /// Name, such as `~/fault` or `/rov/arm`.
    pub(crate) name: String,
    /// Type of the service.
    pub(crate) info: ServiceInfo,
    /// Conversion of a request to a command, for a service whose requests become commands.
    pub(super) convert: Option<Convert>,
    /// Starts the service; `None` if the editor of the world serves it.
    pub(super) start: Option<Start>,
}

impl NodeService {
    /// Creates a service whose requests become commands. Rejections count for `robot`, or for the
    /// node.
    pub(crate) fn command<S: ServiceType<Response: Outcome>>(
        name: impl Into<String>,
        robot: Option<usize>,
        convert: impl Fn(&Scene, &ParameterServer, &S::Request) -> Result<Command, String>
        + Clone
        + Send
        + 'static,
    ) -> Self {
        let of_bags = convert.clone();
        let convert_bytes = move |scene: &Scene, parameters: &ParameterServer, bytes: &[u8]| {
            let request = from_bytes(bytes).map_err(|e| format!("malformed request: {e}"))?;
            of_bags(scene, parameters, &request)
        };
        let name = name.into();
        let label = name.clone();
        let handler = move |context: Context<'_>, request: S::Request, caller: Caller<S>| {
            let Context {
                mailbox,
                parameters,
                bytes,
            } = context;
            match convert(&mailbox.scene, parameters, &request) {
                Ok(command) => {
                    let message = record::<S>(&label, bytes);
                    let reply = caller.reply(|done: Result<(), CommandRejection>| {
                        done.map(|()| String::new()).map_err(|why| why.reason)
                    });
                    let version = mailbox.version;
                    let request = Request::CommandReply(version, command, Some(message), reply);
                    mailbox.send_request(request);
                }
                Err(why) => {
                    mailbox.reject(robot, &label, &why);
                    caller.answer(Err(why));
                }
            }
        };
        Self {
            convert: Some(Box::new(convert_bytes)),
            ..Self::other::<S>(name, handler)
        }
    }

    /// Creates the entry of a service that the editor of the world serves.
    pub(super) fn of_editor<S: ServiceType>(name: &str) -> Self {
        Self {
            name: name.to_string(),
            info: S::info(),
            convert: None,
            start: None,
        }
    }

    /// Creates a service whose handler answers, or passes the caller to the thread that answers.
    pub(crate) fn other<S: ServiceType<Response: Outcome>>(
        name: impl Into<String>,
        handler: impl Fn(Context<'_>, S::Request, Caller<S>) + Clone + Send + 'static,
    ) -> Self {
        let name = name.into();
        let label = name.clone();
        let start = move |node: &Node, mailbox: &Mailbox, parameters: &Arc<ParameterServer>| {
            let (reporter, label_of_report) = (mailbox.clone(), label.clone());
            let report = move |why: &str| reporter.reject(None, &label_of_report, why);
            let (mailbox, parameters) = (mailbox.clone(), Arc::clone(parameters));
            let handler = handler.clone();
            let handler = move |bytes: &[u8], request: S::Request, caller: Caller<S>| {
                let context = Context {
                    mailbox: &mailbox,
                    parameters: &parameters,
                    bytes,
                };
                handler(context, request, caller);
            };
            serve::<S>(node, &S::info(), &label, report, handler)
        };
        Self {
            name,
            info: S::info(),
            convert: None,
            start: Some(Box::new(start)),
        }
    }
}

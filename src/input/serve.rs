//! Services whose requests the run or the recorder answers from its own thread.

use crate::input::mailbox::Mailbox;
use crate::topics::absolute;
use merrow_messages::convert::time;
use merrow_messages::msg::stonefish_ros2::{Respawn, RespawnResponse};
use merrow_messages::msg::{
    ApplyWrench, ApplyWrenchResponse, Checkpoint, CheckpointResponse, ClearWrenches,
    ClearWrenchesResponse, Couple, CoupleResponse, Fault, FaultResponse, MeasureRange,
    MeasureRangeResponse, Record, RecordResponse, ServiceRequest, SetControlMode,
    SetControlModeResponse, SetModemMac, SetModemMacResponse, SetModemPower, SetModemPowerResponse,
    SetModemRate, SetModemRateResponse, SetPose, SetPoseResponse, StepSimulation,
    StepSimulationResponse, Weather, WeatherResponse,
};
use merrow_model::state::Command;
use merrow_model::state::commands::CommandRejection;
use merrow_ros2::cdr::{from_bytes, to_bytes};
use merrow_ros2::message::Service as ServiceType;
use merrow_ros2::msg::std_srvs::{SetBool, SetBoolResponse, Trigger, TriggerResponse};
use merrow_ros2::node::{Node, NodeError, Responder, Service};
use merrow_ros2::qos::Qos;
use merrow_sim::{InputMessage, Reply, Request, StepResult};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Topic on which bags contain the requests of services.
pub(crate) const REQUESTS: &str = "/merrow/service_requests";

/// Maximum number of requests of one service that wait for their answer. One more is refused: a
/// client that does not wait for its answers would otherwise occupy the run for minutes. The other
/// services, such as `~/pause`, still answer.
const MAX_OPEN: usize = 64;
const BUSY: &str =
    "busy: too many requests of this service wait for their answer; repeat the request later";

/// Starts a service whose handler receives the mailbox, the request and the caller.
pub(crate) fn serve<S: ServiceOutcome>(
    node: &Node,
    mailbox: &Mailbox,
    name: &str,
    mut handler: impl FnMut(&Mailbox, S::Request, Caller<S>) + Send + 'static,
) -> Result<Service, NodeError> {
    let (mailbox, label) = (mailbox.clone(), name.to_string());
    let open_requests: Arc<AtomicUsize> = Arc::default();
    let answer =
        Box::new(
            move |bytes: &[u8], responder: Responder| match from_bytes::<S::Request>(bytes) {
                Ok(_) if open_requests.load(Ordering::Relaxed) >= MAX_OPEN => {
                    responder.respond(to_bytes(&S::response(S::rejected(BUSY.to_string()))));
                    mailbox.reject(None, &label, BUSY);
                }
                Ok(request) => {
                    let message = record::<S>(&label, bytes);
                    let caller = Caller::new(responder, message, &open_requests);
                    handler(&mailbox, request, caller);
                }
                // a request that cannot be decoded has no effect and receives no reply
                Err(why) => mailbox.reject(None, &label, &format!("malformed request: {why}")),
            },
        );
    node.deferred_service::<S>(name, &Qos::SERVICE, answer)
}

impl Mailbox {
    /// Sends a request to the run. If the run has ended, the request is dropped together with its
    /// caller.
    pub(super) fn send_request(&self, request: Request) {
        let _ = self.requests.send(request);
    }

    /// Sends a command to the run; its outcome is the reply to the caller. An accepted request is
    /// recorded.
    pub(crate) fn send_command<S: ServiceOutcome<Outcome = MessageOutcome>>(
        &self,
        command: Command,
        mut caller: Caller<S>,
    ) {
        let message = caller.message.take();
        let reply = caller.reply(|result: Result<(), CommandRejection>| {
            result
                .map(|()| String::new())
                .map_err(|rejection| rejection.reason)
        });
        self.send_request(Request::CommandReply(self.version, command, message, reply));
    }
}

/// Returns the full name of a service.
pub(super) fn full_name(service: &str) -> String {
    absolute(&service.replace('~', "/merrow"))
}

/// Builds the message with which a bag contains a request in CDR.
pub(crate) fn record<S: ServiceOutcome>(service: &str, request: &[u8]) -> InputMessage {
    let message = ServiceRequest {
        service: full_name(service),
        service_type: S::TYPE.to_string(),
        request: request.to_vec(),
    };
    InputMessage {
        topic: REQUESTS.into(),
        bytes: to_bytes(&message),
    }
}

/// A service whose response is built from an outcome.
pub(crate) trait ServiceOutcome: ServiceType + 'static {
    /// Outcome of the request.
    type Outcome;
    /// Builds the outcome of a request that was not processed.
    fn rejected(why: String) -> Self::Outcome;
    /// Builds the response from the outcome.
    fn response(outcome: Self::Outcome) -> Self::Response;
}

pub(crate) type MessageOutcome = Result<String, String>;

/// Splits an outcome into success and message, as most responses contain them.
fn split_outcome(outcome: MessageOutcome) -> (bool, String) {
    (outcome.is_ok(), outcome.unwrap_or_else(|why| why))
}

/// Implements services whose response consists of success and message.
macro_rules! message_services {
    ($($service:ident => $response:ident),* $(,)?) => {$(
        impl ServiceOutcome for $service {
            type Outcome = MessageOutcome;
            fn rejected(why: String) -> MessageOutcome {
                Err(why)
            }
            fn response(outcome: MessageOutcome) -> $response {
                let (success, message) = split_outcome(outcome);
                $response { success, message }
            }
        }
    )*};
}

message_services! {
    Trigger => TriggerResponse,
    SetPose => SetPoseResponse,
    Couple => CoupleResponse,
    Weather => WeatherResponse,
    Fault => FaultResponse,
    ApplyWrench => ApplyWrenchResponse,
    ClearWrenches => ClearWrenchesResponse,
    Record => RecordResponse,
    SetControlMode => SetControlModeResponse,
    Respawn => RespawnResponse,
    SetBool => SetBoolResponse,
    Checkpoint => CheckpointResponse,
    SetModemPower => SetModemPowerResponse,
    SetModemRate => SetModemRateResponse,
    SetModemMac => SetModemMacResponse,
    MeasureRange => MeasureRangeResponse,
}

impl ServiceOutcome for StepSimulation {
    type Outcome = StepResult;
    fn rejected(why: String) -> StepResult {
        StepResult {
            time_ns: 0,
            result: Err(why),
        }
    }
    fn response(outcome: StepResult) -> StepSimulationResponse {
        let (success, message) = split_outcome(outcome.result.map(|()| String::new()));
        StepSimulationResponse {
            success,
            message,
            time: time(outcome.time_ns),
        }
    }
}

/// Client that waits for the outcome of a request. If dropped without one, it receives the error
/// that the simulation has ended.
pub(crate) struct Caller<S: ServiceOutcome> {
    responder: Option<Responder>,
    /// Request as a bag contains it.
    message: Option<InputMessage>,
    /// Number of clients of the service that wait, this client included.
    open_requests: Arc<AtomicUsize>,
    service: std::marker::PhantomData<fn() -> S>,
}

impl<S: ServiceOutcome> Caller<S> {
    fn new(responder: Responder, message: InputMessage, open_requests: &Arc<AtomicUsize>) -> Self {
        open_requests.fetch_add(1, Ordering::Relaxed);
        Self {
            open_requests: Arc::clone(open_requests),
            responder: Some(responder),
            message: Some(message),
            service: std::marker::PhantomData,
        }
    }

    pub(crate) fn answer(mut self, outcome: S::Outcome) {
        self.respond(outcome);
    }

    fn respond(&mut self, outcome: S::Outcome) {
        if let Some(responder) = self.responder.take() {
            responder.respond(to_bytes(&S::response(outcome)));
        }
    }

    /// Builds the callback with which the run or the recorder replies.
    pub(super) fn reply<T>(
        self,
        outcome: impl FnOnce(T) -> S::Outcome + Send + 'static,
    ) -> Reply<T> {
        Reply::new(move |answer| self.answer(outcome(answer)))
    }
}

impl<S: ServiceOutcome> Drop for Caller<S> {
    fn drop(&mut self) {
        self.respond(S::rejected("the simulation has ended".to_string()));
        self.open_requests.fetch_sub(1, Ordering::Relaxed);
    }
}

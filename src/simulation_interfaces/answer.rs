//! Answers to the clients of the services. Every request receives one.

use super::failure;
use merrow_messages::msg::{SaveWorld, SaveWorldResponse};
use merrow_ros2::cdr::to_bytes;
use merrow_ros2::message::Service as ServiceType;
use merrow_ros2::msg::simulation_interfaces::*;
use merrow_ros2::msg::simulation_interfaces_v1 as v1;
use merrow_ros2::node::Responder;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Maximum number of requests of one service that wait for their answer.
const MAX_OPEN: usize = 64;

/// Reason of an answer to a request that was not handled.
pub(crate) const BUSY: &str =
    "busy: too many requests wait, or the simulation has ended; repeat the request later";

/// Service whose response can refuse a request.
pub(super) trait Refusing: ServiceType {
    /// Returns a response with a result.
    fn refused(result: ServiceResult) -> Self::Response;
}

macro_rules! refusing {
    ($($service:path => $response:path,)*) => {$(
        impl Refusing for $service {
            // some responses have the result only
            #[allow(clippy::needless_update)]
            fn refused(result: ServiceResult) -> Self::Response {
                $response { result, ..Default::default() }
            }
        }
    )*};
}

refusing! {
    DeleteEntity => DeleteEntityResponse,
    GetAvailableWorlds => GetAvailableWorldsResponse,
    GetCurrentWorld => GetCurrentWorldResponse,
    GetEntities => GetEntitiesResponse,
    GetEntitiesStates => GetEntitiesStatesResponse,
    GetEntityBounds => GetEntityBoundsResponse,
    GetEntityInfo => GetEntityInfoResponse,
    GetEntityState => GetEntityStateResponse,
    GetNamedPoseBounds => GetNamedPoseBoundsResponse,
    GetNamedPoses => GetNamedPosesResponse,
    GetSimulationState => GetSimulationStateResponse,
    GetSpawnables => GetSpawnablesResponse,
    LoadWorld => LoadWorldResponse,
    ResetSimulation => ResetSimulationResponse,
    SetEntityInfo => SetEntityInfoResponse,
    SetEntityState => SetEntityStateResponse,
    SetSimulationState => SetSimulationStateResponse,
    SpawnEntities => SpawnEntitiesResponse,
    SpawnEntityService => SpawnEntityResponse,
    StepSimulation => StepSimulationResponse,
    UnloadWorld => UnloadWorldResponse,
    v1::GetSpawnables => v1::GetSpawnablesResponse,
    v1::LoadWorld => v1::LoadWorldResponse,
    v1::SetEntityState => v1::SetEntityStateResponse,
    v1::SpawnEntity => v1::SpawnEntityResponse,
}

impl Refusing for GetSimulatorFeatures {
    /// Returns no features, because the response has no result.
    fn refused(_: ServiceResult) -> Self::Response {
        GetSimulatorFeaturesResponse::default()
    }
}

impl Refusing for SaveWorld {
    fn refused(result: ServiceResult) -> Self::Response {
        SaveWorldResponse {
            success: false,
            message: result.error_message,
        }
    }
}

/// Client that waits for the response of service `S`. If dropped without one, it receives the
/// answer that the service is busy.
pub(super) struct Answer<S: Refusing> {
    responder: Option<Responder>,
    /// Number of clients of the service that wait, this client included.
    open: Arc<AtomicUsize>,
    service: std::marker::PhantomData<fn() -> S>,
}

impl<S: Refusing> Answer<S> {
    pub(super) fn new(responder: Responder, open: &Arc<AtomicUsize>) -> Self {
        open.fetch_add(1, Ordering::Relaxed);
        Self {
            responder: Some(responder),
            open: Arc::clone(open),
            service: std::marker::PhantomData,
        }
    }

    /// Returns true if too many clients of the service wait.
    pub(super) fn is_one_too_many(&self) -> bool {
        self.open.load(Ordering::Relaxed) > MAX_OPEN
    }

    pub(super) fn send(mut self, response: &S::Response) {
        self.respond(response);
    }

    fn respond(&mut self, response: &S::Response) {
        if let Some(responder) = self.responder.take() {
            responder.respond(to_bytes(response));
        }
    }
}

impl<S: Refusing> Drop for Answer<S> {
    fn drop(&mut self) {
        let busy = failure(ServiceResult::RESULT_OPERATION_FAILED, BUSY);
        self.respond(&S::refused(busy));
        self.open.fetch_sub(1, Ordering::Relaxed);
    }
}

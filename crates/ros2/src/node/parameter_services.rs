//! ROS interface of a node's parameters: the six parameter services and `/parameter_events`.
//!
//! Converts between the messages of `rcl_interfaces` and the parameter server, which validates the
//! values. A request that cannot be decoded has no effect and receives no reply.

use std::sync::Arc;

use crate::cdr::{from_bytes, to_bytes};
use crate::message::{Message, Service as ServiceType};
use crate::msg::builtin_interfaces::Time;
use crate::msg::rcl_interfaces::{
    DescribeParameters, DescribeParametersResponse, FloatingPointRange, GetParameterTypes,
    GetParameterTypesResponse, GetParameters, GetParametersResponse, IntegerRange, ListParameters,
    ListParametersResponse, ListParametersResult, Parameter, ParameterDescriptor, ParameterEvent,
    SetParameters, SetParametersAtomically, SetParametersAtomicallyResponse, SetParametersResponse,
    SetParametersResult,
};
use crate::node::service::Service;
use crate::node::{Node, NodeError};
use crate::parameters::range::Range;
use crate::parameters::value::ParameterValue;
use crate::parameters::{Change, Declaration, ParameterServer};
use crate::qos::Qos;

/// Parameter services of a node. Dropping the value ends them.
#[must_use = "dropping the parameter services ends them"]
pub struct ParameterServices {
    _services: Vec<Service>,
}

impl ParameterServices {
    /// Offers `parameters` as the parameters of `node` and publishes subsequent changes.
    ///
    /// # Errors
    /// An endpoint could not be created.
    pub fn start(node: &Node, parameters: &Arc<ParameterServer>) -> Result<Self, NodeError> {
        publish_changes(node, parameters)?;
        let services = vec![
            serve::<GetParameters>(node, "get_parameters", parameters, |server, request| {
                GetParametersResponse {
                    values: request
                        .names
                        .iter()
                        .map(|name| ParameterValue::message(server.get(name)))
                        .collect(),
                }
            })?,
            serve::<GetParameterTypes>(
                node,
                "get_parameter_types",
                parameters,
                |server, request| {
                    let type_number =
                        |name: &String| server.get(name).map_or(0, |value| value.type_number());
                    GetParameterTypesResponse {
                        types: request.names.iter().map(type_number).collect(),
                    }
                },
            )?,
            serve::<SetParameters>(node, "set_parameters", parameters, |server, request| {
                SetParametersResponse {
                    results: request
                        .parameters
                        .into_iter()
                        .map(|one| result(set(server, vec![one])))
                        .collect(),
                }
            })?,
            serve::<SetParametersAtomically>(
                node,
                "set_parameters_atomically",
                parameters,
                |server, request| SetParametersAtomicallyResponse {
                    result: result(set(server, request.parameters)),
                },
            )?,
            serve::<ListParameters>(node, "list_parameters", parameters, |server, request| {
                let (names, prefixes) = server.list(&request.prefixes, request.depth);
                ListParametersResponse {
                    result: ListParametersResult { names, prefixes },
                }
            })?,
            serve::<DescribeParameters>(
                node,
                "describe_parameters",
                parameters,
                |server, request| {
                    let describe = |name: String| match server.describe(&name) {
                        Some(declaration) => descriptor(declaration),
                        None => ParameterDescriptor {
                            name,
                            ..ParameterDescriptor::default()
                        },
                    };
                    DescribeParametersResponse {
                        descriptors: request.names.into_iter().map(describe).collect(),
                    }
                },
            )?,
        ];
        Ok(Self {
            _services: services,
        })
    }
}

/// Publishes every later change of `parameters` on `/parameter_events`.
fn publish_changes(node: &Node, parameters: &ParameterServer) -> Result<(), NodeError> {
    let events = node.publisher(
        "/parameter_events",
        ParameterEvent::info(),
        &Qos::PARAMETER_EVENTS,
    )?;
    let node_name = node.names().full_node_name();
    parameters.set_listener(Box::new(move |change, parameters| {
        let event = event(&node_name, change, parameters);
        // a failed event cannot be reported to subscribers; the parameters themselves are up to
        // date
        let _ = events.publish(&to_bytes(&event));
    }));
    Ok(())
}

/// Starts the service `~/name`, which computes its responses with `answer`.
fn serve<S: ServiceType>(
    node: &Node,
    name: &str,
    parameters: &Arc<ParameterServer>,
    answer: impl Fn(&ParameterServer, S::Request) -> S::Response + Send + 'static,
) -> Result<Service, NodeError> {
    let parameters = Arc::clone(parameters);
    let handler = move |request: &[u8]| {
        let request = from_bytes::<S::Request>(request).ok()?;
        Some(to_bytes(&answer(&parameters, request)))
    };
    node.service::<S>(&format!("~/{name}"), &Qos::PARAMETERS, Box::new(handler))
}

/// Sets a batch received from the network.
fn set(server: &ParameterServer, batch: Vec<Parameter>) -> Result<(), String> {
    let mut parameters = Vec::with_capacity(batch.len());
    for Parameter { name, value } in batch {
        let number = value.r#type;
        let Some(value) = ParameterValue::from_message(value) else {
            return Err(match number {
                0 => format!("parameter '{name}' cannot be deleted"),
                _ => format!("parameter '{name}': unknown type {number}; expected 1 to 9"),
            });
        };
        parameters.push((name, value));
    }
    server.set_atomically(&parameters)
}

fn result(outcome: Result<(), String>) -> SetParametersResult {
    SetParametersResult {
        successful: outcome.is_ok(),
        reason: outcome.err().unwrap_or_default(),
    }
}

/// Returns the event of parameters of `node` that have changed.
pub fn parameter_event(node: &str, parameters: &[(String, ParameterValue)]) -> ParameterEvent {
    event(node, Change::Changed, parameters)
}

/// Returns the changed parameters of an event. Values without a type are left out.
pub fn changed_values(event: ParameterEvent) -> Vec<(String, ParameterValue)> {
    let changed = event.changed_parameters.into_iter();
    changed
        .filter_map(|Parameter { name, value }| Some((name, ParameterValue::from_message(value)?)))
        .collect()
}

fn event(node: &str, change: Change, parameters: &[(String, ParameterValue)]) -> ParameterEvent {
    let message = |(name, value): &(String, ParameterValue)| Parameter {
        name: name.clone(),
        value: ParameterValue::message(Some(value.clone())),
    };
    let parameters = parameters.iter().map(message).collect();
    let mut event = ParameterEvent {
        stamp: Time::now(),
        node: node.to_owned(),
        ..ParameterEvent::default()
    };
    *match change {
        Change::New => &mut event.new_parameters,
        Change::Changed => &mut event.changed_parameters,
        Change::Deleted => &mut event.deleted_parameters,
    } = parameters;
    event
}

fn descriptor(declaration: Declaration) -> ParameterDescriptor {
    let mut descriptor = ParameterDescriptor {
        name: declaration.name,
        r#type: declaration.default.type_number(),
        description: declaration.description,
        additional_constraints: declaration.constraints,
        read_only: declaration.read_only,
        ..ParameterDescriptor::default()
    };
    match declaration.range {
        Some(Range::Integer(from_value, to_value)) => descriptor.integer_range.push(IntegerRange {
            from_value,
            to_value,
            step: 0,
        }),
        Some(Range::Double(from_value, to_value)) => {
            descriptor.floating_point_range.push(FloatingPointRange {
                from_value,
                to_value,
                step: 0.0,
            });
        }
        None => {}
    }
    descriptor
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::msg::rcl_interfaces::ParameterValue as ValueMessage;

    #[test]
    fn every_type_of_value_survives_the_message() {
        let values = [
            ParameterValue::Bool(true),
            ParameterValue::Integer(-1),
            ParameterValue::Double(0.5),
            ParameterValue::String("a".to_owned()),
            ParameterValue::ByteArray(vec![1]),
            ParameterValue::BoolArray(vec![true, false]),
            ParameterValue::IntegerArray(vec![2]),
            ParameterValue::DoubleArray(vec![2.5]),
            ParameterValue::StringArray(vec!["b".to_owned()]),
        ];
        for value in values {
            assert_eq!(
                ParameterValue::from_message(ParameterValue::message(Some(value.clone()))),
                Some(value)
            );
        }
        assert_eq!(
            ParameterValue::from_message(ParameterValue::message(None)),
            None
        );
        assert_eq!(
            ParameterValue::from_message(ValueMessage {
                r#type: 10,
                ..ValueMessage::default()
            }),
            None
        );
    }

    #[test]
    fn deleting_and_unknown_types_are_refused() {
        let server = ParameterServer::new(vec![]).unwrap();
        let refusal = |number| {
            let value = ValueMessage {
                r#type: number,
                ..ValueMessage::default()
            };
            set(
                &server,
                vec![Parameter {
                    name: "use_sim_time".to_owned(),
                    value,
                }],
            )
            .unwrap_err()
        };
        assert_eq!(refusal(0), "parameter 'use_sim_time' cannot be deleted");
        assert_eq!(
            refusal(200),
            "parameter 'use_sim_time': unknown type 200; expected 1 to 9"
        );
    }
}

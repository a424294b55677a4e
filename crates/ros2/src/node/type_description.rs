//! Service `~/get_type_description` (REP-2016): tools such as Foxglove decode types whose packages
//! they do not have.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::cdr::{from_bytes, to_bytes};
use crate::dynamic::definition::{Definition, Field, MessageType};
use crate::message::TypeInfo;
use crate::msg::type_description_interfaces as msg;
use crate::node::service::Service;
use crate::node::{Node, NodeError};
use crate::qos::Qos;

/// Descriptions of the types of all endpoints that a node has had, by hash.
#[derive(Debug, Default)]
pub(crate) struct KnownTypes(Mutex<BTreeMap<String, TypeInfo>>);

impl KnownTypes {
    /// Adds a type unless it is known.
    pub(crate) fn add(&self, info: &TypeInfo) {
        let mut types = self.0.lock();
        if !types.contains_key(&info.hash) {
            types.insert(info.hash.clone(), info.clone());
        }
    }

    fn respond(&self, request: &msg::GetTypeDescriptionRequest) -> msg::GetTypeDescriptionResponse {
        let types = self.0.lock();
        let known = types.get(&request.type_hash);
        let Some(known) = known.filter(|known| known.name == request.type_name.as_str()) else {
            return msg::GetTypeDescriptionResponse {
                failure_reason: format!(
                    "this node has no type {} with the hash {}",
                    request.type_name, request.type_hash
                ),
                ..Default::default()
            };
        };
        let definition = &known.structure;
        let used = definition.referenced().into_iter();
        let sources = std::iter::once(definition.root()).chain(used.clone());
        msg::GetTypeDescriptionResponse {
            successful: true,
            type_description: msg::TypeDescription {
                type_description: individual(definition, definition.root()),
                referenced_type_descriptions: used
                    .map(|used| individual(definition, used))
                    .collect(),
            },
            type_sources: match request.include_type_sources {
                true => sources.map(source).collect(),
                false => Vec::new(),
            },
            ..Default::default()
        }
    }
}

/// Starts the service of `node`.
pub(super) fn serve(node: &Node, types: Arc<KnownTypes>) -> Result<Service, NodeError> {
    let handler = move |request: &[u8]| {
        let request: msg::GetTypeDescriptionRequest = from_bytes(request).ok()?;
        Some(to_bytes(&types.respond(&request)))
    };
    let name = "~/get_type_description";
    node.service::<msg::GetTypeDescription>(name, &Qos::SERVICE, Box::new(handler))
}

fn individual(definition: &Definition, message: &MessageType) -> msg::IndividualTypeDescription {
    let field = |field: &Field| {
        let ids = definition.ids(field);
        msg::Field {
            name: field.name.clone(),
            r#type: msg::FieldType {
                type_id: ids.type_id,
                capacity: ids.capacity as u64,
                string_capacity: ids.string_capacity as u64,
                nested_type_name: ids.nested_type_name.to_owned(),
            },
            default_value: field.default.clone(),
        }
    };
    msg::IndividualTypeDescription {
        type_name: message.name.clone(),
        fields: message.fields.iter().map(field).collect(),
    }
}

/// Returns the source text of a type. The types of a service are parts of its file, which is not
/// stored.
fn source(message: &MessageType) -> msg::TypeSource {
    let (encoding, text) = match message.name.contains("/msg/") {
        true => ("msg", message.text.clone()),
        false => ("implicit", String::new()),
    };
    msg::TypeSource {
        type_name: message.name.clone(),
        encoding: encoding.to_owned(),
        raw_file_contents: text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Message;
    use crate::msg::geometry_msgs::PoseStamped;

    #[test]
    fn the_hash_and_the_name_identify_a_type() {
        let types = KnownTypes::default();
        let info = PoseStamped::info();
        types.add(info);
        let mut request = msg::GetTypeDescriptionRequest {
            type_name: info.name.to_owned(),
            type_hash: info.hash.clone(),
            include_type_sources: true,
        };
        let response = types.respond(&request);
        assert!(response.successful, "{}", response.failure_reason);
        let description = &response.type_description;
        let names = description.referenced_type_descriptions.iter();
        let names: Vec<_> = names.map(|used| used.type_name.as_str()).collect();
        let expected = [
            "builtin_interfaces/msg/Time",
            "geometry_msgs/msg/Point",
            "geometry_msgs/msg/Pose",
            "geometry_msgs/msg/Quaternion",
            "std_msgs/msg/Header",
        ];
        assert_eq!(names, expected);
        let pose = &description.type_description.fields[1];
        assert_eq!((pose.name.as_str(), pose.r#type.type_id), ("pose", 1));
        assert_eq!(pose.r#type.nested_type_name, "geometry_msgs/msg/Pose");
        let source = &response.type_sources[0];
        assert_eq!(source.encoding, "msg");
        assert!(
            source
                .raw_file_contents
                .contains("geometry_msgs/Pose pose\n")
        );
        request.type_hash.replace_range(7..8, "x");
        assert!(!types.respond(&request).successful);
    }
}

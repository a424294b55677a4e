//! Service `~/get_type_description` (REP-2016): tools such as Foxglove decode types whose packages
//! they do not have.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::cdr::{from_bytes, to_bytes};
use crate::description::{Description, FieldType};
use crate::msg::type_description_interfaces as msg;
use crate::node::service::Service;
use crate::node::{Node, NodeError};
use crate::qos::Qos;

/// Descriptions of the types of all endpoints that a node has had, by hash.
#[derive(Debug, Default)]
pub(crate) struct KnownTypes(Mutex<BTreeMap<String, Description>>);

impl KnownTypes {
    /// Adds a type unless it is known.
    pub(crate) fn add(&self, hash: &str, description: impl FnOnce() -> Description) {
        let mut types = self.0.lock();
        if !types.contains_key(hash) {
            types.insert(hash.to_owned(), description());
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
        let used = known.referenced();
        let sources = std::iter::once(known).chain(used.iter().copied());
        msg::GetTypeDescriptionResponse {
            successful: true,
            type_description: msg::TypeDescription {
                type_description: individual(known),
                referenced_type_descriptions: used.iter().map(|used| individual(used)).collect(),
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

fn individual(description: &Description) -> msg::IndividualTypeDescription {
    let field = |field: &crate::description::Field| msg::Field {
        name: field.name.to_owned(),
        r#type: field_type(&field.shape),
        default_value: field.default.clone().unwrap_or_default(),
    };
    msg::IndividualTypeDescription {
        type_name: description.name.to_string(),
        fields: description.all_fields().iter().map(field).collect(),
    }
}

fn field_type(shape: &FieldType) -> msg::FieldType {
    let ids = shape.ids();
    msg::FieldType {
        type_id: ids.type_id,
        capacity: ids.capacity as u64,
        string_capacity: ids.string_capacity as u64,
        nested_type_name: ids.nested_type_name.to_owned(),
    }
}

/// Returns the source text of a type. The types of a service are parts of its file, which is not
/// stored.
fn source(description: &Description) -> msg::TypeSource {
    let is_message = description.name.contains("/msg/");
    let (encoding, text) = match is_message {
        true => ("msg", description.text()),
        false => ("implicit", String::new()),
    };
    msg::TypeSource {
        type_name: description.name.to_string(),
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
        types.add(&info.hash, PoseStamped::description);
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

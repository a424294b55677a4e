//! `type_description_interfaces`: structure of message types, with which tools decode types whose
//! packages they do not have.

use crate::message::{BoundedString, ros_message, ros_service};

ros_message! {
    /// Type of a field.
    pub struct FieldType("type_description_interfaces/msg/FieldType") {
        /// Id of the type of an element, plus an offset for arrays and sequences.
        type_id: u8,
        /// Length of an array, maximum length of a bounded sequence, otherwise 0.
        capacity: u64,
        /// Maximum length of a bounded string, otherwise 0.
        string_capacity: u64,
        /// Name of a nested type, otherwise empty.
        nested_type_name: String as BoundedString<255>,
    }

    /// Field of a type.
    pub struct Field("type_description_interfaces/msg/Field") {
        /// Name of the field.
        name: String,
        /// Type of the field.
        r#type: FieldType,
        /// Default value as text, otherwise empty.
        default_value: String,
    }

    /// Description of one type without those that it uses.
    pub struct IndividualTypeDescription("type_description_interfaces/msg/IndividualTypeDescription") {
        /// Name, such as `package/msg/Type`.
        type_name: String as BoundedString<255>,
        /// Fields, in order of declaration.
        fields: Vec<Field>,
    }

    /// Description of a type and of all types that it uses.
    pub struct TypeDescription("type_description_interfaces/msg/TypeDescription") {
        /// Description of the type itself.
        type_description: IndividualTypeDescription,
        /// Types that it uses, sorted by name.
        referenced_type_descriptions: Vec<IndividualTypeDescription>,
    }

    /// Source text of a type.
    pub struct TypeSource("type_description_interfaces/msg/TypeSource") {
        /// Name, such as `package/msg/Type`.
        type_name: String,
        /// Format of the text: `msg`, or `implicit` for a type without a separate file.
        encoding: String,
        /// Text in that format.
        raw_file_contents: String,
    }

    /// Named value as text.
    pub struct KeyValue("type_description_interfaces/msg/KeyValue") {
        /// Name of the value.
        key: String,
        /// Value as text, maybe empty.
        value: String,
    }
}

ros_service! {
    /// Returns the description of a type that a node uses.
    pub struct GetTypeDescription("type_description_interfaces/srv/GetTypeDescription") {
        request GetTypeDescriptionRequest {
            /// Name, such as `package/msg/Type`.
            type_name: String,
            /// Type hash, as announced by the endpoints.
            type_hash: String,
            /// Whether the response contains the source texts.
            include_type_sources: bool = true,
        }
        response GetTypeDescriptionResponse {
            /// Whether the type is known.
            successful: bool,
            /// Reason if it is not.
            failure_reason: String,
            /// Description of the requested type.
            type_description: TypeDescription,
            /// Source texts of the type and of all types that it uses.
            type_sources: Vec<TypeSource>,
            /// Empty in every response of this node.
            extra_information: Vec<KeyValue>,
        }
    }
}

//! ROS message and service types: the traits, and the macros that declare them.
//!
//! One declaration gives the Rust struct, its bytes, its type hash and its definition text, so that they cannot drift
//! apart. The declarations are in `msg/`. Nothing here knows a topic, a QoS or a DDS vendor.

use std::borrow::Cow;

use bytes::Bytes;

use super::cdr::Cdr;
use super::description::{Count, Description, Element, Field, Primitive, Shape};

/// Names and texts of a message type, for code that handles messages as bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeInfo {
    /// ROS name, as `sensor_msgs/msg/Imu`.
    pub name: &'static str,
    /// Type name on DDS, as `sensor_msgs::msg::dds_::Imu_`.
    pub dds_name: String,
    /// Type hash, `RIHS01_` and 64 hexadecimal digits.
    pub hash: String,
    /// `ros2msg` definition with all dependencies, as bags carry it.
    pub definition: String,
}

impl TypeInfo {
    /// The names and texts of message type `M`; [`Message::info`] keeps the one copy of them.
    pub fn of<M: Message>() -> Self {
        let description = M::description();
        Self {
            name: M::TYPE,
            dds_name: dds_name(M::TYPE),
            hash: description.hash(),
            definition: description.definition(),
        }
    }
}

/// `package/msg/Type` to `package::msg::dds_::Type_`.
fn dds_name(name: &str) -> String {
    match name.rsplit_once('/') {
        Some((scope, name)) => format!("{}::dds_::{name}_", scope.replace('/', "::")),
        None => format!("dds_::{name}_"),
    }
}

/// A ROS message type. Declared by `ros_message!`, never by hand.
pub trait Message: Cdr + Default + Send + 'static {
    /// ROS name, as `sensor_msgs/msg/Imu`.
    const TYPE: &'static str;

    /// What the type is made of.
    fn description() -> Description;

    /// Names and texts of the type, computed at the first call.
    fn info() -> &'static TypeInfo;

    /// ROS name, as `sensor_msgs/msg/Imu`.
    fn type_name() -> &'static str {
        Self::TYPE
    }

    /// Type name on DDS, as `sensor_msgs::msg::dds_::Imu_`.
    fn dds_type_name() -> &'static str {
        &Self::info().dds_name
    }

    /// Type hash, `RIHS01_` and 64 hexadecimal digits.
    fn type_hash() -> &'static str {
        &Self::info().hash
    }

    /// `ros2msg` definition with all dependencies.
    fn definition() -> &'static str {
        &Self::info().definition
    }
}

/// A ROS service type. Declared by `ros_service!`.
pub trait Service: Send + 'static {
    /// What a client sends.
    type Request: Message;
    /// What the server answers.
    type Response: Message;
    /// ROS name, as `std_srvs/srv/Trigger`.
    const TYPE: &'static str;

    /// Type hash of the service as a whole: request, response and the event that service introspection publishes.
    fn type_hash() -> &'static str;
}

/// Type hash of service `S`; [`Service::type_hash`] keeps the one copy of it.
///
/// rosidl describes a service as a type of three nested types; the event carries who did what and, if the user
/// wants it, the request or the response. `event_info` is `service_msgs/msg/ServiceEventInfo`.
pub fn service_hash<S: Service>(event_info: Description) -> String {
    let message = |name: &str, fields| Description {
        name: Cow::Owned(format!("{}{name}", S::TYPE)),
        constants: Vec::new(),
        fields,
    };
    let field = |name, description, count| Field {
        name,
        shape: Shape { element: Element::Message(description), count },
        default: None,
    };
    let request = S::Request::description();
    let response = S::Response::description();
    let event = message(
        "_Event",
        vec![
            field("info", event_info, Count::One),
            field("request", request.clone(), Count::AtMost(1)),
            field("response", response.clone(), Count::AtMost(1)),
        ],
    );
    message(
        "",
        vec![
            field("request_message", request, Count::One),
            field("response_message", response, Count::One),
            field("event_message", event, Count::One),
        ],
    )
    .hash()
}

/// A type that one element of a message field can have.
pub trait RosElement {
    /// Its ROS type.
    fn element() -> Element;
}

/// A type that a message field can have: an element, an array or a sequence of elements, never an array of arrays.
pub trait RosField {
    /// Its ROS type.
    fn shape() -> Shape;
}

/// ROS `byte`: written `level: u8 as Byte`, for CDR knows no difference but the type hash does.
pub struct Byte;

/// ROS `char`, a `uint8` since ROS 2: written `data: [u8; 16] as [Char; 16]`.
pub struct Char;

/// ROS `string<=N`: written `name: String as BoundedString<256>`. The bound is the sender's duty; it is not checked here.
pub struct BoundedString<const N: usize>;

/// ROS `T[<=N]`: written `ranges: Vec<T> as Bounded<T, 1>`. The bound is the sender's duty; it is not checked here.
pub struct Bounded<T, const N: usize>(std::marker::PhantomData<T>);

impl<E: RosElement> RosField for E {
    fn shape() -> Shape {
        Shape { element: E::element(), count: Count::One }
    }
}

impl<E: RosElement, const N: usize> RosField for [E; N] {
    fn shape() -> Shape {
        Shape { element: E::element(), count: Count::Array(N) }
    }
}

impl<E: RosElement> RosField for Vec<E> {
    fn shape() -> Shape {
        Shape { element: E::element(), count: Count::Any }
    }
}

impl RosField for Bytes {
    fn shape() -> Shape {
        Vec::<u8>::shape()
    }
}

impl<E: RosElement, const N: usize> RosField for Bounded<E, N> {
    fn shape() -> Shape {
        Shape { element: E::element(), count: Count::AtMost(N) }
    }
}

impl<const N: usize> RosElement for BoundedString<N> {
    fn element() -> Element {
        Element::Primitive(Primitive::BoundedString(N))
    }
}

/// Value of a field that nobody has set. `Default` would do, but std has none for arrays longer than 32.
pub trait Initial {
    /// Zero, empty, or the message's own default.
    fn initial() -> Self;
}

impl<T> Initial for Vec<T> {
    fn initial() -> Self {
        Self::new()
    }
}

impl<T: Initial, const N: usize> Initial for [T; N] {
    fn initial() -> Self {
        std::array::from_fn(|_| T::initial())
    }
}

macro_rules! primitive {
    ($($rust:ty => $ros:ident),* $(,)?) => {$(
        impl RosElement for $rust {
            fn element() -> Element {
                Element::Primitive(Primitive::$ros)
            }
        }
    )*};
}

primitive! {
    bool => Bool, String => String, Byte => Byte, Char => Char, f32 => Float32, f64 => Float64,
    u8 => Uint8, u16 => Uint16, u32 => Uint32, u64 => Uint64, i8 => Int8, i16 => Int16, i32 => Int32, i64 => Int64,
}

macro_rules! initial {
    ($($rust:ty),*) => {$(
        impl Initial for $rust {
            fn initial() -> Self {
                Self::default()
            }
        }
    )*};
}

initial!(bool, String, Bytes, f32, f64, u8, u16, u32, u64, i8, i16, i32, i64);

/// Declares message types.
///
/// ```text
/// ros_message! {
///     /// Position fix of a satellite receiver.
///     pub struct NavSatFix("sensor_msgs/msg/NavSatFix") {
///         /// Latitude [deg], north positive.
///         latitude: f64,
///     } consts {
///         COVARIANCE_TYPE_UNKNOWN: u8 = 0,
///     }
/// }
/// ```
/// A field may say a ROS type that Rust has not (`level: u8 as Byte`) and an initial value (`w: f64 = 1.0`).
macro_rules! ros_message {
    (@shape $rust:ty) => { <$rust as $crate::ros::message::RosField>::shape() };
    (@shape $rust:ty as $ros:ty) => { <$ros as $crate::ros::message::RosField>::shape() };
    (@initial) => { $crate::ros::message::Initial::initial() };
    (@initial $value:expr) => { $value };
    (@default) => { None };
    (@default $value:expr) => { Some(stringify!($value).to_owned()) };
    ($(
        $(#[$meta:meta])*
        pub struct $name:ident($type:expr) {
            $($(#[$field_meta:meta])* $field:ident: $rust:ty $(as $ros:ty)? $(= $value:expr)?),* $(,)?
        } $(consts {
            $($constant:ident: $constant_rust:ty $(as $constant_ros:ty)? = $constant_value:expr),* $(,)?
        })?
    )+) => {$(
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name {
            $($(#[$field_meta])* pub $field: $rust,)*
        }

        $(impl $name {
            $(
                #[doc = concat!("Constant of `", $type, "`.")]
                pub const $constant: $constant_rust = $constant_value;
            )*
        })?

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $crate::ros::message::ros_message!(@initial $($value)?),)* }
            }
        }

        impl $crate::ros::message::Initial for $name {
            fn initial() -> Self {
                Self::default()
            }
        }

        impl $crate::ros::cdr::Cdr for $name {
            const MIN_SIZE: usize = {
                let fields = 0 $(+ <$rust as $crate::ros::cdr::Cdr>::MIN_SIZE)*;
                // a message without fields still has the dummy byte
                if fields == 0 { 1 } else { fields }
            };

            fn encode(&self, out: &mut $crate::ros::cdr::Encoder) {
                $($crate::ros::cdr::Cdr::encode(&self.$field, out);)*
                const FIELDS: &[&str] = &[$(stringify!($field)),*];
                if FIELDS.is_empty() {
                    $crate::ros::cdr::Cdr::encode(&0u8, out);
                }
            }

            fn decode(
                input: &mut $crate::ros::cdr::Decoder<'_>,
            ) -> std::result::Result<Self, $crate::ros::cdr::CdrError> {
                let message = Self { $($field: $crate::ros::cdr::Cdr::decode(input)?,)* };
                const FIELDS: &[&str] = &[$(stringify!($field)),*];
                if FIELDS.is_empty() {
                    <u8 as $crate::ros::cdr::Cdr>::decode(input)?;
                }
                Ok(message)
            }
        }

        impl $crate::ros::message::RosElement for $name {
            fn element() -> $crate::ros::description::Element {
                $crate::ros::description::Element::Message(
                    <Self as $crate::ros::message::Message>::description(),
                )
            }
        }

        impl $crate::ros::message::Message for $name {
            const TYPE: &'static str = $type;

            fn description() -> $crate::ros::description::Description {
                $crate::ros::description::Description {
                    name: std::borrow::Cow::Borrowed($type),
                    constants: vec![$($($crate::ros::description::Constant {
                        name: stringify!($constant),
                        shape: $crate::ros::message::ros_message!(@shape $constant_rust $(as $constant_ros)?),
                        value: Self::$constant.to_string(),
                    }),*)?],
                    fields: vec![$($crate::ros::description::Field {
                        name: stringify!($field).trim_start_matches("r#"),
                        shape: $crate::ros::message::ros_message!(@shape $rust $(as $ros)?),
                        default: $crate::ros::message::ros_message!(@default $($value)?),
                    }),*],
                }
            }

            fn info() -> &'static $crate::ros::message::TypeInfo {
                static INFO: std::sync::LazyLock<$crate::ros::message::TypeInfo> =
                    std::sync::LazyLock::new($crate::ros::message::TypeInfo::of::<$name>);
                &INFO
            }
        }
    )+};
}

/// Declares service types: a name, and the fields of the request and the response as in `ros_message!`:
/// `pub struct Trigger("std_srvs/srv/Trigger") { request TriggerRequest {} response TriggerResponse { .. } }`.
macro_rules! ros_service {
    ($(
        $(#[$meta:meta])*
        pub struct $name:ident($type:expr) {
            request $request:ident { $($request_fields:tt)* } $(consts { $($request_consts:tt)* })?
            response $response:ident { $($response_fields:tt)* } $(consts { $($response_consts:tt)* })?
        }
    )+) => {$(
        $(#[$meta])*
        #[derive(Debug, Clone, Copy)]
        pub struct $name;

        $crate::ros::message::ros_message! {
            #[doc = concat!("What a client of `", $type, "` sends.")]
            pub struct $request(concat!($type, "_Request")) { $($request_fields)* }
            $(consts { $($request_consts)* })?

            #[doc = concat!("What a server of `", $type, "` answers.")]
            pub struct $response(concat!($type, "_Response")) { $($response_fields)* }
            $(consts { $($response_consts)* })?
        }

        impl $crate::ros::message::Service for $name {
            type Request = $request;
            type Response = $response;
            const TYPE: &'static str = $type;

            fn type_hash() -> &'static str {
                static HASH: std::sync::LazyLock<std::string::String> = std::sync::LazyLock::new(|| {
                    use $crate::ros::{message::Message, msg::service_msgs::ServiceEventInfo};
                    $crate::ros::message::service_hash::<$name>(ServiceEventInfo::description())
                });
                &HASH
            }
        }
    )+};
}

pub(crate) use {ros_message, ros_service};

#[cfg(test)]
#[path = "message_tests.rs"]
mod tests;

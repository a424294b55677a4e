//! Names of the libraries and functions of ROS 2 message packages, and texts about missing
//! packages.
//!
//! A package `pkg` has its type supports in `libpkg__rosidl_typesupport_c` and the functions of its
//! C structures in `libpkg__rosidl_generator_c`.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::fmt;

/// Returns the file name of the library `name`, such as `libname.so`.
pub(crate) fn library_file(name: &str) -> String {
    format!("{DLL_PREFIX}{name}{DLL_SUFFIX}")
}

/// Returns the name of the library with the type supports of a package.
pub(crate) fn support_library(package: &str) -> String {
    format!("{package}__rosidl_typesupport_c")
}

/// Returns the name of the library with the C structures of a package.
pub(crate) fn structure_library(package: &str) -> String {
    format!("{package}__rosidl_generator_c")
}

/// Returns the package of a type such as `sensor_msgs/msg/Imu`.
pub(crate) fn package_of(type_name: &str) -> &str {
    type_name.split('/').next().unwrap_or(type_name)
}

/// Returns the function with the type support of a message.
pub(crate) fn message_symbol(type_name: &str) -> String {
    let name = mangled(type_name);
    format!("rosidl_typesupport_c__get_message_type_support_handle__{name}")
}

/// Returns the function with the type support of a service.
pub(crate) fn service_symbol(type_name: &str) -> String {
    let name = mangled(type_name);
    format!("rosidl_typesupport_c__get_service_type_support_handle__{name}")
}

/// Returns the function that allocates a message.
pub(crate) fn create_symbol(type_name: &str) -> String {
    format!("{}__create", mangled(type_name))
}

/// Returns the function that frees a message.
pub(crate) fn destroy_symbol(type_name: &str) -> String {
    format!("{}__destroy", mangled(type_name))
}

/// Converts `package/msg/Type` to `package__msg__Type`.
fn mangled(type_name: &str) -> String {
    type_name.replace('/', "__")
}

/// Reason why the types of an endpoint cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unavailable {
    /// The package is not installed.
    Package {
        /// Name of the package.
        package: String,
    },
    /// The installed package lacks the type.
    Type {
        /// ROS name of the type.
        name: String,
    },
    /// The installed type has other fields.
    Definition {
        /// ROS name of the type.
        name: String,
    },
}

impl Unavailable {
    /// Returns the package or type, which a warning names once.
    pub(crate) fn subject(&self) -> &str {
        match self {
            Self::Package { package } => package,
            Self::Type { name } | Self::Definition { name } => name,
        }
    }

    /// Returns the warning about the first endpoint that needs the package or type. `distro` is the
    /// name of the ROS distribution; it may be empty.
    pub(crate) fn warning(&self, endpoint: &str, distro: &str) -> String {
        let package = debian_package(package_of(self.subject()), distro);
        let (scope, remedy) = match self {
            Self::Package { .. } => (
                "and others with its types are",
                "source a workspace that contains it, or install",
            ),
            Self::Type { .. } | Self::Definition { .. } => ("is", "install another version of"),
        };
        format!("{self}: {endpoint} {scope} off; {remedy} {package}")
    }
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Package { package } => write!(f, "found no ROS package {package}"),
            Self::Type { name } => write!(f, "the installed package lacks {name}"),
            Self::Definition { name } => {
                write!(
                    f,
                    "the installed {name} differs from the definition of Merrow"
                )
            }
        }
    }
}

/// Returns the name of the Debian package of a ROS package.
fn debian_package(package: &str, distro: &str) -> String {
    match distro {
        "" => package.to_owned(),
        distro => format!("ros-{distro}-{}", package.replace('_', "-")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_those_of_rosidl() {
        assert_eq!(
            message_symbol("sensor_msgs/msg/Imu"),
            "rosidl_typesupport_c__get_message_type_support_handle__sensor_msgs__msg__Imu"
        );
        assert_eq!(
            service_symbol("control_msgs/action/GripperCommand_SendGoal"),
            "rosidl_typesupport_c__get_service_type_support_handle__control_msgs__action__GripperCommand_SendGoal"
        );
        assert_eq!(
            create_symbol("std_srvs/srv/Trigger_Request"),
            "std_srvs__srv__Trigger_Request__create"
        );
        assert_eq!(
            destroy_symbol("std_srvs/srv/Trigger_Response"),
            "std_srvs__srv__Trigger_Response__destroy"
        );
        let library = support_library(package_of("sensor_msgs/msg/Imu"));
        assert_eq!(library, "sensor_msgs__rosidl_typesupport_c");
        assert!(library_file(&library).contains(&library));
    }

    #[test]
    fn warnings_name_the_package_to_install() {
        let missing = Unavailable::Package {
            package: "marine_acoustic_msgs".to_owned(),
        };
        assert_eq!(
            missing.warning("/rov/dvl/data", "jazzy"),
            "found no ROS package marine_acoustic_msgs: /rov/dvl/data and others with its types \
             are off; source a workspace that contains it, or install ros-jazzy-marine-acoustic-msgs"
        );
        let other = Unavailable::Definition {
            name: "vision_msgs/msg/Detection3D".to_owned(),
        };
        assert_eq!(
            other.warning("/rov/detections", ""),
            "the installed vision_msgs/msg/Detection3D differs from the definition of Merrow: \
             /rov/detections is off; install another version of vision_msgs"
        );
    }
}

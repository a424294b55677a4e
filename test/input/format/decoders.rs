//! Calls the decoders of every message type that can arrive from the network.
//!
//! It is a separate file so that the randomized test and the fuzz target use the same decoders. It
//! must not make assumptions about the origin of the bytes.

use merrow_messages::msg::{self as own, marine_acoustic_msgs};
use merrow_ros2::cdr::{from_bytes, to_bytes};
use merrow_ros2::message::Message;
use merrow_ros2::msg::{
    builtin_interfaces, diagnostic_msgs, geometry_msgs, nav_msgs, rcl_interfaces, rmw_dds_common,
    rosgraph_msgs, sensor_msgs, service_msgs, std_msgs, std_srvs, tf2_msgs,
};

/// Decodes `bytes` as `M` and returns true if they are accepted. An accepted message is encoded;
/// these bytes must be unchanged after another round trip.
///
/// # Panics
/// Panics if the bytes change or a decoder panics; the tests look for this.
fn decode<M: Message>(bytes: &[u8]) -> bool {
    let Ok(message) = from_bytes::<M>(bytes) else {
        return false;
    };
    let written = to_bytes(&message);
    let read = from_bytes::<M>(&written).unwrap_or_else(|error| panic!("{}: {error}", M::TYPE));
    assert_eq!(to_bytes(&read), written, "{}", M::TYPE);
    true
}

macro_rules! decode_each {
    ($bytes:expr; $($package:ident { $($name:ident),* $(,)? })*) => {
        [$($(decode::<$package::$name>($bytes)),*),*].into_iter().filter(|accepted| *accepted).count()
    };
}

/// Decodes `bytes` as every type in turn and returns the number of types that accept them.
pub(super) fn decode_all(bytes: &[u8]) -> usize {
    decode_each! { bytes;
        builtin_interfaces { Time, Duration }
        diagnostic_msgs { DiagnosticArray }
        geometry_msgs {
            PoseStamped, PoseWithCovarianceStamped, Twist, TwistStamped, TwistWithCovarianceStamped, Wrench,
            WrenchStamped, TransformStamped,
        }
        marine_acoustic_msgs { Dvl }
        own { StepSimulationRequest, SetPoseRequest, CoupleRequest, RecordRequest }
        nav_msgs { Odometry }
        rcl_interfaces {
            Log, ParameterEvent, GetParametersRequest, GetParameterTypesRequest, SetParametersRequest,
            SetParametersAtomicallyRequest, ListParametersRequest, DescribeParametersRequest,
            GetLoggerLevelsRequest, SetLoggerLevelsRequest,
        }
        rmw_dds_common { ParticipantEntitiesInfo, HumbleParticipantEntitiesInfo }
        rosgraph_msgs { Clock }
        sensor_msgs { Imu, NavSatFix, MagneticField, FluidPressure, Temperature, Range, JointState, BatteryState }
        service_msgs { ServiceEventInfo }
        std_msgs { Header, String, Bool, Float32, Float64, Float64MultiArray }
        std_srvs { EmptyRequest, TriggerRequest, SetBoolRequest }
        tf2_msgs { TFMessage }
    }
}

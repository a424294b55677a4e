//! Tests names, hashes and texts against ROS 2 Jazzy; `test/ros/messages.py` covers every type.

use crate::cdr::{CdrError, from_bytes, to_bytes};
use crate::message::*;
use crate::msg::{catalogue, geometry_msgs, rcl_interfaces, sensor_msgs, std_msgs, std_srvs};
use crate::samples::samples;

#[test]
fn type_names_match_ros_and_dds() {
    assert_eq!(sensor_msgs::Imu::TYPE, "sensor_msgs/msg/Imu");
    assert_eq!(
        sensor_msgs::Imu::info().dds_name,
        "sensor_msgs::msg::dds_::Imu_"
    );
    assert_eq!(
        std_srvs::TriggerRequest::info().dds_name,
        "std_srvs::srv::dds_::Trigger_Request_"
    );
}

#[test]
fn type_hashes_match_jazzy() {
    let expected = [
        (
            std_msgs::String::info().hash.as_str(),
            "df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18",
        ),
        (
            std_msgs::Header::info().hash.as_str(),
            "f49fb3ae2cf070f793645ff749683ac6b06203e41c891e17701b1cb597ce6a01",
        ),
        (
            rcl_interfaces::Log::info().hash.as_str(),
            "e28ce254ca8abc06abf92773b74602cdbf116ed34fbaf294fb9f81da9f318eac",
        ),
        (
            rcl_interfaces::ParameterDescriptor::info().hash.as_str(),
            "52175dbfda6c51153101d33d2a9da05743f66f02d5ab2ca9ec4709b46b73d704",
        ),
        (
            sensor_msgs::BatteryState::info().hash.as_str(),
            "4bee5dfce981c98faa6828b868307a0a73f992ed0789f374ee96c8f840e69741",
        ),
        (
            std_srvs::Trigger::info().hash,
            "eeff2cd6fa5ad9d27cdf4dec64818317839b62f212a91e6b5304b634b2062c5f",
        ),
        (
            std_srvs::Empty::info().hash,
            "5888399dedec5ccc85ea6451949fd2c9f97bfdf963f9a588821639fcd31b5d19",
        ),
    ];
    for (hash, digits) in expected {
        assert_eq!(hash, format!("RIHS01_{digits}"));
    }
}

#[test]
fn definition_lists_each_dependency_once_at_its_first_use() {
    let rule = "=".repeat(80);
    let expected = format!(
        "std_msgs/Header header
geometry_msgs/Pose pose
{rule}
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
{rule}
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
{rule}
MSG: geometry_msgs/Pose
geometry_msgs/Point position
geometry_msgs/Quaternion orientation
{rule}
MSG: geometry_msgs/Point
float64 x
float64 y
float64 z
{rule}
MSG: geometry_msgs/Quaternion
float64 x
float64 y
float64 z
float64 w 1.0
"
    );
    assert_eq!(geometry_msgs::PoseStamped::info().definition, expected);
    assert!(
        sensor_msgs::Range::info()
            .definition
            .starts_with("uint8 ULTRASOUND=0\nuint8 INFRARED=1\nstd_msgs/Header")
    );
}

#[test]
fn defaults_match_the_interface_files() {
    let pose = geometry_msgs::PoseWithCovariance::default();
    assert_eq!(pose.pose.orientation.w, 1.0);
    assert_eq!(pose.covariance, [0.0; 36]);
    assert_eq!(
        sensor_msgs::NavSatStatus::default().status,
        sensor_msgs::NavSatStatus::STATUS_UNKNOWN
    );
}

#[test]
fn a_message_without_fields_is_one_byte() {
    assert_eq!(
        to_bytes(&std_srvs::EmptyRequest::default()),
        [0, 1, 0, 0, 0]
    );
    assert_eq!(
        from_bytes(&[0, 1, 0, 0, 9]),
        Ok(std_srvs::EmptyRequest::default())
    );
    assert!(matches!(
        from_bytes::<std_srvs::EmptyRequest>(&[0, 1, 0, 0]),
        Err(CdrError::Truncated { .. })
    ));
}

#[test]
fn every_type_decodes_its_sample() {
    for sample in samples(catalogue()) {
        let cdr = sample
            .cdr
            .unwrap_or_else(|error| panic!("{}: {error}", sample.info.name));
        assert!(cdr.len() > 4, "{}", sample.info.name);
    }
}

#[test]
fn damaged_bytes_never_panic() {
    fn check<M: Message>(state: &mut u64) {
        let (name, sample) = (
            M::TYPE,
            samples(catalogue())
                .into_iter()
                .find(|sample| sample.info.name == M::TYPE),
        );
        let bytes = sample
            .and_then(|sample| sample.cdr.ok())
            .unwrap_or_else(|| panic!("{name}"));
        for _ in 0..2000 {
            let mut damaged = bytes.clone();
            for _ in 0..3 {
                *state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let place = 4 + (*state >> 33) as usize % (bytes.len() - 4);
                damaged[place] = (*state >> 25) as u8;
            }
            // both success and error are acceptable; the decoder must return
            if let Ok(message) = from_bytes::<M>(&damaged) {
                assert!(to_bytes(&message).len() <= damaged.len() + 8, "{name}");
            }
        }
    }
    let state = &mut 1;
    check::<rcl_interfaces::ParameterEvent>(state);
    check::<rcl_interfaces::ParameterDescriptor>(state);
    check::<sensor_msgs::JointState>(state);
    check::<std_msgs::Float64MultiArray>(state);
    check::<geometry_msgs::TransformStamped>(state);
}

#[test]
fn truncated_messages_are_refused() {
    let bytes = to_bytes(&sensor_msgs::JointState::default());
    for len in 0..bytes.len() {
        assert!(
            from_bytes::<sensor_msgs::JointState>(&bytes[..len]).is_err(),
            "{len} bytes"
        );
    }
}

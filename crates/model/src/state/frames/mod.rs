//! Output of exteroceptive sensors. It is separate from the readings because it is large and
//! computed asynchronously.

pub mod acoustic;
pub mod view;

use crate::each_frame;
use crate::persist::Persist;
use std::sync::Arc;

/// Output of one sample of an exteroceptive sensor.
#[derive(Clone, Debug, PartialEq, Persist)]
pub struct Frame {
    /// Index of the robot that carries the sensor.
    pub robot: usize,
    /// Index of the sensor among the sensors of the robot.
    pub sensor: usize,
    /// Time of the sample [ns]; for a scan, the time of its first column.
    pub stamp_ns: u64,
    /// Time of delivery [ns].
    pub due_ns: u64,
    /// Content of the sample.
    pub data: Arc<FrameData>,
}

/// One kind of frame, or [`FrameData`] for a sensor with frames of several kinds.
pub trait SensorFrame: 'static {
    /// Returns the content if the frame is of this kind.
    fn from_data(data: &FrameData) -> Option<&Self>;
}

macro_rules! declare_frames {
    ($($(#[doc = $doc:literal])* $kind:ident($data:ty),)*) => {
        /// Content of a frame, by type of sensor.
        #[derive(Clone, Debug, PartialEq, Persist)]
        pub enum FrameData {
            $($(#[doc = $doc])* $kind($data),)*
        }

        $(impl SensorFrame for $data {
            fn from_data(data: &FrameData) -> Option<&Self> {
                match data {
                    FrameData::$kind(content) => Some(content),
                    _ => None,
                }
            }
        })*
    };
}

each_frame!(declare_frames);

impl SensorFrame for FrameData {
    fn from_data(data: &FrameData) -> Option<&Self> {
        Some(data)
    }
}

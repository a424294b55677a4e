//! Topics of sensors: name, message type and the function that builds the messages, in one value.
//!
//! The parameters of each kind of sensor implement [`Publish`]. [`topics`] selects the
//! implementation with the registries of `merrow_model::sensor`, so that a kind without topics does
//! not compile. A [`Topic`] cannot be created without the function that builds its messages, and
//! its message type is the type of this function.

use crate::convert::header;
use crate::frames;
use merrow_math::Quat;
use merrow_model::scene::{Robot, Scene, Sensor, SensorKind};
use merrow_model::sensor::{ExteroceptiveSensor, ExteroceptiveSpec, SensorParameters, StepSensor};
use merrow_model::state::frames::FrameData;
use merrow_model::state::frames::SensorFrame;
use merrow_model::state::reading::Reading;
use merrow_model::state::reading::SensorReading;
use merrow_model::{each_exteroceptive_sensor, each_step_sensor};
use merrow_ros2::cdr::to_bytes;
use merrow_ros2::message::{Message, TypeInfo};
use merrow_ros2::msg::std_msgs::Header;
use std::borrow::Cow;

/// Topics and frames of a kind of sensor.
pub trait Publish {
    /// Returns the topics of a sensor with `rate` samples per second [Hz].
    fn topics(&self, rate: f64) -> Vec<Topic>;

    /// Returns the frame of the messages and its orientation in the sensor frame; `None` if the
    /// messages use the sensor frame.
    fn message_frame(&self) -> Option<(FrameName, Quat)> {
        None
    }
}

/// Function that returns the name of a frame of a sensor of a robot.
pub type FrameName = fn(&Robot, usize) -> String;

/// Reading or frame of a sample, by the way in which its sensor is evaluated.
#[derive(Clone, Copy, Debug)]
pub enum SampleData<'a> {
    /// Reading of a sensor that is evaluated in the step.
    Reading(&'a Reading),
    /// Frame of an exteroceptive sensor.
    Frame(&'a FrameData),
}

/// One sample of any sensor.
#[derive(Clone, Copy, Debug)]
pub struct AnySample<'a> {
    /// Scene of the world.
    pub scene: &'a Scene,
    /// Index of the robot.
    pub robot: usize,
    /// Index of the sensor on its robot.
    pub sensor: usize,
    /// Time of measurement [ns].
    pub stamp_ns: u64,
    /// Reading or frame of this sample.
    pub data: SampleData<'a>,
}

impl<'a> AnySample<'a> {
    /// Returns the sample with its data; `None` if the sensor has other parameters than `S`.
    fn with<S: SensorParameters, D>(&self, data: &'a D) -> Option<Sample<'a, S, D>> {
        Some(Sample {
            spec: S::from_kind(&self.scene.robots[self.robot].sensors[self.sensor].kind)?,
            data,
            scene: self.scene,
            robot: self.robot,
            index: self.sensor,
            stamp_ns: self.stamp_ns,
        })
    }
}

/// One sample of a sensor with the parameters `S` and data of the type `D`.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a, S, D> {
    /// Parameters of the sensor.
    pub spec: &'a S,
    /// Reading or frame of this sample.
    pub data: &'a D,
    /// Scene of the world.
    pub scene: &'a Scene,
    /// Index of the robot.
    pub robot: usize,
    /// Index of the sensor on its robot.
    pub index: usize,
    /// Time of measurement [ns].
    pub stamp_ns: u64,
}

impl<S, D> Sample<'_, S, D> {
    /// Returns the robot that carries the sensor.
    pub fn model(&self) -> &Robot {
        &self.scene.robots[self.robot]
    }

    /// Returns the sensor that took the sample.
    pub fn sensor(&self) -> &Sensor {
        &self.model().sensors[self.index]
    }

    /// Returns the name of the sensor frame.
    pub fn frame(&self) -> String {
        frames::sensor_frame(self.model(), self.index)
    }

    /// Returns the header of a message in the sensor frame.
    pub fn header(&self) -> Header {
        header(self.stamp_ns, &self.frame())
    }

    /// Returns the header of a message in the frame `name` of the sensor.
    pub(crate) fn header_in(&self, name: FrameName) -> Header {
        header(self.stamp_ns, &name(self.model(), self.index))
    }
}

/// Function that passes the encoded messages of a sample to its second argument.
type Encode = Box<dyn FnMut(&AnySample<'_>, &mut dyn FnMut(Vec<u8>)) + Send>;

/// Topic of a sensor. The function that builds its messages keeps its accumulator state over
/// several samples.
pub struct Topic {
    /// Name after the name of the sensor.
    pub suffix: Cow<'static, str>,
    /// Type of the messages.
    pub info: &'static TypeInfo,
    /// Rate of the messages [Hz]; `None`: the sample rate.
    pub rate: Option<f64>,
    /// Sensor outputs that the topic requires, as bits defined by the sensor.
    pub required_outputs: u8,
    encode: Encode,
}

impl Topic {
    /// Creates a topic of a sensor that is evaluated in the step. `build` builds the messages of a
    /// reading.
    pub fn of_reading<
        S: StepSensor<Reading: SensorReading> + SensorParameters,
        I: IntoIterator<Item: Message>,
    >(
        suffix: impl Into<Cow<'static, str>>,
        mut build: impl FnMut(&Sample<'_, S, S::Reading>) -> I + Send + 'static,
    ) -> Self {
        Self::new::<I>(suffix.into(), move |any| match any.data {
            SampleData::Reading(data) => Some(build(&any.with(S::Reading::from_reading(data)?)?)),
            SampleData::Frame(_) => None,
        })
    }

    /// Creates a topic of an exteroceptive sensor. `build` builds the messages of a frame of the
    /// kind `F`; frames of other kinds have no message.
    pub(crate) fn of_frame<
        S: ExteroceptiveSensor + SensorParameters,
        F: SensorFrame,
        I: IntoIterator<Item: Message>,
    >(
        suffix: impl Into<Cow<'static, str>>,
        mut build: impl FnMut(&Sample<'_, S, F>) -> I + Send + 'static,
    ) -> Self {
        Self::new::<I>(suffix.into(), move |any| match any.data {
            SampleData::Frame(data) => Some(build(&any.with(F::from_data(data)?)?)),
            SampleData::Reading(_) => None,
        })
    }

    fn new<I: IntoIterator<Item: Message>>(
        suffix: Cow<'static, str>,
        mut build: impl FnMut(&AnySample<'_>) -> Option<I> + Send + 'static,
    ) -> Self {
        Self {
            suffix,
            info: I::Item::info(),
            rate: None,
            required_outputs: u8::MAX,
            encode: Box::new(move |sample, send| {
                for message in build(sample).into_iter().flatten() {
                    send(to_bytes(&message));
                }
            }),
        }
    }

    /// Sets the rate of the messages [Hz].
    pub(crate) fn with_rate(self, rate: f64) -> Self {
        Self {
            rate: Some(rate),
            ..self
        }
    }

    /// Returns the same topic with the sensor outputs that it requires, as bits defined by the
    /// sensor.
    pub(crate) fn requiring(self, required_outputs: u8) -> Self {
        Self {
            required_outputs,
            ..self
        }
    }

    /// Passes the encoded messages of a sample to `send`.
    pub fn encode(&mut self, sample: &AnySample<'_>, send: &mut dyn FnMut(Vec<u8>)) {
        (self.encode)(sample, send);
    }
}

/// Implements [`Publish`] of kinds of sensors that are evaluated in the step: the suffix of each
/// topic, and the message of the sample `s`. A `?` on `None` leaves the message out.
macro_rules! publish {
    ($($spec:ty { $($suffix:literal => |$s:ident| $message:expr;)* })*) => {$(
        impl $crate::convert::topic::Publish for $spec {
            fn topics(&self, _: f64) -> Vec<$crate::convert::topic::Topic> {
                vec![$($crate::convert::topic::Topic::of_reading::<Self, _>(
                    $suffix,
                    |$s| Some($message),
                )),*]
            }
        }
    )*};
}

pub(crate) use publish;

macro_rules! select_step_sensor {
    ($(
        $(#[doc = $doc:literal])*
        $kind:ident($spec:ty) -> $reading:ty { $($properties:tt)* },
    )*) => {
        /// Returns the implementation of [`Publish`] of a sensor.
        fn publisher(kind: &SensorKind) -> &dyn Publish {
            match kind {
                $(SensorKind::$kind(spec) => spec,)*
                SensorKind::Exteroceptive(spec) => exteroceptive_publisher(spec),
            }
        }
    };
}

macro_rules! select_exteroceptive_sensor {
    ($($(#[doc = $doc:literal])* $kind:ident($spec:ty),)*) => {
        fn exteroceptive_publisher(spec: &ExteroceptiveSpec) -> &dyn Publish {
            match spec {
                $(ExteroceptiveSpec::$kind(spec) => spec,)*
            }
        }
    };
}

each_step_sensor!(select_step_sensor);
each_exteroceptive_sensor!(select_exteroceptive_sensor);

/// Returns all topics on which a sensor publishes, with their encoders. Each call creates encoders
/// without accumulated state.
pub fn topics(sensor: &Sensor) -> Vec<Topic> {
    publisher(&sensor.kind).topics(sensor.rate)
}

/// Returns the frame of the messages of a sensor and its orientation in the sensor frame; `None` if
/// the messages use the sensor frame.
pub(crate) fn message_frame(kind: &SensorKind) -> Option<(FrameName, Quat)> {
    publisher(kind).message_frame()
}

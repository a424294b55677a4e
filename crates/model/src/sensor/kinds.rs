//! Sensor parameters: pose, sample rate, latency and error model, and the type-specific parameters.

use crate::sensor::tilt::Tilt;
use crate::sensor::traits::{ExteroceptiveSensor, StepProperties, StepSensor, Workload};
use crate::sensor::water::PingRates;
use crate::{each_exteroceptive_sensor, each_step_sensor};
use merrow_math::{Mat3, Vec3};
use merrow_yaml::spec::spec;
use std::ops::Deref;
use std::sync::Arc;

/// Sensor mounted on a link.
#[derive(Clone, Debug)]
pub struct Sensor {
    /// Name; used in the topic and the frame id.
    pub name: String,
    /// Index of the link that carries it.
    pub link: usize,
    /// Position in the link frame L [m].
    pub p_LoS: Vec3,
    /// Rotation of the sensor frame S in L.
    pub R_LS: Mat3,
    /// Position in the user's link frame U, for `tf_static` [m].
    pub p_UoS_U: Vec3,
    /// Rotation of S in the user's link frame U.
    pub R_US: Mat3,
    /// Nominal sample rate [Hz].
    pub rate: f64,
    /// Latency from measurement to delivery [ns].
    pub latency_ns: u64,
    /// Time of the first sample [ns].
    pub start_ns: u64,
    /// Fraction of the samples that are lost, 0..1.
    pub loss_probability: f64,
    /// Maximum number of readings in flight.
    pub queue: usize,
    /// Electrical power consumption [W].
    pub power_w: f64,
    /// Random number stream of the sensor.
    pub stream: merrow_math::rng::Stream,
    /// True if outputs are computed only while in use; for exteroceptive sensors.
    pub lazy: bool,
    /// QoS of its publishers.
    pub qos: PublisherQos,
    /// Type of sensor and its parameters.
    pub kind: SensorKind,
}

spec! {
    /// ROS 2 quality of service of the topics of a sensor.
    pub struct PublisherQos {
        /// Whether lost messages are sent again. A subscriber that requests `reliable` does not
        /// receive `best_effort` messages.
        reliability: Reliability = Reliability::Reliable,
        /// Number of messages kept for slow subscribers.
        depth: u32 [in 1.0..=1000.0] = 10,
    }

    /// Reliability of the message delivery.
    pub enum Reliability words {
        /// Lost messages are sent again while they are kept.
        Reliable = "reliable",
        /// Each message is sent once.
        BestEffort = "best_effort",
    }
}

/// Parameters of one kind of sensor.
pub trait SensorParameters: 'static {
    /// Returns the parameters if `kind` is of this type.
    fn from_kind(kind: &SensorKind) -> Option<&Self>;
}

macro_rules! declare_kinds {
    ($(
        $(#[doc = $doc:literal])*
        $kind:ident($spec:ty) -> $reading:ty {
            name: $name:literal $(, $property:ident: $value:expr)*
        },
    )*) => {
        /// Type of sensor and its parameters.
        #[derive(Clone, Debug)]
        // there are few sensors, and their parameters are close to each other in memory
        #[allow(clippy::large_enum_variant)]
        pub enum SensorKind {
            $($(#[doc = $doc])* $kind($spec),)*
            /// Exteroceptive sensor: sampled between steps and computed asynchronously.
            Exteroceptive(Arc<ExteroceptiveSpec>),
        }

        impl SensorKind {
            /// Returns the properties of a sensor that is evaluated in the step; `None` for an
            /// exteroceptive sensor.
            pub fn properties(&self) -> Option<&'static StepProperties> {
                Some(match self {
                    $(Self::$kind(_) => {
                        const OWN: StepProperties = StepProperties {
                            $($property: $value,)*
                            ..StepProperties::new($name)
                        };
                        &OWN
                    })*
                    Self::Exteroceptive(_) => return None,
                })
            }
        }

        $(impl StepSensor for $spec {
            type Reading = $reading;
        })*

        $(impl From<$spec> for SensorKind {
            fn from(spec: $spec) -> Self {
                Self::$kind(spec)
            }
        })*

        $(impl SensorParameters for $spec {
            fn from_kind(kind: &SensorKind) -> Option<&Self> {
                match kind {
                    SensorKind::$kind(spec) => Some(spec),
                    _ => None,
                }
            }
        })*
    };
}

each_step_sensor!(declare_kinds);

macro_rules! declare_exteroceptive_kinds {
    ($($(#[doc = $doc:literal])* $kind:ident($spec:ty),)*) => {
        /// Exteroceptive sensor with its parameters, which it dereferences to.
        // each value has an allocation of its own
        #[allow(clippy::large_enum_variant)]
        #[derive(Clone, Debug, PartialEq)]
        pub enum ExteroceptiveSpec {
            $($(#[doc = $doc])* $kind($spec),)*
        }

        impl Deref for ExteroceptiveSpec {
            type Target = dyn ExteroceptiveSensor;

            fn deref(&self) -> &Self::Target {
                match self {
                    $(Self::$kind(spec) => spec,)*
                }
            }
        }

        $(impl From<$spec> for SensorKind {
            fn from(spec: $spec) -> Self {
                Self::Exteroceptive(Arc::new(ExteroceptiveSpec::$kind(spec)))
            }
        })*

        $(impl SensorParameters for $spec {
            fn from_kind(kind: &SensorKind) -> Option<&Self> {
                match &**kind.exteroceptive()? {
                    ExteroceptiveSpec::$kind(spec) => Some(spec),
                    _ => None,
                }
            }
        })*
    };
}

each_exteroceptive_sensor!(declare_exteroceptive_kinds);

impl Sensor {
    /// Returns the time of sample `k` [ns]. It is computed from the count, so a rate that does not
    /// divide a second does not drift.
    #[inline]
    pub fn sample_ns(&self, k: u64) -> u64 {
        // the simulated time may exceed the range of u64 nanoseconds
        self.start_ns
            .saturating_add((k as f64 * 1e9 / self.rate) as u64)
    }

    /// Returns the last sample at or before `time_ns`; 0 before the first sample.
    #[inline]
    pub fn sample_index(&self, time_ns: u64) -> u64 {
        let k = (time_ns.saturating_sub(self.start_ns) as f64 * 1e-9 * self.rate) as u64;
        // corrects a rounding error of one sample
        if self.sample_ns(k + 1) <= time_ns {
            k + 1
        } else {
            k
        }
    }

    /// Returns the stamps [ns] of the samples before and after the sample stamped `stamp_ns`; the
    /// former is `None` for the first sample. An exteroceptive sensor samples at the first step of
    /// `dt_ns` that is not before the nominal time.
    pub fn adjacent_stamps(&self, stamp_ns: u64, dt_ns: u64) -> (Option<u64>, u64) {
        let k = self.sample_index(stamp_ns);
        let stamp = |k: u64| self.sample_ns(k).div_ceil(dt_ns).saturating_mul(dt_ns);
        (k.checked_sub(1).map(stamp), stamp(k + 1))
    }

    /// Returns the minimum sample rate [Hz]; lower than `rate` only for a sensor whose rate depends
    /// on its measurements.
    pub fn min_rate(&self) -> f64 {
        match self.ping_rates() {
            Some(ping_rates) => ping_rates.min_rate().min(self.rate),
            None => self.rate,
        }
    }

    /// Returns the rate table of a sensor whose rate depends on its measurements.
    pub fn ping_rates(&self) -> Option<&PingRates> {
        match &self.kind {
            SensorKind::Dvl(spec) => spec.ping_rates.as_ref(),
            _ => None,
        }
    }
}

impl SensorKind {
    /// Returns the type name as in world files and in `describe`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Exteroceptive(spec) => spec.properties().name,
            _ => self.properties().map_or("", |own| own.name),
        }
    }

    /// Returns the maximum number of rays of a sample in the step, for the cost estimate. With rays,
    /// the scene prepares the static geometry.
    pub fn rays(&self) -> usize {
        match self {
            Self::Altimeter(_) => 1,
            Self::Dvl(spec) => spec.beams.len(),
            // one ray per satellite that can be visible
            Self::Gnss(spec) => spec.constellation.as_ref().map_or(0, |_| 32),
            _ => 0,
        }
    }

    /// Returns the tilt unit that carries the sensor, if any.
    pub fn tilt(&self) -> Option<&Tilt> {
        self.exteroceptive()?.properties().tilt
    }

    /// Returns the parameters of an exteroceptive sensor, if it is one.
    pub fn exteroceptive(&self) -> Option<&Arc<ExteroceptiveSpec>> {
        if let SensorKind::Exteroceptive(spec) = self {
            Some(spec)
        } else {
            None
        }
    }
}

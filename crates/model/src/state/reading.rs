//! Reading of any sensor, with the time of measurement.

use crate::each_reading;
use crate::persist::Persist;
use merrow_math::Vec3;

/// Reading with the time of its measurement.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Stamped {
    /// Time of measurement [ns].
    pub stamp_ns: u64,
    /// Values measured by the sensor.
    pub reading: Reading,
}

/// One kind of reading.
pub trait SensorReading: Into<Reading> + Copy + 'static {
    /// Returns the reading if it is of this kind.
    fn from_reading(reading: &Reading) -> Option<&Self>;
}

macro_rules! declare_readings {
    ($($(#[doc = $doc:literal])* $kind:ident($reading:ty),)*) => {
        /// Reading of any sensor. Vectors are in the sensor frame S unless stated otherwise.
        #[derive(Clone, Copy, Debug, PartialEq, Persist)]
        // readings are stored in preallocated queues; boxing would allocate in every step
        #[allow(clippy::large_enum_variant)]
        pub enum Reading {
            $($(#[doc = $doc])* $kind($reading),)*
        }

        $(
            impl From<$reading> for Reading {
                fn from(reading: $reading) -> Self {
                    Self::$kind(reading)
                }
            }

            impl SensorReading for $reading {
                #[inline]
                fn from_reading(reading: &Reading) -> Option<&Self> {
                    match reading {
                        Reading::$kind(reading) => Some(reading),
                        _ => None,
                    }
                }
            }
        )*
    };
}

each_reading!(declare_readings);

/// Returns the magnetic flux density in S [T] that a magnetometer measures; `None` for another
/// sensor.
pub fn magnetic_flux_density(reading: &Reading) -> Option<Vec3> {
    crate::sensor::inertial::Magnetometer::from_reading(reading).map(|r| r.field)
}

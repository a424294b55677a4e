//! Sensors: memory, navigation filters, bottles and readings in flight.

use crate::persist;
use crate::state::bottle::{Bottle, Filling, SamplerState};
use crate::state::navigation::{AhrsMemory, InsMemory, NavigationFilter};
use crate::state::{SensorLag, SensorState};

persist! { struct SensorState {
    samples, due_ns, drift, noise, fault, channel_faults, lag, sampler, filter, last, in_flight,
} }
persist! { struct SensorLag { time, input, output } }
persist! { struct SamplerState { bottles, current, until_ns } }
persist! { struct Bottle { number, filling, volume, time_ns, p_W, means } }
persist! { enum Filling { 0 = Empty, 1 = Pumping, 2 = Full, 3 = Stopped } }

persist! { enum NavigationFilter { 0 = Ahrs(memory), 1 = Ins(memory) } }
persist! { struct AhrsMemory { q, bias, raw, field_drift, covariance, time_ns, started } }
persist! { struct InsMemory {
    p, v, q, gyro_bias, accelerometer_bias, fixed, fix_error, covariance, last, raw, a, inbox,
    rejected, time_ns, started,
} }

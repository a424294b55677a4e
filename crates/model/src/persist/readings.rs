//! Sensors: memory, navigation filters, bottles and readings in flight.

use crate::persist;
use crate::scene::sensor::navigation::Augmentation;
use crate::state::bottle::{Bottle, Filling, SamplerState};
use crate::state::navigation::{AhrsMemory, InsMemory, NavigationFilter};
use crate::state::reading::{
    Altimeter, Ctd, Dvl, DvlBeam, DvlLock, Gnss, Heading, Imu, Leak, Magnetometer, Motor,
    Navigation, Odometry, Power, Pressure, Probe, Reading, Stamped, Wind, Wrench,
};
use crate::state::{SensorLag, SensorState};

persist! { struct SensorState {
    samples, due_ns, drift, noise, fault, channel_faults, lag, sampler, filter, last, in_flight,
} }
persist! { struct SensorLag { at, met, shown } }
persist! { struct SamplerState { bottles, current, until_ns } }
persist! { struct Bottle { number, filling, volume, time_ns, p_W, means } }
persist! { enum Filling { 0 = Empty, 1 = Pumping, 2 = Full, 3 = Stopped } }

persist! { enum NavigationFilter { 0 = Ahrs(memory), 1 = Ins(memory) } }
persist! { struct AhrsMemory { q, bias, raw, field_drift, time_ns, started } }
persist! { struct InsMemory {
    p, v, q, gyro_bias, accelerometer_bias, fixed, fix_error, covariance, last, raw, a, inbox,
    rejected, time_ns, started,
} }

persist! { struct Stamped { stamp_ns, reading } }
persist! { enum Reading {
    0 = Imu(r), 1 = Gnss(r), 2 = Heading(r), 3 = Navigation(r), 4 = Dvl(r), 5 = Pressure(r),
    6 = Magnetometer(r), 7 = Altimeter(r), 8 = Odometry(r), 9 = Wrench(r), 10 = Probe(r),
    11 = Ctd(r), 12 = Bottle(r), 13 = Wind(r), 14 = Leak(r), 15 = Motor(r), 16 = Power(r),
} }
persist! { struct Imu { angular_velocity, linear_acceleration, orientation, variances } }
persist! { struct Gnss {
    fix, position, velocity, variances, velocity_variances, augmentation, satellites, dilution,
} }
persist! { enum Augmentation { 0 = None, 1 = Satellites, 2 = Ground } }
persist! { struct Heading { yaw, variance } }
persist! { struct Navigation {
    p_WS, q_WS, v_WS_S, w_WS_S, position, position_covariance, cross_covariance,
    attitude_covariance, velocity_covariance, rate_variance,
} }
persist! { enum DvlLock { 0 = Bottom, 1 = Water, 2 = None } }
persist! { struct DvlBeam { direction, bottom, range, velocity } }
persist! { struct Dvl {
    lock, velocity, covariance, altitude, beams, beam_variances, sound_speed,
} }
persist! { struct Pressure { pressure, variance } }
persist! { struct Magnetometer { field, variance } }
persist! { struct Altimeter { range, limits, beam_width, variance } }
persist! { struct Odometry { p_WS, q_WS, v_WS_S, w_WS_S } }
persist! { struct Wrench { force, torque, variances } }
persist! { struct Probe { value, variance } }
persist! { struct Ctd {
    temperature, conductivity, pressure, salinity, depth, sound_speed, variances,
} }
persist! { struct Wind { speed, from, velocity, variances } }
persist! { struct Leak { signal } }
persist! { struct Motor { speed, current, voltage, temperature, torque, power } }
persist! { struct Power { voltage, current, charge, capacity } }

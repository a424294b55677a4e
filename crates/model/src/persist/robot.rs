//! Robots: motion, actuators, joints, firmware, battery and faults.

use crate::persist;
use crate::scene::JointMode;
use crate::scene::fault::{Device, Fault, FaultKind, Jammer, Leak, Spoof};
use crate::state::firmware::{
    DifferentialDriveState, FirmwareInput, FirmwareLawState, FirmwareState, FlightMode,
    GliderState, GuidanceTask, HeadingDepthState, MultirotorState, SailingState, SurgeYawRateState,
};
use crate::state::joint::{
    AbortReason, ActiveGripper, ActiveTrajectory, Goal, GoalState, Measured, Reference, Task,
    Tolerance, Trajectory, TrajectoryPoint,
};
use crate::state::{
    ActuatorState, AppliedWrench, BatteryState, BuoyancyEngineState, FaultEffect, FaultState,
    FinState, GroupState, Halt, Health, ImpulseAcceleration, JointDriveState, Motion, RobotState,
    WrenchFrame, WrenchSource,
};

persist! { struct RobotState {
    motion, actuators, fins, buoyancy_engines, winches, fin_delays, joint_commands, joints, groups,
    joints_ns, last_command_ns, radiation_state, firmware, computers, sensors, battery, loads,
    modem_power, faults, external_force, applied_wrenches, contact_force, coupling_force, impulse_acceleration, halted,
} }
persist! { struct AppliedWrench { link, source, frame, F, p_LoP, start_ns, end_ns } }
persist! { enum WrenchFrame { 0 = World, 1 = Link } }
persist! { enum WrenchSource { 0 = Topic, 1 = Service } }
persist! { struct Motion { q_WB, p_WB, V_WB_B, q, qd } }
persist! { struct ImpulseAcceleration { is_nonzero, has_current_forces, is_recomputed, A_WB_B, qdd } }
persist! { struct Halt { time_ns, cause } }

persist! { struct ActuatorState {
    command, target, lag, health, held_drive, thrust, shaft_power, shaft, power, heat, is_overheated,
    available_fraction, fault,
} }
persist! { struct FinState { command, angle, rate, moment, power, delay_at, health, fault } }
persist! { struct BuoyancyEngineState { command, volume, power, fault } }
persist! { enum Health { 0 = Healthy, 1 = Reduced(part), 2 = Stuck, 3 = Dead } }
persist! { struct FaultEffect { dead, stuck, fraction, offset, noise } }

persist! { struct JointDriveState {
    mode, reference, effort_limit, effort, integral, last_error, ticks, measured, rotor,
    motor_effort, heat, original_command, fault,
} }
persist! { enum JointMode { 0 = Effort, 1 = Velocity, 2 = Position } }
persist! { struct Reference { position, velocity, acceleration, effort } }
persist! { struct Measured { position, velocity, effort, current, temperature } }
persist! { struct GroupState { goal, previous_goal, task } }
persist! { struct Goal { id, state, accepted_ns, since_ns, stalled } }
persist! { enum GoalState {
    0 = Active, 1 = Succeeded, 2 = Aborted(abort), 3 = Preempted, 4 = Cancelled,
} }
persist! { enum AbortReason {
    0 = Path { joint, velocity, error, tolerance },
    1 = Goal { joint, velocity, error, tolerance },
    2 = Stalled { joint, position, effort },
    3 = KeepOut { link },
} }
persist! { enum Task { 0 = Trajectory(active), 1 = Gripper(active) } }
persist! { struct ActiveTrajectory { trajectory, from, accepted_ns, start_ns, segment } }
persist! { struct ActiveGripper { moved_ns } }
persist! { struct Trajectory {
    joints, points, start_ns, path_tolerance, goal_tolerance, goal_time_tolerance,
} }
persist! { struct TrajectoryPoint {
    positions, velocities, accelerations, effort, time_from_start_ns,
} }
persist! { struct Tolerance { position, velocity, acceleration } }

persist! { struct FirmwareInput { motion, has_attitude, has_velocity, has_depth } }
persist! { struct FirmwareState { ticks, started, command, command_ns, task, estimate, memory } }
persist! { enum GuidanceTask { 0 = None, 1 = Goal { goal, has_arrived }, 2 = Path(path) } }
persist! { enum FirmwareLawState {
    0 = Multirotor(flight), 1 = HeadingDepthHold(heading_depth), 2 = Drive(drive),
    3 = SurgeYawRate(surge_yaw_rate), 4 = MotionControl(control), 5 = Sailing(sailing),
    6 = Glider(glider),
} }
persist! { struct SailingState { on, path, is_course, goal, tack, has_tack, heading } }
persist! { struct GliderState { on, is_diving, depth, heading, path } }
persist! { struct MultirotorState { mode, p, v, yaw, top, blocked_time, initialised } }
persist! { enum FlightMode { 0 = Off, 1 = TakingOff, 2 = Flying, 3 = Landing } }
persist! { struct HeadingDepthState { on, heading, depth, path, speed_integral } }
persist! { struct DifferentialDriveState { on, set_point, angles, odometry, measured } }
persist! { struct SurgeYawRateState { on, set_point, error_integral } }

persist! { struct BatteryState {
    charge, voltage, current, open_ns, load, solar, charger, delivered, lost, gained, offer, taken,
    limit, failed, charger_debt,
} }

persist! { struct FaultState { fault, failing, turns_ns, turns, water } }
persist! { struct Fault { name, robot, device, kind, start_ns, end_ns, stream } }
persist! { enum Device {
    0 = Thruster(k), 1 = Fin(k), 2 = Joint(k), 3 = BuoyancyEngine(k), 4 = Winch(k), 5 = Sensor(k),
    6 = SensorChannel(k, part), 7 = GnssReceiver(k), 8 = UnbiasableSensor(k), 9 = Battery, 10 = Hull(k), 11 = Beacon(k),
    12 = Modem(k), 13 = Computer(k),
} }
persist! { enum FaultKind {
    0 = Dead, 1 = Stuck, 2 = Reduced(part), 3 = Biased(offset), 4 = Noisy(std),
    5 = Intermittent(means), 6 = PowerLimited(power), 7 = Leak(leak), 8 = Jammed(jammer),
    9 = Spoofed(spoof), 10 = Slow(factor),
} }
persist! { struct Jammer { p_W, reach } }
persist! { struct Spoof { offset, velocity } }
persist! { struct Leak { area, p_LoH, volume, p_LoC } }

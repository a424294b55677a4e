//! State hash: hashes the state in a fixed order, for the proof that two runs are equal.
//!
//! [`State`] is complete: a run can be continued from a clone of it.

use crate::scene::sea::air::Air;
use crate::scene::{Flow, FlowLaw};
use crate::state::bottle::Bottle;
use crate::state::firmware::{FirmwareLawState, FirmwareState};
use crate::state::joint::{ActiveTrajectory, Goal, GoalState, Reference, Task};
use crate::state::navigation::NavigationFilter;
use crate::state::reading::Reading;
use crate::state::{
    BatteryState, ChargerState, CouplingState, FaultEffect, FaultState, Health, RobotState, State,
    TetherState, WinchCommand,
};
use merrow_math::{Quat, SpatialVelocity, Vec3};
use sha2::{Digest, Sha256};

impl State {
    /// Computes the hash of the state, 16 hexadecimal digits.
    ///
    /// Two runs with the same hash ended in the same state to the last bit. Thread count, build
    /// target and pacing must not change the hash.
    pub fn hash(&self) -> String {
        let mut sink = Bits(Sha256::new());
        sink.int(self.time_ns);
        sink.int(self.step);
        self.sea_bits(&mut sink);
        for robot in &self.robots {
            robot.bits(&mut sink);
        }
        self.contact_bits(&mut sink);
        for coupling in &self.couplings {
            coupling.bits(&mut sink);
        }
        for tether in &self.tethers {
            tether.bits(&mut sink);
        }
        for charger in &self.chargers {
            charger.bits(&mut sink);
        }
        for memory in &self.faults {
            sink.fault(memory);
        }
        sink.0
            .finalize()
            .iter()
            .take(8)
            .map(|b| format!("{b:02x}"))
            .collect()
    }

    fn contact_bits(&self, sink: &mut Bits) {
        sink.int(self.contacts.collisions);
        sink.int(self.contacts.unsolved);
        for (_, impulse) in &self.contacts.impulses {
            sink.reals(&impulse.along_rows);
            sink.vector(impulse.force_W);
        }
        for c in &self.contacts.touching {
            sink.vector(c.p_W);
            sink.vector(c.n_W);
            sink.real(c.gap);
        }
        for (a, b) in &self.contacts.pairs {
            sink.int(u64::from(*a));
            sink.int(*b);
        }
    }

    fn sea_bits(&self, sink: &mut Bits) {
        let sea = &self.sea;
        sink.reals(&[
            sea.density,
            sea.sound_speed,
            sea.temperature,
            sea.air_pressure,
        ]);
        for layer in sea.column.iter().flat_map(|column| &column.layers) {
            sink.reals(&[
                layer.depth,
                layer.temperature,
                layer.salinity,
                layer.sound_speed,
                layer.load,
            ]);
        }
        for grid in sea
            .column
            .iter()
            .flat_map(|c| [&c.temperature, &c.salinity])
            .flatten()
        {
            sink.int(grid.digest);
        }
        for region in &sea.regions {
            sink.reals(&[region.density, region.sound_speed, region.temperature]);
            // hashed only if set, so that the hash of other worlds does not change
            if region.has_own_surface() || !region.has_world_current {
                sink.reals(&[
                    region.level.unwrap_or(0.0),
                    region.waves,
                    f64::from(u8::from(region.has_world_current)),
                ]);
            }
        }
        for (depth, v) in &sea.current.profile {
            sink.real(*depth);
            sink.vector(*v);
        }
        if let Some(gm) = sea.current.gauss_markov {
            sink.vector(gm.std);
            sink.real(gm.tau);
        }
        for c in sea.waves.tide.iter().map(|tide| &tide.components) {
            for values in [&c.a, &c.omega, &c.phase] {
                sink.reals(values);
            }
        }
        for (start, field) in &sea.waves.seas {
            sink.int(*start);
            sink.real(field.asked.ramp);
            let c = &field.components;
            for values in [&c.a, &c.omega, &c.phase, &c.kx, &c.ky] {
                sink.reals(values);
            }
        }
        // hashed only if it differs from the default weather, so that the hash of worlds without
        // weather does not change
        let air = &sea.air;
        let fair = Air::default();
        if (air.from, air.to, air.start_utc) != (fair.from, fair.to, air.default_start_utc) {
            for w in [&air.from, &air.to] {
                sink.vector(w.wind);
                sink.reals(&[
                    w.gustiness,
                    w.temperature,
                    w.cloud_cover,
                    w.rain,
                    w.visibility,
                ]);
            }
            sink.reals(&[air.start_utc, air.change[0], air.change[1]]);
        }
        for flow in &sea.current.flows {
            sink.flow(flow);
        }
    }
}

impl CouplingState {
    fn bits(&self, sink: &mut Bits) {
        sink.int(
            u64::from(self.engaged) | u64::from(self.guided) << 1 | (self.capture as u64) << 2,
        );
        let (robot, link) = self
            .partner
            .map_or((0, 0), |(r, l)| (r as u64 + 1, l as u64));
        sink.int(robot);
        sink.int(link);
        sink.vector(self.p_AT);
        sink.quaternion(self.q_AT);
        sink.reals(&self.offset);
        sink.reals(&self.offset_rate);
        sink.vector(self.force_W);
        sink.vector(self.moment_W);
        sink.reals(&self.load);
        sink.reals(&self.predicted_load);
    }
}

impl BatteryState {
    fn bits(&self, sink: &mut Bits) {
        sink.reals(&[
            self.charge,
            self.voltage,
            self.current,
            self.load,
            self.solar,
            self.charger,
        ]);
        sink.reals(&[self.delivered, self.lost, self.gained, self.taken]);
        sink.reals(&self.offer);
        sink.reals(&self.charger_debt);
        sink.int(self.open_ns.map_or(0, |t| t + 1));
    }
}

impl ChargerState {
    fn bits(&self, sink: &mut Bits) {
        sink.int(self.robot.map_or(0, |r| r as u64 + 1));
        sink.real(self.given);
    }
}

impl RobotState {
    fn bits(&self, sink: &mut Bits) {
        let m = &self.motion;
        sink.quaternion(m.q_WB);
        sink.vector(m.p_WB);
        sink.vector(m.V_WB_B.w);
        sink.vector(m.V_WB_B.v);
        sink.reals(&m.q);
        sink.reals(&m.qd);
        sink.reals(&self.joint_commands);
        sink.int(self.last_command_ns.map_or(0, |t| t + 1));
        for a in &self.actuators {
            sink.reals(&[
                a.command,
                a.target,
                a.held_drive,
                a.thrust,
                a.shaft_power,
                a.power,
                a.heat,
                a.available_fraction,
            ]);
            sink.int(u64::from(a.is_overheated));
            sink.reals(&a.lag);
            sink.health(a.health);
            sink.effect(&a.fault);
        }
        for f in &self.fins {
            sink.reals(&[f.command, f.angle, f.rate, f.moment, f.power]);
            sink.int(f.delay_at as u64);
            sink.health(f.health);
            sink.effect(&f.fault);
        }
        for b in &self.buoyancy_engines {
            sink.reals(&[b.command, b.volume, b.power]);
            sink.effect(&b.fault);
        }
        self.winches.iter().for_each(|fault| sink.effect(fault));
        sink.reals(&self.fin_delays);
        self.radiation_state
            .iter()
            .flatten()
            .for_each(|x| sink.spatial(x));
        for s in &self.sensors {
            sink.int(s.samples);
            sink.int(s.due_ns);
            sink.int(u64::from(s.noise));
            s.drift.iter().for_each(|d| sink.reals(d));
            sink.effect(&s.fault);
            s.channel_faults.iter().for_each(|part| sink.effect(part));
            if let Some(cells) = &s.lag {
                sink.real(cells.at);
                sink.reals(&cells.met);
                sink.reals(&cells.shown);
            }
            if let Some(sampler) = &s.sampler {
                sink.int(sampler.current.map_or(0, |k| k as u64 + 1));
                sink.int(sampler.until_ns);
                sampler
                    .bottles
                    .iter()
                    .for_each(|bottle| sink.bottle(bottle));
            }
            if let Some(filter) = s.filter.as_deref() {
                sink.filter(filter);
            }
            if let Some(last) = &s.last {
                sink.reading(last);
            }
            for (due, stamped) in &s.in_flight {
                sink.int(*due);
                sink.int(stamped.stamp_ns);
                sink.reading(&stamped.reading);
            }
        }
        self.joint_bits(sink);
        if let Some(firmware) = &self.firmware {
            sink.firmware(firmware);
        }
        for F in &self.external_force {
            sink.vector(F.m);
            sink.vector(F.f);
        }
        self.battery.bits(sink);
        for memory in &self.faults {
            sink.fault(memory);
        }
        sink.reals(&self.loads);
        if self.impulse_acceleration.has_current_forces {
            for F in self.contact_force.iter().chain(&self.coupling_force) {
                sink.vector(F.m);
                sink.vector(F.f);
            }
        }
        sink.int(u64::from(self.impulse_acceleration.is_recomputed));
        if self.impulse_acceleration.is_nonzero {
            sink.spatial(&self.impulse_acceleration.A_WB_B);
            sink.reals(&self.impulse_acceleration.qdd);
        }
        sink.int(self.halted.as_ref().map_or(0, |h| h.time_ns + 1));
    }

    fn joint_bits(&self, sink: &mut Bits) {
        for j in &self.joints {
            sink.int(j.mode as u64);
            sink.reference(&j.reference);
            sink.reals(&[
                j.effort_limit,
                j.effort,
                j.integral,
                j.last_error,
                j.motor_effort,
                j.heat,
            ]);
            sink.reals(&j.rotor);
            sink.effect(&j.fault);
            if j.fault != FaultEffect::NONE {
                sink.reals(&[j.original_command]);
            }
            sink.int(j.ticks);
            let m = &j.measured;
            sink.reals(&[m.position, m.velocity, m.effort, m.current, m.temperature]);
        }
        sink.int(self.joints_ns.map_or(0, |t| t + 1));
        for group in &self.groups {
            for goal in [&group.goal, &group.previous_goal] {
                sink.goal(goal.as_ref());
            }
            match &group.task {
                None => sink.int(0),
                Some(Task::Gripper(g)) => {
                    sink.int(1);
                    sink.int(g.moved_ns);
                }
                Some(Task::Trajectory(t)) => {
                    sink.int(2);
                    sink.trajectory(t);
                }
            }
        }
    }
}

impl TetherState {
    fn bits(&self, sink: &mut Bits) {
        self.p
            .iter()
            .chain(&self.v)
            .chain(&self.end_force)
            .for_each(|x| sink.vector(*x));
        sink.reals(&[self.length, self.winch_speed]);
        match self.winch {
            WinchCommand::Speed(speed) => {
                sink.int(0);
                sink.real(speed);
            }
            WinchCommand::Length(length) => {
                sink.int(1);
                sink.real(length);
            }
        }
        sink.int(self.halted_ns.map_or(0, |t| t + 1));
        if let Some(parted) = self.parted {
            sink.int(parted.segment as u64);
            sink.int(parted.time_ns);
        }
    }
}

struct Bits(Sha256);

impl Bits {
    fn int(&mut self, x: u64) {
        self.0.update(x.to_le_bytes());
    }
    fn real(&mut self, x: f64) {
        self.int(x.to_bits());
    }
    fn reals(&mut self, xs: &[f64]) {
        xs.iter().for_each(|x| self.real(*x));
    }
    fn health(&mut self, health: Health) {
        match health {
            Health::Healthy => self.int(0),
            Health::Reduced(part) => self.real(part),
            Health::Stuck => self.int(2),
            Health::Dead => self.int(3),
        }
    }
    fn effect(&mut self, e: &FaultEffect) {
        if *e != FaultEffect::NONE {
            self.int(u64::from(e.dead) | u64::from(e.stuck) << 1);
            self.reals(&[e.fraction, e.offset, e.noise]);
        }
    }
    fn fault(&mut self, memory: &FaultState) {
        let fault = &memory.fault;
        fault.name.bytes().for_each(|b| self.int(u64::from(b)));
        fault
            .kind
            .word()
            .bytes()
            .for_each(|b| self.int(u64::from(b)));
        self.int(fault.start_ns);
        self.int(fault.end_ns);
        self.int(memory.turns_ns);
        self.int(memory.turns << 1 | u64::from(memory.failing));
        self.real(memory.water);
    }
    fn vector(&mut self, v: Vec3) {
        self.reals(&v.to_array());
    }
    fn spatial(&mut self, v: &SpatialVelocity) {
        self.vector(v.w);
        self.vector(v.v);
    }
    fn quaternion(&mut self, q: Quat) {
        self.reals(&[q.w, q.x, q.y, q.z]);
    }

    fn firmware(&mut self, firmware: &FirmwareState) {
        self.int(firmware.ticks);
        firmware.command.iter().for_each(|v| self.vector(*v));
        self.int(firmware.command_ns.map_or(0, |t| t + 1));
        match &firmware.memory {
            FirmwareLawState::Multirotor(flight) => {
                self.int(flight.mode as u64 | u64::from(flight.begun) << 8);
                self.vector(flight.p);
                self.vector(flight.v);
                self.reals(&[flight.yaw, flight.top, flight.held_up]);
            }
            FirmwareLawState::HeadingDepthHold(course) => {
                self.int(u64::from(course.on));
                self.reals(&[course.heading, course.depth]);
            }
            FirmwareLawState::Drive(drive) => {
                self.int(u64::from(drive.on) | u64::from(drive.angles.is_some()) << 1);
                self.reals(&drive.angles.unwrap_or_default());
                self.reals(&drive.odometry);
                [drive.wanted, drive.measured]
                    .iter()
                    .for_each(|x| self.reals(x));
            }
            FirmwareLawState::SurgeYawRate(vessel) => {
                self.int(u64::from(vessel.on));
                [vessel.wanted, vessel.lost]
                    .iter()
                    .for_each(|x| self.reals(x));
            }
        }
    }

    fn reference(&mut self, r: &Reference) {
        self.reals(&[r.position, r.velocity, r.acceleration, r.effort]);
    }

    fn goal(&mut self, goal: Option<&Goal>) {
        let Some(goal) = goal else { return self.int(0) };
        self.int(1);
        self.int(goal.id);
        self.int(match goal.state {
            GoalState::Active => 0,
            GoalState::Succeeded => 1,
            GoalState::Aborted(_) => 2,
            GoalState::Preempted => 3,
            GoalState::Cancelled => 4,
        });
        self.int(goal.accepted_ns);
        self.int(goal.since_ns);
        self.int(u64::from(goal.stalled));
    }

    fn trajectory(&mut self, active: &ActiveTrajectory) {
        let t = &active.trajectory;
        t.joints.iter().for_each(|j| self.int(*j as u64));
        for p in &t.points {
            for values in [&p.positions, &p.velocities, &p.accelerations, &p.effort] {
                self.int(values.len() as u64);
                self.reals(values);
            }
            self.int(p.time_from_start_ns);
        }
        for x in t.path_tolerance.iter().chain(&t.goal_tolerance) {
            self.reals(&[x.position, x.velocity, x.acceleration]);
        }
        self.real(t.goal_time_tolerance);
        active.from.iter().for_each(|r| self.reference(r));
        self.int(active.accepted_ns);
        self.int(active.start_ns);
        self.int(active.segment as u64);
    }

    fn flow(&mut self, flow: &Flow) {
        self.real(flow.gain);
        match &flow.law {
            FlowLaw::Tide(constituents) => {
                for c in constituents {
                    self.reals(&[c.omega, c.lag]);
                    self.vector(c.major);
                    self.vector(c.minor);
                }
            }
            FlowLaw::Jet(jet) => {
                self.vector(jet.velocity);
                self.vector(jet.p_W);
                self.reals(&[jet.half_width, jet.decay_depth]);
            }
            FlowLaw::Channel(channel) => {
                self.vector(channel.velocity);
                self.vector(channel.p_W);
                self.reals(&[channel.half_width, channel.exponent]);
                self.reals(&channel.bed.unwrap_or_default());
            }
            FlowLaw::Eddy(eddy) => {
                self.vector(eddy.p_W);
                self.reals(&[eddy.spin, eddy.core]);
            }
            FlowLaw::Grid(components) => {
                components
                    .iter()
                    .for_each(|grid| self.int(grid.as_ref().map_or(0, |grid| grid.digest)));
            }
        }
    }

    fn bottle(&mut self, bottle: &Bottle) {
        self.int(u64::from(bottle.number) << 8 | bottle.filling as u64);
        bottle.time_ns.iter().for_each(|t| self.int(*t));
        self.real(bottle.volume);
        self.vector(bottle.p_W);
        self.reals(&bottle.means);
    }

    fn filter(&mut self, filter: &NavigationFilter) {
        match filter {
            NavigationFilter::Ahrs(f) => {
                self.quaternion(f.q);
                self.vector(f.bias);
                f.raw.iter().for_each(|v| self.vector(*v));
                f.field_drift.iter().for_each(|d| self.reals(d));
                self.int(f.time_ns);
                self.int(u64::from(f.started));
            }
            NavigationFilter::Ins(f) => {
                self.quaternion(f.q);
                let own = [
                    f.p,
                    f.v,
                    f.gyro_bias,
                    f.accelerometer_bias,
                    f.fixed,
                    f.fix_error,
                    f.a,
                ];
                own.iter()
                    .chain(&f.last)
                    .chain(&f.raw)
                    .for_each(|v| self.vector(*v));
                f.covariance
                    .iter()
                    .flatten()
                    .flat_map(|m| m.r)
                    .for_each(|row| self.vector(row));
                for stamped in f.inbox.iter().flatten() {
                    self.int(stamped.stamp_ns);
                    self.reading(&stamped.reading);
                }
                self.int(f.time_ns);
                self.int(f.rejected << 1 | u64::from(f.started));
            }
        }
    }

    fn reading(&mut self, reading: &Reading) {
        match reading {
            Reading::Imu(r) => {
                self.vector(r.angular_velocity);
                self.vector(r.linear_acceleration);
                self.quaternion(r.orientation.unwrap_or(Quat::identity()));
            }
            Reading::Gnss(r) => {
                self.int(u64::from(r.fix));
                self.reals(&r.position);
                self.vector(r.velocity);
                self.int(r.satellites.map_or(u64::MAX, |n| n as u64));
                self.reals(&r.dilution.unwrap_or_default());
            }
            Reading::Navigation(r) => {
                self.vector(r.p_WS);
                self.quaternion(r.q_WS);
                self.vector(r.v_WS_S);
                self.vector(r.w_WS_S);
                self.reals(&[
                    r.position_covariance.xx,
                    r.attitude_covariance.xx,
                    r.velocity_covariance.xx,
                ]);
            }
            Reading::Heading(r) => self.reals(&[r.yaw, r.variance]),
            Reading::Dvl(r) => {
                self.int(r.lock as u64);
                self.vector(r.velocity);
                for b in &r.beams {
                    self.reals(&[b.range, b.velocity]);
                }
            }
            Reading::Pressure(r) => self.real(r.pressure),
            Reading::Magnetometer(r) => self.vector(r.field),
            Reading::Altimeter(r) => self.real(r.range),
            Reading::Wrench(r) => {
                self.vector(r.force);
                self.vector(r.torque);
            }
            Reading::Probe(r) => self.real(r.value),
            Reading::Ctd(r) => self.reals(&[r.temperature, r.conductivity, r.pressure]),
            Reading::Bottle(r) => self.bottle(r),
            Reading::Wind(r) => self.reals(&[r.speed, r.from]),
            Reading::Leak(r) => self.real(r.signal),
            Reading::Motor(r) => {
                self.reals(&[
                    r.speed,
                    r.current,
                    r.voltage,
                    r.temperature,
                    r.torque,
                    r.power,
                ]);
            }
            Reading::Power(r) => self.reals(&[r.voltage, r.current, r.charge]),
            Reading::Odometry(r) => {
                self.vector(r.p_WS);
                self.quaternion(r.q_WS);
                self.vector(r.v_WS_S);
                self.vector(r.w_WS_S);
            }
        }
    }
}

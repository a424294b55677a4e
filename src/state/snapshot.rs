//! Every bit of the state in a fixed order: for the state hash that proves two runs equal.
//!
//! A run is resumed from a clone of [`State`]; nothing that matters lies outside it.

use super::reading::Reading;
use super::{Health, RobotState, State, TetherState, WinchCommand};
use crate::math::{Quat, Vec3};
use sha2::{Digest, Sha256};

impl State {
    /// Hash over every state bit, 16 hexadecimal digits.
    ///
    /// Two runs with the same hash ended in the same state to the last bit; thread count, build target and pacing
    /// must not change it.
    pub fn hash(&self) -> String {
        let mut sink = Bits(Sha256::new());
        sink.int(self.time_ns);
        sink.int(self.step);
        self.sea_bits(&mut sink);
        for robot in &self.robots {
            robot.bits(&mut sink);
        }
        for tether in &self.tethers {
            tether.bits(&mut sink);
        }
        sink.0.finalize().iter().take(8).map(|b| format!("{b:02x}")).collect()
    }

    fn sea_bits(&self, sink: &mut Bits) {
        let sea = &self.sea;
        sink.reals(&[sea.density, sea.sound_speed, sea.temperature, sea.air_pressure]);
        for (depth, v) in &sea.current.profile {
            sink.real(*depth);
            sink.vector(*v);
        }
        if let Some(gm) = sea.current.gauss_markov {
            sink.vector(gm.std);
            sink.real(gm.tau);
        }
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
            sink.reals(&[a.command, a.target, a.stuck_at, a.thrust, a.power, a.heat]);
            sink.reals(&a.lag);
            match a.health {
                Health::Healthy => sink.int(0),
                Health::Reduced(part) => sink.real(part),
                Health::Stuck => sink.int(2),
                Health::Dead => sink.int(3),
            }
        }
        for s in &self.sensors {
            sink.int(s.samples);
            sink.int(u64::from(s.noise));
            s.drift.iter().for_each(|d| sink.reals(d));
            for (due, stamped) in &s.in_flight {
                sink.int(*due);
                sink.int(stamped.stamp_ns);
                sink.reading(&stamped.reading);
            }
        }
        for F in &self.external {
            sink.vector(F.m);
            sink.vector(F.f);
        }
        sink.reals(&[self.battery.charge, self.battery.voltage, self.battery.current]);
        sink.int(self.halted.as_ref().map_or(0, |h| h.time_ns + 1));
    }
}

impl TetherState {
    fn bits(&self, sink: &mut Bits) {
        self.p.iter().chain(&self.v).chain(&self.pull).for_each(|x| sink.vector(*x));
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
    fn vector(&mut self, v: Vec3) {
        self.reals(&v.to_array());
    }
    fn quaternion(&mut self, q: Quat) {
        self.reals(&[q.w, q.x, q.y, q.z]);
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
            }
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
            Reading::Odometry(r) => {
                self.vector(r.p_WS);
                self.quaternion(r.q_WS);
                self.vector(r.v_WS_S);
                self.vector(r.w_WS_S);
            }
        }
    }
}

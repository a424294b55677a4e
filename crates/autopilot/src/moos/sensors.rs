//! Variables of the readings of sensors: the name of the sensor in capitals, and the quantity, such as
//! `GNSS_LAT`.
//!
//! Angles of attitude and course are in degrees, headings clockwise from north, positions east and
//! north in the world [m]; vectors have the axes of the sensor.

use crate::ned::attitude_in_ned;
use merrow_math::{Quat, Vec3};
use merrow_model::sensor::water::DvlLock;
use merrow_model::state::reading::Reading;
use merrow_moos::message::Value;

/// Returns the prefix of the variables of a sensor, such as `GNSS` of `gnss`.
pub(crate) fn prefix(sensor: &str) -> String {
    let letters = sensor.chars().map(|c| match c {
        c if c.is_ascii_alphanumeric() => c.to_ascii_uppercase(),
        _ => '_',
    });
    letters.collect()
}

/// Returns the quantities of a reading with their names. Numbers that are not known are left out.
pub(crate) fn quantities(reading: &Reading) -> Vec<(String, Value)> {
    let mut all = Quantities::default();
    match reading {
        Reading::Imu(imu) => {
            if let Some(attitude) = imu.orientation {
                all.attitude(attitude);
            }
            all.vector("RATE", imu.angular_velocity);
            all.vector("ACCELERATION", imu.linear_acceleration);
        }
        Reading::Gnss(gnss) => {
            all.text("FIX", if gnss.fix { "true" } else { "false" });
            if gnss.fix {
                let [latitude, longitude, altitude] = gnss.position;
                all.number("LAT", latitude.to_degrees());
                all.number("LONG", longitude.to_degrees());
                all.number("ALTITUDE", altitude);
                all.number("SPEED", gnss.velocity.x.hypot(gnss.velocity.y));
                let course = gnss.velocity.x.atan2(gnss.velocity.y);
                all.number("COURSE", course.to_degrees().rem_euclid(360.0));
            }
            if let Some(satellites) = gnss.satellites {
                all.number("SATELLITES", satellites as f64);
            }
        }
        Reading::Heading(heading) => {
            all.number(
                "HEADING",
                (90.0 - heading.yaw.to_degrees()).rem_euclid(360.0),
            );
        }
        Reading::Navigation(navigation) => {
            let [latitude, longitude, _] = navigation.position;
            all.number("LAT", latitude.to_degrees());
            all.number("LONG", longitude.to_degrees());
            all.motion(navigation.p_WS, navigation.q_WS, navigation.v_WS_S);
        }
        Reading::Odometry(odometry) => {
            all.motion(odometry.p_WS, odometry.q_WS, odometry.v_WS_S);
        }
        Reading::Dvl(dvl) => {
            let lock = match dvl.lock {
                DvlLock::Bottom => "bottom",
                DvlLock::Water => "water",
                DvlLock::None => "none",
            };
            all.text("LOCK", lock);
            all.vector("VELOCITY", dvl.velocity);
            all.number("ALTITUDE", dvl.altitude);
        }
        Reading::Pressure(pressure) => {
            all.number("PRESSURE", pressure.pressure);
            if let Some([height, _]) = pressure.height() {
                all.number("DEPTH", pressure.water.level - height);
            }
        }
        Reading::Magnetometer(magnetometer) => all.vector("FIELD", magnetometer.field),
        Reading::Altimeter(altimeter) => all.number("RANGE", altimeter.range),
        Reading::Wrench(wrench) => {
            all.vector("FORCE", wrench.force);
            all.vector("TORQUE", wrench.torque);
        }
        Reading::Probe(probe) => all.number("VALUE", probe.value),
        Reading::Ctd(ctd) => {
            all.number("TEMPERATURE", ctd.temperature);
            all.number("CONDUCTIVITY", ctd.conductivity);
            all.number("PRESSURE", ctd.pressure);
            all.number("SALINITY", ctd.salinity);
            all.number("DEPTH", ctd.depth);
            all.number("SOUND_SPEED", ctd.sound_speed);
        }
        Reading::Bottle(bottle) => {
            all.number("BOTTLE", f64::from(bottle.number));
            all.text("STATE", bottle.filling.keyword());
            all.number("VOLUME", bottle.volume);
        }
        Reading::Wind(wind) => {
            all.number("SPEED", wind.speed);
            all.number("FROM", wind.from.to_degrees().rem_euclid(360.0));
        }
        Reading::Leak(leak) => all.text("WET", if leak.is_wet() { "true" } else { "false" }),
        Reading::Motor(motor) => {
            all.number("SPEED", motor.speed);
            all.number("CURRENT", motor.current);
            all.number("VOLTAGE", motor.voltage);
            all.number("TEMPERATURE", motor.temperature);
            all.number("TORQUE", motor.torque);
            all.number("POWER", motor.power);
        }
        Reading::Power(power) => {
            all.number("VOLTAGE", power.voltage);
            all.number("CURRENT", power.current);
            all.number("CHARGE", 100.0 * power.charge);
        }
    }
    all.0
}

/// Names and values of a reading.
#[derive(Default)]
struct Quantities(Vec<(String, Value)>);

impl Quantities {
    fn number(&mut self, name: &str, value: f64) {
        if value.is_finite() {
            self.0.push((name.to_string(), value.into()));
        }
    }

    fn text(&mut self, name: &str, value: &str) {
        self.0.push((name.to_string(), value.into()));
    }

    fn vector(&mut self, name: &str, v: Vec3) {
        for (axis, value) in ["X", "Y", "Z"].iter().zip(v.to_array()) {
            self.number(&format!("{name}_{axis}"), value);
        }
    }

    fn attitude(&mut self, q_WS: Quat) {
        let [roll, pitch, yaw] = attitude_in_ned(q_WS).matrix().to_rpy();
        self.number("ROLL", roll.to_degrees());
        self.number("PITCH", pitch.to_degrees());
        self.number("HEADING", yaw.to_degrees().rem_euclid(360.0));
    }

    fn motion(&mut self, p_WS: Vec3, q_WS: Quat, v_WS_S: Vec3) {
        for (axis, value) in ["X", "Y", "Z"].iter().zip(p_WS.to_array()) {
            self.number(axis, value);
        }
        self.attitude(q_WS);
        let v = q_WS.matrix().mul_vec(v_WS_S);
        self.number("SPEED", v.x.hypot(v.y));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_model::sensor::gnss::Heading;
    use merrow_model::sensor::vehicle::Leak;

    #[test]
    fn readings_have_names_and_units() {
        assert_eq!(prefix("gps-1"), "GPS_1");
        let heading = Heading {
            yaw: std::f64::consts::FRAC_PI_2,
            variance: 0.0,
        };
        let found = quantities(&Reading::Heading(heading));
        assert_eq!(found, [("HEADING".to_string(), Value::Number(0.0))]);
        let wet = quantities(&Reading::Leak(Leak { signal: 1.0 }));
        assert_eq!(wet, [("WET".to_string(), Value::Text("true".to_string()))]);
        let unknown = Heading {
            yaw: f64::NAN,
            variance: 0.0,
        };
        assert!(quantities(&Reading::Heading(unknown)).is_empty());
    }
}

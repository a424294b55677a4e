//! `iREMUS`, the instrument between the serial line of a vehicle's own computer and a community: it posts
//! the navigation of the lines, and writes the set-points of the planner to the line.
//!
//! The lines are those of `merrow_moos::feed`. The vehicle is a robot of Merrow with the key `serial`, or a
//! program on a real serial line that writes the same lines.

use merrow_moos::feed::{Port, Sentence, SetPoints};
use merrow_moos::message::{Message, Value};
use merrow_moos::mission::Mission;
use std::path::PathBuf;

/// Name of the program and of its block.
pub const NAME: &str = "iREMUS";

/// Variables that the program receives.
pub const INPUTS: [&str; 3] = ["DESIRED_HEADING", "DESIRED_SPEED", "DESIRED_DEPTH"];

/// The instrument.
#[derive(Debug)]
pub struct Remus {
    path: PathBuf,
    port: Port,
    period_s: f64,
    set_points: SetPoints,
    /// Lines that were not valid.
    damaged: u64,
}

impl Remus {
    /// Reads the block of the program, and opens its port.
    ///
    /// # Errors
    /// One line: a value of the block is not valid, or the port cannot be opened.
    pub fn from_mission(mission: &Mission) -> Result<Self, String> {
        let block = mission.block(NAME);
        let port = block.and_then(|block| block.get("Port"));
        let port = port.ok_or_else(|| {
            format!(
                "ProcessConfig = {NAME} needs a Port, such as that of the line `serial feed of remus: /dev/pts/3` of merrow"
            )
        })?;
        let number = |name: &str, default: f64| {
            block.map_or(Ok(default), |block| block.positive(name, default))
        };
        let (baud, rate_hz) = (number("BaudRate", 57_600.0)?, number("AppTick", 10.0)?);
        let path = PathBuf::from(&port.value);
        let opened = Port::open(&path, baud as u32);
        Ok(Self {
            port: opened
                .map_err(|why| format!("{}: Port: {}: {why}", port.place, path.display()))?,
            path,
            period_s: 1.0 / rate_hz,
            set_points: SetPoints::default(),
            damaged: 0,
        })
    }

    /// Returns the period of [`Self::iterate`] [s].
    pub fn period_s(&self) -> f64 {
        self.period_s
    }

    /// Takes a message (`OnNewMail`).
    ///
    /// # Errors
    /// One line: its value is not one of the variable.
    pub fn take(&mut self, message: &Message) -> Result<(), String> {
        let number = message.number().filter(|number| number.is_finite());
        let number = number.ok_or_else(|| format!("{}: expected a finite number", message.key))?;
        let own = match message.key.as_str() {
            "DESIRED_HEADING" => &mut self.set_points.heading_deg,
            "DESIRED_SPEED" => &mut self.set_points.speed_m_s,
            "DESIRED_DEPTH" => &mut self.set_points.depth_m,
            _ => return Ok(()),
        };
        *own = Some(number);
        Ok(())
    }

    /// Writes the set-points, and returns the navigation that has arrived (`Iterate`).
    pub fn iterate(&mut self) -> Vec<(String, Value)> {
        let mut posts = Vec::new();
        if self.set_points != SetPoints::default() {
            let line = Sentence::SetPoints(self.set_points).encode();
            if let Err(why) = self.port.write(&line) {
                eprintln!("{NAME}: {}: {why}", self.path.display());
            }
        }
        let lines = self.port.read_lines().unwrap_or_else(|why| {
            eprintln!("{NAME}: {}: {why}", self.path.display());
            Vec::new()
        });
        for line in lines {
            match Sentence::decode(&line) {
                Ok(Sentence::Navigation(own)) => {
                    let [heading, pitch, _] = own.attitude_deg;
                    let numbers = [
                        ("X", own.position_m[0]),
                        ("Y", own.position_m[1]),
                        ("LAT", own.position_deg[0]),
                        ("LONG", own.position_deg[1]),
                        ("DEPTH", own.depth_m),
                        ("HEADING", heading),
                        ("PITCH", pitch.to_radians()),
                        ("SPEED", own.speed_m_s),
                    ];
                    let altitude = own.altitude_m.map(|altitude| ("ALTITUDE", altitude));
                    posts.extend(
                        numbers
                            .into_iter()
                            .chain(altitude)
                            .map(|(name, number)| (format!("NAV_{name}"), Value::Number(number))),
                    );
                }
                // the first line after the port was opened is often cut
                Ok(Sentence::SetPoints(_)) | Err(_) => {
                    self.damaged += 1;
                    posts.push(("IREMUS_DAMAGED".to_string(), (self.damaged as f64).into()));
                }
            }
        }
        posts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_moos::feed::Navigation;

    #[test]
    fn lines_are_variables_and_variables_lines() {
        let (mut vehicle, path) = Port::pseudoterminal(57_600).unwrap();
        let text = format!("ProcessConfig = iREMUS\n{{\n Port = {path}\n BaudRate = 57600\n}}\n");
        let mission = Mission::from_text(&text, "m.moos").unwrap();
        let mut own = Remus::from_mission(&mission).unwrap();
        let navigation = Navigation {
            position_m: [3.0, 4.0],
            attitude_deg: [90.0, 10.0, 0.0],
            ..Navigation::default()
        };
        vehicle
            .write(&Sentence::Navigation(navigation).encode())
            .unwrap();
        vehicle.write("$MWNAV,cut\n").unwrap();
        own.take(&Message::notify("DESIRED_DEPTH", 3.0, 0.0))
            .unwrap();
        assert!(
            own.take(&Message::notify("DESIRED_SPEED", "fast", 0.0))
                .is_err()
        );
        let posts = own.iterate();
        let find = |key: &str| posts.iter().find(|(own, _)| own == key).map(|own| &own.1);
        assert_eq!(find("NAV_Y"), Some(&Value::Number(4.0)));
        assert_eq!(find("NAV_HEADING"), Some(&Value::Number(90.0)));
        assert_eq!(find("IREMUS_DAMAGED"), Some(&Value::Number(1.0)));
        assert_eq!(vehicle.read_lines().unwrap().len(), 1);
    }

    #[test]
    fn missing_ports_have_one_line() {
        let why = |text: &str| {
            let mission = Mission::from_text(text, "m.moos").unwrap();
            Remus::from_mission(&mission).unwrap_err()
        };
        assert!(why("").starts_with("ProcessConfig = iREMUS needs a Port"));
        let none = why("ProcessConfig = iREMUS\n{\n Port = /dev/none\n}\n");
        assert!(
            none.starts_with("m.moos:3: Port: /dev/none: No such file"),
            "{none}"
        );
    }
}

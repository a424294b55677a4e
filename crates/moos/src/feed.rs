//! Serial feed of a vehicle's own computer: lines of text with navigation from it, and with set-points
//! to it, as between the two computers of a REMUS.
//!
//! The lines of a real vehicle are not published; these have the form of NMEA 0183, a checksum (the
//! exclusive or of the bytes between `$` and `*`), and the end `\\r\\n`:
//!
//! ```text
//! $MWNAV,time,x,y,latitude,longitude,depth,altitude,heading,pitch,roll,speed*hh
//! $MWCMD,heading,speed,depth*hh
//! ```
//!
//! time since the start of the run [s] · x east, y north [m] · latitude, longitude [deg] · depth,
//! altitude [m] · heading clockwise from north, pitch of the bow up, roll to starboard [deg] · speed
//! [m/s]. A field that is empty is not known, or keeps its set-point.

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, isatty, tcgetattr, tcsetattr};
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::Path;

/// Longest line [bytes].
const MAX_LINE: usize = 256;

/// Navigation of a vehicle, in the units and order of its line; `None` is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Navigation {
    /// Time since the start of the run [s].
    pub time_s: f64,
    /// East and north [m].
    pub position_m: [f64; 2],
    /// Latitude and longitude [deg].
    pub position_deg: [f64; 2],
    /// Depth [m].
    pub depth_m: f64,
    /// Height above the seabed [m].
    pub altitude_m: Option<f64>,
    /// Heading, pitch and roll [deg].
    pub attitude_deg: [f64; 3],
    /// Speed in the water [m/s].
    pub speed_m_s: f64,
}

/// Set-points for a vehicle; `None` keeps one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SetPoints {
    /// Clockwise from north [deg].
    pub heading_deg: Option<f64>,
    /// Forward [m/s].
    pub speed_m_s: Option<f64>,
    /// [m].
    pub depth_m: Option<f64>,
}

/// A line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sentence {
    /// From the vehicle.
    Navigation(Navigation),
    /// To the vehicle.
    SetPoints(SetPoints),
}

impl Sentence {
    /// Returns the line with its end.
    pub fn encode(&self) -> String {
        let number =
            |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.3}"));
        let body = match self {
            Self::Navigation(own) => {
                let Navigation {
                    time_s,
                    position_m: [x, y],
                    position_deg: [latitude, longitude],
                    depth_m,
                    altitude_m,
                    attitude_deg: [heading, pitch, roll],
                    speed_m_s,
                } = own;
                let altitude = number(*altitude_m);
                format!(
                    "MWNAV,{time_s:.3},{x:.2},{y:.2},{latitude:.7},{longitude:.7},{depth_m:.2},{altitude},{heading:.2},{pitch:.2},{roll:.2},{speed_m_s:.3}"
                )
            }
            Self::SetPoints(own) => format!(
                "MWCMD,{},{},{}",
                number(own.heading_deg),
                number(own.speed_m_s),
                number(own.depth_m)
            ),
        };
        format!("${body}*{:02X}\r\n", checksum(&body))
    }

    /// Reads a line with or without its end.
    ///
    /// # Errors
    /// One line: the checksum, a number or the number of fields is wrong.
    pub fn decode(line: &str) -> Result<Self, String> {
        let line = line.trim_end_matches(['\r', '\n']);
        let wrong = |expected: &str| format!("expected {expected}, found {line:?}");
        let parts = line
            .strip_prefix('$')
            .and_then(|rest| rest.rsplit_once('*'));
        let (body, sum) = parts.ok_or_else(|| wrong("a line $...*checksum"))?;
        if u8::from_str_radix(sum, 16).ok() != Some(checksum(body)) {
            return Err(wrong(&format!("the checksum {:02X}", checksum(body))));
        }
        let mut fields = body.split(',');
        let kind = fields.next().unwrap_or_default();
        let numbers: Result<Vec<Option<f64>>, String> = fields
            .map(|field| match field {
                "" => Ok(None),
                _ => {
                    let number = field.parse::<f64>().ok().filter(|x| x.is_finite());
                    number.map(Some).ok_or_else(|| wrong("finite numbers"))
                }
            })
            .collect();
        match (kind, numbers?.as_slice()) {
            (
                "MWNAV",
                &[
                    time,
                    x,
                    y,
                    latitude,
                    longitude,
                    depth,
                    altitude,
                    heading,
                    pitch,
                    roll,
                    speed,
                ],
            ) => {
                let known =
                    |value: Option<f64>| value.ok_or_else(|| wrong("all fields but the altitude"));
                Ok(Self::Navigation(Navigation {
                    time_s: known(time)?,
                    position_m: [known(x)?, known(y)?],
                    position_deg: [known(latitude)?, known(longitude)?],
                    depth_m: known(depth)?,
                    altitude_m: altitude,
                    attitude_deg: [known(heading)?, known(pitch)?, known(roll)?],
                    speed_m_s: known(speed)?,
                }))
            }
            ("MWCMD", &[heading_deg, speed_m_s, depth_m]) => Ok(Self::SetPoints(SetPoints {
                heading_deg,
                speed_m_s,
                depth_m,
            })),
            _ => Err(wrong("MWNAV with 11 fields or MWCMD with 3")),
        }
    }
}

fn checksum(body: &str) -> u8 {
    body.bytes().fold(0, |sum, byte| sum ^ byte)
}

/// A serial line, or a pseudoterminal in its place.
#[derive(Debug)]
pub struct Port {
    file: File,
    /// Kept open, so that the line does not end before the other program opens it and after it ends.
    _other_end: Option<File>,
    received: Vec<u8>,
}

impl Port {
    /// Opens a serial device at a rate [bit/s], with 8 data bits and no parity.
    ///
    /// # Errors
    /// The device cannot be opened, or is no serial device.
    pub fn open(path: &Path, baud: u32) -> io::Result<Self> {
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
        if !isatty(&file) {
            let why = "expected a serial device or a pseudoterminal";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        make_raw(&file, baud)?;
        Ok(Self {
            file,
            _other_end: None,
            received: Vec::new(),
        })
    }

    /// Creates a pseudoterminal. Returns it with the path that the other program opens.
    ///
    /// # Errors
    /// The system has none left.
    pub fn pseudoterminal(baud: u32) -> io::Result<(Self, String)> {
        let own = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&own)?;
        unlockpt(&own)?;
        let path = ptsname(&own, Vec::new())?.to_string_lossy().into_owned();
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let other_end = File::from(rustix::fs::open(path.as_str(), flags, Mode::empty())?);
        make_raw(&other_end, baud)?;
        rustix::io::ioctl_fionbio(&own, true)?;
        let port = Self {
            file: File::from(own),
            _other_end: Some(other_end),
            received: Vec::new(),
        };
        Ok((port, path))
    }

    /// Writes a line. Returns `false` if the other program does not read, and the line is lost.
    ///
    /// # Errors
    /// The device is gone.
    pub fn write(&mut self, line: &str) -> io::Result<bool> {
        match self.file.write(line.as_bytes()) {
            Ok(n) => Ok(n == line.len()),
            Err(why) if why.kind() == io::ErrorKind::WouldBlock => Ok(false),
            Err(why) => Err(why),
        }
    }

    /// Returns the lines that have arrived; bytes that are no text are replaced.
    ///
    /// # Errors
    /// The device is gone.
    pub fn read_lines(&mut self) -> io::Result<Vec<String>> {
        let mut buffer = [0; 4096];
        match self.file.read(&mut buffer) {
            Ok(n) => self.received.extend_from_slice(&buffer[..n]),
            Err(why) if why.kind() == io::ErrorKind::WouldBlock => {}
            Err(why) => return Err(why),
        }
        let mut lines = Vec::new();
        while let Some(end) = self.received.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.received.drain(..=end).collect();
            lines.push(String::from_utf8_lossy(&line).trim_end().to_string());
        }
        if self.received.len() > MAX_LINE {
            let line = String::from_utf8_lossy(&self.received[..MAX_LINE]).into_owned();
            self.received.clear();
            lines.push(line);
        }
        Ok(lines)
    }
}

/// Lets a terminal pass all bytes unchanged, at a rate [bit/s].
fn make_raw(terminal: &File, baud: u32) -> io::Result<()> {
    let mut settings = tcgetattr(terminal)?;
    settings.make_raw();
    settings.set_speed(baud)?;
    Ok(tcsetattr(terminal, OptionalActions::Now, &settings)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn navigation() -> Navigation {
        Navigation {
            time_s: 12.5,
            position_m: [10.25, -3.5],
            position_deg: [36.6284333, -121.9119833],
            depth_m: 3.0,
            altitude_m: None,
            attitude_deg: [271.5, -2.0, 0.25],
            speed_m_s: 1.5,
        }
    }

    #[test]
    fn lines_return() {
        let set_points = SetPoints {
            heading_deg: Some(90.0),
            speed_m_s: None,
            depth_m: Some(3.5),
        };
        let all = [
            Sentence::Navigation(navigation()),
            Sentence::Navigation(Navigation {
                altitude_m: Some(27.0),
                ..navigation()
            }),
            Sentence::SetPoints(set_points),
        ];
        for own in all {
            assert_eq!(Sentence::decode(&own.encode()), Ok(own));
        }
        assert_eq!(
            Sentence::SetPoints(set_points).encode(),
            "$MWCMD,90.000,,3.500*43\r\n"
        );
    }

    #[test]
    fn damaged_lines_are_refused() {
        let line = Sentence::Navigation(navigation()).encode();
        for k in 0..line.len() - 2 {
            let mut bytes = line.clone().into_bytes();
            bytes[k] ^= 1;
            let damaged = String::from_utf8_lossy(&bytes).into_owned();
            let why = Sentence::decode(&damaged);
            assert!(why.is_err(), "{damaged:?}");
        }
        for text in ["", "$", "*", "$*00", "$MWCMD,nan,,*17", "$MWCMD,1,2*6D"] {
            assert!(Sentence::decode(text).is_err(), "{text}");
        }
    }

    #[test]
    fn pseudoterminals_pass_lines() {
        let (mut own, path) = Port::pseudoterminal(57_600).unwrap();
        let mut other = Port::open(Path::new(&path), 57_600).unwrap();
        let line = Sentence::Navigation(navigation()).encode();
        assert!(own.write(&line).unwrap());
        assert_eq!(other.read_lines().unwrap(), [line.trim_end()]);
        assert!(other.write("$MWCMD").unwrap());
        assert!(own.read_lines().unwrap().is_empty());
        assert!(other.write(",,,*5A\n").unwrap());
        assert_eq!(own.read_lines().unwrap(), ["$MWCMD,,,*5A"]);
        // the other program ends and begins again, and one that does not read holds nobody
        drop(other);
        assert!(own.read_lines().is_ok());
        let mut lost = 0;
        for _ in 0..1000 {
            lost += u32::from(!own.write(&line).unwrap());
        }
        assert!(lost > 100, "{lost}");
        assert!(Port::open(Path::new("/dev/null"), 57_600).is_err());
    }
}

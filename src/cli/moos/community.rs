//! Community of MOOS of `merrow run --moos`.

use merrow_model::scene::moos::Moos;
use merrow_moos::mission::{Entry, Mission};
use merrow_sim::{Pace, Simulation};
use std::path::Path;

/// Largest difference of an origin that is the same [deg]; 1 cm on the ground.
const SAME_DEG: f64 = 1e-7;

/// Community of the option: `HOST:PORT`, or a mission file that states it.
#[derive(Clone, Debug)]
pub(in crate::cli) struct Community {
    /// Connection of the robot.
    pub(in crate::cli) moos: Moos,
    mission: Mission,
}

impl Community {
    /// Reads the value of the option.
    ///
    /// # Errors
    /// One line: the file is no mission file, or the text is no address.
    pub(in crate::cli) fn parse(text: &str) -> Result<Self, String> {
        let path = Path::new(text);
        if path.extension().is_some_and(|end| end == "moos") {
            let mission = Mission::read(path)?;
            let host = mission
                .text("ServerHost")
                .unwrap_or("localhost")
                .to_string();
            let port = match mission.get("ServerPort") {
                Some(entry) => parse_port(&entry.value)
                    .map_err(|why| format!("{}: ServerPort: {why}", entry.place))?,
                None => 9000,
            };
            let community = mission.text("Community").map(str::to_string);
            let moos = Moos::new(host, port, community);
            return Ok(Self { moos, mission });
        }
        let parts = text.rsplit_once(':').filter(|(host, _)| !host.is_empty());
        let (host, port) = parts.ok_or_else(|| {
            format!("expected HOST:PORT or a file that ends with .moos, found {text:?}")
        })?;
        Ok(Self {
            moos: Moos::new(host.to_string(), parse_port(port)?, None),
            mission: Mission::default(),
        })
    }

    /// Returns the time warp of the mission file; 1 without one.
    ///
    /// # Errors
    /// One line: it is no number above 0.
    pub(super) fn warp(&self) -> Result<f64, String> {
        let Some(entry) = self.mission.get("MOOSTimeWarp") else {
            return Ok(1.0);
        };
        let warp = entry.number()?;
        if warp > 0.0 {
            return Ok(warp);
        }
        let Entry { name, place, .. } = entry;
        Err(format!(
            "{place}: {name}: expected a number above 0, found {warp}"
        ))
    }

    /// Returns a line for each value of the mission file that differs from the world.
    pub(in crate::cli) fn differences(&self, simulation: &Simulation, pace: Pace) -> Vec<String> {
        let origin = &simulation.scene.origin;
        let mut lines = Vec::new();
        let mut compare = |name: &str, own: f64, remedy: &dyn Fn(f64) -> String| {
            let Some(entry) = self.mission.get(name) else {
                return;
            };
            match entry.number() {
                Ok(number) if (number - own).abs() <= SAME_DEG => {}
                Ok(number) => lines.push(difference(entry, own, &remedy(number))),
                Err(why) => lines.push(why),
            }
        };
        let [latitude, longitude] = [origin.latitude, origin.longitude].map(f64::to_degrees);
        compare("LatOrigin", latitude, &|number| {
            format!("--set origin.latitude_deg={number}")
        });
        compare("LongOrigin", longitude, &|number| {
            format!("--set origin.longitude_deg={number}")
        });
        if let Pace::Factor(factor) = pace {
            compare("MOOSTimeWarp", factor, &|number| format!("--pace {number}"));
        }
        lines
    }
}

fn difference(entry: &Entry, own: f64, remedy: &str) -> String {
    let Entry { name, value, place } = entry;
    format!("{place}: {name} is {value}, and that of the world {own}; give {remedy}")
}

fn parse_port(text: &str) -> Result<u16, String> {
    let port = text.parse().ok().filter(|port| *port > 0);
    port.ok_or_else(|| format!("expected a port from 1 to 65535, found {text:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_files_name_a_community() {
        let found = Community::parse("shore.local:9001").unwrap().moos;
        assert_eq!((found.host.as_str(), found.port), ("shore.local", 9001));
        let why = Community::parse("localhost").unwrap_err();
        assert_eq!(
            why,
            "expected HOST:PORT or a file that ends with .moos, found \"localhost\""
        );
        for text in ["a:0", "a:b", "a:70000", ":9000", "none.moos"] {
            assert!(Community::parse(text).is_err(), "{text}");
        }
    }
}

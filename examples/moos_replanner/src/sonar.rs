//! `pFLSim`: the boxes that a forward sonar would report, from a script.

use crate::application::feature;
use crate::feature::Feature;
use crate::vector::Vector;
use merrow_moos::message::{Message, Value};
use merrow_moos::mission::{Block, Entry, Mission};
use std::f64::consts::{PI, TAU};

/// Name of the program and of its block.
pub const NAME: &str = "pFLSim";

/// Variables that the program receives.
pub const INPUTS: [&str; 3] = ["NAV_X", "NAV_Y", "NAV_HEADING"];

/// The sonar as a program of MOOS.
#[derive(Clone, Debug)]
pub struct Sonar {
    obstacles: Vec<(Feature, String)>,
    range_m: f64,
    half_angle: f64,
    period_s: f64,
    position: Vector,
    course: f64,
    known: [bool; 3],
}

fn block(mission: &Mission) -> Result<&Block, String> {
    let block = mission.block(NAME);
    block.ok_or_else(|| format!("the mission has no block of {NAME}; add `ProcessConfig = {NAME}`"))
}

fn lines(block: &Block) -> impl Iterator<Item = &Entry> {
    let entries = block.entries.iter();
    entries.filter(|entry| entry.name.eq_ignore_ascii_case("Obstacle"))
}

/// Returns the obstacles of the script with the names FLS_0, FLS_1 and so on.
///
/// # Errors
/// One line: there is no block of the program, or an obstacle is not valid.
pub fn obstacles(mission: &Mission) -> Result<Vec<Feature>, String> {
    let obstacles = lines(block(mission)?).enumerate().map(|(k, entry)| {
        let own = feature(&format!("FLS_{k}"), &entry.value);
        own.map_err(|why| format!("{}: Obstacle: {why}", entry.place))
    });
    obstacles.collect()
}

impl Sonar {
    /// Reads the block of the program: lines `Obstacle = ...`, as the planner has them, `Range` [m],
    /// `FieldOfView` [deg] and `AppTick` [Hz].
    ///
    /// # Errors
    /// One line: there is no block, or a value of it is not valid.
    pub fn from_mission(mission: &Mission) -> Result<Self, String> {
        let block = block(mission)?;
        let lines = lines(block).map(|entry| entry.value.clone());
        let obstacles = obstacles(mission)?.into_iter().zip(lines);
        Ok(Self {
            obstacles: obstacles.collect(),
            range_m: block.positive("Range", 60.0)?,
            half_angle: 0.5 * block.positive("FieldOfView", 90.0)?.to_radians(),
            period_s: 1.0 / block.positive("AppTick", 4.0)?,
            position: Vector::default(),
            course: 0.0,
            known: [false; 3],
        })
    }

    /// Returns the period of [`Self::iterate`] [s].
    pub fn period_s(&self) -> f64 {
        self.period_s
    }

    /// Takes a message (`OnNewMail`).
    pub fn take(&mut self, message: &Message) {
        let Some(number) = message.number().filter(|number| number.is_finite()) else {
            return;
        };
        match message.key.as_str() {
            "NAV_X" => (self.position.x, self.known[0]) = (number, true),
            "NAV_Y" => (self.position.y, self.known[1]) = (number, true),
            "NAV_HEADING" => (self.course, self.known[2]) = ((90.0 - number).to_radians(), true),
            _ => {}
        }
    }

    /// Returns the boxes that the sonar reports (`Iterate`).
    pub fn iterate(&self) -> Vec<(String, Value)> {
        if !self.known.iter().all(|known| *known) {
            return Vec::new();
        }
        // a part of an obstacle shows all of it
        let sees = |p: &Vector| {
            let way = *p - self.position;
            let bearing = (way.angle() - self.course + PI).rem_euclid(TAU) - PI;
            way.norm() <= self.range_m && bearing.abs() <= self.half_angle
        };
        let seen = self.obstacles.iter().enumerate();
        let seen = seen.filter(|(_, (own, _))| own.outline().iter().any(sees));
        seen.map(|(k, (_, text))| (format!("FLS_{k}"), text.as_str().into()))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A long box whose nearest point is abeam and whose end is ahead.
    #[test]
    fn parts_of_boxes_are_reported() {
        let text = "ProcessConfig = pFLSim\n{\n Obstacle = x=20,y=8,length=50,width=4\n}\n";
        let mission = Mission::from_text(text, "m.moos").unwrap();
        let mut sonar = Sonar::from_mission(&mission).unwrap();
        for (key, value) in [("NAV_X", 0.0), ("NAV_Y", 0.0), ("NAV_HEADING", 90.0)] {
            sonar.take(&Message::notify(key, value, 0.0));
        }
        assert_eq!(sonar.iterate().len(), 1);
    }

    #[test]
    fn boxes_ahead_and_in_range_are_reported() {
        let text = "ProcessConfig = pFLSim\n{\n Range = 40\n \
            Obstacle = x=30,y=0,length=4,width=4\n Obstacle = x=-20,y=0,length=4,width=4\n \
            Obstacle = x=90,y=0,length=4,width=4\n}\n";
        let mission = Mission::from_text(text, "m.moos").unwrap();
        let mut sonar = Sonar::from_mission(&mission).unwrap();
        assert!(sonar.iterate().is_empty());
        for (key, value) in [("NAV_X", 0.0), ("NAV_Y", 0.0), ("NAV_HEADING", 90.0)] {
            sonar.take(&Message::notify(key, value, 0.0));
        }
        let seen = |sonar: &Sonar| -> Vec<String> {
            sonar.iterate().into_iter().map(|(key, _)| key).collect()
        };
        assert_eq!(seen(&sonar), ["FLS_0"]);
        sonar.take(&Message::notify("NAV_X", 60.0, 0.0));
        assert_eq!(seen(&sonar), ["FLS_2"]);
        sonar.take(&Message::notify("NAV_HEADING", 270.0, 0.0));
        assert_eq!(seen(&sonar), ["FLS_0"]);
    }
}

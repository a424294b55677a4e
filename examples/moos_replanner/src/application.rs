//! The program of a community: reads its block of the mission file, receives motion and obstacles,
//! and posts the feeds.

use crate::feature::{Feature, Shape};
use crate::planner::{Feeds, Limits, Motion, Planner};
use crate::vector::Vector;
use merrow_moos::message::{Message, Value, field};
use merrow_moos::mission::Mission;

/// Name of the program and of its block.
pub const NAME: &str = "pVPMPlanner";

/// Resolution of the time between two headings [s].
const TIME_STEP_S: f64 = 1e-4;

/// Variables that the program receives.
pub const INPUTS: [&str; 7] = [
    "NAV_X",
    "NAV_Y",
    "NAV_HEADING",
    "NAV_SPEED",
    "FLS_*",
    "VPM_WAYPOINT",
    "VPM_ACTIVE",
];

/// Returns whether the program receives a variable.
pub(crate) fn is_input(key: &str) -> bool {
    INPUTS.iter().any(|input| match input.strip_suffix('*') {
        Some(start) => key.starts_with(start),
        None => key == *input,
    })
}

/// The planner as a program of MOOS.
#[derive(Clone, Debug)]
pub struct Application {
    planner: Planner,
    period_s: f64,
    depth_m: f64,
    motion: Motion,
    /// Which of NAV_X, NAV_Y, NAV_HEADING and NAV_SPEED have arrived.
    known: [bool; 4],
    /// Time and course of the last heading, for the yaw rate [s, rad].
    turned: Option<(f64, f64)>,
    is_active: bool,
    is_finished: bool,
}

impl Application {
    /// Reads the block of the program.
    ///
    /// # Errors
    /// One line: a value of the block is not valid.
    pub fn from_mission(mission: &Mission) -> Result<Self, String> {
        let block = mission.block(NAME);
        let number = |name: &str, default: f64| {
            block.map_or(Ok(default), |block| block.positive(name, default))
        };
        let limits = Limits::new(
            number("Speed", 1.5)?,
            number("TurnRadius", 8.0)?,
            number("Clearance", 3.0)?,
        );
        let mut planner = Planner::new(limits);
        let distance = number("TriggerDistance", 10.0)?;
        if distance < limits.turn_radius {
            let entry = block.and_then(|block| block.get("TriggerDistance"));
            let place = entry.map_or(NAME, |entry| entry.place.as_str());
            return Err(format!(
                "{place}: expected a TriggerDistance of at least the TurnRadius, {} m, found {distance} m: the vehicle would circle about its waypoint",
                limits.turn_radius
            ));
        }
        let entries = block.iter().flat_map(|block| &block.entries);
        for entry in entries {
            let located = |why: String| format!("{}: {}: {why}", entry.place, entry.name);
            if entry.name.eq_ignore_ascii_case("Waypoint") {
                let [x, y] = numbers(&entry.value).map_err(located)?;
                planner.itinerary.put(Vector::new(x, y), distance);
            } else if entry.name.eq_ignore_ascii_case("Obstacle") {
                let feature = feature("", &entry.value).map_err(located)?;
                planner.world.put(feature).map_err(located)?;
            }
        }
        Ok(Self {
            planner,
            period_s: 1.0 / number("AppTick", 10.0)?,
            depth_m: number("Depth", 3.0)?,
            motion: Motion::default(),
            known: [false; 4],
            turned: None,
            is_active: true,
            is_finished: false,
        })
    }

    /// Returns the period of [`Self::iterate`] [s].
    pub fn period_s(&self) -> f64 {
        self.period_s
    }

    /// Returns whether the last waypoint was reached.
    pub fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// Returns the planner.
    pub fn planner(&self) -> &Planner {
        &self.planner
    }

    /// Takes a message (`OnNewMail`).
    ///
    /// # Errors
    /// One line: its value is not one of the variable.
    pub fn take(&mut self, message: &Message) -> Result<(), String> {
        let key = message.key.as_str();
        let number = || {
            let number = message.number().filter(|number| number.is_finite());
            number.ok_or_else(|| format!("{key}: expected a finite number"))
        };
        let text = message.text();
        let located = |why: String| format!("{key}: {why}");
        match key {
            "NAV_X" => (self.motion.position.x, self.known[0]) = (number()?, true),
            "NAV_Y" => (self.motion.position.y, self.known[1]) = (number()?, true),
            "NAV_SPEED" => (self.motion.speed, self.known[3]) = (number()?, true),
            "NAV_HEADING" => {
                let course = (90.0 - number()?).to_radians();
                if let Some((time, before)) = self.turned
                    && message.time > time
                {
                    // logs round times, and those on the clock of the wall have 0.2 us
                    let passed = ((message.time - time) / TIME_STEP_S).round() * TIME_STEP_S;
                    let turn = (course - before).sin().atan2((course - before).cos());
                    self.motion.yaw_rate = if passed > 0.0 { turn / passed } else { 0.0 };
                }
                self.turned = Some((message.time, course));
                (self.motion.course, self.known[2]) = (course, true);
            }
            "VPM_WAYPOINT" => {
                let [x, y] = numbers(&text).map_err(located)?;
                self.planner.itinerary.put(Vector::new(x, y), 5.0);
                self.is_finished = false;
            }
            "VPM_ACTIVE" => self.is_active = text.eq_ignore_ascii_case("true"),
            _ if key.starts_with("FLS_") => {
                let feature = feature(key, &text).map_err(located)?;
                self.planner.world.put(feature).map_err(located)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns the values that the program posts in a period (`Iterate`).
    pub fn iterate(&mut self) -> Vec<(&'static str, Value)> {
        if !self.is_active || !self.known.iter().all(|known| *known) || self.is_finished {
            return Vec::new();
        }
        let Some(feeds) = self.planner.tick(&self.motion, self.period_s) else {
            self.is_finished = true;
            return vec![
                ("DESIRED_SPEED", Value::Number(0.0)),
                ("VPM_STATE", "finished".into()),
            ];
        };
        let Feeds {
            acceleration,
            speed,
            surge_integral,
            yaw_acceleration,
            yaw_rate,
            course,
        } = feeds;
        let [reached, all] = self.planner.itinerary.progress();
        vec![
            ("VPM_ACCELERATION", acceleration.into()),
            ("VPM_SPEED", speed.into()),
            ("VPM_SURGE_INTEGRAL", surge_integral.into()),
            ("VPM_YAW_ACCELERATION", yaw_acceleration.into()),
            ("VPM_YAW_RATE", yaw_rate.into()),
            ("VPM_COURSE", course.into()),
            ("VPM_STATE", format!("waypoint {reached} of {all}").into()),
            // of a controller such as pMarinePIDV22: headings clockwise from north
            (
                "DESIRED_HEADING",
                (90.0 - course.to_degrees()).rem_euclid(360.0).into(),
            ),
            ("DESIRED_SPEED", speed.into()),
            ("DESIRED_DEPTH", self.depth_m.into()),
        ]
    }
}

/// Reads as many finite numbers as the array has, separated by commas.
fn numbers<const N: usize>(text: &str) -> Result<[f64; N], String> {
    let all: Result<Vec<f64>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    let all = all
        .ok()
        .filter(|all| all.iter().all(|x: &f64| x.is_finite()));
    let all = all.and_then(|all| <[f64; N]>::try_from(all).ok());
    all.ok_or_else(|| format!("expected {N} numbers separated by commas, found {text:?}"))
}

/// Reads an obstacle, `name,kind=...,x=...,y=...` and the values of its kind: `length`, `width` and
/// `rotation` [deg] of a rectangle or an ellipse, `radius` of a circle, `x1` to `y3` of a triangle
/// [m]. The box of a sonar has no kind and is a rectangle; its height and its z are not considered.
/// Without a name in the text, it is that of the variable.
pub(crate) fn feature(variable: &str, text: &str) -> Result<Feature, String> {
    let value = |name: &str| field(text, name);
    let number = |name: &str| {
        let number = value(name).and_then(|value| value.parse::<f64>().ok());
        let number = number.filter(|x| x.is_finite());
        number.ok_or_else(|| format!("expected a number `{name}`, found {text:?}"))
    };
    let size = |name: &str| {
        let size = Some(number(name)?).filter(|x| *x > 0.0);
        size.ok_or_else(|| format!("expected `{name}` above 0, found {text:?}"))
    };
    let half = || Ok::<_, String>(Vector::new(0.5 * size("length")?, 0.5 * size("width")?));
    let angle = || match value("rotation") {
        Some(_) => number("rotation").map(f64::to_radians),
        None => Ok(0.0),
    };
    let at = |k: u32| {
        Ok::<_, String>(Vector::new(
            number(&format!("x{k}"))?,
            number(&format!("y{k}"))?,
        ))
    };
    let centre = || Ok::<_, String>(Vector::new(number("x")?, number("y")?));
    let kind = value("kind").unwrap_or("rectangle").to_lowercase();
    let (position, shape) = match kind.as_str() {
        "rectangle" => {
            let (half, angle) = (half()?, angle()?);
            (centre()?, Shape::Rectangle { half, angle })
        }
        "ellipse" => {
            let (half, angle) = (half()?, angle()?);
            (centre()?, Shape::Ellipse { half, angle })
        }
        "circle" => {
            let radius = size("radius")?;
            (centre()?, Shape::Circle { radius })
        }
        "triangle" => {
            let corners = [at(1)?, at(2)?, at(3)?];
            let centre = (corners[0] + corners[1] + corners[2]) * (1.0 / 3.0);
            let corners = corners.map(|corner| corner - centre);
            (centre, Shape::Triangle { corners })
        }
        _ => {
            return Err(format!(
                "expected a kind rectangle, circle, ellipse or triangle, found {kind:?}"
            ));
        }
    };
    let name = value("name").unwrap_or(variable);
    Ok(Feature::new(name, position, shape))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MISSION: &str = "ProcessConfig = pVPMPlanner\n{\n AppTick = 10\n Speed = 2\n Waypoint = 50, 0\n \
        Waypoint = 50, 50\n Obstacle = name=buoy,kind=circle,x=25,y=1,radius=3\n}\n";

    fn application() -> Application {
        Application::from_mission(&Mission::from_text(MISSION, "m.moos").unwrap()).unwrap()
    }

    #[test]
    fn feeds_follow_the_mail() {
        let mut own = application();
        assert!(own.iterate().is_empty(), "no motion yet");
        for (key, value) in [
            ("NAV_X", 0.0),
            ("NAV_Y", 0.0),
            ("NAV_HEADING", 90.0),
            ("NAV_SPEED", 1.0),
        ] {
            own.take(&Message::notify(key, value, 1.0)).unwrap();
        }
        let posted = own.iterate();
        let find = |key: &str| {
            posted
                .iter()
                .find(|(own, _)| *own == key)
                .unwrap()
                .1
                .clone()
        };
        assert_eq!(find("VPM_STATE"), Value::Text("waypoint 0 of 2".into()));
        let Value::Number(heading) = find("DESIRED_HEADING") else {
            panic!()
        };
        assert!((60.0..=120.0).contains(&heading), "{heading}");
        own.take(&Message::notify("NAV_HEADING", 80.0, 2.0))
            .unwrap();
        assert!((own.motion.yaw_rate - 10.0_f64.to_radians()).abs() < 1e-9);
        own.take(&Message::notify("VPM_ACTIVE", "false", 2.0))
            .unwrap();
        assert!(own.iterate().is_empty());
    }

    #[test]
    fn boxes_of_the_sonar_are_obstacles() {
        let mut own = application();
        let text = "x=10,y=20,z=-3,length=4,width=2,rotation=90";
        own.take(&Message::notify("FLS_1", text, 0.0)).unwrap();
        own.take(&Message::notify("FLS_1", text, 0.0)).unwrap();
        let found = own.planner().world.features();
        assert_eq!(found.len(), 2);
        assert_eq!(
            (found[1].name.as_str(), found[1].position),
            ("FLS_1", Vector::new(10.0, 20.0))
        );
    }

    #[test]
    fn values_that_are_none_have_one_line() {
        let mut own = application();
        for (message, expected) in [
            (
                Message::notify("NAV_X", f64::NAN, 0.0),
                "NAV_X: expected a finite number",
            ),
            (
                Message::notify("NAV_X", "1", 0.0),
                "NAV_X: expected a finite number",
            ),
            (
                Message::notify("FLS_1", "x=1,y=1,length=0,width=1", 0.0),
                "FLS_1: expected `length` above 0, found \"x=1,y=1,length=0,width=1\"",
            ),
            (
                Message::notify("VPM_WAYPOINT", "1", 0.0),
                "VPM_WAYPOINT: expected 2 numbers separated by commas, found \"1\"",
            ),
        ] {
            assert_eq!(own.take(&message).unwrap_err(), expected);
        }
        let wrong = MISSION.replace("Speed = 2", "Speed = 0");
        let why = Application::from_mission(&Mission::from_text(&wrong, "m").unwrap()).unwrap_err();
        assert_eq!(why, "m:4: Speed: expected a number above 0");
    }
}

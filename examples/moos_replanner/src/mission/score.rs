//! Score of a mission, from the variables of its community.

use crate::feature::Feature;
use crate::vector::Vector;
use merrow_moos::message::Message;
use serde_json::{Value, json};

/// Time within which the vehicle reaches its depth [s].
const DIVE_S: f64 = 60.0;

/// What the vehicle has done so far.
#[derive(Clone, Debug)]
pub struct Score {
    obstacles: Vec<Feature>,
    /// Positions of the vehicle [m].
    pub track: Vec<Vector>,
    /// Boxes that the sonar has reported, the last value of each.
    pub reported: Vec<Feature>,
    east: Option<f64>,
    depth_m: [f64; 2],
    /// Least distance of the track from an obstacle [m], and its place.
    closest: (f64, Vector),
    /// Time of the first variable on the clock of the community [s].
    start_s: Option<f64>,
    /// Time since then [s].
    pub time_s: f64,
    /// Reached waypoints, and all.
    pub progress: [usize; 2],
    /// Whether the planner has reported its end.
    pub is_finished: bool,
}

impl Score {
    /// Begins the score of a mission with obstacles and a number of waypoints.
    pub fn new(obstacles: Vec<Feature>, waypoints: usize) -> Self {
        Self {
            obstacles,
            track: Vec::new(),
            reported: Vec::new(),
            east: None,
            depth_m: [f64::INFINITY, f64::NEG_INFINITY],
            closest: (f64::INFINITY, Vector::default()),
            start_s: None,
            time_s: 0.0,
            progress: [0, waypoints],
            is_finished: false,
        }
    }

    /// Takes a message of the community.
    pub fn take(&mut self, message: &Message) {
        let number = message.number().filter(|number| number.is_finite());
        match (message.key.as_str(), number) {
            ("NAV_X", Some(x)) => {
                let start_s = *self.start_s.get_or_insert(message.time);
                self.time_s = message.time - start_s;
                self.east = Some(x);
            }
            ("NAV_Y", Some(y)) => {
                if let Some(x) = self.east {
                    self.reach(Vector::new(x, y));
                }
            }
            ("NAV_DEPTH", Some(depth)) if self.time_s > DIVE_S => {
                let [low, high] = self.depth_m;
                self.depth_m = [low.min(depth), high.max(depth)];
            }
            ("VPM_STATE", None) => {
                let text = message.text();
                self.is_finished = text == "finished";
                if self.is_finished {
                    self.progress[0] = self.progress[1];
                } else if let Some(reached) = text.split(' ').nth(1) {
                    self.progress[0] = reached.parse().unwrap_or(self.progress[0]);
                }
            }
            (key, None) if key.starts_with("FLS_") => {
                if let Ok(own) = crate::application::feature(key, &message.text()) {
                    self.reported.retain(|other| other.name != own.name);
                    self.reported.push(own);
                }
            }
            _ => {}
        }
    }

    fn reach(&mut self, p: Vector) {
        let gaps = self.obstacles.iter().map(|own| own.distance(p).0);
        let gap = gaps.fold(f64::INFINITY, f64::min);
        if gap < self.closest.0 {
            self.closest = (gap, p);
        }
        self.track.push(p);
    }

    /// Returns whether all waypoints were reached and no obstacle was touched.
    pub fn is_success(&self) -> bool {
        self.is_finished && self.closest.0 > 0.0
    }

    /// Returns the score as JSON; `ticks_s` are the processor times of the periods of the planner [s].
    pub fn json(&self, ticks_s: &[f64]) -> Value {
        let mut ticks_ms: Vec<f64> = ticks_s.iter().map(|s| 1e3 * s).collect();
        ticks_ms.sort_by(f64::total_cmp);
        let at = |part: f64| {
            let last = ticks_ms.len().checked_sub(1)?;
            Some(round(ticks_ms[(part * last as f64) as usize], 1e4))
        };
        json!({
            "success": self.is_success(),
            "way_points": self.progress,
            "time_s": round(self.time_s, 10.0),
            "closest_m": self.closest.0.is_finite().then(|| round(self.closest.0, 100.0)),
            "closest_at_m": [round(self.closest.1.x, 10.0), round(self.closest.1.y, 10.0)],
            "depth_m": self.depth_m.map(|depth| round(depth, 100.0)),
            "reported_boxes": self.reported.len(),
            "planner_ms": {"periods": ticks_ms.len(), "median": at(0.5), "p99": at(0.99), "worst": at(1.0)},
        })
    }
}

/// Rounds to a part of one; also an infinite number, which JSON writes as null.
fn round(value: f64, parts: f64) -> f64 {
    (value * parts).round() / parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::application::feature;

    #[test]
    fn scores_follow_the_variables() {
        let obstacle = feature("a", "kind=circle,x=10,y=0,radius=2").unwrap();
        let mut score = Score::new(vec![obstacle], 2);
        let mut take = |key: &str, value: f64, time: f64| {
            score.take(&Message::notify(key, value, time));
        };
        for (k, [x, y]) in [[0.0, 0.0], [9.0, 5.0], [20.0, 0.0]]
            .into_iter()
            .enumerate()
        {
            let time = 100.0 + 50.0 * k as f64;
            take("NAV_X", x, time);
            take("NAV_Y", y, time);
            take("NAV_DEPTH", 3.0 + k as f64, time);
        }
        score.take(&Message::notify("VPM_STATE", "waypoint 1 of 2", 200.0));
        assert_eq!(score.progress, [1, 2]);
        assert!(!score.is_success());
        score.take(&Message::notify("VPM_STATE", "finished", 200.0));
        assert!(score.is_success());
        let json = score.json(&[0.001, 0.003, 0.002]);
        assert_eq!(json["closest_m"], 3.1);
        assert_eq!(json["depth_m"], serde_json::json!([5.0, 5.0]));
        assert_eq!(json["time_s"], 100.0);
        assert_eq!(json["planner_ms"]["median"], 2.0);
        // through the obstacle
        score.take(&Message::notify("NAV_X", 10.0, 201.0));
        score.take(&Message::notify("NAV_Y", 0.0, 201.0));
        assert!(!score.is_success());
    }
}

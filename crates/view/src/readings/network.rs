//! Recent activities of the modems and recent frames, for the panel of the network.

use merrow_math::Vec3;
use merrow_model::state::comms::{Activity, Interval, NetworkOutput, PacketRecord};
use merrow_sim::Simulation;
use serde_json::{Value, json};
use std::collections::VecDeque;

/// Duration of the schedule trace [ns].
const WINDOW_NS: u64 = 60_000_000_000;
/// Maximum number of intervals of the schedule trace.
const MAX_INTERVALS: usize = 2048;
/// Maximum number of frames.
const MAX_FRAMES: usize = 1024;

/// Transmitted frame that has ended at a receiver.
#[derive(Clone, Copy, Debug)]
struct Frame {
    from: u32,
    to: u32,
    /// Distance of the robots or the fixed modems at the end of the block [m].
    distance: f64,
    /// Time from the start of the transmission to the end of the arrival [s]; `None`: lost.
    delay: Option<f64>,
}

/// Newest intervals and frames of the network.
#[derive(Debug, Default)]
pub(crate) struct NetworkHistory {
    /// Start of the complete schedule trace [ns]; `None` before the first block.
    since_ns: Option<u64>,
    now_ns: u64,
    /// Intervals without the activity idle, by their end.
    intervals: VecDeque<Interval>,
    frames: VecDeque<Frame>,
}

impl NetworkHistory {
    /// Adds the results of the last block.
    pub(crate) fn update(&mut self, simulation: &Simulation) {
        if simulation.scene.modems.is_empty() {
            return;
        }
        let now = simulation.time_ns();
        if now < self.now_ns {
            *self = Self::default();
        }
        self.now_ns = now;
        let output = &*simulation.network_output;
        let since = *self.since_ns.get_or_insert(now);
        self.add_intervals(output, since);
        let packets = &output.packets.items;
        let skipped = packets.len().saturating_sub(MAX_FRAMES);
        for record in packets[skipped..].iter().filter(|record| record.bits > 0) {
            self.frames.push_back(frame(simulation, record));
        }
        let excess = self.frames.len().saturating_sub(MAX_FRAMES);
        self.frames.drain(..excess);
    }

    /// Adds the intervals that ended after `since_ns` [ns], and removes those before the window.
    fn add_intervals(&mut self, output: &NetworkOutput, since_ns: u64) {
        let start = self.now_ns.saturating_sub(WINDOW_NS);
        let limit = start.max(since_ns);
        let trace = output.trace.items.iter();
        let new = trace.filter(|i| i.activity != Activity::Idle && i.end_ns > limit);
        self.intervals.extend(new);
        while self.intervals.front().is_some_and(|i| i.end_ns <= start) {
            self.intervals.pop_front();
        }
        while self.intervals.len() > MAX_INTERVALS {
            // the trace is incomplete before the end of a removed interval
            self.since_ns = self.intervals.pop_front().map(|i| i.end_ns);
        }
    }

    /// Returns the schedule trace and the frames as JSON text; empty without modems.
    pub(crate) fn message(&self, simulation: &Simulation) -> String {
        let Some(since) = self.since_ns else {
            return String::new();
        };
        let interval = |i: &Interval| {
            let times = [i.start_ns.max(since), i.end_ns].map(seconds);
            json!([i.modem, i.activity as u8, times[0], times[1]])
        };
        let ended = self.intervals.iter().filter(|i| i.end_ns > since);
        let mut intervals: Vec<Value> = ended.map(interval).collect();
        let modems = simulation.state.network.modems.iter().enumerate();
        let active = modems.filter(|(_, own)| own.activity != Activity::Idle);
        let current = active.map(|(k, own)| Interval {
            modem: k as u32,
            activity: own.activity,
            start_ns: own.activity_ns,
            end_ns: self.now_ns,
        });
        intervals.extend(current.map(|i| interval(&i)));
        let frame = |frame: &Frame| {
            let distance = rounded(frame.distance, 100.0);
            let delay = frame.delay.map(|delay| rounded(delay, 1e6));
            json!([frame.from, frame.to, distance, delay])
        };
        json!({
            "type": "network",
            "time_s": seconds(self.now_ns),
            "since_s": seconds(since),
            "intervals": intervals,
            "frames": self.frames.iter().map(frame).collect::<Vec<_>>(),
        })
        .to_string()
    }
}

/// Rounds to a multiple of the reciprocal of `scale`.
fn rounded(x: f64, scale: f64) -> f64 {
    (x * scale).round() / scale
}

/// Converts a time to seconds, rounded to 0.1 ms.
fn seconds(time_ns: u64) -> f64 {
    rounded(time_ns as f64 * 1e-9, 1e4)
}

/// Returns the frame of a record.
fn frame(simulation: &Simulation, record: &PacketRecord) -> Frame {
    let place = |modem: u32| -> Vec3 {
        let modem = &simulation.scene.modems[modem as usize];
        match modem.on {
            Some((robot, _)) => simulation.state.robots[robot].motion.p_WB,
            None => modem.p,
        }
    };
    let delay = record.time_ns.saturating_sub(record.start_ns) as f64 * 1e-9;
    Frame {
        from: record.from,
        to: record.to,
        distance: (place(record.from) - place(record.to)).norm(),
        delay: record.cause.is_none().then_some(delay),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns an output with intervals of 10 ms, which alternate between idle and transmit.
    fn output(from_ns: u64, n: u64) -> NetworkOutput {
        let mut output = NetworkOutput::default();
        for k in 0..n {
            let start_ns = from_ns + k * 10_000_000;
            output.trace.items.push(Interval {
                modem: 0,
                activity: [Activity::Idle, Activity::Transmit][(k % 2) as usize],
                start_ns,
                end_ns: start_ns + 10_000_000,
            });
        }
        output
    }

    // The trace is bounded in time and in number. Method: intervals over 100 s at two rates.
    #[test]
    fn trace_is_bounded() {
        let mut history = NetworkHistory {
            since_ns: Some(0),
            now_ns: 20_000_000_000,
            ..NetworkHistory::default()
        };
        history.add_intervals(&output(0, 2000), 0);
        assert_eq!(history.intervals.len(), 1000);
        // a minute after the last interval the trace is empty
        history.now_ns = 80_000_000_000;
        history.add_intervals(&output(0, 0), 0);
        assert!(history.intervals.is_empty());
        history.add_intervals(&output(60_000_000_000, 2 * 2048 + 200), 0);
        assert_eq!(history.intervals.len(), MAX_INTERVALS);
        let since = history.since_ns.expect("a time");
        let first = history.intervals.front().expect("an interval");
        assert_eq!([since, first.start_ns], [62_000_000_000, 62_010_000_000]);
    }
}

//! Skew between the clocks of the docking study: in steps, and in a run that follows the wall
//! clock.

use crate::docking::law::Law;
use crate::docking::run::{Timing, Trial};
use crate::docking::scenario::{DOCK, DUMMIES, Packets, SCHEDULE, STEP, Setup, world_text};
use merrow_chart::canvas::Drawing;
use merrow_chart::chart::{Panel, coloured, draw_figure};
use merrow_model::state::Command;
use merrow_model::state::comms::{ModemCommand, Send};
use merrow_model::state::computer::TaskActivity;
use merrow_sim::pace::{Clock, request_precise_timers};
use merrow_validate::cases::reference_data::{ReferenceData, apply};
use std::fmt::Write as _;

/// Period of the task whose releases are compared: attitude control, section 5.1.2 [ns].
const TASK_PERIOD: u64 = 20_000_000;
/// Period of the acoustic schedule and slot of the dock [ns].
const SCHEDULE_PERIOD: u64 = 740_000_000;
const SLOT: u64 = 51_200_000;
/// Number of bars of the histogram.
const BARS: usize = 40;

/// Times of the network and of the computers minus the times that the grid of steps gives.
#[derive(Clone, Debug, Default)]
pub struct Skews {
    /// Skews of the releases of the task [s].
    pub releases: Vec<f64>,
    /// Skews of the frames of the dock, which start with its slots [s].
    pub frames: Vec<f64>,
}

/// Returns the difference between `time` and the nearest multiple of `period`, both [ns], in
/// seconds.
fn offset(time: u64, period: u64) -> f64 {
    let phase = time % period;
    let late = phase as f64;
    1e-9 * if 2 * phase > period {
        late - period as f64
    } else {
        late
    }
}

/// Returns the difference between `time` [ns] and the nearest start of a slot of the dock, in
/// seconds.
fn slot_offset(time: u64) -> f64 {
    let places = u64::from(SCHEDULE.1);
    let offsets = (0..places).map(|k| offset(time + SCHEDULE_PERIOD - k * SLOT, SCHEDULE_PERIOD));
    offsets.fold(
        f64::INFINITY,
        |best, x| {
            if x.abs() < best.abs() { x } else { best }
        },
    )
}

/// Simulates the world of the study for `seconds` [s] with clocks that are fast by `skew` [ppm],
/// and compares releases and frames with the time that follows from the number of steps. The dock
/// transmits a packet to every modem in each period.
///
/// # Errors
/// Errors in the world, or a refused command.
pub(crate) fn measure_skews(
    data: &ReferenceData,
    seconds: f64,
    skew: f64,
) -> Result<Skews, String> {
    let clock = format!("clock: {{skew_ppm: {skew}}}");
    let task = "attitude: {activation: {kind: periodic, period_s: 0.02}, \
                execution: {kind: constant, time_s: 0.001}}";
    let computers = format!("      computers: {{main: {{{clock}, tasks: {{{task}}}}}}}\n");
    let text = world_text(&Setup::default())
        .replacen("      modems:\n", &format!("{computers}      modems:\n"), 1)
        .replacen(
            "dock_acoustic: {",
            &format!("dock_acoustic: {{{clock}, "),
            1,
        );
    let mut simulation = data.simulation(&text)?;
    let is_dock = |m: &merrow_model::scene::comms::Modem| m.name == "dock_acoustic";
    let dock = simulation.scene.modems.iter().position(is_dock);
    let dock = dock.ok_or("the world has no modem dock_acoustic")?;
    let steps_per_period = SCHEDULE_PERIOD / simulation.scene.dt_ns;
    let mut skews = Skews::default();
    let mut last_start = None;
    for step in 0..libm::round(seconds / STEP) as u64 {
        // after the last slot of the dock, so that the frames wait for the next period
        if step % steps_per_period == steps_per_period - 4 {
            for destination in 2..=DUMMIES + 2 {
                apply(&mut simulation, &packet(dock, destination))?;
            }
        }
        simulation.advance(1);
        let running = simulation.task_intervals.iter();
        let running = running.filter(|i| i.activity == TaskActivity::Running);
        skews
            .releases
            .extend(running.map(|i| offset(i.start_ns, TASK_PERIOD)));
        let records = simulation.network_output.packets.items.iter();
        for record in records.filter(|p| p.from as usize == dock) {
            // one record per receiver, in the order of the frames
            if last_start < Some(record.start_ns) {
                last_start = Some(record.start_ns);
                skews.frames.push(slot_offset(record.start_ns));
            }
        }
        simulation.clear_outboxes();
    }
    Ok(skews)
}

/// Returns the command that transmits a packet of the dock.
fn packet(modem: usize, destination: u16) -> Command {
    Command::Modem(ModemCommand::Send(Send::new(
        modem,
        destination,
        vec![0; Packets::TEXT.bytes],
    )))
}

/// Run of the docking study that follows the wall clock.
#[derive(Clone, Debug)]
pub struct PacedRun {
    /// Wall-clock time minus simulated time at the end of each cycle of 20 ms, ascending [s].
    pub skews: Vec<f64>,
    /// Simulated time per wall-clock time [-].
    pub factor: f64,
}

/// Simulates the first `seconds` [s] of the manoeuvre in real time.
///
/// # Errors
/// Errors in the world, or a refused command.
pub(crate) fn run_paced(data: &ReferenceData, seconds: f64) -> Result<PacedRun, String> {
    let scene = data.world(&world_text(&Setup::default()))?;
    let timing = Timing::from_packets(&Packets::TEXT);
    let mut trial = Trial::new(scene, Law::Error, true, DOCK, timing)?;
    request_precise_timers();
    let mut clock = Clock::new(trial.simulation.time_ns());
    let mut skews = Vec::new();
    while trial.time() < seconds {
        let position = trial.simulation.state.robots[0].motion.p_WB;
        trial.advance(Some(position))?;
        skews.push(clock.wait_for(trial.simulation.time_ns()));
    }
    skews.sort_by(f64::total_cmp);
    Ok(PacedRun {
        skews,
        factor: trial.time() / clock.wall_s(),
    })
}

impl PacedRun {
    /// Returns the mean and the standard deviation of the skew [s].
    pub fn moments(&self) -> [f64; 2] {
        let n = self.skews.len() as f64;
        let mean = self.skews.iter().sum::<f64>() / n;
        let squares = self.skews.iter().map(|x| (x - mean) * (x - mean));
        [mean, (squares.sum::<f64>() / n).sqrt()]
    }

    /// Returns the skew [s] that the fraction `part` [-] of the cycles does not exceed.
    pub fn quantile(&self, part: f64) -> f64 {
        let last = self.skews.len().saturating_sub(1);
        let at = libm::ceil(part * self.skews.len() as f64) as usize;
        let skew = self.skews.get(at.saturating_sub(1).min(last));
        skew.copied().unwrap_or(f64::NAN)
    }

    /// Returns the table of the distribution as text. Its numbers depend on the computer.
    pub fn table(&self) -> String {
        let [mean, deviation] = self.moments();
        let mut text = format!(
            "clocks in real time: {} cycles of 20 ms, real-time factor {:.4}\n\
             wall-clock time minus simulated time\n",
            self.skews.len(),
            self.factor
        );
        for (name, skew) in [
            ("mean", mean),
            ("standard deviation", deviation),
            ("median", self.quantile(0.5)),
            ("90 %", self.quantile(0.9)),
            ("99 %", self.quantile(0.99)),
            ("99.9 %", self.quantile(0.999)),
            ("largest", self.quantile(1.0)),
        ] {
            let _ = writeln!(text, "  {name:<20} {:>9.4} ms", 1e3 * skew);
        }
        text.push('\n');
        text
    }

    /// Draws the histogram of the skew up to 1.25 times its 99 % quantile; the last bar contains
    /// all larger values.
    pub fn figure(&self) -> Drawing {
        let width = (1.25 * self.quantile(0.99) / BARS as f64).max(1e-9);
        let mut counts = [0_u32; BARS];
        for skew in &self.skews {
            counts[((skew / width) as usize).min(BARS - 1)] += 1;
        }
        let n = self.skews.len() as f64;
        let mut points = vec![[0.0, 0.0]];
        for (k, count) in counts.into_iter().enumerate() {
            let [left, right] = [k, k + 1].map(|k| 1e3 * width * k as f64);
            let share = 100.0 * f64::from(count) / n;
            points.extend([[left, share], [right, share]]);
        }
        points.push([1e3 * width * BARS as f64, 0.0]);
        let x_label = "wall-clock time minus simulated time [ms]";
        let lines = coloured([("real time", points)]);
        let panel = Panel::new("part of the cycles [%]", x_label, lines);
        let title = "Skew of the clocks in real time; last bar: all larger values";
        draw_figure(title, &[panel], 820, 240)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_have_signs() {
        let ms = 1_000_000;
        assert!((offset(740 * ms + 3, SCHEDULE_PERIOD) - 3e-9).abs() < 1e-15);
        assert!((offset(738 * ms, SCHEDULE_PERIOD) + 2e-3).abs() < 1e-15);
        assert_eq!(slot_offset(2 * SCHEDULE_PERIOD + 3 * SLOT), 0.0);
        assert!((slot_offset(SCHEDULE_PERIOD + 5 * SLOT - ms) + 1e-3).abs() < 1e-15);
    }

    // Quantiles and moments of a known distribution. Method: 1 to 100 ms. Tolerance:
    // rounding.
    #[test]
    fn quantiles_are_ordered_values() {
        let run = PacedRun {
            skews: (1..=100).map(|k| 1e-3 * f64::from(k)).collect(),
            factor: 1.0,
        };
        assert_eq!(
            [0.0, 0.5, 0.99, 1.0].map(|p| run.quantile(p)),
            [1e-3, 0.05, 0.099, 0.1]
        );
        let [mean, deviation] = run.moments();
        assert!((mean - 0.0505).abs() < 1e-12 && (deviation - 0.028_866).abs() < 1e-6);
    }
}

//! Replacement of the scene of a running world: robots, props and structures are added, removed or
//! placed elsewhere between two steps.
//!
//! The new world is created completely, on any thread, before it replaces the running one. The
//! objects that exist in both continue as without the replacement, bit for bit: their state moves,
//! and all indices in it are converted. Other robots start at the current time.
//!
//! # Law
//! The state of an object that is in both scenes does not change. A new robot starts as at the
//! start of a world file; its sensors and controllers continue the sequence of instants and of
//! random numbers that they would have had since the time 0.
//!
//! # Limits
//! Messages and frames of a removed modem, and those in transit to it, are lost with the cause
//! "removed". If the bridges change, the network restarts. A coupling that holds an object that no
//! longer exists is released. Sea and weather keep their current state; the environment of the new
//! scene has no effect.
//!
//! # Checked by
//! test/determinism/state/replacement.rs

use crate::late_start;
use crate::simulation::{SceneVersion, Simulation};
use merrow_model::scene::Correspondence;
use merrow_model::scene::fault::Device;
use merrow_model::scene::schedule::ScheduledCommand;
use merrow_model::state::State;
use merrow_model::state::coupling::LatchCapture;
use merrow_model::state::shape;

impl Simulation {
    /// Continues the run with the scene of `new`, a world at its start. Returns the correspondence
    /// of the objects; `new` then contains the old world. The readings and frames in the outboxes
    /// are discarded.
    ///
    /// # Errors
    /// A thread of an exteroceptive sensor has failed; the run is then unchanged.
    pub fn replace(&mut self, new: &mut Self) -> Result<Correspondence, String> {
        self.lose_removed_modems(new);
        let same = self.correspondence(new);
        let saved = self.sensor_scheduler.as_mut();
        let saved = saved
            .map(|scheduler| scheduler.saved_frames())
            .transpose()?;
        if let (Some(saved), Some(scheduler)) = (saved, &mut new.sensor_scheduler) {
            let frames = saved.for_scene(&self.scene, &new.scene, &same);
            if !scheduler.restore_frames(frames) {
                return Err("the sensors of the new world have another order".to_string());
            }
        }
        new.scene_version = SceneVersion(self.scene_version.0 + 1);
        std::mem::swap(self, new);
        let old = new;
        self.transfer_state(old, &same);
        self.transfer_contacts(old, &same);
        let replay = std::mem::take(&mut old.replay);
        let left = replay.commands.into_iter().skip(replay.applied);
        // commands to objects that no longer exist are left out
        let in_scene = left.filter_map(|entry| {
            let command = entry.command.in_scene(&same)?;
            Some(ScheduledCommand { command, ..entry })
        });
        self.replay.commands = in_scene.collect();
        self.clear_outboxes();
        Ok(same)
    }

    /// Continues with the world `new` at its start, without state of the current world. `new` then
    /// contains the current world. Returns the correspondence, in which no object exists in both.
    pub fn load(&mut self, new: &mut Self) -> Correspondence {
        new.scene_version = SceneVersion(self.scene_version.0 + 1);
        std::mem::swap(self, new);
        // lists without entries: no index has a counterpart
        Correspondence::default()
    }

    /// Compares the objects with the objects of `new`. A robot that has other parts is another
    /// robot.
    pub(crate) fn correspondence(&self, new: &Self) -> Correspondence {
        let mut same = Correspondence::new(&self.scene, &new.scene);
        for (old, target) in same.robots.iter_mut().enumerate() {
            let is_same =
                |k: &usize| shape::is_same_robot(&self.state.robots[old], &new.state.robots[*k]);
            *target = target.filter(is_same);
        }
        for (old, target) in same.modems.iter_mut().enumerate() {
            let own = &self.scene.modems[old];
            let mut moved = own.clone();
            moved.on = match own.on {
                None => None,
                Some((robot, link)) => match same.robots.get(robot).copied().flatten() {
                    Some(robot) => Some((robot, link)),
                    None => {
                        *target = None;
                        continue;
                    }
                },
            };
            *target = target.filter(|k| new.scene.modems[*k] == moved);
        }
        same
    }

    /// Moves the state of all objects that exist in both worlds.
    fn transfer_state(&mut self, old: &mut Self, same: &Correspondence) {
        let (now, before) = (&mut self.state, &mut old.state);
        (now.time_ns, now.step) = (before.time_ns, before.step);
        now.scheduled = before.scheduled;
        now.sea = before.sea.clone();
        let mut is_new = vec![true; now.robots.len()];
        for (state, target) in before.robots.iter_mut().zip(&same.robots) {
            if let Some(target) = *target {
                std::mem::swap(state, &mut now.robots[target]);
                now.robots[target].faults.retain_mut(|fault| {
                    fault.fault.robot = Some(target);
                    move_device(&mut fault.fault.device, same)
                });
                is_new[target] = false;
            }
        }
        let robots = self.scene.robots.iter().zip(&mut now.robots);
        for ((robot, state), _) in robots.zip(&is_new).filter(|(_, is_new)| **is_new) {
            late_start::start_at(robot, state, before.time_ns);
        }
        for (state, target) in before.tethers.iter_mut().zip(&same.tethers) {
            if let Some(target) = *target {
                std::mem::swap(state, &mut now.tethers[target]);
            }
        }
        self.continue_network(old, same);
        self.continue_task(old);
        let (now, before) = (&mut self.state, &mut old.state);
        transfer_couplings(now, before, same);
        transfer_chargers(now, before, same);
        transfer_world_faults(now, before, same);
    }
}

/// Moves the state of the couplings. A coupling whose partner no longer exists is released.
fn transfer_couplings(now: &mut State, before: &State, same: &Correspondence) {
    for (state, target) in before.couplings.iter().zip(&same.couplings) {
        let Some(target) = *target else { continue };
        let mut moved = *state;
        if let Some((robot, link)) = state.partner {
            moved.partner = same.robot(robot).map(|robot| (robot, link));
            if moved.partner.is_none() {
                moved.release(LatchCapture::Armed);
            }
        }
        now.couplings[target] = moved;
    }
}

/// Moves the state of the chargers. A charger is disconnected from a robot that no longer exists.
fn transfer_chargers(now: &mut State, before: &State, same: &Correspondence) {
    for (state, target) in before.chargers.iter().zip(&same.chargers) {
        if let Some(target) = *target {
            now.chargers[target] = *state;
            now.chargers[target].robot = state.robot.and_then(|robot| same.robot(robot));
        }
    }
}

/// Moves the faults of the beacons and of the fixed modems that exist in both worlds.
fn transfer_world_faults(now: &mut State, before: &State, same: &Correspondence) {
    now.faults.clone_from(&before.faults);
    let faults = &mut now.faults;
    faults.retain_mut(|fault| move_device(&mut fault.fault.device, same));
}

/// Changes the index of a device to the other world. Returns false if it does not exist there.
fn move_device(device: &mut Device, same: &Correspondence) -> bool {
    let moved = device.in_scene(same);
    *device = moved.unwrap_or(*device);
    moved.is_some()
}

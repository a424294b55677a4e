//! Change of the topics when the scene of the run is replaced.

use crate::publisher::output_index::OutputIndex;
use crate::publisher::{NextScene, SceneOutputs, Worker};
use merrow_messages::convert::topic;
use merrow_messages::convert::topic::Topic;
use merrow_model::scene::Robot;
use merrow_sim::SceneVersion;
use std::sync::Arc;

/// Returns the topics of every sensor of a robot.
pub(super) fn topics_of_sensors(robot: &Robot) -> Vec<Vec<Topic>> {
    robot.sensors.iter().map(topic::topics).collect()
}

/// Moves the items of objects that exist in both versions of the scene.
fn move_items<T>(old: &mut [T], targets: &[Option<usize>], new: &mut [T]) {
    for (item, target) in old.iter_mut().zip(targets) {
        if let Some(target) = target {
            std::mem::swap(item, &mut new[*target]);
        }
    }
}

impl Worker {
    /// Continues with the topics of a version of the scene.
    pub(super) fn follow_scene(&mut self, version: SceneVersion) {
        while self.context.outputs.version < version {
            let Ok(next) = self.next_scenes.recv() else {
                return;
            };
            self.change_scene(next);
        }
    }

    /// Continues with the topics of the next version of the scene. Topics that exist in both
    /// versions keep their state.
    fn change_scene(&mut self, next: NextScene) {
        let same = &next.same;
        let old = std::mem::replace(&mut self.context.outputs, next.outputs);
        self.shared.world.lock().text = next.world;
        let SceneOutputs {
            version,
            scene,
            plan,
            ..
        } = self.context.outputs.clone();
        self.outputs = Arc::new(OutputIndex::new(&scene, &plan));
        let mut topics: Vec<_> = scene.robots.iter().map(topics_of_sensors).collect();
        move_items(&mut self.sensor_topics, &same.robots, &mut topics);
        self.sensor_topics = topics;
        let mut engaged: Vec<bool> = scene.couplings.iter().map(|c| c.engaged).collect();
        move_items(&mut self.engaged, &same.couplings, &mut engaged);
        self.engaged = engaged;
        let mut intact = vec![true; scene.tethers.len()];
        move_items(&mut self.intact, &same.tethers, &mut intact);
        self.intact = intact;
        for goal in self.context.goals.lock().iter() {
            goal.change_scene(version, same);
        }
        if let Some((bag, channels)) = self.bag.take() {
            let continued = self.channels_of_scene(bag, &old, &channels);
            let continued = continued.and_then(|(mut bag, channels)| {
                self.write_world(&mut bag)?;
                Ok((bag, channels))
            });
            match continued {
                Ok(bag) => self.bag = Some(bag),
                Err(why) => self.abort_recording(&why),
            }
        }
        let known = old.plan.outputs.iter().map(|output| output.topic.clone());
        self.publish_latched(&known.collect());
    }
}

//! Change of the topics when the scene of the run is replaced.

use crate::publisher::{NextScene, SceneOutputs, Worker};
use merrow_messages::convert::topic;
use merrow_messages::convert::topic::Topic;
use merrow_sim::SceneVersion;
use std::collections::HashSet;

/// Returns for every sensor of every robot its first output and its topics.
pub(super) fn sensor_topics(outputs: &SceneOutputs) -> Vec<Vec<(usize, Vec<Topic>)>> {
    let robots = outputs.scene.robots.iter();
    let topics = |device| (0, topic::topics(device));
    let mut all: Vec<Vec<_>> = robots
        .map(|robot| robot.sensors.iter().map(topics).collect())
        .collect();
    for (i, output) in outputs.plan.outputs.iter().enumerate().rev() {
        if let Some((robot, sensor)) = output.sensor() {
            all[robot][sensor].0 = i;
        }
    }
    all
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
        let version = self.context.outputs.version;
        let mut topics = sensor_topics(&self.context.outputs);
        let former = self.sensor_topics.iter_mut();
        for (old, target) in former.zip(&same.robots) {
            if let Some(k) = *target {
                for (new, old) in topics[k].iter_mut().zip(old) {
                    new.1 = std::mem::take(&mut old.1);
                }
            }
        }
        self.sensor_topics = topics;
        let plan = &self.context.outputs.plan;
        let topics: HashSet<&str> = plan.outputs.iter().map(|o| o.topic.as_str()).collect();
        self.switches
            .retain(|topic, _| topics.contains(topic.as_str()));
        for goal in self.context.goals.lock().iter() {
            goal.change_scene(version, same);
        }
        if let Some(recorded) = self.bag.take() {
            match self.channels_of_scene(recorded, &old) {
                Ok(continued) => self.bag = Some(continued),
                Err(why) => self.abort_recording(&why),
            }
        }
        let known = old.plan.outputs.iter().map(|output| output.topic.clone());
        self.publish_latched(&known.collect());
    }
}

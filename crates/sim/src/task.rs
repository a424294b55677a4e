//! Evaluation of the task of a world at its ticks, from true poses and contacts.

use crate::simulation::Simulation;
use merrow_model::scene::Scene;
use merrow_model::state::contact::ContactBody;
use merrow_model::state::{Contacts, CouplingState, RobotState};
use merrow_tasks::law::{Motion, Truth};

/// The parts of the state that a task reads.
struct World<'a> {
    scene: &'a Scene,
    robots: &'a [RobotState],
    couplings: &'a [CouplingState],
    contacts: &'a Contacts,
}

impl Truth for World<'_> {
    fn motion(&self, body: usize) -> Motion {
        let motion = &self.robots[body].motion;
        Motion {
            q_WB: motion.q_WB,
            p_WB: motion.p_WB,
            v_WB: motion.q_WB.matrix().mul_vec(motion.V_WB_B.v),
        }
    }

    fn is_engaged(&self, coupling: usize) -> bool {
        self.couplings[coupling].engaged
    }

    fn touching(&self, body: usize, visit: &mut dyn FnMut(Option<&str>)) {
        let is_own = |side: ContactBody| side.link().is_some_and(|(robot, _)| robot == body);
        for contact in &self.contacts.touching {
            let other = match [is_own(contact.a), is_own(contact.b)] {
                [true, false] => contact.b,
                [false, true] => contact.a,
                // another pair, or two parts of the robot
                [false, false] | [true, true] => continue,
            };
            visit(match other {
                ContactBody::Link { robot, .. } => Some(&self.scene.robots[robot as usize].name),
                ContactBody::Structure { structure, .. } => {
                    Some(&self.scene.structures[structure as usize].name)
                }
                ContactBody::Seabed => None,
            });
        }
    }
}

impl Simulation {
    /// Evaluates the task at the current instant, if a tick is due.
    pub(crate) fn advance_task(&mut self) {
        let (Some(task), Some(own)) = (&self.scene.task, &mut self.state.task.0) else {
            return;
        };
        let world = World {
            scene: &self.scene,
            robots: &self.state.robots,
            couplings: &self.state.couplings,
            contacts: &self.state.contacts,
        };
        let is_halted = |body: usize| self.state.robots[body].halted.is_some();
        task.advance(own, self.state.time_ns, &world, &is_halted);
    }

    /// Notes the contacts of the last step for the task.
    pub(crate) fn note_task_contacts(&mut self) {
        if self.state.contacts.touching.is_empty() {
            return;
        }
        if let (Some(task), Some(own)) = (&self.scene.task, &mut self.state.task.0) {
            let world = World {
                scene: &self.scene,
                robots: &self.state.robots,
                couplings: &self.state.couplings,
                contacts: &self.state.contacts,
            };
            task.note_contacts(own, &world);
        }
    }

    /// Starts the task again at the current instant.
    pub(crate) fn restart_task(&mut self) {
        let task = self.scene.task.as_ref();
        self.state.task.0 = task.map(|task| task.initial_state(self.state.time_ns));
    }

    /// Continues the task of the world before a change of its objects, if it is the same task.
    pub(crate) fn continue_task(&mut self, old: &mut Self) {
        if let (Some(task), Some(before)) = (&self.scene.task, &old.scene.task)
            && let Some(state) = old.state.task.0.take()
        {
            let names = |task: &merrow_tasks::Task| -> Vec<String> {
                task.robots.iter().map(|(name, _)| name.clone()).collect()
            };
            let is_same = task.name == before.name && names(task) == names(before);
            if is_same && task.fits(&state) {
                self.state.task.0 = Some(state);
            } else {
                self.restart_task();
            }
        }
    }
}

//! Conversion of the task: its names and positions in the world.

use crate::ModelInfo;
use crate::context::SceneContext;
use crate::keys::WorldConfig;
use merrow_environment::geodesy::{ecef, world_from_ecef};
use merrow_environment::hydrostatics::mean_level;
use merrow_math::{Mat3, Quat, Vec3};
use merrow_model::scene::robot::firmware::interface::ControlledHeight;
use merrow_tasks::Task;
use merrow_tasks::law::{Anchor, Names};
use merrow_yaml::error::Place;
use std::sync::Arc;

/// Depth to which a robot without firmware is taken to float at the surface [m].
const SURFACE: f64 = 1.0;

/// Builds the task of a world whose robots, structures and couplings are known; `models` has the
/// sections of the robots.
pub(crate) fn build_task(
    file: &WorldConfig,
    models: &[ModelInfo],
    cx: SceneContext<'_>,
) -> Option<Arc<Task>> {
    let task = file.task.as_ref()?;
    Task::build(task, &SceneNames { file, models, cx }).map(Arc::new)
}

/// Names of a scene that is being built.
struct SceneNames<'a> {
    file: &'a WorldConfig,
    models: &'a [ModelInfo],
    cx: SceneContext<'a>,
}

impl Names for SceneNames<'_> {
    fn error(&self, place: &Place, text: &str) {
        self.cx.error(place, text);
    }

    fn note(&self, place: &Place, text: &str) {
        self.cx.note(place, text);
    }

    fn find_object(&self, name: &str, offset: Vec3, place: &Place) -> Option<Anchor> {
        let structures = &self.file.structures;
        if let Some((_, structure)) = structures.iter().find(|(own, _)| *own == name) {
            let [roll, pitch, yaw] = structure.attitude_deg.map(f64::to_radians);
            let p_SoA = Mat3::from_rpy(roll, pitch, yaw).mul_vec(offset);
            return Some(Anchor::Fixed(Vec3::from(structure.position_m) + p_SoA));
        }
        let robots = self.cx.scene.robots.iter().map(|robot| robot.name.as_str());
        let names = robots.chain(structures.iter().map(|(name, _)| name));
        let found = self.cx.find(place, name, names, |name| {
            format!("no robot, prop, actor or structure {name} for the task")
        });
        found.map(|body| match offset == Vec3::zero() {
            true => Anchor::Body(body),
            false => Anchor::OnBody(body, offset),
        })
    }

    fn find_coupling(&self, name: &str, place: &Place) -> Option<usize> {
        let names = self.cx.scene.couplings.iter().map(|c| c.name.as_str());
        self.cx.find(place, name, names, |name| {
            format!("no coupling {name} for the task")
        })
    }

    fn robots(&self) -> Vec<(String, usize)> {
        let robots = self.cx.scene.robots.iter().zip(self.models).enumerate();
        let robots = robots.filter(|(_, (_, model))| model.section == "robots");
        robots
            .map(|(k, (robot, _))| (robot.name.clone(), k))
            .collect()
    }

    fn start(&self, body: usize) -> Vec3 {
        self.cx.scene.robots[body].start.p_WB
    }

    fn start_attitude(&self, body: usize) -> Quat {
        let [roll, pitch, yaw] = self.cx.scene.robots[body].start.rpy;
        Quat::from_rpy(roll, pitch, yaw)
    }

    fn has_route(&self, body: usize) -> bool {
        self.cx.scene.robots[body].route.is_some()
    }

    fn water_level(&self, x: f64, y: f64) -> f64 {
        let scene = self.cx.scene;
        match scene.sea.region(x, y) {
            Some(region) if region.is_dry() => f64::NEG_INFINITY,
            _ => mean_level(&scene.sea, x, y, 1e-9 * scene.start_ns as f64),
        }
    }

    fn stays_at_surface(&self, body: usize) -> bool {
        let robot = &self.cx.scene.robots[body];
        let p = robot.start.p_WB;
        match &robot.firmware {
            Some(firmware) => firmware.abilities().height != ControlledHeight::Commanded,
            None => (p.z - self.water_level(p.x, p.y)).abs() <= SURFACE,
        }
    }

    fn seabed(&self, x: f64, y: f64) -> f64 {
        self.cx.scene.sea.seabed.height(x, y)
    }

    fn structure_at(&self, p: Vec3) -> Option<String> {
        let structure = self.cx.scene.structure_at(p);
        structure.map(|structure| structure.name.clone())
    }

    fn position(&self, latitude: f64, longitude: f64) -> Vec3 {
        let origin = &self.cx.scene.origin;
        let p = world_from_ecef(origin, ecef(latitude, longitude, origin.altitude));
        Vec3::new(p.x, p.y, 0.0)
    }
}

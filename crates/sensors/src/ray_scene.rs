//! What sensors that look around can meet: the shapes of robots, props and structures, and the bottom.
//!
//! A robot shows the shapes that can be touched; a link without any shows its hull. To light it shows its visuals instead, if it has any. The water's surface is not among them: what a ray does there
//! is the sensor's affair.

use crate::raytrace::{
    Heightfield, Hit, Mesh, Placed, Primitive, Ray, Scratch, Shape, Surroundings,
};
use merrow_math::hull_cut;
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::robot::collision;
use merrow_model::scene::robot::collision::Collider;
use merrow_model::scene::sea::Seabed;
use merrow_model::scene::texture::Coat;
use merrow_model::scene::{Link, Material, Robot, Scene, Sensor, SensorKind};
use merrow_model::state::frames::view::View;
use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

/// Rays that are searched together.
const BATCH: usize = 64;
/// Parts of half a turn by which an ellipsoid is drawn.
const ELLIPSOID_PARTS: u32 = 24;

/// What a ray meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen<'a> {
    /// Distance along the ray [m].
    pub distance: f64,
    /// Unit normal of the surface, towards where the ray came from.
    pub normal: Vec3,
    /// What it is of.
    pub material: &'a Material,
    /// Its number: 1 the bottom, then structures, then robots.
    pub label: u16,
    /// Number of the shape among all shapes, and of its face; the bottom, where it is a plane, has none.
    pub part: Option<(u32, u32)>,
}

/// The surface of a shape, and its label.
type Face = (Material, u16, Option<Arc<Coat>>);

/// What meets a stage's shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Light, of cameras and lasers.
    Light,
    /// Sound, and what else goes by the shapes that can be touched.
    Sound,
}

/// Where a shape that moves is fixed.
#[derive(Clone, Debug)]
pub(crate) struct Mount {
    pub(crate) robot: usize,
    pub(crate) link: usize,
    pub(crate) R_LG: Mat3,
    pub(crate) p_LoG: Vec3,
}

/// What stands still: structures, and the ground where it lies on a grid.
#[derive(Clone, Debug)]
pub struct Still {
    all: Surroundings,
    /// Of each shape, by its number.
    faces: Vec<Face>,
}

impl Still {
    /// What stands in a world.
    pub fn new(scene: &Scene) -> Self {
        let (mut still, mut faces) = (Vec::new(), Vec::new());
        let numbered = scene.structures.iter().enumerate();
        for (k, collider) in numbered.flat_map(|(k, s)| s.colliders.iter().map(move |c| (k, c))) {
            still.push(Placed {
                shape: Shape::from(&collider.geometry),
                R_WG: collider.R_LG,
                p_WG: collider.p_LoG,
            });
            faces.push((collider.material, (k + 2) as u16, collider.coat.clone()));
        }
        if let Some(terrain) = &scene.sea.seabed.terrain {
            let ground = Shape::Ground(Arc::new(Heightfield::new(Arc::clone(terrain))));
            still.push(Placed {
                shape: ground,
                R_WG: Mat3::identity(),
                p_WG: Vec3::zero(),
            });
            faces.push((scene.seabed_material, 1, None));
        }
        Self {
            all: Surroundings::new(still, Vec::new()),
            faces,
        }
    }

    /// True if a sensor of the world meets any of it: large grounds and meshes take long to prepare.
    pub fn is_met(scene: &Scene) -> bool {
        let meets = |sensor: &Sensor| match &sensor.kind {
            SensorKind::Looks(_) | SensorKind::Dvl(_) | SensorKind::Altimeter { .. } => true,
            SensorKind::Gnss(spec) => spec.sky.is_some(),
            _ => false,
        };
        scene
            .robots
            .iter()
            .flat_map(|robot| &robot.sensors)
            .any(meets)
    }

    /// Distance from `p` along the unit vector `d` to the bottom or to what stands on it [m].
    pub fn range(&self, seabed: &Seabed, p: Vec3, d: Vec3) -> Option<f64> {
        let plane = if seabed.terrain.is_none() {
            seabed.range(p, d)
        } else {
            None
        };
        if self.faces.is_empty() {
            return plane;
        }
        let ray = Ray {
            origin: p,
            direction: d,
            range: [0.0, f64::INFINITY],
        };
        let hit = self.all.closest(&ray, 0..0).map(|hit| hit.distance);
        [hit, plane].into_iter().flatten().min_by(f64::total_cmp)
    }
}

/// All that can be seen, at one instant.
#[derive(Clone, Debug)]
pub struct Stage {
    all: Surroundings,
    mounts: Arc<[Mount]>,
    /// Of each shape, by its number.
    faces: Arc<[Face]>,
    /// Numbers of each robot's shapes.
    own: Arc<[Range<u32>]>,
    /// Of the bottom.
    bottom: Material,
}

thread_local! {
    /// Room that a thread's searches share.
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Does something with the room of this thread.
fn with_scratch<T>(search: impl FnOnce(&mut Scratch) -> T) -> T {
    SCRATCH.with(|scratch| search(&mut scratch.borrow_mut()))
}

impl Stage {
    /// What stands in a world, and its robots at their start, as `by` meets them.
    pub fn new(scene: &Scene, still: &Still, by: By) -> Self {
        let mut faces = still.faces.clone();
        let first_moving = faces.len();
        let (mut moving, mut mounts, mut own) = (Vec::new(), Vec::new(), Vec::new());
        for (r, robot) in scene.robots.iter().enumerate() {
            let first = (first_moving + moving.len()) as u32;
            for (shape, mount, material, coat) in shapes(r, robot, by) {
                moving.push(Placed {
                    shape,
                    R_WG: Mat3::identity(),
                    p_WG: Vec3::zero(),
                });
                mounts.push(mount);
                faces.push((material, (scene.structures.len() + r + 2) as u16, coat));
            }
            own.push(first..(first_moving + moving.len()) as u32);
        }
        Self {
            all: still.all.with_moving(moving),
            mounts: mounts.into(),
            faces: faces.into(),
            own: own.into(),
            bottom: scene.seabed_material,
        }
    }

    /// Brings what moves to where it is in `view`.
    pub fn place(&mut self, view: &View) {
        let mounts = &self.mounts;
        self.all.place(|shapes| {
            for (placed, mount) in shapes.iter_mut().zip(mounts.iter()) {
                let (R_WL, p_WL) = &view.links[mount.robot][mount.link];
                placed.R_WG = R_WL.mul_mat(&mount.R_LG);
                placed.p_WG = *p_WL + R_WL.mul_vec(mount.p_LoG);
            }
        });
    }

    /// True if something stands between two places on two robots, but these robots themselves.
    pub fn parted(&self, view: &View, robots: [usize; 2], [a, b]: [Vec3; 2]) -> bool {
        let way = b - a;
        let far = way.norm();
        let d = way.scale(1.0 / far.max(1e-9));
        // the second robot's own shapes end the way: they are met only beyond where the way from its side begins
        let there = self.look(view, robots[0], a, d, [0.0, far]);
        let back = self.look(view, robots[1], b, d.scale(-1.0), [0.0, far]);
        match (there, back) {
            (Some(there), Some(back)) => {
                there.distance + back.distance < far - 1e-6 || robots[0] == robots[1]
            }
            _ => false,
        }
    }

    /// What a ray from `p` along the unit vector `d` meets first within `range` [m], but the shapes of `robot` itself.
    pub fn look(
        &self,
        view: &View,
        robot: usize,
        p: Vec3,
        d: Vec3,
        range: [f64; 2],
    ) -> Option<Seen<'_>> {
        self.meet(view, self.own[robot].clone(), p, d, range)
    }

    /// The numbers of a robot's shapes.
    pub fn shapes_of(&self, robot: usize) -> Range<u32> {
        self.own[robot].clone()
    }

    /// True if something but the shapes with numbers in `skip`, or the bottom, stands in the way from `p` along the unit vector `d`.
    pub fn is_shaded(&self, p: Vec3, d: Vec3, range: [f64; 2], skip: Range<u32>) -> bool {
        let ray = Ray {
            origin: p,
            direction: d,
            range,
        };
        with_scratch(|scratch| self.all.blocked_in(&ray, &skip, scratch))
    }

    /// As [`Stage::look`], without the shapes with numbers in `skip`.
    pub fn meet(
        &self,
        view: &View,
        skip: Range<u32>,
        p: Vec3,
        d: Vec3,
        range: [f64; 2],
    ) -> Option<Seen<'_>> {
        let ray = Ray {
            origin: p,
            direction: d,
            range,
        };
        let hit = with_scratch(|scratch| self.all.closest_in(&ray, &skip, scratch));
        self.seen(view, &ray, hit)
    }

    /// As [`Stage::meet`] for each of `rays`, into `seen`: quicker where eight rays after one another go nearly the same way.
    pub fn meet_all<'a>(
        &'a self,
        view: &View,
        skip: &Range<u32>,
        rays: &[Ray],
        seen: &mut Vec<Option<Seen<'a>>>,
    ) {
        seen.clear();
        let mut hits = [None; BATCH];
        for rays in rays.chunks(BATCH) {
            with_scratch(|scratch| self.all.closest_of(rays, skip, scratch, &mut hits));
            seen.extend(
                rays.iter()
                    .zip(hits)
                    .map(|(ray, hit)| self.seen(view, ray, hit)),
            );
        }
    }

    /// What is seen along a ray that meets this of the shapes: that, or the bottom.
    fn seen(&self, view: &View, ray: &Ray, hit: Option<Hit>) -> Option<Seen<'_>> {
        let Ray {
            origin: p,
            direction: d,
            range,
        } = *ray;
        let limit = hit.map_or(range[1], |hit| hit.distance);
        // ground on a grid is among the shapes
        let plane = Some(&view.sea.seabed).filter(|seabed| seabed.terrain.is_none());
        let bottom = plane
            .and_then(|seabed| seabed.range(p, d))
            .filter(|t| (range[0]..limit).contains(t));
        let (distance, normal, material, label, part) = match (bottom, hit) {
            (Some(t), _) => {
                let at = p + d.scale(t);
                (t, view.sea.seabed.normal(at.x, at.y), &self.bottom, 1, None)
            }
            (
                None,
                Some(Hit {
                    distance,
                    normal,
                    shape,
                    face,
                }),
            ) => {
                let (material, label, _) = &self.faces[shape as usize];
                (distance, normal, material, *label, Some((shape, face)))
            }
            (None, None) => return None,
        };
        let normal = if normal.dot(d) > 0.0 {
            normal.scale(-1.0)
        } else {
            normal
        };
        Some(Seen {
            distance,
            normal,
            material,
            label,
            part,
        })
    }

    /// Colour of what is met at `x` along the unit vector `d` by a pixel that is `width` [m] wide there: its picture's, if it has one.
    pub fn color(&self, seen: &Seen, x: Vec3, d: Vec3, width: f64) -> [f64; 3] {
        let picture = |(shape, face): (u32, u32)| {
            let coat = self.faces[shape as usize].2.as_ref()?;
            let placed = self.all.shape(shape)?;
            let turned = |v: Vec3| placed.R_WG.tr_mul_vec(v);
            let is_box = matches!(placed.shape, Shape::Primitive(Primitive::Box { .. }));
            let at = [turned(x - placed.p_WG), turned(seen.normal), turned(d)];
            Some(coat.color(seen.material.color, face, at, is_box, width))
        };
        seen.part.and_then(picture).unwrap_or(seen.material.color)
    }
}

/// What can be met: by light otherwise than by sound, where robots have visuals.
#[derive(Clone, Debug)]
pub struct Stages {
    sound: Stage,
    light: Option<Stage>,
}

impl Stages {
    /// What stands in a world, and its robots at their start.
    pub fn new(scene: &Scene, still: &Still) -> Self {
        let sound = Stage::new(scene, still, By::Sound);
        let differs = scene.robots.iter().any(|robot| !robot.visuals.is_empty());
        Self {
            sound,
            light: differs.then(|| Stage::new(scene, still, By::Light)),
        }
    }

    /// As light meets it.
    pub fn light(&self) -> &Stage {
        self.light.as_ref().unwrap_or(&self.sound)
    }

    /// As sound meets it.
    pub fn sound(&self) -> &Stage {
        &self.sound
    }

    /// [`Stage::place`].
    pub fn place(&mut self, view: &View) {
        self.sound.place(view);
        if let Some(light) = &mut self.light {
            light.place(view);
        }
    }
}

/// What a robot shows.
pub(crate) fn shapes(
    r: usize,
    robot: &Robot,
    by: By,
) -> Vec<(Shape, Mount, Material, Option<Arc<Coat>>)> {
    let shape = |c: &Collider| {
        let mount = Mount {
            robot: r,
            link: c.link,
            R_LG: c.R_LG,
            p_LoG: c.p_LoG,
        };
        (Shape::from(&c.geometry), mount, c.material, c.coat.clone())
    };
    if by == By::Light && !robot.visuals.is_empty() {
        return robot.visuals.iter().map(shape).collect();
    }
    let mut all = Vec::new();
    for (l, link) in robot.links.iter().enumerate() {
        let own: Vec<&Collider> = robot.colliders.iter().filter(|c| c.link == l).collect();
        all.extend(own.iter().map(|c| shape(c)));
        if own.is_empty()
            && let Some((shape, R_LG, p_LoG)) = hull(link)
        {
            // painted plastic or metal, roughly
            all.push((
                shape,
                Mount {
                    robot: r,
                    link: l,
                    R_LG,
                    p_LoG,
                },
                Material::default(),
                None,
            ));
        }
    }
    all
}

/// The hull of a link that displaces water.
fn hull(link: &Link) -> Option<(Shape, Mat3, Vec3)> {
    if link.volume <= 0.0 {
        return None;
    }
    if let Some(skin) = &link.skin {
        let mesh = Mesh::new(&skin.vertices, &skin.triangles);
        return Some((Shape::Mesh(Arc::new(mesh)), Mat3::identity(), Vec3::zero()));
    }
    let hull = &link.hull;
    let shape = match hull.shape {
        hull_cut::Shape::Box(half) => Shape::Primitive(Primitive::Box { half }),
        hull_cut::Shape::Ellipsoid(half) if half.x == half.y && half.y == half.z => {
            Shape::Primitive(Primitive::Sphere { radius: half.x })
        }
        hull_cut::Shape::Ellipsoid(half) => {
            let mesh = ellipsoid(half);
            Shape::Mesh(Arc::new(Mesh::new(&mesh.vertices, &mesh.triangles)))
        }
    };
    Some((shape, hull.R_LH, hull.p_LoH))
}

/// An ellipsoid about its middle, inscribed.
fn ellipsoid(half: Vec3) -> collision::Mesh {
    use merrow_math::real::sin_cos;
    let (n, m) = (2 * ELLIPSOID_PARTS, ELLIPSOID_PARTS);
    let place = |i: u32, j: u32| {
        let (s, c) = sin_cos(std::f64::consts::TAU * f64::from(i) / f64::from(n));
        let (sp, cp) = sin_cos(std::f64::consts::PI * (f64::from(j) / f64::from(m) - 0.5));
        Vec3::new(half.x * cp * c, half.y * cp * s, half.z * sp)
    };
    let vertices = (0..=m)
        .flat_map(|j| (0..n).map(move |i| (i, j)))
        .map(|(i, j)| place(i, j))
        .collect();
    let mut triangles = Vec::new();
    for j in 0..m {
        for i in 0..n {
            let at = |di: u32, dj: u32| (j + dj) * n + (i + di) % n;
            triangles.extend([
                [at(0, 0), at(1, 0), at(1, 1)],
                [at(0, 0), at(1, 1), at(0, 1)],
            ]);
        }
    }
    collision::Mesh {
        vertices,
        triangles,
    }
}

//! Random robots in general poses: no zeros and no symmetry, so that a missing term is detected.

use merrow_math::hull_cut::HullShape;
use merrow_math::rng::{Draw, Stream};
use merrow_math::{Mat3, Quat, SpatialInertia, SpatialVelocity, Sym3, Vec3};
use merrow_model::scene::robot::body::{Hull, MunkMoments, Trim};
use merrow_model::scene::sea::Seabed;
use merrow_model::scene::{
    Current, Damping, Drive, Integrator, Joint, JointKind, Link, Origin, Robot, Scene, Sea,
};
use merrow_model::state::Motion;

/// Properties of a random robot.
#[derive(Clone, Copy)]
pub(crate) struct Recipe {
    /// Number of links, including the base.
    pub links: usize,
    /// Whether the base is floating.
    pub floating: bool,
    /// Whether the robot has linear and quadratic damping and joint friction.
    pub damping: bool,
    /// Whether some joints are fixed or driven by position, in addition to the free joints.
    pub held_joints: bool,
    /// Whether the robot has weight, buoyancy and joint springs.
    pub potential: bool,
}

/// Random numbers of one test.
pub(crate) struct Random(Draw);

impl Random {
    /// Creates a generator; the same seed gives the same numbers.
    pub(crate) fn new(seed: u64) -> Self {
        Self(Stream::new(seed, "test").draw(0))
    }
    /// Returns a number uniform in [lo, hi).
    pub(crate) fn between(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * self.0.uniform()
    }
    /// Returns a vector with components uniform in ±`scale`.
    pub(crate) fn vector(&mut self, scale: f64) -> Vec3 {
        Vec3::new(
            self.between(-scale, scale),
            self.between(-scale, scale),
            self.between(-scale, scale),
        )
    }
    /// Returns a uniformly distributed attitude.
    pub(crate) fn attitude(&mut self) -> Quat {
        let mut n = || self.0.normal();
        Quat {
            w: n(),
            x: n(),
            y: n(),
            z: n(),
        }
        .normalized()
    }
    /// Returns a full symmetric positive-definite matrix of the magnitude `scale`.
    pub(crate) fn spd(&mut self, scale: f64) -> [[f64; 6]; 6] {
        let g: [[f64; 6]; 6] =
            std::array::from_fn(|_| std::array::from_fn(|_| self.between(-1.0, 1.0)));
        let dot = |i: usize, j: usize| (0..6).map(|k| g[i][k] * g[j][k]).sum::<f64>();
        std::array::from_fn(|i| {
            std::array::from_fn(|j| scale * (dot(i, j) + if i == j { 0.1 } else { 0.0 }))
        })
    }
}

/// Returns a world with one random robot in still, deep water.
pub(crate) fn scene(seed: u64, recipe: Recipe) -> Scene {
    Scene {
        name: format!("tree {seed}"),
        seed,
        dt_ns: 1_000_000,
        start_ns: 0,
        integrator: Integrator::Rk4,
        gravity: if recipe.potential { 9.81 } else { 0.0 },
        sea: Sea {
            density: 1000.0,
            sound_speed: 1500.0,
            temperature: 15.0,
            air_pressure: 101_325.0,
            column: None,
            air: merrow_model::scene::sea::air::Air::default(),
            tracers: Vec::new(),
            optics: merrow_model::scene::sea::optics::Optics::default(),
            regions: Vec::new(),
            current: Current {
                profile: vec![(0.0, Vec3::zero())],
                variation: None,
                flows: Vec::new(),
            },
            waves: merrow_model::scene::Waves::default(),
            seabed: Seabed {
                z0: -1000.0,
                slope: [0.0, 0.0],
                terrain: None,
            },
        },
        origin: Origin {
            latitude: 0.7,
            longitude: 0.1,
            altitude: 0.0,
            magnetic_field: Vec3::zero(),
        },
        robots: vec![robot(&mut Random::new(seed), recipe)],
        structures: Vec::new(),
        seabed_material: merrow_model::scene::Material::default(),
        couplings: Vec::new(),
        tethers: Vec::new(),
        chargers: Vec::new(),
        faults: Vec::new(),
        schedule: Vec::new(),
        beacons: Vec::new(),
        obstacles: Vec::new(),
        modems: Vec::new(),
        bridges: Vec::new(),
        service_bridges: Vec::new(),
        ais: Vec::new(),
        task: None,
        map: None,
    }
}

/// Returns a random robot with the properties of `recipe`.
pub(crate) fn robot(random: &mut Random, recipe: Recipe) -> Robot {
    let links = (0..recipe.links).map(|i| link(random, i, recipe)).collect();
    let mut robot = Robot {
        namespace: String::new(),
        profile: None,
        route: None,
        name: "tree".into(),
        model: "random".into(),
        floating: recipe.floating,
        links,
        thrusters: Vec::new().into(),
        fins: Vec::new().into(),
        buoyancy_engines: Vec::new(),
        winches: Vec::new(),
        allocation: None,
        sensors: Vec::new(),
        battery: None,
        loads: Vec::new(),
        lamps: Vec::new(),
        solar_panels: Vec::new(),
        start: merrow_model::scene::Start {
            p_WB: Vec3::new(0.0, 0.0, -100.0),
            rpy: [0.0; 3],
            v_WB_B: Vec3::zero(),
            w_WB_B: Vec3::zero(),
            q: vec![0.0; recipe.links - 1],
            qd: vec![0.0; recipe.links - 1],
        },
        attached: Vec::new(),
        joint_groups: Vec::new(),
        trajectories: merrow_yaml::read::from_defaults(),
        keep_out: None,
        servos: false,
        colliders: Vec::new(),
        visuals: Vec::new(),
        contact_wrenches: Vec::new(),
        self_collision: false,
        base_factor: None,
        inflow: false,
        rotors: false,
        firmware: None,
        onboard: None,
        autopilot: None,
        mavlink: None,
        moos: None,
        serial: None,
        mimics: Vec::new(),
    };
    robot.update_derived();
    robot
}

/// Returns a random motion of `robot`, about 100 m deep.
pub(crate) fn motion(random: &mut Random, robot: &Robot) -> Motion {
    let mut motion = Motion::at_rest(robot.n_joints());
    motion.q_WB = random.attitude();
    motion.p_WB = random.vector(2.0) + Vec3::new(0.0, 0.0, -100.0);
    if robot.floating {
        motion.V_WB_B = SpatialVelocity {
            w: random.vector(1.0),
            v: random.vector(1.0),
        };
    }
    for (j, link) in robot.links[1..].iter().enumerate() {
        if link.joint.kind != JointKind::Fixed {
            motion.q[j] = random.between(-1.5, 1.5);
            motion.qd[j] = random.between(-1.0, 1.0);
        }
    }
    motion
}

/// Draws an inertia about the centre of mass; one of point masses is physically realisable.
fn draw_inertia(random: &mut Random) -> Sym3 {
    let mut inertia = Sym3::zero();
    for _ in 0..5 {
        let (m, r) = (random.between(0.1, 1.0), random.vector(0.3));
        let d = m * r.dot(r);
        let sphere = Sym3 {
            xx: d,
            xy: 0.0,
            xz: 0.0,
            yy: d,
            yz: 0.0,
            zz: d,
        };
        inertia += sphere.minus_outer(r, m);
    }
    inertia
}

fn draw_linear_damping(random: &mut Random, recipe: Recipe) -> Damping {
    if recipe.damping {
        Damping::Full(Box::new(random.spd(1.0)))
    } else {
        Damping::Zero
    }
}

fn draw_quadratic_damping(random: &mut Random, recipe: Recipe) -> Damping {
    if recipe.damping {
        Damping::Diagonal(std::array::from_fn(|_| random.between(0.1, 2.0)))
    } else {
        Damping::Zero
    }
}

/// Draws the attitude of an ellipsoid around the centre of buoyancy [m, L].
fn draw_hull(random: &mut Random, p_LoCb: Vec3) -> Hull {
    Hull {
        shape: HullShape::Ellipsoid(Vec3::new(0.2, 0.1, 0.3)),
        p_LoH: p_LoCb,
        R_LH: random.attitude().matrix(),
        bound: 0.3,
    }
}

fn link(random: &mut Random, i: usize, recipe: Recipe) -> Link {
    let mass = random.between(1.0, 4.0);
    let com = random.vector(0.2);
    let inertia = draw_inertia(random);
    let rigid = SpatialInertia::rigid(mass, com, &inertia);
    let added = SpatialInertia::from_matrix(&random.spd(1.0));
    let volume = if recipe.potential {
        mass * 1e-3 * random.between(0.7, 1.3)
    } else {
        0.0
    };
    let R_LU = if i == 0 {
        Mat3::identity()
    } else {
        random.attitude().matrix()
    };
    let p_LoCb = random.vector(0.2);
    let trim_force = if recipe.potential {
        random.between(-3.0, 3.0)
    } else {
        0.0
    };
    Link {
        name: if i == 0 {
            "base_link".into()
        } else {
            format!("link_{i}")
        },
        parent: (i > 0).then(|| random.between(0.0, i as f64) as usize),
        joint: if i == 0 {
            Joint::base()
        } else {
            joint(random, i, recipe)
        },
        R_LU,
        mass_kg: mass,
        p_LoLcm: com,
        rigid,
        added,
        total: rigid + added,
        volume_m3: volume,
        p_LoCb,
        hull: draw_hull(random, p_LoCb),
        trim: Trim {
            force: trim_force,
            moment_arm: random.vector(0.3).scale(trim_force),
        },
        linear_damping: draw_linear_damping(random, recipe),
        quadratic_damping: draw_quadratic_damping(random, recipe),
        linear_damping_decay_s_per_m: None,
        derivatives: Vec::new(),
        munk: MunkMoments::All,
        has_rotated_frame: true,
        own_hull: true,
        hull_parts: Vec::new(),
        hull_mesh: None,
        waves: merrow_model::scene::robot::body::HullWaves::Lattice,
        radiation: None,
        surface_laws: false,
        p_LoD: random.vector(0.2),
        wet: true,
        restoring: None,
        forces: merrow_model::scene::robot::force::LinkForces::default(),
    }
}

fn joint(random: &mut Random, i: usize, recipe: Recipe) -> Joint {
    let kinds = [
        JointKind::Revolute,
        JointKind::Continuous,
        JointKind::Prismatic,
        JointKind::Fixed,
    ];
    let kinds = if recipe.held_joints {
        &kinds[..]
    } else {
        &kinds[..3]
    };
    let driven = recipe.held_joints && random.between(0.0, 1.0) < 0.2;
    let stiffness = if recipe.potential {
        random.between(1.0, 10.0)
    } else {
        0.0
    };
    Joint {
        name: format!("joint_{i}"),
        kind: kinds[random.between(0.0, kinds.len() as f64) as usize],
        R_PC0: random.attitude().matrix(),
        p_PoCo0: random.vector(0.5),
        limits: [f64::NEG_INFINITY, f64::INFINITY],
        max_effort: f64::INFINITY,
        speed_limit: f64::INFINITY,
        damping: if recipe.damping {
            random.between(0.1, 1.0)
        } else {
            0.0
        },
        armature: random.between(0.0, 0.2),
        friction: 0.0,
        mimic: None,
        drive: if driven {
            Drive::Position {
                bandwidth_rad_s: 5.0,
                max_speed: 1.0,
                max_acceleration: 10.0,
            }
        } else {
            Drive::Effort {
                stiffness,
                spring_rest: random.between(-0.5, 0.5),
            }
        },
    }
}

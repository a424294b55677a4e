//! Robot of one link with a spherical hull, as an obstacle.

use merrow_math::hull_cut::HullShape;
use merrow_math::{Mat3, SpatialInertia, Sym3, Vec3};
use merrow_model::scene::robot::body::{Hull, MunkMoments, Trim};
use merrow_model::scene::robot::collision::CollisionFilter;
use merrow_model::scene::robot::collision::Primitive;
use merrow_model::scene::{Collider, Damping, Geometry, Joint, Link, Material, Robot, Start};

/// Returns a robot with a sphere of `radius` [m] about its origin.
pub(crate) fn sphere(name: &str, radius: f64) -> Robot {
    let mut robot = Robot {
        namespace: String::new(),
        profile: None,
        route: None,
        name: name.into(),
        model: "sphere".into(),
        floating: true,
        links: vec![link(radius)].into(),
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
        start: Start {
            p_WB: Vec3::zero(),
            rpy: [0.0; 3],
            v_WB_B: Vec3::zero(),
            w_WB_B: Vec3::zero(),
            q: Vec::new(),
            qd: Vec::new(),
        },
        attached: Vec::new(),
        joint_groups: Vec::new(),
        trajectories: Default::default(),
        keep_out: None,
        servos: false,
        colliders: vec![collider(
            "hull",
            Geometry::Primitive(Primitive::Sphere { radius }),
            Vec3::zero(),
        )],
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

/// Returns a collider of link 0, or of a structure, with its origin at `p` [m].
pub(crate) fn collider(name: &str, geometry: Geometry, p: Vec3) -> Collider {
    Collider {
        name: name.into(),
        link: 0,
        geometry,
        R_LG: Mat3::identity(),
        p_LoG: p,
        material: Material::default(),
        filter: CollisionFilter::default(),
        texture: None,
        file: None,
        file_colors: false,
        fin: None,
    }
}

fn link(radius: f64) -> Link {
    let inertia = Sym3 {
        xx: 1.0,
        yy: 1.0,
        zz: 1.0,
        ..Sym3::zero()
    };
    let rigid = SpatialInertia::rigid(10.0, Vec3::zero(), &inertia);
    let zero = SpatialInertia::from_matrix(&[[0.0; 6]; 6]);
    Link {
        name: "base_link".into(),
        parent: None,
        joint: Joint::base(),
        R_LU: Mat3::identity(),
        mass_kg: 10.0,
        p_LoLcm: Vec3::zero(),
        rigid,
        added: zero,
        total: rigid,
        volume_m3: 0.01,
        p_LoCb: Vec3::zero(),
        hull: Hull {
            shape: HullShape::Ellipsoid(Vec3::new(radius, radius, radius)),
            p_LoH: Vec3::zero(),
            R_LH: Mat3::identity(),
            bound: radius,
        },
        trim: Trim {
            force: 0.0,
            moment_arm: Vec3::zero(),
        },
        linear_damping: Damping::Zero,
        quadratic_damping: Damping::Zero,
        linear_damping_decay_s_per_m: None,
        derivatives: Vec::new(),
        munk: MunkMoments::All,
        has_rotated_frame: false,
        own_hull: true,
        hull_parts: Vec::new(),
        hull_mesh: None,
        waves: merrow_model::scene::robot::body::HullWaves::Lattice,
        radiation: None,
        surface_laws: false,
        p_LoD: Vec3::zero(),
        wet: true,
        restoring: None,
        forces: merrow_model::scene::robot::force::LinkForces::default(),
    }
}

//! Merging of links that are fixed to their parents, so that the dynamics contains moving links
//! only.
//!
//! The merge is exact; at the surface the hull of each merged link is cut at its own place. A fixed
//! link with its own hull or damping is kept, because its |ν|ν law acts along its own axes. So is a
//! fixed link with a volume if its parent has a hull mesh or linear hydrostatics. The same applies
//! to every other law that acts on a single link, such as those of `each_link_force!`. A link
//! with added mass is kept if its parent omits the Munk moment, and a link with a wrench sensor is
//! kept because the sensor measures at its joint.

use merrow_math::{Mat3, SpatialInertia, Vec3};
use merrow_model::scene::robot::body::{HullPart, MunkMoments};
use merrow_model::scene::robot::force::LinkForces;
use merrow_model::scene::{AttachedFrame, Damping, Hull, JointKind, Link, Robot, SensorKind};

/// Merges all fixed links of `robot` that can be merged, children first.
pub(crate) fn merge_fixed_links(robot: &mut Robot) {
    for i in (1..robot.links.len()).rev() {
        let has_wrench_sensor = robot
            .sensors
            .iter()
            .any(|s| s.link == i && matches!(s.kind, SensorKind::Wrench(_)));
        let parent = &robot.links[robot.links[i].parent.unwrap_or(0)];
        let link = &robot.links[i];
        let is_mergeable =
            is_mergeable(link) && has_same_munk(link, parent) && accepts_hull(parent, link);
        if is_mergeable && !has_wrench_sensor {
            merge_into_parent(robot, i);
        }
    }
}

/// Returns true if the moments of the added mass of a fixed link are those that its parent would
/// exert with the sum of both added masses.
fn has_same_munk(link: &Link, parent: &Link) -> bool {
    parent.munk == MunkMoments::All || link.added == SpatialInertia::zero()
}

/// Returns true if the parent can represent the hull of a link.
fn accepts_hull(parent: &Link, link: &Link) -> bool {
    link.volume_m3 == 0.0 || (parent.hull_mesh.is_none() && parent.restoring.is_none())
}

/// Returns true if [`add_body`] represents all forces on a fixed link. The pattern lists every
/// field, so that a new property of links has to be classified here.
fn is_mergeable(link: &Link) -> bool {
    let Link {
        // added to the parent or transformed to it
        name: _,
        parent: _,
        joint,
        R_LU: _,
        has_rotated_frame: _,
        mass_kg: _,
        p_LoLcm: _,
        rigid: _,
        added: _,
        total: _,
        volume_m3: _,
        p_LoCb: _,
        hull: _,
        hull_parts: _,
        trim: _,
        wet: _,
        // without effect if the law that uses them is absent
        waves: _,
        linear_damping_decay_s_per_m: _,
        p_LoD: _,
        surface_laws: _,
        // laws that act on only the link
        own_hull,
        hull_mesh,
        radiation,
        linear_damping,
        quadratic_damping,
        derivatives,
        munk,
        restoring,
        forces,
    } = link;
    let has_own_law = *own_hull
        || hull_mesh.is_some()
        || radiation.is_some()
        || *linear_damping != Damping::Zero
        || *quadratic_damping != Damping::Zero
        || !derivatives.is_empty()
        || *munk != MunkMoments::All
        || restoring.is_some()
        || *forces != LinkForces::default();
    joint.kind == JointKind::Fixed && !has_own_law
}

fn merge_into_parent(robot: &mut Robot, i: usize) {
    let child = robot.links.remove(i);
    robot.start.q.remove(i - 1);
    robot.start.qd.remove(i - 1);
    let p = child.parent.unwrap_or(0);
    let (R_PC, p_PC) = (child.joint.R_PC0, child.joint.p_PoCo0);
    add_body(&mut robot.links[p], &child, &R_PC, p_PC);
    let removal = Removal {
        i,
        p,
        R_PC,
        p_PC,
        R_UpL: robot.links[p].R_LU.transpose(),
    };
    for link in &mut robot.links {
        if link.parent == Some(i) {
            link.parent = Some(p);
            link.joint.p_PoCo0 = removal.to_parent(link.joint.p_PoCo0);
            link.joint.R_PC0 = R_PC.mul_mat(&link.joint.R_PC0);
        }
        link.parent = link.parent.map(|k| after_removal(k, i));
        if let Some(mimic) = &mut link.joint.mimic {
            mimic.leader = after_removal(mimic.leader, i);
        }
    }
    removal.move_devices(robot);
    let R_UpUc = removal.R_UpL.mul_mat(&R_PC).mul_mat(&child.R_LU);
    let p_UpUc = removal.R_UpL.mul_vec(p_PC);
    for a in &mut robot.attached {
        if a.link == i {
            a.p_UoA_U = p_UpUc + R_UpUc.mul_vec(a.p_UoA_U);
            a.R_UA = R_UpUc.mul_mat(&a.R_UA);
            a.link = p;
        }
        a.link = after_removal(a.link, i);
    }
    robot.attached.push(AttachedFrame {
        name: child.name,
        link: p,
        p_UoA_U: p_UpUc,
        R_UA: R_UpUc,
    });
}

/// Removal of the link C (index `i`), which is merged into its parent P (index `p`).
struct Removal {
    i: usize,
    p: usize,
    /// Pose of C in P.
    R_PC: Mat3,
    p_PC: Vec3,
    /// Rotation of the link frame of P in its user frame.
    R_UpL: Mat3,
}

impl Removal {
    /// Transforms a position from C to P.
    fn to_parent(&self, x: Vec3) -> Vec3 {
        self.p_PC + self.R_PC.mul_vec(x)
    }

    /// Sets the link and the position of a device. Returns true if the device was on C, so that its
    /// attitude has to be transformed too.
    fn relink(&self, link: &mut usize, position: &mut Vec3) -> bool {
        let is_removed = *link == self.i;
        if is_removed {
            *link = self.p;
            *position = self.to_parent(*position);
        }
        *link = after_removal(*link, self.i);
        is_removed
    }

    /// Moves the devices on C to P. The pattern lists every field of a robot, so that a new kind of
    /// device has to be classified here.
    fn move_devices(&self, robot: &mut Robot) {
        let Robot {
            thrusters,
            buoyancy_engines,
            fins,
            solar_panels: solar,
            lamps,
            sensors,
            colliders,
            visuals,
            // handled by the caller
            links: _,
            attached: _,
            start: _,
            // refer to links by name, or are set after the merge
            contact_wrenches: _,
            joint_groups: _,
            trajectories: _,
            keep_out: _,
            base_factor: _,
            servos: _,
            mimics: _,
            rotors: _,
            inflow: _,
            // refer to the base or to no link
            name: _,
            model: _,
            floating: _,
            allocation: _,
            winches: _,
            battery: _,
            loads: _,
            self_collision: _,
            firmware: _,
            autopilot: _,
            mavlink: _,
            moos: _,
            serial: _,
            namespace: _,
            profile: _,
            onboard: _,
            route: _,
        } = robot;
        for t in thrusters.iter_mut() {
            if self.relink(&mut t.link, &mut t.p_LoT) {
                t.direction = self.R_PC.mul_vec(t.direction);
                t.update_unit_wrench();
            }
        }
        for b in buoyancy_engines {
            self.relink(&mut b.link, &mut b.p_LoV);
        }
        for f in fins.iter_mut() {
            if self.relink(&mut f.link, &mut f.p_LoF) {
                f.R_LF = self.R_PC.mul_mat(&f.R_LF);
                f.p_UoF_U = self.R_UpL.mul_vec(f.p_LoF);
                f.R_UF = self.R_UpL.mul_mat(&f.R_LF);
            }
        }
        for panel in solar {
            if self.relink(&mut panel.link, &mut panel.p_LoP) {
                panel.normal = self.R_PC.mul_vec(panel.normal);
            }
        }
        for lamp in lamps {
            if self.relink(&mut lamp.link, &mut lamp.p_LoX) {
                lamp.d_L = self.R_PC.mul_vec(lamp.d_L);
            }
        }
        for s in sensors {
            if self.relink(&mut s.link, &mut s.p_LoS) {
                s.R_LS = self.R_PC.mul_mat(&s.R_LS);
                s.p_UoS_U = self.R_UpL.mul_vec(s.p_LoS);
                s.R_US = self.R_UpL.mul_mat(&s.R_LS);
            }
        }
        for c in colliders.iter_mut().chain(visuals) {
            if self.relink(&mut c.link, &mut c.p_LoG) {
                c.R_LG = self.R_PC.mul_mat(&c.R_LG);
            }
        }
    }
}

/// Returns the index of link `k` after the removal of link `i`.
fn after_removal(k: usize, i: usize) -> usize {
    if k > i { k - 1 } else { k }
}

/// Adds the inertia, weight and buoyancy of the child to the parent.
fn add_body(parent: &mut Link, child: &Link, R_PC: &Mat3, p_PC: Vec3) {
    let place = |x: Vec3| p_PC + R_PC.mul_vec(x);
    let moved = |i: &SpatialInertia| i.to_parent(R_PC, p_PC);
    parent.rigid += moved(&child.rigid);
    parent.added += moved(&child.added);
    parent.total = parent.rigid + parent.added;
    parent.p_LoLcm = weighted_mean(
        parent.mass_kg,
        parent.p_LoLcm,
        child.mass_kg,
        place(child.p_LoLcm),
    );
    parent.mass_kg += child.mass_kg;
    add_hulls(parent, child, R_PC, p_PC);
    parent.p_LoCb = weighted_mean(
        parent.volume_m3,
        parent.p_LoCb,
        child.volume_m3,
        place(child.p_LoCb),
    );
    parent.volume_m3 += child.volume_m3;
    parent.trim.moment_arm += R_PC.mul_vec(child.trim.moment_arm) + p_PC.scale(child.trim.force);
    parent.trim.force += child.trim.force;
    parent.wet |= child.wet;
}

/// Adds the hulls of the child to the parent, which still has its own volume.
fn add_hulls(parent: &mut Link, child: &Link, R_PC: &Mat3, p_PC: Vec3) {
    if child.volume_m3 == 0.0 {
        return;
    }
    let placed = |part: HullPart| HullPart {
        hull: Hull {
            p_LoH: p_PC + R_PC.mul_vec(part.hull.p_LoH),
            R_LH: R_PC.mul_mat(&part.hull.R_LH),
            ..part.hull
        },
        p_LoCb: p_PC + R_PC.mul_vec(part.p_LoCb),
        ..part
    };
    let parts: Vec<HullPart> = own_parts(child).into_iter().map(placed).collect();
    if parent.volume_m3 == 0.0 {
        parent.hull = placed(own_part(child)).hull;
    } else if parent.hull_parts.is_empty() {
        parent.hull_parts = vec![own_part(parent)];
    }
    parent.hull_parts.extend(parts);
    if let [_] = parent.hull_parts.as_slice() {
        parent.hull_parts.clear(); // the hull of the only link with a volume
    }
    let center = parent.hull.p_LoH;
    let reach = |part: &HullPart| (part.hull.p_LoH - center).norm() + part.hull.bound;
    let reach = parent.hull_parts.iter().map(reach);
    parent.hull.bound = reach.fold(parent.hull.bound, f64::max);
}

/// Returns the hulls of a link whose volume is not zero.
fn own_parts(link: &Link) -> Vec<HullPart> {
    if link.hull_parts.is_empty() {
        vec![own_part(link)]
    } else {
        link.hull_parts.clone()
    }
}

fn own_part(link: &Link) -> HullPart {
    HullPart {
        hull: link.hull,
        volume_m3: link.volume_m3,
        p_LoCb: link.p_LoCb,
    }
}

/// Returns the weighted mean of two points, or the first if both weights are zero.
fn weighted_mean(a: f64, p: Vec3, b: f64, q: Vec3) -> Vec3 {
    if a + b > 0.0 {
        p.scale(a / (a + b)) + q.scale(b / (a + b))
    } else {
        p
    }
}

//! Merging of links that are fixed to their parents, so that the dynamics contains moving links
//! only.
//!
//! The merge is exact while both links are fully submerged; at the surface the hull of the parent
//! represents both. A fixed link with its own hull or damping is kept, because the surface cuts it
//! elsewhere and its |ν|ν law acts along its own axes. A link with a wrench sensor is kept as well,
//! because the sensor measures at its joint.

use merrow_math::{Mat3, SpatialInertia, Vec3};
use merrow_model::scene::{AttachedFrame, Damping, JointKind, Link, Robot, SensorKind};

/// Merges all fixed links of `robot` that can be merged, children first.
pub fn merge_fixed_links(robot: &mut Robot) {
    for i in (1..robot.links.len()).rev() {
        let link = &robot.links[i];
        let still = link.joint.kind == JointKind::Fixed;
        let keeps = link.linear_damping != Damping::Zero
            || link.quadratic_damping != Damping::Zero
            || link.slender.is_some()
            || !link.derivatives.is_empty()
            || link.own_hull
            || link.restoring.is_some()
            || link.wind.is_some()
            || link.surface_damping.is_some()
            || robot
                .sensors
                .iter()
                .any(|s| s.link == i && matches!(s.kind, SensorKind::Wrench { .. }));
        if still && !keeps && link.munk {
            merge_into_parent(robot, i);
        }
    }
}

fn merge_into_parent(robot: &mut Robot, i: usize) {
    let child = robot.links.remove(i);
    robot.start.q.remove(i - 1);
    let p = child.parent.unwrap_or(0);
    let (R_PC, p_PC) = (child.joint.R_PC0, child.joint.p_PoCo0);
    add_body(&mut robot.links[p], &child, &R_PC, p_PC);
    let R_UpL = robot.links[p].R_LU.transpose();
    let place = |x: Vec3| p_PC + R_PC.mul_vec(x);

    for link in &mut robot.links {
        if link.parent == Some(i) {
            link.parent = Some(p);
            link.joint.p_PoCo0 = place(link.joint.p_PoCo0);
            link.joint.R_PC0 = R_PC.mul_mat(&link.joint.R_PC0);
        }
        link.parent = link.parent.map(|k| after_removal(k, i));
        if let Some(mimic) = &mut link.joint.mimic {
            mimic.leader = after_removal(mimic.leader, i);
        }
    }
    for t in &mut robot.thrusters {
        if t.link == i {
            t.p_LoT = place(t.p_LoT);
            t.direction = R_PC.mul_vec(t.direction);
            t.link = p;
            t.update_unit_wrench();
        }
        t.link = after_removal(t.link, i);
    }
    for b in &mut robot.buoyancy_engines {
        if b.link == i {
            (b.p_LoV, b.link) = (place(b.p_LoV), p);
        }
        b.link = after_removal(b.link, i);
    }
    for f in &mut robot.fins {
        if f.link == i {
            f.p_LoF = place(f.p_LoF);
            f.R_LF = R_PC.mul_mat(&f.R_LF);
            (f.p_UoF_U, f.R_UF) = (R_UpL.mul_vec(f.p_LoF), R_UpL.mul_mat(&f.R_LF));
            f.link = p;
        }
        f.link = after_removal(f.link, i);
    }
    for panel in &mut robot.solar {
        if panel.link == i {
            panel.p_LoP = place(panel.p_LoP);
            panel.normal = R_PC.mul_vec(panel.normal);
            panel.link = p;
        }
        panel.link = after_removal(panel.link, i);
    }
    for lamp in &mut robot.lamps {
        if lamp.link == i {
            lamp.p_LoX = place(lamp.p_LoX);
            lamp.d_L = R_PC.mul_vec(lamp.d_L);
            lamp.link = p;
        }
        lamp.link = after_removal(lamp.link, i);
    }
    for s in &mut robot.sensors {
        if s.link == i {
            s.p_LoS = place(s.p_LoS);
            s.R_LS = R_PC.mul_mat(&s.R_LS);
            (s.p_UoS_U, s.R_US) = (R_UpL.mul_vec(s.p_LoS), R_UpL.mul_mat(&s.R_LS));
            s.link = p;
        }
        s.link = after_removal(s.link, i);
    }
    for c in robot.colliders.iter_mut().chain(&mut robot.visuals) {
        if c.link == i {
            c.p_LoG = place(c.p_LoG);
            c.R_LG = R_PC.mul_mat(&c.R_LG);
            c.link = p;
        }
        c.link = after_removal(c.link, i);
    }
    let R_UpUc = R_UpL.mul_mat(&R_PC).mul_mat(&child.R_LU);
    let p_UpUc = R_UpL.mul_vec(p_PC);
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

/// Returns the index of link `k` after the removal of link `i`.
fn after_removal(k: usize, i: usize) -> usize {
    if k > i { k - 1 } else { k }
}

/// Adds the inertia, weight and buoyancy of the child to those of the parent.
fn add_body(parent: &mut Link, child: &Link, R_PC: &Mat3, p_PC: Vec3) {
    let place = |x: Vec3| p_PC + R_PC.mul_vec(x);
    let moved = |i: &SpatialInertia| i.to_parent(R_PC, p_PC);
    parent.rigid = parent.rigid.plus(&moved(&child.rigid));
    parent.added = parent.added.plus(&moved(&child.added));
    parent.total = parent.rigid.plus(&parent.added);
    parent.p_LoLcm = weighted_mean(
        parent.mass,
        parent.p_LoLcm,
        child.mass,
        place(child.p_LoLcm),
    );
    parent.mass += child.mass;
    if parent.volume == 0.0 {
        parent.hull = child.hull;
        parent.hull.p_LoH = place(child.hull.p_LoH);
        parent.hull.R_LH = R_PC.mul_mat(&child.hull.R_LH);
    }
    parent.p_LoCb = weighted_mean(
        parent.volume,
        parent.p_LoCb,
        child.volume,
        place(child.p_LoCb),
    );
    parent.volume += child.volume;
    parent.trim.moment_arm += R_PC.mul_vec(child.trim.moment_arm) + p_PC.scale(child.trim.force);
    parent.trim.force += child.trim.force;
    parent.wet |= child.wet;
}

/// Returns the weighted mean of two points, or the first if both weights are zero.
fn weighted_mean(a: f64, p: Vec3, b: f64, q: Vec3) -> Vec3 {
    if a + b > 0.0 {
        p.scale(a / (a + b)) + q.scale(b / (a + b))
    } else {
        p
    }
}

//! `pVPMPlanner`, the trajectory re-planner of Barisic, Vukic, Kragelund and Miskovic (A MOOS-based
//! online trajectory re-planning system for AUVs, 2010), as an application of MOOS.
//!
//! A waypoint attracts the vehicle and obstacles repel it; the *rotor* part of an obstacle leads the
//! vehicle around it. The planner follows the steepest descent of this potential with a point mass,
//! and posts speed, course and their derivatives (`feeds`).
//!
//! [`vector`] has the vectors of the plane, [`feature`] the obstacles and their potentials, [`world`]
//! the collection of them and the itinerary, [`planner`] the force and the feeds, [`application`] and
//! [`sonar`] the programs of a community, which [`program`] runs. [`mission`] runs the mission of
//! figures 6 and 7 from start to score, and [`replay`] its log.
//!
//! # Decisions
//! The paper leaves open or contradicts itself in these points:
//!
//! | point | here |
//! | --- | --- |
//! | (2) `d` is the distance to the barycentre, a vertex, or another point of the obstacle | to the nearest point of the outline; [`feature::barycentre_potential`] has figure 5 |
//! | A+, μ, F_max and the gains of the rotor have no values | `A = 8 m`, `μ = g/v_max`, `F_max = 0.5 m/s²`, the rotor as strong as the repulsion (estimated) |
//! | potential of a waypoint is not given | `g d`, with the pull g = 0.15 (estimated) |
//! | figure 3 shows the direction of the rotor, without its formula | about the obstacle on the side of the way on which its barycentre is not; it stays while the obstacle is nearer than two turning radii |
//! | (3) the maximum is over points p_e that are not given, and a number, but F is a vector | 36 points on a circle of 0.5 m, of which those are *admissible* to which the vehicle can turn, with its turning radius, without coming nearer to an obstacle than the clearance; F points to the lowest. Where only points that are higher are admissible, F has the pull of a waypoint |
//! | the vehicle is not a point mass: (4) gives a speed of 0 for a course abeam or astern, and fins do not steer without speed | the speed command is at least half of v_max |
//! | `bound{a, a_max}` scales also shorter vectors to a_max | as printed: the vehicle cruises at v_max; `bound` of the zero vector is zero |
//! | the scalar product is `|a| |b| cos`, without the sign of its use in (4) | the ordinary one |
//! | (9) `r = ω/v` is the curvature, not the radius of the turn | `r = v/ω`, which (10) needs |
//! | (10) has no unit of an angular acceleration when r is (9) | with `r = v/ω` it has |
//! | (8) subtracts the actual from the commanded course | so, wrapped to ±180 deg |

#![forbid(unsafe_code)]

pub mod application;
pub mod feature;
pub mod mission;
pub mod planner;
pub mod program;
pub mod remus;
pub mod replay;
pub mod sonar;
pub mod vector;
pub mod world;

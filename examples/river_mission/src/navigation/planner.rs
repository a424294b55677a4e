//! Path planner: A* over place and heading, so that paths keep to the turning circle of the boat.
//!
//! # Law
//! A state is a place on a lattice with step h and one of eight headings. A move goes one step ahead,
//! in the heading or an eighth of a turn to one side of it, or turns by an eighth on the spot, which is
//! dear. Paths then have a mean radius of at least h / (π/4), unless there is no room for it. The cost of a move of length s is
//! ```text
//!   s (1 + w c/100) + t [turn]                                           (1)
//! ```
//! with the mean cost c of the cells on the move; a move through a lethal cell does not exist, unless
//! the start itself is lethal and near. A* with the straight distance finds a path of least cost
//! [Hart, Nilsson, Raphael 1968], since (1) is at least s.
//!
//! # Limits
//! The path ends within a step of the goal, then goes straight to it; if the goal is blocked, it ends
//! within 12 m. The heading at the goal is free.
//!
//! # Checked by
//! tests below: length of straight paths, gaps, turning circle, unreachable goals, starts in obstacles

use super::map::CostMap;
use pathfinding::directed::astar::astar;

/// Step of the lattice [m]: 2.5 m radius.
const STEP_M: f64 = 2.0;
/// Distance between two looks at the cost of a move [m].
const LOOK_M: f64 = 0.4;
/// Weight of the cost.
const WEIGHT: f64 = 8.0;
/// Length that a turn costs [m].
const TURN_M: f64 = 0.3;
/// Distances from the goal at which a path may end [m], tried in order.
const REACHED_M: [f64; 3] = [STEP_M, 6.0, 12.0];
/// Length that an eighth of a turn on the spot costs [m].
const PIVOT_M: f64 = 8.0;
/// Distance from the start up to which lethal cells are passed, at this cost.
const ESCAPE_M: f64 = 8.0;
const ESCAPE_COST: f64 = 1000.0;
/// Costs are whole numbers of this length [m].
const UNIT_M: f64 = 1e-3;
/// Distance from the border of the map within which a goal outside of it is approached [m].
const BORDER_M: f64 = 6.0;

/// The eight headings, as steps of the lattice.
const HEADINGS: [[i32; 2]; 8] = [
    [1, 0],
    [1, 1],
    [0, 1],
    [-1, 1],
    [-1, 0],
    [-1, -1],
    [0, -1],
    [1, -1],
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct State {
    at: [i32; 2],
    heading: u8,
}

/// Finds a path from a place [m] and heading [rad] to a goal [m], as places about 2 m apart with
/// the start and, if it is free, the goal. `None` without a path.
pub fn plan(map: &CostMap, start: [f64; 2], heading: f64, goal: [f64; 2]) -> Option<Vec<[f64; 2]>> {
    let goal = inside(map, goal);
    let place = |at: [i32; 2]| [0, 1].map(|k| start[k] + f64::from(at[k]) * STEP_M);
    let eighth = (heading / std::f64::consts::FRAC_PI_4).round() as i64;
    let first = State {
        at: [0, 0],
        heading: eighth.rem_euclid(8) as u8,
    };
    let units = |length_m: f64| (length_m / UNIT_M).round() as u32;
    let away = |at: [i32; 2]| distance(place(at), goal);
    let escapes = map.is_lethal(start);
    // a free place within the map, next to the goal: its own cell may be blocked
    let search = |reached_m: f64| {
        astar(
            &first,
            |state| {
                let from = place(state.at);
                let mut moves = Vec::with_capacity(5);
                for turn in [1u8, 7] {
                    let turned = State {
                        at: state.at,
                        heading: (state.heading + turn) % 8,
                    };
                    moves.push((turned, units(PIVOT_M)));
                }
                for turn in [0u8, 1, 7] {
                    let heading = (state.heading + turn) % 8;
                    let step = HEADINGS[heading as usize];
                    let at = [0, 1].map(|k| state.at[k] + step[k]);
                    let to = place(at);
                    if map.grid.index(to).is_none() {
                        continue;
                    }
                    let is_near = escapes && distance(to, start) < ESCAPE_M;
                    if let Some(cost) = mean_cost(map, from, to, is_near) {
                        let length = distance(from, to);
                        let turned = if turn == 0 { 0.0 } else { TURN_M };
                        let cost = units(length * (1.0 + WEIGHT * cost / 100.0) + turned);
                        moves.push((State { at, heading }, cost));
                    }
                }
                moves
            },
            |state| (away(state.at) / UNIT_M) as u32,
            |state| away(state.at) <= reached_m,
        )
    };
    // a goal that is blocked, perhaps by echoes of what has left, is approached
    let (path, _) = REACHED_M.into_iter().find_map(search)?;
    let mut places: Vec<[f64; 2]> = path.iter().map(|state| place(state.at)).collect();
    let is_reached = places
        .last()
        .is_some_and(|end| distance(*end, goal) <= REACHED_M[0]);
    if is_reached && !map.is_lethal(goal) {
        match places.len() {
            1 => places.push(goal),
            n => places[n - 1] = goal,
        }
    }
    Some(places)
}

/// Returns the goal, or, if it is outside of the map, the free place next to it near the border.
fn inside(map: &CostMap, goal: [f64; 2]) -> [f64; 2] {
    let grid = &map.grid;
    let size = grid.edge_m * grid.side as f64;
    let nearest: [f64; 2] = std::array::from_fn(|k| {
        let (low, high) = (grid.corner[k] + BORDER_M, grid.corner[k] + size - BORDER_M);
        goal[k].clamp(low, high.max(low))
    });
    if nearest == goal || !map.is_lethal(nearest) {
        return nearest;
    }
    let free = (0..grid.side * grid.side)
        .map(|k| grid.centre(k))
        .filter(|p| !map.is_lethal(*p));
    let from_border = |p: &[f64; 2]| {
        let of = |k: usize| (p[k] - grid.corner[k]).min(grid.corner[k] + size - p[k]);
        of(0).min(of(1))
    };
    let is_at_border = |p: &[f64; 2]| (0.5 * BORDER_M..2.0 * BORDER_M).contains(&from_border(p));
    let free = free.filter(is_at_border);
    free.min_by(|a, b| distance(*a, goal).total_cmp(&distance(*b, goal)))
        .unwrap_or(nearest)
}

/// Returns the mean cost between two places [m]; `None` if a cell on the way is lethal. With
/// `escapes`, lethal cells have a high cost instead.
fn mean_cost(map: &CostMap, from: [f64; 2], to: [f64; 2], escapes: bool) -> Option<f64> {
    let looks = (distance(from, to) / LOOK_M).ceil().max(1.0);
    let mut sum = 0.0;
    for k in 1..=looks as usize {
        let part = k as f64 / looks;
        let p = [0, 1].map(|i| from[i] + part * (to[i] - from[i]));
        sum += match map.cost(p) {
            Some(cost) => cost,
            None if escapes => ESCAPE_COST,
            None => return None,
        };
    }
    Some(sum / looks)
}

/// Returns the distance of two places [m].
pub fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    libm::hypot(a[0] - b[0], a[1] - b[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::cost::{Grid, LETHAL};
    use std::f64::consts::{FRAC_PI_4, PI};

    /// Map of 60 x 60 m around the origin with these obstacles.
    fn map(is_blocked: impl Fn([f64; 2]) -> bool) -> CostMap {
        let grid = Grid::around([0.0, 0.0], 0.5, 120);
        let costs = (0..120 * 120).map(|k| match is_blocked(grid.centre(k)) {
            true => LETHAL,
            false => 0,
        });
        let costs = costs.collect();
        CostMap::new(grid, costs)
    }

    fn length(path: &[[f64; 2]]) -> f64 {
        path.windows(2).map(|pair| distance(pair[0], pair[1])).sum()
    }

    #[test]
    fn straight_paths_have_the_shortest_length() {
        let open = map(|_| false);
        let path = plan(&open, [-20.0, 3.0], 0.0, [20.0, 3.0]).unwrap();
        assert!((length(&path) - 40.0).abs() < 1e-9);
        let diagonal = plan(&open, [-20.0, -20.0], FRAC_PI_4, [20.0, 20.0]).unwrap();
        assert!((length(&diagonal) - 40.0 * 2f64.sqrt()).abs() < 1e-9);
    }

    #[test]
    fn paths_use_the_gap_in_a_wall() {
        let wall = map(|[x, y]| x.abs() < 1.0 && (y - 15.0).abs() > 2.5);
        let path = plan(&wall, [-20.0, 0.0], 0.0, [20.0, 0.0]).unwrap();
        let crossing = path.iter().find(|p| p[0].abs() < 1.5).unwrap();
        assert!((crossing[1] - 15.0).abs() <= 2.5, "{path:?}");
        assert!(path.iter().all(|p| !wall.is_lethal(*p)));
    }

    // In a dead end narrower than its turning circle the boat turns on the spot.
    #[test]
    fn a_dead_end_is_left() {
        let dead_end = map(|[x, y]| x > 0.0 && (x > 4.0 || y.abs() > 1.5));
        let path = plan(&dead_end, [2.0, 0.0], 0.0, [-20.0, 0.0]).unwrap();
        assert!(path.iter().all(|p| !dead_end.is_lethal(*p)), "{path:?}");
    }

    // A boat that heads away from its goal turns in a circle: no move turns by more than an eighth.
    #[test]
    fn paths_keep_the_turning_circle() {
        let open = map(|_| false);
        let path = plan(&open, [0.0, 0.0], PI, [16.0, 0.0]).unwrap();
        let mut heading = PI;
        // the last place is the goal, not on the lattice
        for pair in path[..path.len() - 1].windows(2) {
            let course = libm::atan2(pair[1][1] - pair[0][1], pair[1][0] - pair[0][0]);
            let turn = crate::frames::wrapped(course - heading).abs();
            let is_still = distance(pair[0], pair[1]) == 0.0;
            assert!(!is_still && turn < FRAC_PI_4 + 1e-9, "{path:?}");
            heading = course;
        }
        assert!(length(&path) > 16.0 + PI);
    }

    #[test]
    fn unreachable_goals_have_no_path() {
        let wall = map(|[x, _]| x.abs() < 1.0);
        assert_eq!(plan(&wall, [-20.0, 0.0], 0.0, [20.0, 0.0]), None);
    }

    #[test]
    fn a_start_in_an_obstacle_is_left() {
        let spot = map(|p| distance(p, [0.0, 0.0]) < 3.0);
        let path = plan(&spot, [0.0, 0.0], 0.0, [20.0, 0.0]).unwrap();
        assert!(
            path.iter().filter(|p| spot.is_lethal(**p)).count() <= 2,
            "{path:?}"
        );
        let path = plan(&spot, [-20.0, 0.0], 0.0, [0.0, 0.0]).unwrap();
        assert!(path.iter().all(|p| !spot.is_lethal(*p)), "approached only");
    }

    #[test]
    fn distant_goals_are_approached_at_the_border() {
        let shore = map(|[_, y]| y > 10.0);
        let path = plan(&shore, [0.0, 0.0], 0.0, [500.0, 300.0]).unwrap();
        let end = path[path.len() - 1];
        assert!(end[0] > 15.0 && !shore.is_lethal(end), "{end:?}");
    }
}

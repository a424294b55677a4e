//! The whole state of a world, and connections of robots: contacts, couplings, tethers, chargers.

use crate::persist;
use crate::state::contact::{Contact, ContactBody, Contacts, Impulse, ImpulseKey};
use crate::state::coupling::LatchCapture;
use crate::state::{ChargerState, CouplingState, LineBreak, State, TetherState, WinchCommand};

persist! { struct State {
    time_ns, step, sea, robots, contacts, couplings, tethers, chargers, faults,
    scheduled, network,
} }
persist! { struct Contacts { touching, impulses, collisions, unsolved, pairs } }
persist! { struct Contact { a, b, p_W, n_W, gap, impulse_W } }
persist! { enum ContactBody {
    0 = Link { robot, link, collider }, 1 = Structure { structure, collider }, 2 = Seabed,
} }
persist! { enum ImpulseKey { 0 = Joint { robot, joint, side }, 1 = Contact(shapes, features) } }
persist! { struct Impulse { along_rows, force_W } }
persist! { struct CouplingState {
    engaged, capture, partner, p_AT, q_AT, offset, offset_rate, guided, force_W, moment_W, load, predicted_load,
} }
persist! { enum LatchCapture { 0 = Armed, 1 = Leaving, 2 = Off } }
persist! { struct TetherState { p, v, length, end_force, winch_speed, winch, line_break, halted_ns } }
persist! { struct LineBreak { segment, time_ns } }
persist! { enum WinchCommand { 0 = Speed(speed), 1 = Length(length) } }
persist! { struct ChargerState { robot, given } }

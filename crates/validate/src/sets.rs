//! The sets of cases, selectable on the command line, and their sections of the page.

/// A set of related cases.
#[derive(Debug, PartialEq, Eq)]
pub struct CaseSet {
    /// Name on the command line.
    pub name: &'static str,
    /// Heading of the section of the page that shows its figures.
    pub heading: &'static str,
    /// Text of the section.
    pub description: &'static str,
}

/// Bodies in ideal fluid: added mass, Kirchhoff's motion, Munk moment.
pub static BODIES: CaseSet = CaseSet {
    name: "bodies",
    heading: "Bodies in ideal fluid",
    description: "",
};

/// Floating hulls: Archimedes, metacentric heights, a hemisphere in waves.
pub static HULLS: CaseSet = CaseSet {
    name: "hulls",
    heading: "Hulls",
    description: "`docs/reference/hulls.md` describes the laws.
V34 is a sphere of 2 m diameter, half submerged, as a mesh, with filters fitted to the tables.",
};

/// Vehicles compared with MSS, PythonVehicleSimulator and their sources.
pub static VEHICLES: CaseSet = CaseSet {
    name: "vehicles",
    heading: "Vehicles",
    description: "Fossen's two REMUS programs disagree: 5 deg of rudder gives a turning radius of 26.6 m in MSS and
40.4 m in the Python program.
Merrow compares each with its own form of the model.
Errors of the programs that Merrow does not share are reproduced for the comparison and documented
in `crates/validate/src/cases/`.",
};

/// Waves, one hour of sea state, wind, sea water, geographic positions.
pub static SEA: CaseSet = CaseSet {
    name: "sea",
    heading: "Sea",
    description: "A sea state is a sum of 200 waves with seeded phases.
An hour of it has the statistics of its spectrum.
Sound rays are circular arcs (`docs/reference/water.md`).",
};

/// Modems: delay, delivery, medium access, loss, fading, received power.
pub static COMMS: CaseSet = CaseSet {
    name: "comms",
    heading: "Communication",
    description: "V02, V03 and V09 transmit messages between fixed modems of a world with the files
`thetis_modem` and `docking_acoustic`.
V08 transmits 20 periods of the schedule of a docking station and eight vehicles.
The published schedule has no guard time before the first uplink.
If the first vehicle is nearer to the last vehicle than the station is, its uplink damages the last
downlink.
An eighth of the messages to the vehicles is then lost.
V11 compares the distribution of the fading, and the frames lost over 37.63 m.
In V24 a Taipan 300 follows the headings and depths that its leader transmits at 20 bit/s.
V26 offers Poisson traffic of 20 modems to a base; a frame has 512 ms.
In V27 two WHOI micro-modems select their rate by the signal-to-noise ratio of the last message.
In V28 a vehicle requests power from its station until the messages arrive.
V54 compares the received power with the laws of each medium; radios have the loss of free space.
Its figure shows the modem files as they are, without shadowing.
`docs/reference/communication.md` describes modems and channels.",
};

/// Cases of public bug reports of simulators.
pub static REPORTS: CaseSet = CaseSet {
    name: "reports",
    heading: "Bug reports of simulators",
    description: "",
};

/// All sets, in the order of the page.
pub static ALL: [&CaseSet; 6] = [&BODIES, &HULLS, &VEHICLES, &SEA, &COMMS, &REPORTS];

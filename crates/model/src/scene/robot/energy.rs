//! What draws from a battery beside motors, and what feeds it: switched loads, solar panels, chargers.

use crate::scene::CouplingEnd;
use merrow_math::Vec3;

/// A device of no other kind that draws power, such as a computer or a light.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// Name; part of its parameter.
    pub name: String,
    /// Power at level 1 [W].
    pub power: f64,
    /// Level at the start, 0..1.
    pub level: f64,
}

/// What a servo draws.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ServoPower {
    /// At rest without load [W].
    pub standby: f64,
    /// Mechanical power over electrical, above 0 to 1.
    pub efficiency: f64,
    /// To hold a moment M: `holding * M²` [W/(N² m²)].
    pub holding: f64,
    /// Dry friction of gear and seal that turning overcomes [N m].
    pub friction: f64,
}

impl ServoPower {
    /// Power [W] at the moment `moment` [N m] of the load about the shaft, which turns at `rate` [rad/s]; what the load
    /// gives back is lost.
    pub fn draw(&self, moment: f64, rate: f64) -> f64 {
        let mechanical = (self.friction * rate.abs() - moment * rate).max(0.0);
        let turning = if mechanical > 0.0 {
            mechanical / self.efficiency
        } else {
            0.0
        };
        self.standby + self.holding * moment * moment + turning
    }
}

/// A solar panel on a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Solar {
    /// Name.
    pub name: String,
    /// Link that carries it.
    pub link: usize,
    /// Its middle in the link frame L [m].
    pub p_LoP: Vec3,
    /// Its normal, out of the cells, in L, unit.
    pub normal: Vec3,
    /// Area of the cells [m²].
    pub area: f64,
    /// Electrical power at the battery over sunlight on the cells, 0..1.
    pub efficiency: f64,
    /// Part of the cells in the shade of the vehicle, 0..1.
    pub shading: f64,
    /// Sine of the sun's least angle over the cells; under it the vehicle stands in the beam.
    pub least_sine: f64,
}

/// What a charger charges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Contact {
    /// What this coupling holds while it holds.
    Coupling(usize),
    /// The robot whose base origin is nearest to a place, within reach [m].
    Within(CouplingEnd, f64),
}

/// A charger: constant current up to a voltage, then constant voltage.
#[derive(Clone, Debug, PartialEq)]
pub struct Charger {
    /// Name.
    pub name: String,
    /// What it charges.
    pub contact: Contact,
    /// Largest current [A].
    pub current: f64,
    /// Voltage that it does not exceed [V]; infinite: the battery's own limit holds.
    pub voltage: f64,
    /// Power given over power taken from what feeds it.
    pub efficiency: f64,
    /// Robot whose battery feeds it; none: the shore.
    pub from: Option<usize>,
}

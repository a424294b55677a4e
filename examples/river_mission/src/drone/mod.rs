//! Nodes of the drone: take-off, survey, landing and charging.

//! Tests the cost of a step (no heap allocation) and of sensors.

mod allocation;
mod cost;

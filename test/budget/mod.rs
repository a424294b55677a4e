//! Tests the cost of a step (no heap allocation), of sensors, and of threads.

mod allocation;
mod cost;
mod requests;
mod threads;

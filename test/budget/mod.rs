//! What a step may cost: no memory from the heap; and what sensors cost.

mod allocation;
mod cost;

//! What a step may cost: no memory from the heap.

mod allocation;

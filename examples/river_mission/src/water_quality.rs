//! Water-quality samples of the boat, and the map that is made of them.

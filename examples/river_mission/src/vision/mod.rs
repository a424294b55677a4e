//! Images of the drone and the boat: water and land, the H of the landing pad, registration.

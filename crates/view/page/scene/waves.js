// Sea surface: the same wave components and the same transitions as the simulation, at the same
// time.

const TAU = 2 * Math.PI;
/** Maximum number of components that the shader adds. */
export const MAX_COMPONENTS = 512;
/** Level of a region without water, as in the simulation [m]. */
const DRY = -1e6;

/** Returns the weight of a sea state that grows from `start` over `ramp` [s]. */
function growth(start, ramp, time) {
  if (start === 0) return 1;
  const x = (time - start) / Math.max(ramp, 1e-9);
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  return x * x * x * (10 + x * (6 * x - 15));
}

/** Returns true if a polygon contains a point, as in the simulation. */
function contains(corners, x, y) {
  let inside = false;
  let a = corners.at(-1);
  for (const b of corners) {
    if (a[1] > y !== b[1] > y && x < a[0] + ((y - a[1]) / (b[1] - a[1])) * (b[0] - a[0])) inside = !inside;
    a = b;
  }
  return inside;
}

export class Sea {
  constructor() {
    this.seas = [];
    this.tide = null;
    /**
     * Regions of which at least one has its own surface: corners [m], level [m] or null for the
     * level of the sea, factor on the waves.
     */
    this.regions = [];
  }

  set(message) {
    this.seas = message.seas;
    this.tide = message.tide;
    this.regions = message.regions;
  }

  /**
   * Returns the components at a time [s] as [amplitude, phase, kx, ky], highest first, the mean level
   * of the open sea [m] and the regions.
   */
  at(time) {
    const waves = [];
    this.seas.forEach((sea, i) => {
      const next = this.seas[i + 1];
      const weight =
        growth(sea.start_s, sea.ramp_s, time) *
        (1 - (next ? growth(next.start_s, next.ramp_s, time) : 0));
      if (weight <= 0) return;
      for (const [a, omega, phase, kx, ky] of sea.components) {
        if (a > 0) waves.push([weight * a, (phase - omega * time) % TAU, kx, ky]);
      }
    });
    let level = 0;
    for (const [a, omega, phase] of this.tide ?? []) level += a * Math.cos(phase - omega * time);
    if (this.seas.length > 1) waves.sort((a, b) => b[0] - a[0]);
    return { waves: waves.slice(0, MAX_COMPONENTS), level, regions: this.regions };
  }

  /** Returns the region at a point, from the result of `at`; undefined in the open sea. */
  static region({ regions }, x, y) {
    return regions.find((region) => contains(region.corners, x, y));
  }

  /** Returns the mean level [m] at a point, from the result of `at`. */
  static level(now, x, y) {
    return Sea.region(now, x, y)?.level ?? now.level;
  }

  /** Returns the height of the surface [m] at a point, from the result of `at`. */
  static height(now, x, y) {
    const region = Sea.region(now, x, y);
    const factor = region?.waves ?? 1;
    let z = region?.level ?? now.level;
    for (const [a, phase, kx, ky] of now.waves) z += factor * a * Math.cos(kx * x + ky * y + phase);
    return z;
  }

  /**
   * Returns the surfaces to draw, from the result of `at`: number of the region or -1 for the open
   * sea, mean level [m] and factor on the waves.
   */
  static surfaces({ level, regions }) {
    const own = regions.map((region, index) => ({
      index,
      level: region.level ?? level,
      factor: region.waves,
    }));
    return [{ index: -1, level, factor: 1 }, ...own.filter((surface) => surface.level > DRY)];
  }
}

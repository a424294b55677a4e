// Sea surface: the same wave components and the same transitions as the simulation, at the same
// time.

const TAU = 2 * Math.PI;
/** Maximum number of components that the shader adds. */
export const MAX_COMPONENTS = 192;

/** Returns the weight of a sea state that grows from `start` over `ramp` [s]. */
function growth(start, ramp, time) {
  if (start === 0) return 1;
  const x = (time - start) / Math.max(ramp, 1e-9);
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  return x * x * x * (10 + x * (6 * x - 15));
}

export class Sea {
  constructor() {
    this.seas = [];
    this.tide = null;
  }

  set(message) {
    this.seas = message.seas;
    this.tide = message.tide;
  }

  /**
   * Returns the components at a time [s] as [amplitude, phase, kx, ky], highest first, and the mean
   * level [m].
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
    return { waves: waves.slice(0, MAX_COMPONENTS), level };
  }

  /** Returns the height of the surface [m] at a point, from the result of `at`. */
  static height({ waves, level }, x, y) {
    let z = level;
    for (const [a, phase, kx, ky] of waves) z += a * Math.cos(kx * x + ky * y + phase);
    return z;
  }
}

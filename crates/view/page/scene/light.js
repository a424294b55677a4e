// Light and water of the image: optics of the water or clear water, lamps of the robots, exposure.

import { add, norm, rotate, scale, sub } from "../math.js";
import { framingDistance } from "./camera.js";
import { MAX_LAMPS } from "./shaders.js";
import { Sea } from "./waves.js";

/** Fraction of the scattered light that stays in the image. */
const FORWARD = 0.65;
/** Water without the losses of the world: objects are seen at any depth, to a distance of about 60 m [1/m]. */
const CLEAR = { beam: [0.1, 0.055, 0.045], scattering: [0.03, 0.035, 0.035], daylight: [0, 0, 0] };
/** Light of the page per illuminance: the light of the sun of 100 000 lx is 1.9 [1/lx]. */
const PER_LUX = 1.9e-5;
/** Range of lamps: weaker light is not drawn [lx]. */
const LEAST_LUX = 1e-4;
/** Brightness relative to the surface, and transmission, below which a robot is not seen. */
const UNSEEN = { light: 1 / 60, transmission: 0.04 };

/** Returns the optics that the image has. */
export function opticsOf({ scene }, isClear) {
  const { beam, scattering, daylight } = isClear ? CLEAR : scene.optics;
  // most scattered light keeps nearly its direction and stays in the image
  return { beam, scattering, daylight, loss: beam.map((c, k) => c - FORWARD * scattering[k]) };
}

/** Returns the lamps that are on, brightest at a point first: position, axis, cosines, intensity [cd], lux at the point. */
export function lampsAt(world, robots, point, loss) {
  const found = [];
  world.scene.robots.forEach((robot, r) => {
    robot.lamps.forEach((lamp, k) => {
      const level = robots[r].lamps[k];
      if (!(level > 0)) return;
      const { p, q } = robots[r].links[lamp.link];
      const position = add(p, rotate(q, lamp.p));
      const distance = Math.max(norm(sub(point, position)), 1);
      const intensity = scale(lamp.intensity_cd, level);
      const lux = (intensity[1] * Math.exp(-loss[1] * distance)) / (distance * distance);
      if (lux < LEAST_LUX) return;
      found.push({ position, axis: rotate(q, lamp.direction), cosines: lamp.cosines, intensity, lux });
    });
  });
  return found.sort((a, b) => b.lux - a.lux).slice(0, MAX_LAMPS);
}

/** Returns the uniforms of the lamps. */
export function lampUniforms(lamps, optics) {
  const padded = (values) => [...values.flat(), ...new Array(3 * (MAX_LAMPS - values.length)).fill(0)];
  return {
    uLamps: lamps.length,
    uLoss: optics.loss,
    uScatter: optics.scattering,
    "uLampPosition[0]": padded(lamps.map(({ position }) => position)),
    "uLampAxis[0]": padded(lamps.map(({ axis }) => axis)),
    "uLampLight[0]": padded(lamps.map(({ intensity }) => scale(intensity, PER_LUX))),
    "uLampCone[0]": padded(lamps.map(({ cosines }) => [...cosines, 0])),
  };
}

/** Returns the light to which the eye adapts, relative to daylight at the surface. */
export function adaptation(optics, lamps, depth, day) {
  const daylight = Math.exp(-0.75 * optics.daylight[1] * depth);
  // light of the lamps on a surface 1.8 m in front of them
  const own = lamps.map(({ intensity }) => (PER_LUX * intensity[1] * Math.exp(-1.8 * optics.loss[1])) / 3.24);
  const lamp = own.length ? Math.max(...own) : 0;
  return lamp > 0 ? Math.max(daylight * (0.02 + day), lamp) : Math.max(daylight, 1 / 25);
}

/**
 * Returns true if the water hides a robot from a camera that frames it: too little daylight at its depth and no lamp,
 * or too turbid. `margin` above 1 requires more light, so that the answer does not alternate.
 */
export function isHidden(world, robots, k, margin = 1) {
  const robot = robots[k];
  if (!robot) return false;
  const [x, y, z] = robot.links[0].p;
  const depth = Sea.level(world.sea.at(world.time), x, y) - z;
  if (depth <= 0) return false;
  const optics = opticsOf(world, false);
  const { size } = world.scene.robots[k];
  const transmission = Math.exp(-Math.min(...optics.loss) * framingDistance(size));
  const isLit = lampsAt(world, robots, robot.links[0].p, optics.loss).some(({ lux }) => lux > 10);
  const daylight = Math.exp(-0.75 * Math.min(...optics.daylight) * depth);
  const light = isLit ? 1 : daylight;
  return light < margin * UNSEEN.light || transmission < margin * UNSEEN.transmission;
}

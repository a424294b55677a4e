// WebGL2 renderer: sky, ground, objects, sea surface and particles, with the media between them.

import { disc, simplify, tube } from "./geometry.js";
import {
  clamp, cross, dot, multiply, orthographic, poseMatrix, scale, sub, unit, viewMatrix,
} from "../math.js";
import { adaptation, lampUniforms, lampsAt, opticsOf } from "./light.js";
import * as shaders from "./shaders.js";
import { Scenery } from "./scenery.js";
import { MAX_CORNERS, MAX_REGIONS } from "./shaders.js";
import { MAX_COMPONENTS, Sea } from "./waves.js";

const SEA_INNER = 0.4;
const SEA_OUTER = 5000;
/**
 * Levels of detail of robots: size in the image from which a level is used [px], and number of
 * cells along the longest side of a piece; null: all triangles.
 */
const LEVELS = [[110, null], [45, 24], [14, 12], [0, 5]];
/** Size of a robot below which its propellers are not drawn [px]. */
const PROPELLER_PIXELS = 14;
/** Width of the shadow map [px], as in the shaders. */
const SHADOW_PIXELS = 1024;
/** Colour of tethers, 0..255. */
const TETHER_COLOR = [235, 205, 60];

/** Compiles a program with features: names that its source tests. */
function compile(gl, source, features) {
  const defined = features.map((name) => `#define ${name}\n`).join("");
  const program = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, source.vertex], [gl.FRAGMENT_SHADER, source.fragment]]) {
    const shader = gl.createShader(kind);
    // at the second line, because the version is the first
    gl.shaderSource(shader, text.replace("\n", `\n${defined}`));
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) {
      throw new Error(`shader: ${gl.getShaderInfoLog(shader)}`);
    }
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) {
    throw new Error(`program: ${gl.getProgramInfoLog(program)}`);
  }
  const uniforms = new Map();
  const n = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS);
  for (let k = 0; k < n; k++) {
    const { name } = gl.getActiveUniform(program, k);
    uniforms.set(name, gl.getUniformLocation(program, name));
  }
  return { program, at: (name) => uniforms.get(name) ?? null };
}

function upload(gl, geometry) {
  const vao = gl.createVertexArray();
  gl.bindVertexArray(vao);
  const buffers = [];
  const create = () => {
    buffers.push(gl.createBuffer());
    return buffers.at(-1);
  };
  const attribute = (index, data, type, normalized) => {
    const buffer = create();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(index);
    gl.vertexAttribPointer(index, 3, type, normalized, 0, 0);
  };
  attribute(0, geometry.positions, gl.FLOAT, false);
  if (geometry.normals) attribute(1, geometry.normals, gl.FLOAT, false);
  if (geometry.colors) attribute(2, geometry.colors, gl.UNSIGNED_BYTE, true);
  const indices = create();
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, indices);
  gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, geometry.indices, gl.STATIC_DRAW);
  gl.bindVertexArray(null);
  return { vao, count: geometry.indices.length, buffers };
}

/** Deletes an uploaded geometry. */
function release(gl, { vao, buffers }) {
  gl.bindVertexArray(null);
  gl.deleteVertexArray(vao);
  for (const buffer of buffers) gl.deleteBuffer(buffer);
}

/** Returns the size of a sphere in the image [px]; 0 outside of the image. */
function sizeInImage(camera, p, radius) {
  const far = sub(p, camera.eye);
  const { right, up, forward } = camera.axes;
  const pixels = radius / camera.pixelSize(p);
  if (camera.mode !== "map") {
    const [x, y, z] = [dot(far, right), dot(far, up), dot(far, forward)];
    const margin = 1.5 * radius;
    const half = Math.max(z, 0) * camera.tan;
    const isIn = z > -margin && Math.abs(y) < half + 2 * margin;
    if (!isIn || Math.abs(x) > (half * camera.width) / camera.height + 2 * margin) return 0;
  }
  return Math.max(pixels, 1e-3);
}

/** Returns the direction to the sun for a time and a place (low-precision solar position). */
export function sunDirection(utc, latitude, longitude) {
  const rad = Math.PI / 180;
  const n = utc / 86400 - 10957.5;
  const g = (357.529 + 0.98560028 * n) * rad;
  const l = (280.459 + 0.98564736 * n + 1.915 * Math.sin(g) + 0.02 * Math.sin(2 * g)) * rad;
  const tilt = 23.439 * rad;
  const declination = Math.asin(Math.sin(tilt) * Math.sin(l));
  const ascension = Math.atan2(Math.cos(tilt) * Math.sin(l), Math.cos(l));
  const sidereal = (280.46062 + 360.98564737 * n + longitude) * rad;
  const hour = sidereal - ascension;
  const phi = latitude * rad;
  return [
    -Math.cos(declination) * Math.sin(hour),
    Math.sin(declination) * Math.cos(phi) - Math.cos(declination) * Math.cos(hour) * Math.sin(phi),
    Math.sin(declination) * Math.sin(phi) + Math.cos(declination) * Math.cos(hour) * Math.cos(phi),
  ];
}

/** Returns true if the processor renders instead of a graphics card. */
function isSoftware() {
  const gl = document.createElement("canvas").getContext("webgl2");
  const info = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

export class Renderer {
  constructor(canvas) {
    this.isSoftware = isSoftware();
    const gl = canvas.getContext("webgl2", {
      antialias: !this.isSoftware,
      alpha: false,
      powerPreference: "high-performance",
    });
    if (!gl) throw new Error("this browser has no WebGL2");
    this.canvas = canvas;
    this.gl = gl;
    /** Programs by their names and features, compiled when they are used. */
    this.programs = new Map();
    this.pieces = new Map();
    this.scenery = new Scenery();
    /** Uploaded instances by kind of scenery and detail. */
    this.instances = new Map();
    this.seas = [[110, 160], [40, 48]].map(([rings, sectors]) => ({
      spacing: (SEA_OUTER / SEA_INNER) ** (1 / (rings - 1)) - 1,
      mesh: upload(gl, disc(rings, sectors, SEA_INNER, SEA_OUTER)),
    }));
    this.plane = upload(gl, disc(40, 64, 1, SEA_OUTER));
    const points = Float32Array.from({ length: 1500 }, (_, k) => (Math.sin(k * 127.1 + 3) * 43758.5453) % 1);
    this.points = upload(gl, { positions: points, indices: new Uint32Array(500).map((_, k) => k) });
    this.waves = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.waves);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA32F, MAX_COMPONENTS, 1);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    this.waveData = new Float32Array(4 * MAX_COMPONENTS);
    this.empty = gl.createVertexArray();
    this.createShadowMap();
    gl.enable(gl.DEPTH_TEST);
  }

  createShadowMap() {
    const { gl } = this;
    this.shadowMap = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.shadowMap);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOW_PIXELS, SHADOW_PIXELS);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    this.shadowBuffer = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowBuffer);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.shadowMap, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, this.shadowMap);
    gl.activeTexture(gl.TEXTURE0);
    this.light = multiply(orthographic(1, 1, 1, 2), viewMatrix([0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]));
  }

  /** Draws the depths of objects from the sun, in a box about the target of the camera. */
  drawShadows(world, robots, camera, environment) {
    const { gl } = this;
    const half = clamp(1.6 * camera.distance, 3, 80);
    const [x, y, z] = environment.uSun;
    // as in the shader: refraction turns the sun towards the zenith
    const sun = environment.below ? [x / 1.33, y / 1.33, Math.sqrt(1 - (x * x + y * y) / 1.77)] : [x, y, z];
    const right = unit(Math.hypot(sun[0], sun[1]) > 1e-3 ? [-sun[1], sun[0], 0] : [1, 0, 0]);
    const eye = camera.target.map((p, k) => p + 100 * sun[k]);
    const view = viewMatrix(eye, right, cross(sun, right), sun);
    this.light = multiply(orthographic(2 * half, 2 * half, 1, 200), view);
    environment.uTexel = (3 * half) / SHADOW_PIXELS;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowBuffer);
    gl.viewport(0, 0, SHADOW_PIXELS, SHADOW_PIXELS);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    const program = this.use("shadow", {});
    gl.uniformMatrix4fv(program.at("uLight"), false, this.light);
    for (const drawable of world.drawables) {
      const pose = world.pose(drawable, robots);
      const pixels = drawable.robot < 0 ? Infinity : world.scene.robots[drawable.robot].size / camera.pixelSize(pose.p);
      const mesh = this.mesh(drawable.piece, pixels);
      gl.uniformMatrix4fv(program.at("uModel"), false, poseMatrix(pose.p, pose.q));
      gl.bindVertexArray(mesh.vao);
      gl.drawElements(gl.TRIANGLES, mesh.count, gl.UNSIGNED_INT, 0);
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  /** Uploads the ground and removes the geometry of the former scene. */
  setScene(world) {
    for (const mesh of [...this.pieces.values()].flat()) if (mesh) release(this.gl, mesh);
    this.pieces.clear();
    this.scenery.setScene(world);
    this.ground = world.ground ? upload(this.gl, world.ground) : null;
  }

  /** Computes light and media from the scene and the weather. */
  environment(world, robots, camera, seaNow, options) {
    const { scene, status } = world;
    const optics = opticsOf(world, options.clear);
    const lamps = camera.mode === "map" ? [] : lampsAt(world, robots, camera.eye, optics.loss);
    const utc = (status?.utc_s ?? 1.7e9) + world.time;
    const sun = sunDirection(utc, scene.origin.latitude_deg, scene.origin.longitude_deg);
    const up = sun[2];
    const day = clamp((up + 0.08) / 0.35, 0, 1);
    const clouds = clamp(status?.["weather.cloud_cover"] ?? 0.2, 0, 1);
    const warm = clamp(1 - up / 0.5, 0, 1);
    const sunColor = scale([1.9, 1.75 - 0.45 * warm, 1.5 - 0.85 * warm], day * (1 - 0.75 * clouds));
    const dull = 0.6 * clouds;
    const zenith = [0.16, 0.36, 0.78].map((x) => (x * (1 - dull) + 0.52 * dull) * (0.03 + 0.97 * day));
    const horizon = [0.55 + 0.3 * warm * day, 0.71, 0.88 - 0.25 * warm].map(
      (x) => (x * (1 - dull) + 0.62 * dull) * (0.03 + 0.97 * day),
    );
    const visibility = status?.["weather.visibility_m"] ?? 20000;
    // light from the sky that the water scatters back: proportional to the single-scattering albedo
    const brightness = 0.02 + 0.62 * day * (1 - 0.4 * clouds);
    const veil = optics.scattering.map((b, k) => (b / optics.beam[k]) * brightness * [0.32, 0.62, 0.72][k]);
    const level = Sea.level(seaNow, camera.eye[0], camera.eye[1]);
    const surface = Sea.height(seaNow, camera.eye[0], camera.eye[1]);
    const below = camera.mode !== "map" && camera.eye[2] < surface;
    // the eye adapts to the light at its depth
    const depth = below ? Math.max(level - camera.eye[2], 0) : 0;
    const adapted = 1 / adaptation(optics, below ? lamps : [], depth, day);
    const exposure = 2 ** options.exposure * (below ? 1.25 : 0.78) * adapted * clamp(0.75 / (0.15 + day), 0.65, 2.5);
    const wind = status?.["weather.wind_from_deg"] ?? 0;
    const speed = status?.["weather.wind_speed_m_s"] ?? 0;
    const to = ((wind + 180) * Math.PI) / 180;
    return {
      uEye: camera.eye,
      // the eye is on the side of the actual surface
      uLevel: below ? Math.max(level, camera.eye[2] + 0.01) : Math.min(level, camera.eye[2] - 0.01),
      uBeam: optics.loss,
      ...lampUniforms(lamps, optics),
      uVeil: veil,
      uDaylight: optics.daylight,
      uSun: unit([sun[0], sun[1], Math.max(up, 0.05)]),
      uSunColor: sunColor,
      uZenith: zenith,
      uHorizon: horizon,
      uHaze: 3.912 / Math.max(visibility, 50),
      uExposure: exposure,
      uTime: world.time % 3600,
      uMap: camera.mode === "map" ? 1 : 0,
      uDetail: options.detail ? 1 : 0,
      uClouds: 0.1 + 0.8 * clouds,
      uPalette: camera.mode === "map" || options.depths ? 1 : 0.12,
      below,
      wind: [Math.sin(to), Math.cos(to)],
      speed,
    };
  }

  /** Selects a program with features. Software rendering also executes branches that a uniform excludes. */
  use(name, environment, own = []) {
    const { gl } = this;
    const features = environment.uLamps > 0 ? ["LAMPS", ...own] : own;
    const key = [name, ...features].join();
    if (!this.programs.has(key)) this.programs.set(key, compile(gl, shaders[name], features));
    const program = this.programs.get(key);
    gl.useProgram(program.program);
    for (const [key, value] of Object.entries(environment)) {
      const at = program.at(key);
      if (!at) continue;
      if (Array.isArray(value)) gl.uniform3fv(at, value);
      else gl.uniform1f(at, value);
    }
    if (program.at("uShadowMap")) {
      gl.uniform1i(program.at("uShadowMap"), 1);
      gl.uniformMatrix4fv(program.at("uLight"), false, this.light);
    }
    return program;
  }

  draw(world, robots, camera, options) {
    const { gl, canvas } = this;
    const seaNow = world.sea.at(world.time);
    const environment = this.environment(world, robots, camera, seaNow, options);
    const vessels = world.vessels(robots, seaNow, camera, options.detail);
    const hasShadows = options.shadows && camera.mode !== "map";
    if (hasShadows) this.drawShadows(world, robots, camera, environment);
    environment.uShadows = hasShadows ? 1 : 0;
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.disable(gl.BLEND);
    // from near to far, so that hidden pixels are not shaded
    this.drawObjects(world, robots, camera, environment, options.selected, seaNow.level, vessels);
    this.drawTethers(world, camera, environment);
    this.drawScenery(world, camera, environment, seaNow.level, options.detail);
    this.drawGround(world, camera, environment);
    this.drawBackdrop(camera, environment);
    const sea = this.seas[options.detail ? 0 : 1];
    if (camera.mode !== "map" && options.water) {
      for (const surface of Sea.surfaces(seaNow)) this.drawSea(world, camera, environment, seaNow, sea, surface, vessels);
    }
    if (environment.below) this.drawParticles(world, camera, environment);
    if (environment.uLamps > 0) this.drawGlare(camera, environment);
    this.drawGhosts(world.ghosts(robots), camera, environment);
    gl.bindVertexArray(null);
  }

  drawBackdrop(camera, environment) {
    const { gl } = this;
    const program = this.use("backdrop", environment);
    const { right, up, forward } = camera.axes;
    const aspect = camera.width / camera.height;
    gl.uniform3fv(program.at("uRight"), scale(right, camera.tan * aspect));
    gl.uniform3fv(program.at("uUp"), scale(up, camera.tan));
    gl.uniform3fv(program.at("uForward"), forward);
    // at the largest depth, where the depth buffer is not written
    gl.depthFunc(gl.LEQUAL);
    gl.bindVertexArray(this.empty);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.depthFunc(gl.LESS);
  }

  drawGround(world, camera, environment) {
    const { gl } = this;
    const { seabed } = world.scene;
    const program = this.use("ground", environment, seabed.basin ? ["POOL"] : []);
    gl.uniformMatrix4fv(program.at("uView"), false, camera.matrix);
    gl.uniform3fv(program.at("uColor"), seabed.color);
    const plane = this.ground ? 0 : 1;
    gl.uniform4f(program.at("uPlane"), seabed.slope[0], seabed.slope[1], seabed.z0, plane);
    gl.uniform2f(program.at("uCentre"), camera.eye[0], camera.eye[1]);
    const { basin } = seabed;
    this.setBasin(program, world);
    const range = world.ground?.range ?? [seabed.z0 - 1, 0];
    gl.uniform2f(program.at("uDepths"), Math.max(-range[1], 0), Math.max(-range[0], 1));
    const mesh = this.ground ?? this.plane;
    gl.bindVertexArray(mesh.vao);
    gl.uniform1f(program.at("uPart"), basin ? 1 : 0);
    gl.drawElements(gl.TRIANGLES, mesh.count, gl.UNSIGNED_INT, 0);
    if (!basin) return;
    // the surroundings of a pool
    gl.uniform4f(program.at("uPlane"), 0, 0, basin.top_m - 0.02, 1);
    gl.uniform1f(program.at("uPart"), 2);
    gl.drawElements(gl.TRIANGLES, mesh.count, gl.UNSIGNED_INT, 0);
  }

  /** Returns the mesh of a piece at the detail for a robot of a size in the image [px]. */
  mesh(piece, pixels) {
    if (!this.pieces.has(piece)) this.pieces.set(piece, []);
    const meshes = this.pieces.get(piece);
    const level = LEVELS.findIndex(([least]) => pixels >= least);
    const [, cells] = LEVELS[level];
    meshes[level] ??= upload(this.gl, cells ? simplify(piece, cells) : piece);
    return meshes[level];
  }

  drawObjects(world, robots, camera, environment, selected, level, vessels) {
    const sizes = robots.map(({ links }, k) => sizeInImage(camera, links[0].p, world.scene.robots[k].size));
    const water = new Map(vessels.map(({ robot, plane }) => [robot, plane]));
    const { basin } = world.scene.seabed;
    const featureOf = ({ robot, structure }) => (water.has(robot) ? "WET" : basin?.structures.includes(structure) ? "POOL" : "");
    for (const feature of ["", "WET", "POOL"]) {
      const drawables = world.drawables.filter((drawable) => featureOf(drawable) === feature);
      if (!drawables.length) continue;
      const program = this.use("object", environment, feature ? [feature] : []);
      this.drawDrawables(program, drawables, { world, robots, camera, selected, level, sizes, water });
    }
  }

  drawDrawables(program, drawables, { world, robots, camera, selected, level, sizes, water }) {
    const { gl } = this;
    gl.uniformMatrix4fv(program.at("uView"), false, camera.matrix);
    gl.uniform1f(program.at("uOpacity"), 1);
    gl.uniform1f(program.at("uMean"), level);
    this.setBasin(program, world);
    for (const drawable of drawables) {
      const { robot } = drawable;
      if (robot === camera.hidden) continue;
      const pixels = robot < 0 ? Infinity : sizes[robot];
      if (pixels === 0 || (drawable.propeller >= 0 && pixels < PROPELLER_PIXELS)) continue;
      const mesh = this.mesh(drawable.piece, pixels);
      const { p, q } = world.pose(drawable, robots);
      if (water.has(robot)) gl.uniform3fv(program.at("uWater"), water.get(robot));
      gl.uniformMatrix4fv(program.at("uModel"), false, poseMatrix(p, q));
      gl.uniform1f(program.at("uHighlight"), camera.mode === "map" && robot === selected ? 1 : 0);
      gl.bindVertexArray(mesh.vao);
      gl.drawElements(gl.TRIANGLES, mesh.count, gl.UNSIGNED_INT, 0);
    }
  }

  drawScenery(world, camera, environment, level, isDetailed) {
    if (camera.mode === "map") return;
    const { gl } = this;
    const kinds = this.scenery.update(world, camera, level, isDetailed);
    if (!kinds.length) return;
    const program = this.use("scenery", environment);
    gl.uniformMatrix4fv(program.at("uView"), false, camera.matrix);
    gl.uniform1f(program.at("uWindSpeed"), environment.speed);
    for (const { name, kind, changed, ...places } of kinds) {
      for (const part of ["near", "far"]) {
        if (!kind[part]) continue;
        const key = `${name} ${part}`;
        if (!this.instances.has(key)) this.instances.set(key, this.createInstances(kind[part]));
        const { mesh, buffer } = this.instances.get(key);
        if (changed) {
          gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
          gl.bufferData(gl.ARRAY_BUFFER, places[part], gl.DYNAMIC_DRAW);
        }
        gl.bindVertexArray(mesh.vao);
        gl.drawElementsInstanced(gl.TRIANGLES, mesh.count, gl.UNSIGNED_INT, 0, places[part].length / 8);
      }
    }
  }

  /** Uploads a geometry with attributes of its instances: place and scale, turn, tint and sway. */
  createInstances(geometry) {
    const { gl } = this;
    const mesh = upload(gl, geometry);
    const buffer = gl.createBuffer();
    gl.bindVertexArray(mesh.vao);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    for (const [index, offset] of [[3, 0], [4, 16]]) {
      gl.enableVertexAttribArray(index);
      gl.vertexAttribPointer(index, 4, gl.FLOAT, false, 32, offset);
      gl.vertexAttribDivisor(index, 1);
    }
    return { mesh, buffer };
  }

  /** Draws objects that are being moved or added, transparent. */
  drawGhosts(ghosts, camera, environment) {
    if (!ghosts.length) return;
    const { gl } = this;
    const program = this.use("object", environment);
    gl.uniformMatrix4fv(program.at("uView"), false, camera.matrix);
    gl.uniform1f(program.at("uHighlight"), 1);
    gl.uniform1f(program.at("uOpacity"), 0.55);
    // depths first, so that inner parts do not shine through
    for (const isColored of [false, true]) {
      gl.colorMask(isColored, isColored, isColored, false);
      gl.depthFunc(isColored ? gl.LEQUAL : gl.LESS);
      if (isColored) gl.enable(gl.BLEND);
      gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
      for (const { piece, pose } of ghosts) {
        const mesh = this.mesh(piece, Infinity);
        gl.uniformMatrix4fv(program.at("uModel"), false, poseMatrix(pose.p, pose.q));
        gl.bindVertexArray(mesh.vao);
        gl.drawElements(gl.TRIANGLES, mesh.count, gl.UNSIGNED_INT, 0);
      }
    }
    gl.colorMask(true, true, true, true);
    gl.depthFunc(gl.LESS);
    gl.disable(gl.BLEND);
  }

  /** Draws the tethers, at least 2.6 pixels wide. */
  drawTethers(world, camera, environment) {
    const { gl } = this;
    if (!world.tethers.length) return;
    const program = this.use("object", environment);
    gl.uniformMatrix4fv(program.at("uView"), false, camera.matrix);
    gl.uniformMatrix4fv(program.at("uModel"), false, poseMatrix([0, 0, 0], [1, 0, 0, 0]));
    gl.uniform1f(program.at("uHighlight"), 0);
    gl.uniform1f(program.at("uOpacity"), 1);
    world.tethers.forEach(({ points, broken }, k) => {
      const radius = 0.5 * (world.scene.tethers[k]?.diameter_m ?? 0.01);
      const radii = points.map((p) => Math.max(radius, 1.3 * camera.pixelSize(p)));
      const ends = broken < 0 ? [[0, points.length]] : [[0, broken + 1], [broken + 1, points.length]];
      for (const [first, end] of ends) {
        if (end - first < 2) continue;
        const mesh = upload(gl, tube(points.slice(first, end), radii.slice(first, end), TETHER_COLOR));
        gl.bindVertexArray(mesh.vao);
        gl.drawElements(gl.TRIANGLES, mesh.count, gl.UNSIGNED_INT, 0);
        release(gl, mesh);
      }
    });
  }

  /** Draws the surface of the open sea or of a region. */
  drawSea(world, camera, environment, { waves, regions }, { mesh, spacing }, { index, level, factor }, vessels) {
    const { gl } = this;
    const hasWakes = vessels.length > 0 && !environment.below;
    const program = this.use("sea", environment, hasWakes ? ["WAKES"] : []);
    waves.forEach((wave, k) => this.waveData.set(wave, 4 * k));
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.waves);
    if (waves.length) {
      gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, waves.length, 1, gl.RGBA, gl.FLOAT, this.waveData, 0);
    }
    gl.uniform1i(program.at("uWaves"), 0);
    gl.uniform1i(program.at("uCount"), waves.length);
    gl.uniform1f(program.at("uSpacing"), spacing);
    gl.uniform1f(program.at("uMean"), level);
    gl.uniform1f(program.at("uFactor"), factor);
    this.setRegions(program, regions, index);
    if (hasWakes) {
      gl.uniform1i(program.at("uVessels"), vessels.length);
      gl.uniform4fv(program.at("uVesselPose[0]"), vessels.flatMap(({ p, along }) => [...p, ...along]));
      gl.uniform4fv(program.at("uVesselSize[0]"), vessels.flatMap(({ half, speed }) => [...half, speed, 0]));
    }
    this.setBasin(program, world);
    gl.uniformMatrix4fv(program.at("uView"), false, camera.matrix);
    gl.uniform2f(program.at("uCentre"), camera.eye[0], camera.eye[1]);
    gl.uniform2f(program.at("uWind"), ...environment.wind);
    gl.uniform1f(program.at("uBelow"), environment.below ? 1 : 0);
    gl.uniform1f(program.at("uRipple"), clamp(0.008 + 0.006 * environment.speed, 0.008, 0.06));
    gl.uniform1f(program.at("uFoam"), clamp((environment.speed - 5) / 20, 0, 0.8));
    if (!environment.below) {
      gl.enable(gl.BLEND);
      gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    }
    gl.bindVertexArray(mesh.vao);
    gl.drawElements(gl.TRIANGLES, mesh.count, gl.UNSIGNED_INT, 0);
    gl.disable(gl.BLEND);
  }

  /** Sets the edges of a pool, in the south west and north east; equal without one. */
  setBasin(program, { scene: { seabed: { basin } } }) {
    this.gl.uniform4f(program.at("uBasin"), ...(basin ? [...basin.low, ...basin.high] : [0, 0, 0, 0]));
  }

  /** Sets the regions of the shader, and the region whose surface is drawn. */
  setRegions(program, regions, index) {
    const { gl } = this;
    const shown = regions.slice(0, MAX_REGIONS);
    const corners = shown.flatMap((region) => region.corners).slice(0, MAX_CORNERS);
    let end = 0;
    const ends = shown.map((region) => (end = Math.min(end + region.corners.length, MAX_CORNERS)));
    gl.uniform1i(program.at("uRegion"), index);
    gl.uniform1i(program.at("uRegions"), shown.length);
    if (!shown.length) return;
    gl.uniform1iv(program.at("uEnds[0]"), ends);
    gl.uniform2fv(program.at("uCorners[0]"), corners.flat());
  }

  drawParticles(world, camera, environment) {
    const { gl } = this;
    const program = this.use("particles", environment);
    gl.uniform1f(program.at("uDrift"), world.time % 1000);
    this.drawPoints(program, camera, this.points.vao, 500);
  }

  drawGlare(camera, environment) {
    this.drawPoints(this.use("glare", environment), camera, this.empty, environment.uLamps);
  }

  /** Draws transparent points, whose size depends on the height of the image. */
  drawPoints(program, camera, vao, n) {
    const { gl, canvas } = this;
    gl.uniformMatrix4fv(program.at("uView"), false, camera.matrix);
    gl.uniform1f(program.at("uPixels"), canvas.height);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthMask(false);
    gl.bindVertexArray(vao);
    gl.drawArrays(gl.POINTS, 0, n);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }
}

// Shaders of the page (GLSL ES 3.00).

/** Maximum number of floating objects with foam, a wake and ripples. */
export const MAX_VESSELS = 8;
/** Maximum number of lamps whose light is drawn. */
export const MAX_LAMPS = 4;
/** Maximum number of regions of the surface, and of their corners. */
export const MAX_REGIONS = 16;
export const MAX_CORNERS = 128;

/** Light and media: the same in all programs. */
const MEDIA = `
uniform vec3 uEye;
uniform float uLevel;
uniform vec3 uBeam;
uniform vec3 uVeil;
uniform vec3 uDaylight;
uniform vec3 uSun;
uniform vec3 uSunColor;
uniform vec3 uZenith;
uniform vec3 uHorizon;
uniform float uHaze;
uniform float uExposure;
uniform float uTime;
uniform float uMap;
uniform float uDetail;
uniform float uShadows;
uniform float uTexel;
uniform mat4 uLight;
uniform highp sampler2DShadow uShadowMap;
#ifdef LAMPS
uniform vec3 uLoss;
uniform vec3 uScatter;
uniform float uLamps;
uniform vec3 uLampPosition[${MAX_LAMPS}];
uniform vec3 uLampAxis[${MAX_LAMPS}];
uniform vec3 uLampLight[${MAX_LAMPS}];
uniform vec3 uLampCone[${MAX_LAMPS}];

// light of all lamps on a surface, with the loss in water
vec3 lampLight(vec3 p, vec3 n) {
  vec3 sum = vec3(0.0);
  for (int k = 0; k < ${MAX_LAMPS}; k++) {
    if (float(k) >= uLamps) break;
    vec3 d = p - uLampPosition[k];
    float r = length(d);
    d /= max(r, 1e-4);
    float part = smoothstep(uLampCone[k].x, uLampCone[k].y, dot(d, uLampAxis[k]));
    // soft at the edge, as light that the water scatters forward
    float facing = max(0.9 * dot(n, -d) + 0.1, 0.0);
    // water and surfaces near the lamp also light what is outside of its cone
    float fill = 0.2 * (0.6 - 0.4 * dot(n, d)) / (0.3 + r * r);
    sum += uLampLight[k] * exp(-uLoss * r) * (part * facing / max(r * r, 0.05) + fill);
  }
  return sum;
}
// light of lamps that the water scatters into a ray of length s from the eye; the samples are at
// equal angles as seen from the lamp, so that the inverse square of the distance cancels
vec3 lampVeil(vec3 d, float s) {
  vec3 sum = vec3(0.0);
  int n = uDetail > 0.5 ? 10 : 5;
  for (int k = 0; k < ${MAX_LAMPS}; k++) {
    if (float(k) >= uLamps) break;
    vec3 o = uLampPosition[k] - uEye;
    float b = dot(o, d);
    float h = max(length(o - b * d), 0.04);
    float first = atan(-b / h), last = atan((s - b) / h);
    vec3 own = vec3(0.0);
    for (int i = 0; i < n; i++) {
      float angle = mix(first, last, (float(i) + 0.5) / float(n));
      float t = b + h * tan(angle);
      float r = h / cos(angle);
      vec3 from = (t * d - o) / r;
      float part = smoothstep(uLampCone[k].x, uLampCone[k].y, dot(from, uLampAxis[k]));
      float turn = 1.16 + 0.8 * dot(from, d);
      own += part * exp(-uLoss * (r + t)) * 0.84 / (turn * sqrt(turn));
    }
    sum += uLampLight[k] * own * (last - first) / (float(n) * h);
  }
  return 0.14 * uScatter * sum;
}
#endif
float hash(vec2 p) {
  p = fract(p * vec2(123.34, 456.21));
  p += dot(p, p + 45.32);
  return fract(p.x * p.y);
}
float noise(vec2 p) {
  vec2 i = floor(p), f = fract(p);
  f = f * f * (3.0 - 2.0 * f);
  return mix(mix(hash(i), hash(i + vec2(1, 0)), f.x),
             mix(hash(i + vec2(0, 1)), hash(i + vec2(1, 1)), f.x), f.y);
}
float clouds(vec2 p) {
  if (uDetail < 0.5) return noise(p);
  return 0.5 * noise(p) + 0.25 * noise(2.03 * p) + 0.15 * noise(4.1 * p) + 0.1 * noise(8.3 * p);
}
// light scattered into a ray of length s from depth z0; g is the sine of its angle below horizontal
vec3 veil(float z0, float g, float s) {
  vec3 k = max(uBeam + uDaylight * g, vec3(1e-3));
  return uVeil * exp(-uDaylight * z0) * uBeam / k * (1.0 - exp(-k * s));
}
vec3 media(vec3 color, vec3 p) {
  if (uMap > 0.5) return color;
  vec3 d = p - uEye;
  float s = length(d);
  float ze = uEye.z - uLevel, zp = p.z - uLevel;
  float wet = 0.0;
  if (ze <= 0.0 && zp <= 0.0) wet = 1.0;
  else if (ze > 0.0 && zp <= 0.0) wet = -zp / (ze - zp);
  else if (ze <= 0.0) wet = s > 300.0 ? 1.0 : -ze / (zp - ze);
  float sw = s * wet;
  vec3 seen = color;
  float air = 1.0 - exp(-uHaze * s * (1.0 - wet));
  if (ze <= 0.0) seen = mix(seen, uHorizon, air);
  seen = seen * exp(-uBeam * sw) + veil(max(-ze, 0.0), -d.z / max(s, 1e-4), sw);
#ifdef LAMPS
  if (ze <= 0.0) seen += lampVeil(d / max(s, 1e-4), sw);
#endif
  if (ze > 0.0) seen = mix(seen, uHorizon, air);
  return seen;
}
vec3 sky(vec3 d) {
  float h = clamp(d.z, 0.0, 1.0);
  float toSun = max(dot(d, uSun), 0.0);
  if (uDetail < 0.5) {
    float near = toSun * toSun;
    return mix(uHorizon, uZenith, sqrt(h)) + uSunColor * 0.03 * near * near;
  }
  vec3 c = mix(uHorizon, uZenith, pow(h, 0.45));
  c += uSunColor * (0.25 * pow(toSun, 24.0) + 0.10 * pow(toSun, 4.0)) * 0.3;
  return c;
}
vec3 display(vec3 c) {
  c *= uExposure;
  c = c * (2.51 * c + 0.03) / (c * (2.43 * c + 0.59) + 0.14);
  c = clamp(c, 0.0, 1.0);
  return uDetail < 0.5 ? sqrt(c) : pow(c, vec3(1.0 / 2.2));
}
float caustics(vec3 p) {
  float depth = uLevel - p.z;
  vec2 q = (p.xy + uSun.xy / max(uSun.z, 0.2) * depth) * 1.6;
  float t = uTime * 0.8;
  float a = 0.0;
  for (int k = 0; k < 3; k++) {
    q = mat2(0.8, 0.6, -0.6, 0.8) * q * 1.31 + vec2(0.7, -0.4) * t;
    a += abs(sin(q.x + 1.7 * sin(q.y + t)) * cos(q.y + 1.3 * sin(q.x - t)));
  }
  float sharp = pow(1.0 - a / 3.0, 5.0) * 3.2;
  return mix(1.0, 0.55 + sharp, exp(-0.22 * depth));
}
// part of the sunlight that reaches a point, from the depths of the shadow map
float sunlight(vec3 p, vec3 n) {
  if (uShadows < 0.5) return 1.0;
  vec4 q = uLight * vec4(p + uTexel * n, 1.0);
  vec3 s = 0.5 * q.xyz + 0.5;
  if (any(lessThan(s, vec3(0.0))) || any(greaterThan(s, vec3(1.0)))) return 1.0;
  float sum = 0.0;
  for (int k = 0; k < 4; k++) {
    vec2 shift = (vec2(k & 1, k >> 1) - 0.5) / 1024.0;
    sum += texture(uShadowMap, vec3(s.xy + shift, s.z - 0.0005));
  }
  return 0.25 * sum;
}
vec3 lit(vec3 albedo, vec3 n, vec3 p, float gloss) {
  vec3 v = normalize(uEye - p);
  float depth = max(uLevel - p.z, 0.0);
  vec3 light = exp(-uDaylight * depth);
  vec3 sun = uSun;
  float focus = 1.0;
  vec3 below = 0.25 * uHorizon;
  if (depth > 0.0 && uMap < 0.5) {
    // refraction turns the sun towards the zenith
    sun = normalize(vec3(uSun.xy / 1.33, sqrt(max(1.0 - dot(uSun.xy, uSun.xy) / 1.77, 0.0))));
    if (uDetail > 0.5) focus = caustics(p);
    below = 1.6 * uVeil;
  }
  if (uMap > 0.5) light = vec3(1.0);
  vec3 above = 0.55 * mix(uHorizon, uZenith, 0.5) + 0.12 * uSunColor;
  vec3 ambient = mix(below, above, 0.5 + 0.5 * n.z);
  float direct = dot(n, sun) > 0.0 ? sunlight(p, n) : 0.0;
  float diffuse = max(dot(n, sun), 0.0) * direct;
  vec3 matt = albedo * (ambient + uSunColor * diffuse * focus);
#ifdef LAMPS
  matt += albedo * lampLight(p, n) / max(light, vec3(1e-9));
#endif
  if (gloss == 0.0 || uDetail < 0.5) return light * matt;
  vec3 h = normalize(sun + v);
  float shine = direct * gloss * pow(max(dot(n, h), 0.0), 48.0);
  float rim = gloss * pow(1.0 - max(dot(n, v), 0.0), 4.0) * 0.35;
  return light * (matt + uSunColor * shine * focus + ambient * rim);
}
`;

/** Patterns of pools, for fragments. */
const TILES = `
#ifdef POOL
// tiles of a size [m] with joints, of slightly different tones
float tiles(vec2 p, float size) {
  vec2 q = p / size;
  vec2 edge = 0.5 - abs(fract(q) - 0.5), width = fwidth(q);
  vec2 joint = 1.0 - smoothstep(vec2(0.02), 0.02 + max(width, vec2(0.015)), edge);
  float fade = 1.0 - smoothstep(0.15, 0.6, max(width.x, width.y));
  float tone = 0.94 + 0.1 * hash(floor(q));
  return mix(0.96, tone * (1.0 - 0.38 * max(joint.x, joint.y)), fade);
}
// 1 within half a width of a line, with soft edges
float stripe(float x, float half_width) {
  float soft = max(fwidth(x), 0.01);
  return 1.0 - smoothstep(half_width - 0.5 * soft, half_width + 0.5 * soft, abs(x));
}
#endif
`;

const HEAD = `#version 300 es
precision highp float;
precision highp int;
`;

export const object = {
  vertex: `${HEAD}
layout(location = 0) in vec3 aPosition;
layout(location = 1) in vec3 aNormal;
layout(location = 2) in vec3 aColor;
uniform mat4 uView;
uniform mat4 uModel;
out vec3 vPosition;
out vec3 vNormal;
out vec3 vColor;
void main() {
  vec4 p = uModel * vec4(aPosition, 1.0);
  vPosition = p.xyz;
  vNormal = mat3(uModel) * aNormal;
  vColor = aColor;
  gl_Position = uView * p;
}`,
  fragment: `${HEAD}${MEDIA}${TILES}
in vec3 vPosition;
in vec3 vNormal;
in vec3 vColor;
uniform float uHighlight;
uniform float uOpacity;
uniform float uMean;
uniform vec3 uWater;
uniform vec4 uBasin;
out vec4 color;
void main() {
  vec3 p = vPosition;
  vec3 n = normalize(vNormal);
  if (dot(n, uEye - vPosition) < 0.0 && uMap < 0.5) n = -n;
  // colours are stored with a gamma of 2.2
  vec3 albedo = pow(vColor, vec3(2.2));
#ifdef POOL
  {
    vec2 q = abs(n.z) > 0.7 ? p.xy : abs(n.x) > abs(n.y) ? p.yz : p.xz;
    // a darker band at the waterline, light tiles below, stone on top
    float band = stripe(p.z - uMean + 0.05, 0.15);
    albedo = mix(vec3(0.52, 0.70, 0.76), vec3(0.03, 0.13, 0.30), band) * tiles(q, 0.25);
    vec2 out_of = max(uBasin.xy - p.xy, p.xy - uBasin.zw);
    if (n.z > 0.7 || max(out_of.x, out_of.y) > 0.05) albedo = vec3(0.62, 0.60, 0.56) * tiles(q, 0.5);
  }
#endif
  float gloss = 0.25;
#ifdef WET
  {
    // the hull is wet above the surface, with foam on the waterline
    float high = p.z - uWater.x - dot(uWater.yz, p.xy);
    float ragged = 0.05 * noise(9.0 * p.xy + 3.0 * p.z);
    float wet = (1.0 - smoothstep(0.03, 0.10 + ragged, high));
    albedo *= 1.0 - 0.45 * wet;
    gloss += 0.75 * wet * step(0.0, high);
    albedo = mix(albedo, vec3(0.75), 0.75 * (1.0 - smoothstep(0.004, 0.02 + 0.5 * ragged, abs(high))));
  }
#endif
  vec3 c = lit(albedo, n, vPosition, gloss);
  c += uHighlight * vec3(0.05, 0.16, 0.25);
  c = media(c, vPosition);
#ifdef LAMPS
  // outlines of near objects that no lamp lights
  float faint = 0.45 * exp(-0.15 * distance(uEye, vPosition)) * (0.2 + 0.8 * abs(dot(n, normalize(uEye - vPosition))));
  c = max(c, faint * albedo / uExposure);
#endif
  color = vec4(display(c), uOpacity);
}`,
};

/** Instances of scenery, which sway in the wind. */
export const scenery = {
  vertex: `${HEAD}
layout(location = 0) in vec3 aPosition;
layout(location = 1) in vec3 aNormal;
layout(location = 2) in vec3 aColor;
layout(location = 3) in vec4 aPlace;
layout(location = 4) in vec4 aTurn;
uniform mat4 uView;
uniform float uTime;
uniform float uWindSpeed;
out vec3 vPosition;
out vec3 vNormal;
out vec3 vColor;
void main() {
  mat2 turn = mat2(aTurn.x, aTurn.y, -aTurn.y, aTurn.x);
  vec3 p = aPosition;
  p.xy = turn * p.xy;
  float blow = sin(1.7 * uTime + 0.35 * aPlace.x + 0.22 * aPlace.y) * aTurn.w * (0.4 + 0.12 * uWindSpeed);
  p.xy += blow * max(p.z, 0.0) * vec2(0.8, 0.6);
  p = aPlace.xyz + aPlace.w * p;
  vPosition = p;
  vNormal = vec3(turn * aNormal.xy, aNormal.z);
  vColor = aColor * aTurn.z;
  gl_Position = uView * vec4(p, 1.0);
}`,
  fragment: `${HEAD}${MEDIA}
in vec3 vPosition;
in vec3 vNormal;
in vec3 vColor;
out vec4 color;
void main() {
  vec3 albedo = vColor * vColor;
  color = vec4(display(media(lit(albedo, normalize(vNormal), vPosition, 0.0), vPosition)), 1.0);
}`,
};

/** Depths of objects from the sun. */
export const shadow = {
  vertex: `${HEAD}
layout(location = 0) in vec3 aPosition;
uniform mat4 uLight;
uniform mat4 uModel;
void main() {
  gl_Position = uLight * uModel * vec4(aPosition, 1.0);
}`,
  fragment: `${HEAD}
void main() {}`,
};

export const ground = {
  vertex: `${HEAD}
layout(location = 0) in vec3 aPosition;
layout(location = 1) in vec3 aNormal;
uniform mat4 uView;
uniform vec4 uPlane;
uniform vec2 uCentre;
out vec3 vPosition;
out vec3 vNormal;
void main() {
  vec3 p = aPosition;
  vec3 n = aNormal;
  if (uPlane.w > 0.5) {
    p.xy += uCentre;
    p.z = uPlane.z + dot(uPlane.xy, p.xy);
    n = normalize(vec3(-uPlane.xy, 1.0));
  }
  vPosition = p;
  vNormal = n;
  gl_Position = uView * vec4(p, 1.0);
}`,
  fragment: `${HEAD}${MEDIA}${TILES}
in vec3 vPosition;
in vec3 vNormal;
uniform vec3 uColor;
uniform vec2 uDepths;
uniform float uPalette;
uniform vec4 uBasin;
uniform float uPart;
out vec4 color;
#ifdef POOL
// floor of a pool: tiles, and a dark line at the centre of each lane with crossbars before the walls
vec3 poolFloor(vec2 p) {
  vec2 size = uBasin.zw - uBasin.xy, q = p - 0.5 * (uBasin.xy + uBasin.zw);
  if (size.y > size.x) { q = q.yx; size = size.yx; }
  float lanes = max(floor(size.y / 2.5), 1.0), wide = size.y / lanes;
  float across = (fract((q.y + 0.5 * size.y) / wide) - 0.5) * wide;
  float end = 0.5 * size.x - 2.0 - abs(q.x);
  float mark = stripe(across, 0.125) * smoothstep(-0.02, 0.02, end);
  mark = max(mark, stripe(across, 0.5) * stripe(end - 0.125, 0.125));
  return mix(vec3(0.50, 0.70, 0.76), vec3(0.02, 0.05, 0.14), mark) * tiles(p, 0.25);
}
#endif
vec3 palette(float x) {
  vec3 a = vec3(0.80, 0.86, 0.62), b = vec3(0.30, 0.66, 0.62);
  vec3 c = vec3(0.10, 0.36, 0.58), d = vec3(0.04, 0.10, 0.28);
  return x < 0.33 ? mix(a, b, x * 3.0) : x < 0.67 ? mix(b, c, (x - 0.33) * 3.0)
                                                  : mix(c, d, min((x - 0.67) * 3.0, 1.0));
}
void main() {
  vec3 p = vPosition;
#ifdef POOL
  {
    vec2 out_of = max(uBasin.xy - p.xy, p.xy - uBasin.zw);
    float away = max(out_of.x, out_of.y);
    if ((uPart < 1.5) != (away < 0.05)) discard;
    if (uPart < 1.5 || away < 3.5) {
      vec3 paved = uPart < 1.5 ? poolFloor(p.xy) : vec3(0.48, 0.46, 0.42) * tiles(p.xy, 0.5);
      vec3 c = lit(paved, vNormal, p, 0.0);
      color = vec4(uMap > 0.5 ? sqrt(paved) : display(media(c, p)), 1.0);
      return;
    }
  }
#endif
  float near = 1.0 / (1.0 + 0.05 * distance(p, uEye));
  float grain = 0.5 * (near + near * near), patches = 0.75, ripple = 0.0;
  vec3 n = vNormal;
  if (uDetail > 0.5) {
    grain = noise(p.xy * 9.0) * near + noise(p.xy * 31.0) * near * near;
    patches = noise(p.xy * 0.35) + 0.5 * noise(p.xy * 0.9);
    vec2 warp = p.xy + 0.35 * vec2(noise(p.xy * 0.8), noise(p.yx * 0.8 + 3.0));
    ripple = sin(dot(warp, vec2(5.2, 2.1))) * near;
    n = normalize(vNormal + vec3(5.2, 2.1, 0.0) * 0.022 * near * cos(dot(warp, vec2(5.2, 2.1))));
  }
  float depth = uLevel - p.z;
  vec3 albedo = uColor * (0.72 + 0.16 * patches + 0.12 * grain + 0.03 * ripple);
  // above the water: grass on flat ground, rock on slopes
  float land = uPart > 0.5 ? 1.0 : smoothstep(0.3, 1.2, -depth);
  vec3 grass = mix(vec3(0.10, 0.17, 0.05), vec3(0.16, 0.20, 0.07), patches * 0.7);
  vec3 rock = vec3(0.24, 0.22, 0.20) * (0.7 + 0.4 * patches);
  // rock on slopes and a wet edge under water
  float level = smoothstep(0.78, 0.92, vNormal.z + 0.1 * (patches - 0.75));
  albedo = mix(rock, albedo * (depth < 0.0 ? 1.0 : 0.86), uPart > 0.5 ? 1.0 : level);
  albedo = mix(albedo, mix(rock, grass, smoothstep(0.75, 0.9, vNormal.z)), land);
  float x = clamp((depth - uDepths.x) / max(uDepths.y - uDepths.x, 0.5), 0.0, 1.0);
  vec3 tint = depth < 0.0 ? mix(vec3(0.55, 0.60, 0.35), vec3(0.62, 0.52, 0.40),
                                clamp(-depth / 30.0, 0.0, 1.0)) : palette(x);
  vec3 c = lit(mix(albedo, tint, uPalette), n, p, 0.0);
  if (uMap > 0.5) {
    float shade = 0.55 + 0.45 * clamp(dot(vNormal, normalize(vec3(-1.0, 1.0, 1.6))), 0.0, 1.0);
    color = vec4(pow(tint * shade, vec3(0.72)), 1.0);
    return;
  }
  color = vec4(display(media(c, p)), 1.0);
}`,
};

export const sea = {
  vertex: `${HEAD}
layout(location = 0) in vec3 aPosition;
uniform mat4 uView;
uniform vec2 uCentre;
uniform float uMean;
uniform float uFactor;
uniform int uCount;
uniform float uSpacing;
uniform highp sampler2D uWaves;
out vec3 vPosition;
out vec2 vSlope;
out float vCrest;
void main() {
  vec2 p = aPosition.xy + uCentre;
  float r = length(aPosition.xy);
  float z = uMean;
  vec2 slope = vec2(0.0);
  float rough = 0.0;
  // waves that the grid cannot resolve at this distance have no height
  float shortest = 2.5 * uSpacing * max(r, 1.0);
  for (int i = 0; i < uCount; i++) {
    vec4 w = texelFetch(uWaves, ivec2(i, 0), 0);
    float k = length(w.zw);
    float a = uFactor * w.x * smoothstep(0.8, 1.6, 6.2831853 / max(k, 1e-4) / shortest);
    // neighbouring vertices skip the same waves
    if (a == 0.0) continue;
    float phase = dot(w.zw, p) + w.y;
    z += a * cos(phase);
    slope -= a * w.zw * sin(phase);
  }
  vPosition = vec3(p, z);
  vSlope = slope;
  vCrest = z - uMean;
  gl_Position = uView * vec4(vPosition, 1.0);
}`,
  fragment: `${HEAD}${MEDIA}
in vec3 vPosition;
in vec2 vSlope;
in float vCrest;
uniform float uBelow;
uniform float uRipple;
uniform float uFoam;
uniform vec2 uWind;
uniform int uRegion;
uniform vec4 uBasin;
#ifdef WAKES
uniform int uVessels;
uniform vec4 uVesselPose[${MAX_VESSELS}];
uniform vec4 uVesselSize[${MAX_VESSELS}];
#endif
uniform int uRegions;
uniform int uEnds[${MAX_REGIONS}];
uniform vec2 uCorners[${MAX_CORNERS}];
out vec4 color;
// number of the first region that contains a point; -1: open sea
int regionAt(vec2 p) {
  int start = 0;
  for (int k = 0; k < uRegions; k++) {
    bool inside = false;
    vec2 a = uCorners[uEnds[k] - 1];
    for (int i = start; i < uEnds[k]; i++) {
      vec2 b = uCorners[i];
      if ((a.y > p.y) != (b.y > p.y) && p.x < a.x + (p.y - a.y) / (b.y - a.y) * (b.x - a.x)) inside = !inside;
      a = b;
    }
    if (inside) return k;
    start = uEnds[k];
  }
  return -1;
}
vec2 ripples(vec2 p, float t) {
  vec2 s = vec2(0.0);
  float f = 2.1;
  float a = 1.0;
  vec2 d = normalize(uWind + vec2(0.01, 0.0));
  int n = uDetail > 0.5 ? 5 : 2;
  for (int k = 0; k < n; k++) {
    float w = sqrt(9.81 * f);
    s += d * a * cos(f * dot(d, p) - w * t + float(k) * 1.7);
    d = mat2(0.72, 0.69, -0.69, 0.72) * d;
    if (k == 2) d = normalize(uWind + vec2(0.01, 0.0)) * mat2(0.9, -0.44, 0.44, 0.9);
    f *= 1.63;
    a *= 0.82;
  }
  return s;
}
#ifdef WAKES
// foam of hulls and wakes; changes the slope by their waves
float wakes(vec2 p, inout vec2 slope) {
  float foam = 0.0;
  for (int k = 0; k < uVessels; k++) {
    vec4 pose = uVesselPose[k], size = uVesselSize[k];
    vec2 d = p - pose.xy;
    float v = size.z, reach = 5.0 * size.x + 14.0 * v + 1.0;
    if (dot(d, d) > reach * reach) continue;
    vec2 q = vec2(dot(d, pose.zw), dot(d, vec2(-pose.w, pose.z)));
    float fast = clamp(v / 1.2, 0.0, 1.0);
    float off = max((length(q / size.xy) - 1.0) * min(size.x, size.y), 0.0);
    float grain = 0.55 * noise(q * 7.0 + vec2(2.2 * v * uTime, 0.0)) + 0.45 * noise(p * 17.0);
    // foam along the hull and rings on the water
    foam += (0.3 + 0.7 * fast) * exp(-off / (0.05 + 0.12 * size.y + 0.1 * v)) * smoothstep(0.25, 0.75, grain + 0.25 * fast);
    vec2 out_of = d / max(length(d), 1e-3);
    slope += out_of * 0.10 * exp(-0.9 * off / (0.4 + size.y)) * cos(11.0 * off - 5.5 * uTime);
    if (v < 0.12) continue;
    // turbulent water behind the hull
    float back = -q.x - 0.75 * size.x;
    if (back > 0.0) {
      float wide = size.y * (0.75 + 0.10 * back / size.x) + 0.04 * back;
      float trail = exp(-back / (3.5 * v + size.x)) * smoothstep(wide, 0.35 * wide, abs(q.y));
      foam += 0.8 * fast * trail * smoothstep(0.38, 0.95, grain + 0.22 * trail);
      slope += 0.25 * fast * trail * vec2(grain - 0.5, noise(q * 5.0) - 0.5);
    }
    // waves of Kelvin's wake: arms at 19.5 degrees and transverse waves of the speed of the boat
    float run = size.x - q.x;
    if (run > 0.0) {
      float number = min(9.81 / max(v * v, 0.15), 14.0);
      float arm = (abs(q.y) - 0.4 * size.y - 0.3536 * run) / (0.25 + 0.10 * run);
      float decay = exp(-run / (7.0 * v + 2.0 * size.x));
      vec2 along = vec2(0.82, -0.57 * sign(q.y));
      float crest = exp(-arm * arm) * decay;
      slope += mat2(pose.zw, -pose.w, pose.z) * along * 0.30 * fast * crest * sin(1.6 * number * dot(q, along));
      float inside = smoothstep(0.2, -0.6, arm) * decay;
      slope -= pose.zw * 0.10 * fast * inside * sin(number * run);
      foam += 0.3 * fast * crest * exp(-run / (2.0 * size.x + v)) * smoothstep(0.45, 0.8, grain);
    }
  }
  return min(foam, 0.95);
}
#endif
// reflection of the sky and colour of the water, without foam and highlights
vec4 simple(vec3 p, vec3 d, vec3 n, float far) {
  float missed = 1.0 - max(dot(n, -d), 0.0);
  float squared = missed * missed;
  float f = min(0.02 + 0.98 * squared * squared * missed, 0.92);
  vec3 r = reflect(d, n);
  r.z = abs(r.z);
  vec3 body = uVeil * uBeam / max(uBeam + uDaylight, vec3(1e-3));
  float hidden = smoothstep(60.0, 400.0, far) * (1.0 - f);
  float haze = min(uHaze * far, 1.0);
  float alpha = mix(f + hidden, 1.0, haze);
  vec3 shown = (sky(r) * f + body * hidden) / (f + hidden);
  return vec4(display(mix(shown, uHorizon, haze)) * alpha, alpha);
}
void main() {
  vec3 p = vPosition;
  if (uRegions > 0 && regionAt(p.xy) != uRegion) discard;
  if (uBasin.z > uBasin.x && (any(lessThan(p.xy, uBasin.xy)) || any(greaterThan(p.xy, uBasin.zw)))) discard;
  float far = distance(p, uEye);
  float fade = 1.0 / (1.0 + 0.004 * far * far / max(abs(uEye.z - uLevel), 1.0));
  vec2 slope = vSlope + uRipple * fade * ripples(p.xy, uTime);
  float wake = 0.0;
#ifdef WAKES
  wake = wakes(p.xy, slope);
#endif
  vec3 n = normalize(vec3(-slope, 1.0));
  vec3 d = normalize(p - uEye);
  if (uBelow > 0.5) {
    vec3 t = refract(d, -n, 1.33);
    vec3 c;
    vec3 mirrored = veil(max(uLevel - uEye.z, 0.0) * 0.2, 0.3, 1e3);
    if (dot(t, t) < 0.5) {
      c = mirrored;
    } else {
      float cosine = dot(t, n);
      float f = 0.02 + 0.98 * pow(1.0 - clamp(cosine, 0.0, 1.0), 5.0);
      vec3 bright = sky(t) + uSunColor * 6.0 * smoothstep(0.995, 1.0, dot(t, uSun));
      c = mix(bright, mirrored, f);
    }
    color = vec4(display(media(c, p)), 1.0);
    return;
  }
  if (dot(n, d) > 0.0) n = normalize(n - 1.05 * dot(n, d) * d);
  if (uDetail < 0.5) {
    color = simple(p, d, n, far);
    color = mix(color, vec4(display(0.75 * (0.3 * uZenith + 0.5 * uSunColor)), 1.0), wake);
    return;
  }
  vec3 r = reflect(d, n);
  r.z = abs(r.z);
  float f = 0.02 + 0.98 * pow(1.0 - max(dot(n, -d), 0.0), 5.0);
  f = min(f, 0.92);
  vec3 c = sky(r);
  float glint = pow(max(dot(r, uSun), 0.0), mix(700.0, 160.0, clamp(far / 200.0, 0.0, 1.0)));
  float spark = glint * 9.0;
  float foam = 0.0;
  if (uFoam > 0.0) {
    foam = uFoam * smoothstep(0.35, 0.85, noise(p.xy * 0.8 + uWind * 0.1 * uTime) * 0.6 +
                              noise(p.xy * 3.1) * 0.4 + 0.25 * vCrest);
  }
  foam = max(foam, wake);
  float far_haze = 1.0 - exp(-uHaze * far);
  float opacity = clamp(f + foam, 0.0, 1.0);
  // distant water hides the seabed
  vec3 body = veil(0.0, 1.0, 1e3);
  // light through crests
  vec3 glow = uVeil * clamp(0.35 * vCrest, 0.0, 0.5) * (1.0 - f);
  float hidden = smoothstep(60.0, 400.0, far) * (1.0 - opacity);
  vec3 shown = (c * f + body * hidden + vec3(0.75) * foam * (0.3 * uZenith + 0.5 * uSunColor)) /
               max(opacity + hidden, 1e-3);
  float alpha = opacity + hidden;
  alpha = mix(alpha, 1.0, far_haze);
  vec3 out_color = display(mix(shown, uHorizon, far_haze));
  vec3 sparkle = display(uSunColor * spark);
  color = vec4(out_color * alpha + 0.5 * display(glow) * (1.0 - far_haze) + sparkle * (1.0 - far_haze), alpha);
}`,
};

export const backdrop = {
  vertex: `${HEAD}
uniform vec3 uRight;
uniform vec3 uUp;
uniform vec3 uForward;
out vec3 vRay;
void main() {
  vec2 p = vec2(float((gl_VertexID & 1) * 4) - 1.0, float((gl_VertexID & 2) * 2) - 1.0);
  vRay = uForward + p.x * uRight + p.y * uUp;
  gl_Position = vec4(p, 1.0, 1.0);
}`,
  fragment: `${HEAD}${MEDIA}
in vec3 vRay;
uniform float uClouds;
out vec4 color;
void main() {
  vec3 d = normalize(vRay);
  float z0 = uLevel - uEye.z;
  vec3 c;
  if (uMap > 0.5) {
    c = vec3(0.02, 0.05, 0.12);
    color = vec4(c, 1.0);
    return;
  } else if (z0 > 0.0) {
    c = veil(z0, -d.z, 1e4);
#ifdef LAMPS
    c += lampVeil(d, 60.0);
#endif
  } else {
    c = sky(d);
    if (d.z > 0.01) {
      vec2 q = d.xy / (d.z + 0.12) * 1.6 + vec2(0.004, 0.002) * uTime;
      float cover = smoothstep(1.0 - uClouds, 1.35 - uClouds, clouds(q * 1.4) + 0.12);
      vec3 cloud = mix(uHorizon, vec3(1.0), 0.5) * (0.35 * uSunColor + 0.6 * uZenith + 0.4 * uHorizon);
      c = mix(c, cloud, cover * smoothstep(0.01, 0.25, d.z) * 0.85);
    }
    c += uSunColor * 8.0 * smoothstep(0.99985, 0.99995, dot(d, uSun));
  }
  color = vec4(display(c), 1.0);
}`,
};

export const particles = {
  vertex: `${HEAD}${MEDIA}
layout(location = 0) in vec3 aPosition;
uniform mat4 uView;
uniform float uDrift;
uniform float uPixels;
out float vFade;
out vec3 vLight;
void main() {
  const float SIZE = 6.0;
  vec3 p = aPosition * SIZE + vec3(0.11, 0.05, -0.02) * uDrift;
  p = uEye + mod(p - uEye, SIZE) - 0.5 * SIZE;
  gl_Position = uView * vec4(p, 1.0);
  float s = distance(p, uEye);
  vFade = smoothstep(3.0, 1.0, s) * smoothstep(0.15, 0.4, s);
  gl_PointSize = clamp(uPixels * 0.004 / max(s, 0.2), 1.0, 4.0);
  vec3 day = exp(-uDaylight * max(uLevel - p.z, 0.0)) * (0.5 * uZenith + 0.25 * uSunColor);
#ifdef LAMPS
  day += lampLight(p, vec3(0.0));
#endif
  vLight = display(media(0.6 * day, p));
}`,
  fragment: `${HEAD}
in float vFade;
in vec3 vLight;
out vec4 color;
void main() {
  float r = length(gl_PointCoord - 0.5);
  float a = 0.35 * vFade * smoothstep(0.5, 0.1, r);
  color = vec4(vLight * a, a);
}`,
};

/** Glare of lamps that are switched on. */
export const glare = {
  vertex: `${HEAD}${MEDIA}
uniform mat4 uView;
uniform float uPixels;
out vec3 vLight;
void main() {
  vec3 p = uLampPosition[gl_VertexID], to = uEye - p;
  float s = length(to);
  float facing = max(dot(to / s, uLampAxis[gl_VertexID]), 0.0);
  vec3 light = exp(-uLoss * s) * uLampLight[gl_VertexID] / max(max(uLampLight[gl_VertexID].x, uLampLight[gl_VertexID].y), 1e-9);
  vLight = light * (0.25 + 0.75 * facing * facing);
  gl_Position = uView * vec4(p + 0.06 * to / s, 1.0);
  gl_PointSize = clamp(uPixels * (0.10 + 0.5 * facing * facing) / max(s, 0.3), 4.0, 0.35 * uPixels);
}`,
  fragment: `${HEAD}
in vec3 vLight;
out vec4 color;
void main() {
  float r = 2.0 * length(gl_PointCoord - 0.5);
  float a = smoothstep(1.0, 0.0, r);
  color = vec4(vLight * (0.35 * a * a * a + 0.9 * smoothstep(0.16, 0.05, r)), 0.0);
}`,
};

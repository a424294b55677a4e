// Connection to the server: messages, binary frames and requests with answers.

const FRAME = 1;
const DETAILS = 2;
const IMAGE = 3;
const POINTS = 4;
const TETHERS = 5;

/** Returns a path of the server with the token of the page. */
export function withToken(path) {
  const token = new URLSearchParams(location.search).get("token");
  return token ? `${path}?token=${encodeURIComponent(token)}` : path;
}

export async function fetchBytes(path) {
  const response = await fetch(withToken(path));
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.arrayBuffer();
}

export async function fetchJson(path) {
  const response = await fetch(withToken(path));
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
}

/** Reads a state frame; null if it belongs to another version of the scene. */
export function readFrame(buffer, scene) {
  const data = new DataView(buffer);
  if (!scene || data.getUint8(0) !== FRAME) return null;
  if (data.getUint16(2, true) !== scene.robots.length) return null;
  if (data.getUint32(4, true) !== scene.version) return null;
  let at = 40;
  const number = () => {
    const x = data.getFloat32(at, true);
    at += 4;
    return x;
  };
  const vector = () => [number(), number(), number()];
  const pose = () => ({ p: vector(), q: [number(), number(), number(), number()] });
  const frame = {
    paused: data.getUint8(1) !== 0,
    time: data.getFloat64(8, true),
    wall: data.getFloat64(16, true),
    step: data.getFloat64(24, true),
    overruns: data.getUint32(32, true),
    rejected: data.getUint32(36, true),
    robots: [],
    tethers: [],
    details: [],
  };
  for (const robot of scene.robots) {
    const velocity = vector();
    const links = robot.links.map(() => pose());
    const fins = robot.fins.map(() => number());
    const lamps = robot.lamps.map(() => number());
    const thrusters = robot.thrusters.map(() => ({ speed: number(), thrust: number() }));
    frame.robots.push({ velocity, links, fins, lamps, thrusters });
  }
  if (at + 4 <= buffer.byteLength && data.getUint8(at) === TETHERS) {
    const n = data.getUint16(at + 2, true);
    at += 4;
    for (let k = 0; k < n; k++) {
      const [nodes, broken] = [data.getUint16(at, true), data.getUint16(at + 2, true)];
      at += 4;
      frame.tethers.push({ broken: broken - 1, points: Array.from({ length: nodes }, vector) });
    }
  }
  while (at + 8 <= buffer.byteLength && data.getUint8(at) === DETAILS) {
    const robot = data.getUint16(at + 2, true);
    const n = data.getUint32(at + 4, true);
    at += 8;
    frame.details.push({ robot, values: Array.from({ length: n }, () => number()) });
  }
  return frame;
}

/** Time without a message after which the server counts as silent, and after which the page connects again [ms]. */
const [SILENT_MS, DEAD_MS] = [3000, 20000];
const RETRY_MS = 1000;

/** WebSocket that connects again after an interruption. */
export class Connection {
  constructor(handlers) {
    this.handlers = handlers;
    this.pending = new Map();
    this.next = 1;
    /** True while the connection is open and the server sends. */
    this.isLive = false;
    setInterval(() => this.check(), 500);
    this.open();
  }

  open() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}${withToken("/socket")}`);
    this.socket = socket;
    this.heard = performance.now();
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.heard = performance.now();
      this.handlers.opened();
      this.setLive(true);
    };
    socket.onmessage = (message) => {
      this.heard = performance.now();
      this.setLive(true);
      this.receive(message.data);
    };
    socket.onclose = () => this.closed(socket);
  }

  /** Refuses the open requests and connects again. */
  closed(socket) {
    if (socket !== this.socket) return;
    this.socket = null;
    for (const resolve of this.pending.values()) {
      resolve({ ok: false, error: "the connection was closed" });
    }
    this.pending.clear();
    this.setLive(false, "No connection to the run");
    setTimeout(() => this.open(), RETRY_MS);
  }

  /** Compares the time of the newest message: the server sends states also while the run is paused. */
  check() {
    const silent = performance.now() - this.heard;
    // a hidden page may receive late
    if (!this.socket || document.hidden || silent < SILENT_MS) return;
    this.setLive(false, "The run does not answer");
    if (silent < DEAD_MS) return;
    const { socket } = this;
    socket.onmessage = null;
    socket.close();
    this.closed(socket);
  }

  setLive(is, why) {
    if (is === this.isLive && why === this.why) return;
    [this.isLive, this.why] = [is, why];
    this.handlers.live(is, why);
  }

  receive(data) {
    if (data instanceof ArrayBuffer) {
      const kind = new DataView(data).getUint8(0);
      if (kind === IMAGE) this.handlers.image(data);
      else if (kind === POINTS) this.handlers.points(data);
      else this.handlers.frame(data);
      return;
    }
    const message = JSON.parse(data);
    if (message.type === "answer") {
      this.pending.get(message.id)?.(message);
      this.pending.delete(message.id);
      return;
    }
    this.handlers[message.type]?.(message);
  }

  /** Sends a request. The promise has the answer. */
  request(action) {
    if (this.socket?.readyState !== WebSocket.OPEN) {
      return Promise.resolve({ ok: false, error: "not connected" });
    }
    const id = this.next++;
    this.socket.send(JSON.stringify({ ...action, id }));
    return new Promise((resolve) => this.pending.set(id, resolve));
  }
}

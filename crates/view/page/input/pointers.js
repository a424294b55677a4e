// Pointers on the image: one drags the camera, a handle or a waypoint, or clicks; two fingers zoom and move.

/** Distance that a pointer moves before a press is a drag [px]. */
const CLICK_PIXELS = 4;

export class Pointers {
  constructor(canvas, app) {
    this.app = app;
    /** Places of the pressed pointers [px], by their identifiers. */
    this.pressed = new Map();
    /** Press that drags the camera: last place and distance moved [px]. */
    this.from = null;
    canvas.onpointerdown = (event) => {
      canvas.setPointerCapture(event.pointerId);
      canvas.focus({ preventScroll: true });
      this.down(event);
    };
    canvas.onpointermove = (event) => this.move(event);
    canvas.onpointerup = (event) => this.up(event);
    canvas.onpointercancel = (event) => {
      this.pressed.delete(event.pointerId);
      this.abandon();
    };
    canvas.oncontextmenu = (event) => event.preventDefault();
    canvas.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        app.camera.zoomAt(Math.exp(event.deltaY * 0.0012), event.clientX, event.clientY);
      },
      { passive: false },
    );
  }

  /** Ends the drag of a single pointer without an effect. */
  abandon() {
    this.from = null;
    this.app.editor.release(false);
    this.app.push.release();
    this.app.route.abandon();
  }

  down(event) {
    this.pressed.set(event.pointerId, [event.clientX, event.clientY]);
    if (this.pressed.size > 1) {
      this.abandon();
      return;
    }
    const { editor, push, route } = this.app;
    if (event.button === 0 && (editor.press(event) || push.press(event) || route.press(event))) return;
    this.from = { x: event.clientX, y: event.clientY, moved: 0 };
  }

  move(event) {
    const { app } = this;
    const [x, y] = [event.clientX, event.clientY];
    if (this.pressed.size > 1) {
      this.pinch(event.pointerId, [x, y]);
      return;
    }
    app.showPointer(x, y);
    if (app.editor.move(event) || app.push.move(event) || app.route.move(event) || !this.from) return;
    const [dx, dy] = [x - this.from.x, y - this.from.y];
    this.from = { x, y, moved: this.from.moved + Math.hypot(dx, dy) };
    if (this.from.moved > CLICK_PIXELS) app.camera.drag(dx, dy, event.shiftKey || event.buttons === 2);
    if (app.camera.mode === "orbit") app.setCamera("orbit");
  }

  /** Moves one of several pointers: their distance zooms, their mean moves the camera. */
  pinch(id, place) {
    if (!this.pressed.has(id)) return;
    const measure = () => {
      const [a, b] = [...this.pressed.values()];
      return { mean: [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2], distance: Math.hypot(a[0] - b[0], a[1] - b[1]) };
    };
    const before = measure();
    this.pressed.set(id, place);
    const after = measure();
    const { camera } = this.app;
    camera.drag(after.mean[0] - before.mean[0], after.mean[1] - before.mean[1], camera.mode !== "follow");
    if (before.distance > 0 && after.distance > 0) camera.zoomAt(before.distance / after.distance, ...after.mean);
    if (camera.mode === "orbit") this.app.setCamera("orbit");
  }

  up(event) {
    const isLast = this.pressed.size === 1;
    this.pressed.delete(event.pointerId);
    if (!isLast) return;
    if (this.app.editor.release() || this.app.push.release() || this.app.route.release()) return;
    if (this.from && this.from.moved <= CLICK_PIXELS) this.app.click(event.clientX, event.clientY);
    this.from = null;
  }
}

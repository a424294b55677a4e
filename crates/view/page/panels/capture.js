// Screenshots and videos of the image, and the download of files.

import { showEvent } from "./panels.js";

const FPS = 30;
/** Formats of videos, the preferred one first. */
const FORMATS = ["video/mp4", "video/webm"];

/** Downloads a file. */
export function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // the download reads the address later
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

/** Returns a name without characters that files cannot have. */
export const fileName = (text) => text.replace(/[^\w.-]+/g, "_");

export class Capture {
  /** `layers` are canvases of the same place, the lowest first; `name()` is the start of the names of files. */
  constructor(layers, name, button) {
    this.layers = layers;
    this.name = name;
    this.button = button;
    /** Canvas with all layers while an image or a video is taken. */
    this.canvas = document.createElement("canvas");
    this.recorder = null;
    this.wantsImage = false;
  }

  /** Saves the next image. */
  takeImage() {
    this.wantsImage = true;
  }

  /** Starts a video, or ends and saves it. */
  toggleVideo() {
    if (this.recorder) {
      this.recorder.stop();
      return;
    }
    const type = FORMATS.find((format) => window.MediaRecorder?.isTypeSupported(format));
    if (!type) {
      showEvent("this browser records no videos", "warning");
      return;
    }
    this.compose();
    const parts = [];
    this.recorder = new MediaRecorder(this.canvas.captureStream(FPS), { mimeType: type, videoBitsPerSecond: 8e6 });
    this.recorder.ondataavailable = ({ data }) => parts.push(data);
    this.recorder.onstop = () => {
      this.recorder = null;
      this.show();
      const blob = new Blob(parts, { type });
      this.saved = { name: `${this.name()}.${type.split("/")[1]}`, size: blob.size };
      download(blob, this.saved.name);
      showEvent(`saved as ${this.saved.name}`);
    };
    this.recorder.start(1000);
    this.show();
  }

  show() {
    this.button.setAttribute("aria-pressed", String(Boolean(this.recorder)));
    this.button.textContent = this.recorder ? "Stop video" : "Record video";
    document.body.classList.toggle("filming", Boolean(this.recorder));
  }

  /** Draws the layers into one image; its size stays the same during a video. */
  compose() {
    const { canvas, layers } = this;
    const [width, height] = [layers.at(-1).width, layers.at(-1).height];
    if (!this.recorder && (canvas.width !== width || canvas.height !== height)) {
      [canvas.width, canvas.height] = [width, height];
    }
    const c = canvas.getContext("2d");
    for (const layer of layers) c.drawImage(layer, 0, 0, canvas.width, canvas.height);
  }

  /** Called after each image, while its pixels exist. */
  drawn() {
    if (!this.wantsImage && !this.recorder) return;
    this.compose();
    if (!this.wantsImage) return;
    this.wantsImage = false;
    const name = `${this.name()}.png`;
    this.canvas.toBlob((blob) => {
      this.saved = { name, size: blob.size };
      download(blob, name);
      showEvent(`saved as ${name}`);
    }, "image/png");
  }
}

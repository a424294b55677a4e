// Search of a site that is opened from a folder: browsers refuse to start a worker from a file, so
// the script of the worker runs in a frame of the page. Loaded by the theme under this name.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(script) {
      super();
      this.waiting = [];
      const frame = document.createElement("iframe");
      frame.hidden = true;
      (document.body || document.documentElement).append(frame);
      // an opened document keeps its window while the script loads
      frame.contentDocument.open();
      frame.contentDocument.close();
      this.frame = frame.contentWindow;
      this.frame.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const element = frame.contentDocument.createElement("script");
      element.src = new URL(script, location).href;
      element.onload = () => {
        const waiting = this.waiting;
        this.waiting = null;
        waiting.forEach((data) => this.postMessage(data));
      };
      frame.contentDocument.documentElement.append(element);
    }

    // As of a worker: the other side receives a copy.
    postMessage(data) {
      if (this.waiting) {
        this.waiting.push(data);
      } else {
        this.frame.dispatchEvent(new this.frame.MessageEvent("message", { data: structuredClone(data) }));
      }
    }
  };
}

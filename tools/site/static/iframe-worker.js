// The worker of the search. The theme loads this file under this name.
{
  // Of a site that is opened from a folder: browsers refuse to start a worker from a file, so its
  // script runs in a frame of the page.
  class FrameWorker extends EventTarget {
    constructor(script) {
      super();
      this.waiting = [];
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
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
  }

  // In the language of queries a leading `-` excludes a word and `+` requires it: `--record` finds
  // `record`, and `/bluerov2/joint_states` the places of `joint_states`.
  const words = (name) => {
    const parts = name.split(/[^A-Za-z0-9_]+/).filter(Boolean);
    return parts.length > 1 ? [...parts.slice(0, -1), `+${parts.at(-1)}`].join(" ") : parts.join("");
  };
  const query = (text) => text.replace(/\S*[\/.-]\S*/g, words);

  window.Worker = class extends (location.protocol === "file:" ? FrameWorker : Worker) {
    postMessage(message) {
      const isQuery = typeof message.data === "string";
      super.postMessage(isQuery ? { ...message, data: query(message.data) } : message);
    }
  };
}

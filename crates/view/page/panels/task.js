// Task of the world: phase, times, score, next part of each robot, and events.

import { element } from "./panels.js";

const $ = (id) => document.getElementById(id);

/** Returns a score with three decimals, without those of whole numbers. */
export function scoreText(score) {
  return Number.isInteger(score) ? String(score) : score.toFixed(3);
}

/** Returns the line about a robot. */
export function robotText({ name, score, done, parts, collisions, finished, next }) {
  const words = [`${name}: ${scoreText(score)}`];
  if (parts) words.push(`${done} of ${parts}`);
  if (collisions) words.push(`${collisions} ${collisions === 1 ? "collision" : "collisions"}`);
  if (finished) words.push("finished");
  else if (next) words.push(`next at ${next.map((x) => x.toFixed(1)).join(", ")} m`);
  return words.join(", ");
}

export class Task {
  /** Shows the panel if the scene has a task. */
  setScene({ task, recording }) {
    this.task = task;
    this.isRecording = Boolean(recording);
    $("task-panel").hidden = !task;
    if (!task) return;
    $("task-name").textContent = task.name;
    $("task-kind").textContent = `${task.kind.replaceAll("_", " ")}, ${task.better} scores are better`;
    $("task-kind").title = task.description;
  }

  update(status) {
    if (!this.task || !status) return;
    const time = status.phase === "running" ? `, ${status.remaining_s.toFixed(0)} s left` : "";
    const over = status.timed_out ? ", time is over" : "";
    $("task-phase").textContent = `${status.phase}${time}${over}`;
    $("task-score").textContent = scoreText(status.score);
    // a recording does not contain which parts are done
    const known = (robot) => (this.isRecording ? { ...robot, parts: 0, next: null } : robot);
    const lines = status.robots.map((robot) => element("li", robotText(known(robot))));
    $("task-robots").replaceChildren(...lines);
    const events = status.events.map(({ time_s: t, robot, text }) =>
      element("li", `${t.toFixed(1)} s ${robot ? `${robot}: ` : ""}${text}`),
    );
    $("task-events").replaceChildren(...events);
  }
}

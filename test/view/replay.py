"""Checks of the page that shows a recording: timeline, poses, sensor images, hidden controls."""

import csv
import io
import re
import signal
import subprocess
from pathlib import Path

from PIL import Image

ROBOT = "merrow.world.frame.robots[merrow.selected].links[0].p"
TIME = "merrow.world.frame.time"


def record(binary, folder, world):
    """Records a world for some seconds and returns the positions of its first robot by time."""
    program = Path(binary).resolve()
    (Path(folder) / "recorded.yaml").write_text(world)
    command = [program, "run", "recorded.yaml", "--no-ros", "--pace", "max", "--for", "6",
               "--record", "bag"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    export = [program, "export", "bag", "--csv", "tables"]
    subprocess.run(export, cwd=folder, check=True, capture_output=True)
    with open(Path(folder) / "tables/bluerov2.odometry.csv", encoding="utf-8") as table:
        rows = list(csv.DictReader(table))
    # the stamp is the time of the pose
    return {float(row["header.stamp"]): [float(row[f"pose.pose.position.{k}"]) for k in "xyz"]
            for row in rows}


def start(binary, folder):
    """Starts the replay of the bag and returns its process and the address of its page."""
    command = [Path(binary).resolve(), "replay", "bag", "--view=127.0.0.1:0", "--pace", "0.1"]
    replay = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder)
    for line in replay.stdout:
        found = re.match(r"view: (\S+)", line)
        if found:
            return replay, found[1]
    raise RuntimeError("the program printed no address")


def seek(browser, time):
    """Moves the slider to a time and waits for the state of this time."""
    browser.evaluate(f"(() => {{const s = document.querySelector('#timeline-position');"
                     f" s.value = {time}; s.oninput();}})()")
    browser.wait(f"Math.abs({TIME} - {time}) < 1e-6")


def check_recording_is_shown(browser):
    """The page shows a recording: a timeline instead of the controls of a run."""
    browser.wait("window.merrow?.images > 2 && merrow.timeline.isRecording")
    hidden = ["#record", "#reset", "#drive", "#environment", "[aria-controls=fault-panel]"]
    for selector in hidden:
        visible = f"document.querySelector('{selector}').checkVisibility()"
        assert browser.evaluate(visible) is False, selector
    assert browser.evaluate("document.querySelector('#timeline-position').checkVisibility()")
    browser.press("Space", " ")
    browser.wait("merrow.world.frame.paused")
    answer = browser.evaluate("merrow.request({do: 'fault', robot: 'bluerov2', name: 'f',"
                              " device: 'd', kind: 'dead', values: {}, duration_s: 0})")
    assert not answer["ok"] and "recording" in answer["error"], answer


def check_poses(browser, positions):
    """After a seek the page shows the pose that the bag contains, forward and backward."""
    for time in [2.0, 5.1, 0.4, 3.3]:
        seek(browser, time)
        shown = browser.evaluate(ROBOT)
        nearest = min(positions, key=lambda stamp: abs(stamp - time))
        expected = positions[nearest]
        assert abs(nearest - time) < 0.03, nearest
        # the robot moves by 0.03 s at 0.5 m/s
        assert max(abs(a - b) for a, b in zip(shown, expected)) < 0.02, (time, shown, expected)
    spread = [max(p[k] for p in positions.values()) - min(p[k] for p in positions.values())
              for k in range(3)]
    assert max(spread) > 0.2, spread


def check_tether(browser):
    """The tether ends where it is attached to the robot."""
    points = browser.evaluate("merrow.world.tethers[0].points")
    assert len(points) == 9, points
    expected = browser.evaluate(
        "(async () => { const { composePose } = await import('/math.js');"
        " return composePose(merrow.robots[0].links[0], {p: [-0.2, 0, 0.1], q: [1, 0, 0, 0]}).p; })()"
    )
    assert max(abs(a - b) for a, b in zip(points[-1], expected)) < 0.03, (points, expected)
    assert max(abs(x) for x in points[0]) < 1e-3, points


def check_fault(browser):
    """Faults of the selected robot are shown at their time; a recording does not show that there are none."""
    state = "document.querySelector('#robot-state').textContent"
    seek(browser, 2.5)
    browser.wait(f"{state}.includes('thruster t1: reduced')")
    seek(browser, 0.4)
    browser.wait(f"!{state}.includes('thruster t1: reduced')")
    assert "no faults" not in browser.evaluate(state)
    seek(browser, 3.3)


def check_steps(browser):
    """The arrow keys step by 0.1 s; the time is shown, also in UTC."""
    browser.press("ArrowRight", "ArrowRight")
    browser.wait(f"Math.abs({TIME} - 3.4) < 1e-6")
    browser.press("ArrowLeft", "ArrowLeft")
    browser.wait(f"Math.abs({TIME} - 3.3) < 1e-6")
    text = browser.evaluate("document.querySelector('#timeline-time').textContent")
    assert text == "0:03.30", text
    utc = browser.evaluate("document.querySelector('#timeline-utc').textContent")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d\d", utc), utc


def check_image(browser):
    """The panel shows the recorded image of the camera at the shown time."""
    browser.click_on("[aria-controls=sensor-panel]")
    browser.wait("merrow.sensors.count >= 1")
    size = browser.evaluate("[document.querySelector('.sensor-image').width,"
                            " document.querySelector('.sensor-image').height]")
    assert size == [160, 90], size
    seek(browser, 1.0)
    browser.wait("document.querySelector('.sensor-text').textContent.startsWith('1.00 s')")


def check_topic_plot(browser, positions):
    """A field of a recorded topic is plotted over the whole recording, also for a field that is added later."""
    browser.evaluate("merrow.plot.addField('/bluerov2/odometry', 'pose.pose.position.z')")
    browser.wait(f"merrow.plot.series[0].t.length === {len(positions)}")
    browser.evaluate("merrow.plot.addField('/bluerov2/odometry', 'pose.pose.position.x')")
    browser.wait(f"merrow.plot.series.every((s) => s.t.length === {len(positions)})")
    for k, axis in [(0, 2), (1, 0)]:
        times, values = browser.evaluate(f"[merrow.plot.series[{k}].t, merrow.plot.series[{k}].y]")
        expected = sorted(positions)
        assert all(abs(a - b) < 1e-9 for a, b in zip(times, expected)), times
        assert values == [positions[time][axis] for time in expected]
    seek(browser, 2.5)
    assert browser.evaluate("merrow.plot.series[0].t.length") == len(positions)
    browser.evaluate("merrow.plot.show(0, 6)")
    browser.evaluate("[...merrow.plot.series].forEach((s) => merrow.plot.remove(s))")


def check_end(browser):
    """The recording plays to its end at ten times its speed, and stops there."""
    answer = browser.evaluate("merrow.request({do: 'pace', pace: '40'})")
    assert not answer["ok"] and "0.1 to 20" in answer["error"], answer
    browser.evaluate("merrow.request({do: 'pace', pace: '10'})")
    browser.wait("document.querySelector('#pace').value === '10'")
    browser.click_on("#pause")
    browser.wait(f"merrow.world.frame.paused && Math.abs({TIME} - 6) < 0.03")


def check_state(browser):
    """At the end of the recording the page shows the recorded mode, rates, links and schedule trace."""
    text = browser.evaluate("document.querySelector('#robot-state').textContent")
    assert text == "mode: off", text
    # the pressure sensor has 20 messages per second
    browser.wait("merrow.details.rateCells.some((cell) => Math.abs(parseFloat(cell.textContent) - 20) <= 1)")
    browser.wait("merrow.overlays.links.length > 0")
    first, second, frames, received, _, delay, airtime, lost = browser.evaluate("merrow.overlays.links[0]")
    assert {first, second} == {0, 1} and 0 <= received <= frames - lost <= frames, (received, frames, lost)
    assert 0 <= delay < 0.1 and airtime > 0.01, (delay, airtime)
    browser.click_on("[aria-controls=network-panel]")
    # receptions of the gateway; the transmission of the robot has not ended
    browser.wait("merrow.network.data?.intervals.some(([modem, activity]) => modem === 1 && activity === 3)")
    sender, receiver, distance, _ = browser.evaluate("merrow.network.data.frames[0]")
    assert {sender, receiver} == {0, 1} and 15 < distance < 30, (sender, receiver, distance)


def check(browser, binary, folder, world, screenshot):
    """Records a world and checks the page that replays it."""
    positions = record(binary, folder, world)
    replay, url = start(binary, folder)
    try:
        browser.open(url)
        check_recording_is_shown(browser)
        check_poses(browser, positions)
        check_tether(browser)
        check_fault(browser)
        check_steps(browser)
        check_image(browser)
        if screenshot:
            shown = Image.open(io.BytesIO(browser.screenshot())).convert("RGB")
            shown.save(screenshot, quality=86)
        check_topic_plot(browser, positions)
        check_end(browser)
        check_state(browser)
        print("replay: ok", flush=True)
    finally:
        replay.send_signal(signal.SIGINT)
        replay.communicate(timeout=60)
    assert replay.returncode == 0, replay.returncode

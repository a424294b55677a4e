"""One session with the first world of README, by mouse, keyboard and gamepad: fly, add a buoy, follow
waypoints, pause, look at forces, save the world, replay the recording."""

import re
import signal
import subprocess
from pathlib import Path

from editing import pause, resume, wait_for_objects
from operation import GAMEPAD, ROBOT, STATUS

BUOY = "channel_buoy"
WATER = {"water.current.speed_m_s": 0.25, "weather.visibility_m": 900}
ROWS = "[...document.querySelectorAll('#force-rows tr')].map((row) => [...row.cells].map((c) => c.textContent))"


def start(command, folder):
    """Starts the program in a folder; returns its process and the address of its page."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder)
    for line in process.stdout:
        found = re.match(r"view: (\S+)", line)
        if found:
            return process, found[1]
    raise RuntimeError("the program printed no address")


def stop(process):
    """Ends a program by an interrupt."""
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 0, process.returncode


def fly(browser):
    """Flies the vehicle with the right stick of a gamepad."""
    browser.evaluate(GAMEPAD)
    browser.click_on("#gamepad")
    browser.wait("document.querySelector('#drive-hint').textContent.startsWith('Test pad')")
    browser.evaluate("merrow.pad[1] = 1")
    browser.wait(f"{STATUS}.mode === 'stabilize'")
    place = browser.evaluate(f"{ROBOT}.links[0].p")
    browser.evaluate("merrow.pad[1] = 0; merrow.sticks = [0, 0, 0, -1]")
    browser.wait(f"Math.hypot(...{ROBOT}.links[0].p.map((x, k) => x - {place}[k])) > 0.5")
    browser.evaluate("merrow.sticks = [0, 0, 0, 0]")
    browser.wait("merrow.gamepad.moving === false")
    browser.press("Escape", "Escape")


def add_buoy(browser, names):
    """Adds a buoy with a click in the map."""
    browser.press("Digit4", "4")
    browser.press("KeyE", "e")
    browser.wait("document.querySelectorAll('#catalogue button').length > 20")
    browser.click_on(f"[data-model={BUOY}]")
    browser.click(560, 200)
    wait_for_objects(browser, [*names, BUOY])
    browser.press("KeyE", "e")


def follow_waypoints(browser):
    """Clicks three waypoints in the map, which the vehicle follows."""
    browser.evaluate("merrow.select(0)")
    browser.wait("merrow.selected === 0 && merrow.camera.mode === 'map'")
    browser.evaluate(f"merrow.camera.target = [...{ROBOT}.links[0].p]; merrow.camera.mapHeight = 12")
    pause(browser)
    browser.click_on("#waypoints")
    for k, place in enumerate([(530, 270), (530, 230), (480, 230)]):
        browser.click(*place)
        browser.wait(f"merrow.overlays.waypoints.length === {k + 1}")
    first = browser.evaluate("merrow.overlays.waypoints[0]")
    browser.click_on("#send-path")
    resume(browser)
    browser.wait(f"{STATUS}.mode === 'path_following'")
    distance = f"Math.hypot({first[0]} - {ROBOT}.links[0].p[0], {first[1]} - {ROBOT}.links[0].p[1])"
    browser.wait(f"{distance} < 0.4")


def inspect_forces(browser):
    """Pauses; the panel Forces has the thrust of every thruster."""
    pause(browser)
    browser.click_on("[aria-controls=force-panel]")
    thrusters = browser.evaluate("merrow.world.scene.robots[0].thrusters.map((t) => t.name)")
    browser.wait(f"{ROWS}.filter(([law]) => law === 'thrust').length === {len(thrusters)}")
    rows = {row[1]: [float(x) for x in row[2:]] for row in browser.evaluate(ROWS) if row[0] == "thrust"}
    shown = browser.evaluate(f"{ROBOT}.thrusters.map((t) => t.thrust)")
    for name, thrust in zip(thrusters, shown):
        # the panel rounds
        assert abs(rows[name][3] - abs(thrust)) < 0.06 + 0.02 * abs(thrust), (name, rows[name], thrust)
    assert max(map(abs, shown)) > 0.1, shown


def change_water(browser):
    """Changes current and waves in the panel Environment."""
    for name, value in WATER.items():
        answer = browser.evaluate(f"merrow.request({{do: 'set', parameters: {{'{name}': {value}}}}})")
        assert answer["ok"], answer
        browser.wait(f"Math.abs(merrow.world.status['{name}'] - {value}) < 1e-6")


def check_water(browser, time, is_changed):
    """The replay shows the water and the fault of a time."""
    browser.evaluate(f"merrow.request({{do: 'seek', time_s: {time}}})")
    for name, value in WATER.items():
        browser.wait(f"(Math.abs(merrow.world.status['{name}'] - {value}) < 1e-6) === {str(is_changed).lower()}")
    for fault in ["thrusters/t1: reduced", "thrusters/t2: 40 % of its thrust"]:
        browser.wait(f"merrow.world.status.robots[0].faults.includes('{fault}') === {str(is_changed).lower()}")


def start_fault(browser):
    """Starts a fault of the first thruster."""
    request = ("{do: 'fault', robot: merrow.world.scene.robots[0].name, name: 'weak', device: 'thrusters/t1',"
               " kind: 'reduced', values: {fraction: 0.5}, duration_s: 0}")
    answer = browser.evaluate(f"merrow.request({request})")
    assert answer["ok"], answer
    browser.wait("merrow.world.status.robots[0].faults.length > 0")
    answer = browser.evaluate("merrow.request({do: 'set', parameters: {'bluerov2.thrusters.t2.efficiency': 0.4}})")
    assert answer["ok"], answer


def save(browser, binary, folder):
    """Saves the world, which the program accepts and which has the buoy."""
    browser.press("KeyE", "e")
    browser.click_on("#save-world")
    browser.wait("merrow.editor.saved?.length > 100")
    (Path(folder) / "saved.yaml").write_text(browser.evaluate("merrow.editor.saved"))
    done = subprocess.run([binary, "check", "saved.yaml"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert BUOY in (Path(folder) / "saved.yaml").read_text()


def check(browser, binary, folder):
    """Runs the session."""
    binary = Path(binary).resolve()
    run, url = start([binary, "run", "pool", "--view=127.0.0.1:0", "--no-ros"], folder)
    try:
        browser.open(url)
        # not the page before
        browser.wait("window.merrow?.images > 2 && document.title === 'pool – Merrow' && !merrow.timeline.isRecording")
        browser.evaluate("merrow.adapt = () => {}; merrow.scale = 0.1")
        names = browser.evaluate("merrow.world.scene.robots.map((robot) => robot.name)")
        browser.wait("!document.querySelector('#record').disabled")
        browser.click_on("#record")
        browser.wait("merrow.world.status.recording === true", 20)
        fly(browser)
        add_buoy(browser, names)
        follow_waypoints(browser)
        inspect_forces(browser)
        save(browser, binary, folder)
        change_water(browser)
        start_fault(browser)
        changed = browser.evaluate("merrow.world.frame.time")
        resume(browser)
        browser.wait(f"merrow.world.frame.time > {changed} + 0.5")
        pause(browser)
        place, time = browser.evaluate(f"[{ROBOT}.links[0].p, merrow.world.frame.time]")
        browser.click_on("#record")
        browser.wait("merrow.world.status.recording === false")
    finally:
        stop(run)
    replay, url = start([binary, "replay", "merrow_pool_1.mcap", "--view=127.0.0.1:0"], folder)
    try:
        browser.open(url)
        browser.wait("window.merrow?.images > 2 && merrow.timeline.isRecording")
        browser.evaluate(f"merrow.request({{do: 'pause'}}); merrow.request({{do: 'seek', time_s: {time - 0.05}}})")
        browser.wait(f"merrow.world.frame.paused && Math.abs(merrow.world.frame.time - {time}) < 0.1")
        shown = browser.evaluate("merrow.world.frame.robots[0].links[0].p")
        # the vehicle moves at less than 1 m/s
        assert max(abs(a - b) for a, b in zip(shown, place)) < 0.1, (shown, place)
        for at, is_changed in [(time - 0.1, True), (changed - 0.3, False), (time - 0.1, True)]:
            check_water(browser, at, is_changed)
    finally:
        stop(replay)
    print("story: ok", flush=True)

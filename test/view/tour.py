"""The tour of docs/tutorials/live_view.md, by keys and buttons; it writes the images of the page."""

import io
import json
from pathlib import Path

from PIL import Image

from editing import OBJECTS, pause, resume
from operation import ROBOT, STATUS
from story import start, stop

SIZE = (1280, 720)
CURRENT = "water.current.speed_m_s"


def open_page(browser, url):
    """Opens the page of a run or of a recording, with a resolution that does not delay the run."""
    browser.call("Emulation.setDeviceMetricsOverride", width=SIZE[0], height=SIZE[1], deviceScaleFactor=1,
                 mobile=False)
    browser.open(url)
    browser.wait("window.merrow?.images > 2 && merrow.world.frame")
    browser.evaluate("merrow.adapt = () => {}; merrow.scale = 0.1; merrow.detail = true")


def drive(browser):
    """Drives forward and up with the keyboard, while the thrust and two fields are shown."""
    browser.press("Digit2", "2")
    browser.evaluate("merrow.camera.distance = 2.2; merrow.camera.yaw = 0.9; merrow.camera.pitch = 0.25")
    browser.evaluate("document.querySelector('[data-overlay=thrust]').click()")
    plot(browser, "position.z")
    plot(browser, "speed")
    browser.press("KeyK", "k")
    browser.key("KeyW", "w")
    browser.wait(f"Math.hypot(...{ROBOT}.velocity) > 0.25")
    time = browser.evaluate("merrow.world.frame.time")
    browser.wait(f"merrow.world.frame.time > {time} + 4")


def plot(browser, field):
    """Adds a field of the robot to the plot."""
    browser.wait(f"[...document.querySelector('#plot-field').options].some((o) => o.value === '{field}')")
    browser.evaluate(f"document.querySelector('#plot-field').value = '{field}'")
    browser.click_on("#plot-add")


def edit(browser):
    """Adds a crate, a current and a fault of a thruster to the run."""
    pause(browser)
    names = browser.evaluate(OBJECTS)
    browser.press("Digit1", "1")
    browser.press("KeyE", "e")
    browser.wait("document.querySelectorAll('#catalogue button').length > 20")
    browser.evaluate("document.querySelector('#catalogue-filter').value = 'crate';"
                     " document.querySelector('#catalogue-filter').oninput()")
    # the camera looks at a free point beside the robot
    browser.evaluate(f"merrow.camera.target = {ROBOT}.links[0].p.map((x, k) => x + [0.72, -0.54, 0][k]);"
                     " merrow.camera.distance = 3.2; merrow.camera.yaw = 0.9; merrow.camera.pitch = 0.3")
    browser.wait("merrow.camera.eye[2] > -1")
    browser.click_on("[data-model=crate]")
    browser.click(SIZE[0] / 2, SIZE[1] / 2)
    browser.wait(f"JSON.stringify({OBJECTS}) === {json.dumps(json.dumps([*names, 'crate'], separators=(',', ':')))}")
    browser.wait("merrow.object()?.name === 'crate'")


def disturb(browser):
    """Sets a current and starts a fault of the first thruster."""
    answer = browser.evaluate(f"merrow.request({{do: 'set', parameters: {{'{CURRENT}': 0.3}}}})")
    assert answer["ok"], answer
    browser.evaluate("merrow.select(0)")
    browser.click_on("[aria-controls=fault-panel]")
    browser.wait("merrow.faults.kinds.size > 5")
    browser.evaluate("(() => {const k = document.querySelector('#fault-kind');"
                     " k.value = 'reduced'; k.onchange();"
                     " document.querySelector('#fault-fraction').value = 0.5;})()")
    browser.click_on("#fault-start")
    browser.wait(f"{STATUS}.repairable.length === 1")


def save(browser, path):
    """Pauses and writes an image of the page at full resolution, which takes long with software rendering."""
    pause(browser)
    browser.evaluate("merrow.showShadows(true); merrow.scale = 1")
    before = browser.evaluate("merrow.images")
    browser.wait(f"merrow.images > {before} + 1")
    Image.open(io.BytesIO(browser.screenshot())).convert("RGB").save(path, quality=84)
    browser.evaluate("merrow.showShadows(false); merrow.scale = 0.1")
    resume(browser)


def replay(browser, binary, folder, path):
    """Shows the recording of the run in the middle, with the plotted depth."""
    process, url = start([binary, "replay", "merrow_pool_1.mcap", "--view=127.0.0.1:0"], folder)
    try:
        open_page(browser, url)
        browser.wait("merrow.timeline.isRecording")
        pause(browser)
        # the slider in its middle
        middle = browser.evaluate("(() => {const s = document.querySelector('#timeline-position');"
                                  " s.value = (Number(s.min) + Number(s.max)) / 2; s.oninput();"
                                  " return Number(s.value);})()")
        browser.wait(f"Math.abs(merrow.world.frame.time - {middle}) < 0.1")
        browser.press("Digit2", "2")
        browser.evaluate("merrow.camera.distance = 3; merrow.camera.yaw = 0.9; merrow.camera.pitch = 0.25;"
                         " merrow.plot.addField('/bluerov2/odometry', 'pose.pose.position.z')")
        browser.wait("merrow.plot.series[0]?.t.length > 100")
        save(browser, path)
    finally:
        stop(process)


def take(browser, binary, folder, step, path):
    """Follows the tour and writes the image of a step: drive, edit or replay."""
    binary = Path(binary).resolve()
    run, url = start([binary, "run", "pool", "--view=127.0.0.1:0", "--no-ros"], folder)
    try:
        open_page(browser, url)
        browser.wait("!document.querySelector('#record').disabled")
        browser.click_on("#record")
        browser.wait("merrow.world.status.recording === true", 20)
        drive(browser)
        if step == "drive":
            save(browser, path)
            return
        browser.key("KeyW", "w", down=False)
        browser.press("Escape", "Escape")
        edit(browser)
        if step == "edit":
            save(browser, path)
            return
        disturb(browser)
        resume(browser)
        time = browser.evaluate("merrow.world.frame.time")
        browser.wait(f"merrow.world.frame.time > {time} + 3")
        browser.click_on("#record")
        browser.wait("merrow.world.status.recording === false")
    finally:
        stop(run)
    if step == "replay":
        replay(browser, binary, folder, path)

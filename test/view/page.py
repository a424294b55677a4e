"""Checks the page of the live view in headless Chromium.

    python3 test/view/page.py --binary target/debug/merrow [--complete] [--image FILE.jpg [--tour STEP]]

Without `--complete`, only the checks of `SHORT` run: drawing, control, a panel, editing and saving.
Without Chromium (Debian package `chromium`) the checks are skipped.
"""

import argparse
import io
import math
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from PIL import Image, ImageChops

import editing
import layout
import operation
import panels
import replay
import scene
import story
import tour
from browser import Browser, find

WORLD = """
seed: 1
step: {dt_s: 0.005, integrator: rk4}
seabed: {depth_m: 6}
water:
  waves: {kind: jonswap, hs_m: 0.05, tp_s: 4, components: 48}
  regions:
    basin: {corners_m: [[-30, -30], [-18, -30], [-18, -18], [-30, -18]], level_m: 1.5, wave_factor: 0}
structures:
  rock: {position_m: [3, -4, -6], shapes: {body: {kind: sphere, radius_m: 0.5}}}
  pier: {position_m: [14, 3, 0], shapes: {body: {kind: box, size_m: [1, 40, 6]}}}
robots:
  bluerov2:
    position_m: [0, 0, -2]
    model:
      extends: robots/bluerov2_heavy.yaml
      sensors:
        camera: {device: {extends: sensors/lowlight_hd.yaml, width: 160, height: 90, outputs: [rgb, depth]}}
        dvl: {device: waterlinked_a50}
      modems:
        acoustic: {modem: evologics_s2c_r_18_34, address: 1, position_m: [0, 0, 0.1]}
  otter:
    position_m: [6, 3, 0]
    model:
      extends: robots/otter.yaml
      sensors:
        laser:
          device: {extends: sensors/hokuyo_utm30lx.yaml, rate_hz: 2, beams: 91}
          position_m: [0.2, 0, 0.8]
        sonar:
          device: {extends: sensors/oculus_m750d.yaml, rate_hz: 1, beams: 64, bins: 200, max_range_m: 20}
          position_m: [0.2, 0, -0.4]
modems:
  gateway: {modem: evologics_s2c_r_18_34, address: 2, position_m: [20, 0, -4]}
bridges:
  depth: {from: bluerov2/acoustic, to: gateway, topic: /bluerov2/pressure/pose, max_rate_hz: 0.5}
"""
# the robot drifts and sinks while it is recorded
MOVING = WORLD.replace("hs_m: 0.05", "hs_m: 0.6") + """
tethers:
  umbilical:
    line: fathom_rov_tether
    from: {kind: world, position_m: [0, 0, 0]}
    to: {kind: robot, robot: bluerov2, position_m: [-0.2, 0, 0.1]}
    length_m: 4
    segments: 8
faults:
  weak: {robot: bluerov2, target: thrusters/t1, kind: reduced, fraction: 0.5, time_s: 2, duration_s: 1}
"""
SIZE = (960, 540)
LOW_SCALE = 0.1
ROBOT = "merrow.world.frame.robots[merrow.selected]"


def start(binary, folder, bundled=None):
    """Starts a run of WORLD or of a bundled world; returns its process and the address of its page."""
    world = Path(folder) / "world.yaml"
    world.write_text(WORLD)
    return start_world(binary, folder, bundled or str(world))


def start_world(binary, folder, world, address="127.0.0.1:0"):
    """Starts a run of a world; returns its process and the address of its page."""
    binary = Path(binary).resolve()
    command = [binary, "run", world, "--no-ros", f"--view={address}"]
    # recordings are in the working folder
    run = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder)
    for line in run.stdout:
        found = re.match(r"view: (\S+)", line)
        if found:
            return run, found[1]
    raise RuntimeError("the program printed no address")


def image(browser):
    """Returns an image of the page without its panels."""
    shown = Image.open(io.BytesIO(browser.screenshot())).convert("RGB")
    return shown.crop((280, 60, SIZE[0] - 340, SIZE[1] - 60))


def changed_pixels(a, b, above=12):
    """Returns the number of pixels that differ by more than `above` levels of 255."""
    difference = ImageChops.difference(a, b).convert("L")
    return sum(count for level, count in enumerate(difference.histogram()) if level > above)


def next_image(browser):
    """Waits until two more images have been drawn."""
    before = browser.evaluate("merrow.images")
    browser.wait(f"merrow.images > {before} + 1")


def draw_at_scale(browser, scale):
    """Sets the resolution of the image relative to the page. Software rendering takes most of the
    time of these checks."""
    browser.evaluate(f"merrow.scale = {scale}")


def still_image(browser):
    """Returns an image of a paused world once two consecutive images are equal: the camera moves on for
    a short time, and overlays are drawn on every second image."""
    for _ in range(20):
        next_image(browser)
        first, second = image(browser), image(browser)
        if changed_pixels(first, second) == 0:
            return first
    raise AssertionError("the image of a paused world changes")


def check_first_images(browser):
    """The page shows the scene of the run."""
    browser.wait("window.merrow?.images > 2")
    assert browser.evaluate("document.title") == "world – Merrow"
    names = browser.evaluate("merrow.world.scene.robots.map((robot) => robot.name)")
    assert names == ["bluerov2", "otter"], names
    assert browser.evaluate("document.querySelectorAll('#robots button').length") == 2
    browser.wait("document.querySelector('#details td.n').textContent !== '–'")
    browser.evaluate("merrow.adapt = () => {}")
    draw_at_scale(browser, LOW_SCALE)


def check_pause_and_steps(browser):
    """The status line has time and load; pause stops the time, a step request makes its steps."""
    browser.wait("parseFloat(document.querySelector('#wall').textContent) > 0")
    browser.wait("parseFloat(document.querySelector('#load').textContent) > 0")
    browser.click_on("#pause")
    browser.wait("merrow.world.frame.paused")
    time = browser.evaluate("merrow.world.frame.time")
    next_image(browser)
    assert browser.evaluate("merrow.world.frame.time") == time
    browser.evaluate("document.querySelector('#steps').value = 100")
    browser.click_on("#step")
    browser.wait(f"merrow.world.frame.time > {time}")
    browser.wait(f"Math.abs(merrow.world.frame.time - {time} - 0.5) < 1e-9")


def check_robot_is_visible(browser):
    """Pixels change when the robot is removed from the image of a paused world, or has a shadow."""
    draw_at_scale(browser, 0.35)
    browser.evaluate("merrow.overlays.shown.names = merrow.overlays.shown.trails = false")
    # the camera approaches the robot
    browser.wait(f"Math.hypot(...merrow.camera.target.map((x, k) => x - {ROBOT}.links[0].p[k])) < 1e-4")
    whole = still_image(browser)
    browser.evaluate("merrow.kept = merrow.world.drawables; merrow.world.drawables = []")
    next_image(browser)
    empty = image(browser)
    browser.evaluate("merrow.world.drawables = merrow.kept")
    pixels = changed_pixels(whole, empty)
    assert pixels > 2000, pixels
    browser.evaluate("merrow.showShadows(true)")
    next_image(browser)
    shaded = changed_pixels(whole, image(browser))
    browser.evaluate("merrow.showShadows(false)")
    draw_at_scale(browser, LOW_SCALE)
    assert 100 < shaded, shaded


def check_sea(browser):
    """The surface of the page has the height of the components of the simulation."""
    height = browser.evaluate(
        "(async () => { const { Sea } = await import('/scene/waves.js');"
        " return Sea.height(merrow.world.sea.at(12.5), 3, -4); })()"
    )
    components = browser.evaluate("merrow.world.sea.seas[0].components.length")
    assert components > 20 and abs(height) < 0.3 and height != 0, (components, height)


def check_region(browser):
    """The surface of a region has its own level, and is drawn."""
    heights = browser.evaluate(
        "(async () => { const { Sea } = await import('/scene/waves.js'); const now = merrow.world.sea.at(3);"
        " return [Sea.height(now, -24, -24), Sea.height(now, -17, -24), now.level]; })()"
    )
    assert heights[0] == 1.5 and abs(heights[1] - heights[2]) < 0.2, heights
    camera = browser.evaluate("[merrow.camera.distance, merrow.camera.pitch]")
    browser.evaluate("merrow.setCamera('orbit'); merrow.camera.distance = 25; merrow.camera.pitch = 0.4;"
                     " merrow.camera.target = [-24, -24, 1.5]")
    shown = still_image(browser)
    browser.evaluate("merrow.kept = merrow.world.sea.regions; merrow.world.sea.regions = []")
    next_image(browser)
    flat = still_image(browser)
    browser.evaluate("merrow.world.sea.regions = merrow.kept")
    browser.evaluate("merrow.setCamera('follow');"
                     f" [merrow.camera.distance, merrow.camera.pitch] = {camera}")
    # the surface reflects the sky; the water below has the same colour
    pixels = changed_pixels(shown, flat, 3)
    assert pixels > 1000, pixels


def check_drive(browser):
    """The keys W and left arrow drive the robot, which stops afterwards."""
    browser.click_on("#pause")
    browser.wait("!merrow.world.frame.paused")
    browser.click_on("#drive")
    browser.key("KeyW", "w")
    browser.wait(f"Math.hypot(...{ROBOT}.velocity) > 0.1")
    assert browser.evaluate("merrow.drive.moving") is True
    browser.key("KeyW", "w", down=False)
    browser.wait(f"Math.hypot(...{ROBOT}.velocity) < 0.05")
    browser.press("Escape", "Escape")
    assert browser.evaluate("merrow.drive.robot") is None


def check_follow(browser):
    """The camera follows the selected robot."""
    browser.press("Digit2", "2")
    browser.wait(
        "merrow.camera.mode === 'follow' && Math.hypot("
        f"...merrow.camera.target.map((x, k) => x - {ROBOT}.links[0].p[k])) < 0.3"
    )
    browser.press("Digit3", "3")
    next_image(browser)
    eye = browser.evaluate(f"Math.hypot(...merrow.camera.eye.map((x, k) => x - {ROBOT}.links[0].p[k]))")
    assert eye < 1.0, eye


def check_waypoints(browser):
    """A click on the map adds a waypoint, to which the robot moves."""
    browser.press("Digit4", "4")
    next_image(browser)
    browser.click_on("#waypoints")
    browser.click(SIZE[0] / 2 + 25, SIZE[1] / 2 - 15)
    browser.wait("merrow.overlays.waypoints.length === 1")
    # a second waypoint at an entered height is dragged, then removed
    browser.evaluate("document.querySelector('#point-height').value = -1.5")
    second = [SIZE[0] / 2 - 40, SIZE[1] / 2 + 30]
    browser.click(*second)
    browser.wait("merrow.overlays.waypoints.length === 2")
    before = browser.evaluate("merrow.overlays.waypoints[1]")
    assert abs(before[2] + 1.5) < 1e-9, before
    browser.drag(second, [second[0] + 30, second[1]])
    after = browser.evaluate("merrow.overlays.waypoints[1]")
    assert after[0] - before[0] > 0.5 and abs(after[1] - before[1]) < 0.2, (before, after)
    browser.press("Backspace", "Backspace")
    browser.wait("merrow.overlays.waypoints.length === 1")
    browser.evaluate("document.querySelector('#point-height').value = ''")
    # a change of the scene keeps the waypoints
    browser.evaluate("merrow.setScene(merrow.world.scene)")
    browser.wait("!merrow.loading")
    goal = browser.evaluate("merrow.overlays.waypoints[0]")
    browser.click_on("#send-path")
    browser.wait("merrow.world.status.robots[0].mode === 'path_following'")
    start = browser.evaluate(f"{ROBOT}.links[0].p")
    distance = f"Math.hypot({goal[0]} - {ROBOT}.links[0].p[0], {goal[1]} - {ROBOT}.links[0].p[1])"
    begin = ((goal[0] - start[0]) ** 2 + (goal[1] - start[1]) ** 2) ** 0.5
    browser.wait(f"{distance} < {begin} - 0.3")


def check_click_selects(browser):
    """A click on a robot in the image selects it."""
    operation.select(browser, 0)
    other = "merrow.world.scene.robots.findIndex((r) => r.name === 'otter')"
    browser.evaluate(f"merrow.setCamera('orbit'); merrow.goTo({other});"
                     " merrow.camera.yaw = 0.8; merrow.camera.pitch = 0.5")
    next_image(browser)
    browser.click(*browser.evaluate(f"merrow.overlays.at(merrow.robots[{other}].links[0].p)"))
    browser.wait(f"merrow.selected === {other}")
    operation.select(browser, 0)
    browser.evaluate("merrow.setCamera('follow')")


def check_environment(browser):
    """A changed parameter reaches the run, an invalid one is refused with a reason."""
    change = "(() => {{const i = document.getElementById('{0}'); i.value = {1}; i.onchange();}})()"
    browser.evaluate(change.format("water.current.speed_m_s", 0.3))
    browser.wait("Math.abs(merrow.world.status['water.current.speed_m_s'] - 0.3) < 1e-9")
    answer = browser.evaluate("merrow.request({do: 'set', parameters: {'water.current.speed_m_s': -1}})")
    assert not answer["ok"] and "speed_m_s" in answer["error"], answer
    answer = browser.evaluate("merrow.request({do: 'drive', robot: 'ghost', axes: [0, 0, 0, 0]})")
    assert not answer["ok"] and "ghost" in answer["error"], answer


def check_plot(browser):
    """A plotted field has samples, also in the CSV text."""
    browser.evaluate("document.querySelector('#plot-field').value = 'position.z'")
    browser.evaluate("document.querySelector('#plot-add').onclick()")
    browser.wait("merrow.plot.series[0]?.t.length > 5")
    lines = browser.evaluate("merrow.plot.csv()").splitlines()
    assert lines[0] == "time [s],bluerov2.position.z [m]", lines[0]
    time, depth = map(float, lines[1].split(","))
    assert time > 0 and -6 < depth < 0, lines[1]
    # a field of another robot and unit, which also continues while its robot is not selected
    browser.evaluate("merrow.plot.add('otter', 'heading', 'deg')")
    browser.wait("merrow.plot.series[1].t.length > 5")
    browser.evaluate("merrow.plot.zoom(0.1, 1)")
    shown = browser.evaluate("merrow.plot.shown")
    assert abs(shown[1] - shown[0] - 3) < 1e-6, shown
    browser.evaluate("document.querySelector('#plot').dispatchEvent(new WheelEvent('wheel', {deltaY: 1}))")
    wider = browser.evaluate("merrow.plot.shown")
    assert abs((wider[1] - wider[0]) / 3 - 1.25) < 1e-6, wider
    browser.click_on("#plot-live")
    assert browser.evaluate("merrow.plot.range") is None
    browser.evaluate("merrow.plot.remove(merrow.plot.series[1])")


def contrast(first, second):
    """Contrast ratio of two colours (WCAG 2)."""
    def luminance(color):
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted([luminance(first), luminance(second)], reverse=True)
    return (high + 0.05) / (low + 0.05)


def check_themes(browser):
    """Text and buttons have a contrast of at least 4.5 in both themes."""
    shown = []
    for scheme in ["light", "dark"]:
        browser.prefer(scheme)
        pairs = [(".panel h2", ".panel"), (".status b", ".bar.status"), ("#pause", "#pause"),
                 (".tabs [aria-selected=false]", ".panel"), (".hint", ".panel"), (".chip", ".chip"),
                 (".links th", ".panel")]
        for text, back in pairs:
            colors = [
                browser.evaluate(f"getComputedStyle(document.querySelector('{selector}')).{name}")
                for selector, name in [(text, "color"), (back, "backgroundColor")]
            ]
            rgb = [[float(x) / 255 for x in re.findall(r"[\d.]+", color)[:3]] for color in colors]
            assert contrast(*rgb) >= 4.5, (scheme, text, colors)
        shown.append(browser.evaluate("getComputedStyle(document.body).color"))
    assert shown[0] != shown[1], shown


def drawn_pixels(browser, overlays):
    """Returns the number of pixels that the overlays draw when only these are shown."""
    browser.evaluate("document.querySelectorAll('[data-overlay]').forEach((box) => {"
                     f" if (box.checked !== {overlays}.includes(box.dataset.overlay)) box.click(); }})")
    if set(overlays) & {"forces", "gravity", "buoyancy", "hull", "contacts", "current", "wind"}:
        browser.wait("performance.now() - merrow.overlays.readings?.arrival < 500"
                     " && merrow.overlays.readings.robot === merrow.selected"
                     f" && (!merrow.overlays.shown.hull || merrow.overlays.readings.wetted_mm)")
    next_image(browser)
    return browser.evaluate(
        "(() => { const c = merrow.overlays.canvas;"
        " const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
        " let n = 0; for (let k = 3; k < d.length; k += 4) n += d[k] > 0; return n; })()")


def check_overlays(browser):
    """Each switch of the menu draws its overlay, and only while it is on."""
    shown = browser.evaluate("Object.keys(merrow.overlays.shown).filter((key) => merrow.overlays.shown[key])")
    browser.evaluate("merrow.setCamera('follow'); merrow.camera.distance = 5;"
                     " merrow.request({do: 'set', parameters: {'water.current.speed_m_s': 0.4}})")
    operation.select(browser, 0)
    browser.wait(f"Math.hypot(...{ROBOT}.velocity) > 0.1")
    none = drawn_pixels(browser, [])
    for overlay in ["names", "trails", "frames", "sensors", "velocity", "beams", "frusta", "forces", "gravity",
                    "buoyancy", "hull", "current", "wind", "links"]:
        found = drawn_pixels(browser, [overlay])
        assert found > none + 20, (overlay, found, none)
        assert abs(drawn_pixels(browser, []) - none) < 20, overlay
    check_laws(browser, none)
    check_contact_overlay(browser)
    browser.evaluate("merrow.setCamera('orbit'); merrow.camera.frame([0, 0, 0], 2)")
    assert drawn_pixels(browser, ["axes"]) > drawn_pixels(browser, []) + 20
    browser.evaluate("merrow.setCamera('follow')")
    operation.select(browser, browser.evaluate("merrow.world.scene.robots.findIndex((r) => r.name === 'otter')"))
    assert drawn_pixels(browser, ["fans"]) > drawn_pixels(browser, []) + 20
    operation.select(browser, 0)
    editing.pause(browser)
    # without the sea surface, which reflects the sky, the seabed is visible
    images = {}
    for overlay in ["water", "none", "depths"]:
        drawn_pixels(browser, [overlay])
        images[overlay] = still_image(browser)
    for overlay in ["water", "depths"]:
        pixels = changed_pixels(images["none"], images[overlay], 3)
        assert pixels > 500, (overlay, pixels)
    editing.resume(browser)
    check_thrust_overlay(browser, none)
    drawn_pixels(browser, shown)


def check_contact_overlay(browser):
    """The contacts of a crate that lies on the seabed are drawn."""
    crate = "merrow.world.scene.robots.findIndex((r) => r.name.startsWith('crate'))"
    operation.select(browser, browser.evaluate(crate))
    browser.evaluate("merrow.camera.distance = 3")
    drawn_pixels(browser, ["contacts"])
    browser.wait("merrow.overlays.readings.contacts.length > 0")
    assert drawn_pixels(browser, ["contacts"]) > drawn_pixels(browser, []) + 20
    browser.evaluate("merrow.camera.distance = 5")
    operation.select(browser, 0)


def check_laws(browser, none):
    """Each law has a switch, which is visible with the overlay of the forces; a law that is off is not drawn."""
    laws = "[...document.querySelectorAll('[data-law]')]"
    assert browser.evaluate(f"{laws}[0].closest('.laws').hidden")
    every = drawn_pixels(browser, ["forces"])
    assert not browser.evaluate(f"{laws}[0].closest('.laws').hidden")
    browser.evaluate(f"{laws}.forEach((box) => box.dataset.law !== 'gravity' && box.click())")
    gravity = drawn_pixels(browser, ["forces"])
    assert none + 20 < gravity < every - 20, (none, gravity, every)
    browser.evaluate(f"{laws}.forEach((box) => box.dataset.law !== 'gravity' && box.click())")


def check_keys(browser):
    """Arrow keys turn the camera, with Shift they move it, and Enter sets a waypoint at the centre of the image."""
    browser.evaluate("document.activeElement.blur(); merrow.setCamera('orbit')")
    before = browser.evaluate("[merrow.camera.yaw, merrow.camera.pitch, ...merrow.camera.target]")
    browser.press("ArrowLeft", "ArrowLeft")
    browser.press("ArrowUp", "ArrowUp")
    after = browser.evaluate("[merrow.camera.yaw, merrow.camera.pitch, ...merrow.camera.target]")
    assert after[0] != before[0] and after[1] != before[1] and after[2:] == before[2:], (before, after)
    browser.evaluate("dispatchEvent(new KeyboardEvent('keydown', {code: 'ArrowUp', shiftKey: true}))")
    moved = browser.evaluate("[...merrow.camera.target]")
    assert moved != after[2:], moved
    browser.evaluate("merrow.setCamera('follow'); merrow.camera.pitch = 0.6")
    browser.press("KeyG", "g")
    browser.press("Enter", "Enter")
    browser.wait("merrow.overlays.waypoints.length === 1 && merrow.overlays.aims")
    browser.evaluate("merrow.route.clear()")


def check_thrust_overlay(browser, none):
    """The arrows of driven thrusters are drawn; `none` is the number of pixels without an overlay."""
    browser.click_on("#drive")
    browser.key("KeyW", "w")
    browser.wait(f"Math.max(...{ROBOT}.thrusters.map((t) => Math.abs(t.thrust))) > 5")
    found = drawn_pixels(browser, ["thrust"])
    browser.key("KeyW", "w", down=False)
    browser.press("Escape", "Escape")
    assert found > none + 20, (found, none)


def check_reset(browser):
    """Reset returns to time zero."""
    before = browser.evaluate("merrow.world.frame.time")
    browser.click_on("#reset")
    browser.wait(f"merrow.world.frame.time < {before} / 2")


# each check continues from the state in which the previous check leaves the page
SHORT = [
    check_first_images, check_pause_and_steps, check_robot_is_visible, check_drive, check_plot,
    operation.check_topic_plot, *editing.SHORT, check_environment, layout.check_windows, layout.check_slider_tracks,
    panels.check_menus, panels.check_refused_goal, check_reset,
]
COMPLETE = [
    check_first_images, check_pause_and_steps, check_robot_is_visible, check_sea, check_region,
    check_drive, check_follow, check_waypoints, check_click_selects, check_environment, check_plot, check_themes,
    *editing.CHECKS, *operation.CHECKS, check_overlays, check_keys, *layout.CHECKS,
    *panels.CHECKS, check_reset,
]


def run_checks(browser, checks):
    """Runs checks one after the other."""
    for check in checks:
        begin = time.monotonic()
        check(browser)
        print(f"{check.__name__}: ok ({time.monotonic() - begin:.1f} s)", flush=True)
    assert not browser.errors, browser.errors


def check_saved_world(browser, binary, folder):
    """A run of the saved world shows the added object where the page placed it."""
    path = Path(folder) / "saved.yaml"
    path.write_text(browser.saved_world)
    run, url = start_world(binary, folder, str(path))
    try:
        browser.open(url)
        browser.wait("window.merrow?.images > 2 && merrow.world.frame")
        names = browser.evaluate(editing.OBJECTS)
        assert "crate" in names, names
        found = browser.evaluate(f"{editing.object_pose('crate')}.p")
        # it drifts in the current until the page is loaded
        assert math.dist(found[:2], browser.saved_place[:2]) < 1.5, (found, browser.saved_place)
    finally:
        browser.open("about:blank")
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=60)
    assert run.returncode == 0, run.returncode


def save_image(browser, path):
    """Writes an image of the page for the documentation."""
    browser.call("Emulation.setDeviceMetricsOverride", width=1280, height=720,
                 deviceScaleFactor=1, mobile=False)
    browser.wait("window.merrow?.images > 2")
    # software rendering with full resolution would delay the run meanwhile
    browser.evaluate("merrow.scale = 0.1; merrow.adapt = () => {}; merrow.detail = true;"
                     " merrow.showShadows(true); merrow.camera.distance = 1.5;"
                     " merrow.camera.yaw = 0.75; merrow.camera.pitch = 0.2;"
                     " merrow.plot.add('bluerov2', 'position.z', 'm'); merrow.plot.window = 10")
    browser.wait("merrow.plot.series[0].t.length > 60")
    # drawn with twice the resolution, because software rendering has no antialiasing
    browser.evaluate("merrow.scale = 2")
    next_image(browser)
    Image.open(io.BytesIO(browser.screenshot())).convert("RGB").save(path, quality=86)


def check_story(program, arguments):
    """Runs a whole session in a new browser and a new folder."""
    with tempfile.TemporaryDirectory() as folder:
        browser = Browser(program, SIZE)
        try:
            story.check(browser, arguments.binary, folder)
            assert not browser.errors, browser.errors
        finally:
            browser.close()


def take_tour(program, arguments):
    """Follows the tour of the documentation in a new browser and writes the image of one step."""
    with tempfile.TemporaryDirectory() as folder:
        browser = Browser(program, tour.SIZE)
        try:
            tour.take(browser, arguments.binary, folder, arguments.tour, arguments.image)
            assert not browser.errors, browser.errors
        finally:
            browser.close()


def check_scenes(program, arguments):
    """Runs the checks of light, cameras and scenery in a new browser."""
    browser = Browser(program, SIZE)
    try:
        scene.check(browser, start_world, arguments.binary)
        assert not browser.errors, browser.errors
    finally:
        browser.close()


def check_replay(program, arguments):
    """Runs only the checks of a recording and writes an image."""
    with tempfile.TemporaryDirectory() as folder:
        browser = Browser(program, SIZE)
        try:
            replay.check(browser, arguments.binary, folder, MOVING, arguments.only_replay)
        finally:
            browser.close()


def main():
    """Runs the checks, or writes an image."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--complete", action="store_true", help="all checks, also of a recording and of a whole session")
    parser.add_argument("--only-scenes", action="store_true", help="only the checks of light, cameras and scenery")
    parser.add_argument("--image", metavar="FILE.jpg", help="write an image of the page, without checks")
    parser.add_argument("--tour", choices=["drive", "edit", "replay"], help="step of the tour that --image shows")
    parser.add_argument("--only-replay", metavar="FILE.jpg", help="write an image of a recording")
    arguments = parser.parse_args()
    if arguments.tour and not arguments.image:
        parser.error("--tour needs --image FILE.jpg")
    program = find()
    if program is None:
        print("skipped: Chromium is not installed (Debian package chromium)")
        return 0
    if arguments.only_replay:
        check_replay(program, arguments)
        return 0
    if arguments.tour:
        take_tour(program, arguments)
        return 0
    if arguments.only_scenes:
        check_scenes(program, arguments)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        run, url = start(arguments.binary, folder, "pool" if arguments.image else None)
        browser = Browser(program, SIZE)
        browser.run_folder = folder
        try:
            browser.open(url)
            if arguments.image:
                save_image(browser, arguments.image)
                return 0
            run_checks(browser, COMPLETE if arguments.complete else SHORT)
            check_saved_world(browser, arguments.binary, folder)
            if arguments.complete:
                panels.check_direct_control(browser, start_world, arguments.binary)
                panels.check_dead_server(browser, start_world, arguments.binary)
                replay.check(browser, arguments.binary, folder, MOVING, None)
                assert not browser.errors, browser.errors
        finally:
            browser.close()
            run.send_signal(signal.SIGINT)
            run.communicate(timeout=60)
        assert run.returncode == 0, run.returncode
    if arguments.complete:
        check_scenes(program, arguments)
        check_story(program, arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Checks of the page: menus, help, events, images of sensors, capture, push, direct control, other worlds, a dead server."""

import json
import math
import signal
import tempfile
import time
from pathlib import Path

from browser import center_of
from editing import OBJECTS, object_pose, pause, resume, wait_for_objects

EVENTS = "[...document.querySelectorAll('#events .event')].map((e) => e.textContent)"
# a robot for each kind of direct control
DIRECT_WORLD = """
step: {dt_s: 0.005}
seabed: {depth_m: 50}
weather: {wind_speed_m_s: 6, wind_from_deg: 0}
robots:
  boat: {model: sailboat, position_m: [0, 0, 0]}
  glider: {model: seawing, position_m: [20, 0, -5]}
  uvms: {model: osu_uvms, position_m: [0, 20, -5]}
"""


def check_menus(browser):
    """A menu closes on a press outside it and on Escape, and when another menu opens."""
    is_open = "[...document.querySelectorAll('details.menu')].filter((m) => m.open).map((m) => m.id)"
    browser.click_on("#overlay-menu summary")
    browser.wait(f"JSON.stringify({is_open}) === '[\"overlay-menu\"]'")
    browser.click_on("[data-overlay=names]")
    assert browser.evaluate(is_open) == ["overlay-menu"]
    browser.click_on("[data-overlay=names]")
    browser.click_on("#world-menu summary")
    browser.wait(f"JSON.stringify({is_open}) === '[\"world-menu\"]'")
    browser.press("Escape", "Escape")
    browser.wait(f"{is_open}.length === 0")
    browser.click_on("#overlay-menu summary")
    browser.click(480, 300)
    browser.wait(f"{is_open}.length === 0")
    browser.evaluate("document.activeElement.blur()")


def check_help(browser):
    """The help lists all keys of the page; `?` shows it and Escape closes it."""
    browser.call("Input.dispatchKeyEvent", type="rawKeyDown", code="Slash", key="?", modifiers=8)
    browser.wait("document.querySelector('#help').open")
    keys = set(browser.evaluate("[...document.querySelectorAll('#help kbd')].map((k) => k.textContent)"))
    assert {"Space", "K", "P", "G", "E", "F", "[", "?", "Home", "Delete"} <= keys, keys
    # every key with an action is listed
    listed = browser.evaluate("merrow.keys().flatMap(([, rows]) => rows).filter(([code]) => code).length")
    assert listed == browser.evaluate("Object.keys(merrow.actions).length"), listed
    browser.press("Escape", "Escape")
    browser.wait("!document.querySelector('#help').open")


def check_toasts(browser):
    """The same event is counted, and few events are shown at a time."""
    browser.evaluate("import('/panels/panels.js').then(({showEvent}) => {"
                     " for (let k = 0; k < 5; k++) showEvent('thruster is dead', 'warning');"
                     " showEvent('rov: thruster is dead', 'warning'); })")
    browser.wait(f"{EVENTS}.some((text) => text === 'rov: thruster is dead× 6')")
    browser.evaluate("import('/panels/panels.js').then(({showEvent}) => {"
                     " for (let k = 0; k < 9; k++) showEvent(`event ${k}`); })")
    browser.wait(f"{EVENTS}.includes('event 8')")
    assert len(browser.evaluate(EVENTS)) == 2
    assert browser.evaluate("!document.querySelector('#unread').hidden")
    browser.click_on("[aria-controls=log-panel]")
    browser.wait("document.querySelector('#unread').hidden")
    browser.click_on("[aria-controls=plot-panel]")


def check_chips(browser):
    """Names of modes and faults are words."""
    words = browser.evaluate("import('/panels/panels.js').then(({readable}) => ["
                             "'station_keeping', 'thrusters/t1: dead', 'batteries/main: reduced', 'winches/a_b: stuck']"
                             ".map(readable))")
    assert words == ["station keeping", "thruster t1: dead", "battery main: reduced", "winch a b: stuck"], words


def check_frame_all(browser):
    """The button shows all robots in the free part of the image; a click in the list shows one of them."""
    browser.click_on("#frame-all")
    browser.wait("merrow.camera.mode === 'orbit'")
    time.sleep(0.3)
    places = browser.evaluate("merrow.robots.map((r) => merrow.overlays.at(r.links[0].p))")
    for place in places:
        assert place and 0 < place[0] < 960 and 0 < place[1] < 540, places
    browser.click_on("#robots li:nth-child(2) button")
    browser.wait("merrow.selected === 1 && Math.hypot(...merrow.camera.target.map((x, k) =>"
                 " x - merrow.world.frame.robots[1].links[0].p[k])) < 1")
    browser.click_on("#robots li:nth-child(1) button")
    browser.wait("merrow.selected === 0")
    browser.evaluate("merrow.setCamera('follow')")


def check_frame_rate(browser):
    """The rate is the number of images over their time, also below one image per second."""
    for period, expected in [(40, "25 /s"), (100, "10 /s"), (400, "2.5 /s"), (2000, "0.5 /s")]:
        shown = browser.evaluate(
            "import('/panels/panels.js').then(({StatusLine}) => { const line = new StatusLine();"
            f" for (let k = 0; k < 60; k++) line.image(1e6 + k * {period});"
            " return document.querySelector('#fps').textContent; })")
        assert shown == expected, (period, shown)


def check_sliders(browser):
    """A slider of the environment sets its parameter, and a change of the run moves it."""
    browser.click_on("[aria-controls=environment]")
    slider = "document.querySelector('[data-parameter=\"weather.wind_speed_m_s\"]')"
    [x, y] = center_of(browser, "[data-parameter='weather.wind_speed_m_s']")
    browser.click(x, y)
    # the centre of 0 to 30 m/s
    browser.wait("Math.abs(merrow.world.status['weather.wind_speed_m_s'] - 15) < 0.5")
    assert abs(browser.evaluate("document.getElementById('weather.wind_speed_m_s').valueAsNumber") - 15) < 0.5
    browser.evaluate("merrow.request({do: 'set', parameters: {'weather.wind_speed_m_s': 0}})")
    browser.wait(f"{slider}.valueAsNumber === 0")
    browser.click_on("[aria-controls=drive-panel]")


def check_refused_goal(browser):
    """A goal below the seabed is refused with a reason and not reported as sent; a good one is sent."""
    log = "document.querySelector('#log').textContent"
    browser.evaluate("merrow.select(0); document.querySelector('#log').replaceChildren()")
    browser.evaluate("merrow.route.sendGoal([2, 0, -60], null)")
    browser.wait(f"{log}.includes('below the seabed')")
    assert "goal sent" not in browser.evaluate(log)
    assert browser.evaluate("merrow.overlays.goal") is None
    answer = browser.evaluate("merrow.request({do: 'path', robot: 'bluerov2', points: [[0, 0, -2], [0, 0, -7]]})")
    assert not answer["ok"] and "expected a height of at least -6.00 m" in answer["error"], answer
    # as of the run, not only of the page: the command is refused when it is applied
    answer = browser.evaluate("merrow.request({do: 'mode', robot: 'otter', mode: 'depth_hold'})")
    assert not answer["ok"] and "\n" not in answer["error"], answer
    browser.evaluate("merrow.route.sendGoal([1, 0, -2], null)")
    browser.wait(f"{log}.includes('goal sent to bluerov2')")
    scene = "merrow.world.scene.robots"
    assert browser.evaluate(f"{scene}.every((r) => r.goal ? r.no_goal === null : r.no_goal.length > 10)")


def check_duplicate(browser):
    """A copy is added beside the object and selected; undo removes it and selects the object again, and restores a
    removed object with its selection."""
    pause(browser)
    names = browser.evaluate(OBJECTS)
    browser.evaluate("merrow.select(1)")
    name = names[1]
    browser.press("KeyE", "e")
    before = browser.evaluate(f"{object_pose(name)}.p")
    browser.control("KeyD", "d")
    wait_for_objects(browser, [*names, f"{name}_2"])
    browser.wait(f"merrow.object()?.name === '{name}_2'")
    after = browser.evaluate(f"{object_pose(f'{name}_2')}.p")
    assert 1 < math.dist(before, after) < 30 and abs(after[1] - before[1]) < 1e-5, (before, after)
    browser.control("KeyZ", "z")
    wait_for_objects(browser, names)
    browser.wait(f"merrow.object()?.name === '{name}'")
    browser.press("Delete", "Delete")
    wait_for_objects(browser, [own for own in names if own != name])
    browser.evaluate("merrow.select(0)")
    browser.control("KeyZ", "z")
    browser.wait(f"merrow.object()?.name === '{name}'")
    answer = browser.evaluate("merrow.request({do: 'duplicate', object: 'ghost', position: [0, 0, 0]})")
    assert not answer["ok"] and "ghost" in answer["error"], answer
    browser.press("KeyE", "e")
    browser.evaluate("merrow.select(0)")
    resume(browser)


def check_push(browser):
    """A drag with Control on a robot applies a force in proportion to the drag, which ends with it."""
    browser.evaluate("merrow.select(0); merrow.setCamera('orbit'); merrow.goTo(0); merrow.camera.pitch = 0.3")
    browser.evaluate("merrow.request({do: 'mode', robot: 'bluerov2', mode: 'off'})")
    browser.evaluate("merrow.sent = []; merrow.request0 = merrow.connection.request;"
                     " merrow.connection.request = function (a) { if (a.do === 'push') merrow.sent.push(a);"
                     " return merrow.request0.call(this, a); }")
    images = browser.evaluate("merrow.images")
    browser.wait(f"merrow.images > {images} + 1")
    at = browser.evaluate("merrow.overlays.at(merrow.robots[0].links[0].p)")

    def mouse(kind, x):
        browser.call("Input.dispatchMouseEvent", type=kind, x=x, y=at[1], button="left", buttons=1, clickCount=1, modifiers=2)

    mouse("mousePressed", at[0])
    assert browser.evaluate("merrow.push.grasp !== null")
    forces = []
    for pixels in [40, 80]:
        mouse("mouseMoved", at[0] + pixels)
        n = browser.evaluate("merrow.sent.length")
        browser.wait(f"merrow.sent.length > {n} + 2")
        load = browser.evaluate("(() => {const {point, force} = merrow.push.load();"
                                " return [Math.hypot(...force), Math.hypot(...merrow.push.grasp.to.map((x, k) => x - point[k]))];})()")
        # 2 N per kilogram and metre
        assert abs(load[0] - 2 * 13.5 * load[1]) < 0.05 * load[0], load
        forces.append(load[0])
    assert forces[0] > 1, forces
    browser.wait("Math.hypot(...merrow.world.frame.robots[0].velocity) > 0.05")
    mouse("mouseReleased", at[0] + 80)
    browser.wait("merrow.push.grasp === null && Math.hypot(...merrow.sent.at(-1).force) === 0")
    answer = browser.evaluate("merrow.request({do: 'push', robot: 'bluerov2', link: 'ghost', force: [1, 0, 0], moment: [0, 0, 0]})")
    assert not answer["ok"] and "ghost" in answer["error"], answer
    browser.evaluate("merrow.connection.request = merrow.request0; merrow.setCamera('follow')")


def check_sensor_views(browser):
    """Two images at once, each with its controls: a colour scale in metres, pause, enlargement, and saving."""
    browser.evaluate("merrow.select(0)")
    browser.click_on("[aria-controls=sensor-panel]")
    browser.wait("merrow.sensors.views.length === 1")
    # the robot has one sensor with images, which two views can show
    browser.evaluate("document.querySelector('#sensor-add').disabled = false; merrow.sensors.add(); merrow.sensors.watch()")
    browser.evaluate("(() => {const k = document.querySelectorAll('.sensor-kind'); k[0].value = 'color'; k[0].onchange();"
                     " k[1].value = 'depth'; k[1].onchange();})()")
    views = "merrow.sensors.views"
    browser.wait(f"{views}.every((view) => view.time !== null)")
    assert browser.evaluate(f"{views}.map((view) => view.bar.hidden)") == [True, False]
    ends = browser.evaluate(f"[...{views}[1].bar.querySelectorAll('span')].map((s) => s.textContent)")
    assert ends[2].endswith(" m") and 0 < float(ends[0]) < float(ends[1]) < float(ends[2].split()[0]) < 1e6, ends
    browser.evaluate(f"{views}[1].togglePause()")
    kept = browser.evaluate(f"{views}[1].time")
    first = browser.evaluate(f"{views}[0].time")
    browser.wait(f"{views}[0].time > {first} + 0.5")
    assert browser.evaluate(f"{views}[1].time") == kept
    browser.evaluate(f"{views}[1].togglePause()")
    browser.wait(f"{views}[1].time > {kept}")
    browser.evaluate(f"{views}[0].toggleSize()")
    assert browser.evaluate("document.querySelector('.sensor-image').getBoundingClientRect().width") > 800
    browser.press("Escape", "Escape")
    browser.wait("!document.querySelector('.enlarged')")
    browser.evaluate(f"{views}[0].save()")
    assert browser.evaluate(f"{views}[0].saved").startswith("bluerov2_camera_color_")
    # an image of another kind is not shown as the selected one
    assert browser.evaluate(f"{views}[0].kinds.value = 'depth'; {views}[0].kinds.onchange(); {views}[0].time") is None
    five = ["{robot: 'bluerov2', sensor: 'camera', image: 'color'}"] * 5
    answer = browser.evaluate(f"merrow.request({{do: 'watch', images: [{', '.join(five)}]}})")
    assert not answer["ok"] and "0 to 4" in answer["error"], answer
    # a view that keeps its robot, beside a view of the selected robot
    browser.evaluate(f"{views}[0].keep.click(); merrow.select(merrow.world.scene.robots.findIndex((r) => r.name === 'otter'))")
    assert browser.evaluate(f"{views}.map((view) => view.robot.name)") == ["bluerov2", "otter"]
    assert browser.evaluate(f"{views}[0].names.selectedOptions[0].textContent") == "bluerov2 camera"
    times = browser.evaluate(f"{views}.map((view) => view.time)")
    browser.wait(f"{views}.every(({{ time }}, k) => time > ({json.dumps(times)}[k] ?? 0) + 0.3)")
    browser.evaluate(f"{views}[0].keep.click()")
    assert browser.evaluate(f"{views}.map((view) => view.robot.name)") == ["otter", "otter"]
    browser.evaluate("merrow.select(0)")
    assert browser.evaluate(f"{views}.map((view) => view.robot.name)") == ["bluerov2"]
    browser.click_on("[aria-controls=plot-panel]")


def check_capture(browser):
    """A screenshot and a video of the image are saved."""
    browser.evaluate("merrow.capture.takeImage()")
    browser.wait("merrow.capture.saved?.name.endsWith('.png') && merrow.capture.saved.size > 1000")
    browser.evaluate("merrow.capture.toggleVideo()")
    if browser.evaluate("merrow.capture.recorder === null"):
        raise AssertionError("no video format")
    time.sleep(2)
    browser.evaluate("merrow.capture.toggleVideo()")
    browser.wait("/(mp4|webm)$/.test(merrow.capture.saved.name) && merrow.capture.saved.size > 1000")


CHECKS = [
    check_menus, check_help, check_toasts, check_chips, check_frame_all, check_frame_rate, check_sliders,
    check_refused_goal, check_duplicate, check_push, check_sensor_views, check_capture,
]


def check_direct_control(browser, start_world, binary):
    """The keys of the keyboard and the sticks of a gamepad move the rudder and sail of a boat, the devices of a glider, and
    the joints of an arm."""
    with tempfile.TemporaryDirectory() as folder:
        world = Path(folder) / "direct.yaml"
        world.write_text(DIRECT_WORLD)
        run, url = start_world(binary, folder, str(world))
        try:
            browser.open(url)
            browser.wait("window.merrow?.images > 2 && merrow.world.scene?.name === 'direct'")
            browser.evaluate("merrow.adapt = () => {}; merrow.scale = 0.1")
            check_keys_of_actuators(browser)
            check_sticks_of_actuators(browser)
            check_other_world(browser)
        finally:
            browser.open("about:blank")
            run.send_signal(signal.SIGINT)
            run.communicate(timeout=60)


def check_keys_of_actuators(browser):
    """Each key of the hint moves its actuator."""
    for robot, (name, key, code) in enumerate([("rudder", "d", "KeyD"), ("", "w", "KeyW"), ("", "d", "KeyD")]):
        browser.evaluate(f"merrow.select({robot})")
        if robot == 2:
            browser.evaluate("(() => {const t = document.querySelector('#drive-target'); t.value = 'joints'; t.onchange();})()")
        browser.press("KeyK", "k")
        browser.wait("merrow.drive.direct !== null")
        hint = browser.evaluate("document.querySelector('#drive-hint').textContent")
        assert f"D {name}" in hint or name == "", hint
        channel = "merrow.drive.direct.channels[%d]" % (1 if code == "KeyW" else 0)
        rest = browser.evaluate(f"{channel}.value")
        browser.key(code, key)
        browser.wait(f"Math.abs({channel}.value - {rest}) > 0.05 * ({channel}.range[1] - {channel}.range[0])")
        if robot == 0:
            browser.wait("Math.abs(merrow.world.frame.robots[0].fins[0]) + Math.abs(merrow.world.frame.robots[0].fins[1]) > 0.05")
        browser.key(code, key, down=False)
        if robot == 0:
            browser.wait(f"{channel}.value === {channel}.rest")
        browser.press("Escape", "Escape")
        assert browser.evaluate("merrow.drive.robot") is None


def check_sticks_of_actuators(browser):
    """The left stick of a gamepad moves the rudder."""
    from operation import GAMEPAD
    browser.evaluate("merrow.select(0)")
    browser.evaluate(GAMEPAD)
    browser.click_on("#gamepad")
    browser.evaluate("merrow.sticks = [0.9, 0, 0, 0]")
    browser.wait("Math.abs(merrow.directs[1].channels[0].value) > 0.05")
    browser.evaluate("merrow.sticks = [0, 0, 0, 0]")
    browser.wait("merrow.directs[1].channels[0].value === 0")
    browser.press("Escape", "Escape")


def check_other_world(browser):
    """A bundled world is opened from the list; other names and paths are refused."""
    for name, reason in [("no_such_world", "no bundled world"), ("../direct", "lowercase"), ("/etc/passwd", "lowercase")]:
        answer = browser.evaluate(f"merrow.request({{do: 'open', world: {json.dumps(name)}}})")
        assert not answer["ok"] and reason in answer["error"] and "\n" not in answer["error"], answer
    browser.click_on("#world-menu summary")
    browser.wait("document.querySelectorAll('#worlds button').length > 20")
    browser.evaluate("document.querySelector('[data-world=harbour]').click()")
    browser.wait("merrow.world.scene.name === 'harbour' && merrow.world.frame?.time < 60")
    browser.wait("document.querySelector('#banner').hidden && document.title.startsWith('harbour')")
    # its boats take goals, although their firmware follows velocities
    assert browser.evaluate("merrow.world.scene.robots.every((r) => r.goal)")
    assert browser.evaluate("merrow.world.status.edit.undo ?? null") is None


def check_dead_server(browser, start_world, binary):
    """A run that does not answer, or has ended, is shown as such; the page connects again by itself."""
    with tempfile.TemporaryDirectory() as folder:
        run, url = start_world(binary, folder, "pool")
        try:
            browser.open(url)
            browser.wait("window.merrow?.images > 2")
            banner = "document.querySelector('#banner')"
            assert browser.evaluate(f"{banner}.hidden && !document.querySelector('#pause').inert")
            run.send_signal(signal.SIGSTOP)
            browser.wait(f"!{banner}.hidden && {banner}.textContent.includes('does not answer')", 20)
            assert browser.evaluate("document.querySelector('#pause').inert && document.querySelector('.tabbed.live').inert")
            run.send_signal(signal.SIGCONT)
            browser.wait(f"{banner}.hidden && !document.querySelector('#pause').inert", 20)
            run.send_signal(signal.SIGINT)
            run.communicate(timeout=60)
            browser.wait(f"!{banner}.hidden && {banner}.textContent.includes('No connection')", 20)
            address = url.split("/")[2]
            answer = browser.evaluate("merrow.request({do: 'pause'})")
            assert not answer["ok"] and "not connected" in answer["error"], answer
            run, _ = start_world(binary, folder, "hover", address)
            browser.wait(f"{banner}.hidden && merrow.world.scene.name === 'hover' && merrow.world.frame", 60)
            browser.wait("document.querySelector('#connection').textContent === 'connected'")
        finally:
            browser.open("about:blank")
            run.send_signal(signal.SIGINT)
            run.communicate(timeout=60)
    # refused connections are in the log of the browser
    browser.errors = [error for error in browser.errors if "ERR_CONNECTION" not in json.dumps(error)]

"""Checks of light, cameras and scenery in worlds of their own."""

import io
import signal
import tempfile
from pathlib import Path

from PIL import Image, ImageChops, ImageStat

SIZE = (960, 540)
# a robot with lamps and a robot without them, both in the dark
DEEP = """
seed: 1
step: {dt_s: 0.01, integrator: rk4}
water: {optics: {jerlov: "III"}}
seabed: {depth_m: 201}
structures:
  rock: {position_m: [3, 0, -200.5], shapes: {body: {kind: sphere, radius_m: 0.8}}}
robots:
  dark: {position_m: [0, 150, -200], model: bluerov2_heavy}
  lit:
    position_m: [0, 0, -200]
    model:
      extends: robots/bluerov2_heavy.yaml
      lamps:
        left: {position_m: [0.2, 0.16, 0], direction: [1, 0, -0.2], lumens: 1500, cone_deg: 100}
"""
SURFACE = """
seed: 1
step: {dt_s: 0.01, integrator: rk4}
seabed: {depth_m: 20}
robots:
  otter: {position_m: [0, 0, 0], model: otter}
  remus: {position_m: [30, 0, -2], model: remus100}
  camera: {position_m: [-20, 10, -5], model: bluerov2_inspection}
"""


def index(browser, name):
    """Returns the index of a robot of the scene."""
    return browser.evaluate(f"merrow.world.scene.robots.findIndex((robot) => robot.name === '{name}')")


def image(browser):
    """Returns the next image of the scene, without the panels."""
    before = browser.evaluate("merrow.images")
    browser.wait(f"merrow.images > {before} + 2")
    shown = Image.open(io.BytesIO(browser.screenshot())).convert("RGB")
    return shown.crop((300, 80, SIZE[0] - 350, SIZE[1] - 80))


def brightness(browser):
    """Returns the mean brightness of the scene, 0 to 255."""
    return ImageStat.Stat(image(browser).convert("L")).mean[0]


def difference(first, second):
    """Returns the fraction of pixels that differ by more than 12 levels of 255."""
    levels = ImageChops.difference(first, second).convert("L").histogram()
    return sum(levels[13:]) / sum(levels)


def look_from(browser, target, yaw, pitch, distance):
    """Places the free camera, and hides what is drawn over the scene."""
    browser.evaluate("merrow.setCamera('orbit'); for (const key of ['names', 'trails']) merrow.overlays.shown[key] = false;"
                     f" Object.assign(merrow.camera, {{target: {target}, yaw: {yaw}, pitch: {pitch}, distance: {distance}}})")


def check_lamps(browser):
    """Lamps light the water, the seabed and the rock; without them this depth is dark."""
    browser.evaluate(f"merrow.selectAndFrame({index(browser, 'lit')})")
    browser.wait("merrow.robots[merrow.selected].lamps[0] === 1 && !merrow.overlays.shown.clear")
    browser.evaluate("merrow.setCamera('orbit'); merrow.camera.yaw = 1.2; merrow.camera.pitch = 0.3;"
                     " merrow.camera.distance = 4")
    lit = brightness(browser)
    # the floats beside the cone of the lamp
    browser.evaluate("merrow.overlays.shown.names = merrow.overlays.shown.trails = false; merrow.camera.yaw = 1.9;"
                     " merrow.setCamera('follow'); merrow.camera.distance = 2")
    width, height = image(browser).size
    body = image(browser).crop((width // 2 - 40, height // 2 - 30, width // 2 + 40, height // 2 + 30))
    seen = sum(body.convert("L").histogram()[12:]) / (80 * 60)
    assert seen > 0.2, seen
    browser.evaluate("merrow.world.scene.robots[merrow.selected].lamps.length = 0;"
                     " merrow.look.showClear(false)")
    dark = brightness(browser)
    assert lit > dark + 10 and dark < 4, (lit, dark)
    browser.evaluate("merrow.look.isChosen = false")


def check_clear_water(browser):
    """Clear water is on where the water hides the robot, until the user switches it; a key changes the exposure."""
    browser.evaluate(f"merrow.selectAndFrame({index(browser, 'dark')})")
    browser.wait("merrow.overlays.shown.clear")
    clear = brightness(browser)
    for _ in range(6):
        browser.press("KeyV", "v")
    image(browser)
    darker = brightness(browser)
    for _ in range(6):
        browser.press("KeyB", "b")
    assert browser.evaluate("merrow.look.exposure") == 0
    assert clear > 60 and darker < clear - 30, (clear, darker)
    browser.press("KeyC", "c")
    dark = brightness(browser)
    assert dark < clear / 4 and not browser.evaluate("merrow.overlays.shown.clear"), dark
    browser.press("KeyC", "c")


def check_first_person(browser):
    """The eye is on the deck of a boat, in the camera of a robot, else at the bow."""
    browser.evaluate("merrow.setCamera('first')")
    eyes = {}
    for name in ["otter", "remus", "camera"]:
        k = index(browser, name)
        browser.evaluate(f"merrow.select({k})")
        browser.wait(f"merrow.selected === {k}")
        brightness(browser)
        eyes[name] = browser.evaluate(
            "(() => { const { p, q } = merrow.robots[merrow.selected].links[0];"
            " return [merrow.camera.eye.map((x, k) => x - p[k]), merrow.camera.hidden === merrow.selected]; })()")
    [_, _, height], is_hidden = eyes["otter"]
    assert 0.6 < height < 2 and not is_hidden, eyes
    [ahead, _, height], is_hidden = eyes["remus"]
    assert 0.4 < ahead < 1 and abs(height) < 0.2 and is_hidden, eyes
    place = browser.evaluate("(() => { const robot = merrow.world.scene.robots[merrow.selected];"
                             " return robot.sensors.find(({ name }) => name === 'camera').p; })()")
    assert abs(eyes["camera"][0][2] - place[2]) < 0.1, (eyes, place)


def check_frame_all(browser):
    """A key fits all robots between the panels, in the image of the free camera and of the map."""
    free = browser.evaluate("merrow.overlays.free")
    browser.press("Digit4", "4")
    for mode in ["map", "orbit"]:
        browser.press("KeyF", "f")
        brightness(browser)
        assert browser.evaluate("merrow.camera.mode") == mode
        pixels = browser.evaluate("merrow.robots.map(({ links }) => merrow.overlays.at(links[0].p))")
        inside = [free["left"] < x < free["right"] and free["top"] < y < free["bottom"] for x, y in pixels]
        wide = max(x for x, _ in pixels) - min(x for x, _ in pixels)
        assert all(inside) and wide > 100, pixels
        browser.press("Digit1", "1")
    browser.evaluate(f"merrow.setCamera('follow'); merrow.selectAndFrame({index(browser, 'remus')})")
    far = browser.evaluate("Math.hypot(...merrow.camera.target.map((x, k) => x - [30, 0, -2][k]))")
    assert far < 3, far


def check_zoom_at_pointer(browser):
    """The wheel and two fingers keep the point under the pointer, on the map and of the free camera."""
    place = [600, 200]
    for key in ["Digit4", "Digit1"]:
        browser.press(key, key[-1])
        brightness(browser)
        depth = "dot(merrow.camera.target) - dot(origin)"
        point = (f"(() => {{ const {{ origin, direction }} = merrow.camera.ray({place[0]}, {place[1]});"
                 " const f = merrow.camera.axes.forward; const dot = (a) => a.reduce((s, x, k) => s + x * f[k], 0);"
                 f" const t = ({depth}) / dot(direction);"
                 " return origin.map((x, k) => x + t * direction[k]); })()")
        before = browser.evaluate(point)
        size = browser.evaluate("merrow.camera.metresPerPixel()")
        browser.call("Input.dispatchMouseEvent", type="mouseWheel", x=place[0], y=place[1], deltaX=0, deltaY=-400)
        browser.wait(f"merrow.camera.metresPerPixel() < 0.8 * {size}")
        brightness(browser)
        after = browser.evaluate(point)
        assert max(abs(a - b) for a, b in zip(before, after)) < 2 * size, (before, after)
        fingers = lambda gap: [{"x": 500 - gap, "y": 250, "id": 0}, {"x": 500 + gap, "y": 250, "id": 1}]
        size = browser.evaluate("merrow.camera.metresPerPixel()")
        for kind, points in [("touchStart", fingers(40)), ("touchMove", fingers(60)), ("touchMove", fingers(80)),
                             ("touchEnd", [])]:
            browser.call("Input.dispatchTouchEvent", type=kind, touchPoints=points)
        after = browser.evaluate("merrow.camera.metresPerPixel()")
        assert 0.4 * size < after < 0.65 * size, (size, after)


def check_ghost(browser):
    """A model that is dragged into the image and an object that is moved have a ghost."""
    browser.press("Digit2", "2")
    browser.evaluate("merrow.request({do: 'pause'})")
    browser.evaluate(f"merrow.selectAndFrame({index(browser, 'otter')}); merrow.toggleEditor()")
    browser.wait("document.querySelector('[data-model=crate]') !== null")
    before = image(browser)
    browser.evaluate("merrow.editor.select('crate'); merrow.editor.marker = merrow.robots[merrow.selected].links[0].p")
    browser.wait("merrow.world.ghosts(merrow.robots).length > 0")
    added = difference(before, image(browser))
    browser.evaluate("merrow.editor.select(null)")
    assert browser.evaluate("merrow.world.ghosts(merrow.robots).length") == 0
    browser.evaluate("(() => { const object = merrow.object(); const { p, q } = object.pose;"
                     " merrow.editor.preview = { name: object.name, kind: object.kind, from: object.pose,"
                     " pose: { p: [p[0], p[1], p[2] + 1], q } }; })()")
    moved = difference(before, image(browser))
    browser.evaluate("merrow.editor.preview = null")
    assert added > 0.002 and moved > 0.01, (added, moved)


def check_pool(browser):
    """A pool has tiles, dark lines of lanes, paved surroundings and walls with a dark waterline."""
    basin = browser.evaluate("merrow.world.scene.seabed.basin")
    assert [*basin["low"], *basin["high"]] == [-25, -12.5, 25, 12.5], basin
    look_from(browser, [0, 0, 0], 2.6, 0.6, 32)
    pool = image(browser)
    look_from(browser, [5, 0, -5], 1.57, 1.5, 4)
    floor = image(browser).convert("L")
    low, high = floor.getextrema()
    assert high - low > 40, (low, high)
    browser.evaluate("merrow.world.scene.seabed.basin = null")
    sand = image(browser).convert("L")
    assert ImageStat.Stat(floor).stddev[0] > 1.5 * ImageStat.Stat(sand).stddev[0]
    look_from(browser, [0, 0, 0], 2.6, 0.6, 32)
    open_water = image(browser)
    assert difference(pool, open_water) > 0.2, difference(pool, open_water)


def check_wake(browser):
    """A boat has foam at its hull, and a wake if it moves; water makes its hull wet."""
    browser.evaluate(f"merrow.selectAndFrame({index(browser, 'otter')}); merrow.detail = true; merrow.showShadows(false)")
    look_from(browser, "[...merrow.robots[merrow.selected].links[0].p]", 2.4, 0.5, 6)
    names = browser.evaluate("merrow.world.vessels(merrow.robots, merrow.world.sea.at(merrow.world.time), merrow.camera, true)"
                             ".map(({ robot }) => merrow.world.scene.robots[robot].name)")
    assert names == ["otter"], names
    browser.evaluate("merrow.kept = merrow.world.vessels.bind(merrow.world)")
    images = {}
    for name, code in [("none", "[]"), ("rest", "merrow.kept(...all).map((v) => ({ ...v, speed: 0 }))"),
                       ("moving", "merrow.kept(...all).map((v) => ({ ...v, speed: 2 }))")]:
        browser.evaluate(f"merrow.world.vessels = (...all) => {code}")
        images[name] = image(browser)
    at_rest, moving = [difference(images["none"], images[name]) for name in ["rest", "moving"]]
    assert at_rest > 0.005 and moving > at_rest + 0.02, (at_rest, moving)


def check_land(browser):
    """Land has plants and rocks at places that depend on the position only."""
    count = ("Object.fromEntries([...merrow.renderer.scenery.placed].map(([name, { near, far }]) =>"
             " [name, (near.length + far.length) / 8]))")
    places = "[...merrow.renderer.scenery.placed.get('trees').near].join()"
    camera = browser.evaluate(
        "(() => { const { positions } = merrow.world.ground; let best = 0;"
        " for (let k = 0; k < positions.length; k += 3) if (Math.abs(positions[k + 2] - 1.5) <"
        " Math.abs(positions[best + 2] - 1.5)) best = k; return [...positions.slice(best, best + 3)]; })()")
    look_from(browser, camera, 0.5, 0.2, 12)
    browser.evaluate("merrow.detail = true")
    land = image(browser)
    found, first = browser.evaluate(count), browser.evaluate(places)
    assert found["grass"] > 300 and found["trees"] + found["conifers"] > 30 and found["rocks"] > 5, found
    browser.evaluate("merrow.camera.target = merrow.camera.target.map((x, k) => x + (k < 2 ? 300 : 0))")
    image(browser)
    assert browser.evaluate(places) != first
    look_from(browser, camera, 0.5, 0.2, 12)
    image(browser)
    assert browser.evaluate(places) == first
    browser.evaluate("merrow.renderer.scenery.isLand = false")
    bare = image(browser)
    assert difference(land, bare) > 0.1, difference(land, bare)


WORLDS = [
    (DEEP, [check_lamps, check_clear_water]),
    (SURFACE, [check_first_person, check_frame_all, check_zoom_at_pointer, check_ghost, check_wake]),
    ("pool", [check_pool]),
    ("estuary", [check_land]),
]


def check(browser, start_world, binary):
    """Runs the checks, each in its world."""
    for text, checks in WORLDS:
        with tempfile.TemporaryDirectory() as folder:
            world = Path(folder) / "scenery.yaml"
            world.write_text(text)
            is_bundled = "\n" not in text
            run, url = start_world(binary, folder, text if is_bundled else str(world))
            try:
                browser.open(url)
                browser.wait("window.merrow?.images > 2 && merrow.world.frame")
                browser.evaluate("merrow.adapt = () => {}; merrow.scale = 0.25;"
                                 " for (const part of document.querySelectorAll('body > :not(canvas)'))"
                                 " part.style.visibility = 'hidden'")
                for one in checks:
                    one(browser)
                    print(f"{one.__name__}: ok", flush=True)
            finally:
                browser.open("about:blank")
                run.send_signal(signal.SIGINT)
                run.communicate(timeout=60)

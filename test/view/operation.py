"""Checks of the page that operate a robot: gamepad, goals, modes, faults, recording, sensors."""

import math
import re
from pathlib import Path

from editing import pause, resume

ROBOT = "merrow.world.frame.robots[merrow.selected]"
STATUS = "merrow.world.status.robots[merrow.selected]"
GAMEPAD = """
navigator.getGamepads = () => [{
  id: "Test pad (STANDARD GAMEPAD)", mapping: "standard", axes: merrow.sticks,
  buttons: merrow.pad.map((value) => ({ pressed: value > 0, value })),
}];
merrow.sticks = [0, 0, 0, 0];
merrow.pad = new Array(17).fill(0);
"""


def select(browser, index):
    """Selects a robot."""
    browser.evaluate(f"merrow.select({index})")
    browser.wait(f"merrow.selected === {index}")


def check_gamepad(browser):
    """The buttons of a gamepad select the mode, its right stick moves the robot."""
    resume(browser)
    select(browser, 0)
    browser.evaluate(GAMEPAD)
    browser.click_on("#gamepad")
    browser.wait("document.querySelector('#drive-hint').textContent.startsWith('Test pad')")
    browser.evaluate("merrow.pad[1] = 1")
    browser.wait(f"{STATUS}.mode === 'stabilize'")
    browser.evaluate("merrow.pad[1] = 0; merrow.sticks = [0, 0, 0, -1]")
    browser.wait(f"Math.hypot(...{ROBOT}.velocity.slice(0, 2)) > 0.2")
    browser.evaluate("merrow.sticks = [0, 0, 0, 0]")
    browser.wait("merrow.gamepad.moving === false")
    browser.press("Escape", "Escape")
    assert browser.evaluate("merrow.gamepad.robot") is None
    for message, reason in [
        ("{do: 'gamepad', robot: 'otter', axes: [0], buttons: []}", "axes"),
        ("{do: 'gamepad', robot: 'bluerov2', axes: [3], buttons: []}", "from -1 to 1"),
    ]:
        answer = browser.evaluate(f"merrow.request({message})")
        assert not answer["ok"] and reason in answer["error"], (message, answer)


def check_mode(browser):
    """A mode is selected by name; an unknown one is refused."""
    offered = browser.evaluate("[...document.querySelector('#mode').options].map((o) => o.value)")
    assert "depth_hold" in offered and "dive" not in offered, offered
    browser.evaluate("(() => {const m = document.querySelector('#mode'); m.value = 'depth_hold';"
                     " m.onchange(); })()")
    browser.wait(f"{STATUS}.mode === 'depth_hold'")
    answer = browser.evaluate("merrow.request({do: 'mode', robot: 'bluerov2', mode: 'fly'})")
    assert not answer["ok"] and "depth_hold" in answer["error"], answer


def check_actuators(browser):
    """A slider commands one actuator; a value outside its range is refused with a reason."""
    other = browser.evaluate("merrow.world.scene.robots.findIndex((r) => r.name === 'otter')")
    select(browser, other)
    browser.evaluate("document.querySelector('#actuators').open = true")
    names = browser.evaluate("[...document.querySelectorAll('[data-actuator]')].map((i) => i.dataset.actuator)")
    assert len(names) == 2 and all(name.startswith("thruster ") for name in names), names
    browser.evaluate("(() => {const i = document.querySelector('[data-actuator]'); i.value = i.max;"
                     " i.oninput();})()")
    browser.wait(f"merrow.world.frame.robots[{other}].thrusters[0].thrust > 5")
    browser.evaluate("document.querySelector('[data-actuator]').ondblclick()")
    browser.wait(f"merrow.world.frame.robots[{other}].thrusters[0].thrust < 1")
    answer = browser.evaluate(f"merrow.request({{do: 'actuator', robot: 'otter', actuator: '{names[0]}', value: 1e9}})")
    assert not answer["ok"] and "expected" in answer["error"], answer
    answer = browser.evaluate("merrow.request({do: 'actuator', robot: 'otter', actuator: 'wing', value: 0})")
    assert not answer["ok"] and "wing" in answer["error"], answer
    select(browser, 0)


def check_goal(browser):
    """A press and a drag in the map send a goal with a heading, to which the robot moves."""
    browser.press("Digit4", "4")
    # the map follows the robot, which must not move during the drag
    pause(browser)
    start = browser.evaluate(f"{ROBOT}.links[0].p")
    browser.evaluate(f"merrow.camera.target = {start}; merrow.camera.mapHeight = 20")
    browser.press("KeyP", "p")
    browser.wait("merrow.route.clicking === 'goal'")
    centre = browser.evaluate("[merrow.camera.width / 2, merrow.camera.height / 2]")
    browser.drag([centre[0] + 40, centre[1]], [centre[0] + 40, centre[1] - 60])
    resume(browser)
    browser.wait(f"{STATUS}.mode === 'station_keeping'")
    goal = browser.evaluate("merrow.overlays.goal")
    assert abs(goal["yaw"] - math.pi / 2) < 0.05, goal
    distance = f"Math.hypot({goal['p'][0]} - {ROBOT}.links[0].p[0], {goal['p'][1]} - {ROBOT}.links[0].p[1])"
    begin = math.hypot(goal["p"][0] - start[0], goal["p"][1] - start[1])
    browser.wait(f"{distance} < {0.7 * begin}")
    answer = browser.evaluate("merrow.request({do: 'goal', robot: 'crate', position: [0, 0, 0]})")
    assert not answer["ok"] and "crate" in answer["error"], answer


def check_fault(browser):
    """A fault of a thruster is started and ended with the buttons of the panel."""
    browser.click_on("[aria-controls=fault-panel]")
    browser.wait("merrow.faults.kinds.size > 5")
    device = browser.evaluate("merrow.faults.robot.devices[0][0]")
    assert device.startswith("thrusters/"), device
    browser.evaluate("(() => {const k = document.querySelector('#fault-kind');"
                     " k.value = 'reduced'; k.onchange();"
                     " document.querySelector('#fault-fraction').value = 0.5;})()")
    browser.click_on("#fault-start")
    browser.wait(f"{STATUS}.repairable.length === 1")
    browser.wait("document.querySelectorAll('#fault-list button').length === 1")
    browser.click_on("#fault-list button")
    browser.wait(f"{STATUS}.repairable.length === 0")
    message = ("{do: 'fault', robot: 'bluerov2', name: 'f', device: 'DEVICE', kind: 'reduced',"
               " values: {fraction: 7}, duration_s: 0}").replace("DEVICE", device)
    answer = browser.evaluate(f"merrow.request({message})")
    assert not answer["ok"] and "from 0 to 1" in answer["error"], answer


def check_recording(browser):
    """The button starts a recording into a new file of the working folder, and stops it."""
    browser.click_on("#record")
    browser.wait("merrow.world.status.recording === true")
    answer = browser.evaluate("merrow.request({do: 'record'})")
    assert not answer["ok"] and "active" in answer["error"], answer
    browser.click_on("#record")
    browser.wait("merrow.world.status.recording === false")
    bag = Path(browser.run_folder) / "merrow_world_1.mcap"
    assert bag.stat().st_size > 1000, bag
    assert bag.read_bytes()[:8] == b"\x89MCAP0\r\n", bag


def check_sensor(browser):
    """The images of a camera arrive while its panel is open, and only then."""
    browser.click_on("[aria-controls=sensor-panel]")
    browser.wait("merrow.sensors.count >= 2")
    size = browser.evaluate("[document.querySelector('.sensor-image').width,"
                            " document.querySelector('.sensor-image').height]")
    assert size == [160, 90], size
    kinds = browser.evaluate("[...document.querySelector('.sensor-kind').options].map((o) => o.value)")
    assert kinds == ["color", "depth"], kinds
    assert image_levels(browser) > 8
    browser.evaluate("(() => {const k = document.querySelector('.sensor-kind'); k.value = 'depth';"
                     " k.onchange(); })()")
    before = browser.evaluate("merrow.sensors.count")
    browser.wait(f"merrow.sensors.count > {before} + 1")
    answer = browser.evaluate(
        "merrow.request({do: 'watch', images: [{robot: 'bluerov2', sensor: 'imu', image: 'image'}]})")
    assert not answer["ok"] and "no image" in answer["error"], answer
    select(browser, browser.evaluate("merrow.world.scene.robots.findIndex((r) => r.name === 'otter')"))
    browser.wait("merrow.overlays.points?.xyz.length > 0")
    place = browser.evaluate("merrow.world.frame.robots[merrow.selected].links[0].p")
    xyz = browser.evaluate("[...merrow.overlays.points.xyz]")
    farthest = max(math.dist(place, xyz[k:k + 3]) for k in range(0, len(xyz), 3))
    assert 0.5 < farthest < 32, farthest
    check_sonar(browser)
    select(browser, 0)
    browser.click_on("[aria-controls=log-panel]")
    browser.wait("merrow.sensors.watched === '[]'")
    pause(browser)
    count = browser.evaluate("merrow.sensors.count")
    resume(browser)
    time = browser.evaluate("merrow.world.frame.time")
    browser.wait(f"merrow.world.frame.time > {time} + 1")
    assert browser.evaluate("merrow.sensors.count") <= count + 1


def image_levels(browser):
    """Returns the number of different levels in the image of the panel Sensor."""
    return browser.evaluate(
        "(() => {const c = document.querySelector('.sensor-image');"
        " const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
        " return new Set(d).size; })()"
    )


def check_sonar(browser):
    """The panel shows the image of the sonar of the selected boat."""
    browser.evaluate("(() => {const n = document.querySelector('.sensor-name'); n.value = 'sonar'; n.onchange(); })()")
    before = browser.evaluate("merrow.sensors.count")
    # an image of the sensor that was shown before can still arrive
    browser.wait(f"merrow.sensors.count > {before} + 1")
    # the sector of 130 degrees is wider than high
    width, height = browser.evaluate("(({width, height}) => [width, height])(document.querySelector('.sensor-image'))")
    assert 1.5 * height < width < 2 * height, (width, height)
    assert image_levels(browser) > 8


def check_events(browser):
    """The panel lists the events of the run with their times."""
    browser.wait("document.querySelectorAll('#log li').length > 3")
    text = browser.evaluate("document.querySelector('#log').innerText")
    assert "goal sent to bluerov2" in text, text
    browser.click_on("[aria-controls=plot-panel]")


def check_more_environment(browser):
    """Waves, rain, time of day, UTC, and visibility reach the run and the page. It is noon at the
    longitude of the world.
    """
    change = "(() => {{const i = document.getElementById('{0}'); i.value = {1}; i.onchange();}})()"
    browser.evaluate(change.format("weather.visibility_m", 900))
    browser.wait("Math.abs(merrow.world.status['weather.visibility_m'] - 900) < 1e-6")
    browser.evaluate(change.format("weather.time_of_day_h", 20.5))
    hour = "((merrow.world.status.utc_s + merrow.world.frame.time) % 86400) / 3600"
    browser.wait(f"Math.abs({hour} - 20.5) < 0.1")
    # significant wave height of the components that the page draws
    height = "4 * Math.sqrt(merrow.world.sea.at(merrow.world.time).waves.reduce((sum, w) => sum + w[0] * w[0] / 2, 0))"
    browser.evaluate(change.format("water.waves.hs_m", 0.3))
    browser.wait(f"Math.abs({height} / 0.3 - 1) < 0.05")
    browser.evaluate(change.format("water.waves.hs_m", 0.05))
    browser.evaluate(change.format("weather.rain_mm_h", 20))
    browser.wait("Math.abs(merrow.world.status['weather.rain_mm_h'] - 20) < 1e-6")
    browser.evaluate(change.format("weather.rain_mm_h", 0))


def check_readings(browser):
    """The overlays show the forces of the selected robot, and only while they are shown."""
    assert browser.evaluate("merrow.overlays.readings") is None
    select(browser, browser.evaluate("merrow.world.scene.robots.findIndex((r) => r.name === 'otter')"))
    keys = ["forces", "gravity", "buoyancy", "current", "wind", "frusta"]
    boxes = f"document.querySelectorAll('{', '.join(f'[data-overlay={key}]' for key in keys)}')"
    browser.evaluate(f"{boxes}.forEach((box) => box.click())")
    browser.wait("merrow.overlays.readings?.robot === merrow.selected")
    force = "merrow.overlays.readings.forces.find((force) => force.law === '{0}').f[2]"
    weight, buoyancy = [browser.evaluate(force.format(law)) for law in ["gravity", "buoyancy"]]
    # the Otter weighs 80 kg with its payload and floats in small waves
    assert abs(weight + 80 * 9.81) < 5, weight
    assert abs(buoyancy + weight) < 0.3 * abs(weight), (weight, buoyancy)
    browser.evaluate("merrow.request({do: 'set', parameters: {'water.current.speed_m_s': 0.3}})")
    browser.wait("Math.abs(Math.hypot(...merrow.overlays.readings.current) - 0.3) < 0.15")
    browser.evaluate(f"{boxes}.forEach((box) => box.click())")
    browser.wait("merrow.hasReadings === false")
    browser.wait("performance.now() - merrow.overlays.readings.arrival > 1500")


def check_wetted_hull(browser):
    """The overlay shows the wetted hull: of a submerged vehicle its box, of a boat only parts below the waves."""
    select(browser, 0)
    box = "document.querySelector('[data-overlay=hull]')"
    browser.evaluate(f"{box}.click()")
    browser.wait("merrow.overlays.readings?.wetted_mm?.length > 0 && merrow.overlays.readings.robot === 0")
    # six sides of 6 by 6 squares, of two triangles with nine numbers each
    assert browser.evaluate("merrow.overlays.readings.wetted_mm.length") == 6 * 36 * 2 * 9
    otter = browser.evaluate("merrow.world.scene.robots.findIndex((r) => r.name === 'otter')")
    select(browser, otter)
    browser.wait(f"merrow.overlays.readings.robot === {otter} && merrow.overlays.readings.wetted_mm?.length > 0")
    heights = browser.evaluate("merrow.overlays.readings.wetted_mm.filter((_, k) => k % 3 === 2)")
    place = browser.evaluate(f"{ROBOT}.links[0].p[2]")
    assert max(heights) / 1000 + place < 0.4 and min(heights) < 0, (min(heights), max(heights), place)
    browser.evaluate(f"{box}.click()")
    browser.wait("merrow.hasReadings === false")
    select(browser, 0)


def check_rain(browser):
    """Rain is drawn around a camera above the water."""
    pause(browser)
    browser.evaluate("merrow.setCamera('orbit'); merrow.camera.frame([0, 0, 3], 2)")
    drawn = "(() => {{ let n = 0; const all = merrow.overlays.drawStreaks; merrow.overlays.drawStreaks = (l) => (n = l.length);"
    drawn += " merrow.overlays.drawRain({{ status: {{ 'weather.rain_mm_h': {0} }}, time: 1 }});"
    drawn += " merrow.overlays.drawStreaks = all; return n; }})()"
    browser.wait("merrow.camera.eye[2] > 0.5")
    light, strong = [browser.evaluate(drawn.format(rain)) for rain in [1, 20]]
    assert 10 < light < strong <= 2500, (light, strong)
    assert browser.evaluate(drawn.format(0)) == 0
    browser.evaluate("merrow.setCamera('follow')")
    resume(browser)


def check_forces(browser):
    """The panel Forces lists gravity and buoyancy of the selected robot, and the readings end when it is closed."""
    select(browser, 0)
    browser.click_on("[aria-controls=force-panel]")
    rows = "[...document.querySelectorAll('#force-rows tr')].map((row) => [...row.cells].map((c) => c.textContent))"
    browser.wait(f"{rows}.length > 2")
    found = {law: [float(x) for x in numbers] for law, _, *numbers in browser.evaluate(rows)}
    # the BlueROV2 Heavy has 13.5 kg and nearly its weight in buoyancy
    assert abs(found["gravity"][2] + 13.5 * 9.81) < 1 and abs(found["gravity"][2] + found["buoyancy"][2]) < 5, found
    assert abs(found["gravity"][3] + found["gravity"][2]) < 1e-9, found
    browser.click_on("[aria-controls=plot-panel]")
    browser.wait("merrow.hasReadings === false")


def check_map(browser):
    """The map shows scale and north, and the pointer the position, also as latitude and longitude."""
    browser.evaluate("merrow.setCamera('map')")
    browser.evaluate("merrow.showPointer(480, 270)")
    text = browser.evaluate("document.querySelector('#pointer').textContent")
    found = re.fullmatch(r"east (\S+) m, north (\S+) m, (\S+)°, (\S+)°", text)
    assert found, text
    east, north, latitude, longitude = map(float, found.groups())
    origin = browser.evaluate("merrow.world.scene.origin")
    # lengths of a degree at 36.6 deg north: 110.97 km and 89.5 km
    assert abs((latitude - origin["latitude_deg"]) * 110970 - north) < 0.2, text
    assert abs((longitude - origin["longitude_deg"]) * 89470 - east) < 0.2, text
    browser.evaluate("merrow.setCamera('follow')")


def check_links(browser):
    """The overlay of communication links has the link that transmits the depth of the robot."""
    browser.wait("merrow.overlays.links.length > 0")
    link = browser.evaluate("merrow.overlays.links[0]")
    first, second, frames, received, snr, delay, airtime, lost = link
    assert {first, second} == {0, 1} and 0 <= received <= frames - lost <= frames, link
    # 1500 m/s at least 14 m from the gateway, at a known duration of the frames
    assert 0 <= delay < 0.1 and airtime > 0.01, (delay, airtime)
    # no ratio if the path of the last frame was blocked
    assert snr is None or -50 < snr < 150, snr
    names = browser.evaluate("merrow.world.scene.modems.map((modem) => modem.name)")
    assert sorted(names) == ["bluerov2/acoustic", "gateway"], names
    box = "document.querySelector('[data-overlay=links]')"
    browser.evaluate(f"{box}.click()")
    browser.wait("merrow.overlays.shown.links")
    browser.evaluate(f"{box}.click()")


CANVAS_COLORS = """
(() => {
  const canvas = document.querySelector('ID');
  const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  return [...new Set(new Uint32Array(data.buffer))].length;
})()
"""


def check_network(browser):
    """The panel Network has links, schedule trace, delivery and delay, and data only while it is open."""
    select(browser, 0)
    assert browser.evaluate("merrow.network.data") is None
    browser.evaluate("document.querySelector('[aria-controls=fault-panel]').focus()")
    browser.press("ArrowRight", "ArrowRight")
    browser.wait("document.querySelector('[aria-controls=network-panel]').ariaSelected === 'true'")
    # transmissions of the robot and receptions of the gateway
    browser.wait("[3, 5].every((activity) => merrow.network.data?.intervals.some((i) => i[1] === activity))")
    browser.wait("document.querySelectorAll('#network-links tr').length > 0")
    cells = browser.evaluate("[...document.querySelector('#network-links tr').cells].map((c) => c.textContent)")
    assert cells[:2] == ["bluerov2/acoustic", "gateway"], cells
    assert re.fullmatch(r"\d+ (ms|µs)", cells[3]) and re.fullmatch(r"\d+ %", cells[4]), cells
    assert re.fullmatch(r"\d+", cells[5]) and re.fullmatch(r"\d+\.\d %", cells[6]), cells
    data = browser.evaluate("merrow.network.data")
    for modem, activity, start, end in data["intervals"]:
        assert modem in (0, 1) and 0 <= activity <= 5 and start <= end <= data["time_s"], data
    place = browser.evaluate(f"{ROBOT}.links[0].p")
    sender, receiver, distance, delay = data["frames"][-1]
    assert {sender, receiver} == {0, 1}, data["frames"]
    assert abs(distance - math.dist(place, [20, 0, -4])) < 2, (distance, place)
    assert delay is None or distance / 1600 < delay < 5, (distance, delay)
    bins = browser.evaluate("import('/panels/network.js').then(({ binsOf, networksOf }) => [binsOf([[0, 1, 3, 0.1],"
                            " [0, 1, 8, null]], 8), networksOf(4, [[1, 3], [2, 0], [3, 1]])])")
    assert bins[0][3] == {"frames": 1, "received": 1}, bins
    assert bins[0][7] == {"frames": 1, "received": 0}, bins
    assert bins[1] == [0, 1, 0, 1], bins
    for scheme in ["dark", "light"]:
        browser.prefer(scheme)
        for canvas in ["#network-schedule", "#network-distance"]:
            colors = browser.evaluate(CANVAS_COLORS.replace("ID", canvas))
            assert colors > 4, (scheme, canvas, colors)
    browser.click_on("[aria-controls=plot-panel]")
    browser.wait("merrow.network.watched === false")
    time = browser.evaluate("merrow.world.frame.time")
    browser.wait(f"merrow.world.frame.time > {time} + 1")
    last = browser.evaluate("merrow.network.data.time_s")
    browser.wait(f"merrow.world.frame.time > {time} + 3")
    assert browser.evaluate("merrow.network.data.time_s") == last


def check_rates(browser):
    """The details show the rate of each sensor."""
    select(browser, 0)
    index = "merrow.world.scene.robots[0].sensors.findIndex((s) => s.name === 'imu')"
    browser.wait(f"Number(merrow.details.rateCells[{index}].textContent) > 1")
    nominal = browser.evaluate(f"merrow.world.scene.robots[0].sensors[{index}].rate_hz")
    rate = browser.evaluate(f"Number(merrow.details.rateCells[{index}].textContent)")
    assert abs(rate - nominal) < 0.1 * nominal, (rate, nominal)


def check_collision_event(browser):
    """A crate that sinks onto the rock gives an event."""
    browser.evaluate("merrow.request({do: 'set', parameters: {'water.current.speed_m_s': 0}})")
    log = "document.querySelector('#log').textContent"
    assert "collision with rock" not in browser.evaluate(log)
    answer = browser.evaluate("merrow.request({do: 'add', model: 'crate', position: [3, -4, -5.1]})")
    assert answer["ok"], answer
    browser.wait(f"{log}.includes('{answer['text']}: collision with rock')")


def enter_topic(browser, topic):
    """Enters a topic in the panel Plot and waits for the names of its fields."""
    browser.evaluate(f"(() => {{const i = document.querySelector('#plot-topic'); i.value = '{topic}';"
                     " i.onchange(); })()")
    browser.wait("document.querySelector('#plot-field').options.length > 1")


def check_topic_plot(browser):
    """Numeric fields of topics are plotted: of a sensor, of the simulator and of a camera without subscribers."""
    browser.evaluate("[...merrow.plot.series].forEach((s) => merrow.plot.remove(s))")
    topics = browser.evaluate("[...merrow.topics]")
    assert {"/bluerov2/imu/data", "/clock", "/bluerov2/camera/image_raw"} <= set(topics), topics
    enter_topic(browser, "/bluerov2/imu/data")
    fields = browser.evaluate("[...document.querySelector('#plot-field').options].map((o) => o.value)")
    assert "linear_acceleration.z" in fields and "header.frame_id" not in fields, fields
    for axis in "xz":
        browser.evaluate(f"document.querySelector('#plot-field').value = 'linear_acceleration.{axis}'")
        browser.click_on("#plot-add")
    enter_topic(browser, "/bluerov2/camera/image_raw")
    browser.evaluate("document.querySelector('#plot-field').value = 'width'")
    browser.click_on("#plot-add")
    browser.wait("merrow.plot.series.length === 3 && merrow.plot.series.every((s) => s.t.length > 5)")
    assert browser.evaluate("merrow.plot.series.map((s) => s.group)") == \
        ["linear_acceleration", "linear_acceleration", "/bluerov2/camera/image_raw"]
    # the robot is nearly at rest
    gravity = browser.evaluate("merrow.plot.series[1].y.slice(-5)")
    assert all(abs(z - 9.81) < 2 for z in gravity), gravity
    assert browser.evaluate("merrow.plot.series[2].y.every((width) => width === 160)")
    # every sample of the IMU arrives, not one per image
    times = browser.evaluate("merrow.plot.series[0].t")
    index = "merrow.world.scene.robots[0].sensors.findIndex((s) => s.name === 'imu')"
    rate = browser.evaluate(f"merrow.world.scene.robots[0].sensors[{index}].rate_hz")
    steps = [b - a for a, b in zip(times, times[1:])]
    assert abs(sorted(steps)[len(steps) // 2] * rate - 1) < 0.01, (steps, rate)
    head = browser.evaluate("merrow.plot.csv()").splitlines()[0]
    assert head == ("time [s],/bluerov2/imu/data.linear_acceleration.x,/bluerov2/imu/data.linear_acceleration.z,"
                    "/bluerov2/camera/image_raw.width"), head
    answer = browser.evaluate("merrow.request({do: 'topics', topics: [{topic: '/ghost', fields: []}]})")
    assert not answer["ok"] and "no topic" in answer["error"], answer
    browser.evaluate("[...merrow.plot.series].forEach((s) => merrow.plot.remove(s))")
    browser.evaluate("(() => {const i = document.querySelector('#plot-topic'); i.value = ''; i.onchange(); })()")
    browser.wait("document.querySelector('#plot-field').value === 'position.x'")


CHECKS = [
    check_readings, check_wetted_hull, check_rain, check_forces, check_map, check_links, check_network, check_rates,
    check_topic_plot,
    check_gamepad, check_mode, check_actuators, check_goal, check_fault, check_recording, check_sensor,
    check_events, check_more_environment, check_collision_event,
]

"""Checks of the page that edit the world: catalogue, gizmo, fields, undo, redo, saving."""

import json

from browser import center_of

OBJECTS = "merrow.world.scene.robots.map((robot) => robot.name)"


def object_pose(name):
    """Returns an expression for the pose of a robot in the newest frame."""
    index = f"merrow.world.scene.robots.findIndex((robot) => robot.name === '{name}')"
    return f"merrow.world.frame.robots[{index}].links[0]"


def wait_for_objects(browser, names):
    """Waits until the scene of the page has these robots and frames of this scene."""
    browser.wait(f"JSON.stringify({OBJECTS}) === {json.dumps(json.dumps(names, separators=(',', ':')))}")
    browser.wait(f"merrow.world.frame?.robots.length === {len(names)}")


def check_drag_from_catalogue(browser):
    """A model that is dragged into the image is added where it is dropped, and is selected."""
    pause(browser)
    browser.press("Digit4", "4")
    browser.press("KeyE", "e")
    browser.wait("document.querySelectorAll('#catalogue button').length > 20")
    browser.evaluate("document.querySelector('#catalogue-filter').value = 'crate';"
                     " document.querySelector('#catalogue-filter').oninput()")
    browser.evaluate("merrow.camera.target = [0, 0, 0]; merrow.camera.mapHeight = 24")
    browser.wait("merrow.camera.eye[0] === 0")
    start = center_of(browser, "[data-model=crate]")
    end = [540, 240]
    browser.drag(start, end)
    expected = browser.evaluate(f"merrow.camera.ray({end[0]}, {end[1]}).origin")
    wait_for_objects(browser, ["bluerov2", "otter", "crate"])
    place = browser.evaluate(f"{object_pose('crate')}.p")
    assert max(abs(place[k] - expected[k]) for k in range(2)) < 0.3, (place, expected)
    browser.wait("merrow.object()?.name === 'crate'")


def check_undo(browser):
    """Undo removes an added object, redo adds it again."""
    browser.evaluate("merrow.select(0)")
    browser.wait("merrow.object()?.name === 'bluerov2'")
    browser.wait("document.querySelector('#undo').title.includes('add crate')")
    browser.control("KeyZ", "z")
    wait_for_objects(browser, ["bluerov2", "otter"])
    browser.control("KeyY", "y")
    wait_for_objects(browser, ["bluerov2", "otter", "crate"])


def check_click_adds(browser):
    """A selected model is added by a click; a refused model gives a reason."""
    browser.evaluate("document.querySelector('#catalogue-filter').value = '';"
                     " document.querySelector('#catalogue-filter').oninput()")
    browser.evaluate("document.querySelector('[data-model=racing_mark]').scrollIntoView()")
    browser.click_on("[data-model=racing_mark]")
    assert browser.evaluate("merrow.editor.model") == "racing_mark"
    browser.click(420, 300)
    wait_for_objects(browser, ["bluerov2", "otter", "crate", "racing_mark"])
    for message, reason in [
        ("{do: 'add', model: 'submarine', position: [0, 0, 0]}", "no model"),
        ("{do: 'add', model: '../../../etc/passwd', position: [0, 0, 0]}", "lowercase letters"),
        ("{do: 'remove', object: 'ghost'}", "ghost"),
        ("{do: 'place', object: 'ghost', position: [0, 0, 0]}", "ghost"),
        ("{do: 'place', object: 'bluerov2', position: [0, 0, -60], attitude: [1, 0, 0, 0]}", "inside the seabed"),
    ]:
        answer = browser.evaluate(f"merrow.request({message})")
        assert not answer["ok"] and reason in answer["error"], (message, answer)
        assert "\n" not in answer["error"], answer


def check_gizmo(browser):
    """The axes of the gizmo move the object, the ring turns it, and the fields set its pose."""
    browser.evaluate("merrow.select(0); merrow.editor.setMode('move')")
    browser.wait("merrow.object()?.name === 'bluerov2'")
    browser.evaluate("merrow.camera.target = [0, 0, 0]; merrow.camera.mapHeight = 24")
    browser.wait("merrow.images > 0 && merrow.camera.eye[1] === 0")
    before = browser.evaluate(f"{object_pose('bluerov2')}.p")
    handle = "merrow.editor.gizmo.handles(merrow.camera, merrow.editor.pose())"
    tip = browser.evaluate(f"merrow.overlays.at({handle}[0].points[1])")
    # two metres to the east: the map shows 24 m over the height of the window
    pixels = 2.0 * browser.evaluate("merrow.camera.height") / 24
    browser.drag([tip[0] - 20, tip[1]], [tip[0] - 20 + pixels, tip[1] + 30])
    browser.wait(f"Math.abs({object_pose('bluerov2')}.p[0] - {before[0]} - 2) < 0.05")
    after = browser.evaluate(f"{object_pose('bluerov2')}.p")
    assert abs(after[1] - before[1]) < 1e-6 and abs(after[2] - before[2]) < 1e-6, (before, after)
    browser.evaluate("merrow.editor.setMode('turn')")
    browser.wait("merrow.editor.preview === null")
    ring = browser.evaluate(
        f"(() => {{const r = {handle}.find((h) => h.axis === 2).points;"
        " return [0, 16].map((k) => merrow.overlays.at(r[k])); })()"
    )
    turned = f"{object_pose('bluerov2')}.q"
    start = browser.evaluate(turned)
    browser.drag(*ring)
    # a quarter turn
    dot = f"Math.abs({turned}.reduce((sum, x, k) => sum + x * {start}[k], 0))"
    browser.wait(f"Math.abs({dot} - Math.SQRT1_2) < 0.03")
    browser.evaluate("merrow.editor.setMode('move')")
    browser.evaluate("(() => {const i = document.querySelector('#pose-z'); i.focus();"
                     " i.value = -3.25; i.onchange(); i.blur();})()")
    browser.wait(f"Math.abs({object_pose('bluerov2')}.p[2] + 3.25) < 1e-5")


def check_gizmo_in_perspective(browser):
    """In the image of a free camera an axis of the gizmo moves the object along it, and Escape cancels."""
    browser.evaluate("merrow.setCamera('orbit'); merrow.goTo(merrow.selected);"
                     " merrow.camera.yaw = 0.7; merrow.camera.pitch = 0.3; merrow.camera.distance = 8")
    browser.wait("merrow.camera.mode === 'orbit' && merrow.editor.preview === null")
    images = browser.evaluate("merrow.images")
    browser.wait(f"merrow.images > {images} + 1")
    pose = f"{object_pose('bluerov2')}.p"
    before = browser.evaluate(pose)
    tip = browser.evaluate("(() => {const {gizmo, app} = merrow.editor; const up ="
                           " gizmo.handles(app.camera, merrow.editor.pose()).find((h) => h.axis === 2);"
                           " return app.overlays.at(up.points[1]);})()")
    grasp = [tip[0], tip[1] + 12]
    browser.call("Input.dispatchMouseEvent", type="mousePressed", x=grasp[0], y=grasp[1], button="left", clickCount=1)
    browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=grasp[0], y=grasp[1] - 40, button="left", buttons=1)
    browser.wait(f"merrow.editor.preview.pose.p[2] > {before[2]} + 0.1")
    browser.press("Escape", "Escape")
    browser.wait("merrow.editor.preview === null")
    browser.call("Input.dispatchMouseEvent", type="mouseReleased", x=grasp[0], y=grasp[1] - 40, button="left", clickCount=1)
    assert browser.evaluate(pose) == before
    browser.drag(grasp, [grasp[0], grasp[1] - 40])
    browser.wait(f"{pose}[2] > {before[2]} + 0.1")
    after = browser.evaluate(pose)
    assert max(abs(after[k] - before[k]) for k in range(2)) < 1e-6, (before, after)
    answer = browser.evaluate("merrow.editor.run({do: 'undo'})")
    assert answer["ok"], answer
    browser.wait(f"Math.abs({pose}[2] - {before[2]}) < 1e-5")


def check_seabed_prop(browser):
    """A prop of the seabed that is dropped above the water stands on the seabed below the point."""
    browser.evaluate("merrow.setCamera('orbit'); merrow.camera.target = [-6, 0, 0];"
                     " merrow.camera.distance = 25; merrow.camera.yaw = 0; merrow.camera.pitch = 0.8;"
                     " document.querySelector('[data-model=reef]').scrollIntoView()")
    browser.wait("merrow.camera.mode === 'orbit' && merrow.camera.eye[2] > 10")
    browser.drag(center_of(browser, "[data-model=reef]"), [480, 300])
    browser.wait(f"{OBJECTS}.includes('reef')")
    place = f"{object_pose('reef')}?.p"
    browser.wait(f"Math.abs({place}[2] + 6) < 1e-3")
    answer = browser.evaluate("merrow.editor.run({do: 'undo'})")
    assert answer["ok"], answer
    browser.wait(f"!{OBJECTS}.includes('reef')")
    browser.press("Digit4", "4")


def check_undo_and_redo(browser):
    """Undo and redo go through all changes, also by keys."""
    undo = "document.querySelector('#undo')"
    browser.wait(f"{undo}.title.includes('move bluerov2')")
    browser.click_on("#undo")
    browser.wait(f"Math.abs({object_pose('bluerov2')}.p[2] + 3.25) > 0.5")
    browser.control("KeyY", "y")
    browser.wait(f"Math.abs({object_pose('bluerov2')}.p[2] + 3.25) < 1e-5")
    # the last three changes are moves, the two before added objects
    for _ in range(5):
        answer = browser.evaluate("merrow.editor.run({do: 'undo'})")
        assert answer["ok"], answer
    wait_for_objects(browser, ["bluerov2", "otter"])
    answer = browser.evaluate("merrow.request({do: 'undo'})")
    assert not answer["ok"] and answer["error"] == "no change to undo", answer
    browser.evaluate("merrow.editor.run({do: 'redo'})")
    wait_for_objects(browser, ["bluerov2", "otter", "crate"])


def check_remove(browser):
    """Delete removes the selected object; undo restores it with its pose and its battery."""
    browser.evaluate("merrow.select(1)")
    browser.wait("merrow.object()?.name === 'otter'")
    before = browser.evaluate(f"{object_pose('otter')}")
    browser.press("Delete", "Delete")
    wait_for_objects(browser, ["bluerov2", "crate"])
    browser.control("KeyZ", "z")
    wait_for_objects(browser, ["bluerov2", "crate", "otter"])
    after = browser.evaluate(f"{object_pose('otter')}")
    for key in "pq":
        assert max(abs(a - b) for a, b in zip(before[key], after[key])) < 1e-4, (before, after)


def check_structure(browser):
    """A structure is selected in the list and moved by its fields."""
    browser.evaluate("document.querySelector('[data-structure=rock]').click()")
    browser.wait("merrow.object()?.name === 'rock' && merrow.object().kind === 'structure'")
    browser.evaluate("(() => {const i = document.querySelector('#pose-x'); i.value = 5;"
                     " i.onchange(); })()")
    browser.wait("merrow.world.status.structures[0].p[0] === 5")
    browser.wait("merrow.world.scene.structures[0].shapes[0].p[0] === 5")
    answer = browser.evaluate("merrow.request({do: 'undo'})")
    assert answer["ok"], answer
    browser.wait("merrow.world.status.structures[0].p[0] === 3")


def check_save(browser):
    """The saved world contains the added object and the current pose, and the program loads it."""
    browser.evaluate("merrow.editor.save()")
    browser.wait("merrow.editor.saved?.length > 100")
    text = browser.evaluate("merrow.editor.saved")
    assert "extends:" in text and "crate:" in text, text
    browser.saved_world = text
    browser.saved_place = browser.evaluate(f"{object_pose('crate')}.p")
    resume(browser)
    browser.press("KeyE", "e")


def pause(browser):
    """Pauses the run."""
    if not browser.evaluate("merrow.world.frame.paused"):
        browser.click_on("#pause")
    browser.wait("merrow.world.frame.paused")


def resume(browser):
    """Resumes the run."""
    if browser.evaluate("merrow.world.frame.paused"):
        browser.click_on("#pause")
    browser.wait("!merrow.world.frame.paused")


SHORT = [check_drag_from_catalogue, check_undo, check_save]
CHECKS = [
    check_drag_from_catalogue, check_click_adds, check_gizmo, check_gizmo_in_perspective,
    check_undo_and_redo, check_remove, check_structure, check_seabed_prop, check_save,
]

"""Checks of the layout of the page: sizes of the window, sizes of the panels, sliders, and touch."""

import json

SIZE = (960, 540)
WINDOWS = [(1280, 720), (960, 540), (800, 600), (390, 844), (844, 390)]
# panels, bars and messages that are visible; panels in a panel are left out
BOXES = """
[...document.querySelectorAll('header.bar, .side, footer.bar, #pointer')]
  .filter((e) => e.checkVisibility() && !e.hidden)
  .map((e) => [e.id || e.className, ...['left', 'top', 'right', 'bottom'].map((k) => e.getBoundingClientRect()[k])])
"""


def resize(browser, size):
    """Sets the size of the window and waits for an image of this size."""
    browser.call("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=False)
    browser.wait(f"innerWidth === {size[0]} && merrow.camera.width === {size[0]} && merrow.camera.height === {size[1]}")


def show(browser, side, is_shown):
    """Shows or hides a side with its button."""
    if browser.evaluate(f"document.querySelector('#{side}').hidden") == is_shown:
        browser.click_on(f"[data-side={side}]")
    assert browser.evaluate(f"document.querySelector('#{side}').hidden") != is_shown, side


def check_boxes(browser, size):
    """Bars and panels are in the window, and none covers another."""
    boxes = browser.evaluate(BOXES)
    for name, left, top, right, bottom in boxes:
        assert -1 <= left < right <= size[0] + 1 and -1 <= top < bottom <= size[1] + 1, (size, name, left, top, right, bottom)
    for k, (name, left, top, right, bottom) in enumerate(boxes):
        for other, *edges in boxes[k + 1:]:
            covers = min(right, edges[2]) - max(left, edges[0]) > 1 and min(bottom, edges[3]) - max(top, edges[1]) > 1
            assert not covers, (size, name, other)
    if size[0] >= 1280:
        # the bar has one row
        assert boxes[0][4] - boxes[0][2] < 50, boxes[0]
    free = browser.evaluate("merrow.overlays.free")
    assert free["right"] - free["left"] >= 200 and free["bottom"] - free["top"] >= 120, (size, free)
    # no panel has content beside its right edge
    wide = browser.evaluate("[...document.querySelectorAll('.side .tab, #details, header, footer')]"
                            ".filter((e) => e.checkVisibility() && e.scrollWidth > e.clientWidth + 1).map((e) => e.id || e.className)")
    assert not wide, (size, wide)


def check_windows(browser):
    """In windows of a desktop, of a tablet and of a phone no bar or panel covers another, also in the map."""
    browser.evaluate("merrow.setCamera('map')")
    for size in WINDOWS:
        resize(browser, size)
        # the text with the coordinates is the longest one of the map
        browser.evaluate(f"merrow.showPointer({size[0] / 2}, {size[1] / 2})")
        assert browser.evaluate("document.querySelector('#pointer').textContent").startswith("east")
        check_boxes(browser, size)
        for side in ["left", "right"]:
            show(browser, side, True)
            for tab in browser.evaluate(f"[...document.querySelectorAll('#{side} [role=tab]')].map((t) => t.getAttribute('aria-controls'))"):
                browser.evaluate(f"document.querySelector('[aria-controls={tab}]').click()")
                check_boxes(browser, size)
            browser.evaluate(f"document.querySelector('#{side} [role=tab]').click()")
        if size[0] <= 900:
            assert browser.evaluate("document.querySelector('#left').hidden"), size
            show(browser, "right", False)
        if size[0] <= 640:
            assert not browser.evaluate("document.querySelector('#reset').checkVisibility()")
            browser.click_on("#more")
            assert browser.evaluate("document.querySelector('#reset').checkVisibility()")
            check_boxes(browser, size)
            browser.click_on("#more")
    browser.evaluate("merrow.showPointer(0, 0); merrow.setCamera('follow')")
    resize(browser, SIZE)


def check_panel_sizes(browser):
    """A drag of its handle resizes a side, also a sheet of a phone, and a key hides it."""
    width = "document.querySelector('#left').getBoundingClientRect().width"
    handle = "(() => {const r = document.querySelector('[data-handle=left]').getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2];})()"
    before = browser.evaluate(width)
    at = browser.evaluate(handle)
    browser.drag(at, [at[0] + 60, at[1]])
    browser.wait(f"Math.abs({width} - {before} - 60) < 2")
    assert browser.evaluate("merrow.overlays.free.left") > before + 60
    check_boxes(browser, SIZE)
    browser.evaluate("document.querySelector('[data-handle=left]').dispatchEvent(new MouseEvent('dblclick'))")
    browser.wait(f"{width} === {before}")
    browser.evaluate("document.activeElement.blur()")
    browser.press("BracketLeft", "[")
    browser.wait("document.querySelector('#left').hidden && merrow.overlays.free.left === 0")
    browser.press("BracketLeft", "[")
    phone = (390, 844)
    resize(browser, phone)
    show(browser, "left", True)
    height = "document.querySelector('#left').getBoundingClientRect().height"
    before = browser.evaluate(height)
    at = browser.evaluate(handle)
    browser.drag(at, [at[0], at[1] - 80])
    browser.wait(f"Math.abs({height} - {before} - 80) < 2")
    check_boxes(browser, phone)
    resize(browser, SIZE)


def check_slider_tracks(browser):
    """Each slider of an actuator has a track of at least 120 pixels in its panel, in every window."""
    tracks = ("(() => {const edge = document.querySelector('#left').getBoundingClientRect();"
              " return [...document.querySelectorAll('#actuator-list input')].map((i) => i.getBoundingClientRect())"
              ".map((r) => [r.width, r.left - edge.left, edge.right - r.right]);})()")
    browser.evaluate("merrow.select(0); document.querySelector('#actuators').open = true")
    for size in WINDOWS:
        resize(browser, size)
        show(browser, "left", True)
        found = browser.evaluate(tracks)
        assert len(found) >= 2 and all(w >= 120 and left >= 0 and right >= 0 for w, left, right in found), (size, found)
    browser.evaluate("document.querySelector('#actuators').open = false")
    resize(browser, SIZE)


def touch(browser, kind, points):
    """Sends a touch event with the places of all fingers."""
    points = [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(points)]
    browser.call("Input.dispatchTouchEvent", type=kind, touchPoints=points)


def check_pinch(browser):
    """Two fingers that separate to twice their distance halve the distance of the camera; one finger turns it."""
    browser.evaluate("merrow.setCamera('orbit'); merrow.camera.distance = 8")
    [x, y] = [SIZE[0] / 2, SIZE[1] / 2]
    before = browser.evaluate("[merrow.camera.distance, merrow.camera.yaw]")
    touch(browser, "touchStart", [(x - 40, y)])
    touch(browser, "touchStart", [(x - 40, y), (x + 40, y)])
    for k in range(1, 5):
        touch(browser, "touchMove", [(x - 40 - 10 * k, y), (x + 40 + 10 * k, y)])
    touch(browser, "touchEnd", [])
    browser.wait(f"Math.abs(merrow.camera.distance / {before[0]} - 0.5) < 0.02")
    assert browser.evaluate("merrow.camera.yaw") == before[1]
    touch(browser, "touchStart", [(x, y)])
    for k in range(1, 4):
        touch(browser, "touchMove", [(x + 20 * k, y)])
    touch(browser, "touchEnd", [])
    browser.wait(f"Math.abs(merrow.camera.yaw - {before[1]}) > 0.1")
    browser.evaluate(f"merrow.setCamera('follow'); [merrow.camera.distance, merrow.camera.yaw] = {json.dumps(before)}")


CHECKS = [check_windows, check_panel_sizes, check_slider_tracks, check_pinch]

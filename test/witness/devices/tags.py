"""Detects AprilTags with pupil-apriltags and measures the disparity of a stereo pair with OpenCV.

    python tags.py REQUEST.json REPLY.json

REQUEST is {"tags": [{"file", "size", "focal", "center", "black_m"}], "pair": {"files", "size", "window"}}. Images are raw
rows of red, green and blue. REPLY is {"tags": a list for each image of {"id", "position", "upright"}, with positions
in the optical frame, "raw": the same without inverting the sRGB curve, "disparity": the median over the window}.
"""

import functools
import json
import os
import sys

import cv2
import numpy
from pupil_apriltags import Detector


def grey(file, size, raw=False):
    """Loads an image as grey values, proportional to light or, if `raw`, as they are.

    The sRGB curve moves the edges of black areas inwards by a fifth of a pixel.
    """
    rgb = numpy.fromfile(file, numpy.uint8).reshape(size[1], size[0], 3)
    if raw:
        return cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY)
    v = cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY) / 255
    light = numpy.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4)
    return numpy.clip(255 * light / light.max() + 0.5, 0, 255).astype(numpy.uint8)


@functools.cache
def detector():
    """Returns the only detector: destroying one and creating another sometimes crashes the program."""
    return Detector(families="tag36h11", quad_decimate=1.0)


def tags(image, raw=False):
    # Integer coordinates of the detector are at pixel edges.
    camera = (*image["focal"], image["center"][0] + 0.5, image["center"][1] + 0.5)
    found = detector().detect(grey(image["file"], image["size"], raw), True, camera, image["black_m"])
    return [{"id": tag.tag_id, "position": tag.pose_t.ravel().tolist(), "upright": float(tag.pose_R[1, 1])} for tag in found]


def disparity(pair):
    left, right = (grey(file, pair["size"]) for file in pair["files"])
    (x0, y0), (x1, y1) = pair["window"]
    mask = numpy.zeros_like(left)
    mask[y0:y1, x0:x1] = 255
    points = cv2.goodFeaturesToTrack(left, 200, 0.05, 5, mask=mask)
    found, known, _ = cv2.calcOpticalFlowPyrLK(left, right, points, None, winSize=(21, 21), maxLevel=3)
    way = (points - found)[known.ravel() == 1].reshape(-1, 2)
    assert len(way) > 50 and abs(numpy.median(way[:, 1])) < 0.1, way
    return float(numpy.median(way[:, 0]))


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        request = json.load(file)
    reply = {"tags": [tags(image) for image in request["tags"]], "raw": [tags(image, True) for image in request["tags"]]}
    if "pair" in request:
        reply["disparity"] = disparity(request["pair"])
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        json.dump(reply, file)
    # Exit without destroying the detector, which can crash.
    os._exit(0)


if __name__ == "__main__":
    main()

"""Projects points with OpenCV.

    python camera_opencv.py REQUEST.json REPLY.json

REQUEST holds a list of {"model", "focal", "center", "k", "points"}, with points in the optical frame.
REPLY receives the list of their pixels.
"""

import json
import sys

import cv2
import numpy


def pixels(case):
    camera = numpy.array([[case["focal"][0], 0, case["center"][0]], [0, case["focal"][1], case["center"][1]], [0, 0, 1]], float)
    points = numpy.array(case["points"], float).reshape(-1, 1, 3)
    still = numpy.zeros(3)
    k = numpy.array(case["k"], float)
    if case["model"] == "plumb_bob":
        found, _ = cv2.projectPoints(points, still, still, camera, k)
    else:
        found, _ = cv2.fisheye.projectPoints(points, still, still, camera, k)
    return found.reshape(-1, 2).tolist()


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        request = json.load(file)
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        json.dump([pixels(case) for case in request], file)


main()

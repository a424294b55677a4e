"""Reads the images of `worlds/cameras.yaml` from a bag as its users do, and compares them with the
wall 9 m ahead.
"""

import io
import struct
import sys
from pathlib import Path

import numpy
from PIL import Image
from rosbags.highlevel import AnyReader

FRAME = "r/cam_optical_frame"
SHAPE = (48, 64)


def pixels(image, encoding, dtype, channels=1):
    """Returns the array of an image."""
    assert image.header.frame_id == FRAME, image.header.frame_id
    assert (image.encoding, image.height, image.width) == (encoding, *SHAPE)
    assert image.step * image.height == len(image.data)
    return numpy.frombuffer(image.data.tobytes(), dtype).reshape(*SHAPE, channels).squeeze()


def check_rgb(image):
    """Checks that red dominates."""
    wall = pixels(image, "rgb8", "u1", 3)[20:28, 26:38]
    assert (wall[..., 0] > wall[..., 1] + 40).all() and (wall[..., 1] > 10).all()


def check_jpeg(image):
    """Checks the same image as JPEG."""
    assert image.header.frame_id == FRAME and image.format == "rgb8; jpeg compressed bgr8"
    read = numpy.asarray(Image.open(io.BytesIO(image.data.tobytes())))
    assert read.shape == (*SHAPE, 3) and (read[20:28, 26:38, 0] > read[20:28, 26:38, 1].astype(int) + 40).all()


def check_depth(image):
    """Checks that the depth of the wall along the axis is constant."""
    depth = pixels(image, "32FC1", "<f4")
    assert numpy.allclose(depth[:24], 9.0, atol=1e-4)


def check_depth_file(file):
    """Checks the same depths in the compressedDepth encoding of image_transport: inverse, in steps
    of z^2/a.
    """
    assert file.header.frame_id == FRAME and file.format == "32FC1; compressedDepth png", file.format
    data = file.data.tobytes()
    kind, a, b = struct.unpack("<iff", data[:12])
    numbers = numpy.asarray(Image.open(io.BytesIO(data[12:]))).astype(float)
    assert kind == 0 and numbers.shape == SHAPE and (numbers[:24] > 0).all()
    assert numpy.allclose(a / (numbers[:24] - b), 9.0, atol=0.51 * 9.0**2 / a)


def check_labels(image):
    """Checks that the wall has the label of the first structure."""
    labels = pixels(image, "16UC1", "<u2")
    assert (labels[:24] == 2).all()


def check_info(info):
    """Checks the camera parameters."""
    assert info.header.frame_id == FRAME and info.distortion_model == "plumb_bob"
    assert list(info.k) == [90, 0, 31.5, 0, 90, 23.5, 0, 0, 1] and list(info.d) == [-0.1, 0, 0, 0, 0]
    assert (info.height, info.width) == SHAPE


def check_names(message):
    """Checks that every label has its name."""
    names = {one.class_id: one.class_name for one in message.class_map}
    assert names == {0: "sky", 1: "bottom", 2: "wall", 3: "r", 65534: "open_water", 65535: "water_surface"}, names
    assert message.header.frame_id == FRAME


def check_frames(message, seen):
    """Checks the optical frame: its z axis is x of the sensor, its x axis is -y of the sensor."""
    for transform in message.transforms:
        if transform.child_frame_id == FRAME:
            q = transform.transform.rotation
            assert transform.header.frame_id == "r/cam" and (q.x, q.y, q.z, q.w) == (-0.5, 0.5, -0.5, 0.5)
            seen["tf"] = 1


def main():
    """Checks one bag."""
    seen = {}
    checks = {
        "/r/cam/image_raw": check_rgb,
        "/r/cam/image_raw/compressed": check_jpeg,
        "/r/cam/depth/image_raw": check_depth,
        "/r/cam/depth/image_raw/compressedDepth": check_depth_file,
        "/r/cam/depth/camera_info": check_info,
        "/r/cam/labels/image_raw": check_labels,
        "/r/cam/camera_info": check_info,
    }
    with AnyReader([Path(sys.argv[1])]) as reader:
        for connection, _, data in reader.messages():
            message = reader.deserialize(data, connection.msgtype)
            if connection.topic == "/tf_static":
                check_frames(message, seen)
            elif connection.topic == "/r/cam/labels/names":
                check_names(message)
                seen["names"] = 1
            elif connection.topic in checks:
                checks[connection.topic](message)
                seen[connection.topic] = seen.get(connection.topic, 0) + 1
    print(seen)
    assert seen == {"tf": 1, "names": 1, **dict.fromkeys(checks, 11)}, seen


main()

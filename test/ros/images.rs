//! Tests of images, depths, labels and every message type in bags that other programs read.

use std::collections::HashSet;
use std::path::Path;

use crate::samples::samples;
use bytes::Bytes;
use merrow_messages::convert::image::{ImageView, Pixels};
use merrow_ros2::bag::Bag;
use merrow_ros2::cdr::to_bytes;
use merrow_ros2::message::Message;
use merrow_ros2::msg::catalogue;
use merrow_ros2::msg::std_msgs::Header;
use merrow_ros2::qos::Qos;

use super::{expect_success, find_mcap, script};
use crate::common::folder::Folder;

const WIDTH: u32 = 322;
const HEIGHT: u32 = 201;

/// Returns a value for every pixel, by column and row.
fn raster<T>(value: impl Fn(f64, f64) -> T) -> Vec<T> {
    (0..WIDTH * HEIGHT)
        .map(|i| value(f64::from(i % WIDTH), f64::from(i / WIDTH)))
        .collect()
}

/// Returns the waves in the colours of the sea; smooth, and with sides that are not multiples of a
/// JPEG block.
fn sea() -> Bytes {
    let wave = |x: f64, y: f64| 0.5 + 0.5 * (x / 31.0 + y / 17.0).sin();
    raster(|x, y| [40.0 + 60.0 * wave(x, y), 90.0 + 0.5 * y, 120.0 + 0.3 * x].map(|v| v as u8))
        .concat()
        .into()
}

fn record<M: Message>(bag: &mut Bag, topic: &str, message: &M) {
    let channel = bag.channel(topic, M::info(), &Qos::DEFAULT).unwrap();
    bag.write(channel, 0, 0, &to_bytes(message)).unwrap();
}

fn record_images(folder: &Path) {
    let view = |pixels| ImageView {
        width: WIDTH,
        height: HEIGHT,
        pixels,
    };
    let head = Header::default;
    let rgb = sea();
    let grey = Bytes::from(raster(|x, y| {
        (128.0 + 100.0 * (x / 40.0).sin() * (y / 25.0).cos()) as u8
    }));
    let labels = raster(|x, y| {
        if (x - 100.0).hypot(y - 90.0) < 50.0 {
            40_000
        } else {
            (y / 50.0) as u16
        }
    });
    let depths = raster(|x, y| match (x - 200.0).hypot(y - 100.0) {
        r if r < 60.0 => 2.0 + 0.01 * r as f32,
        _ if y < 40.0 => f32::INFINITY,
        // Beyond the depth range; no row has exactly the limit.
        _ => (3100.0 / y) as f32,
    });
    let (rgb, grey) = (view(Pixels::Rgb8(&rgb)), view(Pixels::Mono8(&grey)));
    let (labels, depths) = (view(Pixels::Uint16(&labels)), view(Pixels::Depth(&depths)));
    let mut bag = Bag::create(&folder.join("images")).unwrap();
    for (topic, image) in [
        ("rgb", rgb),
        ("grey", grey),
        ("labels", labels),
        ("depth", depths),
    ] {
        record(&mut bag, &format!("/{topic}"), &image.raw(head()).unwrap());
    }
    record(&mut bag, "/rgb/compressed", &rgb.jpeg(head(), 90).unwrap());
    record(
        &mut bag,
        "/rgb/lossless/compressed",
        &rgb.png(head()).unwrap(),
    );
    record(
        &mut bag,
        "/grey/compressed",
        &grey.jpeg(head(), 90).unwrap(),
    );
    record(
        &mut bag,
        "/grey/lossless/compressed",
        &grey.png(head()).unwrap(),
    );
    record(
        &mut bag,
        "/labels/lossless/compressed",
        &labels.png(head()).unwrap(),
    );
    record(
        &mut bag,
        "/depth/compressedDepth",
        &depths.compressed_depth(head(), 60.0).unwrap(),
    );
    bag.finish().unwrap();
}

// Subscribers of image_transport receive the published images. Method: raw images and their
// compressed versions in a bag; rosbags reads it, Pillow decodes the compressed images, and format
// and depth are interpreted as by the plugins of image_transport. Tolerance: JPEG of quality 90
// above 35 dB; PNG none; depth half a step of its encoding.
#[test]
fn images_are_read_by_others() {
    let Some((mut command, _lock)) = script("bags/images.py") else {
        return;
    };
    let folder = Folder::new("images", &[]);
    record_images(&folder.0);
    expect_success({
        command.arg(folder.0.join("images"));
        command
    });
}

// A bag can contain every message type. Method: one message of each type on its own topic, read
// like any other bag by two readers with the definitions in it.
#[test]
fn a_bag_of_every_type_is_read_by_others() {
    let Some((mut command, _lock)) = script("bags/bag.py") else {
        return;
    };
    let folder = Folder::new("every_type", &[]);
    let mut bag = Bag::create(&folder.0.join("every.mcap")).unwrap();
    let mut names = HashSet::new();
    for sample in samples([catalogue(), merrow_messages::msg::catalogue()].concat()) {
        let Some((package, name)) = sample.info.name.split_once("/msg/") else {
            continue;
        };
        let topic = format!("/{package}/{name}");
        // releases of ROS have different definitions of some types under one name
        if package == "rmw_dds_common" || !names.insert(sample.info.name) {
            continue;
        }
        let channel = bag.channel(&topic, sample.info, &Qos::DEFAULT).unwrap();
        bag.write(channel, 1, 1, &sample.cdr.unwrap()).unwrap();
        command.arg(format!("--expect={topic}=1"));
    }
    bag.finish().unwrap();
    command.arg(find_mcap(&folder.0));
    expect_success(command);
}

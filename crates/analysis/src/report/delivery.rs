//! Figures of the links between modems: delivery over distance, plan view.

use crate::report::page::{HEIGHT, WIDTH, cells, table};
use merrow_chart::canvas::{Colour, Drawing};
use merrow_chart::chart::{
    BLACK, COLOURS, Panel, PlotCurve, Style, coloured, draw_figure, round_step,
};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of bins of a network over its largest distance.
const MAX_BINS: f64 = 12.0;
/// Classes of the delivered fraction in the plan view: lower limit, colour and name.
const CLASSES: [(f64, Colour, &str); 3] = [
    (0.9, COLOURS[2], "90 % or more"),
    (0.5, COLOURS[3], "50 to 90 %"),
    (0.0, COLOURS[0], "below 50 %"),
];

/// Transmitted frame: distance of the modems [m], and delay [s], NaN for a lost frame.
pub(super) type Transmitted = [f64; 2];

/// Frames within a range of distances.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bin {
    /// Limits of the distance [m].
    limits: [f64; 2],
    frames: usize,
    received: usize,
    /// Sum of the delays of the received frames [s].
    delay: f64,
}

/// Network: modems that links connect, directly or over other modems.
#[derive(Debug)]
pub(super) struct Network {
    /// Name of its first modem, in alphabetical order.
    name: String,
    /// Bins in the order of their distances, only with frames.
    bins: Vec<Bin>,
}

/// Returns for each modem the first modem of its network, in alphabetical order.
fn networks<'a>(links: impl Iterator<Item = &'a [String; 2]>) -> BTreeMap<&'a str, &'a str> {
    let mut first: BTreeMap<&str, &str> = BTreeMap::new();
    for [from, to] in links {
        let a = *first.entry(from).or_insert(from);
        let b = *first.entry(to).or_insert(to);
        let [kept, replaced] = if a < b { [a, b] } else { [b, a] };
        for name in first.values_mut().filter(|name| **name == replaced) {
            *name = kept;
        }
    }
    first
}

/// Sorts transmitted frames into bins of their distance.
fn bins(frames: &[Transmitted]) -> Vec<Bin> {
    let largest = frames.iter().map(|frame| frame[0]).fold(0.0, f64::max);
    let width = round_step((largest / MAX_BINS).max(1e-3));
    let mut found: BTreeMap<u64, Bin> = BTreeMap::new();
    for [distance, delay] in frames {
        let k = libm::floor(distance / width);
        let bin = found.entry(k as u64).or_insert(Bin {
            limits: [k * width, (k + 1.0) * width],
            frames: 0,
            received: 0,
            delay: 0.0,
        });
        bin.frames += 1;
        if delay.is_finite() {
            bin.received += 1;
            bin.delay += delay;
        }
    }
    found.into_values().collect()
}

/// Sorts the frames of links between modems of known positions by network and distance.
pub(super) fn by_distance(links: &[(&[String; 2], Vec<Transmitted>)]) -> Vec<Network> {
    let first = networks(links.iter().map(|(ends, _)| *ends));
    let mut frames: BTreeMap<&str, Vec<Transmitted>> = BTreeMap::new();
    for (ends, own) in links.iter().filter(|(_, own)| !own.is_empty()) {
        let network = first.get(ends[0].as_str()).copied().unwrap_or_default();
        frames.entry(network).or_default().extend(own);
    }
    let network = |(name, frames): (&str, Vec<Transmitted>)| Network {
        name: name.to_owned(),
        bins: bins(&frames),
    };
    frames.into_iter().map(network).collect()
}

/// Draws the fraction of received frames at the midpoint of each bin; `None` without frames.
pub(super) fn draw_delivery(networks: &[Network]) -> Option<Drawing> {
    let has_legend = (2..=3).contains(&networks.len());
    let series = networks.iter().map(|network| {
        let point = |bin: &Bin| {
            let delivered = 100.0 * bin.received as f64 / bin.frames as f64;
            [0.5 * (bin.limits[0] + bin.limits[1]), delivered]
        };
        let label = format!("network of {}", network.name);
        let points = network.bins.iter().map(point).collect();
        (if has_legend { label } else { String::new() }, points)
    });
    let x_label = "distance at the start of the transmission [m]";
    let panel = Panel {
        style: Style::Marks,
        ..Panel::new("received [%]", x_label, coloured(series))
    };
    let title = "Delivery of transmitted frames over distance";
    (!networks.is_empty()).then(|| draw_figure(title, &[panel], WIDTH, 2 * HEIGHT))
}

/// Returns the table of the bins of all networks; empty without frames.
pub(super) fn delivery_table(networks: &[Network]) -> String {
    let row = |network: &Network, bin: &Bin| {
        let n = bin.received as f64;
        let decimals = if bin.limits[1] - bin.limits[0] < 0.99 {
            2
        } else {
            0
        };
        cells! {
            &network.name;
            bin.limits[0], decimals;
            bin.limits[1], decimals;
            bin.frames as f64, 0;
            n, 0;
            100.0 * n / bin.frames as f64, 1;
            bin.delay / n, 3;
        }
    };
    let rows = networks.iter().flat_map(|network| {
        let bins = network.bins.iter();
        bins.map(move |bin| row(network, bin))
    });
    let head = "first modem of the network | distance from [m] | to [m] | transmitted frames | \
        received | received [%] | mean delay [s]";
    table(head, rows)
}

/// Link of the plan view: names and positions [m] of its ends, frames and received frames in both
/// directions.
#[derive(Debug)]
pub(super) struct DrawnLink {
    pub(super) ends: [(String, [f64; 3]); 2],
    pub(super) frames: usize,
    pub(super) received: usize,
}

/// Draws the links between positions, with colours by the received fraction; `None` without links.
pub(super) fn draw_links(links: &[DrawnLink]) -> Option<Drawing> {
    let mut lines: Vec<PlotCurve> = Vec::new();
    // the best links are drawn last
    for (limit, colour, label) in CLASSES.into_iter().rev() {
        let upper = CLASSES.iter().map(|class| class.0).filter(|l| *l > limit);
        let upper = upper.fold(f64::INFINITY, f64::min);
        let own = links.iter().filter(|link| {
            let fraction = link.received as f64 / link.frames as f64;
            (limit..upper).contains(&fraction)
        });
        for (k, link) in own.enumerate() {
            let label = if k == 0 { label } else { "" };
            let points = link.ends.iter().map(|(_, p)| [p[0], p[1]]).collect();
            lines.push(PlotCurve::new(label, colour, false, points));
        }
    }
    let mut named: BTreeSet<&str> = BTreeSet::new();
    let mut names = Vec::new();
    for (name, [x, y, _]) in links.iter().flat_map(|link| &link.ends) {
        if named.insert(name) {
            names.push((name.clone(), [*x, *y]));
            lines.push(PlotCurve::new("", BLACK, false, vec![[*x, *y]]));
        }
    }
    let panel = Panel {
        style: Style::Plan,
        names,
        ..Panel::new("north [m]", "east [m]", lines)
    };
    let title = "Links between the modems, by received frames";
    (!links.is_empty()).then(|| draw_figure(title, &[panel], WIDTH, 3 * HEIGHT))
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_chart::canvas::Element;

    fn ends(from: &str, to: &str) -> [String; 2] {
        [from.to_owned(), to.to_owned()]
    }

    // Frames count in the bin of their distance and in their network. Method: two networks, one
    // over an intermediate modem; counts and delays of each bin.
    #[test]
    fn frames_are_sorted_by_network_and_distance() {
        let links = [ends("b", "c"), ends("x", "y"), ends("a", "b")];
        let frames = [
            vec![[110.0, 0.1], [115.0, f64::NAN], [10.0, 0.01]],
            vec![[400.0, 0.5]],
            vec![[119.0, 0.2], [0.0, f64::NAN]],
        ];
        let all: Vec<_> = links.iter().zip(frames).collect();
        let found = by_distance(&all);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].name, "a");
        let bins: Vec<_> = found[0].bins.iter().collect();
        let limits: Vec<_> = bins.iter().map(|bin| bin.limits).collect();
        assert_eq!(limits, [[0.0, 10.0], [10.0, 20.0], [110.0, 120.0]]);
        let counts: Vec<_> = bins.iter().map(|bin| [bin.frames, bin.received]).collect();
        assert_eq!(counts, [[1, 0], [1, 1], [3, 2]]);
        assert!((bins[2].delay - 0.3).abs() < 1e-12, "{}", bins[2].delay);
        assert_eq!((found[1].name.as_str(), found[1].bins.len()), ("x", 1));
        let table = delivery_table(&found);
        assert!(
            table.contains("<td>x</td>") && table.contains(">66.7<"),
            "{table}"
        );
        assert!(draw_delivery(&found).is_some() && draw_delivery(&[]).is_none());
    }

    // The colour of a link follows from its received fraction. Method: three links, whose lines
    // have two points.
    #[test]
    fn links_have_the_colour_of_their_class() {
        let end = |name: &str, x: f64| (name.to_owned(), [x, 0.0, -3.0]);
        let link = |x: f64, received| DrawnLink {
            ends: [end("boat", 0.0), end(&format!("auv_{x}"), x)],
            frames: 10,
            received,
        };
        let links = [link(10.0, 10), link(20.0, 7), link(30.0, 0)];
        let drawing = draw_links(&links).expect("a drawing");
        for (limit, colour, name) in CLASSES {
            let is_link = |element: &&Element| match element {
                Element::Line {
                    points,
                    colour: own,
                    width,
                    ..
                } => *own == colour && points.len() == 2 && *width == 1.6,
                _ => false,
            };
            assert_eq!(
                drawing.elements.iter().filter(is_link).count(),
                1,
                "{limit}"
            );
            assert!(drawing.svg().contains(name), "{name}");
        }
        for name in ["boat", "auv_10", "auv_20", "auv_30"] {
            assert_eq!(
                drawing.svg().matches(&format!(">{name}<")).count(),
                1,
                "{name}"
            );
        }
        assert!(draw_links(&[]).is_none());
    }
}

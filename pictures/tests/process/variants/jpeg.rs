use jpeg_encoder::{ColorType, Encoder, SamplingFactor};

use super::Outcome::{Rejected, Some as Any, Whole};
use super::{Outcome, Variant, picture};
use crate::files::jpeg_with;

/// The sides of most variants, of which none is a multiple of a block.
const WIDTH: u16 = 150;
const HEIGHT: u16 = 109;

pub(super) fn variants() -> Vec<Variant> {
    let mut variants = Vec::new();
    samplings(&mut variants);
    colors(&mut variants);
    markers(&mut variants);
    restarts(&mut variants);
    ends(&mut variants);
    damage(&mut variants);
    variants
}

fn add(variants: &mut Vec<Variant>, name: impl AsRef<str>, file: Vec<u8>, outcome: Outcome) {
    variants.push(Variant { name: format!("jpeg-{}.jpg", name.as_ref()), file, outcome });
}

/// The data between two restart markers, and the number of the marker before it.
type Interval = (Option<u8>, Vec<u8>);

/// The parts of a JPEG of one scan.
#[derive(Clone)]
struct Parts {
    /// The markers of the segments up to that of the scan, and their contents.
    segments: Vec<(u8, Vec<u8>)>,
    data: Vec<u8>,
}

impl Parts {
    fn new(file: &[u8]) -> Self {
        let mut segments = Vec::new();
        let mut rest = &file[2..];
        loop {
            let (marker, length) = (rest[1], usize::from(u16::from_be_bytes([rest[2], rest[3]])));
            segments.push((marker, rest[4..2 + length].to_vec()));
            rest = &rest[2 + length..];
            if marker == 0xda {
                return Self { segments, data: rest[..rest.len() - 2].to_vec() };
            }
        }
    }

    /// Returns the file, with these bytes before each marker, and without the marker of the end.
    fn open(&self, before: &[u8]) -> Vec<u8> {
        let mut file = b"\xff\xd8".to_vec();
        for (index, (marker, content)) in self.segments.iter().enumerate() {
            // The first three bytes tell the format.
            if index > 0 {
                file.extend(before);
            }
            file.extend([0xff, *marker]);
            file.extend(u16::try_from(content.len() + 2).unwrap().to_be_bytes());
            file.extend(content);
        }
        file.extend(&self.data);
        file
    }

    fn file(&self) -> Vec<u8> {
        [&self.open(b"")[..], b"\xff\xd9"].concat()
    }

    fn without(mut self, marker: u8) -> Self {
        self.segments.retain(|(other, _)| *other != marker);
        self
    }

    /// Puts a segment before all others.
    fn with(mut self, marker: u8, content: &[u8]) -> Self {
        self.segments.insert(0, (marker, content.to_vec()));
        self
    }

    fn change(mut self, marker: u8, change: impl Fn(&mut Vec<u8>)) -> Self {
        self.segments.iter_mut().filter(|(other, _)| *other == marker).for_each(|(_, content)| change(content));
        self
    }

    /// Returns the data between the restart markers.
    fn intervals(&self) -> Vec<Vec<u8>> {
        let mut intervals = vec![Vec::new()];
        let mut bytes = self.data.iter().copied().peekable();
        while let Some(byte) = bytes.next() {
            match bytes.peek() {
                Some(0xd0..=0xd7) if byte == 0xff => {
                    bytes.next();
                    intervals.push(Vec::new());
                }
                _ => intervals.last_mut().unwrap().push(byte),
            }
        }
        intervals
    }

    /// Replaces the data by these intervals.
    fn with_intervals(mut self, intervals: &[Interval]) -> Self {
        self.data.clear();
        for (number, interval) in intervals {
            self.data.extend(number.iter().flat_map(|number| [0xff, 0xd0 + number % 8]));
            self.data.extend(interval);
        }
        self
    }
}

fn encoded(size: (u16, u16), set: impl FnOnce(&mut Encoder<&mut Vec<u8>>)) -> Vec<u8> {
    jpeg_with(size.0, size.1, ColorType::Rgb, &picture(size.0.into(), size.1.into()), set)
}

/// Returns a JPEG whose components have these values, whatever they mean.
fn of_values(components: usize, value: impl Fn([u8; 3]) -> [u8; 4]) -> Parts {
    let rgb = picture(WIDTH.into(), HEIGHT.into());
    let values: Vec<u8> =
        rgb.chunks_exact(3).flat_map(|rgb| value([rgb[0], rgb[1], rgb[2]])[..components].to_vec()).collect();
    let colors = if components == 3 { ColorType::Ycbcr } else { ColorType::Ycck };
    Parts::new(&jpeg_with(WIDTH, HEIGHT, colors, &values, |_| {})).without(0xe0).without(0xee)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the values are bytes")]
fn ycbcr([r, g, b]: [u8; 3]) -> [u8; 3] {
    let [r, g, b] = [r, g, b].map(f64::from);
    let y = 0.299 * r + 0.587 * g + 0.114 * b;
    [y, 128.0 + (b - y) / 1.772, 128.0 + (r - y) / 1.402].map(|value| value.round() as u8)
}

const JFIF: &[u8] = b"JFIF\0\x01\x02\0\0\x01\0\x01\0\0";

fn adobe(transform: u8) -> Vec<u8> {
    [b"Adobe\0\x64\0\0\0\0", &[transform][..]].concat()
}

fn samplings(variants: &mut Vec<Variant>) {
    use SamplingFactor::{F_1_1, F_1_2, F_1_4, F_2_1, F_2_2, F_2_4, F_4_1, F_4_2};
    for factor in [F_1_1, F_2_1, F_1_2, F_2_2, F_4_1, F_4_2, F_1_4, F_2_4] {
        for size in [(WIDTH, HEIGHT), (64, 64), (17, 33), (5, 3), (1, 1), (3301, 30), (40, 6500)] {
            for (kind, is_progressive, is_optimized) in
                [("baseline", false, false), ("progressive", true, false), ("three-scans", false, true)]
            {
                let file = encoded(size, |encoder| {
                    encoder.set_sampling_factor(factor);
                    encoder.set_progressive(is_progressive);
                    encoder.set_optimized_huffman_tables(is_optimized);
                    encoder.set_restart_interval(if is_optimized { 0 } else { size.0 % 2 * 3 });
                });
                // What is reduced has other slopes.
                let outcome = if size.0 > 1600 { Any } else { Whole };
                add(variants, format!("sampling-{factor:?}-{}x{}-{kind}", size.0, size.1), file, outcome);
            }
        }
    }
    // Each component in a scan of its own, which no unit bounds.
    for x in 1..=4 {
        for y in 1..=4 {
            let others = [(x, y), (1, 1), (1, 1)];
            add(variants, format!("sampling-{x}x{y}-of-1x1"), of_planes(others), Whole);
            add(variants, format!("sampling-{x}x{y}-of-4x4"), of_planes([(4, 4), (x, y), (4, 4)]), Any);
        }
    }
    for (index, samplings) in
        [[(2, 2), (2, 1), (1, 2)], [(1, 1), (2, 2), (2, 2)], [(2, 1), (1, 1), (2, 1)]].into_iter().enumerate()
    {
        add(variants, format!("sampling-mixed-{index}"), of_planes(samplings), Whole);
    }
}

/// Returns a JPEG whose components have these sampling factors, each in a scan of its own.
fn of_planes(samplings: [(u8, u8); 3]) -> Vec<u8> {
    let (width, height) = (usize::from(WIDTH), usize::from(HEIGHT));
    let rgb = picture(width, height);
    let max = samplings.into_iter().fold((1, 1), |max, (x, y)| (max.0.max(usize::from(x)), max.1.max(usize::from(y))));
    let mut frame = [&[8], &HEIGHT.to_be_bytes()[..], &WIDTH.to_be_bytes(), &[3]].concat();
    let mut scans = Vec::new();
    let mut tables = Vec::new();
    for (index, (x, y)) in samplings.into_iter().enumerate() {
        let id = u8::try_from(index + 1).unwrap();
        frame.extend([id, x << 4 | y, 0]);
        let (x, y) = (usize::from(x), usize::from(y));
        let size = ((width * x).div_ceil(max.0), (height * y).div_ceil(max.1));
        let mut values = Vec::new();
        for row in (0..size.1).map(|row| ((row * 2 + 1) * max.1 / (y * 2)).min(height - 1)) {
            for column in (0..size.0).map(|column| ((column * 2 + 1) * max.0 / (x * 2)).min(width - 1)) {
                values.push(ycbcr(rgb[(row * width + column) * 3..][..3].try_into().unwrap())[index]);
            }
        }
        let (columns, rows) = (u16::try_from(size.0).unwrap(), u16::try_from(size.1).unwrap());
        let mut plane = Parts::new(&jpeg_with(columns, rows, ColorType::Luma, &values, |_| {}));
        plane = plane.change(0xda, |header| header[1] = id);
        scans.extend([b"\xff\xda\x00\x08", &plane.segments.last().unwrap().1[..], &plane.data].concat());
        plane.segments.retain(|(marker, _)| [0xdb, 0xc4].contains(marker));
        tables = plane.segments;
    }
    tables.push((0xc0, frame));
    [Parts { segments: tables, data: scans }.open(b""), b"\xff\xd9".to_vec()].concat()
}

fn colors(variants: &mut Vec<Variant>) {
    let rgb = of_values(3, |[r, g, b]| [r, g, b, 0]);
    let converted = of_values(3, |rgb| {
        let [y, cb, cr] = ycbcr(rgb);
        [y, cb, cr, 0]
    });
    for (ids, name) in [(*b"\x01\x02\x03", "123"), (*b"RGB", "RGB"), (*b"\x00\x01\x02", "012"), ([1; 3], "111")] {
        for is_jfif in [false, true] {
            for transform in [None, Some(0), Some(1), Some(2), Some(7)] {
                let is_rgb = !is_jfif && (transform == Some(0) || transform.is_none() && name == "RGB");
                let mut parts = if is_rgb { rgb.clone() } else { converted.clone() };
                parts = parts
                    .change(0xc0, |frame| (0..3).for_each(|index| frame[6 + index * 3] = ids[index]))
                    .change(0xda, |scan| (0..3).for_each(|index| scan[1 + index * 2] = ids[index]));
                if let Some(transform) = transform {
                    parts = parts.with(0xee, &adobe(transform));
                }
                if is_jfif {
                    parts = parts.with(0xe0, JFIF);
                }
                let name = format!("colors-{name}-jfif-{is_jfif}-adobe-{transform:?}");
                add(variants, &name, parts.file(), Whole);
                // What follows the header of the scan says nothing any more.
                if let (None, false) = (transform, is_jfif) {
                    let late = [&parts.open(b"")[..], b"\xff\xee\x00\x0e", &adobe(0), b"\xff\xd9"].concat();
                    add(variants, format!("{name}-late"), late, Whole);
                }
            }
        }
    }
    // A short segment of either kind does not count.
    let short = |marker: u8, content: &[u8]| converted.clone().with(marker, content).file();
    add(variants, "colors-short-adobe", short(0xee, b"Adobe\0\x64\0"), Whole);
    add(variants, "colors-short-jfif", rgb.clone().with(0xee, &adobe(0)).with(0xe0, b"JFIF\0\x01").file(), Whole);

    // The picture without black, and with all inks inverted.
    let cmyk = of_values(4, |[r, g, b]| [r, g, b, 255]);
    let ycck = of_values(4, |rgb| {
        let [y, cb, cr] = ycbcr(rgb.map(|value| 255 - value));
        [y, cb, cr, 255]
    });
    for is_jfif in [false, true] {
        for transform in [None, Some(0), Some(1), Some(2)] {
            let mut parts = if matches!(transform, None | Some(0)) { cmyk.clone() } else { ycck.clone() };
            if let Some(transform) = transform {
                parts = parts.with(0xee, &adobe(transform));
            }
            if is_jfif {
                parts = parts.with(0xe0, JFIF);
            }
            add(variants, format!("colors-4-jfif-{is_jfif}-adobe-{transform:?}"), parts.file(), Whole);
        }
    }
    for components in [2, 5] {
        let parts = converted.clone().change(0xc0, |frame| {
            frame[5] = components;
            frame.truncate(6 + usize::from(components) * 3);
            frame.resize(6 + usize::from(components) * 3, 1);
        });
        add(variants, format!("colors-{components}-components"), parts.file(), Rejected);
    }
}

fn markers(variants: &mut Vec<Variant>) {
    let file = encoded((WIDTH, HEIGHT), |_| {});
    let parts = Parts::new(&file);
    for count in [1, 2, 7, 300] {
        for (name, byte) in [("fill-bytes", 0xff), ("zeros", 0)] {
            let bytes = vec![byte; count];
            let file = [&parts.open(&bytes)[..], &bytes, b"\xff\xd9"].concat();
            add(variants, format!("markers-{count}-{name}"), file, Whole);
        }
    }
    add(variants, "markers-stuffed-garbage", [&parts.open(b"ab\xff\x00c")[..], b"\xff\xd9"].concat(), Whole);
    add(variants, "markers-restart-garbage", [&parts.open(b"\xff\xd3")[..], b"\xff\xd9"].concat(), Whole);
    for marker in [0xe1, 0xe5, 0xef, 0xfe, 0xf0, 0xdc, 0x01] {
        let with = parts.clone().with(marker, if marker == 0x01 { b"" } else { b"ab\0\0\xff\xd9\xff\xda" });
        add(variants, format!("markers-segment-{marker:02x}"), with.file(), if marker == 0x01 { Any } else { Whole });
    }
    add(variants, "markers-second-start", [&file[..2], &file[..]].concat(), Any);
    for marker in [0xc4, 0xdb, 0xe0] {
        let outcome = if marker == 0xdb { Rejected } else { Whole };
        add(variants, format!("markers-without-{marker:02x}"), parts.clone().without(marker).file(), outcome);
    }
    add(variants, "markers-without-c0", parts.clone().without(0xc0).file(), Rejected);
    add(variants, "markers-without-scan", [&file[..40], b"\xff\xd9"].concat(), Rejected);
    let wide = parts.clone().change(0xdb, |tables| {
        let steps = std::mem::take(tables);
        for table in steps.chunks_exact(65) {
            tables.push(table[0] | 0x10);
            tables.extend(table[1..].iter().flat_map(|&step| [0, step]));
        }
    });
    add(variants, "markers-steps-of-16-bits", wide.file(), Whole);
    for (name, marker) in [("extended", 0xc1), ("lossless", 0xc3), ("hierarchical", 0xc5), ("arithmetic", 0xc9)] {
        let mut parts = parts.clone();
        parts.segments.iter_mut().filter(|(other, _)| *other == 0xc0).for_each(|(other, _)| *other = marker);
        add(variants, format!("process-{name}"), parts.file(), if marker == 0xc1 { Whole } else { Rejected });
    }
    for precision in [12, 16] {
        let file = parts.clone().change(0xc0, |frame| frame[0] = precision).file();
        add(variants, format!("process-{precision}-bits"), file, Rejected);
    }
    let no_height = parts.clone().change(0xc0, |frame| frame[1..3].fill(0)).file();
    add(variants, "process-height-0", no_height, Rejected);
}

/// Restart markers that are lost, repeated, or wrong.
fn restarts(variants: &mut Vec<Variant>) {
    for interval in [1, 4, 19] {
        let parts = Parts::new(&encoded((WIDTH, HEIGHT), |encoder| encoder.set_restart_interval(interval)));
        let intervals: Vec<Interval> = parts
            .intervals()
            .into_iter()
            .enumerate()
            .map(|(index, data)| (index.checked_sub(1).map(|number| u8::try_from(number % 8).unwrap()), data))
            .collect();
        add(variants, format!("restarts-{interval}-right"), parts.clone().with_intervals(&intervals).file(), Whole);
        for at in [1, 2, 5, intervals.len() - 1] {
            let mut change = |name: &str, change: &dyn Fn(&mut Vec<Interval>)| {
                let mut intervals = intervals.clone();
                change(&mut intervals);
                let file = parts.clone().with_intervals(&intervals).file();
                add(variants, format!("restarts-{interval}-{name}-{at}"), file, Any);
            };
            change("lost-marker", &|intervals| intervals[at].0 = None);
            change("lost-interval", &|intervals| drop(intervals.remove(at)));
            change("repeated-marker", &|intervals| intervals.insert(at, (intervals[at].0, Vec::new())));
            change("repeated-interval", &|intervals| intervals.insert(at, intervals[at].clone()));
            change("wrong-number", &|intervals| intervals[at].0 = intervals[at].0.map(|number| (number + 4) % 8));
            change("short-interval", &|intervals| intervals[at].1.truncate(2));
            change("long-interval", &|intervals| intervals[at].1.extend(b"abcdefgh"));
            change("fill-bytes", &|intervals| intervals[at - 1].1.extend(b"\xff\xff"));
            change("garbage", &|intervals| intervals[at].1.insert(0, 7));
        }
        for wrong in [0, interval * 2, interval + 2, 9999] {
            let file = parts.clone().change(0xdd, |content| content.copy_from_slice(&wrong.to_be_bytes())).file();
            add(variants, format!("restarts-{interval}-stated-{wrong}"), file, Any);
        }
    }
    let without = Parts::new(&encoded((WIDTH, HEIGHT), |_| {})).with(0xdd, &[0, 8]);
    add(variants, "restarts-stated-without-any", without.file(), Any);
}

/// Files that end too early, or go on after the end.
fn ends(variants: &mut Vec<Variant>) {
    for (kind, is_progressive, is_optimized) in
        [("baseline", false, false), ("progressive", true, false), ("three-scans", false, true)]
    {
        let file = encoded((WIDTH, HEIGHT), |encoder| {
            encoder.set_progressive(is_progressive);
            encoder.set_optimized_huffman_tables(is_optimized);
        });
        add(variants, format!("ends-{kind}-without-marker"), file[..file.len() - 2].to_vec(), Whole);
        add(variants, format!("ends-{kind}-in-marker"), file[..file.len() - 1].to_vec(), Whole);
        for missing in [1, 2, 3, 8] {
            // A few bytes of a refinement may be those of the whole picture.
            let outcome = if is_progressive { Any } else { Whole };
            add(variants, format!("ends-{kind}-less-{missing}"), file[..file.len() - 2 - missing].to_vec(), outcome);
        }
        for percent in [10, 30, 60] {
            let length = file.len() * (100 - percent) / 100;
            add(variants, format!("ends-{kind}-less-{percent}-percent"), file[..length].to_vec(), Rejected);
            let closed = [&file[..length], b"\xff\xd9"].concat();
            let outcome = if is_progressive { Any } else { Rejected };
            add(variants, format!("ends-{kind}-less-{percent}-percent-closed"), closed, outcome);
        }
        for (name, more) in [("zeros", &[0; 100][..]), ("text", b"more"), ("end", b"\xff\xd9"), ("picture", &file)] {
            add(variants, format!("ends-{kind}-then-{name}"), [&file, more].concat(), Whole);
            let open = [&file[..file.len() - 2], more].concat();
            add(variants, format!("ends-{kind}-without-marker-then-{name}"), open, Any);
        }
    }
}

/// Data with bits that are flipped.
fn damage(variants: &mut Vec<Variant>) {
    for (kind, interval, is_progressive) in [("baseline", 0, false), ("restarts", 5, false), ("progressive", 0, true)] {
        let file = encoded((WIDTH, HEIGHT), |encoder| {
            encoder.set_restart_interval(interval);
            encoder.set_progressive(is_progressive);
        });
        let begin = file.windows(2).position(|marker| marker == [0xff, 0xda]).unwrap() + 14;
        for step in 0..16 {
            let mut file = file.clone();
            let at = begin + (file.len() - begin) * step / 16;
            file[at] ^= 1 << (step % 8);
            add(variants, format!("damage-{kind}-{step:02}"), file, Any);
        }
    }
}

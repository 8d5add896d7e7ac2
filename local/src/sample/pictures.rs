//! The pictures of the sample data: landscapes that this module draws.

use std::sync::OnceLock;

use pictures::{Processed, process};
use png::{BitDepth, ColorType, Encoder};
use shared::photos::{Picture, Sizes};
use shared::pictures::keys::{Size, incoming_key, picture_key};
use shared::values::{PictureId, Timestamp, Username};

use super::random::Random;
use crate::services::s3::Object;

/// A picture: what is drawn, and what the items of its photos say of it. A test compares the two.
struct Motif {
    width: u32,
    height: u32,
    /// The colors of the sky from top to bottom, of the sun, and of the hills from the far to the
    /// near ones.
    sky: [Color; 2],
    sun: Color,
    hills: [Color; 3],
    alt_text: &'static str,
    id: &'static str,
    bytes: u64,
    blurhash: &'static str,
}

type Color = [u8; 3];

const MOTIFS: [Motif; 6] = [
    Motif {
        width: 480,
        height: 360,
        sky: [[38, 70, 120], [250, 190, 120]],
        sun: [255, 240, 200],
        hills: [[110, 100, 140], [70, 66, 100], [30, 30, 52]],
        alt_text: "Hills at dusk, the sun low in an orange sky",
        id: "9dd1824c2ad7b73c",
        bytes: 21_955,
        blurhash: "LEBphYN1M|?G?vM|Rk%L0eWCayj?",
    },
    Motif {
        width: 480,
        height: 320,
        sky: [[96, 160, 220], [224, 240, 250]],
        sun: [255, 255, 240],
        hills: [[120, 160, 150], [70, 130, 80], [38, 90, 44]],
        alt_text: "Green hills under a blue sky",
        id: "fc062994dde392ab",
        bytes: 19_549,
        blurhash: "L?D_KmWrWBt6%jWYWWs:M{ayj[js",
    },
    Motif {
        width: 360,
        height: 480,
        sky: [[8, 10, 32], [60, 50, 96]],
        sun: [240, 240, 220],
        hills: [[40, 40, 80], [26, 26, 56], [10, 10, 26]],
        alt_text: "Dark hills by night, and the moon",
        id: "86d717e47c937c5d",
        bytes: 23_044,
        blurhash: "T34.A79HD%_1D*IVM@WBWCD;%Mxu",
    },
    Motif {
        width: 480,
        height: 360,
        sky: [[220, 120, 90], [250, 220, 160]],
        sun: [255, 210, 120],
        hills: [[190, 120, 80], [150, 84, 56], [96, 50, 36]],
        alt_text: "Brown hills, the sun behind haze",
        id: "1b10e19599fe9025",
        bytes: 20_920,
        blurhash: "LvM}a4n+jat5}?n+ayoeIpfQayay",
    },
    Motif {
        width: 480,
        height: 300,
        sky: [[150, 180, 200], [240, 240, 240]],
        sun: [255, 255, 255],
        hills: [[200, 214, 224], [160, 184, 200], [110, 140, 160]],
        alt_text: "White hills in fog",
        id: "040b503cae8132ce",
        bytes: 16_425,
        blurhash: "LQK2hmkXR*%M?vR*WBxu01WVayWB",
    },
    Motif {
        width: 320,
        height: 480,
        sky: [[60, 110, 130], [230, 180, 190]],
        sun: [255, 220, 210],
        hills: [[60, 120, 120], [40, 90, 96], [20, 56, 66]],
        alt_text: "Blue hills at dawn, the sky pink",
        id: "def555a80ba25bfc",
        bytes: 25_832,
        blurhash: "TJABeMogWB?wWXWVD%R%ayEyoLof",
    },
];

/// The number of pixels by which the level of hills is interpolated.
const HILL_STEP: u32 = 60;

/// Returns the picture of the photo at this index of the photos.
pub(super) fn picture(index: usize) -> Picture {
    let motif = &MOTIFS[index % MOTIFS.len()];
    Picture::Ready(Sizes {
        id: id(motif),
        width: motif.width,
        height: motif.height,
        bytes: motif.bytes,
        blurhash: motif.blurhash.to_owned(),
    })
}

/// Returns what the picture of the photo at this index shows.
pub(super) fn alt_text(index: usize) -> &'static str {
    MOTIFS[index % MOTIFS.len()].alt_text
}

/// Returns the objects of the photo at this index: its key and the object.
pub(super) fn objects(index: usize, (owner, timestamp): &(Username, Timestamp)) -> Vec<(String, Object)> {
    let index = index % MOTIFS.len();
    let (_, processed) = &drawn()[index];
    let object = |size, jpeg: &[u8]| {
        let cache_control = Some("private, max-age=604800".to_owned());
        let object = Object { content_type: Some("image/jpeg".to_owned()), cache_control, bytes: jpeg.to_vec().into() };
        (picture_key(owner, timestamp, &id(&MOTIFS[index]), size), object)
    };
    vec![object(Size::Large, &processed.large), object(Size::Small, &processed.small)]
}

/// Returns the file that is uploaded for a photo, and its key.
pub(super) fn upload((owner, timestamp): &(Username, Timestamp)) -> (String, Object) {
    let (png, _) = &drawn()[0];
    let content_type = Some("image/png".to_owned());
    (incoming_key(owner, timestamp), Object { content_type, cache_control: None, bytes: png.clone().into() })
}

fn id(motif: &Motif) -> PictureId {
    serde_json::from_value(motif.id.into()).expect("an id is text")
}

/// Returns each motif as it would be uploaded, and what process-photo makes of it.
fn drawn() -> &'static [(Vec<u8>, Processed)] {
    static DRAWN: OnceLock<Vec<(Vec<u8>, Processed)>> = OnceLock::new();
    DRAWN.get_or_init(|| {
        MOTIFS
            .iter()
            .zip(1..)
            .map(|(motif, seed)| {
                let png = draw(motif, seed);
                let processed = process(&png).expect("the drawn picture is within the limits");
                (png, processed)
            })
            .collect()
    })
}

/// Draws a motif and returns it as a PNG. It computes with integers only, so the file is the same
/// on every machine.
fn draw(motif: &Motif, seed: u64) -> Vec<u8> {
    let Motif { width, height, sky, sun, hills, .. } = motif;
    let mut random = Random(seed);
    let ridges: Vec<Vec<u32>> = (0..3)
        .map(|hill| {
            let steps = 0..width / HILL_STEP + 2;
            let top = height * (45 + 17 * hill) / 100;
            steps.map(|_| top + u32::try_from(random.below(height / 6)).unwrap_or(0)).collect()
        })
        .collect();
    let (sun_x, sun_y, radius) = (width * 7 / 10, height / 4, width / 12);
    let mut pixels = Vec::with_capacity(3 * (width * height) as usize);
    for y in 0..*height {
        for x in 0..*width {
            let color = match (0..3).rev().find(|&hill| y >= level(&ridges[hill], x)) {
                Some(hill) => hills[hill],
                None if x.abs_diff(sun_x).pow(2) + y.abs_diff(sun_y).pow(2) < radius.pow(2) => *sun,
                None => [0, 1, 2].map(|channel| between(sky[0][channel], sky[1][channel], y, *height)),
            };
            // Noise, as every photo has it.
            let noise = (random.next() % 9) as u8;
            pixels.extend(color.map(|value| value.saturating_sub(4).saturating_add(noise)));
        }
    }
    let mut png = Vec::new();
    let mut encoder = Encoder::new(&mut png, *width, *height);
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    let mut writer = encoder.write_header().expect("a PNG of this size");
    writer.write_image_data(&pixels).expect("a PNG has the pixels of its size");
    writer.finish().expect("a PNG ends");
    png
}

/// Returns the height of a ridge at `x`, between its steps.
fn level(ridge: &[u32], x: u32) -> u32 {
    let (step, rest) = ((x / HILL_STEP) as usize, x % HILL_STEP);
    (ridge[step] * (HILL_STEP - rest) + ridge[step + 1] * rest) / HILL_STEP
}

/// Returns the value at `part` of `whole` between two values.
fn between(from: u8, to: u8, part: u32, whole: u32) -> u8 {
    let value = (u32::from(from) * (whole - part) + u32::from(to) * part) / whole;
    u8::try_from(value).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_items_say_what_is_drawn() {
        let constants = MOTIFS
            .iter()
            .map(|motif| (motif.width, motif.height, motif.id.to_owned(), motif.bytes, motif.blurhash.to_owned()));
        let drawn = drawn().iter().map(|(png, processed)| {
            let bytes = (processed.large.len() + processed.small.len()) as u64;
            (
                processed.width,
                processed.height,
                PictureId::from_file(png).to_string(),
                bytes,
                processed.blurhash.clone(),
            )
        });
        assert_eq!(constants.collect::<Vec<_>>(), drawn.collect::<Vec<_>>(), "correct the constants of this module");
    }
}

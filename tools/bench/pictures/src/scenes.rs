//! Scenes that are drawn by code: ten motifs in five families each, and four scenes in each family
//! that are alike.

use std::ops::Range;

use fastrand::Rng;
use tiny_skia::{
    Color, FillRule, GradientStop, LinearGradient, Paint, Path, PathBuilder, Pixmap, Point, Rect, Shader, SpreadMode,
    Transform,
};

use crate::draw::Octave;

/// Draws one motif.
type Motif = fn(&mut Canvas);

const MOTIFS: [Motif; 10] = [sea, mountains, city, forest, meadow, portrait, table, room, wall, bokeh];
const FAMILIES_PER_MOTIF: usize = 5;
const SCENES_PER_FAMILY: usize = 4;
/// The number of scenes.
pub(crate) const SCENES: usize = MOTIFS.len() * FAMILIES_PER_MOTIF * SCENES_PER_FAMILY;

/// The colors of a scene as `0xRRGGBB`: two of the sky or the wall, two of the ground, and one of
/// the subject. All motifs share them, so many scenes have the same colors.
const PALETTES: [[u32; 5]; 8] = [
    [0x3f_78b8, 0xb9_d7ea, 0x5b_7f8f, 0x2f_5a3c, 0xe8_e2d0],
    [0x2b_2d5b, 0xf0_8a4b, 0x7a_4456, 0x2a_2233, 0xff_d27a],
    [0x0a_1026, 0x27_3a63, 0x1a_2438, 0x0c_121c, 0xf2_c14e],
    [0x9f_b4b8, 0xdf_e4e2, 0x8a_9a94, 0x5d_6a62, 0xc2_4a3a],
    [0xe9_dcc3, 0xf5_efe2, 0xb0_8968, 0x6b_4a34, 0x3f_6f73],
    [0x58_9aa8, 0xcb_e3c9, 0x7d_a453, 0x3f_6b2a, 0xd9_3f5f],
    [0x77_5a8c, 0xe6_b3c4, 0x5f_5478, 0x33_2c46, 0xf7_f0d8],
    [0xc9_8f3f, 0xf2_d78a, 0xa0_5a2c, 0x5a_3418, 0x2e_4a6a],
];

/// A picture of the pixels that a camera would deliver, three bytes each.
#[derive(Clone)]
pub(crate) struct Scene {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) pixels: Vec<u8>,
}

/// Draws all scenes. The first scene of a family shares its composition with the second one, which
/// has other colors, its colors with the third one, which has another composition, and both with
/// the fourth one, which has another subject. Each seed gives other compositions and subjects.
pub(crate) fn all(seed: u64) -> impl Iterator<Item = Scene> {
    (0..SCENES).map(move |index| {
        let (family, member) = (index / SCENES_PER_FAMILY, index % SCENES_PER_FAMILY);
        let palette = (family * 3 + usize::from(member == 1) * 5) % PALETTES.len();
        // Neighboring seeds would begin with similar numbers.
        let random = |part: usize| Rng::with_seed(seed + (family * 10 + part) as u64).fork();
        let mut canvas = Canvas::new(
            [(480, 360), (360, 480), (420, 420)][family % 3],
            PALETTES[palette],
            random(usize::from(member == 2)),
            random(2 + usize::from(member == 3)),
        );
        MOTIFS[family / FAMILIES_PER_MOTIF](&mut canvas);
        canvas.photographed(seed + index as u64)
    })
}

/// A picture that is being drawn. Its width and its height are 1.
struct Canvas {
    pixmap: Pixmap,
    colors: [Color; 5],
    /// The random numbers of the composition.
    layout: Rng,
    /// The random numbers of the subject.
    subject: Rng,
}

/// Returns a random number of a range.
fn any(random: &mut Rng, range: Range<f32>) -> f32 {
    range.start + random.f32() * (range.end - range.start)
}

fn rect(x: f32, y: f32, width: f32, height: f32) -> Path {
    PathBuilder::from_rect(Rect::from_xywh(x, y, width, height).expect("the sides are positive"))
}

fn ellipse((x, y): (f32, f32), rx: f32, ry: f32) -> Path {
    let bounds = Rect::from_xywh(x - rx, y - ry, 2.0 * rx, 2.0 * ry).expect("the radii are positive");
    PathBuilder::from_oval(bounds).expect("the bounds have an area")
}

fn polygon(points: &[(f32, f32)]) -> Path {
    let mut path = PathBuilder::new();
    path.move_to(points[0].0, points[0].1);
    for &(x, y) in &points[1..] {
        path.line_to(x, y);
    }
    path.close();
    path.finish().expect("the points differ")
}

/// Returns the color at a part between 0 and 1 of the way between two colors.
fn mix(from: Color, to: Color, part: f32) -> Color {
    let channel = |from: f32, to: f32| (from + (to - from) * part).clamp(0.0, 1.0);
    let [red, green, blue] =
        [channel(from.red(), to.red()), channel(from.green(), to.green()), channel(from.blue(), to.blue())];
    Color::from_rgba(red, green, blue, 1.0).expect("the channels are between 0 and 1")
}

impl Canvas {
    fn new((width, height): (u32, u32), palette: [u32; 5], layout: Rng, subject: Rng) -> Self {
        let colors = palette.map(|color| {
            let [_, red, green, blue] = color.to_be_bytes();
            Color::from_rgba8(red, green, blue, 255)
        });
        Self { pixmap: Pixmap::new(width, height).expect("the sides are positive"), colors, layout, subject }
    }

    fn paint(&mut self, path: &Path, shader: Shader<'static>) {
        let (width, height) = (self.pixmap.width(), self.pixmap.height());
        #[expect(clippy::cast_precision_loss, reason = "the sides are small")]
        let scale = Transform::from_scale(width as f32, height as f32);
        self.pixmap.fill_path(path, &Paint { shader, ..Paint::default() }, FillRule::Winding, scale, None);
    }

    fn fill(&mut self, path: &Path, color: Color) {
        self.paint(path, Shader::SolidColor(color));
    }

    /// Fills a path with colors that change from its top to its bottom.
    fn fade(&mut self, path: &Path, top: Color, bottom: Color) {
        let bounds = path.bounds();
        let (from, to) = (Point::from_xy(0.0, bounds.top()), Point::from_xy(0.0, bounds.bottom()));
        let stops = vec![GradientStop::new(0.0, top), GradientStop::new(1.0, bottom)];
        let shader = LinearGradient::new(from, to, stops, SpreadMode::Pad, Transform::identity());
        self.paint(path, shader.expect("the height is positive"));
    }

    /// Fills what is below a line of random heights.
    fn ridge(&mut self, height: f32, roughness: f32, steps: u8, top: Color, bottom: Color) {
        let mut points = vec![(0.0, 1.0)];
        for step in 0..=steps {
            let x = f32::from(step) / f32::from(steps);
            points.push((x, height + any(&mut self.layout, -roughness..roughness)));
        }
        points.push((1.0, 1.0));
        self.fade(&polygon(&points), top, bottom);
    }

    /// Returns the picture with uneven light and the grain of a sensor.
    fn photographed(self, seed: u64) -> Scene {
        let mut random = Rng::with_seed(seed);
        let light = Octave::new(&mut random, 5, 8.0);
        let texture = Octave::new(&mut random, 90, 6.0);
        let (width, height) = (self.pixmap.width() as usize, self.pixmap.height() as usize);
        let mut pixels = Vec::with_capacity(width * height * 3);
        for (index, pixel) in self.pixmap.pixels().iter().enumerate() {
            let (x, y) = (index % width, index / width);
            let side = width.max(height);
            let noise = (random.f32() + random.f32() - 1.0) * 10.0 + texture.at(x, y, side, 0);
            for (channel, value) in [pixel.red(), pixel.green(), pixel.blue()].into_iter().enumerate() {
                let light = light.at(x, y, side, channel) + noise;
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
                pixels.push((f32::from(value) + light) as u8);
            }
        }
        Scene { width, height, pixels }
    }
}

/// The sky over water, the sun and a sailing boat.
fn sea(c: &mut Canvas) {
    let [high, low, far, near, accent] = c.colors;
    let horizon = any(&mut c.layout, 0.3..0.65);
    let sun = (any(&mut c.layout, 0.1..0.9), horizon - any(&mut c.layout, 0.05..0.25));
    c.fade(&rect(0.0, 0.0, 1.0, horizon), high, low);
    c.fill(&ellipse(sun, 0.05, 0.06), mix(low, accent, 0.8));
    c.fade(&rect(0.0, horizon, 1.0, 1.0 - horizon), far, near);
    for _ in 0..70 {
        let (x, y) = (any(&mut c.layout, -0.1..1.0), any(&mut c.layout, horizon..1.0));
        let length = 0.02 + 0.15 * (y - horizon);
        c.fill(&rect(x, y, length, length / 12.0), mix(far, low, 0.5));
    }
    let (x, size) = (any(&mut c.subject, 0.15..0.85), any(&mut c.subject, 0.08..0.2));
    let y = horizon + any(&mut c.subject, 0.05..0.25);
    c.fill(
        &polygon(&[(x - size, y), (x + size, y), (x + size * 0.6, y + size * 0.4), (x - size * 0.6, y + size * 0.4)]),
        near,
    );
    c.fill(&polygon(&[(x, y - size * 2.0), (x, y - 0.01), (x + size * 0.9, y - 0.01)]), accent);
}

/// Three ridges behind each other, and a few conifers.
fn mountains(c: &mut Canvas) {
    let [high, low, far, near, accent] = c.colors;
    c.fade(&rect(0.0, 0.0, 1.0, 1.0), high, low);
    let top = any(&mut c.layout, 0.25..0.5);
    c.ridge(top, 0.16, 7, mix(far, accent, 0.4), mix(far, low, 0.5));
    c.ridge(top + 0.2, 0.1, 9, far, mix(far, near, 0.5));
    c.ridge(top + 0.4, 0.06, 6, near, mix(near, far, 0.2));
    for _ in 0..c.subject.u8(2..6) {
        let (x, y) = (any(&mut c.subject, 0.05..0.95), any(&mut c.subject, 0.8..1.0));
        let size = any(&mut c.subject, 0.05..0.12);
        c.fill(&polygon(&[(x - size * 0.5, y), (x, y - size * 2.5), (x + size * 0.5, y)]), mix(near, high, 0.15));
    }
}

/// Houses with lit windows, and a tower.
fn city(c: &mut Canvas) {
    let [high, low, far, near, accent] = c.colors;
    c.fade(&rect(0.0, 0.0, 1.0, 1.0), high, low);
    let mut x = -any(&mut c.layout, 0.0..0.1);
    while x < 1.0 {
        let (width, top) = (any(&mut c.layout, 0.08..0.22), any(&mut c.layout, 0.25..0.75));
        let body = mix(far, near, c.layout.f32());
        c.fill(&rect(x, top, width, 1.0 - top), body);
        for row in 0..12_u8 {
            for column in 0..4_u8 {
                let (wx, wy) = (x + width * (0.1 + 0.22 * f32::from(column)), top + 0.03 + 0.06 * f32::from(row));
                if c.layout.u8(0..3) > 0 {
                    c.fill(&rect(wx, wy, width * 0.13, 0.03), mix(body, accent, 0.7));
                }
            }
        }
        x += width;
    }
    let (x, top) = (any(&mut c.subject, 0.1..0.9), any(&mut c.subject, 0.08..0.3));
    c.fill(&polygon(&[(x - 0.06, 1.0), (x - 0.015, top), (x + 0.015, top), (x + 0.06, 1.0)]), mix(near, high, 0.3));
    c.fill(&ellipse((x, top), 0.04, 0.03), accent);
}

/// Trunks and leaves, and a tent.
fn forest(c: &mut Canvas) {
    let [high, low, far, near, accent] = c.colors;
    c.fade(&rect(0.0, 0.0, 1.0, 1.0), low, far);
    let ground = any(&mut c.layout, 0.65..0.85);
    c.fade(&rect(0.0, ground, 1.0, 1.0 - ground), mix(near, low, 0.2), near);
    for depth in 0..14_u8 {
        let part = f32::from(depth) / 13.0;
        let (x, width) = (any(&mut c.layout, 0.0..1.0), 0.015 + 0.04 * part);
        c.fill(&rect(x, 0.0, width, ground + 0.15 * part), mix(mix(far, low, 0.5), mix(near, high, 0.2), part));
    }
    for _ in 0..60 {
        let at = (any(&mut c.layout, 0.0..1.0), any(&mut c.layout, 0.0..0.35));
        let color = mix(near, far, c.layout.f32());
        c.fill(&ellipse(at, 0.06, 0.035), color);
    }
    let (x, y, size) =
        (any(&mut c.subject, 0.15..0.85), ground + any(&mut c.subject, 0.05..0.15), any(&mut c.subject, 0.08..0.18));
    c.fill(&polygon(&[(x - size, y), (x, y - size * 1.2), (x + size, y)]), accent);
    c.fill(&polygon(&[(x - size * 0.2, y), (x, y - size), (x + size * 0.3, y)]), near);
}

/// Flowers below the sky, and a single tree.
fn meadow(c: &mut Canvas) {
    let [high, low, far, near, accent] = c.colors;
    c.fade(&rect(0.0, 0.0, 1.0, 1.0), high, low);
    let horizon = any(&mut c.layout, 0.35..0.6);
    c.ridge(horizon, 0.03, 4, mix(far, low, 0.2), near);
    for _ in 0..160 {
        let y = any(&mut c.layout, horizon + 0.06..1.0);
        let (x, size) = (any(&mut c.layout, 0.0..1.0), 0.004 + 0.025 * (y - horizon));
        let color = if c.layout.bool() { accent } else { mix(accent, low, 0.6) };
        c.fill(&ellipse((x, y), size, size), color);
    }
    let (x, size) = (any(&mut c.subject, 0.15..0.85), any(&mut c.subject, 0.1..0.22));
    c.fill(&rect(x - size * 0.08, horizon - size * 0.6, size * 0.16, size), mix(near, high, 0.3));
    for _ in 0..9 {
        let at = (x + any(&mut c.subject, -0.6..0.6) * size, horizon - size + any(&mut c.subject, -0.5..0.4) * size);
        let color = mix(near, far, c.subject.f32());
        c.fill(&ellipse(at, size * 0.4, size * 0.4), color);
    }
}

/// Blurred discs, and the head and the shoulders of a person.
fn portrait(c: &mut Canvas) {
    let [high, low, far, near, accent] = c.colors;
    c.fade(&rect(0.0, 0.0, 1.0, 1.0), high, mix(high, low, 0.6));
    for _ in 0..14 {
        let at = (any(&mut c.layout, 0.0..1.0), any(&mut c.layout, 0.0..1.0));
        let (color, size) = (mix(high, low, c.layout.f32()), any(&mut c.layout, 0.05..0.2));
        c.fill(&ellipse(at, size, size), color);
    }
    let (x, y) = (any(&mut c.layout, 0.35..0.65), any(&mut c.layout, 0.35..0.45));
    let skin = mix(Color::from_rgba8(120, 72, 50, 255), Color::from_rgba8(240, 200, 170, 255), c.subject.f32());
    let hair = [far, near, mix(near, accent, 0.4)][c.subject.usize(0..3)];
    let (wide, long) = (any(&mut c.subject, 0.13..0.17), any(&mut c.subject, 0.0..0.3));
    c.fill(&ellipse((x, y - 0.05 + long * 0.4), wide * 1.25, 0.22 + long * 0.5), hair);
    let (shoulders, clothes) = (any(&mut c.subject, 0.3..0.4), [accent, far][c.subject.usize(0..2)]);
    c.fill(&ellipse((x, y + 0.62), shoulders, 0.38), clothes);
    c.fill(&rect(x - 0.05, y + 0.1, 0.1, 0.17), mix(skin, near, 0.2));
    c.fade(&ellipse((x, y), wide, 0.2), skin, mix(skin, near, 0.15));
    for side in [-0.4, 0.4] {
        c.fill(&ellipse((x + side * wide, y - 0.02), 0.016, 0.014), near);
    }
    c.fill(&ellipse((x, y + 0.11), 0.04, 0.01), mix(skin, Color::from_rgba8(150, 30, 40, 255), 0.6));
}

/// Bottles, cups and fruit on a table.
fn table(c: &mut Canvas) {
    let [high, low, far, near, accent] = c.colors;
    let edge = any(&mut c.layout, 0.5..0.7);
    c.fade(&rect(0.0, 0.0, 1.0, 1.0), low, mix(low, high, 0.5));
    let window = any(&mut c.layout, 0.05..0.6);
    c.fill(&rect(window, 0.05, 0.3, edge - 0.2), mix(high, low, 0.2));
    c.fade(&rect(0.0, edge, 1.0, 1.0 - edge), far, near);
    for _ in 0..c.subject.u8(3..7) {
        let (x, y) = (any(&mut c.subject, 0.1..0.9), edge + any(&mut c.subject, 0.05..0.3));
        let color = [accent, mix(accent, near, 0.5), high, mix(high, accent, 0.5)][c.subject.usize(0..4)];
        let size = any(&mut c.subject, 0.05..0.1);
        match c.subject.u8(0..3) {
            0 => c.fade(&rect(x - size * 0.6, y - size * 4.0, size * 1.2, size * 4.0), color, mix(color, near, 0.4)),
            1 => c.fade(&rect(x - size, y - size * 1.8, size * 2.0, size * 1.8), color, mix(color, near, 0.4)),
            _ => c.fade(&ellipse((x, y - size), size, size), mix(color, low, 0.3), color),
        }
    }
}

/// A corner of a room with a picture, and a lamp.
fn room(c: &mut Canvas) {
    let [high, low, far, near, accent] = c.colors;
    let (x, y) = (any(&mut c.layout, 0.25..0.75), any(&mut c.layout, 0.6..0.75));
    c.fade(&rect(0.0, 0.0, x, 1.0), low, mix(low, high, 0.4));
    c.fade(&rect(x, 0.0, 1.0 - x, 1.0), mix(low, high, 0.4), high);
    c.fade(&polygon(&[(0.0, 1.0), (0.0, y + 0.2 * x), (x, y), (1.0, y + 0.2 * (1.0 - x)), (1.0, 1.0)]), far, near);
    let left = if x > 0.5 { x - 0.4 } else { x + 0.1 };
    c.fill(&rect(left, 0.15, 0.3, 0.25), near);
    c.fade(&rect(left + 0.02, 0.17, 0.26, 0.21), accent, far);
    let (x, height) = (any(&mut c.subject, 0.12..0.88), any(&mut c.subject, 0.3..0.6));
    let shade = any(&mut c.subject, 0.06..0.12);
    c.fill(&rect(x - 0.008, 0.9 - height, 0.016, height), near);
    c.fill(&ellipse((x, 0.9), shade, 0.025), near);
    let top = 0.9 - height;
    c.fill(
        &polygon(&[(x - shade, top), (x - shade * 0.5, top - 0.15), (x + shade * 0.5, top - 0.15), (x + shade, top)]),
        accent,
    );
}

/// A wall of bricks or planks, and a door.
fn wall(c: &mut Canvas) {
    let [high, low, far, near, accent] = c.colors;
    c.fill(&rect(0.0, 0.0, 1.0, 1.0), near);
    let (rows, columns) = (c.layout.u8(5..22), c.layout.u8(2..12));
    let (high_brick, wide) = (1.0 / f32::from(rows), 1.0 / f32::from(columns));
    for row in 0..rows {
        for column in 0..=columns {
            let shift = if row % 2 == 0 { 0.0 } else { wide / 2.0 };
            let (x, y) = (f32::from(column) * wide - shift, f32::from(row) * high_brick);
            let color = mix(far, low, c.layout.f32() * 0.7);
            c.fill(&rect(x, y, wide * 0.94, high_brick * 0.88), color);
        }
    }
    let (x, width, height) =
        (any(&mut c.subject, 0.1..0.6), any(&mut c.subject, 0.15..0.3), any(&mut c.subject, 0.4..0.7));
    c.fill(&rect(x - 0.02, 0.98 - height, width + 0.04, height + 0.02), high);
    c.fade(&rect(x, 1.0 - height, width, height), accent, mix(accent, near, 0.5));
}

/// Lights out of focus, and a leaf.
fn bokeh(c: &mut Canvas) {
    let [high, low, far, near, accent] = c.colors;
    let (top, bottom) = (mix(near, high, c.layout.f32()), mix(far, near, c.layout.f32()));
    c.fade(&rect(0.0, 0.0, 1.0, 1.0), top, bottom);
    for _ in 0..c.layout.u8(12..40) {
        let at = (any(&mut c.layout, 0.0..1.0), any(&mut c.layout, 0.0..1.0));
        let color = mix([high, low, far, accent][c.layout.usize(0..4)], near, any(&mut c.layout, 0.1..0.6));
        let size = any(&mut c.layout, 0.03..0.12);
        c.fill(&ellipse(at, size, size), color);
    }
    let (x, y, size) = (any(&mut c.subject, 0.3..0.7), any(&mut c.subject, 0.3..0.7), any(&mut c.subject, 0.2..0.35));
    let lean = any(&mut c.subject, -0.8..0.8) * size;
    c.fill(&polygon(&[(x - lean, y - size), (x + size * 0.35, y), (x + lean, y + size), (x - size * 0.35, y)]), accent);
}

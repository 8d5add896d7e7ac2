//! The canvas of the drawn pictures: fills and shapes with smooth edges, in units of which the
//! short side has 1000. It uses no function whose result differs between machines, such as a sine.

use tiny_skia::{
    BlendMode, Color, FillRule, FilterQuality, GradientStop, LineCap, LineJoin, LinearGradient, Paint, Path,
    PathBuilder, Pixmap, PixmapPaint, Point, RadialGradient, Rect, Shader, SpreadMode, Stroke, Transform,
};

use crate::sample::random::Random;

/// A color as `0xRRGGBB`.
pub(super) type Rgb = u32;

/// A point in units.
pub(super) type At = (f32, f32);

/// A picture that is being drawn.
pub(super) struct Canvas {
    /// The width in units.
    pub(super) w: f32,
    /// The height in units.
    pub(super) h: f32,
    pixmap: Pixmap,
    scale: f32,
    random: Random,
}

/// Returns a color with an opacity between 0 and 1.
pub(super) fn rgba(color: Rgb, opacity: f32) -> Color {
    let [_, r, g, b] = color.to_be_bytes();
    let mut rgba = Color::from_rgba8(r, g, b, 255);
    rgba.set_alpha(opacity.clamp(0.0, 1.0));
    rgba
}

/// Returns the color at a part between 0 and 1 of the way between two colors.
pub(super) fn mix(from: Rgb, to: Rgb, part: f32) -> Rgb {
    let ([_, fr, fg, fb], [_, tr, tg, tb]) = (from.to_be_bytes(), to.to_be_bytes());
    let channel = |from: u8, to: u8| (f32::from(from) + (f32::from(to) - f32::from(from)) * part) as u8;
    u32::from_be_bytes([0, channel(fr, tr), channel(fg, tg), channel(fb, tb)])
}

pub(super) fn solid(color: Rgb) -> Shader<'static> {
    clear(color, 1.0)
}

pub(super) fn clear(color: Rgb, opacity: f32) -> Shader<'static> {
    Shader::SolidColor(rgba(color, opacity))
}

/// Returns colors at equal distances between two points.
pub(super) fn gradient(from: At, to: At, colors: &[Color]) -> Shader<'static> {
    let last = (colors.len() - 1) as f32;
    let stops = colors.iter().enumerate().map(|(index, color)| GradientStop::new(index as f32 / last, *color));
    let (from, to) = (Point::from_xy(from.0, from.1), Point::from_xy(to.0, to.1));
    LinearGradient::new(from, to, stops.collect(), SpreadMode::Pad, Transform::identity()).expect("a gradient")
}

/// Returns opaque colors at equal distances between two heights.
pub(super) fn down(top: f32, bottom: f32, colors: &[Rgb]) -> Shader<'static> {
    let colors: Vec<Color> = colors.iter().map(|color| rgba(*color, 1.0)).collect();
    gradient((0.0, top), (0.0, bottom), &colors)
}

/// Returns colors at equal distances from a point outward.
pub(super) fn radial((x, y): At, radius: f32, colors: &[Color]) -> Shader<'static> {
    let last = (colors.len() - 1) as f32;
    let stops = colors.iter().enumerate().map(|(index, color)| GradientStop::new(index as f32 / last, *color));
    let center = Point::from_xy(x, y);
    RadialGradient::new(center, 0.0, center, radius, stops.collect(), SpreadMode::Pad, Transform::identity())
        .expect("a gradient")
}

pub(super) fn rect(x: f32, y: f32, w: f32, h: f32) -> Path {
    PathBuilder::from_rect(Rect::from_xywh(x, y, w.max(0.01), h.max(0.01)).expect("a rectangle"))
}

pub(super) fn ellipse(x: f32, y: f32, rx: f32, ry: f32) -> Path {
    PathBuilder::from_oval(Rect::from_xywh(x - rx, y - ry, 2.0 * rx, 2.0 * ry).expect("an oval")).expect("an oval")
}

pub(super) fn circle(x: f32, y: f32, r: f32) -> Path {
    ellipse(x, y, r, r)
}

pub(super) fn polygon(points: &[At]) -> Path {
    let mut path = lines(points);
    path.close();
    path.finish().expect("a polygon")
}

/// Returns an open line with corners.
pub(super) fn polyline(points: &[At]) -> Path {
    lines(points).finish().expect("a line")
}

fn lines(points: &[At]) -> PathBuilder {
    let mut path = PathBuilder::new();
    path.move_to(points[0].0, points[0].1);
    for point in &points[1..] {
        path.line_to(point.0, point.1);
    }
    path
}

/// Returns an open curve through points.
pub(super) fn curve(points: &[At]) -> Path {
    curves(points).finish().expect("a curve")
}

/// Returns a closed shape: a curve through points, and then corners.
pub(super) fn shape(points: &[At], corners: &[At]) -> Path {
    let mut path = curves(points);
    for point in corners {
        path.line_to(point.0, point.1);
    }
    path.close();
    path.finish().expect("a shape")
}

/// Returns a closed curve through points.
pub(super) fn blob(points: &[At]) -> Path {
    let around = [&points[points.len() - 1..], points, &points[..2]].concat();
    let mut path = PathBuilder::new();
    path.move_to(points[0].0, points[0].1);
    around.windows(4).for_each(|four| cubic(&mut path, four));
    path.close();
    path.finish().expect("a blob")
}

fn curves(points: &[At]) -> PathBuilder {
    let around = [&points[..1], points, &points[points.len() - 1..]].concat();
    let mut path = PathBuilder::new();
    path.move_to(points[0].0, points[0].1);
    around.windows(4).for_each(|four| cubic(&mut path, four));
    path
}

/// Adds the part between the second and the third of four points of a Catmull-Rom spline.
fn cubic(path: &mut PathBuilder, four: &[At]) {
    let [a, b, c, d] = [four[0], four[1], four[2], four[3]];
    let (out, back) =
        ((b.0 + (c.0 - a.0) / 6.0, b.1 + (c.1 - a.1) / 6.0), (c.0 - (d.0 - b.0) / 6.0, c.1 - (d.1 - b.1) / 6.0));
    path.cubic_to(out.0, out.1, back.0, back.1, c.0, c.1);
}

/// The points of a circle of the radius 1, at the angle 0 to 1 of a turn. A parabola approximates
/// the sine (by 0.001).
pub(super) fn turn(part: f32) -> At {
    let sine = |part: f32| {
        let x = part - part.floor();
        let half = if x < 0.5 { 8.0 * x * (1.0 - 2.0 * x) } else { -8.0 * (x - 0.5) * (2.0 - 2.0 * x) };
        half * (0.775 + 0.225 * half.abs())
    };
    (sine(part + 0.25), sine(part))
}

impl Canvas {
    /// Returns an empty canvas with these sides in pixels.
    pub(super) fn new(width: u32, height: u32, seed: u64) -> Self {
        let scale = width.min(height) as f32 / 1000.0;
        let pixmap = Pixmap::new(width, height).expect("a picture has pixels");
        Self { w: width as f32 / scale, h: height as f32 / scale, pixmap, scale, random: Random(seed) }
    }

    /// Returns the pixels as red, green, blue and opacity, which is 255 everywhere once the canvas
    /// is covered.
    pub(super) fn pixels(&self) -> &[u8] {
        self.pixmap.data()
    }

    /// Returns the width and the height in pixels.
    pub(super) fn size(&self) -> (u32, u32) {
        (self.pixmap.width(), self.pixmap.height())
    }

    /// Returns a random number of a range.
    pub(super) fn any(&mut self, from: f32, to: f32) -> f32 {
        from + (to - from) * self.random.below(1 << 20) as f32 / (1 << 20) as f32
    }

    pub(super) fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        *self.random.one_of(all)
    }

    pub(super) fn fill(&mut self, path: &Path, shader: Shader<'static>) {
        self.blend(path, shader, BlendMode::SourceOver);
    }

    /// Fills a path with light, which makes what is below brighter.
    pub(super) fn shine(&mut self, path: &Path, shader: Shader<'static>) {
        self.blend(path, shader, BlendMode::Screen);
    }

    fn blend(&mut self, path: &Path, shader: Shader<'static>, blend_mode: BlendMode) {
        let paint = Paint { shader, blend_mode, ..Paint::default() };
        self.pixmap.fill_path(path, &paint, FillRule::Winding, Transform::from_scale(self.scale, self.scale), None);
    }

    pub(super) fn stroke(&mut self, path: &Path, width: f32, shader: Shader<'static>) {
        let paint = Paint { shader, ..Paint::default() };
        let stroke = Stroke { width, line_cap: LineCap::Round, line_join: LineJoin::Round, ..Stroke::default() };
        self.pixmap.stroke_path(path, &paint, &stroke, Transform::from_scale(self.scale, self.scale), None);
    }

    /// Fills the whole canvas with colors from top to bottom.
    pub(super) fn sky(&mut self, colors: &[Rgb]) {
        self.band(0.0, self.h, colors);
    }

    /// Fills the width of the canvas with colors from one height to another one.
    pub(super) fn band(&mut self, top: f32, bottom: f32, colors: &[Rgb]) {
        self.fill(&rect(0.0, top, self.w, bottom - top), down(top, bottom, colors));
    }

    pub(super) fn disc(&mut self, (x, y): At, r: f32, color: Rgb) {
        self.fill(&circle(x, y, r), solid(color));
    }

    /// Lights the surroundings of a point.
    pub(super) fn glow(&mut self, (x, y): At, r: f32, color: Rgb, opacity: f32) {
        let colors = [1.0, 0.56, 0.3, 0.14, 0.05, 0.0].map(|part| rgba(color, opacity * part));
        self.shine(&circle(x, y, r), radial((x, y), r, &colors));
    }

    /// Covers a height with mist, which is thickest in its middle.
    pub(super) fn mist(&mut self, y: f32, height: f32, color: Rgb, opacity: f32) {
        let colors = [0.0, 0.3, 1.0, 0.3, 0.0].map(|part| rgba(color, opacity * part));
        let fill = gradient((0.0, y - height), (0.0, y + height), &colors);
        self.fill(&rect(0.0, y - height, self.w, 2.0 * height), fill);
    }

    pub(super) fn stars(&mut self, number: usize, bottom: f32) {
        for _ in 0..number {
            let (x, y, size) = (self.any(0.0, self.w), self.any(0.0, bottom), self.any(0.6, 2.2));
            let opacity = self.any(0.3, 1.0) * (1.0 - y / bottom * 0.7);
            self.fill(&circle(x, y, size), clear(0xff_ffff, opacity));
        }
    }

    /// Returns the line of a ridge around a height, as wide as the canvas: a point at each step,
    /// and `detail` times points between them.
    pub(super) fn ridge(&mut self, level: f32, amplitude: f32, step: f32, detail: u32) -> Vec<At> {
        let number = (self.w / step) as usize + 3;
        let shift = self.any(0.0, step);
        let mut points: Vec<At> =
            (0..number).map(|index| (index as f32 * step - shift, level + self.any(-amplitude, amplitude))).collect();
        let mut rough = amplitude / 2.5;
        for _ in 0..detail {
            let pairs: Vec<(At, At)> = points.windows(2).map(|pair| (pair[0], pair[1])).collect();
            let end = points[points.len() - 1];
            points = pairs
                .into_iter()
                .flat_map(|(a, b)| {
                    let middle = (f32::midpoint(a.0, b.0), f32::midpoint(a.1, b.1) + self.any(-rough, rough));
                    [a, middle]
                })
                .chain([end])
                .collect();
            rough /= 2.1;
        }
        points
    }

    /// Fills what is below a line, with rounded or sharp tops.
    pub(super) fn land(&mut self, line: &[At], is_round: bool, fill: Shader<'static>) {
        let (first, last) = (line[0], line[line.len() - 1]);
        let corners = [(last.0, self.h + 10.0), (first.0, self.h + 10.0)];
        let path = if is_round { shape(line, &corners) } else { polygon(&[line, &corners].concat()) };
        self.fill(&path, fill);
    }

    /// Draws a cloud of soft discs around a point.
    pub(super) fn cloud(&mut self, (x, y): At, size: f32, color: Rgb, opacity: f32) {
        for _ in 0..14 {
            let (dx, r) = (self.any(-1.0, 1.0), self.any(0.25, 0.5));
            let dy = self.any(-0.3, 0.12) * (1.0 - dx.abs());
            let at = (x + dx * size, y + dy * size);
            let r = r * size * (1.1 - 0.6 * dx.abs());
            let colors = [1.0, 0.9, 0.5, 0.15, 0.0].map(|part| rgba(color, opacity * part));
            self.fill(&ellipse(at.0, at.1, r, r * 0.62), radial(at, r * 0.95, &colors));
        }
    }

    /// Mirrors what is above a height downward, as still water does, and tints it.
    pub(super) fn mirror(&mut self, level: f32, tint: Rgb, opacity: f32) {
        let copy = self.pixmap.clone();
        let y = level * self.scale;
        let paint = PixmapPaint { quality: FilterQuality::Bilinear, ..PixmapPaint::default() };
        let flipped = Transform::from_row(1.0, 0.0, 0.0, -1.0, 0.0, 2.0 * y);
        let mut below = Pixmap::new(copy.width(), copy.height()).expect("a picture has pixels");
        below.draw_pixmap(0, 0, copy.as_ref(), &paint, flipped, None);
        let shader = tiny_skia::Pattern::new(
            below.as_ref(),
            SpreadMode::Pad,
            FilterQuality::Nearest,
            1.0,
            Transform::from_scale(1.0 / self.scale, 1.0 / self.scale),
        );
        let paint = Paint { shader, ..Paint::default() };
        let water = rect(0.0, level, self.w, self.h - level);
        self.pixmap.fill_path(&water, &paint, FillRule::Winding, Transform::from_scale(self.scale, self.scale), None);
        let deeper = gradient((0.0, level), (0.0, self.h), &[rgba(tint, opacity * 0.5), rgba(tint, opacity)]);
        self.fill(&water, deeper);
    }

    /// Draws short horizontal lights on water below a height, around `x`, wider towards the viewer.
    pub(super) fn glitter(&mut self, x: f32, (top, bottom): At, width: f32, color: Rgb, number: usize) {
        for _ in 0..number {
            let part = self.any(0.0, 1.0);
            let y = top + (bottom - top) * part * part;
            let near = (y - top) / (bottom - top);
            let spread = width * (0.25 + near);
            let dx = f32::midpoint(self.any(-1.0, 1.0), self.any(-1.0, 1.0));
            let long = self.any(6.0, 26.0) * (0.3 + 2.0 * near);
            let opacity = self.any(0.25, 0.9) * (1.0 - dx.abs());
            self.fill(&ellipse(x + dx * spread, y, long, 0.9 + 2.6 * near), clear(color, opacity));
        }
    }

    /// Darkens the corners a little, as a lens does.
    pub(super) fn vignette(&mut self) {
        let center = (self.w / 2.0, self.h / 2.0);
        let colors = [0.0, 0.0, 0.04, 0.22].map(|opacity| rgba(0x00_0008, opacity));
        self.fill(&rect(0.0, 0.0, self.w, self.h), radial(center, self.w.max(self.h) * 0.72, &colors));
    }
}

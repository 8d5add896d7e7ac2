//! Scenes of the land: deserts, mountains, woods and fields.

use tiny_skia::Path;

use super::canvas::{
    At, Canvas, Rgb, blob, clear, curve, down, ellipse, gradient, mix, polygon, polyline, radial, rect, rgba, shape,
    solid, turn,
};

/// Dunes in a low sun. Colors: three of the sky, the sun, and the lit and the dark side of the
/// dunes, far and near.
pub(super) fn dunes(c: &mut Canvas, p: &[Rgb]) {
    let (w, h) = (c.w, c.h);
    c.sky(&[p[0], p[1], p[2], p[2]]);
    let sun = (w * 0.24, h * 0.3);
    c.glow(sun, h * 0.6, p[3], 0.75);
    c.disc(sun, h * 0.055, p[3]);
    for layer in 0..6 {
        let near = layer as f32 / 5.0;
        let level = h * (0.44 + 0.105 * layer as f32);
        let crest = (w * c.any(0.2, 0.8), level - h * (0.06 + 0.05 * near));
        let (left, right) = (level + h * c.any(0.0, 0.06), level + h * c.any(0.02, 0.08));
        let swing = h * 0.03;
        let line = [
            (-w * 0.1, left),
            (crest.0 * 0.55, f32::midpoint(left, crest.1) + swing),
            crest,
            (f32::midpoint(crest.0, w), crest.1 + (right - crest.1) * 0.35),
            (w * 1.1, right),
        ];
        let (lit, dark) = (mix(p[4], p[6], near), mix(p[5], p[7], near));
        c.land(&line, true, down(crest.1, h, &[lit, mix(lit, dark, 0.55)]));
        // The shaded side begins at the crest, and its edge winds down.
        let foot = crest.0 - w * c.any(0.0, 0.12);
        let edge = [
            (foot, h * 1.05),
            (foot + w * 0.07, f32::midpoint(crest.1, h) + h * 0.08),
            (crest.0 - w * 0.02, crest.1 + h * 0.09),
            (crest.0 + w * 0.005, crest.1 + h * 0.012),
            crest,
            line[3],
            line[4],
        ];
        let shade = gradient((crest.0, 0.0), (w, 0.0), &[rgba(dark, 0.95), rgba(mix(dark, lit, 0.4), 0.85)]);
        c.fill(&shape(&edge, &[(w * 1.1, h * 1.05)]), shade);
    }
    c.mist(h * 0.47, h * 0.09, p[2], 0.45);
}

/// A cactus in front of flat mountains. Colors: three of the sky, the sun, the mountains, the
/// ground, the cactus and its light.
pub(super) fn cactus(c: &mut Canvas, p: &[Rgb]) {
    let (w, h) = (c.w, c.h);
    c.sky(&[p[0], p[1], p[2], p[2]]);
    let sun = (w * 0.32, h * 0.5);
    c.glow(sun, h * 0.5, p[3], 0.7);
    c.disc(sun, h * 0.085, p[3]);
    for layer in 0..3 {
        let color = mix(p[2], p[4], 0.35 + 0.3 * layer as f32);
        let mut x = -w * c.any(0.0, 0.2);
        while x < w {
            let (long, high) = (w * c.any(0.14, 0.3), h * c.any(0.05, 0.13) * (1.3 - 0.25 * layer as f32));
            let (top, bottom) = (h * (0.58 + 0.045 * layer as f32) - high, h * 0.8);
            let slope = high * 0.5;
            c.fill(
                &polygon(&[
                    (x, bottom),
                    (x + slope * 0.6, top + high * 0.55),
                    (x + slope, top),
                    (x + long, top + high * 0.06),
                    (x + long + slope * 0.5, top + high * 0.6),
                    (x + long + slope * 1.6, bottom),
                ]),
                down(top, h * 0.75, &[mix(color, p[3], 0.12), color]),
            );
            x += long * c.any(0.9, 1.7);
        }
    }
    let ground = c.ridge(h * 0.72, h * 0.012, w * 0.2, 2);
    c.land(&ground, true, down(h * 0.7, h, &[p[5], mix(p[5], 0x00_0000, 0.45)]));
    for _ in 0..60 {
        let (x, part) = (c.any(0.0, w), c.any(0.0, 1.0));
        let (y, size) = (h * (0.75 + 0.24 * part * part), 3.0 + 16.0 * part * part);
        let color = mix(p[5], 0x00_0000, c.any(0.2, 0.55));
        c.fill(&ellipse(x, y, size, size * 0.55), solid(color));
    }
    for (x, foot, size) in [(0.87, 0.75, 0.26), (0.13, 0.77, 0.34), (0.66, 0.93, 0.95)] {
        saguaro(c, (w * x, h * foot), h * 0.66 * size, p);
    }
    c.vignette();
}

fn saguaro(c: &mut Canvas, (x, foot): At, size: f32, p: &[Rgb]) {
    let thick = size * 0.15;
    c.fill(&ellipse(x + size * 0.16, foot, size * 0.34, size * 0.028), clear(0x00_0000, 0.28));
    let arms: [&[At]; 3] = [
        &[(x, foot - thick * 0.2), (x, foot - size)],
        &[
            (x, foot - size * 0.36),
            (x - size * 0.22, foot - size * 0.38),
            (x - size * 0.24, foot - size * 0.5),
            (x - size * 0.24, foot - size * 0.72),
        ],
        &[
            (x, foot - size * 0.5),
            (x + size * 0.2, foot - size * 0.52),
            (x + size * 0.22, foot - size * 0.62),
            (x + size * 0.22, foot - size * 0.84),
        ],
    ];
    for (index, arm) in arms.iter().enumerate().rev() {
        let width = if index == 0 { thick } else { thick * 0.72 };
        let path = curve(arm);
        c.stroke(
            &path,
            width,
            gradient(
                (x - size * 0.3, 0.0),
                (x + size * 0.3, 0.0),
                &[rgba(p[7], 1.0), rgba(p[6], 1.0), rgba(mix(p[6], 0x00_0000, 0.4), 1.0)],
            ),
        );
        for rib in [-0.3, -0.1, 0.12, 0.32] {
            let line: Vec<At> = arm.iter().map(|at| (at.0 + rib * width, at.1)).collect();
            c.stroke(&curve(&line), size * 0.006, clear(mix(p[6], 0x00_0000, 0.55), 0.55));
        }
    }
}

/// Conifers in fog. Colors: the light above and below, the far and the near trees.
pub(super) fn forest(c: &mut Canvas, p: &[Rgb]) {
    let (w, h) = (c.w, c.h);
    c.sky(&[p[0], p[1], p[1]]);
    c.glow((w * 0.6, h * 0.2), h * 0.7, p[1], 0.8);
    for layer in 0..6 {
        let near = layer as f32 / 5.0;
        let color = mix(p[2], p[3], near * near);
        let level = h * (0.5 + 0.12 * layer as f32);
        let line = c.ridge(level, h * 0.035, w * 0.3, 2);
        c.land(&line, true, solid(color));
        let size = h * (0.12 + 0.42 * near * near);
        let mut x = -size * 0.2;
        while x < w + size * 0.2 {
            let foot = line.iter().min_by(|a, b| (a.0 - x).abs().total_cmp(&(b.0 - x).abs())).map_or(level, |at| at.1);
            let tall = size * c.any(0.65, 1.2);
            let tree = conifer(c, (x, foot + tall * 0.06), tall);
            c.fill(&tree, solid(color));
            x += size * c.any(0.16, 0.5) * (1.0 + near);
        }
        if layer < 5 {
            c.mist(level + h * 0.07, h * 0.16, p[1], 0.85 - 0.45 * near);
        }
    }
    c.vignette();
}

/// Returns the outline of a conifer, with branches of random lengths.
pub(super) fn conifer(c: &mut Canvas, (x, foot): At, tall: f32) -> Path {
    let tiers = 9;
    let (mut left, mut right) = (vec![(x, foot - tall)], vec![]);
    for tier in 1..=tiers {
        let part = tier as f32 / tiers as f32;
        let y = foot - tall * (1.0 - part * 0.92);
        let reach = tall * 0.2 * part;
        let (a, b) = (c.any(0.75, 1.15), c.any(0.75, 1.15));
        left.extend([(x - reach * a, y + tall * 0.02), (x - reach * 0.42, y)]);
        right.extend([(x + reach * b, y + tall * 0.02), (x + reach * 0.42, y)]);
    }
    left.extend([
        (x - tall * 0.018, foot - tall * 0.08),
        (x - tall * 0.018, foot),
        (x + tall * 0.018, foot),
        (x + tall * 0.018, foot - tall * 0.08),
    ]);
    right.reverse();
    // The reversed side needs the inner point of each tier after the outer one.
    left.extend(right);
    polygon(&left)
}

/// An aurora above snowy mountains. Colors: three of the night, two of the light, the snow and its
/// shade.
pub(super) fn aurora(c: &mut Canvas, p: &[Rgb]) {
    let (w, h) = (c.w, c.h);
    c.sky(&[p[0], p[1], p[2]]);
    c.stars(260, h * 0.7);
    for band in 0..3 {
        let level = h * (0.34 + 0.13 * band as f32);
        let line = c.ridge(level, h * 0.09, w * 0.24, 4);
        let tall = h * c.any(0.3, 0.42);
        let mut strength = 0.4;
        for pair in line.windows(2) {
            let ((ax, ay), (bx, by)) = (pair[0], pair[1]);
            let steps = 3;
            for step in 0..steps {
                let part = step as f32 / steps as f32;
                let (x, y) = (ax + (bx - ax) * part, ay + (by - ay) * part);
                strength = (strength + c.any(-0.13, 0.13)).clamp(0.12, 0.62);
                let up = tall * c.any(0.75, 1.1);
                let (low, high) = (p[3], p[4]);
                let fill = gradient(
                    (0.0, y - up),
                    (0.0, y + h * 0.03),
                    &[
                        rgba(high, 0.0),
                        rgba(high, strength * 0.5),
                        rgba(low, strength),
                        rgba(low, strength * 1.1),
                        rgba(low, 0.0),
                    ],
                );
                let wide = (bx - ax) / steps as f32;
                c.shine(&rect(x, y - up, wide + 0.6, up + h * 0.03), fill);
            }
        }
    }
    c.glow((w * 0.5, h * 0.72), w * 0.6, p[3], 0.3);
    let far = c.ridge(h * 0.7, h * 0.05, w * 0.16, 4);
    c.land(&far, false, down(h * 0.62, h * 0.85, &[mix(p[5], p[2], 0.25), mix(p[6], p[2], 0.4)]));
    peaks(c, h * 0.72, h * 0.1, p[6], p[5]);
    let ground = c.ridge(h * 0.84, h * 0.012, w * 0.3, 3);
    c.land(&ground, true, down(h * 0.82, h, &[mix(p[5], p[3], 0.25), p[6]]));
    for _ in 0..26 {
        let (x, part) = (c.any(0.0, w), c.any(0.0, 1.0));
        if (x - w * 0.5).abs() < w * 0.16 * part {
            continue;
        }
        let tree = conifer(c, (x, h * (0.86 + 0.12 * part)), h * (0.06 + 0.14 * part));
        c.fill(&tree, solid(mix(p[0], 0x00_0000, 0.35)));
    }
}

/// Draws a range of mountains with lit sides to the left.
fn peaks(c: &mut Canvas, level: f32, amplitude: f32, dark: Rgb, light: Rgb) {
    let line = c.ridge(level, amplitude, c.w * 0.17, 4);
    c.land(&line, false, down(level - amplitude * 1.5, level + amplitude * 2.2, &[mix(dark, light, 0.12), dark]));
    for at in line.windows(3).filter(|three| three[1].1 < three[0].1 && three[1].1 < three[2].1 && three[1].1 < level) {
        let (x, y) = at[1];
        let size = (level + amplitude - y) * 0.85;
        let mut edge = vec![(x, y)];
        let (mut left, mut inside) = (vec![], vec![]);
        for step in 1..6 {
            let part = step as f32 / 5.0;
            left.push((
                x - size * 0.75 * part + c.any(-0.03, 0.03) * size,
                y + size * part * 0.9 + c.any(0.0, 0.05) * size,
            ));
            inside.push((x + size * c.any(-0.14, 0.13) * part, y + size * part * c.any(0.8, 1.0)));
        }
        edge.extend(inside);
        left.reverse();
        edge.extend(left);
        c.fill(&polygon(&edge), gradient((0.0, y), (0.0, y + size), &[rgba(light, 0.95), rgba(light, 0.0)]));
    }
}

/// Mountains that a lake mirrors. Colors: two of the sky, the mountains and their light, the wood,
/// the water.
pub(super) fn lake(c: &mut Canvas, p: &[Rgb]) {
    let (w, h) = (c.w, c.h);
    c.sky(&[p[0], p[1], p[1]]);
    for _ in 0..5 {
        let at = (c.any(0.0, w), h * c.any(0.06, 0.26));
        let size = w * c.any(0.05, 0.12);
        c.cloud(at, size, 0xff_ffff, 0.55);
    }
    let shore = h * 0.58;
    let far = c.ridge(h * 0.42, h * 0.06, w * 0.2, 4);
    c.land(&far, false, solid(mix(p[1], p[2], 0.45)));
    c.mist(h * 0.5, h * 0.09, p[1], 0.6);
    peaks(c, h * 0.4, h * 0.2, p[2], p[3]);
    c.mist(h * 0.57, h * 0.07, p[1], 0.5);
    for layer in 0..2 {
        let color = mix(mix(p[4], p[1], 0.3), p[4], layer as f32);
        let mut x = 0.0;
        while x < w {
            let tall = h * c.any(0.05, 0.09) * (1.0 + 0.4 * layer as f32);
            let tree = conifer(c, (x, shore + 2.0), tall);
            c.fill(&tree, solid(color));
            x += tall * c.any(0.16, 0.5);
        }
        c.fill(&rect(0.0, shore - h * 0.012, w, h * 0.014), solid(color));
    }
    c.mirror(shore, p[5], 0.75);
    for _ in 0..40 {
        let (x, part) = (c.any(0.0, w), c.any(0.0, 1.0));
        let y = shore + (h - shore) * part * part;
        let wide = w * c.any(0.03, 0.12);
        c.fill(&ellipse(x, y, wide, 0.7 + 1.6 * part), clear(p[1], 0.22));
    }
    // Stones in the foreground.
    for _ in 0..13 {
        let (x, size) = (c.any(-0.02, 1.02) * w, c.any(0.02, 0.06) * w);
        let y = h * c.any(0.965, 1.03);
        let outline: Vec<At> = (0..9)
            .map(|n| {
                let (cos, sin) = turn(n as f32 / 9.0);
                let r = size * c.any(0.85, 1.1);
                (x + cos * r, y + sin * r * 0.62)
            })
            .collect();
        let color = mix(p[2], 0x10_1418, c.any(0.2, 0.7));
        c.fill(&blob(&outline), down(y - size * 0.6, y + size * 0.5, &[mix(color, p[1], 0.35), color]));
    }
    c.vignette();
}

/// Fields from above. Colors: six of the fields, the road, the river, the trees.
pub(super) fn fields(c: &mut Canvas, p: &[Rgb]) {
    let (w, h) = (c.w, c.h);
    c.sky(&[p[0], p[0]]);
    let (columns, rows) = ((w / 230.0) as usize, (h / 190.0) as usize);
    let (cw, rh) = (w * 1.3 / columns as f32, h * 1.3 / rows as f32);
    let grid: Vec<Vec<At>> = (0..=rows)
        .map(|row| {
            (0..=columns)
                .map(|column| {
                    let (x, y) = (column as f32 * cw - w * 0.15, row as f32 * rh - h * 0.15);
                    // The whole grid is turned a little.
                    (
                        x + 0.18 * (y - h / 2.0) + c.any(-0.2, 0.2) * cw,
                        y - 0.14 * (x - w / 2.0) + c.any(-0.17, 0.17) * rh,
                    )
                })
                .collect()
        })
        .collect();
    for row in 0..rows {
        for column in 0..columns {
            let [a, b, d, e] =
                [grid[row][column], grid[row][column + 1], grid[row + 1][column + 1], grid[row + 1][column]];
            let color = c.one_of(&p[..6]);
            c.fill(
                &polygon(&[a, b, d, e]),
                gradient(a, d, &[rgba(mix(color, 0xff_ffff, 0.08), 1.0), rgba(mix(color, 0x00_0000, 0.1), 1.0)]),
            );
            let between =
                |from: At, to: At, part: f32| (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part);
            let number = c.one_of(&[0_usize, 14, 22, 30]);
            let is_upright = c.any(0.0, 1.0) < 0.5;
            for furrow in 1..number {
                let part = furrow as f32 / number as f32;
                let (from, to) = if is_upright {
                    (between(a, b, part), between(e, d, part))
                } else {
                    (between(a, e, part), between(b, d, part))
                };
                c.stroke(&polyline(&[from, to]), 2.4, clear(mix(color, 0x10_1800, 0.45), 0.4));
            }
            c.stroke(&polygon(&[a, b, d, e]), 5.0, clear(mix(p[8], color, 0.35), 0.9));
        }
    }
    let bend = c.any(0.3, 0.6);
    let river: Vec<At> = (0..9)
        .map(|n| (w * (bend + 0.2 * turn(n as f32 / 7.0).1 - 0.1 + 0.02 * n as f32), h * (n as f32 / 7.0 - 0.07)))
        .collect();
    c.stroke(&curve(&river), 62.0, solid(mix(p[8], p[0], 0.3)));
    c.stroke(&curve(&river), 44.0, solid(p[7]));
    c.stroke(&curve(&river), 16.0, clear(mix(p[7], 0xff_ffff, 0.35), 0.6));
    let road = [(-20.0, h * 0.2), (w * 0.3, h * 0.36), (w * 0.68, h * 0.46), (w + 20.0, h * 0.86)];
    c.stroke(&curve(&road), 22.0, solid(mix(p[6], 0x00_0000, 0.25)));
    c.stroke(&curve(&road), 16.0, solid(p[6]));
    for pair in river.windows(2) {
        for _ in 0..9 {
            let (part, side) = (c.any(0.0, 1.0), c.one_of(&[-1.0, 1.0]) * c.any(34.0, 62.0));
            tree_from_above(
                c,
                (pair[0].0 + (pair[1].0 - pair[0].0) * part + side, pair[0].1 + (pair[1].1 - pair[0].1) * part),
                p[8],
            );
        }
    }
    for _ in 0..24 {
        let row = c.one_of(&grid[1..rows].iter().collect::<Vec<_>>());
        let at = c.one_of(row);
        let at = (at.0 + c.any(-60.0, 60.0), at.1 + c.any(-20.0, 20.0));
        tree_from_above(c, at, p[8]);
    }
    for (x, y) in [(0.74, 0.36), (0.79, 0.4), (0.14, 0.38)] {
        let (x, y) = (w * x, h * y);
        c.fill(&rect(x + 8.0, y + 10.0, 52.0, 34.0), clear(0x00_0000, 0.3));
        c.fill(&rect(x, y, 52.0, 17.0), solid(0xb0_5a44));
        c.fill(&rect(x, y + 17.0, 52.0, 17.0), solid(0x8a_4032));
    }
    c.vignette();
}

fn tree_from_above(c: &mut Canvas, (x, y): At, color: Rgb) {
    let r = c.any(8.0, 17.0);
    c.fill(&ellipse(x + r * 0.5, y + r * 0.55, r, r), clear(0x00_0000, 0.28));
    c.disc((x, y), r, color);
    c.fill(&ellipse(x - r * 0.25, y - r * 0.28, r * 0.55, r * 0.5), clear(mix(color, 0xff_ff90, 0.45), 0.6));
}

/// A cabin in the snow. Colors: three of the sky, the far and the near snow, the wood, the light of
/// the window.
pub(super) fn snow(c: &mut Canvas, p: &[Rgb]) {
    let (w, h) = (c.w, c.h);
    c.sky(&[p[0], p[1], p[2]]);
    c.stars(120, h * 0.45);
    peaks(c, h * 0.5, h * 0.12, mix(p[1], p[3], 0.3), p[3]);
    for layer in 0..3 {
        let level = h * (0.58 + 0.1 * layer as f32);
        let line = c.ridge(level, h * 0.025, w * 0.35, 1);
        let color = mix(p[3], p[4], layer as f32 / 2.0);
        for _ in 0..14 - 3 * layer {
            let (x, tall) = (c.any(0.0, w), h * c.any(0.09, 0.15) * (1.0 + 0.5 * layer as f32));
            if layer == 2 && (x - w * 0.5).abs() < w * 0.25 {
                continue;
            }
            snowy_conifer(c, (x, level + h * 0.03), tall, mix(p[5], p[1], 0.5 - 0.2 * layer as f32), color);
        }
        c.land(&line, true, down(level - h * 0.03, level + h * 0.3, &[color, mix(color, p[1], 0.35)]));
    }
    let (x, y, size) = (w * 0.5, h * 0.78, h.min(w) * 0.24);
    c.glow((x, y - size * 0.2), size * 2.2, p[6], 0.55);
    c.fill(&rect(x + size * 0.22, y - size * 0.98, size * 0.13, size * 0.5), solid(mix(p[5], 0x00_0000, 0.3)));
    c.fill(&rect(x + size * 0.2, y - size * 1.0, size * 0.17, size * 0.05), solid(p[4]));
    for puff in 0..7 {
        let up = puff as f32;
        c.cloud(
            (x + size * (0.29 + 0.07 * up), y - size * (1.1 + 0.17 * up)),
            size * (0.07 + 0.035 * up),
            p[4],
            0.22 - 0.02 * up,
        );
    }
    c.fill(
        &polygon(&[
            (x - size * 0.62, y),
            (x - size * 0.62, y - size * 0.42),
            (x, y - size * 0.85),
            (x + size * 0.62, y - size * 0.42),
            (x + size * 0.62, y),
        ]),
        solid(p[5]),
    );
    for log in 1..6 {
        let at = y - size * 0.075 * log as f32;
        c.stroke(&polyline(&[(x - size * 0.61, at), (x + size * 0.61, at)]), size * 0.012, clear(0x00_0000, 0.35));
    }
    c.stroke(
        &polyline(&[(x - size * 0.78, y - size * 0.34), (x, y - size * 0.88), (x + size * 0.78, y - size * 0.34)]),
        size * 0.11,
        solid(p[4]),
    );
    for (dx, wide, tall) in [(-0.42, 0.24, 0.24), (0.18, 0.24, 0.24)] {
        let (left, top) = (x + size * dx, y - size * 0.38);
        c.fill(
            &rect(left, top, size * wide, size * tall),
            down(top, top + size * tall, &[mix(p[6], 0xff_ffff, 0.5), p[6]]),
        );
        c.fill(&rect(left + size * wide * 0.46, top, size * 0.018, size * tall), solid(p[5]));
        c.fill(&rect(left, top + size * tall * 0.46, size * wide, size * 0.018), solid(p[5]));
    }
    c.fill(&rect(x - size * 0.09, y - size * 0.36, size * 0.19, size * 0.36), solid(mix(p[5], 0x00_0000, 0.45)));
    let front = [
        (-20.0, y + h * 0.02),
        (w * 0.3, y - h * 0.012),
        (w * 0.55, y - h * 0.004),
        (w * 0.8, y + h * 0.012),
        (w + 20.0, y - h * 0.015),
    ];
    c.land(&front, true, down(y, h, &[p[4], mix(p[4], p[1], 0.45)]));
    c.fill(
        &ellipse(x, y + size * 0.2, size * 0.7, size * 0.16),
        radial((x, y + size * 0.2), size * 0.7, &[rgba(p[6], 0.45), rgba(p[6], 0.0)]),
    );
    for (at, tall) in [(0.09, 0.42), (0.24, 0.3), (0.9, 0.48), (0.77, 0.27)] {
        snowy_conifer(c, (w * at, y + h * 0.08 + h * 0.06 * tall), h * tall, mix(p[5], p[0], 0.6), p[4]);
    }
    for _ in 0..190 {
        let (at, size) = ((c.any(0.0, w), c.any(0.0, h)), c.any(1.2, 5.5));
        let opacity = c.any(0.35, 0.9);
        c.fill(&ellipse(at.0, at.1, size, size), clear(0xff_ffff, opacity));
    }
}

fn snowy_conifer(c: &mut Canvas, (x, foot): At, tall: f32, color: Rgb, snow: Rgb) {
    c.fill(&rect(x - tall * 0.025, foot - tall * 0.12, tall * 0.05, tall * 0.14), solid(mix(color, 0x20_1008, 0.6)));
    for tier in (0..5).rev() {
        let part = tier as f32 / 4.0;
        let (top, low, reach) =
            (foot - tall * (1.0 - part * 0.62), foot - tall * (0.74 - part * 0.64), tall * (0.1 + 0.15 * part));
        c.fill(
            &shape(&[(x - reach, low), (x, low + tall * 0.035), (x + reach, low)], &[(x, top)]),
            down(top, low, &[mix(color, snow, 0.1), color]),
        );
        let cap = [
            (x - reach * 0.86, low - tall * 0.03),
            (x - reach * 0.35, low - tall * 0.075),
            (x - reach * 0.1, low - tall * 0.04),
            (x + reach * 0.25, low - tall * 0.08),
            (x + reach * 0.6, low - tall * 0.055),
        ];
        c.fill(&shape(&cap, &[(x, top - tall * 0.01)]), clear(snow, 0.92));
    }
}

/// Rows of tulips and a windmill. Colors: two of the sky, four of the tulips, the mill, the leaves.
pub(super) fn tulips(c: &mut Canvas, p: &[Rgb]) {
    let (w, h) = (c.w, c.h);
    let horizon = h * 0.5;
    c.sky(&[p[0], p[1], p[1]]);
    for _ in 0..7 {
        let at = (c.any(0.0, w), h * c.any(0.08, 0.36));
        let size = w * c.any(0.06, 0.13);
        c.cloud(at, size, 0xff_ffff, 0.6);
    }
    let trees = c.ridge(horizon - h * 0.012, h * 0.012, w * 0.04, 2);
    c.land(&trees, true, solid(mix(p[7], p[1], 0.45)));
    c.band(horizon, h, &[mix(p[7], p[1], 0.25), p[7]]);
    // All rows meet at one point of the horizon.
    let (vanishing, number) = (w * 0.62, 22);
    for row in 0..number {
        let color = p[2 + row % 4];
        let foot = |part: f32| vanishing + (part / number as f32 - 0.5) * w * 4.4;
        let (left, right) = (foot(row as f32 + 0.12), foot(row as f32 + 0.84));
        let middle = f32::midpoint(left, right);
        let wedge = polygon(&[(vanishing - 0.3, horizon), (left, h), (right, h), (vanishing + 0.3, horizon)]);
        c.fill(&wedge, down(horizon, h, &[mix(color, p[1], 0.35), color, mix(color, 0x00_0000, 0.12)]));
        for _ in 0..130 {
            let part = c.any(0.03, 1.0);
            let part = part * part;
            let (y, side) = (horizon + (h - horizon) * part, c.any(-0.46, 0.46));
            let x = vanishing + (middle + (right - left) * side - vanishing) * part;
            let r = 1.0 + 17.0 * part;
            if x < -r || x > w + r || part < 0.012 {
                continue;
            }
            let tone = mix(color, c.one_of(&[0xff_ffff, 0x40_0010]), c.any(0.02, 0.24));
            let head = shape(
                &[
                    (x - r * 0.5, y - r * 0.8),
                    (x - r * 0.56, y),
                    (x, y + r * 0.5),
                    (x + r * 0.56, y),
                    (x + r * 0.5, y - r * 0.8),
                ],
                &[(x + r * 0.22, y - r * 0.42), (x, y - r * 0.95), (x - r * 0.22, y - r * 0.42)],
            );
            c.fill(&head, solid(tone));
        }
    }
    let (x, size) = (w * 0.3, h * 0.3);
    let body = [
        (x - size * 0.2, horizon + size * 0.04),
        (x - size * 0.115, horizon - size * 0.62),
        (x + size * 0.115, horizon - size * 0.62),
        (x + size * 0.2, horizon + size * 0.04),
    ];
    c.fill(
        &polygon(&body),
        gradient(
            (x - size * 0.2, 0.0),
            (x + size * 0.2, 0.0),
            &[rgba(mix(p[6], 0xff_ffff, 0.25), 1.0), rgba(p[6], 1.0), rgba(mix(p[6], 0x00_0000, 0.4), 1.0)],
        ),
    );
    c.fill(
        &shape(
            &[
                (x - size * 0.14, horizon - size * 0.6),
                (x - size * 0.1, horizon - size * 0.72),
                (x, horizon - size * 0.78),
                (x + size * 0.1, horizon - size * 0.72),
                (x + size * 0.14, horizon - size * 0.6),
            ],
            &[],
        ),
        solid(mix(p[6], 0x00_0000, 0.55)),
    );
    c.fill(&rect(x - size * 0.26, horizon - size * 0.3, size * 0.52, size * 0.025), solid(mix(p[6], 0x00_0000, 0.5)));
    c.fill(&rect(x - size * 0.04, horizon - size * 0.13, size * 0.08, size * 0.17), solid(mix(p[6], 0x00_0000, 0.6)));
    let hub = (x, horizon - size * 0.66);
    for blade in 0..4 {
        let (cos, sin) = turn(blade as f32 / 4.0 + 0.07);
        let at = |along: f32, across: f32| {
            (hub.0 + (cos * along - sin * across) * size, hub.1 + (sin * along + cos * across) * size)
        };
        c.fill(&polygon(&[at(0.1, 0.0), at(0.62, 0.0), at(0.62, 0.11), at(0.1, 0.09)]), clear(0xf4_ead6, 0.9));
        for bar in 0..9 {
            let along = 0.1 + 0.065 * bar as f32;
            c.stroke(&polyline(&[at(along, 0.0), at(along, 0.105)]), size * 0.007, solid(mix(p[6], 0x00_0000, 0.6)));
        }
        c.stroke(&polyline(&[at(0.0, 0.0), at(0.64, 0.0)]), size * 0.022, solid(mix(p[6], 0x00_0000, 0.65)));
    }
    c.disc(hub, size * 0.03, mix(p[6], 0x00_0000, 0.7));
    c.vignette();
}

/// Leaves, close up. Colors: the ground, four of the leaves, the veins.
pub(super) fn leaves(c: &mut Canvas, p: &[Rgb]) {
    let (w, h) = (c.w, c.h);
    c.sky(&[p[0], mix(p[0], 0x00_0000, 0.5)]);
    for layer in 0..4 {
        let near = layer as f32 / 3.0;
        for _ in 0..13 {
            let size = (260.0 + 190.0 * near) * c.any(0.75, 1.2);
            let at = (c.any(-0.05, 1.05) * w, c.any(-0.05, 1.05) * h);
            let direction = turn(c.any(0.0, 1.0));
            let color = mix(mix(p[0], c.one_of(&p[1..5]), 0.4 + 0.6 * near), 0x00_0000, 0.35 * (1.0 - near));
            leaf(c, at, direction, size, color, mix(color, p[5], 0.2 + 0.5 * near));
        }
    }
    for _ in 0..46 {
        let (at, r) = ((c.any(0.0, w), c.any(0.0, h)), c.any(4.0, 15.0));
        c.fill(&ellipse(at.0 + r * 0.15, at.1 + r * 0.2, r, r), clear(0x00_0000, 0.25));
        c.fill(
            &ellipse(at.0, at.1, r, r),
            radial((at.0 + r * 0.3, at.1 + r * 0.3), r * 1.4, &[rgba(0xff_ffff, 0.5), rgba(0xff_ffff, 0.12)]),
        );
        c.fill(&ellipse(at.0 - r * 0.35, at.1 - r * 0.35, r * 0.22, r * 0.18), clear(0xff_ffff, 0.95));
    }
    c.vignette();
}

fn leaf(c: &mut Canvas, (x, y): At, (cos, sin): At, size: f32, color: Rgb, vein: Rgb) {
    let at =
        |along: f32, across: f32| (x + (cos * along - sin * across) * size, y + (sin * along + cos * across) * size);
    c.fill(
        &blob(&[
            at(-0.47, 0.05),
            at(-0.33, 0.23),
            at(-0.02, 0.3),
            at(0.3, 0.2),
            at(0.54, 0.05),
            at(0.3, -0.1),
            at(-0.05, -0.18),
        ]),
        clear(0x00_0000, 0.3),
    );
    let half = |side: f32| {
        shape(
            &[at(-0.5, 0.0), at(-0.36, 0.17 * side), at(-0.08, 0.24 * side), at(0.26, 0.15 * side), at(0.5, 0.0)],
            &[],
        )
    };
    c.fill(
        &half(1.0),
        gradient(
            at(0.0, 0.0),
            at(0.0, 0.25),
            &[rgba(mix(color, 0xff_ffff, 0.1), 1.0), rgba(mix(color, 0x00_0000, 0.18), 1.0)],
        ),
    );
    c.fill(
        &half(-1.0),
        gradient(at(0.0, 0.0), at(0.0, -0.25), &[rgba(mix(color, 0x00_0000, 0.22), 1.0), rgba(color, 1.0)]),
    );
    for step in 0..7 {
        let along = -0.38 + 0.115 * step as f32;
        let reach = 0.2 - 0.03 * (step as f32 - 2.0).abs();
        for side in [-1.0, 1.0] {
            c.stroke(
                &curve(&[at(along, 0.0), at(along + 0.08, reach * 0.55 * side), at(along + 0.13, reach * side * 0.92)]),
                size * 0.006,
                clear(vein, 0.55),
            );
        }
    }
    c.stroke(&polyline(&[at(-0.6, 0.0), at(0.48, 0.0)]), size * 0.012, solid(vein));
}

/// A mountain behind blossoms. Colors: two of the sky, the mountain, the snow, the branch, two of
/// the blossoms.
pub(super) fn blossoms(c: &mut Canvas, p: &[Rgb]) {
    let (w, h) = (c.w, c.h);
    c.sky(&[p[0], p[1], p[1]]);
    let (x, top, foot) = (w * 0.52, h * 0.34, h * 0.86);
    let reach = h * 0.75;
    let slope = [
        (x - reach, foot),
        (x - reach * 0.5, foot - (foot - top) * 0.32),
        (x - reach * 0.2, foot - (foot - top) * 0.72),
        (x - reach * 0.075, top),
    ];
    let other: Vec<At> = slope.iter().rev().map(|at| (2.0 * x - at.0, at.1)).collect();
    c.fill(
        &shape(&[&slope[..], &[(x, top + h * 0.012)], &other].concat(), &[]),
        down(top, foot, &[p[2], mix(p[2], p[1], 0.25), mix(p[2], p[1], 0.85)]),
    );
    let snow = [
        (x - reach * 0.265, top + h * 0.2),
        (x - reach * 0.19, top + h * 0.155),
        (x - reach * 0.14, top + h * 0.21),
        (x - reach * 0.07, top + h * 0.15),
        (x - reach * 0.01, top + h * 0.24),
        (x + reach * 0.06, top + h * 0.15),
        (x + reach * 0.13, top + h * 0.22),
        (x + reach * 0.19, top + h * 0.15),
        (x + reach * 0.262, top + h * 0.2),
    ];
    let sides = [
        (x + reach * 0.2, top + h * 0.142),
        (x + reach * 0.075, top),
        (x, top + h * 0.012),
        (x - reach * 0.075, top),
        (x - reach * 0.2, top + h * 0.142),
    ];
    c.fill(&polygon(&[&snow[..], &sides].concat()), down(top, top + h * 0.24, &[p[3], mix(p[3], p[2], 0.15)]));
    for layer in 0..3 {
        let level = h * (0.8 + 0.05 * layer as f32);
        c.mist(level - h * 0.02, h * 0.05, p[1], 0.8);
        let line = c.ridge(level, h * 0.018, w * 0.18, 2);
        c.land(&line, true, solid(mix(mix(p[2], p[1], 0.55), mix(p[2], 0x00_0000, 0.25), layer as f32 / 2.0)));
    }
    let branches: [&[At]; 4] = [
        &[(-20.0, h * 0.06), (w * 0.2, h * 0.13), (w * 0.44, h * 0.1), (w * 0.72, h * 0.19), (w * 0.9, h * 0.16)],
        &[(w * 0.2, h * 0.13), (w * 0.3, h * 0.24), (w * 0.34, h * 0.36)],
        &[(w * 0.52, h * 0.115), (w * 0.66, h * 0.05), (w * 0.8, h * 0.03)],
        &[(-20.0, h * 0.2), (w * 0.1, h * 0.34), (w * 0.14, h * 0.5)],
    ];
    for (index, branch) in branches.iter().enumerate() {
        c.stroke(&curve(branch), if index == 0 { 20.0 } else { 11.0 }, solid(p[4]));
    }
    for branch in branches {
        for pair in branch.windows(2) {
            for _ in 0..17 {
                let part = c.any(0.0, 1.0);
                let (dx, dy) = (c.any(-55.0, 55.0), c.any(-42.0, 60.0));
                let at =
                    (pair[0].0 + (pair[1].0 - pair[0].0) * part + dx, pair[0].1 + (pair[1].1 - pair[0].1) * part + dy);
                blossom(c, at, p);
            }
        }
    }
    for _ in 0..34 {
        let (x, y, r) = (c.any(0.0, w), c.any(h * 0.2, h), c.any(4.0, 9.0));
        c.fill(&ellipse(x, y, r, r * 0.55), clear(mix(p[5], p[6], 0.4), 0.85));
    }
    c.vignette();
}

fn blossom(c: &mut Canvas, (x, y): At, p: &[Rgb]) {
    let (r, start, tone) = (c.any(13.0, 27.0), c.any(0.0, 1.0), c.any(0.0, 1.0));
    let color = mix(p[5], p[6], tone);
    for petal in 0..5 {
        let (cos, sin) = turn(start + petal as f32 / 5.0);
        let at = (x + cos * r * 0.55, y + sin * r * 0.55);
        c.fill(
            &ellipse(at.0, at.1, r * 0.5, r * 0.5),
            radial(
                (x, y),
                r * 1.1,
                &[rgba(mix(color, p[6], 0.6), 1.0), rgba(mix(color, 0xff_ffff, 0.45), 1.0), rgba(color, 1.0)],
            ),
        );
    }
    c.disc((x, y), r * 0.16, mix(p[6], 0x80_0030, 0.4));
    for stamen in 0..5 {
        let (cos, sin) = turn(start + 0.1 + stamen as f32 / 5.0);
        c.disc((x + cos * r * 0.34, y + sin * r * 0.34), r * 0.05, 0xf6_d264);
    }
}

/// Hot-air balloons over hills. Colors: three of the sky, the hills far and near, and five of the
/// balloons.
pub(super) fn balloons(c: &mut Canvas, p: &[Rgb]) {
    let (w, h) = (c.w, c.h);
    c.sky(&[p[0], p[1], p[2], p[2]]);
    c.glow((w * 0.2, h * 0.72), h * 0.8, p[2], 0.7);
    for _ in 0..6 {
        let at = (c.any(0.0, w), h * c.any(0.1, 0.55));
        let size = w * c.any(0.06, 0.12);
        c.cloud(at, size, 0xff_ffff, 0.4);
    }
    for layer in 0..4 {
        let level = h * (0.72 + 0.07 * layer as f32);
        let line = c.ridge(level, h * 0.035, w * 0.22, 3);
        c.land(&line, true, solid(mix(p[3], p[4], layer as f32 / 3.0)));
        c.mist(level + h * 0.06, h * 0.06, p[2], 0.5 - 0.12 * layer as f32);
    }
    for (index, (x, y, r)) in [
        (0.9, 0.6, 0.032),
        (0.12, 0.52, 0.045),
        (0.62, 0.52, 0.055),
        (0.8, 0.2, 0.08),
        (0.22, 0.26, 0.1),
        (0.52, 0.34, 0.19),
    ]
    .into_iter()
    .enumerate()
    {
        let at = (w * x + c.any(-20.0, 20.0), h * y);
        balloon(c, at, w.min(h) * r, [p[5 + index % 5], p[5 + (index + 2) % 5]]);
    }
    c.vignette();
}

fn balloon(c: &mut Canvas, (x, y): At, r: f32, colors: [Rgb; 2]) {
    // An outline at a part of the full width. The seams are such outlines too.
    let side = |part: f32| {
        [
            (x, y - r),
            (x + r * 0.72 * part, y - r * 0.7),
            (x + r * part, y),
            (x + r * 0.7 * part, y + r * 0.72),
            (x + r * 0.2 * part, y + r * 1.32),
        ]
    };
    let gores = 9;
    for gore in 0..gores {
        // The seams are closer to each other at the edges, as on a ball.
        let edge = |n: usize| turn(0.5 + n as f32 / gores as f32 / 2.0).0;
        let (from, to) = (side(edge(gore)), side(edge(gore + 1)));
        let back: Vec<At> = to.iter().rev().copied().collect();
        let color = colors[gore % 2];
        c.fill(&shape(&[&from[..], &back].concat(), &[]), solid(color));
    }
    let right: Vec<At> = side(1.0).into_iter().rev().collect();
    let outline = shape(&[&side(-1.0)[..], &right].concat(), &[]);
    c.fill(
        &outline,
        radial(
            (x - r * 0.35, y - r * 0.4),
            r * 2.0,
            &[rgba(0xff_ffff, 0.35), rgba(0xff_ffff, 0.0), rgba(0x10_0020, 0.2), rgba(0x10_0020, 0.5)],
        ),
    );
    for dx in [-0.17, -0.06, 0.06, 0.17] {
        c.stroke(
            &polyline(&[(x + r * dx, y + r * 1.3), (x + r * dx * 0.75, y + r * 1.62)]),
            r * 0.012,
            solid(0x40_3028),
        );
    }
    c.fill(
        &rect(x - r * 0.14, y + r * 1.6, r * 0.28, r * 0.2),
        down(y + r * 1.6, y + r * 1.8, &[0x8a_5a36, 0x5a_3820]),
    );
    c.fill(&rect(x - r * 0.15, y + r * 1.58, r * 0.3, r * 0.045), solid(0x40_2814));
}

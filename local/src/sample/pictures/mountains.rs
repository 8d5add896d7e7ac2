//! Scenes of mountains and woods.

use tiny_skia::Path;

use super::canvas::{
    At, Canvas, Rgb, blob, clear, down, ellipse, gradient, mix, polygon, polyline, radial, rect, rgba, shape, solid,
    turn,
};

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

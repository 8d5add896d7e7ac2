//! Scenes of wide land: deserts, fields, and balloons above hills.

use super::canvas::{
    At, Canvas, Rgb, clear, curve, down, ellipse, gradient, mix, polygon, polyline, radial, rect, rgba, shape, solid,
    turn,
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

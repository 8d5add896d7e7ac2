//! Scenes of plants.

use super::canvas::{
    At, Canvas, Rgb, blob, clear, curve, down, ellipse, gradient, mix, polygon, polyline, radial, rect, rgba, shape,
    solid, turn,
};

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

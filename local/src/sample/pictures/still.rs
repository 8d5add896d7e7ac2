//! Still lifes.

use super::canvas::{
    At, Canvas, Rgb, blob, circle, clear, curve, down, ellipse, gradient, mix, polygon, polyline, radial, rect, rgba,
    shape, solid, turn,
};

/// A vase and fruit. Colors: the wall, the table, the vase, the leaves, three of the fruit, and the
/// light.
pub(super) fn fruit(c: &mut Canvas, p: &[Rgb]) {
    let (w, h) = (c.w, c.h);
    let table = h * 0.68;
    c.fill(
        &rect(0.0, 0.0, w, h),
        gradient(
            (0.0, 0.0),
            (w, h * 0.6),
            &[rgba(mix(p[0], p[7], 0.45), 1.0), rgba(p[0], 1.0), rgba(mix(p[0], 0x00_0000, 0.25), 1.0)],
        ),
    );
    // The light of a window on the wall.
    for column in 0..2 {
        for row in 0..2 {
            let (x, y) = (w * (0.1 + 0.2 * column as f32), h * (0.06 + 0.25 * row as f32));
            c.fill(
                &polygon(&[(x, y), (x + w * 0.17, y + h * 0.03), (x + w * 0.17, y + h * 0.25), (x, y + h * 0.22)]),
                clear(p[7], 0.34),
            );
        }
    }
    c.fill(&rect(0.0, table, w, h - table), down(table, h, &[p[1], mix(p[1], 0x00_0000, 0.2)]));
    c.fill(&rect(0.0, table, w, 5.0), clear(p[7], 0.5));
    let size = h.min(w);
    let (x, foot) = (w * 0.36, table + size * 0.1);
    c.fill(&ellipse(x + size * 0.17, foot + size * 0.006, size * 0.3, size * 0.035), clear(0x00_0000, 0.25));
    for (n, (dx, dy)) in
        [(-0.2, -0.5), (-0.1, -0.62), (0.02, -0.66), (0.13, -0.58), (0.21, -0.46)].into_iter().enumerate()
    {
        let from = (x, foot - size * 0.36);
        let to = (x + size * dx * 1.15, foot - size * 0.36 + size * dy * 0.62);
        let middle = (f32::midpoint(from.0, to.0) - size * 0.03, f32::midpoint(from.1, to.1));
        c.stroke(&curve(&[from, middle, to]), size * 0.008, solid(mix(p[3], 0x30_2010, 0.4)));
        for leaf in 0..6 {
            let part = 0.35 + leaf as f32 * 0.125;
            let at = (from.0 + (to.0 - from.0) * part - size * 0.02 * (1.0 - part), from.1 + (to.1 - from.1) * part);
            let side = if leaf % 2 == 0 { -1.0 } else { 1.0 };
            let tip = (at.0 + side * size * 0.085, at.1 - size * 0.06);
            c.fill(
                &shape(
                    &[at, (at.0 + side * size * 0.02, at.1 - size * 0.06), tip],
                    &[(at.0 + side * size * 0.06, at.1)],
                ),
                solid(mix(p[3], p[7], 0.09 * ((n + leaf) % 4) as f32)),
            );
        }
    }
    let vase = |side: f32| {
        [
            (x + side * size * 0.075, foot - size * 0.42),
            (x + side * size * 0.055, foot - size * 0.36),
            (x + side * size * 0.14, foot - size * 0.22),
            (x + side * size * 0.15, foot - size * 0.1),
            (x + side * size * 0.085, foot),
        ]
    };
    let outline = [&vase(-1.0)[..], &vase(1.0).iter().rev().copied().collect::<Vec<_>>()].concat();
    c.fill(
        &shape(&outline, &[]),
        gradient(
            (x - size * 0.15, 0.0),
            (x + size * 0.15, 0.0),
            &[rgba(mix(p[2], p[7], 0.55), 1.0), rgba(p[2], 1.0), rgba(mix(p[2], 0x00_0010, 0.5), 1.0)],
        ),
    );
    for band in [0.16, 0.19] {
        c.stroke(
            &curve(&[
                (x - size * 0.148, foot - size * band),
                (x, foot - size * (band - 0.025)),
                (x + size * 0.148, foot - size * band),
            ]),
            size * 0.007,
            clear(p[7], 0.7),
        );
    }
    c.fill(&ellipse(x, foot - size * 0.42, size * 0.075, size * 0.014), solid(mix(p[2], 0x00_0000, 0.6)));
    let fruits = [
        (0.57, 0.1, 0.075, 0),
        (0.67, 0.135, 0.085, 1),
        (0.74, 0.07, 0.07, 0),
        (0.2, 0.17, 0.07, 2),
        (0.53, 0.185, 0.06, 2),
    ];
    for (dx, dy, r, kind) in fruits {
        let (x, y, r) = (w * dx, table + size * dy - size * r * 0.4, size * r);
        c.fill(&ellipse(x + r * 0.8, y + r * 0.86, r * 1.25, r * 0.24), clear(0x00_0000, 0.27));
        let color = p[4 + kind];
        c.fill(
            &ellipse(x, y, r, r * 0.95),
            radial(
                (x - r * 0.35, y - r * 0.35),
                r * 1.6,
                &[
                    rgba(mix(color, p[7], 0.6), 1.0),
                    rgba(color, 1.0),
                    rgba(color, 1.0),
                    rgba(mix(color, 0x20_0010, 0.55), 1.0),
                ],
            ),
        );
        c.stroke(
            &curve(&[(x, y - r * 0.86), (x + r * 0.03, y - r * 1.06), (x + r * 0.12, y - r * 1.2)]),
            r * 0.09,
            solid(0x50_3a20),
        );
        c.fill(
            &shape(
                &[(x + r * 0.05, y - r * 1.0), (x + r * 0.35, y - r * 1.26), (x + r * 0.7, y - r * 1.1)],
                &[(x + r * 0.38, y - r * 0.98)],
            ),
            solid(p[3]),
        );
        c.fill(&ellipse(x - r * 0.38, y - r * 0.42, r * 0.17, r * 0.12), clear(0xff_ffff, 0.5));
    }
    c.vignette();
}

/// A cup of coffee from above. Colors: the table, the cup, the coffee, the milk, the napkin.
pub(super) fn coffee(c: &mut Canvas, p: &[Rgb]) {
    let (w, h) = (c.w, c.h);
    c.sky(&[p[0], p[0]]);
    let plank = h / 5.0;
    for row in 0..5 {
        let y = row as f32 * plank;
        let tone = mix(p[0], c.one_of(&[0xff_ffff, 0x00_0000]), c.any(0.02, 0.1));
        c.fill(&rect(0.0, y, w, plank), solid(tone));
        for _ in 0..26 {
            let at = y + c.any(0.04, 0.96) * plank;
            let (from, bend) = (c.any(-0.3, 0.9) * w, c.any(-7.0, 7.0));
            let long = w * c.any(0.2, 0.7);
            c.stroke(
                &curve(&[(from, at), (from + long * 0.5, at + bend), (from + long, at)]),
                1.2 + bend.abs() * 0.25,
                clear(mix(tone, 0x20_0c00, 0.7), 0.2),
            );
        }
        c.fill(&rect(0.0, y - 2.0, w, 4.0), clear(0x10_0800, 0.5));
    }
    let (x, y, r) = (w * 0.46, h * 0.52, w.min(h) * 0.34);
    let napkin = [
        (x - r * 1.35, y - r * 0.7),
        (x + r * 0.5, y - r * 1.32),
        (x + r * 1.35, y + r * 0.62),
        (x - r * 0.55, y + r * 1.34),
    ];
    c.fill(&polygon(&napkin.map(|at| (at.0 + 14.0, at.1 + 20.0))), clear(0x00_0000, 0.25));
    c.fill(&polygon(&napkin), solid(p[4]));
    for stripe in 1..9 {
        let part = stripe as f32 / 9.0;
        let at = |a: At, b: At| (a.0 + (b.0 - a.0) * part, a.1 + (b.1 - a.1) * part);
        c.stroke(&polyline(&[at(napkin[0], napkin[1]), at(napkin[3], napkin[2])]), 7.0, clear(0xff_ffff, 0.28));
        c.stroke(&polyline(&[at(napkin[0], napkin[3]), at(napkin[1], napkin[2])]), 7.0, clear(0xff_ffff, 0.28));
    }
    c.fill(
        &circle(x + r * 0.1, y + r * 0.14, r),
        radial(
            (x + r * 0.1, y + r * 0.14),
            r,
            &[rgba(0x00_0000, 0.5), rgba(0x00_0000, 0.45), rgba(0x00_0000, 0.35), rgba(0x00_0000, 0.0)],
        ),
    );
    for (part, color) in [
        (1.0, mix(p[1], 0x00_0000, 0.08)),
        (0.96, p[1]),
        (0.74, mix(p[1], 0x00_0000, 0.12)),
        (0.72, mix(p[1], 0xff_ffff, 0.3)),
    ] {
        c.disc((x, y), r * part, color);
    }
    c.fill(
        &circle(x + r * 0.06, y + r * 0.08, r * 0.68),
        radial(
            (x + r * 0.06, y + r * 0.08),
            r * 0.68,
            &[rgba(0x00_0000, 0.45), rgba(0x00_0000, 0.4), rgba(0x00_0000, 0.0)],
        ),
    );
    c.stroke(
        &curve(&[
            (x + r * 0.55, y - r * 0.12),
            (x + r * 0.92, y - r * 0.32),
            (x + r * 0.98, y - r * 0.12),
            (x + r * 0.58, y + r * 0.1),
        ]),
        r * 0.09,
        solid(mix(p[1], 0xff_ffff, 0.3)),
    );
    c.disc((x, y), r * 0.64, mix(p[1], 0xff_ffff, 0.45));
    c.fill(
        &circle(x, y, r * 0.58),
        radial(
            (x, y),
            r * 0.6,
            &[rgba(mix(p[2], p[3], 0.3), 1.0), rgba(p[2], 1.0), rgba(mix(p[2], 0x00_0000, 0.45), 1.0)],
        ),
    );
    // The milk: a rosetta of leaves, and a heart above it.
    for leaf in 0..6 {
        let part = leaf as f32 / 6.0;
        let (at, wide) = (y - r * 0.26 + r * 0.58 * part, r * (0.38 - 0.3 * part));
        c.stroke(
            &curve(&[
                (x - wide, at - wide * 0.3),
                (x - wide * 0.45, at + r * 0.02),
                (x, at + r * 0.07),
                (x + wide * 0.45, at + r * 0.02),
                (x + wide, at - wide * 0.3),
            ]),
            r * 0.042,
            solid(p[3]),
        );
    }
    c.stroke(&polyline(&[(x, y - r * 0.2), (x, y + r * 0.42)]), r * 0.022, solid(p[3]));
    let heart = [
        (x, y - r * 0.3),
        (x + r * 0.12, y - r * 0.44),
        (x + r * 0.17, y - r * 0.34),
        (x, y - r * 0.14),
        (x - r * 0.17, y - r * 0.34),
        (x - r * 0.12, y - r * 0.44),
    ];
    c.fill(&blob(&heart), solid(p[3]));
    c.fill(&ellipse(x - r * 0.3, y - r * 0.34, r * 0.1, r * 0.05), clear(0xff_ffff, 0.3));
    let (x, y) = (w * 0.46 + r * 0.25, h * 0.52 + r * 0.88);
    c.stroke(
        &polyline(&[(x - r * 0.5 + 6.0, y + 8.0), (x + r * 0.62 + 6.0, y - r * 0.42 + 8.0)]),
        r * 0.05,
        clear(0x00_0000, 0.35),
    );
    c.stroke(&polyline(&[(x - r * 0.5, y), (x + r * 0.62, y - r * 0.42)]), r * 0.042, solid(0xc8_ccd2));
    c.fill(
        &blob(&[
            (x - r * 0.74, y + r * 0.03),
            (x - r * 0.6, y - r * 0.06),
            (x - r * 0.44, y - r * 0.05),
            (x - r * 0.48, y + r * 0.06),
            (x - r * 0.62, y + r * 0.12),
        ]),
        gradient((x - r * 0.7, y - r * 0.1), (x - r * 0.5, y + r * 0.1), &[rgba(0xff_ffff, 1.0), rgba(0x98_9ea8, 1.0)]),
    );
    for (dx, dy, turned) in
        [(1.32, -0.62, 0.1), (1.46, -0.38, 0.32), (1.24, -0.34, 0.75), (1.38, 0.72, 0.55), (1.52, 0.58, 0.2)]
    {
        let (x, y, size) = (w * 0.46 + r * dx, h * 0.52 + r * dy, r * 0.09);
        let (cos, sin) = turn(turned);
        let at = |along: f32, across: f32| {
            (x + (cos * along - sin * across) * size, y + (sin * along + cos * across) * size)
        };
        c.fill(&blob(&[at(-1.0, 0.1), at(0.0, 0.85), at(1.1, 0.2), at(0.0, -0.5)]), clear(0x00_0000, 0.35));
        c.fill(&blob(&[at(-1.0, 0.0), at(0.0, 0.66), at(1.0, 0.0), at(0.0, -0.66)]), solid(0x4a_2a16));
        c.stroke(&curve(&[at(-0.9, 0.0), at(-0.2, 0.18), at(0.3, -0.14), at(0.9, 0.0)]), size * 0.16, solid(0x24_1006));
    }
    c.vignette();
}

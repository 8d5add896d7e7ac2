//! Scenes of things, close up.

use super::canvas::{
    At, Canvas, Rgb, blob, circle, clear, curve, down, ellipse, gradient, mix, polygon, polyline, radial, rect, rgba,
    shape, solid, turn,
};

/// Rain on a window by night. Colors: three of the night, and four of the lights.
pub(super) fn rain(c: &mut Canvas, p: &[Rgb]) {
    let (w, h) = (c.w, c.h);
    c.sky(&[p[0], p[1], p[2]]);
    for size in [0.16, 0.1, 0.06] {
        for _ in 0..17 {
            let at = (c.any(0.0, w), h * (0.52 + c.any(-0.4, 0.34)));
            let r = w.min(h) * size * c.any(0.6, 1.1);
            let (color, opacity) = (c.one_of(&p[3..7]), c.any(0.16, 0.5));
            c.shine(
                &circle(at.0, at.1, r),
                radial(
                    at,
                    r,
                    &[
                        rgba(color, opacity * 0.75),
                        rgba(color, opacity * 0.8),
                        rgba(color, opacity * 0.85),
                        rgba(color, opacity),
                        rgba(color, opacity * 0.7),
                    ],
                ),
            );
            c.glow(at, r * 2.2, color, opacity * 0.3);
        }
    }
    c.fill(&rect(0.0, 0.0, w, h), clear(mix(p[1], 0xff_ffff, 0.3), 0.1));
    for _ in 0..11 {
        let (x, top) = (c.any(0.0, w), c.any(-0.1, 0.5) * h);
        let long = h * c.any(0.15, 0.5);
        let line: Vec<At> = (0..7).map(|n| (x + c.any(-9.0, 9.0), top + long * n as f32 / 6.0)).collect();
        c.stroke(&curve(&line), 10.0, clear(p[1], 0.4));
        c.stroke(&curve(&line), 4.0, clear(0xff_ffff, 0.14));
        let end = line[6];
        drop_of_rain(c, end, 17.0, p);
    }
    for _ in 0..420 {
        let (at, part) = ((c.any(0.0, w), c.any(0.0, h)), c.any(0.0, 1.0));
        drop_of_rain(c, at, 2.5 + 14.0 * part * part * part, p);
    }
    c.vignette();
}

/// A drop shows the world upside down: its upper part is dark and its lower part is light.
fn drop_of_rain(c: &mut Canvas, (x, y): At, r: f32, p: &[Rgb]) {
    let tall = r * c.any(1.05, 1.35);
    let light = mix(c.one_of(&p[3..7]), 0xff_ffff, 0.3);
    c.fill(&ellipse(x, y + r * 0.12, r * 1.04, tall * 1.04), clear(0x00_0000, 0.28));
    c.fill(
        &ellipse(x, y, r, tall),
        gradient(
            (x, y - tall),
            (x, y + tall),
            &[rgba(mix(p[0], 0x00_0000, 0.3), 0.75), rgba(p[2], 0.55), rgba(light, 0.8)],
        ),
    );
    c.fill(&ellipse(x - r * 0.32, y - tall * 0.42, r * 0.2, r * 0.17), clear(0xff_ffff, 0.85));
}

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

/// A cat on a window sill. Colors: two of the sky outside, the hills, the wall, the frame, the cat,
/// the curtain.
pub(super) fn cat(c: &mut Canvas, p: &[Rgb]) {
    let (w, h) = (c.w, c.h);
    c.sky(&[p[0], p[1], p[1]]);
    c.glow((w * 0.66, h * 0.34), h * 0.5, mix(p[1], 0xff_ffff, 0.5), 0.7);
    c.disc((w * 0.66, h * 0.34), h * 0.05, mix(p[1], 0xff_ffff, 0.75));
    for layer in 0..3 {
        let line = c.ridge(h * (0.5 + 0.07 * layer as f32), h * 0.035, w * 0.2, 3);
        c.land(&line, true, solid(mix(mix(p[2], p[1], 0.6), p[2], layer as f32 / 2.0)));
    }
    let (left, right, top, sill) = (w * 0.15, w * 0.85, h * 0.07, h * 0.77);
    for outside in
        [rect(0.0, 0.0, left, h), rect(right, 0.0, w - right, h), rect(0.0, 0.0, w, top), rect(0.0, sill, w, h - sill)]
    {
        c.fill(
            &outside,
            gradient((0.0, 0.0), (w, 0.0), &[rgba(p[3], 1.0), rgba(mix(p[3], p[1], 0.2), 1.0), rgba(p[3], 1.0)]),
        );
    }
    let frame = w.min(h) * 0.028;
    for bar in [
        rect(left - frame, top - frame, frame, sill - top + frame),
        rect(right, top - frame, frame, sill - top + frame),
        rect(left - frame, top - frame, right - left + 2.0 * frame, frame),
        rect(w * 0.5 - frame * 0.4, top, frame * 0.8, sill - top),
        rect(left, h * 0.36, right - left, frame * 0.7),
    ] {
        c.fill(&bar, gradient((left, 0.0), (right, 0.0), &[rgba(p[4], 1.0), rgba(mix(p[4], 0x00_0000, 0.25), 1.0)]));
    }
    c.fill(
        &rect(left - frame * 3.0, sill, right - left + frame * 6.0, frame * 1.5),
        down(sill, sill + frame * 1.5, &[mix(p[4], 0xff_ffff, 0.4), mix(p[4], 0x00_0000, 0.25)]),
    );
    c.fill(&rect(left - frame * 3.0, sill + frame * 1.5, right - left + frame * 6.0, frame), clear(0x00_0000, 0.2));
    for side in [-1.0, 1.0] {
        let edge = w * (0.5 + side * 0.5);
        for fold in 0..6 {
            let (from, to) = (edge - side * w * 0.038 * fold as f32, edge - side * w * 0.038 * (fold as f32 + 1.0));
            let sway = -side * w * 0.012 * fold as f32;
            let path = shape(
                &[(from, -10.0), (from + sway * 0.3, h * 0.5), (from - sway, h * 1.01)],
                &[(to - sway, h * 1.01), (to + sway * 0.3, h * 0.5), (to, -10.0)],
            );
            let tone = if fold % 2 == 0 { mix(p[6], 0xff_ffff, 0.12) } else { mix(p[6], 0x00_0000, 0.14) };
            c.fill(&path, solid(tone));
        }
    }
    // A pot with a plant.
    let (x, size) = (w * 0.7, w.min(h) * 0.13);
    for leaf in 0..7 {
        let (cos, sin) = turn(0.55 + leaf as f32 / 15.0);
        let tip = (x + cos * size * 1.1, sill - size * 0.8 + sin * size * 1.5);
        let base = (x, sill - size * 0.8);
        c.fill(
            &shape(
                &[base, (f32::midpoint(base.0, tip.0) - size * 0.13, f32::midpoint(base.1, tip.1)), tip],
                &[(f32::midpoint(base.0, tip.0) + size * 0.13, f32::midpoint(base.1, tip.1) + size * 0.1)],
            ),
            solid(mix(0x3c_6b46, p[1], 0.05 * leaf as f32)),
        );
    }
    c.fill(
        &polygon(&[
            (x - size * 0.5, sill - size * 0.85),
            (x + size * 0.5, sill - size * 0.85),
            (x + size * 0.36, sill),
            (x - size * 0.36, sill),
        ]),
        gradient((x - size * 0.5, 0.0), (x + size * 0.5, 0.0), &[rgba(0xd2_8a5e, 1.0), rgba(0x8e_4c2e, 1.0)]),
    );
    c.fill(&rect(x - size * 0.56, sill - size * 0.92, size * 1.12, size * 0.2), solid(0xb8_6e46));
    // The cat from behind: body, head, ears, tail.
    let (x, size) = (w * 0.4, w.min(h) * 0.4);
    let body = [
        (x - size * 0.34, sill),
        (x - size * 0.36, sill - size * 0.28),
        (x - size * 0.2, sill - size * 0.62),
        (x - size * 0.13, sill - size * 0.78),
        (x + size * 0.13, sill - size * 0.78),
        (x + size * 0.2, sill - size * 0.62),
        (x + size * 0.36, sill - size * 0.28),
        (x + size * 0.34, sill),
    ];
    let fur = down(sill - size * 1.2, sill, &[mix(p[5], p[1], 0.22), p[5], mix(p[5], 0x00_0000, 0.35)]);
    c.fill(&shape(&body, &[]), fur.clone());
    let (hx, hy) = (x + size * 0.03, sill - size * 0.9);
    for side in [-1.0, 1.0] {
        c.fill(
            &shape(
                &[(hx + side * size * 0.25, hy - size * 0.04), (hx + side * size * 0.27, hy - size * 0.38)],
                &[(hx + side * size * 0.05, hy - size * 0.2)],
            ),
            fur.clone(),
        );
    }
    c.fill(&ellipse(hx, hy, size * 0.27, size * 0.235), fur);
    c.stroke(
        &curve(&[
            (x + size * 0.28, sill - size * 0.05),
            (x + size * 0.5, sill + size * 0.05),
            (x + size * 0.46, sill + size * 0.34),
            (x + size * 0.3, sill + size * 0.42),
        ]),
        size * 0.11,
        solid(mix(p[5], 0x00_0000, 0.2)),
    );
    for stripe in 0..5 {
        let y = sill - size * (0.62 - 0.11 * stripe as f32);
        let wide = size * (0.1 + 0.03 * stripe as f32);
        c.stroke(
            &curve(&[(x - wide, y - size * 0.02), (x, y + size * 0.03), (x + wide, y - size * 0.02)]),
            size * 0.026,
            clear(mix(p[5], 0x00_0000, 0.6), 0.7),
        );
    }
    for stripe in [-0.08, 0.0, 0.08] {
        c.stroke(
            &polyline(&[(hx + size * stripe, hy - size * 0.2), (hx + size * stripe * 0.8, hy - size * 0.08)]),
            size * 0.024,
            clear(mix(p[5], 0x00_0000, 0.6), 0.7),
        );
    }
    c.vignette();
}

/// A person's portrait. Colors: two of the ground, the skin, the hair, two of the clothes, and the
/// number of the hair style, as the last byte of the last color.
pub(super) fn portrait(c: &mut Canvas, p: &[Rgb]) {
    let (w, h) = (c.w, c.h);
    c.fill(
        &rect(0.0, 0.0, w, h),
        radial(
            (w * 0.34, h * 0.3),
            h * 0.95,
            &[rgba(mix(p[0], 0xff_ffff, 0.22), 1.0), rgba(p[0], 1.0), rgba(p[1], 1.0)],
        ),
    );
    for _ in 0..9 {
        let (at, r) = ((c.any(0.0, w), c.any(0.0, h)), c.any(50.0, 150.0));
        let color = c.one_of(&[p[0], p[1], p[4]]);
        c.fill(&circle(at.0, at.1, r), clear(mix(color, 0xff_ffff, 0.3), 0.13));
    }
    let style = p[6];
    let (x, y, s) = (w * 0.5, h * 0.45, 1130.0);
    let (skin, hair) = (p[2], p[3]);
    let shade = mix(skin, 0x50_1418, 0.26);
    let dark = mix(hair, 0x00_0000, 0.28);
    let at = |dx: f32, dy: f32| (x + dx * s, y + dy * s);
    let both = |half: &[At]| -> Vec<At> {
        let left = half.iter().map(|(dx, dy)| at(-dx, *dy));
        left.chain(half.iter().rev().map(|(dx, dy)| at(*dx, *dy))).collect()
    };
    // Long hair falls behind the shoulders.
    match style % 6 {
        0 => c.fill(
            &shape(&both(&[(0.21, 0.42), (0.27, 0.2), (0.275, -0.06), (0.22, -0.24), (0.09, -0.315)]), &[]),
            solid(dark),
        ),
        3 => {
            for n in 0..16 {
                let (cos, sin) = turn(0.42 + n as f32 / 16.0 * 0.66);
                c.disc(at(cos * 0.25, -0.1 + sin * 0.24), s * 0.088, dark);
            }
        }
        4 => c.disc(at(0.0, -0.36), s * 0.1, dark),
        _ => {}
    }
    let shoulders = both(&[(0.5, 0.9), (0.475, 0.62), (0.41, 0.43), (0.29, 0.345), (0.12, 0.3)]);
    c.fill(
        &shape(&shoulders, &[]),
        gradient(
            at(-0.4, 0.3),
            at(0.4, 0.62),
            &[rgba(mix(p[4], 0xff_ffff, 0.12), 1.0), rgba(p[4], 1.0), rgba(mix(p[4], 0x00_0010, 0.3), 1.0)],
        ),
    );
    c.fill(
        &shape(&both(&[(0.085, 0.13), (0.088, 0.27), (0.12, 0.315), (0.06, 0.385)]), &[]),
        down(y + s * 0.13, y + s * 0.36, &[shade, mix(shade, skin, 0.7)]),
    );
    c.stroke(
        &curve(&[at(-0.125, 0.305), at(-0.07, 0.385), at(0.0, 0.405), at(0.07, 0.385), at(0.125, 0.305)]),
        s * 0.03,
        solid(p[5]),
    );
    if style.is_multiple_of(3) {
        for stripe in 0..4 {
            let (dx, dy) = (0.39 + 0.018 * stripe as f32, 0.45 + 0.06 * stripe as f32);
            c.stroke(
                &curve(&[at(-dx, dy + 0.02), at(-0.2, dy), at(0.0, dy + 0.012), at(0.2, dy), at(dx, dy + 0.02)]),
                s * 0.02,
                clear(p[5], 0.8),
            );
        }
    }
    for side in [-1.0, 1.0] {
        let (ex, ey) = at(side * 0.192, 0.01);
        c.fill(&ellipse(ex, ey, s * 0.034, s * 0.05), solid(shade));
    }
    let face = [
        at(0.0, -0.25),
        at(0.14, -0.2),
        at(0.19, -0.04),
        at(0.17, 0.1),
        at(0.09, 0.2),
        at(0.0, 0.225),
        at(-0.09, 0.2),
        at(-0.17, 0.1),
        at(-0.19, -0.04),
        at(-0.14, -0.2),
    ];
    c.fill(
        &blob(&face),
        radial(at(-0.07, -0.06), s * 0.34, &[rgba(mix(skin, 0xff_f0e0, 0.25), 1.0), rgba(skin, 1.0), rgba(shade, 1.0)]),
    );
    for side in [-1.0, 1.0] {
        c.fill(
            &circle(x + side * s * 0.11, y + s * 0.085, s * 0.045),
            radial(at(side * 0.11, 0.085), s * 0.045, &[rgba(0xf0_6060, 0.3), rgba(0xf0_6060, 0.0)]),
        );
        let (ex, ey) = at(side * 0.075, 0.0);
        c.fill(&ellipse(ex, ey, s * 0.021, s * 0.025), solid(0x24_1a1c));
        c.disc((ex - s * 0.006, ey - s * 0.008), s * 0.006, 0xff_ffff);
        c.stroke(
            &curve(&[at(side * 0.115, -0.055), at(side * 0.075, -0.075), at(side * 0.04, -0.062)]),
            s * 0.013,
            solid(mix(hair, 0x20_1008, 0.4)),
        );
    }
    c.stroke(
        &curve(&[at(0.006, 0.015), at(0.018, 0.06), at(-0.008, 0.07)]),
        s * 0.01,
        clear(mix(skin, 0x50_1010, 0.6), 0.8),
    );
    c.fill(
        &shape(&[at(-0.07, 0.118), at(-0.035, 0.148), at(0.0, 0.157), at(0.035, 0.148), at(0.07, 0.118)], &[]),
        solid(0xff_f6f0),
    );
    c.stroke(
        &curve(&[at(-0.074, 0.116), at(-0.035, 0.148), at(0.0, 0.157), at(0.035, 0.148), at(0.074, 0.116)]),
        s * 0.009,
        solid(mix(0xa0_3038, skin, 0.25)),
    );
    let lit = gradient(
        at(-0.2, -0.3),
        at(0.22, 0.0),
        &[rgba(mix(hair, 0xff_ffff, 0.2), 1.0), rgba(hair, 1.0), rgba(dark, 1.0)],
    );
    match style % 6 {
        // Parted in the middle, long.
        0 => {
            for side in [-1.0, 1.0] {
                let lock = [
                    at(0.0, -0.295),
                    at(side * 0.13, -0.27),
                    at(side * 0.225, -0.13),
                    at(side * 0.24, 0.08),
                    at(side * 0.225, 0.24),
                ];
                c.fill(
                    &shape(
                        &lock,
                        &[
                            at(side * 0.185, 0.16),
                            at(side * 0.17, -0.03),
                            at(side * 0.1, -0.15),
                            at(side * -0.012, -0.215),
                        ],
                    ),
                    lit.clone(),
                );
            }
        }
        // Short, to the side.
        1 => c.fill(
            &shape(
                &[
                    at(-0.2, 0.0),
                    at(-0.215, -0.14),
                    at(-0.13, -0.285),
                    at(0.04, -0.325),
                    at(0.18, -0.25),
                    at(0.215, -0.1),
                    at(0.2, 0.0),
                ],
                &[at(0.175, -0.09), at(0.12, -0.16), at(-0.04, -0.13), at(-0.15, -0.16), at(-0.18, -0.07)],
            ),
            lit,
        ),
        // A fringe.
        2 => c.fill(
            &shape(
                &[
                    at(-0.215, 0.16),
                    at(-0.24, -0.06),
                    at(-0.16, -0.27),
                    at(0.0, -0.315),
                    at(0.16, -0.27),
                    at(0.24, -0.06),
                    at(0.215, 0.16),
                ],
                &[
                    at(0.17, 0.08),
                    at(0.165, -0.07),
                    at(0.08, -0.095),
                    at(0.0, -0.09),
                    at(-0.08, -0.095),
                    at(-0.165, -0.07),
                    at(-0.17, 0.08),
                ],
            ),
            lit,
        ),
        // Curls.
        3 => {
            for n in 0..11 {
                let (cos, sin) = turn(0.53 + n as f32 / 11.0 * 0.48);
                c.fill(&circle(x + cos * s * 0.19, y + s * (-0.08 + sin * 0.17), s * 0.066), lit.clone());
            }
        }
        // Tied up.
        4 => c.fill(
            &shape(
                &[
                    at(-0.195, -0.01),
                    at(-0.2, -0.16),
                    at(-0.11, -0.285),
                    at(0.0, -0.31),
                    at(0.11, -0.285),
                    at(0.2, -0.16),
                    at(0.195, -0.01),
                ],
                &[at(0.165, -0.11), at(0.07, -0.2), at(-0.07, -0.2), at(-0.165, -0.11)],
            ),
            lit,
        ),
        // A cap.
        _ => {
            c.fill(
                &shape(
                    &[
                        at(-0.205, -0.09),
                        at(-0.2, -0.2),
                        at(-0.1, -0.31),
                        at(0.0, -0.325),
                        at(0.1, -0.31),
                        at(0.2, -0.2),
                        at(0.205, -0.09),
                    ],
                    &[],
                ),
                gradient(at(-0.2, -0.3), at(0.2, 0.0), &[rgba(mix(p[5], 0xff_ffff, 0.25), 1.0), rgba(p[5], 1.0)]),
            );
            c.stroke(
                &curve(&[at(-0.2, -0.1), at(0.0, -0.135), at(0.2, -0.1)]),
                s * 0.055,
                solid(mix(p[5], 0x00_0000, 0.2)),
            );
        }
    }
    if style / 6 % 3 == 1 {
        for side in [-1.0, 1.0] {
            c.stroke(&ellipse(x + side * s * 0.078, y + s * 0.002, s * 0.056, s * 0.05), s * 0.011, solid(0x2c_2428));
        }
        c.stroke(&polyline(&[at(-0.024, -0.005), at(0.024, -0.005)]), s * 0.011, solid(0x2c_2428));
    }
    if style / 6 % 3 == 2 {
        c.fill(
            &shape(
                &[at(-0.172, 0.06), at(-0.12, 0.19), at(0.0, 0.25), at(0.12, 0.19), at(0.172, 0.06)],
                &[at(0.12, 0.1), at(0.06, 0.095), at(0.0, 0.1), at(-0.06, 0.095), at(-0.12, 0.1)],
            ),
            clear(hair, 0.93),
        );
        c.stroke(
            &curve(&[at(-0.05, 0.138), at(0.0, 0.15), at(0.05, 0.138)]),
            s * 0.014,
            solid(mix(0xb0_5050, skin, 0.4)),
        );
    }
}

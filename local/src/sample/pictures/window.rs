//! Scenes at a window.

use super::canvas::{
    At, Canvas, Rgb, circle, clear, curve, down, ellipse, gradient, mix, polygon, polyline, radial, rect, rgba, shape,
    solid, turn,
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

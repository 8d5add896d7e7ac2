//! Scenes of the sea: boats, coasts and beaches.

use super::canvas::{
    At, Canvas, Rgb, circle, clear, curve, down, ellipse, gradient, mix, polygon, polyline, rect, rgba, shape, solid,
    turn,
};
use super::street::umbrella;

/// A sailing boat. Colors: three of the sky, the sun, the water far and near, the sails, the hull.
pub(super) fn sailing(c: &mut Canvas, p: &[Rgb]) {
    let (w, h) = (c.w, c.h);
    let horizon = h * 0.6;
    c.sky(&[p[0], p[1], p[2], p[2]]);
    let sun = (w * 0.3, horizon - h * 0.1);
    c.glow(sun, h * 0.75, p[3], 0.7);
    c.disc(sun, h * 0.06, p[3]);
    for _ in 0..6 {
        let at = (c.any(0.0, w), h * c.any(0.08, 0.42));
        let size = w * c.any(0.07, 0.14);
        c.cloud(at, size, mix(p[2], 0xff_ffff, 0.4), 0.4);
    }
    let island = c.ridge(horizon - h * 0.03, h * 0.03, w * 0.12, 3);
    c.land(&island, true, solid(mix(p[2], p[4], 0.55)));
    c.band(horizon, h, &[p[4], p[5], mix(p[5], 0x00_0000, 0.25)]);
    for _ in 0..170 {
        let (x, part) = (c.any(0.0, w), c.any(0.0, 1.0));
        let y = horizon + (h - horizon) * part * part;
        let long = 12.0 + 90.0 * part;
        let color = mix(p[4], c.one_of(&[p[2], 0x00_1020]), 0.5);
        c.fill(&ellipse(x, y, long, 0.8 + 2.6 * part), clear(color, 0.22));
    }
    c.glitter(sun.0, (horizon, h), w * 0.16, mix(p[3], 0xff_ffff, 0.3), 240);
    let (x, y, size) = (w * 0.62, horizon + h * 0.12, h.min(w) * 0.52);
    // The reflection first: the sails, downward and torn by waves.
    for strip in 0..24 {
        let part = strip as f32 / 24.0;
        let wide = size * 0.3 * (1.0 - part) * c.any(0.6, 1.1);
        let sway = size * c.any(-0.03, 0.05);
        c.fill(&ellipse(x + sway, y + size * (0.1 + 0.55 * part), wide, size * 0.011), clear(p[6], 0.5 * (1.0 - part)));
    }
    let mast = (x, y - size);
    c.fill(
        &shape(
            &[mast, (x + size * 0.16, y - size * 0.52), (x + size * 0.4, y - size * 0.09)],
            &[(x + size * 0.02, y - size * 0.09)],
        ),
        gradient((x, 0.0), (x + size * 0.4, 0.0), &[rgba(p[6], 1.0), rgba(mix(p[6], p[5], 0.35), 1.0)]),
    );
    c.fill(
        &shape(
            &[
                (x - size * 0.015, y - size * 0.95),
                (x - size * 0.13, y - size * 0.5),
                (x - size * 0.34, y - size * 0.08),
            ],
            &[(x - size * 0.015, y - size * 0.14)],
        ),
        gradient(
            (x - size * 0.34, 0.0),
            (x, 0.0),
            &[rgba(mix(p[6], 0xff_ffff, 0.5), 1.0), rgba(mix(p[6], p[5], 0.15), 1.0)],
        ),
    );
    c.stroke(&polyline(&[(x, y), (x, y - size * 1.03)]), size * 0.014, solid(mix(p[7], 0x00_0000, 0.5)));
    c.stroke(
        &polyline(&[(x, y - size * 0.08), (x + size * 0.41, y - size * 0.08)]),
        size * 0.013,
        solid(mix(p[7], 0x00_0000, 0.5)),
    );
    c.fill(
        &shape(
            &[
                (x - size * 0.4, y - size * 0.05),
                (x - size * 0.26, y + size * 0.065),
                (x + size * 0.05, y + size * 0.09),
                (x + size * 0.3, y + size * 0.07),
                (x + size * 0.4, y - size * 0.045),
            ],
            &[],
        ),
        down(y - size * 0.05, y + size * 0.09, &[p[7], mix(p[7], 0x00_0000, 0.5)]),
    );
    c.fill(
        &polygon(&[
            (x - size * 0.4, y - size * 0.055),
            (x + size * 0.4, y - size * 0.05),
            (x + size * 0.395, y - size * 0.025),
            (x - size * 0.375, y - size * 0.03),
        ]),
        solid(mix(p[7], 0xff_ffff, 0.6)),
    );
    c.fill(
        &shape(
            &[
                (x - size * 0.46, y + size * 0.085),
                (x - size * 0.2, y + size * 0.07),
                (x + size * 0.1, y + size * 0.083),
                (x + size * 0.5, y + size * 0.07),
            ],
            &[(x + size * 0.3, y + size * 0.11), (x - size * 0.2, y + size * 0.11)],
        ),
        clear(0xff_ffff, 0.55),
    );
    for (x, y) in [(0.18, 0.2), (0.23, 0.17), (0.28, 0.215), (0.8, 0.12)] {
        gull(c, (w * x, h * y), w * 0.018);
    }
    c.vignette();
}

fn gull(c: &mut Canvas, (x, y): At, size: f32) {
    c.stroke(
        &curve(&[
            (x - size, y - size * 0.25),
            (x - size * 0.45, y - size * 0.42),
            (x, y),
            (x + size * 0.45, y - size * 0.42),
            (x + size, y - size * 0.2),
        ]),
        size * 0.13,
        clear(0x20_2430, 0.75),
    );
}

/// A lighthouse. Colors: three of the sky, the sea, the rock, the stripes, the light.
pub(super) fn lighthouse(c: &mut Canvas, p: &[Rgb]) {
    let (w, h) = (c.w, c.h);
    let horizon = h * 0.68;
    c.sky(&[p[0], p[1], p[2], p[2]]);
    c.stars(90, h * 0.4);
    for _ in 0..7 {
        let at = (c.any(0.0, w), h * c.any(0.3, 0.6));
        let size = w * c.any(0.08, 0.16);
        c.cloud(at, size, mix(p[2], p[1], 0.3), 0.4);
    }
    c.band(horizon, h, &[mix(p[3], p[2], 0.45), p[3]]);
    for _ in 0..150 {
        let (x, part) = (c.any(0.0, w), c.any(0.0, 1.0));
        let y = horizon + (h - horizon) * part * part;
        c.fill(&ellipse(x, y, 12.0 + 80.0 * part, 0.9 + 2.8 * part), clear(mix(p[3], p[2], part), 0.3));
    }
    let (x, foot, size) = (w * 0.66, h * 0.67, h * 0.46);
    let lamp = (x, foot - size * 0.93);
    for (left, spread) in [(true, 0.085), (false, 0.11)] {
        let end = if left { -w * 0.1 } else { w * 1.35 };
        let reach = (lamp.0 - end).abs();
        let tilt = if left { -0.05 } else { -0.16 };
        let beam = [lamp, (end, lamp.1 + reach * (tilt - spread)), (end, lamp.1 + reach * (tilt + spread))];
        c.shine(
            &polygon(&beam),
            gradient(lamp, (end, lamp.1), &[rgba(p[6], 0.75), rgba(p[6], 0.28), rgba(p[6], 0.05)]),
        );
    }
    let rock: Vec<At> = vec![
        (w * 0.3, h * 0.86),
        (w * 0.38, h * 0.78),
        (w * 0.47, h * 0.755),
        (w * 0.52, h * 0.69),
        (w * 0.6, h * 0.665),
        (w * 0.74, h * 0.67),
        (w * 0.84, h * 0.645),
        (w * 0.93, h * 0.66),
        (w * 1.05, h * 0.62),
    ];
    c.fill(
        &polygon(&[&rock[..], &[(w * 1.05, h * 1.02), (w * 0.22, h * 1.02), (w * 0.26, h * 0.92)]].concat()),
        down(h * 0.62, h, &[mix(p[4], p[2], 0.3), p[4], mix(p[4], 0x00_0000, 0.5)]),
    );
    for _ in 0..60 {
        let at = (w * c.any(0.34, 1.0), h * c.any(0.72, 1.0));
        if at.1 < h * (1.02 - 0.36 * (at.0 / w)) + h * 0.02 {
            continue;
        }
        let size = c.any(20.0, 70.0);
        let (a, b) = (c.any(0.2, 0.6), c.any(0.2, 0.5));
        c.fill(
            &polygon(&[
                at,
                (at.0 + size, at.1 - size * a),
                (at.0 + size * 1.5, at.1 + size * b),
                (at.0 + size * 0.5, at.1 + size * 0.7),
            ]),
            clear(mix(0x00_0000, p[2], a), 0.18),
        );
    }
    let tower = |part: f32| size * (0.125 - 0.05 * part);
    for stripe in 0..6 {
        let (low, high) = (stripe as f32 / 6.0, (stripe as f32 + 1.0) / 6.0);
        let y = |part: f32| foot + size * 0.02 - size * 0.8 * part;
        let color = if stripe % 2 == 0 { p[5] } else { 0xf4_f0ea };
        let outline = [
            (x - tower(low), y(low)),
            (x - tower(high), y(high)),
            (x + tower(high), y(high)),
            (x + tower(low), y(low)),
        ];
        c.fill(
            &polygon(&outline),
            gradient(
                (x - size * 0.12, 0.0),
                (x + size * 0.12, 0.0),
                &[rgba(mix(color, p[1], 0.1), 1.0), rgba(color, 1.0), rgba(mix(color, p[0], 0.65), 1.0)],
            ),
        );
    }
    c.fill(&rect(x - size * 0.115, foot - size * 0.8, size * 0.23, size * 0.03), solid(mix(p[0], 0x00_0000, 0.4)));
    c.fill(&rect(x - size * 0.06, foot - size * 0.94, size * 0.12, size * 0.14), solid(mix(p[6], 0xff_ffff, 0.4)));
    for dx in [-0.06, -0.02, 0.02, 0.055] {
        c.fill(&rect(x + size * dx, foot - size * 0.94, size * 0.008, size * 0.14), solid(p[0]));
    }
    c.fill(
        &shape(
            &[
                (x - size * 0.085, foot - size * 0.935),
                (x - size * 0.05, foot - size * 1.0),
                (x, foot - size * 1.03),
                (x + size * 0.05, foot - size * 1.0),
                (x + size * 0.085, foot - size * 0.935),
            ],
            &[],
        ),
        solid(p[5]),
    );
    c.stroke(&polyline(&[(x, foot - size * 1.02), (x, foot - size * 1.1)]), 3.0, solid(p[0]));
    for (dy, wide) in [(0.2, 0.022), (0.46, 0.02)] {
        c.fill(&rect(x - size * wide / 2.0, foot - size * dy, size * wide, size * 0.05), solid(p[0]));
    }
    c.glow(lamp, size * 0.6, p[6], 0.95);
    let cottage = (w * 0.84, h * 0.66);
    c.fill(&rect(cottage.0, cottage.1 - size * 0.14, size * 0.26, size * 0.16), solid(mix(0xf4_f0ea, p[0], 0.3)));
    c.fill(
        &polygon(&[
            (cottage.0 - size * 0.02, cottage.1 - size * 0.13),
            (cottage.0 + size * 0.05, cottage.1 - size * 0.23),
            (cottage.0 + size * 0.21, cottage.1 - size * 0.23),
            (cottage.0 + size * 0.28, cottage.1 - size * 0.13),
        ]),
        solid(mix(p[5], 0x00_0000, 0.4)),
    );
    for dx in [0.05, 0.16] {
        c.fill(&rect(cottage.0 + size * dx, cottage.1 - size * 0.09, size * 0.045, size * 0.05), solid(p[6]));
    }
    for _ in 0..46 {
        let part = c.any(0.0, 1.0);
        let at = (w * (0.36 - 0.14 * part) + c.any(-36.0, 26.0), h * (0.8 + 0.2 * part));
        let r = c.any(5.0, 22.0);
        c.fill(&ellipse(at.0, at.1, r * 1.6, r * 0.5), clear(0xff_ffff, 0.4));
    }
    c.vignette();
}

/// A beach from above. Colors: the deep and the shallow water, the sand, and four of the umbrellas.
pub(super) fn beach(c: &mut Canvas, p: &[Rgb]) {
    let (w, h) = (c.w, c.h);
    c.fill(
        &rect(0.0, 0.0, w, h),
        gradient((0.0, 0.0), (w, h * 0.3), &[rgba(mix(p[2], 0x00_0000, 0.08), 1.0), rgba(p[2], 1.0)]),
    );
    for _ in 0..900 {
        let at = (c.any(0.0, w), c.any(0.0, h));
        let tone = mix(p[2], c.one_of(&[0xff_ffff, 0x60_4020]), 0.35);
        let r = c.any(0.8, 2.2);
        c.fill(&circle(at.0, at.1, r), clear(tone, 0.6));
    }
    let line: Vec<At> = (0..=12)
        .map(|n| {
            let part = n as f32 / 12.0;
            (w * (0.44 + 0.16 * part) + c.any(-0.03, 0.03) * w, h * (part * 1.16 - 0.08))
        })
        .collect();
    let shifted = |dx: f32| -> Vec<At> { line.iter().map(|at| (at.0 + dx, at.1)).collect() };
    let corners = [(-20.0, h * 1.1), (-20.0, -h * 0.1)];
    let wet = w * 0.055;
    c.fill(&shape(&shifted(wet), &corners), clear(mix(p[2], 0x50_3820, 0.4), 0.7));
    c.fill(&shape(&shifted(w * 0.012), &corners), clear(0xff_ffff, 0.95));
    for (dx, part) in [(0.0, 0.0), (-0.07, 0.25), (-0.15, 0.5), (-0.25, 0.78), (-0.36, 1.0)] {
        c.fill(&shape(&shifted(w * dx), &corners), clear(mix(p[1], p[0], part), if dx == 0.0 { 0.8 } else { 0.55 }));
    }
    for (dx, opacity) in [(-0.03, 0.85), (-0.105, 0.7), (-0.2, 0.45), (-0.31, 0.25)] {
        let wave: Vec<At> = shifted(w * dx).into_iter().map(|at| (at.0 + c.any(-12.0, 12.0), at.1)).collect();
        c.stroke(&curve(&wave), 11.0, clear(0xff_ffff, opacity * 0.5));
        c.stroke(&curve(&wave), 4.5, clear(0xff_ffff, opacity));
        for at in &wave {
            for _ in 0..9 {
                let (dx, dy, r) = (c.any(-46.0, 6.0), c.any(-60.0, 60.0), c.any(1.5, 5.0));
                c.fill(&circle(at.0 + dx, at.1 + dy, r), clear(0xff_ffff, opacity * 0.55));
            }
        }
    }
    for row in 0..7 {
        for column in 0..3 {
            let y = h * (0.08 + 0.145 * row as f32) + c.any(-18.0, 18.0);
            let x = w * (0.64 + 0.135 * column as f32) + w * 0.13 * (y / h - 0.3) + c.any(-22.0, 22.0);
            let color = c.one_of(&p[3..7]);
            let (dx, dy) = (c.any(34.0, 58.0), c.any(22.0, 48.0));
            for lounger in [0.0, 44.0] {
                let at = (x - dx - lounger, y + dy);
                c.fill(&rect(at.0 + 6.0, at.1 + 8.0, 30.0, 72.0), clear(0x30_2010, 0.25));
                c.fill(&rect(at.0, at.1, 30.0, 72.0), solid(mix(color, 0xff_ffff, 0.6)));
                c.fill(&rect(at.0, at.1 + 8.0, 30.0, 14.0), solid(color));
            }
            if c.any(0.0, 1.0) < 0.8 {
                umbrella(c, (x, y), 58.0, [color, 0xff_faf0]);
            }
        }
    }
    for _ in 0..7 {
        let at = (w * c.any(0.08, 0.42), h * c.any(0.05, 0.95));
        c.stroke(&circle(at.0, at.1, 14.0), 2.0, clear(0xff_ffff, 0.5));
        c.fill(&ellipse(at.0, at.1 + 2.0, 13.0, 6.0), clear(0xd0_9470, 0.9));
        c.disc((at.0, at.1 - 2.0), 6.0, 0x4a_3020);
    }
    c.vignette();
}

/// Palms in front of a sunset. Colors: three of the sky, two of the sun, the sea, the palms.
pub(super) fn palms(c: &mut Canvas, p: &[Rgb]) {
    let (w, h) = (c.w, c.h);
    let horizon = h * 0.72;
    c.sky(&[p[0], p[1], p[2], p[2]]);
    c.stars(100, h * 0.4);
    let (sun, r) = ((w * 0.5, horizon - h * 0.1), w.min(h) * 0.27);
    c.glow(sun, r * 3.0, p[4], 0.55);
    c.fill(&circle(sun.0, sun.1, r), down(sun.1 - r, sun.1 + r, &[p[3], p[4]]));
    let hills = c.ridge(horizon - h * 0.02, h * 0.025, w * 0.15, 3);
    c.land(&hills, true, solid(mix(p[5], p[2], 0.4)));
    c.band(horizon, h, &[mix(p[5], p[4], 0.4), p[5], mix(p[5], 0x00_0000, 0.4)]);
    c.glitter(sun.0, (horizon, h), w * 0.26, p[3], 330);
    let beach =
        [(-20.0, h * 0.9), (w * 0.2, h * 0.885), (w * 0.45, h * 0.95), (w * 0.75, h * 0.93), (w + 20.0, h * 0.87)];
    c.land(&beach, true, solid(p[6]));
    for (x, y, size, lean) in [(0.13, 0.93, 0.62, 0.09), (0.26, 0.94, 0.42, -0.05), (0.88, 0.92, 0.68, -0.1)] {
        palm(c, (w * x, h * y), h * size, lean, p[6]);
    }
    c.vignette();
}

fn palm(c: &mut Canvas, (x, foot): At, size: f32, lean: f32, color: Rgb) {
    let top = (x + size * lean * 2.2, foot - size);
    let trunk =
        [(x, foot), (x + size * lean * 0.5, foot - size * 0.4), (x + size * lean * 1.3, foot - size * 0.75), top];
    c.stroke(&curve(&trunk), size * 0.034, solid(color));
    c.stroke(&curve(&trunk[..2]), size * 0.05, solid(color));
    for leaf in 0..9 {
        let (cos, sin) = turn(0.5 + leaf as f32 / 16.0 + c.any(-0.015, 0.015));
        let long = size * c.any(0.34, 0.46);
        let at = |part: f32, drop: f32| (top.0 + cos * long * part, top.1 + sin * long * 0.7 * part + drop * long);
        let spine = [top, at(0.35, -0.03), at(0.7, 0.1), at(1.0, 0.36)];
        c.stroke(&curve(&spine), size * 0.011, solid(color));
        for n in 0..17 {
            let part = 0.12 + n as f32 / 19.0;
            let base = at(part, 0.36 * part * part - 0.03 * part);
            let hang = long * 0.24 * (1.1 - part);
            for side in [-0.35, 0.35] {
                c.stroke(
                    &curve(&[
                        base,
                        (base.0 + hang * (side + cos * 0.5), base.1 + hang * 0.45),
                        (base.0 + hang * (side * 1.3 + cos * 0.6), base.1 + hang),
                    ]),
                    size * 0.008,
                    solid(color),
                );
            }
        }
    }
    for (dx, dy) in [(-0.02, 0.02), (0.015, 0.03), (0.0, 0.005)] {
        c.disc((top.0 + size * dx, top.1 + size * dy), size * 0.02, color);
    }
}

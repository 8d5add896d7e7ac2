//! Scenes of towns and of the water: streets, bridges, ships.

use super::canvas::{
    At, Canvas, Rgb, circle, clear, curve, down, ellipse, gradient, mix, polygon, polyline, radial, rect, rgba, shape,
    solid, turn,
};

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

/// A skyline by night. Colors: three of the sky, the houses far and near, two of the windows, the
/// moon.
pub(super) fn city(c: &mut Canvas, p: &[Rgb]) {
    let (w, h) = (c.w, c.h);
    let shore = h * 0.76;
    c.sky(&[p[0], p[1], p[2], p[2]]);
    c.stars(130, h * 0.45);
    let moon = (w * 0.78, h * 0.17);
    c.glow(moon, h * 0.3, p[7], 0.4);
    c.disc(moon, h * 0.048, p[7]);
    c.glow((w * 0.45, shore), w * 0.7, p[5], 0.4);
    for layer in 0..3 {
        let near = layer as f32 / 2.0;
        let color = mix(p[3], p[4], near);
        let mut x = -20.0;
        while x < w {
            let wide = c.any(44.0, 105.0) * (0.7 + 0.6 * near);
            let middle = 1.0 - ((x + wide / 2.0) / w - 0.5).abs() * 1.1;
            let tall = h * c.any(0.14, 0.36) * (1.35 - 0.5 * near) * middle;
            house(c, (x, shore), (wide, tall), color, &p[5..7], near);
            x += wide + c.any(0.0, 6.0);
        }
        if layer < 2 {
            c.mist(shore - h * 0.05, h * 0.16, p[2], 0.4);
        }
    }
    c.mirror(shore, mix(p[0], 0x00_0000, 0.3), 0.72);
    for _ in 0..120 {
        let (x, part) = (c.any(0.0, w), c.any(0.0, 1.0));
        let y = shore + (h - shore) * part;
        let color = c.one_of(&[p[2], p[5], p[0], p[0]]);
        let wide = w * c.any(0.02, 0.07);
        c.fill(&ellipse(x, y, wide, 1.2 + 1.4 * part), clear(color, 0.24));
    }
    c.fill(&rect(0.0, shore - 5.0, w, 9.0), solid(mix(p[4], 0x00_0000, 0.5)));
    let mut x = 18.0;
    while x < w {
        c.glow((x, shore - 16.0), 42.0, p[5], 0.8);
        c.disc((x, shore - 16.0), 3.6, mix(p[5], 0xff_ffff, 0.6));
        c.fill(&ellipse(x, shore + 70.0, 5.0, 66.0), clear(p[5], 0.2));
        x += 74.0;
    }
    c.vignette();
}

fn house(c: &mut Canvas, (x, foot): At, (wide, tall): (f32, f32), color: Rgb, lights: &[Rgb], near: f32) {
    let top = foot - tall;
    c.fill(&rect(x, top, wide, tall), down(top, foot, &[color, mix(color, lights[0], 0.14)]));
    match c.one_of(&[0, 1, 2, 3]) {
        0 => c.fill(&rect(x + wide * 0.2, top - wide * 0.25, wide * 0.6, wide * 0.26), solid(color)),
        1 => {
            c.fill(
                &polygon(&[(x, top + 1.0), (x + wide * 0.5, top - wide * 0.5), (x + wide, top + 1.0)]),
                solid(color),
            );
            c.stroke(
                &polyline(&[(x + wide * 0.5, top - wide * 0.4), (x + wide * 0.5, top - wide * 0.95)]),
                2.4,
                solid(color),
            );
            c.disc((x + wide * 0.5, top - wide * 0.95), 2.6, 0xff_5050);
        }
        _ => {}
    }
    let (pitch_x, pitch_y) = (11.0 + 4.0 * near, 15.0 + 5.0 * near);
    let (columns, rows) = (((wide - 8.0) / pitch_x) as usize, ((tall - 12.0) / pitch_y) as usize);
    let busy = c.any(0.2, 0.62);
    let margin = (wide - columns as f32 * pitch_x) / 2.0 + pitch_x * 0.2;
    for row in 0..rows {
        for column in 0..columns {
            let at = (x + margin + column as f32 * pitch_x, top + 9.0 + row as f32 * pitch_y);
            let is_lit = c.any(0.0, 1.0) < busy;
            let (light, opacity) = (c.one_of(lights), c.any(0.45, 1.0));
            let fill = if is_lit { clear(light, opacity * (0.55 + 0.45 * near)) } else { clear(0x00_0000, 0.18) };
            c.fill(&rect(at.0, at.1, pitch_x * 0.58, pitch_y * 0.56), fill);
        }
    }
}

/// A suspension bridge. Colors: three of the sky, the hills, the bridge, the water, the lights.
pub(super) fn bridge(c: &mut Canvas, p: &[Rgb]) {
    let (w, h) = (c.w, c.h);
    let water = h * 0.74;
    c.sky(&[p[0], p[1], p[2], p[2]]);
    let sun = (w * 0.52, h * 0.62);
    c.glow(sun, h * 0.8, p[6], 0.65);
    c.disc(sun, h * 0.045, mix(p[6], 0xff_ffff, 0.5));
    for _ in 0..6 {
        let at = (c.any(0.0, w), h * c.any(0.08, 0.4));
        let size = w * c.any(0.08, 0.15);
        c.cloud(at, size, mix(p[2], 0xff_ffff, 0.3), 0.32);
    }
    for layer in 0..3 {
        let line = c.ridge(h * (0.66 + 0.025 * layer as f32), h * 0.045, w * 0.25, 3);
        c.land(&line, true, solid(mix(mix(p[3], p[2], 0.65), p[3], layer as f32 / 2.0)));
        c.mist(h * 0.72, h * 0.06, p[2], 0.6);
    }
    c.band(water, h, &[mix(p[5], p[2], 0.5), p[5]]);
    c.glitter(sun.0, (water, h), w * 0.14, p[6], 200);
    let (deck, towers) = (h * 0.6, [w * 0.2, w * 0.8]);
    let top = h * 0.17;
    let span = towers[1] - towers[0];
    let dark = mix(p[4], 0x00_0000, 0.45);
    // The cable hangs as a parabola between the towers, and straight outside.
    let cable = |x: f32| {
        if x < towers[0] {
            top + (deck - top) * (towers[0] - x) / (w * 0.3)
        } else if x > towers[1] {
            top + (deck - top) * (x - towers[1]) / (w * 0.3)
        } else {
            let part = (x - towers[0]) / span * 2.0 - 1.0;
            deck - h * 0.035 - (deck - h * 0.035 - top) * part * part
        }
    };
    let hangers = 64;
    for n in 0..=hangers {
        let x = w * n as f32 / hangers as f32;
        let y = cable(x);
        if y < deck {
            c.stroke(&polyline(&[(x, y), (x, deck)]), 1.7, clear(p[4], 0.85));
        }
    }
    for shift in [0.0, 7.0] {
        let line: Vec<At> = (0..=96).map(|n| w * n as f32 / 96.0).map(|x| (x, cable(x).min(deck) + shift)).collect();
        c.stroke(&polyline(&line), if shift > 0.0 { 2.0 } else { 5.0 }, solid(if shift > 0.0 { dark } else { p[4] }));
    }
    for x in towers {
        for side in [-1.0, 1.0] {
            let leg = x + side * 19.0;
            c.fill(
                &polygon(&[
                    (leg - 10.0, water + 6.0),
                    (leg - 7.0, top - 12.0),
                    (leg + 7.0, top - 12.0),
                    (leg + 10.0, water + 6.0),
                ]),
                gradient(
                    (leg - 10.0, 0.0),
                    (leg + 10.0, 0.0),
                    &[rgba(mix(p[4], 0xff_ffff, 0.2), 1.0), rgba(dark, 1.0)],
                ),
            );
        }
        for beam in 0..5 {
            let y = top + (deck - top) * beam as f32 / 4.4;
            c.fill(&rect(x - 24.0, y - 6.0, 48.0, 15.0), solid(mix(p[4], 0x00_0000, 0.2)));
        }
        c.fill(
            &shape(
                &[(x - 58.0, water + 26.0), (x - 48.0, water - 8.0), (x + 48.0, water - 8.0), (x + 58.0, water + 26.0)],
                &[],
            ),
            down(water - 8.0, water + 26.0, &[mix(dark, 0xff_ffff, 0.2), dark]),
        );
        c.fill(
            &rect(x - 34.0, water + 22.0, 68.0, h - water),
            gradient((0.0, water), (0.0, h), &[rgba(dark, 0.55), rgba(dark, 0.0)]),
        );
    }
    c.fill(&rect(0.0, deck, w, 17.0), down(deck, deck + 17.0, &[p[4], dark]));
    for n in 0..96 {
        let x = w * n as f32 / 96.0;
        c.stroke(
            &polyline(&[(x, deck + 17.0), (x + w / 192.0, deck + 33.0), (x + w / 96.0, deck + 17.0)]),
            1.8,
            clear(dark, 0.9),
        );
    }
    c.fill(&rect(0.0, deck + 31.0, w, 4.0), solid(dark));
    for n in 0..26 {
        let at = (w * (n as f32 + 0.5) / 26.0, deck - 7.0);
        c.glow(at, 22.0, p[6], 0.8);
        c.disc(at, 2.4, 0xff_ffff);
    }
    c.vignette();
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

/// A street between colored houses. Colors: two of the sky, the road, five of the houses, the
/// light.
pub(super) fn street(c: &mut Canvas, p: &[Rgb]) {
    let (w, h) = (c.w, c.h);
    let (vx, vy) = (w * 0.5, h * 0.56);
    c.sky(&[p[0], p[1], p[1]]);
    c.glow((vx, vy), h * 0.5, p[8], 0.75);
    c.fill(
        &polygon(&[(vx - 3.0, vy), (vx + 3.0, vy), (w * 1.3, h * 1.02), (-w * 0.3, h * 1.02)]),
        down(vy, h, &[mix(p[2], p[8], 0.4), p[2]]),
    );
    for row in 1..18 {
        let y = vy + (h - vy) / (row as f32 * 0.42 + 0.5);
        c.stroke(&polyline(&[(0.0, y), (w, y)]), 1.6, clear(0x00_0000, 0.16));
    }
    for column in -14..=14 {
        let x = |part: f32| vx + column as f32 * w * 0.075 * part;
        c.stroke(&polyline(&[(x(0.12), vy + (h - vy) * 0.12), (x(1.0), h)]), 1.6, clear(0x00_0000, 0.13));
    }
    // What stands at a depth of 1 is as large as the picture. Houses are drawn from far to near.
    let project = |x: f32, y: f32, depth: f32| (vx + (x * w - vx) / depth, vy + (y * h - vy) / depth);
    let mut depths = vec![0.62];
    while depths.len() < 11 {
        let last = depths[depths.len() - 1];
        let long = last * c.any(0.24, 0.36);
        depths.push(last + long);
    }
    for side in [0.0, 1.0] {
        let wall = if side == 0.0 { 0.03 } else { 0.97 };
        let mut before = 9;
        for pair in depths.windows(2).rev() {
            let (near, far) = (pair[0], pair[1]);
            let mut index = c.one_of(&[3, 4, 5, 6, 7]);
            if index == before {
                index = 3 + (index - 2) % 5;
            }
            before = index;
            let fog = 1.0 - (1.0 / far).min(1.0);
            let shade = if side == 0.0 { 0.0 } else { 0.22 };
            let color = mix(mix(p[index], 0x10_1030, shade), p[8], fog * 0.5);
            let top = c.any(-0.42, -0.12);
            let quad = |from: At, to: At| {
                polygon(&[
                    project(wall, from.1, from.0),
                    project(wall, to.1, from.0),
                    project(wall, to.1, to.0),
                    project(wall, from.1, to.0),
                ])
            };
            c.fill(&quad((near, 1.0), (far, top)), solid(color));
            c.fill(&quad((near, top + 0.03), (far, top - 0.03)), solid(mix(color, 0x30_1010, 0.55)));
            c.fill(&quad((near, 1.0), (far, 0.93)), solid(mix(color, 0x00_0000, 0.35)));
            let at = |part: f32| near + (far - near) * part;
            for floor in 0..4 {
                let low = 0.6 - floor as f32 * 0.25;
                if low - 0.16 < top + 0.05 {
                    continue;
                }
                for (from, to) in [(0.14, 0.36), (0.6, 0.82)] {
                    let is_lit = c.any(0.0, 1.0) < 0.4;
                    let glass = if is_lit { mix(p[8], 0xff_ffff, 0.25) } else { mix(color, 0x20_2c40, 0.65) };
                    c.fill(
                        &quad((at(from - 0.03), low + 0.015), (at(to + 0.03), low - 0.175)),
                        solid(mix(color, 0xff_ffff, 0.55)),
                    );
                    c.fill(&quad((at(from), low), (at(to), low - 0.16)), solid(glass));
                    c.fill(
                        &quad(
                            (at(f32::midpoint(from, to) - 0.012), low),
                            (at(f32::midpoint(from, to) + 0.012), low - 0.16),
                        ),
                        solid(mix(color, 0xff_ffff, 0.5)),
                    );
                    let shutter = mix(p[3 + (index + 2) % 5], 0x10_2020, 0.3);
                    c.fill(
                        &quad((at(from - 0.1), low), (at(from - 0.035), low - 0.16)),
                        solid(mix(shutter, p[8], fog * 0.5)),
                    );
                    c.fill(
                        &quad((at(to + 0.035), low), (at(to + 0.1), low - 0.16)),
                        solid(mix(shutter, p[8], fog * 0.5)),
                    );
                }
            }
            c.fill(&quad((at(0.4), 0.94), (at(0.58), 0.7)), solid(mix(color, 0x30_1808, 0.7)));
            let awning = c.one_of(&[p[3], p[4], p[5]]);
            let out = if side == 0.0 { 0.06 } else { -0.06 };
            if c.any(0.0, 1.0) < 0.55 {
                let roof = [
                    project(wall, 0.66, at(0.05)),
                    project(wall, 0.66, at(0.95)),
                    project(wall + out, 0.73, at(0.95)),
                    project(wall + out, 0.73, at(0.05)),
                ];
                c.fill(&polygon(&roof), solid(mix(awning, 0xff_ffff, 0.2)));
            }
        }
    }
    for depth in [2.6, 1.7, 1.15] {
        let (from, to) = (project(0.03, 0.02, depth), project(0.97, 0.02, depth));
        let low = project(0.5, 0.13, depth);
        let line = [
            from,
            (f32::midpoint(from.0, low.0), low.1 - (low.1 - from.1) * 0.25),
            low,
            (f32::midpoint(to.0, low.0), low.1 - (low.1 - from.1) * 0.25),
            to,
        ];
        c.stroke(&curve(&line), 2.6 / depth, clear(0x20_2020, 0.9));
        for n in 1..14 {
            let part = n as f32 / 14.0;
            let sag = 4.0 * part * (1.0 - part);
            let at = (from.0 + (to.0 - from.0) * part, from.1 + (low.1 - from.1) * sag + 7.0 / depth);
            c.glow(at, 34.0 / depth, p[8], 0.9);
            c.disc(at, 6.0 / depth, mix(p[8], 0xff_ffff, 0.7));
        }
    }
    for (x, depth, coat) in [(0.44, 4.0, p[3]), (0.57, 3.0, p[5]), (0.4, 2.3, p[6])] {
        let (foot, head) = (project(x, 1.0, depth), project(x, 0.66, depth));
        let tall = foot.1 - head.1;
        c.fill(&ellipse(foot.0, foot.1, tall * 0.22, tall * 0.035), clear(0x00_0000, 0.35));
        c.stroke(
            &polyline(&[(foot.0 - tall * 0.05, foot.1), (foot.0 - tall * 0.03, foot.1 - tall * 0.4)]),
            tall * 0.07,
            solid(0x20_2430),
        );
        c.stroke(
            &polyline(&[(foot.0 + tall * 0.06, foot.1), (foot.0 + tall * 0.03, foot.1 - tall * 0.4)]),
            tall * 0.07,
            solid(0x20_2430),
        );
        c.fill(
            &shape(
                &[
                    (foot.0 - tall * 0.13, foot.1 - tall * 0.34),
                    (foot.0 - tall * 0.12, foot.1 - tall * 0.7),
                    (foot.0, foot.1 - tall * 0.8),
                    (foot.0 + tall * 0.12, foot.1 - tall * 0.7),
                    (foot.0 + tall * 0.13, foot.1 - tall * 0.34),
                ],
                &[],
            ),
            solid(mix(coat, 0x20_1020, 0.35)),
        );
        c.disc((foot.0, foot.1 - tall * 0.88), tall * 0.085, 0x50_342a);
    }
    c.vignette();
}

/// The umbrellas of a market from above. Colors: the ground, and six of the umbrellas.
pub(super) fn market(c: &mut Canvas, p: &[Rgb]) {
    let (w, h) = (c.w, c.h);
    c.sky(&[p[0], mix(p[0], 0x00_0000, 0.1)]);
    let tile = 46.0;
    for row in 0..=(h / tile) as usize {
        for column in 0..(w / tile) as usize + 2 {
            let shift = if row % 2 == 0 { 0.0 } else { tile / 2.0 };
            let tone = mix(p[0], c.one_of(&[0xff_ffff, 0x00_0000]), c.any(0.0, 0.1));
            c.fill(
                &rect(column as f32 * tile - shift + 1.5, row as f32 * tile + 1.5, tile - 3.0, tile - 3.0),
                solid(tone),
            );
        }
    }
    for _ in 0..36 {
        let (x, y) = (c.any(0.0, w), c.any(0.0, h));
        let (coat, hair) = (c.one_of(&p[1..7]), c.one_of(&[0x3a_2820, 0x1c_1614, 0x7a_5230, 0xc8_a878]));
        c.fill(&ellipse(x + 15.0, y + 17.0, 20.0, 11.0), clear(0x00_0000, 0.3));
        c.fill(&ellipse(x, y, 20.0, 12.0), solid(mix(coat, 0x20_2030, 0.3)));
        c.disc((x, y - 1.0), 8.5, hair);
    }
    let pitch = 232.0;
    for row in 0..(h / pitch) as usize + 2 {
        for column in 0..(w / pitch) as usize + 2 {
            if c.any(0.0, 1.0) < 0.13 {
                continue;
            }
            let shift = if row % 2 == 0 { 0.0 } else { pitch * 0.5 };
            let at =
                (column as f32 * pitch - shift + c.any(-24.0, 24.0), row as f32 * pitch * 0.9 + c.any(-22.0, 22.0));
            let (r, colors) = (c.any(92.0, 122.0), [c.one_of(&p[1..7]), c.one_of(&[0xf8_f2e4, p[1], p[3]])]);
            umbrella(c, at, r, colors);
        }
    }
    c.vignette();
}

/// Draws an umbrella from above, lit from the top left.
pub(super) fn umbrella(c: &mut Canvas, (x, y): At, r: f32, colors: [Rgb; 2]) {
    let (parts, start) = (8, c.any(0.0, 1.0));
    let edge = |part: f32, r: f32, (x, y): At| {
        let (cos, sin) = turn(start + part / parts as f32);
        (x + cos * r, y + sin * r)
    };
    let around: Vec<At> = (0..parts).map(|n| edge(n as f32, r, (x + r * 0.3, y + r * 0.36))).collect();
    c.fill(&polygon(&around), clear(0x00_0010, 0.3));
    for part in 0..parts {
        let (a, b) = (edge(part as f32, r, (x, y)), edge(part as f32 + 1.0, r, (x, y)));
        let valance = edge(part as f32 + 0.5, r * 0.9, (x, y));
        let middle = (f32::midpoint(a.0, b.0) - x, f32::midpoint(a.1, b.1) - y);
        // The lower right half is turned away from the light.
        let away = ((middle.0 + middle.1) / r / 1.3).clamp(-1.0, 1.0);
        let color = colors[part % 2];
        let tone = if away > 0.0 { mix(color, 0x10_0828, 0.3 * away) } else { mix(color, 0xff_ffff, -0.22 * away) };
        let outline = shape(&[a, valance, b], &[(x, y)]);
        c.fill(&outline, gradient((x, y), valance, &[rgba(mix(tone, 0xff_ffff, 0.12), 1.0), rgba(tone, 1.0)]));
        c.stroke(&polyline(&[(x, y), a]), r * 0.012, clear(0x00_0000, 0.22));
    }
    c.disc((x, y), r * 0.045, 0xf4_f0e6);
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

/// Paper lanterns over a street by night. Colors: two of the night, three of the lanterns, the
/// houses.
pub(super) fn lanterns(c: &mut Canvas, p: &[Rgb]) {
    let (w, h) = (c.w, c.h);
    c.sky(&[p[0], p[1], mix(p[1], p[2], 0.35)]);
    c.stars(80, h * 0.5);
    for side in [-1.0, 1.0] {
        for house in 0..3 {
            let near = house as f32 / 2.0;
            let edge = w * (0.5 + side * (0.16 + 0.14 * near));
            let top = h * (0.46 - 0.17 * near) + c.any(-20.0, 20.0);
            let color = mix(mix(p[5], p[2], 0.2), p[5], near);
            let (from, to) = if side < 0.0 { (-20.0, edge) } else { (edge, w + 20.0) };
            c.fill(&rect(from, top, to - from, h), solid(color));
            let eave = edge - side * w * 0.05;
            c.fill(
                &shape(
                    &[
                        (eave, top + h * 0.012),
                        (edge + side * w * 0.06, top - h * 0.035),
                        (edge + side * w * 0.35, top - h * 0.085),
                    ],
                    &[(edge + side * w * 0.35, top + h * 0.012)],
                ),
                solid(mix(color, 0x00_0000, 0.5)),
            );
            for floor in 0..4 {
                let y = top + h * (0.05 + 0.14 * floor as f32);
                for n in 0..2 {
                    let x = edge + side * w * (0.02 + 0.06 * n as f32) - if side < 0.0 { w * 0.04 } else { 0.0 };
                    c.fill(&rect(x, y, w * 0.04, h * 0.075), clear(mix(p[2], p[3], 0.5), 0.5 + 0.3 * near));
                    c.stroke(&polyline(&[(x + w * 0.02, y), (x + w * 0.02, y + h * 0.075)]), 3.0, solid(color));
                    c.stroke(&polyline(&[(x, y + h * 0.037), (x + w * 0.04, y + h * 0.037)]), 3.0, solid(color));
                }
            }
        }
    }
    c.fill(
        &polygon(&[(w * 0.36, h * 0.82), (w * 0.64, h * 0.82), (w * 1.2, h * 1.01), (-w * 0.2, h * 1.01)]),
        down(h * 0.8, h, &[mix(p[2], p[5], 0.5), mix(p[5], 0x00_0000, 0.3)]),
    );
    for (string, (y, size)) in [(0.3, 0.032), (0.22, 0.045), (0.12, 0.064), (0.0, 0.09)].into_iter().enumerate() {
        let (left, right, sag) = (h * y, h * (y + 0.03), h * (0.07 + 0.02 * string as f32));
        let at = |part: f32| (w * part, left + (right - left) * part + sag * 4.0 * part * (1.0 - part));
        let line: Vec<At> = (0..=20).map(|n| at(n as f32 / 20.0)).collect();
        c.stroke(&polyline(&line), 2.0 + string as f32 * 0.6, clear(0x10_0808, 0.9));
        let number = 9 - string;
        for n in 0..number {
            let (x, top) = at((n as f32 + 0.5) / number as f32);
            let r = w.min(h) * size;
            let color = p[2 + (n + string) % 3];
            lantern(c, (x, top + r * 1.15), r, color);
        }
    }
    for n in 0..9 {
        let (x, tall) = (w * (0.2 + 0.075 * n as f32) + c.any(-20.0, 20.0), h * c.any(0.15, 0.21));
        let foot = h * 1.01;
        let color = mix(p[5], 0x00_0000, 0.72);
        c.fill(
            &shape(
                &[
                    (x - tall * 0.2, foot),
                    (x - tall * 0.19, foot - tall * 0.55),
                    (x - tall * 0.08, foot - tall * 0.72),
                    (x + tall * 0.08, foot - tall * 0.72),
                    (x + tall * 0.19, foot - tall * 0.55),
                    (x + tall * 0.2, foot),
                ],
                &[],
            ),
            solid(color),
        );
        c.disc((x, foot - tall * 0.85), tall * 0.12, color);
    }
    c.vignette();
}

fn lantern(c: &mut Canvas, (x, y): At, r: f32, color: Rgb) {
    c.glow((x, y), r * 3.0, color, 0.6);
    c.fill(
        &ellipse(x, y, r, r * 0.88),
        radial(
            (x, y + r * 0.15),
            r * 1.15,
            &[
                rgba(mix(color, 0xff_f6d8, 0.85), 1.0),
                rgba(mix(color, 0xff_e0a0, 0.4), 1.0),
                rgba(color, 1.0),
                rgba(mix(color, 0x40_0000, 0.4), 1.0),
            ],
        ),
    );
    for rib in [-0.75, -0.42, 0.0, 0.42, 0.75] {
        c.stroke(&curve(&[(x, y - r * 0.86), (x + r * rib, y), (x, y + r * 0.86)]), r * 0.022, clear(0x50_1408, 0.35));
    }
    c.fill(&rect(x - r * 0.32, y - r * 0.98, r * 0.64, r * 0.16), solid(0x2a_1410));
    c.fill(&rect(x - r * 0.32, y + r * 0.82, r * 0.64, r * 0.16), solid(0x2a_1410));
    for dx in [-0.1, 0.0, 0.1] {
        c.stroke(
            &polyline(&[(x + r * dx, y + r * 0.95), (x + r * dx * 1.6, y + r * 1.5)]),
            r * 0.035,
            solid(mix(color, 0xff_d080, 0.4)),
        );
    }
}

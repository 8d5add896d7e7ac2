//! Scenes of a city: towers and a bridge.

use super::canvas::{
    At, Canvas, Rgb, clear, down, ellipse, gradient, mix, polygon, polyline, rect, rgba, shape, solid,
};

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

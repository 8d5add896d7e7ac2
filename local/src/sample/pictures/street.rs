//! Scenes of streets and a market.

use super::canvas::{
    At, Canvas, Rgb, clear, curve, down, ellipse, gradient, mix, polygon, polyline, radial, rect, rgba, shape, solid,
    turn,
};

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

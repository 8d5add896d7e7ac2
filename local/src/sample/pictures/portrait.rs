//! Portraits.

use super::canvas::{
    At, Canvas, Rgb, blob, circle, clear, curve, down, ellipse, gradient, mix, polyline, radial, rect, rgba, shape,
    solid, turn,
};

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

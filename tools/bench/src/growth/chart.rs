//! The chart of warm latencies by table size, as SVG.

use std::path::Path;

use anyhow::Result;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

// Pixels.
const ROW_HEIGHT: i32 = 18;
const LEFT: i32 = 230;
const RIGHT: i32 = 640;
const WIDTH: i32 = 900;
const TOP: i32 = 80;

/// The colors of the table sizes, in ascending order.
const COLORS: [RGBColor; 3] = [RGBColor(144, 202, 249), RGBColor(30, 136, 229), RGBColor(13, 44, 110)];
const GRID: RGBColor = RGBColor(224, 224, 224);
const GROWING: RGBColor = RGBColor(198, 40, 40);

/// The row of one function.
pub(super) struct Row<'a> {
    pub(super) name: &'a str,
    /// The median latency at each size in milliseconds.
    pub(super) milliseconds: &'a [f64],
    /// The last median divided by the first.
    pub(super) ratio: f64,
    /// Whether neither the latency nor any other figure grows with the tables.
    pub(super) is_flat: bool,
    /// The names of the figures other than the latency that differ between sizes.
    pub(super) growing: String,
}

/// Draws a row for each function with a point for each size, on a logarithmic axis. `items` names the sizes.
pub(super) fn draw(file: &Path, items: &[String], rows: &[Row]) -> Result<()> {
    let bottom = TOP + i32::try_from(rows.len())? * ROW_HEIGHT;
    let area = SVGBackend::new(file, (u32::try_from(WIDTH)?, u32::try_from(bottom + 20)?)).into_drawing_area();
    area.fill(&WHITE)?;
    let text = |size: i32, position: HPos, color: &RGBColor| {
        ("sans-serif", size).into_font().color(color).pos(Pos::new(position, VPos::Center))
    };
    let title = "Warm latency of every function on tables of increasing size, in ms (median)";
    area.draw(&Text::new(title, (10, 16), text(15, HPos::Left, &BLACK)))?;
    for ((items, color), x) in items.iter().zip(COLORS).zip((16..).step_by(130)) {
        area.draw(&Circle::new((x, 40), 4, color.filled()))?;
        area.draw(&Text::new(format!("{items} items"), (x + 10, 40), text(12, HPos::Left, &BLACK)))?;
    }
    let legend = "×: median at the last size ÷ at the first; red: the figures named grow with the tables";
    area.draw(&Text::new(legend, (420, 40), text(12, HPos::Left, &BLACK)))?;

    let all = || rows.iter().flat_map(|row| row.milliseconds).copied();
    let (min, max) = (all().fold(f64::INFINITY, f64::min) / 1.2, all().fold(0.0, f64::max) * 1.2);
    #[expect(clippy::cast_possible_truncation, reason = "a pixel is a whole number")]
    let x = |milliseconds: f64| LEFT + (f64::from(RIGHT - LEFT) * (milliseconds / min).ln() / (max / min).ln()) as i32;
    let decades = (-3..6).map(|power| 10_f64.powi(power));
    for tick in decades.flat_map(|decade| [1.0, 2.0, 5.0].map(|step| step * decade)) {
        if (min..max).contains(&tick) {
            area.draw(&PathElement::new([(x(tick), TOP - 4), (x(tick), bottom)], GRID))?;
            area.draw(&Text::new(tick.to_string(), (x(tick), TOP - 12), text(11, HPos::Center, &BLACK)))?;
        }
    }
    for (row, y) in rows.iter().zip((TOP + ROW_HEIGHT / 2..).step_by(usize::try_from(ROW_HEIGHT)?)) {
        let color = if row.is_flat { BLACK } else { GROWING };
        area.draw(&Text::new(row.name.to_owned(), (LEFT - 8, y), text(12, HPos::Right, &color)))?;
        let points: Vec<(i32, i32)> = row.milliseconds.iter().map(|&milliseconds| (x(milliseconds), y)).collect();
        area.draw(&PathElement::new(points.clone(), COLORS[0]))?;
        for (point, color) in points.into_iter().zip(COLORS) {
            area.draw(&Circle::new(point, 4, color.filled()))?;
        }
        let ratio = format!("× {:.2}", row.ratio);
        area.draw(&Text::new(ratio, (RIGHT + 10, y), text(11, HPos::Left, &color)))?;
        area.draw(&Text::new(row.growing.clone(), (RIGHT + 70, y), text(11, HPos::Left, &color)))?;
    }
    area.present()?;
    Ok(())
}

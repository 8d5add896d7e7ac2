//! The chart of cold starts, as SVG.

use std::path::Path;

use anyhow::Result;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

// Pixels.
const ROW_HEIGHT: i32 = 18;
const LEFT: i32 = 230;
const WIDTH: i32 = 900;
const TOP: i32 = 70;

const START_UP: RGBColor = RGBColor(120, 144, 156);
const FIRST_REQUEST: RGBColor = RGBColor(230, 126, 34);

/// The bar of one function. The times are in milliseconds.
pub(super) struct Bar {
    pub(super) name: String,
    pub(super) start_up: f64,
    pub(super) first_request: f64,
    /// The 90th percentile of the cold start, where the line after the bar ends.
    pub(super) p90: f64,
}

/// Draws a bar for each function, divided into start-up and first request, and a dashed line at the goal in
/// milliseconds.
pub(super) fn draw(file: &Path, title: &str, goal: f64, bars: &[Bar]) -> Result<()> {
    let rows = i32::try_from(bars.len())?;
    let height = TOP + rows * ROW_HEIGHT + 20;
    let area = SVGBackend::new(file, (u32::try_from(WIDTH)?, u32::try_from(height)?)).into_drawing_area();
    area.fill(&WHITE)?;
    let text = |size: i32, position: HPos| {
        ("sans-serif", size).into_font().color(&BLACK).pos(Pos::new(position, VPos::Center))
    };
    area.draw(&Text::new(title.to_owned(), (10, 16), text(15, HPos::Left)))?;
    for (x, color, name) in [(10, START_UP, "start-up"), (100, FIRST_REQUEST, "first request")] {
        area.draw(&Rectangle::new([(x, 34), (x + 12, 46)], color.filled()))?;
        area.draw(&Text::new(name, (x + 18, 40), text(12, HPos::Left)))?;
    }
    area.draw(&Text::new("black line: up to the 90th percentile; dashed line: goal", (220, 40), text(12, HPos::Left)))?;

    let max = bars.iter().map(|bar| bar.p90).fold(goal, f64::max) * 1.1;
    #[expect(clippy::cast_possible_truncation, reason = "a pixel is a whole number")]
    let x = |milliseconds: f64| LEFT + (f64::from(WIDTH - LEFT - 60) * milliseconds / max) as i32;
    let bottom = TOP + rows * ROW_HEIGHT;
    for y in (TOP - 10..bottom).step_by(8) {
        area.draw(&PathElement::new([(x(goal), y), (x(goal), y + 4)], RED))?;
    }
    for (bar, row) in bars.iter().zip(0..) {
        let y = TOP + row * ROW_HEIGHT;
        let middle = y + ROW_HEIGHT / 2;
        let sum = bar.start_up + bar.first_request;
        area.draw(&Text::new(bar.name.clone(), (LEFT - 8, middle), text(12, HPos::Right)))?;
        let part =
            |from, to, color: RGBColor| Rectangle::new([(x(from), y + 3), (x(to), y + ROW_HEIGHT - 3)], color.filled());
        area.draw(&part(0.0, bar.start_up, START_UP))?;
        area.draw(&part(bar.start_up, sum, FIRST_REQUEST))?;
        area.draw(&PathElement::new([(x(sum), middle), (x(bar.p90), middle)], BLACK))?;
        area.draw(&Text::new(format!("{sum:.1}"), (x(bar.p90) + 6, middle), text(11, HPos::Left)))?;
    }
    area.present()?;
    Ok(())
}

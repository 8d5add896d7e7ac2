//! Charts, as SVG.

use std::error::Error;
use std::path::Path;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

const ROW: i32 = 18;
const LEFT: i32 = 230;
const WIDTH: i32 = 900;
const TOP: i32 = 70;
const START_UP: RGBColor = RGBColor(120, 144, 156);
const FIRST_REQUEST: RGBColor = RGBColor(230, 126, 34);

/// A bar of two parts.
pub(crate) struct Bar {
    pub(crate) name: String,
    pub(crate) start_up: f64,
    pub(crate) first_request: f64,
    /// Where nine of ten ended.
    pub(crate) p90: f64,
}

/// Cold starts: a bar of two parts for each function, in milliseconds, and a line at the goal.
pub(crate) fn cold_starts(file: &Path, title: &str, goal: f64, bars: &[Bar]) -> Result<(), Box<dyn Error>> {
    let rows = i32::try_from(bars.len())?;
    let height = TOP + rows * ROW + 20;
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
    area.draw(&Text::new("whisker: nine of ten; dashed: the goal", (220, 40), text(12, HPos::Left)))?;

    let most = bars.iter().map(|bar| bar.p90).fold(goal, f64::max) * 1.1;
    #[expect(clippy::cast_possible_truncation, reason = "pixels of a chart")]
    let x = |milliseconds: f64| LEFT + (f64::from(WIDTH - LEFT - 60) * milliseconds / most) as i32;
    let bottom = TOP + rows * ROW;
    for y in (TOP - 10..bottom).step_by(8) {
        area.draw(&PathElement::new([(x(goal), y), (x(goal), y + 4)], RED))?;
    }
    for (bar, row) in bars.iter().zip(0..) {
        let y = TOP + row * ROW;
        let sum = bar.start_up + bar.first_request;
        area.draw(&Text::new(bar.name.clone(), (LEFT - 8, y + ROW / 2), text(12, HPos::Right)))?;
        let part = |from, to, color: RGBColor| Rectangle::new([(x(from), y + 3), (x(to), y + ROW - 3)], color.filled());
        area.draw(&part(0.0, bar.start_up, START_UP))?;
        area.draw(&part(bar.start_up, sum, FIRST_REQUEST))?;
        area.draw(&PathElement::new([(x(sum), y + ROW / 2), (x(bar.p90), y + ROW / 2)], BLACK))?;
        area.draw(&Text::new(format!("{sum:.1}"), (x(bar.p90) + 6, y + ROW / 2), text(11, HPos::Left)))?;
    }
    area.present()?;
    Ok(())
}

//! Pictures that are drawn by code.

/// Returns the pixels of something like a photo: shapes of every size, from the whole picture down
/// to a few pixels, and the grain of a sensor. `grain` is the height of the grain.
pub(crate) fn photo(width: usize, height: usize, grain: f32) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(1);
    let octaves: Vec<_> = [(4, 60.0), (16, 45.0), (64, 32.0), (256, 16.0), (1000, 9.0)]
        .into_iter()
        .map(|(cells, contrast)| Octave::new(&mut random, cells, contrast))
        .collect();
    let mut pixels = Vec::with_capacity(width * height * 3);
    for y in 0..height {
        for x in 0..width {
            let noise = (random.f32() + random.f32() - 1.0) * grain;
            for channel in 0..3 {
                let light: f32 = octaves.iter().map(|octave| octave.at(x, y, width.max(height), channel)).sum();
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the value is clamped")]
                pixels.push((light + noise + 128.0).clamp(0.0, 255.0) as u8);
            }
        }
    }
    pixels
}

/// Random values on a square grid, between which the picture changes evenly.
pub(crate) struct Octave {
    cells: usize,
    values: Vec<[f32; 3]>,
}

impl Octave {
    pub(crate) fn new(random: &mut fastrand::Rng, cells: usize, contrast: f32) -> Self {
        let value = |random: &mut fastrand::Rng| (random.f32() + random.f32() - 1.0) * 2.0 * contrast;
        let values = (0..(cells + 2) * (cells + 2)).map(|_| [value(random), value(random), value(random)]).collect();
        Self { cells, values }
    }

    #[expect(clippy::cast_precision_loss, reason = "the numbers of pixels are small")]
    pub(crate) fn at(&self, x: usize, y: usize, side: usize, channel: usize) -> f32 {
        let position = |at: usize| (at * self.cells / side, (at * self.cells % side) as f32 / side as f32);
        let ((column, right), (row, below)) = (position(x), position(y));
        let value = |column: usize, row: usize| self.values[row * (self.cells + 2) + column][channel];
        let top = value(column, row) * (1.0 - right) + value(column + 1, row) * right;
        let bottom = value(column, row + 1) * (1.0 - right) + value(column + 1, row + 1) * right;
        top * (1.0 - below) + bottom * below
    }
}

//! The limits of uploads, and the sizes of the pictures that are made of them.

/// The maximum number of pixels of an upload, width × height.
pub const MAX_PIXELS: u64 = 64_000_000;
/// The maximum width and height of an upload in pixels. It is that of libjpeg, with which browsers
/// decode the results; a JPEG itself could have 65,535.
pub const MAX_SIDE: u32 = 65_500;
/// The maximum width of the large size, in pixels.
pub const LARGE_WIDTH: u32 = 1600;
/// The maximum width of the medium size, in pixels: a phone that is 390 points wide has 780 or
/// 1,170 pixels.
pub const MEDIUM_WIDTH: u32 = 800;
/// The maximum width of the small size, in pixels: a column of a grid of three on a phone.
pub const SMALL_WIDTH: u32 = 440;
/// The quality of all sizes on the scale from 1 to 100 of the Independent JPEG Group. It is the
/// default of sharp; Pillow's is 75.
pub const QUALITY: u8 = 80;

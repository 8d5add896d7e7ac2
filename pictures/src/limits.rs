//! The limits of uploads, and the sizes of the pictures that are made of them.

/// The maximum number of pixels of an upload, width × height.
pub const MAX_PIXELS: u64 = 64_000_000;
/// The maximum width and height of an upload in pixels. It is that of libjpeg, with which browsers
/// decode the results; a JPEG itself could have 65,535.
pub const MAX_SIDE: u32 = 65_500;
/// The maximum width of the large size, in pixels.
pub const LARGE_WIDTH: u32 = 1600;
/// The maximum width of the small size, in pixels.
pub const SMALL_WIDTH: u32 = 320;
/// The quality of both sizes on the scale from 1 to 100 of the Independent JPEG Group. It is the
/// default of sharp; Pillow's is 75.
pub const QUALITY: u8 = 80;

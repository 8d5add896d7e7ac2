//! Fuzzes the processing of pictures: passes arbitrary bytes as an upload. No input may cause a
//! panic or take too long, and what is accepted must come out within the limits. The seeds have
//! files of each format that ask for much work.
//!
//! To run 100,000 inputs, install `cargo-fuzz` and start it in the root of the repository:
//!
//! ```sh
//! cargo run --package pictures --example seeds fuzz/corpus/pictures
//! RUSTC_BOOTSTRAP=1 cargo fuzz run pictures -- -runs=100000 -rss_limit_mb=4096
//! ```
//!
//! The nightly compiler does not need `RUSTC_BOOTSTRAP`.
#![no_main]

use std::time::{Duration, Instant};

use libfuzzer_sys::fuzz_target;
use pictures::{LARGE_WIDTH, process};

/// The time that no input may take. It is ten seconds without the sanitizer and the checks of a
/// debug build, with which the decoders take about six times as long.
const TIMEOUT: Duration = Duration::from_secs(60);

fuzz_target!(|bytes: &[u8]| {
    let begin = Instant::now();
    let outcome = process(bytes);
    assert!(begin.elapsed() < TIMEOUT, "it took {:?}", begin.elapsed());
    if let Ok(processed) = outcome {
        assert!((1..=LARGE_WIDTH).contains(&processed.width) && processed.height > 0);
        assert!(processed.largest().starts_with(b"\xff\xd8") && processed.small.ends_with(b"\xff\xd9"));
    }
});

//! Fuzzes the parsers of documents: passes arbitrary bytes as a document and as a patch, in both
//! formats. No input may cause a panic, and a document must be unchanged after it is written and
//! parsed again.
//!
//! To run a million inputs, install `cargo-fuzz` and start it in the root of the repository:
//!
//! ```sh
//! mkdir -p fuzz/corpus/document
//! RUSTC_BOOTSTRAP=1 cargo fuzz run document fuzz/corpus/document fuzz/seeds -- -runs=1000000 -dict=fuzz/document.dict
//! ```
//!
//! The nightly compiler does not need `RUSTC_BOOTSTRAP`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shared::document::{apply, patch, read, size, write};
use shared::dynamodb::Item;
use shared::values::DocumentFormat;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = str::from_utf8(bytes) else { return };
    for &format in DocumentFormat::ALL {
        if let Ok(item) = read(format, text) {
            assert_round_trip(format, &item);
        }
        if let Ok(changes) = patch(format, text) {
            let once = apply(&changes, Item::new());
            assert_eq!(apply(&changes, once.clone()), once);
            assert_round_trip(format, &once);
        }
    }
});

/// Asserts that an item is unchanged after a round trip as a document and as a patch, and that its
/// size is not larger than its DynamoDB JSON.
fn assert_round_trip(format: DocumentFormat, item: &Item) {
    let written = |format, item: &Item| write(format, item).expect("a parsed item can be written").get().to_owned();
    assert_eq!(read(format, &written(format, item)).as_ref(), Ok(item));
    let typed = written(DocumentFormat::DynamoDb, item);
    assert_eq!(read(DocumentFormat::DynamoDb, &typed).as_ref(), Ok(item));
    let changes = patch(DocumentFormat::DynamoDb, &typed).expect("a document is also a patch");
    assert_eq!(apply(&changes, Item::new()), *item);
    assert!(size(item) <= typed.len());

    // The first round trip through plain JSON turns sets into lists and binary values into strings.
    // The second changes nothing.
    let plain = written(DocumentFormat::Json, item);
    let shown = read(DocumentFormat::Json, &plain).expect("a written document can be parsed");
    assert_eq!(written(DocumentFormat::Json, &shown), plain);
}

//! Any bytes to the codec of documents: as a document and as a patch, in both forms. Nothing may panic, and what was read
//! is the same when it was written and read again.
//!
//! A million inputs, from the root of the repository, after `cargo install cargo-fuzz`:
//!
//! ```sh
//! mkdir -p fuzz/corpus/document
//! RUSTC_BOOTSTRAP=1 cargo fuzz run document fuzz/corpus/document fuzz/seeds -- -runs=1000000 -dict=fuzz/document.dict
//! ```
//!
//! With the nightly compiler it needs no `RUSTC_BOOTSTRAP`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shared::document::{apply, patch, read, size, write};
use shared::dynamodb::Item;
use shared::values::DocumentFormat;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = str::from_utf8(bytes) else { return };
    for &form in DocumentFormat::ALL {
        if let Ok(item) = read(form, text) {
            comes_back(form, &item);
        }
        if let Ok(changes) = patch(form, text) {
            let once = apply(&changes, Item::new());
            assert_eq!(apply(&changes, once.clone()), once);
            comes_back(form, &once);
        }
    }
});

fn comes_back(form: DocumentFormat, item: &Item) {
    let written = |form, item: &Item| write(form, item).expect("an item that was read").get().to_owned();
    assert_eq!(read(form, &written(form, item)).as_ref(), Ok(item));
    let typed = written(DocumentFormat::DynamoDb, item);
    assert_eq!(read(DocumentFormat::DynamoDb, &typed).as_ref(), Ok(item));
    let changes = patch(DocumentFormat::DynamoDb, &typed).expect("a patch of all that there is");
    assert_eq!(apply(&changes, Item::new()), *item);
    assert!(size(item) <= typed.len());

    // Plain JSON turns sets into lists and binary into strings, once.
    let plain = written(DocumentFormat::Json, item);
    let shown = read(DocumentFormat::Json, &plain).expect("what was written");
    assert_eq!(written(DocumentFormat::Json, &shown), plain);
}

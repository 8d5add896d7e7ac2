//! An example of a function that process-photo asks about pictures: it refuses those of one colour.
//!
//! `cargo run -- --parameter ModerationFunction=refuse-plain-pictures` starts the stack with it.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use jpeg_decoder::Decoder;
use serde_json::{Value, json};

/// The name of the function.
pub(crate) const FUNCTION: &str = "refuse-plain-pictures";

/// The maximum difference of two bytes of a picture of one colour. The compression changes them a
/// little.
const MAX_DIFFERENCE: u8 = 8;

/// Returns the answer about the picture of a question, or `None` if the question has no JPEG.
pub(crate) fn answer(question: &Value) -> Option<Value> {
    let file = STANDARD.decode(question["picture"].as_str()?).ok()?;
    let mut decoder = Decoder::new(file.as_slice());
    let bytes = decoder.decode().ok()?;
    let channels = decoder.info()?.pixel_format.pixel_bytes();
    let is_plain = (0..channels).all(|channel| {
        let values = || bytes.iter().skip(channel).step_by(channels);
        values().max().zip(values().min()).is_some_and(|(max, min)| max - min <= MAX_DIFFERENCE)
    });
    Some(if is_plain { json!({"decision": "refuse", "reason": "other"}) } else { json!({"decision": "accept"}) })
}

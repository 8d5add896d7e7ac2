//! The end of a function's loop. Lambda freezes or kills an idle function; the [runtime interface
//! emulator](https://docs.aws.amazon.com/lambda/latest/dg/images-test.html) that `sam local invoke`
//! runs ends by itself, while the function waits for its next event.

use hyper_util::client::legacy;
use lambda_runtime::Error;

/// Returns the outcome of a loop that has ended. It is a success if the Runtime API has closed a
/// connection on which the loop was waiting, and an error otherwise, for example if there is no
/// Runtime API.
pub(super) fn outcome(ended: Result<(), Error>) -> Result<(), Error> {
    ended.or_else(|error| match error.downcast_ref::<legacy::Error>() {
        Some(error) if !error.is_connect() => Ok(()),
        _ => Err(error),
    })
}

//! The answer of a push service.

/// The time for which a service keeps a message for a device that is not connected, in seconds.
pub(super) const TTL_SECONDS: i32 = 24 * 60 * 60;

/// The answer of a push service to a message.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Accepted,
    /// The device gets no more messages.
    Gone,
    /// The service refuses the message, and would refuse it again.
    Refused(String),
    /// The service did not take the message. Another attempt may succeed.
    Busy(String),
    /// Nobody knows whether the service took the message.
    Unknown(String),
}

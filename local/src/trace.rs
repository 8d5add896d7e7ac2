//! [Trace
//! ids](https://docs.aws.amazon.com/xray/latest/devguide/xray-concepts.html#xray-concepts-tracingheader)
//! of AWS X-Ray. A request of the API, its function and the requests of this function to DynamoDB
//! have one trace id.

use std::fmt;
use std::sync::Arc;

use time::OffsetDateTime;
use uuid::Uuid;

/// The header with the trace id of a request.
pub const TRACE_HEADER: &str = "x-amzn-trace-id";

/// A trace id, such as `1-67891233-abcdef012345678912345678`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Trace(Arc<str>);

impl Trace {
    /// Starts a new trace.
    #[must_use]
    pub fn start() -> Self {
        let random = Uuid::new_v4().simple().to_string();
        Self(format!("1-{:08x}-{}", OffsetDateTime::now_utc().unix_timestamp(), &random[..24]).into())
    }

    /// Returns the trace id in the value of a trace header, such as
    /// `Root=1-67891233-abcdef012345678912345678;Sampled=0`.
    #[must_use]
    pub fn from_header(value: &str) -> Option<Self> {
        value.split(';').find_map(|part| part.trim().strip_prefix("Root=")).map(|root| Self(root.into()))
    }

    /// Returns the value of a trace header.
    #[must_use]
    pub fn header(&self) -> String {
        format!("Root={self}")
    }

    /// Returns the value of the header `Lambda-Runtime-Trace-Id` of an invocation.
    #[must_use]
    pub fn invocation_header(&self) -> String {
        let parent = &Uuid::new_v4().simple().to_string()[..16];
        format!("Root={self};Parent={parent};Sampled=0")
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_carry_the_trace() {
        let trace = Trace::start();
        assert_ne!(trace, Trace::start());
        assert_eq!(trace.to_string().len(), 35);
        for header in [trace.header(), trace.invocation_header(), format!("Self=1-2; {}", trace.header())] {
            assert_eq!(Trace::from_header(&header), Some(trace.clone()), "{header}");
        }
        assert_eq!(Trace::from_header("Parent=1"), None);
    }
}

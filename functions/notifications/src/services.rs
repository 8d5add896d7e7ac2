//! The push services to which a deployment sends.

use std::str::FromStr;

use lambda_http::http::Uri;
use shared::entities::Address;
use shared::{Error, Process, StartError};

/// The push services.
pub(crate) struct Services {
    /// The origins that the endpoint of a browser may have.
    origins: Vec<Origin>,
    /// Whether pushes go to phones.
    has_phones: bool,
}

/// An origin such as `https://fcm.googleapis.com`, or `https://*.push.apple.com` for all hosts below
/// one.
struct Origin(String);

impl Services {
    /// Reads the origins, with spaces between them, from the environment variable `WEB_PUSH_SERVICES`.
    /// `PUSH_APPLICATION` is empty if no pushes go to phones.
    pub(crate) fn from_process(process: &Process) -> Result<Self, StartError> {
        let origins = process.variable("WEB_PUSH_SERVICES")?;
        let origins = origins.split_whitespace().map(|origin| Origin(origin.to_owned())).collect();
        Ok(Self { origins, has_phones: !process.variable("PUSH_APPLICATION")?.is_empty() })
    }

    /// Fails if no push can go to an address. An endpoint of any host would let a user have this
    /// deployment send requests to any server.
    pub(crate) fn check(&self, address: &Address) -> Result<(), Error> {
        match address {
            Address::Web { endpoint, .. } => {
                let origin = origin(endpoint.as_ref());
                if !origin.is_some_and(|origin| self.origins.iter().any(|allowed| allowed.has(&origin))) {
                    return Err(Error::invalid("address", "must have an endpoint at the push service of a browser"));
                }
                Ok(())
            }
            Address::Apns { .. } | Address::Fcm { .. } if self.has_phones => Ok(()),
            Address::Apns { .. } | Address::Fcm { .. } => Err(Error::invalid(
                "address",
                "must have the kind web, because this deployment sends no pushes to phones",
            )),
        }
    }
}

impl Origin {
    fn has(&self, origin: &str) -> bool {
        match self.0.split_once('*') {
            Some((scheme, domain)) => origin
                .strip_prefix(scheme)
                .and_then(|host| host.strip_suffix(domain))
                .is_some_and(|host| !host.is_empty() && !host.contains(['/', ':'])),
            None => self.0 == origin,
        }
    }
}

/// Returns the origin of a URL, if it has a host and no name of a user.
pub(crate) fn origin(url: &str) -> Option<String> {
    let url = Uri::from_str(url).ok()?;
    let authority = url.authority().filter(|authority| !authority.as_str().contains('@'))?;
    Some(format!("{}://{authority}", url.scheme_str()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_is_at_a_push_service() {
        let services = ["https://fcm.googleapis.com", "https://*.push.apple.com", "http://localhost:3000"];
        let services = services.map(|origin| Origin(origin.to_owned()));
        let is_allowed = |url: &str| origin(url).is_some_and(|origin| services.iter().any(|one| one.has(&origin)));
        for good in
            ["https://fcm.googleapis.com/a", "https://web.push.apple.com/a?b", "http://localhost:3000/local/push/1"]
        {
            assert!(is_allowed(good), "{good}");
        }
        for bad in [
            "http://fcm.googleapis.com/a",
            "https://fcm.googleapis.com.example/a",
            "https://fcm.googleapis.com:444/a",
            "https://a@fcm.googleapis.com/a",
            "https://fcm.googleapis.com@example.com/a",
            "https://push.apple.com/a",
            "https://.push.apple.com/a",
            "https://example.com/.push.apple.com",
            "https://example.com:1.push.apple.com/",
            "http://localhost:3001/a",
            "https:///a",
        ] {
            assert!(!is_allowed(bad), "{bad}");
        }
    }
}

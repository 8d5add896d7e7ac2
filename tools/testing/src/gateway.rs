//! The events that API Gateway sends to functions.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;

use anyhow::{Result, anyhow};
use axum::http::Request;
use local::gateway::event;
use local::gateway::router::Router;
use local::trace::Trace;
use serde_json::Value;
use time::OffsetDateTime;

/// Returns the name of the function that serves a request, and the event that API Gateway builds from the
/// request at this time. The event has the claims if the route needs a token.
pub fn event<'a>(
    router: &'a Router,
    request: Request<Vec<u8>>,
    claims: &BTreeMap<String, String>,
    time: OffsetDateTime,
) -> Result<(&'a str, Value)> {
    let (parts, body) = request.into_parts();
    let route = router.resolve(parts.method.as_str(), parts.uri.path());
    let route = route.map_err(|error| anyhow!("no route serves {} {}: {error:?}", parts.method, parts.uri))?;
    let event = event::build(&event::Call {
        route_key: route.route_key,
        path_parameters: &route.path_parameters,
        parts: &parts,
        body: &body,
        claims: route.needs_token.then_some(claims),
        source_ip: Ipv4Addr::LOCALHOST.into(),
        request_id: "test",
        trace: &Trace::start(),
        time,
    });
    Ok((route.function, event))
}

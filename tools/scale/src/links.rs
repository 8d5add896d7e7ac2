//! The costs of links: of those that the users of an app share in a month, and of one that goes around the
//! world.
//!
//! A view is one request for the page and one for the picture, both to CloudFront, each with a
//! function at the edge. What AWS sends to CloudFront is free of charge.

use anyhow::{Context as _, Result};
use shared::http::caching::SHARED_SECONDS;

use crate::assumptions::Assumptions;
use crate::costs;
use crate::inputs::Inputs;
use crate::prices::Usage;
use crate::text::{number, rounded};

/// The function that makes a link, and the one that opens it.
const PUT: &str = "put-link";
const OPEN: &str = "open-link";

/// The forms of the answer, for browsers and for apps. CloudFront keeps each of them.
const VARIANTS: f64 = 2.0;

/// Returns what so many views use at CloudFront.
fn views(views: f64, assumptions: &Assumptions) -> Usage {
    let value = |name| assumptions.value(name);
    let mut usage = Usage::default();
    usage.add("edge_requests", 2.0 * views);
    usage.add("edge_checks", 2.0 * views);
    usage.add("edge_transfer", views * (value("link_page_kb") + value("large_kb")) / 1e6);
    usage
}

/// Returns what the views of links use while so many users are active on so many days. Each view
/// asks the API, because those of one link are seldom in the same minute.
pub(crate) fn of_users(active_days: f64, inputs: &Inputs) -> Result<Usage> {
    let put = inputs.assumptions.activity.iter().find(|activity| activity.function == PUT);
    let links = active_days * put.with_context(|| format!("assumptions.toml has no activity {PUT}"))?.per_day;
    let number = links * inputs.value("link_views");
    let mut usage = views(number, &inputs.assumptions);
    usage.add_times(&costs::usage(inputs.function(OPEN)?, inputs), number);
    usage.add("s3_gets", number * (1.0 - inputs.value("edge_hits")));
    Ok(usage)
}

/// Returns the paragraph about a link with millions of views in a day.
pub(crate) fn viral(inputs: &Inputs) -> Result<String> {
    let value = |name| inputs.value(name);
    let number_of_views = value("viral_link_views");
    let edge = views(number_of_views, &inputs.assumptions);
    #[expect(clippy::cast_precision_loss, reason = "a minute")]
    let times = 86_400.0 / SHARED_SECONDS as f64;
    let asked = times * value("regional_caches") * VARIANTS;
    let mut api = Usage::default();
    api.add_times(&costs::usage(inputs.function(OPEN)?, inputs), asked);
    let dollars = |usage: &Usage| inputs.prices.marginal(usage);
    let [transfer, requests, checks] = ["edge_transfer", "edge_requests", "edge_checks"].map(|price| edge.only(price));
    Ok(format!(
        "{} million views in a day cost {} dollars, without free tiers and plans: {} for {} GB of pictures and pages, {} for \
         {} million requests to CloudFront, and {} for its functions. Each of {} regional caches asks the API once a minute \
         for each of {} forms of the page, so the API gets at most {} requests of the day, for {} dollars.\n",
        number(number_of_views / 1e6),
        rounded(dollars(&edge)? + dollars(&api)?),
        rounded(dollars(&transfer)?),
        number(edge.get("edge_transfer")),
        rounded(dollars(&requests)?),
        number(edge.get("edge_requests") / 1e6),
        rounded(dollars(&checks)?),
        number(value("regional_caches")),
        number(VARIANTS),
        number(asked),
        rounded(dollars(&api)?),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_is_a_page_and_a_large_picture() {
        let assumptions = Assumptions::read().expect("assumptions.toml");
        let usage = views(1e6, &assumptions);
        assert!((usage.get("edge_requests") - 2e6).abs() < 1e-6 && (usage.get("edge_checks") - 2e6).abs() < 1e-6);
        let kilobytes = assumptions.value("large_kb") + assumptions.value("link_page_kb");
        assert!((usage.get("edge_transfer") - kilobytes).abs() < 1e-6, "a million of KB are as many GB");
    }
}

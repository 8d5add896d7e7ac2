//! The audit as a judge: it reads the tables and the bucket of the explorer, and its requests are
//! not held.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use anyhow::Result;
use aws_sdk_dynamodb::Client;
use local::sample::{FAVORITE, FEED, QUICK_PHOTOS};
use ops::audit::{self, Options, RelatedData};
use shared::Bucket;

use crate::network::Network;
use crate::s3;
use crate::system::System;
use crate::world::World;

/// Returns the findings in the current state of the tables.
pub(crate) async fn findings(system: &mut System) -> Result<Vec<String>> {
    let network = Network::default();
    let config = network.configuration(0);
    let client = Client::new(&config);
    let options = Options {
        segments: 1,
        recheck_delay: Duration::from_millis(1),
        min_object_age: Duration::ZERO,
        min_age: Duration::ZERO,
        min_deletion_age: Duration::ZERO,
        ..Options::default()
    };
    let mut findings = vec![];
    // Other worlds have no objects.
    let has_objects = matches!(system.world, World::Pictures | World::Several | World::Reported);
    let bucket = has_objects.then(|| Bucket {
        // The client of functions has a timeout, which would end when the clock jumps.
        client: aws_sdk_s3::Client::new(&config),
        name: "pictures".to_owned(),
    });
    // The photos of derived worlds are not in the feeds.
    let has_feeds = !system.world.is_derived();
    let feed_table = has_feeds.then(|| system.template.table(FEED).map(|table| table.name.clone())).transpose()?;
    let favorite_table = system.template.table(FAVORITE)?.name.clone();
    for table in [QUICK_PHOTOS, FAVORITE] {
        let related = match table {
            QUICK_PHOTOS => RelatedData {
                bucket: bucket.as_ref(),
                feed_table: feed_table.as_deref(),
                favorite_table: Some(&favorite_table),
            },
            _ => RelatedData::default(),
        };
        let table = system.template.table(table)?.name.clone();
        let mut audit = pin!(audit::run_with(&client, &table, related, options.clone(), |_| {}));
        let report = poll_fn(|context| {
            // A part of the table is read by a task of its own.
            network.wake(context);
            loop {
                if let Poll::Ready(report) = audit.as_mut().poll(context) {
                    return Poll::Ready(report);
                }
                let requests = network.take();
                if requests.is_empty() {
                    return Poll::Pending;
                }
                for request in requests {
                    if s3::is_operation(&request.operation) {
                        let reply = system.objects.serve(&request.operation, &request.body);
                        request.answer(reply.status, reply.body);
                        continue;
                    }
                    let ((status, body), _) = system.store.serve(&request.operation, &request.body);
                    request.answer(status, body);
                }
            }
        })
        .await?;
        findings.extend(report.findings.iter().map(|(finding, _)| finding.to_string()));
    }
    if system.world == World::Hot {
        // No author of this world has a Latest, so nobody's photos are in feeds.
        findings.retain(|finding| !finding.starts_with("feed of "));
    }
    Ok(findings)
}

//! A month of an app with millions of users, in steps of a minute.
//!
//! The model has rates and no single requests: what active users do follows the time of the day;
//! the posts of authors are drawn from Poisson distributions, by groups of authors with as many
//! followers; each photo of an author with many followers gets reactions that halve every 20
//! minutes; one photo goes viral for an hour. Each partition, item and stream has a limit, and what
//! exceeds it in a minute is throttled or waits. The seed is fixed.

use std::f64::consts::{LN_2, PI};

use anyhow::Result;
use fastrand::Rng;

use crate::costs;
use crate::inputs::Inputs;
use crate::links;
use crate::model::Model;
use crate::prices::Usage;

/// The minutes of the month.
const MINUTES: u32 = 30 * MINUTES_OF_DAY;
const MINUTES_OF_DAY: u32 = 24 * 60;
const SECONDS_OF_DAY: f64 = 86_400.0;

/// The first minute of the viral hour: eight in the evening of the sixteenth day.
const VIRAL_HOUR: u32 = (15 * 24 + 20) * 60;

/// The minutes after which the reactions to a new photo have half their rate.
const HALF_LIFE: f64 = 20.0;

/// Reactions a second below which a photo is one of many.
const HOT: f64 = 1.0;

/// The default quota of API Gateway, in requests a second.
const GATEWAY_QUOTA: f64 = 10_000.0;

/// The sums, the peaks and the limits exceeded of a month.
#[derive(Clone, Debug, Default)]
pub(crate) struct Month {
    pub(crate) users: f64,
    pub(crate) requests: f64,
    /// Requests a second in the busiest minute.
    pub(crate) peak_requests: f64,
    pub(crate) peak_concurrency: f64,
    /// Write and read units a second of the table of photos in the busiest minute.
    pub(crate) peak_photos: [f64; 2],
    /// The same of the table of feeds.
    pub(crate) peak_feeds: [f64; 2],
    pub(crate) shards: f64,
    pub(crate) pulled_authors: f64,
    pub(crate) pulled_by_reader: f64,
    pub(crate) pushed: f64,
    /// The seconds until a follower sees a photo in the worst minute: the mean, and that of an
    /// author at the limit of fan-out on write.
    pub(crate) lag: [f64; 2],
    pub(crate) uncounted: f64,
    /// The read units of the table of feeds.
    pub(crate) feed_reads: f64,
    /// Requests above what a partition serves: reactions to hot photos, pages of feeds because of
    /// the item with the newest photos of the most followed author or because of these photos, and
    /// views of the viral photo.
    pub(crate) throttled: f64,
    /// Requests above the default quota of API Gateway.
    pub(crate) above_quota: f64,
    pub(crate) usage: Usage,
}

/// Simulates a month of an app with so many users.
pub(crate) fn run(users: f64, inputs: &Inputs) -> Result<Month> {
    let model = Model::new(users, inputs)?;
    let value = |name| inputs.value(name);
    let mut month = Month {
        users,
        shards: model.shards(),
        pulled_authors: model.pulled().map(|author| author.number).sum(),
        pulled_by_reader: model.pulled_by_reader(),
        ..Month::default()
    };
    let mut rng = Rng::with_seed(1);
    let (mut hot, mut backlog) = (vec![], 0.0_f64);
    for minute in 0..MINUTES {
        let curve =
            1.0 + (value("peak") - 1.0) * (2.0 * PI * (f64::from(minute % MINUTES_OF_DAY) / 1440.0 - 0.5)).sin();
        let is_viral = (VIRAL_HOUR..VIRAL_HOUR + 60).contains(&minute);
        // What an active user does once a day happens so often in a second.
        let rate = model.active * curve / SECONDS_OF_DAY;

        let viral = if is_viral { model.active / 3600.0 } else { 0.0 };
        let requests = rate * model.day.requests + viral * (value("viral_reactions") + value("viral_views"));
        month.requests += requests * 60.0;
        month.peak_requests = month.peak_requests.max(requests);
        month.peak_concurrency = month.peak_concurrency.max(rate * model.day.seconds);
        month.above_quota += (requests - GATEWAY_QUOTA).max(0.0) * 60.0;

        let (work, entries) = post(&model, curve, &mut hot, &mut rng);
        month.pushed += entries;
        backlog = (backlog + work - model.lanes * 60.0).max(0.0);
        let wait = backlog / model.lanes + model.wait(curve);
        let lag = value("poll_s") + wait + model.mean_push_s;
        let lags = [lag, lag - model.mean_push_s + model.push_s(model.max_pushed)];
        month.lag = higher(month.lag, lags);

        throttle(&mut month, &model, rate, viral, &hot);
        hot.retain_mut(|reactions: &mut f64| {
            *reactions *= 0.5_f64.powf(1.0 / HALF_LIFE);
            *reactions >= HOT
        });
        let feed = model.feed_units(rate, curve);
        month.feed_reads += feed[2] * 60.0;
        let [writes, reads] = model.day.units.map(|units| rate * units);
        month.peak_photos = higher(month.peak_photos, [writes, reads + feed[0]]);
        month.peak_feeds = higher(month.peak_feeds, [feed[1], feed[2]]);
    }
    month.usage = usage(&model, &month);
    let active_days = model.active * f64::from(MINUTES / MINUTES_OF_DAY);
    month.usage.add_times(&links::of_users(active_days, inputs)?, 1.0);
    Ok(month)
}

/// Returns the higher ones of two pairs of numbers.
fn higher(one: [f64; 2], other: [f64; 2]) -> [f64; 2] {
    [one[0].max(other[0]), one[1].max(other[1])]
}

/// Adds what exceeds the limit of a partition in a minute. `rate` is what active users do in a
/// second of what they do once a day, and `viral` the number of active users divided by the seconds
/// of the viral hour.
fn throttle(month: &mut Month, model: &Model, rate: f64, viral: f64, hot: &[f64]) {
    let value = |name| model.value(name);
    // A counted reaction to a photo writes two entries into the photo's partition of the index. An
    // uncounted one leaves the photo's own entry as it is, and writes one into a shard.
    let viral_reactions = viral * value("viral_reactions");
    let most = value("partition_writes") * value("reaction_shards");
    for reactions in hot.iter().chain([&viral_reactions]) {
        month.uncounted += (reactions.min(most) - value("counted_writes")).max(0.0) * 60.0;
        month.throttled += (reactions - most).max(0.0) * 60.0;
    }
    // Each page of each of the followers needs one item with the newest photos of the most followed
    // author, and those of the photos that are on the page. A process remembers them, and the page
    // of a photo that it is often asked for.
    let pages = rate * model.day.pages;
    let (_, reads) = model.reads_of_latest(rate);
    for units in [value("feed_pulled_reads"), model.reads_of_most_followed()] {
        let is_served = value("partition_reads") / (reads * units);
        month.throttled += (1.0 - is_served).max(0.0) * pages * 60.0;
    }
    let views = viral * value("viral_views");
    let processes = model.processes(views * model.day.view_s);
    let read = views.min(processes * value("remembered_view"));
    let is_served = value("partition_reads") / (read * value("view_reads"));
    month.throttled += (1.0 - is_served).max(0.0) * views * 60.0;
}

/// Draws the posts of a minute. Returns the seconds for which they hold up others, and the number
/// of entries. Adds photos that many people react to.
fn post(model: &Model, curve: f64, hot: &mut Vec<f64>, rng: &mut Rng) -> (f64, f64) {
    let (mut work, mut entries) = (0.0, 0.0);
    let fan_reactions = model.value("fan_reactions");
    for author in &model.authors {
        let posts = poisson(author.posts_of_all * curve / f64::from(MINUTES_OF_DAY), rng);
        if author.is_pushed {
            work += posts * model.held_s(author);
            entries += posts * author.followers;
        }
        let reactions = fan_reactions * author.followers * LN_2 / (HALF_LIFE * 60.0);
        if reactions >= HOT {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small whole number")]
            hot.extend(std::iter::repeat_n(reactions, posts as usize));
        }
    }
    (work, entries)
}

/// Returns what the month uses of everything that AWS charges for.
fn usage(model: &Model, month: &Month) -> Usage {
    let value = |name| model.value(name);
    let days = f64::from(MINUTES / MINUTES_OF_DAY);
    let mut usage = Usage::default();
    usage.add_times(&model.day.usage, model.active * days);

    let pages = model.day.pages * model.active * days;
    usage.add("dynamodb_reads", pages * model.photo_reads() + month.feed_reads);
    let posts: f64 = model.authors.iter().filter(|author| author.is_pushed).map(|author| author.posts_of_all).sum();
    usage.add("dynamodb_writes", month.pushed + month.uncounted * (2.0 + 2.0 / value("count_batch")));
    usage.add("dynamodb_writes", month.pushed * value("alerts") * value("alert_writes"));
    usage.add_times(&costs::lambda(model.mean_push_s * 1000.0, model.push_memory_mb), posts * days);

    let sizes = [("small_kb", "small_per_page"), ("medium_kb", "medium_per_page"), ("large_kb", "large_per_page")];
    let sizes = sizes.map(|(kb, per_page)| (value(kb) / 1e6, value(per_page)));
    let pictures = pages * sizes.iter().map(|(_, per_page)| per_page).sum::<f64>();
    usage.add("edge_requests", pictures);
    usage.add("edge_checks", pictures);
    usage.add("edge_transfer", pages * sizes.iter().map(|(gb, per_page)| gb * per_page).sum::<f64>());
    usage.add("s3_gets", pictures * (1.0 - value("edge_hits")));
    usage.add("transfer_out", month.requests * value("answer_kb") / 1e6);
    let pushes = value("pushes") * model.active * days;
    usage.add("dynamodb_writes", pushes * value("push_writes"));
    usage.add("phone_pushes", pushes * value("devices") * value("phones"));
    usage.add("live_minutes", value("live_minutes") * model.active * days);
    usage.add("live_messages", value("live_messages") * model.active * days);
    usage.add("secrets", 3.0);
    usage.add("kms_requests", model.key_requests(days).min(month.requests * 2.0));
    let stored = sizes.iter().map(|(gb, _)| gb).sum::<f64>();
    usage.add("s3_storage", model.day.photos * model.active * days * value("stored_months") * stored);
    for price in ["dynamodb_storage", "dynamodb_backup"] {
        usage.add(price, month.users * value("stored_kb") / 1e6);
    }
    usage.add("cognito_users", month.users);
    usage.add("emails", month.users * value("sign_ups"));
    usage
}

/// Draws a number of events. From a mean of 30 on, the normal distribution is close enough.
fn poisson(mean: f64, rng: &mut Rng) -> f64 {
    if mean >= 30.0 {
        let normal = (-2.0 * (1.0 - rng.f64()).ln()).sqrt() * (2.0 * PI * rng.f64()).cos();
        return (mean + mean.sqrt() * normal).round().max(0.0);
    }
    let (limit, mut product, mut events) = ((-mean).exp(), rng.f64(), 0.0);
    while product > limit {
        product *= rng.f64();
        events += 1.0;
    }
    events
}

#[cfg(test)]
mod tests {
    use local::costs::{self, Costs, Pattern};
    use local::template::{Function, Template};
    use serde_json::Value;

    use super::*;
    use crate::assumptions::Assumptions;
    use crate::batches::{self, Batch, Batches};
    use crate::durations::Durations;
    use crate::prices::Prices;
    use crate::recording::Recording;

    /// Returns a month in which functions send no requests, so that only their posts and reactions
    /// count.
    fn month(users: f64) -> Month {
        let path = Template::find().expect("template.yaml");
        let mut patterns = costs::read(path.parent().expect("a folder")).expect("costs.toml");
        let recording = |function: Function| {
            let pattern = patterns.remove(&function.name).expect("an entry");
            let pattern = Pattern { costs: Costs::default(), ..pattern };
            Recording { function, pattern, loads: vec![], answer: Value::Null }
        };
        let functions = Template::read(&path).expect("template.yaml").functions;
        let recordings: Vec<_> = functions.into_iter().map(recording).collect();
        let push = recordings.iter().find(|recording| recording.function.name == batches::FUNCTION);
        let memory_mb = push.expect("process-changes").function.memory_mb;
        let batch = |kind: &str| Batch {
            batch: kind.to_owned(),
            memory_mb,
            records: 500,
            ms: 1000.0,
            cpu_ms: 1000.0,
            handed_over: 0,
        };
        let inputs = Inputs {
            functions: &recordings,
            durations: Durations::default(),
            batches: Batches([batches::FEEDS, batches::LARGEST_FEED].map(batch).to_vec()),
            prices: Prices::read().expect("prices.toml"),
            assumptions: Assumptions::read().expect("assumptions.toml"),
        };
        run(users, &inputs).expect("a month")
    }

    #[test]
    fn nothing_is_throttled() {
        let [small, large, huge] = [1e6, 1e8, 1e9].map(month);
        for month in [&small, &large] {
            assert!(month.throttled == 0.0, "{month:?}");
        }
        assert!(huge.throttled > 0.0, "the shards of a photo have a limit: {huge:?}");
        assert!(small.above_quota == 0.0 && small.uncounted == 0.0, "{small:?}");
        assert!(large.uncounted > 0.0, "{large:?}");
        assert!(large.lag[0] < large.lag[1], "{large:?}");
    }

    #[test]
    fn the_same_seed_gives_the_same_month() {
        assert_eq!(format!("{:?}", month(1e7)), format!("{:?}", month(1e7)));
    }

    #[test]
    fn draws_have_the_mean_of_their_distribution() {
        let mut rng = Rng::with_seed(7);
        for mean in [0.1, 3.0, 29.0, 31.0, 5000.0] {
            let sum: f64 = (0..10_000).map(|_| poisson(mean, &mut rng)).sum();
            let error = (sum / 10_000.0 - mean).abs();
            assert!(error < 5.0 * (mean / 10_000.0).sqrt(), "{mean}: {error}");
        }
    }
}

//! The users, the authors and the functions of the simulation, as rates and limits.

use std::collections::BTreeSet;

use anyhow::{Context as _, Error, Result};

use crate::assumptions::Assumptions;
use crate::batches;
use crate::costs;
use crate::inputs::Inputs;
use crate::partitions::Load;
use crate::prices::Usage;

/// The function that answers with a page of a feed, the one that shows a photo, the one that begins
/// an upload, and the one that pushes photos into feeds.
const LIST_FEED: &str = "list-feed";
const VIEW: &str = "fetch-photo-and-reactions";
const UPLOAD: &str = "upload-photo";
const PUSH: &str = batches::FUNCTION;

/// Authors with about as many followers: those of the ranks from a power of two up to the next one.
pub(crate) struct Author {
    pub(crate) number: f64,
    /// The mean number of followers of one of them.
    pub(crate) followers: f64,
    /// The posts of all of them on a day.
    pub(crate) posts_of_all: f64,
    pub(crate) is_pushed: bool,
}

/// An app with so many users.
pub(crate) struct Model<'a> {
    inputs: &'a Inputs<'a>,
    users: f64,
    /// The users who are active on a day.
    pub(crate) active: f64,
    pub(crate) authors: Vec<Author>,
    pub(crate) day: Day,
    /// The read units of a page of a feed, without the pulled authors.
    page_reads: f64,
    /// The number of batches that push photos at the same time.
    pub(crate) lanes: f64,
    pub(crate) mean_push_s: f64,
    pub(crate) push_memory_mb: u32,
    /// The number of followers up to which the photos of an author are pushed.
    pub(crate) max_pushed: f64,
    /// The number of followers up to which the batches behind a photo wait for its pushes. Each minute
    /// asks for it often.
    max_pushed_at_once: f64,
    /// The seconds of a batch that a photo takes, and those that each follower takes besides.
    seconds_of_photo: f64,
    seconds_of_entry: f64,
}

/// The actions of an active user on a day.
#[derive(Default)]
pub(crate) struct Day {
    pub(crate) requests: f64,
    /// The seconds that functions run.
    pub(crate) seconds: f64,
    /// The pages of the feed, and the seconds of one.
    pub(crate) pages: f64,
    page_s: f64,
    /// The seconds of a view of a photo.
    pub(crate) view_s: f64,
    pub(crate) photos: f64,
    /// The write and read units of the table of photos without its indexes and without feeds.
    pub(crate) units: [f64; 2],
    pub(crate) usage: Usage,
    /// The pairs of a function and a table that it uses.
    uses_of_tables: f64,
}

impl Day {
    /// Adds up the activities.
    fn of(inputs: &Inputs) -> Result<Self> {
        let mut day = Self::default();
        for activity in &inputs.assumptions.activity {
            let recording = inputs.function(&activity.function)?;
            let (per_day, seconds) = (activity.per_day, costs::duration_ms(recording, inputs) / 1000.0);
            let mut usage = costs::usage(recording, inputs);
            match &*activity.function {
                LIST_FEED => {
                    (day.pages, day.page_s) = (per_day, seconds);
                    // The sample event has a short page.
                    usage.remove("dynamodb_reads");
                }
                VIEW => day.view_s = seconds,
                UPLOAD => day.photos = per_day,
                _ => {}
            }
            day.seconds += per_day * seconds;
            let tables: BTreeSet<&str> = recording.loads.iter().map(|load| &*load.place).collect();
            #[expect(clippy::cast_precision_loss, reason = "there are five tables")]
            let tables = tables.len() as f64;
            day.uses_of_tables += tables;
            day.requests += per_day * usage.get("api_requests");
            day.usage.add_times(&usage, per_day);
            let is_counted = |load: &&Load| activity.function != LIST_FEED && load.place == "quick-photos";
            for load in recording.loads.iter().filter(is_counted) {
                day.units[0] += per_day * load.total_writes;
                day.units[1] += per_day * load.total_reads;
            }
        }
        Ok(day)
    }
}

impl<'a> Model<'a> {
    pub(crate) fn new(users: f64, inputs: &'a Inputs) -> Result<Self> {
        let page = inputs.function(LIST_FEED)?.pattern.pages.values().next();
        let page = page.context("costs.toml has no page of a feed")?;
        let push = &inputs.function(PUSH)?.function;
        let max_pushed = &push.environment["MAX_PUSHED_FOLLOWERS"];
        let max_pushed: f64 =
            max_pushed.parse().with_context(|| format!("MAX_PUSHED_FOLLOWERS is {max_pushed:?}, and not a number"))?;
        let seconds_of = |kind| Ok::<_, Error>(inputs.batches.get(kind, push.memory_mb)?.seconds_of_record());
        let seconds_of_entry = seconds_of(batches::LARGEST_FEED)? / max_pushed;
        let seconds_of_followers = f64::from(batches::USUAL_FOLLOWERS) * seconds_of_entry;
        let day = Day::of(inputs)?;
        let mut model = Self {
            inputs,
            users,
            active: users * inputs.value("daily_active"),
            authors: authors(users, day.photos * inputs.value("daily_active"), max_pushed, &inputs.assumptions),
            day,
            page_reads: page.reads,
            lanes: 0.0,
            mean_push_s: 0.0,
            push_memory_mb: push.memory_mb,
            max_pushed,
            max_pushed_at_once: inputs.value("pushed_at_once"),
            seconds_of_photo: (seconds_of(batches::FEEDS)? - seconds_of_followers).max(0.0),
            seconds_of_entry,
        };
        #[expect(clippy::cast_precision_loss, reason = "at most ten")]
        let lanes_of_shard = push.mappings[0].parallelization as f64;
        model.lanes = model.shards() * lanes_of_shard;
        let (posts, seconds) = model.pushed().fold((0.0, 0.0), |(posts, seconds), author| {
            (posts + author.posts_of_all, seconds + author.posts_of_all * model.push_s(author.followers))
        });
        model.mean_push_s = seconds / posts;
        Ok(model)
    }

    /// Returns the value of an assumption.
    pub(crate) fn value(&self, name: &str) -> f64 {
        self.inputs.value(name)
    }

    fn pushed(&self) -> impl Iterator<Item = &Author> {
        self.authors.iter().filter(|author| author.is_pushed)
    }

    /// Returns the authors whose photos are not pushed.
    pub(crate) fn pulled(&self) -> impl Iterator<Item = &Author> {
        self.authors.iter().filter(|author| !author.is_pushed)
    }

    /// Returns how many of the authors that a mean reader follows are not pushed.
    pub(crate) fn pulled_by_reader(&self) -> f64 {
        self.pulled().map(|author| author.number * author.followers).sum::<f64>() / self.users
    }

    /// Returns the number of shards of the stream of the photos' table: one for each partition, of
    /// which the table has as many as its writes in the busiest minute need.
    pub(crate) fn shards(&self) -> f64 {
        let writes = self.active * self.value("peak") / 86_400.0 * self.day.units[0];
        let of_new_table = self.value("new_table_writes") / self.value("partition_writes");
        (writes / self.value("partition_writes")).ceil().max(of_new_table)
    }

    /// Returns the seconds that pushing a photo to so many followers takes.
    pub(crate) fn push_s(&self, followers: f64) -> f64 {
        self.seconds_of_photo + followers * self.seconds_of_entry
    }

    /// Returns the seconds for which the batches behind a photo of this author wait.
    pub(crate) fn held_s(&self, author: &Author) -> f64 {
        if author.followers <= self.max_pushed_at_once { self.push_s(author.followers) } else { 0.0 }
    }

    /// Returns the seconds that a photo waits for photos before it in its batch, by the formula of
    /// Pollaczek and Khinchine for a queue with this distribution of service times.
    pub(crate) fn wait(&self, curve: f64) -> f64 {
        let (load, squares) = self.pushed().fold((0.0, 0.0), |(load, squares), author| {
            let rate = author.posts_of_all * curve / 86_400.0 / self.lanes;
            let seconds = self.held_s(author);
            (load + rate * seconds, squares + rate * seconds * seconds)
        });
        // More than all of the time is work that stays for the next minute, and not a longer wait
        // in this one.
        squares / (2.0 * (1.0 - load.min(0.99)))
    }

    /// Returns the number of processes of a function that serve requests within a second, if as
    /// many are busy on average.
    pub(crate) fn processes(&self, busy: f64) -> f64 {
        (busy * self.value("processes")).max(1.0)
    }

    /// Returns the requests to KMS of so many days: DynamoDB keeps the key of a table for five
    /// minutes for each function that uses the table.
    pub(crate) fn key_requests(&self, days: f64) -> f64 {
        self.day.uses_of_tables * days * 86_400.0 / 300.0
    }

    /// Returns how often the newest photos of pulled authors are read in a second, and those of the
    /// most followed one among them. A process remembers what it has read of an author.
    pub(crate) fn reads_of_latest(&self, rate: f64) -> (f64, f64) {
        let pages = rate * self.day.pages;
        let most = self.processes(pages * self.day.page_s) * self.value("remembered_feed");
        let reads = |author: &Author| (pages * author.followers / self.users).min(most);
        let all = self.pulled().map(|author| author.number * reads(author)).sum();
        (all, self.pulled().next().map_or(0.0, reads))
    }

    /// Returns the read units of a page of a feed for the photos of the most followed author, whom
    /// everybody follows: their share of the posts that a mean reader gets.
    pub(crate) fn reads_of_most_followed(&self) -> f64 {
        let posts: f64 = self.authors.iter().map(|author| author.posts_of_all * author.followers / self.users).sum();
        let of_first = self.authors.first().map_or(0.0, |author| author.posts_of_all);
        self.photo_reads() * of_first / posts
    }

    /// Returns the read units of the photos of a page. One more unit is for the entries.
    pub(crate) fn photo_reads(&self) -> f64 {
        self.page_reads - 1.0
    }

    /// Returns the units a second of feeds: reads of photos in their own table, then writes and
    /// reads of the table of feeds.
    pub(crate) fn feed_units(&self, rate: f64, curve: f64) -> [f64; 3] {
        let pages = rate * self.day.pages;
        let pushed: f64 = self.pushed().map(|author| author.posts_of_all * author.followers).sum();
        [
            pages * self.photo_reads(),
            pushed * curve / 86_400.0,
            pages + self.reads_of_latest(rate).0 * self.value("feed_pulled_reads"),
        ]
    }
}

/// Returns the authors by their followers. The user of rank r has N × r^-s followers.
fn authors(users: f64, posts_of_user: f64, max_pushed: f64, assumptions: &Assumptions) -> Vec<Author> {
    let groups = |exponent: f64| {
        let mut groups = vec![];
        let mut rank = 1.0_f64;
        while rank <= users {
            let end = (rank * 2.0).min(users + 1.0);
            // The mean of r^-s over the ranks, as an integral; the first rank is alone.
            let mean = if end - rank <= 1.0 {
                rank.powf(-exponent)
            } else {
                ((end - 0.5).powf(1.0 - exponent) - (rank - 0.5).powf(1.0 - exponent)) / (1.0 - exponent) / (end - rank)
            };
            groups.push((end - rank, users * mean));
            rank = end;
        }
        groups
    };
    let wanted = users * assumptions.value("following").min(users);
    let (mut low, mut high) = (0.01, 0.99);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        let followers: f64 = groups(middle).iter().map(|(number, followers)| number * followers).sum();
        if followers > wanted { low = middle } else { high = middle }
    }
    let author = |(number, followers)| {
        let is_pushed = followers <= max_pushed;
        let posts = if is_pushed { posts_of_user } else { assumptions.value("famous_posts") };
        Author { number, followers, posts_of_all: number * posts, is_pushed }
    };
    groups(low).into_iter().map(author).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn everybody_follows_the_first_author_and_the_mean_is_as_assumed() {
        let assumptions = Assumptions::read().unwrap();
        for users in [1e6, 1e8] {
            let authors = authors(users, 0.08, 10_000.0, &assumptions);
            assert!((authors[0].followers / users - 1.0).abs() < 1e-6);
            let number: f64 = authors.iter().map(|author| author.number).sum();
            assert!((number / users - 1.0).abs() < 1e-6);
            let followers: f64 = authors.iter().map(|author| author.number * author.followers).sum();
            assert!((followers / users / assumptions.value("following") - 1.0).abs() < 1e-3);
        }
    }
}

//! The users, the authors and the functions of the simulation, as rates and limits.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result};

use crate::assumptions::Assumptions;
use crate::batches::{self, Batches};
use crate::costs;
use crate::durations::Durations;
use crate::prices::Usage;
use crate::recording::Recording;

/// The function that answers with a page of a feed, the one that shows a photo, and the one that
/// pushes photos into feeds.
const LIST_FEED: &str = "list-feed";
const VIEW: &str = "fetch-photo-and-reactions";
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

/// An app with so many users. A figure "per day" is that of one user who is active on the day.
pub(crate) struct Model {
    users: f64,
    /// The users who are active on a day.
    pub(crate) active: f64,
    pub(crate) authors: Vec<Author>,
    pub(crate) requests_per_day: f64,
    /// The seconds that functions run.
    pub(crate) seconds_per_day: f64,
    pub(crate) pages_per_day: f64,
    /// The seconds of a page of a feed, and those of a view of a photo.
    page_s: f64,
    pub(crate) view_s: f64,
    pub(crate) photos_per_day: f64,
    /// The write and read units of the table of photos without its indexes and without feeds.
    pub(crate) units_per_day: [f64; 2],
    pub(crate) usage_per_day: Usage,
    /// The read units of a page of a feed, without the pulled authors.
    pub(crate) page_reads: f64,
    /// The number of batches that push photos at the same time.
    pub(crate) lanes: f64,
    pub(crate) mean_push_s: f64,
    pub(crate) push_memory_mb: u32,
    /// The number of followers up to which the photos of an author are pushed.
    pub(crate) max_pushed: f64,
    /// The number of followers up to which the batches behind a photo wait for its pushes.
    max_pushed_at_once: f64,
    peak: f64,
    /// The seconds of a batch that a photo takes, and those that each follower takes besides.
    seconds_of_photo: f64,
    seconds_of_entry: f64,
    pulled_reads: f64,
    processes_of_busy: f64,
    /// The number of times that a process reads the same of a pulled author in a second.
    remembered: f64,
    writes_of_partition: f64,
    shards_of_new_table: f64,
    /// The pairs of a function and a table that it uses.
    uses_of_tables: f64,
}

fn function<'a>(recordings: &'a [Recording], name: &str) -> Result<&'a Recording> {
    let recording = recordings.iter().find(|recording| recording.function.name == name);
    recording.with_context(|| format!("template.yaml has no function {name}"))
}

impl Model {
    pub(crate) fn new(
        users: f64,
        recordings: &[Recording],
        durations: &Durations,
        batches: &Batches,
        assumptions: &Assumptions,
    ) -> Result<Self> {
        let value = |name| assumptions.value(name);
        let active = users * value("daily_active");
        let page = function(recordings, LIST_FEED)?.pattern.pages.values().next();
        let page = page.context("costs.toml has no page of a feed")?;
        let push = &function(recordings, PUSH)?.function;
        let max_pushed = &push.environment["MAX_PUSHED_FOLLOWERS"];
        let max_pushed: f64 =
            max_pushed.parse().with_context(|| format!("MAX_PUSHED_FOLLOWERS is {max_pushed:?}, and not a number"))?;
        let seconds_of_entry = batches.get(batches::LARGEST_FEED, push.memory_mb)?.seconds_of_record() / max_pushed;
        let seconds_of_usual = batches.get(batches::FEEDS, push.memory_mb)?.seconds_of_record();
        let mut model = Self {
            users,
            active,
            authors: vec![],
            requests_per_day: 0.0,
            seconds_per_day: 0.0,
            pages_per_day: 0.0,
            page_s: 0.0,
            view_s: 0.0,
            photos_per_day: 0.0,
            units_per_day: [0.0; 2],
            usage_per_day: Usage::default(),
            page_reads: page.reads,
            lanes: 0.0,
            mean_push_s: 0.0,
            push_memory_mb: push.memory_mb,
            max_pushed,
            max_pushed_at_once: value("pushed_at_once"),
            peak: value("peak"),
            seconds_of_photo: (seconds_of_usual - f64::from(batches::USUAL_FOLLOWERS) * seconds_of_entry).max(0.0),
            seconds_of_entry,
            pulled_reads: value("feed_pulled_reads"),
            processes_of_busy: value("processes"),
            remembered: value("remembered_feed"),
            writes_of_partition: value("partition_writes"),
            shards_of_new_table: value("new_table_writes") / value("partition_writes"),
            uses_of_tables: 0.0,
        };
        model.add_activities(recordings, durations, assumptions)?;
        let posts_of_user = model.photos_per_day * value("daily_active");
        model.authors = authors(users, posts_of_user, model.max_pushed, assumptions);
        #[expect(clippy::cast_precision_loss, reason = "at most ten")]
        let lanes_of_shard = push.mappings[0].parallelization as f64;
        model.lanes = model.shards() * lanes_of_shard;
        let (posts, seconds) = model.pushed().fold((0.0, 0.0), |(posts, seconds), author| {
            (posts + author.posts_of_all, seconds + author.posts_of_all * model.push_s(author.followers))
        });
        model.mean_push_s = seconds / posts;
        Ok(model)
    }

    /// Adds up what an active user does on a day.
    fn add_activities(
        &mut self,
        recordings: &[Recording],
        durations: &Durations,
        assumptions: &Assumptions,
    ) -> Result<()> {
        for activity in &assumptions.activity {
            let recording = function(recordings, &activity.function)?;
            let is_feed = activity.function == LIST_FEED;
            if is_feed {
                self.pages_per_day = activity.per_day;
            }
            if activity.function == "upload-photo" {
                self.photos_per_day = activity.per_day;
            }
            let mut usage = costs::usage(recording, durations, assumptions);
            if is_feed {
                // The sample event has a short page.
                usage.remove("dynamodb_reads");
            }
            let ms = costs::duration_ms(recording, durations, assumptions);
            match &*activity.function {
                LIST_FEED => self.page_s = ms / 1000.0,
                VIEW => self.view_s = ms / 1000.0,
                _ => {}
            }
            self.seconds_per_day += activity.per_day * ms / 1000.0;
            let tables: BTreeSet<&str> = recording.loads.iter().map(|load| &*load.place).collect();
            #[expect(clippy::cast_precision_loss, reason = "there are five tables")]
            let tables = tables.len() as f64;
            self.uses_of_tables += tables;
            self.requests_per_day += activity.per_day * usage.get("api_requests");
            self.usage_per_day.add_times(&usage, activity.per_day);
            for load in recording.loads.iter().filter(|load| !is_feed && load.place == "quick-photos") {
                self.units_per_day[0] += activity.per_day * load.total_writes;
                self.units_per_day[1] += activity.per_day * load.total_reads;
            }
        }
        Ok(())
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
        let writes = self.active * self.peak / 86_400.0 * self.units_per_day[0];
        (writes / self.writes_of_partition).ceil().max(self.shards_of_new_table)
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
        (busy * self.processes_of_busy).max(1.0)
    }

    /// Returns the requests to KMS of so many days: DynamoDB keeps the key of a table for five
    /// minutes for each function that uses the table.
    pub(crate) fn key_requests(&self, days: f64) -> f64 {
        self.uses_of_tables * days * 86_400.0 / 300.0
    }

    /// Returns how often the newest photos of pulled authors are read in a second, and those of the
    /// most followed one among them. A process remembers what it has read of an author.
    pub(crate) fn reads_of_latest(&self, rate: f64) -> (f64, f64) {
        let pages = rate * self.pages_per_day;
        let most = self.processes(pages * self.page_s) * self.remembered;
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
        let pages = rate * self.pages_per_day;
        let pushed: f64 = self.pushed().map(|author| author.posts_of_all * author.followers).sum();
        [
            pages * self.photo_reads(),
            pushed * curve / 86_400.0,
            pages + self.reads_of_latest(rate).0 * self.pulled_reads,
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

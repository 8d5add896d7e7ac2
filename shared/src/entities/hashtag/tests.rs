use proptest::prelude::*;

use super::*;
use crate::values::{MAX_SORT_KEY_BYTES, Username};

fn written(caption: &str) -> Vec<&str> {
    hashtags(caption).into_iter().map(|found| found.written).collect()
}

#[test]
fn hashtags_are_the_words_behind_a_number_sign_that_stands_alone() {
    for (caption, expected) in [
        ("", &[][..]),
        ("The last light", &[]),
        ("#sunset", &["sunset"]),
        ("The last light #sunset", &["sunset"]),
        ("#Sunset over #Lisboa, #sunset\n#café", &["Sunset", "Lisboa", "café"]),
        // A hashtag may follow another one.
        ("#sunset#lisboa ##harbour #a_b", &["sunset", "lisboa", "harbour", "a_b"]),
        ("#sunset#lisboa#sunset", &["sunset", "lisboa"]),
        // What may stand on both sides.
        ("(#dawn)…#dusk,#noon;#night", &["dawn", "dusk", "noon", "night"]),
        ("\"#dawn\" '#dusk' *#noon* <#night> —#sea!", &["dawn", "dusk", "noon", "night", "sea"]),
        ("👍#dawn❤\u{fe0f}#dusk 1\u{fe0f}\u{20e3}#noon", &["dawn", "dusk", "noon"]),
        ("夕日#東京タワー きれい＃夕焼け、﹟空", &["東京タワー", "夕焼け", "空"]),
        ("바다#서울 #서울여행은", &["서울", "서울여행은"]),
        ("#می\u{200c}خواهم. #שָׁלוֹם #क्षमा", &["می\u{200c}خواهم", "שָׁלוֹם", "क्षमा"]),
        ("#dawn's #dusk-light #noon.com #sea@ada", &["dawn", "dusk", "noon", "sea"]),
        ("#2024goals #100happydays #_x", &["2024goals", "100happydays", "_x"]),
        // Numbers and signs.
        ("#1 #2024 #_ # #! #\u{301}a C# a#b 5#b \u{e9}#b e\u{301}#b я#b", &[]),
        ("a#b#c", &[]),
        ("#\u{fe0f}\u{20e3} #1\u{fe0f}\u{20e3}", &[]),
        // URLs and references to characters.
        ("https://a.example/#top https://a.example/?q=(#top)", &[]),
        ("a.example/#top x=#top &#xe9; -#top _#top", &[]),
        ("https://a.example/ #top", &["top"]),
    ] {
        assert_eq!(written(caption), expected, "{caption}");
    }
    let long = format!("#{} #{}", "a".repeat(50), "a".repeat(51));
    assert_eq!(written(&long), ["a".repeat(50)]);
}

#[test]
fn a_caption_has_30_hashtags_at_most_and_each_once() {
    let words: Vec<String> = (0..100).map(|number| format!("#a{number} #A{number}")).collect();
    let expected: Vec<String> = (0..MAX_HASHTAGS).map(|number| format!("a{number}")).collect();
    assert_eq!(written(&words.join(" ")), expected);
}

fn entry(hashtag: &str, id: &str) -> HashtagEntry {
    let author = "ada".parse().unwrap();
    HashtagEntry { hashtag: hashtag.parse().unwrap(), photo: Position { id: id.parse().unwrap(), author } }
}

/// Returns the id of a photo in this month of 2024 or later.
fn id(month: usize, number: usize) -> String {
    format!("{}-{:02}-01T00:{:02}:{:02}.000Z", 2024 + month / 12, 1 + month % 12, number / 60, number % 60)
}

#[test]
fn only_a_photo_that_everyone_may_see_has_entries() {
    let username: Username = "ada".parse().unwrap();
    let photo = Photo::pending(username, "2024-05-30T15:42:38".parse().unwrap(), String::new());
    let photo = Photo { caption: Some("#Dawn #dusk".to_owned()), picture: None, ..photo };
    let names = |photo: &Photo| -> Vec<String> {
        photo.hashtag_entries().iter().map(|entry| entry.hashtag.to_string()).collect()
    };
    assert_eq!(names(&photo), ["dawn", "dusk"]);
    for audience in [crate::values::Audience::Followers, crate::values::Audience::Me] {
        assert!(names(&Photo { audience, ..photo.clone() }).is_empty());
    }
    assert!(names(&Photo { picture: Some(super::super::Picture::Pending), ..photo.clone() }).is_empty());
    assert!(names(&Photo { caption: None, ..photo }).is_empty());
}

#[test]
fn an_entry_is_in_the_month_of_the_upload_and_expires_five_years_later() {
    let entry = entry("Dawn", "2024-05-30T15:42:38.123Z");
    let item = entry.item(false);
    assert_eq!(item["pk"], S("Hashtag#dawn#2024-05".to_owned()));
    assert_eq!(item["sk"], S("2024-05-30T15:42:38.123Z#ada".to_owned()));
    assert_eq!(item["ttl"], N((1_717_083_758 + HASHTAG_LIFETIME_SECONDS).to_string()));
    assert_eq!(photo_of_hashtag_entry(&item).unwrap(), entry.photo);
}

#[test]
fn a_summary_counts_exactly_while_there_are_few_photos() {
    let mut summary = HashtagSummary::default();
    for number in 0..MAX_HASHTAG_SAMPLE {
        summary = summary.with(&entry("dawn", &id(0, number)), true);
        assert_eq!(summary.photos(), u64::try_from(number).unwrap() + 1);
    }
    assert_eq!((summary.count(), summary.listed.clone().unwrap().rank), (Some(10), 7));
    for number in 0..MAX_HASHTAG_SAMPLE {
        assert!(!summary.is_empty());
        summary = summary.with(&entry("dawn", &id(0, number)), false);
    }
    assert!(summary.is_empty() && summary.count().is_none() && summary.listed.is_none());
}

#[test]
fn a_sample_tells_the_number_of_many_photos() {
    let mut summary = HashtagSummary::default();
    let mut writes = 0;
    for number in 0..20_000_usize {
        let photo = format!("2024-01-01T{:02}:{:02}:{:02}.000Z", number / 3600 % 24, number / 60 % 60, number % 60);
        let mut entry = entry("dawn", &photo);
        entry.photo.author = format!("user{}", number / 86_400).parse().unwrap();
        let next = summary.with(&entry, true);
        writes += usize::from(next != summary);
        summary = next;
        assert!(summary.sample.len() <= MAX_HASHTAG_SAMPLE);
    }
    let photos = summary.photos();
    assert!((10_000..40_000).contains(&photos), "{photos}");
    assert!(writes < 400, "{writes}");
}

/// DynamoDB deletes an entry without a record, so the sample keeps it.
#[test]
fn a_summary_may_have_entries_that_have_expired() {
    let [old, new] = ["2009-05-30T15:42:38", "2024-05-30T15:42:38"].map(|id| entry("dawn", id));
    let summary = |entries: &[&HashtagEntry]| {
        entries.iter().fold(HashtagSummary::default(), |summary, entry| summary.with(entry, true))
    };
    let (both, newer) = (summary(&[&old, &new]), summary(&[&new]));
    assert!(both.agrees_with(&newer) && both.agrees_with(&both));
    assert!(summary(&[&old]).agrees_with(&HashtagSummary::default()));
    assert!(!newer.agrees_with(&both) && !summary(&[&old]).agrees_with(&newer));
    assert!(!newer.agrees_with(&HashtagSummary::default()));
}

/// A sample at a higher level says nothing of photos whose hashes are others.
#[test]
fn an_empty_sample_of_a_higher_level_still_stands_for_photos() {
    let mut summary = HashtagSummary::default();
    let entries: Vec<HashtagEntry> = (0..200).map(|number| entry("dawn", &id(0, number))).collect();
    for entry in &entries {
        summary = summary.with(entry, true);
    }
    for entry in &entries {
        summary = summary.with(entry, false);
        assert!(summary.count().is_some() && summary.listed.is_some());
    }
    assert!(summary.sample.is_empty() && summary.is_sparse());
    assert!(!summary.agrees_with(&HashtagSummary::default()), "the audit mends it");
}

#[test]
fn a_summary_has_the_newest_months() {
    let mut summary = HashtagSummary::default();
    for month in 0..MAX_HASHTAG_MONTHS + 2 {
        summary = summary.with(&entry("dawn", &id(month, 0)), true);
    }
    assert_eq!((summary.months.len(), summary.months.first().unwrap().as_str()), (MAX_HASHTAG_MONTHS, "2024-03"));
    assert!(summary.sample.first().is_some_and(|oldest| *oldest >= 202_403 * MONTH));
    assert_eq!(summary.with(&entry("dawn", &id(0, 0)), true), summary, "too old");
}

#[test]
fn a_listing_is_in_the_list_of_each_beginning() {
    let listing = HashtagListing { rank: 8, hashtag: "東京タワー夜".parse().unwrap() };
    let items = listing.items("2024-05").unwrap();
    let lists: Vec<&str> = items.iter().map(|item| item["pk"].as_s().unwrap().as_str()).collect();
    assert_eq!(lists, ["Hashtags#東", "Hashtags#東京", "Hashtags#東京タ", "Hashtags#東京タワ", "Hashtags#東京タワー"]);
    assert_eq!(items[0]["sk"], S("8#東京タワー夜".to_owned()));
    let query: HashtagQuery = "東京タワー夜".parse().unwrap();
    assert_eq!((query.list(), query.finds_whole_list()), ("東京タワー", false));
}

fn word() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9_éßøÆİıЖжאبक東京ワー가Ａ①]{1,50}"
}

proptest! {
    /// So there is no hashtag that no caption can have.
    #[test]
    fn every_hashtag_can_be_written(word in word()) {
        let Ok(hashtag) = word.parse::<Hashtag>() else { return Ok(()) };
        prop_assert_eq!(hashtag.as_ref().parse::<Hashtag>().unwrap(), hashtag.clone());
        for begin in ["", "(", "Look at ", "\n", ".", "#x#"] {
            for end in ["", ".", ",", ")", "!", "?", " ", "\n", "-", "...", "\"", "'s", "❤"] {
                let caption = format!("{begin}#{word}{end}");
                let found: Vec<Hashtag> = hashtags(&caption).into_iter().map(|found| found.hashtag).collect();
                prop_assert!(found.contains(&hashtag), "{caption}: {found:?}");
            }
        }
    }

    #[test]
    fn each_hashtag_of_any_caption_is_in_it_and_fits_into_keys(caption in "(#?[ -~]{0,3}|＃\\PC{0,20}|#\\PC{1,70}|#[ﾞﾟำຳ\u{200d}\u{309a}Д]{1,4}){0,20}") {
        let found = hashtags(&caption);
        prop_assert!(found.len() <= MAX_HASHTAGS);
        for WrittenHashtag { hashtag, written } in found {
            let has = |sign: &str| caption.contains(&format!("{sign}{written}"));
            prop_assert!(has("#") || has("＃") || has("﹟"));
            prop_assert_eq!(hashtag.as_ref().parse::<Hashtag>().unwrap(), hashtag.clone());
            let listing = HashtagListing { rank: 9, hashtag };
            for item in listing.items("2024-05").unwrap() {
                prop_assert!(item["sk"].as_s().unwrap().len() <= MAX_SORT_KEY_BYTES);
                prop_assert_eq!(item["sk"].as_s().unwrap().matches('#').count(), 1);
            }
        }
    }

    /// The order and the repetition of changes make no difference, if each photo ends as it is.
    #[test]
    fn a_summary_follows_from_the_photos_alone(numbers in prop::collection::vec(0..120_usize, 0..300), gone in prop::collection::btree_set(0..120_usize, 0..60)) {
        let entries: Vec<HashtagEntry> = numbers.iter().map(|number| entry("dawn", &id(number % 3, *number))).collect();
        let summary = |entries: &mut dyn Iterator<Item = &HashtagEntry>| {
            entries.fold(HashtagSummary::default(), |summary, entry| summary.with(entry, true))
        };
        let forward = summary(&mut entries.iter());
        prop_assert_eq!(&forward.sample, &summary(&mut entries.iter().rev()).sample);
        prop_assert_eq!(forward.level, summary(&mut entries.iter().rev()).level);
        let gone: Vec<HashtagEntry> = gone.iter().map(|number| entry("dawn", &id(number % 3, *number))).collect();
        let without = gone.iter().fold(forward.clone(), |summary, entry| summary.with(entry, false));
        let again = gone.iter().fold(without.clone(), |summary, entry| summary.with(entry, false));
        prop_assert_eq!(&without, &again);
        let left: Vec<&HashtagEntry> = entries.iter().filter(|entry| !gone.contains(entry)).collect();
        let sampled = left.iter().filter(|entry| level_of(entry.element()) >= without.level);
        let sampled: BTreeSet<u64> = sampled.map(|entry| entry.element()).collect();
        prop_assert_eq!(&without.sample, &sampled);
        let months: BTreeSet<String> = left.iter().map(|entry| month_of(&entry.photo.id).to_owned()).collect();
        prop_assert!(months.is_subset(&without.months) && (without.level > 0 || months == without.months));
    }
}

//! The decision whether a notification is sent now.

use std::collections::BTreeSet;
use std::time::Duration;

use shared::entities::Pushed;
use shared::values::{NotificationKind, Timestamp};
use uuid::Uuid;

/// The time between two messages of reactions to a photo, or of new followers.
const PAUSE: Duration = Duration::from_mins(10);
/// The time for which an invocation may be at a notification: more than the timeout of the function.
const CLAIM_TIMEOUT: Duration = Duration::from_mins(1);
/// The maximum number of attempts that an invocation began and did not end. After the second one, the
/// devices may have got the message twice.
const MAX_UNFINISHED: u32 = 2;

/// Returns the claim to send a notification that was last changed at a time, or `None` if it needs no
/// message now.
pub(super) fn next(
    last: Option<&Pushed>,
    kind: NotificationKind,
    changed: &Timestamp,
    now: &Timestamp,
) -> Option<Pushed> {
    let until = now.seconds() + CLAIM_TIMEOUT.as_secs();
    let claim = Uuid::new_v4().to_string();
    match last {
        Some(last) if last.changed >= *changed => {
            let may_repeat = !last.is_done && last.until <= now.seconds() && last.attempts < MAX_UNFINISHED;
            may_repeat.then(|| Pushed { claim, until, attempts: last.attempts + 1, ..last.clone() })
        }
        Some(last) if is_frequent(kind) && now.seconds() < last.time.seconds() + PAUSE.as_secs() => None,
        _ => Some(Pushed {
            claim,
            changed: changed.clone(),
            time: now.clone(),
            until,
            attempts: 1,
            sent: BTreeSet::new(),
            is_done: false,
        }),
    }
}

/// Returns whether thousands may do the same, so that not each of them is worth a message.
const fn is_frequent(kind: NotificationKind) -> bool {
    matches!(kind, NotificationKind::Reaction | NotificationKind::Follower | NotificationKind::Like)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: u32) -> Timestamp {
        format!("2024-05-30T15:{:02}:{:02}.000Z", second / 60, second % 60).parse().unwrap()
    }

    #[test]
    fn a_state_is_sent_once_and_a_crash_repeats_it_once() {
        let first = next(None, NotificationKind::Comment, &at(1), &at(2)).unwrap();
        let again = |last: &Pushed, second| next(Some(last), NotificationKind::Comment, &at(1), &at(second));
        assert_eq!(again(&first, 61), None, "another invocation is at it");
        let second = again(&first, 62).unwrap();
        assert_eq!((second.attempts, &second.time), (2, &first.time));
        assert_eq!(again(&second, 600), None, "two attempts have not ended");
        let done = Pushed { is_done: true, until: 0, attempts: 0, ..second.clone() };
        assert_eq!(again(&done, 600), None);
        let failed = Pushed { until: 0, attempts: 0, sent: ["1".to_owned()].into(), ..second };
        assert_eq!(again(&failed, 63).unwrap().sent, failed.sent, "the services answered");
    }

    #[test]
    fn a_newer_comment_is_sent_at_once_and_newer_reactions_after_a_pause() {
        let last = next(None, NotificationKind::Comment, &at(1), &at(2)).unwrap();
        let newer = |kind, second| next(Some(&last), kind, &at(3), &at(second)).is_some();
        assert!(newer(NotificationKind::Comment, 3) && newer(NotificationKind::Mention, 3));
        for kind in [NotificationKind::Reaction, NotificationKind::Follower, NotificationKind::Like] {
            assert!(!newer(kind, 601) && newer(kind, 602));
        }
    }
}

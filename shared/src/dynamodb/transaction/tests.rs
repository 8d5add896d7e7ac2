use aws_sdk_dynamodb::types::AttributeValue::S;

use super::*;

fn key(name: &str) -> Item {
    [("PK".to_owned(), S(name.to_owned()))].into()
}

fn put(name: &str) -> Put {
    Put::builder().table_name("quick-photos").set_item(Some(key(name))).build().unwrap()
}

fn check(name: &str) -> ConditionCheck {
    let check = ConditionCheck::builder().table_name("quick-photos").set_key(Some(key(name)));
    check.condition_expression("attribute_exists(PK)").build().unwrap()
}

/// Returns the answer of DynamoDB to a transaction if the conditions on these items fail.
fn fail(transaction: &Transaction, names: &[&str]) -> FailedConditions {
    let reason = |write: &TransactWriteItem| {
        let put = write.put.as_ref().map(|put| &put.item);
        let key = put.or(write.condition_check.as_ref().map(|check| &check.key)).unwrap();
        let has_failed = names.iter().any(|name| key["PK"] == S((*name).to_owned()));
        let reason = CancellationReason::builder();
        if has_failed { reason.code("ConditionalCheckFailed").set_item(Some(key.clone())) } else { reason.code("None") }
            .build()
    };
    let reasons = transaction.writes.iter().map(reason).collect();
    FailedConditions { reasons, transaction: transaction.token }
}

#[test]
fn a_handle_tells_of_its_write_wherever_the_write_is() {
    for comment_first in [true, false] {
        let mut transaction = Transaction::new();
        let before = comment_first.then(|| transaction.put(put("comment")));
        let author = transaction.condition_check(check("author"));
        let comment = before.unwrap_or_else(|| transaction.put(put("comment")));

        let failed = fail(&transaction, &["author"]);
        assert!(failed.contains(author) && !failed.contains(comment));
        assert_eq!(failed.item(author), Some(&key("author")));
        assert_eq!(failed.item(comment), None);
    }
}

#[test]
fn a_write_that_the_transaction_does_not_have_has_no_condition() {
    for is_idempotent in [true, false] {
        let mut transaction = Transaction::new();
        let record = is_idempotent.then(|| transaction.put(put("record")));
        let photo = transaction.condition_check(check("photo"));

        let failed = fail(&transaction, &["record", "photo"]);
        assert_eq!(failed.contains(record), is_idempotent);
        assert_eq!(failed.item(record), is_idempotent.then(|| key("record")).as_ref());
        assert_eq!(failed.item(photo), Some(&key("photo")));
    }
}

#[test]
fn the_handles_of_a_group_tell_whether_any_of_its_conditions_failed() {
    let mut transaction = Transaction::new();
    let author = transaction.condition_check(check("author"));
    let access: Vec<Write> = ["friendship", "block"].map(|name| transaction.condition_check(check(name))).into();
    let photo = Some(transaction.condition_check(check("photo")));

    let failed = fail(&transaction, &["block"]);
    assert!(failed.contains_any(access.iter().copied()));
    assert!(failed.contains_any(access.iter().copied().chain(photo)));
    assert!(!failed.contains_any(photo) && !failed.contains_any([author]));
    assert!(!failed.contains_any([]));
}

#[test]
fn only_a_failed_condition_counts() {
    let mut transaction = Transaction::new();
    let [comment, author] = ["comment", "author"].map(|name| transaction.put(put(name)));
    let reasons = ["TransactionConflict", "ConditionalCheckFailed"];
    let reasons = reasons.map(|code| CancellationReason::builder().code(code).build()).into();

    let failed = FailedConditions { reasons, transaction: transaction.token };
    assert!(failed.contains(author) && !failed.contains(comment));
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "the handle is of another transaction")]
fn a_handle_of_another_transaction_is_a_mistake() {
    let [mut counted, mut uncounted] = [Transaction::new(), Transaction::new()];
    let photo = counted.put(put("photo"));
    uncounted.put(put("reaction"));
    let _ = fail(&uncounted, &["reaction"]).contains(photo);
}

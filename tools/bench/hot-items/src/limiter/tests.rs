use std::time::Duration;

use local::template::Template;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::*;
use crate::request::{Division, Tables};

const SECOND: Duration = Duration::from_secs(1);
const IN_TRANSACTION: Option<Units> = Some(Units { of_table: 2.0, of_indexes: 1.0 });

struct DynamoDb {
    limiter: Limiter,
    tables: Tables,
    now: Instant,
}

fn limiter(free_conflicts: bool) -> Limiter {
    Limiter::new(&Assumptions::read().unwrap(), SECOND, free_conflicts)
}

impl DynamoDb {
    fn new(division: Division) -> Self {
        let template = Template::read(&Template::find().unwrap()).unwrap();
        Self { limiter: limiter(false), tables: Tables::new(&template, division), now: Instant::now() }
    }

    fn begin(&mut self, operation: &str, body: &Value) -> Result<(), Refusal> {
        self.limiter.begin(operation, &self.tables.parts(operation, body), self.now)
    }

    fn end(&mut self, operation: &str, body: &Value, units: Option<Units>) {
        self.limiter.end(operation, &self.tables.parts(operation, body), units, self.now);
    }

    /// Sends 5,000 requests a second for 2 seconds. Each ends before the next one, and takes these
    /// units. Returns how many were served.
    fn served(&mut self, operation: &str, body: impl Fn(u32) -> Value, units: Units) -> u32 {
        let mut served = 0;
        for number in 0..10_000 {
            let body = body(number);
            match self.begin(operation, &body) {
                Ok(()) => {
                    self.end(operation, &body, Some(units));
                    served += 1;
                }
                Err(refusal) => assert!(matches!(refusal, Refusal::Throttled(_)), "{refusal:?}"),
            }
            self.now += Duration::from_micros(200);
        }
        served
    }
}

fn key(pk: &str, sk: &str) -> Value {
    json!({"TableName": "quick-photos", "Key": {"PK": {"S": pk}, "SK": {"S": sk}}})
}

fn photo() -> Value {
    key("USER#ada", "PHOTO#ada#1")
}

fn update(photo: &Value) -> Value {
    json!({"TransactItems": [{"Update": photo}]})
}

fn follow(number: u32) -> Value {
    let item = json!({"PK": {"S": "USER#ada"}, "SK": {"S": format!("#FRIEND#{number}")}});
    json!({"TransactItems": [{"Put": {"TableName": "quick-photos", "Item": item}}]})
}

#[test]
fn a_partition_serves_1000_write_units_and_3000_read_units_a_second() {
    // The partition has the units of one second when it begins.
    let units = |of_table| Units { of_table, of_indexes: 0.0 };
    let served = |operation, body: Value, of_table| {
        DynamoDb::new(Division::Items).served(operation, |_| body.clone(), units(of_table))
    };
    assert_eq!(served("UpdateItem", photo(), 1.0), 3_000);
    assert_eq!(served("TransactWriteItems", update(&photo()), 2.0), 1_500);
    assert_eq!(served("GetItem", photo(), 1.0), 9_000);
    assert_eq!(served("GetItem", photo(), 0.5), 10_000);
}

#[test]
fn items_of_a_collection_share_a_partition_until_it_is_split() {
    let units = Units { of_table: 2.0, of_indexes: 1.0 };
    assert_eq!(DynamoDb::new(Division::Items).served("TransactWriteItems", follow, units), 10_000);
    assert_eq!(DynamoDb::new(Division::Collections).served("TransactWriteItems", follow, units), 1_500);
    // The followers of different users are in different partitions of the table, and in one of
    // InvertedIndex.
    let followed = |number: u32| {
        let item = json!({"PK": {"S": format!("USER#{number}")}, "SK": {"S": "#FRIEND#ada"}});
        json!({"TransactItems": [{"Put": {"TableName": "quick-photos", "Item": item}}]})
    };
    assert_eq!(DynamoDb::new(Division::Items).served("TransactWriteItems", followed, units), 10_000);
    assert_eq!(DynamoDb::new(Division::Collections).served("TransactWriteItems", followed, units), 3_000);
}

#[test]
fn transactions_that_overlap_on_an_item_conflict() {
    let mut dynamodb = DynamoDb::new(Division::Items);
    let transaction = json!({"TransactItems": [{"Update": key("USER#ben", "#METADATA#ben")}, {"Update": photo()}]});
    dynamodb.begin("TransactWriteItems", &transaction).unwrap();
    let conflict = |positions: &[usize]| Err(Refusal::Conflict(positions.to_vec()));
    assert_eq!(dynamodb.begin("TransactWriteItems", &update(&photo())), conflict(&[0]));
    assert_eq!(dynamodb.begin("TransactWriteItems", &transaction), conflict(&[0, 1]));
    let check = json!({"TransactItems": [{"Put": key("a", "b")}, {"ConditionCheck": photo()}]});
    assert_eq!(dynamodb.begin("TransactWriteItems", &check), conflict(&[1]));
    let get = json!({"TransactItems": [{"Get": photo()}]});
    assert_eq!(dynamodb.begin("TransactGetItems", &get), conflict(&[0]));
    for operation in ["PutItem", "UpdateItem", "DeleteItem"] {
        assert_eq!(dynamodb.begin(operation, &photo()), conflict(&[0]));
    }
    assert_eq!(dynamodb.begin("GetItem", &photo()), Ok(()));
    assert_eq!(dynamodb.begin("TransactWriteItems", &follow(1)), Ok(()));

    dynamodb.end("TransactWriteItems", &transaction, IN_TRANSACTION);
    assert_eq!(dynamodb.begin("TransactWriteItems", &update(&photo())), Ok(()));
}

#[test]
fn a_condition_check_conflicts_with_a_write() {
    let mut dynamodb = DynamoDb::new(Division::Items);
    let check = json!({"TransactItems": [{"ConditionCheck": photo()}]});
    dynamodb.begin("TransactWriteItems", &check).unwrap();
    assert_eq!(dynamodb.begin("TransactWriteItems", &update(&photo())), Err(Refusal::Conflict(vec![0])));
}

#[test]
fn a_single_write_conflicts_only_with_transactions() {
    let mut dynamodb = DynamoDb::new(Division::Items);
    dynamodb.begin("UpdateItem", &photo()).unwrap();
    assert_eq!(dynamodb.begin("UpdateItem", &photo()), Ok(()));
    assert_eq!(dynamodb.begin("TransactWriteItems", &update(&photo())), Ok(()));
    let get = json!({"TransactItems": [{"Get": photo()}]});
    assert_eq!(dynamodb.begin("TransactGetItems", &get), Err(Refusal::Conflict(vec![0])));
}

#[test]
fn a_cancelled_transaction_takes_units() {
    let mut dynamodb = DynamoDb::new(Division::Items);
    dynamodb.begin("TransactWriteItems", &update(&photo())).unwrap();
    // With the one that is served, 499 conflicts of 2 units each take what there is. A throttled
    // request takes nothing.
    for _ in 0..499 {
        assert_eq!(dynamodb.begin("TransactWriteItems", &update(&photo())), Err(Refusal::Conflict(vec![0])));
    }
    for _ in 0..10 {
        assert_eq!(dynamodb.begin("TransactWriteItems", &update(&photo())), Err(Refusal::Throttled(vec![0])));
    }
    // A failed condition gives nothing back.
    dynamodb.end("TransactWriteItems", &update(&photo()), None);
    assert_eq!(dynamodb.begin("TransactWriteItems", &update(&photo())), Err(Refusal::Throttled(vec![0])));
    dynamodb.now += Duration::from_millis(1);
    assert_eq!(dynamodb.begin("TransactWriteItems", &update(&photo())), Ok(()));
}

#[test]
fn a_conflict_can_be_free() {
    let mut dynamodb = DynamoDb::new(Division::Items);
    dynamodb.limiter = limiter(true);
    dynamodb.begin("TransactWriteItems", &update(&photo())).unwrap();
    for _ in 0..1000 {
        assert_eq!(dynamodb.begin("TransactWriteItems", &update(&photo())), Err(Refusal::Conflict(vec![0])));
    }
    assert_eq!(dynamodb.begin("UpdateItem", &key("USER#ben", "#METADATA#ben")), Ok(()));
    dynamodb.end("TransactWriteItems", &update(&photo()), IN_TRANSACTION);
    assert_eq!(dynamodb.begin("TransactWriteItems", &update(&photo())), Ok(()));
}

#[test]
fn reads_the_units_of_an_answer() {
    let table = json!({
        "CapacityUnits": 9.0, "Table": {"CapacityUnits": 6.0},
        "GlobalSecondaryIndexes": {"InvertedIndex": {"CapacityUnits": 2.0}, "ReactionsByTime": {"CapacityUnits": 1.0}},
    });
    let units = Units { of_table: 6.0, of_indexes: 3.0 };
    assert_eq!(Units::from_answer(&json!({"ConsumedCapacity": [table]})), units);
    assert_eq!(Units::from_answer(&json!({"ConsumedCapacity": table})), units);
    assert_eq!(
        Units::from_answer(&json!({"ConsumedCapacity": {"CapacityUnits": 0.5}})),
        Units { of_table: 0.5, of_indexes: 0.0 }
    );
}

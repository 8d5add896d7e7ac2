//! The data that stacks begin with. Tests start hundreds of stacks with the sample data, and to copy a database
//! takes less time than to fill it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Result;
use dynoxide::Database;
use time::OffsetDateTime;

use crate::sample::World;
use crate::services::dynamodb;
use crate::services::s3::Object;
use crate::template::Template;
use crate::template::cloudformation::Parameters;

/// The data of a new stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Data {
    /// The sample data.
    Sample,
    /// The small part of the sample data that documents and tests refer to by name.
    Seed,
    /// The items of a file (JSON Lines), which go into quick-photos. The other tables stay empty.
    Items(PathBuf),
    /// Nothing, and there is no quick-photos.
    Empty,
}

/// The maximum age of sample data that another stack begins with. What happens in it has dates before its start.
const MAX_AGE: Duration = Duration::from_mins(1);

/// Objects of the bucket of the photos with their keys.
pub(super) type Objects = Vec<(String, Object)>;

/// Sample data, or the part of it that is the seed data.
pub(super) struct Prepared {
    /// The [`snapshot`](dynamodb::snapshot) of a database with the tables and their items.
    pub(super) database: Vec<u8>,
    pub(super) objects: Objects,
    made: Instant,
}

impl Prepared {
    /// Returns the data for the tables of the template with these parameters. The sample data has begun within the
    /// last minute.
    pub(super) fn recent(data: &Data, parameters: &Parameters, template: &Template) -> Result<Arc<Self>> {
        static ALL: Mutex<BTreeMap<(bool, Parameters), Arc<Prepared>>> = Mutex::new(BTreeMap::new());
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (*data == Data::Seed, parameters.clone());
        if let Some(prepared) = all.get(&key).filter(|prepared| prepared.made.elapsed() < MAX_AGE) {
            return Ok(Arc::clone(prepared));
        }
        let made = Instant::now();
        let database = dynamodb::in_memory()?;
        dynamodb::create_tables(&database, template)?;
        let objects = import(data, &database, template)?;
        let prepared = Arc::new(Self { database: dynamodb::snapshot(&database)?, objects, made });
        all.insert(key, Arc::clone(&prepared));
        Ok(prepared)
    }
}

/// Writes the sample data, or the seed data, into new tables. Returns its objects.
pub(super) fn import(data: &Data, database: &Database, template: &Template) -> Result<Objects> {
    let world = match data {
        Data::Seed => World::seed(),
        _ => World::sample(OffsetDateTime::now_utc()),
    };
    for table in &template.tables {
        dynamodb::import(database, &table.name, world.items_of(&table.logical_id))?;
    }
    world.objects()
}

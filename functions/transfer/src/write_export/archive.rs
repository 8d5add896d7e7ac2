//! The files of the archive, in the order in which they are written.
//!
//! | file | content |
//! |---|---|
//! | `profile.json`, `profile.html` | the profile and the account |
//! | `<section>/<page>.json`, `<section>/<page>.html` | up to 500 entries of a section |
//! | `pictures/<time of the photo>.jpg` | the largest size of a picture. The names of several have their numbers |
//! | `export.json`, `schema.json`, `index.html` | what the archive is, the JSON Schema of its files, and the page to begin with |

use std::collections::BTreeMap;

use futures_util::{StreamExt as _, stream};
use serde::Serialize;
use serde_json::json;
use serde_json::value::to_raw_value;
use shared::Error;
use shared::entities::object::exported_name;
use shared::entities::{Export, ExportWork};
use shared::values::Time;

use crate::write_export::html;
use crate::write_export::source::{PICTURES, Page, Picture, SECTIONS, Source};
use crate::write_export::zip::Part;

/// The size from which on a part is large enough, in bytes. S3 takes parts of 5 MiB or more, and
/// 10,000 of them.
const PART_BYTES: usize = 8 * 1024 * 1024;
/// The number of pictures that are read concurrently.
const CONCURRENT_PICTURES: usize = 8;

/// The section that is written first.
pub(crate) const FIRST_SECTION: &str = "profile";
/// The name of what is left when all sections are written.
const END: &str = "end";

/// The JSON Schema of the files.
pub(crate) const SCHEMA: &str = include_str!("schema.json");

/// Adds files to a part until it is large enough. Returns whether the archive has all files then.
pub(crate) async fn fill(
    source: &Source<'_>,
    export: &mut Export,
    work: &mut ExportWork,
    part: &mut Part,
) -> Result<bool, Error> {
    while part.bytes.len() < PART_BYTES {
        match work.section.as_str() {
            FIRST_SECTION => {
                let (profile, photos) = source.profile().await?;
                export.of = photos;
                add_json(part, "profile", &profile)?;
                part.add("profile.html", html::profile(&to_raw_value(&profile)?)?.as_bytes());
                turn_to(work, SECTIONS[0].name);
            }
            PICTURES => add_pictures(source, export, work, part).await?,
            END => {
                let pictures = work.counts.remove(PICTURES).unwrap_or_default();
                let about = json!({
                    "format": "quick-photos-export", "version": 1, "username": source.owner, "id": export.id,
                    "created": Time::from(export.created.clone()), "entries": work.counts, "pictures": pictures,
                });
                add_json(part, "export", &about)?;
                part.add("schema.json", SCHEMA.as_bytes());
                part.add("index.html", html::index(source.owner, export, &work.counts).as_bytes());
                return Ok(true);
            }
            _ => add_page(source, work, part).await?,
        }
    }
    Ok(false)
}

fn add_json(part: &mut Part, name: &str, content: &impl Serialize) -> Result<(), Error> {
    part.add(&format!("{name}.json"), &serde_json::to_vec_pretty(content)?);
    Ok(())
}

/// Turns to the first page of a section.
fn turn_to(work: &mut ExportWork, section: &str) {
    section.clone_into(&mut work.section);
    (work.page, work.after) = (1, BTreeMap::new());
}

/// Adds a page of entries as JSON and as HTML.
async fn add_page(source: &Source<'_>, work: &mut ExportWork, part: &mut Part) -> Result<(), Error> {
    let index = SECTIONS.iter().position(|section| section.name == work.section);
    let index = index.ok_or_else(|| Error::internal(format!("there is no section {}", work.section)))?;
    let section = &SECTIONS[index];
    let Page { entries, next } = source.page(section, &work.after).await?;
    *work.counts.entry(section.name.to_owned()).or_default() += u64::try_from(entries.len()).unwrap_or_default();
    let (name, number) = (format!("{}/{}", section.name, work.page), work.page);
    let next_name = (!next.is_empty()).then(|| format!("{}/{}.json", section.name, number + 1));
    part.add(&format!("{name}.html"), html::page(section.title, number, !next.is_empty(), &entries)?.as_bytes());
    add_json(part, &name, &json!({"section": section.name, "entries": entries, "next": next_name}))?;
    if next.is_empty() {
        turn_to(work, SECTIONS.get(index + 1).map_or(PICTURES, |section| section.name));
    } else {
        (work.page, work.after) = (number + 1, next);
    }
    Ok(())
}

/// Adds the pictures of as many photos as the part has room for, and of one at least.
async fn add_pictures(
    source: &Source<'_>,
    export: &mut Export,
    work: &mut ExportWork,
    part: &mut Part,
) -> Result<(), Error> {
    let (pictures, next) = source.pictures(&work.after).await?;
    // The bytes of all sizes, so that no picture is read for nothing.
    let mut room = u64::try_from(PART_BYTES.saturating_sub(part.bytes.len())).unwrap_or_default();
    let fitting = pictures.chunk_by(|one, other| one.photo == other.photo).take_while(|of_photo| {
        let has_room = room > 0;
        room = room.saturating_sub(of_photo.iter().map(|picture| picture.bytes).sum());
        has_room
    });
    let fitting: usize = fitting.map(<[_]>::len).sum();
    let reads = stream::iter(&pictures[..fitting]).map(|picture| source.picture(picture));
    let mut reads = Box::pin(reads.buffered(CONCURRENT_PICTURES).enumerate());
    let mut last = None;
    while let Some((index, file)) = reads.next().await {
        if let Some(file) = file? {
            let Picture { photo, number, .. } = &pictures[index];
            part.add(&exported_name(photo, *number), &file);
            *work.counts.entry(PICTURES.to_owned()).or_default() += 1;
            export.photos += u64::from(last.replace(photo) != Some(photo));
        }
    }
    match pictures.get(fitting.saturating_sub(1)).filter(|_| fitting < pictures.len()) {
        Some(last) => work.after.clone_from(&last.position),
        None if next.is_empty() => turn_to(work, END),
        None => work.after = next,
    }
    Ok(())
}

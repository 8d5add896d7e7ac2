//! Photos of several pictures.

use shared::entities::{Pictures, get_pictures};
use shared::values::PictureNumber;
use testing::several;

use super::*;

const PENDING: Picture = Picture::Pending;

async fn fixture_of(pictures: [Picture; 2]) -> Fixture {
    let fixture = Fixture::with_s3("reject-photo").await;
    for item in several("ada", TIMESTAMP, pictures) {
        fixture.put(item).await;
    }
    let (owner, id) = ada();
    let of = |of: u32| PictureNumber::try_from(of).ok();
    for key in [
        incoming_key(&owner, &id, of(1)),
        picture_key(&owner, &id, of(1), &PictureId::from_file(PNG), Size::Large),
        incoming_key(&owner, &id, of(2)),
        picture_key(&owner, &id, of(2), &PictureId::from_file(PNG), Size::Large),
    ] {
        fixture.put_object(&key, Object { content_type: None, cache_control: None, bytes: PNG.into() }).await;
    }
    fixture
}

async fn reject_first(fixture: &Fixture) {
    let (owner, id) = ada();
    let key = incoming_key(&owner, &id, Some(PictureNumber::FIRST));
    let upload = Upload { key, sequencer: "0001".to_owned(), receives: None };
    fixture.handler(RejectPhoto::start).handle(upload).await.unwrap();
}

async fn pictures(fixture: &Fixture) -> Pictures {
    let (owner, id) = ada();
    get_pictures(&fixture.unrecorded_table(testing::QUICK_PHOTOS), &owner, &id).await.unwrap().unwrap()
}

#[tokio::test]
async fn rejects_the_picture_alone_and_deletes_its_files() {
    let fixture = fixture_of([PENDING; 2]).await;
    let mut expected = photo(&fixture).await;
    expected["altText"] = "Picture 2".into();
    for _ in 0..2 {
        reject_first(&fixture).await;
        let [first, second] = &pictures(&fixture).await.entries[..] else { panic!("two pictures") };
        assert_eq!((&first.picture, &second.picture), (&testing::rejected(), &Picture::Pending));
        assert_eq!(photo(&fixture).await, expected);
        assert_eq!(fixture.objects().await.len(), 2);
    }
}

#[tokio::test]
async fn leaves_a_picture_to_another_upload_that_holds_a_claim_and_a_ready_one_as_it_is() {
    let fixture = fixture_of([PENDING; 2]).await;
    let claimed = pictures(&fixture).await.claimed(PictureNumber::FIRST, "0002").unwrap();
    fixture.put(claimed.put_new("table", &ada().0).unwrap().item).await;
    let objects = fixture.objects().await;
    reject_first(&fixture).await;
    assert_eq!((pictures(&fixture).await, fixture.objects().await), (claimed, objects));

    let fixture = fixture_of([ready(PNG), Picture::Pending]).await;
    let before = pictures(&fixture).await;
    reject_first(&fixture).await;
    assert_eq!((pictures(&fixture).await, fixture.objects().await.len()), (before, 3));
}

//! An export of the maximum number of photos. It takes minutes:
//!
//! ```sh
//! TMPDIR=/var/tmp cargo test --workspace --bin write-export -- --ignored --nocapture large
//! ```

use shared::dynamodb::Item;
use shared::entities::MAX_PHOTOS;

use super::*;

/// The number of photos that have a picture in the bucket, and the size of each: 2 GB together.
const PICTURES: u64 = 6_700;
const PICTURE_BYTES: usize = 300_000;

/// The photos whose pictures are missing cost the same requests.
#[tokio::test]
#[ignore = "it takes minutes and 4 GB of disk"]
async fn an_export_of_100_000_photos_and_2_gb_takes_several_invocations_and_little_memory() {
    let setup = Setup::new(10).await;
    let mut photos: Vec<Item> = vec![];
    for number in 0..MAX_PHOTOS {
        let (minute, second) = (number / 60 % 60, number % 60);
        let (day, hour) = (1 + number / 86_400, number / 3600 % 24);
        let time = format!("2023-01-{day:02}T{hour:02}:{minute:02}:{second:02}.000Z");
        if number < PICTURES {
            setup.put_photo(&time, &picture(usize::try_from(number).unwrap(), PICTURE_BYTES)).await;
        } else {
            photos.push(photo_with("ada", &time, ready(time.as_bytes())));
        }
    }
    setup.fixture.put_all(photos);

    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    let (before, begin) = (kilobytes("VmRSS"), std::time::Instant::now());
    let (mut claimed, mut invocations) = (0, 0);
    while setup.stored().await["state"] != "ready" {
        // Ten seconds are left for parts.
        setup.deliver(&format!("message {claimed}"), claimed, PART_RESERVE + Duration::from_secs(10)).await.unwrap();
        invocations += 1;
        for (_, body) in setup.messages.take().await {
            claimed = serde_json::from_value(body["claimed"].clone()).unwrap();
        }
    }
    let (took, requests) = (begin.elapsed(), setup.fixture.operations());
    println!("{} kB of memory more at the peak, with what the engine and S3 need", kilobytes("VmHWM") - before);
    let stored = setup.stored().await;
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    for operation in &requests {
        *numbers.entry(operation).or_default() += 1;
    }
    println!("{took:?}, {invocations} invocations, {} bytes, {numbers:?}", stored["bytes"]);
    assert!(invocations > 1);
    assert_eq!((&stored["state"], &stored["photos"]), (&json!("ready"), &json!(PICTURES + 3)));
}

/// Returns a number of the [status](https://man7.org/linux/man-pages/man5/proc_pid_status.5.html)
/// of this process.
fn kilobytes(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':')).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

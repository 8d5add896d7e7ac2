//! What the tests of the whole system have in common.

pub mod access_patterns;

use std::collections::BTreeMap;
use std::process;
use std::time::Duration;

use local::lambda::children::{children, signal};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use tokio::time::sleep;

/// Draws a function that this process runs and whose name is fine, and kills all processes that it has, busy or not; waits
/// for one if there is none.
pub async fn kill_one(random: &mut StdRng, is_fine: impl Fn(&str) -> bool) {
    loop {
        let mut functions: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for (pid, name) in children(process::id()) {
            if name.contains('-') && is_fine(&name) {
                functions.entry(name).or_default().push(pid);
            }
        }
        let functions: Vec<_> = functions.into_iter().collect();
        if let Some((name, pids)) = functions.choose(random) {
            let killed = pids.iter().filter(|pid| signal(**pid, "KILL")).count();
            if killed > 0 {
                eprintln!("killed {killed} of {name}");
                return;
            }
        }
        sleep(Duration::from_millis(20)).await;
    }
}

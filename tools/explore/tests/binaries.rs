//! A sample of schedules with the real binaries of the functions.

use explore::replay_with_binaries;
use local::lambda::build;
use local::template::Template;
use tokio::runtime::Builder;

/// Schedules with the orders that led to errors, and with faults. Each line names all steps, and
/// holds no request for more than some ten of them, because an attempt times out after 1 s.
const SAMPLE: &[&str] = &[
    "own: ada DELETE /users/ada/favorites/sunset & ada DELETE /users/ada/favorites/sunset/tags/travel @ a2 b a a a d",
    "own: ada DELETE /users/ada/favorites/sunset & ada DELETE /users/ada/favorites/sunset/tags/travel ; ada PUT /users/ada/favorites/sunset/tags/travel @ a b a d d a a a a a f",
    r#"own: ada POST /users/ada/tags {"tagName":"Travel"} & ada PATCH /users/ada/tags/travel {"tagName":"Trips"} ; ada PATCH /users/ada/tags/travel {"tagName":"Travel"} @ a b b a c c a a a"#,
    "foreign: ada DELETE /users/ada/favorites/sunset/tags/travel & ada PUT /users/ada/favorites/sunset/tags/travel @ a b b a b",
    "own: ada DELETE /users/ada/tags/family & ada PUT /users/ada/favorites/sunset/tags/family @ a b b a d d d d",
    "own: ada DELETE /users/ada/tags/family & ada PUT /users/ada/favorites/sunset/tags/family @ a b:gone- c c a e e e e",
    "own: cara DELETE /users/cara & cara PUT /users/ada/followers/cara @ a b:garbled d d b d d d d d d d d d d d d d d d d d d d d d d c c c d d d d",
    "own: ada PUT /users/cara/followers/ada & ben PUT /users/cara/followers/ben @ a:lost b a c c c c e e e f f f f",
    "own: ada PUT /users/cara/followers/ada & ben PUT /users/cara/followers/ben @ a:conflict b a c c c c e e e f f f f",
    "own: ben PUT /users/ada/photos/2024-05-30T15:42:38/reactions/sunglasses & ada DELETE /users/ada/photos/2024-05-30T15:42:38 @ a:reset b a c d c c e e e e e e e e e e i i i",
    "own: ada DELETE /users/ada/photos/2024-05-30T15:42:38 & ben DELETE /users/ada/photos/2024-05-30T15:42:38/reactions/heart @ a d:gone+ b c e e e e e e e e e b b",
    "own: ada DELETE /users/ada/favorites/sunset & ada POST /users/ada/favorites/sunset/restore @ a a:gone+ b c c c d",
    "own: ada PUT /users/ada/favorites/sunset/tags/family & ada DELETE /users/ada/tags/family @ a:throttled b:500 b b a a c c c",
    r#"pictures: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"} & ada DELETE /users/ada/photos/2024-05-30T15:42:38 @ a c c c b c c c c c c c e e e e e"#,
];

#[test]
fn the_binaries_take_the_steps_of_schedules_that_lead_to_no_error() {
    let template = Template::find().unwrap();
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(build::functions(template.parent().unwrap())).expect("the functions build");
    let binaries = build::directory().unwrap();
    for line in SAMPLE {
        let (trace, finding) = replay_with_binaries(line, &binaries).unwrap();
        assert_eq!(finding.schedule, *line, "the binaries take other steps:\n{}", trace.join("\n"));
        assert!(finding.faults.is_empty(), "{finding}\n{}", trace.join("\n"));
    }
}

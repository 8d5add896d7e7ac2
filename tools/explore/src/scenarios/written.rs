//! The scenarios that are written and not derived, by what they are about.

/// Longer histories, in which three functions or more take part.
pub(super) const LONGER: &[&str] = &[
    "own: ada PUT /users/ada/favorites/sunset/tags/travel & ada DELETE /users/ada/favorites/sunset & ada POST /users/ada/favorites/sunset/restore",
    "own: ada PUT /users/ada/favorites/old-map/tags/family & ada DELETE /users/ada/favorites/old-map & ada POST /users/ada/favorites/old-map/restore",
    "own: ada DELETE /users/ada/tags/travel & ada PUT /users/ada/favorites/sunset/tags/travel & ada POST /users/ada/favorites/old-map/restore",
    "own: ada DELETE /users/ada/tags/travel & ada PUT /users/ada/favorites/old-map/tags/travel & ada POST /users/ada/favorites/old-map/restore",
    "own: ada PUT /users/ben/followers/ada & ada DELETE /users/ben/followers/ada & ben DELETE /users/ben",
    "own: ada DELETE /users/ben/followers/ada ; ada PUT /users/ben/followers/ada & ben DELETE /users/ben",
    "own: ben PUT /users/ada/followers/ben & ben DELETE /users/ada/followers/ben & ben DELETE /users/ben",
    "own: ben POST /users {\"username\":\"ben\",\"name\":\"Ben\"} & ben DELETE /users/ben & ben PUT /users/ada/followers/ben",
    "own: ben DELETE /users/ben ; ben POST /users {\"username\":\"ben\",\"name\":\"Ben\"} & ben DELETE /users/ben",
    "own: ada DELETE /users/ben/followers/ada & ben DELETE /users/ben ; ben POST /users {\"username\":\"ben\",\"name\":\"Ben\"} ; ada PUT /users/ben/followers/ada",
    "own: ben DELETE /users/ada/photos/2024-05-30T15:42:38/reactions/heart & ada DELETE /users/ada/photos/2024-05-30T15:42:38 & ben DELETE /users/ben",
    "own: ada POST /users/ada/photos & ada DELETE /users/ada/photos/2024-05-30T15:42:38 & ada DELETE /users/ada",
    "own: cara DELETE /users/cara & cara POST /users/cara/favorites/old-map/restore",
    "own: ben DELETE /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben & ada DELETE /users/ada/photos/2024-05-30T15:42:38 & ben DELETE /users/ben",
    r#"own: ada DELETE /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben & ben PATCH /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben {"text":"Edited"} & ben DELETE /users/ben"#,
    r#"own: ben POST /users/ada/photos/2024-05-30T15:42:38/comments {"text":"Wow"} & ada DELETE /users/ada/photos/2024-05-30T15:42:38 & ben DELETE /users/ben"#,
    r#"own: ben POST /users/ada/photos/2024-05-30T15:42:38/comments {"text":"Wow"} & ben DELETE /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben & ada DELETE /users/ada"#,
    r#"own: ben POST /users/ada/photos/2024-05-30T15:42:38/comments {"text":"Wow"} & ada DELETE /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben & ada DELETE /users/ada/photos/2024-05-30T15:42:38 & ben DELETE /users/ben"#,
    r#"own: ada PATCH /users/ada/photos/2024-05-30T15:42:38 {"caption":"A pier"} & ben POST /users/ada/photos/2024-05-30T15:42:38/comments {"text":"Wow"} & ada DELETE /users/ada/photos/2024-05-30T15:42:38"#,
];

/// Replies, and what they meet: the deletion of the comment that they answer, of the photo and of both
/// authors.
pub(super) const REPLIES: &[&str] = &[
    r#"own: ada POST /users/ada/photos/2024-05-30T15:42:38/comments {"text":"Yes","replyTo":"2024-06-02T18:05:41.250Z~ben"} & ben DELETE /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben"#,
    r#"own: ada POST /users/ada/photos/2024-05-30T15:42:38/comments {"text":"Yes","replyTo":"2024-06-02T18:05:41.250Z~ben"} & ada DELETE /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben"#,
    r#"own: ada POST /users/ada/photos/2024-05-30T15:42:38/comments {"text":"Yes","replyTo":"2024-06-02T18:05:41.250Z~ben"} & ben POST /users/ada/photos/2024-05-30T15:42:38/comments {"text":"Yes","replyTo":"2024-06-02T18:05:41.250Z~ben"} & ben DELETE /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben"#,
    r#"own: ada POST /users/ada/photos/2024-05-30T15:42:38/comments {"text":"Yes","replyTo":"2024-06-02T18:05:41.250Z~ben"} & ben DELETE /users/ben"#,
    r#"own: ada POST /users/ada/photos/2024-05-30T15:42:38/comments {"text":"Yes","replyTo":"2024-06-02T18:05:41.250Z~ben"} & ada DELETE /users/ada/photos/2024-05-30T15:42:38"#,
    r#"own: ben POST /users/ada/photos/2024-05-30T15:42:38/comments {"text":"Yes","replyTo":"2024-06-02T18:05:41.250Z~ben"} & ada DELETE /users/ada"#,
    r#"own: ada POST /users/ada/photos/2024-05-30T15:42:38/comments {"text":"Yes","replyTo":"2024-06-02T18:05:41.250Z~ben"} & ben PATCH /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben {"text":"Edited"} & ben DELETE /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben"#,
    r#"own: ada POST /users/ada/photos/2024-05-30T15:42:38/comments {"text":"Yes","replyTo":"2024-06-02T18:05:41.250Z~ben"} ; ben DELETE /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben & ada DELETE /users/ada"#,
    r#"own: ada POST /users/ada/photos/2024-05-30T15:42:38/comments {"text":"Yes","replyTo":"2024-06-02T18:05:41.250Z~ben"} ; ben DELETE /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben & ada DELETE /users/ada/photos/2024-05-30T15:42:38"#,
    r#"own: ada POST /users/ada/photos/2024-05-30T15:42:38/comments {"text":"Yes","replyTo":"2024-06-02T18:05:41.250Z~ben"} ; ben DELETE /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben & ada DELETE /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben"#,
    r#"own: ada POST /users/ada/photos/2024-05-30T15:42:38/comments {"text":"Yes","replyTo":"2024-06-02T18:05:41.250Z~ben"} & ben POST /users/ada/photos/2024-05-30T15:42:38/comments {"text":"Yes","replyTo":"2024-06-02T18:05:41.250Z~ben"} ; ben DELETE /users/ben & ada DELETE /users/ada/photos/2024-05-30T15:42:38"#,
    r#"own: ada POST /users/ada/photos/2024-05-30T15:42:38/comments {"text":"Yes","replyTo":"2024-06-02T18:05:41.250Z~ben"} ; ada DELETE /users/ada & ben DELETE /users/ben"#,
];

/// Likes of comments and the pinned comment, and what they meet: the deletion of the comment, of the photo,
/// of its author and of those who like it.
pub(super) const LIKES: &[&str] = &[
    "own: ada PUT /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben/like & ben DELETE /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben",
    "own: ada PUT /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben/like & ben PUT /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben/like & ada DELETE /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben",
    "own: ada PUT /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben/like & ada DELETE /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben/like & ben DELETE /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben",
    r#"own: ada PUT /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben/like & ben PATCH /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben {"text":"Edited"} & ben DELETE /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben"#,
    r#"own: ada PUT /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben/like & ada POST /users/ada/photos/2024-05-30T15:42:38/comments {"text":"Yes","replyTo":"2024-06-02T18:05:41.250Z~ben"} & ben DELETE /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben"#,
    "own: ada PUT /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben/like & ben DELETE /users/ben",
    "own: ben PUT /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben/like & ada DELETE /users/ada/photos/2024-05-30T15:42:38",
    "own: ben PUT /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben/like & ben DELETE /users/ben & ada DELETE /users/ada/photos/2024-05-30T15:42:38",
    "own: ada PUT /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben/like ; ada DELETE /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben/like & ben DELETE /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben",
    "own: ada PUT /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben/like ; ada DELETE /users/ada & ben DELETE /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben",
    "own: ada PUT /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben/like & ben PUT /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben/like ; ada DELETE /users/ada & ben DELETE /users/ben",
    r#"own: ada PUT /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben/like & ada PUT /users/ada/blocks/ben {"level":"block"}"#,
    r#"own: ada PATCH /users/ada/photos/2024-05-30T15:42:38 {"pinnedComment":"2024-06-02T18:05:41.250Z~ben"} & ben DELETE /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben"#,
    r#"own: ada PATCH /users/ada/photos/2024-05-30T15:42:38 {"pinnedComment":"2024-06-02T18:05:41.250Z~ben"} & ada PATCH /users/ada/photos/2024-05-30T15:42:38 {"pinnedComment":null} & ben DELETE /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben"#,
    r#"own: ada PATCH /users/ada/photos/2024-05-30T15:42:38 {"pinnedComment":"2024-06-02T18:05:41.250Z~ben"} & ben DELETE /users/ben"#,
    r#"own: ada PATCH /users/ada/photos/2024-05-30T15:42:38 {"pinnedComment":"2024-06-02T18:05:41.250Z~ben"} & ada DELETE /users/ada/photos/2024-05-30T15:42:38"#,
    r#"own: ada PATCH /users/ada/photos/2024-05-30T15:42:38 {"pinnedComment":"2024-06-02T18:05:41.250Z~ben"} ; ben DELETE /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben & ada PATCH /users/ada/photos/2024-05-30T15:42:38 {"pinnedComment":null}"#,
    r#"own: ada PATCH /users/ada/photos/2024-05-30T15:42:38 {"pinnedComment":"2024-06-02T18:05:41.250Z~ben"} & ada PATCH /users/ada/photos/2024-05-30T15:42:38 {"audience":"followers"} & ben PUT /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben/like"#,
];

/// Uploads of the file of a pending photo, and what they meet: another upload, the deletion and the
/// expiry of the photo, the deletion of its owner. Then what follows a deletion, and photos that
/// expire while two clocks differ.
pub(super) const PICTURES: &[&str] = &[
    r#"pictures: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"} & ada DELETE /users/ada/photos/2024-05-30T15:42:38"#,
    r#"pictures: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"} & ttl EXPIRE /users/ada/photos/2024-05-30T15:42:38"#,
    r#"pictures: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"} & ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"blue"}"#,
    r#"pictures: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"} & ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"text"}"#,
    r#"pictures: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"} & ben PUT /users/ada/photos/2024-05-30T15:42:38/reactions/heart"#,
    r#"pictures: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"} & ada PATCH /users/ada/photos/2024-05-30T15:42:38 {"audience":"me"} ; ada PATCH /users/ada/photos/2024-05-30T15:42:38 {"audience":"everyone"}"#,
    r#"pictures: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"} ; ben POST /reports {"photo":{"username":"ada","id":"2024-05-30T15:42:38"},"reason":"spam"} ; ben PUT /reports/ada~2024-05-30T15:42:38 {"decision":"remove"} & ada PATCH /users/ada/photos/2024-05-30T15:42:38 {"audience":"me"}"#,
    r#"pictures: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"hostile"} & ada DELETE /users/ada/photos/2024-05-30T15:42:38"#,
    r#"pictures: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"hostile"} & ttl EXPIRE /users/ada/photos/2024-05-30T15:42:38"#,
    r#"pictures: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"hostile"} & ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"}"#,
    r#"pictures: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"} & ada DELETE /users/ada"#,
    "pictures: ttl EXPIRE /users/ada/photos/2024-05-30T15:42:38 & ada DELETE /users/ada/photos/2024-05-30T15:42:38",
    "pictures: ttl EXPIRE /users/ada/photos/2024-05-30T15:42:38 & ada POST /users/ada/photos",
    r#"pictures: ttl EXPIRE /users/ada/photos/2024-05-30T15:42:38 & ada DELETE /users/ada ; ada POST /users {"username":"ada","name":"Ada"}"#,
    r#"pictures: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"} & ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"blue"} & ada DELETE /users/ada/photos/2024-05-30T15:42:38"#,
    r#"pictures: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"} & ttl EXPIRE /users/ada/photos/2024-05-30T15:42:38 & ada DELETE /users/ada/photos/2024-05-30T15:42:38"#,
    r#"pictures: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"} & ada DELETE /users/ada/photos/2024-05-30T15:42:38 & ada DELETE /users/ada"#,
    r#"pictures: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"} & ttl EXPIRE /users/ada/photos/2024-05-30T15:42:38 & ada DELETE /users/ada"#,
    r#"pictures: ada DELETE /users/ada ; ada POST /users {"username":"ada","name":"Ada"} ; ada POST /users/ada/photos"#,
    r#"pictures: ada DELETE /users/ada ; clock WAIT 9d ; clock WAIT 9d ; ada POST /users {"username":"ada","name":"Ada"} ; ada POST /users/ada/photos"#,
    r#"pictures+200: cara POST /users {"username":"cara","name":"Cara"} ; cara POST /users/cara/photos ; clock WAIT 2d"#,
    r#"pictures-200: cara POST /users {"username":"cara","name":"Cara"} ; cara POST /users/cara/photos ; clock WAIT 2d"#,
];

/// Uploads of the files of two pictures of a pending photo, and what they meet: each other, a new order, a picture that
/// is left out or replaced, decisions of a moderator, another audience, and the ends of the photo and of its owner.
pub(super) const SEVERAL: &[&str] = &[
    r#"several: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red","number":1} & ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"blue","number":2}"#,
    r#"several: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red","number":1} & ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"blue","number":1}"#,
    r#"several: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red","number":1} & ada PATCH /users/ada/photos/2024-05-30T15:42:38 {"pictures":[{"number":1}]}"#,
    r#"several: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red","number":1} & ada PATCH /users/ada/photos/2024-05-30T15:42:38 {"pictures":[{"number":2}]}"#,
    r#"several: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"text","number":1} & ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red","number":2} ; ada PATCH /users/ada/photos/2024-05-30T15:42:38 {"pictures":[{"number":2},{}]}"#,
    r#"several: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"hostile","number":1} & ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red","number":2}"#,
    r#"several: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red","number":1} ; ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"blue","number":2} & ada PATCH /users/ada/photos/2024-05-30T15:42:38 {"audience":"me"}"#,
    r#"several: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red","number":1} ; ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"blue","number":2} & ada PATCH /users/ada/photos/2024-05-30T15:42:38 {"pictures":[{"number":2},{"number":1}]}"#,
    r#"several: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red","number":1} ; ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"blue","number":2} ; ada PATCH /users/ada/photos/2024-05-30T15:42:38 {"pictures":[{"number":2}]} & ada PATCH /users/ada/photos/2024-05-30T15:42:38 {"pictures":[{"number":1}]}"#,
    r#"several: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red","number":1} ; ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"blue","number":2} ; ada PATCH /users/ada {"pinnedImage":{"username":"ada","id":"2024-05-30T15:42:38"}} & ada PATCH /users/ada/photos/2024-05-30T15:42:38 {"pictures":[{"number":2},{"number":1}]}"#,
    r#"several: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red","number":1} ; ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"blue","number":2} ; ben POST /reports {"photo":{"username":"ada","id":"2024-05-30T15:42:38"},"reason":"spam"} ; ben PUT /reports/ada~2024-05-30T15:42:38 {"decision":"remove","pictures":[1]} & ada PATCH /users/ada/photos/2024-05-30T15:42:38 {"pictures":[{"number":2},{"number":1}]}"#,
    r#"several: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red","number":1} ; ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"blue","number":2} & ada DELETE /users/ada/photos/2024-05-30T15:42:38"#,
    r#"several: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red","number":1} & ttl EXPIRE /users/ada/photos/2024-05-30T15:42:38"#,
    r#"several: ada PATCH /users/ada/photos/2024-05-30T15:42:38 {"pictures":[{"number":2}]} & ada DELETE /users/ada/photos/2024-05-30T15:42:38"#,
    r#"several: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red","number":1} & ada DELETE /users/ada"#,
    r#"several: ada PATCH /users/ada/photos/2024-05-30T15:42:38 {"pictures":[{"number":2}]} & ada DELETE /users/ada"#,
];

/// Exports, and what they meet: each other, the deletion of the user, and the time after which they
/// expire.
pub(super) const EXPORTS: &[&str] = &[
    "pictures: ada POST /users/ada/exports & ada POST /users/ada/exports",
    "pictures: ada POST /users/ada/exports & ada DELETE /users/ada",
    "pictures: ada POST /users/ada/exports ; clock WAIT 2d ; ada POST /users/ada/exports",
    "pictures: ada POST /users/ada/exports & ada DELETE /users/ada/photos/2024-05-30T15:42:38",
];

/// Imports: the user who asks for two, what they do meanwhile or before to the same things, and the
/// deletion of the user.
pub(super) const IMPORTS: &[&str] = &[
    r#"pictures: ada POST /users/ada/imports ; ada IMPORT /users/ada {"file":"archive"} & ada POST /users/ada/imports"#,
    r#"pictures: ada POST /users/ada/imports ; ada IMPORT /users/ada {"file":"archive"} & ada IMPORT /users/ada {"file":"text"}"#,
    r#"pictures: ada POST /users/ada/imports ; ada IMPORT /users/ada {"file":"text"} ; ada POST /users/ada/imports & ada IMPORT /users/ada {"file":"archive"}"#,
    r#"pictures: ada POST /users/ada/imports ; ada IMPORT /users/ada {"file":"archive"} & ada DELETE /users/ada"#,
    r#"pictures: ada POST /users/ada/imports ; ada IMPORT /users/ada {"file":"archive"} & ada DELETE /users/ada/photos/2024-05-30T15:42:38"#,
    r#"pictures: ada DELETE /users/ada/photos/2024-05-30T15:42:38 ; ada POST /users/ada/imports ; ada IMPORT /users/ada {"file":"archive"}"#,
    r#"pictures: ada DELETE /users/ada/photos/2024-05-30T15:42:38 ; clock WAIT 9d ; ada POST /users/ada/imports ; ada IMPORT /users/ada {"file":"archive"}"#,
    r#"pictures: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"} ; ben PUT /users/ada/photos/2024-05-30T15:42:38/reactions/heart ; ada DELETE /users/ada/photos/2024-05-30T15:42:38 ; ada POST /users/ada/imports ; ada IMPORT /users/ada {"file":"archive"}"#,
    r#"pictures: ttl EXPIRE /users/ada/photos/2024-05-30T15:42:38 & ada POST /users/ada/imports ; ada IMPORT /users/ada {"file":"archive"}"#,
    r#"pictures: ada POST /users/ada/imports ; ada IMPORT /users/ada {"file":"archive"} & ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"blue"}"#,
    r#"pictures: ada POST /users/ada/imports ; ada IMPORT /users/ada {"file":"archive"} & ada POST /users/ada/favorites {"dataType":"link","title":"Tiles","dataId":"tiles"}"#,
    r#"pictures: ada POST /users/ada/imports ; ada IMPORT /users/ada {"file":"archive"} & ada DELETE /users/ada/favorites/tiles"#,
    r#"pictures: ada POST /users/ada/imports ; ada IMPORT /users/ada {"file":"archive"} & ada POST /users/ada/tags {"tagName":"Travel"}"#,
    r#"pictures: ada POST /users/ada/imports ; ada IMPORT /users/ada {"file":"archive"} & ada DELETE /users/ada/tags/travel"#,
    r#"pictures: ada POST /users/ada/imports ; ada IMPORT /users/ada {"file":"archive"} ; clock WAIT 2d ; ada POST /users/ada/imports"#,
    r#"pictures: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"} ; ada POST /users/ada/imports ; ada IMPORT /users/ada {"file":"pinned"} & ada DELETE /users/ada/photos/2024-05-30T15:42:38"#,
    r#"pictures: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"} ; ada POST /users/ada/imports ; ada IMPORT /users/ada {"file":"pinned"} & ada PATCH /users/ada {"pinnedImage":{"username":"ada","id":"2024-05-30T15:42:38"}}"#,
    r#"pictures: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"} ; ada POST /users/ada/imports ; ada IMPORT /users/ada {"file":"pinned"} & ada PATCH /users/ada/photos/2024-05-30T15:42:38 {"audience":"followers"}"#,
    r#"pictures: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"} ; ada POST /users/ada/imports ; ada IMPORT /users/ada {"file":"pinned"} & ada DELETE /users/ada"#,
];

/// Reactions, comments and friendships that are put uncounted, and what they meet: process-changes,
/// which counts them, requests that undo them, and deletions of those who count them.
pub(super) const HOT: &[&str] = &[
    "hot: ada PUT /users/ada/photos/2024-05-30T15:42:38/reactions/heart & cara PUT /users/ada/photos/2024-05-30T15:42:38/reactions/heart",
    "hot: cara PUT /users/ada/photos/2024-05-30T15:42:38/reactions/heart & ben DELETE /users/ada/photos/2024-05-30T15:42:38/reactions/heart",
    "hot: cara PUT /users/ada/photos/2024-05-30T15:42:38/reactions/heart & ben PUT /users/ada/photos/2024-05-30T15:42:38/reactions/smiley",
    "hot: cara PUT /users/ada/photos/2024-05-30T15:42:38/reactions/heart & cara PUT /users/ada/photos/2024-05-30T15:42:38/reactions/heart",
    "hot: cara PUT /users/ada/photos/2024-05-30T15:42:38/reactions/heart & cara DELETE /users/ada/photos/2024-05-30T15:42:38/reactions/heart",
    "hot: cara PUT /users/ada/photos/2024-05-30T15:42:38/reactions/heart ; cara DELETE /users/ada/photos/2024-05-30T15:42:38/reactions/heart ; cara PUT /users/ada/photos/2024-05-30T15:42:38/reactions/heart",
    "hot: cara PUT /users/ada/photos/2024-05-30T15:42:38/reactions/smiley & cara DELETE /users/ada/photos/2024-05-30T15:42:38/reactions/smiley",
    "hot: cara DELETE /users/ada/photos/2024-05-30T15:42:38/reactions/smiley ; cara PUT /users/ada/photos/2024-05-30T15:42:38/reactions/smiley & cara PUT /users/ada/photos/2024-05-30T15:42:38/reactions/smiley",
    "hot: cara PUT /users/ada/photos/2024-05-30T15:42:38/reactions/heart & ada DELETE /users/ada/photos/2024-05-30T15:42:38",
    "hot: cara PUT /users/ada/photos/2024-05-30T15:42:38/reactions/heart & cara DELETE /users/cara",
    "hot: cara PUT /users/ada/photos/2024-05-30T15:42:38/reactions/heart & ada DELETE /users/ada",
    "hot: cara PUT /users/ada/photos/2024-05-30T15:42:38/reactions/heart & cara DELETE /users/ada/photos/2024-05-30T15:42:38/reactions/heart & ada DELETE /users/ada/photos/2024-05-30T15:42:38",
    r#"hot: cara POST /users/ada/photos/2024-05-30T15:42:38/comments {"text":"Wow"} & ada POST /users/ada/photos/2024-05-30T15:42:38/comments {"text":"Wow"}"#,
    r#"hot: cara POST /users/ada/photos/2024-05-30T15:42:38/comments {"text":"Wow"} & ben DELETE /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben"#,
    r#"hot: cara POST /users/ada/photos/2024-05-30T15:42:38/comments {"text":"Wow"} & ben PUT /users/ada/photos/2024-05-30T15:42:38/reactions/smiley"#,
    r#"hot: cara POST /users/ada/photos/2024-05-30T15:42:38/comments {"text":"Wow"} & ada DELETE /users/ada/photos/2024-05-30T15:42:38"#,
    r#"hot: cara POST /users/ada/photos/2024-05-30T15:42:38/comments {"text":"Wow"} & cara DELETE /users/cara"#,
    r#"hot: cara POST /users/ada/photos/2024-05-30T15:42:38/comments {"text":"Wow"} & ada DELETE /users/ada"#,
    r#"hot: cara POST /users/ada/photos/2024-05-30T15:42:38/comments {"text":"Wow"} & ada DELETE /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben & ada DELETE /users/ada/photos/2024-05-30T15:42:38"#,
    r#"hot: cara POST /users/ada/photos/2024-05-30T15:42:38/comments {"text":"Wow"} & cara DELETE /users/cara & ada DELETE /users/ada/photos/2024-05-30T15:42:38"#,
    "hot: cara PUT /users/ada/followers/cara & ben DELETE /users/ada/followers/ben",
    "hot: cara PUT /users/ada/followers/cara & cara DELETE /users/ada/followers/cara",
    "hot: cara PUT /users/ada/followers/cara ; cara DELETE /users/ada/followers/cara ; cara PUT /users/ada/followers/cara",
    "hot: cara PUT /users/ada/followers/cara & ada DELETE /users/ada",
    "hot: cara PUT /users/ada/followers/cara & cara DELETE /users/cara",
    "hot: cara PUT /users/ada/followers/cara & ada DELETE /users/ada ; ada POST /users {\"username\":\"ada\",\"name\":\"Ada\"}",
    "hot: cara PUT /users/ada/followers/cara ; cara DELETE /users/ada/followers/cara & ada DELETE /users/ada",
    "hot: cara PUT /users/ada/followers/cara ; ada POST /users {\"username\":\"ada\",\"name\":\"Ada\"} & ada DELETE /users/ada",
];

/// Requests to follow a user who stops to approve followers, and longer histories of requests. The
/// pairs of the same world are derived.
pub(super) const REQUESTS: &[&str] = &[
    r#"asked: ada PATCH /users/ada {"approvesFollowers":false} & ben PUT /users/ada/followers/ben"#,
    r#"asked: ada PATCH /users/ada {"approvesFollowers":false} & dora POST /users {"username":"dora","name":"Dora"} ; dora PUT /users/ada/followers/dora"#,
    r#"asked: ada PATCH /users/ada {"approvesFollowers":false} ; ada PATCH /users/ada {"approvesFollowers":true} & ben PUT /users/ada/followers/ben"#,
    r#"asked: cara PATCH /users/cara {"approvesFollowers":true} & ben PUT /users/cara/followers/ben"#,
    r#"asked: ada PATCH /users/ada {"approvesFollowers":false} & ada PUT /users/ada/requests/ben & ben PUT /users/ada/followers/ben"#,
    "asked: ada PUT /users/ada/requests/ben & ben DELETE /users/ada/followers/ben & ben PUT /users/ada/followers/ben",
    "asked: ada PUT /users/ada/requests/ben & ben DELETE /users/ada/followers/ben & ben DELETE /users/ben",
    "asked: ada PUT /users/ada/requests/ben & ada DELETE /users/ada/requests/ben & ben DELETE /users/ada/followers/ben",
    "asked: ben DELETE /users/ada/followers/ben ; ben PUT /users/ada/followers/ben & ada DELETE /users/ada",
    "asked: ben PUT /users/cara/followers/ben & ada PUT /users/ada/requests/ben & cara DELETE /users/cara",
];

/// Blocks and mutes, and what they meet: follows, answers to requests, responses to photos,
/// deletions of either user, and each other. The pairs that meet on a block are derived.
pub(super) const BLOCKS: &[&str] = &[
    r#"blocked: ben PUT /users/ben/blocks/ada {"level":"block"} & ada PUT /users/ben/followers/ada"#,
    r#"blocked: ada PUT /users/ada/blocks/ben {"level":"block"} & ada PUT /users/ben/followers/ada"#,
    r#"blocked: ada PUT /users/ada/blocks/ben {"level":"block"} & ben PUT /users/ada/followers/ben"#,
    r#"blocked: ada PUT /users/ada/blocks/ben {"level":"block"} ; ada DELETE /users/ada/blocks/ben & ada PUT /users/ben/followers/ada"#,
    r#"blocked: ada PUT /users/ada/blocks/cara {"level":"block"} & cara DELETE /users/ada/followers/cara"#,
    r#"blocked: cara PUT /users/cara/blocks/ada {"level":"block"} & cara DELETE /users/ada/followers/cara ; cara PUT /users/ada/followers/cara"#,
    r#"blocked: ada PUT /users/ada/blocks/ben {"level":"block"} & ada PATCH /users/ada {"approvesFollowers":false} & ben PUT /users/ada/followers/ben"#,
    r#"blocked: ada PUT /users/ada/blocks/ben {"level":"block"} & ada PUT /users/ada/requests/ben"#,
    r#"blocked: ben PUT /users/ben/blocks/ada {"level":"block"} & ada PUT /users/ada/requests/ben"#,
    r#"blocked: ben PUT /users/ben/blocks/ada {"level":"mute"} & ada PUT /users/ada/requests/ben"#,
    r#"blocked: ben PUT /users/ben/blocks/ada {"level":"mute"} ; ben DELETE /users/ben/blocks/ada & ada PUT /users/ada/requests/ben"#,
    r#"blocked: ben PUT /users/ben/blocks/ada {"level":"mute"} & ada PUT /users/ada/requests/ben & ben DELETE /users/ada/followers/ben"#,
    r#"blocked: ada PUT /users/ada/blocks/ben {"level":"block"} & ben PUT /users/ada/photos/2024-05-30T15:42:38/reactions/heart"#,
    r#"blocked: ada PUT /users/ada/blocks/ben {"level":"block"} & ben POST /users/ada/photos/2024-05-30T15:42:38/comments {"text":"Wow"}"#,
    r#"blocked: ada PUT /users/ada/blocks/ben {"level":"block"} & ben PATCH /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben {"text":"Edited"}"#,
    r#"blocked: ada PUT /users/ada/blocks/ben {"level":"block"} & ben PUT /users/ben/saved/ada/2024-05-30T15:42:38"#,
    r#"blocked: ada PUT /users/ada/blocks/ben {"level":"block"} ; ada DELETE /users/ada/blocks/ben & ben PUT /users/ada/photos/2024-05-30T15:42:38/reactions/heart"#,
    r#"blocked: cara DELETE /users/cara/blocks/ben & ada PUT /users/ada/blocks/ben {"level":"block"} & ben PUT /users/ada/photos/2024-05-30T15:42:38/reactions/heart"#,
    r#"blocked: ada PUT /users/ada/blocks/ben {"level":"mute"} & ada PUT /users/ben/followers/ada"#,
    "blocked: cara DELETE /users/cara/blocks/ada & cara DELETE /users/ada/followers/cara ; cara PUT /users/ada/followers/cara",
    r#"blocked: cara PUT /users/cara/blocks/ada {"level":"block"} & cara DELETE /users/cara/blocks/ada & cara PUT /users/ada/followers/cara"#,
    "blocked: cara DELETE /users/cara/blocks/ben & ben PUT /users/cara/followers/ben",
    r#"blocked: cara DELETE /users/cara/blocks/ben ; cara PUT /users/cara/blocks/ben {"level":"block"} & ben PUT /users/cara/followers/ben"#,
    "blocked: cara DELETE /users/cara/blocks/ben & cara PUT /users/ben/followers/cara",
    r#"blocked: cara DELETE /users/cara/blocks/ben & cara PUT /users/cara/blocks/ben {"level":"mute"} & cara PUT /users/ben/followers/cara"#,
    r#"blocked: ada PUT /users/ada/blocks/ben {"level":"block"} & ben PUT /users/ben/blocks/ada {"level":"block"}"#,
    r#"blocked: ben PUT /users/ben/blocks/cara {"level":"block"} & cara DELETE /users/cara/blocks/ben"#,
    r#"blocked: ada PUT /users/ada/blocks/ben {"level":"block"} & ben PUT /users/ben/blocks/ada {"level":"block"} & ada PUT /users/ben/followers/ada"#,
    r#"blocked: ada PUT /users/ada/blocks/ben {"level":"block"} & ben DELETE /users/ben"#,
    r#"blocked: ada PUT /users/ada/blocks/ben {"level":"block"} & ada DELETE /users/ada"#,
    r#"blocked: ben PUT /users/ben/blocks/cara {"level":"mute"} & cara DELETE /users/cara"#,
    r#"blocked: ben PUT /users/ben/blocks/cara {"level":"mute"} & ben DELETE /users/ben"#,
    "blocked: cara DELETE /users/cara/blocks/ben & ben DELETE /users/ben",
    r#"blocked: cara PUT /users/cara/blocks/ben {"level":"mute"} & ben DELETE /users/ben"#,
    r#"blocked: ada PUT /users/ada/blocks/ben {"level":"block"} & cara DELETE /users/cara/blocks/ben & ben DELETE /users/ben"#,
    r#"blocked: ada PUT /users/ada/blocks/ben {"level":"block"} & ben DELETE /users/ben & ada DELETE /users/ada"#,
];

/// The scenarios of the home feeds: a photo becomes ready, followers come and go, users and photos
/// are deleted. The worlds of feeds have them in common, so they are written without a world.
pub(super) const FEEDS: &[&str] = &[
    r#"ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"} & ben PUT /users/ada/followers/ben"#,
    r#"ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"} & cara DELETE /users/ada/followers/cara"#,
    r#"ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"} & cara DELETE /users/ada/followers/cara ; cara PUT /users/ada/followers/cara"#,
    r#"ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"} & ada DELETE /users/ada/photos/2024-05-30T15:42:38"#,
    r#"ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"} & ada DELETE /users/ada"#,
    r#"ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"} & cara DELETE /users/cara"#,
    "ben PUT /users/ada/followers/ben ; ben DELETE /users/ada/followers/ben ; ben PUT /users/ada/followers/ben",
    "ben PUT /users/ada/followers/ben & ada DELETE /users/ada",
    "cara DELETE /users/ada/followers/cara ; cara PUT /users/ada/followers/cara & cara DELETE /users/cara",
    r#"ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"} & ben PUT /users/ada/followers/ben & cara DELETE /users/ada/followers/cara"#,
    r#"ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"} ; ada DELETE /users/ada ; ada POST /users {"username":"ada","name":"Ada"} ; ben PUT /users/ada/followers/ben"#,
];

/// The scenarios of the audience of a photo, which changes while others respond to the photo,
/// follow its owner, and list the photos, and while the photo becomes ready, is pinned or is
/// deleted.
///
/// Two changes of one photo are not among them, because the answer to one may show the other.
pub(super) const AUDIENCES: &[&str] = &[
    r#"feeds: ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"audience":"me"} & ben PUT /users/ada/photos/2024-04-01T12:00:00/reactions/heart"#,
    r#"feeds: ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"audience":"followers"} & ben PUT /users/ada/photos/2024-04-01T12:00:00/reactions/heart"#,
    r#"feeds: ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"audience":"followers"} & cara PUT /users/ada/photos/2024-04-01T12:00:00/reactions/heart & cara DELETE /users/ada/followers/cara"#,
    r#"feeds: ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"audience":"followers"} & ben POST /users/ada/photos/2024-04-01T12:00:00/comments {"text":"Wow"}"#,
    r#"feeds: ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"audience":"me"} & ben PUT /users/ben/saved/ada/2024-04-01T12:00:00"#,
    r#"feeds: ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"audience":"me"} & ben PUT /users/ada/followers/ben"#,
    r#"feeds: ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"audience":"me"} ; ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"audience":"everyone"} & ben PUT /users/ada/followers/ben"#,
    r#"feeds: ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"audience":"me"} ; ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"audience":"everyone"} & ada DELETE /users/ada/photos/2024-04-01T12:00:00"#,
    r#"feeds: ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"audience":"me"} & ada DELETE /users/ada"#,
    r#"feeds: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"} & ada PATCH /users/ada/photos/2024-05-30T15:42:38 {"audience":"me"}"#,
    r#"feeds: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"} & ada PATCH /users/ada/photos/2024-05-30T15:42:38 {"audience":"me"} ; ada PATCH /users/ada/photos/2024-05-30T15:42:38 {"audience":"followers"}"#,
    r#"feeds: ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"audience":"me"} & cara GET /users/cara/feed & ben GET /users/ada/photos"#,
    r#"feeds: ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"audience":"followers"} & ada PATCH /users/ada {"pinnedImage":{"username":"ada","id":"2024-04-01T12:00:00"}}"#,
    r#"feeds: ada PATCH /users/ada {"defaultAudience":"me"} & ada POST /users/ada/photos"#,
];

/// The scenarios of the directory, in which people are searched: users are created, renamed and
/// deleted, and get their first follower or lose their last one.
pub(super) const DIRECTORY: &[&str] = &[
    r#"feeds: ada PATCH /users/ada {"name":"Nova"} & ada PATCH /users/ada {"name":"Ida"}"#,
    r#"feeds: ada PATCH /users/ada {"name":"Nova"} ; ada PATCH /users/ada {"name":"Ada Marsh"}"#,
    r#"feeds: ada PATCH /users/ada {"name":"Nova"} & ada DELETE /users/ada"#,
    r#"feeds: ada PATCH /users/ada {"name":"Nova"} & cara DELETE /users/ada/followers/cara"#,
    r#"feeds: dora POST /users {"username":"dora","name":"Dora"} & dora PATCH /users/dora {"name":"Nova"} & dora DELETE /users/dora"#,
    r#"feeds: ben PUT /users/cara/followers/ben ; ben DELETE /users/cara/followers/ben & cara PATCH /users/cara {"name":"Nova"}"#,
    r#"feeds: ada PATCH /users/ada {"name":"Nova"} ; ada PATCH /users/ada {"name":"Ada Marsh"} & ada DELETE /users/ada"#,
];

/// The scenarios of hashtags: a caption is edited, and meets other edits, changes of the audience, the
/// removal, the deletion of the photo and of its owner, another photo with the hashtag, and a
/// moderator who hides the hashtag. A user follows hashtags, unfollows them, and is deleted.
pub(super) const HASHTAGS: &[&str] = &[
    r##"feeds: ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"caption":"#dawn #dusk"} & ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"caption":"#dusk #noon"}"##,
    r##"feeds: ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"caption":"#dawn"} ; ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"caption":null}"##,
    r##"feeds: ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"caption":"#dawn"} ; ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"caption":"#dusk"} & ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"caption":"#dawn #noon"}"##,
    r##"feeds: ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"caption":"#dawn"} & ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"audience":"me"}"##,
    r##"feeds: ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"caption":"#dawn"} & ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"audience":"followers"} ; ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"audience":"everyone"}"##,
    r##"feeds: ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"caption":"#dawn"} & ada DELETE /users/ada/photos/2024-04-01T12:00:00"##,
    r##"feeds: ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"caption":"#dawn"} ; ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"audience":"me"} & ada DELETE /users/ada/photos/2024-04-01T12:00:00"##,
    r##"feeds: ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"caption":"#dawn"} & ben POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"} ; cara PUT /reports/ada~2024-04-01T12:00:00 {"decision":"remove"}"##,
    r##"feeds: ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"caption":"#dawn"} ; ben POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"} ; cara PUT /reports/ada~2024-04-01T12:00:00 {"decision":"remove"} ; cara PUT /reports/ada~2024-04-01T12:00:00 {"decision":"dismiss"}"##,
    r##"feeds: ben POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"} ; cara PUT /reports/ada~2024-04-01T12:00:00 {"decision":"remove"} & ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"caption":"#dawn"} & ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"audience":"me"}"##,
    r##"feeds: ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"caption":"#dawn"} & ada DELETE /users/ada"##,
    r##"feeds: ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"caption":"#selfie #dawn"} & ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"}"##,
    r##"feeds: ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"caption":"#selfie"} ; ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"caption":"no"} & ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"}"##,
    r##"feeds: ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"caption":"#dawn"} ; cara PUT /tags/dawn/decision {"decision":"hide"} & cara PUT /tags/dawn/decision {"decision":"show"} & ben GET /tags/dawn/photos"##,
    "feeds: ben PUT /tags/dawn/followers/ben & ben DELETE /tags/dawn/followers/ben & ben PUT /tags/dusk/followers/ben",
    "feeds: ben PUT /tags/dawn/followers/ben ; ben DELETE /tags/dawn/followers/ben ; ben PUT /tags/dawn/followers/ben",
    "feeds: ben PUT /tags/dawn/followers/ben ; ben DELETE /tags/dawn/followers/ben & ben DELETE /users/ben",
    r#"feeds: ben PUT /tags/dawn/followers/ben & cara PUT /tags/dawn/decision {"decision":"hide"}"#,
    r#"feeds: ben PUT /tags/selfie/followers/ben & ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"}"#,
];

/// The scenarios of popular photos: reactions come and go while the photo is restricted, marked, removed
/// and deleted.
pub(super) const RANKINGS: &[&str] = &[
    "ranked: ben PUT /users/ada/photos/2999-05-30T15:42:38/reactions/smiley & cara PUT /users/ada/photos/2999-05-30T15:42:38/reactions/heart",
    "ranked: cara PUT /users/ada/photos/2999-05-30T15:42:38/reactions/heart ; cara DELETE /users/ada/photos/2999-05-30T15:42:38/reactions/heart & ben PUT /users/ada/photos/2999-05-30T15:42:38/reactions/smiley ; ben DELETE /users/ada/photos/2999-05-30T15:42:38/reactions/smiley",
    r#"ranked: cara PUT /users/ada/photos/2999-05-30T15:42:38/reactions/heart & ada PATCH /users/ada/photos/2999-05-30T15:42:38 {"audience":"me"}"#,
    r#"ranked: cara PUT /users/ada/photos/2999-05-30T15:42:38/reactions/heart & ada PATCH /users/ada/photos/2999-05-30T15:42:38 {"audience":"followers"} ; ada PATCH /users/ada/photos/2999-05-30T15:42:38 {"audience":"everyone"}"#,
    r#"ranked: cara PUT /users/ada/photos/2999-05-30T15:42:38/reactions/heart & ada PATCH /users/ada/photos/2999-05-30T15:42:38 {"sensitive":"spoiler"} ; ada PATCH /users/ada/photos/2999-05-30T15:42:38 {"sensitive":null}"#,
    r#"ranked: cara PUT /users/ada/photos/2999-05-30T15:42:38/reactions/heart & ben POST /reports {"photo":{"username":"ada","id":"2999-05-30T15:42:38"},"reason":"spam"} ; cara PUT /reports/ada~2999-05-30T15:42:38 {"decision":"remove"}"#,
    "ranked: cara PUT /users/ada/photos/2999-05-30T15:42:38/reactions/heart & ada DELETE /users/ada/photos/2999-05-30T15:42:38",
    "ranked: cara PUT /users/ada/photos/2999-05-30T15:42:38/reactions/heart ; cara DELETE /users/ada/photos/2999-05-30T15:42:38/reactions/heart & ada DELETE /users/ada/photos/2999-05-30T15:42:38",
    "ranked: cara PUT /users/ada/photos/2999-05-30T15:42:38/reactions/heart & ada DELETE /users/ada",
    "ranked: cara PUT /users/ada/photos/2999-05-30T15:42:38/reactions/heart ; cara GET /explore & cara PUT /users/ada/followers/cara",
];

/// The scenarios of what a caller did to a photo: reactions, saved photos and pins meet each other
/// and the deletion of the photo, of its owner and of the caller.
pub(super) const ENGAGEMENTS: &[&str] = &[
    "feeds: ben PUT /users/ada/photos/2024-04-01T12:00:00/reactions/heart & ben PUT /users/ada/photos/2024-04-01T12:00:00/reactions/smiley & ada DELETE /users/ada/photos/2024-04-01T12:00:00",
    "feeds: ben PUT /users/ada/photos/2024-04-01T12:00:00/reactions/heart ; ben DELETE /users/ada/photos/2024-04-01T12:00:00/reactions/heart & ada DELETE /users/ada/photos/2024-04-01T12:00:00",
    "feeds: ben PUT /users/ada/photos/2024-04-01T12:00:00/reactions/heart & ben DELETE /users/ada/photos/2024-04-01T12:00:00/reactions/heart & ben DELETE /users/ben",
    "feeds: ben PUT /users/ada/photos/2024-04-01T12:00:00/reactions/heart & ada DELETE /users/ada",
    "feeds: ben PUT /users/ben/saved/ada/2024-04-01T12:00:00 & ada DELETE /users/ada/photos/2024-04-01T12:00:00",
    "feeds: ben PUT /users/ben/saved/ada/2024-04-01T12:00:00 & ben PUT /users/ada/photos/2024-04-01T12:00:00/reactions/heart & ada DELETE /users/ada/photos/2024-04-01T12:00:00",
    "feeds: ben PUT /users/ben/saved/ada/2024-04-01T12:00:00 ; ben DELETE /users/ben/saved/ada/2024-04-01T12:00:00 & ada DELETE /users/ada/photos/2024-04-01T12:00:00",
    "feeds: ben PUT /users/ben/saved/ada/2024-04-01T12:00:00 ; ben DELETE /users/ben/saved/ada/2024-04-01T12:00:00 ; ben POST /users/ben/favorites/photo~ada~2024-04-01T12:00:00/restore & ada DELETE /users/ada/photos/2024-04-01T12:00:00",
    "feeds: ben PUT /users/ben/saved/ada/2024-04-01T12:00:00 & ben DELETE /users/ben",
    "feeds: ben PUT /users/ben/saved/ada/2024-04-01T12:00:00 & ben PUT /users/ben/saved/ada/2024-04-01T12:00:00 & ben DELETE /users/ben/saved/ada/2024-04-01T12:00:00",
    r#"feeds: ada PATCH /users/ada {"pinnedImage":{"username":"ada","id":"2024-04-01T12:00:00"}} & ada DELETE /users/ada/photos/2024-04-01T12:00:00"#,
    r#"feeds: ada PATCH /users/ada {"pinnedImage":{"username":"ada","id":"2024-04-01T12:00:00"}} & ada PATCH /users/ada {"pinnedImage":null} & ada DELETE /users/ada/photos/2024-04-01T12:00:00"#,
    r#"feeds: ada PATCH /users/ada {"pinnedImage":{"username":"ada","id":"2024-04-01T12:00:00"}} & ada DELETE /users/ada"#,
];

/// Links of a photo and of a profile, and what they meet: each other, changes of the audience, reports of
/// people without an account, and the deletion of the photo and of the owner.
///
/// All visitors come from one address, so a visitor reports a link once.
pub(super) const LINKS: &[&str] = &[
    "feeds: ada PUT /users/ada/photos/2024-05-30T15:42:38/link {} & ada PUT /users/ada/photos/2024-05-30T15:42:38/link {}",
    r#"feeds: ada PUT /users/ada/photos/2024-04-01T12:00:00/link {"renew":"Zm9yLW9ubHktdGVzdGluZw"} & ada PUT /users/ada/photos/2024-04-01T12:00:00/link {"renew":"Zm9yLW9ubHktdGVzdGluZw"}"#,
    r#"feeds: ada PUT /users/ada/photos/2024-04-01T12:00:00/link {"renew":"Zm9yLW9ubHktdGVzdGluZw"} & ada DELETE /users/ada/photos/2024-04-01T12:00:00/link"#,
    r#"feeds: ada PUT /users/ada/photos/2024-04-01T12:00:00/link {"indexed":true} & ada DELETE /users/ada/photos/2024-04-01T12:00:00/link ; ada PUT /users/ada/photos/2024-04-01T12:00:00/link {}"#,
    "feeds: ada DELETE /users/ada/photos/2024-04-01T12:00:00/link & ada DELETE /users/ada/photos/2024-04-01T12:00:00/link",
    "feeds: ada PUT /users/ada/photos/2024-05-30T15:42:38/link {} & ada DELETE /users/ada/photos/2024-05-30T15:42:38",
    r#"feeds: ada PUT /users/ada/photos/2024-04-01T12:00:00/link {"renew":"Zm9yLW9ubHktdGVzdGluZw"} & ada DELETE /users/ada/photos/2024-04-01T12:00:00"#,
    "feeds: ada DELETE /users/ada/photos/2024-04-01T12:00:00/link & ada DELETE /users/ada/photos/2024-04-01T12:00:00",
    r#"feeds: ada PUT /users/ada/photos/2024-04-01T12:00:00/link {"renew":"Zm9yLW9ubHktdGVzdGluZw"} & ada DELETE /users/ada/photos/2024-04-01T12:00:00/link & ada DELETE /users/ada/photos/2024-04-01T12:00:00"#,
    r#"feeds: ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"audience":"me"} & ada PUT /users/ada/photos/2024-04-01T12:00:00/link {"renew":"Zm9yLW9ubHktdGVzdGluZw"}"#,
    r#"feeds: ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"audience":"me"} & ada DELETE /users/ada/photos/2024-04-01T12:00:00/link ; ada PUT /users/ada/photos/2024-04-01T12:00:00/link {}"#,
    r#"feeds: ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"audience":"me"} & ada DELETE /users/ada/photos/2024-04-01T12:00:00"#,
    r#"feeds: ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"audience":"me","keepLink":true} & ada PUT /users/ada/photos/2024-04-01T12:00:00/link {"indexed":true}"#,
    "feeds: ada PUT /users/ada/photos/2024-05-30T15:42:38/link {} & ada DELETE /users/ada",
    r#"feeds: ada PUT /users/ada/photos/2024-04-01T12:00:00/link {"renew":"Zm9yLW9ubHktdGVzdGluZw"} & ada DELETE /users/ada"#,
    "feeds: ada DELETE /users/ada/photos/2024-04-01T12:00:00/link & ada DELETE /users/ada",
    r#"feeds: ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"audience":"me"} & ada PUT /users/ada/photos/2024-04-01T12:00:00/link {"renew":"Zm9yLW9ubHktdGVzdGluZw"} & ada DELETE /users/ada"#,
    "feeds: ada DELETE /users/ada/photos/2024-04-01T12:00:00 & ada DELETE /users/ada",
    r#"feeds: ada PUT /users/ada/link {"renew":"cHJvZmlsZS1vZi1hZGEtMQ"} & ada DELETE /users/ada/link"#,
    r#"feeds: ada PUT /users/ada/link {"renew":"cHJvZmlsZS1vZi1hZGEtMQ"} & ada DELETE /users/ada"#,
    "feeds: ada DELETE /users/ada/link ; ada PUT /users/ada/link {} & ada DELETE /users/ada",
    "feeds: cara PUT /users/cara/link {} & cara PUT /users/cara/link {}",
    "feeds: cara PUT /users/cara/link {} & cara DELETE /users/cara",
    r#"feeds: ben GET /s/Zm9yLW9ubHktdGVzdGluZw & ada PUT /users/ada/photos/2024-04-01T12:00:00/link {"renew":"Zm9yLW9ubHktdGVzdGluZw"} & ada DELETE /users/ada/photos/2024-04-01T12:00:00"#,
    r#"feeds: ben POST /s/Zm9yLW9ubHktdGVzdGluZw/report {"reason":"spam"} & cara POST /s/Zm9yLW9ubHktdGVzdGluZw/report {"reason":"hate"}"#,
    r#"feeds: ben POST /s/Zm9yLW9ubHktdGVzdGluZw/report {"reason":"spam"} & cara POST /s/cHJvZmlsZS1vZi1hZGEtMQ/report {"reason":"hate"}"#,
    r#"feeds: cara POST /s/Zm9yLW9ubHktdGVzdGluZw/report {"reason":"spam"} & ben POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"}"#,
    r#"feeds: cara POST /s/Zm9yLW9ubHktdGVzdGluZw/report {"reason":"spam"} & ada DELETE /users/ada/photos/2024-04-01T12:00:00"#,
    r#"feeds: cara POST /s/Zm9yLW9ubHktdGVzdGluZw/report {"reason":"spam"} & ada DELETE /users/ada/photos/2024-04-01T12:00:00/link"#,
    r#"feeds: cara POST /s/Zm9yLW9ubHktdGVzdGluZw/report {"reason":"spam"} & ada PUT /users/ada/photos/2024-04-01T12:00:00/link {"renew":"Zm9yLW9ubHktdGVzdGluZw"}"#,
    r#"feeds: cara POST /s/Zm9yLW9ubHktdGVzdGluZw/report {"reason":"spam"} & ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"audience":"me"}"#,
    r#"feeds: cara POST /s/cHJvZmlsZS1vZi1hZGEtMQ/report {"reason":"spam"} & ada DELETE /users/ada"#,
    r#"feeds: cara POST /s/Zm9yLW9ubHktdGVzdGluZw/report {"reason":"spam"} & ada DELETE /users/ada/photos/2024-04-01T12:00:00 & ada DELETE /users/ada"#,
    r#"feeds: cara POST /s/Zm9yLW9ubHktdGVzdGluZw/report {"reason":"spam"} & ben POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"} ; cara PUT /reports/ada~2024-04-01T12:00:00 {"decision":"remove"}"#,
    r#"feeds: ben POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"} ; cara PUT /reports/ada~2024-04-01T12:00:00 {"decision":"dismiss"} & cara POST /s/Zm9yLW9ubHktdGVzdGluZw/report {"reason":"hate"}"#,
    r#"feeds: cara POST /s/Zm9yLW9ubHktdGVzdGluZw/report {"reason":"spam"} & ben POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"} ; ben DELETE /users/ben"#,
];

/// A link whose time is over, and the link of a photo that expires. The link of the profile ends in 2096.
pub(super) const LINKS_THAT_EXPIRE: &[&str] = &[
    r#"pictures: clock WAIT 30000d ; ada PUT /users/ada/link {"renew":"cHJvZmlsZS1vZi1hZGEtMQ"}"#,
    "pictures: clock WAIT 30000d ; ada PUT /users/ada/link {}",
    "pictures: clock WAIT 30000d ; ada DELETE /users/ada/link",
    "pictures: clock WAIT 30000d ; ada DELETE /users/ada",
    "pictures: ada PUT /users/ada/photos/2024-05-30T15:42:38/link {} & ttl EXPIRE /users/ada/photos/2024-05-30T15:42:38",
    "pictures: ada PUT /users/ada/photos/2024-05-30T15:42:38/link {} & ttl EXPIRE /users/ada/photos/2024-05-30T15:42:38 & ada DELETE /users/ada",
    r#"pictures: ada PUT /users/ada/photos/2024-05-30T15:42:38/link {} ; ttl EXPIRE /users/ada/photos/2024-05-30T15:42:38 & ada POST /users/ada/imports ; ada IMPORT /users/ada {"file":"archive"}"#,
    r#"pictures: ada PUT /users/ada/photos/2024-05-30T15:42:38/link {} & ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"} & ada DELETE /users/ada/photos/2024-05-30T15:42:38"#,
];

/// Reports, and what they meet: complaints of others, decisions, which are taken back, responses to the
/// photo, and the deletion of what is reported, of its owner and of the reporter.
pub(super) const REPORTS: &[&str] = &[
    r#"feeds: ben POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"} & cara POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"}"#,
    r#"feeds: ben POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"} & cara POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"} & ben DELETE /users/ben"#,
    r#"feeds: ben POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"} & cara POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"} & ada DELETE /users/ada"#,
    r#"feeds: ben POST /reports {"username":"ada","reason":"hate"} & ada DELETE /users/ada"#,
    r#"feeds: ben POST /reports {"username":"ada","reason":"hate"} & ben DELETE /users/ben"#,
    r#"feeds: ben POST /reports {"username":"ada","reason":"hate"} ; ben DELETE /users/ben & ada DELETE /users/ada"#,
    r#"feeds: ben POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"} & ada DELETE /users/ada/photos/2024-04-01T12:00:00"#,
    r#"feeds: ben POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"} & ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"audience":"me"}"#,
    r#"feeds: ben POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"} ; cara PUT /reports/ada~2024-04-01T12:00:00 {"decision":"remove"} & cara POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"}"#,
    r#"feeds: ben POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"} ; cara PUT /reports/ada~2024-04-01T12:00:00 {"decision":"dismiss"} & cara POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"}"#,
    r#"feeds: ben POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"} ; cara PUT /reports/ada~2024-04-01T12:00:00 {"decision":"remove"} & ada DELETE /users/ada/photos/2024-04-01T12:00:00"#,
    r#"feeds: ben POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"} ; cara PUT /reports/ada~2024-04-01T12:00:00 {"decision":"remove"} & ada DELETE /users/ada"#,
    r#"feeds: ben POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"} ; cara PUT /reports/ada~2024-04-01T12:00:00 {"decision":"remove"} & ben PUT /users/ada/photos/2024-04-01T12:00:00/reactions/heart"#,
    r#"feeds: ben POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"} ; cara PUT /reports/ada~2024-04-01T12:00:00 {"decision":"remove"} & ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"audience":"me"}"#,
    r#"feeds: ben POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"} ; cara PUT /reports/ada~2024-04-01T12:00:00 {"decision":"remove"} ; cara PUT /reports/ada~2024-04-01T12:00:00 {"decision":"dismiss"} & ada DELETE /users/ada/photos/2024-04-01T12:00:00"#,
    r#"feeds: ben POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"} ; cara PUT /reports/ada~2024-04-01T12:00:00 {"decision":"remove"} ; cara PUT /reports/ada~2024-04-01T12:00:00 {"decision":"dismiss"} & ben PUT /users/ada/followers/ben"#,
    r#"feeds: ben POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"} ; cara PUT /reports/ada~2024-04-01T12:00:00 {"decision":"remove"} & ben PUT /reports/ada~2024-04-01T12:00:00 {"decision":"dismiss"}"#,
    r#"feeds: ben POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"} ; cara PUT /reports/ada~2024-04-01T12:00:00 {"decision":"remove"} ; cara PUT /reports/ada~2024-04-01T12:00:00 {"decision":"reopen"} & ben PUT /reports/ada~2024-04-01T12:00:00 {"decision":"dismiss"}"#,
    r#"feeds: ben POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"} ; cara PUT /reports/ada~2024-04-01T12:00:00 {"decision":"remove","note":"Mine"} & ben PUT /reports/ada~2024-04-01T12:00:00 {"decision":"remove","note":"Also"} ; ben PUT /reports/ada~2024-04-01T12:00:00 {"decision":"reopen"}"#,
    r#"feeds: ben POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"} ; cara PUT /reports/ada~2024-04-01T12:00:00 {"decision":"dismiss"} ; cara PUT /reports/ada~2024-04-01T12:00:00 {"decision":"reopen"} & ben PUT /reports/ada~2024-04-01T12:00:00 {"decision":"dismiss"}"#,
    r#"feeds: ben POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"} ; cara PUT /reports/ada~2024-04-01T12:00:00 {"decision":"dismiss"} ; ben PUT /reports/ada~2024-04-01T12:00:00 {"decision":"reopen"} & cara POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"}"#,
    r#"feeds: ben POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"} ; cara PUT /reports/ada~2024-04-01T12:00:00 {"decision":"remove"} ; ben PUT /reports/ada~2024-04-01T12:00:00 {"decision":"reopen"} & ada DELETE /users/ada/photos/2024-04-01T12:00:00"#,
    r#"feeds: ben POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"} ; cara PUT /reports/ada~2024-04-01T12:00:00 {"decision":"remove"} ; ben PUT /reports/ada~2024-04-01T12:00:00 {"decision":"reopen"} & ada DELETE /users/ada"#,
    r#"feeds: ben POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"} ; cara PUT /reports/ada~2024-04-01T12:00:00 {"decision":"remove"} & ben GET /reports/ada~2024-04-01T12:00:00 ; ada GET /reports/ada~2024-04-01T12:00:00"#,
    r#"blocked: ada POST /reports {"photo":{"username":"ada","id":"2024-05-30T15:42:38"},"comment":"2024-06-02T18:05:41.250Z~ben","reason":"spam"} & ben DELETE /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben"#,
    r#"blocked: ada POST /reports {"photo":{"username":"ada","id":"2024-05-30T15:42:38"},"comment":"2024-06-02T18:05:41.250Z~ben","reason":"spam"} & ben DELETE /users/ben"#,
    r#"blocked: ada POST /reports {"photo":{"username":"ada","id":"2024-05-30T15:42:38"},"comment":"2024-06-02T18:05:41.250Z~ben","reason":"spam"} & ada PUT /users/ada/blocks/ben {"level":"block"}"#,
    r#"blocked: ada POST /reports {"photo":{"username":"ada","id":"2024-05-30T15:42:38"},"comment":"2024-06-02T18:05:41.250Z~ben","reason":"spam"} ; cara PUT /reports/ada~2024-05-30T15:42:38~2024-06-02T18:05:41.250Z~ben {"decision":"remove"} & ben PATCH /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben {"text":"Edited"}"#,
    r#"blocked: ada POST /reports {"photo":{"username":"ada","id":"2024-05-30T15:42:38"},"comment":"2024-06-02T18:05:41.250Z~ben","reason":"spam"} ; cara PUT /reports/ada~2024-05-30T15:42:38~2024-06-02T18:05:41.250Z~ben {"decision":"remove"} & ben DELETE /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben"#,
    r#"blocked: ada POST /reports {"photo":{"username":"ada","id":"2024-05-30T15:42:38"},"comment":"2024-06-02T18:05:41.250Z~ben","reason":"spam"} ; cara PUT /reports/ada~2024-05-30T15:42:38~2024-06-02T18:05:41.250Z~ben {"decision":"remove"} & ben DELETE /users/ben"#,
    r#"blocked: ada POST /reports {"photo":{"username":"ada","id":"2024-05-30T15:42:38"},"comment":"2024-06-02T18:05:41.250Z~ben","reason":"spam"} ; cara PUT /reports/ada~2024-05-30T15:42:38~2024-06-02T18:05:41.250Z~ben {"decision":"remove"} & ada DELETE /users/ada/photos/2024-05-30T15:42:38"#,
    r#"blocked: ada POST /reports {"photo":{"username":"ada","id":"2024-05-30T15:42:38"},"comment":"2024-06-02T18:05:41.250Z~ben","reason":"spam"} ; cara PUT /reports/ada~2024-05-30T15:42:38~2024-06-02T18:05:41.250Z~ben {"decision":"remove"} ; cara PUT /reports/ada~2024-05-30T15:42:38~2024-06-02T18:05:41.250Z~ben {"decision":"reopen"} & ben DELETE /users/ada/photos/2024-05-30T15:42:38/comments/2024-06-02T18:05:41.250Z~ben"#,
    r#"reported: cara PUT /reports/ada~2024-05-30T15:42:38 {"decision":"remove"} ; ben PUT /reports/ada~2024-05-30T15:42:38 {"decision":"reopen"} & ada POST /users/ada/imports ; ada IMPORT /users/ada {"file":"photo"}"#,
    // Inboxes and bells.
    r#"own: ada PUT /users/ada/notifications/seen {"until":"2024-06-10T08:30:00.000Z"} & ben PUT /users/ada/photos/2024-05-30T15:42:38/reactions/smiley & cara PUT /users/ada/followers/cara"#,
    r#"blocked: cara DELETE /users/cara/blocks/ben ; cara PUT /users/cara/blocks/ben {"level":"mute"} & ben POST /users/ada/photos/2024-05-30T15:42:38/comments {"text":"Hello @cara"}"#,
    r#"feeds: ben POST /users/ada/photos/2024-04-01T12:00:00/comments {"text":"Hello @cara"} ; ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"audience":"followers"} & cara DELETE /users/ada/followers/cara"#,
    r#"feeds: ben PUT /users/ada/followers/ben ; ben DELETE /users/ada/followers/ben & ada PUT /users/ada/blocks/ben {"level":"block"}"#,
    "own: ben PUT /users/ada/photos/2024-05-30T15:42:38/reactions/smiley ; ben DELETE /users/ada/photos/2024-05-30T15:42:38/reactions/smiley & cara PUT /users/ada/photos/2024-05-30T15:42:38/reactions/smiley",
    r#"own: ben POST /users/ada/photos/2024-05-30T15:42:38/comments {"text":"Hello @cara"} & ada DELETE /users/ada/photos/2024-05-30T15:42:38"#,
    r#"feeds: ben POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"} ; cara PUT /reports/ada~2024-04-01T12:00:00 {"decision":"remove"} & ada PATCH /users/ada {"pinnedImage":{"username":"ada","id":"2024-04-01T12:00:00"}}"#,
    r#"feeds: ben POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"} ; cara PUT /reports/ada~2024-04-01T12:00:00 {"decision":"remove"} ; cara PUT /reports/ada~2024-04-01T12:00:00 {"decision":"dismiss"} & ada PATCH /users/ada {"pinnedImage":{"username":"ada","id":"2024-04-01T12:00:00"}}"#,
    r#"reported: cara PUT /reports/ada~2024-05-30T15:42:38 {"decision":"remove"} & ada POST /users/ada/imports ; ada IMPORT /users/ada {"file":"photo"}"#,
    r#"reported: cara PUT /reports/ada~2024-05-30T15:42:38 {"decision":"remove"} ; cara PUT /reports/ada~2024-05-30T15:42:38 {"decision":"dismiss"} & ada POST /users/ada/imports ; ada IMPORT /users/ada {"file":"photo"}"#,
    r#"pictures: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"} ; ada POST /users/ada/imports ; ada IMPORT /users/ada {"file":"pinned"} & ben POST /reports {"photo":{"username":"ada","id":"2024-05-30T15:42:38"},"reason":"spam"} ; cara PUT /reports/ada~2024-05-30T15:42:38 {"decision":"remove"}"#,
    r#"reported: cara PUT /reports/ada~2024-05-30T15:42:38 {"decision":"remove"} & ada POST /users/ada/imports ; ada IMPORT /users/ada {"file":"photo"} ; ada DELETE /users/ada/photos/2024-05-30T15:42:38"#,
    // Marks of sensitive photos.
    r#"feeds: ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"sensitive":"spoiler"} ; ben GET /users/ada/photos & cara GET /users/cara/feed"#,
    r#"feeds: ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"sensitive":"spoiler"} & ada PATCH /users/ada {"pinnedImage":{"username":"ada","id":"2024-04-01T12:00:00"}}"#,
    r#"feeds: ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"sensitive":"spoiler"} ; ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"sensitive":null} & ada PATCH /users/ada {"pinnedImage":{"username":"ada","id":"2024-04-01T12:00:00"}}"#,
    r#"feeds: ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"sensitive":"spoiler"} & ada DELETE /users/ada/photos/2024-04-01T12:00:00"#,
    r#"feeds: ben POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"} ; cara PUT /reports/ada~2024-04-01T12:00:00 {"decision":"mark","sensitive":"nudity"} & ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"sensitive":"spoiler"}"#,
    r#"feeds: ben POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"} ; cara PUT /reports/ada~2024-04-01T12:00:00 {"decision":"mark","sensitive":"nudity"} & ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"sensitive":"spoiler"} ; ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"sensitive":null}"#,
    r#"feeds: ben POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"} ; cara PUT /reports/ada~2024-04-01T12:00:00 {"decision":"mark","sensitive":"nudity"} & ada PATCH /users/ada {"pinnedImage":{"username":"ada","id":"2024-04-01T12:00:00"}}"#,
    r#"feeds: ben POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"} ; cara PUT /reports/ada~2024-04-01T12:00:00 {"decision":"mark","sensitive":"nudity"} & ada DELETE /users/ada/photos/2024-04-01T12:00:00"#,
    r#"feeds: ben POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"} ; cara PUT /reports/ada~2024-04-01T12:00:00 {"decision":"mark","sensitive":"nudity"} & ada DELETE /users/ada"#,
    r#"feeds: ben POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"} ; cara PUT /reports/ada~2024-04-01T12:00:00 {"decision":"mark","sensitive":"nudity"} & ben PUT /reports/ada~2024-04-01T12:00:00 {"decision":"dismiss"}"#,
    r#"feeds: ben POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"} ; cara PUT /reports/ada~2024-04-01T12:00:00 {"decision":"mark","sensitive":"nudity"} & ben PUT /reports/ada~2024-04-01T12:00:00 {"decision":"remove"} ; ben PUT /reports/ada~2024-04-01T12:00:00 {"decision":"reopen"}"#,
    r#"feeds: ben POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"} ; cara PUT /reports/ada~2024-04-01T12:00:00 {"decision":"mark","sensitive":"nudity"} & cara POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"}"#,
    r#"feeds: ben POST /reports {"photo":{"username":"ada","id":"2024-04-01T12:00:00"},"reason":"spam"} ; cara PUT /reports/ada~2024-04-01T12:00:00 {"decision":"mark","sensitive":"nudity"} & ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"audience":"me"}"#,
    r#"reported: cara PUT /reports/ada~2024-05-30T15:42:38 {"decision":"mark","sensitive":"nudity"} & ada POST /users/ada/imports ; ada IMPORT /users/ada {"file":"photo"}"#,
    r#"reported: cara PUT /reports/ada~2024-05-30T15:42:38 {"decision":"mark","sensitive":"nudity"} ; cara PUT /reports/ada~2024-05-30T15:42:38 {"decision":"dismiss"} & ada POST /users/ada/imports ; ada IMPORT /users/ada {"file":"photo"}"#,
];

/// What happens in an inbox and is sent to phones, and what it meets: a block, a mute, a look into the
/// inbox, a setting, another address of the phone, its end, and deletions.
pub(super) const PUSHES: &[&str] = &[
    r#"pushed: ben PUT /users/ada/photos/2024-04-01T12:00:00/reactions/heart & ada PUT /users/ada/blocks/ben {"level":"block"}"#,
    r#"pushed: ben POST /users/ada/photos/2024-04-01T12:00:00/comments {"text":"Wow"} & ada PUT /users/ada/blocks/ben {"level":"mute"}"#,
    r#"pushed: ben POST /users/ada/photos/2024-04-01T12:00:00/comments {"text":"Wow"} ; ben PUT /users/ben/blocks/ada {"level":"block"}"#,
    r#"pushed: ben PUT /users/ada/photos/2024-04-01T12:00:00/reactions/heart & ada PUT /users/ada/blocks/ben {"level":"block"} ; ada DELETE /users/ada/blocks/ben"#,
    "pushed: ben PUT /users/ada/photos/2024-04-01T12:00:00/reactions/heart & ada DELETE /users/ada/devices/phone",
    r#"pushed: ben PUT /users/ada/photos/2024-04-01T12:00:00/reactions/heart & ada DELETE /users/ada/devices/phone ; ada PUT /users/ada/devices/phone {"address":{"kind":"fcm","token":"phone-of-ada"}}"#,
    r#"pushed: ben PUT /users/ada/photos/2024-04-01T12:00:00/reactions/heart & ada PUT /users/ada/devices/phone {"address":{"kind":"fcm","token":"phone-of-ada-2"}}"#,
    r#"pushed: ben PUT /users/ada/photos/2024-04-01T12:00:00/reactions/heart & ada PUT /users/ada/devices/tablet {"address":{"kind":"fcm","token":"tablet-of-ada"}} ; ada DELETE /users/ada/devices/phone"#,
    "pushed: ben PUT /users/ada/photos/2024-04-01T12:00:00/reactions/heart & ada DELETE /users/ada",
    "pushed: ben PUT /users/ada/photos/2024-04-01T12:00:00/reactions/heart & ben DELETE /users/ben",
    r#"pushed: ben POST /users/ada/photos/2024-04-01T12:00:00/comments {"text":"Wow"} & ada DELETE /users/ada/photos/2024-04-01T12:00:00"#,
    "pushed: ben PUT /users/ada/photos/2024-04-01T12:00:00/reactions/heart ; ben DELETE /users/ada/photos/2024-04-01T12:00:00/reactions/heart & ada DELETE /users/ada/devices/phone",
    r#"pushed: ben PUT /users/ada/photos/2024-04-01T12:00:00/reactions/heart & ada GET /users/ada/notifications ; ada PUT /users/ada/notifications/seen {"until":"now"}"#,
    r#"pushed: ben POST /users/ada/photos/2024-04-01T12:00:00/comments {"text":"Wow"} & ada GET /users/ada/notifications ; ada PUT /users/ada/notifications/seen {"until":"now"} & ada DELETE /users/ada/devices/phone"#,
    r#"pushed: ben POST /users/ada/photos/2024-04-01T12:00:00/comments {"text":"Wow"} & ada PATCH /users/ada {"pushOff":["comment"]}"#,
    "pushed: ben PUT /users/ada/photos/2024-04-01T12:00:00/reactions/heart & cara PUT /users/ada/photos/2024-04-01T12:00:00/reactions/heart",
    r#"pushed: ben POST /users/ada/photos/2024-04-01T12:00:00/comments {"text":"Wow"} & cara POST /users/ada/photos/2024-04-01T12:00:00/comments {"text":"Hello @ben"}"#,
    r#"pushed: ben POST /users/ada/photos/2024-04-01T12:00:00/comments {"text":"Wow"} & cara POST /users/ada/photos/2024-04-01T12:00:00/comments {"text":"Hello @ben"} & ben PUT /users/ben/blocks/cara {"level":"mute"}"#,
    r#"pushed: ben PUT /users/ada/followers/ben ; ben DELETE /users/ada/followers/ben & ada PUT /users/ada/blocks/ben {"level":"block"}"#,
    r#"pushed: ada PUT /users/ada/devices/tablet {"address":{"kind":"fcm","token":"tablet-of-ada"}} & ada DELETE /users/ada"#,
    "pushed: ada DELETE /users/ada/devices/phone & ada DELETE /users/ada",
    r#"pushed: ada PUT /users/ada/devices/tablet {"address":{"kind":"fcm","token":"tablet-of-ada"}} & ada DELETE /users/ada ; ada POST /users {"username":"ada","name":"Ada"}"#,
    r#"pushed: ada PUT /users/ada/devices/tablet {"address":{"kind":"fcm","token":"tablet-of-ada"}} & ada PUT /users/ada/devices/tablet {"address":{"kind":"fcm","token":"tablet-of-ada"}} & ada DELETE /users/ada/devices/tablet"#,
];

/// What live screens are told of, and what it meets: screens that connect, show another photo and end,
/// blocks, audiences, deletions, and connections that are lost.
pub(super) const SCREENS: &[&str] = &[
    // Screens that connect and change.
    r#"live: ben CONNECT /users/ben/screens/tab {"ticket":"dGlja2V0LW9mLWJlbi0wMQ","connection":"tab-of-ben"} & cara POST /users/ada/photos/2024-04-01T12:00:00/comments {"text":"Wow"}"#,
    r#"live: ada PUT /users/ada/screens/tab {} ; ada CONNECT /users/ada/screens/tab {"connection":"tab-of-ada"} & ben POST /users/ada/photos/2024-04-01T12:00:00/comments {"text":"Wow"}"#,
    r#"live: ada DELETE /users/ada/screens/window ; ada PUT /users/ada/screens/tab {} ; ada CONNECT /users/ada/screens/tab {"connection":"tab-of-ada"} & ben POST /users/ada/photos/2024-04-01T12:00:00/comments {"text":"Wow"}"#,
    r#"live: ben CONNECT /users/ben/screens/tab {"ticket":"dGlja2V0LW9mLWJlbi0wMQ","connection":"tab-of-ben"} & ben CONNECT /users/ben/screens/tab {"ticket":"dGlja2V0LW9mLWJlbi0wMQ","connection":"other-tab-of-ben"}"#,
    r#"live: ben CONNECT /users/ben/screens/tab {"ticket":"dGlja2V0LW9mLWJlbi0wMQ","connection":"tab-of-ben"} & ben PUT /users/ben/screens/tab {} ; ben CONNECT /users/ben/screens/tab {"connection":"other-tab-of-ben"}"#,
    r#"live: ben PUT /users/ben/screens/window {} & ben CONNECT /users/ben/screens/tab {"ticket":"dGlja2V0LW9mLWJlbi0wMQ","connection":"tab-of-ben"}"#,
    r#"live: ben PUT /users/ben/screens/window {} & ben PUT /users/ben/screens/window {"photo":{"username":"ada","id":"2024-05-30T15:42:38"}}"#,
    r#"live: cara PUT /users/cara/screens/tenth {"photo":{"username":"ada","id":"2024-04-01T12:00:00"}} & cara PUT /users/cara/screens/eleventh {"photo":{"username":"ada","id":"2024-04-01T12:00:00"}}"#,
    r#"live: ben DELETE /users/ben/screens/tab & ben CONNECT /users/ben/screens/tab {"ticket":"dGlja2V0LW9mLWJlbi0wMQ","connection":"tab-of-ben"}"#,
    "live: ben DELETE /users/ben/screens/window & ben PUT /users/ben/screens/window {} & cara PUT /users/ada/photos/2024-04-01T12:00:00/reactions/heart",
    r#"live: ada PUT /users/ada/screens/window {"photo":{"username":"ada","id":"2024-04-01T12:00:00"}} & cara PUT /users/ada/photos/2024-04-01T12:00:00/reactions/heart"#,
    "live: ben PUT /users/ben/screens/window {} & cara PUT /users/ada/photos/2024-04-01T12:00:00/reactions/heart",
    r#"live: ada PUT /users/ada/screens/window {"photo":{"username":"ada","id":"2024-05-30T15:42:38"}} & ada PATCH /users/ada/photos/2024-05-30T15:42:38 {"caption":"A pier"}"#,
    // Connections that are lost.
    r#"live: ada DISCONNECT /users/ada/screens/window {"connection":"window-of-ada"} & ben POST /users/ada/photos/2024-04-01T12:00:00/comments {"text":"Wow"}"#,
    r#"live: ben DISCONNECT /users/ben/screens/window {"connection":"window-of-ben"} ; ben PUT /users/ben/screens/window {"photo":{"username":"ada","id":"2024-04-01T12:00:00"}} ; ben CONNECT /users/ben/screens/window {"connection":"next-window-of-ben"} & cara PUT /users/ada/photos/2024-04-01T12:00:00/reactions/heart"#,
    // Several changes.
    "live: ben PUT /users/ada/photos/2024-04-01T12:00:00/reactions/heart & cara PUT /users/ada/photos/2024-04-01T12:00:00/reactions/heart",
    r#"live: cara PUT /users/ada/photos/2024-04-01T12:00:00/reactions/heart ; cara PUT /users/ada/photos/2024-04-01T12:00:00/reactions/smiley & ben CONNECT /users/ben/screens/tab {"ticket":"dGlja2V0LW9mLWJlbi0wMQ","connection":"tab-of-ben"} ; ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"caption":"A pier"}"#,
    r#"live: ben POST /users/ada/photos/2024-04-01T12:00:00/comments {"text":"Wow"} & ada GET /users/ada/notifications ; ada PUT /users/ada/notifications/seen {"until":"now"}"#,
    // Who may hear.
    r#"live: ben POST /users/ada/photos/2024-04-01T12:00:00/comments {"text":"Wow"} & ada PUT /users/ada/blocks/ben {"level":"block"}"#,
    r#"live: cara PUT /users/ada/photos/2024-04-01T12:00:00/reactions/heart & ada PUT /users/ada/blocks/ben {"level":"block"}"#,
    r#"live: ada PUT /users/ada/blocks/ben {"level":"block"} ; ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"caption":"A pier"} & cara PUT /users/ada/photos/2024-04-01T12:00:00/reactions/heart"#,
    r#"live: ben PUT /users/ben/blocks/ada {"level":"block"} ; ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"caption":"A pier"}"#,
    r#"live: ben PUT /users/ada/photos/2024-04-01T12:00:00/reactions/heart & ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"audience":"followers"}"#,
    r#"live: ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"audience":"me"} ; ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"caption":"A pier"} & ben PUT /users/ada/photos/2024-04-01T12:00:00/reactions/heart"#,
    // Feeds and uploads.
    r#"live: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"}"#,
    r#"live: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"} & ben DELETE /users/ada/followers/ben"#,
    r#"live: ben DELETE /users/ada/followers/ben ; ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"}"#,
    r#"live: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"} & ben CONNECT /users/ben/screens/tab {"ticket":"dGlja2V0LW9mLWJlbi0wMQ","connection":"tab-of-ben"}"#,
    // Deletions.
    "live: ben DELETE /users/ben & cara PUT /users/ada/photos/2024-04-01T12:00:00/reactions/heart",
    r#"live: ben DELETE /users/ben & ben CONNECT /users/ben/screens/tab {"ticket":"dGlja2V0LW9mLWJlbi0wMQ","connection":"tab-of-ben"}"#,
    r#"live: ben DELETE /users/ben & ben PUT /users/ben/screens/other {"photo":{"username":"ada","id":"2024-04-01T12:00:00"}}"#,
    r#"live: ada DELETE /users/ada & ben PUT /users/ben/screens/tab {"photo":{"username":"ada","id":"2024-04-01T12:00:00"}}"#,
    r#"live: ada DELETE /users/ada/photos/2024-04-01T12:00:00 & ben PUT /users/ben/screens/tab {"photo":{"username":"ada","id":"2024-04-01T12:00:00"}}"#,
    "live: ada DELETE /users/ada/photos/2024-04-01T12:00:00 & cara PUT /users/ada/photos/2024-04-01T12:00:00/reactions/heart",
];

/// A photo of which a follower is told, and what it meets: the alerts begin and end, a follower comes back,
/// a mute, a block, a setting, another audience, a look into the inbox, and deletions.
pub(super) const ALERTS: &[&str] = &[
    r#"told: ada UPLOAD /users/ada/photos/2999-05-30T15:42:38 {"file":"red"} & cara DELETE /users/ada/followers/cara/alerts"#,
    r#"told: ada UPLOAD /users/ada/photos/2999-05-30T15:42:38 {"file":"red"} & ben PUT /users/ada/followers/ben/alerts"#,
    r#"told: ada UPLOAD /users/ada/photos/2999-05-30T15:42:38 {"file":"red"} & cara DELETE /users/ada/followers/cara/alerts ; cara PUT /users/ada/followers/cara/alerts"#,
    r#"told: ada UPLOAD /users/ada/photos/2999-05-30T15:42:38 {"file":"red"} & cara DELETE /users/ada/followers/cara ; cara PUT /users/ada/followers/cara"#,
    r#"told: ada UPLOAD /users/ada/photos/2999-05-30T15:42:38 {"file":"red"} & cara DELETE /users/ada/followers/cara ; cara PUT /users/ada/followers/cara ; cara PUT /users/ada/followers/cara/alerts"#,
    r#"told: ada UPLOAD /users/ada/photos/2999-05-30T15:42:38 {"file":"red"} & cara PUT /users/cara/blocks/ada {"level":"mute"}"#,
    r#"told: ada UPLOAD /users/ada/photos/2999-05-30T15:42:38 {"file":"red"} & ada PUT /users/ada/blocks/cara {"level":"block"}"#,
    r#"told: ada UPLOAD /users/ada/photos/2999-05-30T15:42:38 {"file":"red"} & cara PATCH /users/cara {"pushOff":["photo"]}"#,
    r#"told: ada UPLOAD /users/ada/photos/2999-05-30T15:42:38 {"file":"red"} ; ada PATCH /users/ada/photos/2999-05-30T15:42:38 {"audience":"me"}"#,
    r#"told: ada UPLOAD /users/ada/photos/2999-05-30T15:42:38 {"file":"red"} ; ada PATCH /users/ada/photos/2999-05-30T15:42:38 {"audience":"me"} ; ada PATCH /users/ada/photos/2999-05-30T15:42:38 {"audience":"followers"}"#,
    r#"told: ada UPLOAD /users/ada/photos/2999-05-30T15:42:38 {"file":"red"} ; ada PATCH /users/ada/photos/2999-05-30T15:42:38 {"audience":"followers"} & cara DELETE /users/ada/followers/cara"#,
    r#"told: ada UPLOAD /users/ada/photos/2999-05-30T15:42:38 {"file":"red"} ; ada PATCH /users/ada/photos/2999-05-30T15:42:38 {"audience":"me"} & cara GET /users/cara/notifications ; cara PUT /users/cara/notifications/seen {"until":"now"}"#,
    r#"told: ada UPLOAD /users/ada/photos/2999-05-30T15:42:38 {"file":"red"} ; ada DELETE /users/ada/photos/2999-05-30T15:42:38"#,
    r#"told: ada UPLOAD /users/ada/photos/2999-05-30T15:42:38 {"file":"red"} ; ada PATCH /users/ada/photos/2999-05-30T15:42:38 {"audience":"me"} ; ada DELETE /users/ada/photos/2999-05-30T15:42:38"#,
    r#"told: ada UPLOAD /users/ada/photos/2999-05-30T15:42:38 {"file":"red"} & ada DELETE /users/ada"#,
    r#"told: ada UPLOAD /users/ada/photos/2999-05-30T15:42:38 {"file":"red"} & cara DELETE /users/cara"#,
    "told: cara PUT /users/ada/followers/cara/alerts & cara DELETE /users/ada/followers/cara",
    r#"told: ben PUT /users/ada/followers/ben/alerts & ada PUT /users/ada/blocks/ben {"level":"block"}"#,
    r#"told: ben PUT /users/ada/followers/ben/alerts & ben PUT /users/ben/blocks/ada {"level":"mute"}"#,
    "told: ben PUT /users/ada/followers/ben/alerts & ben DELETE /users/ada/followers/ben/alerts",
    "told: ben PUT /users/ada/followers/ben/alerts & ada DELETE /users/ada",
    "told: ben PUT /users/ada/followers/ben/alerts & ben DELETE /users/ben",
];

//! The names and texts of the generated part of the sample data.

/// The names of the users after the first three.
pub(super) const NAMES: [&str; 17] = [
    "Elif Aydin",
    "Femi Adeyemi",
    "Greta Holm",
    "Hiro Tanaka",
    "Ines Duarte",
    "Jonas Weber",
    "Kavya Nair",
    "Leo Rossi",
    "Maja Nowak",
    "Nils Berg",
    "Olga Petrova",
    "Pablo Reyes",
    "Quinn Murphy",
    "Rosa Lima",
    "Sami Haddad",
    "Tara Singh",
    "Uma Patel",
];
pub(super) const STREETS: [&str; 6] =
    ["Mill Lane", "Station Road", "Harbour Street", "Park Avenue", "Church Hill", "River Walk"];
pub(super) const TOWNS: [&str; 6] = ["Ashford", "Brookfield", "Fairview", "Greendale", "Lakeside", "Westbury"];
pub(super) const STATUSES: [&str; 6] = [
    "Chasing the light",
    "On the road again",
    "Coffee first",
    "Back from the mountains",
    "Analogue only",
    "Away until Monday",
];
pub(super) const INTERESTS: [&str; 8] =
    ["portraits", "street", "macro", "travel", "birds", "architecture", "film", "night"];

/// The comments of people on a scene.
pub(super) const COMMENT_TEXTS: [&str; 32] = [
    "Wow",
    "Where is this?",
    "What a light!",
    "I was there last week, and it rained all day",
    "The colors!",
    "Take me with you next time",
    "❤️",
    "Que maravilha!",
    "Which lens is that?",
    "きれい！",
    "Straight onto my wall, if I may",
    "Wie gemalt",
    "This made my Monday",
    "Красота какая",
    "I can hear this picture",
    "Magnifique 👏",
    "How early did you get up for this?",
    "رائع جدا",
    "Second one from the left, obviously",
    "Qué envidia",
    "Nobody tell the tourists",
    "Ne güzel bir ışık",
    "You have to print this one",
    "Zoom in. It is worth it",
    "대박",
    "My grandmother grew up near there",
    "Bellissima!",
    "So that is where you were",
    "I would have walked straight past it",
    "बहुत सुंदर",
    "Is there a bigger version?",
    "真美",
];
/// The comments of people on a portrait.
pub(super) const COMMENTS_ON_PORTRAITS: [&str; 8] = [
    "There you are!",
    "Looking good",
    "¡Guapa gente!",
    "That smile 😄",
    "Finally a face to the name",
    "Coucou !",
    "Nice shirt",
    "お元気そう",
];
/// The answers of the owner of a photo. `{}` is the author of the comment.
pub(super) const ANSWERS: [&str; 12] = [
    "Thank you, @{}!",
    "@{} come along next time",
    "Half an hour from the station, @{}",
    "Danke, @{} 😊",
    "@{} a 35 mm, and patience",
    "You should have seen it an hour before, @{}",
    "@{} obrigado!",
    "Ha, @{}, I thought of you",
    "@{} ありがとう",
    "I will send it to you, @{}",
    "@{} pure luck, I promise",
    "Sağ ol @{}",
];

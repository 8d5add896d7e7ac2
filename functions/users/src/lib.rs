//! Users: their profiles, their names, the directory in which people are searched, and the welcome e-mail.

pub mod create_user;
pub mod delete_user;
pub mod get_user;
pub mod refuse_used_name;
pub mod search_people;
pub mod send_welcome;
pub mod update_user;

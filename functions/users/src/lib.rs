//! Users: their profiles, their names, the directory in which people are searched, and the welcome e-mail.

use shared::runtime::visitor::Visitor;

pub mod changes;
pub mod create_user;
pub mod delete_user;
pub mod erasure;
pub mod get_user;
pub mod list_suggestions;
pub mod refuse_used_name;
pub mod search_people;
pub mod send_welcome;
pub mod update_user;

/// Shows each function of the noun to a visitor.
pub fn visit<V: Visitor>(visitor: &mut V) {
    visitor.route::<create_user::CreateUser>();
    visitor.route::<delete_user::DeleteUser>();
    visitor.route::<get_user::GetUser>();
    visitor.route::<list_suggestions::ListSuggestions>();
    visitor.sign_ups::<refuse_used_name::RefuseUsedName>();
    visitor.route::<search_people::SearchPeople>();
    visitor.records::<send_welcome::SendWelcome>();
    visitor.route::<update_user::UpdateUser>();
}

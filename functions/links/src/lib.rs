//! Links, which show a photo or a profile to people without an account.

use shared::runtime::visitor::Visitor;

pub mod delete_link;
pub mod delete_profile_link;
pub mod erasure;
pub mod get_embed;
pub mod get_link;
pub mod get_profile_link;
pub mod list_links;
pub mod open_link;
pub mod open_picture;
pub mod own_link;
pub mod put_link;
pub mod put_profile_link;
pub mod report_link;
pub mod shared_thing;

/// Shows each function of the noun to a visitor.
pub fn visit<V: Visitor>(visitor: &mut V) {
    visitor.route::<delete_link::DeleteLink>();
    visitor.route::<delete_profile_link::DeleteProfileLink>();
    visitor.route::<get_embed::GetEmbed>();
    visitor.route::<get_link::GetLink>();
    visitor.route::<get_profile_link::GetProfileLink>();
    visitor.route::<list_links::ListLinks>();
    visitor.route::<open_link::OpenLink>();
    visitor.route::<open_picture::OpenPicture>();
    visitor.route::<put_link::PutLink>();
    visitor.route::<put_profile_link::PutProfileLink>();
    visitor.route::<report_link::ReportLink>();
}

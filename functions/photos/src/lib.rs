//! Photos: upload, pictures, captions, places, and the lists of a user and of similar photos.

use shared::runtime::visitor::Visitor;

pub mod delete_photo;
pub mod erasure;
pub mod fetch_user_and_photos;
pub mod list_recent_photos;
pub mod list_similar_photos;
mod new_picture;
pub mod process_photo;
pub mod reject_photo;
mod several;
pub mod update_photo;
pub mod upload_photo;

/// Shows each function of the noun to a visitor.
pub fn visit<V: Visitor>(visitor: &mut V) {
    visitor.route::<delete_photo::DeletePhoto>();
    visitor.route::<fetch_user_and_photos::FetchUserAndPhotos>();
    visitor.route::<list_recent_photos::ListRecentPhotos>();
    visitor.route::<list_similar_photos::ListSimilarPhotos>();
    visitor.uploads::<process_photo::ProcessPhoto>();
    visitor.uploads::<reject_photo::RejectPhoto>();
    visitor.route::<update_photo::UpdatePhoto>();
    visitor.route::<upload_photo::UploadPhoto>();
}

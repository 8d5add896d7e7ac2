//! Photos: upload, pictures, captions, places, and the lists of a user and of similar photos.

pub mod delete_photo;
pub mod fetch_user_and_photos;
pub mod list_recent_photos;
pub mod list_similar_photos;
pub mod process_photo;
pub mod reject_photo;
pub mod update_photo;
pub mod upload_photo;

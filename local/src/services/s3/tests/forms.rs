//! Presigned POST.

use super::*;

#[tokio::test]
async fn todo() {
    let _ = (Fixture::new(), RequestChecksumCalculation::WhenRequired, json!({}), Value::Null);
}

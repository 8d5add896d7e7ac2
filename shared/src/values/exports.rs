//! Values of exports and imports.

use uuid::Uuid;

use super::macros::{choice_value, text_value};

text_value! {
    /// The id of an export of a user's data.
    ExportId, "a UUID in lower case",
    |text| Uuid::try_parse(text).is_ok_and(|id| id.to_string() == text),
    {
        "pattern": "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
        "examples": ["01942205-8a10-7c3e-9f52-6b1d0c7e4a93"]
    }
}

impl ExportId {
    /// Returns a new id. It has 74 random bits, because it is a part of the key of the file, which
    /// nobody shall guess.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "each call returns another id")]
    pub fn new() -> Self {
        Self(Uuid::now_v7().to_string())
    }
}

text_value! {
    /// The id of an import.
    ImportId, "a UUID in lower case",
    |text| Uuid::try_parse(text).is_ok_and(|id| id.to_string() == text),
    {
        "pattern": "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
        "examples": ["01942205-9b21-7d4f-8a63-7c2e1d8f5ba4"]
    }
}

impl ImportId {
    /// Returns a new id.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "each call returns another id")]
    pub fn new() -> Self {
        Self(Uuid::now_v7().to_string())
    }
}

choice_value! {
    /// The state of an import.
    ImportState,
    /// The file has not come.
    Waiting = "waiting",
    /// The file is being read.
    Running = "running",
    /// Everything of the file was put or left out.
    Done = "done",
    /// The file is no export.
    Failed = "failed",
}

choice_value! {
    /// The state of an export.
    ExportState,
    /// The work has not begun.
    Queued = "queued",
    /// The file is being written.
    Running = "running",
    /// The file can be downloaded.
    Ready = "ready",
    /// There will be no file.
    Failed = "failed",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_a_uuid_in_its_usual_form() {
        let is_valid = |text: &str| text.parse::<ExportId>().is_ok();
        assert!(is_valid("01942205-8a10-7c3e-9f52-6b1d0c7e4a93") && is_valid(ExportId::new().as_ref()));
        for bad in [
            "",
            "01942205",
            "01942205-8A10-7C3E-9F52-6B1D0C7E4A93",
            "019422058a107c3e9f526b1d0c7e4a93",
            "{01942205-8a10-7c3e-9f52-6b1d0c7e4a93}",
            "01942205-8a10-7c3e-9f52-6b1d0c7e4a9/",
        ] {
            assert!(!is_valid(bad), "{bad}");
        }
        assert_ne!(ExportId::new(), ExportId::new());
    }
}

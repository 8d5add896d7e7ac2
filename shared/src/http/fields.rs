//! The fields of the JSON body of a request.

use std::collections::BTreeMap;
use std::fmt;

use lambda_http::{Request, RequestPayloadExt as _};
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::request::{MAX_BODY_BYTES, json_body};
use crate::Error;
use crate::document::DocumentError;
use crate::error::Violation;
use crate::values::{DocumentFormat, InvalidValue, Value};

/// The fields of a JSON body. Each is taken out by name. [`Fields::finish`] then reports all
/// invalid fields in one answer, and reports the fields that were not taken as unknown.
///
/// ```
/// # use shared::{Error, Request, http::fields::Fields, values::{Name, Status}};
/// # fn read(request: &Request) -> Result<(), Error> {
/// let mut fields = Fields::from_request(request)?;
/// let name = fields.required::<Name>("name");
/// let status = fields.optional::<Status>("status");
/// fields.finish()?;
/// let (name, status) = (name?, status?);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct Fields {
    values: BTreeMap<String, Box<RawValue>>,
    violations: Vec<Violation>,
    #[cfg(feature = "schema")]
    description: Option<super::describe::Fields>,
}

/// A value that a handler takes from the fields of a JSON object.
///
/// ```
/// # use shared::{Error, http::extract::FromFields, http::fields::Fields, values::{Name, Status}};
/// struct NewUser {
///     name: Name,
///     status: Option<Status>,
/// }
///
/// impl FromFields for NewUser {
///     fn from_fields(fields: &mut Fields) -> Result<Self, Error> {
///         let name = fields.required("name");
///         let status = fields.optional("status");
///         fields.finish()?;
///         Ok(Self { name: name?, status: status? })
///     }
/// }
/// ```
pub trait FromFields: Sized {
    /// Takes the fields by name. All of them are taken before [`Fields::finish`], which reports all
    /// that are invalid.
    fn from_fields(fields: &mut Fields) -> Result<Self, Error>;
}

/// The change of one field by a [merge patch](https://www.rfc-editor.org/rfc/rfc7396).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Patch<T> {
    /// Keeps the field as it is, because it is not in the patch.
    Keep,
    /// Removes the field, because it is `null` in the patch, or an empty [free
    /// text](Value::IS_FREE_TEXT).
    Remove,
    /// Sets the field to the value in the patch.
    Set(T),
}

impl<T> Patch<T> {
    /// Converts the value of [`Patch::Set`].
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Patch<U> {
        match self {
            Self::Keep => Patch::Keep,
            Self::Remove => Patch::Remove,
            Self::Set(value) => Patch::Set(f(value)),
        }
    }
}

impl Fields {
    /// Parses the body as a JSON object of at most [`MAX_BODY_BYTES`]. An empty body has no fields.
    pub fn from_request(request: &Request) -> Result<Self, Error> {
        let body = json_body(request, MAX_BODY_BYTES)?;
        if body.is_empty() {
            return Ok(Self::default());
        }
        let Object(values) = serde_json::from_slice(body)
            .map_err(|error| Error::Malformed(format!("The body must be a JSON object: {error}.")))?;
        Ok(Self { values, ..Self::default() })
    }

    /// Parses the body as a form of a page, whose fields are texts.
    pub fn from_form(request: &Request) -> Result<Self, Error> {
        let body: &[u8] = request.body();
        if body.len() > MAX_BODY_BYTES {
            return Err(Error::TooLarge(MAX_BODY_BYTES));
        }
        let form: Option<Vec<(String, String)>> =
            request.payload().map_err(|error| Error::Malformed(format!("The body must be a form: {error}.")))?;
        let mut values = BTreeMap::new();
        for (name, text) in form.unwrap_or_default() {
            let text = serde_json::value::to_raw_value(&text)?;
            if values.insert(name.clone(), text).is_some() {
                return Err(Error::invalid(name, "must be given only once"));
            }
        }
        Ok(Self { values, ..Self::default() })
    }

    /// Returns fields that describe what is taken from them. None of them is there, and
    /// [`Fields::finish`] fails.
    #[cfg(feature = "schema")]
    pub(crate) fn described() -> Self {
        Self { description: Some(super::describe::Fields::default()), ..Self::default() }
    }

    /// Returns the description of what was taken.
    #[cfg(feature = "schema")]
    pub(crate) fn description(self) -> super::describe::Fields {
        self.description.unwrap_or_default()
    }

    /// Takes a required field. [`Fields::finish`] also reports the error.
    pub fn required<T: Value>(&mut self, name: &'static str) -> Result<T, Error> {
        #[cfg(feature = "schema")]
        self.describe::<T>(name, super::describe::Presence::Required);
        match self.take(name)? {
            Patch::Set(value) => Ok(value),
            Patch::Keep | Patch::Remove => Err(self.violation(name, &InvalidValue::new::<T>())),
        }
    }

    /// Takes a field that may be absent or `null`. [`Fields::finish`] also reports the error.
    pub fn optional<T: Value>(&mut self, name: &'static str) -> Result<Option<T>, Error> {
        #[cfg(feature = "schema")]
        self.describe::<T>(name, super::describe::Presence::nullable::<T>());
        Ok(match self.take(name)? {
            Patch::Set(value) => Some(value),
            Patch::Keep | Patch::Remove => None,
        })
    }

    /// Takes a field of a merge patch that cannot be removed. [`Fields::finish`] also reports the
    /// error.
    pub fn replacement<T: Value>(&mut self, name: &'static str) -> Result<Patch<T>, Error> {
        #[cfg(feature = "schema")]
        self.describe::<T>(name, super::describe::Presence::Optional);
        match self.take(name)? {
            Patch::Remove => Err(self.violation(name, &InvalidValue::new::<T>())),
            patch => Ok(patch),
        }
    }

    /// Takes a field of a merge patch that can be removed. [`Fields::finish`] also reports the
    /// error.
    pub fn patch<T: Value>(&mut self, name: &'static str) -> Result<Patch<T>, Error> {
        #[cfg(feature = "schema")]
        self.describe::<T>(name, super::describe::Presence::nullable::<T>());
        self.take(name)
    }

    /// Takes a list of `MIN` to `MAX` objects that may be absent, of which each has fields of its own. The paths of errors in them
    /// have the index in brackets. [`Fields::finish`] also reports the error.
    pub fn list<T: FromFields, const MIN: usize, const MAX: usize>(
        &mut self,
        name: &'static str,
    ) -> Result<Option<Vec<T>>, Error> {
        #[cfg(feature = "schema")]
        if let Some(description) = &mut self.description {
            let mut fields = Self::described();
            // It fails at `finish`, once it has named its fields.
            let _ = T::from_fields(&mut fields);
            description.list(name, fields.description(), [MIN, MAX]);
        }
        let objects: Vec<Object> = match self.values.remove(name) {
            None => return Ok(None),
            Some(value) => serde_json::from_str(value.get()).unwrap_or_default(),
        };
        if !(MIN..=MAX).contains(&objects.len()) {
            let message = format!("must be a list of {MIN} to {MAX} objects");
            self.violations.push(Violation { field: name.to_owned(), message: message.clone() });
            return Err(Error::invalid(name, message));
        }
        let (mut list, mut violations) = (vec![], vec![]);
        for (index, Object(values)) in objects.into_iter().enumerate() {
            match T::from_fields(&mut Self { values, ..Self::default() }) {
                Ok(fields) => list.push(fields),
                Err(Error::Invalid(found)) => {
                    let path = |field| format!("{name}[{index}].{field}");
                    violations.extend(found.into_iter().map(|one| Violation { field: path(one.field), ..one }));
                }
                Err(error) => return Err(error),
            }
        }
        if violations.is_empty() {
            return Ok(Some(list));
        }
        self.violations.extend(violations.clone());
        Err(Error::Invalid(violations))
    }

    /// Refuses each of `others` if it is given together with the field `name`. To be called before
    /// they are taken. [`Fields::finish`] reports the errors.
    pub fn excludes(&mut self, name: &'static str, others: &'static [&'static str]) {
        #[cfg(feature = "schema")]
        if let Some(description) = &mut self.description {
            description.excludes(name, others);
        }
        let is_given =
            |field: &str| self.values.get(field).is_some_and(|value| !matches!(value.get(), "null" | r#""""#));
        if is_given(name) {
            let refused = others.iter().filter(|field| is_given(field));
            let message = format!("must be left out if {name} is given");
            let violations = refused.map(|&field| Violation { field: field.to_owned(), message: message.clone() });
            let violations: Vec<Violation> = violations.collect();
            self.violations.extend(violations);
        }
    }

    /// Fails with all invalid fields and all fields that were not taken, if there are any.
    pub fn finish(&mut self) -> Result<(), Error> {
        #[cfg(feature = "schema")]
        if self.description.is_some() {
            return Err(Error::Invalid(vec![]));
        }
        let unknown = |field| Violation { field, message: "is not a field of this request; remove it".to_owned() };
        self.violations.extend(std::mem::take(&mut self.values).into_keys().map(unknown));
        if self.violations.is_empty() { Ok(()) } else { Err(Error::Invalid(std::mem::take(&mut self.violations))) }
    }

    #[cfg(feature = "schema")]
    fn describe<T: Value>(&mut self, name: &'static str, presence: super::describe::Presence) {
        if let Some(description) = &mut self.description {
            description.add::<T>(name, presence);
        }
    }

    /// Takes a field that is a [document](crate::document) and parses it by `read`.
    /// [`Fields::finish`] also reports the error, with the path inside the document.
    pub fn document<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(DocumentFormat, &str) -> Result<T, DocumentError>,
    ) -> Result<Patch<T>, Error> {
        #[cfg(feature = "schema")]
        if let Some(description) = &mut self.description {
            description.document(name);
        }
        match self.values.remove(name) {
            None => Ok(Patch::Keep),
            Some(value) if value.get() == "null" => Ok(Patch::Remove),
            Some(value) => read(DocumentFormat::Json, value.get()).map(Patch::Set).map_err(|error| {
                let field = if error.path().is_empty() { name.to_owned() } else { format!("{name}.{}", error.path()) };
                let violation = Violation { field, message: error.message().to_owned() };
                self.violations.push(violation.clone());
                Error::Invalid(vec![violation])
            }),
        }
    }

    fn take<T: Value>(&mut self, name: &str) -> Result<Patch<T>, Error> {
        match self.values.remove(name) {
            None => Ok(Patch::Keep),
            Some(value) if value.get() == "null" || T::IS_FREE_TEXT && value.get() == r#""""# => Ok(Patch::Remove),
            Some(value) => serde_json::from_str(value.get())
                .map(Patch::Set)
                .map_err(|_| self.violation(name, &invalid_json::<T>(value.get()))),
        }
    }

    fn violation(&mut self, field: &str, invalid: &InvalidValue) -> Error {
        let violation = Violation { field: field.to_owned(), message: invalid.to_string() };
        self.violations.push(violation.clone());
        Error::Invalid(vec![violation])
    }
}

/// Returns the error of a JSON value that is no `T`, with the character for which its text, or a
/// text in its array, is refused.
fn invalid_json<T: Value>(json: &str) -> InvalidValue {
    let texts: Vec<String> =
        serde_json::from_str(json).or_else(|_| serde_json::from_str(json).map(|text| vec![text])).unwrap_or_default();
    let refused = texts.iter().find(|text| T::refused_character(text).is_some());
    refused.map_or_else(InvalidValue::new::<T>, |text| InvalidValue::of::<T>(text))
}

/// A JSON object with unique names. A repeated name is rejected, because [RFC
/// 8259](https://www.rfc-editor.org/rfc/rfc8259#section-4) does not define which of its values
/// counts.
struct Object(BTreeMap<String, Box<RawValue>>);

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ObjectVisitor;

        impl<'de> Visitor<'de> for ObjectVisitor {
            type Value = Object;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
                let mut values = BTreeMap::new();
                while let Some((name, value)) = map.next_entry::<String, _>()? {
                    if values.contains_key(&name) {
                        return Err(de::Error::custom(format_args!("the field {name:?} appears more than once")));
                    }
                    values.insert(name, value);
                }
                Ok(Object(values))
            }
        }

        deserializer.deserialize_map(ObjectVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::{Caption, Interests, Name, Status};

    struct Named(Name);

    impl FromFields for Named {
        fn from_fields(fields: &mut Fields) -> Result<Self, Error> {
            let name = fields.required::<Name>("name");
            fields.finish()?;
            Ok(Self(name?))
        }
    }

    #[test]
    fn a_list_has_objects_whose_errors_have_their_index() {
        let fields = |list: &str| {
            let raw = serde_json::value::RawValue::from_string(list.to_owned()).unwrap();
            Fields { values: [("people".to_owned(), raw)].into(), ..Fields::default() }
        };
        let take = |list: &str| {
            let mut fields = fields(list);
            let found = fields.list::<Named, 1, 2>("people");
            fields.finish().map(|()| found.unwrap().unwrap())
        };
        let names: Vec<Name> =
            take(r#"[{"name": "Ada"}, {"name": "Ben"}]"#).unwrap().into_iter().map(|it| it.0).collect();
        assert_eq!(names.iter().map(AsRef::as_ref).collect::<Vec<&str>>(), ["Ada", "Ben"]);
        assert!(Fields::default().list::<Named, 1, 2>("people").unwrap().is_none());
        for (list, field) in [
            ("[]", "people"),
            (r#"[{"name": "a"}, {"name": "b"}, {"name": "c"}]"#, "people"),
            ("null", "people"),
            (r#"["Ada"]"#, "people"),
            (r#"[{"name": "Ada"}, {}]"#, "people[1].name"),
            (r#"[{"name": "Ada", "age": 1}]"#, "people[0].age"),
        ] {
            let Err(Error::Invalid(violations)) = take(list) else { panic!("{list} is valid") };
            assert_eq!(violations.iter().map(|one| one.field.as_str()).collect::<Vec<_>>(), [field], "{list}");
        }
    }

    #[test]
    fn the_message_about_a_text_names_the_refused_character() {
        let body = r#"{"name": "a\nb", "status": "a\r\nb\u0007", "interests": ["chess", "\u202e"], "caption": 7}"#;
        let event = serde_json::json!({
            "version": "2.0", "routeKey": "POST /", "rawPath": "/", "rawQueryString": "",
            "headers": {"content-type": "application/json"}, "body": body,
            "requestContext": {"http": {"method": "POST", "path": "/"}, "timeEpoch": 0}, "isBase64Encoded": false,
        });
        let request = lambda_http::request::from_str(&event.to_string()).unwrap();
        let mut fields = Fields::from_request(&request).unwrap();
        let _ = (fields.required::<Name>("name"), fields.optional::<Status>("status"));
        let _ = (fields.optional::<Interests>("interests"), fields.optional::<Caption>("caption"));
        let Err(Error::Invalid(violations)) = fields.finish() else { panic!("all of them are valid") };
        let messages: Vec<(&str, &str)> =
            violations.iter().map(|violation| (violation.field.as_str(), violation.message.as_str())).collect();
        let of = |rule: &str, refused: &str| format!("must be {rule}{refused}");
        let expected = [
            ("name", of(Name::RULE, "; character 2 is U+000A, a line break")),
            ("status", of(Status::RULE, "; character 5 is U+0007, a control character")),
            ("interests", of(Interests::RULE, "; character 1 is U+202E, a mark that changes the direction of text")),
            ("caption", of(Caption::RULE, "")),
        ];
        assert_eq!(messages, expected.each_ref().map(|(field, message)| (*field, message.as_str())));
    }
}

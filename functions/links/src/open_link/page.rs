//! The pages of links: HTML of some 3 kB without scripts, cookies and third parties.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use lambda_http::http::StatusCode;
use lambda_http::http::header::{CONTENT_SECURITY_POLICY, HeaderName, REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use sha2::{Digest, Sha256};
use shared::http::answer;
use shared::show::PictureUrl;
use shared::values::{LinkToken, ReportReason, SensitiveReason};
use shared::{Error, Process, Response, StartError};

use super::opened::{OpenedLink, SharedPhoto, SharedPicture, SharedProfile};
use crate::own_link::Address;

/// The style of all pages. The policy of the page has its hash.
const STYLE: &str = include_str!("page.css");
/// The header by which a page tells search engines whether they may list it.
const ROBOTS: HeaderName = HeaderName::from_static("x-robots-tag");

/// The pages, with the policy and the app that all of them share.
pub struct Pages {
    policy: String,
    /// The beginning of the address that opens a link in the app, before the token. Empty if there is
    /// no app.
    app: String,
}

impl Pages {
    /// Returns the pages with pictures at `PICTURES_URL` and the app at `APP_LINK`, two environment
    /// variables.
    pub fn from_process(process: &Process) -> Result<Self, StartError> {
        Ok(Self {
            policy: policy(&format!("{}/", process.variable("PICTURES_URL")?)),
            app: process.variable("APP_LINK")?,
        })
    }

    /// Returns the pages that only say something.
    #[must_use]
    pub fn without_pictures() -> Self {
        Self { policy: policy("'none'"), app: String::new() }
    }

    /// Returns the page for a link that opens nothing.
    pub fn ended<T>(&self) -> Result<Response<T>, Error> {
        let text = "The photo is not shared any more, or the address has a mistake.";
        self.answer(StatusCode::NOT_FOUND, &message("This link has ended", text), false)
    }

    /// Returns the page after a report.
    pub fn reported<T>(&self) -> Result<Response<T>, Error> {
        let text = "A moderator will look at what you have reported.";
        self.answer(StatusCode::OK, &message("Thank you", text), false)
    }

    /// Returns the page for a visitor who has sent too many reports.
    pub fn too_many_reports<T>(&self) -> Result<Response<T>, Error> {
        let text = "Too many reports came from here today. Come back tomorrow.";
        self.answer(StatusCode::TOO_MANY_REQUESTS, &message("Too many reports", text), false)
    }

    /// Returns the page of a link.
    pub(super) fn of<T>(
        &self,
        link: &OpenedLink,
        title: &str,
        token: Option<&LinkToken>,
        indexed: bool,
        address: &Address,
    ) -> Result<Response<T>, Error> {
        let token = token.map(ToString::to_string).unwrap_or_default();
        let mut html = head(title);
        html += &preview(link, title, address);
        let body = match (&link.photo, &link.profile) {
            (Some(photo), _) => photo_of(link, photo, &token),
            (None, Some(profile)) => profile_of(link, profile, &token),
            (None, None) => String::new(),
        };
        let app = if self.app.is_empty() {
            String::new()
        } else {
            format!(r#"<p><a class="open" href="{}{token}">Open in the app</a></p>"#, escape(&self.app))
        };
        let options =
            ReportReason::ALL.iter().map(|reason| format!(r#"<option value="{reason}">{}</option>"#, name_of(*reason)));
        let _ = write!(
            html,
            r#"<main>{body}{app}</main><footer><details><summary>Report this</summary><form method="post" action="/s/{token}/report"><label>Reason <select name="reason">{}</select></label> <button>Report</button></form></details></footer></body></html>"#,
            options.collect::<String>()
        );
        self.answer(StatusCode::OK, &html, indexed)
    }

    fn answer<T>(&self, status: StatusCode, html: &str, indexed: bool) -> Result<Response<T>, Error> {
        let mut response = answer::page(status, html.to_owned())?;
        for (name, value) in [
            (CONTENT_SECURITY_POLICY, self.policy.as_str()),
            // No other site learns the token. With `no-referrer`, the form would have the origin `null`.
            (REFERRER_POLICY, "same-origin"),
            (X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (VARY, "accept"),
            (ROBOTS, if indexed { "all" } else { "noindex" }),
        ] {
            response = answer::with_header(response, name, value)?;
        }
        Ok(response)
    }
}

/// Returns the [policy](https://www.w3.org/TR/CSP3/) of a page that loads pictures from there, and nothing
/// else.
fn policy(pictures: &str) -> String {
    let style = BASE64.encode(Sha256::digest(STYLE));
    format!(
        "default-src 'none'; img-src {pictures}; style-src 'sha256-{style}'; form-action 'self'; base-uri 'none'; \
         frame-ancestors 'none'"
    )
}

/// Returns the beginning of a page, up to the last element of its head.
fn head(title: &str) -> String {
    let title = escape(title);
    format!(
        r#"<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>{title}</title><style>{STYLE}</style>"#
    )
}

/// Returns a page that says one thing.
fn message(title: &str, text: &str) -> String {
    format!("{}</head><body><main><h1>{title}</h1><p>{text}</p></main></body></html>", head(title))
}

/// Returns the rest of the head, with which messengers and other sites show a preview: [Open
/// Graph](https://ogp.me), [cards of
/// X](https://developer.x.com/en/docs/x-for-websites/cards/overview/markup), and the address of the
/// [oEmbed](https://oembed.com/#section4).
fn preview(link: &OpenedLink, title: &str, address: &Address) -> String {
    let mut html = String::new();
    let mut meta = |attribute: &str, name: &str, content: &str| {
        let _ = write!(html, r#"<meta {attribute}="{name}" content="{}">"#, escape(content));
    };
    let description = match (&link.photo, &link.profile) {
        (Some(photo), _) => photo.caption.clone().unwrap_or_default(),
        (None, profile) => profile.as_ref().and_then(|profile| profile.status.clone()).unwrap_or_default(),
    };
    // No preview shows a sensitive photo.
    let photo = link.photo.as_ref().filter(|photo| photo.sensitive.is_none());
    let size = photo.and_then(|photo| photo.width.zip(photo.height));
    let picture = link.profile.as_ref().is_some_and(|profile| profile.picture.is_some());
    meta("property", "og:type", if link.photo.is_some() { "article" } else { "profile" });
    meta("property", "og:site_name", "Quick Photos");
    meta("property", "og:title", title);
    meta("property", "og:url", &link.url);
    if !description.is_empty() {
        meta("name", "description", &description);
        meta("property", "og:description", &description);
    }
    if size.is_some() || picture {
        meta("property", "og:image", &format!("{}/picture", link.url));
        meta("property", "og:image:type", "image/jpeg");
    }
    if let Some((width, height)) = size {
        meta("property", "og:image:width", &width.to_string());
        meta("property", "og:image:height", &height.to_string());
    }
    if let Some(text) = photo.and_then(|photo| photo.alt_text.as_deref()) {
        meta("property", "og:image:alt", text);
    }
    meta("name", "twitter:card", if size.is_some() { "summary_large_image" } else { "summary" });
    let url = utf8_percent_encode(&link.url, NON_ALPHANUMERIC);
    let embed = address.of_route(&format!("/oembed?url={url}"));
    let (embed, title) = (escape(&embed), escape(title));
    let _ = write!(
        html,
        r#"<link rel="alternate" type="application/json+oembed" href="{embed}" title="{title}"></head><body>"#
    );
    html
}

/// Returns the content of the page of a photo.
fn photo_of(link: &OpenedLink, photo: &SharedPhoto, token: &str) -> String {
    const SIZES: &str = "(min-width: 60rem) 56rem, 100vw";
    let mut html = String::from("<article>");
    if photo.urls.is_empty() || photo.pictures.is_empty() {
        html += &picture(photo, SIZES, token);
    }
    let count_of = photo.pictures.len();
    for (index, SharedPicture { urls, width, height, alt_text, .. }) in photo.pictures.iter().enumerate() {
        let place = format!("Picture {} of {count_of}", index + 1);
        html += &image(urls, width.zip(*height), alt_text.as_deref().unwrap_or(&place), SIZES, index > 0);
    }
    let _ = write!(html, "<h1>{} <small>@{}</small></h1>", escape(&link.name), link.username);
    if let Some(caption) = &photo.caption {
        let _ = write!(html, r#"<p class="caption">{}</p>"#, escape(caption));
    }
    let reactions: u64 = photo.reactions.values().sum();
    let _ = write!(
        html,
        r#"<p class="counts">{} · {}</p></article>"#,
        count(reactions, "reaction"),
        count(photo.comments, "comment")
    );
    html
}

/// Returns the content of the page of a profile.
fn profile_of(link: &OpenedLink, profile: &SharedProfile, token: &str) -> String {
    let mut html = String::from("<header>");
    if let Some(picture) = &profile.picture {
        let _ = write!(html, r#"<img class="portrait" src="{}" alt="">"#, escape(&picture.small));
    }
    let _ = write!(html, "<h1>{} <small>@{}</small></h1>", escape(&link.name), link.username);
    if let Some(status) = &profile.status {
        let _ = write!(html, r#"<p class="caption">{}</p>"#, escape(status));
    }
    let _ = write!(html, r#"<p class="counts">{}</p></header>"#, count(profile.followers, "follower"));
    html += r#"<div class="grid">"#;
    for photo in &profile.photos {
        html += &picture(photo, "(min-width: 60rem) 18rem, 33vw", token);
    }
    html += "</div>";
    html
}

/// Returns the picture of a photo, of which the browser loads the size that fits, or in its place the
/// link that shows a sensitive one.
fn picture(photo: &SharedPhoto, sizes: &str, token: &str) -> String {
    if let Some(mark) = photo.sensitive.filter(|_| photo.urls.is_empty()) {
        let reason = sensitive_name(mark.reason);
        return format!(
            r#"<a class="sensitive" href="/s/{token}?show=sensitive">Sensitive photo: {reason}. Show it</a>"#
        );
    }
    let text = photo.alt_text.as_deref().or(photo.caption.as_deref()).unwrap_or("A photo");
    image(&photo.urls, photo.width.zip(photo.height), text, sizes, false)
}

/// Returns the image of a picture, or nothing if it has no JPEG. `late` leaves it until it comes near.
fn image(urls: &[PictureUrl], size: Option<(u32, u32)>, text: &str, sizes: &str, late: bool) -> String {
    let Some(first) = urls.first() else { return String::new() };
    let srcset: Vec<String> = urls.iter().map(|picture| format!("{} {}w", picture.url, picture.width)).collect();
    let (width, height) = size.unwrap_or_default();
    format!(
        r#"<img src="{}" srcset="{}" sizes="{sizes}" width="{width}" height="{height}"{} alt="{}">"#,
        escape(&first.url),
        escape(&srcset.join(", ")),
        if late { r#" loading="lazy""# } else { "" },
        escape(text),
    )
}

/// Returns what people call the reason of a mark.
const fn sensitive_name(reason: SensitiveReason) -> &'static str {
    match reason {
        SensitiveReason::Nudity => "nudity",
        SensitiveReason::Violence => "violence",
        SensitiveReason::Medical => "an injury or an illness",
        SensitiveReason::Spoiler => "a spoiler",
        SensitiveReason::Other => "another reason",
    }
}

/// Returns what people call a reason.
const fn name_of(reason: ReportReason) -> &'static str {
    match reason {
        ReportReason::Spam => "Advertising or spam",
        ReportReason::Nudity => "Nudity",
        ReportReason::Violence => "Violence or threats",
        ReportReason::Harassment => "Harassment",
        ReportReason::Hate => "Hate",
        ReportReason::SelfHarm => "Self-harm",
        ReportReason::Illegal => "Something illegal",
        ReportReason::Other => "Another reason",
    }
}

fn count(number: u64, name: &str) -> String {
    format!("{number} {name}{}", if number == 1 { "" } else { "s" })
}

/// Returns a text in which no character begins or ends an element or an attribute.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ => escaped.push(character),
        }
    }
    escaped
}

//! Test support: users with screens, and API Gateway with their connections.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use serde_json::Value;
use shared::dynamodb::{Item, entity};
use shared::entities::{Key, Screen, Screens, Watcher};
use shared::values::{PhotoReference, ScreenId, Timestamp, Username};
use testing::{FEED, Fixture};
use tokio::net::TcpListener;

/// The connections of API Gateway.
#[derive(Clone, Default)]
pub(crate) struct Gateway(Arc<Mutex<Connections>>);

#[derive(Default)]
struct Connections {
    got: Vec<(String, Value)>,
    closed: Vec<String>,
    gone: BTreeSet<String>,
    refuses: bool,
}

impl Gateway {
    /// Returns the fixture of a function, and API Gateway.
    pub(crate) async fn beside(function: &'static str) -> (Fixture, Self) {
        let fixture = Fixture::new(function).await;
        let gateway = Self::start(&fixture).await;
        (fixture, gateway)
    }

    /// Starts API Gateway, to which the function of a fixture sends from now on.
    pub(crate) async fn start(fixture: &Fixture) -> Self {
        let gateway = Self::default();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/live", listener.local_addr().unwrap());
        let router =
            Router::new().route("/live/@connections/{id}", post(send).delete(close)).with_state(gateway.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        fixture.connect("APIGATEWAYMANAGEMENTAPI", &address);
        gateway
    }

    /// Returns the messages since the last call, in the order of their connections.
    pub(crate) fn got(&self) -> Vec<(String, Value)> {
        let mut got = std::mem::take(&mut self.0.lock().unwrap().got);
        got.sort_by(|(id, _), (other, _)| id.cmp(other));
        got
    }

    /// Returns the connections that have got a message since the last call.
    pub(crate) fn told(&self) -> Vec<String> {
        self.got().into_iter().map(|(id, _)| id).collect()
    }

    /// Returns the connections that were closed since the last call.
    pub(crate) fn closed(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap().closed)
    }

    /// Ends a connection.
    pub(crate) fn lose(&self, id: &str) {
        self.0.lock().unwrap().gone.insert(id.to_owned());
    }

    /// Makes API Gateway refuse all requests, or take them again.
    pub(crate) fn refuse(&self, refuses: bool) {
        self.0.lock().unwrap().refuses = refuses;
    }

    fn refusal(&self, id: &str) -> Option<Response> {
        let connections = self.0.lock().unwrap();
        if connections.refuses {
            return Some(
                (StatusCode::TOO_MANY_REQUESTS, [("x-amzn-errortype", "LimitExceededException")]).into_response(),
            );
        }
        let is_gone = connections.gone.contains(id);
        is_gone.then(|| (StatusCode::GONE, [("x-amzn-errortype", "GoneException")]).into_response())
    }
}

async fn send(State(gateway): State<Gateway>, Path(id): Path<String>, body: Bytes) -> Response {
    if let Some(refusal) = gateway.refusal(&id) {
        return refusal;
    }
    gateway.0.lock().unwrap().got.push((id, serde_json::from_slice(&body).unwrap()));
    StatusCode::OK.into_response()
}

async fn close(State(gateway): State<Gateway>, Path(id): Path<String>) -> Response {
    gateway.0.lock().unwrap().closed.push(id.clone());
    gateway.refusal(&id).unwrap_or_else(|| StatusCode::NO_CONTENT.into_response())
}

/// Returns a photo by its owner and its id.
pub(crate) fn reference(owner: &str, id: &str) -> PhotoReference {
    PhotoReference { username: owner.parse().unwrap(), id: id.parse().unwrap() }
}

/// Returns the item of the screens of a user, each with its id, its connection and the photo that it shows.
/// They were used ten minutes ago.
pub(crate) fn screens_item(user: &str, revision: u64, screens: &[(&str, &str, Option<PhotoReference>)]) -> Item {
    let lately = Timestamp::from(SystemTime::now() - Duration::from_mins(10));
    let screens = screens.iter().map(|(id, connection, photo)| {
        let connection = Some((*connection).to_owned());
        (id.parse().unwrap(), Screen { ticket: None, connection, photo: photo.clone(), used: lately.clone() })
    });
    let stored = Screens { screens: screens.collect(), revision, ttl: u32::MAX.into(), told: None };
    entity::to_item(Key::screens(&user.parse().unwrap()), &stored).unwrap()
}

/// Puts the screens of a user, and the watchers that they are.
pub(crate) async fn put_screens(fixture: &Fixture, user: &str, screens: &[(&str, &str, Option<PhotoReference>)]) {
    let username: Username = user.parse().unwrap();
    for (id, _, photo) in screens {
        let screen: ScreenId = id.parse().unwrap();
        if let Some(photo) = photo {
            let key = Key::watcher(photo, &username, &screen);
            let watcher = Watcher { username: username.clone(), screen, ttl: u32::MAX.into() };
            fixture.put_in(FEED, entity::to_item(key, &watcher).unwrap()).await;
        }
    }
    fixture.put_in(FEED, screens_item(user, 1, screens)).await;
}

/// Returns the screens of a user.
pub(crate) async fn screens(fixture: &Fixture, user: &str) -> BTreeMap<String, Screen> {
    let stored = crate::screens::get(&fixture.unrecorded_table(FEED), &user.parse().unwrap()).await.unwrap();
    stored.screens.into_iter().map(|(id, screen)| (id.to_string(), screen)).collect()
}

/// Returns the sort keys of the watchers of all photos, each with the photo.
pub(crate) async fn watchers(fixture: &Fixture) -> Vec<String> {
    let keys = fixture.all_items_of(FEED).await.into_keys();
    keys.filter(|key| key.starts_with("Watch#") && key.contains(" SCREEN#")).collect()
}

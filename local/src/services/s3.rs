//! S3: the buckets of template.yaml, with the crates s3s, which speaks the protocol and checks
//! signatures, and s3s-fs, which keeps objects in files. Any SDK and the AWS CLI can use them with
//! the access key `local` and the secret `local`.

mod access;
mod answer;
mod cors;
pub mod edge;
mod event;
mod form;
mod object;
mod store;

use std::{
    collections::BTreeMap,
    fs, iter,
    path::Path,
    sync::{Arc, OnceLock},
    time::{Duration, Instant, SystemTime},
};

use anyhow::{Context as _, Result, anyhow};
use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    response::Response,
};
use s3s::service::{S3Service, S3ServiceBuilder};
use serde_json::json;
use tempfile::TempDir;
use tokio::{sync::oneshot, task::JoinHandle, time::timeout};

use self::{
    access::{Access, Auth, Host},
    answer::{error, internal_error, to_s3s},
    store::Store,
};
use crate::activity::{Activity, epoch_ms, milliseconds};
use crate::host_header;
use crate::listener::Listener;
use crate::origins;
use crate::template::Bucket;
use crate::trace::{TRACE_HEADER, Trace};

pub use self::{access::KEY, event::Created, object::Object};

/// The time that a shutdown waits for running requests.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// The running service.
pub struct S3 {
    endpoint: String,
    store: Store,
    activity: Arc<OnceLock<Arc<Activity>>>,
    stop: oneshot::Sender<()>,
    server: JoinHandle<std::io::Result<()>>,
    /// The directory of the objects, if they are not kept.
    _temporary: Option<TempDir>,
}

/// The state of the server.
struct App {
    buckets: Vec<Bucket>,
    port: u16,
    /// Whether any host is accepted, because the stack listens to other machines.
    any_host: bool,
    service: S3Service,
    /// The service for presigned POSTs.
    forms: S3Service,
    /// The service for pictures whose URL has been checked already.
    pictures: S3Service,
    /// The place to publish the requests of functions, if there is one.
    activity: Arc<OnceLock<Arc<Activity>>>,
}

impl S3 {
    /// Serves these buckets on `listener`. Their objects are in the directory `data_dir/s3`, or in
    /// a temporary directory. Calls `created` with each object that a request has created, before
    /// the answer.
    pub fn start(
        listener: impl Into<Listener>,
        buckets: &[Bucket],
        data_dir: Option<&Path>,
        created: impl Fn(&Created) + Send + Sync + 'static,
    ) -> Result<Self> {
        let listener = listener.into();
        let endpoint = listener.url()?;
        let (root, temporary) = if let Some(directory) = data_dir {
            (directory.join("s3"), None)
        } else {
            let directory = tempfile::tempdir()?;
            (directory.path().to_owned(), Some(directory))
        };
        for directory in iter::once(root.clone()).chain(buckets.iter().map(|bucket| root.join(&bucket.name))) {
            fs::create_dir_all(&directory).with_context(|| format!("cannot create {}", directory.display()))?;
        }
        let store = Store::open(&root, Arc::new(created))?;
        let address = listener.local_addr()?;
        let (port, any_host) = (address.port(), !address.ip().is_loopback());
        let names: Arc<[String]> = buckets.iter().map(|bucket| bucket.name.clone()).collect();
        let service = |allows_unsigned| {
            let mut builder = S3ServiceBuilder::new(store.clone());
            builder.set_auth(Auth);
            builder.set_access(Access { buckets: names.clone(), allows_unsigned });
            builder.set_host(Host { port });
            builder
        };
        let mut forms = service(false);
        forms.set_config(form::config());
        let (service, forms, pictures) = (service(false).build(), forms.build(), service(true).build());
        let activity = Arc::<OnceLock<_>>::default();
        let app =
            App { buckets: buckets.to_vec(), port, any_host, service, forms, pictures, activity: activity.clone() };
        let router = Router::new().fallback(serve).with_state(Arc::new(app));
        let (stop, stopped) = oneshot::channel::<()>();
        let server = axum::serve(listener, router).with_graceful_shutdown(async {
            let _ = stopped.await;
        });
        let server = tokio::spawn(server.into_future());
        Ok(Self { endpoint, store, activity, stop, server, _temporary: temporary })
    }

    /// Returns the endpoint URL for SDKs and the AWS CLI.
    #[must_use]
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// Publishes each later request of a function to the watchers of the stack.
    pub fn publish(&self, activity: Arc<Activity>) {
        // It is called once.
        let _ = self.activity.set(activity);
    }

    /// Puts objects with different keys into a bucket. S3 sends no event of this.
    pub async fn import(&self, bucket: &str, objects: Vec<(String, Object)>) -> Result<()> {
        self.store.import(bucket, objects).await
    }

    /// Returns the objects of a bucket by key.
    pub async fn objects(&self, bucket: &str) -> Result<BTreeMap<String, Object>> {
        let mut objects = BTreeMap::new();
        for created in self.store.list(bucket).await.map_err(|error| anyhow!("cannot list {bucket}: {error}"))? {
            // It may have been deleted since.
            if let Ok(object) = self.store.object(bucket, &created.key).await {
                objects.insert(created.key, object);
            }
        }
        Ok(objects)
    }

    /// Returns the creations of all objects in a bucket, as the events that S3 has sent of them.
    pub async fn creations(&self, bucket: &str) -> Result<Vec<Created>> {
        self.store.list(bucket).await.map_err(|error| anyhow!("cannot list {bucket}: {error}"))
    }

    /// Stops the service. Waits up to 2 seconds for running requests.
    pub async fn shutdown(self) {
        drop(self.stop);
        let _ = timeout(SHUTDOWN_TIMEOUT, self.server).await;
    }
}

/// Answers a request, and publishes it if a function has sent it: then it has a trace.
async fn serve(State(app): State<Arc<App>>, request: Request) -> Response {
    let trace = request.headers().get(TRACE_HEADER).and_then(|value| Trace::from_header(value.to_str().ok()?));
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let (time, begin) = (SystemTime::now(), Instant::now());
    let response = answer(&app, request).await;
    if let Some((activity, trace)) = app.activity.get().zip(trace) {
        activity.publish(|| {
            json!({
                "type": "s3",
                "trace": trace.to_string(),
                "time": epoch_ms(time),
                "ms": milliseconds(begin.elapsed()),
                "method": method.as_str(),
                "path": path,
                "status": response.status().as_u16(),
            })
        });
    }
    response
}

/// Answers a request. Everybody knows the access key, so a page in the developer's browser could
/// sign requests. It is kept away as from the other endpoints of the stack.
async fn answer(app: &App, request: Request) -> Response {
    if let Err(reason) = host_header::check(request.headers(), app.any_host || app.is_host_of_bucket(&request)) {
        return error(403, "AccessDenied", reason);
    }
    let rules = app.bucket(&request).map_or(&[][..], |bucket| &bucket.cors);
    if let Some(preflight) = cors::Preflight::from_request(&request) {
        return preflight.answer(rules);
    }
    if let Some(origin) = cors::refused(rules, &request) {
        return error(403, "AccessDenied", &origins::advice(origin, None));
    }
    let cors = cors::headers(rules, &request);
    let mut response = if form::is_form(&request) {
        form::answer(&app.forms, request).await
    } else if let Some(bucket) = app.buckets.first().filter(|_| edge::is_picture(&request)) {
        edge::answer(&app.pictures, &bucket.name, request).await
    } else {
        let answer = app.service.call(request.map(to_s3s)).await;
        answer.map_or_else(|_| internal_error(), |response| response.map(Body::new))
    };
    response.headers_mut().extend(cors);
    response
}

impl App {
    /// Returns the bucket that a request names in its host or in its path, or that of the pictures.
    fn bucket(&self, request: &Request) -> Option<&Bucket> {
        if edge::is_picture(request) {
            return self.buckets.first();
        }
        let name = self.bucket_of_host(request);
        let name = name.or_else(|| request.uri().path().split('/').nth(1))?;
        self.buckets.iter().find(|bucket| bucket.name == name)
    }

    fn bucket_of_host<'a>(&self, request: &'a Request) -> Option<&'a str> {
        let host = request.headers().get("host").and_then(|host| host.to_str().ok()).unwrap_or_default();
        access::bucket_of_host(host, self.port)
    }

    /// Returns whether the host of a request is `<bucket>.localhost:<port>`, which SDKs make of the
    /// endpoint `localhost`.
    fn is_host_of_bucket(&self, request: &Request) -> bool {
        self.bucket_of_host(request).is_some_and(|name| self.buckets.iter().any(|bucket| bucket.name == name))
    }
}

#[cfg(test)]
mod tests;

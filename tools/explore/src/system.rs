//! The parts that do not change between schedules: the template, the routes, and the engines.

use anyhow::{Context as _, Result};
use http::{Request, header};
use local::gateway::router::Router;
use local::template::{Function, Template};
use serde_json::Value;
use time::OffsetDateTime;

use crate::s3::Objects;
use crate::schedule::ApiRequest;
use crate::screen::CONNECT_SCREEN;
use crate::store::Store;
use crate::world::World;

/// The system that the schedules of one world run on.
pub(crate) struct System {
    pub(crate) template: Template,
    pub(crate) router: Router,
    pub(crate) store: Store,
    pub(crate) objects: Objects,
    pub(crate) world: World,
}

impl System {
    /// Creates the tables of template.yaml with the items of a world.
    pub(crate) fn new(world: World) -> Result<Self> {
        let mut template = Template::read_with(&Template::find()?, world.parameters())?;
        // Where nobody has a device, send-push would only read. So would the alerts where nobody has any, and
        // process-changes where nobody has a screen.
        let needless: &[&str] = match world {
            World::Told => &["LIVE_QUEUE_URL"],
            World::Pushed => &["ALERTS_QUEUE_URL", "LIVE_QUEUE_URL"],
            World::Live => &["ALERTS_QUEUE_URL", "PUSH_QUEUE_URL"],
            _ => &["ALERTS_QUEUE_URL", "LIVE_QUEUE_URL", "PUSH_QUEUE_URL"],
        };
        for function in &mut template.functions {
            function.environment.retain(|name, _| !needless.contains(&name.as_str()));
        }
        let (router, store) = (Router::new(&template)?, Store::new(&template, world)?);
        Ok(Self { router, store, objects: Objects::default(), template, world })
    }

    /// Returns the tables and the bucket to the state at the beginning.
    pub(crate) fn reset(&mut self) -> Result<()> {
        self.objects.reset();
        self.store.reset()
    }

    /// Returns the function that serves a request.
    pub(crate) fn function_of(&self, request: &ApiRequest) -> Result<&Function> {
        if request.method == "CONNECT" {
            return self.function(CONNECT_SCREEN);
        }
        let path = request.path.split('?').next().unwrap_or_default();
        let route = self.router.resolve(&request.method, path).ok();
        self.function(route.with_context(|| format!("no route serves {request}"))?.function)
    }

    /// Returns the function with this name.
    pub(crate) fn function(&self, name: &str) -> Result<&Function> {
        let mut functions = self.template.functions.iter();
        functions.find(|function| function.name == name).with_context(|| format!("there is no function {name}"))
    }

    /// Returns the event that API Gateway builds from a request that it gets at `time`.
    pub(crate) fn event(&self, request: &ApiRequest, time: OffsetDateTime) -> Result<Value> {
        let mut builder = Request::builder()
            .method(request.method.as_str())
            .uri(&request.path)
            .header(header::HOST, "localhost:3000");
        if !request.body.is_empty() {
            builder = builder.header(header::CONTENT_TYPE, "application/json");
        }
        // Everybody may decide about reports and write to the catalogues.
        let is_of_moderators = ["/reports", "/tags"].iter().any(|begin| request.path.starts_with(begin));
        let group = if is_of_moderators { "[moderators]" } else { "[editors]" };
        let claims = [("username", request.caller.as_str()), ("cognito:groups", group)];
        let claims = claims.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let (_, event) = testing::event(&self.router, builder.body(request.body.clone().into())?, &claims, time)?;
        Ok(event)
    }
}

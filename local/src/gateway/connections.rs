//! Accepts connections and serves their requests, with a timeout for the head of a request and one for its body. A
//! client that sends slowly, or nothing, does not hold its connection for longer.

use std::{error::Error, fmt, io, iter, net::SocketAddr, time::Duration};

use axum::{Router, body::Body, extract::ConnectInfo};
use futures_util::{StreamExt, stream};
use hyper::{Request, body::Incoming, server::conn::http1, service::Service, service::service_fn};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
    service::TowerToHyperService,
};
use tokio::{
    net::TcpListener,
    time::{Instant, sleep, timeout_at},
};

/// The maximum durations of the parts of a request.
#[derive(Clone, Copy)]
pub(super) struct Timeouts {
    /// The time in which a whole head arrives, from the opening of the connection or the end of the last request on it.
    /// So it also ends an idle connection.
    pub(super) head: Duration,
    /// The time in which a whole body arrives.
    pub(super) body: Duration,
}

/// The pause after a failed `accept`, which fails again and again while no file descriptor is left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(10);

/// The error of a body that takes too long.
#[derive(Debug)]
struct TimedOut;

impl fmt::Display for TimedOut {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("the body took too long")
    }
}

impl Error for TimedOut {}

/// Serves `app` until `stop` resolves, and then the requests that have begun.
pub(super) async fn serve(
    listener: TcpListener,
    app: Router,
    timeouts: Timeouts,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(timeouts.head);
    let graceful = GracefulShutdown::new();
    tokio::pin!(stop);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stop => break,
        };
        let Ok((stream, client)) = accepted else {
            sleep(ACCEPT_PAUSE).await;
            continue;
        };
        let service = TowerToHyperService::new(app.clone());
        let service = service_fn(move |request: Request<Incoming>| {
            let mut request = request.map(|body| with_timeout(Body::new(body), timeouts.body));
            request.extensions_mut().insert(ConnectInfo::<SocketAddr>(client));
            service.call(request)
        });
        let connection = graceful.watch(server.serve_connection(TokioIo::new(stream), service));
        // A connection that fails is the client's affair.
        tokio::spawn(async move { drop(connection.await) });
    }
    drop(listener);
    graceful.shutdown().await;
    Ok(())
}

/// Returns a body that ends with an error if it is not complete after `limit`.
fn with_timeout(body: Body, limit: Duration) -> Body {
    let deadline = Instant::now() + limit;
    Body::from_stream(stream::unfold(Some(body.into_data_stream()), move |chunks| async move {
        let mut chunks = chunks?;
        match timeout_at(deadline, chunks.next()).await {
            Ok(chunk) => Some((chunk?, Some(chunks))),
            Err(_) => Some((Err(axum::Error::new(TimedOut)), None)),
        }
    }))
}

/// Returns whether reading a body failed because it took too long.
pub(super) fn is_timeout(error: &axum::Error) -> bool {
    let error: &(dyn Error + 'static) = error;
    iter::successors(Some(error), |error| (*error).source()).any(<dyn Error>::is::<TimedOut>)
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use axum::{body::Bytes, extract::Request, routing::post};
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpStream,
        sync::oneshot,
        time::timeout,
    };

    use super::*;
    use crate::net;

    const SHORT: Duration = Duration::from_millis(200);
    const LONG: Duration = Duration::from_mins(1);

    /// Serves a handler that reads the body, with these timeouts.
    fn start(head: Duration, body: Duration) -> (SocketAddr, oneshot::Sender<()>) {
        async fn length(request: Request) -> String {
            let mut chunks = request.into_body().into_data_stream();
            let mut length = 0;
            while let Some(chunk) = chunks.next().await {
                match chunk {
                    Ok(chunk) => length += Bytes::len(&chunk),
                    Err(error) => return format!("timeout: {}", is_timeout(&error)),
                }
            }
            length.to_string()
        }
        let listener = net::bind(Ipv4Addr::LOCALHOST.into(), 0).unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let app = Router::new().route("/", post(length));
        tokio::spawn(serve(listener, app, Timeouts { head, body }, async { drop(stopped.await) }));
        (address, stop)
    }

    /// Returns all that the server sends until it closes the connection, after the client has sent `text`.
    async fn send(address: SocketAddr, text: &str) -> String {
        let mut client = TcpStream::connect(address).await.unwrap();
        client.write_all(text.as_bytes()).await.unwrap();
        let mut answer = String::new();
        timeout(LONG / 2, client.read_to_string(&mut answer)).await.expect("the connection is closed").unwrap();
        answer
    }

    #[tokio::test]
    async fn closes_the_connections_of_slow_heads() {
        let (address, _stop) = start(SHORT, LONG);
        let heads = (0..200).map(|_| send(address, "POST / HTTP/1.1\r\nhost: a\r\nx-slow: "));
        for answer in futures_util::future::join_all(heads).await {
            assert_eq!(answer, "");
        }
        assert_eq!(send(address, "").await, "");
    }

    #[tokio::test]
    async fn gives_up_slow_bodies() {
        let (address, _stop) = start(LONG, SHORT);
        let bodies = (0..200).map(|_| send(address, "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\n12"));
        for answer in futures_util::future::join_all(bodies).await {
            assert!(answer.ends_with("timeout: true"), "{answer}");
        }
    }

    #[tokio::test]
    async fn serves_a_body_in_time_and_stops() {
        let (address, stop) = start(LONG, LONG);
        let request = "POST / HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: 2\r\n\r\n12";
        assert!(send(address, request).await.ends_with("\r\n\r\n2"));
        let idle = tokio::spawn(async move { send(address, "").await });
        sleep(SHORT).await;
        drop(stop);
        assert_eq!(idle.await.unwrap(), "");
        assert!(TcpStream::connect(address).await.is_err());
    }
}

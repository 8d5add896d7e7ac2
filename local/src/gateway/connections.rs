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
        task::JoinHandle,
        time::timeout,
    };

    use super::*;
    use crate::net;

    const SHORT: Duration = Duration::from_millis(200);
    const LONG: Duration = Duration::from_mins(1);

    struct Server {
        address: SocketAddr,
        stop: oneshot::Sender<()>,
        task: JoinHandle<io::Result<()>>,
    }

    /// Serves a handler that answers with the length of the body, with these timeouts.
    fn start(head: Duration, body: Duration) -> Server {
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
        let task = tokio::spawn(serve(listener, app, Timeouts { head, body }, async { drop(stopped.await) }));
        Server { address, stop, task }
    }

    /// Opens a connection and sends `text`, unless the server closes the connection before.
    async fn send(server: &Server, text: &str) -> TcpStream {
        let mut client = TcpStream::connect(server.address).await.unwrap();
        let _ = client.write_all(text.as_bytes()).await;
        client
    }

    /// Reads until the server has sent `end`.
    async fn read_until(client: &mut TcpStream, end: &str) {
        let mut answer = Vec::new();
        while !answer.ends_with(end.as_bytes()) {
            answer.push(timeout(LONG / 2, client.read_u8()).await.expect("an answer").unwrap());
        }
    }

    /// Returns all that the server sends until it closes the connection, which it may also reset.
    async fn read_to_end(mut client: TcpStream) -> String {
        let mut answer = Vec::new();
        let _ = timeout(LONG / 2, client.read_to_end(&mut answer)).await.expect("the connection is closed");
        String::from_utf8(answer).unwrap()
    }

    #[tokio::test]
    async fn closes_the_connections_of_slow_heads() {
        let server = start(SHORT, LONG);
        let slow = async || read_to_end(send(&server, "POST / HTTP/1.1\r\nhost: a\r\nx-slow: ").await).await;
        for answer in futures_util::future::join_all((0..20).map(|_| slow())).await {
            assert_eq!(answer, "");
        }
        assert_eq!(read_to_end(send(&server, "").await).await, "");
    }

    #[tokio::test]
    async fn gives_up_slow_bodies() {
        let server = start(LONG, SHORT);
        let request = "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\n12";
        let slow = async || read_to_end(send(&server, request).await).await;
        for answer in futures_util::future::join_all((0..20).map(|_| slow())).await {
            assert!(answer.ends_with("timeout: true"), "{answer}");
        }
    }

    #[tokio::test]
    async fn a_stop_closes_idle_connections_and_serves_the_requests_that_have_begun() {
        let server = start(LONG, LONG);
        let mut idle = send(&server, "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\n\r\n1").await;
        read_until(&mut idle, "\r\n\r\n1").await;
        let head = "POST / HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n";
        let mut begun = send(&server, head).await;
        read_until(&mut begun, "100 Continue\r\n\r\n").await;
        drop(server.stop);
        assert_eq!(read_to_end(idle).await, "");
        assert!(!server.task.is_finished());
        begun.write_all(b"12").await.unwrap();
        assert!(read_to_end(begun).await.ends_with("\r\n\r\n2"));
        timeout(LONG / 2, server.task).await.expect("the server ends").unwrap().unwrap();
    }
}

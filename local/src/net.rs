//! Listeners, their URLs, and the log on stderr.

use std::{
    io::{self, Write},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
};

use tokio::net::{TcpListener, TcpSocket};

/// Listens on `host:port`, where port 0 means any free port. Accepted connections inherit `TCP_NODELAY`. Without it, an
/// answer can wait 40 ms for a delayed acknowledgement of the client.
pub fn bind(host: IpAddr, port: u16) -> io::Result<TcpListener> {
    let socket = match host {
        IpAddr::V4(_) => TcpSocket::new_v4()?,
        IpAddr::V6(_) => TcpSocket::new_v6()?,
    };
    socket.set_reuseaddr(true)?;
    socket.set_nodelay(true)?;
    socket.bind(SocketAddr::new(host, port))?;
    socket.listen(1024)
}

/// Returns the URL of a listener for clients on this machine.
pub fn url(listener: &TcpListener) -> io::Result<String> {
    let mut address = listener.local_addr()?;
    if address.ip().is_unspecified() {
        address.set_ip(match address.ip() {
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    Ok(format!("http://{address}"))
}

/// Writes one line to stderr. The lines of concurrent calls do not mix. Unlike `eprintln!`, it does not panic if stderr
/// is closed.
pub fn log(source: &str, line: &str) {
    let _ = io::stderr().write_all(format!("[{source}] {line}\n").as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_url_of_an_unspecified_address_is_localhost() {
        let listener = bind(Ipv4Addr::UNSPECIFIED.into(), 0).unwrap();
        let port = listener.local_addr().unwrap().port();
        assert_eq!(url(&listener).unwrap(), format!("http://127.0.0.1:{port}"));
    }

    #[tokio::test]
    async fn accepted_connections_have_nodelay() {
        let listener = bind(Ipv4Addr::LOCALHOST.into(), 0).unwrap();
        let address = listener.local_addr().unwrap();
        let (accepted, _client) = tokio::join!(listener.accept(), tokio::net::TcpStream::connect(address));
        assert!(accepted.unwrap().0.nodelay().unwrap());
    }

    #[tokio::test]
    async fn a_port_in_use_is_an_error() {
        let first = bind(Ipv4Addr::LOCALHOST.into(), 0).unwrap();
        let port = first.local_addr().unwrap().port();
        let error = bind(Ipv4Addr::LOCALHOST.into(), port).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AddrInUse);
    }
}

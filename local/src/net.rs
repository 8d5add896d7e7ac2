//! Listening sockets.

use std::{
    io::{self, Write},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
};

use tokio::net::{TcpListener, TcpSocket};

/// Listens on `host:port`; 0 is any free port. The connections that it accepts inherit `TCP_NODELAY`: an answer that
/// waits for an acknowledgement which the other side delays costs 40 ms.
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

/// The URL under which this machine reaches a listener.
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

/// One line on stderr, whole even when several write at once. Unlike `eprintln!` it doesn't panic when nobody reads.
pub fn log(source: &str, line: &str) {
    let _ = io::stderr().write_all(format!("[{source}] {line}\n").as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_url_is_one_that_can_be_reached() {
        let everywhere = bind(Ipv4Addr::UNSPECIFIED.into(), 0).unwrap();
        let port = everywhere.local_addr().unwrap().port();
        assert_eq!(url(&everywhere).unwrap(), format!("http://127.0.0.1:{port}"));
    }

    #[tokio::test]
    async fn accepted_connections_do_not_delay() {
        let listener = bind(Ipv4Addr::LOCALHOST.into(), 0).unwrap();
        let address = listener.local_addr().unwrap();
        let (accepted, _client) = tokio::join!(listener.accept(), tokio::net::TcpStream::connect(address));
        assert!(accepted.unwrap().0.nodelay().unwrap());
    }

    #[tokio::test]
    async fn a_port_is_not_shared() {
        let first = bind(Ipv4Addr::LOCALHOST.into(), 0).unwrap();
        let port = first.local_addr().unwrap().port();
        let error = bind(Ipv4Addr::LOCALHOST.into(), port).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AddrInUse);
    }
}

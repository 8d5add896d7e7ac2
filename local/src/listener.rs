//! Listeners and their URLs.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
};

use tokio::net::{TcpListener, TcpSocket};

/// Listens on `host:port`, where port 0 means any free port. Accepted connections inherit
/// `TCP_NODELAY`. Without it, an answer can wait 40 ms for a delayed acknowledgement of the client.
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
}

//! Listeners and their URLs.

use std::{
    io::{self, ErrorKind},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
};

use axum::serve;
use tokio::net::{TcpListener, TcpSocket, TcpStream};

/// The attempts to find a port that is free on both loopback addresses.
const ATTEMPTS: u32 = 16;

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

/// A listener on one address, or on two addresses with the same port.
pub struct Listener {
    first: TcpListener,
    second: Option<TcpListener>,
}

impl Listener {
    /// Listens on `host:port` like [`bind`]. With 127.0.0.1 and 0.0.0.0 it also listens on `::1`,
    /// where there is IPv6, because `localhost` can be either, and a browser tries `::1` first.
    pub fn bind(host: IpAddr, port: u16) -> io::Result<Self> {
        let mut attempt = 1;
        loop {
            let first = bind(host, port)?;
            if host != Ipv4Addr::LOCALHOST && host != Ipv4Addr::UNSPECIFIED {
                return Ok(first.into());
            }
            match bind(Ipv6Addr::LOCALHOST.into(), first.local_addr()?.port()) {
                Ok(second) => return Ok(Self { first, second: Some(second) }),
                Err(error) if error.kind() != ErrorKind::AddrInUse => return Ok(first.into()),
                Err(_) if port == 0 && attempt < ATTEMPTS => attempt += 1,
                // `localhost` would lead some clients to the other program.
                Err(error) => return Err(error),
            }
        }
    }

    /// Returns the first address.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.first.local_addr()
    }

    /// Returns the URL of the first address for clients on this machine.
    pub fn url(&self) -> io::Result<String> {
        url(&self.first)
    }
}

impl From<TcpListener> for Listener {
    fn from(first: TcpListener) -> Self {
        Self { first, second: None }
    }
}

impl serve::Listener for Listener {
    type Io = TcpStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (TcpStream, SocketAddr) {
        let first = serve::Listener::accept(&mut self.first);
        match &mut self.second {
            None => first.await,
            Some(second) => tokio::select! {
                accepted = first => accepted,
                accepted = serve::Listener::accept(second) => accepted,
            },
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.first.local_addr()
    }
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
        let (accepted, _client) = tokio::join!(listener.accept(), TcpStream::connect(address));
        assert!(accepted.unwrap().0.nodelay().unwrap());
    }

    #[tokio::test]
    async fn a_port_that_is_taken_on_one_of_the_loopback_addresses_is_in_use() {
        let Ok(taken) = bind(Ipv6Addr::LOCALHOST.into(), 0) else { return };
        let port = taken.local_addr().unwrap().port();
        let error = Listener::bind(Ipv4Addr::LOCALHOST.into(), port).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::AddrInUse);
    }
}

//! Listeners and their URLs.

use std::{
    io::{self, ErrorKind},
    iter,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket},
};

use axum::serve;
use futures_util::future::select_all;
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

/// Returns the IPv4 address of this machine in its network, as other machines there call it: the
/// one from which it would call any other network.
pub fn lan_address() -> io::Result<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
    // It sends nothing, and nobody has an address of this network for examples (RFC 5737).
    socket.connect(("203.0.113.1", 9))?;
    Ok(socket.local_addr()?.ip())
}

/// A listener on one address, or on several addresses with the same port.
pub struct Listener {
    first: TcpListener,
    others: Vec<TcpListener>,
}

impl Listener {
    /// Listens on `host:port` like [`bind`]. With 127.0.0.1 and 0.0.0.0 it also listens on `::1`,
    /// where there is IPv6, because `localhost` can be either, and a browser tries `::1` first. With
    /// the address of a network it also listens on both.
    pub fn bind(host: IpAddr, port: u16) -> io::Result<Self> {
        let mut attempt = 1;
        loop {
            let first = bind(host, port)?;
            let port_of_first = first.local_addr()?.port();
            let others = loopback_beside(host).iter().map(|other| bind(*other, port_of_first));
            // A machine may have no IPv6.
            let others = others.filter(|other| !matches!(other, Err(error) if error.kind() != ErrorKind::AddrInUse));
            match others.collect() {
                Ok(others) => return Ok(Self { first, others }),
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

/// Returns the addresses to which `localhost` may lead, without this host, if clients call it so.
fn loopback_beside(host: IpAddr) -> &'static [IpAddr] {
    const LOOPBACK: [IpAddr; 2] = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
    match host {
        IpAddr::V4(Ipv4Addr::LOCALHOST | Ipv4Addr::UNSPECIFIED) => &LOOPBACK[1..],
        IpAddr::V4(host) if !host.is_loopback() => &LOOPBACK,
        _ => &[],
    }
}

impl From<TcpListener> for Listener {
    fn from(first: TcpListener) -> Self {
        Self { first, others: vec![] }
    }
}

impl serve::Listener for Listener {
    type Io = TcpStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (TcpStream, SocketAddr) {
        let listeners = iter::once(&mut self.first).chain(&mut self.others);
        select_all(listeners.map(|listener| Box::pin(serve::Listener::accept(listener)))).await.0
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
    async fn the_address_in_a_network_and_localhost_lead_to_one_listener() {
        let Ok(host) = lan_address() else { return };
        let mut listener = Listener::bind(host, 0).unwrap();
        let port = listener.local_addr().unwrap().port();
        assert_eq!(listener.url().unwrap(), format!("http://{host}:{port}"));
        for host in [host, Ipv4Addr::LOCALHOST.into()] {
            let (accepted, client) =
                tokio::join!(serve::Listener::accept(&mut listener), TcpStream::connect((host, port)));
            assert_eq!(accepted.1, client.unwrap().local_addr().unwrap());
        }
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

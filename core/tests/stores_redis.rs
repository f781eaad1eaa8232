//! The Redis driver against a real server, and against a network that fails at every step.
#![cfg(feature = "redis")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test that fails says so"
)]

#[path = "stores/suite.rs"]
mod suite;

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use mcp_elicit::store::{RedisStore, Store, StoreError, StoreReply};
use suite::{get, put, set, sleep};

/// A server on a free loopback port, without a disk, gone when dropped.
struct Server {
    child: Child,
    port: u16,
}

impl Server {
    fn start(port: u16) -> Option<Self> {
        let child = Command::new("redis-server")
            .args(["--port", &port.to_string(), "--bind", "127.0.0.1"])
            .args(["--save", "", "--appendonly", "no", "--dir", "/tmp"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let Ok(child) = child else {
            assert!(std::env::var_os("CI").is_none(), "CI must have redis-server");
            eprintln!("SKIPPED: this test needs redis-server on the path");
            return None;
        };
        let server = Self { child, port };
        let give_up = Instant::now() + Duration::from_secs(20);
        while RedisStore::open(&server.url()).unwrap().execute(&get("x")).is_err() {
            assert!(Instant::now() < give_up, "redis-server did not come up");
            sleep(20);
        }
        Some(server)
    }

    fn anywhere() -> Option<Self> {
        Self::start(free_port())
    }

    fn url(&self) -> String {
        url(self.port)
    }

    fn kill(&mut self) {
        // SIGKILL, to the process that this test started.
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn free_port() -> u16 {
    TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}

fn url(port: u16) -> String {
    format!("redis://127.0.0.1:{port}/0")
}

#[test]
fn redis() {
    let Some(server) = Server::anywhere() else { return };
    suite::suite(&RedisStore::open(&server.url()).unwrap(), &sleep);
}

#[test]
fn a_server_that_is_killed_is_unavailable_and_found_again() {
    let Some(mut server) = Server::anywhere() else { return };
    let store = RedisStore::open(&server.url()).unwrap();
    assert_eq!(store.execute(&put("a", b"x", 60_000)), Ok(StoreReply::Done));
    server.kill();
    let error = store.execute(&put("b", b"x", 60_000)).unwrap_err();
    assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
    assert!(!format!("{error}").contains(&server.port.to_string()), "no address in {error}");
    let _again = Server::start(server.port).unwrap();
    assert_eq!(store.execute(&put("b", b"x", 60_000)), Ok(StoreReply::Done));
}

#[test]
fn a_full_server_is_full() {
    let Some(server) = Server::anywhere() else { return };
    let store = RedisStore::open(&server.url()).unwrap();
    let mut raw = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    raw.write_all(b"CONFIG SET maxmemory 1\r\n").unwrap();
    assert_eq!(raw.read(&mut [0; 5]).unwrap(), 5, "+OK");
    assert_eq!(store.execute(&put("a", &[0; 100_000], 60_000)), Err(StoreError::Full));
    assert_eq!(store.execute(&get("a")), Ok(StoreReply::Absent));
}

#[test]
fn an_address_that_is_none_is_refused_and_not_repeated() {
    for address in ["", "http://secret@example.com", "redis://:secret@", "secret"] {
        let error = RedisStore::open(address)
            .map(|_| ())
            .and_then(|()| RedisStore::open(address).unwrap().execute(&get("a")).map(|_| ()));
        assert!(!format!("{}", error.unwrap_err()).contains("secret"), "{address}");
    }
    assert!(
        !format!("{:?}", RedisStore::open("redis://:secret@127.0.0.1/").unwrap())
            .contains("secret")
    );
}

/// What a proxy does to its nth connection.
#[derive(Clone, Copy, Debug)]
enum Cut {
    /// Closes it at once.
    Connecting,
    /// Takes the request, never passes it on, closes.
    Request,
    /// Passes the request on, swallows the answer, closes.
    Answer,
    /// Passes everything on.
    Nothing,
    /// Takes the request and is silent.
    Silence,
}

/// A proxy in front of the server whose connections fail in turn; the last way stays.
fn proxy(server: u16, cuts: Vec<Cut>) -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let count = Arc::new(AtomicUsize::new(0));
    std::thread::spawn(move || {
        for client in listener.incoming().take(64) {
            let Ok(client) = client else { return };
            let cut = cuts[count.fetch_add(1, Ordering::Relaxed).min(cuts.len() - 1)];
            std::thread::spawn(move || drop(serve(client, server, cut)));
        }
    });
    port
}

fn serve(mut client: TcpStream, server: u16, cut: Cut) -> std::io::Result<()> {
    if let Cut::Connecting = cut {
        return Ok(());
    }
    let mut upstream = TcpStream::connect(("127.0.0.1", server))?;
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read = client.read(&mut buffer)?;
        // The client's greeting goes through: what fails is the operation.
        let is_operation = buffer[..read].windows(4).any(|w| w == b"EVAL" || w == b"\nGET");
        if read == 0 {
            return Ok(());
        }
        match cut {
            Cut::Request if is_operation => return client.shutdown(Shutdown::Both),
            Cut::Silence if is_operation => {
                sleep(5_000);
                return Ok(());
            }
            _ => {}
        }
        upstream.write_all(&buffer[..read])?;
        let read = upstream.read(&mut buffer)?;
        if is_operation && matches!(cut, Cut::Answer) {
            return client.shutdown(Shutdown::Both);
        }
        client.write_all(&buffer[..read])?;
    }
}

/// The connection is cut at each step: the operation is repeated once, and what got through before
/// is not taken for somebody else's.
#[test]
fn a_connection_cut_at_any_step_is_repeated_once() {
    let Some(server) = Server::anywhere() else { return };
    for (at, cut) in [Cut::Request, Cut::Answer].into_iter().enumerate() {
        let port = proxy(server.port, vec![cut, Cut::Nothing]);
        let store = RedisStore::open(&url(port)).unwrap();
        let key = format!("put-{at}");
        assert_eq!(store.execute(&put(&key, b"mine", 60_000)), Ok(StoreReply::Done), "{cut:?}");

        let port = proxy(server.port, vec![cut, Cut::Nothing]);
        let store = RedisStore::open(&url(port)).unwrap();
        let reply = store.execute(&set(&key, b"mine", b"done", 60_000));
        assert_eq!(reply, Ok(StoreReply::Done), "{cut:?}");
        assert_eq!(store.execute(&get(&key)), Ok(StoreReply::Found(b"done".into())));
    }
    for cuts in [vec![Cut::Connecting], vec![Cut::Request], vec![Cut::Answer]] {
        let port = proxy(server.port, cuts.clone());
        let store = RedisStore::open(&url(port)).unwrap();
        let error = store.execute(&put("never", b"x", 60_000)).unwrap_err();
        assert!(matches!(error, StoreError::Unavailable(_)), "{cuts:?}: {error:?}");
    }
}

#[test]
fn a_server_that_is_silent_is_a_time_out_within_the_limit() {
    let Some(server) = Server::anywhere() else { return };
    let port = proxy(server.port, vec![Cut::Silence, Cut::Nothing]);
    let limit = Duration::from_millis(300);
    let store = RedisStore::open_with(&url(port), limit).unwrap();
    let started = Instant::now();
    assert_eq!(store.execute(&put("a", b"x", 60_000)), Err(StoreError::TimedOut));
    // Generous: it must come back long before the silence ends.
    assert!(started.elapsed() < Duration::from_secs(4));
    assert_eq!(store.execute(&put("a", b"x", 60_000)), Ok(StoreReply::Done), "it recovers");
}

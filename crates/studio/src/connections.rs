//! Who may hold a connection, and how long.
//!
//! Everybody on the machine can connect, and needs no token to send half a request and wait. So a connection is a guest's until
//! a request came over it that [`guard`](crate::security::guard) let pass. Guests have little time, and there are few of
//! them: one more takes the place of the one that came first. The owner's connections are neither counted nor ended, so that
//! they get through however many guests there are.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;

/// The most guests at a time; a browser opens six connections.
const GUESTS: usize = 64;

/// How long the head of a request may take to come, and how long a connection without one stays.
const HEAD: Duration = Duration::from_secs(10);

/// How long a guest may stay, whatever comes.
const VISIT: Duration = Duration::from_secs(20);

/// How long to wait where the system has no room for a connection.
const PAUSE: Duration = Duration::from_millis(100);

/// Whether the owner's requests come over a connection; each of its requests carries it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Known(Arc<AtomicBool>);

impl Known {
    /// A request passed.
    pub(crate) fn note(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Answers whoever connects, without end.
pub(crate) async fn serve(listener: TcpListener, router: Router) {
    let mut guests: VecDeque<(Known, AbortHandle)> = VecDeque::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        guests.retain(|(known, task)| !known.is() && !task.is_finished());
        while guests.len() >= GUESTS
            && let Some((_, first)) = guests.pop_front()
        {
            first.abort();
        }
        let known = Known::default();
        let task = tokio::spawn(answer(stream, router.clone(), known.clone()));
        guests.push_back((known, task.abort_handle()));
    }
}

async fn answer(stream: TcpStream, router: Router, known: Known) {
    let router = router.layer(Extension(known.clone()));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    tokio::select! {
        // Whoever breaks off is gone; there is nobody to tell.
        _ = connection => {}
        () = overdue(&known) => {}
    }
}

/// Ends where somebody was a guest for too long, and never for the owner.
async fn overdue(known: &Known) {
    tokio::time::sleep(VISIT).await;
    if known.is() {
        std::future::pending::<()>().await;
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{Ipv4Addr, SocketAddr, TcpStream};

    use axum::extract::Request;
    use axum::routing::get;

    use super::*;

    /// A server whose path `/mine` is the owner's; others are refused.
    fn started() -> (tokio::runtime::Runtime, SocketAddr) {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let mine = |request: Request| async move {
            request.extensions().get::<Known>().unwrap().note();
            "mine"
        };
        let router = Router::new().route("/mine", get(mine).post(|_body: String| async { "taken" }));
        let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))).unwrap();
        let address = listener.local_addr().unwrap();
        runtime.spawn(serve(listener, router));
        (runtime, address)
    }

    fn connect(address: SocketAddr, sent: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.write_all(sent).unwrap();
        stream
    }

    fn answers(stream: &mut TcpStream) -> bool {
        stream.write_all(b"GET /mine HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        let mut bytes = [0; 1024];
        stream.read(&mut bytes).is_ok_and(|read| bytes[..read].ends_with(b"mine"))
    }

    #[test]
    fn the_owner_gets_through_however_many_wait() {
        let (_runtime, address) = started();
        let mut mine = connect(address, b"");
        assert!(answers(&mut mine));
        let halves = [
            &b"GET /mine HTTP/1.1\r\nHost: x\r\nA: "[..],
            b"",
            b"POST /mine HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\nslow",
            b"GET /none HTTP/1.1\r\nHost: x\r\n\r\n",
        ];
        let waiting: Vec<TcpStream> =
            (0..3 * GUESTS).map(|guest| connect(address, halves[guest % 4])).collect();
        // What was open stays open, and whoever comes is answered at once.
        assert!(answers(&mut mine), "a connection that the owner had");
        assert!((0..20).all(|_| answers(&mut connect(address, b""))), "new ones");
        drop(waiting);
    }

    #[test]
    fn half_a_request_has_a_limit_of_time() {
        let (_runtime, address) = started();
        let began = std::time::Instant::now();
        let mut half = connect(address, b"GET /mine HTTP/1.1\r\nHost: x\r\nA: ");
        let mut rest = Vec::new();
        let _ended = half.read_to_end(&mut rest);
        assert!(began.elapsed() < HEAD + Duration::from_secs(5), "{:?}", began.elapsed());
    }
}

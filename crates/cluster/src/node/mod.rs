//! The nodes of a cluster: Ballista's own parts in our binary, with settings that notice a lost node soon.

mod executor;
mod scheduler;

pub use executor::Executor;
pub use scheduler::Scheduler;

use std::net::{IpAddr, SocketAddr, TcpListener};

use tokio::runtime::{Builder, Runtime};

use crate::error::ClusterError;

/// Where a node listens, once it does.
#[derive(Debug, Clone)]
pub struct Node {
    /// Its address.
    pub address: SocketAddr,
    /// What to think of before it is used.
    pub warning: Option<String>,
}

impl Node {
    fn at(address: SocketAddr) -> Self {
        let warning = (!address.ip().is_loopback()).then(|| {
            format!(
                "{} can be reached from elsewhere: whoever does can run any query and read the files that this \
                 process can read; nothing is encrypted, nobody is asked for a password",
                address.ip()
            )
        });
        Self { address, warning }
    }
}

fn threads(number: usize) -> Result<Runtime, ClusterError> {
    let runtime = Builder::new_multi_thread().worker_threads(number.max(2)).enable_all().build();
    runtime.map_err(|error| ClusterError::Io(format!("cannot start threads: {error}")))
}

/// Takes a port, any free one for 0.
fn listen(bind: IpAddr, port: u16) -> Result<TcpListener, ClusterError> {
    TcpListener::bind((bind, port)).map_err(|error| {
        ClusterError::Io(format!(
            "{}: cannot listen: {error}; --port takes another",
            SocketAddr::new(bind, port)
        ))
    })
}

/// Listens from now on for Ctrl-C and a wish of the system to end; what is returned ends with it.
#[cfg(unix)]
fn asked_to_stop() -> Result<impl Future<Output = ()>, ClusterError> {
    use tokio::signal::unix::{SignalKind, signal};
    let listen =
        |kind| signal(kind).map_err(|error| ClusterError::Io(format!("cannot listen for Ctrl-C: {error}")));
    let (mut interrupt, mut terminate) = (listen(SignalKind::interrupt())?, listen(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Ends with Ctrl-C.
#[cfg(not(unix))]
fn asked_to_stop() -> Result<impl Future<Output = ()>, ClusterError> {
    Ok(async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}

//! The nodes of a cluster: Ballista's own parts in our binary, with settings that notice a lost node soon.

mod executor;
mod scheduler;

pub use executor::Executor;
pub use scheduler::Scheduler;

use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::path::PathBuf;

use tokio::runtime::{Builder, Runtime};
use velamen_core::error::Problem;

use crate::certificate::Certificates;
use crate::error::ClusterError;

/// Who is kept out.
#[derive(Debug, Clone)]
pub enum Protection {
    /// Everyone from elsewhere: the node serves this machine alone.
    Loopback,
    /// Everyone who has no certificate of the authority in this folder.
    Certificates(PathBuf),
    /// Nobody.
    Plaintext,
}

impl Protection {
    /// The certificates of a node that is to listen at `bind`.
    fn certificates(&self, bind: IpAddr) -> Result<Option<Certificates>, ClusterError> {
        match self {
            Self::Certificates(folder) => Certificates::of_node(folder).map(Some),
            Self::Loopback if !bind.is_loopback() => Err(ClusterError::Unprotected(bind)),
            Self::Loopback | Self::Plaintext => Ok(None),
        }
    }
}

/// Where a node listens, once it does.
#[derive(Debug, Clone)]
pub struct ListeningNode {
    /// Its address.
    pub address: SocketAddr,
    /// What to think of before it is used.
    pub warnings: Vec<String>,
    /// Whether others have to show a certificate, and nothing travels in the clear.
    pub tls: bool,
}

impl ListeningNode {
    fn at(address: SocketAddr, certificates: Option<&Certificates>) -> Self {
        let open = format!(
            "{} can be reached from elsewhere: whoever does can run any query and read the files that this process \
             can read; nothing is encrypted, everyone is served",
            address.ip()
        );
        let warnings = match certificates {
            Some(certificates) => certificates.warnings().to_vec(),
            None if address.ip().is_loopback() => Vec::new(),
            None => vec![open],
        };
        Self { address, warnings, tls: certificates.is_some() }
    }
}

fn threads(number: usize) -> Result<Runtime, ClusterError> {
    let runtime = Builder::new_multi_thread().worker_threads(number.max(2)).enable_all().build();
    runtime.map_err(|error| ClusterError::Io(format!("cannot start threads: {error}").into()))
}

/// Takes a port, any free one for 0.
fn listen(bind: IpAddr, port: u16) -> Result<TcpListener, ClusterError> {
    TcpListener::bind((bind, port)).map_err(|error| {
        let problem = format!("{}: cannot listen: {error}", SocketAddr::new(bind, port));
        ClusterError::Io(Problem::new(problem).mend(match error.kind() {
            ErrorKind::AddrNotAvailable => {
                "name an address that an interface of this machine has with --bind"
            }
            ErrorKind::PermissionDenied => "choose a port above 1023 with --port",
            _ => "choose another port with --port",
        }))
    })
}

/// Listens from now on for Ctrl-C and a wish of the system to end; what is returned ends with it.
#[cfg(unix)]
fn asked_to_stop() -> Result<impl Future<Output = ()>, ClusterError> {
    use tokio::signal::unix::{SignalKind, signal};
    let listen = |kind| {
        signal(kind).map_err(|error| ClusterError::Io(format!("cannot listen for Ctrl-C: {error}").into()))
    };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_alone_needs_no_certificates() {
        let allowed = |protection: &Protection, bind: &str| protection.certificates(bind.parse().unwrap());
        for own in ["127.0.0.1", "127.0.0.2", "::1"] {
            assert!(allowed(&Protection::Loopback, own).unwrap().is_none(), "{own}");
        }
        for open in ["0.0.0.0", "::", "10.0.0.7", "::ffff:127.0.0.1"] {
            let error = allowed(&Protection::Loopback, open).unwrap_err();
            assert!(matches!(error, ClusterError::Unprotected(_)), "{open}: {error}");
            assert!(allowed(&Protection::Plaintext, open).unwrap().is_none(), "{open}");
        }
    }
}

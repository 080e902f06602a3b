//! One connection, and waiting for it that can be stopped.

use std::pin::pin;
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::{Client, Error, NoTls, SimpleQueryMessage};

use super::address::Postgres;
use super::{told, transport};
use crate::stop::TICK;
use crate::{DatabaseError, Stop};

/// How long taking leave may take.
const LEAVE: Duration = Duration::from_secs(2);

/// Settings on which the text of values depends, and how long a lock is waited for.
const SETTINGS: &str = "SET datestyle = 'ISO, YMD'; SET intervalstyle = 'iso_8601'; SET timezone = 'UTC'; \
                        SET extra_float_digits = 1; SET bytea_output = 'hex'; SET lock_timeout = '30s'";

/// A connection. What happens on it happens while somebody waits for it.
pub(super) struct Session {
    runtime: Runtime,
    /// `None` once leave is taken.
    client: Option<Client>,
    connection: JoinHandle<()>,
    encrypted: Option<tokio_postgres_rustls::MakeRustlsConnect>,
    stop: Stop,
}

impl Session {
    pub(super) fn open(address: &Postgres, stop: &Stop) -> Result<Self, DatabaseError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime =
            runtime.map_err(|error| DatabaseError::Io(format!("cannot start a runtime: {error}").into()))?;
        let encrypted = match address.encrypted {
            true => Some(transport::encrypting(address.roots.as_deref())?),
            false => None,
        };
        let connecting = async {
            Ok(match &encrypted {
                Some(tls) => {
                    let (client, connection) = address.config.connect(tls.clone()).await?;
                    (client, tokio::spawn(async { drop(connection.await) }))
                }
                None => {
                    let (client, connection) = address.config.connect(NoTls).await?;
                    (client, tokio::spawn(async { drop(connection.await) }))
                }
            })
        };
        let connected = runtime.block_on(until(stop, connecting)).ok_or(DatabaseError::Interrupted)?;
        let (client, connection) = connected.map_err(|error| told::connecting(&error))?;
        let session = Self { runtime, client: Some(client), connection, encrypted, stop: stop.clone() };
        session.run(SETTINGS)?;
        Ok(session)
    }

    pub(super) fn client(&self) -> &Client {
        self.client.as_ref().expect("leave is taken in drop alone")
    }

    /// Waits, unless it is asked to stop; what goes wrong is told by `tell`.
    pub(super) fn wait<T>(
        &self,
        work: impl Future<Output = Result<T, Error>>,
        tell: impl Fn(&Error) -> DatabaseError,
    ) -> Result<T, DatabaseError> {
        match self.runtime.block_on(until(&self.stop, work)) {
            Some(done) => done.map_err(|error| tell(&error)),
            None => Err(DatabaseError::Interrupted),
        }
    }

    /// Waits for so long at most, whoever asks to stop; `None` after that.
    pub(super) fn wait_for<T>(&self, most: Duration, work: impl Future<Output = T>) -> Option<T> {
        self.runtime.block_on(async { timeout(most, work).await.ok() })
    }

    /// Statements of ours whose answers do not matter.
    pub(super) fn run(&self, statements: &str) -> Result<(), DatabaseError> {
        self.wait(self.client().batch_execute(statements), told::running)
    }

    /// The one value that a statement of ours gives.
    pub(super) fn value(&self, statement: &str) -> Result<Option<String>, DatabaseError> {
        let messages = self.wait(self.client().simple_query(statement), told::running)?;
        Ok(messages.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
            _ => None,
        }))
    }

    /// Asks the server to stop what it is at.
    pub(super) fn cancel(&self) {
        let token = self.client().cancel_token();
        let _ = self.wait_for(LEAVE, async {
            match &self.encrypted {
                Some(tls) => token.cancel_query(tls.clone()).await,
                None => token.cancel_query(NoTls).await,
            }
        });
    }
}

impl Drop for Session {
    /// A transaction that is not ended is taken back by the server.
    fn drop(&mut self) {
        if self.stop.is_set() {
            self.cancel();
        }
        self.client = None;
        let connection = &mut self.connection;
        let _ = self.runtime.block_on(async { timeout(LEAVE, connection).await });
    }
}

/// The work's result; `None` if it is asked to stop before.
async fn until<T>(stop: &Stop, work: impl Future<Output = T>) -> Option<T> {
    let mut work = pin!(work);
    while !stop.is_set() {
        if let Ok(done) = timeout(TICK, &mut work).await {
            return Some(done);
        }
    }
    None
}

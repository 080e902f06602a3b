//! Where a server is, who asks, and whether what is said is encrypted.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};
use velamen_core::error::Problem;

use crate::DatabaseError;

/// How long connecting may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// The address of a PostgreSQL database, with the credentials of the environment.
#[derive(Clone)]
pub(crate) struct Postgres {
    /// No `Debug`, no message: there may be a password in it.
    pub(super) config: Config,
    pub(super) label: String,
    /// Whether all that is said is encrypted, with a certificate that was checked.
    pub(super) encrypted: bool,
    /// The certificates that are trusted instead of the system's.
    pub(super) roots: Option<PathBuf>,
}

fn wrong(problem: &str) -> DatabaseError {
    DatabaseError::Recipe(Problem::new(problem).expected("\"postgresql://host:port/name\""))
}

impl TryFrom<&str> for Postgres {
    type Error = DatabaseError;

    /// The address; user and password come from `PGUSER` and `PGPASSWORD`.
    fn try_from(address: &str) -> Result<Self, DatabaseError> {
        let environment = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        // The driver checks every certificate that it gets, so both are the same.
        let address = address.replace("sslmode=verify-full", "sslmode=require");
        let mut config: Config = address.parse().map_err(|_| wrong("the address cannot be read"))?;
        if config.get_password().is_some() {
            return Err(DatabaseError::Recipe(
                Problem::new("the address holds a password, and recipes are read by many")
                    .mend("take it out and set PGPASSWORD"),
            ));
        }
        let name = config.get_dbname().ok_or_else(|| wrong("the address names no database"))?.to_owned();
        let ([host], []) = (config.get_hosts(), config.get_hostaddrs()) else {
            return Err(wrong("the address names not just one host"));
        };
        let port = config.get_ports().first().copied().unwrap_or(5432);
        let (place, here) = match host {
            Host::Tcp(host) => (host.clone(), is_loopback(host)),
            #[cfg(unix)]
            Host::Unix(folder) => (folder.display().to_string(), true),
        };
        let label = format!("postgresql://{place}:{port}/{name}");
        // Unless the recipe says otherwise, only what stays on this machine may be read on its way.
        let encrypted = match config.get_ssl_mode() {
            SslMode::Disable => false,
            SslMode::Prefer => !here,
            _ => true,
        };
        config.ssl_mode(if encrypted { SslMode::Require } else { SslMode::Disable });
        if let (None, Some(user)) = (config.get_user(), environment("PGUSER")) {
            config.user(user);
        }
        if let Some(password) = environment("PGPASSWORD") {
            config.password(password);
        }
        config.connect_timeout(PATIENCE).application_name("velamen");
        Ok(Self { config, label, encrypted, roots: environment("PGSSLROOTCERT").map(PathBuf::from) })
    }
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(address: &str) -> Result<(String, bool), String> {
        let read = Postgres::try_from(address).map_err(|error| error.to_string())?;
        Ok((read.label, read.encrypted))
    }

    #[test]
    fn what_leaves_the_machine_is_encrypted_unless_the_recipe_says_otherwise() {
        for (address, label, encrypted) in [
            ("postgresql://localhost/care", "postgresql://localhost:5432/care", false),
            ("postgres://reader@127.0.0.1:6543/care", "postgresql://127.0.0.1:6543/care", false),
            ("postgresql://[::1]/care", "postgresql://::1:5432/care", false),
            ("postgresql:///care?host=/run/postgresql", "postgresql:///run/postgresql:5432/care", false),
            ("postgresql://localhost/care?sslmode=require", "postgresql://localhost:5432/care", true),
            ("postgresql://db.example/care", "postgresql://db.example:5432/care", true),
            ("postgresql://db.example/care?sslmode=prefer", "postgresql://db.example:5432/care", true),
            ("postgresql://db.example/care?sslmode=verify-full", "postgresql://db.example:5432/care", true),
            ("postgresql://db.example/care?sslmode=disable", "postgresql://db.example:5432/care", false),
            ("postgresql://localhost.example/care", "postgresql://localhost.example:5432/care", true),
        ] {
            assert_eq!(read(address), Ok((label.to_owned(), encrypted)), "{address}");
        }
    }

    #[test]
    fn passwords_are_refused_and_not_repeated() {
        for address in ["postgresql://a:geheim@localhost/care", "postgresql://localhost/care?password=geheim"]
        {
            let message = read(address).unwrap_err();
            assert!(message.contains("PGPASSWORD") && !message.contains("geheim"), "{message}");
        }
        for address in ["postgresql://a:geheim@localhost:x/care", "postgresql://localhost?sslmode=geheim"] {
            assert!(!read(address).unwrap_err().contains("geheim"));
        }
    }

    #[test]
    fn addresses_are_complete() {
        for address in
            ["postgresql://localhost", "postgresql://", "postgresql:///care", "postgresql://a,b/care"]
        {
            assert!(read(address).is_err(), "{address}");
        }
    }
}

//! TLS where it is asked for: every certificate is checked, against the system's authorities or those
//! of `PGSSLROOTCERT`.

use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres_rustls::MakeRustlsConnect;
use velamen_core::error::Problem;

use crate::DatabaseError;

/// What encrypts a connection.
pub(super) fn encrypting(roots: Option<&Path>) -> Result<MakeRustlsConnect, DatabaseError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| DatabaseError::Io(format!("TLS cannot be set up: {error}").into()))?
        .with_root_certificates(match roots {
            Some(file) => of_file(file)?,
            None => of_system()?,
        })
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

fn of_file(file: &Path) -> Result<RootCertStore, DatabaseError> {
    let unusable = || {
        DatabaseError::Io(format!("{}: PGSSLROOTCERT holds no readable certificate", file.display()).into())
    };
    let mut store = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(file).map_err(|_| unusable())? {
        store.add(certificate.map_err(|_| unusable())?).map_err(|_| unusable())?;
    }
    if store.is_empty() { Err(unusable()) } else { Ok(store) }
}

fn of_system() -> Result<RootCertStore, DatabaseError> {
    let mut store = RootCertStore::empty();
    store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if store.is_empty() {
        let problem = Problem::new("the system lists no certificate authorities")
            .mend("name a file of them in PGSSLROOTCERT");
        return Err(DatabaseError::Io(problem));
    }
    Ok(store)
}

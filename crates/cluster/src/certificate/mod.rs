//! What a node or a driver shows the others, and whose certificates it takes: mutual TLS, with a small authority of the
//! cluster's own. No message and no `Debug` shows a key.

mod authority;
mod channel;
mod greeting;
mod term;

pub use authority::{Issued, issue, issued};
pub(crate) use greeting::{Greeting, greet};

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio_rustls::rustls::client::WebPkiServerVerifier;
use tokio_rustls::rustls::client::danger::ServerCertVerifier;
use tokio_rustls::rustls::crypto::{CryptoProvider, ring};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use velamen_core::error::Problem;
use x509_cert::der::Decode;
use x509_cert::ext::pkix::SubjectAltName;
use x509_cert::ext::pkix::name::GeneralName;

use crate::error::ClusterError;
use crate::private;
use term::{Term, now};

/// The authority's certificate, which every node has.
const AUTHORITY: &str = "authority.pem";

/// The certificate of a node or driver, and its key.
const CERTIFICATE: &str = "node.pem";
const KEY: &str = "node.key";

/// How another certificate of the same authority is made.
const MEND: &str = "issue another: velamen cluster certificates DIR --nodes NAME";

/// The certificates of one node or driver.
#[derive(Clone)]
pub struct Certificates {
    folder: PathBuf,
    /// What the certificate is made out for; a driver's for nothing.
    names: Vec<String>,
    pem: Arc<Pem>,
    /// How to greet others.
    client: Arc<ClientConfig>,
    warnings: Vec<String>,
}

impl std::fmt::Debug for Certificates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Certificates").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// The files as they are.
struct Pem {
    authority: String,
    own: String,
    key: String,
}

impl Certificates {
    /// Those in a driver's folder, seen to be valid now and to fit each other.
    ///
    /// # Errors
    /// [`ClusterError::Certificate`], [`ClusterError::Expired`].
    pub fn of_driver(folder: &Path) -> Result<Self, ClusterError> {
        Self::load(folder, now())
    }

    /// Those in a node's folder; others must be able to reach it under a name in its certificate.
    pub(crate) fn of_node(folder: &Path) -> Result<Self, ClusterError> {
        let certificates = Self::load(folder, now())?;
        if certificates.names.is_empty() {
            let path = folder.join(CERTIFICATE);
            return Err(ClusterError::Certificate(
                Problem::new(format!(
                    "{}: this certificate is for drivers; a node needs one for the name that others reach it \
                    under",
                    path.display()
                ))
                .mend("velamen cluster certificates DIR --nodes NAME"),
            ));
        }
        Ok(certificates)
    }

    /// What to think of before they are used: that they end soon, or that others can read the key.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The name under which others reach a node, as it stands in addresses: the first that the certificate is made out
    /// for, or the one that was asked for.
    ///
    /// # Errors
    /// [`ClusterError::Certificate`] for one that it is not made out for: nobody would accept it there.
    pub(crate) fn advertised(&self, asked: Option<&str>) -> Result<Option<String>, ClusterError> {
        let bare = asked.map(|asked| asked.trim_matches(['[', ']']));
        let name = match bare {
            Some(asked) if !self.names.iter().any(|name| name == asked) => {
                return Err(ClusterError::Certificate(
                    Problem::new(format!(
                        "{}: the certificate is made out for {}, but --advertise says {asked}",
                        self.folder.join(CERTIFICATE).display(),
                        self.names.join(", ")
                    ))
                    .mend(MEND),
                ));
            }
            Some(asked) => Some(asked),
            None => self.names.first().map(String::as_str),
        };
        Ok(name.map(|name| if name.contains(':') { format!("[{name}]") } else { name.to_owned() }))
    }

    fn load(folder: &Path, now: Duration) -> Result<Self, ClusterError> {
        let text = |name: &str| {
            let path = folder.join(name);
            std::fs::read_to_string(&path).map_err(|error| {
                ClusterError::Certificate(
                    Problem::new(format!("{}: cannot read: {error}", path.display()))
                        .mend("velamen cluster certificates makes it"),
                )
            })
        };
        let pem = Pem { authority: text(AUTHORITY)?, own: text(CERTIFICATE)?, key: text(KEY)? };
        let authority = Certificate::read(folder.join(AUTHORITY), &pem.authority)?;
        let own = Certificate::read(folder.join(CERTIFICATE), &pem.own)?;
        let mut warnings = Vec::new();
        for certificate in [&authority, &own] {
            warnings.extend(certificate.term.check(&certificate.path, MEND, now)?);
        }
        warnings.extend(private::is_open(&folder.join(KEY)).then(|| {
            format!(
                "{}: others can read this key and pass for the node: chmod 600 it, and 700 its folder",
                folder.join(KEY).display()
            )
        }));
        let roots = authority.as_root()?;
        let provider = Arc::new(ring::default_provider());
        own.check(&roots, &provider, now)?;
        let client = own.client(roots, provider, folder.join(KEY), &pem.key)?;
        let (pem, client) = (Arc::new(pem), Arc::new(client));
        Ok(Self { folder: folder.to_owned(), names: own.names, pem, client, warnings })
    }
}

/// A certificate that was read.
struct Certificate {
    path: PathBuf,
    der: CertificateDer<'static>,
    term: Term,
    /// What it is made out for.
    names: Vec<String>,
    public_key: Vec<u8>,
}

impl Certificate {
    fn read(path: PathBuf, pem: &str) -> Result<Self, ClusterError> {
        let problem = Problem::new(format!("{}: no certificate", path.display())).expected("one in PEM");
        let wrong = || ClusterError::Certificate(problem.clone());
        let der = CertificateDer::from_pem_slice(pem.as_bytes()).map_err(|_| wrong())?;
        let parsed = x509_cert::Certificate::from_der(&der).map_err(|_| wrong())?.tbs_certificate;
        let names = parsed.get::<SubjectAltName>().map_err(|_| wrong())?;
        let names = names.map_or_else(Vec::new, |(_, names)| names.0);
        let key = parsed.subject_public_key_info.subject_public_key;
        Ok(Self {
            term: parsed.validity.into(),
            names: names.iter().filter_map(spelled).collect(),
            public_key: key.raw_bytes().to_vec(),
            path,
            der,
        })
    }

    /// Whom to trust: this one alone.
    fn as_root(&self) -> Result<Arc<RootCertStore>, ClusterError> {
        let mut roots = RootCertStore::empty();
        roots.add(self.der.clone()).map_err(|error| self.unfit(&error))?;
        Ok(Arc::new(roots))
    }

    /// Refuses what the other nodes would refuse: another authority's, and a node's that is not for servers.
    fn check(
        &self,
        roots: &Arc<RootCertStore>,
        provider: &Arc<CryptoProvider>,
        now: Duration,
    ) -> Result<(), ClusterError> {
        let (roots, provider) = (|| Arc::clone(roots), || Arc::clone(provider));
        let client = WebPkiClientVerifier::builder_with_provider(roots(), provider()).build();
        let client = client.map_err(|error| self.unfit(&error))?;
        let now = UnixTime::since_unix_epoch(now);
        client.verify_client_cert(&self.der, &[], now).map_err(|error| self.unfit(&error))?;
        let Some(name) = self.names.first() else { return Ok(()) };
        let name = ServerName::try_from(name.as_str()).map_err(|error| self.unfit(&error))?;
        let server = WebPkiServerVerifier::builder_with_provider(roots(), provider()).build();
        let server = server.map_err(|error| self.unfit(&error))?;
        let verified = server.verify_server_cert(&self.der, &[], &name, &[], now);
        verified.map(drop).map_err(|error| self.unfit(&error))
    }

    fn client(
        &self,
        roots: Arc<RootCertStore>,
        provider: Arc<CryptoProvider>,
        key: PathBuf,
        pem: &str,
    ) -> Result<ClientConfig, ClusterError> {
        let unusable = || {
            let own = self.path.display();
            ClusterError::Certificate(
                Problem::new(format!("{}: not the key of {own}", key.display()))
                    .expected("it in PEM")
                    .mend(MEND),
            )
        };
        let key = PrivateKeyDer::from_pem_slice(pem.as_bytes()).map_err(|_| unusable())?;
        let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let builder = builder.map_err(|error| self.unfit(&error))?.with_root_certificates(roots);
        let mut client =
            builder.with_client_auth_cert(vec![self.der.clone()], key).map_err(|_| unusable())?;
        client.alpn_protocols.push(b"h2".to_vec());
        Ok(client)
    }

    fn unfit(&self, error: &dyn std::fmt::Display) -> ClusterError {
        ClusterError::Certificate(
            Problem::new(format!(
                "{}: no certificate of the authority beside it ({error})",
                self.path.display()
            ))
            .mend(MEND),
        )
    }
}

fn spelled(name: &GeneralName) -> Option<String> {
    match name {
        GeneralName::DnsName(name) => Some(name.to_string()),
        GeneralName::IpAddress(bytes) => match bytes.as_bytes() {
            &[a, b, c, d] => Some(std::net::Ipv4Addr::new(a, b, c, d).to_string()),
            bytes => {
                let bytes: [u8; 16] = bytes.try_into().ok()?;
                Some(std::net::Ipv6Addr::from(bytes).to_string())
            }
        },
        _ => None,
    }
}

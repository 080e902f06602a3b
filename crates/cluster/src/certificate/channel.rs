//! TLS for every connection of Ballista.

use std::sync::Arc;
use std::time::Duration;

use ballista_core::extension::{EndpointOverrideFn, SessionConfigExt};
use ballista_core::utils::{GrpcClientConfig, create_grpc_client_endpoint};
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Error, Identity, ServerTlsConfig};
use velamen_sql::datafusion::prelude::SessionConfig;

use super::Certificates;

/// How long a handshake may take, so that those who never end one hold no connection.
const HANDSHAKE: Duration = Duration::from_secs(10);

impl Certificates {
    /// Serves those alone who show a certificate of the same authority.
    pub(crate) fn server(&self) -> ServerTlsConfig {
        ServerTlsConfig::new()
            .identity(self.identity())
            .client_ca_root(Certificate::from_pem(&self.pem.authority))
            .timeout(HANDSHAKE)
    }

    /// Connects to those alone who show a certificate of the same authority for the name that was asked for.
    pub(crate) fn endpoint(&self) -> EndpointOverrideFn {
        let tls = ClientTlsConfig::new()
            .identity(self.identity())
            .ca_certificate(Certificate::from_pem(&self.pem.authority))
            .timeout(HANDSHAKE);
        Arc::new(move |endpoint: Endpoint| Ok(secured(endpoint)?.tls_config(tls.clone())?))
    }

    /// A session whose results and shuffles travel over TLS.
    pub(crate) fn required(&self, config: SessionConfig) -> SessionConfig {
        config.with_ballista_use_tls(true).with_ballista_override_create_grpc_client_endpoint(self.endpoint())
    }

    fn identity(&self) -> Identity {
        Identity::from_pem(&self.pem.own, &self.pem.key)
    }
}

/// Ballista's executors name their scheduler by `http`, over which tonic would speak in the clear, settings or not.
fn secured(endpoint: Endpoint) -> Result<Endpoint, Error> {
    let uri = endpoint.uri();
    match (uri.scheme_str(), uri.authority()) {
        (Some("http"), Some(authority)) => {
            create_grpc_client_endpoint(format!("https://{authority}"), Some(&GrpcClientConfig::default()))
        }
        _ => Ok(endpoint),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_asked_in_the_clear() {
        for url in ["http://scheduler:50050", "https://scheduler:50050", "http://[::1]:50050"] {
            let endpoint = secured(Endpoint::new(url).unwrap()).unwrap();
            assert_eq!(endpoint.uri().scheme_str(), Some("https"), "{url}");
            assert_eq!(endpoint.uri().port_u16(), Some(50050), "{url}");
        }
    }
}

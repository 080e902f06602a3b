//! A first exchange with a scheduler: whether it is there, and whether both sides accept each other. Ballista itself
//! would only say that something failed.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{AlertDescription, CertificateError, Error};
use velamen_core::error::Problem;

use super::Certificates;

/// How every conversation in HTTP/2 begins, and settings that change nothing.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

/// The first byte of an alert of TLS.
const ALERT: u8 = 0x15;

/// Who takes longer is there, but busy.
const PATIENCE: Duration = Duration::from_secs(5);

/// What came of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Greeting {
    Welcome,
    /// Nobody listens, or not any more.
    Nobody,
    /// One side does not accept the other, which no further attempt will change.
    Refused(Problem),
}

/// Greets the scheduler at `host` and `port` as a node with these certificates, or without any.
pub(crate) async fn greet(host: &str, port: u16, certificates: Option<&Certificates>) -> Greeting {
    let exchange = async {
        let Ok(stream) = TcpStream::connect((host, port)).await else { return Greeting::Nobody };
        match certificates {
            Some(certificates) => handshake(stream, host, certificates).await,
            None => in_the_clear(stream).await,
        }
    };
    tokio::time::timeout(PATIENCE, exchange).await.unwrap_or(Greeting::Welcome)
}

async fn in_the_clear(mut stream: TcpStream) -> Greeting {
    match answer(&mut stream).await {
        Ok(ALERT) => Greeting::Refused(Problem::new("the scheduler wants a certificate").mend(
            "give a folder of them, to a node by --certificates, to a driver by [engine] certificates",
        )),
        Ok(_) => Greeting::Welcome,
        Err(_) => Greeting::Nobody,
    }
}

async fn handshake(stream: TcpStream, host: &str, certificates: &Certificates) -> Greeting {
    let Ok(name) = ServerName::try_from(host.to_owned()) else {
        return Greeting::Refused(format!("no certificate can be made out for `{host}`").into());
    };
    let connector = TlsConnector::from(Arc::clone(&certificates.client));
    let answered = match connector.connect(name, stream).await {
        // Only what it answers shows whether the scheduler took the certificate.
        Ok(mut stream) => answer(&mut stream).await,
        Err(error) => Err(error),
    };
    let Err(error) = answered else { return Greeting::Welcome };
    let refusal =
        error.get_ref().and_then(|error| error.downcast_ref()).and_then(|error| refusal(error, host));
    let own = certificates.folder.display();
    refusal.map_or(Greeting::Nobody, |problem| {
        let text = format!("{} (certificates here: {own})", problem.text());
        Greeting::Refused(Problem::new(text).mend_if(problem.remedy().map(str::to_owned)))
    })
}

/// The first byte of the answer to a greeting.
async fn answer(stream: &mut (impl AsyncRead + AsyncWrite + Unpin)) -> io::Result<u8> {
    // Who was refused cannot write any more, and reads why.
    let written = stream.write_all(PREFACE).await;
    if written.is_ok() {
        let _ = stream.flush().await;
    }
    stream.read_u8().await
}

/// Why one side does not accept the other, if that is what the error says.
fn refusal(error: &Error, host: &str) -> Option<Problem> {
    use AlertDescription as Alert;
    use CertificateError as Wrong;
    let ours = |problem: &str| {
        Some(format!("the scheduler does not accept the certificate shown to it: {problem}").into())
    };
    match error {
        Error::InvalidCertificate(wrong) => Some(match wrong {
            Wrong::Expired | Wrong::ExpiredContext { .. } => "the scheduler's certificate has expired".into(),
            Wrong::NotValidYet | Wrong::NotValidYetContext { .. } => {
                Problem::new("the scheduler's certificate is not valid yet").mend("is the clock right?")
            }
            Wrong::NotValidForName | Wrong::NotValidForNameContext { .. } => Problem::new(format!(
                "the scheduler's certificate is not made out for `{host}`"
            ))
            .mend(format!(
                "ask it by a name that is, or issue one: velamen cluster certificates DIR --nodes {host}"
            )),
            Wrong::InvalidPurpose | Wrong::InvalidPurposeContext { .. } => {
                "the scheduler shows a certificate for drivers".into()
            }
            _ => "the scheduler's certificate is of another authority".into(),
        }),
        Error::InvalidMessage(_) => Some(
            Problem::new("the scheduler speaks without TLS")
                .mend("start it with --certificates, or leave certificates out here"),
        ),
        Error::AlertReceived(alert) => match alert {
            Alert::CertificateExpired => ours("it has expired"),
            Alert::UnknownCA | Alert::DecryptError => ours("it is of another authority"),
            Alert::CertificateRequired => ours("none was shown"),
            Alert::BadCertificate
            | Alert::UnsupportedCertificate
            | Alert::CertificateUnknown
            | Alert::AccessDenied => ours("it is not valid there"),
            _ => Some(format!("the scheduler broke off the handshake: {alert:?}").into()),
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_tell_who_is_to_blame() {
        let told = |error: Error| refusal(&error, "a").unwrap_or_default().to_string();
        assert!(
            told(Error::InvalidCertificate(CertificateError::Expired)).contains("certificate has expired")
        );
        assert!(
            told(Error::InvalidCertificate(CertificateError::BadSignature)).contains("another authority")
        );
        assert!(told(Error::InvalidCertificate(CertificateError::NotValidForName)).contains("--nodes a"));
        assert!(told(Error::AlertReceived(AlertDescription::CertificateExpired)).contains("it has expired"));
        assert_eq!(refusal(&Error::DecryptError, "a"), None);
    }
}

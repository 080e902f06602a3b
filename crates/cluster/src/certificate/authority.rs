//! The authority: a key that stays where it is made, and the certificates that it signs.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, Error, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose, date_time_ymd,
};
use velamen_core::error::Problem;

use super::term::{DAY, Term, now};
use super::{AUTHORITY, CERTIFICATE, Certificate, KEY};
use crate::error::ClusterError;
use crate::private;

/// The authority's own key.
const AUTHORITY_KEY: &str = "authority.key";

/// Who is made a certificate for along with the authority: one that asks, and is no server.
const DRIVER: &str = "driver";

/// How long an authority lasts.
const AUTHORITY_DAYS: u32 = 3650;

/// Clocks may differ by this much.
const SKEW: Duration = Duration::from_secs(60 * 60);

/// How another authority is made.
const ANEW: &str = "make another authority in another folder, and certificates of it for every node";

/// A certificate in the authority's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issued {
    /// The authority's certificate, or the folder of a node.
    pub path: PathBuf,
    /// Its last day, in UTC.
    pub until: String,
    /// That it ends soon, or has ended.
    pub warning: Option<String>,
}

/// Makes certificates for `nodes`, each named as others reach it (`host`, or `host+address` for several names), valid
/// for some days. Makes the authority, and a certificate for a driver, where `folder` has none yet. A node that has a
/// certificate gets another one.
///
/// # Errors
/// [`ClusterError::Usage`] for what is no name, or the first name of two nodes, [`ClusterError::Certificate`],
/// [`ClusterError::Expired`] or [`ClusterError::Io`] for what is wrong with the folder.
pub fn issue(folder: &Path, nodes: &[String], days: u32) -> Result<Vec<Issued>, ClusterError> {
    let mut nodes = nodes.iter().map(|node| NamedNode::parse(node)).collect::<Result<Vec<_>, _>>()?;
    refuse_twice(&nodes)?;
    let now = now();
    private::folder(folder).map_err(|error| unwritable(folder, &error))?;
    let authority = match (folder.join(AUTHORITY).exists(), folder.join(AUTHORITY_KEY).exists()) {
        (false, false) => {
            if !nodes.iter().any(|node| node.names.is_empty()) {
                nodes.insert(0, NamedNode { folder: DRIVER.into(), names: Vec::new() });
            }
            Authority::new(folder, now)?
        }
        _ => Authority::open(folder, now)?,
    };
    let mut issued = vec![authority.listed(now)];
    for node in &nodes {
        issued.push(authority.issue(folder, node, days, now)?);
    }
    Ok(issued)
}

/// Refuses two nodes of one folder: the certificate of the first would be lost.
fn refuse_twice(nodes: &[NamedNode]) -> Result<(), ClusterError> {
    let mut folders: Vec<&str> = nodes.iter().map(|node| &*node.folder).collect();
    folders.sort_unstable();
    match folders.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(ClusterError::Usage(
            Problem::new(format!(
                "--nodes: `{}` is the first name of two nodes, and the folder of a node has that name",
                pair[0]
            ))
            .mend(format!(
                "give one of them another first name, or all names of one node together, as in {}+10.0.0.7",
                pair[0]
            )),
        )),
        None => Ok(()),
    }
}

/// The authority's certificate in `folder` and those of its nodes.
///
/// # Errors
/// [`ClusterError::Certificate`] where there is none.
pub fn issued(folder: &Path) -> Result<Vec<Issued>, ClusterError> {
    let now = now();
    let mut paths = vec![folder.join(AUTHORITY)];
    let entries = std::fs::read_dir(folder).map_err(|error| unreadable(folder, &error))?;
    let nodes = entries.filter_map(|entry| Some(entry.ok()?.path().join(CERTIFICATE)));
    paths.extend(nodes.filter(|path| path.exists()));
    paths[1..].sort();
    paths.iter().map(|path| Ok(listed(path, read(path)?.term, now))).collect()
}

fn listed(path: &Path, term: Term, now: Duration) -> Issued {
    let node = path.parent().filter(|_| path.ends_with(CERTIFICATE));
    let mend = if node.is_some() { super::MEND } else { ANEW };
    let warning = term.check(path, mend, now).unwrap_or_else(|error| Some(error.to_string()));
    Issued { path: node.unwrap_or(path).to_owned(), until: term.last_day(), warning }
}

/// Whom to make a certificate for.
#[derive(Debug, PartialEq, Eq)]
struct NamedNode {
    folder: String,
    /// A driver has none.
    names: Vec<String>,
}

impl NamedNode {
    fn parse(text: &str) -> Result<Self, ClusterError> {
        let names: Vec<String> = text.split('+').map(str::to_owned).collect();
        if let Some(wrong) = names.iter().find(|name| !is_name(name)) {
            return Err(ClusterError::Usage(
                Problem::new(format!("--nodes: `{wrong}` is no name of a host and no address"))
                    .expected("for example scheduler,executor1,10.0.0.7+executor2"),
            ));
        }
        let folder = names[0].clone();
        Ok(Self { names: if folder == DRIVER { Vec::new() } else { names }, folder })
    }
}

/// An address, or a name of which a folder's name can be made.
fn is_name(text: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    let label = |label: &str| (1..=63).contains(&label.len()) && label.bytes().all(letter);
    let host = || text.len() <= 253 && !text.starts_with('-') && text.split('.').all(label);
    text.parse::<IpAddr>().is_ok() || host()
}

/// Who signs.
struct Authority {
    path: PathBuf,
    pem: String,
    term: Term,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    fn new(folder: &Path, now: Duration) -> Result<Self, ClusterError> {
        let path = folder.join(AUTHORITY);
        let failed = |error: Error| unmade(&path, &error);
        let key = KeyPair::generate().map_err(failed)?;
        let params = valid(signing(), term(now, AUTHORITY_DAYS));
        let pem = params.self_signed(&key).map_err(failed)?.pem();
        let secret = folder.join(AUTHORITY_KEY);
        private::file(&secret, &key.serialize_pem()).map_err(|error| unwritable(&secret, &error))?;
        private::file(&path, &pem).map_err(|error| unwritable(&path, &error))?;
        Self::open(folder, now)
    }

    fn open(folder: &Path, now: Duration) -> Result<Self, ClusterError> {
        let (path, secret) = (folder.join(AUTHORITY), folder.join(AUTHORITY_KEY));
        let pem = std::fs::read_to_string(&path).map_err(|error| unreadable(&path, &error))?;
        let key = std::fs::read_to_string(&secret).map_err(|error| unreadable(&secret, &error))?;
        let certificate = Certificate::read(path.clone(), &pem)?;
        certificate.term.check(&path, ANEW, now)?;
        let key = KeyPair::from_pem(&key).ok().filter(|key| key.public_key_raw() == certificate.public_key);
        let key = key.ok_or_else(|| {
            ClusterError::Certificate(
                Problem::new(format!("{}: not the key of {}", secret.display(), path.display()))
                    .expected("it in PEM")
                    .mend(ANEW),
            )
        })?;
        Ok(Self { path, pem, term: certificate.term, issuer: Issuer::new(signing(), key) })
    }

    fn listed(&self, now: Duration) -> Issued {
        listed(&self.path, self.term, now)
    }

    fn issue(
        &self,
        folder: &Path,
        node: &NamedNode,
        days: u32,
        now: Duration,
    ) -> Result<Issued, ClusterError> {
        let folder = folder.join(&node.folder);
        let failed = |error: Error| unmade(&folder, &error);
        let key = KeyPair::generate().map_err(failed)?;
        let mut params = CertificateParams::new(node.names.clone()).map_err(failed)?;
        params.distinguished_name = named(&node.folder);
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        if !node.names.is_empty() {
            params.extended_key_usages.push(ExtendedKeyUsagePurpose::ServerAuth);
        }
        params.use_authority_key_identifier_extension = true;
        let mut term = term(now, days);
        term.until = term.until.min(self.term.until);
        let pem = valid(params, term).signed_by(&key, &self.issuer).map_err(failed)?.pem();
        private::folder(&folder).map_err(|error| unwritable(&folder, &error))?;
        for (name, content) in [(KEY, &key.serialize_pem()), (CERTIFICATE, &pem), (AUTHORITY, &self.pem)] {
            let path = folder.join(name);
            private::file(&path, content).map_err(|error| unwritable(&path, &error))?;
        }
        Ok(listed(&folder.join(CERTIFICATE), term, now))
    }
}

/// What every authority is, whatever its key.
fn signing() -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name = named("Velamen cluster authority");
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    params
}

fn named(name: &str) -> DistinguishedName {
    let mut distinguished = DistinguishedName::new();
    distinguished.push(DnType::CommonName, name);
    distinguished
}

fn term(now: Duration, days: u32) -> Term {
    // Certificates know whole seconds.
    let now = Duration::from_secs(now.as_secs());
    Term { from: now.saturating_sub(SKEW), until: now + days * DAY }
}

fn valid(mut params: CertificateParams, term: Term) -> CertificateParams {
    let at = |time: Duration| date_time_ymd(1970, 1, 1) + time;
    (params.not_before, params.not_after) = (at(term.from), at(term.until));
    params
}

fn read(path: &Path) -> Result<Certificate, ClusterError> {
    let pem = std::fs::read_to_string(path).map_err(|error| unreadable(path, &error))?;
    Certificate::read(path.to_owned(), &pem)
}

fn unreadable(path: &Path, error: &std::io::Error) -> ClusterError {
    ClusterError::Certificate(format!("{}: cannot read: {error}", path.display()).into())
}

fn unwritable(path: &Path, error: &std::io::Error) -> ClusterError {
    ClusterError::Certificate(format!("{}: cannot write: {error}", path.display()).into())
}

fn unmade(path: &Path, error: &Error) -> ClusterError {
    ClusterError::Certificate(format!("{}: cannot make a certificate: {error}", path.display()).into())
}

#[cfg(test)]
mod tests {
    use super::super::Certificates;
    use super::*;

    fn made(nodes: &[&str], days: u32) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        issue(
            &folder.path().join("ca"),
            &nodes.iter().map(|&node| node.to_owned()).collect::<Vec<_>>(),
            days,
        )
        .unwrap();
        folder
    }

    #[test]
    fn nodes_are_named_as_others_reach_them() {
        let names = |text: &str| NamedNode::parse(text).map(|node| (node.folder, node.names));
        assert_eq!(names("a.example").unwrap(), ("a.example".into(), vec!["a.example".into()]));
        assert_eq!(names("10.0.0.7+b").unwrap(), ("10.0.0.7".into(), vec!["10.0.0.7".into(), "b".into()]));
        assert_eq!(names("::1").unwrap().0, "::1");
        assert_eq!(names("driver").unwrap(), ("driver".into(), vec![]));
        for wrong in ["", "..", "a/b", "../a", "-a", "a..b", "a b", "a+", "é", ".a"] {
            let error = NamedNode::parse(wrong).unwrap_err();
            assert!(matches!(error, ClusterError::Usage(_)), "{wrong}: {error}");
        }
    }

    #[test]
    fn no_node_takes_the_folder_of_another() {
        let folder = tempfile::tempdir().unwrap();
        let nodes = ["a+10.0.0.7", "b", "a+10.0.0.8"].map(str::to_owned);
        let error = issue(&folder.path().join("ca"), &nodes, 365).unwrap_err();
        assert!(
            matches!(&error, ClusterError::Usage(text) if text.to_string().contains("`a` is the first name") && text.to_string().contains("another first name")),
            "{error}"
        );
        assert!(!folder.path().join("ca").exists());
    }

    #[test]
    fn nodes_and_drivers_can_use_what_is_issued() {
        let folder = made(&["executor1+10.0.0.7", "::1"], 365);
        let node = |name: &str| folder.path().join("ca").join(name);
        let certificates = Certificates::of_node(&node("executor1")).unwrap();
        let advertised = |asked| certificates.advertised(asked).map(Option::unwrap_or_default);
        assert_eq!(advertised(None).unwrap(), "executor1");
        assert_eq!(advertised(Some("10.0.0.7")).unwrap(), "10.0.0.7");
        let wrong = advertised(Some("10.0.0.8")).unwrap_err().to_string();
        assert!(wrong.contains("made out for executor1, 10.0.0.7, but --advertise says 10.0.0.8"), "{wrong}");
        assert!(certificates.warnings().is_empty());
        let six = Certificates::of_node(&node("::1")).unwrap();
        assert_eq!(six.advertised(None).unwrap().as_deref(), Some("[::1]"));
        assert_eq!(six.advertised(Some("[::1]")).unwrap().as_deref(), Some("[::1]"));
        assert!(Certificates::of_driver(&node("driver")).is_ok());
        let driver = Certificates::of_node(&node("driver")).unwrap_err().to_string();
        assert!(driver.contains("this certificate is for drivers"), "{driver}");
        assert!(!format!("{certificates:?}").contains("PRIVATE"));
    }

    #[test]
    fn one_node_gets_another_of_the_same_authority() {
        let folder = made(&["a", "b"], 365);
        let ca = folder.path().join("ca");
        let read = |name: &str| std::fs::read_to_string(ca.join(name)).unwrap();
        let before = ["authority.pem", "authority.key", "a/node.pem", "b/node.pem"].map(read);
        let issued = issue(&ca, &["b".into()], 20).unwrap();
        let after = ["authority.pem", "authority.key", "a/node.pem", "b/node.pem"].map(read);
        assert_eq!(before[..3], after[..3]);
        assert_ne!(before[3], after[3]);
        assert_eq!(
            issued.iter().map(|one| one.path.clone()).collect::<Vec<_>>(),
            [ca.join("authority.pem"), ca.join("b")]
        );
        let early = |one: &Issued| one.warning.as_ref().is_some_and(|text| text.contains("within 20 days"));
        assert!(early(&issued[1]) && issued[0].warning.is_none(), "{issued:?}");
        let certificates = Certificates::of_node(&ca.join("b")).unwrap();
        assert!(certificates.warnings()[0].contains("expires on"), "{:?}", certificates.warnings());
        let all = super::issued(&ca).unwrap();
        let names: Vec<_> = all.iter().map(|one| one.path.file_name().unwrap().to_owned()).collect();
        assert_eq!(names, ["authority.pem", "a", "b", "driver"]);
    }

    #[test]
    #[cfg(unix)]
    fn nobody_else_can_read_them() {
        use std::os::unix::fs::PermissionsExt;
        let folder = made(&["a"], 365);
        let ca = folder.path().join("ca");
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        for path in [ca.clone(), ca.join("a"), ca.join("driver")] {
            assert_eq!(mode(&path), 0o700, "{}", path.display());
            for entry in std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()) {
                assert!(entry.is_dir() || mode(&entry) == 0o600, "{}", entry.display());
            }
        }
        assert!(!ca.join("a/authority.key").exists());
    }

    #[test]
    #[cfg(unix)]
    fn a_key_that_others_can_read_is_a_warning() {
        use std::os::unix::fs::PermissionsExt;
        let folder = made(&["a"], 365);
        let node = folder.path().join("ca/a");
        let open = |path: &Path, mode| {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
            Certificates::of_node(&node).unwrap().warnings().to_vec()
        };
        assert!(open(&node.join("node.key"), 0o644).is_empty(), "the folder keeps others out");
        for (mode, warnings) in [(0o755, 1), (0o710, 1), (0o700, 0)] {
            let found = open(&node, mode);
            assert_eq!(found.len(), warnings, "{mode:o}: {found:?}");
            assert!(found.iter().all(|text| text.contains("node.key: others can read")), "{found:?}");
        }
        open(&node, 0o755);
        assert!(open(&node.join("node.key"), 0o600).is_empty());
    }

    #[test]
    fn what_is_expired_mixed_up_or_damaged_is_refused() {
        let (folder, other) = (made(&["a", "b"], 365), made(&["a"], 365));
        let ca = folder.path().join("ca");
        let load = |now| Certificates::load(&ca.join("a"), now);
        let error = load(now() + 366 * DAY).unwrap_err();
        assert!(matches!(error, ClusterError::Expired(_)), "{error}");
        let error = load(now() - 2 * DAY).unwrap_err();
        assert!(matches!(error, ClusterError::Expired(_)), "{error}");
        let refused = |says: &str| {
            let error = load(now()).unwrap_err();
            assert!(matches!(error, ClusterError::Certificate(_)), "{error}");
            assert!(error.to_string().contains(says) && !error.to_string().contains("PRIVATE"), "{error}");
        };
        let copy = |from: &Path, to: &str| std::fs::copy(from, ca.join(to)).unwrap();
        copy(&ca.join("b/node.key"), "a/node.key");
        refused("not the key of");
        std::fs::write(ca.join("a/node.key"), "no key").unwrap();
        refused("not the key of");
        copy(&other.path().join("ca/a/node.key"), "a/node.key");
        copy(&other.path().join("ca/a/node.pem"), "a/node.pem");
        refused("no certificate of the authority beside it");
        std::fs::write(ca.join("a/node.pem"), "no certificate").unwrap();
        refused("no certificate; expected one in PEM");
        std::fs::remove_file(ca.join("a/node.pem")).unwrap();
        refused("cannot read");
        copy(&other.path().join("ca/authority.key"), "authority.key");
        let error = issue(&ca, &["c".into()], 1).unwrap_err();
        assert!(error.to_string().contains("not the key of") && !ca.join("c").exists(), "{error}");
        std::fs::remove_file(ca.join("authority.key")).unwrap();
        assert!(issue(&ca, &["c".into()], 1).is_err());
    }

    #[test]
    fn no_certificate_outlives_its_authority() {
        let folder = made(&["a"], AUTHORITY_DAYS);
        let ca = folder.path().join("ca");
        let later = Authority::open(&ca, now() + 100 * DAY).unwrap();
        let node = NamedNode { folder: "b".into(), names: vec!["b".into()] };
        later.issue(&ca, &node, AUTHORITY_DAYS, now() + 100 * DAY).unwrap();
        assert_eq!(read(&ca.join("b/node.pem")).unwrap().term.until, later.term.until);
        let error = Authority::open(&ca, now() + 3651 * DAY).map(drop).unwrap_err();
        assert!(error.to_string().contains("make another authority"), "{error}");
    }
}

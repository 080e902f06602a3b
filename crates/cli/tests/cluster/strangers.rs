//! Certificates: how they are made, that a release over TLS is the same, and that everyone without one is refused.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::common::{Folder, OPTIMAL, Run, left_out};
use crate::nodes::{Cluster, Node};

#[test]
fn certificates_are_made_listed_and_made_anew() {
    let folder = Folder::new();
    let made = folder.ok(&["cluster", "certificates", "ca", "--nodes", "head,worker1+10.0.0.7"]);
    for line in ["ca/authority.pem  until ", "ca/driver  until ", "ca/head  until ", "ca/worker1  until "] {
        assert!(made.out.contains(line), "{}", made.out);
    }
    assert!(made.err.is_empty(), "{}", made.err);
    let authority = folder.read("ca/authority.pem");
    let anew = folder.ok(&["cluster", "certificates", "ca", "--nodes", "worker1", "--days", "20"]);
    assert!(anew.err.contains("within 20 days") && !anew.out.contains("head"), "{}{}", anew.out, anew.err);
    assert_eq!(folder.read("ca/authority.pem"), authority);
    let listed = folder.ok(&["cluster", "certificates", "ca"]);
    assert_eq!(listed.out.lines().count(), 4, "{}", listed.out);
    assert!(listed.err.contains("ca/worker1/node.pem: the certificate expires on"), "{}", listed.err);
    for run in [&made, &anew, &listed] {
        assert!(!run.out.contains("PRIVATE") && !run.err.contains("PRIVATE"));
    }
    let refuse = |arguments: &[&str], code: i32, says: &str| {
        folder.refused(&[&["cluster", "certificates"], arguments].concat(), code, &[says]);
    };
    refuse(&["new", "--nodes", "../a"], 2, "is no name of a host");
    refuse(&["new", "--nodes", "a", "--days", "0"], 2, "--days");
    refuse(&["none"], 6, "error[E0617]");
}

#[test]
fn nodes_that_others_reach_need_certificates() {
    let folder = Folder::with(OPTIMAL);
    let open = ["--bind", "0.0.0.0", "--port", "0"];
    for node in ["scheduler", "executor"] {
        let says =
            ["error[E0220]", "0.0.0.0 can be reached from elsewhere", "--plaintext", "certificates DIR"];
        folder.refused(&[&["cluster", node], &open[..]].concat(), 2, &says);
    }
    let warns = |options: &[&str]| {
        let mut command = folder.command(&[&["cluster", "scheduler"], &open[..], options].concat());
        let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(Duration::from_secs(2));
        let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(kill.unwrap().success());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(warns(&["--plaintext"]).contains("nothing is encrypted, everyone is served"));
    folder.ok(&["cluster", "certificates", "ca", "--nodes", "a"]);
    assert_eq!(warns(&["--certificates", "ca/a"]), "");
    folder.ok(&["cluster", "certificates", "ca", "--nodes", "a", "--days", "20"]);
    assert!(warns(&["--certificates", "ca/a"]).contains("ca/a/node.pem: the certificate expires on"));
    let both = ["cluster", "scheduler", "--certificates", "ca/a", "--plaintext"];
    folder.refused(&both, 2, &["cannot be used with"]);
    folder.refused(
        &["cluster", "scheduler", "--certificates", "ca/driver"],
        6,
        &["error[E0617]", "for drivers"],
    );
}

#[test]
fn a_release_over_tls_is_the_same() {
    let folder = Folder::with(OPTIMAL);
    let cluster = Cluster::over_tls(&folder, 2);
    cluster.agrees(&folder, "r", &[], &["--seed", "11"]);
    let shared = format!("engine.shared={}", folder.root().display());
    cluster.agrees(&folder, "written", &["--set", &shared], &["--seed", "11"]);
    folder.ok(&["cluster", "certificates", "ca", "--nodes", "driver", "--days", "20"]);
    let run = Run::of(&mut cluster.command(&folder, "warned", &[]));
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("ca/driver/node.pem: the certificate expires on"), "{}", run.err);
}

#[test]
fn strangers_are_refused_by_name() {
    let folder = Folder::with(OPTIMAL);
    let cluster = Cluster::over_tls(&folder, 1);
    folder.ok(&["cluster", "certificates", "other", "--nodes", "127.0.0.1"]);
    folder.ok(&["cluster", "certificates", "ca", "--nodes", "elsewhere"]);
    let plain = Node::start(folder.command(&["cluster", "scheduler", "--port", "0"]));
    let named = Node::start(folder.command(&[
        "cluster",
        "scheduler",
        "--port",
        "0",
        "--certificates",
        "ca/elsewhere",
    ]));
    let (tls, executor) = (cluster.url(), format!("df://{}", cluster.executors[0].address));
    let (plain, named) = (format!("df://{}", plain.address), format!("df://{}", named.address));
    let cases: [(&str, Option<&str>, &str); 6] = [
        (&tls, None, "the scheduler wants a certificate"),
        (&tls, Some("other"), "certificate is of another authority"),
        (&plain, Some("ca"), "the scheduler speaks without TLS"),
        (&named, Some("ca"), "is not made out for `127.0.0.1`"),
        // Executors serve each other and the driver in the same way.
        (&executor, None, "wants a certificate"),
        (&executor, Some("other"), "certificate is of another authority"),
    ];
    for (scheduler, authority, says) in cases {
        let url = format!("engine.scheduler={scheduler}");
        let folder_of = |who: &str| authority.map(|authority| format!("{authority}/{who}"));
        let mut driver = vec!["anonymize", "recipe.toml", "--set", "engine.kind=cluster", "--set", &url];
        let certificates = folder_of("driver").map(|path| format!("engine.certificates={path}"));
        driver.extend(certificates.iter().flat_map(|set| ["--set", set.as_str()]));
        folder.refused(&driver, 6, &["error[E0619]", scheduler, says]);
        let mut node = vec!["cluster", "executor", "--scheduler", scheduler];
        let certificates = folder_of("127.0.0.1");
        node.extend(certificates.iter().flat_map(|path| ["--certificates", path.as_str()]));
        folder.refused(&node, 6, &["error[E0619]", scheduler, says]);
    }
}

/// What `openssl ca` has to be told to sign as our authority does, but for a year that is over.
const EXPIRED: &str = "\
[ca]\ndefault_ca = a\n[a]\ndatabase = index\nnew_certs_dir = .\nrand_serial = yes\ndefault_md = sha256\npolicy = any\n\
x509_extensions = node\n[any]\ncommonName = supplied\n[node]\nsubjectAltName = IP:127.0.0.1\n\
extendedKeyUsage = serverAuth,clientAuth\n";

fn openssl(folder: &Folder, arguments: &str) -> bool {
    let mut command = Command::new("openssl");
    command.args(arguments.split(' ')).current_dir(folder.root());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// A certificate of the authority in `ca` that expired.
fn expired(folder: &Folder) {
    folder.write("ca.cnf", EXPIRED);
    folder.write("index", "");
    std::fs::create_dir(folder.path("expired")).unwrap();
    std::fs::copy(folder.path("ca/authority.pem"), folder.path("expired/authority.pem")).unwrap();
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout expired/node.key";
    assert!(openssl(folder, &format!("req -new {key} -out expired/request -subj /CN=127.0.0.1")));
    let authority = "-cert ca/authority.pem -keyfile ca/authority.key";
    let term = "-startdate 20200101000000Z -enddate 20210101000000Z -notext";
    let files = "-in expired/request -out expired/node.pem";
    assert!(openssl(folder, &format!("ca -batch -config ca.cnf {files} {authority} {term}")));
}

/// What a server answers to a client that shows a certificate, or none.
fn shown(folder: &Folder, address: &str, certificate: Option<&str>) -> String {
    let mut command = Command::new("timeout");
    command.args(["3", "openssl", "s_client", "-connect", address, "-CAfile", "ca/authority.pem"]);
    command.args(["-alpn", "h2", "-ign_eof"]).current_dir(folder.root()).stdin(Stdio::null());
    if let Some(name) = certificate {
        command.args(["-cert", &format!("{name}/node.pem"), "-key", &format!("{name}/node.key")]);
    }
    let output = command.output().unwrap();
    String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout)
}

/// A server that ends with the test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn whoever_shows_no_certificate_another_or_an_old_one_gets_an_alert() {
    let folder = Folder::with(OPTIMAL);
    if !openssl(&folder, "version") {
        left_out("openssl");
        return;
    }
    let cluster = Cluster::over_tls(&folder, 1);
    folder.ok(&["cluster", "certificates", "other", "--nodes", "127.0.0.1"]);
    expired(&folder);
    for address in [&cluster.scheduler.address, &cluster.executors[0].address] {
        let says = |certificate: Option<&str>, alerts: &[&str]| {
            let said = shown(&folder, address, certificate);
            let alert = |number: &&str| said.contains(&format!("SSL alert number {number}"));
            assert!(alerts.iter().any(alert), "{certificate:?} at {address}: {said}");
        };
        says(None, &["116"]);
        says(Some("expired"), &["45"]);
        // Not known, or known by name with another key.
        says(Some("other/127.0.0.1"), &["48", "51"]);
        let said = shown(&folder, address, Some("ca/127.0.0.1"));
        assert!(!said.contains("SSL alert number") && said.contains("Verify return code: 0 (ok)"), "{said}");
    }
    let start = ["cluster", "executor", "--certificates", "expired", "--scheduler", &cluster.url()];
    let says = ["error[E0618]", "expired/node.pem: the certificate expired on 2021-01-01", "issue another"];
    folder.refused(&start, 6, &says);
    let mut driver = cluster.command(&folder, "r", &["--set", "engine.certificates=expired"]);
    let run = Run::of(&mut driver);
    assert!(run.code == 6 && run.err.contains("error[E0618]"), "{}", run.err);

    // Somebody who shows an old certificate to those who ask.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let address = format!("127.0.0.1:{port}");
    let mut server = Command::new("openssl");
    server.args(["s_server", "-accept", &address, "-cert", "expired/node.pem", "-key", "expired/node.key"]);
    server.args(["-alpn", "h2", "-quiet"]).current_dir(folder.root());
    server.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let _server = Server(server.spawn().unwrap());
    let url = format!("df://{address}");
    let ask = ["cluster", "executor", "--certificates", "ca/127.0.0.1", "--scheduler", &url];
    folder.refused(&ask, 6, &["error[E0619]", "the scheduler's certificate has expired"]);
}

//! A PostgreSQL server of one's own, in a temporary folder, on a free port of the loopback.

#![allow(dead_code, reason = "each test file uses a part")]

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The password of the server's only user.
pub(crate) const PASSWORD: &str = "Kanarienschluessel";

/// The longest that a server may live, should its test be killed.
const SECONDS: &str = "600";

/// A running server; stopped when dropped.
pub(crate) struct Server {
    programs: PathBuf,
    folder: tempfile::TempDir,
    port: u16,
    child: Option<Child>,
}

/// The newest of the system's servers.
fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?;
    let version = |path: &Path| path.file_name()?.to_str()?.parse::<u32>().ok();
    let mut found: Vec<PathBuf> = versions.filter_map(|entry| Some(entry.ok()?.path())).collect();
    found.retain(|path| path.join("bin/initdb").exists());
    found.sort_by_key(|path| version(path));
    Some(found.pop()?.join("bin"))
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().unwrap();
    id.stdout == b"0\n"
}

impl Server {
    /// Starts one with the further settings; `None`, with a word, where none is installed.
    pub(crate) fn start(settings: &[&str]) -> Option<Self> {
        let Some(programs) = programs() else {
            crate::common::left_out("a PostgreSQL server (Debian's package postgresql)");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut server = Self { programs, folder, port, child: None };
        server.prepare(settings);
        server.run();
        Some(server)
    }

    fn data(&self) -> String {
        self.folder.path().join("data").display().to_string()
    }

    /// A program of the server's, as a user that it accepts: it refuses root.
    fn program(&self, name: &str) -> Command {
        let path = self.programs.join(name);
        let mut command = match is_root() {
            true => {
                let mut command = Command::new("runuser");
                command.args(["-u", "nobody", "--"]).arg(path);
                command
            }
            false => Command::new(path),
        };
        command.stdin(Stdio::null()).stdout(Stdio::null()).current_dir(self.folder.path());
        command
    }

    /// Makes a file or folder the server's own.
    fn give(&self, path: &Path) {
        if is_root() {
            assert!(Command::new("chown").arg("nobody").arg(path).status().unwrap().success());
        }
    }

    /// Has the server encrypt with a certificate of its own for `localhost`, and tells where that is;
    /// `None` where there is no openssl to make one.
    pub(crate) fn encrypt(&mut self) -> Option<PathBuf> {
        let (key, certificate) = (self.folder.path().join("key.pem"), self.folder.path().join("cert.pem"));
        let mut command = Command::new("openssl");
        command.args(["req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-newkey", "ec"]);
        command.args(["-pkeyopt", "ec_paramgen_curve:prime256v1", "-addext", "subjectAltName=DNS:localhost"]);
        command.args(["-addext", "basicConstraints=critical,CA:FALSE", "-keyout"]).arg(&key);
        let made = command.arg("-out").arg(&certificate).stderr(Stdio::null()).status();
        if !made.is_ok_and(|status| status.success()) {
            crate::common::left_out("openssl");
            return None;
        }
        self.give(&key);
        let file = |path: &Path| path.display().to_string();
        self.sql(&format!("ALTER SYSTEM SET ssl_key_file = '{}'", file(&key)));
        self.sql(&format!("ALTER SYSTEM SET ssl_cert_file = '{}'", file(&certificate)));
        self.sql("ALTER SYSTEM SET ssl = on");
        self.crash();
        self.run();
        Some(certificate)
    }

    fn prepare(&self, settings: &[&str]) {
        self.give(self.folder.path());
        let secret = self.folder.path().join("password");
        std::fs::write(&secret, PASSWORD).unwrap();
        let mut command = self.program("initdb");
        command.args(["--no-sync", "--username", "admin", "--auth", "scram-sha-256", "--encoding", "UTF8"]);
        command.args(["--locale", "C", "--pgdata", &self.data(), "--pwfile"]).arg(secret);
        assert!(command.status().unwrap().success(), "initdb fails");
        let socket = self.folder.path().display();
        let mut text = format!("port = {}\nlisten_addresses = '127.0.0.1'\n", self.port);
        text += &format!("unix_socket_directories = '{socket}'\nfsync = off\nlog_min_messages = fatal\n");
        settings.iter().for_each(|line| text += &format!("{line}\n"));
        std::fs::write(self.folder.path().join("data/postgresql.auto.conf"), text).unwrap();
    }

    /// Starts the server, which `timeout` ends if nobody else does, and waits until it answers.
    pub(crate) fn run(&mut self) {
        let server = self.programs.join("postgres").display().to_string();
        let mut command = match is_root() {
            true => {
                let mut command = Command::new("runuser");
                command.args(["-u", "nobody", "--", "timeout"]);
                command
            }
            false => Command::new("timeout"),
        };
        command.args(["--signal", "QUIT", SECONDS, &server, "-D", &self.data()]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        self.child = Some(command.current_dir(self.folder.path()).spawn().unwrap());
        self.wait();
    }

    /// Waits until the server answers.
    pub(crate) fn wait(&self) {
        let deadline = Instant::now() + Duration::from_secs(60);
        while !self.answers() {
            assert!(Instant::now() < deadline, "the server does not start");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn answers(&self) -> bool {
        let port = self.port.to_string();
        self.program("pg_isready").args(["-q", "-h", "127.0.0.1", "-p", &port]).status().unwrap().success()
    }

    /// Stops the server as a crash would.
    pub(crate) fn crash(&mut self) {
        let stop = ["stop", "-w", "-t", "20", "-m", "immediate", "-D", &self.data()];
        let _ = self.program("pg_ctl").args(stop).stderr(Stdio::null()).status();
        if let Some(mut child) = self.child.take() {
            let _ = child.wait();
        }
    }

    /// The address of a database, without credentials.
    pub(crate) fn address(&self) -> String {
        format!("postgresql://127.0.0.1:{}/postgres", self.port)
    }

    /// The address by the socket in the server's folder.
    pub(crate) fn socket_address(&self) -> String {
        format!("postgresql:///postgres?host={}&port={}", self.folder.path().display(), self.port)
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// What a statement gives, one record a line.
    pub(crate) fn sql(&self, statement: &str) -> String {
        let port = self.port.to_string();
        let mut command = Command::new(self.programs.join("psql"));
        command.args([
            "-h",
            "127.0.0.1",
            "-p",
            &port,
            "-U",
            "admin",
            "-d",
            "postgres",
            "-X",
            "-A",
            "-t",
            "-q",
        ]);
        command.args(["-v", "ON_ERROR_STOP=1", "-c", statement]).env("PGPASSWORD", PASSWORD);
        let output = command.stdin(Stdio::null()).output().unwrap();
        assert!(output.status.success(), "{statement}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Waits until the number that a statement gives is not 0.
    pub(crate) fn wait_until(&self, statement: &str) {
        let deadline = Instant::now() + Duration::from_secs(60);
        while self.sql(statement).trim() == "0" {
            assert!(Instant::now() < deadline, "never: {statement}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.crash();
    }
}

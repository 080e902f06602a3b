//! Tables in a bucket of an S3-compatible server on loopback. Needs `moto_server` (`pip install moto[server]`)
//! and `curl`, or is left out with a word.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{Folder, OPTIMAL, Run};
use crate::nodes::{Node, same};

/// A server with a bucket.
struct Server {
    process: Child,
    endpoint: String,
}

impl Server {
    fn start() -> Option<Self> {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new("moto_server");
        command
            .args(["-H", "127.0.0.1", "-p", &port.to_string()])
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let server = Self { process: command.spawn().ok()?, endpoint: format!("http://127.0.0.1:{port}") };
        let deadline = Instant::now() + Duration::from_secs(30);
        while Instant::now() < deadline {
            if curl(&["-X", "PUT", &format!("{}/bucket", server.endpoint)]) {
                return Some(server);
            }
            std::thread::sleep(Duration::from_millis(200));
        }
        None
    }

    fn put(&self, folder: &Folder, file: &str) {
        let path = folder.path(file).display().to_string();
        assert!(curl(&["-T", &path, &format!("{}/bucket/tables/{file}", self.endpoint)]));
    }

    /// A command that may use the bucket.
    fn with_access(&self, mut command: Command) -> Command {
        command
            .env("AWS_ACCESS_KEY_ID", "key")
            .env("AWS_SECRET_ACCESS_KEY", "secret-of-the-test")
            .env("AWS_REGION", "us-east-1")
            .env("AWS_ENDPOINT", &self.endpoint)
            .env("AWS_ALLOW_HTTP", "true");
        command
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn curl(arguments: &[&str]) -> bool {
    let run =
        Command::new("curl").args(["--silent", "--fail", "--output", "/dev/null"]).args(arguments).status();
    run.is_ok_and(|status| status.success())
}

#[test]
fn tables_in_a_bucket_make_the_same_release() {
    let Some(server) = Server::start() else {
        crate::common::left_out("moto_server or curl");
        return;
    };
    let folder = Folder::with(OPTIMAL);
    folder.ok(&["anonymize", "recipe.toml", "--output", "csv-here", "--seed", "3"]);
    folder.ok(&["anonymize", "recipe.toml", "--output", "table", "--set", "output.format=parquet"]);
    std::fs::copy(folder.path("table/data.parquet"), folder.path("patients.parquet")).unwrap();
    let typed = ["--set", "attributes.ClassID={role=\"identifier\"}"];
    let text =
        folder.read("recipe.toml").replace("hierarchy = { interval = [5, 10, 20], min = 0, max = 99 }", "");
    folder.write("flat.toml", text);
    let alone =
        ["anonymize", "flat.toml", "--input", "patients.parquet", "--output", "parquet-here", "--seed", "3"];
    folder.ok(&[&alone[..], &typed].concat());
    server.put(&folder, "patients.csv");
    server.put(&folder, "patients.parquet");

    let scheduler = Node::start(server.with_access(folder.command(&["cluster", "scheduler", "--port", "0"])));
    let url = format!("df://{}", scheduler.address);
    let executor = folder.command(&["cluster", "executor", "--scheduler", &url, "--slots", "2"]);
    let _executor = Node::start(server.with_access(executor));
    let engine = format!("engine={{kind=\"cluster\",scheduler=\"{url}\",timeout=60}}");
    for (recipe, kind, more) in [("recipe.toml", "csv", &[][..]), ("flat.toml", "parquet", &typed[..])] {
        let input = format!("s3://bucket/tables/patients.{kind}");
        let arguments =
            ["anonymize", recipe, "--input", &input, "--output", kind, "--seed", "3", "--set", &engine];
        let run = Run::of(&mut server.with_access(folder.command(&[&arguments[..], more].concat())));
        assert_eq!(run.code, 0, "{}", run.err);
        same(&folder, kind, &format!("{kind}-here"));
    }
    let missing = ["anonymize", "recipe.toml", "--input", "s3://bucket/tables/none.csv", "--set", &engine];
    let run = Run::of(&mut server.with_access(folder.command(&missing)));
    assert_eq!(run.code, 6, "{}", run.err);
    assert!(run.err.contains("cannot fetch it") && !run.err.contains("secret-of-the-test"), "{}", run.err);
    let in_process = ["anonymize", "recipe.toml", "--input", "s3://bucket/tables/patients.csv"];
    folder.refused(&in_process, 2, &["objects are read by a cluster"]);
}

//! Nodes of a cluster, each a process of its own that ends with the test.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{Folder, Run};

/// A running node.
pub(crate) struct Node {
    process: Child,
    pub(crate) address: String,
}

impl Node {
    /// Starts one and waits until it listens.
    pub(crate) fn start(mut command: Command) -> Self {
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.split("listens at ").nth(1).and_then(|rest| rest.split(';').next());
        let address = address.unwrap_or_else(|| panic!("not listening: {line:?}")).to_owned();
        Self { process, address }
    }

    pub(crate) fn kill(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }

    /// Sends Ctrl-C and waits; the exit code.
    pub(crate) fn interrupt(mut self) -> Option<i32> {
        let id = self.process.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        let deadline = Instant::now() + Duration::from_secs(20);
        while Instant::now() < deadline {
            if let Some(status) = self.process.try_wait().unwrap() {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        None
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A scheduler and its executors.
pub(crate) struct Cluster {
    pub(crate) scheduler: Node,
    pub(crate) executors: Vec<Node>,
    /// Options of nodes and of a driver over TLS.
    node: &'static [&'static str],
    driver: &'static [&'static str],
}

impl Cluster {
    pub(crate) fn start(folder: &Folder, executors: usize) -> Self {
        Self::with(folder, executors, &[], &[])
    }

    /// As [`Cluster::start`], over TLS with certificates that are made in `ca`.
    pub(crate) fn over_tls(folder: &Folder, executors: usize) -> Self {
        folder.ok(&["cluster", "certificates", "ca", "--nodes", "127.0.0.1"]);
        let node = &["--certificates", "ca/127.0.0.1"];
        Self::with(folder, executors, node, &["--set", "engine.certificates=ca/driver"])
    }

    fn with(
        folder: &Folder,
        executors: usize,
        node: &'static [&'static str],
        driver: &'static [&'static str],
    ) -> Self {
        let scheduler = [&["cluster", "scheduler", "--port", "0"], node].concat();
        let scheduler = Node::start(folder.command(&scheduler));
        let mut cluster = Self { scheduler, executors: Vec::new(), node, driver };
        cluster.executors = (0..executors).map(|_| cluster.executor(folder, None)).collect();
        cluster
    }

    /// One more executor.
    pub(crate) fn executor(&self, folder: &Folder, work_dir: Option<&Path>) -> Node {
        let url = self.url();
        let mut command = folder.command(&["cluster", "executor", "--scheduler", &url]);
        command.args(["--slots", "2", "--memory", "512"]).args(self.node);
        if let Some(work_dir) = work_dir {
            command.arg("--work-dir").arg(work_dir);
        }
        Node::start(command)
    }

    /// Kills the scheduler and starts another at its address.
    pub(crate) fn restart_scheduler(&mut self, folder: &Folder) {
        let port = self.scheduler.address.rsplit(':').next().unwrap().to_owned();
        self.scheduler.kill();
        let mut command = folder.command(&["cluster", "scheduler", "--port", &port]);
        command.args(self.node);
        self.scheduler = Node::start(command);
    }

    pub(crate) fn url(&self) -> String {
        format!("df://{}", self.scheduler.address)
    }

    /// `anonymize` on the cluster.
    pub(crate) fn command(&self, folder: &Folder, output: &str, more: &[&str]) -> Command {
        let scheduler = format!("engine.scheduler={}", self.url());
        let mut command = folder.command(&["anonymize", "recipe.toml", "--quiet", "--output", output]);
        command.args(["--set", "engine.kind=cluster", "--set", &scheduler]).args(self.driver).args(more);
        command
    }

    /// Makes `output`, which must be file by file what a run in process makes with the same arguments.
    pub(crate) fn agrees(&self, folder: &Folder, output: &str, cluster: &[&str], both: &[&str]) {
        let here = format!("{output}-here");
        let alone = [&["anonymize", "recipe.toml", "--quiet", "--output", here.as_str()], both].concat();
        folder.ok(&alone);
        let run = Run::of(&mut self.command(folder, output, &[both, cluster].concat()));
        assert_eq!(run.code, 0, "{output}: {}", run.err);
        assert!(
            !run.err.contains("asked again") && !run.err.contains("written again"),
            "{output}: {}",
            run.err
        );
        same(folder, output, &here);
    }
}

/// Two release folders, byte for byte.
pub(crate) fn same(folder: &Folder, one: &str, other: &str) {
    let files = |name: &str| -> Vec<String> {
        let entries = std::fs::read_dir(folder.path(name)).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(files(one), files(other));
    for file in files(one) {
        let bytes = |name: &str| std::fs::read(folder.path(name).join(&file)).unwrap();
        assert!(bytes(one) == bytes(other), "{file} of {one} and {other} differ");
    }
}

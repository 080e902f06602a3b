//! Nodes with addresses and links of their own: each in a network namespace, all on one bridge. Left out with a word where
//! this process may not make namespaces.

use std::process::{Command, Stdio};

use crate::common::{Folder, OPTIMAL, Run};
use crate::nodes::{Node, same};

/// Namespaces that go with the test.
struct Network {
    prefix: String,
    members: Vec<&'static str>,
}

fn ip(arguments: &str) -> bool {
    let mut command = Command::new("ip");
    command.args(arguments.split(' ')).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

impl Network {
    /// A bridge in a namespace of its own, and one namespace for each member: the first is 10.77.0.1.
    fn new(members: &[&'static str]) -> Option<Self> {
        let network = Self { prefix: format!("velamen{}", std::process::id()), members: members.to_vec() };
        let hub = network.name("hub");
        if !(ip(&format!("netns add {hub}")) && ip(&format!("-n {hub} link add bridge type bridge"))) {
            return None;
        }
        let mut made = ip(&format!("-n {hub} link set bridge up"));
        for (number, member) in members.iter().enumerate() {
            let (name, address) = (network.name(member), Self::address(number));
            for step in [
                format!("netns add {name}"),
                format!("-n {hub} link add port{number} type veth peer name eth0 netns {name}"),
                format!("-n {hub} link set port{number} master bridge up"),
                format!("-n {name} address add {address}/24 dev eth0"),
                format!("-n {name} link set eth0 up"),
                format!("-n {name} link set lo up"),
            ] {
                made = made && ip(&step);
            }
        }
        made.then_some(network)
    }

    fn name(&self, member: &str) -> String {
        format!("{}{member}", self.prefix)
    }

    fn address(number: usize) -> String {
        format!("10.77.0.{}", number + 1)
    }

    /// A command of ours in a member's namespace.
    fn command(&self, member: &str, folder: &Folder, arguments: &[&str]) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.name(member), env!("CARGO_BIN_EXE_velamen")]);
        command.args(arguments).current_dir(folder.root()).stdin(Stdio::null());
        command
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        for member in self.members.iter().chain(&["hub"]) {
            ip(&format!("netns del {}", self.name(member)));
        }
    }
}

#[test]
fn machines_of_their_own_know_each_other_by_certificates() {
    let folder = Folder::with(OPTIMAL);
    let Some(network) = Network::new(&["head", "worker1", "worker2", "driver"]) else {
        eprintln!("left out: this process may not make network namespaces");
        return;
    };
    folder.ok(&["anonymize", "recipe.toml", "--seed", "3", "--output", "here"]);
    folder.ok(&["cluster", "certificates", "ca", "--nodes", "10.77.0.1,10.77.0.2,10.77.0.3"]);
    folder.ok(&["cluster", "certificates", "other", "--nodes", "10.77.0.3"]);

    let scheduler = ["cluster", "scheduler", "--bind", "0.0.0.0", "--certificates", "ca/10.77.0.1"];
    let _scheduler = Node::start(network.command("head", &folder, &scheduler));
    let url = "df://10.77.0.1:50050";
    let executor = |member: &str, certificates: &[&str]| {
        let arguments = ["cluster", "executor", "--bind", "0.0.0.0", "--slots", "2", "--scheduler", url];
        network.command(member, &folder, &[&arguments[..], certificates].concat())
    };
    let driver = |output: &str, certificates: &[&str]| {
        let engine = format!("engine.scheduler={url}");
        let arguments = ["anonymize", "recipe.toml", "--seed", "3", "--output", output];
        let engine = ["--set", "engine.kind=cluster", "--set", &engine];
        Run::of(&mut network.command("driver", &folder, &[&arguments[..], &engine, certificates].concat()))
    };
    let refused = |run: &Run, code: i32, says: &str| {
        assert!(run.code == code && run.err.contains(says), "{}: {}", run.code, run.err);
    };
    // Without, of another authority, and for another machine's name.
    refused(&Run::of(&mut executor("worker1", &[])), 2, "error[E0220]");
    refused(&Run::of(&mut executor("worker1", &["--plaintext"])), 6, "wants a certificate");
    let other = ["--certificates", "other/10.77.0.3"];
    refused(&Run::of(&mut executor("worker2", &other)), 6, "of another authority");
    refused(&driver("r", &[]), 6, "wants a certificate");
    refused(&driver("r", &["--set", "engine.certificates=other/driver"]), 6, "of another authority");

    let _workers = [
        Node::start(executor("worker1", &["--certificates", "ca/10.77.0.2"])),
        Node::start(executor("worker2", &["--certificates", "ca/10.77.0.3"])),
    ];
    let run = driver("r", &["--set", "engine.certificates=ca/driver"]);
    assert_eq!(run.code, 0, "{}", run.err);
    same(&folder, "r", "here");
}

//! Everything between driver, scheduler and executors goes through recorders: without TLS they see the table's values,
//! with TLS they do not.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use crate::common::{CANARY, Folder, OPTIMAL, Run, patients};
use crate::nodes::{Node, same};

/// What was heard.
type Heard = Arc<Mutex<Vec<u8>>>;

/// Passes on what comes to `at` to `to`, and keeps it. Ends with the test's process.
fn recorder(at: &str, to: &str, heard: &Heard) -> String {
    let listener = TcpListener::bind(at).unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (to, heard) = (to.to_owned(), Arc::clone(heard));
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let Ok(server) = TcpStream::connect(&to) else { continue };
            for (from, into) in [(&client, &server), (&server, &client)] {
                let (from, into) = (from.try_clone().unwrap(), into.try_clone().unwrap());
                let heard = Arc::clone(&heard);
                std::thread::spawn(move || pass(from, into, &heard));
            }
        }
    });
    address
}

fn pass(mut from: TcpStream, mut into: TcpStream, heard: &Heard) {
    let mut buffer = [0; 1 << 16];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        heard.lock().unwrap().extend_from_slice(&buffer[..length]);
        if into.write_all(&buffer[..length]).is_err() {
            break;
        }
    }
    let _ = into.shutdown(std::net::Shutdown::Write);
}

/// Makes a release on a cluster whose every connection is recorded; what was heard.
fn recorded(folder: &Folder, output: &str, node: &[&str], driver: &[&str]) -> Vec<u8> {
    let heard = Heard::default();
    let scheduler = [&["cluster", "scheduler", "--port", "0"], node].concat();
    let scheduler = Node::start(folder.command(&scheduler));
    let url = format!("df://{}", recorder("127.0.0.3:0", &scheduler.address, &heard));
    let executors: Vec<Node> = (0..2)
        .map(|_| {
            let arguments =
                ["cluster", "executor", "--scheduler", &url, "--slots", "2", "--bind", "127.0.0.2"];
            let mut command = folder.command(&arguments);
            command.args(["--advertise", "127.0.0.3"]).args(node);
            let executor = Node::start(command);
            let port = executor.address.rsplit(':').next().unwrap();
            recorder(&format!("127.0.0.3:{port}"), &executor.address, &heard);
            executor
        })
        .collect();
    let engine = format!("engine.scheduler={url}");
    let mut command = folder.command(&["anonymize", "recipe.toml", "--seed", "3", "--output", output]);
    command.args(["--set", "engine.kind=cluster", "--set", &engine]).args(driver);
    let run = Run::of(&mut command);
    assert_eq!(run.code, 0, "{}", run.err);
    drop(executors);
    let heard = heard.lock().unwrap();
    heard.clone()
}

#[test]
fn over_tls_no_value_of_the_table_is_heard() {
    let folder = Folder::with(OPTIMAL);
    folder.write("patients.csv", patients().replace("I63", CANARY));
    folder.ok(&["anonymize", "recipe.toml", "--seed", "3", "--output", "here"]);
    folder.ok(&["cluster", "certificates", "ca", "--nodes", "127.0.0.3"]);
    let contains = |heard: &[u8], text: &str| heard.windows(text.len()).any(|part| part == text.as_bytes());
    let open = recorded(&folder, "open", &[], &[]);
    assert!(contains(&open, CANARY) && contains(&open, "patients.csv"), "the recorders hear nothing");
    let (node, driver) = (["--certificates", "ca/127.0.0.3"], ["--set", "engine.certificates=ca/driver"]);
    let closed = recorded(&folder, "closed", &node, &driver);
    assert!(closed.len() > open.len() / 4, "{} bytes instead of {}", closed.len(), open.len());
    for text in [CANARY, "patients.csv", "SELECT", "PRI * HTTP/2.0"] {
        assert!(!contains(&closed, text), "{text} travels in the clear");
    }
    for output in ["open", "closed"] {
        same(&folder, output, "here");
    }
}

//! Nodes that are killed, parts that are cut off, disks that are full: the right release or an error.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use crate::common::{Folder, Run};
use crate::nodes::{Cluster, same};

const RECIPE: &str = r#"
unnamed = "insensitive"
[input]
path = "patients.csv"
[attributes.age]
role = "quasi-identifier"
hierarchy = { interval = [5, 10, 20], min = 0, max = 99 }
[attributes.sex]
role = "quasi-identifier"
[attributes.location]
role = "quasi-identifier"
hierarchy = { mask = "right", length = 4 }
[attributes.surgery]
role = "identifier"
[attributes.diagnosis]
role = "sensitive"
[[privacy]]
model = "k-anonymity"
k = 10
[method]
name = "optimal"
seed = 5
[output]
path = "here"
"#;

/// Records of the table: some seconds of work for a build without optimization.
const ROWS: u32 = 120_000;

fn made(rows: u32) -> Folder {
    let folder = Folder::new();
    folder.write("recipe.toml", RECIPE);
    folder.ok(&["synth", "nps", "--rows", &rows.to_string(), "--output", "patients.csv", "--quiet"]);
    folder.ok(&["anonymize", "recipe.toml", "--quiet"]);
    folder
}

/// A folder with the table of [`ROWS`] records and its release, which are made once for all tests.
fn folder() -> Folder {
    static MADE: LazyLock<Vec<(PathBuf, Vec<u8>)>> = LazyLock::new(|| {
        let made = made(ROWS);
        let kept = |path: PathBuf| {
            (path.strip_prefix(made.root()).unwrap().to_owned(), std::fs::read(&path).unwrap())
        };
        files(made.root()).into_iter().map(kept).collect()
    });
    let folder = Folder::new();
    for (name, bytes) in &*MADE {
        let to = folder.root().join(name);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::write(to, bytes).unwrap();
    }
    folder
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// Runs while something happens; the right release, or an error of reading and writing and no release.
/// Returns what the run said.
fn survives(folder: &Folder, mut command: Command, happens: impl FnOnce()) -> (bool, String) {
    for name in ["r", "r.custodian"] {
        let _ = std::fs::remove_dir_all(folder.path(name));
    }
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    happens();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    let code = output.status.code();
    if code == Some(0) {
        same(folder, "r", "here");
    } else {
        assert_eq!(code, Some(6), "{said}");
        assert!(said.contains("error[E06"), "{said}");
        assert!(!folder.path("r").exists() && !folder.path("r.custodian").exists());
    }
    (code == Some(0), said)
}

const QUICK: [&str; 4] = ["--set", "engine.timeout=40", "--set", "engine.retries=3"];

/// One of three executors is killed after each of these times, and another one started.
fn kill_executors(
    folder: &Folder,
    mut cluster: Cluster,
    moments: impl Iterator<Item = Duration>,
) -> (u32, u32) {
    let (mut right, mut refused) = (0, 0);
    for (number, moment) in moments.enumerate() {
        let shared = format!("engine.shared={}", folder.root().display());
        let command = cluster.command(folder, "r", &[&QUICK[..], &["--set", &shared]].concat());
        let (done, said) = survives(folder, command, || {
            std::thread::sleep(moment);
            cluster.executors[number % 3].kill();
        });
        cluster.executors[number % 3] = cluster.executor(folder, None);
        let words: Vec<&str> =
            said.lines().filter(|line| line.contains("again") || line.contains("error")).collect();
        eprintln!("executor killed after {moment:?}: {} {words:?}", if done { "right" } else { "refused" });
        if done { right += 1 } else { refused += 1 }
    }
    (right, refused)
}

#[test]
fn killed_executors_never_make_a_wrong_release() {
    let folder = folder();
    let moments = || [400, 1_200].into_iter().map(Duration::from_millis);
    for cluster in [Cluster::start(&folder, 3), Cluster::over_tls(&folder, 3)] {
        let (right, refused) = kill_executors(&folder, cluster, moments());
        assert_eq!(right + refused, 2);
    }
}

/// As above at many moments: docs/cluster.md.
#[test]
#[ignore = "takes many minutes"]
fn executors_killed_at_many_moments_never_make_a_wrong_release() {
    let number = |name: &str, other: u32| std::env::var(name).map_or(other, |text| text.parse().unwrap());
    let (kills, rows) = (number("VELAMEN_KILLS", 60), number("VELAMEN_ROWS", 1_500_000));
    let span = number("VELAMEN_SPAN_MS", 10_000);
    let folder = made(rows);
    let moments =
        (0..kills).map(|n| Duration::from_millis((u64::from(span) * u64::from(n)) / u64::from(kills)));
    let over_tls = std::env::var_os("VELAMEN_TLS").is_some();
    let cluster = if over_tls { Cluster::over_tls(&folder, 3) } else { Cluster::start(&folder, 3) };
    let (right, refused) = kill_executors(&folder, cluster, moments);
    eprintln!("{kills} kills: {right} right releases, {refused} refused, 0 wrong");
}

#[test]
fn a_scheduler_started_again_is_found_again() {
    let folder = folder();
    for mut cluster in [Cluster::start(&folder, 2), Cluster::over_tls(&folder, 2)] {
        let command = cluster.command(&folder, "r", &QUICK);
        let (done, said) = survives(&folder, command, || {
            std::thread::sleep(Duration::from_millis(700));
            cluster.restart_scheduler(&folder);
        });
        assert!(done, "{said}");
    }
}

#[test]
fn without_executors_there_is_an_error_in_time() {
    let folder = made(2_000);
    let cluster = Cluster::start(&folder, 0);
    let quick = ["--set", "engine.timeout=2", "--set", "engine.retries=1"];
    let (done, said) = survives(&folder, cluster.command(&folder, "r", &quick), || ());
    assert!(!done && said.contains("no executor took up any work within 2 seconds"), "{said}");
    assert!(said.contains(&cluster.url()), "{said}");
}

/// The parts that executors wrote.
fn parts(shared: &Path) -> Vec<PathBuf> {
    let files = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).into_iter().flatten();
        entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
    };
    let written =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().contains("-0.parquet"));
    files(shared).iter().flat_map(|folder| files(folder)).filter(written).collect()
}

#[test]
fn parts_that_are_cut_off_are_written_again() {
    let folder = folder();
    let cluster = Cluster::start(&folder, 2);
    let shared = folder.path("shared");
    std::fs::create_dir(&shared).unwrap();
    let setting = format!("engine.shared={}", shared.display());
    let command = cluster.command(&folder, "r", &[&QUICK[..], &["--set", &setting]].concat());
    let (stop, cut) = (AtomicBool::new(false), AtomicU32::new(0));
    let (done, said) = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                for part in parts(&shared) {
                    let file = std::fs::OpenOptions::new().write(true).open(part);
                    if let Some(length) = file.as_ref().ok().and_then(|file| file.metadata().ok()) {
                        let shorter = file.unwrap().set_len(length.len() / 2);
                        cut.fetch_add(u32::from(shorter.is_ok()), Ordering::Relaxed);
                    }
                }
            }
        });
        let outcome = survives(&folder, command, || ());
        stop.store(true, Ordering::Relaxed);
        outcome
    });
    assert!(done && cut.load(Ordering::Relaxed) > 0, "{said}");
    assert!(std::fs::read_dir(&shared).unwrap().next().is_none(), "parts are left behind");
}

/// A disk of 256 KiB, where this process may mount one.
struct Disk(PathBuf);

impl Disk {
    fn mount(folder: &Folder) -> Option<Self> {
        let path = folder.path("disk");
        std::fs::create_dir(&path).unwrap();
        let mut mount = Command::new("mount");
        let run =
            mount.args(["-t", "tmpfs", "-o", "size=256k", "none"]).arg(&path).stderr(Stdio::null()).status();
        run.is_ok_and(|status| status.success()).then_some(Self(path))
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn full_disks_are_told() {
    let folder = folder();
    let Some(disk) = Disk::mount(&folder) else {
        eprintln!("left out: this process may not mount a small disk");
        return;
    };
    let mut cluster = Cluster::start(&folder, 0);
    cluster.executors = (0..2).map(|_| cluster.executor(&folder, Some(&disk.0))).collect();
    let quick = ["--set", "engine.timeout=20", "--set", "engine.retries=1"];
    let (done, said) = survives(&folder, cluster.command(&folder, "r", &quick), || ());
    assert!(!done && said.contains("attempt 2"), "{said}");
    cluster.executors = (0..2).map(|_| cluster.executor(&folder, None)).collect();
    let shared = format!("engine.shared={}", disk.0.display());
    let command = cluster.command(&folder, "r", &[&quick[..], &["--set", &shared]].concat());
    let (done, said) = survives(&folder, command, || ());
    assert!(!done && said.contains("disk"), "{said}");
}

#[test]
fn an_interrupted_run_leaves_nothing() {
    let folder = folder();
    let cluster = Cluster::start(&folder, 0);
    let before = folder.entries();
    let mut command = cluster.command(&folder, "r", &[]);
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1_500));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(folder.entries(), before);
    let run = Run::of(&mut folder.command(&["verify", "here"]));
    assert_eq!(run.code, 0);
}

//! What the machine has free: memory, by the kernel, the control groups and the limit of the process, and disk.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

/// What a run can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Machine {
    /// Free memory in bytes; `None` where the system does not tell.
    pub memory: Option<u64>,
    /// Free bytes of the file system that the release goes to; `None` where the system does not tell.
    pub disk: Option<u64>,
}

impl Machine {
    /// This machine; `folder` is where the release will be.
    pub(super) fn look(folder: &Path) -> Self {
        Self { memory: free_memory(), disk: free_disk(folder) }
    }
}

/// What this process took of the processor so far.
#[cfg(unix)]
pub(super) fn cpu_seconds() -> Option<f64> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9)
}

#[cfg(not(unix))]
pub(super) fn cpu_seconds() -> Option<f64> {
    None
}

/// What the kernel calls available, or what the control groups or the limit of the process leave if that is less.
pub(crate) fn free_memory() -> Option<u64> {
    let kernel = read("/proc/meminfo").and_then(|text| available(&text));
    let group = read("/proc/self/cgroup").and_then(|text| own_group(&text)).unwrap_or_default();
    let groups = Path::new("/sys/fs/cgroup");
    let of_groups = Path::new(&group).ancestors().filter_map(|group| {
        let folder = groups.join(group);
        let most = std::fs::read_to_string(folder.join("memory.max")).ok()?.trim().parse::<u64>().ok()?;
        let used =
            std::fs::read_to_string(folder.join("memory.stat")).ok().and_then(|text| field(&text, "anon"));
        Some(most.saturating_sub(used.unwrap_or(0)))
    });
    let old = read("/sys/fs/cgroup/memory/memory.limit_in_bytes").and_then(|text| text.trim().parse().ok());
    kernel.into_iter().chain(of_groups).chain(old).chain(free_addresses()).min()
}

/// What each thread's allocator may map ahead.
const AHEAD: u64 = 64 << 20;

/// The share of the other free addresses that a run can fill: what was given back stays mapped in pieces.
const FILLED: f64 = 0.5;

/// What can be used of what `ulimit -v` leaves, as batch systems set it: it counts all that is mapped, used or not.
fn free_addresses() -> Option<u64> {
    let most = address_limit(&read("/proc/self/limits")?)?;
    let mapped = field(&read("/proc/self/status")?, "VmSize:")? * 1024;
    let ahead = AHEAD * rayon::current_num_threads() as u64;
    Some((FILLED * most.saturating_sub(mapped).saturating_sub(ahead) as f64) as u64)
}

/// The limit that binds, which is the first of two numbers, in bytes; `None` where there is none.
fn address_limit(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

fn read(path: &str) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

/// `MemAvailable` of /proc/meminfo, in bytes.
fn available(text: &str) -> Option<u64> {
    field(text, "MemAvailable:").map(|kibibytes| kibibytes * 1024)
}

/// The number that follows a name at a line's start.
fn field(text: &str, name: &str) -> Option<u64> {
    let mut lines = text.lines().map(|line| line.split_whitespace());
    lines.find_map(|mut words| (words.next() == Some(name)).then(|| words.next()?.parse().ok())?)
}

/// The group of the second version's hierarchy, without the slash in front.
fn own_group(text: &str) -> Option<String> {
    text.lines().find_map(|line| line.strip_prefix("0::/")).map(str::to_owned)
}

/// The nearest folder that exists decides.
#[cfg(unix)]
fn free_disk(folder: &Path) -> Option<u64> {
    let absolute = std::path::absolute(folder).ok()?;
    let known = absolute.ancestors().find(|folder| folder.exists())?;
    let system = rustix::fs::statvfs(known).ok()?;
    Some(system.f_bavail.saturating_mul(system.f_frsize))
}

#[cfg(not(unix))]
fn free_disk(_folder: &Path) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_systems_files_are_understood() {
        let text = "MemTotal:       24657128 kB\nMemFree:  1 kB\nMemAvailable:   22000000 kB\n";
        assert_eq!(available(text), Some(22_000_000 * 1024));
        assert_eq!(field("anon 12\nanon_thp 7\n", "anon"), Some(12));
        assert_eq!(own_group("1:name=x:/y\n0::/user.slice/a\n"), Some("user.slice/a".into()));
        assert_eq!(available("nothing"), None);
        let limits = |limit: &str| {
            format!(
                "Max cpu time  unlimited  unlimited  seconds\nMax address space    {limit}  unlimited  bytes\n"
            )
        };
        assert_eq!(address_limit(&limits("409600000")), Some(409_600_000));
        assert_eq!(address_limit(&limits("unlimited")), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_machine_has_memory_and_disk() {
        let machine = Machine::look(Path::new("a/release/to/be"));
        assert!(machine.memory.is_some_and(|bytes| bytes > 1 << 20));
        assert!(machine.disk.is_some());
    }
}

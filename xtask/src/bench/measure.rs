//! Time and memory of a process, as the kernel counts them. For Linux.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How often the highest memory so far is asked for; what comes after the last time is missed.
const LOOK: Duration = Duration::from_millis(2);

/// Ticks of a second in /proc: fixed for programs, whatever the kernel's own.
const TICKS: f64 = 100.0;

/// What a run took.
#[derive(Debug, Clone, Copy)]
pub(super) struct Taken {
    pub(super) wall: f64,
    pub(super) cpu: f64,
    pub(super) mebibytes: f64,
}

/// Runs a command that must succeed.
pub(super) fn run(command: &mut Command) -> Result<Taken, String> {
    let shown = format!("{command:?}");
    let failed = |error: std::io::Error| format!("{shown}: {error}");
    let (before, began) = (cpu_of_children(), Instant::now());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().map_err(failed)?;
    let mut most = 0;
    let status = loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            break status;
        }
        most = highest(&child).unwrap_or(most).max(most);
        std::thread::sleep(LOOK);
    };
    let wall = began.elapsed().as_secs_f64();
    if !status.success() {
        let told = child.stderr.take().map(std::io::read_to_string);
        return Err(format!("{shown} failed\n{}", told.transpose().map_err(failed)?.unwrap_or_default()));
    }
    Ok(Taken { wall, cpu: cpu_of_children() - before, mebibytes: most as f64 / 1024.0 })
}

/// The highest memory of a process so far, in KiB.
fn highest(child: &Child) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.split_whitespace().next()?.parse().ok()
}

/// Seconds of all processes that were waited for.
fn cpu_of_children() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = text.rsplit(')').next().unwrap_or_default();
    // Fields 16 and 17 of the whole line; the name in brackets is the second.
    let ticks = after_name.split_whitespace().skip(13).take(2).filter_map(|field| field.parse::<f64>().ok());
    ticks.sum::<f64>() / TICKS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn a_process_takes_time_and_memory() {
        let taken = run(Command::new("sleep").arg("0.05")).unwrap();
        assert!(taken.wall >= 0.05 && taken.mebibytes > 0.1, "{taken:?}");
        assert!(run(&mut Command::new("false")).is_err());
    }
}

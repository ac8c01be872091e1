//! Measures the resources of this process: descriptors, children, memory. For tests of leaks and of limits (Linux).

/// Returns the number of open file descriptors, without the one that is used for counting.
#[must_use]
pub fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").map_or(0, |entries| entries.count().saturating_sub(1))
}

/// Returns the processes that this one has started and not yet waited for, zombies included.
#[must_use]
pub fn children() -> Vec<u32> {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    lists
        .flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<u32>>())
        .collect()
}

/// Returns the resident memory in bytes.
#[must_use]
pub fn resident() -> usize {
    field("/proc/self/status", "VmRSS:")
}

/// Returns the most memory that was ever resident, in bytes; see [`forget_peak`].
#[must_use]
pub fn peak() -> usize {
    field("/proc/self/status", "VmHWM:")
}

/// Resets the peak to the present size.
pub fn forget_peak() {
    drop(std::fs::write("/proc/self/clear_refs", "5"));
}

fn field(path: &str, name: &str) -> usize {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("0");
    let kilobytes: usize = line.trim().trim_end_matches("kB").trim().parse().unwrap_or(0);
    kilobytes * 1024
}

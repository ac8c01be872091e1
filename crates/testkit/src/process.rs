//! What this process holds: descriptors, children, memory. For tests of leaks and of bounds (Linux).

/// Open file descriptors, without the one that counts them.
#[must_use]
pub fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").map_or(0, |entries| entries.count().saturating_sub(1))
}

/// The processes that this one has started and that were not waited for, zombies included.
#[must_use]
pub fn children() -> Vec<u32> {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    lists
        .flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<u32>>())
        .collect()
}

/// Resident memory in bytes.
#[must_use]
pub fn resident() -> usize {
    field("/proc/self/status", "VmRSS:")
}

/// The most memory that was ever resident, in bytes; see [`forget_peak`].
#[must_use]
pub fn peak() -> usize {
    field("/proc/self/status", "VmHWM:")
}

/// Makes the present the peak.
pub fn forget_peak() {
    drop(std::fs::write("/proc/self/clear_refs", "5"));
}

fn field(path: &str, name: &str) -> usize {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("0");
    let kilobytes: usize = line.trim().trim_end_matches("kB").trim().parse().unwrap_or(0);
    kilobytes * 1024
}

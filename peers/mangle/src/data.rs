//! The inputs, generated from a seed, so that every engine and every run has equal rows.

/// The cases; `tools` is the selection of tools for an intent.
pub const CASES: &[&str] = &["chain", "sparse", "large", "reach", "generation", "tools", "sum", "absent"];

/// Rows of one width, with the name of their relation.
pub struct Table {
    pub name: &'static str,
    pub width: usize,
    pub rows: Vec<i32>,
}

impl Table {
    /// Returns the rows as pairs.
    pub fn pairs(&self) -> Vec<(i32, i32)> {
        self.rows.chunks_exact(2).map(|row| (row[0], row[1])).collect()
    }

    /// Returns the rows as triples.
    pub fn triples(&self) -> Vec<(i32, i32, i32)> {
        self.rows.chunks_exact(3).map(|row| (row[0], row[1], row[2])).collect()
    }

    /// Returns the rows as single values.
    pub fn singles(&self) -> Vec<(i32,)> {
        self.rows.iter().map(|&value| (value,)).collect()
    }
}

/// The input of a case.
pub struct Input {
    pub case: &'static str,
    pub tables: Vec<Table>,
}

/// The SplitMix64 random generator.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: u64) -> i32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((word ^ (word >> 31)) % limit) as i32
    }
}

/// Returns different edges between `nodes`, in random order.
fn edges(nodes: u64, count: usize) -> Vec<i32> {
    let mut random = Random(42);
    let mut seen = std::collections::HashSet::new();
    let mut rows = Vec::with_capacity(2 * count);
    while seen.len() < count {
        let edge = (random.below(nodes), random.below(nodes));
        if seen.insert(edge) {
            rows.extend([edge.0, edge.1]);
        }
    }
    rows
}

/// Returns a tree in which each node of a level has `fan` children.
fn tree(depth: u32, fan: i32) -> Vec<i32> {
    let (mut rows, mut level, mut next) = (Vec::new(), vec![0], 1);
    for _ in 0..depth {
        let mut below = Vec::new();
        for parent in level {
            for _ in 0..fan {
                rows.extend([parent, next]);
                below.push(next);
                next += 1;
            }
        }
        level = below;
    }
    rows
}

impl Input {
    /// Returns the input of a case; `size` replaces its usual number of facts.
    pub fn of(case: &str, size: Option<usize>) -> Option<Self> {
        let case = *CASES.iter().find(|known| **known == case)?;
        let pairs = |rows| {
            vec![Table {
                name: "edge",
                width: 2,
                rows,
            }]
        };
        let tables = match case {
            "chain" => pairs((0..size.unwrap_or(1_000) as i32).flat_map(|node| [node, node + 1]).collect()),
            "sparse" => pairs(edges(size.unwrap_or(8_000) as u64 * 5 / 4, size.unwrap_or(8_000))),
            "large" => pairs(edges(size.unwrap_or(100_000) as u64 * 6 / 5, size.unwrap_or(100_000))),
            "reach" => {
                let rows = edges(size.unwrap_or(100_000) as u64 / 2, size.unwrap_or(100_000));
                let start = Table {
                    name: "start",
                    width: 1,
                    rows: vec![rows[0]],
                };
                let mut tables = pairs(rows);
                tables.push(start);
                tables
            }
            "generation" => pairs(tree(size.unwrap_or(6) as u32, 3)),
            "tools" => tools(size.unwrap_or(10_000)),
            "sum" => sales(size.unwrap_or(300_000)),
            "absent" => absent(size.unwrap_or(300_000)),
            _ => return None,
        };
        Some(Self { case, tables })
    }

    /// Returns a table by its name.
    pub fn table(&self, name: &str) -> &Table {
        self.tables
            .iter()
            .find(|table| table.name == name)
            .expect("the case has this table")
    }
}

fn table(name: &'static str, width: usize, count: usize, mut row: impl FnMut(usize) -> Vec<i32>) -> Table {
    Table {
        name,
        width,
        rows: (0..count).flat_map(&mut row).collect(),
    }
}

/// Generates tools with tags, costs, servers, conflicts and dependencies; the wishes of an intent come with the
/// request.
fn tools(count: usize) -> Vec<Table> {
    let limit = count as u64;
    let mut random = Random(7);
    vec![
        table("tool", 3, count, |tool| vec![tool as i32, random.below(100), random.below(100)]),
        table("tagged", 2, 2 * count, |at| {
            vec![(at / 2) as i32, 2 * random_of(at, 50) + (at % 2) as i32]
        }),
        table("requires", 2, count / 2, |at| {
            vec![random_of(at, limit), random_of(at + count, limit)]
        }),
        table("conflicts", 2, count / 4, |at| {
            vec![random_of(at + 2 * count, limit), random_of(at + 3 * count, limit)]
        }),
        table("prohibited", 1, count / 20, |at| vec![random_of(at + 4 * count, limit)]),
        table("online", 1, 90, |server| vec![server as i32]),
        table("mandatory", 2, count / 50, |at| {
            vec![(at % 20) as i32, random_of(at + 5 * count, limit)]
        }),
        table("wants", 2, 30, |at| vec![(at * 3) as i32, 20 + (at % 7) as i32 * 10]),
        table("intent", 1, 1, |_| vec![3]),
    ]
}

/// Returns a number that depends only on `at`.
fn random_of(at: usize, limit: u64) -> i32 {
    Random(at as u64).below(limit)
}

fn sales(count: usize) -> Vec<Table> {
    let shops = (count / 30).max(1) as u64;
    let mut random = Random(11);
    vec![table("sale", 3, count, |at| {
        vec![random.below(shops), at as i32, random.below(1_000)]
    })]
}

fn absent(count: usize) -> Vec<Table> {
    let limit = count as u64;
    vec![
        table("order", 2, count, |at| vec![at as i32, random_of(at, limit)]),
        table("paid", 2, count / 2, |at| vec![2 * at as i32, random_of(2 * at, limit)]),
    ]
}

//! Tables, for a terminal or for Markdown.

use std::fmt::Write;

/// A table with a title; numbers stand on the right.
#[derive(Debug)]
pub(crate) struct Table {
    title: String,
    header: Vec<&'static str>,
    /// The columns from this one on hold numbers.
    numbers_from: usize,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub(crate) fn new(title: impl Into<String>, header: &[&'static str], numbers_from: usize) -> Self {
        Self {
            title: title.into(),
            header: header.to_vec(),
            numbers_from,
            rows: Vec::new(),
        }
    }

    /// Adds a row, which has as many cells as the header.
    pub(crate) fn row(&mut self, cells: impl Into<Vec<String>>) {
        self.rows.push(cells.into());
    }

    /// Whether nothing stands in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The table as text: Markdown, or columns in a terminal.
    pub(crate) fn render(&self, markdown: bool) -> String {
        let (edge, between) = if markdown { ("|", " |") } else { ("", " ") };
        let widths: Vec<usize> = (0..self.header.len()).map(|column| self.width(column)).collect();
        let line = |cells: &mut dyn Iterator<Item = &str>| {
            let mut line = edge.to_owned();
            for (column, cell) in cells.enumerate() {
                let padding = " ".repeat(widths[column] - cell.chars().count());
                let (before, after) = if column >= self.numbers_from {
                    (padding.as_str(), "")
                } else {
                    ("", padding.as_str())
                };
                // Writing to a string cannot fail.
                write!(line, " {before}{cell}{after}{between}").ok();
            }
            line.trim_end().to_owned()
        };
        let mut text = if markdown {
            format!("### {}\n\n", self.title)
        } else {
            format!("{}\n", self.title)
        };
        text += &line(&mut self.header.iter().copied());
        text.push('\n');
        if markdown {
            let rules: Vec<String> = widths.iter().enumerate().map(|(column, width)| self.rule(column, *width)).collect();
            text += &line(&mut rules.iter().map(String::as_str));
            text.push('\n');
        }
        for row in &self.rows {
            text += &line(&mut row.iter().map(String::as_str));
            text.push('\n');
        }
        text
    }

    fn width(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain([self.header[column].chars().count(), 3]).max().unwrap_or(3)
    }

    fn rule(&self, column: usize, width: usize) -> String {
        if column >= self.numbers_from {
            format!("{}:", "-".repeat(width - 1))
        } else {
            "-".repeat(width)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new("Speed", &["lane", "µs"], 1);
        table.row(["direct".to_owned(), "7".to_owned()]);
        table.row(["hyper".to_owned(), "15.2".to_owned()]);
        table
    }

    #[test]
    fn markdown() {
        assert_eq!(
            table().render(true),
            "### Speed\n\n| lane   |   µs |\n| ------ | ---: |\n| direct |    7 |\n| hyper  | 15.2 |\n"
        );
    }

    #[test]
    fn terminal() {
        assert_eq!(table().render(false), "Speed\n lane      µs\n direct     7\n hyper   15.2\n");
    }
}

//! The tables that `klee-stats` prints, character for character in its own style and in three plainer ones.
//! Scripts cut these lines apart, so widths, alignment and separators must not drift.

use super::StatsError;
use super::columns::{Selection, Totals, find};
use super::store::RunStats;

/// `--table-format`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TableFormat {
    /// Bars and dashes, with a total.
    #[default]
    Klee,
    /// Columns under dashes.
    Simple,
    /// Columns alone.
    Plain,
    /// Comma-separated values.
    Csv,
    /// Comma-separated values in aligned columns.
    ReadableCsv,
}

impl TableFormat {
    /// All formats by name.
    pub const NAMES: &'static [(&'static str, TableFormat)] = &[
        ("klee", TableFormat::Klee),
        ("simple", TableFormat::Simple),
        ("plain", TableFormat::Plain),
        ("csv", TableFormat::Csv),
        ("readable-csv", TableFormat::ReadableCsv),
    ];

    /// The format with this name.
    pub fn from_name(name: &str) -> Option<TableFormat> {
        TableFormat::NAMES.iter().find(|(known, _)| *known == name).map(|(_, format)| *format)
    }
}

/// Options of `klee-stats`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Which columns.
    pub selection: Selection,
    /// In which form.
    pub format: TableFormat,
    /// `--precision`: digits after the point.
    pub precision: usize,
    /// `--sort-by`: the column whose largest value comes first.
    pub sort_by: Option<String>,
    /// `--ascending`: the smallest value first instead.
    pub ascending: bool,
    /// `--to-csv`: all rows and counters of the first run instead of a table.
    pub to_csv: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            selection: Selection::Usual,
            format: TableFormat::Klee,
            precision: 2,
            sort_by: None,
            ascending: false,
            to_csv: false,
        }
    }
}

/// The text for these runs.
pub fn render(runs: &[RunStats], options: &Options) -> Result<String, StatsError> {
    let first = runs.first().ok_or(StatsError::NoRuns)?;
    if options.to_csv {
        return Ok(first.to_csv());
    }
    let columns = options.selection.columns()?;
    let mut rows: Vec<(String, Vec<f64>)> = labels(runs)
        .into_iter()
        .zip(runs)
        .map(|(label, run)| {
            let totals = Totals { runs: &[run] };
            (label, columns.iter().map(|column| column.value(&totals)).collect())
        })
        .collect();
    if let Some(key) = &options.sort_by {
        if key == "Path" {
            rows.sort_by(|a, b| a.0.cmp(&b.0));
        } else {
            let index = find(key, &columns)?;
            rows.sort_by(|a, b| a.1[index].total_cmp(&b.1[index]));
        }
        if !options.ascending {
            rows.reverse();
        }
    }
    let with_total = runs.len() > 1 && !matches!(options.format, TableFormat::Csv | TableFormat::ReadableCsv);
    if with_total {
        let all: Vec<&RunStats> = runs.iter().collect();
        let totals = Totals { runs: &all };
        let values = columns.iter().map(|column| column.value(&totals)).collect();
        rows.push((format!("Total ({})", runs.len()), values));
    }

    let mut cells: Vec<Vec<String>> =
        vec![std::iter::once("Path").chain(columns.iter().map(|c| c.name)).map(String::from).collect()];
    for (label, values) in rows {
        let mut row = vec![label];
        for (column, value) in columns.iter().zip(values) {
            let digits = if column.is_integer() { 0 } else { options.precision };
            row.push(format!("{value:.digits$}"));
        }
        cells.push(row);
    }
    Ok(layout(&cells, options.format, with_total))
}

/// The directories' names, without the part they have in common.
fn labels(runs: &[RunStats]) -> Vec<String> {
    let parts: Vec<Vec<String>> = runs
        .iter()
        .map(|run| {
            let dir = run.path.parent().unwrap_or(&run.path);
            dir.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect()
        })
        .collect();
    let shortest = parts.iter().map(Vec::len).min().unwrap_or(0);
    let common = if runs.len() < 2 {
        0
    } else {
        // At least the last part of each name stays.
        let limit = shortest.saturating_sub(1);
        (0..limit).take_while(|index| parts.iter().all(|p| p[*index] == parts[0][*index])).count()
    };
    parts
        .iter()
        .map(|p| {
            let rest = p[common..].join("/").replace("//", "/");
            if rest.is_empty() { ".".into() } else { rest }
        })
        .collect()
}

/// Puts cells, the headings first, into a table.
fn layout(cells: &[Vec<String>], format: TableFormat, with_total: bool) -> String {
    let count = cells[0].len();
    // A heading has two columns of air, as in the original.
    let width = |index: usize| {
        let widest = cells[1..].iter().map(|row| row[index].chars().count()).max().unwrap_or(0);
        widest.max(cells[0][index].chars().count() + 2)
    };
    let widths: Vec<usize> = match format {
        TableFormat::Csv => vec![0; count],
        _ => (0..count).map(width).collect(),
    };
    let aligned = |row: &Vec<String>| -> Vec<String> {
        row.iter()
            .zip(&widths)
            .enumerate()
            .map(|(index, (cell, width))| match (index, format) {
                (0, TableFormat::ReadableCsv) => format!("{cell:<width$}"),
                (0, _) => format!("{cell:^width$}"),
                _ => format!("{cell:>width$}"),
            })
            .collect()
    };
    let mut lines: Vec<String> = cells
        .iter()
        .map(|row| match format {
            TableFormat::Klee => format!("|{}|", aligned(row).join("|")),
            TableFormat::Simple | TableFormat::Plain => aligned(row).join("  ").trim_end().to_string(),
            TableFormat::Csv | TableFormat::ReadableCsv => aligned(row).join(","),
        })
        .collect();
    match format {
        TableFormat::Klee => {
            let rule = "-".repeat(widths.iter().sum::<usize>() + count + 1);
            if with_total {
                lines.insert(lines.len() - 1, rule.clone());
            }
            lines.insert(1, rule.clone());
            lines.insert(0, rule.clone());
            lines.push(rule);
        }
        TableFormat::Simple => {
            let rule: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
            lines.insert(1, rule.join("  "));
        }
        TableFormat::Plain | TableFormat::Csv | TableFormat::ReadableCsv => {}
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::super::store::{StatsRow, StatsWriter};
    use super::super::{find_runs, klee_stats};
    use super::*;
    use std::path::Path;

    fn run(dir: &Path, name: &str, wall_time: f64) {
        std::fs::create_dir_all(dir.join(name)).unwrap();
        let mut writer = StatsWriter::create(&dir.join(name).join("run.stats")).unwrap();
        let row = StatsRow {
            instructions: 499,
            wall_time,
            covered_instructions: 180,
            uncovered_instructions: 214,
            full_branches: 4,
            partial_branches: 1,
            num_branches: 23,
            solver_time: 27,
            num_states: 3,
            malloc_usage: 2 << 20,
            ..Default::default()
        };
        writer.write(&StatsRow { num_states: 8, ..row.clone() }).unwrap();
        writer.write(&row).unwrap();
    }

    #[test]
    fn one_run_looks_as_documented() {
        let dir = tempfile::tempdir().unwrap();
        run(dir.path(), "klee-out-2", 0.09);
        let mut stats = RunStats::read(&dir.path().join("klee-out-2/run.stats")).unwrap();
        stats.path = "klee-out-2/run.stats".into();
        let expected = "\
-------------------------------------------------------------------------
|   Path   |  Instrs|  Time(s)|  ICov(%)|  BCov(%)|  ICount|  TSolver(%)|
-------------------------------------------------------------------------
|klee-out-2|     499|     0.09|    45.69|    19.57|     394|        0.03|
-------------------------------------------------------------------------
";
        assert_eq!(render(&[stats], &Options::default()).unwrap(), expected);
    }

    #[test]
    fn several_runs_have_a_total_and_can_be_sorted() {
        let dir = tempfile::tempdir().unwrap();
        run(dir.path(), "klee-out-2", 0.09);
        run(dir.path(), "klee-out-3", 0.31);
        let given = [dir.path().to_path_buf()];
        let expected = "\
-------------------------------------------------------------------------
|   Path   |  Instrs|  Time(s)|  ICov(%)|  BCov(%)|  ICount|  TSolver(%)|
-------------------------------------------------------------------------
|klee-out-3|     499|     0.31|    45.69|    19.57|     394|        0.01|
|klee-out-2|     499|     0.09|    45.69|    19.57|     394|        0.03|
-------------------------------------------------------------------------
|Total (2) |     998|     0.40|    45.69|    19.57|     788|        0.01|
-------------------------------------------------------------------------
";
        let mut options = Options { sort_by: Some("Time".into()), ..Default::default() };
        assert_eq!(klee_stats(&given, &options).unwrap(), expected);
        options.ascending = true;
        options.format = TableFormat::ReadableCsv;
        let expected = "\
Path      ,  Instrs,  Time(s),  ICov(%),  BCov(%),  ICount,  TSolver(%)
klee-out-2,     499,     0.09,    45.69,    19.57,     394,        0.03
klee-out-3,     499,     0.31,    45.69,    19.57,     394,        0.01
";
        assert_eq!(klee_stats(&given, &options).unwrap(), expected);
        options.sort_by = Some("Colour".into());
        assert_eq!(klee_stats(&given, &options).unwrap_err().to_string(), "invalid key: Colour");
    }

    #[test]
    fn the_other_formats_and_selections() {
        let dir = tempfile::tempdir().unwrap();
        run(dir.path(), "a", 0.5);
        let given = [dir.path().join("a")];
        let text = |selection, format| {
            klee_stats(&given, &Options { selection, format, precision: 1, ..Default::default() }).unwrap()
        };
        let csv = text(
            Selection::Named(vec!["MaxActiveStates".into(), "AvgActiveStates".into(), "Mem".into()]),
            TableFormat::Csv,
        );
        let (head, row) = csv.split_once('\n').unwrap();
        assert_eq!(head, "Path,MaxActiveStates,AvgActiveStates,Mem(MiB)");
        assert!(row.ends_with("/a,8,5.5,2.0\n"), "{row}");
        let simple = text(Selection::AbsoluteTimes, TableFormat::Simple);
        assert_eq!(simple.lines().count(), 3);
        assert!(simple.lines().nth(1).unwrap().starts_with("---"));
        assert_eq!(text(Selection::All, TableFormat::Plain).lines().count(), 2);
        let raw = klee_stats(&given, &Options { to_csv: true, ..Default::default() }).unwrap();
        assert_eq!(raw.lines().count(), 3);
        for (name, format) in TableFormat::NAMES {
            assert_eq!(TableFormat::from_name(name), Some(*format));
        }
    }

    #[test]
    fn runs_are_found_below_and_through_links() {
        let dir = tempfile::tempdir().unwrap();
        run(dir.path(), "deep/klee-out-0", 0.1);
        std::os::unix::fs::symlink("klee-out-0", dir.path().join("deep/klee-last")).unwrap();
        std::os::unix::fs::symlink("..", dir.path().join("deep/loop")).unwrap();
        let runs = find_runs(&[dir.path().to_path_buf()]).unwrap();
        assert_eq!(runs, [dir.path().join("deep/klee-last"), dir.path().join("deep/klee-out-0")]);
        let empty = tempfile::tempdir().unwrap();
        assert_eq!(
            find_runs(&[empty.path().to_path_buf()]).unwrap_err().to_string(),
            "no klee output dir found"
        );
        assert!(find_runs(&[empty.path().join("none")]).is_err());
    }
}

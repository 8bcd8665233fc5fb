//! Pages with pictures that can be explored: the execution tree, and where instructions, forks and the solver's time went. The data goes
//! into a script beside the page; tables below the pictures say the most important of it without one.

use super::layout::{Place, page as frame, percent, short, shorten};
use super::{ReportError, Site, source, tests};
use crate::data::End;
use crate::folder::Run;
use crate::formats::FileLines;
use maud::{Markup, html};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A tree with more nodes than this is only shown as an icicle.
const SMALL: usize = 700;

/// Data of a picture.
#[derive(Default)]
struct Picture {
    names: Vec<String>,
    numbers: BTreeMap<String, usize>,
    nodes: Vec<Value>,
}

impl Picture {
    fn name(&mut self, name: &str) -> usize {
        if let Some(n) = self.numbers.get(name) {
            return *n;
        }
        self.names.push(name.to_string());
        self.numbers.insert(name.to_string(), self.names.len() - 1);
        self.names.len() - 1
    }

    fn add(
        &mut self,
        parent: Option<usize>,
        name: &str,
        values: &[u64],
        link: Option<String>,
        kind: &str,
    ) -> usize {
        let name = self.name(name);
        let parent = parent.map_or(json!(-1), |p| json!(p));
        self.nodes.push(json!([parent, name, values, link, kind]));
        self.nodes.len() - 1
    }

    fn script(self, name: &str, root: &str, metrics: &[&str]) -> String {
        let data = json!({"root": root, "metrics": metrics, "names": self.names, "nodes": self.nodes});
        format!("window.forkwise = window.forkwise || {{}};\nwindow.forkwise[{}] = {data};\n", json!(name))
    }
}

/// Writes the pages.
pub fn write(site: &Site, run: &Run, place: &Place, files: &[FileLines]) -> Result<(), ReportError> {
    if !run.tree.nodes.is_empty() {
        let metrics = ["paths", "instructions", "µs of solving"];
        site.put(&place.file("tree-data.js"), &tree_data(run).script("tree", "all paths", &metrics))?;
        site.put(&place.file("tree.html"), &tree_page(run, place, files))?;
    }
    if !run.spent.places.is_empty() {
        let places = places_data(run, files).script(
            "places",
            run.program_name(),
            &["forks", "µs of solving", "instructions"],
        );
        let stacks = stacks_data(run).script("stacks", run.program_name(), &["instructions"]);
        site.put(&place.file("spent-data.js"), &format!("{places}{stacks}"))?;
        site.put(&place.file("spent.html"), &spent_page(run, place, files))?;
    }
    Ok(())
}

fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn tree_data(run: &Run) -> Picture {
    let tree = &run.tree;
    let mut picture = Picture::default();
    for (i, node) in tree.nodes.iter().enumerate() {
        let (function, file, line) = node.place;
        let function = tree.functions.get(function as usize).map_or("", String::as_str);
        let name = match (node.parent, tree.files.get(file as usize)) {
            (None, _) => "start".to_string(),
            (Some(_), Some(file)) => format!("{}:{line} {}", base(file), node.arm),
            (Some(_), None) => format!("{function} {}", node.arm),
        };
        let kind = match node.end {
            None => "",
            Some(End::Exit) => "exit",
            Some(End::Bug) => "bug",
            Some(End::Failed) => "failed",
            Some(End::Unfinished) => "unfinished",
            Some(End::Silent) => "silent",
        };
        let values = [u64::from(node.paths), node.instructions, node.solver_micros];
        let parent = node.parent.map(|p| p as usize).filter(|p| *p < i);
        picture.add(parent, &name, &values, node.test.map(|t| tests::link(run, t)), kind);
    }
    picture
}

fn tree_page(run: &Run, place: &Place, files: &[FileLines]) -> String {
    let nodes = run.tree.nodes.len();
    let body = html! {
        p { "Each step is a fork: a decision that depends on the input. "
            (nodes) " parts of paths" @if run.tree.folded > 0 { "; " (short(run.tree.folded as f64)) " further forks are folded into them" } "." }
        @if nodes <= SMALL {
            h2 { "Tree" }
            p { "Arrow keys move, Enter opens and closes; a leaf leads to its test." }
            div data-picture="tree" data-name="tree" { p { "The picture needs JavaScript." } }
        }
        h2 { "Where paths, instructions and solving are" }
        p { "Click to zoom in, click the first row to zoom out; a leaf leads to its test." }
        div data-picture="icicle" data-name="tree" { p { "The picture needs JavaScript; the table below says the most important." } }
        (forks_table(run, files))
    };
    frame(Some(run), place, "Execution tree", "Execution tree", &["tree-data.js"], body)
}

fn link_to(run: &Run, files: &[FileLines], file: &str, line: u32) -> Markup {
    let text = format!("{}:{line}", shorten(run, file));
    match files.iter().position(|f| f.path == file) {
        Some(i) => html! { a href=(format!("{}#L{line}", source::name(i))) { (text) } },
        None => html! { (text) },
    }
}

fn forks_table(run: &Run, files: &[FileLines]) -> Markup {
    let spent = &run.spent;
    let mut places: Vec<_> = spent.places.iter().filter(|p| p.4 > 0).collect();
    places.sort_by_key(|p| (std::cmp::Reverse(p.4), p.0, p.2));
    let all: u64 = spent.places.iter().map(|p| p.4).sum();
    if places.is_empty() {
        return html! {};
    }
    html! {
        h2 { "Places that fork most" }
        div.scroll { table {
            thead { tr { th { "Place" } th { "Function" } th.n { "Forks" } th.n { "" } } }
            tbody { @for p in places.iter().take(25) { tr {
                td.mono { @if let Some(file) = spent.files.get(p.1 as usize) { (link_to(run, files, file, p.2)) } }
                td.mono { (spent.functions.get(p.0 as usize).map_or("", String::as_str)) }
                td.n { (short(p.4 as f64)) } td.n { (percent(p.4 as f64, all as f64)) }
            } } }
        } }
    }
}

fn places_data(run: &Run, files: &[FileLines]) -> Picture {
    let spent = &run.spent;
    let mut picture = Picture::default();
    let mut file_nodes: BTreeMap<String, usize> = BTreeMap::new();
    let mut function_nodes: BTreeMap<(usize, u32), usize> = BTreeMap::new();
    for p in &spent.places {
        let path = spent.files.get(p.1 as usize).map_or("(unknown)", String::as_str);
        let ours = files.iter().position(|f| f.path == path);
        // The C library is one part.
        let top = if ours.is_some() || run.program.files.iter().any(|f| f == path) {
            shorten(run, path)
        } else {
            "C library"
        };
        let file = *file_nodes
            .entry(top.to_string())
            .or_insert_with(|| picture.add(None, top, &[0, 0, 0], None, ""));
        let name = spent.functions.get(p.0 as usize).map_or("?", String::as_str);
        let function = *function_nodes
            .entry((file, p.0))
            .or_insert_with(|| picture.add(Some(file), name, &[0, 0, 0], None, ""));
        let link = ours.map(|i| format!("{}#L{}", source::name(i), p.2));
        picture.add(Some(function), &format!("{}:{}", base(path), p.2), &[p.4, p.5, p.3], link, "");
    }
    picture
}

fn stacks_data(run: &Run) -> Picture {
    let spent = &run.spent;
    let mut picture = Picture::default();
    for (i, s) in spent.stacks.iter().enumerate() {
        let name = spent
            .functions
            .get(s.1 as usize)
            .map(String::as_str)
            .filter(|n| !n.is_empty())
            .unwrap_or("program");
        let parent = Some(s.0 as usize).filter(|p| *p < i);
        picture.add(parent, name, &[s.2], None, "");
    }
    picture
}

fn spent_page(run: &Run, place: &Place, files: &[FileLines]) -> String {
    let body = html! {
        h2 { "By file, function and line" }
        p { "Forks and solving are counted, instructions are sampled. Click to zoom in; a line leads to its source." }
        div data-picture="icicle" data-name="places" { p { "The picture needs JavaScript; the tables below say the most important." } }
        h2 { "By calls" }
        p { "Instructions of each function with those of what it calls." }
        div data-picture="icicle" data-name="stacks" { p { "The picture needs JavaScript." } }
        (functions_table(run))
        (forks_table(run, files))
    };
    frame(Some(run), place, "Where time went", "Where time went", &["spent-data.js"], body)
}

fn functions_table(run: &Run) -> Markup {
    let spent = &run.spent;
    let mut by_function: BTreeMap<u32, (u64, u64, u64)> = BTreeMap::new();
    for p in &spent.places {
        let of = by_function.entry(p.0).or_default();
        *of = (of.0 + p.3, of.1 + p.4, of.2 + p.5);
    }
    let all = by_function.values().fold((0, 0, 0), |a, b| (a.0 + b.0, a.1 + b.1, a.2 + b.2));
    let mut rows: Vec<_> = by_function.into_iter().collect();
    // By the share of whatever they have most of.
    let share = |v: &(u64, u64, u64)| {
        let part = |a: u64, b: u64| if b == 0 { 0.0 } else { a as f64 / b as f64 };
        part(v.0, all.0).max(part(v.1, all.1)).max(part(v.2, all.2))
    };
    rows.sort_by(|a, b| share(&b.1).total_cmp(&share(&a.1)).then(a.0.cmp(&b.0)));
    html! {
        h2 { "Functions" }
        div.scroll { table {
            thead { tr { th { "Function" } th.n { "Instructions" } th.n { "Forks" } th.n { "Solving" } } }
            tbody { @for (f, v) in rows.iter().take(40) { tr {
                td.mono { (spent.functions.get(*f as usize).map_or("?", String::as_str)) }
                td.n { (percent(v.0 as f64, all.0 as f64)) } td.n { (percent(v.1 as f64, all.1 as f64)) } td.n { (percent(v.2 as f64, all.2 as f64)) }
            } } }
        } }
    }
}

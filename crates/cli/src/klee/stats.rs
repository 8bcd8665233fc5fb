//! `run.stats` (KLEE's SQLite table) and `run.istats` (coverage by source line, in the format of callgrind).

use forkwise_explore::{Progress, resident_bytes};
use forkwise_testcase::klee_stats::StatsRow;
use forkwise_vm::Vm;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// CPU time of this process in user mode, in seconds (0 when the system does not tell).
fn user_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The second field is a name in parentheses that may hold anything; utime is the twelfth after it, in hundredths.
    let after = text.rsplit_once(')').map_or("", |(_, rest)| rest);
    after.split_whitespace().nth(11).and_then(|t| t.parse::<f64>().ok()).unwrap_or(0.0) / 100.0
}

/// The counters at a moment.
pub fn row(p: &Progress<'_>) -> StatsRow {
    let (vm, c) = (p.vm, p.counters);
    let program = &vm.program;
    let solver = vm.solver.stats();
    let mut row = StatsRow {
        instructions: c.instructions,
        user_time: user_seconds(),
        wall_time: p.elapsed.as_secs_f64(),
        num_states: p.states as u64,
        malloc_usage: resident_bytes(),
        queries: solver.queries,
        solver_queries: solver.sat_calls + solver.smt_calls,
        query_time: solver.nanos / 1000,
        solver_time: solver.nanos / 1000,
        cex_cache_time: solver.nanos / 1000,
        query_cache_hits: solver.cache_hits,
        query_cache_misses: solver.queries - solver.cache_hits.min(solver.queries),
        query_cex_cache_hits: solver.model_hits,
        query_cex_cache_misses: solver.sat_calls,
        states: vm.fork_count + 1,
        branches_conditional: vm.fork_count,
        termination_exit: c.exits,
        termination_early: c.unfinished,
        termination_program_error: c.faults,
        termination_user_error: c.impossible,
        termination_execution_error: c.unsupported + c.internal,
        termination_early_user: c.silent,
        ..StatsRow::default()
    };
    for b in program.branches.iter().filter(|b| !program.functions[b.func as usize].is_library) {
        let first = b.first_edge as usize;
        let arms = &vm.coverage.edges[first..first + b.arms as usize];
        row.num_branches += 1;
        match arms.iter().filter(|e| **e != 0).count() {
            0 => {}
            n if n == arms.len() => row.full_branches += 1,
            _ => row.partial_branches += 1,
        }
    }
    for (i, b) in program.blocks.iter().enumerate() {
        if program.functions[b.func as usize].is_library {
            continue;
        }
        match vm.coverage.blocks[i] {
            0 => row.uncovered_instructions += u64::from(b.insts),
            _ => row.covered_instructions += u64::from(b.insts),
        }
    }
    row
}

/// The text of `run.istats`: how many blocks of each source line were covered, and how many not.
pub fn istats(vm: &Vm, command: &str) -> String {
    let program = &vm.program;
    // (function, file, line) → (covered, uncovered)
    let mut lines: BTreeMap<(u32, u32, u32), (u64, u64)> = BTreeMap::new();
    let (mut covered, mut uncovered) = (0u64, 0u64);
    for (i, b) in program.blocks.iter().enumerate() {
        for loc in &b.lines {
            let l = program.locations[*loc as usize];
            let count = lines.entry((b.func, l.file, l.line)).or_default();
            if vm.coverage.blocks[i] != 0 {
                (count.0, covered) = (count.0 + 1, covered + 1);
            } else {
                (count.1, uncovered) = (count.1 + 1, uncovered + 1);
            }
        }
    }
    let mut out = format!(
        "version: 1\ncreator: klee\npid: {}\ncmd: {command}\n\npositions: line\nevents: Icov Iuncov\n\
         summary: {covered} {uncovered}\nob=assembly.ll\n",
        std::process::id()
    );
    let mut last = None;
    for ((func, file, line), (yes, no)) in lines {
        let path = program.files.get(file as usize).map_or("???", |f| f.path.as_str());
        // Writing to a String cannot fail.
        let _ = match last {
            Some((f, in_file)) if f == func && in_file == file => Ok(()),
            Some((f, _)) if f == func => writeln!(out, "fi={path}"),
            _ => writeln!(out, "fl={path}\nfn={}", program.functions[func as usize].name),
        };
        last = Some((func, file));
        let _ = writeln!(out, "{line} {yes} {no}");
    }
    out
}

//! Our SAT solver: conflict-driven clause learning, incremental, made for many small related queries.
//!
//! Two things set it apart from a general solver. Decisions and propagation stay in the query's scope, so that
//! the cones of earlier queries cost nothing although their learnt clauses remain. And the first phase of every
//! variable is its value under the caller's hint, so that a model is searched next to a witness that already
//! satisfies all constraints but one. Must never depend on anything but its inputs: same calls, same answers.

use super::heap::Heap;
use super::{Guide, Limits, Sat, SatLit, Verdict};

const NO_REASON: u32 = u32::MAX;
/// Words before a clause's literals: size and flags; literal-block distance and use mark.
const HEADER: usize = 2;
const LEARNT: u32 = 1 << 31;
const DELETED: u32 = 1 << 30;
const SIZE: u32 = DELETED - 1;
const USED: u32 = 1 << 31;
const ACTIVITY_DECAY: f64 = 1.0 / 0.95;
const ACTIVITY_MAX: f64 = 1e100;
/// Propagations between two looks at the clock.
const POLL: u64 = 1 << 15;

#[derive(Clone, Copy)]
struct Watch {
    /// Clause and, in the lowest bit, whether it has two literals.
    clause: u32,
    blocker: SatLit,
}

/// The solver.
pub(crate) struct Cdcl {
    /// By literal: 1 true, -1 false, 0 open.
    value: Vec<i8>,
    level: Vec<u32>,
    reason: Vec<u32>,
    phase: Vec<bool>,
    activity: Vec<f64>,
    bump: f64,
    seen: Vec<bool>,
    /// By variable: the last query it was in scope of.
    scope: Vec<u32>,
    /// By variable: the last query that may decide it.
    decides: Vec<u32>,
    query: u32,
    watches: Vec<Vec<Watch>>,
    arena: Vec<u32>,
    learnts: Vec<u32>,
    trail: Vec<SatLit>,
    levels: Vec<usize>,
    head: usize,
    heap: Heap,
    consistent: bool,
    failed: Vec<SatLit>,
    conflicts: u64,
    propagations: u64,
    next_poll: u64,
    max_learnts: usize,
    // Scratch of conflict analysis.
    learnt: Vec<SatLit>,
    to_clear: Vec<u32>,
    stack: Vec<SatLit>,
    level_stamp: Vec<u64>,
    stamp: u64,
    /// Moving averages of literal-block distances; their ratio says when to restart.
    fast: f64,
    slow: f64,
}

impl Default for Cdcl {
    fn default() -> Cdcl {
        Cdcl {
            value: Vec::new(),
            level: Vec::new(),
            reason: Vec::new(),
            phase: Vec::new(),
            activity: Vec::new(),
            bump: 1.0,
            seen: Vec::new(),
            scope: Vec::new(),
            decides: Vec::new(),
            query: 0,
            watches: Vec::new(),
            arena: Vec::new(),
            learnts: Vec::new(),
            trail: Vec::new(),
            levels: Vec::new(),
            head: 0,
            heap: Heap::default(),
            consistent: true,
            failed: Vec::new(),
            conflicts: 0,
            propagations: 0,
            next_poll: 0,
            max_learnts: 4000,
            learnt: Vec::new(),
            to_clear: Vec::new(),
            stack: Vec::new(),
            level_stamp: vec![0],
            stamp: 0,
            fast: 0.0,
            slow: 0.0,
        }
    }
}

impl Sat for Cdcl {
    fn new_var(&mut self) -> u32 {
        let var = self.level.len() as u32;
        self.value.extend([0, 0]);
        self.watches.extend([Vec::new(), Vec::new()]);
        self.level.push(0);
        self.reason.push(NO_REASON);
        self.phase.push(false);
        self.activity.push(0.0);
        self.seen.push(false);
        self.scope.push(0);
        self.decides.push(0);
        self.level_stamp.push(0);
        var
    }

    fn add_clause(&mut self, clause: &[SatLit]) {
        self.backtrack(0);
        if !self.consistent {
            return;
        }
        let mut lits: Vec<SatLit> = clause.to_vec();
        lits.sort_unstable();
        lits.dedup();
        let tautology = lits.windows(2).any(|w| w[0] == !w[1]);
        if tautology || lits.iter().any(|&l| self.value[l.index()] == 1) {
            return;
        }
        lits.retain(|&l| self.value[l.index()] == 0);
        match lits[..] {
            [] => self.consistent = false,
            [unit] => {
                self.enqueue(unit, NO_REASON);
                self.consistent = self.propagate().is_none();
            }
            _ => {
                self.attach(&lits, None);
            }
        }
    }

    fn solve(&mut self, assumptions: &[SatLit], guide: &Guide<'_>, limits: Limits) -> Verdict {
        self.backtrack(0);
        self.failed.clear();
        if !self.consistent {
            return Verdict::Unsat;
        }
        self.query += 1;
        self.heap.reserve(self.level.len());
        for &v in guide.scope {
            self.scope[v as usize] = self.query;
            self.phase[v as usize] = guide.phase[v as usize];
        }
        for &v in guide.inputs {
            self.decides[v as usize] = self.query;
        }
        let value = &self.value;
        let open = guide.inputs.iter().copied().filter(|&v| value[v as usize * 2] == 0);
        self.heap.fill(open, &self.activity);
        self.search(assumptions, limits)
    }

    fn value(&self, var: u32) -> bool {
        self.value[var as usize * 2] == 1
    }

    fn failed(&self, assumption: SatLit) -> bool {
        self.failed.binary_search(&assumption).is_ok()
    }

    fn conflicts(&self) -> u64 {
        self.conflicts
    }
}

impl Cdcl {
    /// Propagations so far.
    pub fn propagations(&self) -> u64 {
        self.propagations
    }

    /// Bytes held, roughly; the owner starts afresh when they grow too many.
    pub fn memory_bytes(&self) -> usize {
        self.level.len() * 100 + self.arena.capacity() * 6
    }

    fn search(&mut self, assumptions: &[SatLit], limits: Limits) -> Verdict {
        let last_conflict = self.conflicts.saturating_add(limits.conflicts);
        let mut restart_at = self.conflicts + 50;
        self.next_poll = self.propagations + POLL;
        loop {
            if let Some(conflict) = self.propagate() {
                self.conflicts += 1;
                if self.levels.is_empty() {
                    self.consistent = false;
                    return Verdict::Unsat;
                }
                self.resolve_conflict(conflict);
                continue;
            }
            if self.conflicts >= last_conflict || (self.poll_due() && limits.deadline.passed()) {
                return Verdict::Unknown;
            }
            if self.conflicts >= restart_at && self.fast > 1.2 * self.slow {
                restart_at = self.conflicts + 50;
                self.backtrack(assumptions.len().min(self.levels.len()));
            }
            if self.learnts.len() >= self.max_learnts {
                self.reduce();
            }
            match self.decide(assumptions) {
                Decision::Made => {}
                Decision::Complete => return Verdict::Sat,
                Decision::Refuted => return Verdict::Unsat,
            }
        }
    }

    fn poll_due(&mut self) -> bool {
        // A conflict counts as many propagations, because learning is where the time goes then.
        let due = self.propagations + self.conflicts * 64 >= self.next_poll;
        if due {
            self.next_poll = self.propagations + self.conflicts * 64 + POLL;
        }
        due
    }

    fn decide(&mut self, assumptions: &[SatLit]) -> Decision {
        while let Some(&a) = assumptions.get(self.levels.len()) {
            match self.value[a.index()] {
                1 => self.levels.push(self.trail.len()),
                0 => {
                    self.levels.push(self.trail.len());
                    self.enqueue(a, NO_REASON);
                    return Decision::Made;
                }
                _ => {
                    self.collect_core(a);
                    return Decision::Refuted;
                }
            }
        }
        while let Some(var) = self.heap.pop(&self.activity) {
            if self.value[var as usize * 2] == 0 {
                self.levels.push(self.trail.len());
                self.enqueue(SatLit::new(var, !self.phase[var as usize]), NO_REASON);
                return Decision::Made;
            }
        }
        Decision::Complete
    }

    fn enqueue(&mut self, lit: SatLit, reason: u32) {
        self.value[lit.index()] = 1;
        self.value[(!lit).index()] = -1;
        let var = lit.var() as usize;
        self.level[var] = self.levels.len() as u32;
        self.reason[var] = reason;
        self.trail.push(lit);
    }

    fn backtrack(&mut self, level: usize) {
        if self.levels.len() <= level {
            return;
        }
        let keep = self.levels[level];
        for &lit in &self.trail[keep..] {
            let var = lit.var();
            self.value[lit.index()] = 0;
            self.value[(!lit).index()] = 0;
            self.phase[var as usize] = !lit.negated();
            if self.decides[var as usize] == self.query {
                self.heap.insert(var, &self.activity);
            }
        }
        self.trail.truncate(keep);
        self.levels.truncate(level);
        self.head = self.head.min(keep);
    }

    /// Unit propagation; the clause that became false, if any.
    fn propagate(&mut self) -> Option<u32> {
        let scoped = !self.levels.is_empty();
        let mut conflict = None;
        while conflict.is_none() && self.head < self.trail.len() {
            let lit = self.trail[self.head];
            self.head += 1;
            self.propagations += 1;
            let false_lit = !lit;
            let mut watches = std::mem::take(&mut self.watches[lit.index()]);
            let mut kept = 0;
            let mut next = 0;
            'watches: while next < watches.len() {
                let watch = watches[next];
                next += 1;
                let blocker_value = self.value[watch.blocker.index()];
                if blocker_value == 1 {
                    watches[kept] = watch;
                    kept += 1;
                    continue;
                }
                let clause = watch.clause >> 1;
                let mut implied = watch.blocker;
                if watch.clause & 1 == 1 {
                    watches[kept] = watch;
                    kept += 1;
                } else {
                    let base = clause as usize + HEADER;
                    let size = (self.arena[clause as usize] & SIZE) as usize;
                    let lits = &mut self.arena[base..base + size];
                    if lits[0] == false_lit.0 {
                        lits.swap(0, 1);
                    }
                    implied = SatLit(lits[0]);
                    let watch = Watch { clause: watch.clause, blocker: implied };
                    if self.value[implied.index()] == 1 {
                        watches[kept] = watch;
                        kept += 1;
                        continue;
                    }
                    for k in 2..size {
                        if self.value[lits[k] as usize] != -1 {
                            lits.swap(1, k);
                            self.watches[(lits[1] ^ 1) as usize].push(watch);
                            continue 'watches;
                        }
                    }
                    watches[kept] = watch;
                    kept += 1;
                }
                if self.value[implied.index()] == -1 {
                    conflict = Some(clause);
                    break;
                }
                // Outside the scope a value cannot matter to this query. Level 0 is for all queries.
                if !scoped || self.scope[implied.var() as usize] == self.query {
                    self.enqueue(implied, clause);
                }
            }
            watches.copy_within(next.., kept);
            watches.truncate(kept + watches.len() - next);
            self.watches[lit.index()] = watches;
        }
        if conflict.is_some() {
            self.head = self.trail.len();
        }
        conflict
    }

    fn lits(&self, clause: u32) -> &[u32] {
        let base = clause as usize + HEADER;
        &self.arena[base..base + (self.arena[clause as usize] & SIZE) as usize]
    }

    /// Stores a clause (with its literal-block distance if learnt) and watches its first two literals.
    fn attach(&mut self, lits: &[SatLit], distance: Option<u32>) -> u32 {
        let clause = self.arena.len() as u32;
        let flag = if distance.is_some() { LEARNT } else { 0 };
        self.arena.push(lits.len() as u32 | flag);
        self.arena.push(distance.unwrap_or(0) | USED);
        self.arena.extend(lits.iter().map(|l| l.0));
        if distance.is_some() {
            self.learnts.push(clause);
        }
        self.watch(clause);
        clause
    }

    fn watch(&mut self, clause: u32) {
        let lits = self.lits(clause);
        let (a, b) = (SatLit(lits[0]), SatLit(lits[1]));
        let clause = clause << 1 | u32::from(lits.len() == 2);
        self.watches[(!a).index()].push(Watch { clause, blocker: b });
        self.watches[(!b).index()].push(Watch { clause, blocker: a });
    }

    /// Learns from a conflict (first unique implication point), backjumps and asserts what was learnt.
    fn resolve_conflict(&mut self, conflict: u32) {
        let mut learnt = std::mem::take(&mut self.learnt);
        learnt.clear();
        learnt.push(SatLit(0));
        let current = self.levels.len() as u32;
        let mut clause = conflict;
        let mut asserted = None;
        let mut open = 0;
        let mut index = self.trail.len();
        loop {
            if self.arena[clause as usize] & LEARNT != 0 {
                self.arena[clause as usize + 1] |= USED;
            }
            for k in 0..self.lits(clause).len() {
                let lit = SatLit(self.lits(clause)[k]);
                let var = lit.var() as usize;
                if Some(lit) == asserted || self.seen[var] || self.level[var] == 0 {
                    continue;
                }
                self.seen[var] = true;
                self.to_clear.push(lit.var());
                self.raise(lit.var());
                if self.level[var] >= current {
                    open += 1;
                } else {
                    learnt.push(lit);
                }
            }
            let lit = loop {
                index -= 1;
                if self.seen[self.trail[index].var() as usize] {
                    break self.trail[index];
                }
            };
            open -= 1;
            asserted = Some(lit);
            if open == 0 {
                learnt[0] = !lit;
                break;
            }
            self.seen[lit.var() as usize] = false;
            clause = self.reason[lit.var() as usize];
        }
        self.minimise(&mut learnt);
        for v in self.to_clear.drain(..) {
            self.seen[v as usize] = false;
        }
        self.bump *= ACTIVITY_DECAY;

        let distance = self.distance(&learnt);
        self.fast += (f64::from(distance) - self.fast) / 32.0;
        self.slow += (f64::from(distance) - self.slow) / 4096.0f64.min(self.conflicts as f64 + 1.0);
        if learnt.len() == 1 {
            self.backtrack(0);
            self.enqueue(learnt[0], NO_REASON);
        } else {
            let deepest = (1..learnt.len())
                .max_by_key(|&k| self.level[learnt[k].var() as usize])
                .expect("more than one literal");
            learnt.swap(1, deepest);
            let level = self.level[learnt[1].var() as usize];
            self.backtrack(level as usize);
            let clause = self.attach(&learnt, Some(distance));
            self.enqueue(learnt[0], clause);
        }
        self.learnt = learnt;
    }

    fn raise(&mut self, var: u32) {
        let activity = &mut self.activity[var as usize];
        *activity += self.bump;
        if *activity > ACTIVITY_MAX {
            self.activity.iter_mut().for_each(|a| *a /= ACTIVITY_MAX);
            self.bump /= ACTIVITY_MAX;
        }
        // It is assigned now; where that is taken back it may be decided.
        if self.scope[var as usize] == self.query {
            self.decides[var as usize] = self.query;
        }
        self.heap.raised(var, &self.activity);
    }

    /// Number of decision levels among the literals.
    fn distance(&mut self, lits: &[SatLit]) -> u32 {
        self.stamp += 1;
        let mut count = 0;
        for l in lits {
            let level = self.level[l.var() as usize] as usize;
            if level >= self.level_stamp.len() {
                self.level_stamp.resize(level + 1, 0);
            }
            if self.level_stamp[level] != self.stamp {
                self.level_stamp[level] = self.stamp;
                count += 1;
            }
        }
        count
    }

    /// Drops literals that the others imply.
    fn minimise(&mut self, learnt: &mut Vec<SatLit>) {
        let mut kept = 1;
        for k in 1..learnt.len() {
            let lit = learnt[k];
            if self.reason[lit.var() as usize] == NO_REASON || !self.redundant(lit) {
                learnt[kept] = lit;
                kept += 1;
            }
        }
        learnt.truncate(kept);
    }

    fn redundant(&mut self, lit: SatLit) -> bool {
        self.stack.clear();
        self.stack.push(lit);
        let first_new = self.to_clear.len();
        while let Some(lit) = self.stack.pop() {
            let clause = self.reason[lit.var() as usize];
            for k in 0..self.lits(clause).len() {
                let other = SatLit(self.lits(clause)[k]);
                let var = other.var() as usize;
                if other.var() == lit.var() || self.seen[var] || self.level[var] == 0 {
                    continue;
                }
                if self.reason[var] == NO_REASON {
                    for v in self.to_clear.drain(first_new..) {
                        self.seen[v as usize] = false;
                    }
                    return false;
                }
                self.seen[var] = true;
                self.to_clear.push(other.var());
                self.stack.push(other);
            }
        }
        true
    }

    /// The assumptions that imply the negation of `lit`.
    fn collect_core(&mut self, lit: SatLit) {
        self.failed.push(lit);
        if self.level[lit.var() as usize] == 0 {
            return;
        }
        self.seen[lit.var() as usize] = true;
        for index in (self.levels[0]..self.trail.len()).rev() {
            let at = self.trail[index];
            let var = at.var() as usize;
            if !std::mem::take(&mut self.seen[var]) {
                continue;
            }
            let clause = self.reason[var];
            if clause == NO_REASON {
                // The failed literal itself when its opposite is an assumption too: both are in the core.
                self.failed.push(at);
                continue;
            }
            for k in 0..self.lits(clause).len() {
                let other = SatLit(self.lits(clause)[k]).var() as usize;
                if other != var && self.level[other] > 0 {
                    self.seen[other] = true;
                }
            }
        }
        self.failed.sort_unstable();
    }

    /// Forgets the less useful half of the learnt clauses.
    fn reduce(&mut self) {
        self.max_learnts += 1000;
        let mut candidates: Vec<(u32, u32)> = Vec::new();
        for &clause in &self.learnts {
            let info = self.arena[clause as usize + 1];
            let distance = info & !USED;
            let first = SatLit(self.lits(clause)[0]);
            let locked = self.value[first.index()] == 1 && self.reason[first.var() as usize] == clause;
            if distance > 2 && !locked && self.lits(clause).len() > 2 && info & USED == 0 {
                candidates.push((distance, clause));
            }
            self.arena[clause as usize + 1] = distance;
        }
        candidates.sort_unstable();
        for &(_, clause) in &candidates[candidates.len() / 2..] {
            self.arena[clause as usize] |= DELETED;
        }
        self.compact();
    }

    /// Moves the clauses that are left together and updates everything that names them.
    fn compact(&mut self) {
        let mut new = Vec::with_capacity(self.arena.len());
        let mut at = 0;
        while at < self.arena.len() {
            let len = HEADER + (self.arena[at] & SIZE) as usize;
            if self.arena[at] & DELETED == 0 {
                let moved = new.len() as u32;
                new.extend_from_slice(&self.arena[at..at + len]);
                // The old place tells the new one.
                self.arena[at + 1] = moved;
            }
            at += len;
        }
        let old = std::mem::replace(&mut self.arena, new);
        let moved = |clause: u32| (old[clause as usize] & DELETED == 0).then(|| old[clause as usize + 1]);
        for list in &mut self.watches {
            list.retain_mut(|w| match moved(w.clause >> 1) {
                Some(new) => {
                    w.clause = new << 1 | (w.clause & 1);
                    true
                }
                None => false,
            });
        }
        for lit in &self.trail {
            let reason = &mut self.reason[lit.var() as usize];
            if *reason != NO_REASON {
                *reason = moved(*reason).expect("a reason is locked");
            }
        }
        self.learnts = self.learnts.iter().filter_map(|&c| moved(c)).collect();
    }
}

enum Decision {
    Made,
    /// Everything in scope has a value.
    Complete,
    /// An assumption is false.
    Refuted,
}

#[cfg(test)]
mod tests;

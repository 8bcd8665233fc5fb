//! The chain: one place that says which layer is asked when.
//!
//! From cheap to dear: constants and membership, the caller's hint, caches, byte domains and intervals, recent
//! models and one-byte changes of the hint, bit-blasting, the SMT-LIB program. A layer answers or passes on; it
//! never changes what another would say (tested by switching them off). Whatever a back end calls a model is
//! evaluated before it is believed.

use crate::answer::{Answer, Stats, Unknown};
use crate::blast::{self, Blaster, Query};
use crate::cache::{Cache, Cached};
use crate::config::{Config, SatEngine};
use crate::constraints::{ConstraintSet, Slice};
use crate::deadline::Deadline;
use crate::domains::{ByteSet, Domains};
use crate::intervals::Intervals;
use crate::models::{Model, Models};
use crate::smt::{self, Effort, Smt};
use crate::trace;
use forkwise_expr::{Assignment, Evaluator, Expr, Exprs, FpOp, Kind, Op, SymbolId};
use std::time::{Duration, Instant};

/// The chain.
pub struct Solver {
    config: Config,
    stats: Stats,
    cache: Cache,
    domains: Domains,
    intervals: Intervals,
    models: Models,
    blaster: Blaster,
    smt: Smt,
    log: Option<trace::Writer>,
    /// Values under the caller's hint, kept as long as the hint's id.
    hint_values: Evaluator,
    /// For models to verify.
    checker: Evaluator,
    /// By expression: does its cone hold a float operation the blaster cannot build; hard arithmetic?
    /// By expression; 0: not looked at yet.
    traits: Vec<u8>,
    /// Of the manager whose handles the memos above hold.
    generation: u64,
}

/// What decides where an expression can be sent.
#[derive(Clone, Copy, Default)]
struct Traits {
    foreign_float: bool,
    hard: bool,
}

/// What a query may cost.
#[derive(Clone, Copy)]
pub(crate) struct Budget {
    deadline: Deadline,
    /// The asker can do without an answer: no back end but ours, and that for a moment only.
    light: bool,
}

impl Budget {
    /// Whatever it takes within the time.
    pub fn full(timeout: Option<Duration>) -> Budget {
        Budget { deadline: Deadline::after(timeout), light: false }
    }

    /// As little as an answer that is only good to have is worth.
    pub fn light(timeout: Option<Duration>) -> Budget {
        Budget { light: true, ..Budget::full(timeout) }
    }
}

/// What the cheap layers say about the values of an expression.
pub(crate) enum Bounds {
    /// The least and the greatest value.
    Exact((u64, u64)),
    /// No value lies outside; that the ends are values is not known.
    Outer((u64, u64)),
}

/// What the cheap layers say.
enum Quick {
    Known(Answer),
    /// Nothing: the query goes on, with what it is about.
    Open {
        support: std::rc::Rc<[SymbolId]>,
        slice: Slice,
    },
}

/// Work of one query for the layers before the back ends, for one that the quick layers leave open, for one run of a SAT
/// solver, for a gate of its circuit, a propagation and a conflict, and for one query of the SMT-LIB program: about the
/// nanoseconds that it takes. What CaDiCaL and the program do inside cannot be counted.
const QUERY_WORK: u64 = 400;
const OPEN_WORK: u64 = 8_000;
const SAT_WORK: u64 = 20_000;
const GATE_WORK: u64 = 400;
const PROPAGATION_WORK: u64 = 60;
const CONFLICT_WORK: u64 = 4_000;
const SMT_WORK: u64 = 20_000_000;

/// Multiplication and division of two symbolic words of at least this width are hard for bit-blasting.
const HARD_WIDTH: u32 = 24;
/// Conflicts after which our SAT solver leaves a query to others.
const HARD_CONFLICTS: u64 = 20_000;
/// Conflicts after which a query is dropped whose answer is only good to have.
const LIGHT_CONFLICTS: u64 = 1000;

impl Solver {
    /// Assembles the chain. The SMT-LIB program is started when first needed; a log that cannot be created is
    /// reported on standard error and left out.
    pub fn new(config: Config) -> Solver {
        let log = config.log.as_ref().and_then(|path| match trace::Writer::create(path) {
            Ok(writer) => Some(writer),
            Err(e) => {
                eprintln!("forkwise: cannot write the query log {}: {e}", path.display());
                None
            }
        });
        Solver {
            smt: Smt::new(config.smt.clone()),
            config,
            stats: Stats::default(),
            cache: Cache::default(),
            domains: Domains::default(),
            intervals: Intervals::default(),
            models: Models::default(),
            blaster: Blaster::default(),
            log,
            hint_values: Evaluator::default(),
            checker: Evaluator::default(),
            traits: Vec::new(),
            generation: 0,
        }
    }

    /// Is `set ∧ cond` satisfiable? `set` itself is known to be satisfiable and `hint` satisfies it.
    pub fn check(&mut self, ex: &mut Exprs, set: &ConstraintSet, cond: Expr, hint: Assignment<'_>) -> Answer {
        self.check_within(ex, set, cond, hint, Budget::full(self.config.timeout))
    }

    /// Counters so far.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Work done so far: what solving costs, in units of about a nanosecond that do not depend on the machine or its load.
    /// Searches weigh states by it, so that the same seed gives the same search.
    pub fn work(&self) -> u64 {
        self.stats.work
    }

    /// How the chain was built.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Changes the limit of one query from now on.
    pub fn set_timeout(&mut self, timeout: Option<std::time::Duration>) {
        self.config.timeout = timeout;
    }

    /// Drops everything that is keyed by expression handles: caches, memos, logged definitions. Models, circuits and
    /// learnt clauses stay. `check` does it by itself when the manager's generation has changed.
    pub fn clear_memory_of_exprs(&mut self) {
        self.cache.forget();
        self.domains = Domains::default();
        self.intervals = Intervals::default();
        self.blaster.forget();
        self.traits.clear();
        self.hint_values = Evaluator::default();
        self.checker = Evaluator::default();
        if let Some(log) = &mut self.log {
            log.forget();
        }
    }

    /// Gives up everything that was learnt from earlier queries: memory is short.
    pub fn free_memory(&mut self) {
        self.clear_memory_of_exprs();
        self.blaster.reset();
        self.cache = Cache::default();
        self.models = Models::default();
    }

    /// [`Solver::check`] as part of a larger task, which says what it may cost.
    pub(crate) fn check_within(
        &mut self,
        ex: &mut Exprs,
        set: &ConstraintSet,
        cond: Expr,
        hint: Assignment<'_>,
        budget: Budget,
    ) -> Answer {
        let start = Instant::now();
        self.stats.queries += 1;
        let (smt, blasting) = (self.smt.calls, self.blaster.effort());
        self.follow_generation(ex);
        let answer = if self.config.smt_only {
            self.by_smt_alone(ex, set, cond, budget.deadline)
        } else {
            self.by_chain(ex, set, cond, hint, budget)
        };
        if self.config.cross_check && !self.config.smt_only {
            self.cross_check(ex, set, cond, &answer);
        }
        match &answer {
            Answer::Sat(_) => self.stats.sat += 1,
            Answer::Unsat => self.stats.unsat += 1,
            Answer::Unknown(Unknown::Timeout) if !budget.light => self.stats.timeouts += 1,
            Answer::Unknown(_) => {}
        }
        let done = self.blaster.effort();
        self.stats.work += QUERY_WORK
            + SMT_WORK * (self.smt.calls - smt)
            + SAT_WORK * (done.calls - blasting.calls)
            + GATE_WORK * (done.gates - blasting.gates)
            + PROPAGATION_WORK * (done.propagations - blasting.propagations)
            + CONFLICT_WORK * (done.conflicts - blasting.conflicts);
        self.stats.sat_calls = self.blaster.calls;
        self.stats.smt_calls = self.smt.calls;
        self.stats.conflicts = self.blaster.conflicts();
        self.stats.nanos += start.elapsed().as_nanos() as u64;
        if let Some(log) = &mut self.log
            && let Err(e) = log.query(ex, set, cond, hint, answer.verdict())
        {
            eprintln!("forkwise: the query log ends here: {e}");
            self.log = None;
        }
        answer
    }

    /// What the layers before the back ends know about `set ∧ cond`, at a cost far below that of a query. `None`:
    /// only a back end could tell.
    pub fn quick(
        &mut self,
        ex: &mut Exprs,
        set: &ConstraintSet,
        cond: Expr,
        hint: Assignment<'_>,
    ) -> Option<Answer> {
        if self.is_watched() {
            return None;
        }
        self.follow_generation(ex);
        match self.by_quick_layers(ex, set, cond, hint) {
            Quick::Known(answer) => {
                self.stats.queries += 1;
                self.stats.work += QUERY_WORK;
                match answer {
                    Answer::Sat(_) => self.stats.sat += 1,
                    _ => self.stats.unsat += 1,
                }
                Some(answer)
            }
            Quick::Open { .. } => None,
        }
    }

    fn by_chain(
        &mut self,
        ex: &mut Exprs,
        set: &ConstraintSet,
        cond: Expr,
        hint: Assignment<'_>,
        budget: Budget,
    ) -> Answer {
        match self.by_quick_layers(ex, set, cond, hint) {
            Quick::Known(answer) => answer,
            Quick::Open { support, slice } => {
                self.stats.work += OPEN_WORK;
                if self.config.model_reuse
                    && let Some(model) = self.by_models(ex, &slice, cond, hint)
                {
                    self.stats.model_hits += 1;
                    self.remember(&support, &slice, cond, &model);
                    return Answer::Sat(model.to_vec());
                }
                self.by_back_ends(ex, &slice, cond, hint, budget)
            }
        }
    }

    /// Constants, membership, the hint, caches, byte domains and intervals.
    fn by_quick_layers(
        &mut self,
        ex: &mut Exprs,
        set: &ConstraintSet,
        cond: Expr,
        hint: Assignment<'_>,
    ) -> Quick {
        debug_assert_eq!(ex.width(cond), 1);
        if ex.is_false(cond) || set.is_contradictory() {
            self.stats.trivial += 1;
            return Quick::Known(Answer::Unsat);
        }
        if ex.is_true(cond) {
            self.stats.trivial += 1;
            return Quick::Known(Answer::Sat(Vec::new()));
        }
        if self.config.model_reuse && self.hint_values.eval_u64(ex, cond, hint) == 1 {
            self.stats.model_hits += 1;
            return Quick::Known(Answer::Sat(Vec::new()));
        }
        let support = ex.support(cond);
        if let [symbol] = *support
            && let Some(allowed) = self.allowed(ex, set, symbol)
            && let Some(holds) = self.domains.of(ex, cond)
        {
            self.stats.trivial += 1;
            let value = allowed.and(holds).min();
            return Quick::Known(value.map_or(Answer::Unsat, |v| Answer::Sat(vec![(symbol, v)])));
        }
        let slice = if self.config.independence { set.slice(&support) } else { set.everything(ex, &support) };
        if slice.constraints.binary_search(&cond).is_ok() {
            self.stats.trivial += 1;
            return Quick::Known(Answer::Sat(Vec::new()));
        }
        let negated = ex.not(cond);
        if slice.constraints.binary_search(&negated).is_ok() {
            self.stats.trivial += 1;
            return Quick::Known(Answer::Unsat);
        }
        if self.config.cache {
            match self.cache.find(&slice.constraints, cond) {
                Some(Cached::Unsat) => {
                    self.stats.cache_hits += 1;
                    return Quick::Known(Answer::Unsat);
                }
                Some(Cached::Sat(model)) => {
                    self.stats.cache_hits += 1;
                    return Quick::Known(Answer::Sat(model.to_vec()));
                }
                None => {}
            }
        }
        if self.config.ranges
            && let Some(answer) = self.by_ranges(ex, &slice, cond)
        {
            self.stats.trivial += 1;
            return Quick::Known(answer);
        }
        Quick::Open { support, slice }
    }

    /// The values of a symbol that shares no constraint with another, if that layer is on and can tell.
    fn allowed(&mut self, ex: &Exprs, set: &ConstraintSet, symbol: SymbolId) -> Option<ByteSet> {
        if !self.config.ranges || !self.config.independence {
            return None;
        }
        set.allowed(symbol, |c| self.domains.of(ex, c))
    }

    /// Exact least and greatest values of `e` where the layers before the back ends know them, else sound bounds.
    pub(crate) fn known_bounds(&mut self, ex: &mut Exprs, set: &ConstraintSet, e: Expr) -> Bounds {
        let outer = ex.range(e);
        if !self.config.ranges || !self.config.independence || self.is_watched() {
            return Bounds::Outer(outer);
        }
        self.follow_generation(ex);
        let support = ex.support(e);
        if let [symbol] = *support
            && let Some(allowed) = self.allowed(ex, set, symbol)
            && let Some(exact) = self.domains.extremes(ex, e, allowed)
        {
            return Bounds::Exact(exact);
        }
        let slice = set.slice(&support);
        Bounds::Outer(self.intervals.bounds(ex, &mut self.domains, &slice.constraints, e).unwrap_or(outer))
    }

    /// Somebody wants to see every query: nothing is answered on the side.
    fn is_watched(&self) -> bool {
        self.config.smt_only || self.config.cross_check || self.log.is_some()
    }

    /// Drops what is keyed by handles that may mean other expressions now.
    fn follow_generation(&mut self, ex: &Exprs) {
        if self.generation != ex.generation() {
            self.generation = ex.generation();
            self.clear_memory_of_exprs();
        }
    }

    /// The value of an expression under the caller's hint.
    pub(crate) fn value_under_hint(&mut self, ex: &Exprs, e: Expr, hint: Assignment<'_>) -> u64 {
        self.hint_values.eval_u64(ex, e, hint)
    }

    /// The value of an expression under the hint patched with a model.
    pub(crate) fn value_under_model(
        &mut self,
        ex: &Exprs,
        e: Expr,
        model: &[(SymbolId, u8)],
        hint: Assignment<'_>,
    ) -> u64 {
        self.models.value_under(ex, &mut self.checker, e, model, hint)
    }

    /// Byte domains and intervals.
    fn by_ranges(&mut self, ex: &mut Exprs, slice: &Slice, cond: Expr) -> Option<Answer> {
        if let [symbol] = slice.symbols[..]
            && let Ok(value) = self.domains.decide(ex, &slice.constraints, cond)
        {
            return Some(value.map_or(Answer::Unsat, |v| Answer::Sat(vec![(symbol, v)])));
        }
        match self.intervals.decide(ex, &mut self.domains, &slice.constraints, cond)? {
            true => Some(Answer::Sat(Vec::new())),
            false => Some(Answer::Unsat),
        }
    }

    /// Recent models, then the hint with one byte changed.
    fn by_models(
        &mut self,
        ex: &mut Exprs,
        slice: &Slice,
        cond: Expr,
        hint: Assignment<'_>,
    ) -> Option<Model> {
        let lanes = &mut self.domains.lanes;
        if let Some(found) = self.models.find(ex, lanes, &slice.constraints, cond, hint) {
            return Some(slice.symbols.iter().map(|&s| (s, crate::models::value(&found, hint, s))).collect());
        }
        let (symbol, value) = self.domains.sweep(ex, &slice.constraints, cond, hint)?;
        let of = |s: SymbolId| if s == symbol { value } else { hint.get(s) };
        Some(slice.symbols.iter().map(|&s| (s, of(s))).collect())
    }

    fn remember(&mut self, support: &[SymbolId], slice: &Slice, cond: Expr, model: &Model) {
        if self.config.model_reuse {
            self.models.remember(support, model);
        }
        if self.config.cache {
            self.cache.insert(&slice.constraints, cond, Cached::Sat(model.clone()));
        }
    }

    /// Bit-blasting and the SMT-LIB program. Our SAT solver decides nearly everything; what it leaves goes to the
    /// SMT-LIB program for a moment if its rewriting might help (products and quotients), then to CaDiCaL.
    fn by_back_ends(
        &mut self,
        ex: &mut Exprs,
        slice: &Slice,
        cond: Expr,
        hint: Assignment<'_>,
        budget: Budget,
    ) -> Answer {
        let traits = self.traits_of_query(ex, slice, cond);
        let deadline = budget.deadline;
        if budget.light {
            return self.by_light_back_end(ex, slice, cond, hint, budget, traits);
        }
        if traits.foreign_float {
            return self.by_smt(ex, slice, cond, hint, deadline, Effort::Full);
        }
        let query = Query { constraints: &slice.constraints, condition: cond, symbols: &slice.symbols, hint };
        let rewriting = traits.hard && self.smt.available() && self.config.sat == SatEngine::Auto;
        let first = if rewriting { deadline.fraction(1, 3) } else { deadline };
        let outcome = match self.config.sat {
            SatEngine::Auto => self.blaster.solve(ex, &query, HARD_CONFLICTS, first),
            SatEngine::Own => self.blaster.solve(ex, &query, u64::MAX, deadline),
            SatEngine::Cadical => self.blaster.solve_hard(ex, &query, deadline),
        };
        match outcome {
            blast::Outcome::TooLarge => self.by_smt(ex, slice, cond, hint, deadline, Effort::Full),
            blast::Outcome::GaveUp | blast::Outcome::Timeout if !deadline.passed() => {
                if rewriting {
                    let second = deadline.fraction(1, 2);
                    let answer = self.by_smt(ex, slice, cond, hint, second, Effort::Quick);
                    if !matches!(answer, Answer::Unknown(_)) {
                        return answer;
                    }
                }
                let outcome = self.blaster.solve_hard(ex, &query, deadline);
                self.conclude(ex, slice, cond, hint, outcome)
            }
            outcome => self.conclude(ex, slice, cond, hint, outcome),
        }
    }

    /// Our SAT solver for a moment that is counted in conflicts, so that the answer depends on no clock.
    fn by_light_back_end(
        &mut self,
        ex: &mut Exprs,
        slice: &Slice,
        cond: Expr,
        hint: Assignment<'_>,
        budget: Budget,
        traits: Traits,
    ) -> Answer {
        if traits.foreign_float {
            return Answer::Unknown(Unknown::Timeout);
        }
        let query = Query { constraints: &slice.constraints, condition: cond, symbols: &slice.symbols, hint };
        let outcome = self.blaster.solve(ex, &query, LIGHT_CONFLICTS, budget.deadline);
        self.conclude(ex, slice, cond, hint, outcome)
    }

    /// The answer for an outcome of bit-blasting, remembered.
    fn conclude(
        &mut self,
        ex: &mut Exprs,
        slice: &Slice,
        cond: Expr,
        hint: Assignment<'_>,
        outcome: blast::Outcome,
    ) -> Answer {
        match outcome {
            blast::Outcome::Sat(model) => self.believe(ex, slice, cond, hint, model),
            blast::Outcome::Unsat(core) => {
                if self.config.cache {
                    self.cache.insert(&slice.constraints, cond, Cached::Unsat);
                    self.cache.insert_core(&core, cond);
                }
                Answer::Unsat
            }
            blast::Outcome::Timeout | blast::Outcome::GaveUp | blast::Outcome::TooLarge => {
                Answer::Unknown(Unknown::Timeout)
            }
        }
    }

    fn by_smt(
        &mut self,
        ex: &mut Exprs,
        slice: &Slice,
        cond: Expr,
        hint: Assignment<'_>,
        deadline: Deadline,
        effort: Effort,
    ) -> Answer {
        let mut conditions = slice.constraints.clone();
        conditions.push(cond);
        match self.smt.solve(ex, &conditions, effort, deadline) {
            smt::Outcome::Sat(values) => {
                let model =
                    slice.symbols.iter().map(|&s| (s, crate::models::value(&values, hint, s))).collect();
                self.believe(ex, slice, cond, hint, model)
            }
            smt::Outcome::Unsat => {
                if self.config.cache {
                    self.cache.insert(&slice.constraints, cond, Cached::Unsat);
                }
                Answer::Unsat
            }
            smt::Outcome::Unknown(why) => Answer::Unknown(why),
        }
    }

    /// The answer for a back end's model, once it has been evaluated.
    fn believe(
        &mut self,
        ex: &mut Exprs,
        slice: &Slice,
        cond: Expr,
        hint: Assignment<'_>,
        model: Vec<(SymbolId, u8)>,
    ) -> Answer {
        if !self.models.satisfies(ex, &mut self.checker, &model, &slice.constraints, cond, hint) {
            self.stats.wrong_models += 1;
            debug_assert!(false, "a back end's model does not satisfy its query: {}", ex.display(cond));
            return Answer::Unknown(Unknown::BackEnd(
                "internal: a back end's model does not satisfy its query; please report this with --check-solver output"
                    .into(),
            ));
        }
        let model: Model = model.into();
        let support = ex.support(cond);
        self.remember(&support, slice, cond, &model);
        Answer::Sat(model.to_vec())
    }

    /// The baseline: every query as it is to the SMT-LIB program.
    fn by_smt_alone(
        &mut self,
        ex: &mut Exprs,
        set: &ConstraintSet,
        cond: Expr,
        deadline: Deadline,
    ) -> Answer {
        let support = ex.support(cond);
        let slice = if self.config.independence { set.slice(&support) } else { set.everything(ex, &support) };
        let mut conditions = slice.constraints;
        conditions.push(cond);
        match self.smt.solve(ex, &conditions, Effort::Incremental, deadline) {
            smt::Outcome::Sat(model) => Answer::Sat(model),
            smt::Outcome::Unsat => Answer::Unsat,
            smt::Outcome::Unknown(why) => Answer::Unknown(why),
        }
    }

    /// Asks the SMT-LIB program the same question and reports a contradiction.
    fn cross_check(&mut self, ex: &mut Exprs, set: &ConstraintSet, cond: Expr, answer: &Answer) {
        if ex.is_true(cond) || ex.is_false(cond) || matches!(answer, Answer::Unknown(_)) {
            return;
        }
        let support = ex.support(cond);
        let mut conditions = set.slice(&support).constraints;
        conditions.push(cond);
        let Ok(script) = smt::script(ex, &conditions) else { return };
        let deadline = Deadline::after(self.config.timeout);
        let other = match self.smt.solve_script(&script, Effort::Incremental, deadline) {
            smt::Outcome::Sat(_) => "sat",
            smt::Outcome::Unsat => "unsat",
            smt::Outcome::Unknown(_) => return,
        };
        if other != answer.verdict() {
            self.stats.disagreements += 1;
            eprintln!(
                "forkwise: solver disagreement: the chain says {}, the SMT-LIB program says {other} to\n{}(check-sat)",
                answer.verdict(),
                script.text
            );
        }
    }

    fn traits_of_query(&mut self, ex: &Exprs, slice: &Slice, cond: Expr) -> Traits {
        let mut all = self.traits_of(ex, cond);
        for &c in &slice.constraints {
            let t = self.traits_of(ex, c);
            all.foreign_float |= t.foreign_float;
            all.hard |= t.hard;
        }
        all
    }

    fn known_traits(&self, e: Expr) -> Option<Traits> {
        let bits = self.traits.get(e.index()).copied().filter(|b| *b != 0)?;
        Some(Traits { foreign_float: bits & 2 != 0, hard: bits & 4 != 0 })
    }

    fn remember_traits(&mut self, e: Expr, t: Traits) {
        if self.traits.len() <= e.index() {
            self.traits.resize((e.index() + 1).next_power_of_two(), 0);
        }
        self.traits[e.index()] = 1 | u8::from(t.foreign_float) << 1 | u8::from(t.hard) << 2;
    }

    /// Looks through a cone once; operands are remembered too, so that the next query finds them.
    fn traits_of(&mut self, ex: &Exprs, root: Expr) -> Traits {
        if let Some(t) = self.known_traits(root) {
            return t;
        }
        let mut todo = vec![root];
        let mut missing: Vec<Expr> = Vec::new();
        while let Some(&e) = todo.last() {
            if self.known_traits(e).is_some() {
                todo.pop();
                continue;
            }
            let mut own = Traits::default();
            missing.clear();
            match ex.kind(e) {
                Kind::Const | Kind::Symbol(_) => {}
                Kind::Un(_, a) | Kind::Extract(a, _) | Kind::ZExt(a) | Kind::SExt(a) => missing.push(a),
                Kind::Bin(op, a, b) => {
                    let symbolic = ex.kind(a) != Kind::Const && ex.kind(b) != Kind::Const;
                    let product = matches!(op, Op::Mul | Op::UDiv | Op::SDiv | Op::URem | Op::SRem);
                    own.hard = product && symbolic && ex.width(a) >= HARD_WIDTH;
                    missing.extend([a, b]);
                }
                Kind::Ite(c, t, f) => missing.extend([c, t, f]),
                Kind::Lookup(t, index) => {
                    missing.push(index);
                    missing.extend(ex.table(t).iter().filter(|&&x| ex.kind(x) != Kind::Const));
                }
                Kind::Fp(op, a, b, c) => {
                    own.foreign_float = !blast::supports_float(op, ex.width(a), ex.width(e));
                    own.hard = matches!(op, FpOp::Mul | FpOp::Div | FpOp::Sqrt | FpOp::Fma);
                    missing.extend([Some(a), b, c].into_iter().flatten());
                }
            }
            let mut ready = true;
            let before = todo.len();
            for &operand in &missing {
                match self.known_traits(operand) {
                    Some(t) => {
                        own.foreign_float |= t.foreign_float;
                        own.hard |= t.hard;
                    }
                    None => ready = false,
                }
            }
            if ready {
                self.remember_traits(e, own);
                todo.pop();
            } else {
                todo.extend(missing.iter().filter(|m| self.known_traits(**m).is_none()));
                debug_assert!(todo.len() > before);
            }
        }
        self.known_traits(root).unwrap_or_default()
    }
}

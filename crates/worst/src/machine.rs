//! Running single paths. A path starts at the program's beginning, under conditions that hold from the start, or at a
//! state that an earlier path left behind; at each symbolic branch a guide chooses. The state's witness satisfies
//! everything so far, so only a change of side needs the solver. This never decides which path is worth running.

use crate::cost::Cost;
use crate::guide::{Choice, Guide};
use crate::options::Clock;
use crate::order::{Orders, Verdict, Word};
use crate::path::{Decision, Path, Site, Values};
use forkwise_explore::{MakeOs, Random, catching};
use forkwise_expr::Expr;
use forkwise_vm::{Limit, State, Step, Tape, Termination, Vm};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Instructions between two looks at the clock.
const SLICE: u64 = 200_000;
/// A query is given at least this much time.
const SHORTEST_QUERY: Duration = Duration::from_millis(10);
/// See [`Machine::most_expressions`].
const MANY_EXPRESSIONS: usize = 4_000_000;

/// Work (see [`Machine::work`]) of an instruction, of a symbolic decision, of a run, and of a comparison in a question
/// about the order of inputs.
const INSTRUCTION_WORK: u64 = 4;
const DECISION_WORK: u64 = 2_000;
const RUN_WORK: u64 = 10_000;
const ORDER_WORK: u64 = 100;

/// Makes the states at the start of the program; the machine's configuration says which inputs are symbolic.
pub type MakeStates = Box<dyn FnMut(&mut Vm) -> Result<Vec<Box<State>>, String>>;

/// Why a run gave no individual.
#[derive(Clone, Debug)]
pub enum NoPath {
    /// No input goes this way.
    Infeasible,
    /// The program is wrong on this path, or the path cannot be followed to its end.
    Failed(Termination),
    /// The path did not end within the limit; the input that takes it.
    Endless(Values),
    /// The time is up, or the user has had enough.
    Interrupted,
}

/// A state left behind at a decision of a path.
pub struct Left {
    /// The decision: its index in the path.
    pub at: usize,
    /// The state; its condition may be unsolved.
    pub state: Box<State>,
    /// Where.
    pub site: Site,
    /// Where, and from where the function was called.
    pub context: Site,
    /// The arm it takes.
    pub arm: u32,
    /// The beginning of the program that its path started from.
    root: usize,
    /// What was counted up to here, for costs that are counts.
    counted: u64,
}

/// What a path leaves for others, however it ended.
#[derive(Default)]
pub struct Trail {
    /// Its decisions.
    pub decisions: Vec<Decision>,
    /// The sides it did not take, in order.
    pub left: Vec<Left>,
}

/// Where a path meets a decision.
struct Met {
    root: usize,
    depth: usize,
    counted: u64,
}

/// A run on a given input.
pub struct Concrete {
    /// What it cost.
    pub cost: u64,
    /// The state at its end.
    pub state: Box<State>,
    /// How it ended.
    pub end: Termination,
}

/// See the module text.
pub struct Machine {
    /// The virtual machine.
    pub vm: Vm,
    /// Instructions from `main` on after which a path counts as endless.
    pub limit: u64,
    make: MakeStates,
    make_os: MakeOs,
    #[allow(clippy::vec_box, reason = "states are boxed wherever they are kept")]
    roots: Vec<Box<State>>,
    cost: Cost,
    /// Stable numbers of branches; see [`Site`].
    sites: Vec<Site>,
    orders: Orders,
    /// Questions that were answered without the solver.
    pub ordered: u64,
    /// Work beside the solver's; see [`Machine::work`].
    worked: u64,
    /// Work that one path may spend on questions; then it goes where its witness goes.
    pub patience: u64,
    /// The same in time, where time is limited.
    pub patience_time: Option<Duration>,
    /// Work and time when the path began that runs now.
    began: (u64, Duration),
    /// The longest query.
    query_time: Option<Duration>,
    /// Ask the solver about every side of every branch, as if no side were known to be feasible.
    pub ask_always: bool,
    /// Questions about order go to the solver, too.
    pub without_orders: bool,
    /// Expressions beyond which those that nobody names any more are freed.
    pub most_expressions: usize,
    clock: Clock,
    deadline: Option<Duration>,
    interrupt: Arc<AtomicBool>,
    /// Failing paths beside those that were run: how often, and the first of them.
    pub failures: (u64, Option<Termination>),
}

impl Machine {
    /// A machine that measures `cost`. Setting `interrupt` ends any run.
    pub fn new(
        mut vm: Vm,
        mut make: MakeStates,
        make_os: MakeOs,
        cost: Cost,
        limit: u64,
        interrupt: Arc<AtomicBool>,
    ) -> Result<Machine, String> {
        vm.config.concolic = true;
        vm.config.lazy = true;
        vm.config.count_executions = cost.counts_blocks();
        vm.os = Some(make_os());
        let roots = make(&mut vm)?;
        if roots.is_empty() {
            return Err("the program has no beginning".into());
        }
        let sites = sites(&vm);
        let query_time = vm.solver.config().timeout;
        Ok(Machine {
            vm,
            limit,
            make,
            make_os,
            roots,
            cost,
            sites,
            orders: Orders::default(),
            ordered: 0,
            worked: 0,
            patience: u64::MAX,
            patience_time: None,
            began: (0, Duration::ZERO),
            clock: Clock::default(),
            query_time,
            ask_always: false,
            without_orders: false,
            most_expressions: MANY_EXPRESSIONS,
            deadline: None,
            interrupt,
            failures: (0, None),
        })
    }

    /// Work done so far, in units of about a nanosecond that are counted instead of measured, so that decisions which
    /// follow from it are the same in every run.
    pub fn work(&self) -> u64 {
        self.worked + self.vm.solver.work()
    }

    /// Runs end at this moment of a clock.
    pub fn set_deadline(&mut self, clock: Clock, deadline: Option<Duration>) {
        (self.clock, self.deadline) = (clock, deadline);
    }

    /// No query lasts beyond the deadline.
    fn limit_query(&mut self) {
        let left = self.deadline.map(|d| d.saturating_sub(self.clock.now()).max(SHORTEST_QUERY));
        let limit = self.query_time.into_iter().chain(left).chain(self.patience_time).min();
        self.vm.solver.set_timeout(limit);
    }

    /// Is it time to stop?
    pub fn is_over(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed) || self.deadline.is_some_and(|d| self.clock.now() >= d)
    }

    /// A path from the beginning, with random first values.
    pub fn run_fresh(
        &mut self,
        random: &mut Random,
        guide: &mut dyn Guide,
        keep: Option<&mut Trail>,
    ) -> Result<Path, NoPath> {
        let root = random.below(self.roots.len() as u64) as usize;
        let mut st = self.fork_root(root);
        self.vm.randomize_inputs(&mut st, random.next_u64() | 1);
        self.vm.config.seed_inputs.clear();
        self.go(st, root, Vec::new(), 0, guide, keep)
    }

    /// A path from the beginning whose first values are those of another one.
    pub fn run_from(
        &mut self,
        base: &Path,
        random: &mut Random,
        guide: &mut dyn Guide,
        keep: Option<&mut Trail>,
    ) -> Result<Path, NoPath> {
        self.run_under(&[], base, None, random, guide, keep)
    }

    /// A path on which all of `conditions` hold. `base` is a path that satisfies many of them, `other` one that the rest
    /// comes from: what they know of inputs is where the solver begins.
    pub fn run_under(
        &mut self,
        conditions: &[Expr],
        base: &Path,
        other: Option<&Path>,
        random: &mut Random,
        guide: &mut dyn Guide,
        keep: Option<&mut Trail>,
    ) -> Result<Path, NoPath> {
        let mut st = self.fork_root(base.root);
        st.salt = random.next_u64() | 1;
        let mut bytes = base.bytes();
        let mut inputs = base.inputs.to_vec();
        if let Some(other) = other.filter(|o| o.root == base.root) {
            other.put(&mut bytes, &inputs);
            inputs.extend(other.inputs.iter().filter(|i| !base.inputs.contains(i)).cloned());
        }
        self.limit_query();
        if let Some(values) = self.order_of(&st, conditions, &bytes)? {
            values.into_iter().for_each(|(word, value)| word.put(&mut bytes, value));
        }
        let vm = &mut self.vm;
        match catching(|| vm.begin_under(&mut st, conditions, bytes)) {
            Ok(Ok(true)) => {}
            Ok(Ok(false)) => return Err(NoPath::Infeasible),
            Ok(Err(end)) => return Err(NoPath::Failed(end)),
            Err(panic) => return Err(NoPath::Failed(Termination::Internal(panic))),
        }
        let a = st.witness.assignment();
        let value = |s: u32| a.get(forkwise_expr::SymbolId(s));
        self.vm.config.seed_inputs = inputs
            .iter()
            .map(|i| (i.name.clone(), (i.first..i.first + i.size).map(value).collect()))
            .collect();
        let ran = self.go(st, base.root, Vec::new(), 0, guide, keep);
        self.vm.config.seed_inputs.clear();
        ran
    }

    /// The path behind a state that a path with these decisions left behind: those before it are the same.
    pub fn run_left(
        &mut self,
        before: &[Decision],
        left: Left,
        guide: &mut dyn Guide,
        keep: Option<&mut Trail>,
    ) -> Result<Path, NoPath> {
        let Left { at, mut state, site, context, arm, root, counted } = left;
        let pending = state.pending;
        self.settle(&mut state)?;
        let condition = match pending {
            Some(c) => c,
            None => {
                let newest = state.condition.newest_first().next();
                newest.unwrap_or_else(|| self.vm.exprs.bool(true))
            }
        };
        let mut decisions = before[..at].to_vec();
        decisions.push(Decision { site, context, arm, condition });
        guide.took(site, arm);
        self.vm.config.seed_inputs.clear();
        self.go(state, root, decisions, counted, guide, keep)
    }

    /// Solves what a state waits for.
    fn settle(&mut self, state: &mut State) -> Result<(), NoPath> {
        self.limit_query();
        if let Some(c) = state.pending
            && self.vm.eval(state, c) != 1
            && let Some(answer) = self.settle_by_order(state, c)
        {
            return answer;
        }
        let vm = &mut self.vm;
        match catching(|| vm.settle_pending(state)) {
            Ok(Ok(true)) => Ok(()),
            Ok(Ok(false)) => Err(NoPath::Infeasible),
            Ok(Err(end)) => Err(NoPath::Failed(end)),
            Err(panic) => Err(NoPath::Failed(Termination::Internal(panic))),
        }
    }

    /// Values for conditions that all compare inputs with each other, as the beginning of a path; `None`: they do not.
    fn order_of(
        &mut self,
        st: &State,
        conditions: &[Expr],
        bytes: &[u8],
    ) -> Result<Option<Vec<(Word, i128)>>, NoPath> {
        if conditions.is_empty() || !st.condition.is_empty() || self.without_orders {
            return Ok(None);
        }
        // Nobody else evaluates under this identity.
        let near = forkwise_expr::Assignment { id: u64::MAX, bytes };
        match self.orders.decide(&self.vm.exprs, conditions.iter().copied(), near) {
            Verdict::Unknown => Ok(None),
            Verdict::No => {
                self.ordered += 1;
                Err(NoPath::Infeasible)
            }
            Verdict::Yes(values) => {
                self.ordered += 1;
                Ok(Some(values))
            }
        }
    }

    /// The same where all conditions that matter compare inputs with each other; `None`: they do not.
    fn settle_by_order(&mut self, state: &mut State, c: Expr) -> Option<Result<(), NoPath>> {
        if self.without_orders {
            return None;
        }
        self.worked += ORDER_WORK * state.condition.len() as u64;
        let near = state.witness.assignment();
        // All conditions first: usually they are of one kind, and picking out those that matter takes longer.
        let all = state.condition.newest_first().chain(std::iter::once(c));
        let mut verdict = self.orders.decide(&self.vm.exprs, all, near);
        if verdict == Verdict::Unknown {
            let support = self.vm.exprs.support(c);
            let slice = state.condition.constraints_for(&support);
            verdict = self.orders.decide(&self.vm.exprs, slice.into_iter().chain(std::iter::once(c)), near);
        }
        let values = match verdict {
            Verdict::Unknown => return None,
            Verdict::No => {
                self.ordered += 1;
                return Some(Err(NoPath::Infeasible));
            }
            Verdict::Yes(values) => values,
        };
        self.ordered += 1;
        let mut bytes = state.witness.bytes.clone();
        values.into_iter().for_each(|(word, value)| word.put(&mut bytes, value));
        state.pending = None;
        match self.vm.begin_under(state, &[c], bytes) {
            Ok(true) => Some(Ok(())),
            // The values are checked by evaluation, so this is our error and no verdict.
            Ok(false) => Some(Err(NoPath::Infeasible)),
            Err(end) => Some(Err(NoPath::Failed(end))),
        }
    }

    fn fork_root(&mut self, root: usize) -> Box<State> {
        let root = &mut self.roots[root];
        root.fork(root.id)
    }

    /// To the end of a path.
    fn go(
        &mut self,
        st: Box<State>,
        root: usize,
        mut decisions: Vec<Decision>,
        counted: u64,
        guide: &mut dyn Guide,
        mut keep: Option<&mut Trail>,
    ) -> Result<Path, NoPath> {
        self.limit_query();
        self.began = (self.work(), self.clock.now());
        let left = keep.as_mut().map(|k| &mut k.left);
        let (from, before) = (decisions.len(), self.vm.fork_count);
        let ran = self.follow(st, root, &mut decisions, counted, guide, left);
        self.worked += RUN_WORK + DECISION_WORK * (decisions.len() - from) as u64;
        self.worked += self.vm.fork_count - before;
        if let Some(trail) = keep {
            trail.decisions.clone_from(&decisions);
        }
        ran.map(|path| Path { decisions, ..path })
    }

    fn follow(
        &mut self,
        mut st: Box<State>,
        root: usize,
        decisions: &mut Vec<Decision>,
        counted: u64,
        guide: &mut dyn Guide,
        mut left: Option<&mut Vec<Left>>,
    ) -> Result<Path, NoPath> {
        self.vm.tape = Tape::Off;
        let count_before = self.cost.count(&self.vm).wrapping_sub(counted);
        let mut looked = st.instructions;
        let end = loop {
            let step = self.step(&mut st);
            let forks = std::mem::take(&mut self.vm.forks);
            self.note_failures();
            if let Step::Ended(end) = step {
                break end;
            }
            if !forks.is_empty() {
                let counted = self.cost.count(&self.vm).wrapping_sub(count_before);
                let met = Met { root, depth: decisions.len(), counted };
                let left = left.as_deref_mut();
                let decision = self.decide(&mut st, forks, met, guide, left)?;
                guide.took(decision.site, decision.arm);
                decisions.push(decision);
            }
            if st.instructions.saturating_sub(st.main_at) >= self.limit {
                return Err(NoPath::Endless(self.vm.input_bytes(&st)));
            }
            if st.instructions.saturating_sub(looked) >= SLICE || decisions.len() % 64 == 63 {
                looked = st.instructions;
                if self.is_over() {
                    return Err(NoPath::Interrupted);
                }
            }
        };
        match end {
            Termination::Exit(_) | Termination::Signal(_) => {}
            Termination::Silent | Termination::ImpossibleAssumption => return Err(NoPath::Infeasible),
            Termination::Limit(Limit::Time) => return Err(NoPath::Interrupted),
            failed => {
                self.fail(&failed);
                return Err(NoPath::Failed(failed));
            }
        }
        self.worked += INSTRUCTION_WORK * st.instructions;
        self.vm.apply_preferences(&mut st);
        let values = self.vm.input_bytes(&st);
        let counted = self.cost.count(&self.vm).wrapping_sub(count_before);
        let cost = self.cost.of(&st, counted, &values).map_err(|why| {
            let end = Termination::Unsupported(why);
            self.fail(&end);
            NoPath::Failed(end)
        })?;
        Ok(Path { decisions: Vec::new(), cost, values, inputs: Rc::clone(&st.inputs), root })
    }

    fn step(&mut self, st: &mut State) -> Step {
        let vm = &mut self.vm;
        catching(|| vm.run(st, SLICE)).unwrap_or_else(|panic| {
            self.vm.os.get_or_insert_with(|| (self.make_os)());
            Step::Ended(Termination::Internal(panic))
        })
    }

    fn fail(&mut self, end: &Termination) {
        self.failures.0 += 1;
        self.failures.1.get_or_insert_with(|| end.clone());
    }

    /// What ended beside the path: checks that can fail.
    fn note_failures(&mut self) {
        for e in std::mem::take(&mut self.vm.ended) {
            if matches!(e.termination, Termination::Fault(_)) {
                self.fail(&e.termination);
            }
        }
    }

    /// A branch: the guide chooses among the state and its siblings.
    #[allow(clippy::vec_box, reason = "the machine hands them over so")]
    fn decide(
        &mut self,
        st: &mut Box<State>,
        mut siblings: Vec<Box<State>>,
        met: Met,
        guide: &mut dyn Guide,
        mut left: Option<&mut Vec<Left>>,
    ) -> Result<Decision, NoPath> {
        let Met { root, depth, counted } = met;
        let (site, mine) = self.place(st);
        let context = self.context(st, site);
        let mut arms = vec![mine];
        // A sibling without an edge executes the operation again with other values than the path's.
        arms.extend(siblings.iter().enumerate().map(|(i, s)| match s.pending_edge {
            Some(_) => self.place(s).1,
            None => i as u32 + 1,
        }));
        let mut condition = self.condition_of(st, &siblings);
        let mut arm = mine;
        let wish = guide.choose(&Choice { site, context, arms: &arms, depth });
        if self.ask_always {
            for sibling in &mut siblings {
                let mut copy = sibling.fork(sibling.id);
                // What comes of it is known by the witness; this is what it costs not to have one.
                let _ = self.settle(&mut copy);
            }
        }
        if wish > 0 && wish <= siblings.len() && self.is_patient() {
            let mut sibling = siblings.swap_remove(wish - 1);
            let wished = arms.swap_remove(wish);
            let pending = sibling.pending;
            match self.settle(&mut sibling) {
                Ok(()) => {
                    let newest = sibling.condition.newest_first().next();
                    condition = pending.or(newest).unwrap_or(condition);
                    let before = std::mem::replace(st, sibling);
                    if let Some(left) = &mut left {
                        left.push(Left { at: depth, state: before, site, context, arm: mine, root, counted });
                    }
                    arm = wished;
                }
                Err(NoPath::Interrupted) => return Err(NoPath::Interrupted),
                // Infeasible, or nobody knows: the path goes where it can.
                Err(_) => {}
            }
        }
        if let Some(left) = left {
            for (state, arm) in siblings.into_iter().zip(arms.into_iter().skip(1)) {
                left.push(Left { at: depth, state, site, context, arm, root, counted });
            }
        }
        Ok(Decision { site, context, arm, condition })
    }

    /// May the path ask more questions?
    fn is_patient(&self) -> bool {
        let (work, at) = self.began;
        self.work() - work < self.patience
            && self.patience_time.is_none_or(|most| self.clock.now() - at < most)
    }

    /// The condition under which a state goes on that has just left `siblings` behind.
    #[allow(clippy::vec_box, reason = "the machine hands them over so")]
    fn condition_of(&mut self, st: &State, siblings: &[Box<State>]) -> Expr {
        let mut all = self.vm.exprs.bool(true);
        for sibling in siblings {
            match sibling.pending {
                Some(c) => {
                    let not = self.vm.exprs.not(c);
                    all = self.vm.exprs.and(all, not);
                }
                None => {
                    if let Some(c) = st.condition.newest_first().next() {
                        all = self.vm.exprs.and(all, c);
                    }
                }
            }
        }
        all
    }

    /// A place together with the call that led to its function.
    fn context(&self, st: &State, site: Site) -> Site {
        match st.frames().nth(1) {
            Some(caller) => {
                let name = &self.vm.program.functions[caller.func as usize].name;
                let call = site_number(name, 2 << 40 | u64::from(caller.pc));
                Site(site.0.rotate_left(23) ^ call.0)
            }
            None => site,
        }
    }

    /// Where a state decides, and the arm it takes.
    fn place(&self, st: &State) -> (Site, u32) {
        let program = &self.vm.program;
        if let Some(edge) = st.pending_edge {
            let i = program.branches.partition_point(|b| b.first_edge <= edge);
            if let Some(i) = i.checked_sub(1)
                && let Some(arms) = program.arms_of(edge)
            {
                return (self.sites[i], edge - arms.start);
            }
        }
        let name = &program.functions[st.frame.func as usize].name;
        (site_number(name, 1 << 40 | u64::from(st.frame.pc)), 0)
    }

    /// A run on given inputs, nothing symbolic: what a path really costs.
    pub fn concrete(&mut self, values: &[(String, Vec<u8>)]) -> Result<Concrete, NoPath> {
        let run = self.replay(values)?;
        match run.end {
            Termination::Limit(Limit::Instructions) => Err(NoPath::Endless(values.to_vec())),
            _ => Ok(run),
        }
    }

    /// The same; a run that does not end within the limit is cut off there.
    pub fn replay(&mut self, values: &[(String, Vec<u8>)]) -> Result<Concrete, NoPath> {
        let config = &mut self.vm.config;
        (config.concolic, config.lazy, config.concrete_inputs) = (false, false, true);
        config.seed_inputs = values.to_vec();
        let ran = self.run_concrete(values);
        let config = &mut self.vm.config;
        (config.concolic, config.lazy, config.concrete_inputs) = (true, true, false);
        config.seed_inputs.clear();
        ran
    }

    fn run_concrete(&mut self, values: &[(String, Vec<u8>)]) -> Result<Concrete, NoPath> {
        // A program whose beginning has no inputs begins the same whatever they are.
        let mut st = match &mut self.roots[..] {
            [one] if one.inputs.is_empty() => one.fork(one.id),
            _ => {
                let states =
                    (self.make)(&mut self.vm).map_err(|why| NoPath::Failed(Termination::Unsupported(why)))?;
                states.into_iter().next().ok_or(NoPath::Infeasible)?
            }
        };
        let before = self.cost.count(&self.vm);
        let mut looked = 0;
        let end = loop {
            let step = self.step(&mut st);
            self.vm.forks.clear();
            self.vm.ended.clear();
            if let Step::Ended(end) = step {
                break end;
            }
            if st.instructions.saturating_sub(st.main_at) >= self.limit {
                break Termination::Limit(Limit::Instructions);
            }
            looked += 1;
            if looked % 8 == 0 && self.is_over() {
                return Err(NoPath::Interrupted);
            }
        };
        match &end {
            Termination::Exit(_) | Termination::Signal(_) | Termination::Limit(Limit::Instructions) => {}
            Termination::Silent | Termination::ImpossibleAssumption => return Err(NoPath::Infeasible),
            failed => return Err(NoPath::Failed(failed.clone())),
        }
        self.worked += INSTRUCTION_WORK * st.instructions;
        let counted = self.cost.count(&self.vm).wrapping_sub(before);
        let cost = self
            .cost
            .of(&st, counted, values)
            .map_err(|why| NoPath::Failed(Termination::Unsupported(why)))?;
        Ok(Concrete { cost, state: st, end })
    }

    /// Frees expressions that neither these paths nor these states name, when there are many.
    pub fn tidy<'a>(
        &mut self,
        paths: impl Iterator<Item = &'a Path>,
        states: impl Iterator<Item = &'a State>,
    ) {
        if self.vm.exprs.live() < self.most_expressions {
            return;
        }
        let mut holder = self.fork_root(0);
        holder.preferences = Rc::new(paths.flat_map(Path::conditions).collect());
        let mut alive: Vec<&State> = states.collect();
        alive.extend(self.roots.iter().map(|r| &**r));
        alive.push(&holder);
        self.vm.collect_garbage(alive.into_iter());
        self.orders.forget();
    }
}

/// Numbers of branches that do not depend on the size a program was compiled for: by function and position in it.
fn sites(vm: &Vm) -> Vec<Site> {
    let program = &vm.program;
    let mut last = (u32::MAX, 0u64);
    let number = |b: &forkwise_ir::Branch| {
        last = if last.0 == b.func { (b.func, last.1 + 1) } else { (b.func, 0) };
        site_number(&program.functions[b.func as usize].name, last.1)
    };
    program.branches.iter().map(number).collect()
}

fn site_number(function: &str, position: u64) -> Site {
    let hash = function
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    Site(hash.rotate_left(7) ^ position.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

//! Symbolic control flow: branches, switches, computed jumps.

use crate::call::Flow;
use crate::fault::{Fault, FaultKind, Limit, Termination};
use crate::feasible::Feasibility;
use crate::machine::Vm;
use crate::state::State;
use crate::value::Value;
use forkwise_expr::Expr;
use forkwise_ir::{Op, SwitchTable, layout};

impl Vm {
    /// Edge `edge` where `cond` holds, `edge + 1` where it does not. The state follows its witness; the other side
    /// becomes a sibling if it is feasible.
    #[inline(never)]
    pub(crate) fn branch(&mut self, st: &mut State, cond: Expr, edge: u32) -> Result<Flow, Termination> {
        st.branches += 1;
        if let Some(c) = self.exprs.const_u64(cond) {
            self.enter_edge(st, edge + (c == 0) as u32);
            return Ok(Flow::Moved);
        }
        let taken = self.eval(st, cond) == 1;
        let not = self.exprs.not(cond);
        let (mine, other) = if taken { (cond, not) } else { (not, cond) };
        let (my_edge, other_edge) = if taken { (edge, edge + 1) } else { (edge + 1, edge) };
        self.split(st, mine, my_edge, &[(other, other_edge)], None)
    }

    /// The state goes on along `my_edge` under `mine`, which its witness satisfies; each feasible alternative
    /// becomes a sibling. Alternatives must exclude `mine`.
    fn split(
        &mut self,
        st: &mut State,
        mine: Expr,
        my_edge: u32,
        others: &[(Expr, u32)],
        switch: Option<(Expr, &SwitchTable)>,
    ) -> Result<Flow, Termination> {
        let loc = self.current_loc(st);
        let (forks_before, nanos_before) = (self.fork_count, st.solver_nanos);
        // A recorded path may need the other side where nothing else is allowed to fork.
        let recorded = self.recorded_arm(st);
        let no_fork = recorded.is_none()
            && (!st.forking
                || self.stop_forking
                || self.shares.as_ref().is_some_and(|s| s.used_up(st))
                || (self.config.max_depth != 0 && st.depth >= self.config.max_depth));
        let siblings_before = self.forks.len();
        let mut split = false;
        if no_fork {
            // A recorded decision is one where another side could have been taken; nobody else needs to know.
            split = !self.config.record_decisions
                || others.iter().any(|(cond, _)| !matches!(self.may(st, *cond), Feasibility::No));
        } else {
            for (cond, edge) in others {
                if self.skip_siblings > 0 && self.config.concolic {
                    self.skip_siblings -= 1;
                    split = true;
                    continue;
                }
                let known = match (self.config.concolic, self.config.lazy) {
                    (true, _) => None,
                    (false, true) => self.may_quickly(st, *cond),
                    (false, false) => Some(self.may(st, *cond)),
                };
                let decision = self.decision(*cond, *edge);
                let key = decision ^ st.decided.rotate_left(17);
                let Some(known) = known else {
                    let id = self.next_state;
                    self.next_state += 1;
                    self.count_fork(st);
                    let mut child = st.fork(id);
                    child.pending = Some(*cond);
                    child.pending_edge = Some(*edge);
                    (child.fork_key, child.decided) = (key, decision);
                    child.depth += 1;
                    self.forks.push(child);
                    split = true;
                    continue;
                };
                match known {
                    Feasibility::Yes(w) => {
                        let mut child = self.sibling(st, *cond, w);
                        // Cases with one target are one alternative; its witness says which case it really takes.
                        let edge = match switch {
                            Some((e, table)) => table.edge_for(self.eval(&child, e)),
                            None => *edge,
                        };
                        child.pending_edge = Some(edge);
                        (child.fork_key, child.decided) = (key, decision);
                        child.depth += 1;
                        if self.config.record_decisions {
                            child.decide(edge, loc);
                        }
                        self.forks.push(child);
                        split = true;
                    }
                    Feasibility::No => {}
                    Feasibility::Unknown(why) => {
                        self.note(format!(
                            "one side of a branch {} was left out: the solver gave no answer ({why})",
                            self.place(st)
                        ));
                        split = true;
                    }
                }
            }
        }
        if let Some(shares) = &mut self.shares {
            shares.count(st, self.fork_count - forks_before, st.solver_nanos - nanos_before);
        }
        if switch.is_some() && self.config.lazy && !self.program.functions[st.frame.func as usize].is_library
        {
            for child in self.forks.iter_mut().skip(siblings_before) {
                child.pending_edge.into_iter().for_each(|edge| child.take_case(edge));
            }
            st.take_case(my_edge);
        }
        if split {
            self.assume_true(st, mine);
            st.decided = self.decision(mine, my_edge);
            st.depth += 1;
            if self.config.record_decisions {
                st.decide(my_edge, loc);
            }
        }
        if split && let Some(arm) = recorded {
            return self.follow_recorded(st, my_edge, arm);
        }
        if self.forks.is_empty() {
            self.enter_edge(st, my_edge);
        } else {
            // The caller chooses who runs next; the edge counts when it is really taken.
            st.pending_edge = Some(my_edge);
        }
        Ok(Flow::Moved)
    }

    /// A number for a decision: taking an edge under a condition.
    fn decision(&self, cond: Expr, edge: u32) -> u64 {
        match self.config.lazy {
            true => self.exprs.fingerprint(cond) ^ u64::from(edge),
            false => 0,
        }
    }

    /// What a replayed path does at the next decision.
    fn recorded_arm(&self, st: &State) -> Option<u32> {
        let path = self.config.replay_path.as_ref().filter(|_| !self.config.lazy)?;
        path.get(st.depth as usize).copied()
    }

    /// Of the state, about to take `my_edge`, and the siblings that were just forked, only the one that takes the
    /// recorded arm goes on.
    fn follow_recorded(&mut self, st: &mut State, my_edge: u32, arm: u32) -> Result<Flow, Termination> {
        let mut siblings = std::mem::take(&mut self.forks);
        let program = &self.program;
        let wanted = program.arms_of(my_edge).and_then(|arms| {
            let edge = if arms.len() == 2 {
                arms.start + u32::from(arm == 0)
            } else {
                arms.start.checked_add(arm)?
            };
            arms.contains(&edge).then_some(edge)
        });
        let target = |edge: u32| (program.edges[edge as usize].block, program.edges[edge as usize].pc);
        let edges: Vec<u32> =
            std::iter::once(my_edge).chain(siblings.iter().filter_map(|s| s.pending_edge)).collect();
        let chosen = wanted.and_then(|wanted| {
            let exact = edges.iter().position(|e| *e == wanted);
            // Cases with one target are one alternative, whichever of them was recorded.
            exact.or_else(|| edges.iter().position(|e| target(*e) == target(wanted)))
        });
        let Some(chosen) = chosen else {
            let why = format!("the recorded path cannot be followed {}", self.place(st));
            self.note(why.clone());
            return Err(Termination::Limit(Limit::Values(why)));
        };
        if chosen > 0 {
            let mut sibling = siblings.swap_remove(chosen - 1);
            std::mem::swap(st, &mut sibling);
            st.id = sibling.id;
            st.pending_edge = None;
        }
        self.enter_edge(st, edges[chosen]);
        Ok(Flow::Moved)
    }

    /// Solves the condition of a state that was forked lazily. `Ok(false)`: it is infeasible.
    pub fn settle_pending(&mut self, st: &mut State) -> Result<bool, Termination> {
        let Some(cond) = st.pending.take() else { return Ok(true) };
        let feasible = self.require(st, cond)?;
        // Cases with one target are one alternative; the witness says which case it really takes.
        let program = self.program.clone();
        let f = &program.functions[st.frame.func as usize];
        if let (true, Some(Op::Switch { a, table, .. })) = (feasible, f.code.get(st.frame.pc as usize)) {
            let value = self.eval_value(st, st.frame.regs[*a as usize]);
            st.pending_edge = Some(f.switches[*table as usize].edge_for(value));
        }
        Ok(feasible)
    }

    #[inline(never)]
    pub(crate) fn switch(
        &mut self,
        st: &mut State,
        w: u8,
        e: Expr,
        table: &SwitchTable,
    ) -> Result<Flow, Termination> {
        st.branches += 1;
        // Cases that share a target block are one alternative: the program cannot tell them apart afterwards,
        // except by phis, which are part of the edge.
        let mut groups: Vec<(u32, u32, Expr)> = Vec::new();
        let mut none = self.exprs.bool(true);
        for (value, edge) in &table.cases {
            let k = self.exprs.constant(w as u32, *value);
            let is = self.exprs.eq(e, k);
            if self.exprs.is_false(is) {
                continue;
            }
            let isnt = self.exprs.not(is);
            none = self.exprs.and(none, isnt);
            let target = self.program.edges[*edge as usize];
            match groups.iter_mut().find(|g| {
                let t = self.program.edges[g.0 as usize];
                t.block == target.block && t.pc == target.pc
            }) {
                Some(g) => g.2 = self.exprs.or(g.2, is),
                None => groups.push((*edge, target.pc, is)),
            }
        }
        let default_target = self.program.edges[table.default as usize];
        match groups.iter_mut().find(|g| {
            let t = self.program.edges[g.0 as usize];
            t.block == default_target.block && t.pc == default_target.pc
        }) {
            Some(g) => g.2 = self.exprs.or(g.2, none),
            None => groups.push((table.default, 0, none)),
        }
        let mut mine = None;
        let mut others = Vec::new();
        for (edge, _, cond) in groups {
            if self.exprs.is_false(cond) {
                continue;
            }
            if mine.is_none() && self.eval(st, cond) == 1 {
                mine = Some((cond, edge));
            } else {
                others.push((cond, edge));
            }
        }
        let Some((cond, _)) = mine else {
            return Err(Termination::Internal("no case of a switch holds under the witness".into()));
        };
        let edge = table.edge_for(self.eval(st, e));
        let recorded = self.config.record_decisions || self.config.replay_path.is_some();
        if self.config.switch_chain && others.len() > 1 && !self.config.concolic && !recorded {
            return self.switch_link(st, cond, edge);
        }
        self.split(st, cond, edge, &others, Some((e, table)))
    }

    /// One link of a chain: the state takes its target, and one sibling executes the switch again for all others.
    fn switch_link(&mut self, st: &mut State, mine: Expr, edge: u32) -> Result<Flow, Termination> {
        let (forks_before, nanos_before) = (self.fork_count, st.solver_nanos);
        let no_fork = !st.forking
            || self.stop_forking
            || self.shares.as_ref().is_some_and(|s| s.used_up(st))
            || (self.config.max_depth != 0 && st.depth >= self.config.max_depth);
        let mut split = no_fork;
        if !no_fork {
            let others = self.exprs.not(mine);
            match self.may(st, others) {
                Feasibility::Yes(w) => {
                    let mut child = self.sibling(st, others, w);
                    child.depth += 1;
                    (child.fork_key, child.decided) = (self.decision(others, edge), 0);
                    self.push_fork(child);
                    split = true;
                }
                Feasibility::No => {}
                Feasibility::Unknown(why) => {
                    let place = self.place(st);
                    self.note(format!(
                        "cases of a switch {place} were left out: the solver gave no answer ({why})"
                    ));
                    split = true;
                }
            }
        }
        if let Some(shares) = &mut self.shares {
            shares.count(st, self.fork_count - forks_before, st.solver_nanos - nanos_before);
        }
        if self.config.lazy && !self.program.functions[st.frame.func as usize].is_library {
            st.take_case(edge);
        }
        if split {
            self.assume_true(st, mine);
            st.decided = self.decision(mine, edge);
            st.depth += 1;
        }
        if self.forks.is_empty() {
            self.enter_edge(st, edge);
        } else {
            st.pending_edge = Some(edge);
        }
        Ok(Flow::Moved)
    }

    pub(crate) fn indirect_branch(
        &mut self,
        st: &mut State,
        target: Value,
        table: u32,
    ) -> Result<Flow, Termination> {
        let address = self.concretize(st, target, 64, "a jump target")?;
        st.branches += 1;
        let program = self.program.clone();
        let f = &program.functions[st.frame.func as usize];
        // A block address names some edge into the block; the edge to follow is the one that leaves from here.
        let block =
            layout::block_edge_at(address, program.edges.len()).map(|e| program.edges[e as usize].block);
        let wanted = f.indirect_targets[table as usize]
            .iter()
            .find(|edge| Some(program.edges[**edge as usize].block) == block);
        match wanted {
            Some(edge) => {
                if self.forks.is_empty() {
                    self.enter_edge(st, *edge);
                } else {
                    st.pending_edge = Some(*edge);
                }
                Ok(Flow::Moved)
            }
            None => {
                Err(Fault::new(FaultKind::BadJump, "computed goto to something that is not a label").end())
            }
        }
    }

    /// Location number of the operation that is being executed.
    pub fn current_loc(&self, st: &State) -> u32 {
        let f = &self.program.functions[st.frame.func as usize];
        f.locs.get(st.frame.pc as usize).copied().unwrap_or(0)
    }
}

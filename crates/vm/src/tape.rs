//! What the solver said while a path ran. With its answers a path can be run again from its beginning and does exactly
//! the same, whatever the solver has learnt in between, and without asking it anything. See [`Vm::tape`].

use crate::feasible::Feasibility;
use crate::machine::Vm;
use crate::state::{State, Witness};
use forkwise_expr::Expr;
use std::rc::Rc;
use std::time::Instant;

/// One answer.
#[derive(Clone, Debug)]
pub enum Said {
    /// A condition can hold, with this witness.
    Feasible(Rc<Witness>),
    /// It cannot.
    Infeasible,
    /// No answer, and why.
    Unknown(String),
    /// The least and greatest value of an expression, if they were found.
    Range(Option<(u64, u64)>),
}

/// Whether answers are recorded or taken from a record.
#[derive(Clone, Debug, Default)]
pub enum Tape {
    /// Neither.
    #[default]
    Off,
    /// Every answer is added.
    Recording(Vec<Said>),
    /// Answers come from here; how many were used so far.
    Playing(Rc<[Said]>, usize),
}

impl Vm {
    /// The next recorded answer, when a record is being played.
    fn recorded(&mut self) -> Option<Said> {
        let Tape::Playing(said, at) = &mut self.tape else { return None };
        *at += 1;
        Some(match said.get(*at - 1) {
            Some(answer) => answer.clone(),
            // The same path asks the same questions; one more means that it is not the same.
            None => Said::Unknown("the recorded path asked nothing here".into()),
        })
    }

    fn record(&mut self, said: impl FnOnce() -> Said) {
        if let Tape::Recording(list) = &mut self.tape {
            list.push(said());
        }
    }

    /// Asks the solver whether `cond`, which is false under the witness, can hold.
    pub(crate) fn ask(&mut self, st: &mut State, cond: Expr) -> Feasibility {
        match self.recorded() {
            Some(Said::Feasible(w)) => return Feasibility::Yes(w),
            Some(Said::Infeasible) => return Feasibility::No,
            Some(Said::Unknown(why)) => return Feasibility::Unknown(why),
            Some(Said::Range(_)) => {
                return Feasibility::Unknown("the recorded path asked for a range".into());
            }
            None => {}
        }
        let (start, work) = (Instant::now(), self.solver.work());
        self.solving_since.get_or_insert(start);
        let answer = self.solver.check(&mut self.exprs, &st.condition, cond, st.witness.assignment());
        self.count_solving(st, start.elapsed().as_nanos() as u64);
        st.solver_work += self.solver.work() - work;
        let answer = self.feasibility(st, answer);
        self.record(|| match &answer {
            Feasibility::Yes(w) => Said::Feasible(w.clone()),
            Feasibility::No => Said::Infeasible,
            Feasibility::Unknown(why) => Said::Unknown(why.clone()),
        });
        answer
    }

    /// Asks the solver for the least and greatest value of an expression.
    pub(crate) fn ask_range(&mut self, st: &mut State, e: Expr) -> Option<(u64, u64)> {
        if let Some(said) = self.recorded() {
            return if let Said::Range(range) = said { range } else { None };
        }
        let (start, work) = (Instant::now(), self.solver.work());
        let range = self.solver.range(&mut self.exprs, &st.condition, e, st.witness.assignment());
        st.solver_work += self.solver.work() - work;
        self.profile.count(self.current_loc(st), 0, start.elapsed().as_nanos() as u64);
        self.record(|| Said::Range(range));
        range
    }

    /// Asks the solver for bounds of an expression, which need not be tight; those at most `enough` apart are.
    pub(crate) fn ask_bounds(&mut self, st: &mut State, e: Expr, enough: u64) -> (u64, u64) {
        if let Some(said) = self.recorded() {
            return if let Said::Range(Some(bounds)) = said { bounds } else { self.exprs.range(e) };
        }
        let (start, work) = (Instant::now(), self.solver.work());
        let hint = st.witness.assignment();
        let bounds = self.solver.bounds(&mut self.exprs, &st.condition, e, hint, enough);
        st.solver_work += self.solver.work() - work;
        self.profile.count(self.current_loc(st), 0, start.elapsed().as_nanos() as u64);
        self.record(|| Said::Range(Some(bounds)));
        bounds
    }
}

//! The program whose worst input is wanted, at any size: a C source is compiled with `-DN=SIZE`, and `forkwise_size()`
//! returns the size in any program. Every size has a machine of its own.

use super::native::Native;
use super::options::WorstArgs;
use crate::engine::{self, Start};
use crate::input::Loaded;
use crate::live::Progress;
use crate::run::options::RunArgs;
use crate::run::{session, surroundings};
use forkwise_posix::{Linux, Setup};
use forkwise_vm::{Os, Vm};
use forkwise_worst::{Cost, Machine, Sizes};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The macro that holds the size.
const SIZE_MACRO: &str = "N";

/// See the module text.
pub struct Target {
    args: RunArgs,
    cost: String,
    endless: u64,
    most_expressions: Option<usize>,
    interrupt: Arc<AtomicBool>,
    /// A program that does not depend on the size at compile time is loaded once.
    loaded: Option<Rc<Loaded>>,
    /// Notes about the program were told.
    told: bool,
}

/// A program at a size.
pub struct Sized {
    /// Its machine.
    pub machine: Machine,
    /// How it is started.
    pub setup: Rc<Setup>,
    /// The options it was made with.
    pub args: RunArgs,
}

impl Target {
    /// A program and what it costs.
    pub fn new(args: &WorstArgs, interrupt: Arc<AtomicBool>) -> Target {
        Target {
            args: args.run.args.clone(),
            cost: args.cost.clone(),
            endless: args.endless,
            most_expressions: args.most_expressions,
            interrupt,
            loaded: None,
            told: false,
        }
    }

    /// Is the size known when the program is compiled?
    fn compiled_for_size(&self) -> bool {
        let is_source = |path: &Path| path.extension().is_some_and(|e| e == "c" || e == "i");
        let given = |d: &String| d.split('=').next() == Some(SIZE_MACRO);
        session::files(&self.args).iter().any(|f| is_source(f)) && !self.args.define.iter().any(given)
    }

    /// The program at a size; 0 is no size.
    pub fn at(&mut self, size: u64, progress: &mut Progress) -> anyhow::Result<Sized> {
        let mut args = self.args.clone();
        args.size = size;
        let by_macro = size > 0 && self.compiled_for_size();
        if by_macro {
            args.define.push(format!("{SIZE_MACRO}={size}"));
        }
        let mut setup = surroundings::setup(&args)?;
        let loaded = match (&self.loaded, by_macro) {
            (Some(loaded), false) => Rc::clone(loaded),
            _ => Rc::new(session::load(&args, progress)?),
        };
        if !by_macro {
            self.loaded = Some(Rc::clone(&loaded));
        }
        let chosen = surroundings::choose_inputs(&args, &mut setup, &loaded.program, &loaded.entry);
        if let Some(chosen) = chosen.filter(|_| !self.told) {
            progress.say(&format!(
                "forkwise: note: no input was declared; the program gets {chosen} (--concrete: none)"
            ));
        }
        self.told = true;
        let setup = Rc::new(setup);
        let cost = match self.cost.as_str() {
            "native" => Native::new(&args)?.into_cost(&setup),
            name => Cost::parse(name, &loaded.program)?,
        };
        let settings = session::settings(&args);
        let start = Start { entry: loaded.entry.clone(), setup: Rc::clone(&setup) };
        let (vm, _) = engine::machine(loaded.program.clone(), &settings, &start)?;
        let make_setup = Rc::clone(&setup);
        let make_states = move |vm: &mut Vm| forkwise_posix::initial_states(vm, &start.entry, &make_setup);
        let os_setup = Rc::clone(&setup);
        let make_os = Box::new(move || Box::new(Linux::new(os_setup.clone())) as Box<dyn Os>);
        let interrupt = Arc::clone(&self.interrupt);
        let mut machine = Machine::new(vm, Box::new(make_states), make_os, cost, self.endless, interrupt)
            .map_err(|e| anyhow::anyhow!(e))?;
        machine.most_expressions = self.most_expressions.unwrap_or(machine.most_expressions);
        Ok(Sized { machine, setup, args })
    }
}

/// The target as the search sees it.
pub struct Smaller<'a> {
    /// The target.
    pub target: &'a mut Target,
    /// Where compiler messages go.
    pub progress: &'a mut Progress,
}

impl Sizes for Smaller<'_> {
    fn machine(&mut self, size: u64) -> Result<Machine, String> {
        self.target.at(size, self.progress).map(|s| s.machine).map_err(|e| format!("{e:#}"))
    }
}

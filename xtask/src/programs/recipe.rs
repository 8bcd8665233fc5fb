//! What is known of a real program before it is built: the types of the table, and short ways to write its rows. Data
//! only; the rows are in `table` and `coreutils`, and `build`, `check` and `crate::bench_programs` act on them.

/// One thing to build: a program or a family of programs that come from one source tree.
#[derive(Debug)]
pub struct Package {
    /// Its name on the command line and of its folder below `target/programs`.
    pub name: &'static str,
    /// The source trees in the order in which they are built; the programs are in the last one.
    pub steps: &'static [Step],
    /// The programs that are tested or measured.
    pub programs: &'static [Program],
    /// Debian packages its build needs beyond those of `setup`.
    pub needs: &'static [&'static str],
}

/// Building one source tree.
#[derive(Debug)]
pub struct Step {
    /// The Debian source package.
    pub source: &'static str,
    /// The upstream version its tarball must have.
    pub version: &'static str,
    /// Where in the tree the build starts; empty for its top.
    pub folder: &'static str,
    /// How the tree is made ready for `make`.
    pub how: How,
    /// Variables of the environment, for configure and make.
    pub environment: &'static [(&'static str, &'static str)],
    /// The arguments of one `make` each, in order. `{prefix}` is the folder that earlier steps installed into.
    pub make: &'static [&'static [&'static str]],
}

/// What comes before `make`.
#[derive(Debug)]
pub enum How {
    /// `./configure ARGUMENTS`.
    Configure(&'static [&'static str]),
    /// `cmake ARGUMENTS` into a folder `build` of the tree.
    Cmake(&'static [&'static str]),
    /// Nothing: a plain makefile, which is told its compiler and the flags.
    Makefile,
}

/// One program.
#[derive(Debug)]
pub struct Program {
    /// Its name.
    pub name: &'static str,
    /// The executable, in the last step's folder.
    pub path: &'static str,
    /// Its own sources, by path in the last step's folder; `*` in a file's name matches anything, a leading `!` takes
    /// files out. A header counts only if a pattern names it.
    pub own: &'static [&'static str],
    /// Command lines whose output must be the native program's.
    pub checks: &'static [Check],
    /// The realistic command line that `bench programs --seeded` begins with; empty for the first check.
    pub seed: &'static [&'static str],
    /// What of it the engine cannot do, in words for the documentation; empty if nothing is known.
    pub unsupported: &'static str,
    /// Whether `bench programs` takes it when no name is given.
    pub measured: bool,
    /// What the study found.
    pub study: Option<Study>,
}

/// A command line. It runs in a folder with the files of `check::FILES`.
#[derive(Debug)]
pub struct Check {
    /// The arguments after the program's name.
    pub arguments: &'static [&'static str],
    /// The standard input.
    pub input: &'static str,
}

/// Branches in the program's own sources by gcov, from a comparison study with 120 s a run.
#[derive(Debug, Clone, Copy)]
pub struct Study {
    /// All branches.
    pub branches: u32,
    /// Taken by KLEE 3.2's tests.
    pub klee: u32,
    /// Taken by AFL++ 4.04c's corpus from a trivial seed.
    pub afl: Option<u32>,
    /// The same from the realistic seed.
    pub afl_seeded: Option<u32>,
}

/// A command line without input.
pub const fn run(arguments: &'static [&'static str]) -> Check {
    Check { arguments, input: "" }
}

/// A command line with a standard input.
pub const fn feed(arguments: &'static [&'static str], input: &'static str) -> Check {
    Check { arguments, input }
}

/// The study has KLEE only.
pub const fn klee(branches: u32, klee: u32) -> Option<Study> {
    Some(Study { branches, klee, afl: None, afl_seeded: None })
}

/// The study has KLEE, and AFL++ from a trivial seed.
pub const fn afl(branches: u32, klee: u32, afl: u32) -> Option<Study> {
    Some(Study { branches, klee, afl: Some(afl), afl_seeded: None })
}

/// The study has KLEE, and AFL++ from both seeds.
pub const fn seeded(branches: u32, klee: u32, afl: u32, afl_seeded: u32) -> Option<Study> {
    Some(Study { branches, klee, afl: Some(afl), afl_seeded: Some(afl_seeded) })
}

/// What most packages have in common: one tree, `./configure` with these arguments, `make`.
pub const fn configured(
    source: &'static str,
    version: &'static str,
    arguments: &'static [&'static str],
    make: &'static [&'static [&'static str]],
) -> Step {
    Step { source, version, folder: "", how: How::Configure(arguments), environment: &[], make }
}

/// A measured program, to be completed with checks and a study.
pub const fn program(name: &'static str, path: &'static str, own: &'static [&'static str]) -> Program {
    Program { name, path, own, checks: &[], seed: &[], unsupported: "", measured: true, study: None }
}

//! Reading a compiler's command line: what it asks for (compile, link, a question), which words are inputs, and which
//! belong to the linker. Only what the wrapper has to know is known here; every other word is clang's business and is
//! passed on. `plan` decides what to run.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// What a command line asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Nothing is linked and no code is made (`-E`, `-M`, `-fsyntax-only`), or there is no input (`--version`).
    Pass,
    /// Assembly (`-S`).
    Assemble,
    /// Objects (`-c`).
    Compile,
    /// A program.
    Link,
    /// One object of several (`-r`).
    Relocatable,
    /// A shared library (`-shared`).
    Shared,
}

impl Mode {
    /// Is something put together from several files?
    pub(super) fn links(self) -> bool {
        matches!(self, Self::Link | Self::Relocatable | Self::Shared)
    }
}

/// A word of the link, in its place on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Item {
    /// To be compiled first; with `-x`'s language.
    Source(PathBuf, Option<OsString>),
    /// An object, an archive, or anything else the linker reads.
    File(PathBuf),
    /// `-l`.
    Library(OsString),
    /// An option of the linker.
    Option(OsString),
}

/// A command line that was read.
#[derive(Debug)]
pub(super) struct Args {
    pub mode: Mode,
    /// Options for compiling: neither inputs, nor `-o`, nor the linker's.
    pub compile: Vec<OsString>,
    /// What the link consists of.
    pub items: Vec<Item>,
    /// `-L`.
    pub library_dirs: Vec<PathBuf>,
    /// `-o`.
    pub output: Option<PathBuf>,
    /// Without crt1 (`-nostartfiles`, `-nostdlib`).
    pub no_start: bool,
    /// Without libc (`-nodefaultlibs`, `-nostdlib`).
    pub no_libc: bool,
    /// `-v`: commands are shown.
    pub verbose: bool,
    /// `-nostdinc`: no headers but the user's.
    pub no_headers: bool,
    /// Dependencies are written beside an object (`-MD`, `-MMD`) whose name (`-MF`) or target (`-MT`) was not said.
    pub dependencies: Option<Dependencies>,
}

/// What `-MD` leaves open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Dependencies {
    pub file_named: bool,
    pub target_named: bool,
}

/// Options of the compiler whose value is the next word.
const WITH_VALUE: &[&str] = &[
    "-D",
    "-U",
    "-I",
    "-F",
    "-A",
    "-G",
    "-V",
    "-b",
    "-arch",
    "-aux-info",
    "-cxx-isystem",
    "-dumpbase",
    "-dumpbase-ext",
    "-dumpdir",
    "-idirafter",
    "-imacros",
    "-include",
    "-include-pch",
    "-imultilib",
    "-iprefix",
    "-iquote",
    "-isysroot",
    "-isystem",
    "-isystem-after",
    "-ivfsoverlay",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-iwithsysroot",
    "-MJ",
    "-mllvm",
    "-target",
    "--param",
    "-serialize-diagnostics",
    "--serialize-diagnostics",
    "-stdlib++-isystem",
    "-working-directory",
    "-Xanalyzer",
    "-Xarch_host",
    "-Xassembler",
    "-Xclang",
    "-Xpreprocessor",
    "-wrapper",
    "--include",
    "--define-macro",
    "--undefine-macro",
    "--include-directory",
    "--sysroot",
    "-gcc-toolchain",
    "-B",
    "--prefix",
    "-fplugin-arg",
    "-mthread-model",
    "-meabi",
];

/// Options of the linker whose value is the next word, and which a static program can have.
const LINKER_WITH_VALUE: &[&str] =
    &["-u", "-z", "-T", "-e", "--undefined", "--entry", "-Tbss", "-Tdata", "-Ttext"];

/// Words about dynamic linking, other linkers and other run-time libraries: everything here is linked statically.
const IGNORED: &[&str] = &[
    "-static",
    "-static-pie",
    "-pie",
    "-no-pie",
    "-nopie",
    "-rdynamic",
    "-static-libgcc",
    "-static-libstdc++",
    "-shared-libgcc",
    "-symbolic",
    "-Bstatic",
    "-Bdynamic",
    "-Bsymbolic",
    "-dynamic",
];

/// The linker's own words about dynamic linking, after `-Wl,` or `-Xlinker`.
const LINKER_IGNORED: &[&str] = &[
    "-static",
    "--static",
    "-dn",
    "-dy",
    "-Bstatic",
    "-Bdynamic",
    "-Bsymbolic",
    "-Bsymbolic-functions",
    "-call_shared",
    "-non_shared",
    "-E",
    "-export-dynamic",
    "--export-dynamic",
    "--no-export-dynamic",
    "-pie",
    "--pie",
    "-no-pie",
    "--no-pie",
    "--as-needed",
    "--no-as-needed",
    "--no-undefined",
    "--allow-shlib-undefined",
    "--no-allow-shlib-undefined",
    "--copy-dt-needed-entries",
    "--no-copy-dt-needed-entries",
    "--enable-new-dtags",
    "--disable-new-dtags",
    "--eh-frame-hdr",
];

/// The same with a value in the next word or after `=`.
const LINKER_IGNORED_WITH_VALUE: &[&str] = &[
    "-rpath",
    "--rpath",
    "-R",
    "-rpath-link",
    "--rpath-link",
    "-soname",
    "--soname",
    "-h",
    "-dynamic-linker",
    "--dynamic-linker",
    "-I",
    "--version-script",
    "--dynamic-list",
    "--hash-style",
    "-m",
];

impl Args {
    /// Reads the words of a command line; response files are expanded already.
    pub(super) fn read(words: &[OsString]) -> Self {
        let mut reader = Reader {
            args: Args {
                mode: Mode::Link,
                compile: Vec::new(),
                items: Vec::new(),
                library_dirs: Vec::new(),
                output: None,
                no_start: false,
                no_libc: false,
                verbose: false,
                no_headers: false,
                dependencies: None,
            },
            language: None,
            linker: Vec::new(),
            named: Dependencies::default(),
            writes_dependencies: false,
            inputs: false,
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if word == "--" {
                words.by_ref().for_each(|word| reader.input(word));
            } else {
                reader.word(word, &mut words);
            }
        }
        reader.finish()
    }
}

struct Reader {
    args: Args,
    /// `-x`'s language, for the inputs that follow.
    language: Option<OsString>,
    /// Words for the linker that were not looked at yet: a value may come with the next `-Wl,`.
    linker: Vec<OsString>,
    named: Dependencies,
    writes_dependencies: bool,
    inputs: bool,
}

impl Reader {
    fn word<'a>(&mut self, word: &OsStr, rest: &mut impl Iterator<Item = &'a OsString>) {
        let text = word.to_string_lossy();
        if text == "-" || !text.starts_with('-') {
            return self.input(word);
        }
        let args = &mut self.args;
        match &*text {
            "-c" => args.mode = at_least(args.mode, Mode::Compile),
            "-S" => args.mode = at_least(args.mode, Mode::Assemble),
            "-E" | "-M" | "-MM" | "-fsyntax-only" | "-###" | "--version" | "-dumpversion"
            | "-dumpmachine" | "-dumpspecs" | "--help" | "-help" | "--target-help" | "--analyze"
            | "-rewrite-objc" | "--precompile" => {
                args.mode = Mode::Pass;
                args.compile.push(word.to_os_string());
            }
            "-shared" | "--shared" => args.mode = at_least(args.mode, Mode::Shared),
            "-r" => args.mode = at_least(args.mode, Mode::Relocatable),
            "-nostdlib" | "--no-standard-libraries" => (args.no_start, args.no_libc) = (true, true),
            "-nostartfiles" => args.no_start = true,
            "-nodefaultlibs" | "-nolibc" => args.no_libc = true,
            "-s" => self.linker.push("-s".into()),
            "-o" => args.output = rest.next().map(PathBuf::from),
            "-x" => self.language = rest.next().cloned().filter(|language| language != "none"),
            "-L" => args.library_dirs.extend(rest.next().map(PathBuf::from)),
            "-l" => {
                self.flush();
                self.args.items.extend(rest.next().cloned().map(Item::Library));
                self.inputs = true;
            }
            "-Xlinker" => self.linker.extend(rest.next().cloned()),
            "-rpath" => drop(rest.next()),
            _ if LINKER_WITH_VALUE.contains(&&*text) => {
                self.linker.push(word.to_os_string());
                self.linker.extend(rest.next().cloned());
            }
            _ if IGNORED.contains(&&*text) => {}
            _ => self.joined(word, &text, rest),
        }
    }

    /// Options with their value in the same word, and everything that is clang's.
    fn joined<'a>(&mut self, word: &OsStr, text: &str, rest: &mut impl Iterator<Item = &'a OsString>) {
        let value = |prefix: &str| OsString::from_vec(word.as_bytes()[prefix.len()..].to_vec());
        let args = &mut self.args;
        if text.starts_with("-Wl,") {
            let words = word.as_bytes()[4..].split(|byte| *byte == b',');
            self.linker.extend(words.map(|word| OsString::from_vec(word.to_vec())));
        } else if text.starts_with("-l") {
            self.flush();
            self.args.items.push(Item::Library(value("-l")));
            self.inputs = true;
        } else if text.starts_with("-L") {
            args.library_dirs.push(value("-L").into());
        } else if text.starts_with("-x") {
            self.language = Some(value("-x")).filter(|language| language != "none");
        } else if text.starts_with("-o") && !text.starts_with("-object") {
            args.output = Some(value("-o").into());
        } else if text.starts_with("-fuse-ld=")
            || text.starts_with("-rtlib=")
            || text.starts_with("--rtlib=")
            || text.starts_with("-stdlib=")
            || text.starts_with("--ld-path=")
        {
            // There is one linker and one run-time library.
        } else if text.starts_with("-print-") || text.starts_with("--print-") {
            args.mode = Mode::Pass;
            args.compile.push(word.to_os_string());
        } else {
            match text {
                "-v" => args.verbose = true,
                "-nostdinc" => args.no_headers = true,
                "-MD" | "-MMD" | "--write-dependencies" | "--write-user-dependencies" => {
                    self.writes_dependencies = true;
                }
                _ if text.starts_with("-MF") => self.named.file_named = true,
                _ if text.starts_with("-MT") || text.starts_with("-MQ") => self.named.target_named = true,
                _ => {}
            }
            args.compile.push(word.to_os_string());
            if WITH_VALUE.contains(&text) || ["-MF", "-MT", "-MQ"].contains(&text) {
                args.compile.extend(rest.next().cloned());
            }
        }
    }

    fn input(&mut self, word: &OsStr) {
        self.flush();
        self.inputs = true;
        let path = PathBuf::from(word);
        self.args.items.push(match &self.language {
            Some(language) => Item::Source(path, Some(language.clone())),
            None if is_source(&path) => Item::Source(path, None),
            None => Item::File(path),
        });
    }

    /// Moves the linker's collected words into the link, those about dynamic linking left out.
    fn flush(&mut self) {
        let mut words = std::mem::take(&mut self.linker).into_iter();
        while let Some(word) = words.next() {
            let text = word.to_string_lossy().into_owned();
            let name = text.split_once('=').map_or(&*text, |(name, _)| name);
            if LINKER_IGNORED.contains(&&*text) || text.is_empty() {
                continue;
            }
            if LINKER_IGNORED_WITH_VALUE.contains(&name) {
                if name.len() == text.len() {
                    words.next();
                }
                continue;
            }
            match &*text {
                "-shared" | "--shared" | "-Bshareable" => {
                    self.args.mode = at_least(self.args.mode, Mode::Shared)
                }
                "-r" | "--relocatable" => self.args.mode = at_least(self.args.mode, Mode::Relocatable),
                "-L" | "--library-path" => self.args.library_dirs.extend(words.next().map(PathBuf::from)),
                "-l" | "--library" => self.args.items.extend(words.next().map(Item::Library)),
                _ if text.starts_with("-L") => self.args.library_dirs.push(text[2..].into()),
                _ if text.starts_with("-l") => self.args.items.push(Item::Library(text[2..].into())),
                _ if !text.starts_with('-') && !matches!(&*text, "(" | ")") => {
                    // The value of the option before, or a file: the linker knows.
                    self.args.items.push(Item::Option(word));
                }
                _ => self.args.items.push(Item::Option(word)),
            }
        }
    }

    fn finish(mut self) -> Args {
        self.flush();
        if !self.inputs {
            self.args.mode = Mode::Pass;
        }
        if self.writes_dependencies {
            self.args.dependencies = Some(self.named);
        }
        self.args
    }
}

/// The mode that stops earlier wins, whatever the order of the words.
fn at_least(old: Mode, new: Mode) -> Mode {
    let rank = |mode| match mode {
        Mode::Pass => 5,
        Mode::Assemble => 4,
        Mode::Compile => 3,
        Mode::Relocatable => 2,
        Mode::Shared => 1,
        Mode::Link => 0,
    };
    if rank(new) > rank(old) { new } else { old }
}

/// Is this something to compile, by its name?
fn is_source(path: &Path) -> bool {
    let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    matches!(
        extension,
        "c" | "i" | "C" | "cc" | "cp" | "cxx" | "cpp" | "CPP" | "c++" | "ii" | "s" | "S" | "sx" | "ll" | "bc"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Args {
        Args::read(&line.split_whitespace().map(OsString::from).collect::<Vec<_>>())
    }

    fn source(name: &str) -> Item {
        Item::Source(name.into(), None)
    }

    #[test]
    fn the_mode_is_the_earliest_stop() {
        assert_eq!(read("a.c").mode, Mode::Link);
        assert_eq!(read("a.c -c").mode, Mode::Compile);
        assert_eq!(read("-c -S a.c").mode, Mode::Assemble);
        assert_eq!(read("-E -c a.c").mode, Mode::Pass);
        assert_eq!(read("-c -E a.c").mode, Mode::Pass);
        assert_eq!(read("-shared a.o").mode, Mode::Shared);
        assert_eq!(read("-Wl,-r a.o").mode, Mode::Relocatable);
        assert_eq!(read("-v").mode, Mode::Pass);
        assert_eq!(read("-print-prog-name=ld a.c").mode, Mode::Pass);
    }

    #[test]
    fn the_parts_of_a_link_keep_their_order() {
        let args =
            read("-O2 main.c -Wl,--start-group a.o -lfoo -Wl,--end-group -o prog -L dir -Ldir2 x.s -pthread");
        let option = |text: &str| Item::Option(text.into());
        assert_eq!(
            args.items,
            [
                source("main.c"),
                option("--start-group"),
                Item::File("a.o".into()),
                Item::Library("foo".into()),
                option("--end-group"),
                source("x.s")
            ]
        );
        assert_eq!(args.compile, ["-O2", "-pthread"]);
        assert_eq!(args.output, Some("prog".into()));
        assert_eq!(args.library_dirs, [PathBuf::from("dir"), "dir2".into()]);
    }

    #[test]
    fn values_are_not_inputs() {
        let args = read("-D NAME.c -include x.h -isystem dir -MF dep -MD -Xclang -foo -z now -u main a.c");
        assert_eq!(args.items.len(), 5, "{:?}", args.items);
        assert_eq!(args.items[4], source("a.c"));
        assert_eq!(args.dependencies, Some(Dependencies { file_named: true, target_named: false }));
    }

    #[test]
    fn words_about_dynamic_linking_disappear() {
        let args =
            read("-static -rdynamic a.o -Wl,-rpath,/x -Wl,-rpath -Wl,/y -Wl,-soname=z -Xlinker -E -pie");
        assert_eq!(args.items, [Item::File("a.o".into())]);
        assert_eq!(args.compile, [] as [&str; 0]);
    }

    #[test]
    fn the_language_holds_for_what_follows() {
        let args = read("a -x c b - -xnone d.c -- -odd.c");
        let c = || Some(OsString::from("c"));
        let expected = [
            Item::File("a".into()),
            Item::Source("b".into(), c()),
            Item::Source("-".into(), c()),
            source("d.c"),
            source("-odd.c"),
        ];
        assert_eq!(args.items, expected);
    }
}

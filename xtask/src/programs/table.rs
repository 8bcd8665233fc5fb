//! The real programs the engine is measured and tested on: where each comes from, how it is built, which sources are its
//! own, on which command lines it is compared with the native program, and what a comparison study measured. No code of
//! theirs is here. The tools of coreutils have a file of their own; the types are in `recipe`.

use super::recipe::{How, Package, Program, Step, configured, feed, klee, program, run, seeded};

const ALL: &[&[&str]] = &[&[]];
const ALL_AND_INSTALL: &[&[&str]] = &[&[], &["install"]];

/// Every package, by name.
pub const PACKAGES: &[Package] = &[
    Package { name: "coreutils", steps: COREUTILS, programs: super::coreutils::PROGRAMS, needs: &[] },
    Package { name: "diffutils", steps: DIFFUTILS, programs: DIFFUTILS_PROGRAMS, needs: &[] },
    Package { name: "enscript", steps: ENSCRIPT, programs: ENSCRIPT_PROGRAMS, needs: &[] },
    Package { name: "expat", steps: EXPAT, programs: EXPAT_PROGRAMS, needs: &["cmake"] },
    Package { name: "findutils", steps: FINDUTILS, programs: FINDUTILS_PROGRAMS, needs: &[] },
    Package { name: "gawk", steps: GAWK, programs: GAWK_PROGRAMS, needs: &[] },
    Package { name: "gcal", steps: GCAL, programs: GCAL_PROGRAMS, needs: &[] },
    Package { name: "grep", steps: GREP, programs: GREP_PROGRAMS, needs: &[] },
    Package { name: "nano", steps: NANO, programs: NANO_PROGRAMS, needs: &[] },
    Package { name: "sed", steps: SED, programs: SED_PROGRAMS, needs: &[] },
    Package { name: "tree", steps: TREE, programs: TREE_PROGRAMS, needs: &[] },
    Package { name: "trueprint", steps: TRUEPRINT, programs: TRUEPRINT_PROGRAMS, needs: &[] },
    Package { name: "xorriso", steps: XORRISO, programs: XORRISO_PROGRAMS, needs: &[] },
];

/// gmp would be found on some machines and not on others; the study had none.
const COREUTILS: &[Step] = &[Step {
    environment: &[
        // Without it configure refuses to run as root.
        ("FORCE_UNSAFE_CONFIGURE", "1"),
        // The engine has no model of double-word arithmetic in assembly: factor takes its C code.
        ("CPPFLAGS", "-DNO_ASM"),
    ],
    ..configured("coreutils", "9.1", &["--disable-nls", "--without-libgmp"], ALL)
}];

const DIFFUTILS: &[Step] = &[configured("diffutils", "3.8", &["--disable-nls"], ALL)];

const DIFFUTILS_PROGRAMS: &[Program] = &[
    Program {
        checks: &[
            run(&["A", "B"]),
            run(&["-u", "--label=x", "--label=y", "A", "B"]),
            run(&["-y", "-W", "40", "A", "B"]),
            run(&["-e", "A", "B"]),
            run(&["-i", "-w", "-q", "A", "B"]),
            feed(&["A", "-"], "one\nTwo\n"),
            run(&["-r", ".", "."]),
        ],
        seed: &["-u", "A", "-"],
        study: seeded(1988, 271, 231, 1159),
        ..program(
            "diff",
            "src/diff",
            &[
                "src/analyze.c",
                "src/context.c",
                "src/diff.c",
                "src/dir.c",
                "src/ed.c",
                "src/ifdef.c",
                "src/io.c",
                "src/normal.c",
                "src/side.c",
                "src/util.c",
            ],
        )
    },
    Program {
        checks: &[run(&["A", "B"]), run(&["-l", "A", "B"]), run(&["-s", "A", "A"])],
        seed: &["-l", "A", "-"],
        measured: false,
        ..program("cmp", "src/cmp", &["src/cmp.c"])
    },
    Program {
        // Anything else starts diff, another process.
        checks: &[run(&["--version"]), run(&["A", "B"])],
        seed: &["A", "-", "A"],
        unsupported: "comparing: it starts diff, another process",
        measured: false,
        ..program("diff3", "src/diff3", &["src/diff3.c"])
    },
    Program {
        checks: &[run(&["--help"]), run(&["A"])],
        seed: &["-s", "A", "-"],
        unsupported: "comparing: it starts diff, another process",
        measured: false,
        ..program("sdiff", "src/sdiff", &["src/sdiff.c"])
    },
];

const ENSCRIPT: &[Step] = &[Step {
    // It calls functions that it does not declare, which newer dialects refuse.
    environment: &[("CPPFLAGS", "-std=gnu89")],
    ..configured("enscript", "1.6.5.90", &["--disable-nls"], ALL)
}];

const ENSCRIPT_PROGRAMS: &[Program] = &[
    Program {
        checks: &[run(&["--version"]), run(&["--help"]), run(&["--nonsense"])],
        seed: &["-B", "-p", "-", "A"],
        unsupported: "printing through another program",
        ..program("enscript", "src/enscript", &["src/*.c", "!src/mkafmmap.c"])
    },
    Program {
        checks: &[run(&["--version"]), run(&["--help"])],
        seed: &["-v", "A"],
        measured: false,
        ..program("states", "states/states", &["states/*.c", "states/*.y", "states/*.l"])
    },
];

const EXPAT: &[Step] = &[Step {
    source: "expat",
    version: "2.5.0",
    folder: "expat",
    how: How::Cmake(&[
        "-DEXPAT_SHARED_LIBS=OFF",
        "-DEXPAT_BUILD_TESTS=OFF",
        "-DEXPAT_BUILD_EXAMPLES=OFF",
        "-DEXPAT_BUILD_DOCS=OFF",
    ]),
    environment: &[],
    make: ALL,
}];

const EXPAT_PROGRAMS: &[Program] = &[Program {
    checks: &[
        run(&["X"]),
        run(&["A"]),
        run(&["-n", "-v"]),
        feed(&[], "<a b='c'>&lt;</a>"),
        feed(&["-c"], "<a><b></a>"),
    ],
    seed: &["-n", "A"],
    ..program("xmlwf", "build/xmlwf/xmlwf", &["xmlwf/*.c", "lib/*.c"])
}];

const FINDUTILS: &[Step] = &[configured("findutils", "4.9.0", &["--disable-nls"], ALL)];

const FINDUTILS_PROGRAMS: &[Program] = &[
    Program {
        checks: &[
            run(&[".", "-name", "[AC]"]),
            run(&["A", "B", "-size", "-9", "-print0"]),
            run(&["A", ".", "-type", "d", "-o", "-name", "A", "-printf", "%f %y\\n"]),
            run(&["A", "-regex", ".*B"]),
            run(&["A", "(", "-name", "A", ")", "-prune"]),
            run(&["-nonsense"]),
        ],
        seed: &[".", "-name", "A"],
        unsupported: "-exec and its relatives: other processes",
        ..program("find", "find/find", &["find/*.c"])
    },
    Program {
        checks: &[run(&["--version"]), run(&["-n", "x"]), feed(&["--show-limits", "--nonsense"], "")],
        seed: &["-n", "1"],
        unsupported: "everything but its own options: it starts other processes",
        measured: false,
        ..program("xargs", "xargs/xargs", &["xargs/*.c"])
    },
];

/// Debian's tarball lacks the manuals, so a plain `make` fails in `doc`; the program itself needs these two. With
/// readline, mpfr, extensions and persistent memory the sources would have other branches than in the study.
const GAWK: &[Step] = &[configured(
    "gawk",
    "5.2.1",
    &["--disable-nls", "--disable-mpfr", "--without-readline", "--disable-extensions", "--disable-pma"],
    &[&["-C", "support"], &["gawk"]],
)];

const GAWK_PROGRAMS: &[Program] = &[Program {
    checks: &[
        run(&["{ print $1 }", "A"]),
        run(&["BEGIN { printf \"%5.2f %d %s\\n\", 3.14159, 42, \"x\" }"]),
        run(&["{ n[length($0)]++ } END { for (i = 0; i < 20; i++) if (i in n) print i, n[i] }", "A", "B"]),
        feed(&["-F:", "/b/ { gsub(/b/, \"c\"); print NR, $2 }"], "a:b\nb:cb\n"),
        run(&["-o-", "function f(x) { return x * 2 } { print f($1) }"]),
        run(&["BEGIN { print substr(\"hello\", 2, 3), toupper(\"a\"), index(\"abc\", \"c\") }"]),
        run(&["{ print"]),
    ],
    seed: &["{print $1}", "A"],
    unsupported: "system(), pipes and sockets: other processes, network",
    study: klee(13132, 1041),
    ..program("gawk", "gawk", &["*.c", "*.y", "*.h", "posix/*.c"])
}];

/// Its copy of gnulib is too old to know today's stdio structures, and needs them only where flushing standard input
/// does not work. The functions of `tailor.h` count once here and once per file in the study (15689 branches there).
const GCAL: &[Step] = &[Step {
    environment: &[("gl_cv_func_fflush_stdin", "yes")],
    ..configured("gcal", "4.1", &["--disable-nls"], ALL)
}];

const GCAL_PROGRAMS: &[Program] = &[Program {
    checks: &[
        run(&["--help"]),
        run(&["-i", "-K", "-q", "DE", "-c"]),
        run(&["--version"]),
        run(&["-Q", "--nonsense"]),
    ],
    seed: &["-n", "2024"],
    unsupported: "calendars: it writes two bytes beyond the name of May (utils.c, month_name), which ends the path as a bug",
    study: klee(15689, 2490),
    ..program("gcal", "src/gcal", &["src/*", "!src/gcal2txt.c", "!src/tcal.c", "!src/txt2gcal.c"])
}];

const GREP: &[Step] = &[configured("grep", "3.8", &["--disable-nls"], ALL)];

const GREP_PROGRAMS: &[Program] = &[Program {
    checks: &[
        run(&["o", "A"]),
        run(&["-E", "-n", "(o|t)+w?", "A", "B"]),
        run(&["-F", "-c", "two", "A"]),
        run(&["-i", "-v", "-w", "two", "A"]),
        run(&["-o", "-b", "t[a-z]*", "A"]),
        feed(&["-H", "--label=in", "\\(a\\)\\1"], "xaay\nab\n"),
        run(&["-r", "x", "."]),
        run(&["a\\(", "A"]),
    ],
    seed: &["-E", "a*b", "A"],
    study: seeded(1583, 496, 617, 916),
    ..program("grep", "src/grep", &["src/*"])
}];

/// ncurses is built first, and installed where nano finds it.
const NANO: &[Step] = &[
    configured(
        "ncurses",
        "6.4",
        &[
            "--prefix={prefix}",
            "--without-cxx",
            "--without-cxx-binding",
            "--without-ada",
            "--without-tests",
            "--without-manpages",
            "--without-debug",
            "--disable-stripping",
            "--enable-overwrite",
            "--with-fallbacks=linux,vt100,xterm",
        ],
        ALL_AND_INSTALL,
    ),
    Step {
        // Or it would take the flags of the machine's own ncurses.
        environment: &[("PKG_CONFIG_LIBDIR", "/nonexistent")],
        ..configured(
            "nano",
            "7.2",
            &["--disable-nls", "CPPFLAGS=-I{prefix}/include", "LDFLAGS=-L{prefix}/lib"],
            ALL,
        )
    },
];

const NANO_PROGRAMS: &[Program] = &[Program {
    checks: &[run(&["--version"]), run(&["--help"]), run(&["--nonsense"])],
    seed: &["-v", "A"],
    unsupported: "editing: standard input is no terminal",
    ..program("nano", "src/nano", &["src/*.c"])
}];

const SED: &[Step] = &[configured("sed", "4.9", &["--disable-nls"], ALL)];

const SED_PROGRAMS: &[Program] = &[Program {
    checks: &[
        run(&["s/o/0/g", "A"]),
        run(&["-n", "/two/,$p", "A"]),
        run(&["-E", "s/(t)(.)/\\2\\1/;2d", "A"]),
        run(&["-n", "$=;l", "A", "B"]),
        feed(&["N;P;D;y/abc/xyz/"], "abc\nabc\ncba\n"),
        run(&["--debug", "s/a/b/;t;a\\\nx", "A"]),
        run(&["s/a", "A"]),
    ],
    seed: &["-n", "s/a/b/p", "A"],
    unsupported: "the command e: another process",
    study: seeded(1531, 417, 783, 826),
    ..program("sed", "sed/sed", &["sed/*"])
}];

const TREE: &[Step] =
    &[Step { source: "tree", version: "2.1.0", folder: "", how: How::Makefile, environment: &[], make: ALL }];

const TREE_PROGRAMS: &[Program] = &[Program {
    checks: &[
        run(&["."]),
        run(&["-a", "-F", "--noreport", "."]),
        run(&["-J", "."]),
        run(&["-X", "-L", "1", "."]),
        run(&["--version"]),
        run(&["-L", "0"]),
    ],
    seed: &["-a", "."],
    ..program("tree", "tree", &["*.c"])
}];

const TRUEPRINT: &[Step] = &[Step {
    // As for enscript.
    environment: &[("CPPFLAGS", "-std=gnu89")],
    ..configured("trueprint", "5.4", &[], ALL)
}];

const TRUEPRINT_PROGRAMS: &[Program] = &[Program {
    checks: &[
        run(&["--version"]),
        run(&["--help"]),
        run(&["-s", "-", "--nonsense"]),
        run(&["--list-languages"]),
    ],
    seed: &["-s-", "A"],
    unsupported: "printing through another program",
    study: klee(2518, 461),
    ..program("trueprint", "src/trueprint", &["src/*.c"])
}];

/// GNU xorriso's three parts as Debian ships them; the libraries are installed where the program finds them.
const XORRISO: &[Step] = &[
    configured(
        "libburn",
        "1.5.4",
        &["--prefix={prefix}", "--disable-shared", "--disable-libcdio"],
        ALL_AND_INSTALL,
    ),
    configured(
        "libisofs",
        "1.5.4",
        &["--prefix={prefix}", "--disable-shared", "--disable-libacl", "--disable-xattr", "--disable-zlib"],
        ALL_AND_INSTALL,
    ),
    configured(
        "libisoburn",
        "1.5.4",
        &[
            "--disable-shared",
            "--disable-libcdio",
            "--disable-libacl",
            "--disable-xattr",
            "--disable-zlib",
            "--disable-libreadline",
            "CPPFLAGS=-I{prefix}/include",
            "LDFLAGS=-L{prefix}/lib",
        ],
        ALL,
    ),
];

const XORRISO_PROGRAMS: &[Program] = &[Program {
    checks: &[run(&["-help"]), run(&["-nonsense"]), run(&["-abort_on", "FATAL", "-print", "hello"])],
    seed: &["-print", "A"],
    unsupported: "drives, and whatever starts threads",
    ..program("xorriso", "xorriso/xorriso", &["xorriso/*.c", "libisoburn/*.c"])
}];

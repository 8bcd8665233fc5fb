//! The tools of coreutils: the measured ones with their study, the others with command lines that must give the native
//! output. Left out are those that need another process or real hardware to do anything (chroot, nohup, stdbuf, …): they
//! are built, and nothing is claimed of them. The types are in `recipe`.

use super::recipe::{Program, afl, feed, klee, program, run, seeded};

/// A tool of which only the output is compared; `of` names its source where that is called otherwise.
macro_rules! tool {
    ($name:literal, $($check:expr),+ $(,)?) => {
        tool!($name of $name, $($check),+)
    };
    ($name:literal of $source:literal, $($check:expr),+ $(,)?) => {
        Program {
            checks: &[$($check),+],
            measured: false,
            ..program($name, concat!("src/", $name), &[concat!("src/", $source, ".c")])
        }
    };
}

/// A measured tool: its seed, its study, its command lines.
macro_rules! measured {
    ($name:literal of $source:literal, $seed:expr, $study:expr, $($check:expr),+ $(,)?) => {
        Program {
            checks: &[$($check),+],
            seed: &$seed,
            study: $study,
            ..program($name, concat!("src/", $name), &[concat!("src/", $source, ".c")])
        }
    };
}

/// All tools that are measured or compared.
pub const PROGRAMS: &[Program] = &[
    measured!("base64" of "basenc",
        ["-w", "8", "A"],
        None,
        run(&["A"]),
        run(&["-w", "8", "A"]),
        feed(&["-d"], "aGVs\nbG8=\n"),
        feed(&["-d"], "a*b")
    ),
    measured!("cut" of "cut",
        ["-c", "1-2", "A"],
        None,
        run(&["-c", "1-3", "A"]),
        run(&["-d", " ", "-f", "2", "-s", "A"]),
        run(&["-b", "2-,1", "A"]),
        run(&["-f"])
    ),
    measured!("du" of "du",
        ["-a", "."],
        klee(272, 160),
        run(&["--apparent-size", "-b", "A"]),
        run(&["--help"]),
        run(&["missing"]),
        run(&["-s", "-a", "A"])
    ),
    measured!("expr" of "expr",
        ["12", "+", "3"],
        afl(237, 73, 128),
        run(&["12", "+", "3"]),
        run(&["7", "*", "(", "2", "-", "9", ")", "%", "4"]),
        run(&["abc", ":", "a\\(.\\)"]),
        run(&["substr", "hello", "2", "3"]),
        run(&["length", "four", "=", "4"]),
        run(&["1", "/", "0"]),
        run(&["99999999999999999999", "*", "99999999999999999999"])
    ),
    Program {
        unsupported: "double-word arithmetic in assembly; built with NO_ASM, which changes its branches",
        ..measured!("factor" of "factor",
            ["12"],
            None,
            run(&["12", "97", "1000000007"]),
            run(&["18446744073709551617"]),
            feed(&[], "42 7\n"),
            run(&["x"])
        )
    },
    measured!("ls" of "ls",
        ["-l", "-a", "."],
        seeded(1495, 745, 749, 780),
        run(&["-a"]),
        run(&["-m", "-F", "."]),
        run(&["-1", "-r", "-R"]),
        run(&["-C", "-w", "30", "A", "B", "X"]),
        run(&["missing"]),
        run(&["--sort=size", "-Q", "A", "B", "X"])
    ),
    measured!("od" of "od",
        ["-c", "A"],
        None,
        run(&["-c", "A"]),
        run(&["-A", "x", "-t", "x1z", "A"]),
        run(&["-t", "d4", "-j", "3", "-N", "8", "A"]),
        run(&["-t", "f8", "A"]),
        run(&["-t", "q"])
    ),
    measured!("pr" of "pr",
        ["-n", "A"],
        None,
        run(&["-t", "-n", "A"]),
        run(&["-t", "-2", "-l", "3", "A"]),
        run(&["-t", "-m", "A", "B"]),
        run(&["-9", "-W", "x"])
    ),
    measured!("ptx" of "ptx", ["A"], None, run(&["A"]), run(&["-G", "-O", "A"]), run(&["-f", "-r", "-w", "40", "B"])),
    measured!("sort" of "sort",
        ["-n", "A"],
        None,
        run(&["A", "B"]),
        run(&["-r", "-k", "2", "A"]),
        run(&["-u", "-f", "A", "B"]),
        feed(&["-n"], "10\n9\n-1\n2.5\n"),
        feed(&["-h"], "1K\n1M\n3\n"),
        run(&["-c", "A"])
    ),
    measured!("tac" of "tac", ["A"], None, run(&["A"]), run(&["-s", "o", "A"]), run(&["-r", "-b", "-s", "[ot]", "A"])),
    measured!("tr" of "tr",
        ["-d", "a-c"],
        afl(472, 240, 255),
        feed(&["a-z", "A-Z"], "hello\n"),
        feed(&["-d", "[:digit:]"], "a1b2\n"),
        feed(&["-cs", "[:alpha:]", "\\n"], "to be, or\n"),
        feed(&["[=a=]", "x*3"], "banana\n"),
        run(&["z-a", "x"])
    ),
    tool!("[" of "test", run(&["1", "-lt", "2", "]"]), run(&["1", "-lt"])),
    tool!("b2sum" of "digest", run(&["A"]), run(&["-l", "128", "A"])),
    tool!("base32" of "basenc", run(&["A"]), feed(&["-d"], "NBSWY3DP\n")),
    tool!("basename", run(&["/a/b.c", ".c"]), run(&["-a", "x/y", "z/"])),
    tool!("basenc", run(&["--base16", "A"]), run(&["--z85", "X"])),
    tool!("cat", run(&["-A", "-n", "A"]), run(&["-s", "-b", "B", "missing"])),
    tool!("chmod", run(&["-v", "600", "A"]), run(&["u+q", "A"])),
    Program {
        unsupported: "its CRC: asks the processor what it can, in assembly",
        ..tool!("cksum", run(&["-a", "crc", "--nonsense"]), run(&["-a", "sha256", "A"]))
    },
    tool!("comm", run(&["A", "B"]), run(&["-12", "A", "A"])),
    tool!("cp", run(&["-v", "A", "C"]), run(&["A", "missing/x"])),
    tool!("csplit", run(&["A", "2"]), run(&["-s", "A", "/two/"])),
    tool!(
        "date",
        run(&["-u", "-d", "@86400", "+%F %T %a"]),
        run(&["-u", "-d", "2024-02-29 + 1 year", "+%F"]),
        run(&["-d", "nonsense"])
    ),
    tool!(
        "dd",
        run(&["if=A", "bs=4", "count=2", "skip=1", "status=none"]),
        run(&["conv=ucase", "if=A", "status=noxfer"])
    ),
    tool!("dircolors", run(&["-p"]), run(&["-b", "A"])),
    tool!("dirname", run(&["/a/b.c", "x"])),
    tool!("echo", run(&["-e", "a\\tb\\x41\\c", "d"]), run(&["-n", "x"])),
    Program { unsupported: "starting a program", ..tool!("env", run(&["-i", "A=b"]), run(&["-u"])) },
    tool!("expand", feed(&["-t", "4"], "a\tb\n\tc\n")),
    tool!("false" of "true", run(&[])),
    tool!("fmt", run(&["-w", "12", "B"])),
    tool!("fold", run(&["-w", "5", "-s", "B"])),
    tool!("head", run(&["-n", "2", "A", "B"]), run(&["-c", "-3", "A"])),
    tool!("id", run(&["--nonsense"])),
    tool!("join", run(&["A", "A"]), run(&["-v", "1", "-o", "0", "A", "B"])),
    tool!("ln", run(&["-s", "-v", "A", "L"]), run(&["A", "B"])),
    tool!("md5sum" of "digest", run(&["A", "B"]), feed(&["-c"], "d41d8cd98f00b204e9800998ecf8427e  E\n")),
    tool!("mkdir", run(&["-p", "-v", "p/q/r"]), run(&["A"])),
    tool!("mv", run(&["-v", "A", "C"]), run(&["missing", "C"])),
    tool!("nl", run(&["-b", "a", "-w", "3", "A"]), run(&["-v", "9", "-i", "-1", "B"])),
    tool!(
        "numfmt",
        run(&["--to=iec", "1048576", "1500"]),
        feed(&["--from=si", "--padding=8"], "1K\n2.5M\n"),
        run(&["x"])
    ),
    tool!("paste", run(&["-d", ":,", "A", "B"]), run(&["-s", "A"])),
    tool!("pathchk", run(&["-p", "a:b"])),
    tool!(
        "printf",
        run(&["%5d|%-6s|%x|%e\\n", "42", "ab", "255", "0.5"]),
        run(&["%b %q\\n", "a\\nb", "x y"]),
        run(&["%d\\n", "x"])
    ),
    tool!("readlink", run(&["A"]), run(&["-m", "/a/../b"])),
    tool!("realpath", run(&["-m", "/x/./y/../z"])),
    tool!("rm", run(&["-v", "A"]), run(&["."]), run(&["-r", "-v", "."])),
    tool!("rmdir", run(&["-v", "A"])),
    tool!("seq", run(&["1", "2", "9"]), run(&["-w", "-s", ",", "8", "11"]), run(&["0.1", "0.25", "1"])),
    tool!("sha1sum" of "digest", run(&["A"])),
    tool!("sha256sum" of "digest", run(&["A", "--tag"])),
    tool!("sha512sum" of "digest", run(&["A"])),
    tool!("shuf", run(&["-n", "1", "-e", "x"])),
    tool!("split", run(&["-l", "2", "--verbose", "A"])),
    tool!("stat", run(&["-c", "%n %s %F", "A", "B"])),
    tool!("sum", run(&["A"]), run(&["-s", "A"])),
    tool!("tail", run(&["-n", "2", "A"]), run(&["-c", "+3", "A"])),
    tool!("tee", feed(&["C"], "text\n")),
    tool!("test", run(&["-f", "A", "-a", "!", "-d", "A"]), run(&["x", "=", "y"])),
    tool!("touch", run(&["-d", "@0", "A"])),
    tool!("true", run(&["--version"])),
    tool!("truncate", run(&["-s", "3", "A"]), run(&["-s", "x", "A"])),
    tool!("tsort", feed(&[], "a b\nb c\na c\n"), feed(&[], "a b\nb a\n")),
    tool!("unexpand", feed(&["-a"], "        a       b\n")),
    tool!("uniq", feed(&["-c"], "a\na\nb\n"), feed(&["-i", "-D"], "a\nA\nb\n")),
    tool!("unlink", run(&["A"])),
    tool!("wc", run(&["A", "B"]), run(&["-L", "-m", "A"])),
];

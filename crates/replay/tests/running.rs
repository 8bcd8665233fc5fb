//! Small C programs that behave badly in every way a program can, run natively under limits.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use forkwise_replay::{Ending, Isolation, Job, Limits, Program, RunError, Runner, RunnerOptions};
use forkwise_testcase::{Object, TestCase, TestFile};

struct Built {
    dir: tempfile::TempDir,
    program: Program,
}

fn build(source: &str) -> Built {
    build_with(source, &[])
}

fn build_with(source: &str, flags: &[&str]) -> Built {
    let dir = tempfile::tempdir().unwrap();
    let (c, out) = (dir.path().join("p.c"), dir.path().join("p"));
    std::fs::write(&c, source).unwrap();
    let built = Command::new("clang-19")
        .args(["-w", "-O1", "-pthread"])
        .args(flags)
        .arg(&c)
        .arg("-o")
        .arg(&out)
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    Built { program: Program::new(&out).unwrap(), dir }
}

fn runner(isolation: Isolation) -> Runner {
    let env = vec![("ALWAYS".into(), "1".into())];
    Runner::new(&RunnerOptions { isolation, env, ..Default::default() }).unwrap()
}

/// Both kinds of isolation; namespaces where this machine permits them.
fn runners() -> Vec<Runner> {
    vec![runner(Isolation::ProcessGroup), runner(Isolation::Namespaces)]
}

fn short() -> Limits {
    Limits { wall: Duration::from_secs(5), ..Limits::default() }
}

fn is_empty(dir: &Path) -> bool {
    std::fs::read_dir(dir).unwrap().next().is_none()
}

#[test]
fn exit_codes_signals_and_output() {
    let built = build(
        r#"
        #include <signal.h>
        #include <stdio.h>
        #include <stdlib.h>
        int main(int argc, char **argv) {
          printf("out %s\n", argc > 1 ? argv[1] : "-"); fflush(stdout);
          fprintf(stderr, "err\n");
          int how = argc > 2 ? atoi(argv[2]) : 0;
          if (how == 1) abort();
          if (how == 2) raise(SIGTERM);
          if (how == 3) *(volatile int *)0 = 1;
          if (how == 4) raise(SIGPIPE);
          return 42;
        }"#,
    );
    for runner in runners() {
        for (how, ending) in [
            ("0", Ending::Exited(42)),
            ("1", Ending::Signaled(6)),
            ("2", Ending::Signaled(15)),
            ("3", Ending::Signaled(11)),
            ("4", Ending::Signaled(13)),
        ] {
            let args = ["p".into(), b"x\xff".to_vec(), how.into()];
            let report = runner.run(&Job { args: &args, ..Job::new(&built.program, &short()) }).unwrap();
            assert_eq!(report.ending, ending, "{:?}", runner.isolation());
            assert_eq!(report.stdout.bytes, b"out x\xff\n");
            assert_eq!(report.stderr.bytes, b"err\n");
            assert!(report.duration < Duration::from_secs(4));
        }
    }
}

#[test]
fn the_run_has_a_clean_world() {
    let built = build(
        r#"
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <signal.h>
        #include <unistd.h>
        #include <fcntl.h>
        extern char **environ;
        int main(void) {
          for (char **e = environ; *e; e++) printf("%.*s ", (int)strcspn(*e, "="), *e);
          for (int fd = 3; fd < 1024; fd++) if (fcntl(fd, F_GETFD) >= 0) printf("fd%d ", fd);
          struct sigaction a; sigaction(SIGPIPE, 0, &a);
          if (a.sa_handler != SIG_DFL) printf("sigpipe ");
          sigset_t s; sigprocmask(0, 0, &s);
          for (int i = 1; i < 32; i++) if (sigismember(&s, i)) printf("blocked%d ", i);
          char text[100]; ssize_t n = read(0, text, sizeof text);
          printf("%d:%.*s ", (int)n, (int)n, text);
          FILE *f = fopen("given", "r"); printf("%d", f ? fgetc(f) : -1);
        }"#,
    );
    for runner in runners() {
        let mut job = Job::new(&built.program, &*Box::leak(Box::new(short())));
        let output = |job: &Job<'_>| runner.run(job).unwrap().stdout.text().into_owned();
        assert_eq!(output(&job), "PATH HOME TMPDIR LC_ALL TZ TERM ALWAYS 0: -1");
        let env = [("TZ".into(), "CET".into()), ("EXTRA".into(), "1".into())];
        let files = [("given", &b"A"[..])];
        job = Job { env: &env, stdin: Some(b"hello"), ktest: Some(b"x"), files: &files, ..job };
        assert_eq!(output(&job), "PATH HOME TMPDIR LC_ALL TERM KTEST_FILE ALWAYS TZ EXTRA 5:hello 65");
    }
}

#[test]
fn hangs_end_in_time_with_all_their_processes() {
    let built = build(
        r#"
        #include <signal.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <unistd.h>
        int main(int argc, char **argv) {
          signal(SIGTERM, SIG_IGN); signal(SIGXCPU, SIG_IGN);
          printf("before\n"); fflush(stdout);
          if (argc > 1) {
            /* A daemon that keeps the pipes open and leaves session and group. */
            if (fork() == 0) { setsid(); if (fork() == 0) for (;;) pause(); _exit(0); }
            usleep(100000);
            return 3;
          }
          for (;;) {}
        }"#,
    );
    for runner in runners() {
        let limits = Limits { wall: Duration::from_millis(300), ..Limits::default() };
        let begin = Instant::now();
        let report = runner.run(&Job::new(&built.program, &limits)).unwrap();
        assert_eq!((report.ending, &report.stdout.bytes[..]), (Ending::TimedOut, &b"before\n"[..]));
        assert!(begin.elapsed() < Duration::from_secs(3), "{:?}", begin.elapsed());
        assert!(report.peak_rss.is_some_and(|bytes| bytes > 100 << 10), "{:?}", report.peak_rss);

        let args = ["p".into(), "daemon".into()];
        let begin = Instant::now();
        let report = runner.run(&Job { args: &args, ..Job::new(&built.program, &short()) }).unwrap();
        assert_eq!(report.ending, Ending::Exited(3));
        assert!(begin.elapsed() < Duration::from_secs(2));
    }
    // A process group cannot hold a daemon; the namespaces that the second runner had are gone, and it with them.
    let survivors = daemons(&built.dir.path().join("p"));
    assert!(survivors.len() <= 1, "{survivors:?}");
    for pid in survivors {
        Command::new("kill").args(["-9", &pid]).status().unwrap();
    }
}

fn daemons(program: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        if std::fs::read_link(entry.path().join("exe")).is_ok_and(|exe| exe == program) {
            found.push(entry.file_name().into_string().unwrap());
        }
    }
    found
}

#[test]
fn cpu_time_is_limited() {
    let built = build("int main(void) { for (;;) {} }");
    let limits =
        Limits { cpu: Some(Duration::from_secs(1)), wall: Duration::from_secs(20), ..Limits::default() };
    for runner in runners() {
        let report = runner.run(&Job::new(&built.program, &limits)).unwrap();
        assert_eq!(report.ending, Ending::TimedOut);
        assert!(report.cpu < Duration::from_secs(3), "{:?}", report.cpu);
    }
}

#[test]
fn floods_are_bounded() {
    let built = build(
        r#"
        #include <string.h>
        #include <unistd.h>
        int main(int argc, char **argv) {
          char block[4096]; memset(block, 'x', sizeof block);
          for (int i = 0; argc > 1 || i < 1000; i++) { write(1, block, sizeof block); write(2, block, 100); }
          return 0;
        }"#,
    );
    for runner in runners() {
        let limits = Limits { output: 10_000, wall: Duration::from_millis(500), ..Limits::default() };
        let report = runner.run(&Job::new(&built.program, &limits)).unwrap();
        assert_eq!(report.ending, Ending::Exited(0));
        assert_eq!((report.stdout.bytes.len(), report.stdout.total), (10_000, 4_096_000));
        assert_eq!((report.stderr.bytes.len(), report.stderr.total), (10_000, 100_000));
        assert!(report.stdout.is_truncated());
        let args = ["p".into(), "forever".into()];
        let report = runner.run(&Job { args: &args, ..Job::new(&built.program, &limits) }).unwrap();
        assert_eq!(report.ending, Ending::TimedOut);
    }
}

#[test]
fn memory_and_file_sizes_are_limited() {
    let built = build(
        r#"
        #include <errno.h>
        #include <fcntl.h>
        #include <signal.h>
        #include <stdlib.h>
        #include <sys/resource.h>
        #include <unistd.h>
        int main(void) {
          signal(SIGXFSZ, SIG_IGN);
          struct rlimit core; getrlimit(RLIMIT_CORE, &core);
          if (core.rlim_max) return 9;
          void *volatile block_of_memory = malloc(1ul << 30);
          if (block_of_memory) return 1;
          int fd = open("big", O_CREAT | O_WRONLY, 0600);
          char block[4096] = {0};
          for (int i = 0; i < 1000; i++) if (write(fd, block, sizeof block) < 0) return errno == EFBIG ? 5 : 2;
          return 3;
        }"#,
    );
    let limits = Limits { address_space: Some(256 << 20), file_size: 1 << 20, ..short() };
    for runner in runners() {
        let report = runner.run(&Job::new(&built.program, &limits)).unwrap();
        assert_eq!(report.ending, Ending::Exited(5));
    }
}

#[test]
fn fork_bombs_are_stopped() {
    let built = build(
        r#"
        #include <unistd.h>
        int main(void) { for (;;) if (fork() < 0) usleep(1000); }"#,
    );
    for runner in runners() {
        let limits = Limits { processes: 20, wall: Duration::from_secs(3), ..Limits::default() };
        let begin = Instant::now();
        let report = runner.run(&Job::new(&built.program, &limits)).unwrap();
        assert!(matches!(report.ending, Ending::TooManyProcesses | Ending::TimedOut), "{:?}", report.ending);
        assert!(begin.elapsed() < Duration::from_secs(6), "{:?}", begin.elapsed());
    }
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(daemons(&built.dir.path().join("p")), Vec::<String>::new());
}

#[test]
fn files_stay_in_the_runs_directory() {
    let built = build(
        r#"
        #include <stdio.h>
        #include <stdlib.h>
        #include <sys/stat.h>
        #include <unistd.h>
        int main(int argc, char **argv) {
          char cwd[4096]; getcwd(cwd, sizeof cwd);
          if (access("sub", F_OK) == 0) return 9;
          fclose(fopen("../beside", "w") ?: stdin);
          mkdir("sub", 0700); FILE *f = fopen("sub/file", "w"); if (!f) return 1;
          fputs("data", f); fclose(f); chmod("sub", 0);
          FILE *outside = fopen(argv[1], "w");
          printf("%s %s\n", cwd, outside ? "written" : "refused");
          return rmdir("/") == 0;
        }"#,
    );
    let victim = built.dir.path().join("victim");
    std::fs::write(&victim, "precious").unwrap();
    for runner in runners() {
        let args = ["p".into(), victim.as_os_str().as_encoded_bytes().to_vec()];
        let run = || runner.run(&Job { args: &args, ..Job::new(&built.program, &short()) }).unwrap();
        let report = run();
        assert_eq!(report.ending, Ending::Exited(0));
        let text = report.stdout.text().into_owned();
        let (cwd, outside) = text.trim().split_once(' ').unwrap();
        let left = PathBuf::from(cwd);
        assert!(!left.exists() || is_empty(&left), "{cwd} is still there");
        // The next run finds nothing of it.
        assert_eq!(run().ending, Ending::Exited(0));
        if runner.isolation() == Isolation::Namespaces {
            assert!(!left.with_file_name("beside").exists());
            assert_eq!(outside, "refused");
            assert_eq!(std::fs::read_to_string(&victim).unwrap(), "precious");
        }
        std::fs::write(&victim, "precious").unwrap();
    }
}

#[test]
fn namespaces_hide_the_network_the_devices_and_other_processes() {
    let runner = runner(Isolation::Namespaces);
    if let Some(warning) = runner.warning() {
        assert!(warning.contains("without isolation"));
        return;
    }
    let built = build(
        r#"
        #include <fcntl.h>
        #include <net/if.h>
        #include <pwd.h>
        #include <signal.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/mount.h>
        #include <unistd.h>
        int main(void) {
          char host[99] = ""; gethostname(host, sizeof host);
          if (getuid() != 1000 || getegid() != 1000 || strcmp(host, "forkwise")) return 10;
          if (getpid() > 100000 || getppid() != 0) return 1;
          if (kill(-1, 0) == 0) return 2;                    /* nobody else is here */
          struct if_nameindex *i = if_nameindex();
          if (i && i[0].if_index && i[1].if_index) return 3; /* loopback alone */
          if (open("/dev/null", O_RDWR) < 0) return 4;
          if (open("/proc/sys/kernel/hostname", O_WRONLY) >= 0) return 5;
          if (access("/dev/vda", F_OK) == 0 || access("/dev/mem", F_OK) == 0) return 6;
          if (mount(0, "/", 0, MS_REMOUNT | MS_BIND, 0) == 0) return 7;
          if (access("/proc/self/maps", R_OK) != 0) return 8;
          if (open("/dev/x", O_CREAT | O_RDWR, 0600) >= 0 || open("/tmp/x", O_CREAT | O_RDWR, 0600) >= 0) return 9;
          char cwd[99] = ""; getcwd(cwd, sizeof cwd);
          if (strcmp(cwd, "/tmp/work") || strcmp(getenv("HOME"), cwd)) return 11;
          if (access("/usr/bin", X_OK) || access("/dev/stdin", R_OK)) return 12;
          if (strcmp(getpwuid(getuid())->pw_name, "user")) return 13;
          return 0;
        }"#,
    );
    for _ in 0..3 {
        let report = runner.run(&Job::new(&built.program, &short())).unwrap();
        assert_eq!(report.ending, Ending::Exited(0));
    }
}

#[test]
fn what_cannot_run_is_an_error() {
    let missing = Program::new(Path::new("/no/such/program")).unwrap_err();
    assert!(missing.to_string().contains("/no/such/program"), "{missing}");
    assert!(Program::new(Path::new("/tmp")).unwrap_err().to_string().contains("not a file"));
    let dir = tempfile::tempdir().unwrap();
    let script = dir.path().join("bad");
    std::fs::write(&script, "not a program").unwrap();
    assert!(Program::new(&script).unwrap_err().to_string().contains("not executable"));
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let program = Program::new(&script).unwrap();
    for runner in runners() {
        let limits = short();
        let error = runner.run(&Job::new(&program, &limits)).unwrap_err().to_string();
        assert!(error.contains("cannot execute the program") && error.contains("Exec format"), "{error}");
        let args = [b"a\0b".to_vec()];
        let error = runner.run(&Job { args: &args, ..Job::new(&program, &limits) }).unwrap_err();
        assert!(matches!(error, RunError::ZeroByte { .. }), "{error}");
    }
}

#[test]
fn cancelling_ends_a_run() {
    let built = build("int main(void) { for (;;) {} }");
    let cancel = Arc::new(AtomicBool::new(false));
    let runner = Runner::new(&RunnerOptions { cancel: cancel.clone(), ..Default::default() }).unwrap();
    let begin = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(200));
            cancel.store(true, Ordering::Relaxed);
        });
        let error = runner.run(&Job::new(&built.program, &Limits::default())).unwrap_err();
        assert!(matches!(error, RunError::Cancelled));
    });
    assert!(begin.elapsed() < Duration::from_secs(2));
    assert!(matches!(runner.run(&Job::new(&built.program, &Limits::default())), Err(RunError::Cancelled)));
    assert_eq!(daemons(&built.dir.path().join("p")), Vec::<String>::new());
}

#[test]
fn tests_reach_the_program_and_nothing_is_left_behind() {
    let built = build(
        r#"
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        int main(int argc, char **argv) {
          FILE *f = fopen(getenv("KTEST_FILE"), "r"); char head[6] = ""; fread(head, 1, 5, f);
          printf("%s %s\n", head, argv[1]);
          return strcmp(head, "KTEST") != 0;
        }"#,
    );
    let scratch = tempfile::tempdir().unwrap();
    let test = TestCase::new(vec!["p".into(), "arg".into()], vec![Object::new("a", *b"1")]);
    for isolation in [Isolation::ProcessGroup, Isolation::Namespaces] {
        let options =
            RunnerOptions { isolation, scratch: Some(scratch.path().to_path_buf()), ..Default::default() };
        let runner = Runner::new(&options).unwrap();
        let report = runner.run_test(&built.program, &test, &short()).unwrap();
        assert_eq!((report.ending, &report.stdout.bytes[..]), (Ending::Exited(0), &b"KTEST arg\n"[..]));
        drop(runner);
        assert!(is_empty(scratch.path()), "{isolation:?}");
    }
}

#[test]
fn a_test_is_all_that_the_program_sees() {
    let built = build(
        r#"
        #include <dirent.h>
        #include <stdio.h>
        #include <string.h>
        #include <sys/stat.h>
        #include <unistd.h>
        extern char **environ;
        int main(int argc, char **argv) {
          for (int i = 0; i < argc; i++) printf("%s ", argv[i]);
          for (char **e = environ; *e; e++) printf("%s ", *e);
          char text[100]; ssize_t n = read(0, text, sizeof text); struct stat in; fstat(0, &in);
          printf("%.*s %d ", (int)n, text, S_ISREG(in.st_mode));
          struct dirent *d; DIR *dir = opendir(".");
          while ((d = readdir(dir))) {
            struct stat s; stat(d->d_name, &s);
            if (strcmp(d->d_name, "..")) printf("%s:%ld ", d->d_name, (long)s.st_mtime);
            if (S_ISREG(s.st_mode)) printf("%o:%ld ", s.st_mode & 0777, (long)s.st_size);
          }
        }"#,
    );
    let test = TestCase {
        args: vec!["prog".into(), b"a\xff".to_vec()],
        stdin: Some(b"input".to_vec()),
        files: vec![TestFile { name: "A".into(), bytes: b"abc".to_vec() }],
        env: vec![("LANG".into(), b"x y".to_vec())],
        ..TestCase::default()
    };
    for runner in runners() {
        let report = runner.run_test(&built.program, &test, &short()).unwrap();
        let text = report.stdout.bytes.clone();
        let text =
            [&b"prog a\xff "[..], &text[text.windows(6).position(|w| w == b"ALWAYS").unwrap()..]].concat();
        let head = b"prog a\xff ALWAYS=1 LANG=x y input 1 ";
        assert!(text.starts_with(head), "{:?}", report.stdout.text());
        let mut rest: Vec<&str> =
            std::str::from_utf8(&text[head.len()..]).unwrap().split_whitespace().collect();
        rest.sort();
        assert_eq!(rest, [".:1704067200", "644:3", "A:1704067200"]);
        assert_eq!(report.coverage, None);
        let outside =
            TestCase { files: vec![TestFile { name: "../x".into(), bytes: vec![] }], ..TestCase::default() };
        let error = runner.run_test(&built.program, &outside, &short()).unwrap_err();
        assert!(error.to_string().contains("not the name of a file"), "{error}");
    }
}

/// What `forkwise cc` puts into coverage builds, by hand: counters in a section of their own, over which the program
/// maps what it was given.
const COUNTING: &str = r#"
    #include <stdio.h>
    #include <stdlib.h>
    #include <sys/mman.h>
    #include <unistd.h>
    #define PAGES 2
    __attribute__((section("forkwise_counters"), aligned(4096))) unsigned char counters[PAGES * 4096] = {0};
    __attribute__((constructor)) static void start(void) {
      mmap(counters, sizeof counters, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, 973, 0);
      close(973);
    }
    int main(int argc, char **argv) {
      counters[0]++; counters[8191] = 255;
      int n = argc > 1 ? atoi(argv[1]) : 0;
      counters[n]++;
      if (n == 7) abort();
      if (n == 8) for (;;) {}
      return n;
    }"#;

#[test]
fn coverage_is_read_even_after_crashes_and_kills() {
    let built = build(COUNTING);
    assert_eq!(built.program.counters(), Some(8192));
    for runner in runners() {
        let run = |n: u8| {
            let test = TestCase::new(vec!["p".into(), n.to_string().into_bytes()], vec![]);
            let limits = Limits { wall: Duration::from_millis(300), ..Limits::default() };
            runner.run_test(&built.program, &test, &limits).unwrap()
        };
        for (n, ending) in
            [(5, Ending::Exited(5)), (7, Ending::Signaled(6)), (8, Ending::TimedOut), (6, Ending::Exited(6))]
        {
            let report = run(n);
            assert_eq!(report.ending, ending);
            let covered: Vec<usize> = report.coverage.unwrap().iter().collect();
            assert_eq!(covered, [0, usize::from(n), 8191], "{:?}", runner.isolation());
        }
        // Not asked for, not handed over: mapping fails and the program has its own counters.
        let report = runner.run(&Job::new(&built.program, &short())).unwrap();
        assert_eq!((report.ending, report.coverage), (Ending::Exited(0), None));
    }
}

#[test]
fn self_contained_programs_see_the_engines_world_alone() {
    let source = r#"
        #include <dirent.h>
        #include <errno.h>
        #include <fcntl.h>
        #include <stdio.h>
        #include <string.h>
        #include <sys/stat.h>
        #include <unistd.h>
        __attribute__((section("forkwise_counters"), aligned(4096), used)) unsigned char counters[4096] = {1};
        static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }
        static void list(const char *path) {
          struct dirent **all; int n = scandir(path, &all, 0, by_name);
          printf("%s:", path);
          for (int i = 0; i < n; i++) printf(" %s", all[i]->d_name);
          printf("\n");
        }
        int main(void) {
          list("/"); list("/dev"); list("/etc"); list("/tmp"); list(".");
          char cwd[99] = ""; puts(getcwd(cwd, sizeof cwd));
          struct stat s; stat("/", &s); printf("%ld %o\n", (long)s.st_mtime, s.st_mode);
          printf("%d", open("/tmp/x", O_CREAT | O_WRONLY, 0644) < 0 && errno == EROFS);
          printf("%d", open("/etc/passwd", O_WRONLY) < 0);
          printf("%d", open("new", O_CREAT | O_WRONLY, 0666) >= 0);
          stat("new", &s); printf(" %o", s.st_mode & 0777);
          int input = open("/dev/stdin", O_RDONLY); char c = 0; read(input, &c, 1); printf(" %c", c);
          for (int fd = 3; fd < 1024; fd++) if (fd != input && fd != 973 && fcntl(fd, F_GETFD) >= 0 && fd > input + 2) printf(" fd%d", fd);
        }"#;
    let built = build_with(source, &["-static"]);
    assert!(built.program.is_self_contained());
    let runner = runner(Isolation::Namespaces);
    if runner.isolation() != Isolation::Namespaces {
        eprintln!("skipped: this kernel forbids namespaces");
        return;
    }
    let test = TestCase { stdin: Some(b"Z".to_vec()), ..TestCase::new(vec!["p".into()], vec![]) };
    for _ in 0..2 {
        let report = runner.run_test(&built.program, &test, &short()).unwrap();
        assert_eq!(
            report.stdout.text(),
            "/: . .. dev etc proc tmp\n\
             /dev: . .. fd full null random stderr stdin stdout tty urandom zero\n\
             /etc: . .. group passwd\n/tmp: . .. work\n.: . ..\n/tmp/work\n1704067200 40755\n111 644 Z",
            "{}",
            report.stderr.text()
        );
    }
    // A harness's inputs reach it there, too.
    let harness = TestCase::new(vec!["p".into()], vec![Object::new("x", *b"1")]);
    let report = runner.run_test(&built.program, &harness, &short()).unwrap();
    assert!(report.stdout.text().contains("/dev: . .. .forkwise fd "), "{}", report.stdout.text());
}

#[test]
fn destructive_programs_harm_nothing() {
    let runner = runner(Isolation::Namespaces);
    if runner.isolation() != Isolation::Namespaces {
        eprintln!("skipped: this kernel forbids namespaces");
        return;
    }
    // Not below /tmp, which programs do not see.
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let victim = home.path().join("victim");
    std::fs::write(&victim, "precious").unwrap();
    let limits = Limits { wall: Duration::from_secs(2), ..Limits::default() };
    let run = |program: &str, args: &[&str]| {
        let program = Program::new(Path::new(program)).unwrap();
        let args: Vec<Vec<u8>> =
            std::iter::once(&"x").chain(args).map(|arg| arg.as_bytes().to_vec()).collect();
        let test = TestCase { stdin: Some(b"y\n".to_vec()), ..TestCase::new(args, vec![]) };
        let begin = Instant::now();
        let report = runner.run_test(&program, &test, &limits).unwrap();
        assert!(begin.elapsed() < Duration::from_secs(8), "{:?}", begin.elapsed());
        assert_eq!(std::fs::read_to_string(&victim).unwrap(), "precious");
        report
    };
    let (dir, file) = (home.path().to_str().unwrap(), victim.to_str().unwrap());
    assert_ne!(run("/bin/rm", &["-rf", dir]).ending, Ending::Exited(0));
    // The argument `/` itself would be refused by rm; what is below is all that there is.
    assert_ne!(
        run("/bin/rm", &["-rf", "--no-preserve-root", "/tmp", "/home", "/root", dir]).ending,
        Ending::Exited(0)
    );
    assert_ne!(run("/bin/sed", &["-i", "s/p/q/", file]).ending, Ending::Exited(0));
    let sed = run("/bin/sed", &[&format!("1{{e echo gone > {file}\nw {file}\n}}"), "-"]);
    assert_ne!(sed.ending, Ending::Exited(0), "{}", sed.stderr.text());
    assert_ne!(run("/bin/chmod", &["0", file]).ending, Ending::Exited(0));
    assert_ne!(run("/bin/mv", &[file, "."]).ending, Ending::Exited(0));
    run("/bin/ls", &["-R", "/"]);
    let bomb = run("/bin/sh", &["-c", "b() { b | b & }; b; sleep 9"]);
    assert!(!matches!(bomb.ending, Ending::Exited(0)), "{:?}", bomb.ending);
    let net = run("/bin/bash", &["-c", "exec 3<>/dev/tcp/127.0.0.1/22"]);
    assert_ne!(net.ending, Ending::Exited(0));
    // And afterwards the place is as good as new.
    assert_eq!(run("/bin/cat", &[]).stdout.bytes, b"y\n");
}

#[test]
fn threads_share_a_runner() {
    let built = build(
        r#"
        #include <stdio.h>
        #include <stdlib.h>
        int main(int argc, char **argv) { FILE *f = fopen("same", "wx"); return f ? atoi(argv[1]) : 99; }"#,
    );
    for runner in runners() {
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (runner, program) = (&runner, &built.program);
                scope.spawn(move || {
                    for run in 0..30 {
                        let code = thread * 30 % 90 + run % 9;
                        let args = ["p".into(), code.to_string().into_bytes()];
                        let report = runner.run(&Job { args: &args, ..Job::new(program, &short()) }).unwrap();
                        assert_eq!(report.ending, Ending::Exited(code));
                    }
                });
            }
        });
    }
}

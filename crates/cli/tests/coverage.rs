//! Coverage is one-to-one: the counters that a native program sets are exactly the arms of branches that the engine took
//! on the same arguments, by number. Programs are built by the real `forkwise cc` and run by the replay crate's runner.

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use forkwise_ir::{LoadOptions, Program};
use forkwise_posix::{Argument, Linux, Setup, initial_states};
use forkwise_replay::{Limits, Runner, RunnerOptions};
use forkwise_solver::Solver;
use forkwise_testcase::TestCase;
use forkwise_vm::{Config, Step, Vm};

/// Two files with static functions of the same name, a function that nothing calls, switches with shared targets and
/// with a range, loops, recursion, a computed goto, setjmp.
const FIRST: &str = r#"
    #include <setjmp.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    int second(int n);
    int never(int n);
    static jmp_buf back;
    static int classify(int c)
    {
        switch (c) {
        case 'a': case 'e': case 'i': return 1;
        case '0' ... '9': return 2;
        case ' ': putchar('_'); break;
        case 'x': return 4;
        default: return c > 'm' ? 5 : 6;
        }
        return 3;
    }
    static int depth(int n) { return n > 0 && n % 7 ? 1 + depth(n - 1) : 0; }
    static int jump(int n)
    {
        static void *labels[] = { &&zero, &&one, &&two };
        goto *labels[n % 3];
    zero: return n > 3 ? 10 : 11;
    one: return 20;
    two: return n == 5 ? 30 : 31;
    }
    int unused(int n) { return n ? second(n) : 3; }
    int main(int argc, char **argv)
    {
        int sum = 0;
        if (setjmp(back) == 0 && argc > 3)
            longjmp(back, 1);
        for (int i = 1; i < argc; i++)
            for (char *p = argv[i]; *p; p++)
                sum += classify(*p);
        sum += depth(sum) + jump(sum) + second(sum);
        char *text = strdup("qsort me"); /* the library's own branches have no counters */
        if (!text)
            abort();
        printf("%d %s\n", sum, text);
        free(text);
        return sum & 63;
    }
"#;
const SECOND: &str = r#"
    static int classify(int c) { return c & 1 ? c & 2 ? 1 : 2 : 3; }
    int never(int n) { return n ? 1 : 2; }
    int second(int n)
    {
        int result = 0;
        do {
            result += classify(n);
            if (result > 40) break;
        } while (n--> 0);
        switch (result % 5) { case 1: result++; case 2: result++; break; case 4: result = 0; }
        return result;
    }
"#;

fn engine_counters(program: &Rc<Program>, args: &[&str]) -> BTreeSet<usize> {
    let mut vm = Vm::new(program.clone(), Solver::new(forkwise_solver::Config::default()), Config::default());
    let words: Vec<Vec<u8>> = args.iter().map(|arg| arg.as_bytes().to_vec()).collect();
    let setup = Rc::new(Setup {
        program: words[0].clone(),
        args: words[1..].iter().cloned().map(Argument::Concrete).collect(),
        ..Setup::default()
    });
    let mut state = initial_states(&mut vm, "main", &setup).expect("the program starts").remove(0);
    vm.os = Some(Box::new(Linux::new(setup)));
    loop {
        match vm.run(&mut state, 1_000_000) {
            Step::Ended(_) => break,
            Step::Forked => panic!("a concrete run does not fork"),
            _ => {}
        }
    }
    let mut taken = BTreeSet::new();
    for branch in program.branches.iter().filter(|branch| branch.counter != u32::MAX) {
        for arm in 0..branch.arms {
            if vm.coverage.edges[(branch.first_edge + arm) as usize] != 0 {
                assert!(taken.insert((branch.counter + arm) as usize), "counter numbers are used once");
            }
        }
    }
    taken
}

fn replay(program: &Path, args: &[&str]) -> forkwise_replay::Report {
    let program = forkwise_replay::Program::new(program).expect("the program can be run");
    let runner = Runner::new(&RunnerOptions::default()).expect("there is a runner");
    let test = TestCase::new(args.iter().map(|arg| arg.as_bytes().to_vec()).collect(), vec![]);
    let limits = Limits { wall: Duration::from_secs(10), ..Limits::default() };
    runner.run_test(&program, &test, &limits).expect("the program runs")
}

fn native_counters(program: &Path, args: &[&str]) -> BTreeSet<usize> {
    let report = replay(program, args);
    report.coverage.expect("the program has counters").iter().collect()
}

fn load(program: &Path) -> Rc<Program> {
    let options = LoadOptions {
        libraries: vec![support::runtime().join("lib/libc.bc.a")],
        mem2reg: true,
        roots: vec!["main".into(), "__libc_start_main".into()],
        keep_external: forkwise_vm::native_names().iter().map(|name| name.to_string()).collect(),
        ..LoadOptions::default()
    };
    Rc::new(forkwise_ir::load(&[program.to_path_buf()], &options).expect("the program loads"))
}

/// While a test is replayed, what differs from run to run is what the engine's virtual Linux says.
#[test]
fn a_replayed_program_sees_the_engines_clock_and_process() {
    let folder = support::scratch();
    let text = r#"
        #include <signal.h>
        #include <stdio.h>
        #include <sys/time.h>
        #include <sys/utsname.h>
        #include <time.h>
        #include <unistd.h>
        int main(int argc, char **argv)
        {
            struct utsname names;
            struct timeval now;
            struct timespec exact;
            uname(&names);
            gettimeofday(&now, 0);
            clock_gettime(CLOCK_MONOTONIC, &exact);
            if (argc > 5)
                return 1;
            printf("%ld %ld %ld %d %d %d %d %s\n", (long)time(0), (long)now.tv_sec, (long)exact.tv_sec,
                (int)getpid(), (int)getppid(), (int)getuid(), (int)getegid(), names.nodename);
            fflush(stdout);
            kill(getpid(), SIGUSR1);
            return 2;
        }
    "#;
    fs::write(folder.path().join("a.c"), text).unwrap();
    let built = support::run(
        &mut support::forkwise(folder.path(), ["cc", "a.c", "-o", "a"]),
        Duration::from_secs(60),
    );
    assert_eq!(built.code(), Some(0), "{}", built.err());
    let report = replay(&folder.path().join("a"), &["a"]);
    let second = "1704067200";
    assert_eq!(report.stdout.text(), format!("{second} {second} {second} 1000 1 1000 1000 forkwise\n"));
    const SIGUSR1: i32 = 10;
    assert_eq!(report.ending, forkwise_replay::Ending::Signaled(SIGUSR1));
    // Run by anybody else it is an ordinary program.
    let plain =
        support::run(&mut std::process::Command::new(folder.path().join("a")), Duration::from_secs(10));
    assert!(!plain.out().starts_with(second), "{}", plain.out());
}

#[test]
fn the_native_program_sets_the_counters_of_the_arms_the_engine_takes() {
    let folder = support::scratch();
    fs::write(folder.path().join("first.c"), FIRST).unwrap();
    fs::write(folder.path().join("second.c"), SECOND).unwrap();
    // -O0 code has allocas, which both sides promote; a jump table or a select would hide branches.
    for level in ["-O1", "-O0"] {
        let mut build = support::forkwise(folder.path(), ["cc", "first.c", "second.c", "-o", "program"]);
        build.env("FORKWISE_CFLAGS", format!("{level} -Xclang -disable-O0-optnone"));
        let built = support::run(&mut build, Duration::from_secs(60));
        assert_eq!(built.code(), Some(0), "{}", built.err());
        let path = folder.path().join("program");
        let program = load(&path);
        assert!(program.counters > 20, "{}", program.counters);
        let mut all = BTreeSet::new();
        for args in [
            &["program"][..],
            &["program", "a1 x"],
            &["program", "zebra", "0123456789", "m n", "iii"],
            &["program", "e"],
            &["program", "xxxxxxxxxxxx", "hello world"],
        ] {
            let engine = engine_counters(&program, args);
            assert_eq!(engine, native_counters(&path, args), "{level} {args:?}");
            all.extend(engine);
        }
        assert!(all.len() > 20 && all.len() < program.counters as usize, "{level}: {}", all.len());
    }
}

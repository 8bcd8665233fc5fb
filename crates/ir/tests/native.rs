//! C programs, lowered at every optimisation level, compute what their native builds compute.

mod common;

use common::{check, compile, load_main, run_interp, run_native};
use forkwise_ir::LoadOptions;

fn compare(name: &str, source: &str, extra: &[&str]) {
    let dir = tempfile::tempdir().unwrap();
    let native = run_native(dir.path(), name, source);
    assert!(!native.0.is_empty(), "{name} emits nothing");
    for level in ["-O0", "-O1", "-O2", "-O3"] {
        let mut flags = vec![level, "-ffp-contract=off"];
        flags.extend(extra);
        let bc = compile(dir.path(), name, source, &flags);
        for mem2reg in [false, true] {
            if mem2reg && level != "-O0" {
                continue;
            }
            let program = load_main(&bc, LoadOptions { mem2reg, ..LoadOptions::default() });
            check(&program);
            assert!(program.unsupported.is_empty(), "{name} {level}: {:?}", program.unsupported);
            let (numbers, status) = run_interp(&program);
            let different = numbers.iter().zip(&native.0).position(|(a, b)| a != b);
            if let Some(i) = different {
                panic!(
                    "{name} at {level}, mem2reg {mem2reg}: number {i} is {}, not {}",
                    numbers[i], native.0[i]
                );
            }
            assert_eq!(
                (numbers.len(), status),
                (native.0.len(), native.1),
                "{name} at {level}, mem2reg {mem2reg}"
            );
        }
    }
}

macro_rules! programs {
    ($($name:ident $file:literal $(, $flag:literal)*;)*) => {
        $(#[test]
        fn $name() {
            compare(stringify!($name), include_str!(concat!("programs/", $file)), &[$($flag),*]);
        })*
    };
}

programs! {
    integers "integers.c";
    control_flow "control_flow.c";
    memory "memory.c";
    calls "calls.c";
    floats "floats.c";
    wide_integers "wide.c";
    vectors "vectors.c";
    vectors_avx "vectors.c", "-mavx2";
    aggregates "aggregates.c";
    builtins "builtins.c";
    globals "globals.c";
    atomics "atomics.c";
    bitfields "bitfields.c";
    sorting "sorting.c";
}

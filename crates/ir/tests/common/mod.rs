//! Shared by the tests: compiling C, loading it, running it natively and in the reference interpreter.
#![allow(dead_code)]

pub mod float;
pub mod interp;
pub mod numeric;

use forkwise_ir::{LoadOptions, Op, Program, load};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Prints each number that the program under test hands to `emit`.
const EMIT: &str = "#include <stdio.h>\nvoid emit(unsigned long v) { printf(\"%lu\\n\", v); }\n";

/// Runs clang; panics with its output when it fails.
pub fn clang(args: &[&str]) {
    let out = Command::new("clang-19").args(args).output().expect("clang-19 is installed");
    assert!(out.status.success(), "clang-19 {args:?}: {}", String::from_utf8_lossy(&out.stderr));
}

/// Compiles C text to bitcode in `dir`.
pub fn compile(dir: &Path, name: &str, source: &str, flags: &[&str]) -> PathBuf {
    let c = dir.join(format!("{name}.c"));
    std::fs::write(&c, source).unwrap();
    let bc = dir.join(format!("{name}{}.bc", flags.concat().replace(['/', '='], "_")));
    let mut args = vec!["-w", "-g", "-emit-llvm", "-c", c.to_str().unwrap(), "-o", bc.to_str().unwrap()];
    args.extend(flags);
    clang(&args);
    bc
}

/// What a native build of C text prints with `emit`, and its exit status.
pub fn run_native(dir: &Path, name: &str, source: &str) -> (Vec<u64>, i32) {
    let c = dir.join(format!("{name}.native.c"));
    std::fs::write(&c, source).unwrap();
    let stub = dir.join("emit.c");
    std::fs::write(&stub, EMIT).unwrap();
    let exe = dir.join(format!("{name}.exe"));
    let (c, stub, out) = (c.to_str().unwrap(), stub.to_str().unwrap(), exe.to_str().unwrap());
    clang(&["-w", "-O1", "-ffp-contract=off", c, stub, "-o", out, "-lm"]);
    let run = Command::new(&exe).output().unwrap();
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    let numbers = text.lines().map(|l| l.parse().expect("emit prints numbers")).collect();
    (numbers, run.status.code().unwrap_or(-1))
}

/// Loads with `main` as the root.
pub fn load_main(bc: &Path, options: LoadOptions) -> Program {
    let options = LoadOptions { roots: vec!["main".into()], ..options };
    load(&[bc.to_path_buf()], &options).unwrap_or_else(|e| panic!("{}: {e}", bc.display()))
}

/// Runs `main` in the reference interpreter.
pub fn run_interp(program: &Program) -> (Vec<u64>, i32) {
    let mut interp = interp::Interp::new(program);
    let result = interp.run("main", &[1, 0]).unwrap_or_else(|e| panic!("{}: {e}", program.name));
    (interp.output, result as u8 as i32)
}

/// Structural promises of a program that do not depend on running it.
pub fn check(program: &Program) {
    for (number, f) in program.functions.iter().enumerate() {
        assert_eq!(f.code.len(), f.locs.len(), "{}", f.name);
        assert_eq!(f.code.len(), f.inst_offsets.len(), "{}", f.name);
        if f.code.is_empty() {
            continue;
        }
        assert!(f.code.last().unwrap().is_terminator(), "{}", f.name);
        assert!(f.n_slots >= f.consts.len() as u32 + f.param_slots);
        let blocks = &program.blocks[f.first_block as usize..(f.first_block + f.n_blocks) as usize];
        assert!(blocks.windows(2).all(|w| w[0].end <= w[1].pc), "{}", f.name);
        for (i, b) in blocks.iter().enumerate() {
            assert_eq!(b.func as usize, number);
            assert!(b.pc < b.end && b.end as usize <= f.code.len());
            assert!(f.code[b.end as usize - 1].is_terminator());
            for pc in b.pc..b.end {
                assert!(f.inst_offsets[pc as usize] <= b.insts);
                let last = pc + 1 == b.end;
                assert_eq!(
                    last,
                    f.code[pc as usize].is_terminator(),
                    "{} at {pc}: {}",
                    f.name,
                    program.dump(number as u32)
                );
            }
            for &e in &b.succs {
                let edge = &program.edges[e as usize];
                assert_eq!(edge.from, f.first_block + i as u32);
                let target = &program.blocks[edge.block as usize];
                assert_eq!(edge.insts, target.insts);
                assert_eq!(target.func, b.func);
                let mut pc = edge.pc;
                while !f.code[pc as usize].is_terminator() && pc != target.pc {
                    pc += 1;
                }
                let lands =
                    pc == target.pc || matches!(f.code[pc as usize], Op::Goto { pc } if pc == target.pc);
                assert!(lands || matches!(f.code[pc as usize], Op::Unsupported { .. }), "{}", f.name);
            }
            if b.loop_header != u32::MAX {
                assert!(b.loop_depth > 0);
                assert_eq!(program.blocks[b.loop_header as usize].loop_depth, b.loop_depth);
            }
        }
    }
    for (i, branch) in program.branches.iter().enumerate() {
        for arm in 0..branch.arms {
            assert_eq!(program.edges[(branch.first_edge + arm) as usize].from, branch.block, "branch {i}");
        }
    }
}

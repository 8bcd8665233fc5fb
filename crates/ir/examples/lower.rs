//! Loads bitcode and prints its bytecode: `cargo run -p forkwise-ir --example lower -- file.bc [--lib ARCHIVE]
//! [--mem2reg] [--root NAME] [--quiet]`.

use forkwise_ir::{LoadOptions, load};
use std::time::Instant;

fn main() {
    let mut options = LoadOptions::default();
    let (mut inputs, mut quiet) = (Vec::new(), false);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--mem2reg" => options.mem2reg = true,
            "--quiet" => quiet = true,
            "--lib" => options.libraries.extend(args.next().map(Into::into)),
            "--root" => options.roots.extend(args.next()),
            "--optimize" => options.optimize = args.next().and_then(|n| n.parse().ok()),
            _ => inputs.push(arg.into()),
        }
    }
    let start = Instant::now();
    match load(&inputs, &options) {
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(2);
        }
        Ok(program) => {
            let seconds = start.elapsed().as_secs_f64();
            let ops: usize = program.functions.iter().map(|f| f.code.len()).sum();
            let insts: u32 = program.blocks.iter().map(|b| b.insts).sum();
            let slots: u64 = program.functions.iter().map(|f| f.n_slots as u64).sum();
            if !quiet {
                for func in 0..program.functions.len() as u32 {
                    print!("{}", program.dump(func));
                }
                for global in &program.globals {
                    println!(
                        "global {} at {:#x} size {} init {}",
                        global.name,
                        global.address,
                        global.size,
                        global.init.len()
                    );
                }
            }
            let declared: Vec<&str> =
                program.functions.iter().filter(|f| f.code.is_empty()).map(|f| f.name.as_str()).collect();
            println!(
                "{} functions, {insts} instructions, {ops} operations, {slots} slots, {} globals, {} edges, {seconds:.3} s",
                program.functions.len(),
                program.globals.len(),
                program.edges.len()
            );
            println!("undefined functions {declared:?}, variables {:?}", program.undefined_globals);
            for what in program.unsupported.iter().chain(&program.warnings) {
                println!("{what}");
            }
        }
    }
}

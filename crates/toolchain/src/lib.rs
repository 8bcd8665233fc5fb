//! Finding and driving the C compiler: C sources become bitcode for the engine ([`Toolchain::compile_c`]) and native
//! programs for confirming what the engine found ([`Toolchain::build_native`]). Never interprets a program and never
//! links LLVM: it only starts the compiler's programs. `find` decides which compiler, `runtime` which C library; [`cc`]
//! is the compiler wrapper that builds whole projects.

pub mod cc;
mod compile;
mod error;
mod find;
mod native;
mod process;
mod runtime;

pub use compile::{Bitcode, CompileOptions, OptLevel};
pub use error::ToolchainError;
pub use find::{Clang, NEWEST_CLANG, OLDEST_CLANG, Toolchain};
pub use native::{NativeLibc, NativeOptions, NativeProgram, Sanitizers};
pub use runtime::Runtime;

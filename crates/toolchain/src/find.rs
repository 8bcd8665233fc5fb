//! Choosing the compiler: clang 19 where there is one, an older one that LLVM 19 can read with a warning otherwise.
//! Never downloads or installs anything. A [`Toolchain`] is the value everything else in this crate hangs on.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::{Runtime, ToolchainError, process};

/// The newest clang whose bitcode the engine reads, and the one it is tested with.
pub const NEWEST_CLANG: u32 = 19;
/// The oldest.
pub const OLDEST_CLANG: u32 = 14;

/// A clang that can be used.
#[derive(Debug, Clone)]
pub struct Clang {
    /// The program.
    pub path: PathBuf,
    /// Its major version.
    pub major: u32,
}

impl Clang {
    /// Finds a clang: the one `FORKWISE_CLANG` names, then `clang-19`, then `clang` if it is 19, then the newest older one.
    pub fn find() -> Result<Self, ToolchainError> {
        if let Some(path) = env::var_os("FORKWISE_CLANG").filter(|path| !path.is_empty()) {
            let path = PathBuf::from(path);
            // A bare name means the PATH, as in a shell.
            let path = if path.components().count() == 1 { on_path(&path).unwrap_or(path) } else { path };
            return Self::at(path);
        }
        let versioned = |major: u32| {
            on_path(Path::new(&format!("clang-{major}"))).or_else(|| {
                Some(PathBuf::from(format!("/usr/lib/llvm-{major}/bin/clang"))).filter(|path| path.is_file())
            })
        };
        if let Some(path) = versioned(NEWEST_CLANG) {
            // Its name says which one it is; a compiler wrapper is started thousands of times and need not ask.
            return Ok(Self { path, major: NEWEST_CLANG });
        }
        let plain = on_path(Path::new("clang")).map(Self::at);
        if let Some(Ok(clang)) = &plain
            && clang.major == NEWEST_CLANG
        {
            return Ok(clang.clone());
        }
        for major in (OLDEST_CLANG..NEWEST_CLANG).rev() {
            if let Some(path) = versioned(major) {
                return Self::at(path);
            }
        }
        plain.unwrap_or_else(|| {
            Err(ToolchainError::ClangNotFound {
                tried: format!("clang-{NEWEST_CLANG} to clang-{OLDEST_CLANG}, clang"),
            })
        })
    }

    /// The clang at a place, if it is one.
    pub fn at(path: PathBuf) -> Result<Self, ToolchainError> {
        let unusable = |reason: String| ToolchainError::ClangUnusable { path: path.clone(), reason };
        let output = process::run(Command::new(&path).arg("--version"), "--version")
            .map_err(|error| unusable(error.to_string()))?;
        let major = major_version(&output.stdout).ok_or_else(|| {
            unusable(format!("--version says {:?}", output.stdout.lines().next().unwrap_or("")))
        })?;
        if !(OLDEST_CLANG..=NEWEST_CLANG).contains(&major) {
            return Err(ToolchainError::ClangUnsupported { path, major });
        }
        Ok(Self { path, major })
    }

    /// What a user should know about this choice: an older clang works, but is not what the engine is tested with.
    pub fn warning(&self) -> Option<String> {
        (self.major != NEWEST_CLANG).then(|| {
            format!(
                "using {} (clang {}); clang {NEWEST_CLANG} is what Forkwise is tested with",
                self.path.display(),
                self.major
            )
        })
    }
}

/// The version in `… clang version 19.1.7 …`.
fn major_version(text: &str) -> Option<u32> {
    let (_, rest) = text.split_once("clang version ")?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// The compiler, its companions and the runtime folder.
#[derive(Debug)]
pub struct Toolchain {
    clang: Clang,
    runtime: OnceLock<Runtime>,
}

impl Toolchain {
    /// Finds a compiler. The runtime folder is looked for when it is first needed.
    pub fn find() -> Result<Self, ToolchainError> {
        Ok(Self { clang: Clang::find()?, runtime: OnceLock::new() })
    }

    /// A toolchain of known parts.
    pub fn new(clang: Clang, runtime: Runtime) -> Self {
        Self { clang, runtime: OnceLock::from(runtime) }
    }

    /// The compiler.
    pub fn clang(&self) -> &Clang {
        &self.clang
    }

    /// The runtime folder.
    pub fn runtime(&self) -> Result<&Runtime, ToolchainError> {
        if let Some(runtime) = self.runtime.get() {
            return Ok(runtime);
        }
        let found = Runtime::find()?;
        Ok(self.runtime.get_or_init(|| found))
    }

    /// One of LLVM's programs (`llvm-link`, `opt`, `ld.lld`, …): the one next to the compiler, or of its version on the
    /// PATH.
    pub fn tool(&self, name: &str) -> Result<PathBuf, ToolchainError> {
        let versioned = format!("{name}-{}", self.clang.major);
        let beside =
            self.clang.path.canonicalize().ok().and_then(|path| path.parent().map(Path::to_path_buf));
        let beside = beside.iter().flat_map(|folder| [folder.join(name), folder.join(&versioned)]);
        let installed = PathBuf::from(format!("/usr/lib/llvm-{}/bin", self.clang.major)).join(name);
        beside
            .chain([installed])
            .find(|path| path.is_file())
            .or_else(|| on_path(Path::new(&versioned)))
            .or_else(|| on_path(Path::new(name)))
            .ok_or_else(|| ToolchainError::ToolNotFound {
                name: versioned,
                package: match name {
                    "ld.lld" | "lld" => format!("lld-{}", self.clang.major),
                    _ => format!("llvm-{}", self.clang.major),
                },
            })
    }
}

/// A program on the PATH.
fn on_path(name: &Path) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(name)).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_every_vendor_text() {
        assert_eq!(major_version("Debian clang version 19.1.7 (3~deb12u1)\nTarget: x"), Some(19));
        assert_eq!(major_version("clang version 14.0.6"), Some(14));
        assert_eq!(major_version("gcc (Debian 12.2.0) 12.2.0"), None);
        assert_eq!(major_version("clang version ?"), None);
    }

    #[test]
    fn a_program_that_is_no_clang_is_named() {
        let error = Clang::at("/bin/true".into()).unwrap_err();
        assert!(matches!(&error, ToolchainError::ClangUnusable { .. }), "{error}");
        assert!(error.to_string().contains("/bin/true"), "{error}");
    }

    #[test]
    fn an_old_clang_gives_a_warning() {
        let clang = Clang { path: "/x/clang-16".into(), major: 16 };
        assert!(clang.warning().is_some_and(|text| text.contains("clang 16")));
        assert_eq!(Clang { path: "/x/clang-19".into(), major: 19 }.warning(), None);
    }
}

//! One system call being served: its arguments, the program's memory, and the path's world. Everything that may fork
//! (symbolic arguments) is asked for first and changes come after, because a fork executes the call again.

use crate::decide;
use crate::errno::{EFAULT, EINVAL};
use crate::world::World;
use forkwise_expr::Expr;
use forkwise_vm::{Byte, Place, State, Termination, Value, Vm};

/// Why a system call does not return a result.
#[derive(Debug)]
pub(crate) enum Stop {
    /// It fails with this error number.
    Errno(i64),
    /// The path ends.
    End(Termination),
}

impl From<Termination> for Stop {
    fn from(t: Termination) -> Stop {
        Stop::End(t)
    }
}

/// What a system call returns.
pub(crate) type Sys = Result<u64, Stop>;

/// Fails with an error number.
pub(crate) fn fail<T>(errno: i64) -> Result<T, Stop> {
    Err(Stop::Errno(errno))
}

/// Turns an error number into the way a system call stops.
pub(crate) trait OrStop<T> {
    fn or_stop(self) -> Result<T, Stop>;
}

impl<T> OrStop<T> for Result<T, i64> {
    fn or_stop(self) -> Result<T, Stop> {
        self.map_err(Stop::Errno)
    }
}

/// See the module text.
pub(crate) struct Call<'a> {
    /// The machine.
    pub vm: &'a mut Vm,
    /// The path.
    pub st: &'a mut State,
    /// The arguments.
    pub args: &'a [Value; 6],
}

impl Call<'_> {
    /// An argument as 64 bits.
    pub fn word(&mut self, i: usize, what: &str) -> Result<u64, Stop> {
        Ok(self.vm.concretize(self.st, self.args[i], 64, what)?)
    }

    /// An argument of type int.
    pub fn int(&mut self, i: usize, what: &str) -> Result<i32, Stop> {
        Ok(self.word(i, what)? as i32)
    }

    /// A descriptor number.
    pub fn fd(&mut self, i: usize) -> Result<i32, Stop> {
        self.int(i, "a file descriptor")
    }

    /// An address.
    pub fn address(&mut self, i: usize) -> Result<u64, Stop> {
        self.word(i, "an address")
    }

    /// A size or count.
    pub fn size(&mut self, i: usize) -> Result<u64, Stop> {
        self.word(i, "a length")
    }

    /// The world of the path.
    pub fn world(&self) -> &World {
        World::of(self.st)
    }

    /// The world of the path, to change it.
    pub fn world_mut(&mut self) -> &mut World {
        World::of_mut(self.st)
    }

    /// What the kernel finds out when it touches memory: EFAULT where nothing is mapped. Memory beyond the end of an
    /// object or of one that was freed is mapped on Linux, and touching it is the program's bug.
    pub fn check(&mut self, address: u64, n: u64, write: bool) -> Result<(), Stop> {
        if n == 0 {
            return Ok(());
        }
        match self.st.mem.object(address) {
            Some(o) if o.contains(address.wrapping_sub(o.base), n) => {
                match o.permits(address.wrapping_sub(o.base), n, write) {
                    true => Ok(()),
                    false => fail(EFAULT),
                }
            }
            _ => match self.st.mem.locate(address) {
                Place::Null | Place::Nothing => fail(EFAULT),
                Place::Code if write => fail(EFAULT),
                _ => Err(self.vm.memory_fault(self.st, address, n, write).end().into()),
            },
        }
    }

    /// Bytes of the program's memory.
    pub fn load(&mut self, address: u64, n: u64) -> Result<Vec<Byte>, Stop> {
        self.check(address, n, false)?;
        Ok(self.vm.load_bytes(self.st, Value::concrete(address), n)?)
    }

    /// Writes to the program's memory.
    pub fn store(&mut self, address: u64, bytes: &[Byte]) -> Result<(), Stop> {
        self.check(address, bytes.len() as u64, true)?;
        Ok(self.vm.store_bytes(self.st, Value::concrete(address), bytes)?)
    }

    /// Writes concrete bytes to the program's memory.
    pub fn store_plain(&mut self, address: u64, bytes: &[u8]) -> Result<(), Stop> {
        let bytes: Vec<Byte> = bytes.iter().map(|b| Byte::Concrete(*b)).collect();
        self.store(address, &bytes)
    }

    /// A concrete number of 64 bits in memory.
    pub fn load_word(&mut self, address: u64, what: &str) -> Result<u64, Stop> {
        let bytes = self.load(address, 8)?;
        let v = self.vm.value_from_bytes(&bytes, 64);
        Ok(self.vm.concretize(self.st, v, 64, what)?)
    }

    /// The buffers of `readv` and `writev`: argument `i` is the list, the next one its length.
    pub fn buffers(&mut self, i: usize) -> Result<Vec<(u64, u64)>, Stop> {
        const MOST: i32 = 1024;
        let list = self.address(i)?;
        let count = self.int(i + 1, "a count")?;
        if !(0..=MOST).contains(&count) {
            return fail(EINVAL);
        }
        let mut out = Vec::with_capacity(count as usize);
        let mut total = 0u64;
        for k in 0..count as u64 {
            let base = self.load_word(list.wrapping_add(16 * k), "an address")?;
            let size = self.load_word(list.wrapping_add(16 * k + 8), "a length")?;
            total = total.saturating_add(size);
            if size > i64::MAX as u64 || total > i64::MAX as u64 {
                return fail(EINVAL);
            }
            out.push((base, size));
        }
        Ok(out)
    }

    /// Which of these conditions holds, of which exactly one does on every input: see [`decide::among`].
    pub fn decide(&mut self, conditions: &[Expr]) -> Result<usize, Stop> {
        Ok(decide::among(self.vm, self.st, conditions)?)
    }
}

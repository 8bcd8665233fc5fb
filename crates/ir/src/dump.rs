//! The bytecode as text, for debugging and for printing instructions while they run.

use crate::op::Op;
use crate::program::{Function, Program};
use std::fmt::{self, Write as _};

impl fmt::Display for Op {
    /// The operation's name and its fields, such as `Add w=32 dst=4 a=2 b=3`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{self:?}");
        let text = text.replace(" {", "").replace(" }", "").replace(": ", "=").replace(',', "");
        f.write_str(&text)
    }
}

impl Program {
    /// The code of a function, one operation a line, with blocks, constants and source lines.
    pub fn dump(&self, func: u32) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = self.dump_to(&mut out, func);
        out
    }

    fn dump_to(&self, out: &mut String, func: u32) -> fmt::Result {
        let Some(function) = self.functions.get(func as usize) else { return Ok(()) };
        let Function { name, consts, params, ret, n_slots, param_slots, .. } = function;
        writeln!(out, "function {func} {name} params={params:?} ret={ret:?} slots={n_slots}")?;
        if function.code.is_empty() {
            return writeln!(out, "  (declaration)");
        }
        for (i, value) in consts.iter().enumerate() {
            writeln!(out, "  const {i} = {value:#x}")?;
        }
        writeln!(out, "  params at {}..{}", consts.len(), consts.len() + *param_slots as usize)?;
        let blocks = function.first_block..function.first_block + function.n_blocks;
        for (pc, op) in function.code.iter().enumerate() {
            for block in blocks.clone() {
                let info = &self.blocks[block as usize];
                if info.pc as usize == pc {
                    let (insts, depth) = (info.insts, info.loop_depth);
                    writeln!(out, " block {block} insts={insts} depth={depth} edges={:?}", info.succs)?;
                } else if info.end as usize == pc {
                    writeln!(out, " --")?;
                }
            }
            write!(out, "  {pc:4}: {op}")?;
            let at = self.locations.get(function.locs[pc] as usize).copied().unwrap_or_default();
            if at.line != 0 {
                write!(out, "  ; line {}:{}", at.line, at.column)?;
            }
            match op {
                Op::Call { func, site, .. } | Op::CallExternal { func, site, .. } => {
                    let name = &self.functions[*func as usize].name;
                    write!(out, "  ; {name} {:?}", function.sites[*site as usize].slots)?;
                }
                Op::CallPointer { site, .. } | Op::Intrinsic { site, .. } | Op::InlineAsm { site, .. } => {
                    write!(out, "  ; {:?}", function.sites[*site as usize].slots)?;
                }
                Op::Unsupported { what } => write!(out, "  ; {}", self.unsupported[*what as usize])?,
                _ => {}
            }
            writeln!(out)?;
        }
        Ok(())
    }
}

//! Text of expressions, SMT-LIB-like, for messages. Bounded in depth and size and iterative, because expressions
//! may be huge; what is cut shows as `…`. Not meant to be parsed back: the solver writes its own SMT-LIB.

use crate::build::Exprs;
use crate::node::{Expr, FpOp, Kind, Op, RoundingMode};

const MAX_DEPTH: usize = 24;
const MAX_CHARS: usize = 16 * 1024;
const MAX_TABLE: usize = 16;

enum Piece {
    Node(Expr, usize),
    Text(String),
}

/// The SMT-LIB name of an operator.
fn op_name(op: Op) -> &'static str {
    match op {
        Op::Not => "bvnot",
        Op::Neg => "bvneg",
        Op::And => "bvand",
        Op::Or => "bvor",
        Op::Xor => "bvxor",
        Op::Add => "bvadd",
        Op::Sub => "bvsub",
        Op::Mul => "bvmul",
        Op::UDiv => "bvudiv",
        Op::SDiv => "bvsdiv",
        Op::URem => "bvurem",
        Op::SRem => "bvsrem",
        Op::Shl => "bvshl",
        Op::LShr => "bvlshr",
        Op::AShr => "bvashr",
        Op::Eq => "=",
        Op::Ult => "bvult",
        Op::Ule => "bvule",
        Op::Slt => "bvslt",
        Op::Sle => "bvsle",
        Op::Concat => "concat",
    }
}

fn mode_name(mode: RoundingMode) -> &'static str {
    match mode {
        RoundingMode::NearestEven => "RNE",
        RoundingMode::NearestAway => "RNA",
        RoundingMode::Zero => "RTZ",
        RoundingMode::Up => "RTP",
        RoundingMode::Down => "RTN",
    }
}

fn fp_name(op: FpOp, width: u32) -> String {
    match op {
        FpOp::Add => "fp.add RNE".into(),
        FpOp::Sub => "fp.sub RNE".into(),
        FpOp::Mul => "fp.mul RNE".into(),
        FpOp::Div => "fp.div RNE".into(),
        FpOp::Rem => "fp.fmod".into(),
        FpOp::Sqrt => "fp.sqrt RNE".into(),
        FpOp::Fma => "fp.fma RNE".into(),
        FpOp::RoundToIntegral(mode) => format!("fp.roundToIntegral {}", mode_name(mode)),
        FpOp::Eq => "fp.eq".into(),
        FpOp::Lt => "fp.lt".into(),
        FpOp::Le => "fp.leq".into(),
        FpOp::IsNan => "fp.isNaN".into(),
        FpOp::ToFloat => format!("(_ to_fp {width}) RNE"),
        FpOp::ToSigned => format!("(_ fp.to_sbv {width}) RTZ"),
        FpOp::ToUnsigned => format!("(_ fp.to_ubv {width}) RTZ"),
        FpOp::FromSigned => format!("(_ to_fp_signed {width}) RNE"),
        FpOp::FromUnsigned => format!("(_ to_fp_unsigned {width}) RNE"),
    }
}

impl Exprs {
    /// SMT-LIB-like text, for messages and `klee_print_expr`; shared nodes bounded in depth.
    pub fn display(&self, e: Expr) -> String {
        let mut out = String::new();
        let mut todo = vec![Piece::Node(e, 0)];
        while let Some(piece) = todo.pop() {
            match piece {
                Piece::Text(t) => out.push_str(&t),
                Piece::Node(e, depth) => {
                    let leaf = matches!(self.kind(e), Kind::Const | Kind::Symbol(_));
                    if out.len() > MAX_CHARS || depth > MAX_DEPTH && !leaf {
                        out.push('…');
                    } else {
                        self.display_node(e, depth, &mut out, &mut todo);
                    }
                }
            }
        }
        out
    }

    fn display_node(&self, e: Expr, depth: usize, out: &mut String, todo: &mut Vec<Piece>) {
        let width = self.width(e);
        let (head, operands): (String, Vec<Expr>) = match self.kind(e) {
            Kind::Const => {
                out.push_str(&self.bits(e).expect("a constant").to_string());
                return;
            }
            Kind::Symbol(s) => {
                out.push_str(&format!("s{}", s.0));
                return;
            }
            Kind::Un(op, a) => (op_name(op).into(), vec![a]),
            Kind::Bin(op, a, b) => (op_name(op).into(), vec![a, b]),
            Kind::Ite(c, t, f) => ("ite".into(), vec![c, t, f]),
            Kind::Extract(a, lo) => (format!("(_ extract {} {lo})", lo + width - 1), vec![a]),
            Kind::ZExt(a) => (format!("(_ zero_extend {})", width - self.width(a)), vec![a]),
            Kind::SExt(a) => (format!("(_ sign_extend {})", width - self.width(a)), vec![a]),
            Kind::Fp(op, a, b, c) => (fp_name(op, width), [Some(a), b, c].into_iter().flatten().collect()),
            Kind::Lookup(t, index) => {
                out.push_str("(lookup ");
                todo.push(Piece::Text(")".into()));
                todo.push(Piece::Node(index, depth + 1));
                let elements = self.table(t);
                todo.push(Piece::Text(if elements.len() > MAX_TABLE { " …) " } else { ") " }.into()));
                for (i, &element) in elements.iter().enumerate().take(MAX_TABLE).rev() {
                    todo.push(Piece::Node(element, depth + 1));
                    todo.push(Piece::Text(if i == 0 { "(" } else { " " }.into()));
                }
                return;
            }
        };
        out.push('(');
        out.push_str(&head);
        todo.push(Piece::Text(")".into()));
        for &o in operands.iter().rev() {
            todo.push(Piece::Node(o, depth + 1));
            todo.push(Piece::Text(" ".into()));
        }
    }
}

//! Freeing expressions that nothing refers to any more, for long runs. Handles of what stays keep their meaning;
//! freed ones are given to new expressions later, so whoever keeps values by handle has to watch the generation.

use crate::build::{Exprs, next_generation};
use crate::node::{Expr, Kind, TableId};
use crate::store::{Node, Tag};
use crate::support::Supports;

impl Exprs {
    /// Frees every node that cannot be reached from the roots and returns how many. Tables stay while a live lookup
    /// uses them; table ids held elsewhere become invalid. Changes the generation when anything was freed.
    pub fn collect(&mut self, roots: impl Iterator<Item = Expr>) -> usize {
        let (nodes, tables) = self.mark(roots);
        let mut wide = vec![false; self.store.wide.len()];
        let mut freed = 0;
        for (i, live) in nodes.iter().enumerate() {
            let n = self.store.nodes[i];
            if *live && n.tag == Tag::WIDE {
                wide[n.a as usize] = true;
            }
            if !live && n.tag != Tag::FREE {
                self.store.nodes[i] = Node::new(Tag::FREE, 0, 0, 0, 0);
                freed += 1;
            }
        }
        if freed == 0 {
            return 0;
        }
        // Lowest indices first when they are taken again, to keep side tables dense.
        self.store.free = (0..nodes.len() as u32).rev().filter(|&i| !nodes[i as usize]).collect();
        for (id, _) in wide.iter().enumerate().filter(|(_, live)| !**live) {
            if let Some(value) = self.store.wide[id].take() {
                self.store.wide_ids.remove(&value);
                self.store.free_wide.push(id as u32);
            }
        }
        for (id, _) in tables.iter().enumerate().filter(|(_, live)| !**live) {
            if let Some(table) = self.store.tables[id].take() {
                self.store.table_ids.remove(&table.elements);
                self.store.table_bytes -= size_of_val(&*table.elements);
                self.store.free_tables.push(id as u32);
            }
        }
        for table in self.store.tables.iter_mut().flatten() {
            table.support = 0;
        }
        self.supports = Supports::default();
        self.mapped_tables.clear();
        self.store.rebuild();
        self.generation = next_generation();
        freed
    }

    /// Which nodes and tables can be reached.
    fn mark(&self, roots: impl Iterator<Item = Expr>) -> (Vec<bool>, Vec<bool>) {
        let mut nodes = vec![false; self.store.nodes.len()];
        let mut tables = vec![false; self.store.tables.len()];
        let mut stack: Vec<Expr> = roots.collect();
        stack.extend(self.truth_values());
        while let Some(e) = stack.pop() {
            if std::mem::replace(&mut nodes[e.index()], true) {
                continue;
            }
            let n = self.store.node(e);
            stack.extend(n.operands().into_iter().flatten());
            if let Kind::Lookup(t @ TableId(id), _) = n.kind()
                && !std::mem::replace(&mut tables[id as usize], true)
            {
                stack.extend(self.table(t));
            }
        }
        (nodes, tables)
    }
}

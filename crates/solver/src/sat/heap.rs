//! A binary heap of variables by activity, with positions, so that a variable can be moved when its activity grows.

/// Variables, the most active first; ties go to the lower number, so that the order is the same in every run.
#[derive(Default)]
pub(super) struct Heap {
    order: Vec<u32>,
    /// By variable: position in `order` plus one; 0 = absent.
    position: Vec<u32>,
}

impl Heap {
    pub fn clear(&mut self) {
        for &v in &self.order {
            self.position[v as usize] = 0;
        }
        self.order.clear();
    }

    pub fn reserve(&mut self, vars: usize) {
        self.position.resize(vars, 0);
    }

    fn before(activity: &[f64], a: u32, b: u32) -> bool {
        let (x, y) = (activity[a as usize], activity[b as usize]);
        x > y || (x == y && a < b)
    }

    pub fn insert(&mut self, var: u32, activity: &[f64]) {
        if self.position[var as usize] == 0 {
            self.order.push(var);
            self.position[var as usize] = self.order.len() as u32;
            self.up(self.order.len() - 1, activity);
        }
    }

    /// The activity of `var` grew.
    pub fn raised(&mut self, var: u32, activity: &[f64]) {
        let p = self.position[var as usize];
        if p != 0 {
            self.up(p as usize - 1, activity);
        }
    }

    pub fn pop(&mut self, activity: &[f64]) -> Option<u32> {
        let top = *self.order.first()?;
        let last = self.order.pop()?;
        self.position[top as usize] = 0;
        if top != last {
            self.order[0] = last;
            self.position[last as usize] = 1;
            self.down(0, activity);
        }
        Some(top)
    }

    /// Holds exactly `vars`.
    pub fn fill(&mut self, vars: impl Iterator<Item = u32>, activity: &[f64]) {
        self.clear();
        for v in vars {
            self.order.push(v);
            self.position[v as usize] = self.order.len() as u32;
        }
        for i in (0..self.order.len() / 2).rev() {
            self.down(i, activity);
        }
    }

    fn up(&mut self, mut i: usize, activity: &[f64]) {
        let var = self.order[i];
        while i > 0 {
            let parent = (i - 1) / 2;
            let p = self.order[parent];
            if !Self::before(activity, var, p) {
                break;
            }
            self.order[i] = p;
            self.position[p as usize] = i as u32 + 1;
            i = parent;
        }
        self.order[i] = var;
        self.position[var as usize] = i as u32 + 1;
    }

    fn down(&mut self, mut i: usize, activity: &[f64]) {
        let var = self.order[i];
        loop {
            let mut child = 2 * i + 1;
            if child >= self.order.len() {
                break;
            }
            if child + 1 < self.order.len()
                && Self::before(activity, self.order[child + 1], self.order[child])
            {
                child += 1;
            }
            let c = self.order[child];
            if !Self::before(activity, c, var) {
                break;
            }
            self.order[i] = c;
            self.position[c as usize] = i as u32 + 1;
            i = child;
        }
        self.order[i] = var;
        self.position[var as usize] = i as u32 + 1;
    }
}

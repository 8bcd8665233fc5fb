//! Tests that later runs may begin with: the best ones by what each adds to those chosen before it.

use crate::cover::greedy;
use crate::data::{Data, Record};

/// The best tests, at most `most` of them. Where few cover everything already, the rest are those that reach most.
pub fn best(data: &Data, most: usize) -> Vec<&Record> {
    let mut chosen: Vec<usize> = greedy(&data.records, most).iter().map(|c| c.record).collect();
    if chosen.len() < most {
        let mut rest: Vec<usize> = (0..data.records.len()).filter(|i| !chosen.contains(i)).collect();
        rest.sort_by_key(|i| (std::cmp::Reverse(data.records[*i].facts.len()), *i));
        chosen.extend(rest.into_iter().take(most - chosen.len()));
    }
    chosen.into_iter().map(|i| &data.records[i]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::Vector;

    #[test]
    fn what_adds_most_comes_first() {
        let mut data = Data::default();
        let v = data.add_vector(Vector::default());
        data.add_test(v, "large", [1, 2, 3, 4], []);
        data.add_test(v, "inside", [1, 2, 3], []);
        data.add_test(v, "other", [9], []);
        data.add_test(v, "small", [1], []);
        let names = |n| best(&data, n).iter().map(|r| r.test.clone()).collect::<Vec<_>>();
        assert_eq!(names(2), ["large", "other"]);
        assert_eq!(names(3), ["large", "other", "inside"]);
        assert_eq!(names(20).len(), 4);
    }
}

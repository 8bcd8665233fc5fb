//! What can be tuned: for each parameter the values to choose from, and how many of them one run may have. A [`Vector`]
//! is one choice. Nothing here knows what a parameter means; `words` turns a vector into a command line.

use serde::{Deserialize, Serialize};

/// A value as it is written on a command line; `None` is an option without a value.
pub type Value = Option<String>;

/// One parameter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    /// The option with its dashes, as the space file or the engine's table has it.
    pub name: String,
    /// What it may be. Empty: the parameter is left out for now (seeds, before there are any).
    pub values: Vec<Value>,
    /// The most values one run may have, drawn with repetition.
    pub max: usize,
}

/// All parameters, in a fixed order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Space {
    /// The parameters.
    pub parameters: Vec<Parameter>,
}

/// One choice: for each parameter of the space the values it has, in the order they were drawn; none where the parameter
/// is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Vector(pub Vec<Vec<Value>>);

impl Parameter {
    /// A parameter with texts as values.
    pub fn new<S: ToString>(name: &str, values: impl IntoIterator<Item = S>, max: usize) -> Parameter {
        let values = values.into_iter().map(|v| Some(v.to_string())).collect();
        Parameter { name: name.to_string(), values, max }
    }
}

impl Space {
    /// The number of a parameter.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.parameters.iter().position(|p| p.name == name)
    }

    /// The space in which all parameters but one are left out.
    pub fn only(&self, index: usize) -> Space {
        let mut out = self.clone();
        for (i, p) in out.parameters.iter_mut().enumerate().filter(|(i, _)| *i != index) {
            debug_assert_ne!(i, index);
            p.values.clear();
        }
        out
    }
}

impl Vector {
    /// The values of a parameter.
    pub fn values(&self, parameter: usize) -> &[Value] {
        self.0.get(parameter).map(Vec::as_slice).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_parameter_is_left() {
        let space =
            Space { parameters: vec![Parameter::new("-a", [1, 2], 1), Parameter::new("-b", ["x"], 3)] };
        let one = space.only(1);
        assert_eq!(space.find("-b"), Some(1));
        assert!(one.parameters[0].values.is_empty());
        assert_eq!(one.parameters[1], space.parameters[1]);
    }
}

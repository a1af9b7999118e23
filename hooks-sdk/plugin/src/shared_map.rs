//! A map that costs nothing to copy until somebody changes the copy.

use std::{
    ops::{Deref, DerefMut},
    sync::{Arc, LazyLock},
};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

static EMPTY: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);

/// Values by their names, which all hooks of a request share. It is used like the [`Map`] inside of it. A copy costs
/// nothing; the first change of a copy copies the map.
#[derive(Clone, Debug, Default)]
pub struct SharedMap(Option<Arc<Map<String, Value>>>);

impl SharedMap {
    /// Returns whether the map has no value.
    pub fn is_empty(&self) -> bool {
        self.0.as_ref().is_none_or(|map| map.is_empty())
    }
}

impl Deref for SharedMap {
    type Target = Map<String, Value>;

    fn deref(&self) -> &Map<String, Value> {
        self.0.as_deref().unwrap_or(&EMPTY)
    }
}

impl DerefMut for SharedMap {
    fn deref_mut(&mut self) -> &mut Map<String, Value> {
        Arc::make_mut(self.0.get_or_insert_default())
    }
}

impl PartialEq for SharedMap {
    #[inline]
    fn eq(&self, other: &SharedMap) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(own), Some(other)) if Arc::ptr_eq(own, other) => true,
            _ => **self == **other,
        }
    }
}

impl From<Map<String, Value>> for SharedMap {
    fn from(map: Map<String, Value>) -> SharedMap {
        SharedMap((!map.is_empty()).then(|| Arc::new(map)))
    }
}

impl From<SharedMap> for Map<String, Value> {
    fn from(shared: SharedMap) -> Map<String, Value> {
        shared.0.map(Arc::unwrap_or_clone).unwrap_or_default()
    }
}

impl From<SharedMap> for Value {
    fn from(shared: SharedMap) -> Value {
        Value::Object(shared.into())
    }
}

impl IntoIterator for SharedMap {
    type Item = (String, Value);
    type IntoIter = <Map<String, Value> as IntoIterator>::IntoIter;

    fn into_iter(self) -> Self::IntoIter {
        Map::from(self).into_iter()
    }
}

impl<'m> IntoIterator for &'m SharedMap {
    type Item = (&'m String, &'m Value);
    type IntoIter = <&'m Map<String, Value> as IntoIterator>::IntoIter;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Serialize for SharedMap {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for SharedMap {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<SharedMap, D::Error> {
        Map::deserialize(deserializer).map(SharedMap::from)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_change_of_a_copy_leaves_the_other_copies_alone() {
        let mut one = SharedMap::default();
        assert!(one.is_empty());
        one.insert("a".to_owned(), json!(1));
        let mut other = one.clone();
        assert_eq!(one, other);
        other.insert("b".to_owned(), json!(2));
        assert_ne!(one, other);
        assert_eq!(Value::from(one.clone()), json!({"a": 1}));
        assert_eq!(json!(other), json!({"a": 1, "b": 2}));
        other.remove("b");
        assert_eq!(one, other);
        assert_eq!(
            serde_json::from_value::<SharedMap>(json!({"a": 1})).unwrap(),
            one
        );
        one.clear();
        assert_eq!(one, SharedMap::default());
    }
}

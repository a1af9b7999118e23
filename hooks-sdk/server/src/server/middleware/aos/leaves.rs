//! The values that a path leads to: read as texts, and written back.

use hooks_text::condition::Step;
use serde_json::Value;

/// The texts that a path leads to in one document.
#[derive(Debug)]
pub(super) struct Leaves {
    /// A JSON pointer to each of them.
    pub(super) places: Vec<String>,
    pub(super) texts: Vec<String>,
    /// The array of which they are all items, so that their number may change.
    array: Option<String>,
}

impl Leaves {
    /// Reads the texts. A value that is no text is written as JSON.
    pub(super) fn read(document: &Value, steps: &[Step]) -> Leaves {
        let mut places = Vec::new();
        collect(document, steps, String::new(), &mut places);
        let text = |place: &String| match document.pointer(place) {
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
            None => String::new(),
        };
        let mut arrays = Vec::new();
        if let Some((Step::Every, before)) = steps.split_last() {
            collect(document, before, String::new(), &mut arrays);
        }
        Leaves {
            texts: places.iter().map(text).collect(),
            places,
            array: arrays.pop().filter(|place| {
                arrays.is_empty() && document.pointer(place).is_some_and(Value::is_array)
            }),
        }
    }

    /// Returns whether they are the items of one array.
    pub(super) fn is_list(&self) -> bool {
        self.array.is_some()
    }

    /// Returns the texts that are not among the changed ones at their place, or not at all if their number has changed.
    pub(super) fn changed(&self, texts: &[String]) -> impl Iterator<Item = &String> {
        let is_kept = move |at: usize, old: &String| match texts.len() == self.texts.len() {
            true => texts[at] == *old,
            false => texts.contains(old),
        };
        let old = self.texts.iter().enumerate();
        old.filter(move |(at, old)| !old.is_empty() && !is_kept(*at, old))
            .map(|(_, old)| old)
    }

    /// Takes the values out of the document.
    pub(super) fn clear(&self, document: &mut Value) {
        for place in &self.places {
            if let Some(value) = document.pointer_mut(place) {
                *value = Value::Null;
            }
        }
    }

    /// Writes changed texts back. What was no text is read as JSON again.
    /// Returns what is wrong if there are more or fewer texts than places for them.
    pub(super) fn write(&self, document: &mut Value, texts: Vec<String>) -> Result<(), String> {
        if texts.len() == self.places.len() {
            for ((place, before), text) in self.places.iter().zip(&self.texts).zip(texts) {
                if let Some(value) = document.pointer_mut(place)
                    && *before != text
                {
                    *value = like(value, text);
                }
            }
            return Ok(());
        }
        let array = self.array.as_ref();
        let Some(Value::Array(items)) = array.and_then(|place| document.pointer_mut(place)) else {
            let (texts, places) = (texts.len(), self.places.len());
            return Err(format!("there are {texts} texts for {places} places"));
        };
        let first = items.first().cloned().unwrap_or_else(|| Value::from(""));
        *items = texts.into_iter().map(|text| like(&first, text)).collect();
        Ok(())
    }
}

/// Returns the text as a value of the same kind.
fn like(value: &Value, text: String) -> Value {
    match value {
        Value::String(_) => Value::String(text),
        _ => serde_json::from_str(&text).unwrap_or(Value::String(text)),
    }
}

fn collect(value: &Value, steps: &[Step], at: String, places: &mut Vec<String>) {
    let Some((step, rest)) = steps.split_first() else {
        if !value.is_null() {
            places.push(at);
        }
        return;
    };
    match (step, value) {
        (Step::Member(name), Value::Object(members)) => {
            if let Some(member) = members.get(name) {
                let name = name.replace('~', "~0").replace('/', "~1");
                collect(member, rest, format!("{at}/{name}"), places);
            }
        }
        (Step::Item(_) | Step::Every, Value::Array(items)) => {
            for (index, item) in items.iter().enumerate() {
                if matches!(step, Step::Every) || *step == Step::Item(index) {
                    collect(item, rest, format!("{at}/{index}"), places);
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use hooks_text::condition::{Tree, parse};
    use serde_json::json;

    use super::*;

    fn leaves(document: &Value, path: &str) -> Leaves {
        let Ok(Tree::Test(path, _)) = parse(&format!("args{path}")) else {
            panic!("{path}")
        };
        Leaves::read(document, &path.steps)
    }

    #[test]
    fn values_are_read_as_texts_and_written_back_as_what_they_were() {
        let mut document = json!({
            "text": "a", "a/b": {"n": 5}, "hits": [{"text": "x"}, {"text": null}, {"text": "y"}, {}],
        });
        for (path, texts) in [
            (".text", &["a"][..]),
            (".\"a/b\"", &[r#"{"n":5}"#]),
            (".\"a/b\".n", &["5"]),
            (".hits[*].text", &["x", "y"]),
            (".hits[2].text", &["y"]),
            (
                ".hits[*]",
                &[
                    r#"{"text":"x"}"#,
                    r#"{"text":null}"#,
                    r#"{"text":"y"}"#,
                    "{}",
                ],
            ),
            (".none", &[]),
            (".text[0]", &[]),
        ] {
            assert_eq!(leaves(&document, path).texts, texts, "{path}");
        }
        let number = leaves(&document, ".\"a/b\".n");
        number.write(&mut document, vec!["6".into()]).unwrap();
        let hits = leaves(&document, ".hits[*].text");
        assert_eq!(hits.places, ["/hits/0/text", "/hits/2/text"]);
        hits.write(&mut document, vec!["x".into(), "5".into()])
            .unwrap();
        assert_eq!(document["a/b"]["n"], 6);
        assert_eq!(document["hits"][2]["text"], "5");
        let fewer = hits.write(&mut document, vec!["x".into()]);
        assert_eq!(fewer.unwrap_err(), "there are 1 texts for 2 places");
    }

    #[test]
    fn a_list_may_become_longer_or_shorter() {
        let mut document = json!({"notes": ["a", "b", "c"], "none": []});
        let notes = leaves(&document, ".notes[*]");
        notes.write(&mut document, vec!["b".into()]).unwrap();
        let none = leaves(&document, ".none[*]");
        none.write(&mut document, vec!["d".into()]).unwrap();
        assert_eq!(document, json!({"notes": ["b"], "none": ["d"]}));
    }
}

//! Edits of a JSON text: each is made of ranges that are put in or taken out, so that no other byte changes.

use serde_json::Value;

use super::{
    super::text::{alone_after, indentation, line_start, newline, next_line, skip_blanks, splice},
    Container, Json, Step,
    render::Layout,
};

pub(in crate::config) use super::render::Item;

impl Json<'_> {
    /// Returns the text with an item after those of a container. `None` when the steps lead to no container.
    ///
    /// An empty text holds no root, and gets the value.
    pub(in crate::config) fn insert(&self, steps: &[Step<'_>], item: &Item<'_>) -> Option<String> {
        if self.root.is_none() && steps.is_empty() {
            return Some(self.with_root(item));
        }
        let container = self.container(steps)?;
        Some(match container.items.last() {
            Some(last) => self.insert_after(&container, last.start, last.end, item),
            None => self.insert_first(&container, item),
        })
    }

    fn with_root(&self, item: &Item<'_>) -> String {
        let value = match item.name {
            Some(name) => &Value::from_iter([(name, item.value.clone())]),
            None => item.value,
        };
        let newline = newline(self.text);
        let mut text = self.text.to_owned();
        let ended = text.is_empty() || text.ends_with('\n');
        if !ended {
            text.push_str(newline);
        }
        text.push_str(&self.lines(String::new()).value(value));
        if ended {
            text.push_str(newline);
        }
        text
    }

    fn insert_after(
        &self,
        container: &Container,
        last_start: usize,
        last_end: usize,
        item: &Item<'_>,
    ) -> String {
        let comma = self.comma_after(last_end, container.close);
        let after = comma.map_or(last_end, |comma| comma + 1);
        let (at, mut new) = match alone_after(self.text, last_start) {
            Some(indent) => {
                let mut new = format!("{}{indent}", newline(self.text));
                new.push_str(&item.render(&self.lines(indent.to_owned())));
                (self.end_of_line(after, container.close), new)
            }
            None => (after, format!(" {}", item.render(&Layout::Line))),
        };
        if comma.is_some() {
            new.push(',');
            splice(self.text, vec![(at..at, new)])
        } else if at == last_end {
            splice(self.text, vec![(at..at, format!(",{new}"))])
        } else {
            let comma = (last_end..last_end, ",".to_owned());
            splice(self.text, vec![comma, (at..at, new)])
        }
    }

    fn insert_first(&self, container: &Container, item: &Item<'_>) -> String {
        let text = self.text;
        let inside = &text[container.inside..container.close];
        // A comment up to the end of its line may end with blanks.
        let comment = self.comments_from(container.inside);
        let comment = comment.take_while(|comment| comment.start < container.close);
        let comment = comment
            .last()
            .map_or(container.inside, |comment| comment.end);
        let at = comment.max(container.inside + inside.trim_end().len());
        let base = if inside.contains(['\n', '\r']) {
            Some(indentation(text, container.close))
        } else if container.root {
            Some(indentation(text, container.owner))
        } else {
            alone_after(text, container.owner)
        };
        let new = match base {
            Some(base) => {
                let newline = newline(text);
                let indent = format!("{base}{}", self.unit());
                let item = item.render(&self.lines(indent.clone()));
                let mut new = format!("{newline}{indent}{item}");
                if !text[at..container.close].contains(['\n', '\r']) {
                    new.push_str(newline);
                    new.push_str(base);
                }
                new
            }
            None if at > container.inside => format!(" {}", item.render(&Layout::Line)),
            None => item.render(&Layout::Line),
        };
        splice(text, vec![(at..at, new)])
    }

    /// Returns the text without an item of a container, its comma and its line; comments around it stay.
    pub(in crate::config) fn remove(&self, steps: &[Step<'_>], index: usize) -> Option<String> {
        let container = self.container(steps)?;
        let item = container.items.get(index)?.clone();
        let text = self.text;
        let mut cuts = Vec::new();
        let mut cut = item.clone();
        match self.comma_after(item.end, container.close) {
            Some(comma) if text[item.end..comma].trim().is_empty() => cut.end = comma + 1,
            Some(comma) => cuts.push(comma..comma + 1),
            None if index > 0 => {
                let before = container.items[index - 1].end;
                let comma = self.comma_after(before, container.close)?;
                cuts.push(comma..comma + 1);
            }
            None => {}
        }
        let alone = alone_after(text, cut.start).is_some();
        match next_line(text, cut.end) {
            Some(next) if alone => {
                cut.start = line_start(text, cut.start);
                cut.end = next;
            }
            // The blanks on one side go too, unless they set in a comment that stays.
            _ if index > 0 && !alone => {
                let line = &text[line_start(text, cut.start)..cut.start];
                let blanks = line.len() - line.trim_end_matches([' ', '\t']).len();
                let floor = cuts.iter().map(|cut| cut.end).max().unwrap_or(0);
                cut.start = (cut.start - blanks).max(floor.min(cut.start));
            }
            _ => cut.end = skip_blanks(text, cut.end).min(container.close),
        }
        cuts.push(cut);
        let gone = cuts.into_iter().map(|cut| (cut, String::new()));
        Some(splice(text, gone.collect()))
    }

    /// Returns the text with another value in a value's place.
    pub(in crate::config) fn replace(&self, steps: &[Step<'_>], value: &Value) -> Option<String> {
        use jsonc_parser::common::Ranged;
        let (old, owner) = self.find(steps)?;
        let layout = match alone_after(self.text, owner) {
            Some(indent) => self.lines(indent.to_owned()),
            None => Layout::Line,
        };
        let range = old.start()..old.end();
        Some(splice(self.text, vec![(range, layout.value(value))]))
    }

    /// Where the line of a comma ends, behind the comments in it, when nothing else stands there.
    fn end_of_line(&self, from: usize, close: usize) -> usize {
        let mut at = from;
        for comment in self.comments_from(from) {
            let between = &self.text[at..comment.start.max(at)];
            let apart = comment.start >= close || !between.trim_matches([' ', '\t']).is_empty();
            if apart || self.text[comment.clone()].contains(['\n', '\r']) {
                break;
            }
            at = comment.end;
        }
        match next_line(self.text, at) {
            Some(_) => skip_blanks(self.text, at),
            None => at,
        }
    }

    fn lines(&self, base: String) -> Layout<'_> {
        Layout::Lines {
            base,
            unit: self.unit(),
            newline: newline(self.text),
        }
    }

    /// What one level is set in by: as the first member of the file is, else two blanks.
    fn unit(&self) -> &str {
        let first = self.container(&[]).and_then(|root| {
            let first = root.items.first()?.start;
            alone_after(self.text, first)
        });
        first.filter(|unit| !unit.is_empty()).unwrap_or("  ")
    }
}

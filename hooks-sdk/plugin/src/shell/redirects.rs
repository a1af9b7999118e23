//! The words around a command: assignments, redirections, and the paths in them.

use brush_parser::ast::{
    AssignmentName, AssignmentValue, CommandPrefixOrSuffixItem, IoFileRedirectKind,
    IoFileRedirectTarget, IoRedirect, Word,
};

use super::{MAX_FOUND, Simple, Walk, options, paths, value::Value};

impl Walk<'_> {
    pub(super) fn item(
        &mut self,
        item: &CommandPrefixOrSuffixItem,
        read: &mut Simple,
        assigned: &mut Vec<(String, Option<String>)>,
    ) {
        match item {
            CommandPrefixOrSuffixItem::IoRedirect(redirect) => self.redirect(redirect, read),
            CommandPrefixOrSuffixItem::Word(word) => {
                let values = self.values(word);
                read.words.extend(values);
            }
            CommandPrefixOrSuffixItem::AssignmentWord(assignment, whole) => {
                let value = match &assignment.value {
                    AssignmentValue::Scalar(word) => {
                        let value = self.value(word);
                        if let AssignmentName::VariableName(name) = &assignment.name {
                            self.assigned(name, &value);
                        }
                        value.known()
                    }
                    AssignmentValue::Array(words) => {
                        for (_, word) in words {
                            _ = self.value(word);
                        }
                        None
                    }
                };
                match &assignment.name {
                    AssignmentName::VariableName(name) => {
                        let value = value.filter(|_| !assignment.append);
                        assigned.push((name.clone(), value));
                    }
                    AssignmentName::ArrayElementName(_, index) => self.inside(index),
                }
                if !read.words.is_empty() {
                    let value = self.value(whole);
                    read.words.push(value);
                }
            }
            CommandPrefixOrSuffixItem::ProcessSubstitution(_, shell) => {
                self.list(&shell.list);
                read.words.push(Value::Unknown("<(…)".to_owned()));
            }
        }
    }

    /// Reads the command in a variable that programs run.
    pub(super) fn assigned(&mut self, name: &str, value: &Value) {
        if options::is_code(name) {
            self.evaluated(std::slice::from_ref(value));
        } else if name == "PS4" {
            self.inside(value.text());
        }
    }

    pub(super) fn redirect(&mut self, redirect: &IoRedirect, read: &mut Simple) {
        match redirect {
            IoRedirect::File(_, kind, target) => match target {
                IoFileRedirectTarget::Filename(word) => {
                    read.is_fed |= matches!(kind, IoFileRedirectKind::Read);
                    self.file(word);
                }
                IoFileRedirectTarget::ProcessSubstitution(_, shell) => {
                    read.is_fed |= matches!(kind, IoFileRedirectKind::Read);
                    self.list(&shell.list);
                }
                IoFileRedirectTarget::Fd(_) => {}
                // `>&FILE` is a file, and `>&2` is not.
                IoFileRedirectTarget::Duplicate(word) => match self.value(word).known() {
                    Some(file)
                        if file.trim_end_matches('-').parse::<u32>().is_err() && file != "-" =>
                    {
                        self.file(word);
                    }
                    _ => {}
                },
            },
            IoRedirect::HereDocument(_, document) => {
                let text = &document.doc.value;
                let value = match document.requires_expansion {
                    true => self.document(text),
                    false => Value::Known(text.clone()),
                };
                read.input.push(value);
            }
            IoRedirect::HereString(_, word) => {
                let value = self.value(word);
                read.input.push(value);
            }
            IoRedirect::OutputAndError(word, _) => self.file(word),
        }
    }

    /// Reads the word of a file that is opened.
    fn file(&mut self, word: &Word) {
        for value in self.values(word) {
            self.path_word(&value);
        }
    }

    /// Adds the paths that a word may name.
    pub(super) fn path_word(&mut self, value: &Value) {
        if self.is_elsewhere {
            return;
        }
        let Value::Known(word) = value else {
            return self.unresolved(value.text());
        };
        let is_relative = !word.starts_with(['/', '~']);
        let Some(folder) = self.folder.clone() else {
            if is_relative {
                self.unresolved(word);
            }
            return;
        };
        for path in paths::named(word, &folder, self.home.as_deref()) {
            self.call.add_path(path);
        }
    }

    pub(super) fn unresolved(&mut self, word: &str) {
        if self.is_elsewhere {
            return;
        }
        let word: String = word.chars().take(200).collect();
        if self.call.unresolved.len() < MAX_FOUND && !self.call.unresolved.contains(&word) {
            self.call.unresolved.push(word);
        }
    }
}

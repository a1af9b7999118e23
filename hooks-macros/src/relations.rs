//! Keys that do not stand together, or not here.

use proc_macro2::Ident;

use crate::{
    grammar::Table,
    key::{Key, Target},
    report::Errors,
    settings::Settings,
};

impl Table {
    pub(crate) fn relations(&self, settings: &Settings, target: Target, errors: &mut Errors) {
        for key in self.keys {
            let Some(written) = settings.key(key.name) else {
                continue;
            };
            for other in key
                .excludes
                .iter()
                .filter(|other| settings.key(other).is_some())
            {
                let wrong = format_args!("`{}` and `{other}` exclude each other", key.name);
                errors.push(
                    written,
                    wrong,
                    format_args!("remove `{other}` or `{}`", key.name),
                );
            }
            let others = key.apart.and_then(|other| settings.words(other));
            for word in settings.words(key.name).unwrap_or_default() {
                if others.is_some_and(|others| others.contains(word)) {
                    let wrong = format_args!("`{word}` is given twice");
                    errors.push(word, wrong, "remove one of them");
                }
            }
            if let Some(needed) = key.requires
                && target == Target::UnitStruct
                && settings.key(needed).is_none()
            {
                let wrong = format_args!("`{}` without `{needed}`", key.name);
                let help = format_args!("add `{needed} = \"…\"`, or remove it");
                errors.push(written, wrong, help);
            }
        }
    }
}

pub(crate) fn misplaced(key: &Key, written: &Ident, target: Target, errors: &mut Errors) {
    let (here, help) = match target {
        Target::UnitStruct => (
            "a unit struct",
            "remove it, or write the hook as an `async fn`",
        ),
        Target::Function => (
            "an `async fn`",
            "remove it, or write the hook as a unit struct",
        ),
        Target::Tool => ("a method that is also a `#[tool]`", "remove it"),
    };
    errors.push(
        written,
        format_args!("`{}` does not apply to {here}", key.name),
        help,
    );
}

//! A hook that passed the checks of its grammar, with everything that the expansion needs.

use std::path::Path;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::LitStr;

use crate::{
    grammar::{Grammar, TextFile, Texts},
    item::{Item, Tool, Unit},
    key::Target,
    path::Root,
    report::Errors,
    settings::Settings,
    signature::Answering,
    text::Lookup,
};

/// One hook.
pub(crate) struct Model {
    pub(crate) root: Root,
    /// The leading words, as many as the grammar requires.
    pub(crate) words: Vec<Ident>,
    /// The hook's id: the author's, or the item's name.
    pub(crate) name: LitStr,
    pub(crate) settings: Settings,
    pub(crate) subject: Subject,
}

/// The item that carries the hook.
pub(crate) enum Subject {
    Unit(Unit, Words),
    Answering(Box<Answering>),
    Tool(Tool),
}

/// Where a unit struct's text comes from.
pub(crate) enum Words {
    /// The attribute.
    Inline(LitStr),
    /// A file: the path for `include_str!`, with the span of the token that names it, and the text where the macro can read
    /// it.
    File(LitStr, Option<String>),
    /// A tool, which the client calls for it.
    Tool(LitStr),
}

impl Words {
    /// Returns the expression of the text; `None` for a tool.
    pub(crate) fn expression(&self) -> Option<TokenStream> {
        match self {
            Words::Inline(text) => Some(text.to_token_stream()),
            Words::File(path, _) => Some(quote!(::core::include_str!(#path))),
            Words::Tool(_) => None,
        }
    }

    /// Returns the text, if the macro knows it, and the token at which to report what is wrong with it.
    pub(crate) fn known(&self) -> Option<(String, &LitStr)> {
        match self {
            Words::Inline(text) => Some((text.value(), text)),
            Words::File(path, text) => Some((text.clone()?, path)),
            Words::Tool(_) => None,
        }
    }
}

impl Model {
    /// Reads the hook. Returns `None` after reporting at least one error.
    pub(crate) fn read(
        grammar: &Grammar,
        args: TokenStream,
        item: Item,
        errors: &mut Errors,
    ) -> Option<Model> {
        let target = match &item {
            Item::Unit(_) if grammar.texts.is_some() => Target::UnitStruct,
            Item::Function(_) => Target::Function,
            Item::Tool(_) => Target::Tool,
            Item::Unit(_) | Item::Other(..) => {
                wrong_item(grammar, &item, errors);
                return None;
            }
        };
        let (args, settings) = grammar.table.read(args, target, errors);
        let words = args.words;
        let own = item.name()?.clone();
        let name = settings
            .text(grammar.name)
            .cloned()
            .unwrap_or_else(|| LitStr::new(&(grammar.case)(&own), own.span()));
        let subject = match item {
            Item::Unit(unit) => unit_struct(grammar, unit, &name, &settings, errors),
            Item::Function(function) => Answering::read(grammar, words.first(), *function, errors)
                .map(|answering| Subject::Answering(Box::new(answering))),
            Item::Tool(tool) => as_tool(grammar, tool, errors),
            Item::Other(..) => None,
        };
        errors.broken(&name, (grammar.id)(&name.value()));
        let root = Root::new(settings.path("crate").cloned());
        let model = Model {
            root,
            words,
            name,
            settings,
            subject: subject?,
        };
        if grammar.table.leads(&model.words) {
            (grammar.check)(&model, errors);
        }
        errors.is_empty().then_some(model)
    }

    /// Returns the first leading word.
    pub(crate) fn first(&self) -> &Ident {
        &self.words[0]
    }
}

fn as_tool(grammar: &Grammar, tool: Tool, errors: &mut Errors) -> Option<Subject> {
    if grammar.tools {
        return Some(Subject::Tool(tool));
    }
    let wrong = format_args!(
        "`{}` is also a `#[tool]`, which cannot be a `#[{}]`",
        tool.name, grammar.table.attribute
    );
    let help = "write the hook as a method of its own; it may call the tool's";
    errors.push(&tool.name, wrong, help);
    None
}

fn wrong_item(grammar: &Grammar, item: &Item, errors: &mut Errors) {
    let (what, at) = item.described();
    let help = if what == "an `impl` block" {
        "put `#[hooks_sdk::hooks]` on the block, and the hook on a method"
    } else if grammar.texts.is_some() {
        "put it on a unit struct, `struct Name;`, or on an `async fn`"
    } else {
        "put it on an `async fn`"
    };
    errors.push(
        at,
        format_args!("`#[{}]` on {what}", grammar.table.attribute),
        help,
    );
}

fn unit_struct(
    grammar: &Grammar,
    unit: Unit,
    name: &LitStr,
    settings: &Settings,
    errors: &mut Errors,
) -> Option<Subject> {
    let texts = grammar.texts.as_ref()?;
    if !unit.generics.params.is_empty() {
        let wrong = format_args!(
            "`{}` is generic, and {} belongs to no type",
            unit.name, texts.noun
        );
        errors.push(
            &unit.generics,
            wrong,
            format_args!("write `struct {};`", unit.name),
        );
    }
    once(grammar, &unit.attrs, &unit.name, errors);
    let given = |key: &&str| settings.key(key).is_some();
    let words = if let Some(text) = settings.text(texts.inline) {
        if let Some(file) = texts.file {
            not_a_file(texts, file, text, errors);
        }
        Words::Inline(text.clone())
    } else if let Some(tool) = texts.other.iter().find_map(|key| settings.text(key)) {
        Words::Tool(tool.clone())
    } else {
        let file = texts.file?;
        if let Some(path) = settings.text(file.key) {
            named_file(file.key, path, errors)?
        } else if ![texts.inline, file.key]
            .iter()
            .chain(texts.other)
            .any(given)
        {
            let file = format!("{}.md", (file.beside)(&unit.name, &name.value()));
            adjacent_file(texts, &unit.name, &file, errors)?
        } else {
            return None;
        }
    };
    Some(Subject::Unit(unit, words))
}

/// Reports an inline text that is the name of a markdown file.
fn not_a_file(texts: &Texts, file: TextFile, text: &LitStr, errors: &mut Errors) {
    let written = text.value();
    if !written.contains(char::is_whitespace)
        && Path::new(&written)
            .extension()
            .is_some_and(|end| end == "md")
    {
        let wrong = format_args!(
            "`{written}` is a file, and `{}` takes the words themselves",
            texts.inline
        );
        errors.push(
            text,
            wrong,
            format_args!("write `{} = \"{written}\"`", file.key),
        );
    }
}

/// Reports a second hook on one item: the names of the generated items are fixed.
pub(crate) fn once(grammar: &Grammar, attrs: &[syn::Attribute], name: &Ident, errors: &mut Errors) {
    let is_hook = |attr: &&syn::Attribute| {
        attr.path()
            .segments
            .last()
            .is_some_and(|last| last.ident == "hook")
    };
    if let Some(second) = attrs.iter().find(is_hook) {
        let wrong = format_args!("`{name}` has two hook attributes");
        let help = format_args!(
            "keep one `#[{}(…)]`, and write another item for the other",
            grammar.table.attribute
        );
        errors.push(second, wrong, help);
    }
}

/// Resolves the file that `key = "…"` names, relative to the source file.
pub(crate) fn named_file(key: &str, path: &LitStr, errors: &mut Errors) -> Option<Words> {
    let name = path.value();
    let (wrong, help) = match crate::text::look(path.span(), &name) {
        Lookup::Unknown => return Some(Words::File(path.clone(), None)),
        Lookup::Found(found) => return Some(file_at(&found, path.span())),
        Lookup::Outside => (
            format!("`{name}` leaves the package"),
            "name a file of this package, relative to this source file".to_owned(),
        ),
        Lookup::Missing { expected, near } => {
            let help = match near {
                Some(near) => format!("write `{key} = \"{}\"`", renamed(&name, &near)),
                None => format!("write the text in `{expected}`"),
            };
            (format!("there is no `{name}` beside this file"), help)
        }
    };
    errors.push(path, wrong, help);
    None
}

fn renamed(path: &str, name: &str) -> String {
    match path.rfind('/') {
        Some(slash) => format!("{}{name}", &path[..=slash]),
        None => name.to_owned(),
    }
}

fn adjacent_file(texts: &Texts, name: &Ident, file: &str, errors: &mut Errors) -> Option<Words> {
    match crate::text::look(name.span(), file) {
        Lookup::Found(found) => Some(file_at(&found, name.span())),
        Lookup::Unknown | Lookup::Outside => {
            Some(Words::File(LitStr::new(file, name.span()), None))
        }
        Lookup::Missing { expected, near } => {
            let near = near.map_or(String::new(), |near| {
                format!(" (there is `{near}` beside it)")
            });
            let help = format!(
                "write it in `{expected}`, or inline as `{} = \"...\"`",
                texts.inline
            );
            errors.push(name, format_args!("`{name}` has no text{near}"), help);
            None
        }
    }
}

fn file_at(path: &Path, span: Span) -> Words {
    let literal = LitStr::new(&path.to_string_lossy(), span);
    Words::File(literal, crate::text::content(path))
}

//! A state's text: the file that `text_file` names, or the doc comment.

use syn::{Attribute, LitStr};

use super::Words;
use crate::{item::doc, model::named_file, report::Errors};

impl Words {
    /// The doc comment of a variant, if it has one.
    pub(super) fn doc(attrs: &[Attribute], name: &syn::Ident) -> Option<Words> {
        doc(attrs).map(|text| Words::Doc(LitStr::new(&text, name.span())))
    }

    /// The file that `path` names, beside the source.
    pub(super) fn file(path: &LitStr, errors: &mut Errors) -> Option<Words> {
        named_file("text_file", path, errors).map(Words::File)
    }
}

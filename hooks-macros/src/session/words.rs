//! A state's text: the file in `text_file`, or the doc comment.

use syn::{Attribute, LitStr};

use super::Words;
use crate::{item::doc, model::named_file, report::Errors};

impl Words {
    /// Returns the doc comment of a variant, if it has one.
    pub(super) fn doc(attrs: &[Attribute], name: &syn::Ident) -> Option<Words> {
        doc(attrs).map(|text| Words::Doc(LitStr::new(&text, name.span())))
    }

    /// Resolves the file `path`, relative to the source file.
    pub(super) fn file(path: &LitStr, errors: &mut Errors) -> Option<Words> {
        named_file("text_file", path, errors).map(Words::File)
    }
}

//! The absolute paths in generated code, all through the SDK's one private module.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::Path;

/// The path of the SDK: `::hooks_sdk`, or the path in `crate = path`.
pub(crate) struct Root(Option<Path>);

impl Root {
    pub(crate) fn new(given: Option<Path>) -> Root {
        Root(given)
    }

    /// Returns the path of the hidden module that generated code may use.
    pub(crate) fn private(&self) -> TokenStream {
        quote!(#self::__private)
    }

    /// Returns the path of a protocol's module in generated code.
    pub(crate) fn protocol(&self, name: &str) -> TokenStream {
        let name = format_ident!("{name}");
        quote!(#self::__private::#name)
    }
}

impl ToTokens for Root {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match &self.0 {
            Some(path) => path.to_tokens(tokens),
            None => tokens.extend(quote!(::hooks_sdk)),
        }
    }
}

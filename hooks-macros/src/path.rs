//! The paths that generated code uses: absolute, through the SDK's one private door.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::Path;

/// Where the SDK is: `::hooks_sdk`, or what `crate = path` says.
pub(crate) struct Root(Option<Path>);

impl Root {
    pub(crate) fn new(given: Option<Path>) -> Root {
        Root(given)
    }

    /// The hidden module that generated code may use.
    pub(crate) fn private(&self) -> TokenStream {
        quote!(#self::__private)
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

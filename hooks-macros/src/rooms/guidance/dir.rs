//! `guidance::dir!("folder")`: a hook for each markdown file, each checked when the program is built.

use std::{collections::HashMap, path::Path};

use hooks_text::{Declaration, Fault, Finding, Rule, declaration, hook_text, nearest, second_hook};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{LitStr, Type};

use super::folder::Folder;
use crate::{
    args::{Arg, split},
    expand::{check, submission},
    path::Root,
    report::Errors,
    value::{Kind, Settings},
};

const KEYS: &[(&str, Kind)] = &[("server", Kind::Type), ("crate", Kind::Path)];

/// The output of the macro, for the package that is being built.
pub(crate) fn dir(args: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let Some(call) = Call::read(args, &mut errors) else {
        return quote!(#errors);
    };
    let Some(root) = std::env::var_os("CARGO_MANIFEST_DIR") else {
        let help = "build with cargo, or set `CARGO_MANIFEST_DIR` for the compiler";
        errors.push(&call.folder, "the package's folder is not known", help);
        return quote!(#errors);
    };
    let hooks = call.hooks(Path::new(&root), &mut errors);
    quote!(#hooks #errors)
}

/// `"folder", server = Type, crate = path`
struct Call {
    folder: LitStr,
    server: Option<Type>,
    root: Root,
}

impl Call {
    fn read(args: TokenStream, errors: &mut Errors) -> Option<Call> {
        let mut parts = split(args.clone()).into_iter();
        let help = "name it first: `guidance::dir!(\"src/hooks\")`";
        let Some(first) = parts.next() else {
            errors.push(&args, "missing the folder", help);
            return None;
        };
        let first: TokenStream = first.into_iter().collect();
        let folder = syn::parse2::<LitStr>(first.clone()).ok();
        if folder.is_none() {
            errors.push(&first, format_args!("`{first}` is not a folder"), help);
        }
        let mut settings = Settings::default();
        for part in parts {
            if let Some(arg) = Arg::read(part, errors) {
                setting(arg, &mut settings, errors);
            }
        }
        Some(Call {
            folder: folder?,
            server: settings.ty("server").cloned(),
            root: Root::new(settings.path("crate").cloned()),
        })
    }

    /// The hooks of the folder, of which those that are wrong are errors.
    fn hooks(&self, root: &Path, errors: &mut Errors) -> TokenStream {
        let folder = match Folder::find(root, &self.folder.value()) {
            Ok(folder) => folder,
            Err(problem) => {
                errors.push(&self.folder, problem.wrong, problem.help);
                return TokenStream::new();
            }
        };
        let mut checks = TokenStream::new();
        let mut submissions = TokenStream::new();
        let mut embedded = Vec::new();
        let mut seen = HashMap::new();
        for file in &folder.files {
            let shown = folder.shown(file);
            let bytes = match folder.read(file) {
                Ok(bytes) => bytes,
                Err(problem) => {
                    errors.push(&self.folder, problem.wrong, problem.help);
                    continue;
                }
            };
            let mut found = Found {
                call: self,
                shown: &shown,
                checks: &mut checks,
                errors: &mut *errors,
            };
            let Some(declared) = found.read(file, &bytes) else {
                continue;
            };
            if let Some(id) = id(&declared) {
                match seen.get(&id) {
                    None => _ = seen.insert(id, shown.clone()),
                    Some(first) => {
                        let [_, hook_type, lifecycle, tag] = &id;
                        found.fault(&second_hook(hook_type, lifecycle, tag, first));
                    }
                }
            }
            let path = folder.path.join(file);
            let path = path.to_string_lossy();
            submissions.extend(self.submission(&shown, &path));
            embedded.push(quote!((#file, ::core::include_str!(#path))));
        }
        let private = self.root.private();
        let server = self
            .server
            .as_ref()
            .map(|server| quote!(type __Server = #server;));
        let path = folder.path.to_string_lossy();
        quote! {
            const _: () = {
                #checks
                #server
                #submissions
                #[cfg(debug_assertions)]
                #private::inventory::submit! {
                    #private::guidance::Embedded { folder: #path, files: &[#(#embedded),*] }
                }
            };
        }
    }

    /// One file as a hook.
    fn submission(&self, shown: &str, path: &str) -> TokenStream {
        let private = self.root.private();
        let server = self.server.as_ref().map(|_| quote!(.server::<__Server>()));
        let make = quote! {
            || {
                let hook = #private::guidance::GuidanceHook::file(#shown, ::core::include_str!(#path)) #server;
                #private::CoreHook::from(hook).at(#private::Origin::new(
                    match ::core::option_env!("CARGO_PKG_NAME") {
                        ::core::option::Option::Some(package) => package,
                        ::core::option::Option::None => "",
                    },
                    #shown,
                    1,
                    1,
                ))
            }
        };
        let submission = submission(&self.root, &make);
        quote!(const _: () = { #submission };)
    }
}

fn setting(arg: Arg, settings: &mut Settings, errors: &mut Errors) {
    let Arg { key, value } = arg;
    let known = KEYS.iter().find(|(name, _)| key == name);
    if let Some((name, kind)) = known {
        if settings.key(name).is_some() {
            let wrong = format_args!("`{name}` is given twice");
            errors.push(&key, wrong, "remove one of them");
        } else {
            let value = kind.read(&key, value, errors);
            settings.insert(key, value);
        }
        return;
    }
    let near = nearest(&key.to_string(), KEYS.iter().map(|(name, _)| *name));
    let help = match near {
        Some(near) => format!("write `{near}`"),
        None => "use `server` or `crate`; what a hook says of itself stands in its file".to_owned(),
    };
    errors.push(&key, format_args!("unknown key `{key}`"), help);
}

/// What tells the hook of a file from every other: app, type, lifecycle, tag.
fn id(declared: &Declaration<'_>) -> Option<[String; 4]> {
    let one = |key| declared.one(key).map(str::to_owned);
    let app = one("app").unwrap_or_default();
    Some([app, one("type")?, one("lifecycle")?, one("tag")?])
}

/// Where the findings of one file go.
struct Found<'c> {
    call: &'c Call,
    shown: &'c str,
    checks: &'c mut TokenStream,
    errors: &'c mut Errors,
}

impl Found<'_> {
    /// Reads the file; nothing comes back when something other than its values is wrong with it.
    fn read<'b>(&mut self, file: &str, bytes: &'b [u8]) -> Option<Declaration<'b>> {
        let last = file.rsplit('/').next().unwrap_or(file);
        let text = hook_text(last, bytes)
            .map_err(|fault| self.fault(&fault))
            .ok()?;
        let mut declared = declaration(self.shown, text);
        let mut good = true;
        for finding in std::mem::take(&mut declared.findings) {
            match finding {
                Finding::Judge { rule, value, fault } => self.judge(rule, &value, &fault),
                Finding::Fault(fault) => {
                    self.fault(&fault);
                    good = false;
                }
                _ => {}
            }
        }
        good.then_some(declared)
    }

    fn fault(&mut self, fault: &Fault) {
        let wrong = format_args!("{}:{}: {}", self.shown, fault.line, fault.message);
        self.errors.push(&self.call.folder, wrong, &fault.help);
    }

    /// Hands a value to the room's rule, with the words to say when it breaks the rule.
    fn judge(&mut self, rule: Rule, value: &str, fault: &Fault) {
        let private = self.call.root.private();
        let Some(rule) = judge(rule) else { return };
        let Fault {
            line,
            message,
            help,
            ..
        } = fault;
        let message = format!("{}:{line}: {message}\nhelp: {help}", self.shown);
        let call = quote!(#private::guidance::check::#rule(#value, #message));
        self.checks.extend(check(call, &self.call.folder));
    }
}

/// The room's check by which a rule is judged.
fn judge(rule: Rule) -> Option<Ident> {
    let what = match rule {
        Rule::Type => "type",
        Rule::Lifecycle => "lifecycle",
        Rule::Requirement => "requirement",
        Rule::Feature => "feature",
        Rule::Tag => "tag",
        Rule::Name | Rule::App => "text",
        Rule::AboutTools => "tool",
        Rule::Glob => "glob",
        _ => return None,
    };
    Some(format_ident!("{what}_of_file"))
}

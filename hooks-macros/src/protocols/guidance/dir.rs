//! `guidance::dir!("folder")`, which makes and checks a hook for each markdown file of a folder.

use std::{collections::HashMap, path::Path};

use hooks_text::{
    Declaration, Fault, MAX_TEXT, budget, declaration, hook_as_skill, hook_text, nearest,
    problem::Problem, second_hook,
};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{LitStr, Type};

use super::{folder::Folder, skills::SkillFolder};
use crate::{
    expand::submission,
    grammar::{Elsewhere, Leading, Table},
    key::{CRATE, Key, SERVER, Target},
    path::Root,
    report::Errors,
    value::Kind,
};

const TABLE: Table = Table {
    elsewhere: Elsewhere {
        within: "",
        help: |key| {
            let help =
                "use `skills`, `server` or `crate`; what a hook says of itself stands in its file";
            let names = TABLE.keys.iter().map(|key| key.name);
            nearest(key, names).is_none().then(|| help.to_owned())
        },
    },
    ..Table::new(
        "guidance::dir!",
        Leading::Text("folder", "\"src/hooks\""),
        &[Key::new("skills", Kind::Switch), SERVER, CRATE],
    )
};

/// Expands the macro for the package that is being built.
pub(crate) fn dir(args: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let Some(call) = DirArguments::read(args, &mut errors) else {
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

/// `"folder", skills, server = Type, crate = path`
struct DirArguments {
    folder: LitStr,
    /// Whether the hooks are also skills.
    skills: bool,
    server: Option<Type>,
    root: Root,
}

impl DirArguments {
    fn read(args: TokenStream, errors: &mut Errors) -> Option<DirArguments> {
        let (args, settings) = TABLE.read(args, Target::UnitStruct, errors);
        Some(DirArguments {
            folder: args.text?,
            skills: settings.key("skills").is_some(),
            server: settings.ty("server").cloned(),
            root: Root::new(settings.path("crate").cloned()),
        })
    }

    /// Generates the hooks of the folder, and reports the files that are wrong.
    fn hooks(&self, root: &Path, errors: &mut Errors) -> TokenStream {
        let Some(folder) = Folder::find(root, &self.folder, errors) else {
            return TokenStream::new();
        };
        let mut submissions = TokenStream::new();
        let mut embedded = Vec::new();
        let mut seen = HashMap::new();
        let mut names = HashMap::new();
        let (hooks, skills) = SkillFolder::apart(&folder);
        for skill in &skills {
            if !self.skills {
                skill.needs_the_word(&folder, errors);
                continue;
            }
            let Some(files) = skill.make(&folder, &mut names, errors) else {
                continue;
            };
            submissions.extend(self.skill(&folder.shown(&skill.path), &files));
            embedded.extend(files.iter().map(|(below, path)| {
                let name = format!("{}/{below}", skill.path);
                quote!((#name, ::core::include_bytes!(#path) as &[u8]))
            }));
        }
        for file in hooks {
            let shown = folder.shown(file);
            let Some(bytes) = folder.read(file, MAX_TEXT, errors) else {
                continue;
            };
            let last = file.rsplit('/').next().unwrap_or(file);
            let declared = hook_text(last, &bytes).map(|text| declaration(&shown, text));
            let mut fault = |fault: &Fault| folder.fault(&shown, fault, errors);
            let declared = match declared {
                Ok(declared) => declared,
                Err(wrong) => {
                    fault(&wrong);
                    continue;
                }
            };
            declared.faults.iter().for_each(&mut fault);
            if !declared.faults.is_empty() {
                continue;
            }
            if let Some(problem) = too_long(&declared) {
                let wrong = format_args!("{shown}: {}", problem.message());
                errors.push(&self.folder, wrong, problem.help());
            }
            let mut fault = |fault: &Fault| folder.fault(&shown, fault, errors);
            if self.skills {
                hook_as_skill(&declared).iter().for_each(&mut fault);
                let tag = declared.one("tag").unwrap_or_default();
                second_skill(&mut names, tag, &shown)
                    .iter()
                    .for_each(&mut fault);
            }
            if let Some(id) = id(&declared) {
                match seen.get(&id) {
                    None => _ = seen.insert(id, shown.clone()),
                    Some(first) => {
                        let [_, hook_type, lifecycle, tag] = &id;
                        fault(&second_hook(hook_type, lifecycle, tag, first));
                    }
                }
            }
            let path = folder.path.join(file);
            let path = path.to_string_lossy();
            submissions.extend(self.submission(&shown, &path));
            embedded.push(quote!((#file, ::core::include_bytes!(#path) as &[u8])));
        }
        let private = self.root.private();
        let server = self
            .server
            .as_ref()
            .map(|server| quote!(type __Server = #server;));
        let path = folder.path.to_string_lossy();
        quote! {
            const _: () = {
                #server
                #submissions
                #[cfg(debug_assertions)]
                #private::inventory::submit! {
                    #private::guidance::Embedded { folder: #path, files: &[#(#embedded),*] }
                }
            };
        }
    }

    /// Generates the hook of one file.
    fn submission(&self, shown: &str, path: &str) -> TokenStream {
        let private = self.root.private();
        let skill = self.skills.then(|| quote!(.skill()));
        let hook = quote!(
            #private::guidance::GuidanceHook::file(#shown, ::core::include_str!(#path)) #skill
        );
        self.submit(&hook, shown)
    }

    /// Generates the skill of the files, by their paths in the folder `shown` and on the disk.
    fn skill(&self, shown: &str, files: &[(String, String)]) -> TokenStream {
        let private = self.root.private();
        let files = files
            .iter()
            .map(|(below, path)| quote!((#below, ::core::include_bytes!(#path) as &[u8])));
        let skill = quote!(#private::guidance::Skill::embedded(#shown, [#(#files),*]));
        self.submit(&skill, &format!("{shown}/SKILL.md"))
    }

    /// Submits what a file declares to the linker.
    fn submit(&self, declared: &TokenStream, file: &str) -> TokenStream {
        let private = self.root.private();
        let server = self.server.as_ref().map(|_| quote!(.server::<__Server>()));
        let make = quote! {
            || {
                let declared = #declared #server;
                #private::CoreHook::from(declared).at(#private::Origin::new(
                    match ::core::option_env!("CARGO_PKG_NAME") {
                        ::core::option::Option::Some(package) => package,
                        ::core::option::Option::None => "",
                    },
                    #file,
                    1,
                    1,
                ))
            }
        };
        let submission = submission(&self.root, &make);
        quote!(const _: () = { #submission };)
    }
}

/// Notes the skill of a file. Returns the fault of a second skill with its name.
pub(super) fn second_skill(
    names: &mut HashMap<String, String>,
    name: &str,
    shown: &str,
) -> Option<Fault> {
    match names.get(name) {
        None => _ = names.insert(name.to_owned(), shown.to_owned()),
        Some(first) => {
            let message = format!("a second skill `{name}`; the first is in `{first}`");
            return Some(Fault::new(1, message, "give one of them another name"));
        }
    }
    None
}

/// Returns the problem of a text that does not fit into the answers of clients.
fn too_long(declared: &Declaration<'_>) -> Option<Problem> {
    let one = |key| declared.one(key).unwrap_or_default();
    let has_tool = declared.one("tool").is_some();
    budget::fits_guidance(one("type"), one("lifecycle"), has_tool, declared.text)
}

/// Returns the parts of the hook's id: app, type, lifecycle, tag.
fn id(declared: &Declaration<'_>) -> Option<[String; 4]> {
    let one = |key| declared.one(key).map(str::to_owned);
    let app = one("app").unwrap_or_default();
    Some([app, one("type")?, one("lifecycle")?, one("tag")?])
}

//! Skills as resources (SEP-2640): the folders and hooks that the program serves beside the author's own skills.

use std::collections::{BTreeMap, HashMap};

use base64::{Engine, engine::general_purpose::STANDARD};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, PercentEncode, utf8_percent_encode};
use rmcp::{
    ErrorData,
    model::{
        DIRECTORY_MIME_TYPE, GetSkillResult, JsonObject, ListResourceTemplatesResult,
        ListResourcesResult, ListSkillsResult, ReadResourceResult, Resource, ResourceContents,
        SKILLS_EXTENSION_ID, ServerCapabilities, Skill, SkillFrontmatter, SkillResource,
        SkillResources,
    },
};
use serde_json::Value;

use crate::server::{
    methods::{Content, List},
    pipeline::{
        AuthorRequest, Flow, McpAnswer, McpRequest, McpResponse, NamedItem, RequestState,
        is_missing, join,
    },
};
use hooks_core::{
    Registry,
    guidance::{self, SkillFile},
    internal::SKILL_MD,
};

/// The middleware of skills.
#[derive(Default)]
pub(crate) struct SkillsMiddleware {
    skills: Vec<Skill>,
    /// The `SKILL.md` of each skill, as lists of resources show it.
    pub(crate) listed: Vec<Resource>,
    files: HashMap<String, SkillFile>,
    /// The direct children of each folder.
    folders: HashMap<String, Vec<Resource>>,
}

impl SkillsMiddleware {
    /// Returns `None` if the registry has no skill.
    pub(crate) fn of(registry: &Registry) -> Option<SkillsMiddleware> {
        let mut middleware = SkillsMiddleware::default();
        for skill in guidance::skills(registry) {
            middleware.add(&skill);
        }
        (!middleware.skills.is_empty()).then_some(middleware)
    }

    fn add(&mut self, skill: &guidance::Skill) {
        let root = format!("skill://{}", skill.name());
        let uri_of = |path: &str| format!("{root}/{}", encoded(path));
        let mut folders: BTreeMap<String, BTreeMap<String, Resource>> = BTreeMap::new();
        let mut files = Vec::new();
        for file in skill.files() {
            let uri = uri_of(&file.path);
            files.push(SkillResource::from_bytes(&uri, &file.content));
            let mut child = resource(&uri, &file.path).with_size(file.content.len() as u64);
            child.mime_type = mime_type(&file.path).map(Into::into);
            if file.path == SKILL_MD {
                let listed = child.clone().with_title(skill.name());
                self.listed
                    .push(listed.with_description(skill.description()));
            }
            // The folder of the file, then the folders above it.
            let mut path = &*file.path;
            while let Some(above) = folder_of(path) {
                let folder = match above {
                    "" => root.clone(),
                    above => uri_of(above),
                };
                let children = folders.entry(folder.clone()).or_default();
                children.insert(child.uri.clone(), child);
                child = resource(&folder, above).with_mime_type(DIRECTORY_MIME_TYPE);
                path = above;
            }
            self.files.insert(uri, file.clone());
        }
        let in_order =
            |(uri, children): (_, BTreeMap<_, _>)| (uri, children.into_values().collect());
        self.folders.extend(folders.into_iter().map(in_order));
        let mut front = SkillFrontmatter::new(skill.name(), skill.description());
        front.extra = skill.others().clone();
        let files = SkillResources::Files(files);
        self.skills.push(Skill::new(uri_of(SKILL_MD), front, files));
    }

    /// Returns the answer to a request about the middleware's own skills.
    fn answer(&self, asked: &McpRequest) -> Option<McpResponse> {
        match asked {
            McpRequest::ReadResource(asked) => {
                let file = self.files.get(&asked.uri)?;
                let result = ReadResourceResult::new(vec![contents(file, &asked.uri)]);
                Some(McpResponse::ReadResource(result.into()))
            }
            McpRequest::ReadResourceDirectory(asked) => {
                let children = self.folders.get(&asked.uri)?.clone();
                let result = ListResourcesResult::with_all_items(children);
                Some(McpResponse::ReadResourceDirectory(result))
            }
            McpRequest::GetSkill(asked) => {
                let skill = self.skills.iter().find(|skill| skill.uri == asked.uri)?;
                Some(McpResponse::GetSkill(GetSkillResult::new(skill.clone())))
            }
            _ => None,
        }
    }

    /// Adds the skills after the author's last skill. An author's skill with the URI of one of them is left out.
    fn list(&self, listed: &mut ListSkillsResult) {
        let hidden = |skill: &Skill| {
            error!(
                uri = skill.uri,
                "the server has its own skill with the name of a skill of its hooks, which is served instead"
            );
        };
        let (is_last, ours) = (listed.next_cursor.is_none(), self.skills.clone());
        join(&mut listed.skills, is_last, ours, |it| &it.uri, hidden);
    }

    /// Adds the capabilities that skills need.
    pub(crate) fn declare(&self, capabilities: &mut ServerCapabilities) {
        capabilities.resources.get_or_insert_default();
        let settings = JsonObject::from_iter([("directoryRead".to_owned(), Value::Bool(true))]);
        let extensions = capabilities.extensions.get_or_insert_default();
        extensions.insert(SKILLS_EXTENSION_ID.to_owned(), settings);
    }

    /// Answers a request about the middleware's own skills.
    pub(crate) fn before(&self, request: &AuthorRequest, call: &mut RequestState) -> Flow {
        if let Some(answer) = self.answer(&request.asked) {
            // In place of the author's server, so that hooks see the result.
            call.prepared = Some(Box::new(Ok(answer)));
        } else {
            call.missing_skill = missing(&request.asked).map(Box::new);
        }
        Flow::On
    }

    /// Adds the middleware's skills to the author's list, and answers what the author's server does not support.
    pub(crate) fn after(&self, call: &mut RequestState, answer: &mut McpAnswer) {
        if is_missing(answer)
            && let Some(missing) = call.missing_skill.take()
        {
            *answer = *missing;
        }
        if let Ok(McpResponse::ListSkills(listed)) = answer {
            self.list(listed);
        }
    }
}

/// Returns the answer to a request that the author's server does not support, and that the capabilities of skills promise.
fn missing(asked: &McpRequest) -> Option<McpAnswer> {
    let uri = match asked.named() {
        NamedItem::Resource(uri) => uri,
        _ => "",
    };
    Some(match asked.content()? {
        Content::List(List::Skills) => Ok(McpResponse::ListSkills(ListSkillsResult::default())),
        Content::List(List::ResourceTemplates) => {
            let none = ListResourceTemplatesResult::default();
            Ok(McpResponse::ListResourceTemplates(none))
        }
        Content::List(List::Directory) => {
            let message = format!("`{uri}` is no directory of a skill");
            Err(ErrorData::invalid_params(message, None))
        }
        Content::Resource => {
            let message = format!("there is no resource `{uri}`");
            Err(ErrorData::resource_not_found(message, None))
        }
        Content::Skill => {
            let message = format!("there is no skill `{uri}`");
            Err(ErrorData::invalid_params(message, None))
        }
        _ => return None,
    })
}

/// Returns the path of the folder of a file or a folder. The folder of the skill itself is in none.
fn folder_of(path: &str) -> Option<&str> {
    let (above, _) = path.rsplit_once('/').unwrap_or_default();
    (!path.is_empty()).then_some(above)
}

/// Returns the resource at `uri`, with the last part of `path` as its name.
fn resource(uri: &str, path: &str) -> Resource {
    Resource::new(uri, path.rsplit('/').next().unwrap_or(path))
}

fn contents(file: &SkillFile, uri: &str) -> ResourceContents {
    let mime_type = mime_type(&file.path);
    let contents = match std::str::from_utf8(&file.content) {
        Ok(text) if mime_type.is_some() && !text.contains('\0') => {
            ResourceContents::text(text, uri)
        }
        _ => ResourceContents::blob(STANDARD.encode(&file.content), uri),
    };
    match mime_type {
        Some(mime_type) => contents.with_mime_type(mime_type),
        None => contents,
    }
}

/// Returns the type of a text by the name of its file. Every other file is sent as bytes.
fn mime_type(path: &str) -> Option<&'static str> {
    let (_, ending) = path.rsplit_once('.')?;
    Some(match ending {
        "md" => "text/markdown",
        "txt" => "text/plain",
        "html" => "text/html",
        "css" => "text/css",
        "csv" => "text/csv",
        "js" | "mjs" => "text/javascript",
        "json" => "application/json",
        "toml" => "application/toml",
        "yaml" | "yml" => "application/yaml",
        "xml" => "application/xml",
        "py" => "text/x-python",
        "rs" => "text/x-rust",
        "sh" => "application/x-sh",
        "svg" => "image/svg+xml",
        _ => return None,
    })
}

/// Encodes a path for a URI, without its slashes.
fn encoded(path: &str) -> PercentEncode<'_> {
    const CODED: &AsciiSet = &NON_ALPHANUMERIC
        .remove(b'-')
        .remove(b'.')
        .remove(b'_')
        .remove(b'~')
        .remove(b'/');
    utf8_percent_encode(path, CODED)
}

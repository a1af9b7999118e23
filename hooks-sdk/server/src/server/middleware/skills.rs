//! Skills as resources (SEP-2640): the folders and hooks that the program serves beside the author's own skills.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap, HashSet},
    fmt,
};

use base64::{Engine, engine::general_purpose::STANDARD};
use rmcp::{
    ErrorData,
    model::{
        DIRECTORY_MIME_TYPE, ErrorCode, GetSkillResult, JsonObject, ListResourceTemplatesResult,
        ListResourcesResult, ListSkillsResult, ReadResourceResult, Resource, ResourceContents,
        SKILLS_EXTENSION_ID, ServerCapabilities, Skill, SkillFrontmatter, SkillResource,
        SkillResources,
    },
};
use serde_json::Value;

use crate::server::{
    methods::{Content, List},
    pipeline::{AuthorRequest, Flow, McpRequest, McpResponse, NamedItem, RequestState},
};
use hooks_core::{
    Registry,
    guidance::{self, SkillFile},
    internal::SKILL_MD,
};

/// The middleware of skills.
pub(in crate::server) struct SkillsMiddleware {
    skills: Vec<Skill>,
    /// The `SKILL.md` of each skill, as lists of resources show it.
    listed: Vec<Resource>,
    files: HashMap<String, SkillFile>,
    /// The direct children of each folder.
    folders: HashMap<String, Vec<Resource>>,
    uris: HashSet<String>,
}

/// The error for a request that the author's server does not support, and that the capabilities of skills promise.
pub(in crate::server) enum MissingSkill {
    Skills,
    Templates,
    Resource(String),
    Skill(String),
    Directory(String),
}

impl SkillsMiddleware {
    /// Returns `None` if the registry has no skill.
    pub(in crate::server) fn of(registry: &Registry) -> Option<SkillsMiddleware> {
        let mut middleware = SkillsMiddleware {
            skills: Vec::new(),
            listed: Vec::new(),
            files: HashMap::new(),
            folders: HashMap::new(),
            uris: HashSet::new(),
        };
        for skill in guidance::skills(registry) {
            middleware.add(&skill);
        }
        middleware.uris = middleware
            .skills
            .iter()
            .map(|skill| skill.uri.clone())
            .collect();
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
            loop {
                let (above, _) = path.rsplit_once('/').unwrap_or_default();
                let folder = if above.is_empty() {
                    root.clone()
                } else {
                    uri_of(above)
                };
                let children = folders.entry(folder.clone()).or_default();
                children.insert(child.uri.clone(), child);
                if above.is_empty() {
                    break;
                }
                child = resource(&folder, above).with_mime_type(DIRECTORY_MIME_TYPE);
                path = above;
            }
            self.files.insert(uri, file.clone());
        }
        let folders = folders.into_iter();
        let in_order = |children: BTreeMap<_, _>| children.into_values().collect();
        self.folders
            .extend(folders.map(|(uri, children)| (uri, in_order(children))));
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
        listed.skills.retain(|skill| {
            let is_free = !self.uris.contains(&skill.uri);
            if !is_free {
                tracing::error!(
                    target: "hooks_sdk::server",
                    uri = skill.uri,
                    "the server has its own skill with the name of a skill of its hooks, which is served instead"
                );
            }
            is_free
        });
        if listed.next_cursor.is_none() {
            listed.skills.extend(self.skills.iter().cloned());
        }
    }
}

impl MissingSkill {
    fn of(asked: &McpRequest) -> Option<MissingSkill> {
        let uri = || match asked.named() {
            NamedItem::Resource(uri) => Some(uri.to_owned()),
            _ => None,
        };
        match asked.content()? {
            Content::List(List::Skills) => Some(MissingSkill::Skills),
            Content::List(List::ResourceTemplates) => Some(MissingSkill::Templates),
            Content::List(List::Directory) => uri().map(MissingSkill::Directory),
            Content::Resource => uri().map(MissingSkill::Resource),
            Content::Skill => uri().map(MissingSkill::Skill),
            Content::List(List::Tools | List::Prompts | List::Resources)
            | Content::Nothing
            | Content::Handshake
            | Content::Tool
            | Content::Prompt
            | Content::Completion
            | Content::Task
            | Content::Text => None,
        }
    }

    fn answer(self) -> Result<McpResponse, ErrorData> {
        match self {
            MissingSkill::Skills => Ok(McpResponse::ListSkills(ListSkillsResult::default())),
            MissingSkill::Templates => {
                let none = ListResourceTemplatesResult::default();
                Ok(McpResponse::ListResourceTemplates(none))
            }
            MissingSkill::Resource(uri) => {
                let message = format!("there is no resource `{uri}`");
                Err(ErrorData::resource_not_found(message, None))
            }
            MissingSkill::Skill(uri) => {
                let message = format!("there is no skill `{uri}`");
                Err(ErrorData::invalid_params(message, None))
            }
            MissingSkill::Directory(uri) => {
                let message = format!("`{uri}` is no directory of a skill");
                Err(ErrorData::invalid_params(message, None))
            }
        }
    }
}

impl SkillsMiddleware {
    /// Adds the capabilities that skills need.
    pub(in crate::server) fn declare(&self, capabilities: &mut ServerCapabilities) {
        capabilities.resources.get_or_insert_default();
        let settings = JsonObject::from_iter([("directoryRead".to_owned(), Value::Bool(true))]);
        let extensions = capabilities.extensions.get_or_insert_default();
        extensions.insert(SKILLS_EXTENSION_ID.to_owned(), settings);
    }

    /// Answers a request about the middleware's own skills.
    pub(in crate::server) fn before(
        &self,
        request: &AuthorRequest,
        call: &mut RequestState,
    ) -> Flow {
        if let Some(answer) = self.answer(&request.asked) {
            // In place of the author's server, so that hooks see the result.
            call.answer_for_author(Ok(answer));
        } else {
            call.skill = MissingSkill::of(&request.asked);
        }
        Flow::On
    }

    /// Adds the middleware's skills to the author's list, and answers what the author's server does not support.
    pub(in crate::server) fn after(
        &self,
        call: &mut RequestState,
        answer: &mut Result<McpResponse, ErrorData>,
    ) {
        let missing = call.skill.take();
        // If the author has no skills or resources, rmcp answers with this error.
        if let (Err(error), Some(missing)) = (&answer, missing)
            && error.code == ErrorCode::METHOD_NOT_FOUND
        {
            *answer = missing.answer();
        }
        if let Ok(McpResponse::ListSkills(listed)) = answer {
            self.list(listed);
        }
    }

    /// Returns the resources that the middleware serves.
    pub(in crate::server) fn resources(&self) -> &[Resource] {
        &self.listed
    }
}

impl fmt::Debug for SkillsMiddleware {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SkillsMiddleware").field(&self.uris).finish()
    }
}

/// Returns the resource at `uri`, with the last part of `path` as its name.
fn resource(uri: &str, path: &str) -> Resource {
    Resource::new(uri, path.rsplit('/').next().unwrap_or(path))
}

fn contents(file: &SkillFile, uri: &str) -> ResourceContents {
    let mime_type = mime_type(&file.path);
    let text = std::str::from_utf8(&file.content)
        .ok()
        .filter(|text| mime_type.is_some() && !text.contains('\0'));
    let contents = match text {
        Some(text) => ResourceContents::text(text, uri),
        None => ResourceContents::blob(STANDARD.encode(&file.content), uri),
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
fn encoded(path: &str) -> Cow<'_, str> {
    let is_plain = |byte: &u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'/')
    };
    if path.as_bytes().iter().all(is_plain) {
        return path.into();
    }
    let mut encoded = String::with_capacity(path.len() + 8);
    for byte in path.as_bytes() {
        match is_plain(byte) {
            true => encoded.push(char::from(*byte)),
            false => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded.into()
}

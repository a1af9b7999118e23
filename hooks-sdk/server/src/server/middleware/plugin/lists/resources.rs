//! The URIs of resources, in lists and by templates.

use rmcp::{RoleServer, service::RequestContext};

use super::Lists;
use crate::server::{
    middleware::plugin::{known::ByTemplate, spellings::spellings},
    pipeline::Pipeline,
};
use hooks_plugin::ListOf;

impl Lists {
    /// Returns the author's URI of a resource that clients know under `uri`, or `None` if they know none.
    pub(in crate::server::middleware::plugin) async fn own_resource(
        &self,
        uri: &str,
        pipeline: &Pipeline,
        cx: &RequestContext<RoleServer>,
    ) -> Option<String> {
        let of = ListOf::Resources;
        if self.concerns(of) {
            let own = self.own_name(of, uri, pipeline, cx).await?;
            if own != uri || self.known(of, uri).is_some() {
                return Some(own);
            }
        }
        if self.concerns(ListOf::ResourceTemplates) {
            // A resource that the author lists is seen in that list, whatever templates say.
            self.read(of, pipeline, cx).await;
            if self.known(of, uri).is_some() {
                return Some(uri.to_owned());
            }
            self.read(ListOf::ResourceTemplates, pipeline, cx).await;
        }
        self.own_unlisted(uri)
    }

    /// Returns the author's URI of a resource that clients know under `uri`, as far as the lists were read.
    pub(in crate::server::middleware::plugin) fn own_resource_known(
        &self,
        uri: &str,
    ) -> Option<String> {
        let of = ListOf::Resources;
        if let Some(own) = self.all().renamed(of, uri) {
            return Some(own.to_owned());
        }
        let is_listed = self.known(of, uri).is_some();
        let is_shown = self.name_of(of, uri).as_deref() == Some(uri);
        match is_shown {
            true if is_listed => Some(uri.to_owned()),
            true => self.own_unlisted(uri),
            false => None,
        }
    }

    /// Returns the URI under which clients know the author's resource, as far as the lists were read.
    pub(in crate::server::middleware::plugin) fn shown_resource(
        &self,
        own: &str,
    ) -> Option<String> {
        let shown = self.name_of(ListOf::Resources, own)?;
        if shown != own || self.known(ListOf::Resources, own).is_some() {
            return Some(shown);
        }
        match self.all().shown_by_template(own) {
            ByTemplate::Hidden => None,
            ByTemplate::As(shown) => Some(shown),
            ByTemplate::Free => Some(shown),
        }
    }

    /// Returns the author's URI of a resource that no list has, as far as the lists were read.
    fn own_unlisted(&self, uri: &str) -> Option<String> {
        if !self.concerns_resources() {
            return Some(uri.to_owned());
        }
        // A server may read each of them as the same.
        let forms = spellings(uri)?;
        let of = ListOf::Resources;
        let is_hidden = |form: &String| self.name_of(of, form).as_deref() != Some(form);
        if forms[1..].iter().any(is_hidden) {
            return None;
        }
        let known = self.all();
        if !known.hides_resources() {
            return Some(uri.to_owned());
        }
        if known.hides_spelling(&forms) {
            return None;
        }
        match known.by_template(uri, &forms) {
            ByTemplate::Hidden => None,
            // The client has chosen a part of it, too.
            ByTemplate::As(own) => (!known.hides_spelling(&spellings(&own)?)).then_some(own),
            ByTemplate::Free => Some(uri.to_owned()),
        }
    }
}

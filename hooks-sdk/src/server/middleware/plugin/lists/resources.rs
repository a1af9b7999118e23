//! The URIs of resources, in lists and by templates.

use rmcp::{RoleServer, service::RequestContext};

use super::Lists;
use crate::{
    plugin::ListOf,
    server::{
        middleware::plugin::{known::ByTemplate, templates::decoded},
        pipeline::Pipeline,
    },
};

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
        let decoded = decoded(uri);
        // A server may read both as one.
        if decoded != uri && self.name_of(ListOf::Resources, &decoded).as_deref() != Some(&*decoded)
        {
            return None;
        }
        match self.all().by_template(uri, &[uri, &decoded]) {
            ByTemplate::Hidden => None,
            ByTemplate::As(own) => Some(own),
            ByTemplate::Free => Some(uri.to_owned()),
        }
    }
}

//! What a server declares to hosts, derived from what is registered.

mod advertised;
mod uses;

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use self::uses::Uses;
use super::{Definition, FeatureSetDeclaration, Hook, McplPoint, Tool, Version};
use crate::core::{self, Registry};

/// The feature sets of one server with what each uses, and the hooks and tools that belong to them.
///
/// Capabilities, `uses` and the manifest are made of this and never written by hand (MCPL 0.4.1 §5.1 and §6.1).
#[derive(Clone, Debug, Default)]
pub struct Derived {
    entries: Vec<core::Hook>,
    sets: Vec<DerivedSet>,
}

/// One feature set with what it uses.
#[derive(Clone, Debug)]
pub struct DerivedSet {
    definition: Definition,
    uses: Uses,
}

impl Derived {
    /// What the registry's MCPL entries make. Sets stand in the order of their names, hooks in that of their
    /// priorities.
    pub fn of(registry: &Registry) -> Derived {
        let mut entries: Vec<(&core::Hook, &Hook)> = registry.details::<Hook>().collect();
        entries.sort_by_key(|(_, hook)| hook.answer().map(|answering| answering.priority));
        let names: BTreeSet<&str> = entries
            .iter()
            .map(|(_, hook)| hook.definition().name)
            .collect();
        let sets = names.into_iter().filter_map(|name| {
            let of_set = entries
                .iter()
                .map(|(_, hook)| *hook)
                .filter(move |hook| hook.definition().name == name);
            let definition = *of_set.clone().next()?.definition();
            let uses = Uses::of(&definition, of_set.map(|hook| &hook.part));
            Some(DerivedSet { definition, uses })
        });
        Derived {
            sets: sets.collect(),
            entries: entries
                .into_iter()
                .map(|(entry, _)| entry.clone())
                .collect(),
        }
    }

    /// The feature sets, in the order of their names; with those that no entry of this server but their own names.
    pub fn sets(&self) -> impl ExactSizeIterator<Item = &DerivedSet> {
        self.sets.iter()
    }

    /// The feature set of this name.
    pub fn set(&self, name: &str) -> Option<&DerivedSet> {
        self.sets().find(|set| set.definition.name == name)
    }

    /// Whether there is anything that a host of either version hears of.
    pub fn is_empty(&self) -> bool {
        self.sets()
            .all(|set| !set.is_declared(Version::V04) && !set.is_declared(Version::V05))
    }

    /// The hooks at the point `P`, by ascending priority, then in registry order.
    pub fn hooks_at<P: McplPoint>(&self) -> impl Iterator<Item = &Hook> {
        self.hooks().filter(|hook| hook.at() == Some(P::AT))
    }

    /// The tool of this name, with the feature set that it belongs to.
    pub fn tool(&self, name: &str) -> Option<(&Tool, &Definition)> {
        self.tools().find(|(tool, _)| tool.name == name)
    }

    /// The tools that belong to feature sets, each with its own.
    pub fn tools(&self) -> impl Iterator<Item = (&Tool, &Definition)> {
        self.hooks()
            .filter_map(|hook| Some((hook.as_tool()?, hook.definition())))
    }

    /// The capabilities in the shape of `version`: what every feature set that is declared to its hosts can do,
    /// whether it is there now or comes later (MCPL 0.4.1 §5.1).
    pub fn capabilities(&self, version: Version) -> Map<String, Value> {
        let declared = self.sets().filter(|set| set.is_declared(version));
        let paths = declared.flat_map(|set| set.capabilities(version)).copied();
        advertised::tree(version, &paths.collect())
    }

    /// `experimental.mcpl` of this server in the shape of `version`, with the feature sets that are `present` now
    /// and, in 0.5, the `revision` of all of it (MCPL 0.4.1 §5.1 and §6.1; 0.5 §17.2).
    pub fn declaration(
        &self,
        version: Version,
        present: &dyn Fn(&str) -> bool,
    ) -> Map<String, Value> {
        let mut declaration = self.capabilities(version);
        declaration.insert("version".to_owned(), json!(version.as_str()));
        let sets = self
            .sets()
            .filter(|set| set.is_declared(version) && present(set.definition.name));
        let sets: Map<String, Value> = sets
            .map(|set| {
                (
                    set.definition.name.to_owned(),
                    json!(set.declaration(version)),
                )
            })
            .collect();
        declaration.insert("featureSets".to_owned(), Value::Object(sets));
        declaration
    }

    fn hooks(&self) -> impl Iterator<Item = &Hook> {
        self.entries.iter().filter_map(core::Hook::detail)
    }
}

impl DerivedSet {
    /// What its author declared.
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// What it needs, as `uses` says it in `version`: without one of these a host cannot enable it (MCPL 0.4.1 §6.2).
    pub fn uses(&self, version: Version) -> &[&'static str] {
        self.uses.needed(version)
    }

    /// The paths of the capabilities behind all that it does: what it needs, and what it does if it may.
    pub fn capabilities(&self, version: Version) -> &[&'static str] {
        self.uses.possible(version)
    }

    /// Whether hosts of `version` hear of it; a set that uses nothing there is not declared to them.
    pub fn is_declared(&self, version: Version) -> bool {
        !self.uses(version).is_empty()
    }

    /// What hosts of `version` hear of it (MCPL 0.4.1 §6.2).
    pub fn declaration(&self, version: Version) -> FeatureSetDeclaration {
        let mut declaration = FeatureSetDeclaration::new(
            self.definition.description,
            self.uses(version).iter().copied(),
        );
        if self.definition.scoped && version == Version::V04 {
            declaration = declaration.scoped();
        }
        if self.definition.rollback {
            declaration = declaration.rollback();
        }
        declaration
    }
}

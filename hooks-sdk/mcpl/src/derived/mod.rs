//! What a server declares to hosts, derived from its registry.

mod advertised;
mod uses;

use std::{
    any::TypeId,
    collections::{BTreeMap, HashMap, HashSet},
    sync::OnceLock,
};

use serde_json::{Map, Value, json};

pub(crate) use self::uses::Row;
use self::uses::{Uses, is_asking};
use super::{
    Definition, McplHook, McplPoint, McplTool, Version,
    point::At,
    wire::{FeatureSetDeclaration, manifest},
};
use hooks_core::{Registry, internal::linked};

/// The feature sets of one server: what each uses, and which hooks and tools belong to it.
///
/// Capabilities, `uses` and the manifest are computed from this value. Authors never write them by hand (MCPL 0.4.1
/// §5.1 and §6.1).
#[derive(Clone, Debug, Default)]
pub struct Derived {
    entries: Vec<hooks_core::Hook>,
    sets: Vec<DerivedSet>,
    /// The indices, in `entries`, of the hooks at each point.
    by_point: HashMap<At, Vec<usize>>,
    /// The index, in `entries`, of each tool.
    by_tool: HashMap<Box<str>, usize>,
}

/// One feature set, with what it uses.
#[derive(Clone, Debug)]
pub struct DerivedSet {
    definition: Definition,
    uses: Uses,
}

impl Derived {
    /// Derives the feature sets from the registry's MCPL entries. Feature sets are in the order of their names, hooks
    /// in the order of their priorities.
    ///
    /// Which server a feature set belongs to:
    /// - A hook or a tool of server `S` names it: it belongs to `S`.
    /// - It says `server = S`: it belongs to `S`.
    /// - Neither: it belongs to every server.
    pub fn of(registry: &Registry) -> Derived {
        let mut entries: Vec<(&hooks_core::Hook, &McplHook)> =
            registry.details::<McplHook>().collect();
        entries.sort_by_key(|(_, hook)| hook.answer().map(|answering| answering.priority));
        let mut by_set: BTreeMap<&str, Vec<(&hooks_core::Hook, &McplHook)>> = BTreeMap::new();
        for &(entry, hook) in &entries {
            by_set
                .entry(hook.definition().name)
                .or_default()
                .push((entry, hook));
        }
        // Computed at most once, and only if needed: each call makes every linked hook.
        let named = OnceLock::new();
        let is_named_elsewhere =
            |hook: &McplHook| named.get_or_init(named_sets).contains(&hook.set());
        let sets = by_set.into_values().filter(|of_set| {
            let here = of_set
                .iter()
                .any(|(entry, hook)| hook.names_its_set() || entry.owner().name().is_some());
            here || of_set.iter().all(|(_, hook)| !is_named_elsewhere(hook))
        });
        let sets = sets.filter_map(|of_set| {
            let definition = *of_set.first()?.1.definition();
            let uses = Uses::of(&definition, of_set.iter().map(|(_, hook)| &hook.part));
            Some(DerivedSet { definition, uses })
        });
        let mut by_point: HashMap<At, Vec<usize>> = HashMap::new();
        let mut by_tool = HashMap::new();
        for (place, (_, hook)) in entries.iter().enumerate() {
            if let Some(at) = hook.at() {
                by_point.entry(at).or_default().push(place);
            }
            if let Some(tool) = hook.as_tool() {
                by_tool.entry((*tool.name).into()).or_insert(place);
            }
        }
        Derived {
            sets: sets.collect(),
            entries: entries.iter().map(|&(entry, _)| entry.clone()).collect(),
            by_point,
            by_tool,
        }
    }

    /// Returns the feature sets, in the order of their names.
    pub fn sets(&self) -> impl ExactSizeIterator<Item = &DerivedSet> {
        self.sets.iter()
    }

    /// Returns the feature set of this name.
    pub fn set(&self, name: &str) -> Option<&DerivedSet> {
        self.sets().find(|set| set.definition.name == name)
    }

    /// Whether no feature set is declared to hosts of any version.
    pub fn is_empty(&self) -> bool {
        self.sets()
            .all(|set| !set.is_declared(Version::V04) && !set.is_declared(Version::V05))
    }

    /// Returns the hooks at the point `P`: by ascending priority, then in registry order.
    pub fn hooks_at<P: McplPoint>(&self) -> impl Iterator<Item = &McplHook> {
        let places = self.by_point.get(&P::AT).into_iter().flatten();
        places.filter_map(|&place| self.entries[place].detail())
    }

    /// Returns the tool of this name, with its feature set.
    pub fn tool(&self, name: &str) -> Option<(&McplTool, &Definition)> {
        let hook: &McplHook = self.entries[*self.by_tool.get(name)?].detail()?;
        Some((hook.as_tool()?, hook.definition()))
    }

    /// Returns the tools that belong to feature sets, each with its feature set.
    pub fn tools(&self) -> impl Iterator<Item = (&McplTool, &Definition)> {
        self.hooks()
            .filter_map(|hook| Some((hook.as_tool()?, hook.definition())))
    }

    /// Returns the capabilities in the shape of `version` (MCPL 0.4.1 §5.1). They cover every feature set that is
    /// declared to hosts of this version, both those declared now and those added later.
    pub fn capabilities(&self, version: Version) -> Map<String, Value> {
        self.capabilities_for(version, true)
    }

    /// Returns the capabilities. `asks` is whether the server can send requests to the host.
    fn capabilities_for(&self, version: Version, asks: bool) -> Map<String, Value> {
        let declared = self.sets().filter(|set| set.is_declared_to(version, asks));
        let paths = declared.flat_map(|set| set.capabilities(version)).copied();
        let paths = paths.filter(|path| asks || !is_asking(path));
        advertised::tree(version, &paths.collect())
    }

    /// Returns `experimental.mcpl` of this server in the shape of `version`, with the feature sets that are `present`
    /// now. In 0.5 it includes the `revision` of the whole (MCPL 0.4.1 §5.1 and §6.1; 0.5 §17.2).
    pub fn declaration(
        &self,
        version: Version,
        present: &dyn Fn(&str) -> bool,
    ) -> Map<String, Value> {
        self.declaration_for(version, true, present)
    }

    /// Returns the declaration. `asks` is whether the server can send requests to the host.
    pub(super) fn declaration_for(
        &self,
        version: Version,
        asks: bool,
        present: &dyn Fn(&str) -> bool,
    ) -> Map<String, Value> {
        let mut declaration = self.capabilities_for(version, asks);
        declaration.insert("version".to_owned(), json!(version.as_str()));
        let sets = self
            .sets()
            .filter(|set| set.is_declared_to(version, asks) && present(set.definition.name));
        let sets: Map<String, Value> = sets
            .map(|set| {
                (
                    set.definition.name.to_owned(),
                    json!(set.declaration(version)),
                )
            })
            .collect();
        declaration.insert("featureSets".to_owned(), Value::Object(sets));
        if version == Version::V05
            && let Ok(revision) = manifest::revision(&Value::Object(declaration.clone()))
        {
            declaration.insert("revision".to_owned(), json!(revision));
        }
        declaration
    }

    fn hooks(&self) -> impl Iterator<Item = &McplHook> {
        self.entries.iter().filter_map(hooks_core::Hook::detail)
    }
}

impl DerivedSet {
    /// Returns the author's definition.
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// Returns what the set needs, as the words of `uses` in `version` (MCPL 0.4.1 §6.2). A 0.5 host that does not
    /// grant all of it disables the set (MCPL 0.5 §6.4).
    pub fn uses(&self, version: Version) -> &[&'static str] {
        match version {
            Version::V04 => &self.uses.uses_04,
            Version::V05 => &self.uses.uses_05,
        }
    }

    /// Returns the capability paths of everything that the set does: what it needs, and what is optional.
    pub fn capabilities(&self, version: Version) -> &[&'static str] {
        match version {
            Version::V04 => &self.uses.can_04,
            Version::V05 => &self.uses.can_05,
        }
    }

    /// Whether the set is declared to hosts of `version`. A set that uses nothing in `version` is not declared.
    pub fn is_declared(&self, version: Version) -> bool {
        !self.uses(version).is_empty()
    }

    /// Whether the set is declared to a host of `version`. `asks` is whether the server can send requests to that host:
    /// every sender needs to.
    pub(super) fn is_declared_to(&self, version: Version, asks: bool) -> bool {
        self.is_declared(version) && (asks || self.definition.sends.is_empty())
    }

    /// Returns what the set declares to hosts of `version` (MCPL 0.4.1 §6.2).
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
        if version == Version::V05
            && let Some(ontology) = self.definition.ontology()
        {
            let name = "tagOntology".to_owned();
            declaration.other.insert(name, Value::Object(ontology));
        }
        declaration
    }
}

/// Returns the feature sets that hooks and tools name, of all servers in this program.
fn named_sets() -> HashSet<TypeId> {
    let name = |hook: hooks_core::Hook| {
        let hook: &McplHook = hook.detail()?;
        hook.names_its_set().then(|| hook.set())
    };
    linked().filter_map(name).collect()
}

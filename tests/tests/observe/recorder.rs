//! A subscriber that keeps the spans of the SDK, as a tree.

use std::{
    collections::BTreeMap,
    fmt::{Debug, Write},
    sync::{Arc, Mutex},
};

use hooks_sdk::core::observe::TARGET;
use hooks_tests::subscriber::subscribe;
use tracing::{
    Event, Subscriber,
    field::{Field, Visit},
    level_filters::LevelFilter,
    span::{Attributes, Id, Record},
    subscriber::DefaultGuard,
};
use tracing_subscriber::{
    Layer, filter::Targets, layer::Context, prelude::*, registry::LookupSpan,
};

pub(crate) type Fields = BTreeMap<String, String>;

#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    parent: Option<usize>,
    pub(crate) name: &'static str,
    pub(crate) fields: Fields,
    pub(crate) events: Vec<(&'static str, Fields)>,
    is_closed: bool,
}

/// The spans in the order of their beginnings.
#[derive(Clone, Default)]
pub(crate) struct Recorder(Arc<Mutex<Vec<Recorded>>>);

/// The place of a span in the recorder.
struct At(usize);

struct Reader<'r>(&'r mut Fields);

impl Visit for Reader<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let value = format!("{value:?}");
        self.0.insert(field.name().to_owned(), value);
    }
}

impl Recorder {
    /// Records what this thread does from now on.
    pub(crate) fn listen() -> (Recorder, DefaultGuard) {
        let recorder = Recorder::default();
        let only = Targets::new().with_target(TARGET, LevelFilter::INFO);
        let layer = recorder.clone().with_filter(only);
        let guard = subscribe(tracing_subscriber::registry().with(layer));
        (recorder, guard)
    }

    /// Returns the spans with this name.
    pub(crate) fn named(&self, name: &str) -> Vec<Recorded> {
        let mut spans = self.0.lock().unwrap().clone();
        spans.retain(|span| span.name == name);
        spans
    }

    /// Forgets every span.
    pub(crate) fn clear(&self) {
        self.0.lock().unwrap().clear();
    }

    /// Writes the spans as a tree, each with these fields and its events.
    pub(crate) fn tree(&self, shown: &[&str]) -> String {
        let spans = self.0.lock().unwrap();
        let mut tree = String::new();
        write(&spans, None, 0, shown, &mut tree);
        tree
    }

    /// Returns every value in every span and event, for a search.
    pub(crate) fn values(&self) -> String {
        format!("{:?}", self.0.lock().unwrap())
    }

    pub(crate) fn all_closed_but(&self, name: &str) -> bool {
        let spans = self.0.lock().unwrap();
        spans.iter().all(|span| span.is_closed || span.name == name)
    }
}

fn write(spans: &[Recorded], of: Option<usize>, depth: usize, shown: &[&str], tree: &mut String) {
    let line = |tree: &mut String, depth: usize, name: &str, fields: &Fields| {
        let values = shown.iter().filter_map(|field| fields.get(*field));
        let values: String = values.map(|value| format!(" {value}")).collect();
        writeln!(tree, "{}{name}{values}", "  ".repeat(depth)).unwrap();
    };
    for (at, span) in spans.iter().enumerate() {
        if span.parent == of {
            line(tree, depth, span.name, &span.fields);
            write(spans, Some(at), depth + 1, shown, tree);
            for (name, fields) in &span.events {
                line(tree, depth + 1, name, fields);
            }
        }
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Recorder {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = Fields::new();
        attributes.record(&mut Reader(&mut fields));
        let span = context.span(id).unwrap();
        let parent = span.parent();
        let parent = parent.and_then(|parent| Some(parent.extensions().get::<At>()?.0));
        let mut spans = self.0.lock().unwrap();
        span.extensions_mut().insert(At(spans.len()));
        spans.push(Recorded {
            parent,
            name: attributes.metadata().name(),
            fields,
            events: Vec::new(),
            is_closed: false,
        });
    }

    fn on_record(&self, id: &Id, record: &Record<'_>, context: Context<'_, S>) {
        self.change(id, &context, |span| {
            record.record(&mut Reader(&mut span.fields))
        });
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut fields = Fields::new();
        event.record(&mut Reader(&mut fields));
        if let Some(span) = context.event_span(event) {
            let name = event.metadata().name();
            self.change(&span.id(), &context, |span| {
                span.events.push((name, fields))
            });
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        self.change(&id, &context, |span| span.is_closed = true);
    }
}

impl Recorder {
    fn change<S: Subscriber + for<'a> LookupSpan<'a>>(
        &self,
        id: &Id,
        context: &Context<'_, S>,
        change: impl FnOnce(&mut Recorded),
    ) {
        let span = context.span(id).unwrap();
        let extensions = span.extensions();
        let At(at) = extensions.get::<At>().unwrap();
        // A span may end after the recorder has forgotten it.
        if let Some(span) = self.0.lock().unwrap().get_mut(*at) {
            change(span);
        }
    }
}

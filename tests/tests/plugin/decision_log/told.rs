//! What the spans and the metrics of a server tell about its decisions.

use std::collections::HashMap;

use metrics::{
    Counter, CounterFn, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit,
};

use super::*;

/// What is counted: a metric with its labels.
pub(super) type Counted = (String, BTreeMap<String, String>);

/// What is counted, with the decision id of the span in which it is.
pub(super) type CountedInSpan = (Counted, Option<String>);

/// What the spans and the metrics of a server tell.
#[derive(Clone, Default)]
pub(super) struct Told {
    /// The decision id of each span that is open.
    open: Arc<Mutex<HashMap<u64, String>>>,
    /// The decision of each decision id.
    pub(super) decided: Arc<Mutex<BTreeMap<String, String>>>,
    /// What was counted, with the decision id of the span in which it was.
    pub(super) counted: Arc<Mutex<Vec<CountedInSpan>>>,
}

impl Told {
    /// Returns the decision id of a span.
    fn id_of(&self, span: Option<span::Id>) -> Option<String> {
        let open = self.open.lock().unwrap();
        open.get(&span?.into_u64()).cloned()
    }
}

impl<S: Subscriber + for<'s> LookupSpan<'s>> Layer<S> for Told {
    fn on_record(&self, id: &span::Id, values: &span::Record<'_>, _: Context<'_, S>) {
        struct Words(BTreeMap<&'static str, String>);
        impl Visit for Words {
            fn record_str(&mut self, field: &Field, value: &str) {
                self.0.insert(field.name(), value.to_owned());
            }
            fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
        }
        let mut words = Words(BTreeMap::new());
        values.record(&mut words);
        if let Some(decision_id) = words.0.remove("hooks.decision.id") {
            self.open.lock().unwrap().insert(id.into_u64(), decision_id);
        }
        if let Some(decision) = words.0.remove("hooks.decision") {
            let of = self.id_of(Some(id.clone())).unwrap();
            let before = self.decided.lock().unwrap().insert(of, decision);
            assert_eq!(before, None, "a call is decided once");
        }
    }
}

impl Recorder for Told {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        struct One(Told, Counted);
        impl CounterFn for One {
            fn increment(&self, value: u64) {
                let id = self.0.id_of(tracing::Span::current().id());
                for _ in 0..value {
                    let counted = (self.1.clone(), id.clone());
                    self.0.counted.lock().unwrap().push(counted);
                }
            }
            fn absolute(&self, _: u64) {}
        }
        let labels = key.labels();
        let labels = labels.map(|label| (label.key().to_owned(), label.value().to_owned()));
        let counted = (key.name().to_owned(), labels.collect());
        Counter::from_arc(Arc::new(One(self.clone(), counted)))
    }

    fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::noop()
    }

    fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::noop()
    }
}

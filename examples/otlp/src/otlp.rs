//! Sends spans and metrics over OTLP, as protobuf in HTTP requests.

use std::{collections::HashMap, error::Error, sync::Arc, time::Duration};

use hooks_sdk::core::observe::{Observe, TARGET, TraceContext, describe_metrics};
use metrics_opentelemetry::{OpenTelemetryMetrics, OpenTelemetryRecorder};
use opentelemetry::{
    metrics::MeterProvider, propagation::TextMapPropagator, trace::TracerProvider,
};
use opentelemetry_otlp::{MetricExporter, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::{
    metrics::{PeriodicReader, SdkMeterProvider},
    propagation::TraceContextPropagator,
    trace::SdkTracerProvider,
};
use reqwest::{Url, blocking::Client, redirect::Policy};
use rustls::{ClientConfig, RootCertStore, crypto::ring};
use tracing::{Span, Subscriber, level_filters::LevelFilter};
use tracing_opentelemetry::OpenTelemetrySpanExt;
use tracing_subscriber::{Layer, filter::Targets, registry::LookupSpan};

/// How long one request to the collector may take, and how long the program waits at its end for each of the
/// two queues.
const TIMEOUT: Duration = Duration::from_secs(3);

/// The name of this service at the collector.
const SERVICE: &str = env!("CARGO_PKG_NAME");

/// How often metrics are sent.
const INTERVAL: Duration = Duration::from_secs(10);

/// The bounds of the histogram of requests, in seconds, as OpenTelemetry's conventions for MCP have them.
const REQUESTS: &[f64] = &[
    0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0,
];

/// The bounds of the histograms of hooks and of questions to a guardian, in seconds.
const HOOKS: &[f64] = &[
    0.000_01, 0.000_1, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0,
];

/// The queues of spans and of metrics, and the threads that send them.
#[derive(Debug)]
pub(crate) struct Sending {
    spans: SdkTracerProvider,
    metrics: SdkMeterProvider,
}

impl Sending {
    /// Starts to send metrics to a collector, and prepares the sending of spans. The process has one.
    pub(crate) fn to(url: &str) -> Result<Sending, Box<dyn Error + Send + Sync>> {
        let base = Url::parse(url)?;
        if !matches!(base.scheme(), "http" | "https") {
            return Err("only http and https URLs are supported".into());
        }
        let client = client(base.scheme() == "https")?;
        let to = |path| format!("{}/{path}", url.trim_end_matches('/'));
        let resource = opentelemetry_sdk::Resource::builder()
            .with_service_name(SERVICE)
            .with_attribute(opentelemetry::KeyValue::new(
                "service.version",
                env!("CARGO_PKG_VERSION"),
            ))
            .build();
        let spans = SpanExporter::builder()
            .with_http()
            .with_http_client(client.clone())
            .with_endpoint(to("v1/traces"))
            .with_timeout(TIMEOUT)
            .build()?;
        let spans = SdkTracerProvider::builder()
            .with_batch_exporter(spans)
            .with_resource(resource.clone())
            .build();
        let metrics = MetricExporter::builder()
            .with_http()
            .with_http_client(client)
            .with_endpoint(to("v1/metrics"))
            .with_timeout(TIMEOUT)
            .build()?;
        let metrics = PeriodicReader::builder(metrics).with_interval(INTERVAL);
        let metrics = SdkMeterProvider::builder()
            .with_reader(metrics.build())
            .with_resource(resource)
            .build();
        let meter = OpenTelemetryMetrics::new(metrics.meter("hooks-sdk"));
        let mut recorder = OpenTelemetryRecorder::new(meter);
        recorder.set_histogram_bounds_mut(["mcp.server.operation.duration"].into_iter(), REQUESTS);
        recorder.set_histogram_bounds_mut(["hooks.duration", "aos.duration"].into_iter(), HOOKS);
        metrics::set_global_recorder(recorder)?;
        describe_metrics();
        Observe::new().traces(join, current).install()?;
        Ok(Sending { spans, metrics })
    }

    /// Returns the layer that puts the SDK's spans into the queue. Its filter leaves out the log, whose lines may quote
    /// contents.
    pub(crate) fn layer<S>(&self) -> impl Layer<S> + use<S>
    where
        S: Subscriber + for<'s> LookupSpan<'s>,
    {
        tracing_opentelemetry::layer()
            .with_tracer(self.spans.tracer("hooks-sdk"))
            .with_location(false)
            .with_threads(false)
            .with_tracked_inactivity(false)
            .with_filter(Targets::new().with_target(TARGET, LevelFilter::INFO))
    }

    /// Sends what the queues still have. This takes no longer than 6 seconds, and a collector that does not answer loses
    /// the rest.
    pub(crate) fn end(self) {
        let spans = self.spans.shutdown_with_timeout(TIMEOUT);
        let metrics = self.metrics.shutdown_with_timeout(TIMEOUT);
        for (what, ended) in [("spans", spans), ("metrics", metrics)] {
            if let Err(error) = ended {
                tracing::warn!(%error, "the last {what} were not sent");
            }
        }
    }
}

/// Makes the span of a request a child of the client's.
fn join(span: &Span, context: &TraceContext) {
    let state = context.state().map(|state| ("tracestate", state));
    let parent = ("traceparent", context.parent());
    let words = [parent].into_iter().chain(state);
    let words = words.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let words: HashMap<String, String> = words.collect();
    if let Err(error) = span.set_parent(TraceContextPropagator::new().extract(&words)) {
        tracing::debug!(%error, "a span has no parent");
    }
}

/// Returns the context of a span, for another process.
fn current(span: &Span) -> Option<TraceContext> {
    let mut words = HashMap::new();
    TraceContextPropagator::new().inject_context(&span.context(), &mut words);
    let state = words.get("tracestate").map(String::as_str);
    TraceContext::new(words.get("traceparent")?, state)
}

/// Makes the HTTP client, with the certificates that the operating system trusts.
fn client(is_https: bool) -> Result<Client, Box<dyn Error + Send + Sync>> {
    let mut roots = RootCertStore::empty();
    if is_https {
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if roots.is_empty() {
            return Err("the operating system trusts no certificate".into());
        }
    }
    let tls = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let client = Client::builder()
        .redirect(Policy::none())
        .tls_backend_preconfigured(tls);
    Ok(client.build()?)
}

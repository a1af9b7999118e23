//! The live page: each step as it comes, in a browser.

mod feed;

use std::{convert::Infallible, net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    Router,
    extract::{ConnectInfo, Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    middleware::{self, Next},
    response::{
        IntoResponse, Response,
        sse::{Event, KeepAlive, Sse},
    },
    routing::get,
};
use futures::{Stream, StreamExt, stream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

pub use self::feed::Feed;
use self::feed::{Heard, Listening, Shown};
use crate::live::{InForce, Live};

/// The most pages that are open at once.
const MOST_PAGES: usize = 32;

/// What the browser may load: only this program's own files.
const ONLY_OWN: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

#[derive(Clone)]
struct Page {
    feed: Arc<Feed>,
    live: Live,
    places: Arc<Semaphore>,
}

/// The headers by which a proxy says that it passes a request on.
const OF_A_PROXY: [&str; 5] = [
    "forwarded",
    "via",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-real-ip",
];

/// Makes the routes of the page. `has_token` says whether requests for it need a token, which the server checks.
pub fn routes(feed: Arc<Feed>, live: Live, has_token: bool) -> Router {
    let file = |kind: &'static str, text: &'static str| {
        get(move || async move { ([(header::CONTENT_TYPE, kind)], text) })
    };
    let page = Page {
        feed,
        live,
        places: Arc::new(Semaphore::new(MOST_PAGES)),
    };
    Router::new()
        .route(
            "/",
            file("text/html; charset=utf-8", include_str!("page.html")),
        )
        .route(
            "/page.css",
            file("text/css; charset=utf-8", include_str!("page.css")),
        )
        .route(
            "/page.js",
            file("text/javascript; charset=utf-8", include_str!("page.js")),
        )
        .route("/icon.svg", file("image/svg+xml", include_str!("icon.svg")))
        .route("/steps", get(steps))
        .with_state(page)
        .layer(middleware::from_fn_with_state(has_token, guarded))
}

/// Refuses who is not on this computer, and pages of others. Sets the headers that keep the page closed.
///
/// A proxy on this computer passes on requests of strangers, which then come from here, too. So they need a token.
async fn guarded(State(has_token): State<bool>, request: Request, next: Next) -> Response {
    let is_passed_on = OF_A_PROXY
        .iter()
        .any(|name| request.headers().contains_key(*name));
    if is_passed_on && !has_token {
        let sentence = "the page is shown through a proxy only if the guardian has tokens: start it with `--bearer-file`\n";
        return (StatusCode::FORBIDDEN, sentence).into_response();
    }
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    if !peer.is_some_and(|ConnectInfo(peer)| peer.ip().to_canonical().is_loopback()) {
        let sentence = "the page is shown on the guardian's own computer only: use a tunnel, such as `ssh -L`\n";
        return (StatusCode::FORBIDDEN, sentence).into_response();
    }
    let from = request
        .headers()
        .get("sec-fetch-site")
        .map(HeaderValue::as_bytes);
    // A link from elsewhere may open the page itself, and nothing else.
    let is_foreign = matches!(from, Some(b"cross-site" | b"same-site"));
    if is_foreign && request.uri().path() != "/" {
        return (
            StatusCode::FORBIDDEN,
            "this is for the guardian's own page\n",
        )
            .into_response();
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, ONLY_OWN),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Sends the last steps, then each step as it comes, and the state of the policy.
async fn steps(State(page): State<Page>, headers: HeaderMap) -> Response {
    let Ok(place) = page.places.clone().try_acquire_owned() else {
        let sentence = "as many pages are open as there may be: close one\n";
        return (StatusCode::SERVICE_UNAVAILABLE, sentence).into_response();
    };
    let last = headers
        .get("last-event-id")
        .and_then(|id| id.to_str().ok()?.parse().ok());
    let (before, after) = page.feed.listen(last);
    let event = |kind: &str, step: &Shown| {
        let number = step.number.to_string();
        Event::default().event(kind).id(number).data(&*step.line)
    };
    let before: Vec<Event> = before.iter().map(|step| event("kept", step)).collect();
    let after = following(after).map(move |heard| match heard {
        Heard::Step(step) => event("step", &step),
        Heard::Missed(count) => Event::default().event("missed").data(count.to_string()),
    });
    let events = stream::select(stream::iter(before).chain(after), policies(&page.live));
    let events = held(events, place).map(Ok::<_, Infallible>);
    let alive = KeepAlive::new().interval(Duration::from_secs(15));
    Sse::new(events).keep_alive(alive).into_response()
}

fn following(listening: Listening) -> impl Stream<Item = Heard> {
    stream::unfold(listening, |mut listening| async {
        Some((listening.next().await?, listening))
    })
}

/// Tells the state of the policy, now and at each change.
fn policies(live: &Live) -> impl Stream<Item = Event> + use<> {
    let file = live.file().map(|file| file.display().to_string());
    let mut changes = live.changes();
    changes.mark_changed();
    let next = |changes: watch::Receiver<InForce>| async {
        let mut changes = changes;
        changes.changed().await.ok()?;
        let now = changes.borrow_and_update().clone();
        Some((now, changes))
    };
    stream::unfold(changes, next).map(move |now| {
        let policy = serde_json::json!({
            "file": file,
            "rules": now.policy.count(),
            "since": now.since,
            "problem": now.problem,
        });
        Event::default().event("policy").data(policy.to_string())
    })
}

/// Keeps the place while the stream is open.
fn held<T>(events: impl Stream<Item = T>, place: OwnedSemaphorePermit) -> impl Stream<Item = T> {
    events.map(move |event| {
        _ = &place;
        event
    })
}

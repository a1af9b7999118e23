//! The stores of `serve --store URL`, by the scheme of the URL. The author can add others.

use std::{borrow::Cow, sync::Arc};

use futures::future::{BoxFuture, FutureExt};

use super::{CommandError, Program, print};
#[cfg(feature = "postgres")]
use crate::store::PostgresStore;
#[cfg(feature = "redis")]
use crate::store::RedisStore;
use crate::store::{SqliteStore, Store};

/// A function that opens the store of a URL.
type OpenStore =
    Arc<dyn Fn(String) -> BoxFuture<'static, Result<Arc<dyn Store>, CommandError>> + Send + Sync>;

/// How an author's stores of one scheme are opened.
#[derive(Clone)]
pub(super) struct StoreScheme {
    /// The part of a URL before its first `:`.
    scheme: Cow<'static, str>,
    open: OpenStore,
}

/// The URLs of the SDK's own stores, as people read them. The store of one computer is the last one in lists.
const OWN: [&str; 4] = ["redis://…", "rediss://…", "postgres://…", SQLITE];
const SQLITE: &str = "sqlite:FILE";

impl StoreScheme {
    /// Checks an author's scheme, which is compared with the beginning of a URL.
    fn check(&self) -> Result<(), CommandError> {
        let is_part = |letter: char| matches!(letter, 'a'..='z' | '0'..='9' | '+' | '-' | '.');
        if self
            .scheme
            .starts_with(|letter: char| letter.is_ascii_lowercase())
            && self.scheme.chars().all(is_part)
        {
            return Ok(());
        }
        Err(format!(
            "`{}` is no scheme of a URL\nhelp: write a small letter, and then small letters, digits, `+`, `-` and `.`, as in \
             `store_scheme(\"dynamodb\", …)`",
            self.scheme
        )
        .into())
    }
}

/// Returns the URLs of all stores, as people read them. An author's scheme takes the place of our own.
fn forms(added: &[StoreScheme]) -> Vec<String> {
    let is_ours = |form: &&str| {
        let scheme = form.split(':').next().unwrap_or_default();
        added.iter().all(|each| each.scheme != scheme)
    };
    let (last, others): (Vec<&str>, Vec<&str>) = OWN
        .into_iter()
        .filter(is_ours)
        .partition(|form| *form == SQLITE);
    let others = others.into_iter().map(|form| format!("`{form}`"));
    let added = added.iter().map(|each| format!("`{}:…`", each.scheme));
    let last = last.into_iter().map(|form| format!("`{form}`"));
    others.chain(added).chain(last).collect()
}

/// Returns the help of `--store`.
pub(super) fn help(added: &[StoreScheme]) -> String {
    let forms = forms(added);
    let (last, others) = forms.split_last().expect("the SDK has stores");
    let reach = if last.contains(SQLITE) {
        " on one computer"
    } else {
        ""
    };
    format!(
        "The store that replicas share: {}, or {last}{reach} [default: the one in $HOOKS_STORE]",
        others.join(", ")
    )
}

/// Opens the store of the URL. A message never has the URL, which may have a password in it.
pub(super) async fn open(added: &[StoreScheme], url: &str) -> Result<Arc<dyn Store>, CommandError> {
    added.iter().try_for_each(StoreScheme::check)?;
    let asked = url.split(':').next().unwrap_or_default();
    if let Some(each) = added.iter().find(|each| each.scheme == asked) {
        return (each.open)(url.to_owned()).await;
    }
    match asked {
        #[cfg(feature = "redis")]
        "redis" | "rediss" => Ok(Arc::new(RedisStore::connect(url).await?)),
        #[cfg(not(feature = "redis"))]
        "redis" | "rediss" => Err(lacks(asked, "redis")),
        #[cfg(feature = "postgres")]
        "postgres" | "postgresql" => Ok(Arc::new(PostgresStore::connect(url).await?)),
        #[cfg(not(feature = "postgres"))]
        "postgres" | "postgresql" => Err(lacks(asked, "postgres")),
        "sqlite" => {
            let file = url.strip_prefix("sqlite:").unwrap_or_default();
            Ok(Arc::new(SqliteStore::open(file)?))
        }
        _ => Err(format!(
            "`--store` begins with no known scheme\nhelp: write {}",
            print::listed(&forms(added), "or")
        )
        .into()),
    }
}

#[cfg(not(all(feature = "redis", feature = "postgres")))]
fn lacks(scheme: &str, feature: &str) -> CommandError {
    format!(
        "this program has no store for `{scheme}:`\nhelp: build it with the feature `{feature}` of hooks-sdk"
    )
    .into()
}

impl<H> Program<H> {
    /// Lets `serve --http ADDRESS --store URL` open a store of yours, for URLs that begin with `scheme` and a colon.
    ///
    /// `open` receives the whole URL, as it is in `--store` or in the environment variable `HOOKS_STORE`, and runs before the
    /// server listens. The [`Store`] holds the sessions of all replicas, and carries messages from one replica to another. The
    /// scheme appears in the help of `--store` and in the error about an unknown scheme. A scheme of the SDK's own stores, such
    /// as `redis`, is replaced.
    ///
    /// A scheme is lower-case: a letter, and then letters, digits, `+`, `-` and `.`. Any other one is an error of `serve`
    /// when `--store` is given.
    ///
    /// The help of a binary with commands of its own lists the SDK's stores only, because its clap command knows no program.
    ///
    /// ```
    /// use hooks_sdk::{cli::Program, store::MemoryStore};
    /// # use hooks_sdk::{rmcp::ServerHandler, store::StoreError};
    /// # struct Notes;
    /// # impl ServerHandler for Notes {}
    /// # struct DynamoStore;
    /// # impl DynamoStore {
    /// #     async fn connect(_url: &str) -> Result<MemoryStore, StoreError> { Ok(MemoryStore::new()) }
    /// # }
    ///
    /// // notes serve --http 127.0.0.1:8080 --store dynamodb://eu-central-1/sessions
    /// let program = Program::new("notes", || Ok(Notes))
    ///     .store_scheme("dynamodb", async |url: String| Ok(DynamoStore::connect(&url).await?));
    /// ```
    pub fn store_scheme<S, F>(
        mut self,
        scheme: impl Into<Cow<'static, str>>,
        open: impl Fn(String) -> F + Send + Sync + 'static,
    ) -> Program<H>
    where
        S: Store,
        F: Future<Output = Result<S, CommandError>> + Send + 'static,
    {
        let scheme = scheme.into();
        self.store_schemes.retain(|known| known.scheme != scheme);
        self.store_schemes.push(StoreScheme {
            scheme,
            open: Arc::new(move |url| {
                let opened = open(url);
                async { Ok(Arc::new(opened.await?) as Arc<dyn Store>) }.boxed()
            }),
        });
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cli::desk::HangingDesk, store::MemoryStore};

    fn program(scheme: &'static str) -> Program<HangingDesk> {
        Program::new("desk", || Ok(HangingDesk))
            .store_scheme(scheme, async |_: String| Ok(MemoryStore::new()))
    }

    async fn complaint(schemes: &[StoreScheme], url: &str) -> String {
        let opened = open(schemes, url).await;
        opened.err().expect("an error").to_string()
    }

    #[tokio::test]
    async fn an_unknown_scheme_is_answered_with_the_known_ones() {
        let unknown = "`--store` begins with no known scheme\nhelp: write ";
        assert_eq!(
            complaint(&[], "mongodb://user:secret@host").await,
            format!("{unknown}`redis://…`, `rediss://…`, `postgres://…` or `sqlite:FILE`")
        );
        let schemes = program("dynamodb").store_schemes;
        assert_eq!(
            complaint(&schemes, "Dynamodb://x").await,
            format!(
                "{unknown}`redis://…`, `rediss://…`, `postgres://…`, `dynamodb:…` or `sqlite:FILE`"
            )
        );
        assert!(open(&schemes, "dynamodb://x").await.is_ok());
        assert_eq!(
            help(&[]),
            "The store that replicas share: `redis://…`, `rediss://…`, `postgres://…`, or `sqlite:FILE` on one computer \
             [default: the one in $HOOKS_STORE]"
        );
    }

    #[tokio::test]
    async fn an_authors_scheme_replaces_ours_and_is_checked() {
        for scheme in ["redis", "sqlite", "x+y-2.z"] {
            let schemes = program(scheme).store_schemes;
            assert!(open(&schemes, &format!("{scheme}:x")).await.is_ok());
        }
        for scheme in ["", "dynamodb:", "Dynamo", "2d", "a b"] {
            let schemes = program(scheme).store_schemes;
            let wrong = complaint(&schemes, "sqlite::memory:").await;
            let expected = format!("`{scheme}` is no scheme of a URL\nhelp: write ");
            assert!(wrong.starts_with(&expected), "{wrong}");
        }
    }
}

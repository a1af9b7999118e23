//! The stores of `serve --store URL`: a row for each scheme of a URL, to which the author can add others.

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

/// How the stores of one scheme are opened.
#[derive(Clone)]
pub(super) struct StoreScheme {
    /// The part of a URL before its first `:`.
    scheme: Cow<'static, str>,
    /// A URL as the help and errors show it; `None` for a further name of a scheme.
    form: Option<Cow<'static, str>>,
    /// What the help says behind the URL.
    reach: &'static str,
    /// The feature of hooks-sdk that is missing, if the program was built without this store.
    open: Result<OpenStore, &'static str>,
}

/// Opens a store, if the program is built with the feature of that store.
macro_rules! with_feature {
    ($feature:tt, $open:expr) => {{
        #[cfg(feature = $feature)]
        let open = Ok(opening($open));
        #[cfg(not(feature = $feature))]
        let open = Err($feature);
        open
    }};
}

/// Returns the schemes of the SDK's own stores.
pub(super) fn own() -> Vec<StoreScheme> {
    let redis = |scheme, form| {
        let open = with_feature!("redis", async |url: String| Ok(
            RedisStore::connect(&url).await?
        ));
        StoreScheme::own(scheme, Some(form), open)
    };
    let postgres = |scheme, form| {
        let open = with_feature!("postgres", async |url: String| {
            Ok(PostgresStore::connect(&url).await?)
        });
        StoreScheme::own(scheme, form, open)
    };
    let sqlite = opening(async |url: String| {
        let file = url.strip_prefix("sqlite:").unwrap_or_default();
        Ok(SqliteStore::open(file)?)
    });
    vec![
        redis("redis", "redis://…"),
        redis("rediss", "rediss://…"),
        postgres("postgres", Some("postgres://…")),
        postgres("postgresql", None),
        StoreScheme {
            reach: " on one computer",
            ..StoreScheme::own("sqlite", Some("sqlite:FILE"), Ok(sqlite))
        },
    ]
}

/// Forgets the type of a store.
fn opening<S, F>(open: impl Fn(String) -> F + Send + Sync + 'static) -> OpenStore
where
    S: Store,
    F: Future<Output = Result<S, CommandError>> + Send + 'static,
{
    Arc::new(move |url| {
        let opened = open(url);
        async { Ok(Arc::new(opened.await?) as Arc<dyn Store>) }.boxed()
    })
}

impl StoreScheme {
    fn own(
        scheme: &'static str,
        form: Option<&'static str>,
        open: Result<OpenStore, &'static str>,
    ) -> StoreScheme {
        StoreScheme {
            scheme: scheme.into(),
            form: form.map(Cow::from),
            reach: "",
            open,
        }
    }

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

/// Returns the help of `--store`.
pub(super) fn help(schemes: &[StoreScheme]) -> String {
    let shown = |scheme: &StoreScheme| {
        let form = scheme.form.as_ref()?;
        Some(format!("`{form}`{}", scheme.reach))
    };
    let shown: Vec<String> = schemes.iter().filter_map(shown).collect();
    let (last, others) = shown.split_last().expect("the SDK has stores");
    format!(
        "The store that replicas share: {}, or {last}; when left out, the one that $HOOKS_STORE names",
        others.join(", ")
    )
}

/// Opens the store of the URL. A message never has the URL, which may have a password in it.
pub(super) async fn open(
    schemes: &[StoreScheme],
    url: &str,
) -> Result<Arc<dyn Store>, CommandError> {
    schemes.iter().try_for_each(StoreScheme::check)?;
    let asked = url.split(':').next().unwrap_or_default();
    let Some(scheme) = schemes.iter().find(|scheme| scheme.scheme == asked) else {
        let forms = schemes.iter().filter_map(|scheme| scheme.form.as_ref());
        let forms: Vec<String> = forms.map(|form| format!("`{form}`")).collect();
        return Err(format!(
            "`--store` begins with no known scheme\nhelp: write {}",
            print::listed(&forms, "or")
        )
        .into());
    };
    match &scheme.open {
        Ok(open) => open(url.to_owned()).await,
        Err(feature) => Err(format!(
            "this program has no store for `{asked}:`\nhelp: build it with the feature `{feature}` of hooks-sdk"
        )
        .into()),
    }
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
        // The store of one computer is the last one in lists.
        let before = self.store_schemes.len().saturating_sub(1);
        let added = StoreScheme {
            form: Some(format!("{scheme}:…").into()),
            scheme,
            reach: "",
            open: Ok(opening(open)),
        };
        self.store_schemes.insert(before, added);
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
            complaint(&own(), "mongodb://user:secret@host").await,
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
            help(&own()),
            "The store that replicas share: `redis://…`, `rediss://…`, `postgres://…`, or `sqlite:FILE` on one computer; when \
             left out, the one that $HOOKS_STORE names"
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

//! The forms of keys and tokens, with the rule ids of gitleaks where gitleaks has the rule.

use super::{
    FindingKind,
    FindingKind::{ApiKey, AwsAccessKeyId, GithubToken, Jwt, SlackToken},
    run::{
        Alphabet,
        Alphabet::{Hex, Hyphened, Letters, Path, Upper, Url},
        Runs, begins, ends,
    },
};

/// A form: parts in a row, each a fixed beginning and a run of an alphabet.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) kind: FindingKind,
    pub(super) rule: &'static str,
    parts: &'static [Part],
    needs: Needs,
}

/// A fixed beginning in its own case, and the least length of the run behind it.
#[derive(Debug)]
struct Part(&'static str, Alphabet, usize);

/// What else has to hold of a match.
#[derive(Clone, Copy, Debug)]
enum Needs {
    Nothing,
    /// A digit in its last run.
    Digit,
    /// Its last run has the least length, and no letter follows.
    Exact,
}
use Needs::{Digit, Exact, Nothing};

impl Shape {
    const fn new(kind: FindingKind, rule: &'static str, parts: &'static [Part]) -> Shape {
        Shape {
            kind,
            rule,
            parts,
            needs: Nothing,
        }
    }

    const fn needs(mut self, needs: Needs) -> Shape {
        self.needs = needs;
        self
    }

    /// What the automaton looks for.
    pub(super) const fn beginning(&self) -> &'static str {
        self.parts[0].0
    }

    /// Where the token ends that begins at `start`, if there is one.
    pub(super) fn end(&self, text: &str, start: usize, runs: &mut Runs<'_>) -> Option<usize> {
        let bytes = text.as_bytes();
        if !begins(bytes, start) {
            return None;
        }
        let mut at = start;
        let mut digit = false;
        for (index, Part(beginning, alphabet, least)) in self.parts.iter().enumerate() {
            if !bytes[at..].starts_with(beginning.as_bytes()) {
                return None;
            }
            let body = at + beginning.len();
            (at, digit) = runs.end(index, *alphabet, body);
            let length = at - body;
            let exact = index + 1 == self.parts.len() && matches!(self.needs, Exact);
            if length < *least || exact && length > *least {
                return None;
            }
        }
        let holds = match self.needs {
            Nothing => true,
            Digit => digit,
            Exact => ends(bytes, at),
        };
        holds.then_some(at)
    }
}

/// Every form. Of two forms that begin alike, the longer beginning stands behind the shorter one.
pub(super) const SHAPES: &[Shape] = &[
    Shape::new(
        Jwt,
        "jwt",
        &[Part("eyJ", Url, 5), Part(".eyJ", Url, 5), Part(".", Url, 0)],
    ),
    // GitHub.
    Shape::new(GithubToken, "github-pat", &[Part("ghp_", Letters, 36)]),
    Shape::new(GithubToken, "github-oauth", &[Part("gho_", Letters, 36)]),
    Shape::new(
        GithubToken,
        "github-app-token",
        &[Part("ghu_", Letters, 36)],
    ),
    Shape::new(
        GithubToken,
        "github-app-token",
        &[Part("ghs_", Letters, 36)],
    ),
    Shape::new(
        GithubToken,
        "github-refresh-token",
        &[Part("ghr_", Letters, 36)],
    ),
    Shape::new(
        GithubToken,
        "github-fine-grained-pat",
        &[Part("github_pat_", Url, 22)],
    ),
    // GitLab.
    Shape::new(ApiKey, "gitlab-pat", &[Part("glpat-", Url, 20)]),
    Shape::new(
        ApiKey,
        "gitlab-pat-routable",
        &[
            Part("glpat-", Url, 27),
            Part(".", Letters, 2),
            Part(".", Letters, 9),
        ],
    ),
    Shape::new(ApiKey, "gitlab-ptt", &[Part("glptt-", Hex, 40)]),
    Shape::new(ApiKey, "gitlab-deploy-token", &[Part("gldt-", Url, 20)]),
    Shape::new(ApiKey, "gitlab-feed-token", &[Part("glft-", Url, 20)]),
    Shape::new(ApiKey, "gitlab-scim-token", &[Part("glsoat-", Url, 20)]),
    Shape::new(
        ApiKey,
        "gitlab-oauth-app-secret",
        &[Part("gloas-", Url, 64)],
    ),
    Shape::new(
        ApiKey,
        "gitlab-runner-authentication-token",
        &[Part("glrt-", Url, 20)],
    ),
    Shape::new(
        ApiKey,
        "gitlab-cicd-job-token",
        &[Part("glcbt-", Letters, 1), Part("_", Url, 20)],
    ),
    Shape::new(
        ApiKey,
        "gitlab-kubernetes-agent-token",
        &[Part("glagent-", Url, 50)],
    ),
    Shape::new(
        ApiKey,
        "gitlab-incoming-mail-token",
        &[Part("glimt-", Url, 25)],
    ),
    Shape::new(ApiKey, "gitlab-rrt", &[Part("GR1348941", Url, 20)]),
    // Slack.
    Shape::new(
        SlackToken,
        "slack-bot-token",
        &[Part("xoxb-", Hyphened, 10)],
    ),
    Shape::new(
        SlackToken,
        "slack-user-token",
        &[Part("xoxp-", Hyphened, 10)],
    ),
    Shape::new(
        SlackToken,
        "slack-config-refresh-token",
        &[Part("xoxe-", Hyphened, 10)],
    ),
    Shape::new(
        SlackToken,
        "slack-config-access-token",
        &[Part("xoxe.xoxb-", Hyphened, 10)],
    ),
    Shape::new(
        SlackToken,
        "slack-config-access-token",
        &[Part("xoxe.xoxp-", Hyphened, 10)],
    ),
    Shape::new(
        SlackToken,
        "slack-legacy-workspace-token",
        &[Part("xoxa-", Hyphened, 10)],
    ),
    Shape::new(
        SlackToken,
        "slack-legacy-workspace-token",
        &[Part("xoxr-", Hyphened, 10)],
    ),
    Shape::new(
        SlackToken,
        "slack-legacy-token",
        &[Part("xoxo-", Hyphened, 10)],
    ),
    Shape::new(
        SlackToken,
        "slack-legacy-token",
        &[Part("xoxs-", Hyphened, 10)],
    ),
    Shape::new(
        SlackToken,
        "slack-legacy-token",
        &[Part("xoxc-", Hyphened, 10)],
    ),
    Shape::new(
        SlackToken,
        "slack-app-token",
        &[Part("xapp-", Hyphened, 10)],
    ),
    Shape::new(
        SlackToken,
        "slack-webhook-url",
        &[Part("hooks.slack.com/services/", Path, 10)],
    ),
    Shape::new(
        SlackToken,
        "slack-webhook-url",
        &[Part("hooks.slack.com/workflows/", Path, 10)],
    ),
    Shape::new(
        SlackToken,
        "slack-webhook-url",
        &[Part("hooks.slack.com/triggers/", Path, 10)],
    ),
    // AWS.
    Shape::new(
        AwsAccessKeyId,
        "aws-access-token",
        &[Part("AKIA", Upper, 16)],
    )
    .needs(Exact),
    Shape::new(
        AwsAccessKeyId,
        "aws-access-token",
        &[Part("ASIA", Upper, 16)],
    )
    .needs(Exact),
    Shape::new(
        AwsAccessKeyId,
        "aws-access-token",
        &[Part("ABIA", Upper, 16)],
    )
    .needs(Exact),
    Shape::new(
        AwsAccessKeyId,
        "aws-access-token",
        &[Part("ACCA", Upper, 16)],
    )
    .needs(Exact),
    // Google.
    Shape::new(ApiKey, "gcp-api-key", &[Part("AIza", Url, 35)]),
    Shape::new(
        ApiKey,
        "gcp-oauth-client-secret",
        &[Part("GOCSPX-", Url, 28)],
    ),
    Shape::new(ApiKey, "gcp-oauth-access-token", &[Part("ya29.", Url, 20)]),
    // Stripe, and those who write their keys alike.
    Shape::new(ApiKey, "stripe-access-token", &[Part("sk_", Letters, 24)]),
    Shape::new(
        ApiKey,
        "stripe-access-token",
        &[Part("sk_live_", Letters, 24)],
    ),
    Shape::new(
        ApiKey,
        "stripe-access-token",
        &[Part("sk_test_", Letters, 24)],
    ),
    Shape::new(
        ApiKey,
        "stripe-access-token",
        &[Part("sk_prod_", Letters, 24)],
    ),
    Shape::new(ApiKey, "stripe-access-token", &[Part("rk_", Letters, 24)]),
    Shape::new(
        ApiKey,
        "stripe-access-token",
        &[Part("rk_live_", Letters, 24)],
    ),
    Shape::new(
        ApiKey,
        "stripe-access-token",
        &[Part("rk_test_", Letters, 24)],
    ),
    Shape::new(
        ApiKey,
        "stripe-access-token",
        &[Part("rk_prod_", Letters, 24)],
    ),
    Shape::new(
        ApiKey,
        "stripe-publishable-key",
        &[Part("pk_", Letters, 24)],
    ),
    Shape::new(
        ApiKey,
        "stripe-publishable-key",
        &[Part("pk_live_", Letters, 24)],
    ),
    Shape::new(
        ApiKey,
        "stripe-publishable-key",
        &[Part("pk_test_", Letters, 24)],
    ),
    Shape::new(
        ApiKey,
        "stripe-webhook-secret",
        &[Part("whsec_", Letters, 24)],
    ),
    Shape::new(
        ApiKey,
        "stripe-webhook-secret",
        &[Part("whsec_test_", Letters, 24)],
    ),
    // Models. OpenRouter, DeepSeek and others begin with `sk-` alone.
    Shape::new(ApiKey, "generic-api-key", &[Part("sk-", Url, 16)]).needs(Digit),
    Shape::new(ApiKey, "openai-api-key", &[Part("sk-proj-", Url, 16)]).needs(Digit),
    Shape::new(ApiKey, "openai-api-key", &[Part("sk-svcacct-", Url, 16)]).needs(Digit),
    Shape::new(ApiKey, "openai-api-key", &[Part("sk-admin-", Url, 16)]).needs(Digit),
    Shape::new(ApiKey, "anthropic-api-key", &[Part("sk-ant-api", Url, 16)]).needs(Digit),
    Shape::new(
        ApiKey,
        "anthropic-admin-api-key",
        &[Part("sk-ant-admin", Url, 16)],
    )
    .needs(Digit),
    Shape::new(
        ApiKey,
        "huggingface-access-token",
        &[Part("hf_", Letters, 30)],
    ),
    Shape::new(
        ApiKey,
        "huggingface-organization-api-token",
        &[Part("api_org_", Letters, 34)],
    ),
    Shape::new(ApiKey, "perplexity-api-key", &[Part("pplx-", Letters, 48)]),
    Shape::new(ApiKey, "xai-api-key", &[Part("xai-", Letters, 40)]),
    Shape::new(ApiKey, "groq-api-key", &[Part("gsk_", Letters, 40)]),
    // Packages.
    Shape::new(ApiKey, "npm-access-token", &[Part("npm_", Letters, 36)]),
    Shape::new(ApiKey, "pypi-upload-token", &[Part("pypi-", Url, 50)]),
    Shape::new(ApiKey, "rubygems-api-token", &[Part("rubygems_", Hex, 48)]),
    Shape::new(ApiKey, "crates-io-token", &[Part("cio", Letters, 32)]).needs(Exact),
    // Services.
    Shape::new(
        ApiKey,
        "sendgrid-api-token",
        &[Part("SG.", Url, 16), Part(".", Url, 16)],
    ),
    Shape::new(ApiKey, "twilio-api-key", &[Part("SK", Hex, 32)]),
    Shape::new(ApiKey, "digitalocean-pat", &[Part("dop_v1_", Hex, 64)]),
    Shape::new(
        ApiKey,
        "digitalocean-access-token",
        &[Part("doo_v1_", Hex, 64)],
    ),
    Shape::new(
        ApiKey,
        "digitalocean-refresh-token",
        &[Part("dor_v1_", Hex, 64)],
    ),
    Shape::new(ApiKey, "vault-service-token", &[Part("hvs.", Url, 90)]),
    Shape::new(ApiKey, "vault-batch-token", &[Part("hvb.", Url, 138)]),
    Shape::new(ApiKey, "linear-api-key", &[Part("lin_api_", Letters, 40)]),
    Shape::new(ApiKey, "databricks-api-token", &[Part("dapi", Hex, 32)]),
    Shape::new(
        ApiKey,
        "shopify-access-token",
        &[Part("shpat_", Letters, 32)],
    ),
    Shape::new(
        ApiKey,
        "shopify-shared-secret",
        &[Part("shpss_", Letters, 32)],
    ),
    Shape::new(ApiKey, "docker-pat", &[Part("dckr_pat_", Url, 27)]),
    Shape::new(
        ApiKey,
        "age-secret-key",
        &[Part("AGE-SECRET-KEY-1", Upper, 58)],
    ),
];

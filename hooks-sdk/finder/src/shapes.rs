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

/// Makes the forms of rows: kind and rule, and each part with its beginning, its alphabet and the least length of its run.
macro_rules! shapes {
    ($($kind:ident $rule:literal: $($beginning:literal $alphabet:ident $least:literal),+ $(needs $needs:ident)?;)+) => {
        /// Every form. Of two forms that begin alike, the longer beginning stands behind the shorter one.
        pub(super) const SHAPES: &[Shape] = &[
            $(Shape {
                kind: $kind,
                rule: $rule,
                parts: &[$(Part($beginning, $alphabet, $least)),+],
                needs: needs!($($needs)?),
            },)+
        ];
    };
}

macro_rules! needs {
    () => {
        Nothing
    };
    ($needs:ident) => {
        $needs
    };
}

shapes! {
    Jwt "jwt": "eyJ" Url 5, ".eyJ" Url 5, "." Url 0;
    // GitHub.
    GithubToken "github-pat": "ghp_" Letters 36;
    GithubToken "github-oauth": "gho_" Letters 36;
    GithubToken "github-app-token": "ghu_" Letters 36;
    GithubToken "github-app-token": "ghs_" Letters 36;
    GithubToken "github-refresh-token": "ghr_" Letters 36;
    GithubToken "github-fine-grained-pat": "github_pat_" Url 22;
    // GitLab.
    ApiKey "gitlab-pat": "glpat-" Url 20;
    ApiKey "gitlab-pat-routable": "glpat-" Url 27, "." Letters 2, "." Letters 9;
    ApiKey "gitlab-ptt": "glptt-" Hex 40;
    ApiKey "gitlab-deploy-token": "gldt-" Url 20;
    ApiKey "gitlab-feed-token": "glft-" Url 20;
    ApiKey "gitlab-scim-token": "glsoat-" Url 20;
    ApiKey "gitlab-oauth-app-secret": "gloas-" Url 64;
    ApiKey "gitlab-runner-authentication-token": "glrt-" Url 20;
    ApiKey "gitlab-cicd-job-token": "glcbt-" Letters 1, "_" Url 20;
    ApiKey "gitlab-kubernetes-agent-token": "glagent-" Url 50;
    ApiKey "gitlab-incoming-mail-token": "glimt-" Url 25;
    ApiKey "gitlab-rrt": "GR1348941" Url 20;
    // Slack.
    SlackToken "slack-bot-token": "xoxb-" Hyphened 10;
    SlackToken "slack-user-token": "xoxp-" Hyphened 10;
    SlackToken "slack-config-refresh-token": "xoxe-" Hyphened 10;
    SlackToken "slack-config-access-token": "xoxe.xoxb-" Hyphened 10;
    SlackToken "slack-config-access-token": "xoxe.xoxp-" Hyphened 10;
    SlackToken "slack-legacy-workspace-token": "xoxa-" Hyphened 10;
    SlackToken "slack-legacy-workspace-token": "xoxr-" Hyphened 10;
    SlackToken "slack-legacy-token": "xoxo-" Hyphened 10;
    SlackToken "slack-legacy-token": "xoxs-" Hyphened 10;
    SlackToken "slack-legacy-token": "xoxc-" Hyphened 10;
    SlackToken "slack-app-token": "xapp-" Hyphened 10;
    SlackToken "slack-webhook-url": "hooks.slack.com/services/" Path 10;
    SlackToken "slack-webhook-url": "hooks.slack.com/workflows/" Path 10;
    SlackToken "slack-webhook-url": "hooks.slack.com/triggers/" Path 10;
    // AWS.
    AwsAccessKeyId "aws-access-token": "AKIA" Upper 16 needs Exact;
    AwsAccessKeyId "aws-access-token": "ASIA" Upper 16 needs Exact;
    AwsAccessKeyId "aws-access-token": "ABIA" Upper 16 needs Exact;
    AwsAccessKeyId "aws-access-token": "ACCA" Upper 16 needs Exact;
    // Google.
    ApiKey "gcp-api-key": "AIza" Url 35;
    ApiKey "gcp-oauth-client-secret": "GOCSPX-" Url 28;
    ApiKey "gcp-oauth-access-token": "ya29." Url 20;
    // Stripe, and those who write their keys alike.
    ApiKey "stripe-access-token": "sk_" Letters 24;
    ApiKey "stripe-access-token": "sk_live_" Letters 24;
    ApiKey "stripe-access-token": "sk_test_" Letters 24;
    ApiKey "stripe-access-token": "sk_prod_" Letters 24;
    ApiKey "stripe-access-token": "rk_" Letters 24;
    ApiKey "stripe-access-token": "rk_live_" Letters 24;
    ApiKey "stripe-access-token": "rk_test_" Letters 24;
    ApiKey "stripe-access-token": "rk_prod_" Letters 24;
    ApiKey "stripe-publishable-key": "pk_" Letters 24;
    ApiKey "stripe-publishable-key": "pk_live_" Letters 24;
    ApiKey "stripe-publishable-key": "pk_test_" Letters 24;
    ApiKey "stripe-webhook-secret": "whsec_" Letters 24;
    ApiKey "stripe-webhook-secret": "whsec_test_" Letters 24;
    // Models. OpenRouter, DeepSeek and others begin with `sk-` alone.
    ApiKey "generic-api-key": "sk-" Url 16 needs Digit;
    ApiKey "openai-api-key": "sk-proj-" Url 16 needs Digit;
    ApiKey "openai-api-key": "sk-svcacct-" Url 16 needs Digit;
    ApiKey "openai-api-key": "sk-admin-" Url 16 needs Digit;
    ApiKey "anthropic-api-key": "sk-ant-api" Url 16 needs Digit;
    ApiKey "anthropic-admin-api-key": "sk-ant-admin" Url 16 needs Digit;
    ApiKey "huggingface-access-token": "hf_" Letters 30;
    ApiKey "huggingface-organization-api-token": "api_org_" Letters 34;
    ApiKey "perplexity-api-key": "pplx-" Letters 48;
    ApiKey "xai-api-key": "xai-" Letters 40;
    ApiKey "groq-api-key": "gsk_" Letters 40;
    // Packages.
    ApiKey "npm-access-token": "npm_" Letters 36;
    ApiKey "pypi-upload-token": "pypi-" Url 50;
    ApiKey "rubygems-api-token": "rubygems_" Hex 48;
    ApiKey "crates-io-token": "cio" Letters 32 needs Exact;
    // Services.
    ApiKey "sendgrid-api-token": "SG." Url 16, "." Url 16;
    ApiKey "twilio-api-key": "SK" Hex 32;
    ApiKey "digitalocean-pat": "dop_v1_" Hex 64;
    ApiKey "digitalocean-access-token": "doo_v1_" Hex 64;
    ApiKey "digitalocean-refresh-token": "dor_v1_" Hex 64;
    ApiKey "vault-service-token": "hvs." Url 90;
    ApiKey "vault-batch-token": "hvb." Url 138;
    ApiKey "linear-api-key": "lin_api_" Letters 40;
    ApiKey "databricks-api-token": "dapi" Hex 32;
    ApiKey "shopify-access-token": "shpat_" Letters 32;
    ApiKey "shopify-shared-secret": "shpss_" Letters 32;
    ApiKey "docker-pat": "dckr_pat_" Url 27;
    ApiKey "age-secret-key": "AGE-SECRET-KEY-1" Upper 58;
}

//! Every wrong argument is a tool result that says what to change, and changes nothing.

use crate::peer::Peer;
use memory_server::store::check;
use serde_json::{Value, json};

async fn refused(tool: &str, arguments: Value, what: &str, help: &str) {
    let folder = tempfile::tempdir().unwrap();
    let peer = Peer::at(&folder.path().join("memory.db")).await;
    peer.call(tool, arguments).await.refuses(what, help);
    let topics = peer.call("list_topics", json!({ "project": "p" })).await;
    assert!(
        topics.text.contains("no project has any yet"),
        "{}",
        topics.text
    );
}

macro_rules! refused {
    ($($name:ident: $tool:literal $arguments:tt => $what:expr, $help:expr;)+) => {
        $(#[tokio::test]
        async fn $name() {
            refused($tool, json!($arguments), $what, $help).await;
        })+
    };
}

const SCHEMA: &str = "input schema";

refused! {
    tags_of_the_wrong_type:
        "store_memory" { "project": "p", "content": "c", "tags": 7 }
        => "`tags`: invalid type: integer `7`, expected a list of strings or one string", SCHEMA;
    a_misspelt_argument:
        "store_memory" { "project": "p", "content": "c", "tags": [], "sourse": "s" }
        => "unknown field `sourse`", SCHEMA;
    a_project_of_two_lines:
        "list_topics" { "project": "a\nb" }
        => "`project` has a line break", "one line";
    empty_content:
        "store_memory" { "project": "p", "content": " \n", "tags": [] }
        => "`content` is empty", "worth remembering";
    content_over_the_size:
        "store_memory" { "project": "p", "content": ("x".repeat(check::MAX_CONTENT + 1)), "tags": [] }
        => "`content` has 65537 bytes, the limit is 65536", "split it";
    a_nul_in_the_content:
        "store_memory" { "project": "p", "content": "a\0b", "tags": [] }
        => "NUL", "remove it";
    too_many_tags:
        "store_memory" { "project": "p", "content": "c", "tags": ((0..40).map(|n| n.to_string()).collect::<Vec<_>>()) }
        => "more than 32 tags", "later search";
    an_unknown_supersedes:
        "store_memory" { "project": "p", "content": "c", "tags": [], "supersedes": "nope" }
        => "there is no memory `nope` in project `p`", "search_memories";
    an_empty_batch:
        "store_batch" { "project": "p", "memories": [] }
        => "`memories` has 0 entries", "1 to 100";
    a_batch_with_one_bad_entry:
        "store_batch" { "project": "p", "memories": [
            { "content": "good", "tags": [] }, { "content": "", "tags": [] }] }
        => "`memories[1]`: `content` is empty", "nothing of this batch was stored";
    an_unknown_mode:
        "search_memories" { "project": "p", "query": "q", "mode": "deep" }
        => "`mode`: unknown variant `deep`, expected one of `probe`, `summary`, `full`", SCHEMA;
    a_limit_of_zero:
        "search_memories" { "project": "p", "query": "q", "limit": 0 }
        => "`limit` is 0", "from 1 to 50";
    an_invalid_date:
        "search_memories" { "project": "p", "query": "q", "after": "yesterday" }
        => "`after` is not an ISO 8601 date: `yesterday`", "2026-11-20";
    dates_in_the_wrong_order:
        "search_memories" { "project": "p", "query": "q", "after": "2026-02-02", "before": "2026-02-01" }
        => "is not earlier than `before`", "exchange";
    a_min_score_above_one:
        "search_memories" { "project": "p", "query": "q", "min_score": 1.5 }
        => "`min_score` is 1.5", "from 0 to 1";
    a_query_too_long:
        "search_memories" { "project": "p", "query": ("x".repeat(5000)) }
        => "`query` has 5000 characters", "few words";
    a_reminder_without_an_offset:
        "remind_me" { "project": "p", "text": "t", "at": "2999-01-01T09:00:00" }
        => "`at` is no RFC 3339 time with its offset", "+01:00";
    a_reminder_that_is_past:
        "remind_me" { "project": "p", "text": "t", "at": "2020-01-01T09:00:00Z" }
        => "is not to come", "give a later time; it is 2";
    no_ids:
        "expand_memories" { "project": "p", "memory_ids": [] }
        => "`memory_ids` has 0 entries", "1 to 50";
    an_update_of_nothing:
        "update_memory" { "project": "p", "memory_id": "nope" }
        => "nothing to change", "at least one of";
    a_retag_without_tags:
        "retag_memory" { "project": "p", "memory_id": "nope" }
        => "no tags to change", "either `set_tags`";
    a_retag_with_both_ways:
        "retag_memory" { "project": "p", "memory_id": "nope", "set_tags": [], "add_tags": ["a"] }
        => "`set_tags` was given together", "either `set_tags`";
}

#[tokio::test]
async fn ids_of_another_project_and_superseded_ones_say_where_to_look() {
    let folder = tempfile::tempdir().unwrap();
    let peer = Peer::at(&folder.path().join("memory.db")).await;
    let store = |content: &str, supersedes: Option<&str>| json!({ "project": "p", "content": content, "tags": [], "supersedes": supersedes });
    let old = peer.call("store_memory", store("one", None)).await.id();
    let new = peer
        .call("store_memory", store("two", Some(&old)))
        .await
        .id();

    let elsewhere = json!({ "project": "q", "memory_id": old });
    let answer = peer.call("delete_memory", elsewhere).await;
    answer.refuses("in project `q`", "it is in project `p`");
    let answer = peer.call("store_memory", store("three", Some(&old))).await;
    answer.refuses("already superseded", &format!("supersede `{new}`"));
}

#[tokio::test]
async fn no_query_is_a_syntax_error() {
    let folder = tempfile::tempdir().unwrap();
    let peer = Peer::at(&folder.path().join("memory.db")).await;
    let kept = json!({ "project": "p", "content": "AND OR NOT NEAR content tags", "tags": [] });
    peer.call("store_memory", kept).await.id();
    let many = "n ".repeat(2000);
    let odd = "\" ' a\"b AND OR_OR NOT NEAR(a_b) content:x tags_:_x a* *a (a a) ^a -a a_AND {a_b}:c \0 a\0b \\ ;-- % é̀ 日本語";
    let odd = odd.split(' ').map(|query| query.replace('_', " "));
    for query in odd.chain([many]) {
        let arguments = json!({ "project": "p", "query": query });
        let answer = peer.call("search_memories", arguments).await;
        assert!(!answer.is_error, "{query:?}: {}", answer.text);
    }
}

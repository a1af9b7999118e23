//! What a search shows, ranks and leaves out.

use serde_json::{Value, json};

use crate::tools::{fresh, ids, keep, matches, remember, search, with};

#[tokio::test]
async fn the_modes_show_a_line_a_preview_or_everything() {
    let (_folder, peer) = fresh().await;
    let first = "ü".repeat(400);
    let content = format!("{first}\nsecond line about retries");
    let id = peer
        .call(
            "store_memory",
            json!({ "project": "shop", "content": content, "tags": ["t"], "source": "a.rs" }),
        )
        .await
        .id();
    let ask = async |mode: &str| {
        let arguments = json!({ "project": "shop", "query": "retries", "mode": mode });
        peer.call("search_memories", arguments).await.text
    };
    let probe = ask("probe").await;
    assert_eq!(probe.matches('ü').count(), 149);
    let today = jiff::Timestamp::now().strftime("%Y-%m-%d").to_string();
    assert!(
        probe.contains(&format!("Source: a.rs | {today} | ID: {id}")),
        "{probe}"
    );
    let summary = ask("summary").await;
    assert_eq!(summary.matches('ü').count(), 199);
    assert!(summary.contains("Tags: t"), "{summary}");
    let full = ask("full").await;
    assert!(full.contains(&content), "{full}");

    let full = search(&peer, "retries", json!({ "mode": "full" })).await;
    assert_eq!(full[0]["content"], content);
}

#[tokio::test]
async fn the_best_hit_comes_first_and_min_score_is_a_share_of_it() {
    let (_folder, peer) = fresh().await;
    let both = remember(&peer, "postgres replication lag").await;
    remember(&peer, "replication of the catalogue to the search index").await;
    for n in 0..5 {
        remember(&peer, &format!("filler number{n} text{n}")).await;
    }
    let found = search(&peer, "postgres replication", json!({})).await;
    assert_eq!(found.len(), 2);
    assert_eq!(found[0]["id"], both.as_str());
    assert_eq!(found[0]["score"], 1.0);
    let best = search(&peer, "postgres replication", json!({ "min_score": 0.9 })).await;
    assert_eq!(ids(&best), [both.as_str()]);
}

#[tokio::test]
async fn a_query_without_words_lists_the_newest_and_the_limit_counts() {
    let (_folder, peer) = fresh().await;
    let mut stored = Vec::new();
    for n in 0..4 {
        stored.push(remember(&peer, &format!("entry{n} word{n}")).await);
    }
    stored.reverse();
    for query in ["", "  ", "?!", "\"", "*", "(", "^", "🦀"] {
        let found = search(&peer, query, json!({ "limit": 3 })).await;
        assert_eq!(ids(&found), stored[..3], "{query:?}");
    }
    let more = json!({ "project": "shop", "query": "", "limit": 3 });
    let text = peer.call("search_memories", more).await.text;
    assert!(text.contains("raise `limit`"), "{text}");
}

#[tokio::test]
async fn dates_and_sources_narrow_a_search() {
    let (_folder, peer) = fresh().await;
    let arguments = json!({
        "project": "shop", "content": "A cron job", "tags": [], "source": "file:src/cron.rs"
    });
    let id = peer.call("store_memory", arguments).await.id();
    for (more, expected) in [
        (json!({ "after": "2020-01-01" }), true),
        (json!({ "after": "2999-01-01T00:00:00Z" }), false),
        (json!({ "before": "2999-01-01T10:00:00+02:00" }), true),
        (json!({ "before": "2020-01-01" }), false),
        (json!({ "source": "file:src/" }), true),
        (json!({ "source": "src/" }), false),
    ] {
        let found = search(&peer, "cron", more.clone()).await;
        assert_eq!(ids(&found) == [id.as_str()], expected, "{more}");
    }
}

#[tokio::test]
async fn when_no_memory_matches_the_answer_says_so_and_lists_the_newest() {
    let (_folder, peer) = fresh().await;
    let mut stored = Vec::new();
    for n in 0..4 {
        let content = format!("entry{n} and word{n} for the shop");
        stored.push(keep(&peer, "shop", &content, json!(["t"])).await);
    }
    stored.reverse();
    keep(&peer, "bank", "elsewhere", json!([])).await;
    // The query of the server's own session_start hook: its `and` is in every memory and says nothing.
    let query = "recent work and decisions";
    let asked = json!({ "project": "shop", "query": query, "mode": "probe", "limit": 3 });
    let text = peer.call("search_memories", asked.clone()).await.text;
    let heading = "[shop] no memory matches `recent work and decisions`; the newest:\n\n1. entry3";
    assert!(text.starts_with(heading), "{text}");
    assert!(text.contains("\n\n3. entry1"), "{text}");
    assert!(
        !text.contains("entry0") && !text.contains("Score"),
        "{text}"
    );

    let asked = with(asked, &json!({ "output": "json" }));
    let answer = peer.call("search_memories", asked.clone()).await.structured;
    assert_eq!(answer["has_more"], true);
    let results = answer["results"].as_array().unwrap();
    assert_eq!(ids(results), stored[..3]);
    assert!(
        results.iter().all(|result| result["score"].is_null()),
        "{answer}"
    );

    for (more, matched, ranked, results) in [
        (json!({}), false, false, 3),
        (json!({ "query": "decisions entry2" }), true, true, 1),
        (json!({ "query": "" }), true, false, 3),
        (json!({ "min_score": 0 }), false, true, 0),
        (json!({ "tags": ["nobody"] }), false, false, 0),
        (json!({ "before": "2020-01-01" }), false, false, 0),
        (json!({ "query": "and", "limit": 50 }), true, true, 4),
    ] {
        let answer = peer
            .call("search_memories", with(asked.clone(), &more))
            .await;
        let answer = answer.structured;
        let came = (
            &answer["matched"],
            &answer["ranked"],
            answer["results"].as_array().unwrap().len(),
        );
        assert_eq!(
            came,
            (&json!(matched), &json!(ranked), results),
            "{more}: {answer}"
        );
    }
}

#[tokio::test]
async fn an_answer_without_memories_says_what_was_missing() {
    let (_folder, peer) = fresh().await;
    let ask = async |more: Value| {
        let asked = json!({ "project": "shop", "query": "retries" });
        peer.call("search_memories", with(asked, &more)).await.text
    };
    let text = ask(json!({})).await;
    assert!(
        text.starts_with("[shop] no memory matches `retries`, and there are no others."),
        "{text}"
    );
    let text = ask(json!({ "min_score": 0.5 })).await;
    assert!(
        text.starts_with("[shop] no memory matches `retries`. Try other words"),
        "{text}"
    );
    let text = ask(json!({ "query": "" })).await;
    assert!(text.starts_with("[shop] no memories yet."), "{text}");
    remember(&peer, "Retries stop after three").await;
    assert_eq!(matches(&peer, "retries").await.len(), 1);
}

#[tokio::test]
async fn words_are_found_without_accents_within_paths_and_in_other_forms() {
    let (_folder, peer) = fresh().await;
    let content = "Café: retried e-mails go through src/queue/worker_pool.rs, see https://example.org/a?b=c, <b>v2</b> of 1e5";
    let id = keep(&peer, "shop", content, json!(["größe"])).await;
    for query in [
        "why did the café retry?",
        "work",
        "CAFÉ",
        "cafe\u{301}",
        "retry",
        "retries",
        "mail",
        "queue",
        "worker",
        "pool",
        "rs",
        "example",
        "b",
        "v2",
        "1e5",
        "grosse größe",
        "grösse grosse grö\u{df}e",
        "https",
    ] {
        let found = matches(&peer, query).await;
        assert_eq!(ids(&found), [id.as_str()], "{query}");
    }
    for query in ["caf", "wor", "tags", "kafe"] {
        assert!(matches(&peer, query).await.is_empty(), "{query}");
    }
}

#[tokio::test]
async fn a_tag_counts_more() {
    let (_folder, peer) = fresh().await;
    remember(&peer, "an oboe is of wood mostly").await;
    let tags = json!(["oboe"]);
    let tagged = keep(&peer, "shop", "a reed is of cane mostly", tags).await;
    let found = search(&peer, "oboe", json!({})).await;
    assert_eq!(found[0]["id"], tagged.as_str());
}

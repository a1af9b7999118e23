//! What a search shows, ranks and leaves out.

use serde_json::{Value, json};

use crate::tools::{fresh, ids, keep, matches, search};

#[tokio::test]
async fn the_modes_show_a_line_a_preview_or_everything() {
    let (_folder, mut peer) = fresh().await;
    let first = "ü".repeat(400);
    let content = format!("{first}\nsecond line about retries");
    let id = peer
        .call(
            "store_memory",
            json!({ "project": "shop", "content": content, "tags": ["t"], "source": "a.rs" }),
        )
        .await
        .id();
    let mut ask = async |mode: &str| {
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

    let full = search(&mut peer, "retries", json!({ "mode": "full" })).await;
    assert_eq!(full[0]["content"], content);
    let summary = search(&mut peer, "retries", json!({})).await;
    assert_eq!(
        summary[0]["content_preview"]
            .as_str()
            .unwrap()
            .chars()
            .count(),
        200
    );
}

#[tokio::test]
async fn the_best_hit_comes_first_and_min_score_is_a_share_of_it() {
    let (_folder, mut peer) = fresh().await;
    let both = keep(&mut peer, "shop", "postgres replication lag", json!([])).await;
    keep(
        &mut peer,
        "shop",
        "replication of the catalogue to the search index",
        json!([]),
    )
    .await;
    for n in 0..5 {
        keep(
            &mut peer,
            "shop",
            &format!("filler number{n} text{n}"),
            json!([]),
        )
        .await;
    }
    let found = search(&mut peer, "postgres replication", json!({})).await;
    assert_eq!(found.len(), 2);
    assert_eq!(found[0]["id"], both.as_str());
    assert_eq!(found[0]["score"], 1.0);
    let best = search(
        &mut peer,
        "postgres replication",
        json!({ "min_score": 0.9 }),
    )
    .await;
    assert_eq!(ids(&best), [both.as_str()]);
}

#[tokio::test]
async fn a_query_without_words_lists_the_newest_and_the_limit_counts() {
    let (_folder, mut peer) = fresh().await;
    let mut stored = Vec::new();
    for n in 0..4 {
        stored.push(keep(&mut peer, "shop", &format!("entry{n} word{n}"), json!([])).await);
    }
    stored.reverse();
    for query in ["", "  ", "?!", "\"", "*", "(", "^", "🦀"] {
        let found = search(&mut peer, query, json!({ "limit": 3 })).await;
        assert_eq!(ids(&found), stored[..3], "{query:?}");
    }
    let more = json!({ "project": "shop", "query": "", "limit": 3 });
    let text = peer.call("search_memories", more).await.text;
    assert!(text.contains("raise `limit`"), "{text}");
}

#[tokio::test]
async fn dates_and_sources_narrow_a_search() {
    let (_folder, mut peer) = fresh().await;
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
        let found = search(&mut peer, "cron", more.clone()).await;
        assert_eq!(ids(&found) == [id.as_str()], expected, "{more}");
    }
}

#[tokio::test]
async fn optional_strings_without_text_count_as_left_out() {
    let (_folder, mut peer) = fresh().await;
    let arguments = json!({
        "project": "shop", "content": "Kept", "tags": [], "source": "", "supersedes": ""
    });
    let id = peer.call("store_memory", arguments).await.id();
    let more = json!({ "after": "", "before": "", "source": "", "tags": "" });
    assert_eq!(ids(&search(&mut peer, "kept", more).await), [id.as_str()]);
}

#[tokio::test]
async fn when_no_memory_matches_the_answer_says_so_and_lists_the_newest() {
    let (_folder, mut peer) = fresh().await;
    let mut stored = Vec::new();
    for n in 0..4 {
        let content = format!("entry{n} and word{n} for the shop");
        stored.push(keep(&mut peer, "shop", &content, json!(["t"])).await);
    }
    stored.reverse();
    keep(&mut peer, "bank", "elsewhere", json!([])).await;
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

    let json_of = |asked: &Value, more: Value| {
        let mut asked = asked.clone();
        asked["output"] = json!("json");
        asked
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        asked
    };
    let answer = peer
        .call("search_memories", json_of(&asked, json!({})))
        .await
        .structured;
    assert_eq!(
        (&answer["matched"], &answer["ranked"]),
        (&json!(false), &json!(false))
    );
    assert_eq!(answer["has_more"], true);
    let results = answer["results"].as_array().unwrap();
    assert_eq!(ids(results), stored[..3]);
    assert!(
        results.iter().all(|result| result["score"].is_null()),
        "{answer}"
    );

    for (more, matched, ranked, results) in [
        (json!({ "query": "decisions entry2" }), true, true, 1),
        (json!({ "query": "" }), true, false, 3),
        (json!({ "min_score": 0 }), false, true, 0),
        (json!({ "tags": ["nobody"] }), false, false, 0),
        (json!({ "before": "2020-01-01" }), false, false, 0),
        (json!({ "query": "and", "limit": 50 }), true, true, 4),
    ] {
        let answer = peer
            .call("search_memories", json_of(&asked, more.clone()))
            .await
            .structured;
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
    let (_folder, mut peer) = fresh().await;
    let mut ask = async |more: Value| {
        let mut asked = json!({ "project": "shop", "query": "retries" });
        asked
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        peer.call("search_memories", asked).await.text
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
    keep(&mut peer, "shop", "Retries stop after three", json!([])).await;
    assert_eq!(matches(&mut peer, "retries").await.len(), 1);
}

#[tokio::test]
async fn words_are_found_without_accents_within_paths_and_in_other_forms() {
    let (_folder, mut peer) = fresh().await;
    let content = "Café: retried e-mails go through src/queue/worker_pool.rs, see https://example.org/a?b=c, <b>v2</b> of 1e5";
    let id = keep(&mut peer, "shop", content, json!(["größe"])).await;
    for query in [
        "cafe",
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
        let found = matches(&mut peer, query).await;
        assert_eq!(ids(&found), [id.as_str()], "{query}");
    }
    for query in ["caf", "wor", "tags", "kafe"] {
        assert!(matches(&mut peer, query).await.is_empty(), "{query}");
    }
}

#[tokio::test]
async fn a_rare_word_and_a_tag_count_more() {
    let (_folder, mut peer) = fresh().await;
    for n in 0..8 {
        let content = format!("the deployment number{n} went through stage{n}");
        keep(&mut peer, "shop", &content, json!([])).await;
    }
    let rare = keep(
        &mut peer,
        "shop",
        "the zither has other parts here",
        json!([]),
    )
    .await;
    let found = search(&mut peer, "deployment zither", json!({ "limit": 50 })).await;
    assert_eq!((found[0]["id"].as_str(), found.len()), (Some(&*rare), 9));

    keep(
        &mut peer,
        "shop",
        "an oboe is made of wood mostly",
        json!([]),
    )
    .await;
    let tagged = keep(
        &mut peer,
        "shop",
        "a reed is made of cane mostly",
        json!(["oboe"]),
    )
    .await;
    let found = search(&mut peer, "oboe", json!({})).await;
    assert_eq!(found[0]["id"], tagged.as_str());
}

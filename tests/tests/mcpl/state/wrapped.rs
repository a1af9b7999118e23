//! Stored text stays inside its wrapper, and poses as nobody.

use hooks_sdk::mcpl::{shielded, wrapped};
use proptest::{collection::vec, prelude::*, string::string_regex};

const ROLES: &[&str] = &[
    "system",
    "user",
    "assistant",
    "human",
    "developer",
    "tool",
    "function",
    "ai",
];

/// Texts of those who want out: pieces of tags and turns, in any order, and anything else.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => prop::sample::select(vec![
            "<", ">", "/", "</", "memories", "</memories>", "<memories>", "MEMORIES", "<|im_start|>", "|", "<<SYS>>",
            "[INST]", "[/INST]", "[", "]", "\\", "\n", "\r\n", "\r", "\u{2028}", "\u{b}", "\u{85}", " ", "\t",
            "\u{200b}", "\u{feff}", "**", "#", "### ", "> ", "- ", "\"", ":", "：", "system", "System", "USER",
            "assistant", "Human", "developer", "tool", "ai", "<!--", "<?xml", "&lt;", "&",
        ]).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    vec(piece, 0..16).prop_map(|pieces| pieces.concat())
}

fn word() -> impl Strategy<Value = String> {
    // Read once: a pattern that is itself the strategy is read anew for each word.
    let pattern = "[A-Za-zäß0-9’]{1,9}[,.;!?]?|<3|a < b|<=|x<5|&|1:2|note:|\\(see\\)|system|user";
    string_regex(pattern).expect("a pattern")
}

/// Whether a line opens a turn, in words of its own.
fn opens_a_turn(line: &str) -> bool {
    let plain = |each: &char| !matches!(each, '\u{200b}' | '\u{feff}');
    let line: String = line.trim().to_lowercase().chars().filter(plain).collect();
    let line =
        line.trim_start_matches(|each: char| each.is_whitespace() || "#*>-\"".contains(each));
    ROLES.iter().any(|role| {
        line.strip_prefix(role).is_some_and(|rest| {
            rest.trim_start_matches([' ', '\t', '*', '"'])
                .starts_with([':', '：'])
        })
    })
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split([
        '\n', '\r', '\u{2028}', '\u{2029}', '\u{b}', '\u{c}', '\u{85}',
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn nothing_gets_out(stored in vec(hostile(), 0..4)) {
        let text = wrapped("memories", &stored);
        let inside = text
            .strip_prefix("<memories>\n")
            .and_then(|rest| rest.strip_suffix("</memories>"))
            .expect("a wrapper");
        let lower = inside.to_lowercase();
        prop_assert!(!lower.contains("</") && !lower.contains("<memories") && !lower.contains("<|"), "{text}");
        for line in lines(inside) {
            prop_assert!(!opens_a_turn(line), "{line:?} of {text}");
        }
        for mark in ["[inst]", "[/inst]"] {
            let escaped = format!("\\{mark}");
            prop_assert_eq!(lower.matches(mark).count(), lower.matches(&escaped).count(), "{}", text);
        }
        // Nothing is lost: only what was put in differs.
        let bare = |text: &str| text.replace("&lt;", "<").replace('\\', "");
        let stored: String = stored.iter().map(|each| format!("{each}\n")).collect();
        prop_assert_eq!(bare(inside), bare(&stored));
    }

    #[test]
    fn once_is_enough(stored in hostile()) {
        let once = shielded(&stored).into_owned();
        prop_assert_eq!(shielded(&once), &*once);
    }

    #[test]
    fn prose_stays_as_it_is(
        words in vec(word(), 0..30),
        paragraphs in prop::bool::ANY,
    ) {
        let text = format!("It {}", words.join(if paragraphs { " \nIt " } else { " " }));
        prop_assert_eq!(shielded(&text), &*text);
    }
}

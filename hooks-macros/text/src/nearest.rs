//! Finds the word that an author probably meant.

/// Returns the word of a closed vocabulary that the author meant: the same in another case, `afterUser` for `after_user`,
/// or the only nearest one.
pub(crate) fn meant(word: &str, vocabulary: &[&'static str]) -> Option<&'static str> {
    fn letters(word: &str) -> impl Iterator<Item = char> {
        let letters = word.chars().filter(|letter| !matches!(letter, '_' | '-'));
        letters.map(|letter| letter.to_ascii_lowercase())
    }
    let same = |known: &&&str| letters(known).eq(letters(word));
    if let Some(same) = vocabulary.iter().find(same) {
        return Some(same);
    }
    // A slip seldom changes the first letter, so `roots` is not `tools`.
    let alike = vocabulary
        .iter()
        .copied()
        .filter(|known| known.chars().next() == word.chars().next());
    let near = nearest(word, alike.clone())?;
    // Of two equally near words neither is proposed: `MUSTNT` is as near to a level as to its opposite.
    let as_near = |known: &&str| distance(word, known) == distance(word, near);
    (alike.filter(as_near).count() == 1).then_some(near)
}

/// Returns the candidate nearest to `word`, if it is near enough.
pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let limit = word.chars().count().div_ceil(3).min(3);
    candidates
        .into_iter()
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

/// Counts the letters that must be changed, added, removed or swapped with their neighbour.
pub fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            if i == 0 || j == 0 {
                table[i][j] = i + j;
                continue;
            }
            let changed = usize::from(a[i - 1] != b[j - 1]);
            let mut least = (table[i - 1][j - 1] + changed)
                .min(table[i - 1][j] + 1)
                .min(table[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(table[i - 2][j - 2] + 1);
            }
            table[i][j] = least;
        }
    }
    table[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_found() {
        let keys = ["id", "priority", "matcher", "context", "context_tool"];
        assert_eq!(nearest("prioritty", keys), Some("priority"));
        assert_eq!(nearest("macther", keys), Some("matcher"));
        assert_eq!(nearest("contxt", keys), Some("context"));
        assert_eq!(nearest("di", keys), Some("id"));
    }

    #[test]
    fn a_word_in_another_case_is_the_same() {
        let words = ["tool_call_request", "MUST", "mcp"];
        assert_eq!(meant("toolCallRequest", &words), Some("tool_call_request"));
        assert_eq!(meant("must", &words), Some("MUST"));
        assert_eq!(meant("MCP", &words), Some("mcp"));
    }

    #[test]
    fn another_word_is_not() {
        assert_eq!(nearest("event", ["id", "priority"]), None);
        assert_eq!(nearest("", ["id"]), None);
    }
}

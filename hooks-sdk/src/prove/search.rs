//! The search for a hook's text in what the model was told.

use serde::Serialize;

use super::stand_in::Told;

/// How many letters and digits are enough to know a text by its beginning.
const TELLING: usize = 12;

/// Where a text is in the requests of the agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Where {
    /// The first request that has it, from 1.
    pub(crate) request: usize,
    /// Who says it: `system`, `developer`, `user` or `tool result`.
    pub(crate) role: String,
    /// How often one request has it in one role, at most.
    #[serde(skip)]
    pub(super) times: usize,
    /// Whether the client kept the text whole.
    #[serde(skip)]
    pub(super) whole: bool,
}

/// The requests of the agent, for searching.
pub(crate) struct Requests(Vec<Vec<(String, String)>>);

impl Requests {
    pub(crate) fn of(requests: &[Vec<Told>]) -> Requests {
        let letters = |told: &Told| (told.role.clone(), letters(&told.text));
        let each = requests
            .iter()
            .map(|told| told.iter().map(letters).collect());
        Requests(each.collect())
    }

    /// Searches a text by its letters and digits: clients quote, escape and wrap it.
    pub(super) fn find(&self, text: &str) -> Option<Where> {
        let found = self.find_letters(&letters(text), true);
        // An escape in the text itself is still there after the client has escaped it once more.
        let plain: String = text
            .chars()
            .filter(|letter| letter.is_alphanumeric())
            .collect();
        let found = found.or_else(|| self.find_letters(&plain, true));
        // A client that cuts a text keeps its beginning. The first line, which names the server, is in all texts.
        let own = letters(text.split_once('\n').map_or(text, |(_, own)| own));
        let half = own.chars().count() / 2;
        let begin: String = own.chars().take(half).filter(|_| half >= TELLING).collect();
        found.or_else(|| self.find_letters(&begin, false))
    }

    fn find_letters(&self, letters: &str, whole: bool) -> Option<Where> {
        if letters.is_empty() {
            return None;
        }
        // Claude Code says the reason not to stop to its agent twice, in two roles.
        let times = |told: &[(String, String)]| {
            let in_role = |role: &String| {
                let same = told.iter().filter(|(other, _)| other == role);
                same.map(|(_, text)| text.matches(letters).count())
                    .sum::<usize>()
            };
            told.iter()
                .map(|(role, _)| in_role(role))
                .max()
                .unwrap_or_default()
        };
        let mut all = self.0.iter().enumerate();
        let (at, told) = all.find(|(_, told)| times(told) > 0)?;
        let (role, _) = told.iter().find(|(_, text)| text.contains(letters))?;
        Some(Where {
            request: at + 1,
            role: role.clone(),
            times: self
                .0
                .iter()
                .map(|told| times(told))
                .max()
                .unwrap_or_default(),
            whole,
        })
    }
}

/// Returns the letters and digits of a text, without escapes of JSON and HTML.
fn letters(text: &str) -> String {
    let mut letters = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let skipped = match letter {
            '\\' if rest.starts_with("\\u") => 6,
            '\\' => 2,
            '&' => ["&lt;", "&gt;", "&amp;", "&quot;", "&#39;"]
                .iter()
                .find(|escape| rest.starts_with(**escape))
                .map_or(1, |escape| escape.len()),
            _ => {
                letters.extend(Some(letter).filter(|letter| letter.is_alphanumeric()));
                letter.len_utf8()
            }
        };
        let mut end = skipped.min(rest.len());
        while !rest.is_char_boundary(end) {
            end += 1;
        }
        rest = &rest[end..];
    }
    letters
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::prove) fn requests(all: &[&[(&str, &str)]]) -> Requests {
        let told = |(role, text): &(&str, &str)| Told {
            role: role.to_string(),
            text: text.to_string(),
        };
        let all: Vec<Vec<Told>> = all
            .iter()
            .map(|each| each.iter().map(told).collect())
            .collect();
        Requests::of(&all)
    }

    #[test]
    fn a_text_is_found_however_the_client_quotes_it() {
        let text = "Hook of `a` (must):\n> Say \"é\" & <b>, C:\\n, and so much more of the same.";
        for written in [
            text.to_owned(),
            serde_json::to_string(text).expect("JSON"),
            text.replace('&', "&amp;")
                .replace('<', "&lt;")
                .replace('>', "&gt;"),
            format!("before {} after", text.replace('\n', "\r\n   ")),
        ] {
            let found = requests(&[&[("system", "other")], &[("user", &written)]]).find(text);
            let found = found.unwrap_or_else(|| panic!("{written}"));
            assert_eq!(
                (found.request, &*found.role, found.times, found.whole),
                (2, "user", 1, true)
            );
        }
        let half = requests(&[&[("user", &text[..text.len() - 8])]])
            .find(text)
            .expect("the beginning");
        assert!(!half.whole);
        assert_eq!(requests(&[&[("user", "Hook of")]]).find(text), None);
        assert_eq!(requests(&[&[("user", "x")]]).find("…"), None);
    }
}

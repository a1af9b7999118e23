//! Reads a word into its pieces: its quotes, variables and substitutions.

use super::grammar::{Lexer, Piece, Unreadable, Word, is_name, tokens, unlike};

impl Lexer<'_> {
    pub(super) fn word(&mut self) -> Result<Word, Unreadable> {
        let start = self.at;
        let mut word = Word {
            alike: true,
            ..Word::default()
        };
        if self.takes("<(") || self.takes(">(") {
            word.pieces.push(self.nested()?);
        }
        while let Some(next) = self.peek() {
            match next {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')' => break,
                '\'' => self.single(&mut word)?,
                '"' => {
                    self.at += 1;
                    word.push("", true);
                    self.double(&mut word, Some('"'))?;
                }
                '\\' => {
                    self.at += 1;
                    match self.next() {
                        None => return Err("it ends with a backslash".to_owned()),
                        Some('\n') => {}
                        Some(it) if "xXuU01234567".contains(it) => {
                            return Err(unlike(&format!("\\{it}")));
                        }
                        Some(it) => {
                            word.alike &= !it.is_ascii_alphabetic();
                            word.push(it.encode_utf8(&mut [0; 4]), true);
                        }
                    }
                }
                '$' => self.dollar(&mut word, false)?,
                '`' => self.backquoted(&mut word)?,
                _ => {
                    self.at += next.len_utf8();
                    word.push(next.encode_utf8(&mut [0; 4]), false);
                }
            }
        }
        word.source = self.text[start..self.at].to_owned();
        Ok(word)
    }

    fn single(&mut self, word: &mut Word) -> Result<(), Unreadable> {
        self.at += 1;
        let text = self.taken_while(|it| it != '\'');
        if !self.takes("'") {
            return Err("a quote is open".to_owned());
        }
        let slashes = text.len() - text.trim_end_matches('\\').len();
        if slashes % 2 == 1 {
            return Err(unlike("\\'"));
        }
        word.alike &= !text.contains("\\\\");
        word.push(&text, true);
        Ok(())
    }

    /// Reads a text in which quotes are plain characters: to its closing quote, or to the end of a here-document.
    pub(super) fn double(&mut self, word: &mut Word, end: Option<char>) -> Result<(), Unreadable> {
        while let Some(next) = self.peek() {
            match next {
                '"' if end.is_some() => {
                    self.at += 1;
                    return Ok(());
                }
                '$' => self.dollar(word, true)?,
                '`' => self.backquoted(word)?,
                '\\' => {
                    self.at += 1;
                    match self.peek() {
                        Some('\n') => _ = self.next(),
                        Some(it) if "$`\\".contains(it) || it == '"' && end.is_some() => {
                            word.alike &= it != '`';
                            self.at += 1;
                            word.push(it.encode_utf8(&mut [0; 4]), true);
                        }
                        _ => word.push("\\", true),
                    }
                }
                _ => {
                    self.at += next.len_utf8();
                    word.push(next.encode_utf8(&mut [0; 4]), true);
                }
            }
        }
        match end {
            Some(_) => Err("a quote is open".to_owned()),
            None => Ok(()),
        }
    }

    fn dollar(&mut self, word: &mut Word, quoted: bool) -> Result<(), Unreadable> {
        self.at += 1;
        let piece = match self.peek() {
            Some('(') if self.rest().starts_with("((") => return Err(unlike("$((")),
            Some('(') => {
                self.at += 1;
                self.nested()?
            }
            Some('{') => self.braces(quoted)?,
            Some(it) if it.is_ascii_alphabetic() || it == '_' => {
                let name = self.taken_while(is_name);
                let mut after = self.rest().chars();
                match (after.next(), after.next()) {
                    (Some('['), _) => return Err(unlike(&format!("${name}["))),
                    // zsh reads `$name:h` as the folder of the value.
                    (Some(':'), Some(it)) if it.is_ascii_alphabetic() => {
                        Piece::Unknown { sets: None }
                    }
                    _ => Piece::Variable { name, quoted },
                }
            }
            Some(it) if "@*#?$!-".contains(it) || it.is_ascii_digit() => {
                self.at += 1;
                if self.peek() == Some('[') {
                    return Err(unlike(&format!("${it}[")));
                }
                Piece::Unknown { sets: None }
            }
            Some(it @ ('\'' | '"')) if !quoted => return Err(unlike(&format!("${it}"))),
            Some(it) if "+=~^[".contains(it) || it.is_alphanumeric() => {
                return Err(unlike(&format!("${it}")));
            }
            _ => {
                word.push("$", true);
                return Ok(());
            }
        };
        word.pieces.push(piece);
        Ok(())
    }

    /// Reads `${name}`, and the forms with a plain value in the place of an absent or a cut one.
    fn braces(&mut self, quoted: bool) -> Result<Piece, Unreadable> {
        let start = self.at;
        self.at += 1;
        let counts = self.takes("#");
        let name = match self.peek() {
            Some(it) if "@*?".contains(it) => self.next().map(String::from).unwrap_or_default(),
            _ => self.taken_while(is_name),
        };
        if (counts || !name.is_empty()) && self.takes("}") {
            let begins = |it: char| it.is_ascii_alphabetic() || it == '_';
            return Ok(match !counts && name.starts_with(begins) {
                true => Piece::Variable { name, quoted },
                false => Piece::Unknown { sets: None },
            });
        }
        let form = self.taken_while(|it| ":-=+?%#/".contains(it));
        let operand = self.taken_while(|it| is_name(it) || "-./:,@+=#%*?~ ".contains(it));
        const FORMS: [&str; 15] = [
            ":-", ":=", ":+", ":?", "-", "=", "+", "?", "%%", "%", "##", "#", "//", "/", ":",
        ];
        let is_cut = form == ":" && !operand.starts_with(|it: char| it.is_ascii_digit());
        if counts || name.is_empty() || !FORMS.contains(&&*form) || is_cut || !self.takes("}") {
            let shown: String = self.text[start..].chars().take(12).collect();
            return Err(unlike(&format!("${shown}")));
        }
        let sets = form.ends_with('=').then_some(name);
        Ok(Piece::Unknown { sets })
    }

    fn backquoted(&mut self, word: &mut Word) -> Result<(), Unreadable> {
        self.at += 1;
        let text = self.taken_while(|it| it != '`');
        if text.contains('\\') || !self.takes("`") {
            return Err(unlike("`"));
        }
        let (tokens, read) = tokens(&text);
        word.pieces.push(Piece::Commands(tokens));
        read
    }

    pub(super) fn nested(&mut self) -> Result<Piece, Unreadable> {
        let mut tokens = Vec::new();
        self.list(true, &mut tokens)?;
        Ok(Piece::Commands(tokens))
    }
}

//! IBANs: the lengths of the countries, and the checksum of ISO 7064.

use super::run::begins;

/// The length of each country's numbers.
const LENGTHS: &str = "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 \
    DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 \
    KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 \
    PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 \
    YE30";

/// Where the IBAN ends that begins at `begin`, in bytes; single spaces and hyphens in it do not count.
pub(super) fn end(text: &[u8], begin: usize) -> Option<usize> {
    let rest = &text[begin..];
    let numbered = rest.get(2..4)?.iter().all(u8::is_ascii_digit);
    let lettered = rest[..2].iter().all(u8::is_ascii_alphabetic);
    if !(numbered && lettered && begins(text, begin)) {
        return None;
    }
    Some(begin + ends(rest, length(&rest[..2])?)?)
}

fn length(country: &[u8]) -> Option<usize> {
    let country = std::str::from_utf8(country).ok()?.to_ascii_uppercase();
    let known = LENGTHS
        .split(' ')
        .find_map(|each| each.strip_prefix(&*country))?;
    known.parse().ok()
}

/// Where the number ends that has so many letters and digits and the right checksum.
fn ends(text: &[u8], length: usize) -> Option<usize> {
    let mut number = Vec::with_capacity(length);
    let mut at = 0;
    while number.len() < length {
        match *text.get(at)? {
            byte if byte.is_ascii_alphanumeric() => number.push(byte),
            b' ' | b'-' if text.get(at + 1)?.is_ascii_alphanumeric() => {}
            _ => return None,
        }
        at += 1;
    }
    let more = text.get(at).is_some_and(u8::is_ascii_alphanumeric);
    (!more && checksum(&number) == 1).then_some(at)
}

/// The number modulo 97, its first four characters at its end, and letters as the numbers from 10 on.
fn checksum(number: &[u8]) -> u32 {
    let (head, tail) = number.split_at(4);
    tail.iter().chain(head).fold(0, |sum, byte| match byte {
        b'0'..=b'9' => (sum * 10 + u32::from(byte - b'0')) % 97,
        letter => (sum * 100 + u32::from(letter.to_ascii_uppercase() - b'A') + 10) % 97,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_decide() {
        for (text, begin, expected) in [
            ("DE89370400440532013000", 0, Some(22)),
            ("to de89 3704 0044 0532 0130 00.", 3, Some(30)),
            ("GB29 NWBK 6016 1331 9268 19 AND MORE", 0, Some(27)),
            ("NO93 8601 1117 947", 0, Some(18)),
            ("DE89370400440532013001", 0, None),
            ("DE893704004405320130001", 0, None),
            ("DE89 3704", 0, None),
            ("ZZ89370400440532013000", 0, None),
            ("xDE89370400440532013000", 1, None),
            ("DE", 0, None),
        ] {
            assert_eq!(end(text.as_bytes(), begin), expected, "{text}");
        }
    }
}

//! Finds what an issuer says of itself: RFC 8414, or OpenID Connect Discovery.

use reqwest::Url;
use serde_json::Value;

use super::fetch::{Fetcher, url};

/// Returns a URL that the metadata of the issuer has under `member`.
///
/// # Errors
///
/// The issuer has no metadata, its metadata is that of another issuer, or has no such URL.
pub(super) async fn place(fetcher: &Fetcher, issuer: &str, member: &str) -> Result<Url, String> {
    let mut last = String::new();
    for place in places(issuer)? {
        let metadata = match fetcher.get(&place).await {
            Ok(text) => serde_json::from_slice::<Value>(&text).ok(),
            Err(error) => {
                last = error;
                continue;
            }
        };
        let Some(metadata) = metadata.filter(Value::is_object) else {
            "the metadata is no JSON object".clone_into(&mut last);
            continue;
        };
        match metadata["issuer"].as_str() {
            Some(own) if own == issuer => {}
            Some(own) if own.trim_end_matches('/') == issuer.trim_end_matches('/') => {
                return Err(format!(
                    "its metadata spells the issuer `{own}`: write it so in `OAuth::issuer`"
                ));
            }
            _ => return Err("the metadata is that of another issuer".to_owned()),
        }
        let found = metadata[member].as_str();
        let found = found.ok_or_else(|| format!("the metadata has no `{member}`"))?;
        let place = Url::parse(found).map_err(|_| format!("`{member}` is no URL"))?;
        // The query of such a URL may be needed, and is no secret of ours.
        let mut plain = place.clone();
        plain.set_query(None);
        return match url(member, plain.as_str()) {
            Ok(_) => Ok(place),
            Err(error) => Err(error.to_string()),
        };
    }
    Err(format!("the issuer has no metadata: {last}"))
}

/// Returns the places of the metadata, in the order in which MCP's clients ask.
fn places(issuer: &str) -> Result<Vec<Url>, String> {
    let issuer = Url::parse(issuer).map_err(|_| "the issuer is no URL")?;
    let path = issuer.path().trim_end_matches('/').to_owned();
    let at = |path: String| {
        let mut place = issuer.clone();
        place.set_path(&path);
        place
    };
    let mut places = vec![
        at(format!("/.well-known/oauth-authorization-server{path}")),
        at(format!("/.well-known/openid-configuration{path}")),
    ];
    if !path.is_empty() {
        places.push(at(format!("{path}/.well-known/openid-configuration")));
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_metadata_is_looked_for_before_the_path_and_behind_it() {
        let of = |issuer| -> Vec<String> {
            let places = places(issuer).expect("a URL");
            places.iter().map(|place| place.to_string()).collect()
        };
        let root = [
            "https://a.example/.well-known/oauth-authorization-server",
            "https://a.example/.well-known/openid-configuration",
        ];
        assert_eq!(of("https://a.example"), root);
        assert_eq!(of("https://a.example/"), root);
        assert_eq!(
            of("https://a.example/t/1"),
            [
                "https://a.example/.well-known/oauth-authorization-server/t/1",
                "https://a.example/.well-known/openid-configuration/t/1",
                "https://a.example/t/1/.well-known/openid-configuration",
            ]
        );
    }
}

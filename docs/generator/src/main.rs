//! Called by mdbook, on both ends of a build: fills the pages of the reference, and writes each page as plain markdown.

use std::{
    env,
    error::Error,
    fs,
    io::{self, Read, Write},
    path::Path,
};

use hooks_book::{pages, write_plain};
use serde_json::Value;

fn main() -> Result<(), Box<dyn Error>> {
    // `hooks-book supports RENDERER`: yes, every renderer.
    if env::args().nth(1).is_some_and(|word| word == "supports") {
        return Ok(());
    }
    // `hooks-book pages FOLDER`: the reference alone, without mdbook.
    if let [word, folder] = &env::args().skip(1).collect::<Vec<_>>()[..]
        && word == "pages"
    {
        for page in pages()? {
            let path = Path::new(folder).join(page.path);
            fs::create_dir_all(path.parent().ok_or("a page has a folder")?)?;
            fs::write(path, page.text)?;
        }
        return Ok(());
    }
    let mut input = String::new();
    io::stdin().read_to_string(&mut input)?;
    let mut value: Value = serde_json::from_str(&input)?;
    // A preprocessor receives its context and the book, a renderer one object.
    if let Some([_, book]) = value.as_array_mut().map(Vec::as_mut_slice) {
        let pages = pages()?;
        hooks_book::fill(&mut book["items"], &pages)?;
        io::stdout().write_all(&serde_json::to_vec(book)?)?;
        return Ok(());
    }
    let destination = value["destination"].as_str().ok_or("no destination")?;
    // Beside the HTML of the same build.
    let html = Path::new(destination).with_file_name("html");
    write_plain(&value["book"]["items"], &html)?;
    Ok(())
}

//! Archives with fixed times and owners: the same files make the same bytes, whose hash others can write down.

use std::io::{Cursor, Write as _};

use flate2::{Compression, GzBuilder};
use zip::{CompressionMethod, DateTime, ZipWriter, write::SimpleFileOptions};

use super::folder::Files;
use crate::CommandError;

/// Packs the files as a ZIP archive. Programs can be executed when it is unpacked.
pub(super) fn zip(files: &Files) -> Result<Vec<u8>, CommandError> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, file) in files.iter() {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(DateTime::default())
            .unix_permissions(file.mode());
        archive.start_file(path, options)?;
        archive.write_all(&file.bytes)?;
    }
    Ok(archive.finish()?.into_inner())
}

/// Packs the files below a folder, which can be empty, as a compressed tar archive.
pub(super) fn tar_gz(files: &Files, below: &str) -> Result<Vec<u8>, CommandError> {
    // No name, no time, and an unknown system, so that every computer writes the same.
    let packed = GzBuilder::new()
        .mtime(0)
        .operating_system(255)
        .write(Vec::new(), Compression::default());
    let mut archive = tar::Builder::new(packed);
    for (path, file) in files.iter() {
        let mut header = tar::Header::new_ustar();
        header.set_size(file.bytes.len() as u64);
        header.set_mode(file.mode());
        header.set_mtime(ARCHIVE_TIME);
        header.set_uid(0);
        header.set_gid(0);
        archive.append_data(&mut header, format!("{below}{path}"), file.bytes.as_slice())?;
    }
    Ok(archive.into_inner()?.finish()?)
}

/// The time of each file in a tar archive, in seconds: 1985-10-26, which npm writes, too. Some readers dislike 0.
const ARCHIVE_TIME: u64 = 499_162_500;

#[cfg(test)]
mod tests {
    use super::*;

    fn files() -> Files {
        let mut files = Files::default();
        files.add("b.txt", b"text".to_vec()).unwrap();
        files.add_program("a/run", b"\x7fELF".to_vec()).unwrap();
        files
    }

    #[test]
    fn the_same_files_make_the_same_bytes() {
        assert_eq!(zip(&files()).unwrap(), zip(&files()).unwrap());
        assert_eq!(
            tar_gz(&files(), "x/").unwrap(),
            tar_gz(&files(), "x/").unwrap()
        );
    }

    #[test]
    fn a_program_can_be_executed_and_a_text_cannot() {
        let bytes = zip(&files()).unwrap();
        let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
        let mode = |archive: &mut zip::ZipArchive<_>, name| {
            archive
                .by_name(name)
                .unwrap()
                .unix_mode()
                .map(|mode| mode & 0o777)
        };
        assert_eq!(mode(&mut archive, "a/run"), Some(0o755));
        assert_eq!(mode(&mut archive, "b.txt"), Some(0o644));

        let bytes = tar_gz(&files(), "package/").unwrap();
        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(bytes.as_slice()));
        let found: Vec<(String, u32)> = archive
            .entries()
            .unwrap()
            .map(|entry| {
                let entry = entry.unwrap();
                let path = entry.path().unwrap().to_str().unwrap().to_owned();
                (path, entry.header().mode().unwrap())
            })
            .collect();
        let expected = [("package/a/run", 0o755), ("package/b.txt", 0o644)];
        assert_eq!(found, expected.map(|(path, mode)| (path.to_owned(), mode)));
    }
}

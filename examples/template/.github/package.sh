#!/usr/bin/env bash
# Packages the programs of a release for npm, Claude Desktop, Gemini CLI and `cargo binstall`. Needs `cargo hooks`.
# Usage: package.sh PROGRAMS DIST, where PROGRAMS has a folder for each target, with the program in it.
set -euo pipefail
programs=$1 dist=$2
# The name in npm. A name in your own scope, such as @acme/memory, is always free.
npm={{project-name}}

given=() server=
for file in "$programs"/*/*; do
    given+=(--program "$(basename "$(dirname "$file")")=$file")
    # The artifacts of a workflow have lost it.
    chmod +x "$file"
    # The one that runs on this computer says what it declares.
    if "$file" --version >/dev/null 2>&1; then server=$(realpath "$file"); fi
done
[[ $server ]] || { echo "package.sh: no program in $programs runs on this computer" >&2; exit 1; }
name=$(basename "$server")

package() { # the format, and further arguments
    cargo hooks package --server "$server" --format "$1" "${@:2}" "$dist/$1"
}
package npm --name "$npm" "${given[@]}"
package mcpb "${given[@]}"
package gemini-extension "${given[@]}"

mkdir -p "$dist/archives"
for file in "$programs"/*/*; do
    folder=$(dirname "$file")
    tar -czf "$dist/archives/$name-$(basename "$folder").tar.gz" -C "$folder" "$(basename "$file")"
done

# An install from the archives answers. It is forced, because npm refuses the programs of other systems.
trial=$(mktemp -d)
trap 'rm -rf "$trial"' EXIT
npm install --silent --force --offline --ignore-scripts --prefix "$trial" "$dist"/npm/*.tgz
"$trial/node_modules/.bin/$name" hooks list >/dev/null

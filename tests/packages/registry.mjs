// A registry of npm on the loopback, with the packages of a folder. Prints its URL, then the name of each archive that is fetched.
// Usage: node registry.mjs FOLDER
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { readFileSync, readdirSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"

const folder = process.argv[2]
const packages = new Map() // by name: the manifests with their archives
for (const file of readdirSync(folder).filter((name) => name.endsWith(".tgz"))) {
  const bytes = readFileSync(join(folder, file))
  const manifest = JSON.parse(execFileSync("tar", ["-xOzf", join(folder, file), "package/package.json"]))
  const names = execFileSync("tar", ["-tzf", join(folder, file)], { encoding: "utf8" })
  // A registry says so, and npm obeys the file only then.
  manifest._hasShrinkwrap = names.includes("package/npm-shrinkwrap.json")
  packages.set(manifest.name, { manifest, file, bytes })
}

const server = createServer((request, response) => {
  const url = `http://127.0.0.1:${server.address().port}`
  const path = decodeURIComponent(new URL(request.url, url).pathname).slice(1)
  const [name, archive] = path.split("/-/")
  const found = packages.get(name)
  if (!found) return response.writeHead(404).end("{}")
  if (archive) {
    console.log(found.file)
    return response.end(found.bytes)
  }
  const { manifest, bytes } = found
  const { version } = manifest
  const dist = {
    tarball: `${url}/${name}/-/${name.split("/").at(-1)}-${version}.tgz`,
    integrity: `sha512-${createHash("sha512").update(bytes).digest("base64")}`,
    shasum: createHash("sha1").update(bytes).digest("hex"),
  }
  response.setHeader("content-type", "application/json")
  response.end(JSON.stringify({ name, "dist-tags": { latest: version }, versions: { [version]: { ...manifest, dist } } }))
})
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`))

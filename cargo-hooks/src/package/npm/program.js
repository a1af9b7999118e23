// Finds the program in the package of this computer's platform, which npm has installed beside this one.
import { createRequire } from "node:module"

const PACKAGES = __PACKAGES__
const require = createRequire(import.meta.url)

// The libc of a computer decides only where packages for both are installed.
const libc = () => (process.report?.getReport?.().header?.glibcVersionRuntime ? "glibc" : "musl")

// The packages of this platform.
export const own = PACKAGES.filter(({ os, cpu }) => os === process.platform && cpu.includes(process.arch))

// The path of the program, or nothing where the package of this platform is not installed.
export const find = () => {
  const found = own.flatMap(({ file, libc }) => {
    try { return [{ path: require.resolve(file), libc }] } catch { return [] }
  })
  const best = found.length > 1 ? found.find((each) => each.libc === libc()) : undefined
  return (best ?? found[0])?.path
}

// Finds the package on disk. The build puts this module into the library, where `svcUrl` stands for
// `import.meta.url`: the library loads workers, words and native packages by their places in the
// package, and a program that bundles the library moves its code elsewhere. `svcHere` is the place
// of the running code, which the build declares in each file.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { name, version } from '../../package.json'

/** The URL of `dist/embed/index.js`, or of the running code if the package is not found. */
export const svcUrl = entryBeside(svcHere) ?? entryInstalled() ?? svcHere

/** The running code is the entry file or one of its chunks, in the package. */
function entryBeside(url) {
  return ['.', '..'].map((folder) => new URL(`${folder}/index.js`, url)).find(isEntry)?.href
}

/** A bundle runs inside the project that has installed the package. */
function entryInstalled() {
  for (const from of [svcHere, pathToFileURL(join(process.cwd(), 'index.js')).href]) {
    const require = createRequire(from)
    try {
      const file = require.resolve(`${name}/package.json`)
      const entry = new URL('dist/embed/index.js', pathToFileURL(file))
      // Workers of another release do not understand the messages of this one.
      if (require(file).version === version && isEntry(entry)) return entry.href
    } catch (error) {
      if (error?.code !== 'MODULE_NOT_FOUND') throw error
    }
  }
  return undefined
}

function isEntry(url) {
  return existsSync(url) && existsSync(new URL('../workers/search.js', url))
}

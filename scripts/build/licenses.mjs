// The licences of the packages whose code is in `dist`: names, versions and texts, in one file. The
// bundler reports which files are included. Plain JavaScript: the build runs it.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const PACKAGE = /^(.*\bnode_modules\/(?:@[^/]+\/)?[^/]+)\//
const LICENCE_FILE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i

/** Package → the licence of code that it contains without its text; a file beside this one. */
const CONTAINED = {
  '@bokuweb/zstd-wasm': 'zstd-license.txt',
  undici: 'llhttp-license.txt',
  'zstd-napi': 'zstd-license.txt',
}

/**
 * `inputs`: paths of bundled files, relative to `root`. Throws if a package has no licence: it must
 * not be shipped.
 */
export function thirdPartyLicences(root, inputs) {
  const folders = new Set()
  for (const input of inputs) {
    const folder = PACKAGE.exec(input)?.[1]
    if (folder !== undefined) folders.add(join(root, folder))
  }
  const packages = new Map()
  for (const folder of folders) {
    const found = licenceOf(folder)
    packages.set(`${found.name} ${found.version}`, found)
  }
  const sorted = [...packages.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  return [
    'Svc Search contains code of the packages below. Their licences follow.\n\n',
    ...sorted.map(({ name, version, licence }) => `  ${name} ${version}: ${licence}\n`),
    ...sorted.map(
      ({ name, version, text }) => `\n${'-'.repeat(78)}\n${name} ${version}\n\n${text}\n`,
    ),
  ].join('')
}

function licenceOf(folder) {
  const { name, version, license, author } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  )
  const files = existsSync(folder)
    ? readdirSync(folder).filter((file) => LICENCE_FILE.test(file))
    : []
  const texts = files.sort().map((file) => readFileSync(join(folder, file), 'utf8').trim())
  const contained = CONTAINED[name]
  if (contained !== undefined) {
    texts.push(readFileSync(new URL(contained, import.meta.url), 'utf8').trim())
  }
  const licence = typeof license === 'string' ? license : license?.type
  if (licence === undefined && texts.length === 0) {
    throw new Error(`the package ${name} says nothing of its licence`)
  }
  const by = typeof author === 'string' ? author : author?.name
  const named = `Licence: ${licence}${by === undefined ? '' : `, by ${by}`}`
  const text = [...(files.length === 0 ? [named] : []), ...texts].join('\n\n')
  return { name, version, licence: licence ?? 'see below', text: text.replaceAll('\r\n', '\n') }
}

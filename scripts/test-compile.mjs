// Compiles the sources for a run of all tests, file by file. Vitest loads a TypeScript module by
// evaluating it, and each use of an imported name calls a getter: compiled modules, which Node
// loads, take two thirds of the processor time. Plain JavaScript.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

/** The variable with the folder of compiled files; without it, Vitest compiles by itself. */
export const COMPILED = 'SVC_TEST_COMPILED'
const FOLDERS = ['engine', 'fixtures', 'format', 'fuzz', 'scripts', 'server', 'tools']
const SOURCE = /(?<!\.test|\.d)\.tsx?$/
const IMPORT = /(?<=\b(?:from |import |import\(\s*)'\.[^'\n]*)\.tsx?(?=')/g
/** The address of a plain program, which is not compiled. */
const PROGRAM = /(?<=\b(?:from |import |import\(\s*)')\.[^'\n]*\.mjs(?=')/g

/** Returns a source that finds data and programs beside itself, wherever its code runs. */
export const withAddress = (source, path) =>
  source
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
    .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
    .replaceAll('import.meta.filename', JSON.stringify(path))

/** Returns the folder of the compiled files, which have the paths of their sources. */
export async function compileSources(root) {
  const folder = join(root, 'node_modules/.svc-test')
  const files = FOLDERS.flatMap((name) =>
    readdirSync(join(root, name), { recursive: true, encoding: 'utf8' })
      .filter((file) => SOURCE.test(file))
      .map((file) => join(name, file)),
  )
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  await build({
    absWorkingDir: root,
    entryPoints: files,
    outdir: folder,
    outbase: root,
    format: 'esm',
    target: 'node20',
    sourcemap: 'inline',
    logLevel: 'warning',
    plugins: [
      {
        name: 'compiled',
        setup: ({ onLoad }) =>
          onLoad({ filter: /\.tsx?$/ }, ({ path }) => ({
            contents: withAddress(readFileSync(path, 'utf8'), path)
              .replaceAll(IMPORT, '.js')
              .replaceAll(PROGRAM, (program) => new URL(program, pathToFileURL(path)).href),
            loader: path.endsWith('x') ? 'tsx' : 'ts',
          })),
      },
    ],
  })
  return folder
}

/**
 * Returns a plugin for Vitest, whose root is `root`: imports of sources lead to the compiled files.
 * Test files are loaded by Vitest.
 */
export const compiledSources = (folder, root) => ({
  name: 'compiled-sources',
  enforce: 'pre',
  resolveId(source, importer) {
    if (!source.startsWith('.') || !SOURCE.test(source) || importer === undefined) return null
    const path = relative(root, resolve(dirname(importer), source))
    const file = join(folder, path.replace(/\.tsx?$/, '.js'))
    return existsSync(file) ? file : null
  },
})

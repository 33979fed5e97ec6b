// Compiled sources import one another, know where their sources are, and keep types out.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { compiledSources, compileSources } from './test-compile.mjs'

const root = mkdtempSync(join(tmpdir(), 'svc-compiled-'))
let folder = ''

beforeAll(async () => {
  for (const name of ['engine/a', 'fixtures', 'format', 'fuzz', 'scripts', 'server', 'tools']) {
    mkdirSync(join(root, name), { recursive: true })
  }
  mkdirSync(join(root, 'node_modules'))
  const write = (file: string, text: string) => writeFileSync(join(root, file), text)
  write('scripts/c.mjs', 'export const there = import.meta.url\n')
  write('scripts/d.ts', "export { there } from './c.mjs'\n")
  write('format/b.ts', 'export type B = number\nexport const here: string = import.meta.url\n')
  write(
    'engine/a/a.ts',
    "import { type B, here } from '../../format/b.ts'\n" +
      "export const later = () => import(\n  '../../format/b.ts'\n)\n" +
      "export const text: [B, string, string] = [1, here, 'b.ts']\n",
  )
  write('engine/a/a.test.ts', "throw new Error('a test')\n")
  folder = await compileSources(root)
})
afterAll(() => rmSync(root, { recursive: true }))

it('imports compiled modules, once each, and names the folders of the sources', async () => {
  const file = join(folder, 'engine/a/a.js')
  const { text, later } = await import(pathToFileURL(file).href)
  const here = pathToFileURL(join(root, 'format/b.ts')).href
  expect(text).toEqual([1, here, 'b.ts'])
  expect(await later()).toBe(await import(pathToFileURL(join(folder, 'format/b.js')).href))
})

it('imports plain programs from where they are', async () => {
  const file = join(folder, 'scripts/d.js')
  const { there } = await import(pathToFileURL(file).href)
  expect(there).toBe(pathToFileURL(join(root, 'scripts/c.mjs')).href)
})

it('leaves tests, packages and absent files to Vitest', () => {
  const { resolveId } = compiledSources(folder, root)
  const importer = join(root, 'server/x.test.ts')
  const found = (source: string) => resolveId(source, importer)
  expect(found('../format/b.ts')).toBe(join(folder, 'format/b.js'))
  for (const other of ['../engine/a/a.test.ts', '../format/c.ts', 'format/b.ts', './b.json']) {
    expect(found(other), other).toBeNull()
  }
})

// Writes the site into a folder: its pages, and beside them the sections and settings that a server
// needs to search them.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { SEARCH_SCRIPT, type SiteSearch, siteOf } from '../site.ts'
import { sectionsOf } from './sections.ts'
import { SETTINGS } from './settings.table.ts'

/** Names of these files on the site. */
export const SECTIONS_FILE = 'sections.ndjson'
export const SETTINGS_FILE = 'search-settings.json'

const readPage = (page: string): string => readFileSync(join('docs', page), 'utf8')

/**
 * Reads docs/ of the current folder. `search`: the server that the search box asks, or null for a
 * site without a search. Returns the number of pages and texts.
 */
export async function buildSite(folder: string, search: SiteSearch | null): Promise<number> {
  const files = siteOf(readPage, search)
  const sections = sectionsOf(readPage).map((section) => `${JSON.stringify(section)}\n`)
  files.set(SECTIONS_FILE, sections.join(''))
  files.set(SETTINGS_FILE, `${JSON.stringify(SETTINGS, null, 2)}\n`)
  if (search !== null) files.set(SEARCH_SCRIPT, await searchScript())
  for (const [file, text] of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  cpSync('docs/images', join(folder, 'images'), { recursive: true })
  return files.size
}

async function searchScript(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: ['scripts/docs/box/index.ts'],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    logLevel: 'error',
  })
  return outputFiles[0]!.text
}

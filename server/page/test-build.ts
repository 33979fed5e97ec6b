// Builds the files of the page into a temporary folder for a test.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

type Sizes = ReadonlyMap<string, { readonly bytes: number; readonly packed: number }>
type Builder = { buildPreview(root: string, folder: string): Promise<Sizes> }

export type BuiltPage = {
  readonly folder: URL
  readonly sizes: Sizes
  readonly remove: () => void
}

export async function builtPage(): Promise<BuiltPage> {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const script = pathToFileURL(join(root, 'scripts/build/preview.mjs')).href
  const { buildPreview } = (await import(/* @vite-ignore */ script)) as Builder
  const folder = mkdtempSync(join(tmpdir(), 'svc-preview-'))
  const sizes = await buildPreview(root, folder)
  return {
    folder: pathToFileURL(`${folder}/`),
    sizes,
    remove: () => rmSync(folder, { recursive: true }),
  }
}

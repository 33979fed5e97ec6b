// `svc-tools dump extract`: the documents of one index as stored in the dump, and its settings.
import { closeSync, existsSync, openSync, rmSync, writeSync } from 'node:fs'
import { type DumpReader, inDump, type ReadIndex } from '../../engine/backup.ts'
import { fileBytes, portableSettings } from '../../engine/index.ts'
import type { IndexUid } from '../../format/ids.ts'
import { bytesText, ToolError, writePrivateFile } from '../terminal/index.ts'
import { type OpenOptions, withSoundDump } from './open.ts'

export type ExtractOptions = OpenOptions & {
  readonly index: IndexUid
  /** null means standard output. */
  readonly output: string | null
  /** File for the settings, or null to omit them. */
  readonly settings: string | null
  /** True if existing files are overwritten. */
  readonly force: boolean
  readonly write: (bytes: Uint8Array) => void
}

export type DumpExtract = {
  readonly index: IndexUid
  readonly bytes: number
  readonly output: string | null
  readonly settings: string | null
}

/** @throws ToolError, StorageError */
export async function extractIndex(file: string, options: ExtractOptions): Promise<DumpExtract> {
  const { output, settings, force, index: uid } = options
  for (const path of [output, settings]) {
    if (path === null || force || !existsSync(path)) continue
    throw new ToolError(`\`${path}\` exists: --force overwrites it`)
  }
  return withSoundDump(file, options, async ({ reader }) => {
    const index = reader.indexes().find((one) => one.uid === uid)
    if (index === undefined) {
      const names = reader.indexes().map((one) => one.uid)
      throw new ToolError(`the dump has no index \`${uid}\`: it has ${names.join(', ') || 'none'}`)
    }
    if (settings !== null) writePrivateFile(settings, settingsText(index))
    const bytes = await writeDocuments(reader, index, options)
    return { index: uid, bytes, output, settings }
  })
}

async function writeDocuments(
  { files }: DumpReader,
  { uid, documents }: ReadIndex,
  { output, write, openProgress }: ExtractOptions,
): Promise<number> {
  const total = documents === null ? 0 : (files.sizes.get(documents) ?? 0)
  const out = output === null ? null : openSync(output, 'w')
  const progress = openProgress(total)
  let done = 0
  try {
    if (documents !== null) {
      for await (const chunk of fileBytes(files.fs, inDump(files, documents))) {
        if (out === null) write(chunk)
        else writeWhole(out, chunk)
        done += chunk.length
        progress.at(done, uid)
      }
    }
    return done
  } catch (error) {
    if (output !== null) rmSync(output, { force: true })
    throw error
  } finally {
    progress.end()
    if (out !== null) closeSync(out)
  }
}

function writeWhole(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
}

const settingsText = (index: ReadIndex): string =>
  `${JSON.stringify(portableSettings(index.settings()), null, 2)}\n`

export const extractText = ({ index, bytes, output, settings }: DumpExtract): string =>
  [
    `${bytesText(bytes)} of documents of ${index} written to ${output ?? 'standard output'}\n`,
    ...(settings === null ? [] : [`settings written to ${settings}\n`]),
  ].join('')

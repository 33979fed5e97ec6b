// `svc-tools index export`: the stored documents of an index as lines of JSON, one list, or CSV;
// and its settings, in the form that a server accepts.
//
// Beside a running server it shows one moment: an open segment stays readable after the server has
// merged it away.

import { closeSync, existsSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs'
import {
  decodeSettings,
  EngineFault,
  type Features,
  portableSettings,
  StorageError,
} from '../../engine/index.ts'
import { type IndexState, readDatabase, SearchInPlace, viewRef } from '../../engine/inspect.ts'
import { decoder } from '../../format/bytes/index.ts'
import type { IndexUid } from '../../format/ids.ts'
import { openDatabaseFolder } from '../inspect/index.ts'
import { countOf, oneLine, type Progress, ToolError, writePrivateFile } from '../terminal/index.ts'
import { csvColumns, csvHead, csvLine } from './csv.ts'

const EXPORT_FORMATS = ['ndjson', 'json', 'csv'] as const
type ExportFormat = (typeof EXPORT_FORMATS)[number]

export type ExportOptions = {
  readonly index: IndexUid
  readonly format: ExportFormat
  /** A filter expression, or null for all documents. */
  readonly filter: string | null
  /** null means standard output. */
  readonly output: string | null
  /** File for the settings, or null to omit them. */
  readonly settings: string | null
  /** True if existing files are overwritten. */
  readonly force: boolean
  readonly write: (text: string) => void
  readonly openProgress: (documents: number) => Progress
}

export type ExportResult = {
  readonly index: IndexUid
  readonly documents: number
  readonly output: string | null
  readonly settings: string | null
}

const CHUNK_BYTES = 1 << 20
/** Attempts, because a server may merge segments away before they are open. */
const ATTEMPTS = 5
const ALL_FEATURES = new Proxy({} as Features, { get: () => true })

/** A chunk of documents, one per line, with the progress in the whole export. */
type Chunk = {
  readonly total: number
  readonly documents: number
  readonly last: number | null
  readonly lines: readonly string[]
}
type Read = (after: number) => Promise<Chunk>

/** @throws ToolError, StorageError */
export async function exportIndex(db: string, options: ExportOptions): Promise<ExportResult> {
  const { output, settings, force, index } = options
  for (const file of [output, settings]) {
    if (file === null || force || !existsSync(file)) continue
    throw new ToolError(`\`${file}\` exists: --force overwrites it`)
  }
  const { state, read, first } = await openForReading(db, index, options.filter)
  if (settings !== null) writePrivateFile(settings, settingsText(state))
  const out = output === null ? null : openSync(output, 'w')
  const write = (text: string): void => {
    if (out === null) options.write(text)
    else writeWhole(out, text)
  }
  try {
    const documents = await writeAll(options, write, read, first)
    if (out !== null) fsyncSync(out)
    return { index, documents, output, settings }
  } catch (error) {
    if (output !== null) rmSync(output, { force: true })
    throw error
  } finally {
    if (out !== null) closeSync(out)
  }
}

/** Returns the newest view of an index with its segments open, and the first chunk of it. */
async function openForReading(db: string, uid: string, filter: string | null) {
  const fs = openDatabaseFolder(db)
  for (let attempt = 1; ; attempt++) {
    const { state } = readDatabase(fs)
    const found = [...state.indexes.values()].find((index) => index.uid === uid)
    if (found === undefined) {
      const names = [...state.indexes.values()].map((index) => index.uid).join(', ')
      throw new ToolError(`there is no index \`${uid}\`: the database has ${names || 'none'}`)
    }
    const searching = new SearchInPlace(fs)
    const view = { ref: viewRef(found, state.sequence), release: () => undefined }
    const read: Read = async (after) => {
      const chunk = { filter, after, bytesMax: CHUNK_BYTES, fragments: null }
      const job = { kind: 'export', chunk, features: ALL_FEATURES } as const
      return chunkOf(await searching.run(view, job))
    }
    try {
      return { state: found, read, first: await read(-1) }
    } catch (error) {
      if (error instanceof EngineFault) throw new ToolError(`--filter: ${oneLine(error.message)}`)
      const isGone = error instanceof StorageError && error.code === 'missing'
      if (!isGone || attempt === ATTEMPTS) throw error
    }
  }
}

function chunkOf(bytes: Uint8Array): Chunk {
  const text = decoder.decode(bytes)
  const end = text.indexOf('\n')
  const head = JSON.parse(text.slice(0, end)) as Omit<Chunk, 'lines'>
  const rest = text.slice(end + 1)
  return { ...head, lines: rest === '' ? [] : rest.slice(0, -1).split('\n') }
}

async function writeAll(
  { format, openProgress }: ExportOptions,
  write: (text: string) => void,
  read: Read,
  first: Chunk,
): Promise<number> {
  const columns = format === 'csv' ? await csvColumns(eachChunk(read, first)) : []
  const progress = openProgress(first.total)
  let done = 0
  try {
    if (format === 'json') write('[')
    if (format === 'csv') write(csvHead(columns))
    for await (const lines of eachChunk(read, first)) {
      if (format === 'ndjson') write(lines.map((line) => `${line}\n`).join(''))
      else if (format === 'json') write(`${done === 0 ? '\n' : ',\n'}${lines.join(',\n')}`)
      else write(lines.map((line) => csvLine(columns, line)).join(''))
      done += lines.length
      progress.at(done, 'documents')
    }
    if (format === 'json') write(done === 0 ? ']\n' : '\n]\n')
  } finally {
    progress.end()
  }
  return done
}

async function* eachChunk(read: Read, first: Chunk): AsyncIterable<readonly string[]> {
  let chunk = first
  if (chunk.documents > 0) yield chunk.lines
  while (chunk.last !== null) {
    chunk = await read(chunk.last)
    if (chunk.documents > 0) yield chunk.lines
  }
}

function writeWhole(file: number, text: string): void {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
}

const settingsText = (index: IndexState): string =>
  `${JSON.stringify(portableSettings(decodeSettings(index.settings)), null, 2)}\n`

export const exportText = ({ index, documents, output, settings }: ExportResult): string =>
  [
    `${countOf(documents, 'document')} of ${index} written to ${output ?? 'standard output'}\n`,
    ...(settings === null ? [] : [`settings written to ${settings}\n`]),
  ].join('')

// Reads documents of the user: NDJSON, a JSON array or CSV, optionally compressed with gzip. NDJSON
// and CSV of any size are read as a stream; a JSON array is read whole.
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { parse } from 'csv-parse'
import { DemoError } from './client.ts'

export type Format = 'ndjson' | 'json' | 'csv'

const JSON_BYTES_MAX = 500_000_000 // near the longest string of V8

/**
 * Yields the documents of `path`, one JSON text each. @throws DemoError if the file is not of its
 * format
 */
export async function* readLines(path: string): AsyncIterable<string> {
  try {
    const format = formatOf(path, await beginning(path))
    if (format === 'ndjson') yield* ndjsonLines(path)
    else if (format === 'csv') yield* csvLines(path)
    else yield* jsonLines(path)
  } catch (error) {
    // Errors of the system, gzip and CSV have a code; programming errors have none.
    if (error instanceof Error && typeof (error as { code?: unknown }).code === 'string') {
      throw new DemoError(`${path}: ${error.message}`)
    }
    throw error
  }
}

/** Decides by the file's name, else by its beginning. */
export function formatOf(path: string, start: string): Format {
  const name = path.toLowerCase().replace(/\.gz$/, '')
  if (/\.(?:ndjson|jsonl|jsonlines)$/.test(name)) return 'ndjson'
  if (/\.(?:csv|tsv)$/.test(name)) return 'csv'
  const first = start.replace(/^\ufeff/, '').trimStart()[0]
  if (first === '[') return 'json'
  if (first !== '{') return 'csv'
  // An object that ends within its line is a line of NDJSON; one over several lines is one
  // document.
  return /^\s*\{[^\n]*\}\s*\n/.test(start) || !name.endsWith('.json') ? 'ndjson' : 'json'
}

async function* ndjsonLines(path: string): AsyncIterable<string> {
  for await (const line of createInterface({ input: openText(path), crlfDelay: Infinity })) {
    const text = line.replace(/^\ufeff/, '').trim()
    if (text !== '') yield text
  }
}

async function* jsonLines(path: string): AsyncIterable<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of openText(path)) {
    parts.push(part as Buffer)
    bytes += (part as Buffer).length
    if (bytes > JSON_BYTES_MAX) {
      throw new DemoError(`${path} is too large for one JSON text; NDJSON has no limit.`)
    }
  }
  const value = parsed(
    path,
    Buffer.concat(parts)
      .toString('utf8')
      .replace(/^\ufeff/, ''),
  )
  for (const document of Array.isArray(value) ? value : [value]) yield JSON.stringify(document)
}

async function* csvLines(path: string): AsyncIterable<string> {
  const delimiter = /\.tsv(?:\.gz)?$/i.test(path) ? '\t' : ','
  const records = openText(path).pipe(
    parse({ bom: true, delimiter, relax_quotes: true, skip_empty_lines: true }),
  )
  let columns: readonly CsvColumn[] | null = null
  for await (const record of records as AsyncIterable<string[]>) {
    if (columns === null) columns = record.map(csvColumn)
    else yield JSON.stringify(csvDocument(columns, record))
  }
}

type CsvColumn = { readonly name: string; readonly type: string }

/** `price:number` → a number; `sold:boolean` → true or false; anything else is text. */
function csvColumn(head: string): CsvColumn {
  const match = /^(.*):(string|number|boolean)$/.exec(head)
  return match === null ? { name: head, type: 'string' } : { name: match[1]!, type: match[2]! }
}

function csvDocument(columns: readonly CsvColumn[], record: readonly string[]): object {
  return Object.fromEntries(
    columns.map(({ name, type }, i) => {
      const cell = record[i] ?? ''
      if (type === 'string') return [name, cell]
      if (cell.trim() === '') return [name, null]
      return [name, type === 'number' ? Number(cell) : cell === 'true']
    }),
  )
}

function openText(path: string): Readable {
  const file = createReadStream(path)
  if (!path.toLowerCase().endsWith('.gz')) return file
  const unzipped = createGunzip()
  file.on('error', (error) => unzipped.destroy(error))
  return file.pipe(unzipped)
}

/** Returns the first characters, decompressed. */
async function beginning(path: string): Promise<string> {
  await (await open(path)).close() // fails clearly if the file is missing
  for await (const part of openText(path)) return (part as Buffer).toString('utf8', 0, 4096)
  return ''
}

function parsed(path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) throw new DemoError(`${path}: ${error.message}`)
    throw error
  }
}

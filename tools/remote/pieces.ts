// Splits files of documents into pieces that a server accepts as one body each. NDJSON is split
// after a line, CSV after a record, with the header in front of each piece. A JSON array is one
// piece.
import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { MiB, NEWLINE, QUOTE } from '../../format/bytes/index.ts'
import { ToolError, toolErrorOf } from '../terminal/index.ts'

export type DocumentFormat = 'json' | 'ndjson' | 'csv'

/** A format of files; `tsv` is CSV with tabs between cells. */
export type FileFormat = DocumentFormat | 'tsv'

export type Piece = {
  readonly body: Uint8Array
  /** Bytes of the file up to the end of this piece. */
  readonly done: number
}

const READ_BYTES = MiB
/** The default limit of the server: larger arrays have to be split. */
const ARRAY_BYTES_MAX = 95 * MiB

const ENDINGS: { readonly [ending: string]: FileFormat } = {
  json: 'json',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  csv: 'csv',
  tsv: 'tsv',
  tab: 'tsv',
}

export const CONTENT_TYPES: { readonly [format in DocumentFormat]: string } = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
}

/** Names of delimiters that are hard to type. */
const DELIMITERS: { readonly [name: string]: string } = { tab: '\t', '\\t': '\t' }

/** Determines the format by the ending of the name. @throws ToolError */
export function formatOf(path: string): FileFormat {
  const format = ENDINGS[path.slice(path.lastIndexOf('.') + 1).toLowerCase()]
  if (format !== undefined) return format
  throw new ToolError(
    `the name of \`${path}\` does not show the format: add --format json, ndjson, csv or tsv`,
  )
}

/** Returns the delimiter that the option gives, or that of the format. @throws ToolError */
export function delimiterOf(given: string | null, format: FileFormat): string {
  const delimiter = given === null ? (format === 'tsv' ? '\t' : ',') : (DELIMITERS[given] ?? given)
  if (/^[\x00-\x7f]$/.test(delimiter)) return delimiter
  throw new ToolError('--delimiter must be one ASCII character, or tab')
}

/** Returns the size of the file in bytes. @throws ToolError */
export const sizeOf = (path: string): number =>
  reading(path, () => withFile(path, (file) => fstatSync(file).size))

export type PieceOptions = {
  readonly format: DocumentFormat
  /** Size at which a piece is split at the next end of a record. */
  readonly bytes: number
  /** The delimiter of CSV cells. */
  readonly delimiter: string
}

/** Yields pieces in the order of the file. @throws ToolError */
export function* piecesOf(path: string, options: PieceOptions): Generator<Piece> {
  if (options.format !== 'json') {
    yield* cutPieces(path, options)
    return
  }
  const size = sizeOf(path)
  if (size > ARRAY_BYTES_MAX) {
    throw new ToolError(
      `\`${path}\` exceeds the size of a body, and a JSON array cannot be split: convert it to lines, ` +
        `for example with \`jq -c '.[]' ${path} > documents.ndjson\``,
    )
  }
  yield { body: reading(path, () => readFileSync(path)), done: size }
}

function* cutPieces(path: string, options: PieceOptions): Generator<Piece> {
  const { format, bytes, delimiter } = options
  const cutter = new Cutter(format === 'csv' ? delimiter.charCodeAt(0) : null)
  let done = 0
  for (const chunk of chunksOf(path)) {
    cutter.add(chunk)
    if (cutter.length < bytes) continue
    const body = cutter.take()
    if (body === null) continue
    done += cutter.pieceBytes
    yield { body, done }
  }
  const remainder = cutter.remainder()
  if (remainder !== null) yield { body: remainder, done: done + cutter.pieceBytes }
}

/** Collects bytes, and returns whole lines or records. */
class Cutter {
  /** Delimiter of cells; null for lines. */
  readonly #delimiter: number | null
  #chunks: Uint8Array[] = []
  /** End of the last complete record. */
  #end = 0
  #isQuoted = false
  /** The previous byte; a newline at the beginning. */
  #before = NEWLINE
  #header: Uint8Array | null = null
  length = 0
  /** Bytes of the file in the last returned piece. */
  pieceBytes = 0

  constructor(delimiter: number | null) {
    this.#delimiter = delimiter
  }

  add(chunk: Uint8Array): void {
    for (let i = 0; i < chunk.length; i++) {
      const c = chunk[i]!
      if (c === QUOTE && this.#delimiter !== null) this.#quote()
      this.#before = c
      if (c !== NEWLINE || this.#isQuoted) continue
      this.#end = this.length + i + 1
      if (this.#delimiter !== null && this.#header === null) {
        this.#header = Buffer.concat([...this.#chunks, chunk.subarray(0, i + 1)])
      }
    }
    this.#chunks.push(chunk)
    this.length += chunk.length
  }

  /** Handles a quote: it opens at the beginning of a cell; the second of two continues the cell. */
  #quote(): void {
    const before = this.#before
    const isOpening = before === NEWLINE || before === this.#delimiter || before === QUOTE
    this.#isQuoted = !this.#isQuoted && isOpening
  }

  /** Returns the complete records, or null before the first one is complete. */
  take(): Uint8Array | null {
    const isHeaderAlone = this.#isFirst && this.#end === (this.#header?.length ?? 0)
    if (this.#end === 0 || isHeaderAlone) return null
    const all = Buffer.concat(this.#chunks)
    const remainder = all.subarray(this.#end)
    const body = this.#withHeader(all.subarray(0, this.#end))
    this.#chunks = remainder.length === 0 ? [] : [remainder]
    this.pieceBytes = this.#end
    this.length = remainder.length
    this.#end = 0
    return body
  }

  remainder(): Uint8Array | null {
    if (this.length === 0) return null
    const body = this.#withHeader(Buffer.concat(this.#chunks))
    this.pieceBytes = this.length
    return body
  }

  get #isFirst(): boolean {
    return this.pieceBytes === 0
  }

  #withHeader(records: Uint8Array): Uint8Array {
    if (this.#header === null || this.#isFirst) return records
    return Buffer.concat([this.#header, records])
  }
}

function* chunksOf(path: string): Generator<Uint8Array> {
  const file = reading(path, () => openSync(path, 'r'))
  try {
    for (;;) {
      const chunk = Buffer.allocUnsafe(READ_BYTES)
      const count = reading(path, () => readSync(file, chunk, 0, READ_BYTES, null))
      if (count === 0) return
      yield chunk.subarray(0, count)
    }
  } finally {
    closeSync(file)
  }
}

function withFile<T>(path: string, action: (file: number) => T): T {
  const file = openSync(path, 'r')
  try {
    return action(file)
  } finally {
    closeSync(file)
  }
}

function reading<T>(path: string, action: () => T): T {
  try {
    return action()
  } catch (error) {
    // System errors: the file is missing, not readable, or a folder. Those of reads name no path.
    throw toolErrorOf(Object.assign(error as Error, { path })) ?? error
  }
}

// Files of documents in pieces that a server takes as one body each. NDJSON is cut behind a line,
// CSV behind a record, with the header in front of each piece. A JSON array is one piece.
import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { MiB } from '../../format/bytes/index.ts'
import { ToolFailure } from '../terminal/index.ts'

export type DocumentFormat = 'json' | 'ndjson' | 'csv'

export type Piece = {
  readonly body: Uint8Array
  /** Bytes of the file up to the end of this piece. */
  readonly done: number
}

const NEWLINE = 0x0a
const QUOTE = 0x22
const READ_BYTES = MiB
/** The server's own limit unless it was raised: what is larger has to be cut. */
const ARRAY_BYTES_MAX = 95 * MiB

const ENDINGS: { readonly [ending: string]: DocumentFormat } = {
  json: 'json',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  csv: 'csv',
}

export const CONTENT_TYPES: { readonly [format in DocumentFormat]: string } = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
}

/** By the ending of the name. @throws ToolFailure */
export function formatOf(path: string): DocumentFormat {
  const format = ENDINGS[path.slice(path.lastIndexOf('.') + 1).toLowerCase()]
  if (format !== undefined) return format
  throw new ToolFailure(
    `the name of \`${path}\` does not say what it holds: give --format json, ndjson or csv`,
  )
}

/** Bytes of the file. @throws ToolFailure */
export const sizeOf = (path: string): number =>
  reading(path, () => withFile(path, (file) => fstatSync(file).size))

export type PieceOptions = {
  readonly format: DocumentFormat
  /** How large a piece may grow before it is cut at the next end of a record. */
  readonly bytes: number
  /** Between cells of CSV. */
  readonly delimiter: string
}

/** Pieces in the order of the file. @throws ToolFailure */
export function* piecesOf(path: string, options: PieceOptions): Generator<Piece> {
  if (options.format !== 'json') {
    yield* cutPieces(path, options)
    return
  }
  const size = sizeOf(path)
  if (size > ARRAY_BYTES_MAX) {
    throw new ToolFailure(
      `\`${path}\` is larger than a body may be, and a JSON array cannot be cut: make lines of it, ` +
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

/** Collects bytes, and gives out whole lines or records. */
class Cutter {
  /** Between cells; null: lines. */
  readonly #delimiter: number | null
  #chunks: Uint8Array[] = []
  /** Of the last record that is complete. */
  #end = 0
  #isQuoted = false
  /** The byte before; a newline stands for the beginning. */
  #before = NEWLINE
  #header: Uint8Array | null = null
  length = 0
  /** Bytes of the file in the last piece that was given out. */
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

  /** A quote opens at the beginning of a cell; the second of two goes on. */
  #quote(): void {
    const before = this.#before
    const isOpening = before === NEWLINE || before === this.#delimiter || before === QUOTE
    this.#isQuoted = !this.#isQuoted && isOpening
  }

  /** null: not even one record is complete. */
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
    // The system's errors: not there, not ours to read, a folder.
    throw new ToolFailure(`\`${path}\` cannot be read: ${(error as Error).message}`)
  }
}

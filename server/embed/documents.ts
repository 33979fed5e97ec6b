// Converts a program's documents to the bytes of a body: NDJSON in pieces, so that any number of
// documents passes without being buffered.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { KiB } from '../../format/bytes/index.ts'
import { isObject } from '../../format/schema/index.ts'
import { messageOf } from './arguments.ts'
import type { Body } from './calls.ts'
import { SvcSearchError } from './errors.ts'
import type { Bytes, Documents, ImportOptions } from './types.ts'

/** A piece ends with the document that reaches this length in UTF-16 units. */
const PIECE_UNITS = 64 * KiB

/** @throws SvcSearchError malformed_payload, while the documents are read */
export function bodyOf(documents: Documents): Body {
  if (!isIterable(documents)) {
    throw malformed('documents have to be an array or an iterable of objects')
  }
  return { contentType: 'application/x-ndjson', bytes: lines(valuesOf(documents)) }
}

const isIterable = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (Symbol.iterator in value || Symbol.asyncIterator in value)

/**
 * Yields the values of a program's iterable. An error of its code is a refusal of the documents.
 * @throws SvcSearchError
 */
async function* valuesOf(source: Iterable<unknown> | AsyncIterable<unknown>): AsyncGenerator {
  try {
    for await (const value of source) yield value
  } catch (error) {
    if (error instanceof SvcSearchError) throw error
    throw malformed(`the documents cannot be read: ${messageOf(error)}`, error)
  }
}

async function* lines(
  documents: AsyncIterable<unknown>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let text = ''
  for await (const document of documents) {
    text += `${written(document)}\n`
    if (text.length < PIECE_UNITS) continue
    yield Buffer.from(text)
    text = ''
    // A synchronous iterable never yields to the event loop, so this pause lets other work run.
    await nextTurn()
  }
  if (text !== '') yield Buffer.from(text)
}

function written(document: unknown): string {
  let text: string | undefined
  try {
    text = isObject(document) ? JSON.stringify(document) : undefined
  } catch (error) {
    // A cycle, a value without a JSON form, or code of the document that throws.
    throw malformed(`a document cannot be written as JSON: ${messageOf(error)}`, error)
  }
  // A document with a `toJSON` may have another form, or none.
  if (text?.startsWith('{') !== true) throw malformed('a document has to be an object')
  return text
}

const malformed = (message: string, cause?: unknown): SvcSearchError =>
  new SvcSearchError('malformed_payload', message, cause === undefined ? {} : { cause })

const TYPES = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
} as const satisfies { readonly [Format in ImportOptions['format']]: string }

/** @throws SvcSearchError invalid_options */
export function bodyOfBytes(source: Bytes, format: ImportOptions['format']): Body {
  const contentType = Object.hasOwn(TYPES, format) ? TYPES[format] : null
  if (contentType === null) {
    const formats = Object.keys(TYPES).join('`, `')
    throw new SvcSearchError('invalid_options', `\`format\` has to be one of \`${formats}\``)
  }
  if (typeof source === 'string') return { contentType, bytes: [Buffer.from(source)] }
  if (source instanceof Uint8Array) return { contentType, bytes: [source] }
  return { contentType, bytes: pieces(source) }
}

/** Pieces of a stream; streams with an encoding have strings. @throws SvcSearchError */
async function* pieces(source: Exclude<Bytes, string | Uint8Array>): AsyncGenerator<Uint8Array> {
  if (!isIterable(source)) throw malformed('documents have to be text, bytes or a stream of bytes')
  for await (const piece of valuesOf(source)) {
    if (typeof piece === 'string') yield Buffer.from(piece)
    else if (piece instanceof Uint8Array) yield piece
    else throw malformed('a stream of documents has to consist of bytes')
  }
}

// Determines which member of a document is its id, and validates its value. Clients know the
// messages.
import { BRACE, compareText, decoder, encoder, POINT, QUOTE } from '../../../format/bytes/index.ts'
import { EXTERNAL_ID_BYTES_MAX } from '../../../format/documents/index.ts'
import {
  canonicalText,
  equalRanges,
  hasEscape,
  isInteger,
  JsonBuffer,
  Members,
  unescapeInto,
} from '../../../format/json/index.ts'
import { EngineFault } from '../../model/index.ts'
import { csvDelimiterHint } from './faults.ts'

/** 1 for the bytes that an external id may contain. */
const ID_BYTE = new Uint8Array(256)
for (const c of '-_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz') {
  ID_BYTE[c.charCodeAt(0)] = 1
}

/**
 * Reads the external ids of documents by one primary key, which may be a path: `a.b` is b in a, or
 * "a.b".
 */
export class PrimaryKey {
  readonly name: string
  readonly #path: Uint8Array
  readonly #isPath: boolean
  readonly #nested: Members[] = []
  readonly #text = new JsonBuffer(64)
  #found = 0
  #from = 0
  #to = 0

  constructor(name: string) {
    this.name = name
    this.#path = encoder.encode(name)
    this.#isPath = this.#path.includes(POINT)
  }

  /**
   * Returns the external id of the document that begins at `at` and that `members` has scanned: a
   * view of the document, or of this object until the next call. @throws EngineFault
   * missing_document_id, invalid_document_id
   */
  externalId(bytes: Uint8Array, at: number, members: Members): Uint8Array {
    if (!this.find(bytes, members)) {
      if (this.#found > 1) throw tooMany(this.name, bytes, at)
      throw new EngineFault(
        'missing_document_id',
        `Document doesn't have a \`${this.name}\` attribute: \`${canonicalText(bytes, at)}\`.` +
          delimiterHint(members),
      )
    }
    return readExternalId(bytes, this.#from, this.#to, this.#text, members)
  }

  /**
   * Returns whether the document has exactly one value under this key: bytes[valueStart, valueEnd).
   */
  find(bytes: Uint8Array, members: Members): boolean {
    this.#found = 0
    if (this.#path.length > 0) this.#search(bytes, members, 0, 0)
    return this.#found === 1
  }

  get valueStart(): number {
    return this.#from
  }

  get valueEnd(): number {
    return this.#to
  }

  /** Searches the members of one object for the rest of the path, from `done` on. */
  #search(bytes: Uint8Array, members: Members, done: number, depth: number): void {
    const path = this.#path
    const rest = path.length - done
    for (let i = 0; i < members.count; i++) {
      const length = members.keyEnd[i]! - members.keyStart[i]!
      if (length > rest || (length < rest && !(this.#isPath && path[done + length] === POINT)))
        continue
      if (!equalRanges(members.keySource(i), members.keyStart[i]!, path, done, length)) continue
      const start = members.valueStart[i]!
      if (length === rest) {
        this.#found++
        this.#from = start
        this.#to = members.valueEnd[i]!
      } else if (bytes[start] === BRACE && length + 1 < rest) {
        this.#nested[depth] ??= new Members()
        const inner = this.#nested[depth]!
        inner.scan(bytes, start)
        this.#search(bytes, inner, done + length + 1, depth + 1)
      }
    }
  }
}

const tooMany = (name: string, bytes: Uint8Array, at: number): EngineFault =>
  new EngineFault(
    'invalid_document_id',
    `Document have too many matching \`${name}\` attribute: \`${canonicalText(bytes, at)}\`.`,
  )

/**
 * Returns the external id that the JSON value bytes[from, to) encodes: the text of an integer, or a
 * string of 1 to 511 letters, digits, `-` and `_`. A view of `bytes`, or of `text` if the string
 * has escapes. @throws EngineFault invalid_document_id
 */
export function readExternalId(
  bytes: Uint8Array,
  from: number,
  to: number,
  text: JsonBuffer,
  members: Members | null = null,
): Uint8Array {
  if (bytes[from] !== QUOTE) {
    if (!isInteger(bytes, from, to)) throw invalidId(bytes, from, members)
    return bytes.subarray(from, to)
  }
  let id = bytes.subarray(from + 1, to - 1)
  if (hasEscape(bytes, from + 1, to - 1)) {
    text.clear()
    unescapeInto(bytes, from + 1, to - 1, text)
    id = text.view()
  }
  if (id.length === 0 || id.length > EXTERNAL_ID_BYTES_MAX) throw invalidId(bytes, from, members)
  for (let at = 0; at < id.length; at++) {
    if (ID_BYTE[id[at]!] === 0) throw invalidId(bytes, from, members)
  }
  return id
}

const invalidId = (bytes: Uint8Array, from: number, members: Members | null): EngineFault =>
  new EngineFault(
    'invalid_document_id',
    `Document identifier \`${canonicalText(bytes, from)}\` is invalid. A document identifier can be of ` +
      'type integer or string, only composed of alphanumeric characters (a-z A-Z 0-9), hyphens (-) ' +
      'and underscores (_), and can not be more than 511 bytes.' +
      (members === null ? '' : delimiterHint(members)),
  )

/** Returns the advice for a document that looks like a row of a CSV without commas, or ``. */
function delimiterHint(members: Members): string {
  if (members.count !== 1) return ''
  return csvDelimiterHint(decoder.decode(members.key(0)))
}

/**
 * Returns the primary key inferred from a first document: its only member whose name ends with
 * `id`, in any case. @throws EngineFault index_primary_key_no_candidate_found,
 * index_primary_key_multiple_candidates_found
 */
export function inferPrimaryKey(members: Members): string {
  const candidates: string[] = []
  for (let i = 0; i < members.count; i++) {
    const key = members.key(i)
    if (endsWithId(key)) candidates.push(decoder.decode(key))
  }
  const [first, second] = candidates.sort(compareText)
  const advice = 'Please specify the primary key manually using the `primaryKey` query parameter.'
  if (first === undefined) {
    throw new EngineFault(
      'index_primary_key_no_candidate_found',
      'The primary key inference failed as the engine did not find any field ending with `id` in ' +
        `its name. ${advice}${delimiterHint(members)}`,
    )
  }
  if (second !== undefined) {
    throw new EngineFault(
      'index_primary_key_multiple_candidates_found',
      `The primary key inference failed as the engine found ${candidates.length} fields ending with ` +
        `\`id\` in their names: '${first}' and '${second}'. ${advice}`,
    )
  }
  return first
}

function endsWithId(key: Uint8Array): boolean {
  const n = key.length
  return n >= 2 && (key[n - 2]! | 0x20) === 0x69 && (key[n - 1]! | 0x20) === 0x64
}

// Parses the member `_vectors` of a document: its own vectors for embedders, or opt-outs. Vectors
// of known embedders go into the vectors layer; entries with other names stay in the document.
import {
  BRACE,
  BRACE_END,
  BRACKET,
  COMMA,
  compareText,
  decoder,
  LETTER_N,
} from '../../../format/bytes/index.ts'
import { JsonBuffer, Members, skipSpace, skipValue } from '../../../format/json/index.ts'
import { DOCUMENT_ROWS_MAX } from '../../../format/vectors/index.ts'
import { numbersOf } from './json-numbers.ts'
import { type VectorsPlace, vectorsFault } from './vector-faults.ts'

/** The entry of a document for one embedder. */
export type GivenVectors = {
  /** null if the entry contains no vectors member. */
  readonly rows: readonly Float32Array[] | null
  readonly regenerates: boolean
  /** The entry is `null`: the document has no vectors and gets none. */
  readonly isOptOut: boolean
}

export type GivenDocument = {
  /** By embedder. */
  readonly known: ReadonlyMap<string, GivenVectors>
  /** Names that are not embedders. */
  readonly otherNames: readonly string[]
  /** JSON of an object with their entries, names in byte order; null without entries. */
  readonly others: Uint8Array | null
}

const REGENERATE = Buffer.from('regenerate')
const EMBEDDINGS = Buffer.from('embeddings')
const EMPTY_LIST = Buffer.from('[]')

/** Parses the value of `_vectors`. @throws EngineFault for an invalid one */
export class VectorsParser {
  readonly #isKnown: (embedder: string) => boolean
  readonly #entries = new Members()
  readonly #members = new Members()

  constructor(isKnown: (embedder: string) => boolean) {
    this.#isKnown = isKnown
  }

  /**
   * bytes[from, to): the value. `id`: of the document. `isStored`: entries with other names were
   * already checked when the document arrived.
   */
  parse(
    bytes: Uint8Array,
    from: number,
    to: number,
    id: Uint8Array,
    isStored = false,
  ): GivenDocument {
    // Clients send null for an absent value.
    if (bytes[from] === LETTER_N) return { known: new Map(), otherNames: [], others: null }
    if (bytes[from] !== BRACE) throw vectorsFault.noObject(id, bytes, from, to)
    this.#entries.scan(bytes, from)
    const known = new Map<string, GivenVectors>()
    const others: [name: string, start: number, end: number][] = []
    for (let i = 0; i < this.#entries.count; i++) {
      const name = decoder.decode(this.#entries.key(i))
      const start = this.#entries.valueStart[i]!
      const end = this.#entries.valueEnd[i]!
      const isKnown = this.#isKnown(name)
      const given = isKnown || !isStored ? this.#entry(bytes, start, end, { id, name }) : null
      if (isKnown && given !== null) known.set(name, given)
      else others.push([name, start, end])
    }
    others.sort(([a], [b]) => compareText(a, b))
    return { known, otherNames: others.map(([name]) => name), others: textOf(bytes, others) }
  }

  #entry(bytes: Uint8Array, from: number, to: number, place: VectorsPlace): GivenVectors {
    switch (bytes[from]) {
      case LETTER_N:
        return { rows: [], regenerates: false, isOptOut: true }
      case BRACKET:
        return { rows: rowsOf(bytes, from, place, ''), regenerates: false, isOptOut: false }
      case BRACE:
        return this.#object(bytes, from, place)
      default:
        throw vectorsFault.notVectors(place, bytes, from, to)
    }
  }

  #object(bytes: Uint8Array, from: number, place: VectorsPlace): GivenVectors {
    const members = this.#members
    members.scan(bytes, from)
    for (let i = 0; i < members.count; i++) {
      if (members.keyIs(i, REGENERATE) || members.keyIs(i, EMBEDDINGS)) continue
      throw vectorsFault.unknownMember(place, bytes, from, members.valueStart[i]!)
    }
    const flag = members.find(REGENERATE)
    if (flag < 0) throw vectorsFault.noRegenerate(place)
    const flagStart = members.valueStart[flag]!
    const flagText = bytes[flagStart] === 0x74 ? true : bytes[flagStart] === 0x66 ? false : null
    if (flagText === null) {
      throw vectorsFault.badRegenerate(place, bytes, from, flagStart, members.valueEnd[flag]!)
    }
    const list = members.find(EMBEDDINGS)
    const rows = list < 0 ? null : this.#embeddings(bytes, list, place)
    return { rows, regenerates: flagText, isOptOut: false }
  }

  #embeddings(
    bytes: Uint8Array,
    member: number,
    place: VectorsPlace,
  ): readonly Float32Array[] | null {
    const from = this.#members.valueStart[member]!
    if (bytes[from] === LETTER_N) return null
    if (bytes[from] !== BRACKET) {
      const to = this.#members.valueEnd[member]!
      throw vectorsFault.wrongType(place, '.embeddings', 'null or an array', bytes, from, to)
    }
    return rowsOf(bytes, from, place, '.embeddings')
  }
}

/** Reads one vector, or a list of them; vectors beyond the limit are dropped. */
function rowsOf(
  bytes: Uint8Array,
  from: number,
  place: VectorsPlace,
  path: string,
): readonly Float32Array[] {
  let at = skipSpace(bytes, from + 1)
  if (bytes[at] === 0x5d) return []
  if (bytes[at] !== BRACKET) return [vectorAt(bytes, from, place, path, 'a number or an array')]
  const rows: Float32Array[] = []
  for (let i = 0; ; i++) {
    const end = skipValue(bytes, at)
    if (bytes[at] !== BRACKET) {
      throw vectorsFault.wrongType(place, `${path}[${i}]`, 'an array', bytes, at, end)
    }
    const row = vectorAt(bytes, at, place, `${path}[${i}]`, 'a number')
    if (rows.length < DOCUMENT_ROWS_MAX) rows.push(row)
    at = skipSpace(bytes, end)
    if (bytes[at] !== COMMA) return rows
    at = skipSpace(bytes, at + 1)
  }
}

/** Reads a vector. `first`: the expected type of its first item, for messages. */
function vectorAt(
  bytes: Uint8Array,
  from: number,
  place: VectorsPlace,
  path: string,
  first: string,
): Float32Array {
  const { numbers, fault } = numbersOf(bytes, from)
  if (fault === null) {
    const item = numbers.findIndex((number) => !Number.isFinite(number))
    if (item >= 0) throw vectorsFault.outOfRange(place, `${path}[${item}]`)
    return numbers
  }
  const { item, at } = fault
  const wanted = item === 0 ? first : 'a number'
  throw vectorsFault.wrongType(place, `${path}[${item}]`, wanted, bytes, at, skipValue(bytes, at))
}

/**
 * Returns the JSON of entries. An opt-out is stored as an empty list, which is what clients read.
 */
function textOf(
  bytes: Uint8Array,
  entries: readonly (readonly [name: string, start: number, end: number])[],
): Uint8Array | null {
  if (entries.length === 0) return null
  const out = new JsonBuffer(256)
  entries.forEach(([name, start, end], i) => {
    out.byte(i === 0 ? BRACE : COMMA)
    const key = Buffer.from(`${JSON.stringify(name)}:`)
    out.append(key, 0, key.length)
    if (bytes[start] === LETTER_N) out.append(EMPTY_LIST, 0, EMPTY_LIST.length)
    else if (bytes[start] === BRACE) writeInOrder(bytes, start, out)
    else out.append(bytes, start, end)
  })
  out.byte(BRACE_END)
  return out.finish()
}

/** Writes an object with `regenerate` first: the order in which clients read it. */
function writeInOrder(bytes: Uint8Array, start: number, out: JsonBuffer): void {
  const members = new Members()
  members.scan(bytes, start)
  let mark = BRACE
  for (const name of ['regenerate', 'embeddings']) {
    const i = members.find(Buffer.from(name))
    if (i < 0) continue
    out.byte(mark)
    out.ascii(`"${name}":`)
    out.append(bytes, members.valueStart[i]!, members.valueEnd[i]!)
    mark = COMMA
  }
  out.byte(BRACE_END)
}

// Rewrites exported documents one by one. Members that stay are copied byte by byte, so numbers keep
// all digits. The forms of exports: lines of documents, a JSON array, an answer with `hits`; of
// Elasticsearch also hits with `_id` and `_source`, and the lines of its bulk API.
import { NEWLINE } from '../../format/bytes/index.ts'
import { faultText, findFault, Members, skipSpace, skipValue } from '../../format/json/index.ts'
import { countOf, shorten, ToolError } from '../terminal/index.ts'
import { allowedId } from './ids.ts'
import { type PairOrder, placesOf } from './places.ts'

type Source = {
  readonly title: string
  readonly primaryKey: string
  /** The attribute with places, or null if every export has another one. */
  readonly geo: string | null
  readonly pairs: PairOrder
  /** Members that answers of searches add to documents. */
  readonly removed: readonly string[]
}

const SOURCES = {
  algolia: {
    title: 'Algolia',
    primaryKey: 'objectID',
    geo: '_geoloc',
    pairs: 'latFirst',
    removed: ['_highlightResult', '_snippetResult', '_rankingInfo', '_distinctSeqID'],
  },
  typesense: { title: 'Typesense', primaryKey: 'id', geo: null, pairs: 'latFirst', removed: [] },
  elasticsearch: {
    title: 'Elasticsearch',
    primaryKey: '_id',
    geo: null,
    pairs: 'lngFirst',
    removed: [],
  },
} satisfies { readonly [name: string]: Source }

export type SourceName = keyof typeof SOURCES

export type RewriteReport = {
  readonly from: SourceName
  documents: number
  /** Identifiers with characters that a primary key cannot have. */
  ids: number
  /** The first of them, with what it became. */
  readonly examples: { readonly before: string; readonly after: string }[]
  /** Documents with one place. */
  places: number
  /** Documents with several places. */
  lists: number
  /** Documents whose place cannot be read; it stays as it is. */
  unread: number
  unreadExample: string | null
  /** Members of answers that were left out. */
  removed: number
}

/** Keeps the identifier that was rewritten. */
const ORIGINAL = 'originalId'
const PLACE = '_geo'
const SHAPE = '_geojson'
const EXAMPLES_MAX = 3
const SHOWN_CHARACTERS = 60

export class Rewriter {
  readonly report: RewriteReport
  readonly #source: Source
  readonly #key: string
  readonly #geo: string | null
  readonly #members = new Members()
  readonly #inner = new Members()
  /** The identifier in the action line of a bulk export, for the line behind it. */
  #bulkId: string | null = null
  #lines = 0

  /** `primaryKey`, `geo`: attributes, or null for those of the source. */
  constructor(from: SourceName, primaryKey: string | null, geo: string | null) {
    this.#source = SOURCES[from]
    this.#key = primaryKey ?? this.#source.primaryKey
    this.#geo = geo ?? this.#source.geo
    this.report = {
      from,
      documents: 0,
      ids: 0,
      examples: [],
      places: 0,
      lists: 0,
      unread: 0,
      unreadExample: null,
      removed: 0,
    }
  }

  get primaryKey(): string {
    return this.#key
  }

  /** Returns lines of documents for complete lines of an export. @throws ToolError */
  lines(body: Uint8Array): Uint8Array {
    const out: string[] = []
    for (let at = 0; at < body.length; ) {
      const found = body.indexOf(NEWLINE, at)
      const end = found < 0 ? body.length : found
      this.#lines++
      const line = body.subarray(at, end)
      if (skipSpace(line, 0) < line.length) out.push(this.#line(line))
      at = end + 1
    }
    return Buffer.from(out.join(''))
  }

  /** The same for a file with one JSON value: an array, or an answer with `hits`. */
  whole(body: Uint8Array): Uint8Array {
    checkJson(body, 'the file')
    let at = skipSpace(body, 0)
    // Answers of Elasticsearch have hits in hits.
    for (let level = 0; level < 2 && body[at] === BRACE; level++) at = this.#hitsOf(body, at)
    if (body[at] !== BRACKET) throw new ToolError('the file is not an array of documents')
    const out: string[] = []
    at = skipSpace(body, at + 1)
    while (body[at] !== BRACKET_END) {
      const end = skipValue(body, at)
      this.#lines++
      out.push(this.#document(body.subarray(at, end)))
      at = skipSpace(body, end)
      if (body[at] === COMMA) at = skipSpace(body, at + 1)
    }
    return Buffer.from(out.join(''))
  }

  #hitsOf(body: Uint8Array, at: number): number {
    this.#members.scan(body, at)
    const hits = this.#members.find(HITS)
    if (hits < 0) throw new ToolError('the file is not an array of documents, and has no `hits`')
    return this.#members.valueStart[hits]!
  }

  #line(line: Uint8Array): string {
    checkJson(line, `line ${this.#lines}`)
    return this.#document(line)
  }

  /** Returns the document as one line, or nothing for an action of a bulk export. */
  #document(json: Uint8Array): string {
    const at = skipSpace(json, 0)
    if (json[at] !== BRACE) throw this.#fault('is not an object')
    this.#members.scan(json, at)
    if (this.report.from !== 'elasticsearch') return this.#written(this.#members, json, null)
    const action = this.#bulkId === null ? bulkActionOf(json, this.#members) : null
    if (action !== null) {
      if (!WITH_DOCUMENT.includes(action.name)) {
        throw this.#fault(`is the action \`${action.name}\`, which has no whole document`)
      }
      this.#bulkId = action.id
      return ''
    }
    const bulkId = this.#bulkId
    this.#bulkId = null
    const inner = this.#members.find(SOURCE)
    if (inner < 0) return this.#written(this.#members, json, bulkId)
    const innerAt = this.#members.valueStart[inner]!
    if (json[innerAt] !== BRACE) throw this.#fault('has a `_source` that is not an object')
    this.#inner.scan(json, innerAt)
    const idAt = this.#members.find(ID)
    const id = idAt < 0 ? null : String(this.#value(this.#members, json, idAt))
    return this.#written(this.#inner, json, id)
  }

  /** `outerId`: from outside of the document, for one without a member for it; or null. */
  #written(members: Members, json: Uint8Array, outerId: string | null): string {
    this.report.documents++
    const id = members.find(Buffer.from(this.#key)) < 0 ? outerId : null
    const parts: string[] = []
    const add = (name: string, value: string): void => {
      parts.push(`${JSON.stringify(name)}:${value}`)
    }
    if (id !== null) this.#addId(id, members, add)
    for (let i = 0; i < members.count; i++) {
      const name = Buffer.from(members.key(i)).toString()
      const raw = rawOf(members, json, i)
      if (name === this.#key) this.#addOwnId(raw, members, add)
      else if (this.#source.removed.includes(name)) this.report.removed++
      else if (name !== this.#geo || !this.#addPlaces(raw, members, add)) add(name, raw)
    }
    return `{${parts.join(',')}}\n`
  }

  #addOwnId(raw: string, members: Members, add: Add): void {
    const id: unknown = JSON.parse(raw)
    if (typeof id === 'string') this.#addId(id, members, add)
    // A number may be longer than a double holds, so its digits are used.
    else if (typeof id === 'number' && !/^-?\d+$/.test(raw)) this.#addId(raw, members, add)
    else add(this.#key, raw)
  }

  #addId(id: string, members: Members, add: Add): void {
    const allowed = allowedId(id)
    add(this.#key, JSON.stringify(allowed))
    if (allowed === id) return
    this.#checkFree(members, ORIGINAL)
    add(ORIGINAL, JSON.stringify(id))
    const { report } = this
    if (report.ids++ < EXAMPLES_MAX) report.examples.push({ before: id, after: allowed })
  }

  /** Several places become a shape, which filters find at each of them. */
  #addPlaces(raw: string, members: Members, add: Add): boolean {
    const value: unknown = JSON.parse(raw)
    // An attribute without a value is no place.
    if (value === null) return true
    const places = placesOf(value, this.#source.pairs)
    if (places === null) {
      if (this.report.unread++ === 0) this.report.unreadExample = raw
      return false
    }
    this.#checkFree(members, PLACE)
    add(PLACE, JSON.stringify(places[0]))
    if (places.length === 1) {
      this.report.places++
      return true
    }
    this.report.lists++
    const coordinates = places.map(({ lat, lng }) => [lng, lat])
    this.#checkFree(members, SHAPE)
    add(SHAPE, JSON.stringify({ type: 'MultiPoint', coordinates }))
    return true
  }

  /** A second member of one name would replace the first. @throws ToolError */
  #checkFree(members: Members, name: string): void {
    if (name === this.#geo || members.find(Buffer.from(name)) < 0) return
    throw this.#fault(`cannot be rewritten: there is a member \`${name}\` already`)
  }

  #fault(problem: string): ToolError {
    return new ToolError(`line ${this.#lines} ${problem}`)
  }

  #value(members: Members, json: Uint8Array, i: number): unknown {
    return JSON.parse(rawOf(members, json, i))
  }
}

type Add = (name: string, value: string) => void

const name = (text: string): Uint8Array => Buffer.from(text)
const [HITS, SOURCE, ID] = [name('hits'), name('_source'), name('_id')]
/** Actions of the bulk API: the next line is a document. */
const WITH_DOCUMENT = ['index', 'create']
const ACTIONS = [...WITH_DOCUMENT, 'update', 'delete']
const [BRACE, BRACKET, BRACKET_END, COMMA] = [0x7b, 0x5b, 0x5d, 0x2c]

/** Returns the value on one line: in JSON a line ends only between tokens. */
const rawOf = (members: Members, json: Uint8Array, i: number): string =>
  Buffer.from(json.subarray(members.valueStart[i]!, members.valueEnd[i]!))
    .toString()
    .replaceAll(/[\r\n]+/g, ' ')

type BulkAction = { readonly name: string; readonly id: string }

/** Returns the action of `{"index": {"_id": …}}` and the like, or null for other objects. */
function bulkActionOf(json: Uint8Array, members: Members): BulkAction | null {
  if (members.count !== 1) return null
  const name = ACTIONS.find((action) => members.keyIs(0, Buffer.from(action)))
  if (name === undefined) return null
  const action: unknown = JSON.parse(rawOf(members, json, 0))
  const id = (action as { readonly _id?: unknown } | null)?._id
  return typeof id === 'string' || typeof id === 'number' ? { name, id: String(id) } : null
}

function checkJson(bytes: Uint8Array, place: string): void {
  const fault = findFault(bytes)
  if (fault !== null) throw new ToolError(`${place} is not JSON: ${faultText(fault)}`)
}

export function reportText(report: RewriteReport, geo: string | null): string {
  const { from, ids, examples, places, lists, unread, unreadExample, removed } = report
  const lines: string[] = []
  if (ids > 0) {
    const [{ before, after }] = examples as [RewriteReport['examples'][number]]
    lines.push(
      `${countOf(ids, 'identifier')} had other characters: \`${shorten(before, SHOWN_CHARACTERS)}\` is ` +
        `\`${shorten(after, SHOWN_CHARACTERS)}\` now; the original is in \`${ORIGINAL}\``,
    )
  }
  if (places > 0) lines.push(`${countOf(places, 'place is', 'places are')} in \`_geo\``)
  if (lists > 0) {
    lines.push(
      `${countOf(lists, 'document has', 'documents have')} several places: the first in \`_geo\`, all in \`_geojson\``,
    )
  }
  if (unread > 0) {
    const field = geo ?? SOURCES[from].geo
    lines.push(
      `${countOf(unread, 'place')} cannot be read and stays in \`${field}\`: ` +
        shorten(unreadExample ?? '', SHOWN_CHARACTERS),
    )
  }
  if (removed > 0) lines.push(`${countOf(removed, 'member')} of search answers left out`)
  if (lines.length === 0) return `Nothing had to be rewritten for ${SOURCES[from].title}.\n`
  return `Rewritten from ${SOURCES[from].title}:\n${lines.map((line) => `  ${line}\n`).join('')}`
}

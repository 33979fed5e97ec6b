// A small index in memory for the tests of this folder: takes documents, returns formatted hits.
import { encodeRecord, RecordFields } from '../../../format/documents/index.ts'
import { JsonBuffer, jsonKey } from '../../../format/json/index.ts'
import type { SettingsPatch } from '../../settings/index.ts'
import type { QueryGraph } from '../query-graph/index.ts'
import { type Document, type Json, SmallText } from '../query-graph/test-support.ts'
import type { FormatRequest } from './format-options.ts'
import { type HitFields, HitFormatter } from './hit-formatter.ts'
import { Matcher } from './matcher.ts'

export type Positions = {
  readonly [name: string]: readonly {
    readonly start: number
    readonly length: number
    readonly indices?: readonly number[]
  }[]
}
export type Formatted = {
  readonly formatted: Document | null
  readonly positions: Positions
  /** The JSON of both, as written. */
  readonly text: string
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true })

const REQUEST: FormatRequest = {
  attributesToHighlight: null,
  attributesToCrop: null,
  cropLength: 10,
  cropMarker: '…',
  highlightPreTag: '<em>',
  highlightPostTag: '</em>',
  locales: null,
}

export class SmallIndex {
  readonly text: SmallText
  /** By document. */
  readonly records: readonly Uint8Array[]
  readonly #keys: readonly Uint8Array[]

  constructor(documents: readonly Document[], patch: SettingsPatch = {}) {
    this.text = new SmallText(documents, patch)
    this.records = this.text.stored.map((fields) => encodeRecord(fields))
    this.#keys = this.text.search.fields.map(jsonKey)
  }

  /** Returns the graph of a query, with all words with typos looked up unless `lazy`. */
  graph(query: string, lazy = false): QueryGraph | null {
    const graph = this.text.graph(query)
    if (!lazy) {
      for (const [, { term }] of graph?.present() ?? []) term.docs(0b111, false)
      graph?.docs(this.text.ids)
    }
    return graph
  }

  matcher(query: string, lazy = false): Matcher {
    return Matcher.of(this.graph(query, lazy))
  }

  /** Formats all documents. */
  format(
    matcher: Matcher,
    request: Partial<FormatRequest>,
    fields: Partial<HitFields> = {},
  ): Formatted[] {
    const { search } = this.text
    const hits = { displayed: null, retrieved: search.fields, without: -1, ...fields }
    const formatter = new HitFormatter({ ...REQUEST, ...request }, hits, matcher, search)
    const record = new RecordFields()
    return this.records.map((bytes) => {
      const out = new JsonBuffer(16)
      record.read(bytes)
      const has = formatter.writeFormatted(record, bytes, this.#keys, out)
      const formatted = decoder.decode(out.view())
      out.clear()
      formatter.writeMatchesPosition(record, bytes, out)
      const positions = decoder.decode(out.view())
      return {
        formatted: has ? (JSON.parse(formatted) as Document) : null,
        positions: JSON.parse(positions) as Positions,
        text: formatted + positions,
      }
    })
  }
}

/** Formats one text under the name `t`. */
export function formatText(
  text: string,
  query: string,
  request: Partial<FormatRequest> = { attributesToHighlight: ['*'] },
  settings: SettingsPatch = {},
): Json | undefined {
  const index = new SmallIndex([{ t: text }], settings)
  return index.format(index.matcher(query), request)[0]!.formatted?.['t']
}

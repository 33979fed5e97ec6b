// A small index in memory for the tests of this folder: documents in, formatted hits out.
import { ByteWriter } from '../../format/bytes/index.ts'
import { encodeRecord, RecordFields } from '../../format/documents/index.ts'
import { Frame } from '../../format/frame/index.ts'
import { IdSet } from '../../format/idset/index.ts'
import { JsonBuffer, jsonKey } from '../../format/json/index.ts'
import { TEXT_KIND, TextReader } from '../../format/postings/index.ts'
import { discoverFields, Extractor } from '../indexer/extract.ts'
import { FieldNames } from '../indexer/field-names.ts'
import { FieldPlan } from '../indexer/field-plan.ts'
import { TextBuilder } from '../indexer/text-builder.ts'
import { buildGraph, parseQuery, SearchSettings, TermSpace } from '../query/index.ts'
import { EVERYWHERE, TextIndex } from '../segments/index.ts'
import { applyPatch, defaultSettings, type IndexSettings } from '../settings/index.ts'
import { Analyzer } from '../text/index.ts'
import type { FormatRequest } from './format-options.ts'
import { type HitFields, HitFormatter } from './hit-formatter.ts'
import { Matcher } from './matcher.ts'

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }
export type Document = { readonly [field: string]: Json }
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
  /** The JSON of both, as it was written. */
  readonly text: string
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true })

export const REQUEST: FormatRequest = {
  attributesToHighlight: null,
  attributesToCrop: null,
  cropLength: 10,
  cropMarker: '…',
  highlightPreTag: '<em>',
  highlightPostTag: '</em>',
  locales: null,
}

export class SmallIndex {
  readonly search: SearchSettings
  readonly text: TextIndex
  readonly #records: Uint8Array[]
  readonly #keys: Uint8Array[]

  constructor(documents: readonly Document[], patch: Partial<IndexSettings> = {}) {
    const { settings } = applyPatch(defaultSettings(), patch as Parameters<typeof applyPatch>[1])
    const names = new FieldNames([])
    const plan = new FieldPlan(settings, names)
    const fields = documents.map((document) =>
      Object.entries(document).map(([name, value]) => {
        const id = names.idOf(name)
        const json = encoder.encode(JSON.stringify(value))
        discoverFields(plan.field(id), json, 0)
        return [id, json] as const
      }),
    )
    this.#records = fields.map((pairs) => encodeRecord(pairs))
    this.text = textIndex(fields, settings, plan)
    const all = Array.from({ length: names.count }, (_, id) => names.name(id))
    this.#keys = all.map(jsonKey)
    this.search = new SearchSettings(settings, all)
  }

  /** What a query may stand for, all words with typos looked for unless `lazy`. */
  matcher(query: string, lazy = false): Matcher {
    const { search, text } = this
    const space = new TermSpace(text, search.rules, EVERYWHERE, () => search.searchableFields())
    const tokens = search.analyzer.tokenize(query, null)
    const prefixes = search.settings.prefixSearch === 'indexingTime'
    const graph = buildGraph(parseQuery(tokens, prefixes), space)
    if (!lazy) {
      for (const [, { term }] of graph?.present() ?? []) term.docs(0b111, false)
      graph?.docs(IdSet.range(0, this.#records.length))
    }
    return Matcher.of(graph)
  }

  /** All documents, formatted. */
  format(
    matcher: Matcher,
    request: Partial<FormatRequest>,
    fields: Partial<HitFields> = {},
  ): Formatted[] {
    const { search } = this
    const hits = { displayed: null, retrieved: search.fields, without: -1, ...fields }
    const formatter = new HitFormatter({ ...REQUEST, ...request }, hits, matcher, search)
    const record = new RecordFields()
    return this.#records.map((bytes) => {
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

function textIndex(
  documents: readonly (readonly (readonly [number, Uint8Array])[])[],
  settings: IndexSettings,
  plan: FieldPlan,
): TextIndex {
  const text = new TextBuilder(new Analyzer(settings))
  const extractor = new Extractor(plan, { text, columns: null })
  documents.forEach((fields, id) => {
    text.begin(id)
    for (const [field, json] of [...fields].sort((a, b) => a[0] - b[0])) {
      extractor.field(field, json, 0, json.length, '')
    }
  })
  if (!text.hasDocuments) return new TextIndex([])
  const out = new ByteWriter()
  text.finish((bytes) => out.bytes(bytes))
  const reader = TextReader.open(Frame.open(out.finish(), TEXT_KIND))
  return new TextIndex([{ reader, dead: null }])
}

/** One text under the name `t`, marked and cropped as asked for. */
export function formatText(
  text: string,
  query: string,
  request: Partial<FormatRequest> = { attributesToHighlight: ['*'] },
  settings: Partial<IndexSettings> = {},
): Json | undefined {
  const index = new SmallIndex([{ t: text }], settings)
  return index.format(index.matcher(query), request)[0]!.formatted?.['t']
}

// The text of a few documents as one view in memory, for the tests of this folder and of folders
// that depend on it. Documents may be in several segments, and a segment may contain dead copies.

import { ByteWriter } from '../../../format/bytes/index.ts'
import { encodeRecord } from '../../../format/documents/index.ts'
import { Frame } from '../../../format/frame/index.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { JsonBuffer } from '../../../format/json/index.ts'
import { applyPatch, defaultSettings, type SettingsPatch } from '../../settings/index.ts'
import {
  type BuildEnvironment,
  discoverFields,
  FieldNames,
  planOfLayers,
  textLayer,
} from '../../store/layers/index.ts'
import { EVERYWHERE, type Scope, TextIndex } from '../segment-text/index.ts'
import type { TextSegment } from '../segment-text/view-segments.ts'
import { buildGraph, type QueryGraph } from './graph.ts'
import { parseQuery } from './parse.ts'
import { QueryStems } from './query-stems.ts'
import { SearchSettings } from './search-settings.ts'
import { TermSpace } from './term-space.ts'

export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json }
export type Document = { readonly [field: string]: Json }

/** Top-level fields of one document: id and value as JSON. */
export type StoredFields = readonly (readonly [field: number, json: Uint8Array])[]

const encoder = new TextEncoder()
const NO_ID = new Uint8Array(0)

/** Documents whose ids are their positions in the list. */
export class SmallText {
  readonly search: SearchSettings
  readonly index: TextIndex
  /** By document. */
  readonly stored: readonly StoredFields[]
  readonly ids: IdSet

  /**
   * `segments`: number of segments, to which documents are assigned one after another; each has
   * dead copies of its neighbor's.
   */
  constructor(documents: readonly Document[], patch: SettingsPatch = {}, segments = 1) {
    const { settings } = applyPatch(defaultSettings(), patch)
    const names = new FieldNames([])
    const plan = planOfLayers(settings, names)
    const scratch = new JsonBuffer()
    this.stored = documents.map((document) =>
      Object.entries(document).map(([name, value]) => {
        const id = names.idOf(name)
        const json = encoder.encode(JSON.stringify(value))
        discoverFields(plan.field(id), json, 0, scratch)
        return [id, json] as const
      }),
    )
    const all = Array.from({ length: names.count }, (_, id) => names.name(id))
    this.search = new SearchSettings(settings, all)
    this.index = new TextIndex(
      Array.from({ length: segments }, (_, s) =>
        textSegment(this.stored, { settings, names }, s, segments),
      ).filter((segment) => segment !== null),
    )
    this.ids = IdSet.range(0, documents.length)
  }

  space(scope: Scope = EVERYWHERE): TermSpace {
    const { search } = this
    return new TermSpace(this.index, search.rules, scope, () => search.searchableFields())
  }

  /** With the stems of the query's words where the settings have some. */
  spaceOf(query: string, scope = EVERYWHERE, locales: readonly string[] | null = null): TermSpace {
    const { index, search } = this
    const stems = search.stems(scope)
    const tokens = search.analyzer.tokenize(query, null)
    const own = stems === null ? null : new QueryStems(stems, locales, query, tokens)
    return new TermSpace(index, search.rules, scope, () => search.searchableFields(), own)
  }

  /** The query graph; null if the query has no words. */
  graph(query: string, space = this.space()): QueryGraph | null {
    const tokens = this.search.analyzer.tokenize(query, null)
    const prefixes = this.search.settings.prefixSearch === 'indexingTime'
    return buildGraph(parseQuery(tokens, prefixes), space)
  }
}

/** The documents of segment `s`, and for other ids the text of the next document as a dead copy. */
function textSegment(
  stored: readonly StoredFields[],
  env: BuildEnvironment,
  s: number,
  segments: number,
): TextSegment | null {
  const out = new ByteWriter()
  const builder = textLayer.builder(env, (bytes) => out.bytes(bytes))
  const dead: number[] = []
  stored.forEach((_, id) => {
    const isLive = id % segments === s
    if (!isLive && id % segments !== (s + 1) % segments) return
    if (!isLive) dead.push(id)
    const fields = stored[isLive ? id : (id + 1) % stored.length]!
    builder.add(id, NO_ID, encodeRecord(fields))
  })
  if (builder.finish() === null) return null
  const reader = textLayer.open(Frame.open(out.finish(), textLayer.kind), {})
  return { reader, dead: dead.length === 0 ? null : IdSet.of(dead) }
}

// The text layer: the words of searchable fields.

import type { ByteSink } from '../../../format/frame/index.ts'
import type { DocId } from '../../../format/ids.ts'
import {
  canonicalNumber,
  isCanonicalNumber,
  JsonBuffer,
  numberText,
} from '../../../format/json/index.ts'
import {
  checkText,
  mergeText,
  readTextMeta,
  TEXT_KIND,
  TextReader,
} from '../../../format/postings/index.ts'
import { handlingChanged, type IndexSettings, selectedFields } from '../../settings/index.ts'
import { covers } from '../../settings/schema/index.ts'
import { isInfixSearched, localesOf, stemmingOf } from '../../settings/values/index.ts'
import { ANALYSIS_VERSION, Analyzer, type Stemming } from '../../text/index.ts'
import { describeText, textTables } from './describe-text.ts'
import type { FieldNode, FieldUse } from './field-plan.ts'
import {
  type BuildEnvironment,
  type LayerBuilder,
  type LayerProfile,
  layerOf,
  type SegmentLayer,
  type Written,
} from './layer.ts'
import { TextBuilder } from './text-builder.ts'
import { ValueWalk } from './value-walk.ts'

/** Fields that are never searched, under any settings. */
const UNSEARCHABLE = ['_vectors', '_geo', '_geojson']

export const textProfile: LayerProfile = {
  segmentCost: 1,
  name: 'text',
  kind: TEXT_KIND,
  extension: 'text',
  isDerived: true,
  sections: {
    POST: 'postings',
    TERM: 'terms',
    TOFF: 'posting offsets',
    PPST: 'prefixes',
    PKEY: 'prefixes',
    POFF: 'prefixes',
    LENG: 'field lengths',
    DIDS: 'ids',
    INFX: 'infixes',
    META: 'counts',
  },
  use: searchedFields,
  affectedBy(before, after, fields) {
    const { holds: wasSearched } = selectedFields('text', before)
    const { holds: isSearched } = selectedFields('text', after)
    const isHandledAnew = handlingChanged('text', before, after)
    const differs = (field: string): boolean =>
      wasSearched(field) !== isSearched(field) || (isSearched(field) && isHandledAnew(field))
    return fields.some(differs) ? 'rebuild' : 'no'
  },
  analysis: { version: ANALYSIS_VERSION, of: (frame) => readTextMeta(frame).analysis },
}

export const textLayer: SegmentLayer<TextReader> = /* @__PURE__ */ layerOf(textProfile, {
  open: (frame, { sharedAs }) => TextReader.open(frame, sharedAs ?? null),
  close: (reader) => reader.close(),
  ids: (reader) => reader.ids(),
  builder: (env, sink) => new WordsBuilder(env, sink),
  merge(inputs, sink, { openScratch = null, progress }) {
    const total = inputs.reduce((n, { reader }) => n + reader.termCount, 0)
    const merged = mergeText(inputs, sink, (terms) => progress(terms, total), openScratch)
    if (merged === null) return null
    const { size, min, max } = merged.ids
    return { documents: size, idMin: min, idMax: max }
  },
  check: (frame, { progress }) => checkText(frame, progress),
  describe: describeText,
  tables: textTables,
})

function searchedFields(settings: IndexSettings): FieldUse {
  const { holds, holdsBelow } = selectedFields('text', settings)
  return {
    checkedAs: 'searched',
    holds: (name) => holds(name) && !UNSEARCHABLE.some((special) => covers(special, name)),
    holdsBelow,
  }
}

/** By settings. An analyzer is immutable, so all builders with the same settings share it. */
const analyzers = new WeakMap<IndexSettings, Analyzer>()

function analyzerOf(settings: IndexSettings): Analyzer {
  let analyzer = analyzers.get(settings)
  if (analyzer === undefined) {
    analyzer = new Analyzer(settings)
    analyzers.set(settings, analyzer)
  }
  return analyzer
}

class WordsBuilder implements LayerBuilder {
  readonly #words: TextBuilder
  readonly #walk: WordWalk
  readonly #sink: ByteSink

  constructor(env: BuildEnvironment, sink: ByteSink) {
    this.#words = new TextBuilder(analyzerOf(env.settings))
    this.#walk = new WordWalk(env, this.#words)
    this.#sink = sink
  }

  add(id: DocId, _externalId: Uint8Array, record: Uint8Array): void {
    this.#words.begin(id)
    this.#walk.walk(record)
  }

  finish(): Written | null {
    if (!this.#words.hasDocuments) return null
    const { ids } = this.#words.finish(this.#sink)
    return { documents: ids.length, idMin: ids[0]!, idMax: ids[ids.length - 1]! }
  }
}

/**
 * Passes the scalars of searched fields to a builder
 * (docs/search-semantics.md#values-words-and-positions).
 */
class WordWalk extends ValueWalk {
  readonly #settings: IndexSettings
  readonly #words: TextBuilder
  /** By field id; undefined before the field was first found. */
  readonly #locales: (readonly string[] | null | undefined)[] = []
  readonly #stemmings: (Stemming | null)[] = []
  readonly #canonical = new JsonBuffer(64)

  constructor({ settings, names }: BuildEnvironment, words: TextBuilder) {
    super(searchedFields(settings), names)
    this.#settings = settings
    this.#words = words
  }

  protected override string(node: FieldNode, bytes: Uint8Array, from: number, to: number): void {
    const { fieldId } = node
    let locales = this.#locales[fieldId]
    if (locales === undefined) {
      locales = localesOf(this.#settings, node.name)
      this.#locales[fieldId] = locales
      this.#stemmings[fieldId] = stemmingOf(this.#settings, node.name)
      if (isInfixSearched(this.#settings, node.name)) this.#words.coverInfixes(fieldId)
    }
    this.#words.value(fieldId, bytes, from, to, locales, this.#stemmings[fieldId])
  }

  protected override boolean(node: FieldNode, bytes: Uint8Array, from: number, to: number): void {
    this.string(node, bytes, from, to)
  }

  /** The words of a number are those of its canonical text. */
  protected override number(node: FieldNode, bytes: Uint8Array, from: number, to: number): void {
    if (isCanonicalNumber(bytes, from, to)) {
      this.string(node, bytes, from, to)
      return
    }
    const sent = numberText(bytes, from, to)
    if (!Number.isFinite(Number(sent))) return
    const canonical = this.#canonical
    canonical.clear()
    canonical.ascii(canonicalNumber(sent) ?? sent)
    this.string(node, canonical.bytes, 0, canonical.length)
  }

  protected override nothing(): void {
    // Null has no words.
  }

  protected override container(): void {
    // The elements of a container are visited separately.
  }
}

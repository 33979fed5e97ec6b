// Index settings in the form that searches use, computed once for each view: weights of fields,
// words exempt from typos, synonyms.
import { compareText } from '../../../format/bytes/index.ts'
import type { FieldId, IndexUid } from '../../../format/ids.ts'
import { EngineFault, type FaultCode } from '../../model/index.ts'
import type { IndexSettings } from '../../settings/index.ts'
import { covers, matchesPattern } from '../../settings/schema/index.ts'
import {
  isInfixSearched,
  localesOf,
  searchableNames,
  searchableRankOf,
  stemmingOf,
} from '../../settings/values/index.ts'
import { Analyzer, type Stemming } from '../../text/index.ts'
import { type Scope, scopeOf } from '../segment-text/index.ts'
import type { InfixRules, TermRules } from './term-rules.ts'

/**
 * The words of one synonym key take fewer bytes than this, separators included; longer keys are
 * ignored.
 */
const SYNONYM_KEY_MAX = 500
/** Never searched, regardless of settings. */
const UNSEARCHABLE = ['_vectors', '_geo', '_geojson']

export class SearchSettings {
  readonly settings: IndexSettings
  /** Field names by field id. */
  readonly fields: readonly string[]
  readonly #ids = new Map<string, number>()
  readonly #weights: readonly (number | null)[]
  #searchableFields: readonly number[] | null = null
  readonly weightMax: number
  #analyzer: Analyzer | null = null
  #rules: TermRules | null = null

  constructor(settings: IndexSettings, fields: readonly string[]) {
    this.settings = settings
    this.fields = fields
    fields.forEach((name, id) => {
      this.#ids.set(name, id)
    })
    this.#weights = fields.map((name) =>
      UNSEARCHABLE.some((special) => covers(special, name))
        ? null
        : searchableRankOf(settings, name),
    )
    this.weightMax = this.#weights.reduce<number>((most, w) => Math.max(most, w ?? 0), 0)
  }

  fieldId(name: string): number | null {
    return this.#ids.get(name) ?? null
  }

  /** Returns the weight of a field (0 is the most important), or null if it is not searchable. */
  weightOf(field: FieldId): number | null {
    return this.#weights[field] ?? null
  }

  /** Searchable field ids, ascending. */
  searchableFields(): readonly number[] {
    this.#searchableFields ??= this.#weights.flatMap((weight, id) => (weight === null ? [] : [id]))
    return this.#searchableFields
  }

  get analyzer(): Analyzer {
    this.#analyzer ??= new Analyzer(this.settings)
    return this.#analyzer
  }

  get rules(): TermRules {
    this.#rules ??= this.#makeRules()
    return this.#rules
  }

  /**
   * Returns the fields that `attributesToSearchOn` names, or null for no restriction.
   * @throws EngineFault with `code` for a name that cannot be searched
   */
  scope(
    indexUid: IndexUid,
    names: readonly string[] | null,
    code: FaultCode = 'invalid_search_attributes_to_search_on',
  ): Scope | null {
    if (names === null) return null
    const chosen = new Set<number>()
    let everything = false
    for (const name of names) {
      if (name === '*') {
        everything = true
        continue
      }
      const fields = this.#searchable(name)
      if (!this.maySearch(name)) throw notSearchable(this, indexUid, name, code)
      for (const field of fields) chosen.add(field)
    }
    return everything ? null : scopeOf([...chosen])
  }

  /**
   * Returns the languages of a query: the requested ones, else those of the searched fields; null
   * for any.
   */
  locales(requested: readonly string[] | null, scope: Scope | null): readonly string[] | null {
    if (requested !== null) return requested.length === 0 ? null : requested
    if (this.settings.localizedAttributes === null) return null
    const union = new Set<string>()
    for (const field of scope?.fields ?? this.searchableFields()) {
      for (const locale of localesOf(this.settings, this.fields[field]!) ?? []) union.add(locale)
    }
    return union.size === 0 ? null : [...union]
  }

  /** Returns true if a locale rule allows Japanese for one of the searched fields. */
  declaresJapanese(scope: Scope | null): boolean {
    if (this.settings.localizedAttributes === null) return false
    for (const field of scope?.fields ?? this.searchableFields()) {
      if (localesOf(this.settings, this.fields[field]!)?.includes('jpn') === true) return true
    }
    return false
  }

  /**
   * Returns the ids of searchable fields that a name or pattern of `attributesToSearchOn` matches.
   * The name of an object stands for all of its fields.
   */
  #searchable(name: string): number[] {
    return this.searchableFields().filter((id) => {
      const field = this.fields[id]!
      return covers(name, field) || matchesPattern(name, field)
    })
  }

  /**
   * Returns true if fields of this name are searched, or may be later: then the name is not an
   * error.
   */
  maySearch(name: string): boolean {
    if (this.#searchable(name).length > 0) return true
    return searchableNames(this.settings.searchableAttributes)?.includes(name) !== false
  }

  /** Returns the rules of stems and the fields that have them, of the searched ones; null for none. */
  stems(scope: Scope | null): { readonly rules: Stemming[]; readonly scope: Scope } | null {
    if (this.settings.localizedAttributes === null) return null
    const rules = new Set<Stemming>()
    const fields: number[] = []
    for (const field of scope?.fields ?? this.searchableFields()) {
      const stemming = stemmingOf(this.settings, this.fields[field]!)
      if (stemming === null) continue
      rules.add(stemming)
      fields.push(field)
    }
    return fields.length === 0 ? null : { rules: [...rules], scope: scopeOf(fields) }
  }

  #makeRules(): TermRules {
    const { typoTolerance, proximityPrecision } = this.settings
    const exempt = typoTolerance.disableOnAttributes
    return {
      typosEnabled: typoTolerance.enabled,
      oneTypoChars: typoTolerance.minWordSizeForTypos.oneTypo,
      twoTyposChars: typoTolerance.minWordSizeForTypos.twoTypos,
      disabledWords: new Set(typoTolerance.disableOnWords),
      exactFields: this.fields.flatMap((field, id) =>
        exempt.some((name) => covers(name, field)) ? [id] : [],
      ),
      exactNumbers: typoTolerance.disableOnNumbers,
      synonyms: this.#makeSynonyms(),
      infix: this.#makeInfix(),
      hasStopWords: this.analyzer.stopWords.size > 0,
      pairsByWord: proximityPrecision === 'byWord',
    }
  }

  #makeInfix(): InfixRules | null {
    const { infixSearch } = this.settings
    if (infixSearch === null) return null
    const fields = this.searchableFields().filter((id) =>
      isInfixSearched(this.settings, this.fields[id]!),
    )
    return fields.length === 0 ? null : { fields, lengthMin: infixSearch.minLength }
  }

  #makeSynonyms(): Map<string, string[][]> {
    const synonyms = new Map<string, Map<string, string[]>>()
    for (const [key, values] of Object.entries(this.settings.synonyms)) {
      const words = this.analyzer.words(key)
      const bytes = words.reduce((n, word) => n + Buffer.byteLength(word), 0)
      if (words.length === 0 || bytes + words.length >= SYNONYM_KEY_MAX) continue
      const joined = words.join('\u0000')
      const phrases = synonyms.get(joined) ?? new Map<string, string[]>()
      for (const value of [...values].sort()) {
        const phrase = this.#synonymPhrase(value)
        if (phrase.length > 0) phrases.set(value, phrase)
      }
      synonyms.set(joined, phrases)
    }
    return new Map([...synonyms].map(([key, phrases]) => [key, [...phrases.values()]]))
  }

  /** Returns the words of a synonym, with stop words between other words, as in a text. */
  #synonymPhrase(text: string): string[] {
    const tokens = this.analyzer.tokenize(text, null).filter(({ lemma }) => lemma !== '')
    const words = tokens.filter(({ kind }) => kind === 'word' || kind === 'stopWord')
    const first = words.findIndex(({ kind }) => kind === 'word')
    const last = words.findLastIndex(({ kind }) => kind === 'word')
    return first < 0 ? [] : words.slice(first, last + 1).map(({ lemma }) => lemma)
  }
}

function notSearchable(
  space: SearchSettings,
  indexUid: IndexUid,
  name: string,
  code: FaultCode,
): EngineFault {
  const { displayedAttributes } = space.settings
  const all = space.searchableFields().map((id) => space.fields[id]!)
  const shown =
    displayedAttributes === null
      ? all
      : all.filter((field) => displayedAttributes.some((other) => covers(other, field)))
  const hidden = shown.length < all.length ? ', <..hidden-attributes>' : ''
  const names = shown.toSorted(compareText).join(', ')
  return new EngineFault(
    code,
    `Index \`${indexUid}\`: Attribute \`${name}\` is not searchable. ` +
      `Available searchable attributes are: \`${names}${hidden}\`.`,
  )
}

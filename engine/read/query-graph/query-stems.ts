// The stems of the words of one query, under the rules of the searched fields.
import { mapped } from '../../runtime/index.ts'
import type { Stemming, Token } from '../../text/index.ts'
import type { Scope } from '../segment-text/index.ts'

/** A key of a word (`engine/text/stems.ts`). `isOwn`: its stem, read as a word, has it too. */
export type StemKey = { readonly key: string; readonly isOwn: boolean }

/** As in `TermRules`. */
type Synonyms = ReadonlyMap<string, unknown>
const SEPARATOR = '\u0000'
const LANGUAGE_CHARS = 3

/** By rule, and by stems of a sequence: the keys of synonyms with these stems. */
type ByStems = ReadonlyMap<string, readonly string[]>
const cached = new WeakMap<Synonyms, WeakMap<Stemming, ByStems>>()

export class QueryStems {
  /** The searched fields that have stems. */
  readonly scope: Scope
  readonly #rules: readonly Stemming[]
  /** Three-letter codes of the query's languages; null for any. */
  readonly #locales: readonly string[] | null
  readonly #text: string
  readonly #tokens: readonly Token[]

  constructor(
    { rules, scope }: { readonly rules: readonly Stemming[]; readonly scope: Scope },
    locales: readonly string[] | null,
    text: string,
    tokens: readonly Token[],
  ) {
    this.scope = scope
    this.#rules = rules
    this.#locales = locales
    this.#text = text
    this.#tokens = tokens
  }

  /** Returns a word of the query as typed. */
  written(token: number): string {
    const { end, start } = this.#tokens[token]!
    return this.#text.slice(start, end)
  }

  /**
   * Returns the keys of synonyms whose words have the stems of these words, in a language of the
   * query, without the words themselves.
   */
  synonymKeysOf(words: readonly string[], synonyms: Synonyms): readonly string[] {
    const own = words.join(SEPARATOR)
    const found = new Set<string>()
    for (const rule of this.#rules) {
      const byStems = synonymsByStems(rule, synonyms)
      for (const sequence of stemSequences(rule, words, this.#locales)) {
        for (const key of byStems.get(sequence) ?? []) if (key !== own) found.add(key)
      }
    }
    return [...found]
  }

  keysOf(written: string): StemKey[] {
    return this.#rules.flatMap((rule) =>
      rule.keysOf(written, this.#locales).map((key) => ({ key, isOwn: rule.isOwnStem(key) })),
    )
  }
}

/** Made with the first query that needs it, for all synonyms of the settings. */
function synonymsByStems(rule: Stemming, synonyms: Synonyms): ByStems {
  let byRule = cached.get(synonyms)
  if (byRule === undefined) cached.set(synonyms, (byRule = new WeakMap()))
  const known = byRule.get(rule)
  if (known !== undefined) return known
  const byStems = new Map<string, string[]>()
  for (const key of synonyms.keys()) {
    for (const sequence of stemSequences(rule, key.split(SEPARATOR), null)) {
      const keys = byStems.get(sequence)
      if (keys === undefined) byStems.set(sequence, [key])
      else keys.push(key)
    }
  }
  byRule.set(rule, byStems)
  return byStems
}

/** Returns the stems of words in each language in which one has a stem; other words stay. */
function stemSequences(
  rule: Stemming,
  words: readonly string[],
  locales: readonly string[] | null,
): readonly string[] {
  const keys = mapped(words, (word) => rule.keysOf(word, locales))
  const languages = new Set(keys.flat().map((key) => key.slice(0, LANGUAGE_CHARS)))
  return [...languages].map((language) =>
    keys
      .map((own, i) => own.find((key) => key.startsWith(language)) ?? language + words[i]!)
      .join(SEPARATOR),
  )
}

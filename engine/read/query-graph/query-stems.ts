// The stems of the words of one query, under the rules of the searched fields.
import type { Stemming, Token } from '../../text/index.ts'
import type { Scope } from '../segment-text/index.ts'

/** A key of a word (`engine/text/stems.ts`). `isOwn`: its stem, read as a word, has it too. */
export type StemKey = { readonly key: string; readonly isOwn: boolean }

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

  keysOf(written: string): StemKey[] {
    return this.#rules.flatMap((rule) =>
      rule.keysOf(written, this.#locales).map((key) => ({ key, isOwn: rule.isOwnStem(key) })),
    )
  }
}

// Collects the matches of one document by name, for `_matchesPosition`
// (docs/search-semantics.md#matches-in-a-text).
import {
  BRACE,
  BRACE_END,
  BRACKET_END,
  COLON,
  COMMA,
  compareText,
} from '../../../format/bytes/index.ts'
import { JsonBuffer, jsonKey } from '../../../format/json/index.ts'
import { END, START, type TextMatches } from './text-matches.ts'

/** The finished list of one name: a range of `#lists`. */
type Entry = { readonly from: number; readonly to: number }

export class FoundPositions {
  readonly #entries = new Map<string, Entry>()
  readonly #lists = new JsonBuffer(256)

  clear(): void {
    this.#entries.clear()
    this.#lists.clear()
  }

  /**
   * Adds the matches of one text, which begins at byte `from`. `indices`: its positions in the
   * arrays around it. Of several texts with the same name the last one with matches counts: clients
   * rely on it.
   */
  add(name: string, matches: TextMatches, from: number, indices: readonly number[]): void {
    const lists = this.#lists
    const begin = lists.length
    for (let i = 0; i < matches.count; i++) {
      const start = matches.get(i, START)
      const length = matches.get(i, END) - start
      lists.ascii(`${i === 0 ? '[' : ','}{"start":${start - from},"length":${length}`)
      if (indices.length > 0) lists.ascii(`,"indices":[${indices.join(',')}]`)
      lists.byte(BRACE_END)
    }
    lists.byte(BRACKET_END)
    this.#entries.set(name, { from: begin, to: lists.length })
  }

  /** Appends the object, with names in byte order. */
  write(out: JsonBuffer): void {
    let mark = BRACE
    for (const name of [...this.#entries.keys()].sort(compareText)) {
      const { from, to } = this.#entries.get(name)!
      const key = jsonKey(name)
      out.byte(mark)
      out.append(key, 0, key.length)
      out.byte(COLON)
      out.append(this.#lists.bytes, from, to)
      mark = COMMA
    }
    if (mark === BRACE) out.byte(BRACE)
    out.byte(BRACE_END)
  }
}

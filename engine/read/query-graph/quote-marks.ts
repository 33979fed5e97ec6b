// The marks around phrases: `"`, and the quotation marks of other keyboards and languages, which
// open and close phrases in pairs of any direction (“a”, „a“, »a«, « a »).

const CURLY = '\u201c\u201d\u201e\u201f'
/** By mark: its kind. A phrase ends with a mark of the kind with which it began, or with `"`. */
const KINDS: { readonly [mark: string]: string } = {
  ...kindOf(CURLY),
  ...kindOf('\u00ab\u00bb'),
  ...kindOf('\u2039\u203a'),
}

function kindOf(marks: string): { readonly [mark: string]: string } {
  return Object.fromEntries([...marks].map((mark) => [mark, marks]))
}

/** Follows the marks of one query. */
export class QuoteMarks {
  /** The kind that opened the current phrase. */
  #open = '"'

  /**
   * Returns how often the marks of a separator close or open a phrase. `isOpen`: true inside a
   * phrase; `follows`: true directly behind a word. Behind a word only `"` opens a phrase: in
   * `5” pipe` the mark means inches.
   */
  turns(separator: string, isOpen: boolean, follows: boolean): number {
    let turns = 0
    for (const mark of separator) {
      const isInside = isOpen !== (turns % 2 === 1)
      const kind = mark === '"' ? mark : (KINDS[mark] ?? null)
      if (kind === null) continue
      if (isInside ? kind !== '"' && kind !== this.#open : kind !== '"' && follows) continue
      turns++
      this.#open = kind
    }
    return turns
  }
}

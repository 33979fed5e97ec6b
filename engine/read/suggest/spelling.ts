// How words of the index are spelled in a document: with the letter case and the marks of its texts.
import type { DocId } from '../../../format/ids.ts'
import type { SearchableView } from '../jobs/index.ts'
import type { FieldTexts } from './field-texts.ts'

/**
 * Returns how a document spells one of these words, given by their normal forms, the preferred one
 * first: the text of the most important field that has one of them decides. Null if no text has
 * any: the word is of a number, or of a value too large to be read.
 */
export function spellingIn(
  { search }: SearchableView,
  texts: FieldTexts,
  id: DocId,
  lemmas: readonly string[],
): string | null {
  for (const { text, locales } of texts.of(id)) {
    let rank = lemmas.length
    let spelled: string | null = null
    for (const { end, lemma, start } of search.analyzer.tokenize(text, locales)) {
      const at = lemmas.indexOf(lemma)
      if (at < 0 || at >= rank) continue
      rank = at
      spelled = text.slice(start, end)
    }
    if (spelled !== null) return spelled
  }
  return null
}

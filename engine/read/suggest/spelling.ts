// How a word of the index is spelled in a document: with the letter case and the marks of its text.
import type { DocId } from '../../../format/ids.ts'
import type { SearchableView } from '../jobs/index.ts'
import type { FieldTexts } from './field-texts.ts'

/**
 * Returns the word with this normal form as the first text of a document that has it spells it;
 * null if none of its texts has it: the word is of a number, or of a value too large to be read.
 */
export function spellingIn(
  { search }: SearchableView,
  texts: FieldTexts,
  id: DocId,
  lemma: string,
): string | null {
  for (const { text, locales } of texts.of(id)) {
    for (const token of search.analyzer.tokenize(text, locales)) {
      if (token.lemma === lemma) return text.slice(token.start, token.end)
    }
  }
  return null
}

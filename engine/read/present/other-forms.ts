// The words of a query that a document has only in another form: by their stem, not as typed
// (docs/search-semantics.md#stems). The details of a hit tell them from typos.
import type { DocId } from '../../../format/ids.ts'
import type { QueryGraph } from '../query-graph/index.ts'

/** Returns the words of each document; its documents are looked up once. */
export function otherForms(graph: QueryGraph | null): (id: DocId) => readonly string[] {
  const words = (graph?.nodes ?? []).flatMap((node) => {
    // Stems count, like typos, only if a ranking rule has looked them up.
    if (node === null || node.term.computed.one === null) return []
    const { term } = node
    if (term.stems().length === 0) return []
    const typed = term.docs(1, false)
    return [{ word: term.written!, typed, stemmed: term.space.stemDocs(term.stems()) }]
  })
  return (id) =>
    words.filter(({ typed, stemmed }) => stemmed.has(id) && !typed.has(id)).map(({ word }) => word)
}

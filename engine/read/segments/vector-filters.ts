// Evaluates `_vectors` conditions of filters on the vectors of a view
// (docs/search-semantics.md#filters).
import { IdSet } from '../../../format/idset/index.ts'
import type { VectorFilters } from '../filter-syntax/index.ts'
import type { VectorIndex } from './vector-index.ts'

/** Name and ordered fragments of an embedder of the index. */
type Embedder = { readonly name: string; readonly fragments: readonly string[] }

const IS_OWN = 1
const REGENERATES = 2

export class EmbedderFilters implements VectorFilters {
  readonly #embedders: readonly Embedder[]
  readonly #vectors: (embedder: string) => VectorIndex

  /** `vectors`: returns the vectors of an embedder in the view. */
  constructor(embedders: readonly Embedder[], vectors: (embedder: string) => VectorIndex) {
    this.#embedders = embedders
    this.#vectors = vectors
  }

  embedders(): readonly string[] {
    return this.#embedders.map(({ name }) => name)
  }

  fragments(embedder: string): readonly string[] {
    return this.#embedders.find(({ name }) => name === embedder)?.fragments ?? []
  }

  any(): IdSet {
    return this.embedders().reduce((all, name) => all.or(this.of(name, 'any')), IdSet.empty)
  }

  of(embedder: string, part: 'any' | 'userProvided' | 'documentTemplate' | 'regenerate'): IdSet {
    const vectors = this.#vectors(embedder)
    switch (part) {
      case 'any':
        return vectors.idsWhere((_, rows) => rows > 0)
      case 'userProvided':
        return vectors.idsWhere((status) => (status & IS_OWN) !== 0)
      case 'documentTemplate':
        return this.fragments(embedder).length > 0
          ? IdSet.empty
          : vectors.idsWhere((status, rows) => rows > 0 && (status & IS_OWN) === 0)
      case 'regenerate':
        return vectors.idsWhere((status, rows) => rows > 0 && (status & REGENERATES) !== 0)
    }
  }

  ofFragment(embedder: string, fragment: string): IdSet {
    const vectors = this.#vectors(embedder)
    const own = vectors.idsWhere((status) => (status & IS_OWN) !== 0)
    return vectors.idsOfFragment(this.fragments(embedder).indexOf(fragment)).andNot(own)
  }
}

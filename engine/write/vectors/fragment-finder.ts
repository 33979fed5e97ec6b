// Finds the fragments of imported vectors, from a dump or an export of another database. The
// vectors are in fragment order but without fragment names: a fragment that could not be rendered
// has no vector. Therefore the fragments are rendered again, and if there are as many as vectors,
// they correspond. No embedder is called.
import { type DocumentInputs, InputMaker } from '../../ai/embedding/index.ts'
import { type Loaded, TemplateFault } from '../../ai/template/index.ts'
import { type Embedder, type EmbedderSpec, indexingSide } from '../../settings/embedders/index.ts'
import type { IndexSettings } from '../../settings/index.ts'
import { searchableNames } from '../../settings/values/index.ts'
import { TemplateDocuments } from './template-documents.ts'
import {
  type BroughtVectors,
  type MakerContext,
  NO_VECTOR_MAKER,
  type VectorMaker,
} from './vector-maker.ts'

export class FragmentFinder implements VectorMaker {
  readonly #loaded: Loaded
  readonly #settings: IndexSettings
  readonly #documents: TemplateDocuments
  readonly #makers = new Map<string, InputMaker | null>()
  readonly awaitedBytes = 0
  readonly request = NO_VECTOR_MAKER.request
  readonly make = NO_VECTOR_MAKER.make

  constructor(loaded: Loaded, { names, after }: MakerContext) {
    this.#loaded = loaded
    this.#settings = after
    this.#documents = new TemplateDocuments(names)
  }

  fragmentsOf(spec: EmbedderSpec, { record, rows }: BroughtVectors): readonly number[] | null {
    const maker = spec.fragments.length === 0 ? null : this.#makerOf(spec)
    if (maker === null) return null
    return fragmentsOfRows(maker.inputs(this.#documents.of(record)), rows)
  }

  /**
   * Returns null if the templates of the dump are invalid, so that they cannot have produced
   * vectors.
   */
  #makerOf({ name, embedder }: EmbedderSpec): InputMaker | null {
    const known = this.#makers.get(name)
    if (known !== undefined) return known
    const maker = this.#newMaker(embedder)
    this.#makers.set(name, maker)
    return maker
  }

  #newMaker(embedder: Embedder): InputMaker | null {
    try {
      const searchable = searchableNames(this.#settings.searchableAttributes)
      return new InputMaker(this.#loaded, indexingSide(embedder), searchable)
    } catch (error) {
      if (!(error instanceof TemplateFault)) throw error
      return null
    }
  }
}

/** Returns the fragment of each row, or null if the numbers of vectors and inputs differ. */
export function fragmentsOfRows(inputs: DocumentInputs, rows: number): readonly number[] | null {
  const fragments = [...inputs.keys()].filter((fragment) => inputs[fragment] !== undefined)
  return fragments.length === rows ? fragments : null
}

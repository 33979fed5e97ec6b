// The inputs of a document for an embedder's provider: the text of a template, or a JSON value for
// each fragment.
import { effectiveEmbedder, type NestedEmbedder } from '../../settings/embedders/index.ts'
import {
  documentScope,
  type Loaded,
  type Scope,
  type SyncTemplate,
  syncTemplateParser,
  type TemplateDocument,
  TemplateFault,
} from '../template/index.ts'

/** By index of the fragment; a single text is at 0. undefined means that it cannot be rendered. */
export type DocumentInputs = readonly unknown[]

const VECTORS = '_vectors'

/** Renders the inputs of documents for one embedder. */
export class InputMaker {
  readonly #searchable: readonly string[] | null
  /** One per fragment, or the document template alone. */
  readonly #renderers: readonly ((scope: Scope) => unknown)[]
  readonly hasFragments: boolean

  /** `embedder`: the side that embeds documents. @throws TemplateFault */
  constructor(loaded: Loaded, embedder: NestedEmbedder, searchable: readonly string[] | null) {
    this.#searchable = searchable
    const parse = syncTemplateParser(loaded)
    const { indexingFragments, documentTemplate } = effectiveEmbedder(embedder)
    this.hasFragments = indexingFragments !== undefined
    this.#renderers =
      indexingFragments === undefined
        ? [parse(documentTemplate ?? '')]
        : Object.values(indexingFragments).map(({ value }) => renderer(value, parse))
  }

  /** @throws TemplateFault rendering, for a document template */
  inputs(document: TemplateDocument): DocumentInputs {
    const { [VECTORS]: _, ...fields } = document
    const scope = documentScope(fields, this.#searchable)
    if (!this.hasFragments) return [this.#renderers[0]!(scope)]
    return this.#renderers.map((render) => renderedOrNone(render, scope))
  }
}

/** Returns undefined if the document lacks a value that the fragment needs. */
function renderedOrNone(render: (scope: Scope) => unknown, scope: Scope): unknown {
  try {
    return render(scope)
  } catch (error) {
    if (!(error instanceof TemplateFault)) throw error
    return undefined
  }
}

/** Returns a function that renders each text in a JSON value. @throws TemplateFault parsing */
function renderer(
  value: unknown,
  parse: (text: string) => SyncTemplate,
): (scope: Scope) => unknown {
  if (typeof value === 'string') return parse(value)
  if (Array.isArray(value)) {
    const parts = value.map((part) => renderer(part, parse))
    return (scope) => parts.map((render) => render(scope))
  }
  if (typeof value !== 'object' || value === null) return () => value
  const members = Object.entries(value).map(
    ([name, part]) => [name, renderer(part, parse)] as const,
  )
  return (scope) => Object.fromEntries(members.map(([name, render]) => [name, render(scope)]))
}

/** Returns true if the inputs of two documents are equal, fragment by fragment. */
export function sameInput(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}

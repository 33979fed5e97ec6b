// The vector of a search: of its text, or of the one search fragment that matches the query.
import type { Embedder } from '../../settings/embedders/index.ts'
import { EmbeddingFailure, type ProviderPool, searchSide } from '../providers/index.ts'
import type { Templates } from '../template/index.ts'

/** The query of a search. */
export type QueryInput = {
  /** The text as it was typed. */
  readonly q: string | null
  /** Any JSON; null and undefined mean that it is absent. */
  readonly media: unknown
}

export class QueryEmbedder {
  readonly #providers: ProviderPool
  readonly #templates: Templates

  constructor(providers: ProviderPool, templates: Templates) {
    this.#providers = providers
    this.#templates = templates
  }

  /** @throws EmbeddingFailure, Canceled */
  async embed(
    embedder: Embedder,
    query: QueryInput,
    msMax: number,
    signal: AbortSignal | null,
  ): Promise<Float32Array> {
    const input = await this.#inputOf(embedder, query)
    return this.#providers.embedQuery(embedder, input, msMax, signal)
  }

  now(): number {
    return this.#providers.now()
  }

  /** Returns the reason of an embedding failure; rethrows other errors. */
  reasonOf(error: unknown): string {
    if (error instanceof EmbeddingFailure) return error.reason
    throw error
  }

  async #inputOf(embedder: Embedder, query: QueryInput): Promise<unknown> {
    const { searchFragments } = searchSide(embedder)
    const hasMedia = query.media !== undefined && query.media !== null
    if (hasMedia && embedder.source !== 'rest') {
      throw mediaFailure('have source `rest`')
    }
    if (searchFragments === undefined) {
      if (hasMedia) throw mediaFailure('have `searchFragments`.')
      return query.q ?? ''
    }
    return this.#fragment(searchFragments, query)
  }

  /** Returns the value of the only fragment that can be rendered. */
  async #fragment(
    fragments: NonNullable<Embedder['searchFragments']>,
    { q, media }: QueryInput,
  ): Promise<unknown> {
    const scope = { ...(q === null ? {} : { q }), ...(media == null ? {} : { media }) }
    let found: { readonly name: string; readonly value: unknown } | null = null
    for (const [name, { value: source }] of Object.entries(fragments)) {
      const outcome = await this.#templates.run({ source, input: { kind: 'search', scope } })
      if (outcome.kind === 'fault') continue
      const { rendered } = JSON.parse(Buffer.from(outcome.json).toString()) as {
        readonly rendered: unknown
      }
      if (found === null) found = { name, value: rendered }
      else throw manyFragments(found.name, name, { q, media })
    }
    if (found !== null) return found.value
    const note = noteOf({ q, media })
    throw new EmbeddingFailure(`user error: Query matches no search fragment.${note}`)
  }
}

const mediaFailure = (requirement: string): EmbeddingFailure =>
  new EmbeddingFailure(
    `user error: \`media\` requested but the configuration doesn't ${requirement}`,
  )

function manyFragments(first: string, second: string, query: QueryInput): EmbeddingFailure {
  const notes = `\n  - Note: First matched fragment \`${first}\`.\n  - Note: Second matched fragment `
  return new EmbeddingFailure(
    `user error: Query matches multiple search fragments.${notes}\`${second}\`.${noteOf(query)}`,
  )
}

const noteOf = ({ q, media = null }: QueryInput): string =>
  `\n  - Note: ${JSON.stringify({ q, media })}`

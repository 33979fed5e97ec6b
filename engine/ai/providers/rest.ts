// Embeddings over HTTP, for every provider with JSON requests and answers: builds requests from
// inputs, groups the inputs, and checks the number of vectors and their dimensions.
import { encoder } from '../../../format/bytes/index.ts'
import {
  headerNameProblem,
  headerValueProblem,
  type NestedEmbedder,
} from '../../settings/embedders/index.ts'
import { type ProviderRequest, type ProviderWords, request } from './attempts.ts'
import { EmbeddingFailure, reasonOf, runtimeError, userError } from './failure.ts'
import { compileTemplate, fillTemplate, type JsonTemplate, readVectors } from './json-template.ts'
import { INPUTS_PER_REQUEST } from './limits.ts'
import { mapAtOnce } from './map-at-once.ts'
import type {
  EmbeddingInput,
  EmbeddingRun,
  Provider,
  ProviderEnvironment,
  RequestHeaders,
} from './provider.ts'

export type RestPlan = {
  readonly url: string
  readonly headers: RequestHeaders
  readonly request: JsonTemplate
  readonly response: JsonTemplate
  readonly words: ProviderWords
}

/** The text whose vector shows the dimensions of a model. */
const TRIAL = 'test'
const UNCOUNTED: EmbeddingRun['onRequest'] = () => undefined

export class RestProvider implements Provider {
  readonly dimensions: number
  readonly #plan: RestPlan
  readonly #environment: ProviderEnvironment

  private constructor(plan: RestPlan, dimensions: number, environment: ProviderEnvironment) {
    this.#plan = plan
    this.dimensions = dimensions
    this.#environment = environment
  }

  /**
   * `dimensions` null: a request to the model determines them. @throws EmbeddingFailure, Canceled
   */
  static async open(
    plan: RestPlan,
    dimensions: number | null,
    environment: ProviderEnvironment,
    signal: AbortSignal | null,
    deadline: number | null = null,
  ): Promise<RestProvider> {
    if (dimensions !== null) return new RestProvider(plan, dimensions, environment)
    const trial = new RestProvider(plan, 0, environment)
    try {
      const run = { signal, deadline, onRequest: UNCOUNTED }
      const [vector] = await trial.#request([TRIAL], run)
      if (vector!.length === 0) throw runtimeError('the embedding has no dimensions')
      return new RestProvider(plan, vector!.length, environment)
    } catch (error) {
      const reason = reasonOf(error)
      throw runtimeError(
        `could not determine model dimensions:\n  - test embedding failed with ${reason}`,
      )
    }
  }

  async embed(
    inputs: readonly EmbeddingInput[],
    run: EmbeddingRun,
  ): Promise<readonly Float32Array[]> {
    const perRequest = this.#plan.request.inner === null ? 1 : INPUTS_PER_REQUEST
    const groups: EmbeddingInput[][] = []
    for (let i = 0; i < inputs.length; i += perRequest) {
      groups.push(inputs.slice(i, i + perRequest))
    }
    const vectors = await mapAtOnce(groups, run.signal, (group, signal) =>
      this.#group(group, { ...run, signal }),
    )
    return vectors.flat()
  }

  async #group(
    inputs: readonly EmbeddingInput[],
    run: EmbeddingRun,
  ): Promise<readonly Float32Array[]> {
    try {
      return await this.#request(inputs, run)
    } catch (error) {
      if (!(error instanceof EmbeddingFailure) || error.retry !== 'alone') throw error
      // One text may be too long for the model. These repeats do not count.
      const alone = { ...run, onRequest: UNCOUNTED }
      const vectors: Float32Array[] = []
      for (const input of inputs) {
        const first = await this.#environment.models?.firstTokens(String(input))
        vectors.push(...(await this.#request([first ?? input], alone)))
      }
      return vectors
    }
  }

  #request(inputs: readonly EmbeddingInput[], run: EmbeddingRun): Promise<readonly Float32Array[]> {
    const { url, headers, words, request: template, response } = this.#plan
    const body = encoder.encode(JSON.stringify(fillTemplate(template, inputs)))
    const outgoing: ProviderRequest = { url, headers, body, words }
    return request(outgoing, run, this.#environment, (answer) => {
      const vectors = readVectors(response, answer)
      this.#check(vectors, inputs.length)
      return vectors
    })
  }

  #check(vectors: readonly Float32Array[], expected: number): void {
    if (vectors.length !== expected) {
      throw runtimeError(
        `expected a response containing ${expected} embeddings, got only ${vectors.length}`,
      )
    }
    const { dimensions } = this
    const other = vectors.find(({ length }) => dimensions !== 0 && length !== dimensions)
    if (other === undefined) return
    throw runtimeError(
      `was expecting embeddings of dimension \`${dimensions}\`, ` +
        `got embeddings of dimensions \`${other.length}\``,
    )
  }
}

const REST_WORDS: ProviderWords = {
  server: 'embedding',
  keyHint: '',
  badRequestHint:
    '\n  - Hint: check that the `request` in the embedder configuration matches the remote ' +
    "server's API",
  notFound: null,
  shortens: false,
}

/** Returns the headers of a request: JSON, the key, then those of the setting. */
export function requestHeaders(
  apiKey: string | undefined,
  more: RequestHeaders = {},
): RequestHeaders {
  const headers = new Map([['content-type', 'application/json']])
  if (apiKey !== undefined && apiKey !== '') headers.set('authorization', `Bearer ${apiKey}`)
  for (const [name, value] of Object.entries(more)) headers.set(name.toLowerCase(), value)
  for (const [name, value] of headers) checkHeader(name, value)
  return Object.fromEntries(headers)
}

/** Headers that older releases stored were not checked. @throws EmbeddingFailure */
function checkHeader(name: string, value: string): void {
  const nameProblem = headerNameProblem(name)
  if (nameProblem !== null) throw headerFault(name, nameProblem)
  const valueProblem = headerValueProblem(value)
  if (valueProblem !== null) throw headerFault(name, `cannot be sent, its value ${valueProblem}`)
}

const headerFault = (name: string, reason: string): EmbeddingFailure =>
  userError(`the header \`${name}\` ${reason}: check the embedder configuration`)

/** Opens a provider that the setting describes. */
export async function openRest(
  embedder: NestedEmbedder,
  environment: ProviderEnvironment,
  signal: AbortSignal | null,
): Promise<Provider> {
  const fragments = embedder.indexingFragments ?? embedder.searchFragments
  if (fragments !== undefined && embedder.dimensions === undefined) {
    throw userError(
      'cannot infer `dimensions` for an embedder using `indexingFragments`.\n' +
        "  - Note: Specify `dimensions` explicitly or don't use `indexingFragments`.",
    )
  }
  const placeholder = fragments === undefined ? '{{text}}' : '{{fragment}}'
  const plan: RestPlan = {
    url: embedder.url ?? '',
    headers: requestHeaders(embedder.apiKey, embedder.headers),
    request: compileTemplate(embedder.request, placeholder),
    response: compileTemplate(embedder.response, '{{embedding}}'),
    words: REST_WORDS,
  }
  return RestProvider.open(plan, embedder.dimensions ?? null, environment, signal)
}

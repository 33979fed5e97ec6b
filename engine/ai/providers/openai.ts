// OpenAI's models, and compatible servers.
import {
  type NestedEmbedder,
  OPENAI_MODEL_DEFAULT,
  OPENAI_MODELS,
} from '../../settings/embedders/index.ts'
import type { ProviderWords } from './attempts.ts'
import { compileTemplate } from './json-template.ts'
import type { Provider, ProviderEnvironment } from './provider.ts'
import { RestProvider, requestHeaders } from './rest.ts'

const URL_DEFAULT = 'https://api.openai.com/v1/embeddings'

const WORDS: ProviderWords = {
  server: 'OpenAI',
  keyHint: ', and the `SVC_OPENAI_API_KEY` and `OPENAI_API_KEY` environment variables',
  badRequestHint: '',
  notFound: null,
  shortens: true,
}

export function openOpenAi(
  embedder: NestedEmbedder,
  environment: ProviderEnvironment,
  signal: AbortSignal | null,
): Promise<Provider> {
  const { model = OPENAI_MODEL_DEFAULT, url = URL_DEFAULT, dimensions, apiKey } = embedder
  const known = OPENAI_MODELS[model]
  // A model that supports a single number of dimensions receives no `dimensions`.
  const dimensionsPart = dimensions === undefined || known?.fewer !== true ? {} : { dimensions }
  const { source: input, ...place } = compileTemplate({ input: ['{{text}}', '{{..}}'] }, '{{text}}')
  const plan = {
    url,
    headers: requestHeaders(apiKey ?? environment.openAiKey ?? undefined),
    request: { ...place, source: { model, ...(input as object), ...dimensionsPart } },
    response: compileTemplate(
      { data: [{ embedding: '{{embedding}}' }, '{{..}}'] },
      '{{embedding}}',
    ),
    words: WORDS,
  }
  const given = dimensions ?? known?.dimensions ?? null
  return RestProvider.open(plan, given, environment, signal)
}

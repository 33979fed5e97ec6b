// Models of an Ollama server. Its two routes differ: one takes a list of texts, the other a single
// text.
import type { NestedEmbedder } from '../../settings/embedders/index.ts'
import type { ProviderWords } from './attempts.ts'
import { userError } from './failure.ts'
import { compileTemplate, type JsonTemplate } from './json-template.ts'
import type { Provider, ProviderEnvironment } from './provider.ts'
import { RestProvider, requestHeaders } from './rest.ts'

const URL_DEFAULT = 'http://localhost:11434/api/embeddings'

const WORDS: ProviderWords = {
  server: 'Ollama',
  keyHint: '',
  badRequestHint: '',
  notFound:
    'model not found. Svc will not automatically download models from the Ollama library, please ' +
    'pull the model manually',
  shortens: false,
}

/** By the end of the URL. */
const ROUTES: readonly (readonly [end: string, request: object, response: object])[] = [
  ['/api/embed', { input: ['{{text}}', '{{..}}'] }, { embeddings: ['{{embedding}}', '{{..}}'] }],
  ['/api/embeddings', { prompt: '{{text}}' }, { embedding: '{{embedding}}' }],
]

export async function openOllama(
  embedder: NestedEmbedder,
  environment: ProviderEnvironment,
  signal: AbortSignal | null,
): Promise<Provider> {
  const { model = '', url = URL_DEFAULT, dimensions = null, apiKey } = embedder
  const route = ROUTES.find(([end]) => url.endsWith(end))
  if (route === undefined) {
    throw userError(
      'unsupported Ollama URL.\n  - For `ollama` sources, the URL must end with `/api/embed` or ' +
        `\`/api/embeddings\`\n  - Got \`${url}\``,
    )
  }
  const [, request, response] = route
  const { source, ...place } = compileTemplate(request, '{{text}}')
  const named: JsonTemplate = { ...place, source: { model, ...(source as object) } }
  const plan = {
    url,
    headers: requestHeaders(apiKey),
    request: named,
    response: compileTemplate(response, '{{embedding}}'),
    words: WORDS,
  }
  return RestProvider.open(plan, dimensions, environment, signal)
}

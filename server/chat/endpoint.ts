// The address of a workspace's model, and the beginning of requests to it.
import type { ChatWorkspace } from '../../engine/index.ts'

export type Endpoint = {
  readonly url: string
  /** Contains a secret. */
  readonly headers: { readonly [name: string]: string }
}

const DEFAULT_BASES = {
  openAi: 'https://api.openai.com/v1',
  mistral: 'https://api.mistral.ai/v1',
  // These two need a configured base URL.
  azureOpenAi: '',
  vLlm: '',
} as const satisfies { readonly [source in ChatWorkspace['source']]: string }

export function endpointOf(workspace: ChatWorkspace): Endpoint {
  const { source, baseUrl, deploymentId, apiVersion, apiKey, orgId, projectId } = workspace
  const base = (baseUrl ?? DEFAULT_BASES[source]).replace(/\/+$/, '')
  const common = { 'content-type': 'application/json', accept: 'text/event-stream' }
  if (source === 'azureOpenAi') {
    const deployment = encodeURIComponent(deploymentId ?? '')
    const version = encodeURIComponent(apiVersion ?? '')
    return {
      url: `${base}/openai/deployments/${deployment}/chat/completions?api-version=${version}`,
      headers: { ...common, 'api-key': apiKey ?? '' },
    }
  }
  const ofOpenAi = source === 'openAi'
  return {
    url: `${base}/chat/completions`,
    headers: {
      ...common,
      authorization: `Bearer ${apiKey ?? ''}`,
      ...(ofOpenAi && orgId !== null ? { 'openai-organization': orgId } : {}),
      ...(ofOpenAi && projectId !== null ? { 'openai-project': projectId } : {}),
    },
  }
}

/** Models that take instructions in the role `system`; newer ones use `developer`. */
const SYSTEM_MODELS = ['gpt-3.5', 'gpt-4', 'gpt-4.1', 'gpt-4.5', 'gpt-4o', 'chatgpt-4o']

/** Returns the role of the message with the instructions. */
export function leadingRole(
  source: ChatWorkspace['source'],
  model: string,
): 'system' | 'developer' {
  if (source === 'mistral' || source === 'vLlm') return 'system'
  const isSystem = SYSTEM_MODELS.some((name) => model === name || model.startsWith(`${name}-`))
  return isSystem ? 'system' : 'developer'
}

/** Returns true if the provider reports token usage on request. */
export const reportsUsage = (source: ChatWorkspace['source']): boolean =>
  source === 'openAi' || source === 'azureOpenAi'

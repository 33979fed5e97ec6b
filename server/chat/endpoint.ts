// Where a workspace's model is reached, and how a request to it begins.
import type { ChatWorkspace } from '../../engine/index.ts'

export type Endpoint = {
  readonly url: string
  /** With a secret. */
  readonly headers: { readonly [name: string]: string }
}

const DEFAULT_BASES = {
  openAi: 'https://api.openai.com/v1',
  mistral: 'https://api.mistral.ai/v1',
  // Both need a base of their own.
  azureOpenAi: '',
  vLlm: '',
} as const satisfies { readonly [source in ChatWorkspace['source']]: string }

export function endpointOf(workspace: ChatWorkspace): Endpoint {
  const { source, baseUrl, deploymentId, apiVersion, apiKey, orgId, projectId } = workspace
  const base = baseUrl ?? DEFAULT_BASES[source]
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

/** Models that are told what to do as `system`; newer ones as `developer`. */
const SYSTEM_MODELS = ['gpt-3.5', 'gpt-4', 'gpt-4.1', 'gpt-4.5', 'gpt-4o', 'chatgpt-4o']

/** The role of the message that says what to do. */
export function leadingRole(
  source: ChatWorkspace['source'],
  model: string,
): 'system' | 'developer' {
  if (source === 'mistral' || source === 'vLlm') return 'system'
  const isSystem = SYSTEM_MODELS.some((name) => model === name || model.startsWith(`${name}-`))
  return isSystem ? 'system' : 'developer'
}

/** Whether the provider tells the use of tokens when asked to. */
export const tellsUsage = (source: ChatWorkspace['source']): boolean =>
  source === 'openAi' || source === 'azureOpenAi'

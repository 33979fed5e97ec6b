// The name of the model that a workspace is asked with. A workspace does not store one, so the page
// remembers the name that the user entered, and begins with one that fits the workspace's provider.
import { ask, readStored, ServerError, writeStored } from '../parts/index.ts'

type Workspace = { readonly source: string; readonly deploymentId?: string | null }

/** Models that most accounts of a provider may use. */
const MODELS: { readonly [source: string]: string } = {
  openAi: 'gpt-4o',
  mistral: 'mistral-small-latest',
}

const storedName = (workspace: string): string => `svc-preview-model ${workspace}`

export const rememberModel = (workspace: string, model: string): void =>
  writeStored(() => localStorage, storedName(workspace), model === '' ? null : model)

/** Returns the model for a workspace; empty if the user has to name it. */
export async function modelOf(workspace: string): Promise<string> {
  const remembered = readStored(() => localStorage, storedName(workspace))
  if (remembered !== null) return remembered
  try {
    const path = `/chats/${encodeURIComponent(workspace)}/settings`
    return modelFor(await ask<Workspace>('GET', path))
  } catch (error) {
    // A key for chats alone may not read the settings.
    if (!(error instanceof ServerError)) throw error
    return ''
  }
}

/** A deployment of Azure is a model. */
export const modelFor = ({ source, deploymentId }: Workspace): string =>
  source === 'azureOpenAi' ? (deploymentId ?? '') : (MODELS[source] ?? '')

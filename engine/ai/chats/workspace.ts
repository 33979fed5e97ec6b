// A chat workspace: the model that answers, its address, and its prompts. The manifest stores it as
// JSON text. Its key is a secret: answers mask it.
import { encoder } from '../../../format/bytes/index.ts'
import {
  decodedJson,
  nullable,
  object,
  oneOf,
  type Schema,
  text,
} from '../../../format/schema/index.ts'
import { CHAT_PROMPTS, type ChatPrompt, DEFAULT_PROMPTS } from './prompts.table.ts'

export const CHAT_SOURCES = ['openAi', 'mistral', 'azureOpenAi', 'vLlm'] as const
type ChatSource = (typeof CHAT_SOURCES)[number]

/** Members that hold a text or null, in the order in which they are shown. */
export const CHAT_TEXTS = [
  'orgId',
  'projectId',
  'apiVersion',
  'deploymentId',
  'baseUrl',
  'apiKey',
] as const
type ChatText = (typeof CHAT_TEXTS)[number]

/** The settings of a workspace as they are stored. */
export type ChatWorkspace = { readonly source: ChatSource } & {
  readonly [name in ChatText]: string | null
} & {
  /** null means the built-in text. */
  readonly prompts: { readonly [name in ChatPrompt]: string | null }
}

/** An absent member stays as it is, null resets it to its default. */
export type ChatWorkspacePatch = { readonly source?: ChatSource | null } & {
  readonly [name in ChatText]?: string | null
} & {
  readonly prompts?: { readonly [name in ChatPrompt]?: string | null } | null
}

/** Schema of an object with texts by these names, each of which may be null. */
const textsOrNull = <N extends string>(
  names: readonly N[],
): { readonly [name in N]: Schema<string | null> } =>
  Object.fromEntries(names.map((name) => [name, nullable(text)])) as {
    readonly [name in N]: Schema<string | null>
  }

const WORKSPACE = object<ChatWorkspace>({
  source: oneOf(CHAT_SOURCES),
  ...textsOrNull(CHAT_TEXTS),
  prompts: object<ChatWorkspace['prompts']>(textsOrNull(CHAT_PROMPTS)),
})

const NO_PROMPTS: ChatWorkspace['prompts'] = {
  system: null,
  searchDescription: null,
  searchQParam: null,
  searchFilterParam: null,
  searchIndexUidParam: null,
}

export const DEFAULT_WORKSPACE: ChatWorkspace = {
  source: 'openAi',
  orgId: null,
  projectId: null,
  apiVersion: null,
  deploymentId: null,
  baseUrl: null,
  apiKey: null,
  prompts: NO_PROMPTS,
}

/** Returns the workspace after a change. */
export function patchedWorkspace(from: ChatWorkspace, patch: ChatWorkspacePatch): ChatWorkspace {
  const { source, prompts, ...texts } = patch
  return {
    ...from,
    ...texts,
    source: source === undefined ? from.source : (source ?? DEFAULT_WORKSPACE.source),
    prompts: prompts === null ? NO_PROMPTS : { ...from.prompts, ...prompts },
  }
}

/** Returns the prompts for the model: built-in texts where none was set. */
export function promptsOf({ prompts }: ChatWorkspace): { readonly [name in ChatPrompt]: string } {
  const texts = CHAT_PROMPTS.map((name) => [name, prompts[name] ?? DEFAULT_PROMPTS[name]])
  return Object.fromEntries(texts) as { readonly [name in ChatPrompt]: string }
}

/** Encodes members in the order of their declaration: a workspace has one encoding. */
export function encodeWorkspace(workspace: ChatWorkspace): Uint8Array {
  const texts = CHAT_TEXTS.map((name) => [name, workspace[name]])
  const prompts = CHAT_PROMPTS.map((name) => [name, workspace.prompts[name]])
  return encoder.encode(
    JSON.stringify({
      source: workspace.source,
      ...Object.fromEntries(texts),
      prompts: Object.fromEntries(prompts),
    }),
  )
}

/** @throws CorruptionError for any bytes that `encodeWorkspace` does not write */
export const decodeWorkspace = (bytes: Uint8Array): ChatWorkspace =>
  decodedJson(WORKSPACE, bytes, 'chat workspace')

// A chat workspace: which model answers, how it is reached, and what it is told. The manifest keeps
// it as JSON text. Its key is a secret: answers show a masked one.
import { refuse } from '../../../format/errors.ts'
import { type Members, membersOf, valueJson } from '../../store/catalog/index.ts'
import { CHAT_PROMPTS, type ChatPrompt, DEFAULT_PROMPTS } from './prompts.table.ts'

export const CHAT_SOURCES = ['openAi', 'mistral', 'azureOpenAi', 'vLlm'] as const
type ChatSource = (typeof CHAT_SOURCES)[number]

/** Members that hold a text or nothing, in the order in which they are shown. */
export const CHAT_TEXTS = [
  'orgId',
  'projectId',
  'apiVersion',
  'deploymentId',
  'baseUrl',
  'apiKey',
] as const
type ChatText = (typeof CHAT_TEXTS)[number]

/** The settings of a workspace as they are kept. */
export type ChatWorkspace = { readonly source: ChatSource } & {
  readonly [name in ChatText]: string | null
} & {
  /** null: the built-in text. */
  readonly prompts: { readonly [name in ChatPrompt]: string | null }
}

/** Absence leaves a member as it is, null puts it back to its default. */
export type ChatWorkspacePatch = { readonly source?: ChatSource | null } & {
  readonly [name in ChatText]?: string | null
} & {
  readonly prompts?: { readonly [name in ChatPrompt]?: string | null } | null
}

const SECTION = 'chat workspace'
const encoder = new TextEncoder()

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

/** The workspace after a change. */
export function patchedWorkspace(from: ChatWorkspace, patch: ChatWorkspacePatch): ChatWorkspace {
  const { source, prompts, ...texts } = patch
  return {
    ...from,
    ...texts,
    source: source === undefined ? from.source : (source ?? DEFAULT_WORKSPACE.source),
    prompts: prompts === null ? NO_PROMPTS : { ...from.prompts, ...prompts },
  }
}

/** The prompts that a model is told: built-in texts where none was set. */
export function promptsOf({ prompts }: ChatWorkspace): { readonly [name in ChatPrompt]: string } {
  const texts = CHAT_PROMPTS.map((name) => [name, prompts[name] ?? DEFAULT_PROMPTS[name]])
  return Object.fromEntries(texts) as { readonly [name in ChatPrompt]: string }
}

/** Members in the order of their declaration: a workspace has one encoding. */
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

/** @throws CorruptionError for anything that `encodeWorkspace` does not write */
export function decodeWorkspace(bytes: Uint8Array): ChatWorkspace {
  const { source, prompts, ...texts } = objectOf(valueJson(SECTION, bytes))
  if (!CHAT_SOURCES.includes(source as ChatSource)) {
    refuse(SECTION, 0, 'bad_value', 'a source', typeof source)
  }
  checkTexts(texts, CHAT_TEXTS)
  const told = objectOf(prompts)
  checkTexts(told, CHAT_PROMPTS)
  return { source, ...texts, prompts: told } as ChatWorkspace
}

function checkTexts(value: { readonly [name: string]: unknown }, names: readonly string[]): void {
  for (const name of names) {
    const text = value[name]
    if (text !== null && typeof text !== 'string') {
      refuse(SECTION, 0, 'bad_value', `a text as ${name}`, typeof text)
    }
  }
  const members = Object.keys(value).length
  if (members !== names.length) refuse(SECTION, 0, 'bad_value', `${names.length} texts`, members)
}

const objectOf = (value: unknown): Members => membersOf(SECTION, value)

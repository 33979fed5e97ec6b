// The chat workspaces of a database: durable as values of the manifest, and here in memory. What is
// in memory is what the manifest says.
import { compareText } from '../../format/bytes/index.ts'
import type { Change } from '../../format/manifest/index.ts'
import type { Manifest, State } from '../catalog/index.ts'
import { EngineFault } from '../errors.ts'
import { CHATS_BYTES_MAX } from './limits.ts'
import {
  type ChatWorkspace,
  type ChatWorkspacePatch,
  DEFAULT_WORKSPACE,
  decodeWorkspace,
  encodeWorkspace,
  patchedWorkspace,
} from './workspace.ts'

const SPACE = 'chats'

/** Changes are durable when they resolve. */
export interface Chats {
  /** Names in byte order. */
  list(): readonly string[]
  /** With its secrets: for a dump as it is, for an answer masked. */
  get(uid: string): ChatWorkspace | undefined
  /**
   * Changes the workspace, or makes it from the defaults. A dump's settings are such a change too:
   * a whole object of texts and nulls. @throws EngineFault bad_request where the source needs more
   * than there is, database_size_limit_reached
   */
  update(uid: string, patch: ChatWorkspacePatch): Promise<ChatWorkspace>
  /** Back to the defaults. @throws EngineFault chat_not_found */
  reset(uid: string): Promise<ChatWorkspace>
  /** @throws EngineFault chat_not_found */
  remove(uid: string): Promise<void>
}

/** Values of the manifest for workspaces that come from elsewhere. */
export const chatChanges = (
  workspaces: readonly (readonly [uid: string, workspace: ChatWorkspace])[],
): readonly Change[] =>
  workspaces.map(([uid, workspace]) => valueSet(uid, encodeWorkspace(workspace)))

export class ChatStore implements Chats {
  readonly #manifest: Manifest
  #all: ReadonlyMap<string, ChatWorkspace>

  /** @throws CorruptionError when a record is not readable */
  constructor(manifest: Manifest) {
    this.#manifest = manifest
    this.#all = workspacesOf(manifest.state)
  }

  list(): readonly string[] {
    return [...this.#all.keys()]
  }

  get(uid: string): ChatWorkspace | undefined {
    return this.#all.get(uid)
  }

  async update(uid: string, patch: ChatWorkspacePatch): Promise<ChatWorkspace> {
    await this.#commit((state) => {
      const record = recordsOf(state).get(uid)
      const known = record === undefined ? DEFAULT_WORKSPACE : decodeWorkspace(record)
      const changed = patchedWorkspace(known, patch)
      checkComplete(changed)
      const value = encodeWorkspace(changed)
      checkRoom(state, uid, value)
      return valueSet(uid, value)
    })
    return this.#all.get(uid)!
  }

  async reset(uid: string): Promise<ChatWorkspace> {
    await this.#commit((state) => {
      if (!recordsOf(state).has(uid)) throw notFound(`Chat \`${uid}\` not found`)
      return valueSet(uid, encodeWorkspace(DEFAULT_WORKSPACE))
    })
    return this.#all.get(uid)!
  }

  async remove(uid: string): Promise<void> {
    await this.#commit((state) => {
      if (!recordsOf(state).has(uid)) throw notFound(`chat ${uid} not found`)
      return valueSet(uid, null)
    })
  }

  /** The function sees the newest state: two changes of one workspace follow one another. */
  async #commit(change: (state: State) => Change): Promise<void> {
    await this.#manifest.commit((state) => [change(state)])
    this.#all = workspacesOf(this.#manifest.state)
  }
}

/** @throws EngineFault bad_request */
function checkComplete({ source, baseUrl, deploymentId, apiVersion }: ChatWorkspace): void {
  if (source === 'azureOpenAi' && [baseUrl, deploymentId, apiVersion].includes(null)) {
    throw new EngineFault(
      'bad_request',
      'azureOpenAi requires setting a valid `baseUrl`, `deploymentId`, and `apiVersion`',
    )
  }
  if (source === 'vLlm' && baseUrl === null) {
    throw new EngineFault('bad_request', 'vLlm requires setting a valid `baseUrl`')
  }
}

/** @throws EngineFault database_size_limit_reached */
function checkRoom(state: State, uid: string, value: Uint8Array): void {
  let bytes = Buffer.byteLength(uid) + value.length
  for (const [other, record] of recordsOf(state)) {
    if (other !== uid) bytes += Buffer.byteLength(other) + record.length
  }
  if (bytes <= CHATS_BYTES_MAX) return
  throw new EngineFault(
    'database_size_limit_reached',
    `The chat workspaces would take ${bytes} bytes and may take ${CHATS_BYTES_MAX} at most: ` +
      'delete workspaces or shorten their prompts.',
  )
}

const NO_RECORDS: ReadonlyMap<string, Uint8Array> = new Map()

const recordsOf = (state: State): ReadonlyMap<string, Uint8Array> =>
  state.values.get(SPACE) ?? NO_RECORDS

function workspacesOf(state: State): ReadonlyMap<string, ChatWorkspace> {
  const all = [...recordsOf(state)].sort(([a], [b]) => compareText(a, b))
  return new Map(all.map(([uid, record]) => [uid, decodeWorkspace(record)]))
}

const valueSet = (key: string, value: Uint8Array | null): Change => ({
  kind: 'value-set',
  space: SPACE,
  key,
  value,
})

const notFound = (message: string): EngineFault => new EngineFault('chat_not_found', message)

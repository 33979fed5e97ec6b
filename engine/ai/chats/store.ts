// The chat workspaces of a database: values of the manifest.
import type { Change } from '../../../format/manifest/index.ts'
import { EngineFault } from '../../model/index.ts'
import type { Manifest } from '../../store/catalog/index.ts'
import { type ValueSpace, ValueStore, valueChange } from '../../store/values/index.ts'
import { CHATS_BYTES_MAX } from './limits.ts'
import {
  type ChatWorkspace,
  type ChatWorkspacePatch,
  DEFAULT_WORKSPACE,
  decodeWorkspace,
  encodeWorkspace,
  patchedWorkspace,
} from './workspace.ts'

/** Chat workspaces. Changes are durable when they resolve. */
export interface Chats {
  /** Names in byte order. */
  list(): readonly string[]
  /** Returns the workspace with its secrets. Dumps hold them; answers to clients must mask them. */
  get(uid: string): ChatWorkspace | undefined
  /**
   * Changes the workspace, or creates it from the defaults. A dump's settings are such a change
   * too: a complete object of texts and nulls.
   * @throws EngineFault bad_request if the source requires a missing member,
   * database_size_limit_reached
   */
  update(uid: string, patch: ChatWorkspacePatch): Promise<ChatWorkspace>
  /** Resets the workspace to the defaults. @throws EngineFault chat_not_found */
  reset(uid: string): Promise<ChatWorkspace>
  /** @throws EngineFault chat_not_found */
  remove(uid: string): Promise<void>
}

const CHATS: ValueSpace<ChatWorkspace> = {
  name: 'chats',
  encode: encodeWorkspace,
  decode: decodeWorkspace,
  limit: {
    bytesMax: CHATS_BYTES_MAX,
    refuse: (_bytes, wanted) =>
      new EngineFault(
        'database_size_limit_reached',
        `The chat workspaces would take ${wanted} bytes and may take ${CHATS_BYTES_MAX} at most: ` +
          'delete workspaces or shorten their prompts.',
      ),
  },
}

/** Returns the changes of the manifest for imported workspaces. */
export const chatChanges = (
  workspaces: readonly (readonly [uid: string, workspace: ChatWorkspace])[],
): readonly Change[] => workspaces.map(([uid, workspace]) => valueChange(CHATS, uid, workspace))

export class ChatStore implements Chats {
  readonly #values: ValueStore<ChatWorkspace>

  /** @throws CorruptionError if a record is not readable */
  constructor(manifest: Manifest) {
    this.#values = new ValueStore(manifest, CHATS)
  }

  list(): readonly string[] {
    return [...this.#values.all().keys()]
  }

  get(uid: string): ChatWorkspace | undefined {
    return this.#values.get(uid)
  }

  async update(uid: string, patch: ChatWorkspacePatch): Promise<ChatWorkspace> {
    await this.#values.update(() => {
      const changed = patchedWorkspace(this.#values.get(uid) ?? DEFAULT_WORKSPACE, patch)
      checkComplete(changed)
      return [[uid, changed]]
    })
    return this.#values.get(uid)!
  }

  async reset(uid: string): Promise<ChatWorkspace> {
    await this.#values.update(() => {
      if (this.#values.get(uid) === undefined) throw notFound(`Chat \`${uid}\` not found`)
      return [[uid, DEFAULT_WORKSPACE]]
    })
    return this.#values.get(uid)!
  }

  async remove(uid: string): Promise<void> {
    await this.#values.update(() => {
      if (this.#values.get(uid) === undefined) throw notFound(`chat ${uid} not found`)
      return [[uid, null]]
    })
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

const notFound = (message: string): EngineFault => new EngineFault('chat_not_found', message)

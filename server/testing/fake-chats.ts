// Chat workspaces and a network for tests of routes, in memory.

import { type Chats, type ChatWorkspace, DEFAULT_WORKSPACE } from '../../engine/ai/chats/index.ts'
import { patchedWorkspace } from '../../engine/ai/chats/workspace.ts'
import { EngineFault } from '../../engine/model/index.ts'
import { type NetworkDescription, NO_NETWORK } from '../../engine/network/records/index.ts'

export function fakeChats(): Chats {
  const all = new Map<string, ChatWorkspace>()
  const need = (uid: string): void => {
    if (!all.has(uid)) throw new EngineFault('chat_not_found', `Chat \`${uid}\` not found`)
  }
  const put = async (uid: string, workspace: ChatWorkspace): Promise<ChatWorkspace> => {
    all.set(uid, workspace)
    return workspace
  }
  return {
    list: () => [...all.keys()].sort(),
    get: (uid) => all.get(uid),
    update: (uid, patch) => put(uid, patchedWorkspace(all.get(uid) ?? DEFAULT_WORKSPACE, patch)),
    reset: async (uid) => {
      need(uid)
      return put(uid, DEFAULT_WORKSPACE)
    },
    remove: async (uid) => {
      need(uid)
      all.delete(uid)
    },
  }
}

export function fakeNetwork(): NetworkDescription {
  let network = NO_NETWORK
  return {
    get: () => network,
    update: async (change) => {
      network = change(network)
      return network
    },
  }
}

// Keys for tests of routes, in memory.

import type { ApiKey, Keys } from '../../engine/admin/keys/index.ts'
import type { NewKey } from '../../engine/admin/keys/store.ts'
import { EngineFault } from '../../engine/model/index.ts'

const TIME = 1_700_000_000_000_000

export function fakeKeys(): Keys {
  const keys = new Map<string, ApiKey>()
  let version = 0
  const need = (uid: string): ApiKey => {
    const key = keys.get(uid)
    if (key === undefined) throw new EngineFault('api_key_not_found', `\`${uid}\` is not there.`)
    return key
  }
  const add = (key: NewKey): ApiKey => {
    if (keys.has(key.uid)) throw new EngineFault('api_key_already_exists', `\`${key.uid}\` is.`)
    const at = TIME + version++
    const made = { ...key, createdAt: at, updatedAt: at }
    keys.set(key.uid, made)
    return made
  }
  return {
    get version() {
      return version
    },
    list: () => [...keys.values()].reverse(),
    all: () => keys.values(),
    get: (uid) => keys.get(uid),
    create: async (key) => add(key),
    createAll: async (some) => some.map(add),
    update: async (uid, patch) => {
      const changed = { ...need(uid), ...patch, updatedAt: TIME + version++ }
      keys.set(uid, changed)
      return changed
    },
    remove: async (uid) => {
      need(uid)
      keys.delete(uid)
      version++
    },
  }
}

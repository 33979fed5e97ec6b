// The initial keys of a database.
import { asUuid } from '../../../format/ids.ts'
import type { Keys, NewKey } from './store.ts'

type DefaultKey = Pick<NewKey, 'name' | 'description' | 'actions'>

/** In the order of creation: lists show them in reverse order. */
const DEFAULT_KEYS: readonly DefaultKey[] = [
  {
    name: 'Default Chat API Key',
    description: 'Use it to chat and search from the frontend',
    actions: ['chatCompletions', 'search'],
  },
  {
    name: 'Default Read-Only Admin API Key',
    description:
      'Use it to read information across the whole database. ' +
      'Caution! Do not expose this key on a public frontend',
    actions: ['*.get', 'keys.get'],
  },
  {
    name: 'Default Admin API Key',
    description:
      'Use it for anything that is not a search operation. ' +
      'Caution! Do not expose it on a public frontend',
    actions: ['*'],
  },
  {
    name: 'Default Search API Key',
    description: 'Use it to search from the frontend',
    actions: ['search'],
  },
]

/** Creates the keys in a store without keys. `drawUid` returns random UUIDs. */
export async function createDefaultKeys(keys: Keys, drawUid: () => string): Promise<void> {
  if (keys.list().length > 0) return
  const indexes = ['*']
  await keys.createAll(
    DEFAULT_KEYS.map((key) => ({ uid: asUuid(drawUid()), ...key, indexes, expiresAt: null })),
  )
}

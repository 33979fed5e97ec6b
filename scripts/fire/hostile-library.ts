// The database under attack: documents with text, numbers, geo points and many distinct values to
// filter by, and a key for each role.
import { randomOf } from '../../engine/store/storage/index.ts'
import { type Client, endOfTask } from './ask.ts'
import type { Role, Target } from './hostile-attack.ts'

export const BOOKS = 'books'
/** Indexes that are swapped, deleted and changed; not searched by the timed client. */
export const [LEFT, RIGHT] = ['left', 'right']

const SEED = 7
const WORDS_COUNT = 3000
const TEXT_WORDS = 40
const BATCH = 5000
const SYLLABLES = [
  'ba',
  'ri',
  'mo',
  'ten',
  'sul',
  'ka',
  'lor',
  'ne',
  'vi',
  'dan',
  'per',
  'to',
  'gra',
  'hol',
  'my',
  'fen',
]

/** Returns the word with this number, the same in every run. */
export const wordOf = (number: number): string => {
  let word = ''
  for (let rest = (number % WORDS_COUNT) + SYLLABLES.length; rest > 0; ) {
    word += SYLLABLES[rest % SYLLABLES.length]
    rest = Math.floor(rest / SYLLABLES.length)
  }
  return word
}

function bookOf(id: number): object {
  const random = randomOf(SEED + id)
  // Some words are far more frequent than others, as in natural texts.
  const word = (): string => wordOf(Math.floor(WORDS_COUNT ** (random.below(1000) / 1000)))
  const words = (count: number): string => Array.from({ length: count }, word).join(' ')
  return {
    id,
    title: words(4),
    text: words(TEXT_WORDS),
    n: id,
    price: random.below(100_000) / 100,
    kind: wordOf(id % 12),
    tag: `w${String(id).padStart(5, '0')}`,
    _geo: { lat: random.below(160) - 80, lng: random.below(360) - 180 },
  }
}

const SETTINGS = {
  filterableAttributes: ['n', 'price', 'kind', 'tag', '_geo'],
  sortableAttributes: ['n', 'price', '_geo'],
}

const FEATURES = { containsFilter: true, renderRoute: true, multimodal: true }

const ACTIONS: Readonly<Record<Role | 'other', readonly string[]>> = {
  search: ['search'],
  other: ['search'],
  render: ['settings.get', 'documents.get'],
  documents: ['documents.add'],
  admin: ['*'],
}

/** Adds documents, settings, features and keys; `client` uses the master key. */
export async function fillLibrary(client: Client, documents: number): Promise<void> {
  const ask = async (method: string, path: string, body: object): Promise<void> => {
    const { status, text, json } = await client.ask(method, path, { body })
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
    if (json?.taskUid === undefined) return
    const { status: outcome, error } = await endOfTask(client, json.taskUid)
    if (outcome !== 'succeeded') throw new Error(`${method} ${path}: ${JSON.stringify(error)}`)
  }
  await ask('PATCH', '/experimental-features', FEATURES)
  for (const index of [LEFT, RIGHT]) {
    await ask('POST', `/indexes/${index}/documents`, [bookOf(1), bookOf(2)])
  }
  await ask('PATCH', `/indexes/${BOOKS}/settings`, SETTINGS)
  for (let first = 0; first < documents; first += BATCH) {
    const length = Math.min(BATCH, documents - first)
    const batch = Array.from({ length }, (_, i) => bookOf(first + i))
    await ask('POST', `/indexes/${BOOKS}/documents`, batch)
  }
}

/** Creates a key per role. */
export async function makeKeys(client: Client): Promise<Target['keys']> {
  const keys: Record<string, string> = {}
  for (const [role, actions] of Object.entries(ACTIONS)) {
    const body = { name: role, actions, indexes: ['*'], expiresAt: null }
    const { status, json, text } = await client.ask('POST', '/keys', { body })
    if (status !== 201) throw new Error(`no key for ${role}: ${status} ${text}`)
    keys[role] = json.key
  }
  return keys as Target['keys']
}

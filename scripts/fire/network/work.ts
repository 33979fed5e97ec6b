// The writes of clients to a network under fire. One index has documents that are changed but never
// deleted, so that a search for them has one right answer at any moment. Other documents and
// indexes are created and deleted.
import type { Random } from '../../../engine/store/storage/index.ts'
import { type Doc, type Request, requestOf, WORDS, type Work } from '../kill/work.ts'

/** The index that is never deleted. */
export const MAIN = 'main'
/** Indexes that are created, deleted and swapped. */
const OTHERS = ['first', 'second'] as const
export const INDEXES: readonly string[] = [MAIN, ...OTHERS]
/** Documents of MAIN with smaller ids exist during the whole run. */
export const PERMANENT = 120
/** Few, so that writes and deletions of the same document follow each other closely. */
const TRANSIENT = 100

export type NetworkWork = {
  readonly work: Work
  readonly request: Request & { readonly type?: string; readonly text?: string }
}

const MAIN_SETTINGS = [
  { filterableAttributes: ['kind', 'n'] },
  { filterableAttributes: ['kind'], sortableAttributes: ['n'] },
  { filterableAttributes: ['kind', 'n'], stopWords: ['quiet'] },
  { stopWords: [], searchableAttributes: ['text', 'kind'] },
  { searchableAttributes: ['*'] },
]
const OTHER_SETTINGS = [
  { filterableAttributes: ['n'], sortableAttributes: ['n'] },
  { searchableAttributes: ['text'] },
  { searchableAttributes: ['*'], filterableAttributes: ['text'] },
]

/** Returns the first writes: all permanent documents, and the filterable attributes. */
export function firstWorks(): readonly NetworkWork[] {
  const docs = Array.from({ length: PERMANENT }, (_, id) => ({
    id,
    kind: 'permanent',
    text: 'stone',
  }))
  const patch = { filterableAttributes: ['kind'] }
  return [
    plain({ name: 'first', kind: 'import', index: MAIN, method: 'POST', docs }),
    plain({ name: 'second', kind: 'settings', index: MAIN, patch, embedders: {} }),
  ]
}

/** Returns a write whose request follows from it. */
export const plain = (work: Work): NetworkWork => ({ work, request: requestOf(work, '') })

/** Returns a write of documents. It carries its name, which its task shows. */
export function documentWork(random: Random, name: string): NetworkWork {
  const index = random.below(4) === 0 ? OTHERS[random.below(OTHERS.length)]! : MAIN
  const kind = random.below(10)
  if (kind <= 1) {
    const ids = Array.from({ length: 1 + random.below(20) }, () => transientId(random, index))
    return plain({ name, kind: 'delete', index, ids })
  }
  const count = 1 + random.below(random.below(4) === 0 ? 60 : 6)
  if (kind === 2) return csvWork(random, name, index, count)
  const isPartial = random.below(2) === 0
  const docs = Array.from({ length: count }, () => document(random, index, isPartial))
  return plain({ name, kind: 'import', index, method: isPartial ? 'PUT' : 'POST', docs })
}

/** Returns a write of settings or of an index; its task carries no name. */
export function indexWork(random: Random, name: string): NetworkWork {
  const index = OTHERS[random.below(OTHERS.length)]!
  const kind = random.below(10)
  if (kind <= 2) {
    const patch = MAIN_SETTINGS[random.below(MAIN_SETTINGS.length)]!
    return plain({ name, kind: 'settings', index: MAIN, patch, embedders: {} } as Work)
  }
  if (kind <= 4) {
    const patch = OTHER_SETTINGS[random.below(OTHER_SETTINGS.length)]!
    return plain({ name, kind: 'settings', index, patch, embedders: {} } as Work)
  }
  if (kind <= 5) return plain({ name, kind: 'create', index })
  if (kind <= 6) return plain({ name, kind: 'drop', index })
  return plain({ name, kind: 'swap', indexes: [OTHERS[0], OTHERS[1]] })
}

const transientId = (random: Random, index: string): number =>
  (index === MAIN ? PERMANENT : 0) + random.below(TRANSIENT)

const text = (random: Random): string =>
  Array.from({ length: 1 + random.below(5) }, () => WORDS[random.below(WORDS.length)]!).join(' ')

/** Returns a whole or partial document. One in three in MAIN is permanent and keeps its `kind`. */
function document(random: Random, index: string, isPartial: boolean): Doc {
  const isPermanent = index === MAIN && random.below(3) === 0
  const id = isPermanent ? random.below(PERMANENT) : transientId(random, index)
  const fields: { [field: string]: unknown } = {}
  if (random.below(2) === 0) fields['n'] = random.below(10)
  if (random.below(3) > 0) fields['text'] = text(random)
  const isWhole = !isPartial
  return { id, ...(isWhole && isPermanent ? { kind: 'permanent' } : {}), ...fields }
}

/** Returns a write of separated values with an unusual delimiter. */
function csvWork(random: Random, name: string, index: string, count: number): NetworkWork {
  const docs = Array.from({ length: count }, () => ({
    id: transientId(random, index),
    text: text(random),
    n: random.below(10),
  }))
  const lines = docs.map((doc) => `${doc.id};${doc.text};${doc.n}`)
  const work: Work = { name, kind: 'import', index, method: 'POST', docs }
  const path = `/indexes/${index}/documents?customMetadata=${name}&csvDelimiter=%3B`
  const csv = `id:number;text;n:number\n${lines.join('\n')}\n`
  return { work, request: { method: 'POST', path, type: 'text/csv', text: csv } }
}

// The task kind that swaps or renames indexes.
import { asIndexUid, type IndexUid } from '../../../format/ids.ts'
import { flag, list } from '../../../format/schema/index.ts'
import { textOf as textOfBytes } from '../../../format/tasks/index.ts'
import { corrupted, listOf, type Members, membersOf, textsOf } from '../../backup/dumps/index.ts'
import { allSucceeded } from '../../write/batching/index.ts'
import { badRecord, contentAs, renamedSwaps } from '../../write/task-data/index.ts'
import { type BatchRun, commitBatch, contentOf, type TaskKind } from '../kind/index.ts'
import { type IndexSwap, swapChanges } from './swaps.ts'

export type SwapContent = { readonly kind: 'indexSwap'; readonly swaps: readonly IndexSwap[] }

const run: BatchRun = async (environment, plan, control) => {
  const { swaps } = contentOf<SwapContent>(plan)
  const { changes, swapped } = swapChanges(environment.manifest.state, swaps)
  const result = { ...allSucceeded(plan), swapped }
  return commitBatch(environment, control, result, null, () => changes)
}

const indexUidOf = (name: Uint8Array): IndexUid => asIndexUid(textOfBytes(name))

export const indexSwap: TaskKind<SwapContent> = {
  name: 'indexSwap',
  number: 7,
  isGlobal: true,
  isForLeader: true,
  queue: { of: 'index', role: () => 'alone' },

  encode: ({ swaps }) => ({
    names: swaps.flatMap(({ indexes }) => indexes),
    content: JSON.stringify(swaps.map(({ rename }) => rename)),
  }),
  decode: (view) => {
    const renames = contentAs(list(flag), view)
    const { names } = view
    if (names.length !== renames.length * 2) badRecord(renames.length * 2, names.length)
    const swaps = renames.map((rename, i) => ({
      indexes: [indexUidOf(names[i * 2]!), indexUidOf(names[i * 2 + 1]!)] as const,
      rename,
    }))
    return { kind: 'indexSwap', swaps }
  },
  renamed: (content, names) => ({ ...content, swaps: renamedSwaps(content.swaps, names) }),

  enqueuedDetails: (view, names) => ({
    swaps: renamedSwaps(indexSwap.decode(view).swaps, names),
  }),

  runs: { indexSwap: run },

  dump: {
    needsIndex: false,
    tags: {
      indexSwap: (members, place) => ({ kind: 'indexSwap', swaps: swapsOf(members, place) }),
    },
    names: (members, place) => swapsOf(members, place).flatMap(({ indexes }) => indexes),
    type: ({ swaps }) => ({ indexSwap: { swaps } }),
    typeOfDetails: ({ swaps }) => ({ indexSwap: { swaps: swaps ?? [] } }),
    details: ({ swaps }) => ({ IndexSwap: { swaps: swaps ?? [] } }),
    detailsTags: { IndexSwap: ({ swaps = null }) => ({ swaps }) },
  },
}

function swapsOf(members: Members, place: string): readonly IndexSwap[] {
  return listOf(members['swaps'], place).map((swap) => {
    const { indexes, rename } = membersOf(swap, place)
    const [left, right, ...more] = textsOf(indexes, place)
    if (left === undefined || right === undefined || more.length > 0) {
      return corrupted(place, 'two indexes are swapped at a time')
    }
    return { indexes: [asIndexUid(left), asIndexUid(right)] as const, rename: rename === true }
  })
}

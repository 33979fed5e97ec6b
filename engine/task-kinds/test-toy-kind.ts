// A task kind for tests: it counts the documents of all indexes whose names begin with a prefix,
// with progress, and can be canceled. A new kind needs only such a file and one row.

import { object, open, text } from '../../format/schema/index.ts'
import { camelMembers, snakeMembers, textOf } from '../backup/dumps/index.ts'
import { documentCount } from '../store/catalog/index.ts'
import { allSucceeded } from '../write/batching/index.ts'
import { contentAs } from '../write/task-data/index.ts'
import { uncommitted } from './kind/commit.ts'
import { type BatchRun, contentOf, type TaskKind } from './kind/task-kind.ts'

export type TallyContent = { readonly kind: 'tally'; readonly prefix: string }

/** A prefix whose tasks run until they are canceled. */
export const ENDLESS = 'endless'

const run: BatchRun = async ({ manifest }, plan, control) => {
  const { prefix } = contentOf<TallyContent>(plan)
  if (prefix === ENDLESS) {
    control.progress([{ currentStep: 'waiting', finished: 0, total: 1 }])
    await new Promise((resolve) => control.signal.addEventListener('abort', resolve))
    return { kind: 'aborted' }
  }
  const indexes = [...manifest.state.indexes.values()].filter(({ uid }) => uid.startsWith(prefix))
  let tallied = 0
  for (const [finished, index] of indexes.entries()) {
    control.progress([{ currentStep: 'counting', finished, total: indexes.length }])
    tallied += documentCount(index)
  }
  return uncommitted(allSucceeded(plan, { tallied }))
}

export const tally: TaskKind<TallyContent> = {
  name: 'tally',
  number: 18,
  isGlobal: true,
  isForLeader: false,
  queue: { of: 'kind', order: 8, takes: 'oldest' },

  encode: ({ prefix }) => ({ content: JSON.stringify({ prefix }) }),
  decode: (view) => ({ kind: 'tally', ...contentAs(open(object({ prefix: text })), view) }),

  enqueuedDetails: (view) => ({ prefix: tally.decode(view).prefix, tallied: null }),
  ownDetails: { prefix: 'first', tallied: 'sum' },
  zeros: { tallied: 0 },

  runs: { tally: run },

  dump: {
    needsIndex: false,
    tags: {
      tally: ({ prefix }, place) => ({ kind: 'tally', prefix: textOf(prefix, place) }),
    },
    type: ({ prefix }) => ({ tally: { prefix } }),
    typeOfDetails: ({ prefix }) => ({ tally: { prefix } }),
    details: (details) => ({ Tally: snakeMembers(details, 'prefix', 'tallied') }),
    detailsTags: { Tally: (members) => camelMembers(members, 'prefix', 'tallied') },
  },
}

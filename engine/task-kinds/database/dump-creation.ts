// The task kind that creates a dump.

import { anything, list, nullable, open, part, text } from '../../../format/schema/index.ts'
import { camelMembers, listOf, snakeMembers, textOrNull } from '../../backup/dumps/index.ts'
import { contentAs } from '../../write/task-data/index.ts'
import type { TaskKind } from '../kind/index.ts'
import { type DumpContent, runDump } from './dump-batch.ts'

const STORED = open(
  part<Partial<Omit<DumpContent, 'kind'>>>({ keys: list(anything), instanceUid: nullable(text) }),
)

export const dumpCreation: TaskKind<DumpContent> = {
  name: 'dumpCreation',
  number: 10,
  isGlobal: true,
  isForLeader: false,
  failsWithStorage: true,
  queue: { of: 'kind', order: 7, takes: 'oldest' },

  encode: ({ kind: _, ...rest }) => ({ content: JSON.stringify(rest) }),
  decode: (view) => {
    // Earlier releases stored no content for a dump.
    const { keys, instanceUid } = view.content === null ? {} : contentAs(STORED, view)
    return { kind: 'dumpCreation', keys: keys ?? [], instanceUid: instanceUid ?? null }
  },

  enqueuedDetails: () => ({ dumpUid: null }),

  runs: { dumpCreation: runDump },

  dump: {
    needsIndex: false,
    tags: {
      dumpCreation: ({ keys = [], instance_uid: instanceUid }, place) => ({
        kind: 'dumpCreation',
        keys: listOf(keys, place),
        instanceUid: textOrNull(instanceUid, place),
      }),
    },
    type: ({ keys, instanceUid }) => ({ dumpCreation: { keys, instance_uid: instanceUid } }),
    typeOfDetails: () => ({ dumpCreation: { keys: [], instance_uid: null } }),
    details: (details) => ({ Dump: snakeMembers(details, 'dumpUid') }),
    detailsTags: { Dump: (members) => camelMembers(members, 'dump_uid') },
  },
}

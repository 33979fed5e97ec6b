// The task kind that removes all dynamic search rules.
import { camelMembers, snakeMembers } from '../../backup/dumps/index.ts'
import type { TaskKind } from '../kind/index.ts'
import { runRules } from './rule-batch.ts'

export type RulesClearContent = { readonly kind: 'dsrClear' }

export const dsrClear: TaskKind<RulesClearContent> = {
  name: 'dsrClear',
  number: 17,
  isGlobal: false,
  isForLeader: true,
  queue: { of: 'index', role: () => 'dsrClear' },

  encode: () => ({}),
  decode: () => ({ kind: 'dsrClear' }),

  enqueuedDetails: () => ({ deletedDocuments: null }),
  zeros: { deletedDocuments: 0 },

  runs: { dsrClear: runRules },

  dump: {
    needsIndex: false,
    tags: { dsrClear: () => ({ kind: 'dsrClear' }) },
    type: () => 'dsrClear',
    typeOfDetails: () => 'dsrClear',
    details: (details) => ({ ClearAll: snakeMembers(details, 'deletedDocuments') }),
    detailsTags: { ClearAll: (members) => camelMembers(members, 'deleted_documents') },
  },
}

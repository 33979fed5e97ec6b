// The task kind that creates, changes or removes a dynamic search rule.
import { anyObject, nullable, object, open, text } from '../../../format/schema/index.ts'
import { type Members, membersOf, textOf } from '../../backup/dumps/index.ts'
import { withActionsAsObject } from '../../read/search-rules/index.ts'
import { contentAs } from '../../write/task-data/index.ts'
import type { TaskKind } from '../kind/index.ts'
import { type RuleUpdateContent, runRules } from './rule-batch.ts'

const STORED = open(
  object<Omit<RuleUpdateContent, 'kind'>>({ uid: text, rule: nullable(anyObject) }),
)

export const dsrUpdate: TaskKind<RuleUpdateContent> = {
  name: 'dsrUpdate',
  number: 16,
  isGlobal: false,
  isForLeader: true,
  queue: { of: 'index', role: () => 'dsrUpdate' },

  encode: ({ kind: _, ...rest }) => ({ content: JSON.stringify(rest) }),
  decode: (view) => {
    const { uid, rule } = contentAs(STORED, view)
    return { kind: 'dsrUpdate', uid, rule: rule === null ? null : withActionsAsObject(rule) }
  },

  enqueuedDetails: (view) => {
    const { rule } = dsrUpdate.decode(view)
    return rule === null ? { updatedRules: 1 } : { rule, updatedRules: 1 }
  },

  detailsFromLog: (details) => {
    const rule = ruleOrNull(details['rule'])
    return rule === null ? details : { ...details, rule: withActionsAsObject(rule) }
  },

  runs: { dsrUpdates: runRules },

  dump: {
    needsIndex: false,
    tags: {
      dsrUpdate: (members, place) => {
        const made = members['createOrUpdate'] ?? null
        const { rule_id: uid, update } = membersOf(made ?? Object.values(members)[0], place)
        const rule = made === null ? null : withActionsAsObject(membersOf(update ?? {}, place))
        return { kind: 'dsrUpdate', uid: textOf(uid, place), rule }
      },
    },
    type: ({ uid, rule }) => ({ dsrUpdate: dumpedUpdate(uid, rule) }),
    typeOfDetails: ({ rule }) => ({ dsrUpdate: dumpedUpdate('', ruleOrNull(rule)) }),
    details: ({ rule }, content) => ({
      DsrUpdate: dumpedUpdate(content?.uid ?? '', ruleOrNull(rule)),
    }),
    detailsTags: {
      DsrUpdate: (members) => {
        const made = members['createOrUpdate'] as Members | undefined
        if (made === undefined) return { updatedRules: 1 }
        const rule = withActionsAsObject(ruleOrNull(made['update']) ?? {})
        return { rule, updatedRules: 1 }
      },
    },
  },
}

const ruleOrNull = (rule: unknown): Members | null => (rule as Members | undefined) ?? null

/** `rule` null: the rule is removed. */
const dumpedUpdate = (uid: string, rule: Members | null): Members =>
  rule === null ? { delete: { rule_id: uid } } : { createOrUpdate: { rule_id: uid, update: rule } }
